// Owns what an Access says by itself: whether it loads, stores, or does both at once. What an instruction's bits add
// (GLC, LDS, GDS) is in isa/classify.h.
#pragma once
#include "isa/row.h"

namespace crosslane::isa {

// Reads and writes memory in one step. Those before load2 are what GLC (or a DS *_rtn_* row) lets return the old value.
constexpr bool is_atomic(Access a) {
  using enum Access;
  switch (a) {
  case swap2:
  case swap2_st64:
  case wrap:
  case condxchg:
  case append:
  case consume:
  case ordered_count: return true;
  default: return a >= atomic_swap && a <= atomic_mskor;
  }
}
constexpr bool is_float_atomic(Access a) { return a >= Access::atomic_fadd && a <= Access::atomic_pk_add_f16; }
// Its data is the new value and the value to compare with.
constexpr bool is_compare_and_swap(Access a) { return a == Access::atomic_cmpswap || a == Access::atomic_fcmpswap; }

constexpr bool is_load(Access a) {
  using enum Access;
  switch (a) {
  case load:
  case load_d16:
  case load_d16_hi:
  case load_format:
  case load_format_d16:
  case load_format_d16_hi:
  case load2:
  case load2_st64:
  case lds_add_tid_load:
  case load_to_lds: return true;
  default: return false;
  }
}
constexpr bool is_store(Access a) {
  using enum Access;
  switch (a) {
  case store:
  case store_d16_hi:
  case store_format:
  case store_format_d16:
  case store_format_d16_hi:
  case store2:
  case store2_st64:
  case lds_add_tid_store:
  case store_from_lds: return true;
  default: return false;
  }
}

// Converts between the format of a resource or instruction and registers.
constexpr bool is_format(Access a) { return a >= Access::load_format && a <= Access::store_format_d16_hi; }
// ... of 16 bits a component, which targets pack or do not (isa::packed_d16).
constexpr bool is_d16_format(Access a) { return a == Access::load_format_d16 || a == Access::store_format_d16; }

// DS: two addresses, each with an offset of its own.
constexpr bool has_two_addresses(Access a) {
  using enum Access;
  switch (a) {
  case load2:
  case load2_st64:
  case store2:
  case store2_st64:
  case swap2:
  case swap2_st64: return true;
  default: return false;
  }
}
// DS: takes an address from a VGPR; the others have none, or M0's.
constexpr bool has_lds_address(Access a) {
  using enum Access;
  switch (a) {
  case nop:
  case gws:
  case append:
  case consume:
  case lds_add_tid_load:
  case lds_add_tid_store: return false;
  default: return true;
  }
}
// DS: moves values between lanes and touches no memory.
constexpr bool crosses_lanes(Access a) { return a == Access::permute || a == Access::bpermute || a == Access::swizzle; }

} // namespace crosslane::isa
