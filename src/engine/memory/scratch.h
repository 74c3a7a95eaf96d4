// Owns access to a wave's scratch block: dword i of lane l is at (i * 64 + l) * 4, so that a dword at one offset in all
// lanes is one line of 256 bytes. Used by SCRATCH, by FLAT in the private aperture and by buffers with the private
// segment's resource.
#pragma once
#include "engine/memory/access.h"
#include "engine/raise.h"
#include "lanes/bytes.h"
#include "machine/apertures.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace access {

// Bytes that each lane may address from `base` on; negative when base is not in the block.
CROSSLANE_INLINE int64_t scratch_limit(const Wave* w, const uint8_t* base) {
  const int64_t begin = base - w->scratch;
  return begin < 0 ? -1 : int64_t(w->scratch_bytes) - begin / machine::lanes_per_wave;
}

CROSSLANE_INLINE uint8_t* scratch_byte(uint8_t* base, uint32_t offset, int lane) {
  return base + uint64_t(offset / 4) * machine::vgpr_bytes + lane * 4 + offset % 4;
}

// Between a lane's scratch and plain bytes.
template <bool Store>
CROSSLANE_INLINE void scratch_copy(uint8_t* base, uint32_t offset, int lane, uint8_t* p, int bytes) {
  for (int done = 0; done < bytes;) {
    const int left = bytes - done, room = 4 - int((offset + done) % 4), n = left < room ? left : room;
    uint8_t* s = scratch_byte(base, offset + done, lane);
    for (int i = 0; i < n; ++i)
      (Store ? s[i] : p[done + i]) = Store ? p[done + i] : s[i];
    done += n;
  }
}

CROSSLANE_NOINLINE inline bool scratch_fault(const Uop* op, Wave* w, int lane, const uint8_t* base, uint32_t offset) {
  const uint64_t from_start = uint64_t(base - w->scratch) / machine::lanes_per_wave + offset;
  raise(w, op, machine::FaultKind::scratch_out_of_range, lane, machine::apertures().private_base + from_start);
  return false;
}

template <class I>
CROSSLANE_NOINLINE bool scratch_load_lanes(const Uop* op, Wave* w, uint8_t* base, U32 off, int row, uint16_t m,
                                           uint32_t* dst) {
  const int64_t limit = scratch_limit(w, base);
  alignas(64) uint32_t offset[16], lane[I::dwords][16] = {};
  lanes::store(offset, off);
  for (uint32_t left = m; left; left &= left - 1) {
    const int i = first_lane(left);
    if (int64_t(offset[i]) + I::bytes > limit)
      return scratch_fault(op, w, row * 16 + i, base, offset[i]);
    uint32_t item[I::dwords];
    scratch_copy<false>(base, offset[i], row * 16 + i, reinterpret_cast<uint8_t*>(item), I::bytes);
    for (int k = 0; k < I::dwords; ++k)
      lane[k][i] = read_scalar<I>(item + k);
  }
  for (int k = 0; k < I::dwords; ++k)
    put<I>(dst + k * 64, m, lanes::load<uint32_t, 16>(lane[k]));
  return true;
}

template <class I>
CROSSLANE_NOINLINE bool scratch_store_lanes(const Uop* op, Wave* w, uint8_t* base, U32 off, int row, uint16_t m,
                                            const uint32_t* src) {
  const int64_t limit = scratch_limit(w, base);
  alignas(64) uint32_t offset[16];
  lanes::store(offset, off);
  for (uint32_t left = m; left; left &= left - 1) {
    const int i = first_lane(left);
    if (int64_t(offset[i]) + I::bytes > limit)
      return scratch_fault(op, w, row * 16 + i, base, offset[i]);
    uint32_t item[I::dwords];
    for (int k = 0; k < I::dwords; ++k)
      item[k] = stored_part<I>(src[k * 64 + i]);
    scratch_copy<true>(base, offset[i], row * 16 + i, reinterpret_cast<uint8_t*>(item), I::bytes);
  }
  return true;
}

// One offset for the whole row, within dwords.
template <class I> CROSSLANE_INLINE bool scratch_line(U32 off, uint32_t off0, uint16_t m) {
  return !any(off ^ U32(off0), m) && (I::bytes < 4 ? off0 % 4 + I::bytes <= 4 : off0 % 4 == 0);
}

// False: a fault was raised.
template <class I>
CROSSLANE_INLINE bool scratch_load(const Uop* op, Wave* w, uint8_t* base, U32 off, uint32_t off0, int row, uint16_t m,
                                   uint32_t* dst) {
  if (!scratch_line<I>(off, off0, m))
    return scratch_load_lanes<I>(op, w, base, off, row, m, dst);
  if (int64_t(uint64_t(off0)) + I::bytes > scratch_limit(w, base)) [[unlikely]]
    return scratch_fault(op, w, row * 16 + first_lane(m), base, off0);
  const uint8_t* line = scratch_byte(base, off0 & ~3u, row * 16);
  if constexpr (I::bytes < 4) {
    const uint32_t at = off0 % 4 * 8, width = 8 * I::bytes;
    const U32 v =
        lanes::extract_field<I::is_signed>(lanes::load<uint32_t, 16>(line), U32(32 - width - at), U32(32 - width));
    put<I>(dst, m, v);
  } else {
    for (int k = 0; k < I::dwords; ++k)
      put<I>(dst + k * 64, m, lanes::load<uint32_t, 16>(line + k * machine::vgpr_bytes));
  }
  return true;
}

template <class I>
CROSSLANE_INLINE bool scratch_store(const Uop* op, Wave* w, uint8_t* base, U32 off, uint32_t off0, int row, uint16_t m,
                                    const uint32_t* src) {
  if (!scratch_line<I>(off, off0, m))
    return scratch_store_lanes<I>(op, w, base, off, row, m, src);
  if (int64_t(uint64_t(off0)) + I::bytes > scratch_limit(w, base)) [[unlikely]]
    return scratch_fault(op, w, row * 16 + first_lane(m), base, off0);
  uint8_t* line = scratch_byte(base, off0 & ~3u, row * 16);
  if constexpr (I::bytes < 4) {
    const uint32_t at = off0 % 4 * 8, part = I::bytes == 1 ? 0xffu : 0xffffu;
    U32 v = lanes::load<uint32_t, 16>(src);
    if constexpr (I::place == Place::high)
      v = v >> U32(16u);
    const U32 old = lanes::load<uint32_t, 16>(line);
    lanes::store(line, Mask<16>(m), lanes::insert_field(old, v, U32(part), U32(at)));
  } else {
    for (int k = 0; k < I::dwords; ++k)
      lanes::store(line + k * machine::vgpr_bytes, Mask<16>(m), lanes::load<uint32_t, 16>(src + k * 64));
  }
  return true;
}

// Whole dwords at one offset in all 64 lanes. False: not that simple, nothing done.
template <class I, bool Store>
CROSSLANE_INLINE bool scratch_wave(const Wave* w, uint8_t* base, uint32_t offset, uint32_t* registers) {
  if (I::bytes < 4 || offset % 4 != 0 || int64_t(uint64_t(offset)) + I::bytes > scratch_limit(w, base))
    return false;
  uint8_t* line = scratch_byte(base, offset, 0);
  for (int k = 0; k < I::dwords; ++k)
    for (int row = 0; row < 4; ++row) {
      uint32_t* r = registers + k * 64 + row * 16;
      uint8_t* p = line + k * machine::vgpr_bytes + row * 64;
      if constexpr (Store)
        lanes::store(p, lanes::load<uint32_t, 16>(r));
      else
        lanes::store(r, lanes::load<uint32_t, 16>(p));
    }
  return true;
}

} // namespace access
CROSSLANE_LEVEL_END
} // namespace crosslane::engine
