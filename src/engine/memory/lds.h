// Owns the view of LDS that a DS instruction has: base, limit, and one row of byte offsets. A dword at or beyond the
// limit reads as 0 and is not written; wider items are judged dword by dword. Beyond what the workgroup was given it is
// a fault where Workgroup::lds_faults says so; a limit of M0 never is. Uop fields of DS handlers: a address VGPR, dst,
// c first data, k1 second data (low half) and second offset (high half), imm first offset, k0 alignment mask, aux all
// ones where M0 does not limit (gfx9 on, and GDS, which has its own rule).
#pragma once
#include "engine/decode/lowering.h"
#include "engine/memory/access.h"
#include "engine/raise.h"
#include "lanes/bytes.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace access {

struct Lds {
  uint8_t* base;
  uint32_t limit;
};

CROSSLANE_INLINE Lds lds_of(const Uop* op, Wave* w) {
  const machine::Workgroup& group = *w->workgroup;
  const uint32_t m0 = w->s[isa::code::m0] | op->aux;
  return {group.lds, group.lds_bytes < m0 ? group.lds_bytes : m0};
}

// Byte offset wraps at 32 bits, as a negative base with a positive offset needs.
CROSSLANE_INLINE U32 lds_offsets(const Uop* op, U32 address, uint32_t add) {
  return (address + U32(add)) & U32(uint32_t(op->k0));
}
CROSSLANE_INLINE uint32_t lds_offset(const Uop* op, uint32_t address, uint32_t add) {
  return (address + add) & uint32_t(op->k0);
}
// All of [offset, offset + bytes) is there.
CROSSLANE_INLINE bool in_lds(Lds lds, uint32_t offset, uint32_t bytes) { return uint64_t(offset) + bytes <= lds.limit; }

// True: the fault of a lane whose [offset, offset + bytes) is not all in the workgroup's LDS was raised.
CROSSLANE_INLINE bool lds_fault(const Uop* op, Wave* w, int lane, uint32_t offset, uint32_t bytes) {
  const machine::Workgroup& group = *w->workgroup;
  if (!group.lds_faults || uint64_t(offset) + bytes <= group.lds_bytes)
    return false;
  raise(w, op, machine::FaultKind::lds_out_of_range, lane, offset);
  return true;
}
CROSSLANE_INLINE bool lds_row_fault(const Uop* op, Wave* w, U32 off, uint32_t bytes, int row, uint16_t m) {
  const machine::Workgroup& group = *w->workgroup;
  if (!group.lds_faults)
    return false;
  const U32 last = U32(group.lds_bytes - bytes);
  const uint16_t beyond = group.lds_bytes < bytes ? m : uint16_t((off > last).bits) & m;
  if (!beyond) [[likely]]
    return false;
  alignas(64) uint32_t offset[16];
  lanes::store(offset, off);
  return lds_fault(op, w, row * 16 + first_lane(beyond), offset[first_lane(beyond)], bytes);
}

// False, of what follows: a fault was raised.
template <class I>
CROSSLANE_NOINLINE bool lds_load_lanes(const Uop* op, Wave* w, Lds lds, U32 off, int row, uint16_t m, uint32_t* dst) {
  constexpr uint32_t piece = I::bytes < 4 ? I::bytes : 4;
  if (lds_row_fault(op, w, off, I::bytes, row, m)) [[unlikely]]
    return false;
#ifdef __AVX512F__
  const __m512i offsets = __builtin_bit_cast(__m512i, off.v);
  for (int k = 0; k < I::dwords; ++k) {
    const uint32_t end = 4 * k + piece;
    __mmask16 there = 0;
    if (lds.limit >= end)
      there = _mm512_mask_cmple_epu32_mask(m, offsets, _mm512_set1_epi32(int(lds.limit - end)));
    // Sub-dword items read a whole dword: the slack behind LDS keeps it inside.
    const __m512i read = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), there,
                                                     _mm512_add_epi32(offsets, _mm512_set1_epi32(4 * k)), lds.base, 1);
    const U32 v = U32::of(__builtin_bit_cast(U32::raw, read));
    constexpr uint32_t up = 32 - 8 * piece;
    put<I>(dst + k * 64, m, lanes::extract_field<I::is_signed>(v, U32(up), U32(up)));
  }
#else
  alignas(64) uint32_t offset[16], lane[I::dwords][16] = {};
  lanes::store(offset, off);
  for (uint32_t left = m; left; left &= left - 1) {
    const int i = first_lane(left);
    for (int k = 0; k < I::dwords; ++k)
      if (uint64_t(offset[i]) + 4 * k + piece <= lds.limit)
        lane[k][i] = read_scalar<I>(lds.base + offset[i] + 4 * k);
  }
  for (int k = 0; k < I::dwords; ++k)
    put<I>(dst + k * 64, m, lanes::load<uint32_t, 16>(lane[k]));
#endif
  return true;
}

template <class I>
CROSSLANE_NOINLINE bool lds_store_lanes(const Uop* op, Wave* w, Lds lds, U32 off, int row, uint16_t m,
                                        const uint32_t* src) {
  constexpr uint32_t piece = I::bytes < 4 ? I::bytes : 4;
  if (lds_row_fault(op, w, off, I::bytes, row, m)) [[unlikely]]
    return false;
  alignas(64) uint32_t offset[16];
  lanes::store(offset, off);
  for_lanes(m, [&](int i) {
    for (int k = 0; k < I::dwords; ++k) {
      if (uint64_t(offset[i]) + 4 * k + piece > lds.limit)
        continue;
      const uint32_t value = stored_part<I>(src[k * 64 + i]);
      std::memcpy(lds.base + offset[i] + 4 * k, &value, piece);
    }
  });
  return true;
}

// All active lanes inside of LDS at address + add, without masks or wrapping in the way.
template <class I> CROSSLANE_INLINE bool lds_plain(Lds lds, U32 off, U32 address, uint32_t add, uint16_t m) {
  if (lds.limit < I::bytes)
    return false;
  const U32 last = U32(lds.limit - I::bytes);
  return (uint16_t((((off <= last) & (address <= last)) & ((address + U32(add)) == off)).bits) & m) == m;
}

// False: neither contiguous nor uniform, or not wholly inside; nothing done.
template <class I> CROSSLANE_INLINE bool lds_load_simple(Lds lds, U32 off, uint32_t off0, uint16_t m, uint32_t* dst) {
  int64_t first;
  if (contiguous_offsets<I>(off, off0, first_lane(m), m, lds.limit, first)) [[likely]] {
    load_contiguous<I>(lds.base + first, m, dst);
    return true;
  }
  if (any(off ^ U32(off0), m) || !in_lds(lds, off0, I::bytes))
    return false;
  load_uniform<I>(lds.base + off0, m, dst);
  return true;
}
template <class I>
CROSSLANE_INLINE bool lds_store_simple(Lds lds, U32 off, uint32_t off0, uint16_t m, const uint32_t* src) {
  int64_t first;
  if (!contiguous_offsets<I>(off, off0, first_lane(m), m, lds.limit, first))
    return false;
  store_contiguous<I>(lds.base + first, m, src);
  return true;
}

template <class I>
CROSSLANE_INLINE bool lds_load_row(const Uop* op, Wave* w, Lds lds, U32 off, uint32_t off0, int row, uint16_t m,
                                   uint32_t* dst) {
  return lds_load_simple<I>(lds, off, off0, m, dst) || lds_load_lanes<I>(op, w, lds, off, row, m, dst);
}
template <class I>
CROSSLANE_INLINE bool lds_store_row(const Uop* op, Wave* w, Lds lds, U32 off, uint32_t off0, int row, uint16_t m,
                                    const uint32_t* src) {
  return lds_store_simple<I>(lds, off, off0, m, src) || lds_store_lanes<I>(op, w, lds, off, row, m, src);
}

} // namespace access

// Handlers defined in other files; nullptr: not one of theirs.
Handler pick_lds_atomic(const isa::Row& row); // ds_atomic.cpp
Handler pick_permute(isa::Access access);     // ds_crosslane.cpp
void lower_swizzle(Lowering& l);              // ds_crosslane.cpp

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
