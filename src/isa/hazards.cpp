// The rows as a table, and what its words mean.
#include "isa/hazards.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/matrix.h"
#include "isa/memory_registers.h"
#include <algorithm>
#include <bit>
#include <vector>

namespace crosslane::isa::hazards {

namespace {

constexpr uint32_t bit(Role role) { return 1u << uint32_t(role); }
struct Roles {
  uint32_t bits;
  friend constexpr Roles operator|(Roles a, Roles b) { return {a.bits | b.bits}; }
};

// The words of the rows.
namespace words {
constexpr Roles src0{bit(Role::src0)}, src1{bit(Role::src1)}, src2{bit(Role::src2)}, base{bit(Role::base)},
    offset{bit(Role::offset)}, mask{bit(Role::mask)}, implicit{bit(Role::implicit)},
    data{bit(Role::data) | bit(Role::data1)};
using enum Registers;
using enum Said;
using enum Severity;
using enum Relation;
using enum Generation;
constexpr Which reads(Registers r, Roles roles = {~0u}) { return {false, r, roles.bits}; }
constexpr Which writes(Registers r) { return {true, r, ~0u}; }
constexpr Which anything{};
constexpr States from(Generation g, int count) { return {g, Generation::gfx90a, count}; }
constexpr States on(Generation g, int count) { return {g, g, count}; }
constexpr States on(Generation first, Generation last, int count) { return {first, last, count}; }
} // namespace words

constexpr auto hazard_rows() {
  using namespace words;
  return std::to_array<Hazard>({
#define HAZARD(rule, first, which, second, which2, relation, states, said, severity)                                   \
  {#rule, Who::first, which, Who::second, which2, relation, states, said, severity},
#include "isa/rows/hazards.inc"
#undef HAZARD
  });
}
constexpr auto table = hazard_rows();

int passes(const Instruction& i) { return is_matrix(i.op) ? matrix(i.op).passes() : 0; }
bool is_dgemm(const Instruction& i) { return matrix(i.op).item == MatrixItem::f64; }

bool is_wide_store(const Instruction& i) {
  const Row& r = row(i.op);
  if (!is_store(r.access) && !is_atomic(r.access))
    return false;
  switch (r.encoding) {
  case Encoding::MUBUF:
  case Encoding::MTBUF:
    if (i.lds || is_scalar_register(i.saddr))
      return false;
    return buffer_data_registers(i) - i.tfe > 2;
  case Encoding::MIMG: return i.r128 && image_component_registers(i) > 2;
  case Encoding::FLAT:
  case Encoding::GLOBAL:
  case Encoding::SCRATCH: return dwords(r.src[0]) > 2;
  default: return false;
  }
}

bool is_dot(Op op) {
  switch (op) {
  case Op::v_dot2_f32_f16:
  case Op::v_dot2_i32_i16:
  case Op::v_dot2_u32_u16:
  case Op::v_dot4_i32_i8:
  case Op::v_dot4_u32_u8:
  case Op::v_dot8_i32_i4:
  case Op::v_dot8_u32_u4:
  case Op::v_dot2c_f32_f16:
  case Op::v_dot2c_i32_i16:
  case Op::v_dot4c_i32_i8:
  case Op::v_dot8c_i32_i4: return true;
  default: return false;
  }
}

bool is_interpolation(const Instruction& i) {
  const Row& r = row(i.op);
  return r.encoding == Encoding::VINTRP || r.src[0] == Type::Attr || r.src[1] == Type::Attr;
}

bool is_setreg(Op op) { return op == Op::s_setreg_b32 || op == Op::s_setreg_imm32_b32; }

// MODE is hardware register 1; VSKIP is its bit 28.
bool sets_vskip(const Instruction& i) {
  if (!is_setreg(i.op) || (i.imm & 63) != 1)
    return false;
  const int offset = i.imm >> 6 & 31, size = (i.imm >> 11 & 31) + 1;
  return offset <= 28 && 28 < offset + size;
}

} // namespace

std::span<const Hazard> all() { return table; }

bool is(Who who, const Instruction& i) {
  // Asked of most instructions, so first.
  if (who == Who::dpp)
    return i.form == Form::dpp;
  if (who == Who::lds_direct)
    return i.src[0] == code::lds_direct && unit(i) == Unit::valu;
  const Unit u = unit(i);
  const bool mfma = is_matrix(i.op), valu = u == Unit::valu;
  const bool vmem = u == Unit::vmem || u == Unit::flat, memory = vmem || u == Unit::lds || u == Unit::gds;
  switch (who) {
  case Who::any: return true;
  case Who::salu: return u == Unit::salu || u == Unit::branch;
  case Who::valu: return valu;
  case Who::valu_not_mfma: return valu && !mfma;
  case Who::valu_not_mai: return valu && !mfma && i.op != Op::v_accvgpr_read_b32 && i.op != Op::v_accvgpr_write_b32;
  case Who::plain_valu: return valu && !mfma && !is_dot(i.op);
  case Who::vector: return is_vector(i.encoding);
  case Who::dpp:
  case Who::lds_direct: return false; // above
  case Who::lane_select: return i.op == Op::v_readlane_b32 || i.op == Op::v_writelane_b32;
  case Who::lane_read: return i.op == Op::v_readlane_b32 || i.op == Op::v_readfirstlane_b32;
  case Who::div_fmas: return i.op == Op::v_div_fmas_f32 || i.op == Op::v_div_fmas_f64;
  case Who::fma_f64: return i.op == Op::v_fma_f64 || i.op == Op::v_fmac_f64;
  case Who::interpolation: return is_interpolation(i);
  case Who::dot: return is_dot(i.op);
  case Who::setreg: return is_setreg(i.op);
  case Who::setreg_of_vskip: return sets_vskip(i);
  case Who::setvskip: return i.op == Op::s_setvskip;
  case Who::getreg: return i.op == Op::s_getreg_b32;
  case Who::trap_return: return i.op == Op::s_rfe_b64 || i.op == Op::s_rfe_restore_b64;
  case Who::message: return u == Unit::message || i.op == Op::s_ttracedata;
  case Who::scalar_movrel:
    return u == Unit::salu &&
           (has(row(i.op).implicit, Implicit::src_rel) || has(row(i.op).implicit, Implicit::dst_rel));
  case Who::scalar_memory: return u == Unit::smem;
  case Who::buffer_smem: return u == Unit::smem && row(i.op).src[0] == Type::B128;
  case Who::vector_memory: return vmem;
  case Who::memory: return memory;
  case Who::memory_or_exp: return memory || u == Unit::export_;
  case Who::gds: return u == Unit::gds || row(i.op).access == Access::gws;
  case Who::lds_addtid:
    return row(i.op).access == Access::lds_add_tid_load || row(i.op).access == Access::lds_add_tid_store;
  case Who::lds_dma: return vmem && (i.lds || row(i.op).access == Access::store_from_lds);
  case Who::wide_store: return is_wide_store(i);
  case Who::mfma: return mfma;
  case Who::mfma2: return passes(i) == 2;
  case Who::mfma8: return passes(i) == 8;
  case Who::mfma16: return passes(i) == 16;
  case Who::smfma: return mfma && !is_dgemm(i);
  case Who::smfma2: return passes(i) == 2 && !is_dgemm(i);
  case Who::smfma8: return passes(i) == 8 && !is_dgemm(i);
  case Who::smfma16: return passes(i) == 16 && !is_dgemm(i);
  case Who::dgemm: return mfma && is_dgemm(i);
  case Who::dgemm4: return mfma && is_dgemm(i) && matrix(i.op).m == 4;
  case Who::dgemm16: return mfma && is_dgemm(i) && matrix(i.op).m == 16;
  case Who::accvgpr_read: return i.op == Op::v_accvgpr_read_b32;
  case Who::accvgpr_write: return i.op == Op::v_accvgpr_write_b32;
  case Who::acc_consumer: return mfma || i.op == Op::v_accvgpr_write_b32;
  case Who::mfma_reader: return (valu && !mfma) || memory || u == Unit::export_;
  }
  return false;
}

namespace {

// What more than the operation decides, and which operations may be it at all.
struct ByInstruction {
  Who who, among;
};
constexpr ByInstruction by_instruction[] = {
    {Who::dpp, Who::valu},   {Who::lds_direct, Who::valu},       {Who::setreg_of_vskip, Who::setreg},
    {Who::gds, Who::memory}, {Who::lds_dma, Who::vector_memory}, {Who::wide_store, Who::vector_memory}};

struct OfOp {
  Kinds kinds;
  uint8_t ask = 0; // a bit for each of by_instruction
};

std::vector<OfOp> kinds_by_op() {
  std::vector<OfOp> all(isa::rows().size());
  for (size_t n = 0; n < all.size(); ++n) {
    Instruction i;
    i.op = Op(n), i.encoding = row(i.op).encoding;
    for (size_t who = 0; who < who_count; ++who)
      if (is(Who(who), i) &&
          std::ranges::find(by_instruction, Who(who), &ByInstruction::who) == std::end(by_instruction))
        all[n].kinds.add(Who(who));
    for (size_t b = 0; b < std::size(by_instruction); ++b)
      if (all[n].kinds.has(by_instruction[b].among))
        all[n].ask |= uint8_t(1u << b);
  }
  return all;
}

} // namespace

Kinds kinds_of(const Instruction& i) {
  [[clang::no_destroy]] static const std::vector<OfOp> known = kinds_by_op();
  const OfOp& of = known[size_t(i.op)];
  Kinds kinds = of.kinds;
  if (kinds.has(Who::valu)) { // of most
    if (i.form == Form::dpp)
      kinds.add(Who::dpp);
    if (i.src[0] == code::lds_direct)
      kinds.add(Who::lds_direct);
    return kinds;
  }
  for (unsigned ask = of.ask; ask; ask &= ask - 1)
    if (const Who who = by_instruction[std::countr_zero(ask)].who; is(who, i))
      kinds.add(who);
  return kinds;
}

Registers registers_of(const Operand& o) {
  const auto within = [&](unsigned first, unsigned count) {
    return o.first < first + count && first < o.first + unsigned(o.dwords);
  };
  Registers all = Registers::none;
  const auto add = [&](bool yes, Registers r) { all = yes ? all | r : all; };
  switch (o.file) {
  case RegisterFile::vgpr: return Registers::vgpr;
  case RegisterFile::agpr: return Registers::agpr;
  case RegisterFile::scalar:
    add(o.first < code::m0, Registers::scalar);
    add(within(code::vcc, 2), Registers::vcc);
    add(within(code::m0, 1), Registers::m0);
    add(within(code::exec, 2), Registers::exec);
    return all;
  case RegisterFile::special:
    add(o.first >= special::hwreg0, Registers::hwreg);
    add(o.first == special::mode, Registers::mode);
    add(o.first == special::trapsts, Registers::trapsts);
    add(o.first == special::vccz, Registers::vccz);
    add(o.first == special::execz, Registers::execz);
    return all;
  }
  return all;
}

int wait_states_of_rule(std::string_view rule, Generation g) {
  for (const Hazard& h : table)
    if (h.rule == rule && h.on(g) && h.severity <= Severity::warning)
      return h.states.count;
  return 0;
}

// assumed: the four bits of gfx8 and later that LLVM reads; the manuals have "0..7" too, and s_nop 8 and more are
// found by a rule of their own.
int wait_states(const Instruction& i) {
  if (i.op != Op::s_nop)
    return 1;
  return (i.imm & (info(i.target).generation >= Generation::gfx8 ? 15 : 7)) + 1;
}

} // namespace crosslane::isa::hazards
