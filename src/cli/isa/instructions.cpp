// Facts about instructions, and the short texts that tables are made of.
#include "cli/isa/instructions.h"
#include "engine/executes.h"
#include "isa/encode.h"
#include "isa/enum_name.h"
#include "isa/instances.h"
#include "isa/pattern.h"
#include "isa/print.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace crosslane::cli {

namespace {

bool has_name(isa::Op op, isa::Target target, const std::string& pattern) {
  return isa::matches(pattern, isa::row(op).mnemonic) || isa::matches(pattern, isa::mnemonic(op, target));
}
bool on_target(isa::Op op, isa::Target target) {
  return isa::row(op).opcodes.of(isa::info(target).generation) != isa::absent;
}

void add_once(std::vector<std::string_view>& list, std::string_view word) {
  if (std::find(list.begin(), list.end(), word) == list.end())
    list.push_back(word);
}

} // namespace

std::vector<isa::Target> all_targets() {
  std::vector<isa::Target> all;
  for (size_t i = 0; i < static_cast<size_t>(isa::Target::count); ++i)
    all.push_back(isa::Target(i));
  return all;
}

InstructionFacts facts_of(isa::Op op, std::span<const isa::Target> targets) {
  InstructionFacts facts{op, semantics::fidelity(isa::row(op).mnemonic), {}};
  for (const isa::Target target : targets) {
    if (!on_target(op, target))
      continue;
    TargetFacts t{target, isa::mnemonic(op, target), isa::row(op).opcodes.of(isa::info(target).generation), {}};
    for (const isa::Instruction& i : isa::instances(op, target)) {
      const isa::Encoded bytes = isa::encode(i); // which decodes them, and gives none that decode to something else
      FormFacts form{isa::form_name(i), bool(bytes) && !bytes.reserved, engine::executes(i), {}, isa::print(i)};
      if (!form.executes)
        form.fault = engine::why_not_executed(i);
      t.forms.push_back(std::move(form));
    }
    facts.targets.push_back(std::move(t));
  }
  return facts;
}

std::vector<isa::Op> find_instructions(const InstructionFilter& filter) {
  std::vector<isa::Op> found;
  const auto targets = filter.target ? std::vector{*filter.target} : all_targets();
  for (size_t i = 0; i < isa::rows().size(); ++i) {
    const isa::Op op{static_cast<uint16_t>(i)};
    if (filter.encoding && isa::row(op).encoding != *filter.encoding)
      continue;
    if (std::any_of(targets.begin(), targets.end(), [&](isa::Target t) {
          return on_target(op, t) && (filter.pattern.empty() || has_name(op, t, filter.pattern));
        }))
      found.push_back(op);
  }
  return found;
}

std::string fidelity_text(const InstructionFacts& facts) {
  std::vector<std::string_view> faults, reasons;
  bool any = false;
  for (const TargetFacts& t : facts.targets)
    for (const auto& form : t.forms) {
      any |= form.executes;
      if (!form.executes)
        add_once(faults, form.form), add_once(reasons, form.fault);
    }
  if (!any)
    return fmt::format("fault: {}", fmt::join(reasons, "; "));
  std::string text = facts.fidelity.exact ? "exact" : semantics::bound(facts.fidelity);
  if (!faults.empty())
    text += fmt::format("; fault: {}", fmt::join(faults, ", "));
  return text;
}

std::string generations_text(const isa::Row& row) {
  std::string text;
  bool all = true;
  for (int g = 0; g < isa::generation_count;) {
    const auto has = [&](int i) { return row.opcodes.of(isa::Generation(i)) != isa::absent; };
    if (!has(g)) {
      all = false;
      ++g;
      continue;
    }
    int last = g;
    while (last + 1 < isa::generation_count && has(last + 1))
      ++last;
    text += text.empty() ? "" : ", ";
    text += isa::enum_name(isa::Generation(g));
    if (last == isa::generation_count - 1 && last != g)
      text += "+";
    else if (last != g)
      text += fmt::format("-{}", isa::enum_name(isa::Generation(last)));
    g = last + 1;
  }
  return all ? "all" : text;
}

std::string forms_text(const InstructionFacts& facts) {
  std::vector<std::string_view> forms;
  for (const auto& t : facts.targets)
    for (const auto& form : t.forms)
      if (form.form != "base")
        add_once(forms, form.form);
  return fmt::format("{}", fmt::join(forms, " "));
}

std::string implicit_text(isa::Implicit set) {
  using enum isa::Implicit;
  struct Name {
    isa::Implicit bit;
    std::string_view name;
  };
  constexpr Name reads[] = {{scc_r, "SCC"},
                            {vcc_r, "VCC"},
                            {exec_r, "EXEC"},
                            {m0_r, "M0"},
                            {mode_r, "MODE"},
                            {flat_scratch_r, "FLAT_SCRATCH"},
                            {dst_r, "its destination"}};
  constexpr Name writes[] = {{scc_w, "SCC"}, {vcc_w, "VCC"}, {exec_w, "EXEC"}, {m0_w, "M0"}, {mode_w, "MODE"}};
  const auto list = [&](std::span<const Name> names) {
    std::vector<std::string_view> words;
    for (const Name& n : names)
      if (isa::has(set, n.bit))
        words.push_back(n.name);
    return words;
  };
  std::vector<std::string> parts;
  if (const auto words = list(reads); !words.empty())
    parts.push_back(fmt::format("reads {}", fmt::join(words, ", ")));
  if (const auto words = list(writes); !words.empty())
    parts.push_back(fmt::format("writes {}", fmt::join(words, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

} // namespace crosslane::cli
