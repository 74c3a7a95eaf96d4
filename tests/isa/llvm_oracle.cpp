// See llvm_oracle.h.
#include "tests/isa/llvm_oracle.h"
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace crosslane::tests {

struct LlvmOracle::Impl {
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::string raw;
};

LlvmOracle::LlvmOracle(const std::string& processor) : impl_(new Impl) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  const char* name = "amdgcn--";
  const llvm::Triple triple(name);
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(name, error);
  const llvm::MCTargetOptions options;
  Impl& d = *impl_;
  d.registers.reset(target->createMCRegInfo(name));
  d.assembly.reset(target->createMCAsmInfo(*d.registers, name, options));
  d.instructions.reset(target->createMCInstrInfo());
  d.subtarget.reset(target->createMCSubtargetInfo(name, processor, ""));
  d.context = std::make_unique<llvm::MCContext>(triple, d.assembly.get(), d.registers.get(), d.subtarget.get());
  d.disassembler.reset(target->createMCDisassembler(*d.subtarget, *d.context));
  d.printer.reset(target->createMCInstPrinter(triple, 0, *d.assembly, *d.instructions, *d.registers));
}

LlvmOracle::~LlvmOracle() = default;

int LlvmOracle::disassemble(std::span<const uint8_t> bytes, std::string& text) {
  text.clear();
  llvm::MCInst instruction;
  uint64_t size = 0;
  const auto status =
      impl_->disassembler->getInstruction(instruction, size, {bytes.data(), bytes.size()}, 0, llvm::nulls());
  if (status == llvm::MCDisassembler::Fail)
    return 0;
  impl_->raw.clear();
  llvm::raw_string_ostream stream(impl_->raw);
  impl_->printer->printInst(&instruction, 0, "", *impl_->subtarget, stream);
  stream.flush();
  bool blank = false;
  for (const char c : impl_->raw) {
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    if (blank && !text.empty())
      text += ' ';
    blank = false;
    text += c;
  }
  return static_cast<int>(size);
}

bool llvm_has_no_answer(uint32_t word0, uint32_t word1) {
  if (word0 >> 31 != 0 || (word0 & 0x1ff) != 0xf9)
    return false;
  const auto field = [&](int low, int count) { return word1 >> low & ((1u << count) - 1); };
  return field(8, 3) == 7 || field(11, 2) == 3 || field(16, 3) == 7 || field(24, 3) == 7;
}

} // namespace crosslane::tests
