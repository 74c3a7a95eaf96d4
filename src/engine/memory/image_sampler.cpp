// The S# resource, and coordinates in fixed point.
#include "engine/memory/image_sampler.h"
#include <algorithm>
#include <cmath>
#include <emmintrin.h>

namespace crosslane::engine::image {
namespace {

constexpr int64_t one = 256; // a texel in the fixed point of coordinates

int64_t modulo(int64_t a, int64_t n) { return a >= 0 && a < n ? a : (a % n + n) % n; }
int64_t nearest(double x) { return _mm_cvtsd_si64(_mm_set_sd(x)); } // to even
int64_t down(double x) {
  const int64_t towards_zero = int64_t(x);
  return towards_zero - (double(towards_zero) > x);
}

bool mirrors_once(Clamp c) {
  return c == mirror_once_last_texel || c == mirror_once_half_border || c == mirror_once_border;
}

// The texel that stands for number i, or outside.
int64_t resolve(int64_t i, int64_t size, Clamp clamp) {
  if (mirrors_once(clamp) && i < 0)
    i = -1 - i;
  switch (clamp) {
  case wrap: return modulo(i, size);
  case mirror: {
    const int64_t m = modulo(i, 2 * size);
    return m < size ? m : 2 * size - 1 - m;
  }
  case last_texel:
  case mirror_once_last_texel: return std::clamp<int64_t>(i, 0, size - 1);
  default: return i >= 0 && i < size ? i : Taps::outside;
  }
}

} // namespace

Sampler read_sampler(const uint32_t* s) {
  const auto field = [s](int word, int low, int bits) { return s[word] >> low & ((1u << bits) - 1); };
  Sampler r = {};
  for (int axis = 0; axis < 3; ++axis)
    r.clamp[axis] = Clamp(field(0, 3 * axis, 3));
  r.compare = Compare(field(0, 12, 3));
  r.unnormalized = field(0, 15, 1);
  r.degamma = field(0, 20, 1);
  r.truncates = field(0, 27, 1);
  r.filter_mode = uint8_t(field(0, 29, 2));
  r.min_lod = float(field(1, 0, 12)) / 256;
  r.max_lod = float(field(1, 12, 12)) / 256;
  const uint32_t mag = field(2, 20, 2), min = field(2, 22, 2); // 0 point, 1 linear, 2 and 3 the same with anisotropy
  r.mag_linear = mag & 1, r.min_linear = min & 1;
  r.anisotropic = field(0, 9, 3) && (mag >= 2 || min >= 2);
  r.z_filter = uint8_t(field(2, 24, 2));
  r.mip_filter = uint8_t(field(2, 26, 2));
  r.border = Border(field(3, 30, 2));
  return r;
}

const char* refusal(const Sampler& s) {
  if (s.anisotropic)
    return "anisotropic filters are not executed";
  if (s.filter_mode)
    return "filters that take the minimum or maximum of texels are not executed";
  if (s.degamma)
    return "samplers that force degamma are not executed";
  return nullptr;
}

Taps taps_of(double at, int64_t size, Clamp clamp, bool linear, bool truncates, int offset) {
  // Far beyond any image, but for a wrap of the fixed point; NaN counts as 0.
  constexpr double limit = double(int64_t(1) << 40);
  if (std::isnan(at))
    at = 0;
  at = std::clamp(at, -limit, limit);
  int64_t fixed = (truncates ? down(at * one) : nearest(at * one)) + offset * one;
  if (clamp == half_border || clamp == mirror_once_half_border) {
    // As if the coordinate ended at the image's edge: a linear filter sees half of the border there, a point filter
    // none.
    if (clamp == mirror_once_half_border)
      fixed = std::abs(fixed);
    fixed = std::clamp<int64_t>(fixed, 0, size * one);
  }
  if (!linear) {
    if (clamp == half_border || clamp == mirror_once_half_border)
      clamp = last_texel;
    return {{resolve(fixed >> 8, size, clamp), Taps::outside}, 0};
  }
  fixed -= one / 2;
  const int64_t first = fixed >> 8;
  const Clamp of_texels = clamp == half_border || clamp == mirror_once_half_border ? to_border : clamp;
  return {{resolve(first, size, of_texels), resolve(first + 1, size, of_texels)}, uint32_t(fixed & 255)};
}

bool compares(Compare c, float reference, float texel) {
  switch (c) {
  case never: return false;
  case less: return reference < texel;
  case equal: return reference == texel;
  case less_equal: return reference <= texel;
  case greater: return reference > texel;
  case not_equal: return reference != texel;
  case greater_equal: return reference >= texel;
  case always: return true;
  }
  return false;
}

} // namespace crosslane::engine::image
