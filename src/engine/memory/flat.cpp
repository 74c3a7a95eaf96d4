// FLAT, GLOBAL and SCRATCH: loads and stores. Compiled once per level.
// FLAT and GLOBAL with a 64-bit address per lane share handlers: Uop::imm says whether aperture windows are looked for.
// Source: Vega ISA manual, chapter 9, "Flat memory instructions".
#include "engine/decode/lowering.h"
#include "engine/memory/atomic.h"
#include "engine/memory/lds.h"
#include "engine/memory/scratch.h"
#include "engine/reach.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace {

using namespace access;

// ---- 64-bit addresses: VGPR pair a, plus k0.

// The row has lanes in an aperture, or out of reach: each lane goes where its address says.
template <class I, bool Store>
CROSSLANE_NOINLINE bool through_apertures(const Uop* op, Wave* w, int row, uint16_t m, uint32_t* registers) {
  const uint32_t *lo = row_of(w, op->a, row), *hi = lo + 64;
  const machine::Workgroup& group = *w->workgroup;
  alignas(64) uint32_t lane[I::dwords][16] = {};
  for (uint32_t left = m; left; left &= left - 1) {
    const int i = first_lane(left);
    const uint64_t address = (uint64_t(hi[i]) << 32 | lo[i]) + op->k0;
    const uint32_t offset = uint32_t(address), window = machine::aperture_window(hi[i]) - uint32_t(op->imm);
    uint32_t item[I::dwords];
    if constexpr (Store)
      for (int k = 0; k < I::dwords; ++k)
        item[k] = stored_part<I>(registers[k * 64 + i]);
    auto* bytes = reinterpret_cast<uint8_t*>(item);
    if (window == 1) {
      if (int64_t(uint64_t(offset)) + I::bytes > scratch_limit(w, w->scratch))
        return scratch_fault(op, w, row * 16 + i, w->scratch, offset);
      scratch_copy<Store>(w->scratch, offset, row * 16 + i, bytes, I::bytes);
    } else {
      if (window == 0 && uint64_t(offset) + I::bytes > group.lds_bytes) {
        raise(w, op, machine::FaultKind::lds_out_of_range, row * 16 + i, address);
        return false;
      }
      if (window != 0 && !reaches(w, address, I::bytes))
        return out_of_reach(op, w, row * 16 + i, address);
      auto* p = window == 0 ? group.lds + offset : reinterpret_cast<uint8_t*>(address);
      for (int b = 0; b < I::bytes; ++b)
        (Store ? p[b] : bytes[b]) = Store ? bytes[b] : p[b];
    }
    if constexpr (!Store)
      for (int k = 0; k < I::dwords; ++k)
        lane[k][i] = read_scalar<I>(item + k);
  }
  if constexpr (!Store)
    for (int k = 0; k < I::dwords; ++k)
      put<I>(registers + k * 64, m, lanes::load<uint32_t, 16>(lane[k]));
  return true;
}

// Neither contiguous nor uniform.
template <class I, bool Store>
CROSSLANE_NOINLINE bool other64(const Uop* op, Wave* w, int row, uint16_t m, uint32_t* registers) {
  const uint32_t* p = row_of(w, op->a, row);
  const U32 lo = lanes::load<uint32_t, 16>(p), hi = lanes::load<uint32_t, 16>(p + 64);
  const uint16_t reached = uint16_t((hi - U32(w->reach.first) < U32(w->reach.count)).bits);
  if (m & ~reached && !are_shared(w, p, p + 64, op->k0, m, I::bytes))
    return through_apertures<I, Store>(op, w, row, m, registers);
  const uint32_t hi0 = p[64 + first_lane(m)];
  if (!any(hi ^ U32(hi0), m)) { // as good as always: one high half
    auto* base = reinterpret_cast<uint8_t*>((uint64_t(hi0) << 32) + op->k0);
    if constexpr (Store)
      store_offsets<I>(base, p, m, registers);
    else
      load_offsets<I>(base, p, m, registers);
    return true;
  }
  const Addresses a = join(lo, hi, op->k0);
  if constexpr (Store)
    store_lanes<I>(a.low, a.high, m, registers);
  else
    load_lanes<I>(a.low, a.high, m, registers);
  return true;
}

// False: not contiguous or uniform memory, nothing done.
template <class I, bool Store> CROSSLANE_INLINE bool simple64(const Uop* op, Wave* w, int row, uint16_t m) {
  const int lane0 = first_lane(m);
  const uint32_t* p = row_of(w, op->a, row);
  const uint32_t lo0 = p[lane0], hi0 = p[64 + lane0];
  const U32 lo = lanes::load<uint32_t, 16>(p), other_hi = lanes::load<uint32_t, 16>(p + 64) ^ U32(hi0);
  const int64_t first = int64_t(uint64_t(lo0)) - lane0 * I::bytes;
  const U32 strayed = ((lo - U32(uint32_t(first))) ^ (lane_numbers() * U32(uint32_t(I::bytes)))) | other_hi;
  const bool reached = w->reach.holds(hi0);
  uint32_t* registers = row_of(w, Store ? op->c : op->dst, row);
  const uint64_t high = uint64_t(hi0) << 32;
  if (!any(strayed, m) && first + 16 * I::bytes <= int64_t(no_limit) && reached) [[likely]] {
    auto* memory = reinterpret_cast<uint8_t*>(high + uint64_t(first) + op->k0);
    if constexpr (Store)
      store_contiguous<I>(memory, m, registers);
    else
      load_contiguous<I>(memory, m, registers);
    return true;
  }
  if (!Store && !any((lo ^ U32(lo0)) | other_hi, m) && reached) {
    load_uniform<I>(reinterpret_cast<const uint8_t*>((high | lo0) + op->k0), m, registers);
    return true;
  }
  return false;
}

// ---- 32-bit offsets from one base.

template <class I, bool Store>
CROSSLANE_INLINE bool simple32(uint8_t* base, const uint32_t* p, uint16_t m, uint32_t* registers) {
  const int lane0 = first_lane(m);
  const uint32_t off0 = p[lane0];
  const U32 off = lanes::load<uint32_t, 16>(p);
  int64_t first;
  if (contiguous_offsets<I>(off, off0, lane0, m, no_limit, first)) [[likely]] {
    if constexpr (Store)
      store_contiguous<I>(base + first, m, registers);
    else
      load_contiguous<I>(base + first, m, registers);
    return true;
  }
  if (Store || any(off ^ U32(off0), m))
    return false;
  load_uniform<I>(base + off0, m, registers);
  return true;
}

template <class I, bool Store> CROSSLANE_NOINLINE void rows32_from(const Uop* op, Wave* w, uint8_t* base, int row) {
  for (bool known = true; row < machine::rows_per_wave; ++row, known = false) {
    const uint16_t m = w->exec_row(row);
    const uint32_t* p = row_of(w, op->a, row);
    uint32_t* registers = row_of(w, Store ? op->c : op->dst, row);
    if (!m || (!known && may_be_simple<I>(p, m) && simple32<I, Store>(base, p, m, registers)))
      continue;
    if constexpr (Store)
      store_offsets<I>(base, p, m, registers);
    else
      load_offsets<I>(base, p, m, registers);
  }
}

// ---- 64-bit addresses again.

// The rest of the wave, from the first row that is not simple. Apart, so that handlers have no calls in their loops. As
// good as always there is one high half within reach: then the low halves are offsets.
template <class I, bool Store> CROSSLANE_NOINLINE bool rows64_from(const Uop* op, Wave* w, int row) {
  const uint32_t* hi = at<uint32_t>(w, op->a) + 64;
  const uint32_t hi0 = hi[16 * row + first_lane(w->exec_row(row))];
  U32 strayed(0u);
  for (int r = row; r < machine::rows_per_wave; ++r)
    strayed =
        strayed | lanes::select(Mask<16>(w->exec_row(r)), lanes::load<uint32_t, 16>(hi + 16 * r) ^ U32(hi0), U32(0u));
  if (!any(strayed, all_lanes) && w->reach.holds(hi0)) {
    rows32_from<I, Store>(op, w, reinterpret_cast<uint8_t*>((uint64_t(hi0) << 32) + op->k0), row);
    return true;
  }
  for (bool known = true; row < machine::rows_per_wave; ++row, known = false) {
    const uint16_t m = w->exec_row(row);
    if (!m || (!known && may_be_simple<I>(row_of(w, op->a, row), m) && simple64<I, Store>(op, w, row, m)))
      continue;
    if (!other64<I, Store>(op, w, row, m, row_of(w, Store ? op->c : op->dst, row)))
      return false;
  }
  return true;
}

// The whole wave is one run of memory.
template <class I, bool Store> CROSSLANE_INLINE bool whole64(const Uop* op, Wave* w) {
  const uint32_t* p = at<uint32_t>(w, op->a);
  const uint32_t lo0 = p[0], hi0 = p[64];
  if (p[16] != lo0 + 16 * I::bytes)
    return false;
  U32 strayed = lanes::load<uint32_t, 16>(p + 64) ^ U32(hi0);
  const U32 first = U32(lo0) + lane_numbers() * U32(uint32_t(I::bytes));
  strayed = strayed | (lanes::load<uint32_t, 16>(p) ^ first);
  for (int row = 1; row < 4; ++row) {
    strayed = strayed | (lanes::load<uint32_t, 16>(p + 64 + 16 * row) ^ U32(hi0));
    strayed = strayed | (lanes::load<uint32_t, 16>(p + 16 * row) ^ (first + U32(uint32_t(row * 16 * I::bytes))));
  }
  if (any(strayed, all_lanes) || lo0 > uint32_t(-64 * I::bytes) || !w->reach.holds(hi0))
    return false;
  auto* memory = reinterpret_cast<uint8_t*>((uint64_t(hi0) << 32 | lo0) + op->k0);
  if constexpr (Store)
    store_wave<I>(memory, at<uint32_t>(w, op->c));
  else
    load_wave<I>(memory, at<uint32_t>(w, op->dst));
  return true;
}

template <class I, bool Store> CROSSLANE_CC void access64(const Uop* op, Wave* w) {
  touching(op, w);
  const uint64_t exec = w->exec();
  if (exec == ~uint64_t(0)) [[likely]] {
    if (whole64<I, Store>(op, w)) [[likely]]
      CROSSLANE_NEXT(op, w);
#pragma clang loop unroll(disable)
    for (int row = 0; row < machine::rows_per_wave; ++row)
      if (!simple64<I, Store>(op, w, row, all_lanes)) {
        if (!rows64_from<I, Store>(op, w, row))
          return;
        break;
      }
    CROSSLANE_NEXT(op, w);
  }
#pragma clang loop unroll(disable)
  for (int row = 0; row < machine::rows_per_wave; ++row) {
    const auto m = uint16_t(exec >> 16 * row);
    if (m && !simple64<I, Store>(op, w, row, m)) {
      if (!rows64_from<I, Store>(op, w, row))
        return;
      break;
    }
  }
  CROSSLANE_NEXT(op, w);
}

// ---- GLOBAL with saddr: SGPR pair b, plus k0, plus the 32-bit offset in VGPR a.

// No lane can be within reach of this base.
CROSSLANE_NOINLINE bool base_out_of_reach(const Uop* op, Wave* w, uint64_t base) {
  const uint64_t exec = w->exec();
  if (!exec)
    return true;
  const int lane = first_lane(exec);
  return out_of_reach(op, w, lane, base + at<uint32_t>(w, op->a)[lane]);
}

template <class I, bool Store> CROSSLANE_CC void access32(const Uop* op, Wave* w) {
  touching(op, w);
  const uint64_t base_address = pair_at(w, op->b) + op->k0;
  if (!w->reach.holds_base(base_address)) [[unlikely]] {
    if (w->exec() && are_shared(w, base_address, at<uint32_t>(w, op->a), w->exec(), I::bytes))
      rows32_from<I, Store>(op, w, reinterpret_cast<uint8_t*>(base_address), 0);
    else if (!base_out_of_reach(op, w, base_address))
      return;
    CROSSLANE_NEXT(op, w);
  }
  auto* base = reinterpret_cast<uint8_t*>(base_address);
  const uint32_t* p = at<uint32_t>(w, op->a);
  uint32_t* registers = at<uint32_t>(w, Store ? op->c : op->dst);
  const uint64_t exec = w->exec();
  if (exec == ~uint64_t(0)) [[likely]] {
    if (contiguous_wave<I>(p) && p[0] <= uint32_t(-64 * I::bytes)) [[likely]] {
      if constexpr (Store)
        store_wave<I>(base + p[0], registers);
      else
        load_wave<I>(base + p[0], registers);
      CROSSLANE_NEXT(op, w);
    }
#pragma clang loop unroll(disable)
    for (int row = 0; row < machine::rows_per_wave; ++row)
      if (!simple32<I, Store>(base, p + 16 * row, all_lanes, registers + 16 * row)) {
        rows32_from<I, Store>(op, w, base, row);
        break;
      }
    CROSSLANE_NEXT(op, w);
  }
#pragma clang loop unroll(disable)
  for (int row = 0; row < machine::rows_per_wave; ++row) {
    const auto m = uint16_t(exec >> 16 * row);
    if (m && !simple32<I, Store>(base, p + 16 * row, m, registers + 16 * row)) {
      rows32_from<I, Store>(op, w, base, row);
      break;
    }
  }
  CROSSLANE_NEXT(op, w);
}

// ---- SCRATCH: offset in VGPR a or (Scalar) SGPR b, plus imm.

template <class I, bool Store, bool Scalar> CROSSLANE_CC void access_scratch(const Uop* op, Wave* w) {
  for (int row = 0; row < machine::rows_per_wave; ++row) {
    const uint16_t m = w->exec_row(row);
    if (!m)
      continue;
    const uint32_t* p = row_of(w, op->a, row);
    const uint32_t off0 = (Scalar ? *at<uint32_t>(w, op->b) : p[first_lane(m)]) + uint32_t(op->imm);
    const U32 off = Scalar ? U32(off0) : lanes::load<uint32_t, 16>(p) + U32(uint32_t(op->imm));
    if constexpr (Store) {
      if (!scratch_store<I>(op, w, w->scratch, off, off0, row, m, row_of(w, op->c, row)))
        return;
    } else {
      if (!scratch_load<I>(op, w, w->scratch, off, off0, row, m, row_of(w, op->dst, row)))
        return;
    }
  }
  CROSSLANE_NEXT(op, w);
}

// ---- The LDS bit of GLOBAL and SCRATCH loads: lane i's value, as a VGPR would get it, to LDS at M0[15:0] + offset + 4
// * i. Source: LLVM, llvm.amdgcn.global.load.lds: the offset is applied to both addresses. Lanes without LDS do
// nothing.

enum class From { address, saddr, scratch, scratch_saddr };
template <class I, From Where> CROSSLANE_CC void load_to_lds(const Uop* op, Wave* w) {
  touching(op, w);
  const machine::Workgroup& group = *w->workgroup;
  const uint32_t* lo = at<uint32_t>(w, op->a);
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = first_lane(left);
    const int64_t to = int64_t(w->s[isa::code::m0] & 0xffff) + int64_t(op->k0) + 4 * lane;
    if (to < 0 || to + 4 > int64_t(group.lds_bytes)) {
      if (lds_fault(op, w, lane, uint32_t(to), 4))
        return;
      continue;
    }
    uint32_t value = 0;
    if constexpr (Where == From::scratch || Where == From::scratch_saddr) {
      const uint32_t offset = (Where == From::scratch ? lo[lane] : *at<uint32_t>(w, op->b)) + uint32_t(op->k0);
      if (int64_t(uint64_t(offset)) + I::bytes > scratch_limit(w, w->scratch)) {
        scratch_fault(op, w, lane, w->scratch, offset);
        return;
      }
      scratch_copy<false>(w->scratch, offset, lane, reinterpret_cast<uint8_t*>(&value), I::bytes);
    } else {
      const uint64_t base = Where == From::address ? uint64_t(lo[64 + lane]) << 32 : pair_at(w, op->b);
      const uint64_t address = base + lo[lane] + op->k0;
      if (!reaches(w, address, I::bytes)) {
        out_of_reach(op, w, lane, address);
        return;
      }
      std::memcpy(&value, reinterpret_cast<const void*>(address), I::bytes);
    }
    value = read_scalar<I>(&value);
    std::memcpy(group.lds + to, &value, 4);
  }
  CROSSLANE_NEXT(op, w);
}
template <From Where> Handler pick_to_lds(const isa::Row& row) {
  return pick_load(row, []<class I>(I) -> Handler {
    if constexpr (I::dwords == 1 && I::place == Place::whole)
      return load_to_lds<I, Where>;
    else
      return nullptr;
  });
}
Handler pick_to_lds(const isa::Row& row, bool saddr) {
  if (row.encoding == isa::Encoding::FLAT)
    return nullptr;
  if (row.encoding == isa::Encoding::SCRATCH)
    return saddr ? pick_to_lds<From::scratch_saddr>(row) : pick_to_lds<From::scratch>(row);
  return saddr ? pick_to_lds<From::saddr>(row) : pick_to_lds<From::address>(row);
}

CROSSLANE_CC void zero(const Uop* op, Wave* w) {
  for (int row = 0; row < machine::rows_per_wave; ++row)
    put_zero<Dword>(row_of(w, op->dst, row), w->exec_row(row));
  CROSSLANE_NEXT(op, w);
}

template <bool Store, class Pick> Handler pick_access(const isa::Row& row, Pick pick) {
  if constexpr (Store)
    return pick_store(row, pick);
  else
    return pick_load(row, pick);
}

template <bool Store> Handler pick_flat(const isa::Row& row, bool saddr) {
  using isa::Encoding;
  if (row.encoding == Encoding::SCRATCH)
    return pick_access<Store>(row, [saddr]<class I>(I) -> Handler {
      return saddr ? Handler(access_scratch<I, Store, true>) : Handler(access_scratch<I, Store, false>);
    });
  if (saddr)
    return pick_access<Store>(row, []<class I>(I) -> Handler { return access32<I, Store>; });
  return pick_access<Store>(row, []<class I>(I) -> Handler { return access64<I, Store>; });
}

} // namespace

Handler pick_address64(const isa::Row& row) {
  if (const Handler h = pick_load(row, []<class I>(I) -> Handler { return access64<I, false>; }))
    return h;
  return pick_store(row, []<class I>(I) -> Handler { return access64<I, true>; });
}
void clear_status(Lowering& l, uint32_t offset) { l.emit(UopKind::clear, zero).dst = offset; }

bool lower_flat(Lowering& l) {
  using isa::Encoding;
  const isa::Instruction& inst = l.inst;
  const bool gfx9 = isa::info(inst.target).generation >= isa::Generation::gfx9;
  const bool tfe = inst.tfe || (!gfx9 && inst.nv); // that bit is TFE on gfx7 and gfx8
  const bool saddr = isa::is_scalar_register(inst.saddr);
  if (!saddr && !isa::is_vgpr(inst.addr))
    return false;
  Handler handler = inst.lds ? pick_to_lds(l.row, saddr) : pick_flat<false>(l.row, saddr);
  if (inst.lds && !handler)
    return false;
  const uint32_t status =
      tfe && isa::is_vgpr(inst.dst) ? uint32_t(inst.dst - isa::code::vgpr0 + isa::dwords(l.row.dst)) : 0;
  if (status >= machine::max_vgprs)
    return false;
  if (!handler)
    handler = pick_flat<true>(l.row, saddr);
  const bool atomic = !handler;
  if (atomic && l.row.encoding != Encoding::SCRATCH)
    handler = pick_atomic(l.row.access, l.row.memory);
  if (!handler)
    return false;

  Uop& op = l.emit(UopKind::flat, handler);
  if (isa::is_vgpr(inst.addr))
    op.a = vgpr(inst.addr);
  if (is_vector(inst.dst))
    op.dst = vgpr(inst.dst);
  if (is_vector(inst.data))
    op.c = vgpr(inst.data);
  if (saddr)
    op.b = machine::sgpr_offset(inst.saddr);
  op.k0 = uint64_t(int64_t(inst.imm));
  op.imm = l.row.encoding == Encoding::FLAT ? tests_apertures : no_aperture;
  if (l.row.encoding == Encoding::SCRATCH)
    op.imm = inst.imm;
  if (atomic) {
    op.k1 = machine::sgpr_offset(isa::code::exec);
    op.aux = (inst.glc ? atomic_returns : 0) | (saddr ? 0 : atomic_wide_address);
  }
  if (status)
    clear_status(l, machine::vgpr_offset(status));
  return true;
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
