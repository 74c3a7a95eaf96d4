// Owns what an operation on images takes and does beside its access: the list is isa/rows/images.inc.
#pragma once
#include "isa/op.h"

namespace crosslane::isa {

enum class ImageTrait : uint16_t {
  none = 0,
  mip = 1u << 0,          // the address names a level
  raw = 1u << 1,          // texels without conversion
  sign_extends = 1u << 2, // raw ones of less than a dword
  gather = 1u << 3,       // four texels of one component
  compare = 1u << 4,      // the address has a value to compare with
  offset = 1u << 5,       // ... an offset in texels
  bias = 1u << 6,         // ... a bias of the level
  derivatives = 1u << 7,  // ... gradients
  lod = 1u << 8,          // ... the level
  level_zero = 1u << 9,
  clamp = 1u << 10, // ... the least level
};
constexpr ImageTrait operator|(ImageTrait a, ImageTrait b) { return ImageTrait(uint16_t(a) | uint16_t(b)); }
constexpr bool has(ImageTrait set, ImageTrait bits) { return (uint16_t(set) & uint16_t(bits)) != 0; }

constexpr ImageTrait image_traits(Op op) {
  using enum ImageTrait;
  switch (op) {
#define IMAGE(mnemonic, traits)                                                                                        \
  case Op::mnemonic: return traits;
#include "isa/rows/images.inc"
#undef IMAGE
  default: return none;
  }
}

} // namespace crosslane::isa
