// Texts of rules, with the numbers of isa/rows/hazards.inc.
#include "lint/explain.h"
#include "isa/enum_name.h"
#include "isa/target.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace crosslane::lint {

namespace {

using isa::hazards::Hazard;
using nlohmann::ordered_json;

// A number of states that a rule asks for.
struct Row {
  std::string targets, between, said, severity;
  int states = 0;
  bool operator==(const Row&) const = default;
};

// As people say it; else by its own name.
std::string words_of(isa::hazards::Who who) {
  using enum isa::hazards::Who;
  switch (who) {
  case any: return "any instruction";
  case salu: return "SALU";
  case valu: return "VALU";
  case valu_not_mfma: return "VALU but v_mfma";
  case plain_valu: return "VALU but v_mfma and v_dot";
  case vector: return "vector instruction";
  case dpp: return "DPP";
  case lane_select: return "v_readlane or v_writelane";
  case lane_read: return "v_readlane or v_readfirstlane";
  case div_fmas: return "v_div_fmas";
  case fma_f64: return "v_fma_f64 or v_fmac_f64";
  case interpolation: return "v_interp";
  case lds_direct: return "VALU with lds_direct";
  case dot: return "v_dot";
  case setreg: return "s_setreg";
  case setreg_of_vskip: return "s_setreg of MODE.VSKIP";
  case setvskip: return "s_setvskip";
  case getreg: return "s_getreg";
  case trap_return: return "s_rfe";
  case message: return "s_sendmsg or s_ttracedata";
  case scalar_movrel: return "s_movrel";
  case buffer_smem: return "s_buffer access";
  case memory: return "memory, LDS or GDS";
  case memory_or_exp: return "memory, LDS, GDS or export";
  case gds: return "GDS";
  case lds_addtid: return "ds_read_addtid or ds_write_addtid";
  case lds_dma: return "transfer between memory and LDS";
  case wide_store: return "store of more than 64 bits";
  case mfma: return "v_mfma";
  case mfma2: return "v_mfma of 2 passes";
  case mfma8: return "v_mfma of 8 passes";
  case mfma16: return "v_mfma of 16 passes";
  case smfma: return "v_mfma but of F64";
  case smfma2: return "v_mfma of 2 passes but of F64";
  case smfma8: return "v_mfma of 8 passes but of F64";
  case smfma16: return "v_mfma of 16 passes but of F64";
  case dgemm: return "v_mfma of F64";
  case dgemm4: return "v_mfma_f64_4x4x4";
  case dgemm16: return "v_mfma_f64_16x16x4";
  case accvgpr_read: return "v_accvgpr_read";
  case accvgpr_write: return "v_accvgpr_write";
  case acc_consumer: return "v_mfma or v_accvgpr_write";
  case mfma_reader: return "VALU but v_mfma, memory or export";
  default: break;
  }
  std::string name(isa::enum_name(who));
  std::ranges::replace(name, '_', ' ');
  return name;
}

std::string range_of(isa::Generation first, isa::Generation last) {
  const auto begin = isa::enum_name(first), end = isa::enum_name(last);
  if (first == last)
    return std::string(begin);
  if (size_t(last) + 1 == size_t(isa::generation_count))
    return fmt::format("{} and later", begin);
  return fmt::format("{} to {}", begin, end);
}

std::vector<Row> rows_of(Rule rule) {
  std::vector<Row> rows;
  for (const Hazard& h : isa::hazards::all()) {
    if (h.rule != text_of(rule).name)
      continue;
    Row r{range_of(h.states.first, h.states.last), fmt::format("{}, then {}", words_of(h.first), words_of(h.second)),
          text_of(h.said), std::string(name_of(h.severity)), h.states.count};
    if (std::ranges::find(rows, r) == rows.end())
      rows.push_back(std::move(r));
  }
  return rows;
}

std::string indented(std::string_view text, std::string_view indent) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end)
      out += indent;
    out += text.substr(0, end);
    out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

constexpr Group groups[] = {Group::wait_states, Group::waits,   Group::code, Group::usage,
                            Group::performance, Group::running, Group::host};
constexpr std::string_view about[] = {
    "Instructions that must be some wait states apart.",
    "What `s_waitcnt` must wait for.",
    "Control flow, registers and memory.",
    "Comments that allow findings.",
    "What waits for longer than it must. Off unless selected: `--select performance`.",
    "What no one can tell before a kernel runs: `--check` of `crosslane launch` and `crosslane run` "
    "(docs/checking.md).",
    "What the program on the host does with memory of devices: `--check` of `crosslane run` (docs/checking.md)."};

std::vector<Rule> rules_in(Group g) {
  std::vector<Rule> rules;
  for (size_t n = 0; n < rule_count; ++n)
    if (text_of(Rule(n)).group == g)
      rules.push_back(Rule(n));
  return rules;
}

} // namespace

std::vector<std::string> names_of(Said said) {
  std::vector<std::string> names;
  if (has(said, Said::manual))
    names.emplace_back("manual");
  if (has(said, Said::llvm))
    names.emplace_back("llvm");
  if (has(said, Said::aco))
    names.emplace_back("aco");
  return names;
}

std::string text_of(Said said) {
  std::string text;
  for (const std::string& name : names_of(said))
    text += (text.empty() ? "" : ", ") + (name == "llvm" ? "LLVM" : name == "aco" ? "Mesa" : name);
  return text;
}

std::string explanation_of(Rule rule) {
  const RuleText& t = text_of(rule);
  std::string out = fmt::format("{} ({}, {}): {}\n", id_of(rule), name_of(t.group), name_of(t.severity), t.title);
  if (!t.text.empty())
    out += fmt::format("\n{}\n", t.text);
  if (const auto rows = rows_of(rule); !rows.empty()) {
    size_t width = 0, wide = 0;
    for (const Row& r : rows)
      width = std::max(width, r.targets.size()), wide = std::max(wide, r.between.size());
    out += "\nWait states between:\n";
    for (const Row& r : rows)
      out += fmt::format("  {:<{}}  {:>2}  {:<{}}  {} ({})\n", r.targets, width, r.states, r.between, wide, r.severity,
                         r.said);
  }
  if (!t.sources.empty())
    out += fmt::format("\nSources: {}\n", t.sources);
  if (!t.wrong.empty())
    out += fmt::format("\nWrong ({}):\n{}", t.target, indented(t.wrong, "  "));
  if (!t.right.empty())
    out += fmt::format("\nRight:\n{}", indented(t.right, "  "));
  return out;
}

std::string rules_text() {
  size_t width = 0;
  for (size_t n = 0; n < rule_count; ++n)
    width = std::max(width, text_of(Rule(n)).name.size());
  std::string out;
  for (const Group g : groups) {
    if (rules_in(g).empty())
      continue;
    out += fmt::format("{}:\n", name_of(g));
    for (const Rule r : rules_in(g))
      out += fmt::format("  {:<{}}  {:<8}  {}\n", id_of(r), width, name_of(text_of(r).severity), text_of(r).title);
  }
  return out;
}

std::string rules_json() {
  auto rules = ordered_json::array();
  for (size_t n = 0; n < rule_count; ++n) {
    const RuleText& t = text_of(Rule(n));
    auto states = ordered_json::array();
    for (const Row& r : rows_of(Rule(n)))
      states.push_back({{"targets", r.targets},
                        {"between", r.between},
                        {"wait_states", r.states},
                        {"severity", r.severity},
                        {"said_by", r.said}});
    rules.push_back({{"id", id_of(Rule(n))},
                     {"group", name_of(t.group)},
                     {"severity", name_of(t.severity)},
                     {"title", t.title},
                     {"text", t.text},
                     {"wait_states", std::move(states)},
                     {"sources", t.sources},
                     {"target", t.target},
                     {"wrong", t.wrong},
                     {"right", t.right}});
  }
  return rules.dump(1) + "\n";
}

std::string rules_markdown() {
  std::string out =
      "# Rules of `crosslane lint`\n\nMade by `crosslane lint --list-rules --output-format markdown`; the "
      "rows are `src/lint/rules/*.inc` and `src/isa/rows/hazards.inc`. How to\nuse them: "
      "[lint.md](lint.md).\n";
  for (const Group g : groups) {
    if (rules_in(g).empty())
      continue;
    out += fmt::format("\n## {}\n\n{}\n\n| rule | severity | |\n|---|---|---|\n", name_of(g), about[size_t(g)]);
    for (const Rule r : rules_in(g))
      out +=
          fmt::format("| [{}](#{}) | {} | {} |\n", id_of(r), id_of(r), name_of(text_of(r).severity), text_of(r).title);
    for (const Rule r : rules_in(g)) {
      const RuleText& t = text_of(r);
      out += fmt::format("\n### {}\n\n{}{}, {}.\n", id_of(r), char(std::toupper(t.title.empty() ? ' ' : t.title[0])),
                         t.title.empty() ? "" : t.title.substr(1), name_of(t.severity));
      if (!t.text.empty())
        out += fmt::format("\n{}\n", t.text);
      if (const auto rows = rows_of(r); !rows.empty()) {
        out += "\n| targets | wait states | between | severity | says |\n|---|---:|---|---|---|\n";
        for (const Row& row : rows)
          out +=
              fmt::format("| {} | {} | {} | {} | {} |\n", row.targets, row.states, row.between, row.severity, row.said);
      }
      if (!t.sources.empty())
        out += fmt::format("\nSources: {}.\n", t.sources);
      if (!t.wrong.empty())
        out += fmt::format("\nWrong ({0}), and right:\n\n```{3}\n{1}```\n\n```{3}\n{2}```\n", t.target,
                           indented(t.wrong, ""), indented(t.right, ""), g == Group::host ? "cpp" : "asm");
    }
  }
  return out;
}

} // namespace crosslane::lint
