// What LLVM says an instruction reads and writes (MCInstrDesc: operands, implicit uses and defs, tied operands), in
// 32-bit registers as isa/operands.h counts them.
#pragma once
#include "isa/operands.h"
#include <compare>
#include <set>
#include <string>

namespace llvm {
class MCInst;
class MCInstrInfo;
class MCRegisterInfo;
} // namespace llvm

namespace crosslane::tests {

struct RegisterName {
  isa::RegisterFile file;
  unsigned number;
  auto operator<=>(const RegisterName&) const = default;
};

struct LlvmRegisters {
  std::set<RegisterName> reads, writes; // the old value of a result that an operand is tied to is read
  std::string unknown;                  // registers that have no number here, by LLVM's names
};

LlvmRegisters llvm_registers(const llvm::MCInst&, const llvm::MCInstrInfo&, const llvm::MCRegisterInfo&, isa::Target);

} // namespace crosslane::tests
