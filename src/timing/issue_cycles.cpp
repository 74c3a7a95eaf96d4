// Cycles by timing class. A pass of a wavefront through its unit is 4 cycles: 64 lanes on 16.
#include "timing/issue_cycles.h"
#include "isa/matrix.h"
#include "isa/operands.h"
#include "isa/shape.h"
#include <algorithm>
#include <array>

namespace crosslane::timing {

namespace {

constexpr uint32_t full = 4;

bool is_product(isa::Op op) {
  using enum isa::Op;
  return op == v_mul_lo_u32 || op == v_mul_lo_i32 || op == v_mul_hi_u32 || op == v_mul_hi_i32 || op == v_mad_u64_u32 ||
         op == v_mad_i64_i32;
}
bool is_division_f32(isa::Op op) {
  using enum isa::Op;
  return op == v_div_scale_f32 || op == v_div_fmas_f32 || op == v_div_fixup_f32;
}

// CLRX: DPFACTOR * 4 or * 8, and no less than a pass.
uint32_t f64(const Rates& r, double cycles) { return std::max(full, uint32_t(r.dpfactor * cycles)); }

} // namespace

Rates rates(const gpu::Machine& m, Model model) {
  const double dpfactor = m[gpu::Parameter::dpfactor];
  if (model == Model::document) { // 1, 2, 4 and 8 are all that it has
    const double known = std::max(1.0, dpfactor);
    return {.dpfactor = known, .fma_f32 = known <= 4 ? full : 4 * full, .f64_root = uint32_t(known * 8)};
  }
  Rates r;
  r.dpfactor = dpfactor;
  r.mul = m.whole(gpu::Parameter::mul_cycles);
  r.fma_f32 = m.whole(gpu::Parameter::fma_f32_cycles);
  // gfx90a divides floats in its full-rate f64 unit; reciprocals and roots of f64 take 4 passes (LLVM,
  // SIDPFullSpeedModel: WriteTrans64).
  r.div_f32 = dpfactor < 1 ? full : 4 * full;
  r.f64_root = dpfactor < 1 ? 4 * full : uint32_t(dpfactor * 8);
  return r;
}

std::optional<gpu::Parameter> rate_parameter(const isa::Instruction& i) {
  using enum isa::Timing;
  switch (isa::row(i.op).timing) {
  case valu: return i.op == isa::Op::v_fma_f32 ? std::optional(gpu::Parameter::fma_f32_cycles) : std::nullopt;
  case valu_quarter: return is_product(i.op) ? std::optional(gpu::Parameter::mul_cycles) : std::nullopt;
  case valu_f64:
  case valu_f64_mul:
  case valu_f64_trans: return gpu::Parameter::dpfactor;
  default: return std::nullopt;
  }
}

uint32_t issue_cycles(const isa::Instruction& instruction, const Rates& r) {
  using enum isa::Timing;
  switch (isa::row(instruction.op).timing) {
  case valu:
    if (instruction.op == isa::Op::v_fma_f32)
      return r.fma_f32;
    // Other instructions of the wavefront may start after the first pass, but none in the matrix unit, whose time this
    // is.
    if (isa::is_matrix(instruction.op))
      return uint32_t(isa::matrix(instruction.op).passes()) * full;
    return full;
  case valu_half: return 2 * full;
  // CLRX: 16 for all; what is left on gfx90a are transcendental functions, and sums of absolute differences.
  case valu_quarter: return is_product(instruction.op) ? r.mul : is_division_f32(instruction.op) ? r.div_f32 : 4 * full;
  case valu_sixteenth: return 16 * full;
  case valu_f64: return f64(r, 4);
  case valu_f64_mul: return f64(r, 8);
  case valu_f64_trans: return instruction.op == isa::Op::v_trig_preop_f64 ? f64(r, 8) : r.f64_root;
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

uint32_t issue_cycles(const isa::Instruction& instruction) {
  static const auto of_targets = [] {
    std::array<Rates, size_t(isa::Target::count)> all;
    for (const isa::TargetInfo& target : isa::targets())
      all[size_t(target.target)] = rates(gpu::machine(target.target));
    return all;
  }();
  return issue_cycles(instruction, of_targets[size_t(instruction.target)]);
}

bool ignores_exec(const isa::Instruction& instruction) {
  const isa::Row& row = isa::row(instruction.op);
  const bool one_value = isa::shape(instruction.op).scalar_dst; // of the first lane of EXEC
  return isa::ignores_exec(instruction) || one_value || row.dst == isa::Type::None;
}

} // namespace crosslane::timing
