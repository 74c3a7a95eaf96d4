// DS: LDS loads and stores, one or two addresses per lane. Compiled once per level.
// Source: Vega ISA manual, chapter 10 and 12.13; alignment per generation: docs/isa-errata.md.
#include "engine/decode/lowering.h"
#include "engine/memory/gds.h"
#include "engine/memory/lds.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace {

using namespace access;
using isa::Access;

// The whole wave is one run of LDS: where it starts.
template <class I> CROSSLANE_INLINE bool whole_wave(const Uop* op, Wave* w, Lds lds, uint32_t& first) {
  const uint32_t* p = at<uint32_t>(w, op->a);
  first = p[0] + uint32_t(op->imm);
  // Items keep the alignment of the first one, but for 12 bytes aligned to 16.
  const bool aligned = lds_offset(op, first, 0) == first && (I::bytes != 12 || uint32_t(op->k0) == ~0u);
  return contiguous_wave<I>(p) && aligned && in_lds(lds, first, 64 * I::bytes);
}

// The rest of the wave, from the first row that is not simple. Apart, so that the handler has no calls in its loop.
// False: a fault.
template <class I, bool Store> CROSSLANE_NOINLINE bool rows_from(const Uop* op, Wave* w, Lds lds, int row) {
  for (; row < machine::rows_per_wave; ++row) {
    const uint16_t m = w->exec_row(row);
    if (!m)
      continue;
    const uint32_t* p = row_of(w, op->a, row);
    const U32 off = lds_offsets(op, lanes::load<uint32_t, 16>(p), uint32_t(op->imm));
    const uint32_t off0 = lds_offset(op, p[first_lane(m)], uint32_t(op->imm));
    uint32_t* registers = row_of(w, Store ? op->c : op->dst, row);
    if (may_be_simple<I>(p, m) &&
        (Store ? lds_store_simple<I>(lds, off, off0, m, registers) : lds_load_simple<I>(lds, off, off0, m, registers)))
      continue;
    const bool plain = lds_plain<I>(lds, off, lanes::load<uint32_t, 16>(p), uint32_t(op->imm), m);
    if constexpr (Store) {
      if (plain)
        store_offsets<I>(lds.base + op->imm, p, m, registers);
      else if (!lds_store_lanes<I>(op, w, lds, off, row, m, registers))
        return false;
    } else {
      if (plain)
        load_offsets<I>(lds.base + op->imm, p, m, registers);
      else if (!lds_load_lanes<I>(op, w, lds, off, row, m, registers))
        return false;
    }
  }
  return true;
}

template <class I, bool Store> CROSSLANE_CC void access_lds(const Uop* op, Wave* w) {
  const Lds lds = lds_of(op, w);
  const uint32_t* p = at<uint32_t>(w, op->a);
  uint32_t* registers = at<uint32_t>(w, Store ? op->c : op->dst);
  const uint64_t exec = w->exec();
  if (uint32_t first; exec == ~uint64_t(0) && whole_wave<I>(op, w, lds, first)) [[likely]] {
    if constexpr (Store)
      store_wave<I>(lds.base + first, registers);
    else
      load_wave<I>(lds.base + first, registers);
    CROSSLANE_NEXT(op, w);
  }
#pragma clang loop unroll(disable)
  for (int row = 0; row < machine::rows_per_wave; ++row) {
    const auto m = uint16_t(exec >> 16 * row);
    if (!m)
      continue;
    const U32 off = lds_offsets(op, lanes::load<uint32_t, 16>(p + 16 * row), uint32_t(op->imm));
    const uint32_t off0 = lds_offset(op, p[16 * row + first_lane(m)], uint32_t(op->imm));
    const bool done = Store ? lds_store_simple<I>(lds, off, off0, m, registers + 16 * row)
                            : lds_load_simple<I>(lds, off, off0, m, registers + 16 * row);
    if (!done) {
      if (!rows_from<I, Store>(op, w, lds, row))
        return;
      break;
    }
  }
  CROSSLANE_NEXT(op, w);
}

// Both addresses come from one VGPR that the first result may overwrite: it is read before.
template <class I> CROSSLANE_CC void load2(const Uop* op, Wave* w) {
  const Lds lds = lds_of(op, w);
  const uint32_t add0 = uint32_t(op->imm), add1 = uint32_t(op->k1 >> 32);
  uint32_t* registers = at<uint32_t>(w, op->dst);
  if (uint32_t first; w->exec() == ~uint64_t(0) && whole_wave<I>(op, w, lds, first)) {
    const uint32_t second = first + (add1 - add0);
    if (lds_offset(op, second, 0) == second && in_lds(lds, second, 64 * I::bytes)) {
      load_wave<I>(lds.base + first, registers);
      load_wave<I>(lds.base + second, registers + I::dwords * 64);
      CROSSLANE_NEXT(op, w);
    }
  }
#pragma clang loop unroll(disable)
  for (int row = 0; row < machine::rows_per_wave; ++row) {
    const uint16_t m = w->exec_row(row);
    if (!m)
      continue;
    const uint32_t* p = row_of(w, op->a, row);
    const uint32_t address0 = p[first_lane(m)];
    const U32 address = lanes::load<uint32_t, 16>(p);
    uint32_t* dst = registers + 16 * row;
    if (!lds_load_row<I>(op, w, lds, lds_offsets(op, address, add0), lds_offset(op, address0, add0), row, m, dst))
      return;
    if (!lds_load_row<I>(op, w, lds, lds_offsets(op, address, add1), lds_offset(op, address0, add1), row, m,
                         dst + I::dwords * 64))
      return;
  }
  CROSSLANE_NEXT(op, w);
}

template <class I> CROSSLANE_CC void store2(const Uop* op, Wave* w) {
  const Lds lds = lds_of(op, w);
  const uint32_t add0 = uint32_t(op->imm), add1 = uint32_t(op->k1 >> 32);
#pragma clang loop unroll(disable)
  for (int row = 0; row < machine::rows_per_wave; ++row) {
    const uint16_t m = w->exec_row(row);
    if (!m)
      continue;
    const uint32_t* p = row_of(w, op->a, row);
    const uint32_t address0 = p[first_lane(m)];
    const U32 address = lanes::load<uint32_t, 16>(p);
    const uint32_t *data0 = row_of(w, op->c, row), *data1 = row_of(w, uint32_t(op->k1), row);
    if (!lds_store_row<I>(op, w, lds, lds_offsets(op, address, add0), lds_offset(op, address0, add0), row, m, data0))
      return;
    if (!lds_store_row<I>(op, w, lds, lds_offsets(op, address, add1), lds_offset(op, address0, add1), row, m, data1))
      return;
  }
  CROSSLANE_NEXT(op, w);
}

// ds_read/write_addtid: lane i at M0[15:0] + offset + 4 * i, no address VGPR. Uop::k1 masks M0: GDS has its base
// elsewhere.
template <bool Store> CROSSLANE_CC void add_tid(const Uop* op, Wave* w) {
  const Lds lds = lds_of(op, w);
  const uint32_t base = (w->s[isa::code::m0] & uint32_t(op->k1)) + uint32_t(op->imm);
  for (int row = 0; row < machine::rows_per_wave; ++row) {
    const uint16_t m = w->exec_row(row);
    if (!m)
      continue;
    const U32 off = lane_numbers() * U32(4u) + U32(base + row * 64);
    const uint32_t off0 = base + row * 64 + first_lane(m) * 4;
    const bool done = Store ? lds_store_row<Dword>(op, w, lds, off, off0, row, m, row_of(w, op->c, row))
                            : lds_load_row<Dword>(op, w, lds, off, off0, row, m, row_of(w, op->dst, row));
    if (!done)
      return;
  }
  CROSSLANE_NEXT(op, w);
}

// ds_append, ds_consume: one counter for the wave, moved by the number of active lanes.
template <int Sign> CROSSLANE_CC void count(const Uop* op, Wave* w) {
  const Lds lds = lds_of(op, w);
  const uint32_t offset = ((w->s[isa::code::m0] & uint32_t(op->k1)) + uint32_t(op->imm)) & ~3u;
  const uint64_t exec = w->exec();
  uint32_t before = 0;
  if (exec && lds_fault(op, w, first_lane(exec), offset, 4))
    return;
  if (exec && in_lds(lds, offset, 4)) {
    std::memcpy(&before, lds.base + offset, 4);
    const uint32_t after = before + uint32_t(Sign * __builtin_popcountll(exec));
    std::memcpy(lds.base + offset, &after, 4);
  }
  for (int row = 0; row < machine::rows_per_wave; ++row)
    put<Dword>(row_of(w, op->dst, row), w->exec_row(row), U32(before));
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void nothing(const Uop* op, Wave* w) { CROSSLANE_NEXT(op, w); }

struct TwoAddress {
  bool is, st64;
};
TwoAddress two_address(Access a) {
  using enum Access;
  return {a == load2 || a == load2_st64 || a == store2 || a == store2_st64 || a == swap2 || a == swap2_st64,
          a == load2_st64 || a == store2_st64 || a == swap2_st64};
}

Handler pick(const Lowering& l, bool joined) {
  const int bytes = bytes_of(l.row.memory);
  switch (l.row.access) {
  case Access::load:
  case Access::load_d16:
  case Access::load_d16_hi: return pick_load(l.row, []<class I>(I) -> Handler { return access_lds<I, false>; });
  case Access::store:
  case Access::store_d16_hi:
    if (l.row.src[0] == isa::Type::None)
      return pick_lds_atomic(l.row); // ds_write_src2: the data is in LDS
    return pick_store(l.row, []<class I>(I) -> Handler { return access_lds<I, true>; });
  case Access::load2:
  case Access::load2_st64:
    if (joined)
      return bytes == 4 ? access_lds<Item<8>, false> : access_lds<Item<16>, false>;
    return bytes == 4 ? load2<Item<4>> : load2<Item<8>>;
  case Access::store2:
  case Access::store2_st64:
    if (joined)
      return bytes == 4 ? access_lds<Item<8>, true> : access_lds<Item<16>, true>;
    // "Specify only one address by setting both offsets to the same value": only the first data is written.
    if (l.inst.offset1 == uint8_t(l.inst.imm))
      return bytes == 4 ? access_lds<Item<4>, true> : access_lds<Item<8>, true>;
    return bytes == 4 ? store2<Item<4>> : store2<Item<8>>;
  case Access::lds_add_tid_load: return add_tid<false>;
  case Access::lds_add_tid_store: return add_tid<true>;
  case Access::append: return count<1>;
  case Access::consume: return count<-1>;
  case Access::permute:
  case Access::bpermute: return pick_permute(l.row.access);
  case Access::nop: return nothing;
  case Access::ordered_count:
  case Access::gws: return nullptr;
  default: return pick_lds_atomic(l.row);
  }
}

} // namespace

bool lower_ds(Lowering& l) {
  const isa::Instruction& inst = l.inst;
  const Access access = l.row.access;
  if (access == Access::gws || access == Access::ordered_count)
    return lower_gds(l);
  if (access == Access::swizzle)
    return lower_swizzle(l), true;
  const bool gds = inst.gds && l.row.memory != isa::Type::None;
  const bool gfx9 = isa::info(inst.target).generation >= isa::Generation::gfx9;
  const int bytes = bytes_of(l.row.memory);
  const TwoAddress two = two_address(l.row.access);
  const uint32_t unit = two.is ? uint32_t(bytes) * (two.st64 ? 64 : 1) : 1;
  const uint32_t offset0 = uint32_t(inst.imm) * unit, offset1 = uint32_t(inst.offset1) * unit;
  // Two neighbours, into or from neighbouring registers, are one item of twice the size.
  const bool load = l.row.access == Access::load2 || l.row.access == Access::load2_st64;
  const bool joined = two.is && offset1 == offset0 + bytes && (load || inst.data1 == inst.data + bytes / 4);

  const Handler handler = pick(l, joined);
  if (!handler)
    return false;
  if (gds)
    l.emit(UopKind::gds_enter, enter_gds());
  Uop& op = l.emit(UopKind::lds, handler);
  if (isa::is_vgpr(inst.addr))
    op.a = vgpr(inst.addr);
  if (is_vector(inst.dst))
    op.dst = vgpr(inst.dst);
  if (is_vector(inst.data))
    op.c = vgpr(inst.data);
  op.imm = int32_t(offset0);
  op.k1 = uint64_t(offset1) << 32 | (is_vector(inst.data1) ? vgpr(inst.data1) : op.c);
  // Of these M0 is the address, which does not limit itself.
  const bool at_m0 = access == Access::append || access == Access::consume || access == Access::lds_add_tid_load ||
                     access == Access::lds_add_tid_store;
  if (at_m0)
    op.k1 = gds ? 0 : 0xffff;
  op.aux = gfx9 || gds || at_m0 ? ~0u : 0;
  const bool atomic = pick_lds_atomic(l.row) != nullptr;
  const uint32_t align = bytes == 12 ? 16 : bytes;
  op.k0 = (gfx9 && !atomic) || !align ? 0xffffffffu : uint32_t(-align);
  if (gds)
    l.emit(UopKind::gds_leave, leave_gds());
  return true;
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
