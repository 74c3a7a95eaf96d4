// Owns images: what a T# resource says, where a texel is, and the handlers of MIMG; samplers are image_sampler.h's.
// Linear images only; what is not executed is a fault that says why. Source: Vega ISA manual, 8.2 to 8.4.2 (tables 35,
// 36, 39); CLRX GcnMemHandling "Image resource format" for gfx6 to gfx8.
#pragma once
#include "engine/buffer_format.h"
#include "engine/decode/lowering.h"
#include <optional>

namespace crosslane::engine {

namespace image {

enum Type : uint8_t { one_d = 8, two_d, three_d, cube, one_d_array, two_d_array, two_d_msaa, two_d_msaa_array };

// Uop::aux of image handlers: DMASK in the low four bits, then these.
inline constexpr uint32_t da = 1 << 4, a16 = 1 << 5, r128 = 1 << 6, d16 = 1 << 7, packed_d16 = 1 << 8, gfx9 = 1 << 9,
                          mip = 1 << 10, raw = 1 << 11, sign_extends = 1 << 12, returns = 1 << 13;
inline constexpr int dword_shift = 16; // dwords of an atomic's texel

uint32_t flags_of(const isa::Instruction&);

struct Image {
  bool unbound; // a resource of zeros: loads 0, stores nothing
  Type type;
  TexelFormat format;
  uint64_t base;
  uint32_t width, height, depth, pitch; // of the first level, in texels
  uint32_t first_slice, last_slice;     // of arrays and cubes (their faces)
  uint32_t base_level, last_level;
  uint32_t selectors;    // DST_SEL_X.., 3 bits each
  uint32_t border_alpha; // which component of a texel a border's alpha stands for
  float min_lod;
  bool linear;
  bool is_array() const { return type >= cube && type != two_d_msaa; }
};
// s: four or (without r128) eight SGPRs.
Image read_resource(const uint32_t* s, uint32_t aux);
// Of one that is inside. z: a slice, counted from the image's first byte, or depth.
uint8_t* texel_address(const Image&, uint64_t x, uint64_t y, uint64_t z);
// Why texels of it cannot be addressed; null: they can.
const char* refusal(const Image&);

enum class Where : uint8_t { inside, outside, other_level, no_register };
struct Texel {
  Where where;
  uint8_t* address;
};
// vaddr: the first address VGPR's 64 lanes, of which `registers` are there.
Texel locate(const Image&, uint32_t aux, const uint32_t* vaddr, uint32_t registers, int lane);

// The texels in memory that lanes of an instruction with a sampler read, each once: those that have a weight, and all
// four of a gather. The k-th of a lane is in address[k]. None where it would fault, and none for the border.
inline constexpr int most_texels = 8;
struct Samples {
  uint32_t bytes; // of a texel
  bool filtered;  // of some lane by a linear filter, or gathered: not by point
  uint64_t lanes[most_texels];
  uint64_t address[most_texels][64];
};
void find_samples(const isa::Instruction&, const machine::Wave&, uint64_t lanes, Samples&);

// What DST_SEL makes of a texel's components.
inline uint32_t selected(const uint32_t texel[4], uint32_t selector, bool integer) {
  if (selector >= 4)
    return texel[selector - 4];
  return selector == 1 ? (integer ? 1 : 0x3f800000) : 0;
}
// Those that DMASK enables go to the registers from dst on, `dst` being the lane's dword of the first.
void write_components(uint32_t* dst, uint32_t aux, bool integer, const uint32_t values[4]);

} // namespace image

// The atomics and the status of TFE have handlers per level: the caller hands in those of its own.
bool lower_image_sample(Lowering&, void (*clear_status)(Lowering&, uint32_t)); // those with a sampler
bool lower_image(Lowering&, Handler (*pick_atomic)(isa::Access, isa::Type), void (*clear_status)(Lowering&, uint32_t));

} // namespace crosslane::engine
