// Addresses to names.
#include "views/locate.h"
#include "isa/decode.h"
#include "isa/op.h"
#include "isa/print.h"
#include <fmt/format.h>

namespace crosslane::views {

std::string source_of(const Image& image, uint64_t address) {
  const auto line = image.object->source_line(image.to_object(address));
  if (!line || line->line == 0)
    return {};
  return line->column ? fmt::format("{}:{}:{}", line->file, line->line, line->column)
                      : fmt::format("{}:{}", line->file, line->line);
}

std::string symbol_of(const Image& image, uint64_t address) {
  const uint64_t at = image.to_object(address);
  const auto* symbol = image.object->symbol_at(at);
  return symbol ? fmt::format("{}+{:#x}", codeobject::demangle(symbol->name), at - symbol->address) : std::string();
}

void locate(std::span<BranchSite> sites, const Image& image) {
  for (auto& site : sites) {
    const uint64_t at = image.to_object(site.pc);
    if (const auto* symbol = image.object->symbol_at(at)) {
      site.function = symbol->name;
      site.offset = at - symbol->address;
    } else {
      site.offset = at;
    }
    site.source = source_of(image, site.pc);
    isa::Instruction instruction;
    const auto bytes = image.object->bytes_at(at, 4); // sites are one dword, or two in VOP3 form or with a literal
    const auto longer = image.object->bytes_at(at, 8);
    if (isa::decode(image.target, longer.empty() ? bytes : longer, instruction))
      site.instruction = isa::print(instruction);
  }
}

std::optional<uint64_t> branch_target(const isa::Instruction& instruction, uint64_t address) {
  const isa::Row& row = isa::row(instruction.op);
  if (row.src[0] != isa::Type::Label && row.src[1] != isa::Type::Label)
    return {};
  return address + 4 + static_cast<uint64_t>(static_cast<int64_t>(instruction.imm) * 4);
}

std::string text_of(const isa::Instruction& instruction, uint64_t address, const codeobject::Function& function,
                    const codeobject::CodeObject& object) {
  const std::string text = isa::print(instruction);
  const auto target = branch_target(instruction, address);
  if (!target)
    return text;
  const std::string front = text.substr(0, text.rfind(' ') + 1); // the label is the last operand
  if (*target >= function.begin && *target < function.end && *target != function.begin)
    return fmt::format("{}L{:x}", front, *target);
  const auto* symbol = object.symbol_at(*target);
  if (!symbol)
    return fmt::format("{}{:#x}", front, *target);
  return *target == symbol->address ? front + symbol->name
                                    : fmt::format("{}{}+{:#x}", front, symbol->name, *target - symbol->address);
}

} // namespace crosslane::views
