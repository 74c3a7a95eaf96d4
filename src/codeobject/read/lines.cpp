// Owns addresses to source lines: every DWARF line table of the code object flattened into one sorted array, on first
// use, so that a report with thousands of addresses pays one binary search each and no lock.
#include "codeobject/read/line_tables.h"
#include <algorithm>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>

namespace crosslane::codeobject {
namespace {

void ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

// The names of the files of one table, each once.
class FileNames {
public:
  // `bytes_left`: of all names together. A few bytes of a table can ask for megabytes of text, again and again.
  FileNames(const llvm::DWARFDebugLine::Prologue& header, std::string_view directory, std::vector<std::string>& names,
            size_t& bytes_left)
      : header_(header), directory_(directory), names_(names), bytes_left_(bytes_left) {}
  // 0: the header does not say.
  uint32_t number_of(uint64_t file) {
    auto [at, inserted] = numbers_.emplace(file, 0);
    std::string path;
    using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
    constexpr size_t longest = 4096; // of what a system opens
    if (!inserted || !bytes_left_ || !header_.getFileNameByIndex(file, directory_, Kind::AbsoluteFilePath, path))
      return at->second;
    bytes_left_ -= std::min(bytes_left_, path.size());
    if (path.empty() || path.size() > longest)
      return 0;
    at->second = static_cast<uint32_t>(names_.size());
    names_.push_back(std::move(path));
    return at->second;
  }

private:
  const llvm::DWARFDebugLine::Prologue& header_;
  const llvm::StringRef directory_;
  std::vector<std::string>& names_;
  size_t& bytes_left_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
};

constexpr size_t most_names = size_t{64} << 20; // bytes

void flatten(const Contents& contents, const llvm::DWARFDebugLine::LineTable& table, std::string_view directory,
             size_t& bytes_left) {
  FileNames files(table.Prologue, directory, contents.line_files, bytes_left);
  for (const llvm::DWARFDebugLine::Sequence& sequence : table.Sequences) {
    if (!sequence.isValid())
      continue;
    const Segment* code = contents.segment_of(sequence.LowPC, sequence.HighPC - sequence.LowPC);
    if (!code || !code->executable)
      continue; // dropped by the linker, which sends such sequences to address 0
    for (unsigned i = sequence.FirstRowIndex; i < sequence.LastRowIndex && i < table.Rows.size(); ++i) {
      const llvm::DWARFDebugLine::Row& row = table.Rows[i];
      contents.lines.push_back(
          {row.Address.Address, row.EndSequence ? 0 : files.number_of(row.File), row.Line, row.Column});
    }
  }
}

// [low, high) belongs to `call` from now on.
void paint(std::map<uint64_t, uint32_t>& from, uint64_t low, uint64_t high, uint32_t call) {
  const auto after = from.upper_bound(high);
  const uint32_t behind = after == from.begin() ? 0 : std::prev(after)->second;
  from.erase(from.lower_bound(low), after);
  from[low] = call;
  from[high] = behind;
}

// Outer calls are painted before the inner ones, which cover a part of them.
void paint_calls(const Contents& contents, const DebugUnit& unit, FileNames& files) {
  const auto before = static_cast<uint32_t>(contents.calls.size()) - 1;
  for (const DebugCall& call : unit.calls) {
    const auto number = static_cast<uint32_t>(contents.calls.size());
    contents.calls.push_back(
        {call.around ? before + call.around : 0, files.number_of(call.file), call.line, call.column});
    for (const auto& [low, high] : call.ranges)
      if (low < high && contents.segment_of(low, high - low))
        paint(contents.calls_from, low, high, number);
  }
}

} // namespace

// zlib cannot pass 1032:1; zstd can, but not on anything that a compiler writes.
bool plausible_expansion(uint64_t compressed, uint64_t expanded) {
  return expanded <= uint64_t{1} << 30 && expanded / 1100 <= compressed + 4096;
}

void read_lines(const Contents& contents) {
  LineTables tables(contents);
  contents.lines_problem = tables.sections.problem();
  const auto damaged = [&](uint64_t offset, std::string_view what) {
    if (contents.lines_problem.empty())
      contents.lines_problem = fmt::format(".debug_line at {:#x}: {}", offset, what);
  };
  // Tables before version 5 leave the directory to the unit.
  std::unordered_map<uint64_t, std::string> directories;
  const DebugSections units(contents, unit_sections);
  for (DebugUnit& unit : read_debug_info(units, Want::units).units)
    if (unit.lines)
      directories.emplace(*unit.lines, std::move(unit.directory));

  contents.line_files.emplace_back();
  size_t bytes_left = most_names;
  auto parser = tables.parser();
  while (!parser.done()) {
    const uint64_t offset = parser.getOffset();
    if (!ordinary_header(tables.data, offset)) {
      damaged(offset, "the header is not a line table's");
      break;
    }
    const auto table =
        parser.parseNext(ignore, [&](llvm::Error error) { damaged(offset, llvm::toString(std::move(error))); });
    const auto directory = directories.find(offset);
    flatten(contents, table, directory == directories.end() ? std::string_view() : directory->second, bytes_left);
  }
  // At one address the end of one sequence gives way to the start of the next; otherwise the later row holds.
  for (uint32_t i = 0; i < contents.lines.size(); ++i)
    contents.lines[i].order = i;
  std::sort(contents.lines.begin(), contents.lines.end(), [](const LineRow& a, const LineRow& b) {
    return std::tuple(a.address, a.file != 0, a.order) < std::tuple(b.address, b.file != 0, b.order);
  });
}

void read_calls(const Contents& contents) {
  const DebugSections units(contents, unit_sections);
  DebugInfo info = read_debug_info(units, Want::calls);
  contents.calls_problem = std::move(info.problem);
  contents.calls.emplace_back();
  contents.call_files.emplace_back();

  // Names of files are in the headers of the line tables. A unit may name any place as its table; it counts only where
  // one starts.
  LineTables tables(contents);
  size_t bytes_left = most_names;
  std::multimap<uint64_t, const DebugUnit*> by_table;
  for (const DebugUnit& unit : info.units)
    if (unit.lines && !unit.calls.empty())
      by_table.emplace(*unit.lines, &unit);
  for (auto parser = tables.parser(); !parser.done() && ordinary_header(tables.data, parser.getOffset());
       parser.skip(ignore, ignore)) {
    const auto [first, last] = by_table.equal_range(parser.getOffset());
    if (first == last)
      continue;
    llvm::DWARFDebugLine::Prologue header;
    uint64_t offset = parser.getOffset();
    ignore(header.parse(tables.data, &offset, ignore, *tables.context));
    FileNames files(header, first->second->directory, contents.call_files, bytes_left);
    for (auto unit = first; unit != last; ++unit)
      paint_calls(contents, *unit->second, files);
  }
}

std::string CodeObject::debug_problem() const {
  const Contents& contents = *impl_;
  std::call_once(contents.lines_once, [&] { read_lines(contents); });
  std::call_once(contents.calls_once, [&] { read_calls(contents); });
  const bool lines = !contents.lines_problem.empty();
  if (!lines && contents.calls_problem.empty())
    return {};
  return fmt::format("debug information is damaged ({}): {} are missing; build it again",
                     printable(lines ? contents.lines_problem : contents.calls_problem, 300),
                     lines ? "source lines" : "lines of inlined calls");
}

std::optional<SourceLine> CodeObject::source_line(uint64_t address) const {
  const Contents& contents = *impl_;
  std::call_once(contents.lines_once, [&] { read_lines(contents); });
  auto after = std::upper_bound(contents.lines.begin(), contents.lines.end(), address,
                                [](uint64_t value, const LineRow& row) { return value < row.address; });
  if (after == contents.lines.begin())
    return std::nullopt;
  const LineRow& row = *std::prev(after);
  if (row.file == 0 || row.line == 0) // past a sequence, or code that the compiler lays to no line
    return std::nullopt;
  return SourceLine{contents.line_files[row.file], row.line, row.column};
}

std::vector<SourceLine> CodeObject::source_frames(uint64_t address) const {
  std::vector<SourceLine> frames;
  if (auto line = source_line(address))
    frames.push_back(std::move(*line));
  else
    return frames;
  const Contents& contents = *impl_;
  std::call_once(contents.calls_once, [&] { read_calls(contents); });
  const auto after = contents.calls_from.upper_bound(address);
  // A call's number is greater than that of the one around it.
  for (uint32_t call = after == contents.calls_from.begin() ? 0 : std::prev(after)->second; call;
       call = contents.calls[call].parent)
    if (const InlinedCall& c = contents.calls[call]; c.file && c.line)
      frames.push_back({contents.call_files[c.file], c.line, c.column});
  return frames;
}

} // namespace crosslane::codeobject
