// Owns addresses to source lines: every DWARF line table of the code object flattened into one sorted array, on first
// use, so that a report with thousands of addresses pays one binary search each and no lock.
#include "codeobject/contents.h"
#include <algorithm>
#include <llvm/ADT/StringMap.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/Decompressor.h>
#include <llvm/Support/MemoryBuffer.h>

namespace crosslane::codeobject {
namespace {

// Line numbers are a convenience: what DWARF cannot say is left out, never an error of the code object.
void ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

using Buffers = llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>>;

std::unique_ptr<llvm::MemoryBuffer> contents_of(const DebugSection& section) {
  llvm::StringRef raw(reinterpret_cast<const char*>(section.bytes.data()), section.bytes.size());
  if (!section.compressed)
    return llvm::MemoryBuffer::getMemBuffer(raw, "", /*RequiresNullTerminator=*/false);
  auto decompressor = llvm::object::Decompressor::create(section.name, raw, /*IsLE=*/true, /*Is64Bit=*/true);
  if (!decompressor)
    return ignore(decompressor.takeError()), nullptr;
  uint64_t size = decompressor->getDecompressedSize();
  if (!plausible_expansion(raw.size(), size)) // the header's word is not worth gigabytes
    return nullptr;
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(size);
  if (!buffer)
    return nullptr;
  if (llvm::Error error = decompressor->decompress(
          llvm::MutableArrayRef<uint8_t>(reinterpret_cast<uint8_t*>(buffer->getBufferStart()), size)))
    return ignore(std::move(error)), nullptr;
  return buffer;
}

// LLVM's reader of version 5 headers trusts their counts and forms: a form without bytes makes it allocate without end,
// an unexpected one makes it read a value that is not there. So only headers with ordinary forms get that far.
bool ordinary_form(uint64_t type, uint64_t form) {
  using namespace llvm::dwarf;
  switch (type) {
  case DW_LNCT_path:
  case DW_LNCT_LLVM_source:
    return form == DW_FORM_string || form == DW_FORM_line_strp || form == DW_FORM_strp;
  case DW_LNCT_MD5:
    return form == DW_FORM_data16;
  default:
    return form == DW_FORM_udata || form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4 ||
           form == DW_FORM_data8;
  }
}

bool ordinary_header(const llvm::DataExtractor& data, uint64_t offset) {
  llvm::DataExtractor::Cursor at(offset);
  uint64_t length = data.getU32(at);
  bool wide = length == llvm::dwarf::DW_LENGTH_DWARF64;
  if (wide)
    length = data.getU64(at);
  bool fits = inside(at.tell(), length, 0, data.size());
  uint16_t version = data.getU16(at);
  bool ordinary = true;
  if (version >= 5) {
    ordinary = data.getU8(at) == 8; // address size
    data.getU8(at);                 // segment selector
    data.getUnsigned(at, wide ? 8 : 4);
    data.skip(at, 5); // instruction length, operations, is_stmt, line base and range
    uint8_t opcode_base = data.getU8(at);
    data.skip(at, opcode_base ? opcode_base - 1 : 0);
    for (int table = 0; table < 2 && at && ordinary; ++table) { // directories, then files
      std::vector<uint64_t> forms;
      for (unsigned left = data.getU8(at); left && at; --left) {
        uint64_t type = data.getULEB128(at), form = data.getULEB128(at);
        ordinary = ordinary && ordinary_form(type, form);
        forms.push_back(form);
      }
      uint64_t count = data.getULEB128(at);
      if (forms.empty())
        ordinary = ordinary && count == 0;
      for (; ordinary && count && at; --count)
        for (uint64_t form : forms)
          switch (form) {
          case llvm::dwarf::DW_FORM_string:
            data.getCStrRef(at);
            break;
          case llvm::dwarf::DW_FORM_udata:
            data.getULEB128(at);
            break;
          case llvm::dwarf::DW_FORM_data1:
            data.skip(at, 1);
            break;
          case llvm::dwarf::DW_FORM_data2:
            data.skip(at, 2);
            break;
          case llvm::dwarf::DW_FORM_data4:
            data.skip(at, 4);
            break;
          case llvm::dwarf::DW_FORM_data8:
            data.skip(at, 8);
            break;
          case llvm::dwarf::DW_FORM_data16:
            data.skip(at, 16);
            break;
          default:
            data.skip(at, wide ? 8 : 4);
            break; // line_strp, strp
          }
    }
  }
  bool complete = static_cast<bool>(at);
  ignore(at.takeError());
  return fits && ordinary && complete;
}

// Line table offset -> compilation directory, which tables before version 5 leave to the unit.
std::unordered_map<uint64_t, std::string> directories_of(llvm::DWARFContext& dwarf) {
  std::unordered_map<uint64_t, std::string> directories;
  for (const auto& unit : dwarf.compile_units())
    if (auto offset = llvm::dwarf::toSectionOffset(unit->getUnitDIE().find(llvm::dwarf::DW_AT_stmt_list)))
      if (const char* directory = unit->getCompilationDir())
        directories.emplace(*offset, directory);
  return directories;
}

void flatten(const Contents& contents, const llvm::DWARFDebugLine::LineTable& table, llvm::StringRef directory) {
  std::unordered_map<uint64_t, uint32_t> numbers;
  auto number_of = [&](uint64_t file) {
    auto [at, inserted] = numbers.emplace(file, 0);
    std::string path;
    using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
    if (inserted && table.getFileNameByIndex(file, directory, Kind::AbsoluteFilePath, path) && !path.empty()) {
      at->second = static_cast<uint32_t>(contents.line_files.size());
      contents.line_files.push_back(std::move(path));
    }
    return at->second;
  };
  for (const llvm::DWARFDebugLine::Sequence& sequence : table.Sequences) {
    if (!sequence.isValid())
      continue;
    const Segment* code = contents.segment_of(sequence.LowPC, sequence.HighPC - sequence.LowPC);
    if (!code || !code->executable)
      continue; // dropped by the linker, which sends such sequences to address 0
    for (unsigned i = sequence.FirstRowIndex; i < sequence.LastRowIndex && i < table.Rows.size(); ++i) {
      const llvm::DWARFDebugLine::Row& row = table.Rows[i];
      contents.lines.push_back({row.Address.Address, row.EndSequence ? 0 : number_of(row.File), row.Line, row.Column});
    }
  }
}

// All debug sections, decompressed, and LLVM's reader of them.
struct Dwarf {
  Buffers buffers;
  std::unique_ptr<llvm::DWARFContext> context;

  explicit Dwarf(const Contents& contents) {
    for (const DebugSection& section : contents.debug_sections)
      if (auto buffer = contents_of(section))
        buffers.try_emplace(llvm::StringRef(section.name).drop_front(), std::move(buffer)); // without the dot
    context = llvm::DWARFContext::create(buffers, /*AddrSize=*/8, /*isLittleEndian=*/true, ignore, ignore);
  }
  llvm::DWARFDataExtractor lines() const {
    const llvm::DWARFObject& sections = context->getDWARFObj();
    return {sections, sections.getLineSection(), /*IsLittleEndian=*/true, /*AddressSize=*/8};
  }
};

// [low, high) belongs to `call` from now on.
void paint(std::map<uint64_t, uint32_t>& from, uint64_t low, uint64_t high, uint32_t call) {
  const auto after = from.upper_bound(high);
  const uint32_t behind = after == from.begin() ? 0 : std::prev(after)->second;
  from.erase(from.lower_bound(low), after);
  from[low] = call;
  from[high] = behind;
}

// Many entries may share one list of ranges: a file of a megabyte could ask for a terabyte.
constexpr size_t most_ranges = 1 << 20;

void collect_calls(const Contents& contents, llvm::DWARFUnit& unit, const llvm::DWARFDebugLine::LineTable& table) {
  const char* directory = unit.getCompilationDir();
  std::unordered_map<uint64_t, uint32_t> numbers;
  const auto number_of = [&](uint64_t file) {
    auto [at, inserted] = numbers.emplace(file, 0);
    std::string path;
    using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
    if (inserted && table.getFileNameByIndex(file, directory ? directory : "", Kind::AbsoluteFilePath, path) &&
        !path.empty()) {
      at->second = static_cast<uint32_t>(contents.call_files.size());
      contents.call_files.push_back(std::move(path));
    }
    return at->second;
  };
  // Outer calls are painted before the inner ones, which cover a part of them.
  std::vector<std::pair<llvm::DWARFDie, uint32_t>> level = {{unit.getUnitDIE(/*ExtractUnitDIEOnly=*/false), 0}};
  while (!level.empty()) {
    std::vector<std::pair<llvm::DWARFDie, uint32_t>> next;
    for (const auto& [die, around] : level)
      // Not children(): a list without an end has an invalid entry there, which its iterator does not take for the end.
      for (auto child = die.getFirstChild(); child.isValid() && !child.isNULL(); child = child.getSibling()) {
        uint32_t call = around;
        if (child.getTag() == llvm::dwarf::DW_TAG_inlined_subroutine) {
          auto ranges = child.getAddressRanges();
          if (!ranges) {
            ignore(ranges.takeError());
            continue;
          }
          uint32_t file = 0, line = 0, column = 0, discriminator = 0;
          child.getCallerFrame(file, line, column, discriminator);
          call = static_cast<uint32_t>(contents.calls.size());
          contents.calls.push_back({around, number_of(file), line, column});
          for (const llvm::DWARFAddressRange& range : *ranges)
            if (contents.calls_from.size() < most_ranges && range.LowPC < range.HighPC &&
                contents.segment_of(range.LowPC, range.HighPC - range.LowPC))
              paint(contents.calls_from, range.LowPC, range.HighPC, call);
        }
        next.emplace_back(child, call);
      }
    level = std::move(next);
  }
}

} // namespace

// zlib cannot pass 1032:1; zstd can, but not on anything that a compiler writes.
bool plausible_expansion(uint64_t compressed, uint64_t expanded) {
  return expanded <= uint64_t{1} << 30 && expanded / 1100 <= compressed + 4096;
}

void read_lines(const Contents& contents) {
  const Dwarf dwarf(contents);
  auto data = dwarf.lines();
  llvm::DWARFDebugLine::SectionParser parser(data, *dwarf.context, dwarf.context->normal_units());
  const auto directories = directories_of(*dwarf.context);
  contents.line_files.emplace_back();
  while (!parser.done() && ordinary_header(data, parser.getOffset())) {
    auto directory = directories.find(parser.getOffset());
    flatten(contents, parser.parseNext(ignore, ignore), directory == directories.end() ? "" : directory->second);
  }
  // At one address the end of one sequence gives way to the start of the next; otherwise the later row holds.
  for (uint32_t i = 0; i < contents.lines.size(); ++i)
    contents.lines[i].order = i;
  std::sort(contents.lines.begin(), contents.lines.end(), [](const LineRow& a, const LineRow& b) {
    return std::tuple(a.address, a.file != 0, a.order) < std::tuple(b.address, b.file != 0, b.order);
  });
}

void read_calls(const Contents& contents) {
  const Dwarf dwarf(contents);
  contents.calls.emplace_back();
  contents.call_files.emplace_back();
  for (const auto& unit : dwarf.context->compile_units()) {
    const auto offset = llvm::dwarf::toSectionOffset(unit->getUnitDIE().find(llvm::dwarf::DW_AT_stmt_list));
    if (!offset || !ordinary_header(dwarf.lines(), *offset))
      continue;
    if (const auto* table = dwarf.context->getLineTableForUnit(unit.get()))
      collect_calls(contents, *unit, *table);
  }
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
