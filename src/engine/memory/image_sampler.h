// Owns what a sampler resource (S#) says, and which texels a coordinate stands for. One axis at a time: what an image
// makes of the axes is image_sample.cpp's. Source: Vega ISA manual, 8.4 (tables 37 to 40); CLRX GcnMemHandling "Sampler
// resource format"; docs/isa-errata.md, "Samplers".
#pragma once
#include <cstdint>

namespace crosslane::engine::image {

enum Clamp : uint8_t {
  wrap,
  mirror,
  last_texel,
  mirror_once_last_texel,
  half_border,
  mirror_once_half_border,
  to_border,
  mirror_once_border
};
enum Border : uint8_t { transparent_black, opaque_black, opaque_white, from_table };
enum Compare : uint8_t { never, less, equal, less_equal, greater, not_equal, greater_equal, always };

struct Sampler {
  Clamp clamp[3];    // of x, y, z
  bool unnormalized; // coordinates count texels
  bool truncates;    // fixed-point coordinates are cut off, else rounded
  Compare compare;
  bool mag_linear, min_linear;
  bool anisotropic;
  uint8_t z_filter;    // 0 as in x and y, 1 point, 2 linear
  uint8_t mip_filter;  // 0 none: one level
  uint8_t filter_mode; // 0 weighs texels; 1 and 2 take their minimum and maximum
  bool degamma;
  float min_lod, max_lod;
  Border border;
};
Sampler read_sampler(const uint32_t* s);
// Why it cannot be followed; null: it can.
const char* refusal(const Sampler&);

// The texels at or around a coordinate; `outside`: the border's colour.
struct Taps {
  static constexpr int64_t outside = -1;
  int64_t texel[2];
  uint32_t weight; // of the second in units of 1/256; always 0 of a point filter
};
// `at` counts texels, of which there are `size`; `offset` is added in whole texels. In the host's default rounding
// mode.
Taps taps_of(double at, int64_t size, Clamp, bool linear, bool truncates, int offset);

bool compares(Compare, float reference, float texel);

} // namespace crosslane::engine::image
