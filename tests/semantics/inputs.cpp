// Edge values per type, and the mix of edges, neighbours and random bits.
#include "tests/semantics/inputs.h"
#include <bit>
#include <cmath>

namespace crosslane::test {
namespace {

using isa::Type;
using List = std::vector<uint64_t>;

List integers(int bits) {
  List list;
  for (uint64_t v : {0ull,
                     1ull,
                     2ull,
                     3ull,
                     7ull,
                     12ull,
                     15ull,
                     16ull,
                     31ull,
                     32ull,
                     33ull,
                     53ull,
                     63ull,
                     64ull,
                     0x55ull,
                     0x7full,
                     0x80ull,
                     0xaaull,
                     0xffull,
                     0x100ull,
                     0x0c0bull,
                     0x7fffull,
                     0x8000ull,
                     0xfffeull,
                     0xffffull,
                     0x10000ull,
                     0x10001ull,
                     0x7fffffull,
                     0x800000ull,
                     0xffffffull,
                     0x1000000ull,
                     0x00100010ull,
                     0x04030201ull,
                     0x07060504ull,
                     0x0d0c0b08ull,
                     0x55555555ull,
                     0x7fffffffull,
                     0x80000000ull,
                     0x80000001ull,
                     0x80008000ull,
                     0x7fff7fffull,
                     0xaaaaaaaaull,
                     0xcccccccccull,
                     0xfffeffffull,
                     0xffff0000ull,
                     0xfffffffeull,
                     0xffffffffull,
                     0x100000000ull,
                     0x7fffffffffffffffull,
                     0x8000000000000000ull,
                     0x8000000000000001ull,
                     0xffffffff00000000ull,
                     0xfffffffffffffffeull,
                     0xffffffffffffffffull})
    if (bits == 64 || v >> bits == 0)
      list.push_back(v);
  return list;
}
// Both signs of: zero, denormals, the least normal, values around one and one half, whole numbers, the largest, inf,
// NaNs.
List floats(int mantissa, int exponent) {
  const uint64_t sign = 1ull << (mantissa + exponent), min_normal = 1ull << mantissa;
  const uint64_t bias = (1ull << (exponent - 1)) - 1, infinity = (2 * bias + 1) << mantissa;
  const auto power = [&](int e) { return (bias + uint64_t(int64_t(e))) << mantissa; };
  List list;
  for (uint64_t v : {uint64_t(0),
                     uint64_t(1),
                     uint64_t(2),
                     min_normal / 2,
                     min_normal - 1,
                     min_normal,
                     min_normal + 1,
                     power(0) - 1,
                     power(0),
                     power(0) + 1,
                     power(-1),
                     power(-1) - 1,
                     power(-2),
                     power(1),
                     power(1) | min_normal / 2,
                     power(2),
                     power(3) + 1,
                     power(0) | min_normal / 2,
                     power(-1) | min_normal / 2,
                     power(2) | min_normal / 4,
                     power(7) | 3,
                     power(8) - 1,
                     power(10),
                     power(mantissa - 1) | 1,
                     power(mantissa) | 1,
                     power(mantissa + 1),
                     power(14),
                     power(15) - 1,
                     power(15),
                     infinity - min_normal,
                     infinity - 1,
                     infinity,
                     infinity | min_normal / 2,
                     infinity | min_normal / 2 | 5,
                     infinity | 1,
                     infinity | min_normal / 4}) {
    list.push_back(v);
    list.push_back(v | sign);
  }
  if (mantissa == 23)
    for (float f :
         {255.0f,     254.5f,       255.5f,        256.0f,          257.25f,       65504.0f,      65519.0f,
          65520.0f,   65536.0f,     2147483648.0f, -2147483648.0f,  2147483520.0f, 4294967296.0f, 4294967040.0f,
          0x1p-14f,   0x1.ffcp-15f, 0x1p-24f,      0x1p-25f,        0x1.8p-25f,    0x1.2p-1f,     0x1.002p0f,
          0x1.003p0f, 0x1p126f,     0x1p-126f,     0x1p63f,         0x1p-64f,      31.0f,         -31.5f,
          0.25f,      126.5f,       -149.5f,       0x1.00000cp-126f})
      list.push_back(std::bit_cast<uint32_t>(f));
  if (mantissa == 52)
    for (double f :
         {2147483647.0,   2147483647.5, 2147483648.0, -2147483648.0, -2147483648.5, -2147483649.0, 4294967295.0,
          4294967295.9,   4294967296.0, 0x1p-126,     0x1p-149,      0x1p-150,      0x1.8p-150,    0x1.ffffffp127,
          0x1.fffffep127, 0x1p128,      0x1p54,       0x1p1000,      0x1p-1000,     0x1p900,       0x1p1020})
      list.push_back(std::bit_cast<uint64_t>(f));
  return list;
}

const List u16 = integers(16), u32 = integers(32), u64 = integers(64), f16 = floats(10, 5), f32 = floats(23, 8),
           f64 = floats(52, 11);
const List packed_f16 = [] {
  List list;
  for (uint64_t a : f16)
    list.push_back(a | 0x3c01ull << 16), list.push_back(0x8001ull | a << 16);
  return list;
}();

int width(Type t) {
  switch (t) {
  case Type::B16:
  case Type::I16:
  case Type::U16:
  case Type::F16: return 16;
  default: return isa::dwords(t) == 2 ? 64 : 32;
  }
}

} // namespace

std::span<const uint64_t> edges(Type type) {
  switch (type) {
  case Type::F16: return f16;
  case Type::F32: return f32;
  case Type::F64: return f64;
  case Type::PkF16: return packed_f16;
  default: return width(type) == 16 ? u16 : width(type) == 64 ? u64 : u32;
  }
}

uint64_t Inputs::next(Type type) {
  if (type == Type::PkF32) {
    const uint64_t low = next(Type::F32);
    return low | next(Type::F32) << 32;
  }
  const int bits = width(type);
  const uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1;
  const auto list = edges(type);
  const uint64_t edge = list[random_() % list.size()];
  switch (random_() % 8) {
  case 0:
  case 1: return edge;
  case 2: return (edge + random_() % 5 - 2) & all;
  case 3: { // float of a common size, or a small integer
    const uint64_t r = random_();
    if (type == Type::F32)
      return std::bit_cast<uint32_t>(std::ldexp(float(int32_t(r)), int(r >> 32 & 63) - 60));
    if (type == Type::F64)
      return std::bit_cast<uint64_t>(std::ldexp(double(int64_t(r)), int(r >> 32 & 127) - 120));
    if (type == Type::F16)
      return (r & 0x83ff) | (8 + r % 14) << 10;
    if (type == Type::PkF16)
      return (r & 0x83ff83ff) | (8 + (r >> 32) % 14) << 10 | (8 + (r >> 40) % 14) << 26;
    return r >> (64 - bits + r % bits) & all;
  }
  default: return random_() & all;
  }
}

} // namespace crosslane::test
