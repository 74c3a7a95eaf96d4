// Cycles by timing class. A pass of a wavefront through its unit is 4 cycles: 64 lanes on 16.
#include "timing/issue_cycles.h"
#include "isa/matrix.h"
#include "isa/operands.h"
#include "isa/shape.h"

namespace crosslane::timing {

namespace {

constexpr uint32_t full = 4;

// CLRX: 4 cycles where f64 runs at 1/2 to 1/8 of the rate of f32, 16 elsewhere. That is of gfx6 to gfx8; gfx9 has full
// rate throughout (LLVM, FeatureFastFMAF32 is part of FeatureGFX9).
uint32_t fma_f32(const isa::TargetInfo& target) {
  return target.generation >= isa::Generation::gfx9 || target.f64_rate <= 8 ? full : 16;
}

// CLRX: DPFACTOR * 4 or * 8, where DPFACTOR is 1 for cards with f64 at half rate, 2 at a quarter, and so on.
// gfx90a: one pass for all but reciprocals and roots (LLVM, SIDPFullSpeedModel).
uint32_t f64(const isa::TargetInfo& target, uint32_t cycles) {
  return target.f64_rate == 1 ? full : target.f64_rate / 2 * cycles;
}

// CLRX: 16. gfx90a multiplies integers and divides floats in its full-rate f64 unit (LLVM, WriteIntMul and others of
// SIDPFullSpeedModel); what is left there are transcendental functions, all VOP1, and sums of absolute differences.
uint32_t quarter(const isa::Instruction& instruction, const isa::TargetInfo& target) {
  switch (instruction.op) {
  case isa::Op::v_mul_lo_u32:
  case isa::Op::v_mul_hi_u32:
  case isa::Op::v_mul_hi_i32:
  case isa::Op::v_mad_u64_u32:
  case isa::Op::v_mad_i64_i32:
  case isa::Op::v_div_scale_f32:
  case isa::Op::v_div_fmas_f32:
  case isa::Op::v_div_fixup_f32: return target.f64_rate == 1 ? full : 4 * full;
  default: return 4 * full;
  }
}

// CLRX: DPFACTOR * 8. gfx90a: 4 passes (LLVM, WriteTrans64).
uint32_t f64_trans(const isa::Instruction& instruction, const isa::TargetInfo& target) {
  if (target.f64_rate != 1)
    return f64(target, 8);
  return instruction.op == isa::Op::v_trig_preop_f64 ? full : 4 * full;
}

} // namespace

uint32_t issue_cycles(const isa::Instruction& instruction) {
  using enum isa::Timing;
  const isa::Row& row = isa::row(instruction.op);
  const isa::TargetInfo& target = isa::info(instruction.target);
  switch (row.timing) {
  case valu:
    if (instruction.op == isa::Op::v_fma_f32)
      return fma_f32(target);
    // Other instructions of the wavefront may start after the first pass, but none in the matrix unit, whose time this
    // is.
    if (isa::is_matrix(instruction.op))
      return uint32_t(isa::matrix(instruction.op).passes()) * full;
    return full;
  case valu_half: return 2 * full;
  case valu_quarter: return quarter(instruction, target);
  case valu_sixteenth: return 16 * full;
  case valu_f64: return f64(target, 4);
  case valu_f64_mul: return f64(target, 8);
  case valu_f64_trans: return f64_trans(instruction, target);
  case salu:
  case smem:
  case branch:
  case message:
  case lds:
  case vmem:
  case export_:
  case none: return 0;
  }
  return 0;
}

bool ignores_exec(const isa::Instruction& instruction) {
  const isa::Row& row = isa::row(instruction.op);
  const bool one_value = isa::shape(instruction.op).scalar_dst; // of the first lane of EXEC
  return isa::ignores_exec(instruction) || one_value || row.dst == isa::Type::None;
}

} // namespace crosslane::timing
