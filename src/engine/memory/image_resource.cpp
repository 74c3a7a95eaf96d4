// The T# resource per generation, and the address of a texel in a linear image.
#include "engine/memory/image.h"
#include <algorithm>

namespace crosslane::engine::image {

uint32_t flags_of(const isa::Instruction& inst) {
  const bool is_gfx9 = isa::info(inst.target).generation >= isa::Generation::gfx9;
  return (inst.dmask & 15u) | (inst.da ? da : 0) | (inst.a16 ? a16 : 0) | (inst.r128 ? r128 : 0) |
         (inst.d16 ? d16 : 0) | (isa::packed_d16(inst.target) ? packed_d16 : 0) | (is_gfx9 ? gfx9 : 0);
}

Image read_resource(const uint32_t* s, uint32_t aux) {
  const auto field = [s](int word, int low, int bits) { return s[word] >> low & ((1u << bits) - 1); };
  const bool is_gfx9 = aux & gfx9, is_short = aux & r128;
  Image i = {};
  i.base = (uint64_t(s[1] & 0xff) << 32 | s[0]) << 8;
  i.format = {uint8_t(field(1, 20, 6)), uint8_t(field(1, 26, 4))};
  i.unbound = i.format.data == 0;
  i.width = field(2, 0, 14) + 1;
  i.height = field(2, 14, 14) + 1;
  i.selectors = field(3, 0, 12);
  i.min_lod = float(field(1, 8, 12)) / 256;
  // gfx9 says it (BC_SWIZZLE); before, DST_SEL tells where alpha comes from.
  constexpr uint32_t alpha_of_swizzle[8] = {3, 1, 0, 0, 3, 2, 3, 3}; // XYZW, XWYZ, WZYX, WXYZ, ZYXW, YXWZ
  const uint32_t w_selector = field(3, 9, 3);
  i.border_alpha = is_gfx9 && !is_short ? alpha_of_swizzle[field(4, 29, 3)] : w_selector >= 4 ? w_selector - 4 : 3;
  i.base_level = field(3, 12, 4);
  i.last_level = field(3, 16, 4);
  // gfx9 has the swizzle mode here, of which 0 is linear; before, an index into a table that the driver keeps, whose
  // entry 8 is.
  i.linear = field(3, 20, 5) == (is_gfx9 ? 0u : 8u);
  i.type = Type(field(3, 28, 4));
  i.depth = 1;
  if (is_short) {
    // No room for the pitch: that of the linear layout, whole groups of 64 texels and of 256 bytes.
    const uint32_t bytes = std::max(1, i.format.bytes()), group = std::max(64u, 256 / bytes);
    i.pitch = (i.width + group - 1) / group * group;
    return i;
  }
  i.depth = field(4, 0, 13) + 1;
  i.pitch = field(4, 13, is_gfx9 ? 16 : 14) + 1;
  i.first_slice = field(5, 0, 13);
  i.last_slice = is_gfx9 ? i.depth - 1 : field(5, 13, 13);
  return i;
}

const char* refusal(const Image& i) {
  if (i.unbound)
    return nullptr;
  if (i.type < one_d)
    return "the image resource has no image type";
  if (i.type == two_d_msaa || i.type == two_d_msaa_array)
    return "images with several samples are not executed";
  if (!i.linear)
    return "the image is tiled; only linear images are executed";
  if (!i.format.bytes())
    return "the data format of the image is not executed";
  return nullptr;
}

uint8_t* texel_address(const Image& i, uint64_t x, uint64_t y, uint64_t z) {
  const bool flat = i.type == one_d || i.type == one_d_array;
  const uint64_t rows = z * (flat ? 1 : i.height) + y;
  return reinterpret_cast<uint8_t*>(i.base + (rows * i.pitch + x) * uint32_t(i.format.bytes()));
}

Texel locate(const Image& i, uint32_t aux, const uint32_t* vaddr, uint32_t registers, int lane) {
  constexpr Texel outside = {Where::outside, nullptr};
  if (i.unbound)
    return outside;
  uint32_t used = 0;
  bool missing = false;
  const auto next = [&] {
    const uint32_t n = used++, reg = aux & a16 ? n / 2 : n;
    if (reg >= registers)
      return missing = true, 0u;
    return aux & a16 ? vaddr[reg * 64 + uint32_t(lane)] >> n % 2 * 16 & 0xffff : vaddr[reg * 64 + uint32_t(lane)];
  };
  const bool flat = i.type == one_d || i.type == one_d_array;
  const uint32_t x = next(), y = flat ? 0 : next();
  uint32_t z = i.type == three_d ? next() : 0;
  // The instruction says whether there is a slice; images that are no arrays ignore it.
  uint32_t slice = aux & da && i.type != three_d ? next() : 0;
  if (!i.is_array())
    slice = 0;
  const uint32_t level = aux & mip ? next() : 0;
  if (missing)
    return {Where::no_register, nullptr};
  if (level > i.last_level - std::min(i.base_level, i.last_level))
    return outside;
  if (level + i.base_level != 0)
    return {Where::other_level, nullptr};
  if (x >= i.width || (!flat && y >= i.height) || (i.type == three_d && z >= i.depth))
    return outside;
  if (i.type != three_d) { // a plain image may be one slice of an array
    if (uint64_t(slice) + i.first_slice > i.last_slice)
      return outside;
    z = slice + i.first_slice;
  }
  return {Where::inside, texel_address(i, x, y, z)};
}

} // namespace crosslane::engine::image
