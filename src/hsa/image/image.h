// Owns images as kernels find them: the resource descriptor (T#, or V# for a buffer of texels) that the handle of an
// image points to, and the format that it names. All images are linear. Source: Vega ISA manual, 8.2.5 tables 35 and
// 36, 8.1.5; LLVM's device libraries (ockl), image.cl, for what follows the T#.
#pragma once
#include "engine/buffer_format.h"
#include "hsa/info/agent.h"
#include "hsa/newer.h"
#include <array>
#include <hsa/hsa_ext_image.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace crosslane::hsa {

struct ImageFormat {
  engine::TexelFormat texel;
  uint8_t components = 0;             // 0: there is no such format
  std::array<uint8_t, 4> selectors{}; // what R, G, B and A of a load are: 0, 1, or 4 + component of the texel
};
ImageFormat format_of(const hsa_ext_image_format_t&, hsa_ext_image_geometry_t);

// Where the texels are. For arrays of one-dimensional images y is the index, for other arrays z.
struct ImageLayout {
  uint64_t texel = 0, row = 0, slice = 0; // bytes from one to the next
  uint64_t width = 0, rows = 0, slices = 0;
  uint64_t bytes() const { return slice * slices; }
};

struct Image {
  uint32_t words[12] = {}; // of which kernels read a copy, at the address that is the image's handle
  Agent* agent = nullptr;
  ImageFormat format;
  hsa_ext_image_format_t channels{}; // what the format was made of
  bool integer = false;              // what a kernel loads
  ImageLayout layout;
  uint8_t* data = nullptr;
};

// By handle: the address of the descriptor that kernels read.
struct Images {
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<const Image>> images;
  std::set<uint64_t> samplers;
};

// Success, or the status that says what is wrong with the descriptor. Pitches of 0: as the runtime likes.
hsa_status_t lay_out(const hsa_ext_image_descriptor_t&, uint64_t row_pitch, uint64_t slice_pitch, ImageLayout&);
// Writes the words of an image whose other fields are there.
void describe_image(Image&, const hsa_ext_image_descriptor_t&);
// Of S#, in eight words.
void describe_sampler(const hsa_ext_sampler_descriptor_v2_t&, uint32_t words[8]);

// Between the values of a channel in linear and in standard form, both from 0 to 1; what is not a number is 0.
// Source: HSA Programmer's Reference Manual 1.0, 7.1.4.1.2 "Standard RGB (s-Form)".
float linear_to_srgb(float);
float srgb_to_linear(float);
bool is_srgb(const Image&);
// The same texels as numbers.
engine::TexelFormat unorm_of_srgb(engine::TexelFormat);

// The answers to HSA_EXT_AGENT_INFO_*; the largest width, height, depth and layers of a geometry.
std::array<uint32_t, 4> largest_image(hsa_ext_image_geometry_t);

} // namespace crosslane::hsa
