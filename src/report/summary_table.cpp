// Rows with a heat bar, sorted by it: the largest of what a row is of its kernel's wave-instructions, and of what it
// wastes of the kernel's lane-cycles, cache lines and LDS cycles.
#include "report/summary_table.h"
#include "findings/names.h"
#include "findings/order.h"
#include "findings/text.h"
#include "findings/totals.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace crosslane::report {

using namespace findings;

namespace {

constexpr size_t most_rows = 20;

// What a row says, whatever it stands for.
struct Numbers {
  uint64_t executions = 0, lanes = 0;
  double lost = 0;
  uint64_t lines = 0, ideal_lines = 0, lds_cycles = 0, conflict_cycles = 0;
  uint64_t excess_lines() const { return lines - ideal_lines; }
};

// Which groups of columns are worth having, and what shares are taken of.
struct Scale {
  uint64_t executions = 0;
  double lane_cycles = 0;
  uint64_t lines = 0, lds_cycles = 0;
  bool counted = false, active = false, memory = false, lds = false;
};

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

double heat(const Numbers& n, const Scale& s) {
  const auto real = [](uint64_t v) { return static_cast<double>(v); };
  return std::max({share(real(n.executions), real(s.executions)), share(n.lost, s.lane_cycles),
                   share(real(n.excess_lines()), real(s.lines)), share(real(n.conflict_cycles), real(s.lds_cycles))});
}

std::string bar(double heat) {
  constexpr int most = 6;
  // The smallest heat still has a mark; none has none.
  const int marks = heat <= 0 ? 0 : std::clamp(static_cast<int>(std::lround(heat * most)), 1, most);
  return std::string(static_cast<size_t>(marks), '#') + std::string(static_cast<size_t>(most - marks), '.');
}

void head(const Scale& s, std::vector<std::string>& row, std::string& alignment) {
  const auto add = [&](std::initializer_list<const char*> columns) {
    for (const char* column : columns) {
      row.emplace_back(column);
      alignment += 'r';
    }
  };
  row = {"heat"}, alignment = "l";
  if (s.counted)
    add({"executed"});
  if (s.active)
    add({"lanes", "lost"});
  if (s.memory)
    add({"lines", "ideal", "excess"});
  if (s.lds)
    add({"LDS", "ideal", "confl."});
}

// 0 is what most cells would hold; a dash keeps the others in view.
std::string cell(double value) { return value > 0 ? brief(value) : "-"; }

std::vector<std::string> cells(const Numbers& n, const Scale& s, double hottest) {
  std::vector<std::string> row = {bar(share(heat(n, s), hottest))};
  const auto real = [](uint64_t v) { return static_cast<double>(v); };
  if (s.counted)
    row.push_back(cell(real(n.executions)));
  if (s.active)
    row.insert(row.end(),
               {n.executions ? fmt::format("{:.1f}", share(real(n.lanes), real(n.executions))) : "-", cell(n.lost)});
  if (s.memory)
    row.insert(row.end(), {cell(real(n.lines)), cell(real(n.ideal_lines)), cell(real(n.excess_lines()))});
  if (s.lds)
    row.insert(row.end(),
               {cell(real(n.lds_cycles)), cell(real(n.lds_cycles - n.conflict_cycles)), cell(real(n.conflict_cycles))});
  return row;
}

// Columns without a number tell nothing.
void drop_empty(std::vector<std::vector<std::string>>& rows, std::string& alignment) {
  for (size_t column = alignment.size(); column-- > 0;) {
    if (alignment[column] != 'r' ||
        std::any_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return row[column] != "-"; }))
      continue;
    for (auto& row : rows)
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
    alignment.erase(column, 1);
  }
}

std::string legend(const Scale& s, unsigned width) {
  std::string text;
  const auto add = [&](const char* part) { text += (text.empty() ? "" : "; ") + std::string(part); };
  if (s.counted)
    add("executed: wave-instructions");
  if (s.active)
    add("lanes: mean of active ones; lost: lane-cycles");
  if (s.memory)
    add("lines: cache lines");
  if (s.lds)
    add("LDS: cycles");
  return wrapped(text, width, "  ");
}

Numbers numbers_of(const ProfiledLine& l) {
  return {l.executions, l.lanes, l.lost_lane_cycles, l.lines, l.ideal_lines, l.lds_cycles, l.conflict_cycles};
}

Numbers numbers_of(const ProfiledInstruction& i) {
  Numbers n;
  n.executions = i.executions;
  n.lanes = i.active ? i.active->lanes() : 0;
  n.lost = i.lost_lane_cycles;
  for (const auto& site : i.memory)
    if (site.space != events::Space::scalar)
      n.lines += site.counts.lines, n.ideal_lines += site.counts.ideal_lines;
  if (i.lds)
    n.lds_cycles = i.lds->counts.cycles, n.conflict_cycles = i.lds->counts.conflict_cycles();
  return n;
}

Scale scale_of(const KernelProfile& k, const Totals& t) {
  Scale s;
  for (const auto& i : k.instructions)
    s.executions += i.executions;
  s.lane_cycles = t.lane_cycles, s.lines = t.lines, s.lds_cycles = t.lds_cycles;
  s.counted = s.executions != 0, s.active = t.active, s.memory = t.memory, s.lds = t.lds;
  return s;
}

struct Entry {
  Numbers numbers;
  std::vector<std::string> names;
};

std::string render(const std::vector<Entry>& entries, const Scale& scale, std::initializer_list<const char*> titles,
                   unsigned width, const char* noun) {
  const auto order = costly_first(entries.size(), [&](size_t i) { return heat(entries[i].numbers, scale); });
  const size_t shown = std::min(entries.size(), most_rows);
  std::vector<std::vector<std::string>> rows(1);
  std::string alignment;
  head(scale, rows[0], alignment);
  for (const char* title : titles) {
    rows[0].emplace_back(title);
    alignment += 'l';
  }
  for (size_t i = 0; i < shown; ++i) {
    const auto& entry = entries[order[i]];
    rows.push_back(cells(entry.numbers, scale, heat(entries[order[0]].numbers, scale)));
    rows.back().insert(rows.back().end(), entry.names.begin(), entry.names.end());
  }
  drop_empty(rows, alignment);
  std::string text = aligned(rows, alignment, width);
  if (entries.size() > shown)
    text += fmt::format("  {} more {}s: --json or --html has them all\n", entries.size() - shown, noun);
  return text + legend(scale, width);
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

} // namespace

Names::Names(const Profile& p) : profile_(&p) {
  std::map<std::string, int> count;
  for (const auto& source : p.sources)
    ++count[base_name(source.path)];
  for (const auto& source : p.sources)
    files.push_back(count[base_name(source.path)] == 1 ? base_name(source.path) : source.path);
  std::vector<std::string> symbols;
  for (const auto& k : p.kernels)
    symbols.push_back(k.name);
  kernels = short_names(symbols);
}

std::string Names::place(const Place& p) const {
  return p.known() && p.line ? fmt::format("{}:{}", files[static_cast<size_t>(p.file)], p.line) : "";
}

std::string Names::source(const Place& p) const {
  if (!p.known() || !p.line)
    return "";
  const auto& text = profile_->sources[static_cast<size_t>(p.file)].text;
  return text ? source_line(*text, p.line) : "";
}

std::string instruction_table(const KernelProfile& k, const Names& names, bool by_instruction, unsigned width) {
  const Scale scale = scale_of(k, totals(k));
  if (!scale.counted && !scale.memory && !scale.lds)
    return "";
  const bool no_lines = k.lines.empty();
  std::vector<Entry> entries;
  if (by_instruction || no_lines) {
    for (const auto& i : k.instructions)
      if (const Numbers n = numbers_of(i); n.executions || n.lines || n.lds_cycles)
        entries.push_back({n,
                           {i.function.empty() ? fmt::format("{:#x}", i.address)
                                               : fmt::format("{}+{:#x}", short_name(i.function, 24), i.offset),
                            cut(plain(i.text), 44), names.place(i.source)}});
    std::string text = render(entries, scale, {"place", "instruction", "line"}, width, "instruction");
    if (no_lines && !by_instruction)
      text += "  The code has no line table: compile it with -g or -gline-tables-only to see source lines.\n";
    return text;
  }
  for (const auto& line : k.lines)
    if (const Numbers n = numbers_of(line); n.executions || n.lines || n.lds_cycles)
      entries.push_back({n, {names.place(line.source), names.source(line.source)}});
  return render(entries, scale, {"line", "source"}, width, "line");
}

std::string kernel_table(const Profile& p, const Names& names, std::span<const size_t> order, unsigned width) {
  Scale scale;
  std::vector<Entry> entries;
  for (const size_t index : order) {
    const auto& k = p.kernels[index];
    const Totals t = totals(k);
    Scale own = scale_of(k, t);
    Numbers n;
    n.lost = t.lost_lane_cycles, n.lines = t.lines, n.ideal_lines = t.ideal_lines;
    n.lds_cycles = t.lds_cycles, n.conflict_cycles = t.conflict_cycles;
    // Of all instructions, and of the sample if it is one, so that lanes and executions are about the same.
    for (const auto& i : k.instructions)
      n.lanes += i.active ? i.active->lanes() : 0, n.executions += i.executions;
    scale.executions += n.executions, scale.lane_cycles += t.lane_cycles;
    scale.lines += t.lines, scale.lds_cycles += t.lds_cycles;
    scale.counted = true, scale.active |= own.active, scale.memory |= own.memory, scale.lds |= own.lds;
    entries.push_back({n, {fmt::format("{}", k.launches), names.kernels[index]}});
  }
  return render(entries, scale, {"launches", "kernel"}, width, "kernel");
}

} // namespace crosslane::report
