// Text and JSON of one kernel.
#include "cli/jit/kernel_report.h"
#include "cli/jit/class_text.h"
#include "isa/op.h"
#include "isa/print.h"
#include "views/locate.h"
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace crosslane::cli {

namespace {

using How = jit::ReportStep::How;
using Json = nlohmann::ordered_json;
using Mnemonics = std::map<std::string, uint32_t>;

// What became of instructions, of all versions of their blocks together.
struct Summary {
  uint32_t translated = 0, unreached = 0;
  Mnemonics called, left;
  jit::ReportCounts counts;
};

void add(jit::ReportCounts& to, const jit::ReportCounts& c) {
  to.guards += c.guards, to.asked += c.asked, to.checkpoints += c.checkpoints, to.overlaps += c.overlaps;
}

Summary summary_of(const jit::Examined& e) {
  std::map<uint32_t, How> how;
  Summary out;
  for (const auto& block : e.answer.report.blocks) {
    add(out.counts, block.entry);
    for (const auto& step : block.steps) {
      add(out.counts, step.counts);
      How& of = how.try_emplace(step.instruction, step.how).first->second;
      of = std::max(of, step.how);
    }
  }
  out.unreached = uint32_t(e.unit.instructions.size() - how.size());
  for (const auto& [i, what] : how) {
    const std::string mnemonic(isa::mnemonic(e.unit.instructions[i].inst.op, e.unit.target));
    out.translated += what == How::translated;
    if (what != How::translated)
      ++(what == How::called ? out.called : out.left)[mnemonic];
  }
  return out;
}

uint32_t sum(const Mnemonics& all) {
  uint32_t n = 0;
  for (const auto& [mnemonic, count] : all)
    n += count;
  return n;
}

std::string counts_of(const Mnemonics& all) {
  std::string out;
  for (const auto& [mnemonic, count] : all)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", mnemonic, count);
  return out;
}

// An instruction's address in the code object, and its text.
struct Place {
  uint64_t address;
  std::string text;
};
Place place_of(const JitKernel& k, uint32_t instruction) {
  const auto& i = k.examined->unit.instructions[instruction];
  const uint64_t address = k.object.image_begin() + uint64_t(i.pc) * 4;
  for (const auto& function : k.object.functions())
    if (address >= function.begin && address < function.end)
      return {address, views::text_of(i.inst, address, function, k.object)};
  return {address, isa::print(i.inst)};
}

std::string counts_text(const jit::ReportCounts& c) {
  std::string out;
  const auto add = [&](uint32_t count, const char* one, const char* more) {
    if (count)
      out += fmt::format("; {}", count == 1 ? one : fmt::format("{} {}", count, more));
  };
  add(c.guards, "1 guard", "guards");
  add(c.asked, "asks", "times asks");
  add(c.checkpoints, "checkpoint", "checkpoints");
  add(c.overlaps, "checkpoint if memory overlaps", "checkpoints if memory overlaps");
  return out;
}

using HostCounts = std::map<std::pair<uint32_t, bool>, uint32_t>; // of instructions, by instruction and version
bool is_label(const jit::HostLine& line) { return line.text.ends_with(":"); }
HostCounts host_counts(const jit::Report& report) {
  HostCounts out;
  for (const auto& line : report.assembly)
    if (!is_label(line))
      ++out[{line.instruction, line.full_exec}];
  return out;
}
uint32_t count_of(const HostCounts& counts, uint32_t instruction, bool full_exec) {
  const auto found = counts.find({instruction, full_exec});
  return found == counts.end() ? 0 : found->second;
}

std::string notes_of(const jit::ReportBlock& block, const jit::ReportStep& step, const HostCounts& host) {
  std::string out;
  if (step.how != How::translated)
    out += step.how == How::called ? "; called" : "; left to the interpreter";
  if (!step.written.empty())
    out += "; " + text_of(step.written);
  out += counts_text(step.counts);
  if (!host.empty())
    out += fmt::format("; {} on the host", count_of(host, step.instruction, block.full_exec));
  return out;
}

void append_blocks(std::string& out, const JitKernel& k) {
  auto into = std::back_inserter(out);
  const jit::Report& report = k.examined->answer.report;
  const HostCounts host = host_counts(report);
  for (const auto& block : report.blocks) {
    if (block.steps.empty())
      continue;
    const Place first = place_of(k, block.steps.front().instruction);
    fmt::format_to(into, "\nL{:x}, EXEC {}{}{}{}:\n", first.address, block.full_exec ? "full" : "perhaps not full",
                   block.comes_back ? "; waves come back here" : "",
                   block.from_interpreter ? "; from the interpreter too" : "", counts_text(block.entry));
    if (!block.classes.empty())
      fmt::format_to(into, "  ; {}\n", text_of(block.classes));
    for (const auto& step : block.steps) {
      const std::string text = place_of(k, step.instruction).text, notes = notes_of(block, step, host);
      if (notes.empty())
        fmt::format_to(into, "  {}\n", text);
      else
        fmt::format_to(into, "  {:<54}{}\n", text, notes);
    }
  }
}

// In the host's order; a line says whose code begins.
void append_assembly(std::string& out, const JitKernel& k) {
  auto into = std::back_inserter(out);
  const jit::HostLine* last = nullptr;
  for (const auto& line : k.examined->answer.report.assembly) {
    if (!last || last->instruction != line.instruction || last->full_exec != line.full_exec) {
      if (line.instruction >= k.examined->unit.instructions.size()) {
        fmt::format_to(into, "  # of no instruction alone\n");
      } else {
        const Place place = place_of(k, line.instruction);
        fmt::format_to(into, "  # {:06x} {}{}\n", place.address, place.text,
                       line.full_exec ? "" : " (EXEC perhaps not full)");
      }
    }
    last = &line;
    fmt::format_to(into, "{}{}\n", is_label(line) ? "" : "    ", line.text);
  }
}

std::string first_classes(const jit::Examined& e) {
  std::vector<jit::RegisterClass> classes;
  for (const auto& lane : e.at_first)
    classes.push_back(class_of(lane));
  return classes.empty() ? "nothing" : text_of(classes);
}

Json to_json(const jit::RegisterClass& c) {
  Json out = {{"register", name_of(c)}, {"class", value_of(c)}, {"dirty", c.dirty}};
  if (c.kind == jit::RegisterClass::Kind::affine)
    out["column"] = c.column, out["half"] = c.half, out["odd"] = c.odd, out["last"] = c.last, out["step"] = c.step,
    out["no_wrap"] = c.no_wrap;
  return out;
}
Json to_json(const std::vector<jit::RegisterClass>& all) {
  Json out = Json::array();
  for (const auto& c : all)
    out.push_back(to_json(c));
  return out;
}
void put(Json& out, const jit::ReportCounts& c) {
  out["guards"] = c.guards, out["asked"] = c.asked, out["checkpoints"] = c.checkpoints, out["overlaps"] = c.overlaps;
}

Json to_json(const JitKernel& k, const jit::ReportBlock& block, const HostCounts& host) {
  const auto& unit = k.examined->unit;
  Json out = {{"address", place_of(k, unit.blocks[block.block].first).address},
              {"full_exec", block.full_exec},
              {"comes_back", block.comes_back},
              {"from_interpreter", block.from_interpreter},
              {"entry", Json::object()},
              {"classes", to_json(block.classes)},
              {"instructions", Json::array()}};
  put(out["entry"], block.entry);
  static constexpr const char* words[] = {"translated", "called", "left"};
  for (const auto& step : block.steps) {
    const Place place = place_of(k, step.instruction);
    Json s = {{"address", place.address}, {"text", place.text}, {"how", words[size_t(step.how)]}};
    put(s, step.counts);
    s["written"] = to_json(step.written);
    if (!host.empty())
      s["host_instructions"] = count_of(host, step.instruction, block.full_exec);
    out["instructions"].push_back(std::move(s));
  }
  return out;
}

} // namespace

std::string jit_text(const JitKernel& k) {
  const jit::Examined& e = *k.examined;
  const jit::Compiled& answer = e.answer;
  std::string out;
  auto into = std::back_inserter(out);
  fmt::format_to(into, "kernel {}\n", codeobject::demangle(k.kernel.name));
  fmt::format_to(into, "  for workgroups of {},{},{} ({})\n", k.workgroup[0], k.workgroup[1], k.workgroup[2],
                 k.workgroup_from);
  if (!k.compiled()) {
    fmt::format_to(into, "  not compiled: {}\n", answer.error);
    return out + answer.ir;
  }
  const Summary s = summary_of(e);
  fmt::format_to(into, "  known of work-item ids: {}\n", first_classes(e));
  fmt::format_to(
      into, "  {} instructions in {} blocks: {} translated, {} called, {} left to the interpreter, {} never reached\n",
      e.unit.instructions.size(), e.unit.blocks.size(), s.translated, sum(s.called), sum(s.left), s.unreached);
  if (!s.called.empty())
    fmt::format_to(into, "  called: {}\n", counts_of(s.called));
  if (!s.left.empty())
    fmt::format_to(into, "  left to the interpreter: {}\n", counts_of(s.left));
  fmt::format_to(into,
                 "  {} versions of blocks; {} guards, asked at {} places; {} checkpoints, {} more if memory overlaps\n",
                 answer.report.blocks.size(), s.counts.guards, s.counts.asked, s.counts.checkpoints, s.counts.overlaps);
  fmt::format_to(into, "  {} instructions of IR, {} bytes of host code (x86-64 level {})\n", answer.ir_instructions,
                 answer.code_bytes, e.level);
  if (answer.ranges)
    out += "  goes from workgroup to workgroup by itself\n";
  if (answer.only_loops)
    out += "  only its loops are compiled: the whole kernel is too large\n";
  const jit::Phases& p = answer.phases;
  fmt::format_to(into,
                 "  {:.1f} ms of processor time: open {:.1f}, translate {:.1f}, link {:.1f}, optimize {:.1f}, generate "
                 "{:.1f} ({:.1f} expected)\n",
                 p.total() * 1e3, p.open * 1e3, p.translate * 1e3, p.link * 1e3, p.optimize * 1e3, p.generate * 1e3,
                 p.expected * 1e3);
  append_blocks(out, k);
  if (!answer.ir.empty())
    out += "\nLLVM IR:\n" + answer.ir;
  if (!answer.report.assembly.empty()) {
    out += "\nhost code:\n";
    append_assembly(out, k);
  }
  return out;
}

Json jit_json(const JitKernel& k) {
  const jit::Examined& e = *k.examined;
  const jit::Compiled& answer = e.answer;
  Json out = {{"kernel", k.kernel.name},
              {"workgroup", k.workgroup},
              {"workgroup_from", k.workgroup_from},
              {"compiled", k.compiled()}};
  if (!k.compiled()) {
    out["why_not"] = answer.error;
    return out;
  }
  const Summary s = summary_of(e);
  out["level"] = e.level;
  out["instructions"] = e.unit.instructions.size(), out["blocks"] = e.unit.blocks.size();
  out["translated"] = s.translated, out["called"] = Json(s.called), out["left"] = Json(s.left);
  out["never_reached"] = s.unreached;
  put(out, s.counts);
  out["ranges"] = answer.ranges, out["only_loops"] = answer.only_loops;
  out["ir_instructions"] = answer.ir_instructions, out["code_bytes"] = answer.code_bytes;
  const jit::Phases& p = answer.phases;
  out["seconds"] = {{"open", p.open},         {"translate", p.translate}, {"link", p.link},
                    {"optimize", p.optimize}, {"generate", p.generate},   {"generate_expected", p.expected}};
  out["versions"] = Json::array();
  const HostCounts host = host_counts(answer.report);
  for (const auto& block : answer.report.blocks)
    out["versions"].push_back(to_json(k, block, host));
  if (!answer.ir.empty())
    out["ir"] = answer.ir;
  if (!answer.report.assembly.empty()) {
    std::string text;
    append_assembly(text, k);
    out["assembly"] = text;
  }
  return out;
}

} // namespace crosslane::cli
