// Instructions as text and JSON.
#include "cli/instruction_text.h"
#include "isa/enum_name.h"
#include "isa/instances.h"
#include "isa/shape.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace crosslane::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Operand {
  std::string_view slot;
  isa::Type type;
};

// The slots of a row under the names that rows/README.md and the manuals give them.
std::vector<Operand> operands(const isa::Row& row) {
  using enum isa::Encoding;
  const auto e = row.encoding;
  const bool buffer = e == MUBUF || e == MTBUF, flat = e == FLAT || e == GLOBAL || e == SCRATCH;
  std::vector<Operand> all = {{"D", row.dst}, {"SDST", row.sdst}};
  const char* names[3] = {"S0", "S1", "S2"};
  if (buffer || flat)
    names[0] = "DATA";
  else if (e == DS)
    names[0] = "DATA0", names[1] = "DATA1";
  else if (e == MIMG)
    names[0] = "ADDR", names[1] = "SAMP";
  else if (e == SMEM)
    names[0] = "BASE", names[1] = "DATA";
  for (int i = 0; i < 3; ++i)
    all.push_back({names[i], row.src[i]});
  all.push_back({"memory", row.memory});
  std::erase_if(all, [](const Operand& o) { return o.type == isa::Type::None; });
  return all;
}

std::string operands_text(const isa::Row& row) {
  std::vector<std::string> words;
  for (const auto& [slot, type] : operands(row))
    words.push_back(fmt::format("{} {}", slot, isa::enum_name(type)));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string modifiers_text(isa::Op op) {
  const isa::Shape& s = isa::shape(op);
  std::vector<std::string_view> words;
  const std::pair<bool, std::string_view> all[] = {
      {s.neg != 0, "neg"}, {s.abs != 0, "abs"}, {s.clamp, "clamp"}, {s.omod, "omod"}, {s.op_sel, "op_sel"}};
  for (const auto& [has, name] : all)
    if (has)
      words.push_back(name);
  return fmt::format("{}", fmt::join(words, ", "));
}

const TargetFacts& shown(const InstructionFacts& facts) {
  const TargetFacts* best = &facts.targets.front();
  const auto rank = [](const TargetFacts& t) {
    const auto g = isa::info(t.target).generation;
    return std::pair(g <= isa::Generation::gfx906, g);
  };
  for (const TargetFacts& t : facts.targets)
    if (rank(t) > rank(*best))
      best = &t;
  return *best;
}

std::string fidelity_sentence(const semantics::Fidelity& f) {
  return f.exact ? "exact" : fmt::format("approximate: {} ({})", semantics::bound(f), f.why);
}

} // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows, size_t width, size_t indent) {
  std::vector<size_t> widths;
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size())
        widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < row.size(); ++i)
      if (widths[i] > 0)
        line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    if (width > 3 && line.size() > width)
      line = line.substr(0, width - 3) + "...";
    text += line + "\n";
  }
  return text;
}

std::string instruction_table(std::span<const InstructionFacts> all, size_t width) {
  std::vector<std::vector<std::string>> rows = {{"instruction", "encoding", "forms", "on", "timing", "fidelity"}};
  for (const auto& facts : all) {
    const auto& row = facts.row();
    rows.push_back({std::string(facts.targets.size() == 1 ? facts.targets[0].name : row.mnemonic),
                    std::string(isa::enum_name(row.encoding)), forms_text(facts), generations_text(row),
                    std::string(isa::enum_name(row.timing)), fidelity_text(facts)});
  }
  return aligned(rows, width);
}

std::string instruction_detail(const InstructionFacts& facts) {
  const auto& row = facts.row();
  std::string text = fmt::format("{}\n", row.mnemonic);
  const auto line = [&](std::string_view what, const std::string& value) {
    if (!value.empty())
      text += fmt::format("  {:<10} {}\n", what, value);
  };
  line("encoding", std::string(isa::enum_name(row.encoding)) + (isa::is_graphics(facts.op) ? ", graphics" : ""));
  line("operands", operands_text(row));
  line("implicit", implicit_text(isa::implicit(row, facts.targets.back().target)));
  line("modifiers", modifiers_text(facts.op));
  line("timing", std::string(isa::enum_name(row.timing)));
  line("fidelity", fidelity_sentence(facts.fidelity));

  std::vector<std::vector<std::string>> generations = {{"", "opcode", "name", "targets"}};
  for (int g = 0; g < isa::generation_count; ++g) {
    std::vector<std::string_view> targets;
    const TargetFacts* one = nullptr;
    for (const auto& t : facts.targets)
      if (isa::info(t.target).generation == isa::Generation(g))
        one = &t, targets.push_back(isa::info(t.target).name);
    if (one)
      generations.push_back({std::string(isa::enum_name(isa::Generation(g))), fmt::format("{:#04x}", one->opcode),
                             std::string(one->name), fmt::format("{}", fmt::join(targets, " "))});
  }
  text += "\n" + aligned(generations, 0, 2);

  const TargetFacts& target = shown(facts);
  std::vector<std::vector<std::string>> forms = {
      {"form", "", fmt::format("example ({})", isa::info(target.target).name)}};
  std::vector<std::vector<std::string>> faults;
  for (const auto& form : target.forms) {
    forms.push_back({std::string(form.form), form.executes ? "executes" : "fault", form.example});
    if (!form.executes)
      faults.push_back({std::string(form.form), std::string(form.fault)});
  }
  text += "\n" + aligned(forms, 0, 2);
  return faults.empty() ? text : text + "\n  faults\n" + aligned(faults, 0, 2);
}

std::string instruction_json(std::span<const InstructionFacts> all) {
  Json list = Json::array();
  for (const auto& facts : all) {
    const auto& row = facts.row();
    Json operand_list = Json::array(), targets = Json::array();
    for (const auto& [slot, type] : operands(row))
      operand_list.push_back({{"slot", slot}, {"type", isa::enum_name(type)}});
    for (const auto& t : facts.targets) {
      Json forms = Json::array();
      for (const auto& form : t.forms) {
        Json f = {{"form", form.form}, {"example", form.example}, {"executes", form.executes}};
        if (!form.executes)
          f["fault"] = form.fault;
        forms.push_back(std::move(f));
      }
      targets.push_back(
          {{"target", isa::info(t.target).name}, {"name", t.name}, {"opcode", t.opcode}, {"forms", std::move(forms)}});
    }
    Json fidelity = {{"exact", facts.fidelity.exact}};
    if (!facts.fidelity.exact)
      fidelity.update(Json{{"bound", semantics::bound(facts.fidelity)}, {"why", facts.fidelity.why}});
    list.push_back({{"instruction", row.mnemonic},
                    {"encoding", isa::enum_name(row.encoding)},
                    {"graphics", isa::is_graphics(facts.op)},
                    {"operands", std::move(operand_list)},
                    {"implicit", implicit_text(isa::implicit(row, facts.targets.back().target))},
                    {"timing", isa::enum_name(row.timing)},
                    {"fidelity", std::move(fidelity)},
                    {"targets", std::move(targets)}});
  }
  return list.dump(2) + "\n";
}

} // namespace crosslane::cli
