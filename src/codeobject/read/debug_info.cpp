// Units, abbreviations, entries, ranges. Everything is read through Reader, which ends where its section or unit ends;
// what could be asked for again and again by a few bytes has a limit.
#include "codeobject/debug_info.h"
#include <algorithm>
#include <llvm/BinaryFormat/Dwarf.h>
#include <unordered_map>

namespace crosslane::codeobject {
namespace {

using namespace llvm::dwarf;

struct Attribute {
  uint64_t name = 0, form = 0;
  int64_t implicit = 0; // of DW_FORM_implicit_const
};

struct Abbreviation {
  uint64_t tag = 0;
  bool children = false;
  size_t first = 0, last = 0; // in Abbreviations::attributes
};

struct Abbreviations {
  std::unordered_map<uint64_t, Abbreviation> by_code;
  std::vector<Attribute> attributes;
  bool sound = false;
};

struct Value {
  uint64_t form = 0; // 0: the entry does not have it
  uint64_t number = 0, more = 0;
  llvm::StringRef text;
};

// Of what a system opens. Many units may share one text of megabytes.
constexpr size_t longest_directory = 4096;

// What the forms of a unit depend on.
struct Layout {
  uint16_t version = 0;
  uint8_t offset_size = 4;
};

// False: a form that nobody knows, so that where the next value starts is not known either.
bool read_value(Reader& at, uint64_t form, int64_t implicit, const Layout& layout, Value& value) {
  while (form == DW_FORM_indirect && at) {
    form = at.uleb();
    if (form == DW_FORM_implicit_const)
      return false;
  }
  value.form = form;
  switch (form) {
  case DW_FORM_flag_present: value.number = 1; return true;
  case DW_FORM_implicit_const: value.number = static_cast<uint64_t>(implicit); return true;
  case DW_FORM_data1:
  case DW_FORM_flag:
  case DW_FORM_ref1:
  case DW_FORM_strx1:
  case DW_FORM_addrx1: value.number = at.number(1); return true;
  case DW_FORM_data2:
  case DW_FORM_ref2:
  case DW_FORM_strx2:
  case DW_FORM_addrx2: value.number = at.number(2); return true;
  case DW_FORM_strx3:
  case DW_FORM_addrx3: value.number = at.number(3); return true;
  case DW_FORM_data4:
  case DW_FORM_ref4:
  case DW_FORM_ref_sup4:
  case DW_FORM_strx4:
  case DW_FORM_addrx4: value.number = at.number(4); return true;
  case DW_FORM_addr:
  case DW_FORM_data8:
  case DW_FORM_ref8:
  case DW_FORM_ref_sup8:
  case DW_FORM_ref_sig8: value.number = at.number(8); return true;
  case DW_FORM_data16: at.skip(16); return true;
  case DW_FORM_udata:
  case DW_FORM_ref_udata:
  case DW_FORM_strx:
  case DW_FORM_addrx:
  case DW_FORM_loclistx:
  case DW_FORM_rnglistx:
  case DW_FORM_GNU_addr_index:
  case DW_FORM_GNU_str_index: value.number = at.uleb(); return true;
  case DW_FORM_sdata: value.number = static_cast<uint64_t>(at.sleb()); return true;
  case DW_FORM_LLVM_addrx_offset:
    value.number = at.uleb();
    value.more = at.number(4);
    return true;
  case DW_FORM_sec_offset:
  case DW_FORM_strp:
  case DW_FORM_line_strp:
  case DW_FORM_strp_sup:
  case DW_FORM_GNU_ref_alt:
  case DW_FORM_GNU_strp_alt: value.number = at.number(layout.offset_size); return true;
  case DW_FORM_ref_addr: value.number = at.number(layout.version <= 2 ? 8 : layout.offset_size); return true;
  case DW_FORM_string: value.text = at.text(); return true;
  case DW_FORM_block1: at.skip(at.number(1)); return true;
  case DW_FORM_block2: at.skip(at.number(2)); return true;
  case DW_FORM_block4: at.skip(at.number(4)); return true;
  case DW_FORM_block:
  case DW_FORM_exprloc: at.skip(at.uleb()); return true;
  default: return false;
  }
}

std::optional<uint64_t> constant(const Value& value) {
  switch (value.form) {
  case DW_FORM_data1:
  case DW_FORM_data2:
  case DW_FORM_data4:
  case DW_FORM_data8:
  case DW_FORM_udata: return value.number;
  case DW_FORM_sdata:
  case DW_FORM_implicit_const:
    if (static_cast<int64_t>(value.number) >= 0)
      return value.number;
    return std::nullopt;
  default: return std::nullopt;
  }
}

// Before version 4 there was no form for them alone.
std::optional<uint64_t> section_offset(const Value& value) {
  if (value.form == DW_FORM_sec_offset || value.form == DW_FORM_data4 || value.form == DW_FORM_data8)
    return value.number;
  return std::nullopt;
}

// The values of one entry that matter here.
struct Entry {
  Value low, high, entry_pc, ranges, file, line, column;
  Value lines, directory, address_base, string_base, range_base;
  Value name, language, origin;
  Value* wanted(uint64_t attribute) {
    switch (attribute) {
    case DW_AT_low_pc: return &low;
    case DW_AT_high_pc: return &high;
    case DW_AT_entry_pc: return &entry_pc;
    case DW_AT_ranges: return &ranges;
    case DW_AT_call_file: return &file;
    case DW_AT_call_line: return &line;
    case DW_AT_call_column: return &column;
    case DW_AT_stmt_list: return &lines;
    case DW_AT_comp_dir: return &directory;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base: return &address_base;
    case DW_AT_str_offsets_base: return &string_base;
    case DW_AT_rnglists_base: return &range_base;
    case DW_AT_name: return &name;
    case DW_AT_language: return &language;
    case DW_AT_abstract_origin: return &origin;
    default: return nullptr;
    }
  }
};

// Whatever the bytes, the work is a small multiple of their number.
struct Budget {
  uint64_t attributes, abbreviations, ranges;
};

class InfoReader {
public:
  InfoReader(const DebugSections& sections, Want want)
      : sections_(sections), want_(want), info_(sections.get("debug_info")),
        // A value of no bytes costs time all the same; abbreviations and lists may overlap or be asked for by all.
        budget_{16 * uint64_t{info_.size()} + 4096, uint64_t{sections.get("debug_abbrev").size()},
                uint64_t{sections.get("debug_ranges").size()} + sections.get("debug_rnglists").size() + 65536} {}

  DebugInfo read() {
    result_.problem = sections_.problem();
    for (uint64_t offset = 0; offset < info_.size();)
      offset = read_unit(offset);
    return std::move(result_);
  }

private:
  // False, and why.
  bool damaged(uint64_t at, std::string_view what) {
    if (result_.problem.empty())
      result_.problem = fmt::format(".debug_info at {:#x}: {}", at, what);
    return false;
  }

  // The offset of the next unit, which a damaged one can still have.
  uint64_t read_unit(uint64_t start) {
    Reader at(info_, start);
    layout_ = {};
    start_ = start;
    uint64_t length = at.number(4);
    if (length == DW_LENGTH_DWARF64) {
      layout_.offset_size = 8;
      length = at.number(8);
    }
    if (!at || !inside(at.offset(), length, 0, info_.size())) {
      damaged(start, "the unit is longer than the section");
      return info_.size();
    }
    end_ = at.offset() + length;
    layout_.version = static_cast<uint16_t>(at.number(2));
    uint64_t type = DW_UT_compile, abbreviations = 0, address_size = 0;
    if (layout_.version >= 5) {
      type = at.number(1);
      address_size = at.number(1);
      abbreviations = at.number(layout_.offset_size);
    } else {
      abbreviations = at.number(layout_.offset_size);
      address_size = at.number(1);
    }
    if (type == DW_UT_skeleton || type == DW_UT_split_compile)
      at.skip(8);
    DebugUnit unit;
    if (layout_.version < 2 || layout_.version > 5)
      damaged(start, fmt::format("version {} is not known", layout_.version));
    else if (address_size != 8)
      damaged(start, fmt::format("addresses of {} bytes", address_size));
    else if (type == DW_UT_type || type == DW_UT_split_type)
      return end_; // of types alone
    else if (read_entries(at.offset(), abbreviations_at(abbreviations), unit))
      result_.units.push_back(std::move(unit));
    return end_;
  }

  const Abbreviations& abbreviations_at(uint64_t offset) {
    const auto [entry, added] = abbreviations_.try_emplace(offset);
    if (added)
      read_abbreviations(offset, entry->second);
    return entry->second;
  }

  void read_abbreviations(uint64_t offset, Abbreviations& set) {
    Reader at(sections_.get("debug_abbrev"), offset);
    while (at) {
      const uint64_t code = at.uleb();
      if (code == 0)
        break;
      Abbreviation one{at.uleb(), at.number(1) != 0, set.attributes.size(), 0};
      while (at && budget_.abbreviations) {
        --budget_.abbreviations;
        Attribute attribute{at.uleb(), at.uleb()};
        if (attribute.form == DW_FORM_implicit_const)
          attribute.implicit = at.sleb();
        if (attribute.name == 0 && attribute.form == 0)
          break;
        set.attributes.push_back(attribute);
      }
      if (!budget_.abbreviations)
        return;
      one.last = set.attributes.size();
      set.by_code.try_emplace(code, one);
    }
    set.sound = static_cast<bool>(at);
  }

  bool read_entry(uint64_t start, Reader& at, const Abbreviations& set, const Abbreviation& kind, Entry* entry) {
    for (size_t i = kind.first; i < kind.last; ++i) {
      const Attribute& attribute = set.attributes[i];
      Value unused, *value = entry ? entry->wanted(attribute.name) : nullptr;
      if (!budget_.attributes--)
        return ++budget_.attributes, damaged(start, "more attributes than bytes");
      if (!read_value(at, attribute.form, attribute.implicit, layout_, value ? *value : unused))
        return damaged(start, fmt::format("form {:#x} is not known", attribute.form));
      if (!at)
        return damaged(start, "an attribute does not end before its unit does");
    }
    return true;
  }

  bool read_entries(uint64_t start, const Abbreviations& set, DebugUnit& unit) {
    if (!set.sound)
      return damaged(start, "its abbreviations are not in .debug_abbrev, or do not end");
    Reader at(info_.take_front(end_), start);
    std::vector<uint32_t> around; // of every entry whose children are being read: the call that it is part of
    bool first = true;
    while (!at.ended() && (first || (want_ != Want::units && !around.empty()))) {
      const uint64_t where = at.offset(), code = at.uleb();
      if (!at)
        return damaged(where, "an entry does not end before its unit does");
      if (code == 0) {
        if (!around.empty())
          around.pop_back();
        continue;
      }
      const auto kind = set.by_code.find(code);
      if (kind == set.by_code.end())
        return damaged(where, fmt::format("abbreviation {} is not declared", code));
      const bool function = want_ == Want::functions && kind->second.tag == DW_TAG_subprogram;
      const bool scope = function || kind->second.tag == DW_TAG_inlined_subroutine;
      Entry entry;
      if (!read_entry(where, at, set, kind->second, first || scope ? &entry : nullptr))
        return false;
      uint32_t call = around.empty() ? 0 : around.back();
      if (first ? !begin(where, entry, unit) : scope && !add_call(where, entry, function, call, unit))
        return false;
      if (kind->second.children)
        around.push_back(call);
      first = false;
    }
    return true;
  }

  // What the unit's own entry says.
  bool begin(uint64_t where, const Entry& entry, DebugUnit& unit) {
    // Where a unit of version 5 does not say, the lists start behind the first header of the section.
    const uint64_t header = layout_.offset_size == 8 ? 20 : 12;
    address_base_ = section_offset(entry.address_base);
    string_base_ = section_offset(entry.string_base).value_or(layout_.version >= 5 ? header - 4 : 0);
    range_base_ = section_offset(entry.range_base).value_or(header);
    base_ = 0;
    base_ = address(entry.low).value_or(address(entry.entry_pc).value_or(0));
    unit.lines = section_offset(entry.lines);
    unit.directory = text(entry.directory);
    if (want_ != Want::functions)
      return true;
    unit.version = layout_.version;
    unit.name = text(entry.name);
    unit.language = constant(entry.language).value_or(0);
    return take_ranges(where, entry, unit.ranges);
  }

  bool take_ranges(uint64_t where, const Entry& entry, std::vector<std::pair<uint64_t, uint64_t>>& ranges) {
    if (const auto low = address(entry.low), high = end_of(entry.high, low); low && high)
      ranges.emplace_back(*low, *high);
    else if (entry.ranges.form && !read_ranges(entry.ranges, ranges))
      return damaged(where, "its list of addresses does not end, or is not there");
    return true;
  }

  // Where in .debug_info a reference leads; 0: to another file, or nowhere.
  uint64_t reference(const Value& value) const {
    switch (value.form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata: return value.number < end_ - start_ ? start_ + value.number : 0;
    case DW_FORM_ref_addr: return value.number < info_.size() ? value.number : 0;
    default: return 0;
    }
  }

  bool add_call(uint64_t where, const Entry& entry, bool function, uint32_t& call, DebugUnit& unit) {
    DebugCall one;
    one.around = function ? 0 : call;
    one.function = function;
    one.origin = reference(entry.origin);
    if (function && !one.origin)
      one.origin = where;
    one.file = static_cast<uint32_t>(constant(entry.file).value_or(0));
    one.line = static_cast<uint32_t>(constant(entry.line).value_or(0));
    one.column = static_cast<uint32_t>(constant(entry.column).value_or(0));
    if (!take_ranges(where, entry, one.ranges))
      return false;
    unit.calls.push_back(std::move(one));
    call = static_cast<uint32_t>(unit.calls.size());
    return true;
  }

  std::optional<uint64_t> indexed_address(uint64_t index) const {
    const llvm::StringRef table = sections_.get("debug_addr");
    if (!address_base_ || index > table.size())
      return std::nullopt;
    Reader at(table, *address_base_ + 8 * index);
    const uint64_t value = at.number(8);
    return at ? std::optional(value) : std::nullopt;
  }

  std::optional<uint64_t> address(const Value& value) const {
    switch (value.form) {
    case DW_FORM_addr: return value.number;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index: return indexed_address(value.number);
    case DW_FORM_LLVM_addrx_offset:
      if (const auto start = indexed_address(value.number))
        return *start + value.more;
      return std::nullopt;
    default: return std::nullopt;
    }
  }

  std::optional<uint64_t> end_of(const Value& high, std::optional<uint64_t> low) const {
    if (const auto end = address(high))
      return end;
    if (const auto size = constant(high); size && low)
      return *low + *size;
    return std::nullopt;
  }

  std::string text(const Value& value) const {
    uint64_t offset = value.number;
    switch (value.form) {
    case DW_FORM_string: return value.text.size() <= longest_directory ? value.text.str() : std::string();
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index: {
      const llvm::StringRef table = sections_.get("debug_str_offsets");
      if (offset > table.size())
        return {};
      Reader at(table, string_base_ + layout_.offset_size * offset);
      offset = at.number(layout_.offset_size);
      if (!at)
        return {};
      [[fallthrough]];
    }
    case DW_FORM_strp:
    case DW_FORM_line_strp: {
      Reader at(sections_.get(value.form == DW_FORM_line_strp ? "debug_line_str" : "debug_str"), offset);
      const llvm::StringRef result = at.text();
      return at && result.size() <= longest_directory ? result.str() : std::string();
    }
    default: return {};
    }
  }

  bool read_ranges(const Value& value, std::vector<std::pair<uint64_t, uint64_t>>& ranges) {
    if (layout_.version < 5) {
      const auto offset = section_offset(value);
      return offset && read_old_list(*offset, ranges);
    }
    uint64_t offset = value.number;
    if (value.form == DW_FORM_rnglistx) {
      const llvm::StringRef lists = sections_.get("debug_rnglists");
      if (offset > lists.size())
        return false;
      Reader table(lists, range_base_ + layout_.offset_size * offset);
      offset = range_base_ + table.number(layout_.offset_size);
      if (!table)
        return false;
    } else if (!section_offset(value)) {
      return false;
    }
    return read_list(offset, ranges);
  }

  bool read_old_list(uint64_t offset, std::vector<std::pair<uint64_t, uint64_t>>& ranges) {
    uint64_t base = base_;
    for (Reader at(sections_.get("debug_ranges"), offset); budget_.ranges; --budget_.ranges) {
      const uint64_t low = at.number(8), high = at.number(8);
      if (!at)
        return false;
      if (low == 0 && high == 0)
        return true;
      if (low == UINT64_MAX)
        base = high;
      else
        ranges.emplace_back(base + low, base + high);
    }
    return false;
  }

  bool read_list(uint64_t offset, std::vector<std::pair<uint64_t, uint64_t>>& ranges) {
    uint64_t base = base_;
    for (Reader at(sections_.get("debug_rnglists"), offset); budget_.ranges; --budget_.ranges) {
      const uint64_t kind = at.number(1);
      if (!at)
        return false;
      // An address that is not in the table is no reason to give up the others.
      std::optional<uint64_t> low, high;
      switch (kind) {
      case DW_RLE_end_of_list: return true;
      case DW_RLE_base_addressx: base = indexed_address(at.uleb()).value_or(base); break;
      case DW_RLE_base_address: base = at.number(8); break;
      case DW_RLE_startx_endx:
        low = indexed_address(at.uleb());
        high = indexed_address(at.uleb());
        break;
      case DW_RLE_startx_length:
        low = indexed_address(at.uleb());
        high = low.value_or(0) + at.uleb();
        break;
      case DW_RLE_offset_pair:
        low = base + at.uleb();
        high = base + at.uleb();
        break;
      case DW_RLE_start_end:
        low = at.number(8);
        high = at.number(8);
        break;
      case DW_RLE_start_length:
        low = at.number(8);
        high = *low + at.uleb();
        break;
      default: return false;
      }
      if (low && high)
        ranges.emplace_back(*low, *high);
    }
    return false;
  }

  const DebugSections& sections_;
  const Want want_;
  const llvm::StringRef info_;
  Budget budget_;
  DebugInfo result_;
  std::unordered_map<uint64_t, Abbreviations> abbreviations_; // by offset
  // Of the unit being read:
  Layout layout_;
  uint64_t start_ = 0, end_ = 0;
  std::optional<uint64_t> address_base_;
  uint64_t string_base_ = 0, range_base_ = 0, base_ = 0;
};

} // namespace

DebugInfo read_debug_info(const DebugSections& sections, Want want) { return InfoReader(sections, want).read(); }

} // namespace crosslane::codeobject
