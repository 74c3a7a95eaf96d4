// See llvm_registers.h.
#include "tests/isa/llvm_registers.h"
#include <charconv>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <optional>
#include <string_view>

namespace crosslane::tests {
namespace {

using isa::RegisterFile;
namespace code = isa::code;

// "VGPR12", "TTMP3_gfx9plus", "FLAT_SCR_LO_vi"; nothing for tuples and halves.
std::optional<RegisterName> number_of(std::string_view name, isa::Target target) {
  for (const std::string_view suffix : {"_gfxpre11", "_gfx9plus", "_vi", "_ci"})
    if (name.ends_with(suffix))
      name.remove_suffix(suffix.size());
  struct Numbered {
    std::string_view prefix;
    RegisterFile file;
    unsigned first;
  };
  const bool gfx8 = isa::info(target).generation >= isa::Generation::gfx8;
  const bool gfx9 = isa::info(target).generation >= isa::Generation::gfx9;
  const Numbered numbered[] = {{"VGPR", RegisterFile::vgpr, 0},
                               {"AGPR", RegisterFile::agpr, 0},
                               {"SGPR", RegisterFile::scalar, 0},
                               {"TTMP", RegisterFile::scalar, gfx9 ? 108u : 112u}};
  for (const Numbered& n : numbered) {
    unsigned number = 0;
    if (!name.starts_with(n.prefix))
      continue;
    const char *begin = name.data() + n.prefix.size(), *end = name.data() + name.size();
    if (const auto parsed = std::from_chars(begin, end, number); parsed.ec == std::errc() && parsed.ptr == end)
      return RegisterName{n.file, n.first + number};
  }
  const unsigned flat_scratch = gfx8 ? code::flat_scratch : code::flat_scratch_gfx7;
  const std::pair<std::string_view, RegisterName> named[] = {
      {"VCC_LO", {RegisterFile::scalar, code::vcc}},
      {"VCC_HI", {RegisterFile::scalar, code::vcc + 1u}},
      {"EXEC_LO", {RegisterFile::scalar, code::exec}},
      {"EXEC_HI", {RegisterFile::scalar, code::exec + 1u}},
      {"FLAT_SCR_LO", {RegisterFile::scalar, flat_scratch}},
      {"FLAT_SCR_HI", {RegisterFile::scalar, flat_scratch + 1}},
      {"M0", {RegisterFile::scalar, code::m0}},
      {"SCC", {RegisterFile::special, isa::special::scc}},
      {"MODE", {RegisterFile::special, isa::special::mode}},
      {"LDS_DIRECT", {RegisterFile::special, isa::special::lds_direct}},
  };
  for (const auto& [known, number] : named)
    if (name == known)
      return number;
  return std::nullopt;
}

} // namespace

LlvmKind llvm_kind(const llvm::MCInst& inst, const llvm::MCInstrInfo& instructions) {
  const llvm::MCInstrDesc& d = instructions.get(inst.getOpcode());
  return {d.isBranch(),  d.isIndirectBranch(), d.isCall(),   d.isTerminator(),
          d.isBarrier(), d.mayLoad(),          d.mayStore(), d.TSFlags};
}

LlvmRegisters llvm_registers(const llvm::MCInst& inst, const llvm::MCInstrInfo& instructions,
                             const llvm::MCRegisterInfo& registers, isa::Target target) {
  LlvmRegisters all;
  const auto add = [&](unsigned reg, std::set<RegisterName>& to, std::set<RegisterName>* also = nullptr) {
    bool any = reg == 0;
    for (const auto sub : registers.subregs_inclusive(reg))
      if (const auto n = number_of(registers.getName(sub), target)) {
        any = true, to.insert(*n);
        if (also)
          also->insert(*n);
      }
    if (!any)
      all.unknown += std::string(all.unknown.empty() ? "" : " ") + registers.getName(reg);
  };
  const llvm::MCInstrDesc& desc = instructions.get(inst.getOpcode());
  std::set<unsigned> tied_defs;
  for (unsigned i = 0; i < desc.getNumOperands(); ++i)
    if (const int def = desc.getOperandConstraint(i, llvm::MCOI::TIED_TO); def >= 0)
      tied_defs.insert(unsigned(def));
  for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
    if (!inst.getOperand(i).isReg())
      continue;
    const unsigned reg = inst.getOperand(i).getReg();
    if (i < desc.getNumDefs())
      add(reg, all.writes, tied_defs.contains(i) ? &all.reads : nullptr);
    else if (i >= desc.getNumOperands() || desc.getOperandConstraint(i, llvm::MCOI::TIED_TO) < 0)
      add(reg, all.reads);
  }
  for (const auto reg : desc.implicit_uses())
    add(reg, all.reads);
  for (const auto reg : desc.implicit_defs())
    add(reg, all.writes);
  return all;
}

} // namespace crosslane::tests
