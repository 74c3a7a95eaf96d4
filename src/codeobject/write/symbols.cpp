// Dynamic symbols keep their numbers, by which relocations name them; new ones follow. So that those need no sorting,
// the GNU hash table has a single bucket: no loader of code objects reads it, and it must not be wrong. Source: the
// System V ABI, "Symbol Table", "Hash Table"; lld's GnuHashTableSection for the GNU one, which no standard has.
#include "codeobject/write/symbols.h"
#include "codeobject/read/contents.h"
#include <algorithm>

namespace crosslane::codeobject {
namespace {
using namespace llvm::ELF;

struct Table {
  std::vector<Elf64_Sym> symbols;
  Bytes strings;

  std::string_view name_of(const Elf64_Sym& symbol) const {
    if (symbol.st_name >= strings.size())
      return {};
    const std::string_view rest(reinterpret_cast<const char*>(strings.data()) + symbol.st_name,
                                strings.size() - symbol.st_name);
    return rest.substr(0, rest.find('\0'));
  }
  uint32_t add_name(std::string_view name) {
    if (strings.empty())
      strings.push_back(0);
    append_text(strings, name);
    return static_cast<uint32_t>(strings.size() - name.size() - 1);
  }
  bool take(std::span<const uint8_t> table) {
    if (table.size() % sizeof(Elf64_Sym))
      return false;
    symbols.resize(table.size() / sizeof(Elf64_Sym));
    if (!table.empty())
      std::memcpy(symbols.data(), table.data(), table.size());
    return true;
  }
};

Elf64_Sym make_symbol(const ElfFile& file, Table& table, const NewSymbol& from, uint8_t binding, uint8_t visibility) {
  Elf64_Sym symbol{};
  symbol.st_name = table.add_name(from.name);
  symbol.setBindingAndType(binding, from.code ? STT_FUNC : STT_OBJECT);
  symbol.st_other = visibility;
  symbol.st_value = from.address;
  symbol.st_size = from.size;
  // Without section headers any number says that it is defined.
  symbol.st_shndx = static_cast<uint16_t>(file.section_at(from.address).value_or(1));
  return symbol;
}

bool defined(const Elf64_Sym& symbol) { return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE; }

bool names_code(const Elf64_Sym& symbol) {
  return defined(symbol) &&
         (symbol.getType() == STT_FUNC || (symbol.getType() == STT_NOTYPE && symbol.getBinding() != STB_LOCAL));
}

void move(const ElfFile& file, Elf64_Sym& symbol, uint64_t to, uint64_t size) {
  symbol.st_value = to;
  symbol.st_size = size;
  if (const auto section = file.section_at(to))
    symbol.st_shndx = static_cast<uint16_t>(*section);
}

// What must move does; `original` hears of each function as it was. Returns the names that nobody has yet.
std::vector<const NewSymbol*> change(const ElfFile& file, Table& table, const SymbolChanges& changes,
                                     llvm::function_ref<void(std::string_view, const Elf64_Sym&)> original) {
  for (Elf64_Sym& symbol : table.symbols)
    for (const SymbolChanges::Moved& moved : changes.moved)
      if (names_code(symbol) && symbol.st_value == moved.from) {
        original(table.name_of(symbol), symbol);
        move(file, symbol, moved.to, moved.size ? moved.size : uint64_t{symbol.st_size});
        break;
      }
  std::vector<const NewSymbol*> missing;
  for (const NewSymbol& one : changes.global) {
    const auto found = std::ranges::find_if(table.symbols, [&](const Elf64_Sym& symbol) {
      return symbol.getBinding() != STB_LOCAL && defined(symbol) && table.name_of(symbol) == one.name;
    });
    if (found == table.symbols.end()) {
      missing.push_back(&one);
      continue;
    }
    if (found->st_value != one.address && names_code(*found))
      original(one.name, *found);
    move(file, *found, one.address, one.size);
  }
  return missing;
}

uint32_t sysv_hash(std::string_view name) {
  uint32_t h = 0;
  for (const char c : name) {
    h = (h << 4) + static_cast<uint8_t>(c);
    h ^= h >> 24 & 0xf0;
  }
  return h & 0x0fffffff;
}

uint32_t gnu_hash(std::string_view name) {
  uint32_t h = 5381;
  for (const char c : name)
    h = h * 33 + static_cast<uint8_t>(c);
  return h;
}

Bytes sysv_table(const Table& table) {
  const auto count = static_cast<uint32_t>(table.symbols.size());
  std::vector<uint32_t> words(2 + 2 * size_t{count}); // two counts, as many buckets as symbols, the chains
  words[0] = words[1] = count;
  for (uint32_t i = 1; i < count; ++i) {
    uint32_t& bucket = words[2 + sysv_hash(table.name_of(table.symbols[i])) % count];
    words[2 + count + i] = bucket;
    bucket = i;
  }
  Bytes out;
  for (const uint32_t word : words)
    append(out, word);
  return out;
}

// `first`: of the symbols that are in it; those before are undefined.
Bytes gnu_table(const Table& table, uint32_t first) {
  constexpr uint32_t shift = 26;
  const auto count = static_cast<uint32_t>(table.symbols.size());
  const uint64_t filter_words = std::bit_ceil(std::max<uint64_t>(1, uint64_t{count - first} * 12 / 64));
  std::vector<uint64_t> filter(filter_words);
  std::vector<uint32_t> chain;
  for (uint32_t i = first; i < count; ++i) {
    const uint32_t h = gnu_hash(table.name_of(table.symbols[i]));
    filter[h / 64 % filter_words] |= uint64_t{1} << h % 64 | uint64_t{1} << (h >> shift) % 64;
    chain.push_back((h & ~1u) | (i + 1 == count));
  }
  Bytes out;
  append(out, uint32_t{1});
  append(out, first);
  append(out, static_cast<uint32_t>(filter_words));
  append(out, shift);
  for (const uint64_t word : filter)
    append(out, word);
  append(out, first < count ? first : 0u);
  for (const uint32_t word : chain)
    append(out, word);
  return out;
}

// The entries of the dynamic section that lead to symbols, and where their values stand in the file.
class DynamicSection {
public:
  explicit DynamicSection(const ElfFile& file) {
    for (const Elf64_Phdr& p : file.segments) {
      const auto start = p.p_type == PT_DYNAMIC ? file.offset_of(p.p_vaddr, p.p_filesz) : std::nullopt;
      for (uint64_t at = 0; start && at + sizeof(Elf64_Dyn) <= p.p_filesz; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        std::memcpy(&entry, &file.bytes[*start + at], sizeof entry);
        if (entry.d_tag == DT_NULL)
          break;
        entries_[entry.d_tag] = {*start + at + 8, entry.d_un.d_val};
      }
    }
  }
  uint64_t get(int64_t tag) const {
    const auto found = entries_.find(tag);
    return found == entries_.end() ? 0 : found->second.second;
  }
  bool has(int64_t tag) const { return entries_.contains(tag); }
  void set(ElfFile& file, int64_t tag, uint64_t value) const {
    if (const auto found = entries_.find(tag); found != entries_.end() && found->second.second != value)
      file.patch(found->second.first, value);
  }

private:
  std::map<int64_t, std::pair<uint64_t, uint64_t>> entries_; // tag: where the value stands, the value
};

} // namespace

llvm::Expected<std::vector<uint32_t>> write_dynamic_symbols(ElfFile& file, const SymbolChanges& changes,
                                                            Assembled& into) {
  std::vector<uint32_t> sections;
  const DynamicSection dynamic(file);
  const auto damaged = [&](std::string_view what) { return fail(file.name, "dynamic symbols: {}", what); };
  if (!dynamic.get(DT_SYMTAB) || !dynamic.get(DT_STRTAB)) {
    if (changes.global.empty())
      return sections;
    return damaged("there are none, so that no loader could find new ones; link it with ld.lld-19 -shared");
  }
  if (dynamic.has(DT_VERSYM))
    return damaged("they have versions, which are not written here; link it without a version script");
  const auto section_of = [&](uint32_t type, uint64_t address) -> std::optional<uint32_t> {
    for (uint32_t i = 1; i < file.sections.size(); ++i)
      if (file.sections[i].sh_type == type && file.sections[i].sh_addr == address)
        return i;
    return std::nullopt;
  };
  const auto symbol_section = section_of(SHT_DYNSYM, dynamic.get(DT_SYMTAB));
  if (!symbol_section &&
      std::ranges::find(file.sections, uint32_t{SHT_DYNSYM}, &Elf64_Shdr::sh_type) != file.sections.end())
    return damaged("the section is not where the dynamic section says; the file is damaged");
  const uint32_t names = symbol_section ? file.sections[*symbol_section].sh_link : 0;
  if (!dynamic.has(DT_STRSZ) ||
      (symbol_section && (names >= file.sections.size() || file.sections[names].sh_addr != dynamic.get(DT_STRTAB))))
    return damaged("their names are not where the dynamic section says; the file is damaged");
  uint64_t count = 0;
  if (symbol_section)
    count = file.sections[*symbol_section].sh_size / sizeof(Elf64_Sym);
  else if (const auto hash = file.offset_of(dynamic.get(DT_HASH), 8); dynamic.has(DT_HASH) && hash)
    count = load_little<uint32_t>(&file.bytes[*hash + 4]);
  else
    return damaged("neither a section nor a hash table says how many there are");
  const auto table_at = file.offset_of(dynamic.get(DT_SYMTAB), count * sizeof(Elf64_Sym));
  const auto strings_at = file.offset_of(dynamic.get(DT_STRTAB), dynamic.get(DT_STRSZ));
  Table table;
  if (!table_at || !strings_at || !table.take(std::span(file.bytes).subspan(*table_at, count * sizeof(Elf64_Sym))))
    return damaged("they are not in the file");
  table.strings.assign(file.bytes.begin() + static_cast<ptrdiff_t>(*strings_at),
                       file.bytes.begin() + static_cast<ptrdiff_t>(*strings_at + dynamic.get(DT_STRSZ)));
  if (table.symbols.empty())
    table.symbols.push_back({});
  if (!table.strings.empty() && table.strings.back() != 0)
    table.strings.push_back(0);

  for (const NewSymbol* one : change(file, table, changes, [](auto, auto) {}))
    table.symbols.push_back(make_symbol(file, table, *one, STB_GLOBAL, STV_PROTECTED));

  const auto place = [&](int64_t tag, uint32_t type, std::span<const uint8_t> bytes, uint64_t alignment) {
    const auto section = section_of(type, dynamic.get(tag));
    const uint64_t address = into.align(alignment);
    if (section) {
      file.sections[*section].sh_addr = address;
      file.sections[*section].sh_offset = into.bytes.size();
      file.sections[*section].sh_size = bytes.size();
      sections.push_back(*section);
    }
    append(into.bytes, bytes);
    dynamic.set(file, tag, address);
  };
  place(DT_SYMTAB, SHT_DYNSYM,
        {reinterpret_cast<const uint8_t*>(table.symbols.data()), table.symbols.size() * sizeof(Elf64_Sym)}, 8);
  if (dynamic.has(DT_GNU_HASH)) {
    const auto old = file.offset_of(dynamic.get(DT_GNU_HASH), 8);
    const auto first = old ? load_little<uint32_t>(&file.bytes[*old + 4]) : 1;
    place(DT_GNU_HASH, SHT_GNU_HASH,
          gnu_table(table, std::clamp<uint32_t>(first, 1, static_cast<uint32_t>(std::max<uint64_t>(count, 1)))), 8);
  }
  if (dynamic.has(DT_HASH))
    place(DT_HASH, SHT_HASH, sysv_table(table), 4);
  place(DT_STRTAB, SHT_STRTAB, table.strings, 1);
  dynamic.set(file, DT_STRSZ, table.strings.size());
  return sections;
}

llvm::Error write_static_symbols(ElfFile& file, const SymbolChanges& changes) {
  const auto found = std::find_if(file.sections.rbegin(), file.sections.rend(), // of several the last one counts
                                  [](const Elf64_Shdr& s) { return s.sh_type == SHT_SYMTAB; });
  if (found == file.sections.rend() || changes.empty())
    return llvm::Error::success();
  const auto index = static_cast<uint32_t>(file.sections.rend() - found - 1);
  const uint32_t strings = found->sh_link, locals = found->sh_info;
  Table table;
  if (strings == 0 || strings >= file.sections.size() || !table.take(file.contents(index)) ||
      locals > table.symbols.size())
    return fail(file.name, "symbol table: damaged, or without names");
  const std::span<const uint8_t> names = file.contents(strings);
  table.strings.assign(names.begin(), names.end());
  if (!table.strings.empty() && table.strings.back() != 0)
    table.strings.push_back(0);

  std::vector<Elf64_Sym> new_locals, new_globals;
  const auto keep = [&](std::string_view name, const Elf64_Sym& symbol) {
    Elf64_Sym old = symbol;
    old.st_name = table.add_name(std::string(name) + ".original");
    old.setBinding(STB_LOCAL);
    old.st_other = STV_DEFAULT;
    new_locals.push_back(old);
  };
  for (const NewSymbol* one : change(file, table, changes, keep))
    new_globals.push_back(make_symbol(file, table, *one, STB_GLOBAL, STV_PROTECTED));
  for (const NewSymbol& one : changes.local)
    new_locals.push_back(make_symbol(file, table, one, STB_LOCAL, STV_DEFAULT));

  // Local symbols come first, so global ones get other numbers: relocations that a linker kept name them.
  const auto added = static_cast<uint32_t>(new_locals.size());
  for (uint32_t i = 1; i < file.sections.size(); ++i) {
    const Elf64_Shdr& section = file.sections[i];
    if (section.sh_type != SHT_RELA || section.sh_link != index || (section.sh_flags & SHF_ALLOC) || !added)
      continue;
    Bytes& relocations = file.edit(i);
    for (size_t at = 8; at + 16 <= relocations.size(); at += sizeof(Elf64_Rela))
      if (auto info = load_little<uint64_t>(&relocations[at]); info >> 32 >= locals) {
        info += uint64_t{added} << 32;
        std::memcpy(&relocations[at], &info, sizeof info);
      }
  }
  table.symbols.insert(table.symbols.begin() + locals, new_locals.begin(), new_locals.end());
  table.symbols.insert(table.symbols.end(), new_globals.begin(), new_globals.end());
  file.sections[index].sh_info = locals + added;
  const auto* bytes = reinterpret_cast<const uint8_t*>(table.symbols.data());
  file.edit(index).assign(bytes, bytes + table.symbols.size() * sizeof(Elf64_Sym));
  // Names of sections may stand in the same table: what is new went behind what was there.
  file.edit(strings) = std::move(table.strings);
  return llvm::Error::success();
}

} // namespace crosslane::codeobject
