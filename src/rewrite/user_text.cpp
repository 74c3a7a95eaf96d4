// Line by line; what a line may write is tried with two sets of registers, so that none of them can be named.
#include "rewrite/user_text.h"
#include "files/error.h"
#include "files/read.h"
#include "isa/classify.h"
#include "isa/encode.h"
#include "isa/flow.h"
#include "isa/operands.h"
#include "isa/parse_program.h"
#include "rewrite/counter_code.h"
#include "rewrite/function_ir.h"
#include "rewrite/site_operands.h"
#include "rewrite/virtual_sgprs.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

namespace crosslane::rewrite {

namespace {

constexpr uint32_t sgprs = 4, vgprs = 4, most_counters = 64;

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::optional<uint32_t> number(std::string_view text) {
  uint32_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return !text.empty() && error == std::errc() && end == text.data() + text.size() ? std::optional(n) : std::nullopt;
}

// What %names stand for.
struct Names {
  const ProbeRegisters& registers;
  uint16_t own_vgprs;
  const isa::Instruction* at;
};

// f(begin, end, without %) of each name in a line; false: it wants no more.
template <class F> bool each_name(std::string_view line, F f) {
  for (size_t i = line.find('%'); i != line.npos; i = line.find('%', i + 1)) {
    size_t end = i + 1;
    while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_'))
      ++end;
    if (!f(i, end, line.substr(i + 1, end - i - 1)))
      return false;
  }
  return true;
}

// A line with registers in place of names. The error says which name is none.
llvm::Expected<std::string> with_registers(std::string_view line, const Names& names, uint32_t& used_vgprs) {
  std::string out;
  size_t done = 0;
  std::string_view wrong;
  each_name(line, [&](size_t begin, size_t end, std::string_view name) {
    out += line.substr(done, begin - done);
    done = end;
    const auto n = name.size() > 1 ? number(name.substr(1)) : std::nullopt;
    const auto role = role_of(name);
    if (name.starts_with("s") && n && *n < sgprs)
      out += fmt::format("s{}", names.registers.scratch + *n);
    else if (name.starts_with("p") && n && *n < sgprs / 2)
      out += pair(uint16_t(names.registers.scratch + 2 * *n));
    else if (name.starts_with("v") && n && *n < vgprs)
      out += fmt::format("v{}", names.own_vgprs + *n), used_vgprs = std::max(used_vgprs, *n + 1);
    else if (const auto operand = role && names.at ? site_operand(*names.at, *role) : std::nullopt)
      out += text_of(*operand, names.at->target);
    else
      wrong = line.substr(begin, end - begin);
    return wrong.empty();
  });
  if (!wrong.empty())
    return fail("{} is no register of probes: there are %s0 to %s{}, %p0, %p1 and %v0 to %v{}, and operands: %dst, "
                "%sdst, %src0 to %src2, %vaddr, %saddr, %soffset, %srsrc, %vdata, %vdata1; counters, %c0 and so on, "
                "stand in 'count %c0' and 'add %c0, VALUE'",
                wrong, sgprs - 1, vgprs - 1);
  out += line.substr(done);
  return out;
}

// "count %c1" or "add %c1, s5".
struct CounterLine {
  uint32_t counter = 0;
  std::string_view value; // of add; empty: count
};
llvm::Expected<std::optional<CounterLine>> counter_line(std::string_view line) {
  const size_t space = line.find_first_of(" \t");
  const std::string_view word = line.substr(0, space);
  if (word != "count" && word != "add")
    return std::nullopt;
  const std::string_view rest = space == line.npos ? "" : trimmed(line.substr(space));
  const size_t comma = rest.find(',');
  const std::string_view counter = trimmed(rest.substr(0, comma));
  CounterLine out{0, comma == rest.npos ? "" : trimmed(rest.substr(comma + 1))};
  const auto n = counter.starts_with("%c") ? number(counter.substr(2)) : std::nullopt;
  if (!n || out.value.empty() != (word == "count") || (comma != rest.npos && word == "count"))
    return fail("write 'count %c0' or 'add %c0, VALUE'");
  if (*n >= most_counters)
    return fail("{}: a place has {} counters at most", counter, most_counters);
  out.counter = *n;
  return out;
}

// Comments of one line; those of several are told by parse_program().
std::string_view without_comment(std::string_view line) {
  return trimmed(line.substr(0, std::min(line.find("//"), line.find(';'))));
}

struct Line {
  std::string text; // instructions
  UserNeeds needs;
};
llvm::Expected<Line> expand_line(std::string_view line, const Names& names, uint32_t first_counter) {
  auto counter = counter_line(line);
  if (!counter)
    return counter.takeError();
  Line out;
  const std::string_view given = *counter ? (*counter)->value : line;
  auto text = with_registers(given, names, out.needs.vgprs);
  if (!text)
    return text.takeError();
  out.text = *text + "\n";
  if (*counter) {
    const uint32_t at = first_counter + (*counter)->counter;
    out.text = given.empty() ? count(names.registers, at) : add(names.registers, at, *text);
    out.needs.counters = (*counter)->counter + 1;
  }
  return out;
}

// Why an instruction can stand in no probe that writes the SGPRs from `s` and the VGPRs from `v` on; empty: it can.
std::string_view refusal(const isa::Instruction& in, uint32_t s, uint32_t v) {
  using enum isa::Op;
  const isa::Unit unit = isa::unit(in);
  if (isa::flow(in).kind != isa::FlowKind::next || unit == isa::Unit::branch)
    return "probes go straight on: select instead of branching";
  if (unit == isa::Unit::internal && in.op != s_nop && in.op != s_waitcnt && in.op != s_sleep)
    return "it would change when the wave goes on";
  if (unit != isa::Unit::salu && unit != isa::Unit::valu && unit != isa::Unit::smem && unit != isa::Unit::internal)
    return "probes may compute, and read memory by scalar loads";
  if (isa::memory_use(in).stores)
    return "it writes to memory";
  for (const isa::Operand& o : isa::operands(in)) {
    if (!o.written)
      continue;
    const bool own = (o.file == isa::RegisterFile::scalar && o.first >= s && o.first + o.dwords <= s + 6u) ||
                     (o.file == isa::RegisterFile::vgpr && o.first >= v && o.first + o.dwords <= v + vgprs + 1u) ||
                     (o.file == isa::RegisterFile::special && o.first == isa::special::scc);
    if (!own)
      return "it writes to what is the program's; %s0 to %s3, %v0 to %v3, SCC and counters are the probe's";
  }
  return "";
}

// What it reads of the program.
void add_reads(const isa::Instruction& in, uint32_t s, uint32_t v, UserNeeds& needs) {
  for (const isa::Operand& o : isa::operands(in)) {
    const uint32_t end = o.first + o.dwords;
    if (o.read && o.file == isa::RegisterFile::scalar && end <= 102 && (o.first < s || end > s + 6))
      needs.reads_sgprs = std::max(needs.reads_sgprs, end);
    if (o.read && o.file == isa::RegisterFile::vgpr && (o.first < v || end > v + vgprs + 1))
      needs.reads_vgprs = std::max(needs.reads_vgprs, end);
  }
}

// Assembled alone with the probe's registers from `s` and `v` on.
llvm::Expected<Line> check_line(std::string_view line, isa::Target target, const isa::Instruction* at, uint16_t s,
                                uint16_t v) {
  ProbeRegisters r;
  r.scratch = s, r.lanes = uint16_t(v + vgprs);
  auto out = expand_line(line, {r, v, at}, 0);
  if (!out)
    return out;
  const isa::Program program = isa::parse_program(target, out->text);
  if (!program.errors.empty())
    return fail("{}", program.errors.front().message);
  if (!program.labels.empty())
    return fail("probes go straight on: there are no labels");
  for (const isa::Statement& statement : program.statements) {
    const isa::Encoded encoded = isa::encode(statement.instruction);
    if (!encoded)
      return fail("{}", isa::describe(encoded, statement.instruction));
    if (const auto why = refusal(statement.instruction, s, v); !why.empty())
      return fail("{}", why);
    add_reads(statement.instruction, s, v, out->needs);
  }
  return out;
}

template <class F> llvm::Error each_line(std::string_view text, F f) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (const std::string_view line = without_comment(text.substr(0, end)); !line.empty())
      if (auto error = f(number, line))
        return error;
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return llvm::Error::success();
}

constexpr std::pair<std::string_view, UserPlace::Kind> place_names[] = {
    {"entry", UserPlace::Kind::entry},   {"exit", UserPlace::Kind::exit}, {"block", UserPlace::Kind::block},
    {"branch", UserPlace::Kind::branch}, {"edge", UserPlace::Kind::edge}, {"memory", UserPlace::Kind::memory},
    {"line", UserPlace::Kind::line}};

} // namespace

std::string_view name_of(UserPlace::Kind kind) {
  return std::ranges::find(place_names, kind, &std::pair<std::string_view, UserPlace::Kind>::second)->first;
}

llvm::Expected<UserProbe> read_user_probe(const std::string& file) {
  auto text = files::read(file);
  if (!text)
    return text.takeError();
  return UserProbe{std::filesystem::path(file).filename(), std::string(text->begin(), text->end()), {}};
}

llvm::Expected<std::vector<UserPlace>> parse_places(std::string_view list, std::string_view option) {
  std::vector<UserPlace> places;
  for (std::string_view rest = list;;) {
    const size_t comma = rest.find(','), colon = rest.substr(0, comma).rfind(':');
    const std::string_view name = rest.substr(0, comma);
    const auto* const found =
        std::ranges::find(place_names, name, &std::pair<std::string_view, UserPlace::Kind>::first);
    const auto line = colon == rest.npos || colon == 0 ? std::nullopt : number(name.substr(colon + 1));
    if (line)
      places.push_back({UserPlace::Kind::line, std::string(name.substr(0, colon)), *line});
    else if (found != std::end(place_names) && found->second != UserPlace::Kind::line)
      places.push_back({found->second, {}, 0});
    else
      return fail("{} {}: there are entry, exit, block, branch, edge, memory, and FILE:LINE of the source", option,
                  list);
    if (comma == rest.npos)
      return places;
    rest.remove_prefix(comma + 1);
  }
}

namespace {

// The operands that are named, as far as `f` wants more of them.
template <class F> bool each_operand(const UserProbe& probe, F f) {
  bool more = true;
  llvm::cantFail(each_line(probe.text, [&](size_t, std::string_view line) {
    more = more && each_name(line, [&](size_t, size_t, std::string_view name) {
             const auto role = role_of(name);
             return !role || f(*role);
           });
    return llvm::Error::success();
  }));
  return more;
}

} // namespace

bool names_operands(const UserProbe& probe) {
  return !each_operand(probe, [](isa::Role) { return false; });
}

bool has_operands(const UserProbe& probe, const isa::Instruction* at) {
  return each_operand(probe, [&](isa::Role role) { return at && site_operand(*at, role); });
}

llvm::Expected<UserNeeds> check(const UserProbe& probe, isa::Target target, const isa::Instruction* at) {
  UserNeeds needs;
  auto error = each_line(probe.text, [&](size_t number, std::string_view text) -> llvm::Error {
    for (const auto& [s, v] : {std::pair<uint16_t, uint16_t>(80, 240), std::pair<uint16_t, uint16_t>(92, 248)}) {
      auto line = check_line(text, target, at, s, v);
      if (!line)
        return fail("{}:{}: '{}': {}", probe.name, number, text, llvm::toString(line.takeError()));
      needs.counters = std::max(needs.counters, line->needs.counters);
      needs.vgprs = std::max(needs.vgprs, line->needs.vgprs);
      needs.reads_sgprs = std::max(needs.reads_sgprs, line->needs.reads_sgprs);
      needs.reads_vgprs = std::max(needs.reads_vgprs, line->needs.reads_vgprs);
    }
    return llvm::Error::success();
  });
  if (error)
    return std::move(error);
  if (needs.counters == 0)
    return fail("{}: counts nothing; 'count %c0' or 'add %c0, VALUE' does", probe.name);
  return needs;
}

std::string expand(const UserProbe& probe, isa::Target target, const isa::Instruction* at, const ProbeRegisters& r,
                   uint16_t own, uint32_t first_counter) {
  std::string text;
  bool loads = false;
  llvm::cantFail(each_line(probe.text, [&](size_t, std::string_view line) {
    const Line expanded = llvm::cantFail(expand_line(line, {r, own, at}, first_counter));
    const std::string named = with_virtual_sgprs_at(0, expanded.text); // any registers will do
    for (const isa::Statement& s : isa::parse_program(target, named).statements)
      loads |= isa::unit(s.instruction) == isa::Unit::smem;
    text += expanded.text;
    return llvm::Error::success();
  }));
  if (loads) { // none is on its way to the probe's registers behind it; up to gfx7 such a load may have spoilt VCCZ
    text += "s_waitcnt lgkmcnt(0)\n";
    if (isa::info(target).generation < isa::Generation::gfx8)
      text += "s_mov_b64 vcc, vcc\n";
  }
  return text;
}

} // namespace crosslane::rewrite
