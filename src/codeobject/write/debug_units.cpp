// Debug sections only grow: what was there stays at its offsets. A new unit has a line table of its own and, for each
// function and inlined call whose code moved, an entry that names the one it comes from (DW_AT_abstract_origin) and
// says where the code is now. Symbolizers ask for no more. Variables are not among them: where they live would have to
// follow every instruction. Source: DWARF version 5, sections 2.17, 3.1, 3.3.8, 6.1.2 and 7.5; version 4, 2.17.3
// and 7.5.
#include "codeobject/write/debug_units.h"
#include "codeobject/write/line_program.h"
#include <llvm/BinaryFormat/Dwarf.h>

namespace crosslane::codeobject {
namespace {
using namespace llvm::ELF;
using namespace llvm::dwarf;

class Units {
public:
  Units(ElfFile& file, const Moves& moves, llvm::function_ref<bool(Range)> in_code)
      : file_(file), moves_(moves), in_code_(in_code) {
    contents_.name = file.name;
    for (uint32_t i = 1; i < file.sections.size(); ++i)
      if (const std::string_view name = file.section_name(i);
          name.starts_with(".debug_") && file.sections[i].sh_type != SHT_NOBITS)
        contents_.debug_sections.push_back(
            {std::string(name), (file.sections[i].sh_flags & SHF_COMPRESSED) != 0, file.contents(i)});
  }

  void run() {
    if (contents_.debug_sections.empty())
      return;
    const DebugSections sections(contents_, unit_sections);
    const DebugInfo info = read_debug_info(sections, Want::functions);
    if (!sections.problem().empty() || !info.problem.empty() || info.units.empty() || !move_lines())
      return;
    for (const DebugUnit& unit : info.units)
      write_unit(unit);
    if (info_.empty())
      return;
    append_uleb(abbreviations_, 0);
    grow("debug_abbrev", abbreviations_);
    grow("debug_info", info_);
    grow("debug_line", lines_);
    grow("debug_ranges", ranges_);
    grow("debug_rnglists", lists_);
    if (file_.find_section(".debug_aranges"))
      grow("debug_aranges", addresses_);
  }

private:
  // Decompressed.
  llvm::StringRef before(llvm::StringRef name) {
    if (const auto found = texts_.find(name); found != texts_.end())
      return found->second;
    const DebugSections section(contents_, {name});
    return texts_.try_emplace(name, section.get(name).str()).first->second;
  }
  uint64_t size_of(llvm::StringRef name) { return before(name).size(); }

  void grow(llvm::StringRef name, const Bytes& by) {
    if (by.empty())
      return;
    auto section = file_.find_section("." + name.str());
    if (!section) {
      Elf64_Shdr header{};
      header.sh_type = SHT_PROGBITS;
      section = file_.add_section("." + name.str(), header);
    }
    file_.sections[*section].sh_flags &= ~uint64_t{SHF_COMPRESSED};
    file_.sections[*section].sh_addralign = 1;
    const llvm::StringRef old = before(name);
    Bytes& now = file_.edited[*section];
    now.assign(old.bytes_begin(), old.bytes_end());
    append(now, by);
  }

  // New tables, for each old one that has lines of moved code. False: a table is damaged.
  bool move_lines() {
    LineTables tables(contents_);
    if (!tables.sections.problem().empty())
      return false;
    const llvm::StringRef section = tables.sections.get("debug_line");
    bool sound = true;
    for (auto parser = tables.parser(); !parser.done();) {
      const uint64_t offset = parser.getOffset();
      if (!ordinary_header(tables.data, offset))
        return false;
      const auto table = parser.parseNext(ignore_error, [&](llvm::Error error) {
        ignore_error(std::move(error));
        sound = false;
      });
      if (!sound)
        return false;
      // Its length, its version, in version 5 two sizes, the header's length: from there on that counts.
      const auto& header = table.Prologue;
      const uint64_t wide = header.FormParams.Format == DWARF64;
      const uint64_t size =
          (wide ? 12 : 4) + 2 + (header.getVersion() >= 5 ? 2 : 0) + (wide ? 8 : 4) + header.PrologueLength;
      const Bytes moved = moved_lines(table, section.substr(offset, size), moves_, in_code_);
      if (moved.empty())
        continue;
      new_tables_[offset] = section.size() + lines_.size();
      append(lines_, moved);
    }
    return true;
  }

  std::vector<Range> moved(std::vector<Range> ranges) const {
    std::erase_if(ranges, [&](const Range& r) { return r.first >= r.second || !in_code_(r); });
    return moves_.map(ranges);
  }

  // What the abbreviation of an entry says, and its values.
  struct Entry {
    uint64_t tag = 0;
    std::vector<std::pair<uint64_t, uint64_t>> attributes;
    Bytes values;
    void add(uint64_t name, uint64_t form) { attributes.emplace_back(name, form); }
    template <class T> void add(uint64_t name, uint64_t form, T value) {
      add(name, form);
      append(values, value);
    }
    void add_number(uint64_t name, uint64_t value) {
      add(name, DW_FORM_udata);
      append_uleb(values, value);
    }
    void add_text(uint64_t name, std::string_view text) {
      add(name, DW_FORM_string);
      append_text(values, text);
    }
  };

  void write(const Entry& entry, bool children) {
    Bytes description;
    append_uleb(description, entry.tag);
    description.push_back(children ? DW_CHILDREN_yes : DW_CHILDREN_no);
    for (const auto& [name, form] : entry.attributes) {
      append_uleb(description, name);
      append_uleb(description, form);
    }
    const auto [found, added] = codes_.try_emplace(description, codes_.size() + 1);
    if (added) {
      append_uleb(abbreviations_, found->second);
      append(abbreviations_, description);
      append_uleb(abbreviations_, 0);
      append_uleb(abbreviations_, 0);
    }
    append_uleb(info_, found->second);
    append(info_, entry.values);
  }

  // A list of addresses; its offset.
  uint32_t add_list(const std::vector<Range>& ranges, uint16_t version) {
    if (version < 5) {
      const uint64_t offset = size_of("debug_ranges") + ranges_.size();
      for (const auto& [low, high] : ranges)
        append(ranges_, low), append(ranges_, high);
      append(ranges_, uint64_t{0}), append(ranges_, uint64_t{0});
      return static_cast<uint32_t>(offset);
    }
    if (lists_.empty()) { // a table without offsets: its length comes at the end
      append(lists_, uint32_t{0});
      append(lists_, uint16_t{5});
      append(lists_, uint16_t{8}); // bytes of an address, of a segment
      append(lists_, uint32_t{0});
    }
    const uint64_t offset = size_of("debug_rnglists") + lists_.size();
    for (const auto& [low, high] : ranges) {
      lists_.push_back(DW_RLE_start_length);
      append(lists_, low);
      append_uleb(lists_, high - low);
    }
    lists_.push_back(DW_RLE_end_of_list);
    const auto length = static_cast<uint32_t>(lists_.size() - 4);
    std::memcpy(lists_.data(), &length, sizeof length);
    return static_cast<uint32_t>(offset);
  }

  void write_unit(const DebugUnit& unit) {
    const auto table = unit.lines ? new_tables_.find(*unit.lines) : new_tables_.end();
    std::vector<Range> own = moved(unit.ranges);
    std::vector<std::vector<Range>> scopes;
    for (const DebugCall& call : unit.calls)
      scopes.push_back(moved(call.ranges));
    if (own.empty())
      for (const auto& scope : scopes)
        own.insert(own.end(), scope.begin(), scope.end());
    if (own.empty())
      return;
    const uint16_t version = unit.version >= 5 ? 5 : 4; // none before knows offsets of other sections as such
    const uint64_t start = info_.size();
    append(info_, uint32_t{0});
    append(info_, version);
    const auto abbreviations = static_cast<uint32_t>(size_of("debug_abbrev"));
    if (version >= 5) {
      info_.push_back(DW_UT_compile);
      info_.push_back(8);
      append(info_, abbreviations);
    } else {
      append(info_, abbreviations);
      info_.push_back(8);
    }
    Entry entry;
    entry.tag = DW_TAG_compile_unit;
    if (unit.language)
      entry.add(DW_AT_language, DW_FORM_data2, static_cast<uint16_t>(unit.language));
    if (!unit.name.empty())
      entry.add_text(DW_AT_name, unit.name);
    if (!unit.directory.empty())
      entry.add_text(DW_AT_comp_dir, unit.directory);
    if (table != new_tables_.end())
      entry.add(DW_AT_stmt_list, DW_FORM_sec_offset, static_cast<uint32_t>(table->second));
    entry.add(DW_AT_low_pc, DW_FORM_addr, uint64_t{0});
    entry.add(DW_AT_ranges, DW_FORM_sec_offset, add_list(own, version));
    write(entry, true);
    // Entries stand behind the one around them: a list of the children of each. 0: the unit.
    std::vector<std::vector<uint32_t>> children(unit.calls.size() + 1);
    for (uint32_t i = 0; i < unit.calls.size(); ++i)
      if (!scopes[i].empty())
        children[unit.calls[i].around].push_back(i + 1);
    write_children(unit, scopes, children, version, table != new_tables_.end());
    const auto length = static_cast<uint32_t>(info_.size() - start - 4);
    std::memcpy(&info_[start], &length, sizeof length);
    add_addresses(size_of("debug_info") + start, own);
  }

  // Depth first, without recursion: a damaged file may nest them as deep as it likes.
  void write_children(const DebugUnit& unit, const std::vector<std::vector<Range>>& scopes,
                      const std::vector<std::vector<uint32_t>>& children, uint16_t version, bool files) {
    std::vector<std::pair<uint32_t, size_t>> stack{{0, 0}}; // an entry, how many of its children are written
    while (!stack.empty()) {
      auto& [parent, done] = stack.back();
      if (done == children[parent].size()) {
        info_.push_back(0);
        stack.pop_back();
        continue;
      }
      const uint32_t child = children[parent][done++];
      const DebugCall& call = unit.calls[child - 1];
      Entry entry;
      entry.tag = call.function ? DW_TAG_subprogram : DW_TAG_inlined_subroutine;
      if (call.origin)
        entry.add(DW_AT_abstract_origin, DW_FORM_ref_addr, static_cast<uint32_t>(call.origin));
      entry.add(DW_AT_ranges, DW_FORM_sec_offset, add_list(scopes[child - 1], version));
      if (call.file && files)
        entry.add_number(DW_AT_call_file, call.file);
      if (call.line)
        entry.add_number(DW_AT_call_line, call.line);
      if (call.column)
        entry.add_number(DW_AT_call_column, call.column);
      const bool more = !children[child].empty();
      write(entry, more);
      if (more)
        stack.emplace_back(child, 0);
    }
  }

  // Where a file has an index from addresses to units.
  void add_addresses(uint64_t unit, const std::vector<Range>& ranges) {
    const size_t start = addresses_.size();
    constexpr size_t tuple = 16;
    append(addresses_, uint32_t{0});
    append(addresses_, uint16_t{2});
    append(addresses_, static_cast<uint32_t>(unit));
    append(addresses_, uint16_t{8}); // bytes of an address, of a segment
    addresses_.resize(start + align_up(addresses_.size() - start, tuple));
    for (const auto& [low, high] : ranges)
      append(addresses_, low), append(addresses_, high - low);
    append(addresses_, uint64_t{0}), append(addresses_, uint64_t{0});
    const auto length = static_cast<uint32_t>(addresses_.size() - start - 4);
    std::memcpy(&addresses_[start], &length, sizeof length);
  }

  ElfFile& file_;
  const Moves& moves_;
  const llvm::function_ref<bool(Range)> in_code_;
  Contents contents_; // its debug sections alone
  llvm::StringMap<std::string> texts_;
  std::map<uint64_t, uint64_t> new_tables_;                         // in .debug_line: a table, the one of what moved
  std::map<Bytes, uint64_t> codes_;                                 // of abbreviations
  Bytes abbreviations_, info_, lines_, ranges_, lists_, addresses_; // what sections grow by
};

} // namespace

void write_debug_units(ElfFile& file, const Moves& moves, llvm::function_ref<bool(Range)> in_code) {
  Units(file, moves, in_code).run();
}

} // namespace crosslane::codeobject
