// Scalar operands: registers, inline constants, literals, apertures and the condition bits.
// Source: GCN3 ISA manual, "Scalar source operands"; 64-bit literals as LLVM AMDGPUOperandSyntax has them.
#include "engine/decode/lowering.h"
#include "engine/raise.h"
#include "isa/inline_constant.h"
#include "machine/memory.h"
#include <cstring>

namespace crosslane::engine {

namespace code = isa::code;
using isa::Type;

bool is_plain_scalar(uint16_t c) { return c < 256 && !(c >= code::vccz && c <= code::lds_direct); }

namespace {

bool is_wide(Type t) { return isa::dwords(t) >= 2 && t != Type::PkF32 && t != Type::PkB32; }
uint64_t constant(const isa::Instruction& inst, uint16_t c, Type type) {
  if (const auto value = isa::constant_source(inst, c, type))
    return *value;
  const auto& windows = machine::apertures();
  uint64_t value = 0;
  if (c == code::shared_base)
    value = windows.shared_base;
  if (c == code::shared_limit)
    value = windows.shared_base + 0xffffffff;
  if (c == code::private_base)
    value = windows.private_base;
  if (c == code::private_limit)
    value = windows.private_base + 0xffffffff;
  return is_wide(type) ? value : uint32_t(value);
}

template <int Kind> CROSSLANE_CC void stage_condition(const Uop* op, Wave* w) {
  const bool value = Kind == code::vccz ? w->vcc() == 0 : Kind == code::execz ? w->exec() == 0 : w->scc != 0;
  auto* slot = reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(w) + op->dst);
  slot[0] = value;
  slot[1] = 0;
  CROSSLANE_NEXT(op, w);
}

// One item of LDS for all lanes: M0 has its byte address and its type. Beyond the workgroup's LDS it reads as 0.
// Source: Vega ISA manual, 10.3.1 "LDS Direct Reads".
CROSSLANE_CC void stage_lds_direct(const Uop* op, Wave* w) {
  const uint32_t m0 = w->s[code::m0], type = m0 >> 16 & 7, bytes = type == 2 ? 4 : type % 4 == 1 ? 2 : 1;
  const uint32_t address = m0 & 0xffff & -bytes;
  uint32_t value = 0;
  if (address + bytes <= w->workgroup->lds_bytes)
    std::memcpy(&value, w->workgroup->lds + address, bytes);
  else if (w->workgroup->lds_faults)
    return raise(w, op, machine::FaultKind::lds_out_of_range, -1, address);
  if (type == 4)
    value = uint32_t(int32_t(int8_t(value)));
  if (type == 5)
    value = uint32_t(int32_t(int16_t(value)));
  if (type == 3 || type > 5)
    return raise(w, op, machine::FaultKind::illegal_instruction);
  auto* slot = reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(w) + op->dst);
  slot[0] = value;
  slot[1] = 0;
  CROSSLANE_NEXT(op, w);
}

} // namespace

ScalarOperand scalar_operand(const isa::Instruction& inst, uint16_t c, Type type) {
  if (isa::is_scalar_register(c))
    return {machine::sgpr_offset(c), 0};
  return {machine::sgpr_offset(machine::scalar_zero), constant(inst, c, type)};
}

ScalarOperand staged_scalar(Lowering& l, uint16_t c, Type type, int slot) {
  if (c < code::vccz || c > code::lds_direct)
    return scalar_operand(l.inst, c, type);
  Uop& op = l.emit(UopKind::condition, c == code::vccz    ? stage_condition<code::vccz>
                                       : c == code::execz ? stage_condition<code::execz>
                                       : c == code::scc   ? stage_condition<code::scc>
                                                          : stage_lds_direct);
  op.dst = machine::sgpr_offset(machine::scalar_tmp + 2 * slot), op.k1 = c;
  return {op.dst, 0};
}

} // namespace crosslane::engine
