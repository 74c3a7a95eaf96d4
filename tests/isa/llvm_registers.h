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

// What else MCInstrDesc says. `flags` are SIInstrFlags of LLVM 19's lib/Target/AMDGPU/SIDefines.h.
struct LlvmKind {
  bool branch = false, indirect = false, call = false, terminator = false, barrier = false;
  bool loads = false, stores = false;
  uint64_t flags = 0;
};
LlvmKind llvm_kind(const llvm::MCInst&, const llvm::MCInstrInfo&);

LlvmRegisters llvm_registers(const llvm::MCInst&, const llvm::MCInstrInfo&, const llvm::MCRegisterInfo&, isa::Target);

} // namespace crosslane::tests
