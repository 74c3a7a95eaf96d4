// See block_source.h.
#include "tests/jit/block_source.h"
#include "engine/unit.h"
#include "isa/access.h"
#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/flow.h"
#include "isa/instances.h"
#include "isa/matrix.h"
#include "isa/op.h"
#include <algorithm>
#include <array>
#include <iterator>

namespace crosslane::test {

using isa::Access;
using isa::Encoding;
using isa::Form;
using isa::Instruction;
using isa::Op;
using isa::Operand;
using isa::RegisterFile;
using isa::Role;
namespace code = isa::code;

namespace {

bool is_memory(const Instruction& i) {
  const isa::Row& r = isa::row(i.op);
  return r.access != Access::none || r.encoding == Encoding::MIMG || i.lds;
}

// Whether a compiler ever sees it: other ways of decoding, for one, are the interpreter's.
bool is_lowered(const Instruction& i) {
  const isa::Encoded e = isa::encode(i);
  std::vector<uint32_t> words(e.words.begin(), e.words.begin() + e.size / 4);
  words.push_back(0xbf810000);
  const engine::Unit unit =
      engine::unit_from(i.target, reinterpret_cast<uint64_t>(words.data()), words.size() * 4, 0, {}, {}, 100);
  return unit.instructions[0].way == engine::Way::lowered;
}

bool is_address(Role r) {
  return r == Role::addr || r == Role::base || r == Role::offset || r == Role::resource || r == Role::sampler;
}

} // namespace

bool BlockSource::is_usual(Op op) {
  using enum Op;
  static constexpr Op usual[] = {v_mov_b32,
                                 v_add_u32,
                                 v_sub_u32,
                                 v_subrev_u32,
                                 v_add_co_u32,
                                 v_sub_co_u32,
                                 v_subrev_co_u32,
                                 v_addc_co_u32,
                                 v_subb_co_u32,
                                 v_add3_u32,
                                 v_lshlrev_b32,
                                 v_lshl_add_u32,
                                 v_add_lshl_u32,
                                 v_mul_lo_u32,
                                 v_ashrrev_i32,
                                 v_lshlrev_b64,
                                 v_lshl_b64,
                                 v_cndmask_b32,
                                 v_cmp_lt_u32,
                                 v_cmp_gt_u32,
                                 v_cmp_le_i32,
                                 v_cmp_ge_i32,
                                 v_cmp_eq_u32,
                                 v_readfirstlane_b32,
                                 v_readlane_b32,
                                 v_writelane_b32,
                                 v_mbcnt_lo_u32_b32,
                                 v_mbcnt_hi_u32_b32,
                                 s_and_saveexec_b64,
                                 s_or_saveexec_b64,
                                 s_andn2_saveexec_b64,
                                 s_mov_b64,
                                 s_and_b64,
                                 s_or_b64,
                                 s_xor_b64,
                                 s_andn2_b64,
                                 s_not_b64,
                                 s_add_u32,
                                 s_addc_u32,
                                 s_cselect_b64,
                                 v_mac_f32,
                                 v_fma_f32,
                                 v_mul_f32,
                                 v_max_f32,
                                 v_mad_u64_u32,
                                 v_cmp_class_f32,
                                 v_lshl_or_b32,
                                 v_and_b32};
  return std::ranges::find(usual, op) != std::end(usual);
}

BlockSource::BlockSource(isa::Target t, std::mt19937_64& random, bool more)
    : target_(t), generation_(isa::info(t).generation), more_(more), make_(t, random) {
  for (size_t o = 0; o < isa::rows().size(); ++o)
    for (const Instruction& i : isa::instances(Op(o), t)) {
      if (!isa::encode(i) || !executes_alone(i) || isa::flow(i).kind != isa::FlowKind::next || !is_lowered(i))
        continue;
      if (!is_memory(i)) {
        arithmetic_.push_back(i);
        if (is_usual(i.op))
          usual_.push_back(i);
        if (more_ && isa::is_matrix(i.op))
          matrix_.push_back(i);
        continue;
      }
      memory_.push_back(i);
      const isa::Row& r = isa::row(i.op);
      using enum Encoding;
      if ((r.encoding == FLAT || r.encoding == GLOBAL || r.encoding == DS || r.encoding == SMEM) && !i.lds &&
          (isa::is_load(r.access) || isa::is_store(r.access) || (r.encoding == DS && isa::is_atomic(r.access))))
        plain_memory_.push_back(i);
      if (r.encoding == MUBUF && !i.lds && !i.tfe && !i.idxen && !i.addr64 &&
          (isa::is_load(r.access) || isa::is_store(r.access)))
        buffers_.push_back(i);
    }
}

uint32_t BlockSource::edge() {
  static constexpr uint32_t edges[] = {
      0,          1,          2,          31,         32,         63,         64,         ~0u,
      0x7fffffff, 0x80000000, 0x80000001, 0xffff,     0x10000,    0x7fff8000, 0x00ff00ff, 0x3f800000,
      0xbf800000, 0x3f000000, 0x7f7fffff, 0x00800000, 0x007fffff, 0x00000001, 0x80000001, 0x807fffff,
      0x7f800000, 0xff800000, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x3effffff, 0x7fc00000, 0x7fa00001,
      0xffc12345, 0x3c003c00, 0x7c00fc00, 0x04000400, 0x03ff83ff, 0x7bff7bff, 0x7e017d01, 0x3ff00000,
      0x7fe00000, 0x00100000, 0x000fffff, 0x7ff00000, 0x7ff80001, 0xfff40000, 0x41dfffff, 0x43e00000};
  return edges[number(std::size(edges))];
}

// As it is decoded, which is what will run; nothing that writes reserved registers, but for VGPRs of addresses.
std::optional<Instruction> BlockSource::encoded(const Instruction& i, bool addresses) const {
  const isa::Encoded e = isa::encode(i);
  Instruction back;
  if (!e || !isa::decode(target_, e.bytes(), back) || back.reserved || !executes_alone(back) ||
      isa::flow(back).kind != isa::FlowKind::next || !is_lowered(back))
    return std::nullopt;
  for (const Operand& o : isa::operands(back)) {
    if (!o.written)
      continue;
    const unsigned end = o.first + o.dwords;
    const bool wild = (o.file == RegisterFile::scalar && end > reserved::first_scalar && o.first < 106) ||
                      (o.file == RegisterFile::vgpr && end > reserved::first_vector && !addresses);
    if (wild)
      return std::nullopt;
  }
  return back;
}

// Registers that instructions of a block share, constants; of accesses the registers of their slot.
std::optional<Instruction> BlockSource::with_other_registers(const Instruction& from, int slot) {
  const isa::Operands operands = isa::operands(from);
  const auto operand_at = [&](uint16_t c) -> const Operand* {
    for (const Operand& o : operands)
      if (o.role != Role::implicit &&
          ((o.file == RegisterFile::scalar && c < 128 && o.first == c) ||
           (o.file == RegisterFile::vgpr && isa::is_vgpr(c) && o.first == c - code::vgpr0) ||
           (o.file == RegisterFile::agpr && c >= code::agpr0 && o.first == c - code::agpr0)))
        return &o;
    return nullptr;
  };
  for (int attempt = 0; attempt < 4; ++attempt) {
    Instruction i = from;
    const auto vary = [&](uint16_t& field, bool is_source) {
      if (field >= 768 || field == code::literal)
        return;
      const Operand* o = operand_at(field);
      const uint32_t dwords = o ? o->dwords : 1;
      if (slot >= 0 && o && is_address(o->role)) {
        const uint16_t at = reserved::scalars(slot);
        field = o->file == RegisterFile::vgpr ? uint16_t(code::vgpr0 + reserved::vectors(slot))
                : o->role == Role::sampler    ? uint16_t(at + 8)
                : o->role == Role::offset     ? uint16_t(at + 12)
                                              : at;
        return;
      }
      const uint32_t pool = number(dwords > 1 ? 6 : 12), aligned = dwords > 1 ? 2 * pool : pool;
      if (is_source && slot < 0 && attempt < 2 && chance(45)) {
        static constexpr uint16_t others[] = {code::vcc, code::vcc + 1, code::m0, code::exec, code::scc, 128, 129, 193,
                                              133,       159,           192,      240,        242,       243, 247, 248};
        field = chance(50) ? uint16_t(dwords > 1 ? 4 * number(10) : number(40)) : others[number(std::size(others))];
      } else if (field >= code::agpr0) {
        field = uint16_t(code::agpr0 + 4 * number(8));
      } else if (field >= code::vgpr0) {
        field =
            uint16_t(code::vgpr0 + (is_source && chance(12) ? reserved::lane_x + number(2) * (dwords < 2) : aligned));
      } else if (field < code::vcc && chance(80)) {
        field = dwords > 1 ? uint16_t(4 * number(dwords > 4 ? 6 : 10)) : uint16_t(number(40));
      }
    };
    for (uint16_t& s : i.src)
      vary(s, true);
    vary(i.dst, false), vary(i.sdst, false), vary(i.addr, false), vary(i.saddr, false), vary(i.data, false);
    vary(i.data1, false), vary(i.srsrc, false);
    if (slot < 0 && i.form == Form::base && attempt < 2 && i.src[0] != code::none &&
        isa::dwords(isa::row(i.op).src[0]) == 1 && chance(8))
      i.src[0] = code::literal, i.size = 8, i.literal = edge();
    if (i.src[0] == code::literal || i.src[1] == code::literal || i.src[2] == code::literal)
      i.literal = edge();
    if (const auto back = encoded(i))
      return back;
  }
  return slot < 0 ? encoded(from) : std::nullopt;
}

std::optional<Instruction> BlockSource::instruction(Op op, Form form, uint16_t dst, uint16_t a, uint16_t b, uint16_t c,
                                                    uint32_t literal) const {
  for (Instruction i : isa::instances(op, target_))
    if (i.form == form) {
      i.dst = dst, i.src[0] = a;
      if (b != code::none)
        i.src[1] = b;
      if (c != code::none)
        i.src[2] = c;
      if (a == code::literal)
        i.literal = literal, i.size = 8;
      return encoded(i, true);
    }
  return std::nullopt;
}

bool BlockSource::add(Item& item, const std::optional<Instruction>& i) const {
  if (i)
    item.instructions.push_back(*i);
  return i.has_value();
}

// Makes of work-item ids an offset within 8,000 bytes, by sums, products and shifts.
bool BlockSource::affine_address(Item& item, uint16_t vgpr) {
  struct Sum {
    int64_t c, x, y;
    int64_t least() const { return c + (x < 0 ? 127 * x : 0) + (y < 0 ? 67 * y : 0); }
    int64_t most() const { return c + (x > 0 ? 127 * x : 0) + (y > 0 ? 67 * y : 0); }
  };
  const bool gfx9 = generation_ >= isa::Generation::gfx9;
  const uint16_t v = uint16_t(code::vgpr0 + vgpr), x = code::vgpr0 + reserved::lane_x,
                 y = code::vgpr0 + reserved::lane_y;
  for (int attempt = 0; attempt < 20; ++attempt) {
    Item tried = item;
    Sum s{0, 0, 0};
    bool ok;
    const uint32_t shift = 1 + number(4);
    const bool by_y = chance(30);
    (by_y ? s.y : s.x) = int64_t(1) << shift;
    ok = add(tried, instruction(Op::v_lshlrev_b32, Form::base, v, uint16_t(code::inline_int0 + shift), by_y ? y : x));
    for (uint32_t n = number(3); n-- > 0 && ok;) {
      const uint32_t k = number(5);
      const int64_t by = int64_t(number(9000)) - 1000;
      switch (number(5)) {
      case 0:
        ok = add(tried, instruction(gfx9 ? Op::v_add_u32 : Op::v_add_co_u32, Form::base, v, code::literal, v,
                                    code::none, uint32_t(by)));
        s.c += by;
        break;
      case 1:
        ok = add(tried, instruction(gfx9 ? Op::v_sub_u32 : Op::v_sub_co_u32, Form::base, v, code::literal, v,
                                    code::none, uint32_t(by)));
        s = {by - s.c, -s.x, -s.y};
        break;
      case 2:
        ok = add(tried, instruction(gfx9 ? Op::v_add_u32 : Op::v_add_co_u32, Form::base, v, by_y ? x : y, v));
        (by_y ? s.x : s.y) += 1;
        break;
      case 3:
        ok = add(tried, instruction(Op::v_mul_lo_u32, Form::vop3, v, v, uint16_t(code::inline_int0 + k)));
        s = {s.c * k, s.x * k, s.y * k};
        break;
      default:
        if (!gfx9)
          break;
        ok = add(tried,
                 instruction(Op::v_lshl_add_u32, Form::vop3, v, by_y ? x : y, uint16_t(code::inline_int0 + k), v));
        (by_y ? s.x : s.y) += int64_t(1) << k;
        break;
      }
    }
    if (!ok || s.least() < 0 || s.most() > 8000)
      continue;
    item = std::move(tried);
    return true;
  }
  return false;
}

Item BlockSource::access(int slot) {
  Item item;
  item.slot = slot;
  const bool buffer = chance(20), plain = !buffer && chance(70);
  const auto& all = buffer ? buffers_ : plain ? plain_memory_ : memory_;
  Instruction i = all[number(uint32_t(all.size()))];
  if (buffer) { // as of variables and arrays of a work-item
    i.offen = chance(50), i.addr = i.offen ? i.addr : code::off;
    i.glc = i.slc = false, i.imm = int32_t(number(2) * 4 * number(16));
  } else if (!plain && chance(30)) {
    if (const auto varied = encoded(make_.varied(i)))
      i = *varied;
  }
  const auto placed = with_other_registers(i, slot);
  if (!placed)
    return item;
  i = *placed;
  const Encoding e = isa::row(i.op).encoding;
  const uint16_t v = reserved::vectors(slot);
  if (!plain || e == Encoding::SMEM || chance(25) || i.addr != code::vgpr0 + v || !affine_address(item, v)) {
    item.instructions = {i};
    return item;
  }
  uint32_t address_dwords = 1;
  for (const Operand& o : isa::operands(i))
    if (o.role == Role::addr)
      address_dwords = o.dwords;
  if (address_dwords == 2) { // pointer + offset
    const uint16_t low = uint16_t(code::vgpr0 + v), base = reserved::scalars(slot), top = uint16_t(low + 3);
    if (!add(item, instruction(Op::v_add_co_u32, Form::base, low, base, low)) ||
        !add(item, instruction(Op::v_mov_b32, Form::base, top, uint16_t(base + 1))) ||
        !add(item, instruction(Op::v_addc_co_u32, Form::base, uint16_t(low + 1), code::inline_int0, top)))
      item.instructions.clear();
  }
  item.instructions.push_back(i);
  return item;
}

// A comparison of what is known of lanes, and EXEC as an `if` has it.
bool BlockSource::narrowing(Item& item) {
  static constexpr Op compares[] = {Op::v_cmp_lt_u32, Op::v_cmp_gt_u32, Op::v_cmp_le_i32,
                                    Op::v_cmp_ge_i32, Op::v_cmp_eq_u32, Op::v_cmp_lt_f32};
  static constexpr Op saves[] = {Op::s_and_saveexec_b64, Op::s_and_saveexec_b64, Op::s_or_saveexec_b64,
                                 Op::s_xor_saveexec_b64};
  const uint16_t lanes = chance(60) ? reserved::lane_x : chance(50) ? reserved::lane_y : uint16_t(number(12));
  return add(item, instruction(compares[number(std::size(compares))], Form::base, code::vcc,
                               uint16_t(code::inline_int0 + number(65)), uint16_t(code::vgpr0 + lanes))) &&
         add(item, instruction(saves[number(std::size(saves))], Form::base, uint16_t(40 + 2 * number(2)), code::vcc));
}

// A part of a lane's number, by masks and shifts, and something made of it.
bool BlockSource::field_of_lane(Item& item) {
  const auto vector = [&] { return uint16_t(code::vgpr0 + number(12)); };
  const auto constant = [&](uint32_t below) { return uint16_t(code::inline_int0 + number(below)); };
  uint16_t from = chance(70) ? uint16_t(code::vgpr0) : uint16_t(code::vgpr0 + reserved::lane_x);
  for (uint32_t n = 1 + number(3); n-- > 0;) {
    const uint16_t to = vector(), x = from;
    from = to;
    const auto next = [&]() -> std::optional<Instruction> {
      switch (number(7)) {
      case 0: return instruction(Op::v_lshrrev_b32, Form::base, to, constant(8), x);
      case 1: return instruction(Op::v_lshlrev_b32, Form::base, to, constant(10), x);
      case 2: return instruction(Op::v_bfe_u32, Form::base, to, x, constant(7), constant(8));
      case 3: return instruction(Op::v_or_b32, Form::base, to, vector(), x);
      case 4:
        if (generation_ >= isa::Generation::gfx9)
          return instruction(chance(50) ? Op::v_lshl_or_b32 : Op::v_lshl_add_u32, Form::base, to, x, constant(8),
                             vector());
        [[fallthrough]];
      case 5: return instruction(Op::v_mul_u32_u24, Form::base, to, uint16_t(number(40)), x);
      default:
        return instruction(Op::v_and_b32, Form::base, to, code::literal, x, code::none, number(256) << number(4));
      }
    }();
    if (!add(item, next))
      return false;
  }
  return true;
}

std::vector<Item> BlockSource::block() {
  std::vector<Item> items;
  const uint32_t most = chance(70) ? 8 : 16, wanted = 1 + number(most);
  uint32_t count = 0;
  std::optional<uint16_t> narrowed; // the pair that has EXEC as it was
  const auto widen = [&] {
    Item item;
    if (narrowed && add(item, instruction(Op::s_or_b64, Form::base, code::exec, code::exec, *narrowed)))
      items.push_back(std::move(item));
    narrowed.reset();
  };
  for (int slot = 0; count < wanted;) {
    Item item;
    const uint32_t kind = number(100);
    if (kind < 18 && slot < reserved::slots && wanted > 1) {
      item = access(slot);
      if (item.instructions.empty())
        continue;
      ++slot;
    } else if (kind < 24 && wanted - count > 1) {
      if (!narrowing(item))
        continue;
      if (!narrowed && item.instructions.back().op == Op::s_and_saveexec_b64)
        narrowed = item.instructions.back().dst;
    } else if (kind < 34 && narrowed) {
      widen();
      continue;
    } else if (more_ && kind < 30 && wanted - count > 2) {
      if (!field_of_lane(item))
        continue;
    } else {
      const auto& all = kind < 38 && !matrix_.empty() ? matrix_ : kind < 55 ? usual_ : arithmetic_;
      Instruction i = all[number(uint32_t(all.size()))];
      if (chance(50))
        if (const auto varied = encoded(make_.varied(i)))
          i = *varied;
      if (!add(item, with_other_registers(i, -1)))
        continue;
    }
    if (count + item.instructions.size() > most)
      break;
    count += uint32_t(item.instructions.size());
    items.push_back(std::move(item));
  }
  if (chance(70))
    widen();
  return items.empty() ? block() : items;
}

} // namespace crosslane::test
