// Vector arithmetic: from an Instruction to [stage sources] compute [finish result]. All rules of operand fetching are
// here: modifiers, op_sel, SDWA, DPP, VGPR indexing, and the results' omod, clamp and partial writes, in the manual's
// order.
#include "engine/valu/stage.h"
#include "engine/valu/valu.h"
#include "isa/classify.h"
#include "isa/operands.h"
#include "isa/shape.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

namespace code = isa::code;
using isa::Encoding;
using isa::Form;
using isa::SdwaSel;

// Temporaries 0..5: sources, two dwords each; 8..9: result; 10: an indexed register that is written in part; 11: the
// result rounded towards zero; 12..13: a pair on its way.
constexpr uint32_t result_tmp = 8, whole_tmp = 10, truncated_tmp = 11, pair_tmp = 12;

uint32_t tmp(uint32_t i) { return machine::tmp_offset(i); }

ValuHandlers handlers(const Lowering& l) {
  switch (l.row.encoding) {
  case Encoding::VOP1: return vop1_handlers(l.inst.op);
  case Encoding::VOP2: return vop2_handlers(l.inst.op);
  case Encoding::VOP3: return vop3_handlers(l.inst.op);
  case Encoding::VOP3P: return vop3p_handlers(l.inst.op);
  case Encoding::VOPC: return vopc_handlers(l.inst.op);
  default: return {};
  }
}

struct Field {
  int offset, width;
};
Field field(SdwaSel sel) {
  switch (sel) {
  case SdwaSel::byte0: return {0, 8};
  case SdwaSel::byte1: return {8, 8};
  case SdwaSel::byte2: return {16, 8};
  case SdwaSel::byte3: return {24, 8};
  case SdwaSel::word0: return {0, 16};
  case SdwaSel::word1: return {16, 16};
  case SdwaSel::dword: break;
  }
  return {0, 32};
}

// A source on its way to the handler: still scalar, or at a VGPR offset.
struct Source {
  Type type = Type::None;
  bool scalar = false;
  ScalarOperand s{};
  uint32_t at = 0;
  bool staged = false; // in its temporary already
};

class ValuLowering {
public:
  explicit ValuLowering(Lowering& l) : l_(l), inst_(l.inst) {}
  bool run();

private:
  struct Result {
    uint32_t dst = 0, computed = 0; // offsets: the destination, and where the result is at first
    bool elsewhere = false;         // these differ, because it is
    bool indexed = false, sdwa = false, high = false, partial = false, overflows = false;
  };

  bool choose_handlers();
  void stage_sources();
  void stage_mask_source();
  void compare();
  Result result() const;
  void finish(const Result&);
  void load_source(int i);
  void modify_source(int i);
  void modify_pair(int i);
  void to_vgpr(int i);
  uint32_t slot(int i) const { return tmp(2 * uint32_t(i)); }
  int width(int i) const { return isa::dwords(source_[i].type); }
  // Moves source i into its temporary unless it is there; returns where it was.
  uint32_t claim(int i) {
    to_vgpr(i);
    const uint32_t from = source_[i].at;
    source_[i].at = slot(i), source_[i].staged = true;
    return from;
  }
  void emit_compute();
  void compute_into(uint32_t dst, uint32_t to, bool elsewhere, bool high);
  void finish_partial(uint32_t from, uint32_t dst, int offset, int width, isa::SdwaUnused unused);
  bool integer_clamp() const { // a pair that is moved has nothing to clamp
    return inst_.clamp && !isa::is_float(l_.row.dst) && l_.row.dst != Type::Mask && l_.row.dst != Type::PkB32;
  }

  Lowering& l_;
  const isa::Instruction& inst_;
  ValuHandlers handlers_;
  bool saturates_ = false;
  Source source_[3];
  int count_ = 0;
  uint32_t mask_ = 0; // offset of the mask source
};

// Registers, constants and conditions. VGPR indexing applies to the register number, before anything else.
void ValuLowering::load_source(int i) {
  Source& s = source_[i];
  const uint16_t c = inst_.src[i];
  if (is_vector(c)) {
    s.at = vgpr(c);
    if (isa::is_vgpr(c) && (l_.gpr_idx() >> i & 1)) {
      for (int d = 0; d < width(i); ++d)
        stage_indexed(l_, s.at, slot(i), d);
      s.at = slot(i), s.staged = true;
    }
  } else {
    s.scalar = true;
    // A constant of a mixed operation is a half where the operation takes a half.
    const bool half = isa::is_mixed(l_.row) && (inst_.op_sel_hi >> i & 1);
    s.s = staged_scalar(l_, c, half ? Type::F16 : s.type, i);
  }
}

void ValuLowering::to_vgpr(int i) {
  Source& s = source_[i];
  if (!s.scalar)
    return;
  stage_broadcast(l_, s.s, slot(i), std::max(1, width(i)));
  s.scalar = false, s.at = slot(i), s.staged = true;
}

void ValuLowering::modify_source(int i) {
  Source& s = source_[i];
  const bool packed = l_.row.encoding == Encoding::VOP3P;
  const bool mix = isa::is_mixed(l_.row);
  if (s.type == Type::PkF32 || s.type == Type::PkB32)
    return modify_pair(i);
  if (isa::shape(inst_.op).matrix)
    return; // of VOP3P's bits they have none
  const bool neg = inst_.neg >> i & 1, abs = inst_.abs >> i & 1;

  if (inst_.form == Form::dpp && i == 0) {
    const uint32_t from = claim(0);
    stage_dpp(l_, from, slot(0), width(0));
  }
  if (inst_.form == Form::sdwa && i < 2) {
    const SdwaSel sel = i == 0 ? inst_.src0_sel : inst_.src1_sel;
    if (sel != SdwaSel::dword) {
      const Field f = field(sel);
      const uint32_t from = claim(i);
      stage_field(l_, from, slot(i), f.offset, f.width, inst_.sext >> i & 1);
    }
  }
  if (mix) {
    if (inst_.op_sel_hi >> i & 1) {
      const uint32_t from = claim(i);
      if (inst_.op_sel >> i & 1)
        stage_field(l_, from, slot(i), 16, 16, false), stage_half_to_float(l_, slot(i), slot(i));
      else
        stage_half_to_float(l_, from, slot(i));
    }
  } else if (packed) {
    const bool lo = inst_.op_sel >> i & 1, hi = inst_.op_sel_hi >> i & 1;
    const bool whole = s.type == Type::F32 || s.type == Type::I32 || s.type == Type::U32; // the sum of a dot product
    if (!whole && (lo || !hi)) {
      const uint32_t from = claim(i);
      stage_halves(l_, from, slot(i), lo, hi);
    }
    const uint32_t flip = uint32_t(neg) << 15 | uint32_t(inst_.neg_hi >> i & 1) << 31;
    if (s.type == Type::PkF16 && flip) {
      const uint32_t from = claim(i);
      stage_bits(l_, from, slot(i), ~0u, flip);
    } else if (s.type == Type::F32 && (neg || abs)) {
      const uint32_t from = claim(i);
      stage_bits(l_, from, slot(i), abs ? 0x7fffffff : ~0u, uint32_t(neg) << 31);
    }
    return;
  } else if (inst_.form == Form::vop3 && (inst_.op_sel >> i & 1)) {
    const uint32_t from = claim(i);
    stage_field(l_, from, slot(i), 16, 16, false);
  }
  if (!neg && !abs)
    return;
  const bool half = is_16bit(s.type);
  const uint32_t sign = half ? 0x8000 : 0x80000000;
  const uint32_t keep = abs ? ~sign : ~0u, flip = neg ? sign : 0;
  if (width(i) == 2) { // the sign is in the high dword
    if (!s.staged && !s.scalar)
      stage_copy(l_, s.at, slot(i));
    const uint32_t from = claim(i);
    stage_bits(l_, from + machine::vgpr_bytes, slot(i) + machine::vgpr_bytes, keep, flip);
  } else {
    const uint32_t from = claim(i);
    stage_bits(l_, from, slot(i), keep, flip);
  }
}

// gfx90a's pairs of 32 bits: OP_SEL chooses the item that the low result reads, OP_SEL_HI that of the high one.
// v_pk_mov_b32 has one result of each source: OP_SEL alone chooses, and nothing is negated.
void ValuLowering::modify_pair(int i) {
  const bool moves = source_[i].type == Type::PkB32;
  const bool lo = inst_.op_sel >> i & 1, hi = moves ? !lo : inst_.op_sel_hi >> i & 1;
  const uint32_t high = machine::vgpr_bytes;
  if (lo || !hi) {
    const bool in_place = source_[i].staged || source_[i].scalar;
    uint32_t from = claim(i);
    if (in_place) {
      for (uint32_t d : {0u, high})
        stage_copy(l_, from + d, tmp(pair_tmp) + d);
      from = tmp(pair_tmp);
    }
    stage_copy(l_, from + (lo ? high : 0), slot(i));
    stage_copy(l_, from + (hi ? high : 0), slot(i) + high);
  }
  const bool neg[2] = {bool(inst_.neg >> i & 1), bool(inst_.neg_hi >> i & 1)};
  if (moves || !(neg[0] || neg[1]))
    return;
  const uint32_t from = claim(i);
  for (uint32_t d : {0u, 1u})
    stage_bits(l_, from + d * high, slot(i) + d * high, ~0u, uint32_t(neg[d]) << 31);
}

void ValuLowering::emit_compute() {
  // At most one source may stay scalar, and only where there is a handler for it.
  const Handler with_scalar[3] = {handlers_.kinds[1], handlers_.kinds[2], handlers_.src2};
  int kept = -1;
  for (int i = 0; i < count_; ++i)
    if (source_[i].scalar && with_scalar[i] && kept < 0)
      kept = i;
  for (int i = 0; i < count_; ++i)
    if (i != kept)
      to_vgpr(i);
  Uop& op =
      l_.emit(saturates_ ? UopKind::saturated : UopKind::vector, kept < 0 ? handlers_.kinds[0] : with_scalar[kept]);
  const auto where = [&](int i) { return i < count_ ? (i == kept ? source_[i].s.offset : source_[i].at) : op.a; };
  op.a = where(0), op.b = where(1);
  if (count_ > 2)
    op.c = where(2), op.aux = mask_;
  else
    op.c = mask_;
  op.k0 = kept < 0 ? 0 : source_[kept].s.k;
}

// A result that is part of its register. With indexing the register is fetched, changed and put back.
void ValuLowering::finish_partial(uint32_t from, uint32_t dst, int offset, int width, isa::SdwaUnused unused) {
  if (!(l_.gpr_idx() >> 3 & 1))
    return finish_field(l_, from, dst, offset, width, unused);
  stage_indexed(l_, dst, tmp(whole_tmp), 0);
  finish_field(l_, from, tmp(whole_tmp), offset, width, unused);
  finish_indexed(l_, tmp(whole_tmp), dst, 0, 1);
}

// The operation and its output modifiers, with the result in `to`, which is the destination or else (`elsewhere`) a
// temporary.
void ValuLowering::compute_into(uint32_t dst, uint32_t to, bool elsewhere, bool high) {
  const isa::Row& row = l_.row;
  if (elsewhere && isa::has(row.implicit, Implicit::dst_r)) {
    for (int d = 0; d < isa::dwords(row.dst); ++d) {
      if (l_.gpr_idx() >> 3 & 1)
        stage_indexed(l_, dst, to, d);
      else
        stage_copy(l_, dst + d * machine::vgpr_bytes, to + d * machine::vgpr_bytes);
    }
    if (high)
      stage_field(l_, to, to, 16, 16, false);
  }
  emit_compute();
  Uop& op = l_.last();
  op.dst = to;
  op.imm = int32_t(machine::sgpr_offset(inst_.sdst == code::none ? code::vcc : inst_.sdst));
  if (isa::is_float(row.dst) && (inst_.omod || inst_.clamp))
    finish_float(l_, to, row.dst, inst_.omod, inst_.clamp);
}

bool ValuLowering::choose_handlers() {
  const isa::Row& row = l_.row;
  for (Type t : {row.dst, row.src[0], row.src[1], row.src[2]})
    if (isa::dwords(t) > 2)
      return false;
  handlers_ = handlers(l_);
  const bool converts = isa::is_float(row.src[0]); // to an integer: in range as it is
  if (handlers_.kinds[0] && integer_clamp() && !converts)
    handlers_ = clamped_handlers(inst_.op), saturates_ = true;
  return handlers_.kinds[0] != nullptr;
}

void ValuLowering::stage_sources() {
  for (int i = 0; i < 3; ++i)
    if (l_.row.src[i] != Type::None)
      source_[i].type = l_.row.src[i], count_ = i + 1;
  if (isa::shape(inst_.op).k) {
    for (Source& s : source_)
      s.type = l_.row.dst;
    count_ = 3;
  }
  for (int i = 0; i < count_; ++i)
    load_source(i);
  for (int i = 0; i < count_; ++i)
    modify_source(i);
}

// The mask source: VCC, or source 2 of a VOP3-encoded VOP2.
void ValuLowering::stage_mask_source() {
  mask_ = machine::sgpr_offset(code::vcc);
  const isa::Row& row = l_.row;
  if (!isa::has(row.implicit, Implicit::vcc_r) || row.encoding != Encoding::VOP2 || inst_.form != Form::vop3)
    return;
  const auto m = staged_scalar(l_, inst_.src[2], Type::Mask, 2);
  mask_ = m.k ? machine::sgpr_offset(machine::scalar_tmp + 8) : m.offset;
  if (m.k) // a constant as a mask
    stage_mask(l_, m, mask_);
}

// A compare's result: a mask, in VCC or wherever the instruction says.
void ValuLowering::compare() {
  emit_compute();
  l_.last().dst = machine::sgpr_offset(inst_.dst == code::none ? code::vcc : inst_.dst);
}

// How the result reaches its destination. What is not written as it is computed goes by a temporary.
ValuLowering::Result ValuLowering::result() const {
  const isa::Row& row = l_.row;
  Result r;
  r.dst = vgpr(inst_.dst);
  r.indexed = isa::is_vgpr(inst_.dst) && (l_.gpr_idx() >> 3 & 1);
  r.sdwa = inst_.form == Form::sdwa && inst_.dst_sel != SdwaSel::dword;
  r.high = (inst_.form == Form::vop3 && (inst_.op_sel >> 3 & 1)) || isa::has(row.implicit, Implicit::dst_hi);
  const bool mix_half = isa::is_mixed(l_.row) && row.dst == Type::F16;
  r.partial = r.sdwa || r.high || mix_half || isa::preserves_other_half(inst_);
  const bool scaled = isa::is_float(row.dst) && (inst_.omod || inst_.clamp);
  r.overflows = l_.mode.has(DecodeMode::fp16_ovfl) && (row.dst == Type::F16 || row.dst == Type::PkF16);
  r.elsewhere = r.indexed || r.partial || scaled || r.overflows;
  r.computed = r.elsewhere ? tmp(result_tmp) : r.dst;
  return r;
}

void ValuLowering::finish(const Result& r) {
  if (r.sdwa) {
    const Field f = field(inst_.dst_sel);
    finish_partial(r.computed, r.dst, f.offset, f.width, inst_.dst_unused);
  } else if (r.partial) {
    finish_partial(r.computed, r.dst, r.high ? 16 : 0, 16, isa::SdwaUnused::preserve);
  } else if (r.elsewhere) {
    const int dwords = isa::dwords(l_.row.dst);
    for (int d = 0; d < dwords; ++d) {
      if (r.indexed)
        finish_indexed(l_, r.computed, r.dst, d, dwords);
      else
        finish_copy(l_, r.computed + d * machine::vgpr_bytes, r.dst + d * machine::vgpr_bytes);
    }
  }
  if (inst_.form == Form::dpp)
    finish_dpp(l_);
}

bool ValuLowering::run() {
  if (!choose_handlers())
    return false;
  stage_sources();
  stage_mask_source();
  if (l_.row.dst == Type::Mask) {
    compare();
    return true;
  }
  const Result r = result();
  compute_into(r.dst, r.computed, r.elsewhere, r.high);
  if (r.overflows) { // once more, rounded towards zero
    begin_truncation(l_);
    compute_into(r.dst, tmp(truncated_tmp), true, r.high);
    end_truncation(l_);
    finish_overflow(l_, r.computed, tmp(truncated_tmp));
  }
  finish(r);
  return true;
}

} // namespace

bool lower_valu(Lowering& l) { return lower_lanes(l) || lower_shift64(l) || lower_dpp_mov(l) || ValuLowering(l).run(); }

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
