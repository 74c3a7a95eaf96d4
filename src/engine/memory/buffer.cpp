// MUBUF without formats: loads, stores, atomics, LDS loads and cache control. Compiled once per level.
// Three ways, told apart by the resource at run time: the private segment (one line of 256 bytes per dword), linear raw
// buffers (offsets from one base, like GLOBAL with saddr) and everything else, lane by lane. ADDR64 goes the way of
// GLOBAL.
#include "engine/memory/buffer.h"
#include "engine/decode/lowering.h"
#include "engine/memory/atomic.h"
#include "engine/memory/lds.h"
#include "engine/memory/scratch.h"
#include "engine/reach.h"
#include "isa/memory_registers.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
Handler pick_buffer_format(const isa::Row& row); // buffer_typed.cpp
Handler pick_buffer_format_to_lds(const isa::Row& row);
namespace {

using namespace access;
using isa::Access;

constexpr uint32_t no_offsets[64] = {};

CROSSLANE_INLINE const uint32_t* resource_of(const Uop* op, Wave* w) { return at<const uint32_t>(w, op->b); }
CROSSLANE_INLINE uint32_t soffset_of(const Uop* op, Wave* w) {
  return *at<uint32_t>(w, uint32_t(op->k1)) | uint32_t(op->k1 >> 32);
}

// Byte by byte, as a swizzled buffer may scatter even a dword. Dwords are range-checked one by one. False: a fault was
// raised.
template <class I, bool Store>
CROSSLANE_NOINLINE bool any_buffer(const Uop* op, Wave* w, int row, uint16_t m, uint32_t* registers) {
  const buffer::Resource r = buffer::read_resource(resource_of(op, w), op->aux, false);
  const uint32_t soffset = soffset_of(op, w);
  constexpr uint32_t piece = I::bytes < 4 ? I::bytes : 4;
  alignas(64) uint32_t lane[I::dwords][16] = {};
  for (uint32_t left = m; left; left &= left - 1) {
    const int i = first_lane(left);
    const buffer::Place p = buffer::place(r, op->aux, at<uint32_t>(w, op->a), uint32_t(op->imm), row * 16 + i);
    for (uint32_t k = 0; k < I::dwords; ++k) {
      if (buffer::out_of_range(r, op->aux, {p.index, p.offset + 4 * k}, soffset, piece))
        continue;
      uint32_t value = Store ? stored_part<I>(registers[k * 64 + i]) : 0;
      for (uint32_t b = 0; b < piece; ++b) {
        const uint64_t address = r.base + soffset + buffer::buffer_offset(r, {p.index, p.offset + 4 * k + b}, op->aux);
        if (!reaches(w, address, 1))
          return out_of_reach(op, w, row * 16 + i, address);
        auto* byte = reinterpret_cast<uint8_t*>(address);
        if constexpr (Store)
          *byte = uint8_t(value >> 8 * b);
        else
          value |= uint32_t(*byte) << 8 * b;
      }
      if constexpr (!Store)
        lane[k][i] = read_scalar<I>(&value);
    }
  }
  if constexpr (!Store)
    for (int k = 0; k < I::dwords; ++k)
      put<I>(registers + k * 64, m, lanes::load<uint32_t, 16>(lane[k]));
  return true;
}

// A row of a raw buffer that is neither contiguous nor uniform, or not wholly inside.
template <class I, bool Store>
CROSSLANE_NOINLINE bool other_raw(const Uop* op, Wave* w, uint8_t* base, int64_t limit, const uint32_t* offsets,
                                  int row, uint16_t m, uint32_t* registers) {
  bool inside = true;
  for (uint32_t left = m; left; left &= left - 1)
    inside = inside && int64_t(uint64_t(offsets[first_lane(left)])) + I::bytes <= limit;
  if (!inside)
    return any_buffer<I, Store>(op, w, row, m, registers);
  if constexpr (Store)
    store_offsets<I>(base, offsets, m, registers);
  else
    load_offsets<I>(base, offsets, m, registers);
  return true;
}

// What is the same for all lanes of an access.
struct View {
  uint8_t *start, *base; // of the resource; with soffset
  const uint32_t* offsets;
  uint32_t* registers;
  uint32_t imm;
  bool is_private, raw;
  int64_t limit; // of vaddr in a raw buffer: what imm (and on gfx8 soffset) leave of NUM_RECORDS
};
CROSSLANE_INLINE View view_of(const Uop* op, Wave* w, bool store) {
  const uint32_t* s = resource_of(op, w);
  const uint32_t aux = op->aux, soffset = soffset_of(op, w);
  View v;
  v.start = reinterpret_cast<uint8_t*>(uint64_t(s[1] & 0xffff) << 32 | s[0]);
  v.base = v.start + soffset;
  v.offsets = aux & buffer::offen ? at<uint32_t>(w, op->a) : no_offsets;
  v.registers = at<uint32_t>(w, store ? op->c : op->dst);
  v.imm = uint32_t(op->imm);
  v.is_private = buffer::is_private(s, aux & buffer::gfx9) && !(aux & buffer::idxen) && scratch_limit(w, v.start) >= 0;
  // Linear: no index, no swizzle (bit 31), no lane number (bit 23); gfx6 and gfx7 count records where there is a
  // stride. A base within reach: the offsets, of 34 bits in all, do not leave what is unmapped around it.
  v.raw = w->reach.holds(s[1] & 0xffff) && !(aux & buffer::idxen) && !(s[1] >> 31) && !(s[3] >> 23 & 1) &&
          (!(aux & buffer::gfx67) || !(s[1] & 0x3fff0000));
  v.limit = int64_t(uint64_t(s[2])) - v.imm - (aux & buffer::gfx9 ? 0 : int64_t(uint64_t(soffset)));
  return v;
}

// Rows of the private segment, then of any other buffer, that the handler did not find simple.
template <class I, bool Store> CROSSLANE_NOINLINE bool private_from(const Uop* op, Wave* w, int row) {
  const View v = view_of(op, w, Store);
  for (; row < machine::rows_per_wave; ++row) {
    const uint16_t m = w->exec_row(row);
    if (!m)
      continue;
    const uint32_t* p = v.offsets + 16 * row;
    const U32 off = lanes::load<uint32_t, 16>(p) + U32(v.imm);
    const uint32_t off0 = p[first_lane(m)] + v.imm;
    if constexpr (Store) {
      if (!scratch_store<I>(op, w, v.base, off, off0, row, m, v.registers + 16 * row))
        return false;
    } else {
      if (!scratch_load<I>(op, w, v.base, off, off0, row, m, v.registers + 16 * row))
        return false;
    }
  }
  return true;
}
template <class I, bool Store> CROSSLANE_INLINE bool simple_raw(const View& v, int row, uint16_t m) {
  const uint32_t* p = v.offsets + 16 * row;
  uint32_t* registers = v.registers + 16 * row;
  const U32 off = lanes::load<uint32_t, 16>(p);
  const uint32_t off0 = p[first_lane(m)];
  uint8_t* base = v.base + v.imm;
  int64_t first;
  if (contiguous_offsets<I>(off, off0, first_lane(m), m, uint64_t(v.limit), first)) {
    if constexpr (Store)
      store_contiguous<I>(base + first, m, registers);
    else
      load_contiguous<I>(base + first, m, registers);
    return true;
  }
  if (Store || any(off ^ U32(off0), m) || int64_t(uint64_t(off0)) + I::bytes > v.limit)
    return false;
  load_uniform<I>(base + off0, m, registers);
  return true;
}
template <class I, bool Store> CROSSLANE_NOINLINE bool buffer_from(const Uop* op, Wave* w, int row) {
  const View v = view_of(op, w, Store);
  for (; row < machine::rows_per_wave; ++row) {
    const uint16_t m = w->exec_row(row);
    if (!m)
      continue;
    uint32_t* registers = v.registers + 16 * row;
    if (v.raw && simple_raw<I, Store>(v, row, m))
      continue;
    const bool done = v.raw
                          ? other_raw<I, Store>(op, w, v.base + v.imm, v.limit, v.offsets + 16 * row, row, m, registers)
                          : any_buffer<I, Store>(op, w, row, m, registers);
    if (!done)
      return false;
  }
  return true;
}

template <class I, bool Store> CROSSLANE_CC void access_buffer(const Uop* op, Wave* w) {
  touching(op, w);
  const View v = view_of(op, w, Store);
  const uint64_t exec = w->exec();
  if (v.is_private) [[likely]] {
    // Whole dwords at one offset for all lanes: lines of 256 bytes.
    const uint32_t offset = v.offsets[0] + v.imm;
    const bool uniform = !(op->aux & buffer::offen) || (v.offsets[63] == v.offsets[0] && uniform_wave(v.offsets));
    if (exec == ~uint64_t(0) && uniform && scratch_wave<I, Store>(w, v.base, offset, v.registers)) [[likely]]
      CROSSLANE_NEXT(op, w);
    if (!private_from<I, Store>(op, w, 0))
      return;
    CROSSLANE_NEXT(op, w);
  }
  if (v.raw && exec == ~uint64_t(0) && contiguous_wave<I>(v.offsets) &&
      int64_t(uint64_t(v.offsets[0])) + 64 * I::bytes <= v.limit) {
    uint8_t* first = v.base + v.imm + v.offsets[0];
    if constexpr (Store)
      store_wave<I>(first, v.registers);
    else
      load_wave<I>(first, v.registers);
    CROSSLANE_NEXT(op, w);
  }
  if (!buffer_from<I, Store>(op, w, 0))
    return;
  CROSSLANE_NEXT(op, w);
}

// Address and range of each lane for an atomic: addresses go to Wave::tmp 0 and 1, the lanes inside to a scalar
// temporary. Lanes outside do nothing and get 0.
constexpr uint32_t staged_mask = machine::scalar_tmp;
CROSSLANE_CC void stage_addresses(const Uop* op, Wave* w) {
  const buffer::Resource r = buffer::read_resource(resource_of(op, w), op->aux, false);
  const uint32_t soffset = soffset_of(op, w), dwords = op->aux >> buffer::dword_shift & 3;
  uint32_t* dst = at<uint32_t>(w, op->dst);
  uint64_t inside = 0;
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = first_lane(left);
    const buffer::Place p = buffer::place(r, op->aux, at<uint32_t>(w, op->a), uint32_t(op->imm), lane);
    if (buffer::out_of_range(r, op->aux, p, soffset, 4 * dwords)) {
      if (op->aux & buffer::returns)
        for (uint32_t k = 0; k < dwords; ++k)
          dst[k * 64 + lane] = 0;
      continue;
    }
    const uint64_t address = r.base + soffset + buffer::buffer_offset(r, p, op->aux);
    w->tmp[0][lane] = uint32_t(address);
    w->tmp[1][lane] = uint32_t(address >> 32);
    inside |= uint64_t(1) << lane;
  }
  w->set_pair(staged_mask, inside);
  CROSSLANE_NEXT(op, w);
}

// buffer_load_* lds: lane i's value, as a VGPR would get it, to LDS at M0[15:0] + offset + 4 * i. Lanes without LDS do
// nothing.
template <class I> CROSSLANE_CC void load_to_lds(const Uop* op, Wave* w) {
  touching(op, w);
  const buffer::Resource r = buffer::read_resource(resource_of(op, w), op->aux, false);
  const uint32_t soffset = soffset_of(op, w);
  const machine::Workgroup& group = *w->workgroup;
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = first_lane(left);
    const uint64_t to = uint64_t(w->s[isa::code::m0] & 0xffff) + uint32_t(op->imm) + 4 * lane;
    if (to + 4 > group.lds_bytes) {
      if (lds_fault(op, w, lane, uint32_t(to), 4))
        return;
      continue;
    }
    const buffer::Place p = buffer::place(r, op->aux, at<uint32_t>(w, op->a), uint32_t(op->imm), lane);
    uint32_t value = 0;
    if (!buffer::out_of_range(r, op->aux, p, soffset, I::bytes)) {
      for (uint32_t b = 0; b < I::bytes; ++b) {
        const uint64_t address = r.base + soffset + buffer::buffer_offset(r, {p.index, p.offset + b}, op->aux);
        if (!reaches(w, address, 1))
          return void(out_of_reach(op, w, lane, address));
        value |= uint32_t(*reinterpret_cast<uint8_t*>(address)) << 8 * b;
      }
      value = read_scalar<I>(&value);
    }
    std::memcpy(group.lds + to, &value, 4);
  }
  CROSSLANE_NEXT(op, w);
}

// buffer_store_lds_dword: the way back.
CROSSLANE_CC void store_from_lds(const Uop* op, Wave* w) {
  touching(op, w);
  const buffer::Resource r = buffer::read_resource(resource_of(op, w), op->aux, false);
  const uint32_t soffset = soffset_of(op, w);
  const machine::Workgroup& group = *w->workgroup;
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = first_lane(left);
    const uint64_t from = uint64_t(w->s[isa::code::m0] & 0xffff) + uint32_t(op->imm) + 4 * lane;
    if (lds_fault(op, w, lane, uint32_t(from), 4))
      return;
    const buffer::Place p = buffer::place(r, op->aux, at<uint32_t>(w, op->a), uint32_t(op->imm), lane);
    if (from + 4 > group.lds_bytes || buffer::out_of_range(r, op->aux, p, soffset, 4))
      continue;
    for (uint32_t b = 0; b < 4; ++b) {
      const uint64_t address = r.base + soffset + buffer::buffer_offset(r, {p.index, p.offset + b}, op->aux);
      if (!reaches(w, address, 1))
        return void(out_of_reach(op, w, lane, address));
      *reinterpret_cast<uint8_t*>(address) = group.lds[from + b];
    }
  }
  CROSSLANE_NEXT(op, w);
}

// ADDR64 of gfx6 and gfx7: the address of each lane, with base and soffset, to Wave::tmp 0 and 1. No range check.
CROSSLANE_CC void stage_addr64(const Uop* op, Wave* w) {
  const uint32_t* s = resource_of(op, w);
  const uint64_t base = (uint64_t(s[1] & 0xffff) << 32 | s[0]) + soffset_of(op, w);
  const uint32_t *lo = at<uint32_t>(w, op->a), *hi = lo + 64;
  for (int lane = 0; lane < 64; ++lane) {
    const uint64_t address = base + (uint64_t(hi[lane]) << 32 | lo[lane]);
    w->tmp[0][lane] = uint32_t(address);
    w->tmp[1][lane] = uint32_t(address >> 32);
  }
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void fence(const Uop* op, Wave* w) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  CROSSLANE_NEXT(op, w);
}

Handler pick(const Lowering& l) {
  if (l.row.access == Access::cache)
    return fence;
  if (l.row.access == Access::store_from_lds)
    return store_from_lds;
  if (l.inst.lds && l.row.access == Access::load_format)
    return pick_buffer_format_to_lds(l.row);
  if (l.inst.lds)
    return pick_load(l.row, []<class I>(I) -> Handler {
      if constexpr (I::dwords == 1 && I::place == Place::whole)
        return load_to_lds<I>;
      else
        return nullptr;
    });
  if (const Handler h = pick_load(l.row, []<class I>(I) -> Handler { return access_buffer<I, false>; }))
    return h;
  if (const Handler h = pick_store(l.row, []<class I>(I) -> Handler { return access_buffer<I, true>; }))
    return h;
  return pick_buffer_format(l.row);
}

void set_operands(const Lowering& l, Uop& op) {
  const isa::Instruction& inst = l.inst;
  if (isa::is_vgpr(inst.addr))
    op.a = vgpr(inst.addr);
  if (is_vector(inst.dst))
    op.dst = vgpr(inst.dst);
  if (is_vector(inst.data))
    op.c = vgpr(inst.data);
  if (isa::is_scalar_register(inst.srsrc))
    op.b = machine::sgpr_offset(inst.srsrc);
  if (inst.saddr != isa::code::none && inst.saddr != isa::code::off) {
    const ScalarOperand soffset = scalar_operand(inst, inst.saddr, isa::Type::B32);
    op.k1 = soffset.k << 32 | soffset.offset;
  } else {
    op.k1 = machine::sgpr_offset(machine::scalar_zero);
  }
  op.imm = inst.imm;
  op.aux = buffer::flags_of(inst) | (inst.glc ? buffer::returns : 0);
  if (l.row.encoding == isa::Encoding::MTBUF)
    op.aux |= buffer::typed | uint32_t(inst.dfmt | inst.nfmt << 4) << buffer::format_shift;
}

} // namespace

bool lower_buffer(Lowering& l) {
  const isa::Instruction& inst = l.inst;
  if (l.row.access != Access::cache && inst.saddr < 256 && !is_plain_scalar(inst.saddr))
    return false;
  Handler whole = nullptr; // of accesses by a whole address
  if (inst.addr64 && !inst.lds)
    whole = pick_address64(l.row);
  if (const Handler handler = whole ? whole : pick(l)) {
    if (whole)
      set_operands(l, l.emit(UopKind::address, stage_addr64));
    Uop& op = l.emit(UopKind::buffer, handler);
    set_operands(l, op);
    if (whole)
      op.a = machine::tmp_offset(0), op.k0 = uint64_t(inst.imm), op.imm = no_aperture;
    // All memory is resident: no load ever fails.
    if (inst.tfe && inst.dst != isa::code::none)
      clear_status(l, vgpr(inst.dst) +
                          uint32_t(isa::buffer_data_registers(l.row, inst.target, false)) * machine::vgpr_bytes);
    return true;
  }
  const Handler atomic = inst.lds ? nullptr : pick_atomic(l.row.access, l.row.memory);
  if (!atomic)
    return false;
  Uop& stage = l.emit(UopKind::address, stage_addresses);
  set_operands(l, stage);
  stage.aux |= uint32_t(bytes_of(l.row.memory) / 4) << buffer::dword_shift;
  Uop& op = l.emit(UopKind::atomic, atomic);
  set_operands(l, op);
  op.a = machine::tmp_offset(0);
  op.imm = no_aperture;
  op.k1 = machine::sgpr_offset(staged_mask);
  op.aux = atomic_wide_address | (inst.glc ? atomic_returns : 0);
  return true;
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
