// Operands of instructions as text and JSON.
#include "cli/isa/operand_text.h"
#include "cli/instruction_text.h"
#include "isa/enum_name.h"
#include "isa/operands.h"
#include "isa/print.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

using Json = nlohmann::ordered_json;
using isa::Extent;
using isa::Operand;

bool is_vector(const Operand& o) { return o.file == isa::RegisterFile::vgpr || o.file == isa::RegisterFile::agpr; }

std::string remarks(const Operand& o) {
  std::vector<std::string> words;
  if (o.extent == Extent::indexed)
    words.push_back("some of them");
  if (o.extent == Extent::at_most)
    words.push_back("at most");
  if (o.partial)
    words.push_back("in part");
  if (o.bits != ~0u)
    words.push_back(fmt::format("bits {:#x}", o.bits));
  if (is_vector(o) && !o.masked)
    words.push_back("whatever EXEC is");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string table(const isa::Instruction& i) {
  std::vector<std::vector<std::string>> rows;
  for (const Operand& o : isa::operands(i))
    rows.push_back({std::string(isa::enum_name(o.role)), isa::print_registers(o, i.target),
                    o.read && o.written ? "read, written"
                    : o.read            ? "read"
                                        : "written",
                    o.type == isa::Type::None ? "" : std::string(isa::enum_name(o.type)), remarks(o)});
  return fmt::format("{}  ({})\n", isa::print(i), isa::info(i.target).name) +
         (rows.empty() ? "  no registers\n" : aligned(rows, 0, 2));
}

} // namespace

std::string operands_text(std::span<const isa::Instruction> all) {
  std::string text;
  for (const isa::Instruction& i : all)
    text += (text.empty() ? "" : "\n") + table(i);
  return text;
}

std::string operands_json(std::span<const isa::Instruction> all) {
  Json list = Json::array();
  for (const isa::Instruction& i : all) {
    Json operands = Json::array();
    for (const Operand& o : isa::operands(i)) {
      Json item = {{"role", isa::enum_name(o.role)},
                   {"registers", isa::print_registers(o, i.target)},
                   {"file", isa::enum_name(o.file)},
                   {"first", o.first},
                   {"dwords", o.dwords},
                   {"extent", isa::enum_name(o.extent)},
                   {"read", o.read},
                   {"written", o.written},
                   {"partial", o.partial},
                   {"masked", o.masked},
                   {"bits", o.bits}};
      if (o.type != isa::Type::None)
        item["type"] = isa::enum_name(o.type);
      operands.push_back(std::move(item));
    }
    list.push_back(
        {{"instruction", isa::print(i)}, {"target", isa::info(i.target).name}, {"operands", std::move(operands)}});
  }
  return list.dump(2) + "\n";
}

} // namespace crosslane::cli
