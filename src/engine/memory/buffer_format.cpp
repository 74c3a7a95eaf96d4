// Formats one by one: number types of each width, packed floats, sRGB.
#include "engine/buffer_format.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

namespace crosslane::engine {
namespace {

enum Number : uint8_t { unorm, snorm, uscaled, sscaled, uint, sint, snorm_ogl, real, srgb = 9 };
constexpr uint8_t shared_exponent = 34;

// Widths of the components, lowest bits first.
struct Layout {
  int8_t bits[4];
};
constexpr Layout layouts[] = {
    {{}},               // 0 invalid
    {{8}},              // 1 8
    {{16}},             // 2 16
    {{8, 8}},           // 3 8_8
    {{32}},             // 4 32
    {{16, 16}},         // 5 16_16
    {{11, 11, 10}},     // 6 10_11_11
    {{10, 11, 11}},     // 7 11_11_10
    {{2, 10, 10, 10}},  // 8 10_10_10_2
    {{10, 10, 10, 2}},  // 9 2_10_10_10
    {{8, 8, 8, 8}},     // 10 8_8_8_8
    {{32, 32}},         // 11 32_32
    {{16, 16, 16, 16}}, // 12 16_16_16_16
    {{32, 32, 32}},     // 13 32_32_32
    {{32, 32, 32, 32}}, // 14 32_32_32_32
    {{}},               // 15 reserved
    {{5, 6, 5}},        // 16 5_6_5, from here on images only
    {{5, 5, 5, 1}},     // 17 1_5_5_5
    {{1, 5, 5, 5}},     // 18 5_5_5_1
    {{4, 4, 4, 4}},     // 19 4_4_4_4
};
constexpr Layout nothing = {{}}, five_nines = {{9, 9, 9, 5}}, four_four = {{4, 4}}, six_five_five = {{5, 5, 6}};
const Layout& layout_of(uint8_t data) {
  switch (data) {
  case shared_exponent: return five_nines;
  case 57: return four_four;
  case 58: return six_five_five;
  default: return data < std::size(layouts) ? layouts[data] : nothing;
  }
}

uint32_t bits_of(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}
float float_of(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
float half_to_float(uint16_t bits) {
  _Float16 h;
  std::memcpy(&h, &bits, 2);
  return float(h);
}
uint16_t float_to_half(float f) {
  const _Float16 h = _Float16(f);
  uint16_t bits;
  std::memcpy(&bits, &h, 2);
  return bits;
}

uint32_t field_mask(int width) { return width == 32 ? ~0u : (1u << width) - 1; }
int32_t sign_extend(uint32_t v, int width) { return int32_t(v << (32 - width)) >> (32 - width); }

// f as an unsigned float of 5 exponent bits. EXT_packed_float: negative numbers become 0, too large ones the largest,
// NaN stays.
uint32_t small_float(float f, int mantissa) {
  const uint32_t infinity = 31u << mantissa;
  if (std::isnan(f))
    return infinity | 1u << (mantissa - 1);
  if (!(f > 0))
    return 0;
  if (std::isinf(f))
    return infinity;
  int exponent;
  std::frexp(f, &exponent); // f = [0.5, 1) * 2^exponent
  exponent = std::max(exponent - 1, -14);
  const auto units = uint32_t(std::nearbyint(std::ldexp(double(f), mantissa - exponent)));
  // Rounding up to the next power of two carries into the exponent as it must.
  const uint64_t code = (uint64_t(uint32_t(exponent + 14)) << mantissa) + units;
  return uint32_t(std::min<uint64_t>(code, infinity - 1));
}

float from_srgb(double v) { return float(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4)); }

uint32_t unpack_component(Number number, int width, uint32_t raw) {
  const double top = double(field_mask(width)), top_signed = double(field_mask(width - 1));
  switch (number) {
  case unorm: return bits_of(float(raw / top));
  case srgb: return bits_of(from_srgb(raw / top));
  case snorm: return bits_of(float(std::max(-1.0, sign_extend(raw, width) / top_signed)));
  case snorm_ogl: return bits_of(float((2.0 * sign_extend(raw, width) + 1) / top));
  case uscaled: return bits_of(float(raw));
  case sscaled: return bits_of(float(sign_extend(raw, width)));
  case uint: return raw;
  case sint: return uint32_t(sign_extend(raw, width));
  case real:
    if (width == 32)
      return raw;
    // 11 and 10 bits are a half without sign and with fewer mantissa bits.
    return bits_of(half_to_float(uint16_t(width == 16 ? raw : raw << (15 - width))));
  }
  return 0;
}

uint32_t pack_component(Number number, int width, uint32_t value) {
  const double top = double(field_mask(width)), top_signed = double(field_mask(width - 1));
  const float f = float_of(value);
  const double finite = std::isnan(f) ? 0.0 : double(f);
  switch (number) {
  case unorm: return uint32_t(int64_t(std::nearbyint(std::clamp(finite, 0.0, 1.0) * top)));
  case snorm: return uint32_t(int64_t(std::nearbyint(std::clamp(finite, -1.0, 1.0) * top_signed)));
  case uscaled: return uint32_t(int64_t(std::nearbyint(std::clamp(finite, 0.0, top))));
  case sscaled: return uint32_t(int64_t(std::nearbyint(std::clamp(finite, -top_signed - 1, top_signed))));
  case uint: return std::min(value, field_mask(width));
  case sint: return uint32_t(std::clamp<int64_t>(int32_t(value), int64_t(-top_signed) - 1, int64_t(top_signed)));
  case real: return width == 32 ? value : width == 16 ? float_to_half(f) : small_float(f, width - 5);
  case snorm_ogl:
    return uint32_t(int64_t(std::nearbyint(std::clamp((finite * top - 1) / 2, -top_signed - 1, top_signed))));
  case srgb: break;
  }
  return 0;
}

} // namespace

int TexelFormat::bytes() const {
  int bits = 0;
  for (const int8_t width : layout_of(data).bits)
    bits += width;
  return bits / 8;
}
int TexelFormat::components() const {
  int n = 0;
  while (n < 4 && layout_of(data).bits[n])
    ++n;
  return n;
}
bool TexelFormat::is_integer() const { return number == uint || number == sint; }
bool TexelFormat::can_load() const {
  if (!bytes())
    return false;
  const int width = layout_of(data).bits[0];
  if (data == shared_exponent)
    return number == real;
  if (number == srgb)
    return width == 8;
  if (number > real)
    return false;
  if (number == real)
    return width == 32 || width == 16 || data == 6 || data == 7;
  return width != 32 || is_integer(); // the manual has no normalized or scaled 32-bit components
}
bool TexelFormat::can_store() const { return can_load() && number != srgb && data != shared_exponent; }

void unpack_texel(TexelFormat format, const uint8_t* texel, uint32_t components[4]) {
  const Layout& layout = layout_of(format.data);
  if (layout.bits[0] == 32) { // as they are
    components[0] = components[1] = components[2] = components[3] = 0;
    std::memcpy(components, texel, size_t(format.bytes()));
    return;
  }
  for (int c = 0, at = 0; c < 4; ++c) {
    const int width = layout.bits[c];
    components[c] = 0;
    if (!width)
      continue;
    uint64_t window = 0;
    const int last = (at + width - 1) / 8;
    for (int b = last; b >= at / 8; --b)
      window = window << 8 | texel[b];
    components[c] = unpack_component(Number(format.number), width, uint32_t(window >> at % 8) & field_mask(width));
    // sRGB leaves alpha alone.
    if (format.number == srgb && c == 3)
      components[c] = unpack_component(unorm, width, uint32_t(window >> at % 8) & field_mask(width));
    at += width;
  }
  if (format.data == shared_exponent) {
    uint32_t word;
    std::memcpy(&word, texel, 4);
    for (int c = 0; c < 3; ++c)
      components[c] = bits_of(std::ldexp(float(word >> 9 * c & 0x1ff), int(word >> 27) - 24));
    components[3] = 0;
  }
}

void pack_texel(TexelFormat format, const uint32_t components[4], uint8_t* texel) {
  const Layout& layout = layout_of(format.data);
  std::memset(texel, 0, size_t(format.bytes()));
  for (int c = 0, at = 0; c < 4; ++c) {
    const int width = layout.bits[c];
    if (!width)
      break;
    const uint64_t field = pack_component(Number(format.number), width, components[c]) & field_mask(width);
    for (int b = at / 8; b <= (at + width - 1) / 8; ++b)
      texel[b] |= uint8_t(b * 8 >= at ? field >> (b * 8 - at) : field << (at - b * 8));
    at += width;
  }
}

uint16_t narrow_component(bool integer, uint32_t value) {
  return integer ? uint16_t(value) : float_to_half(float_of(value));
}
uint32_t widen_component(TexelFormat format, uint16_t value) {
  if (format.number == uint)
    return value;
  if (format.number == sint)
    return uint32_t(int32_t(int16_t(value)));
  return bits_of(half_to_float(value));
}

} // namespace crosslane::engine
