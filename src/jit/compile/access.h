// Owns Access: where the lanes of a wave read or write, item by item.
#pragma once
#include "jit/compile/emitter.h"

namespace crosslane::jit {

struct Emitter::Access {
  uint32_t bytes;
  bool is_signed;
  uint32_t data; // offset of the first data register
  Value* base;   // i64 or a pointer: what offsets are added to
  Lane offset;   // 32 bits, unsigned, from base,
  bool is_volatile;
  uint32_t align;
  uint32_t shift = 0; // shifted left by that, in more than 32 bits
  bool signed_offset = false;
  Rows high{}; // not null: the high halves of what is added to the base, `offset` being the low ones
  // i64, signed; not null: dwords of an item, or what is smaller, that begin at an offset from `base` or behind it up
  // to here are there; others are not stored, and loaded as 0.
  Value* limit = nullptr;
  // Which part of a register the item is, of 16 bits if not the whole; loads keep the rest.
  enum class Part : uint8_t { whole, low, high } part = Part::whole;
  bool is_private = false; // in the private segment: scratch.cpp sees to what a replay reads, and no lane has another's

  static Part part_of(isa::Access a) {
    return a == isa::Access::load_d16                                        ? Part::low
           : a == isa::Access::load_d16_hi || a == isa::Access::store_d16_hi ? Part::high
                                                                             : Part::whole;
  }
  bool in_lds() const { return base->getType()->isPointerTy(); }
  bool scattered() const { return offset.kind != Lane::affine; }
  uint32_t dwords() const { return (bytes + 3) / 4; }
  // The lanes of a row lie side by side; or eight, and eight, of one dword at most.
  bool lines() const { return !scattered() && uint32_t(offset.column) == bytes && offset.whole_rows(); }
  bool half_lines() const {
    return !scattered() && uint32_t(offset.column) == bytes && !offset.whole_rows() && bytes <= 4;
  }
  // None of its rows is a gather or a scatter.
  bool plain(bool loads) const {
    return lines() || half_lines() || (loads && !scattered() && !offset.column && !offset.uniform());
  }
};

// Bytes of one lane's item; 0: a kind that is called.
uint32_t item_bytes(isa::Type);
// One item of each lane, of what has no format.
constexpr bool loads_item(isa::Access a) {
  return a == isa::Access::load || a == isa::Access::load_d16 || a == isa::Access::load_d16_hi;
}
constexpr bool stores_item(isa::Access a) { return a == isa::Access::store || a == isa::Access::store_d16_hi; }

} // namespace crosslane::jit
