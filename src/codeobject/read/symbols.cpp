// Owns sections and symbols, and the questions asked by address or by name: which function is this, where does it end?
#include "codeobject/read/contents.h"
#include <algorithm>
#include <llvm/BinaryFormat/ELF.h>
#include <tuple>

namespace crosslane::codeobject {
namespace {
using namespace llvm::ELF;

Symbol::Kind classify(const Elf::Elf_Sym& from, std::string_view name, bool version2) {
  if (from.st_shndx == SHN_AMDGPU_LDS)
    return Symbol::Kind::lds;
  switch (from.getType()) {
  case STT_GNU_IFUNC:
    static_assert(STT_AMDGPU_HSA_KERNEL == STT_GNU_IFUNC);
    return version2 ? Symbol::Kind::kernel_descriptor : Symbol::Kind::function;
  case STT_FUNC: return Symbol::Kind::function;
  case STT_OBJECT:
  case STT_COMMON: return name.ends_with(".kd") && !version2 ? Symbol::Kind::kernel_descriptor : Symbol::Kind::object;
  default: return Symbol::Kind::other;
  }
}

// In version 2 one symbol covers an amd_kernel_code_t and the code behind it; here the code gets a symbol of its own.
void add_code_of(Contents& contents, Symbol& kernel) {
  std::span<const uint8_t> bytes = contents.at(kernel.address, 24);
  if (bytes.empty())
    return; // read_descriptors() reports it
  const auto offset = load_little<uint64_t>(&bytes[16]);
  if (offset > contents.image_size || !contents.segment_of(kernel.address + offset, 4))
    return;
  Symbol code = kernel;
  code.kind = Symbol::Kind::function;
  code.address += offset;
  code.size = kernel.size > offset ? kernel.size - offset : 0;
  kernel.size = std::min(kernel.size, offset);
  contents.symbols.push_back(std::move(code));
}

llvm::Error add_symbol(Contents& contents, const Elf::Elf_Sym& from, std::string_view name) {
  if (name.empty() || from.getType() == STT_SECTION || from.getType() == STT_FILE)
    return llvm::Error::success();
  Symbol symbol;
  symbol.name = name;
  symbol.address = from.st_value;
  symbol.size = from.st_size;
  symbol.kind = classify(from, name, contents.version == 2);
  symbol.defined = from.st_shndx != SHN_UNDEF;
  symbol.global = from.getBinding() != STB_LOCAL;
  symbol.weak = from.getBinding() == STB_WEAK;
  symbol.absolute = from.st_shndx == SHN_ABS;
  bool placed =
      symbol.defined && !symbol.absolute && symbol.kind != Symbol::Kind::lds && symbol.kind != Symbol::Kind::other;
  // GCC's linker script leaves marks of size 0 in empty sections, for which no segment makes room.
  if (placed && symbol.size && !inside(symbol.address, symbol.size, contents.image_begin, contents.image_size))
    return fail(
        contents.name, "symbol {} at 0x{:x}, {} bytes: outside of the image (0x{:x} to 0x{:x}); the file is damaged",
        quoted(name), symbol.address, symbol.size, contents.image_begin, contents.image_begin + contents.image_size);
  if (contents.version == 2 && symbol.kind == Symbol::Kind::kernel_descriptor && symbol.defined)
    add_code_of(contents, symbol);
  contents.symbols.push_back(std::move(symbol));
  return llvm::Error::success();
}

// Whatever is wrong with it is of no concern.
void read_comment(Contents& contents, const Elf& elf, const Elf::Elf_Shdr& header) {
  constexpr size_t most = 4096;
  auto bytes = elf.getSectionContents(header);
  if (!bytes)
    return llvm::consumeError(bytes.takeError());
  for (const uint8_t c : bytes->take_front(most))
    if (c || (!contents.comment.empty() && contents.comment.back() != '\n'))
      contents.comment += c ? char(c) : '\n';
}

llvm::Error add_debug_section(Contents& contents, const Elf& elf, const Elf::Elf_Shdr& header, llvm::StringRef name) {
  if (!name.starts_with(".debug_") || header.sh_type == SHT_NOBITS)
    return llvm::Error::success();
  auto bytes = elf.getSectionContents(header);
  if (!bytes)
    return fail_because(contents.name, fmt::format("section {}", quoted(name.str())), bytes.takeError());
  contents.debug_sections.push_back(
      {name.str(), (header.sh_flags & SHF_COMPRESSED) != 0, {bytes->data(), bytes->size()}});
  return llvm::Error::success();
}

// Symbols of a file whose section headers were stripped: the dynamic ones, as many as the hash table says.
llvm::Error read_dynamic_symbols(Contents& contents) {
  const Dynamic& dynamic = contents.dynamic;
  std::span<const uint8_t> hash = contents.at(dynamic.hash, 8);
  if (!dynamic.hash || !dynamic.symbols || hash.empty())
    return llvm::Error::success();
  auto count = load_little<uint32_t>(hash.data() + 4);
  std::span<const uint8_t> table = contents.at(dynamic.symbols, uint64_t{count} * sizeof(Elf64_Sym));
  std::span<const uint8_t> strings = contents.at(dynamic.strings, dynamic.strings_size);
  if (count && table.empty())
    return fail(contents.name, "dynamic symbols at 0x{:x}, {} of them: outside of the file; it is damaged",
                dynamic.symbols, count);
  for (uint32_t i = 0; i < count; ++i) {
    const auto& symbol = *reinterpret_cast<const Elf::Elf_Sym*>(table.data() + i * sizeof(Elf64_Sym));
    if (symbol.st_name >= strings.size())
      return fail(contents.name, "dynamic symbol {}: its name is outside of the string table; the file is damaged", i);
    std::string_view rest(reinterpret_cast<const char*>(strings.data()) + symbol.st_name,
                          strings.size() - symbol.st_name);
    if (llvm::Error error = add_symbol(contents, symbol, rest.substr(0, rest.find('\0'))))
      return error;
  }
  return llvm::Error::success();
}

bool is_code_label(const Symbol& symbol) {
  return symbol.defined && !symbol.absolute &&
         (symbol.kind == Symbol::Kind::function || (symbol.kind == Symbol::Kind::other && symbol.global));
}

} // namespace

const Section* Contents::section_of(uint64_t address) const {
  for (const Section& section : sections)
    if (inside(address, 1, section.address, section.size))
      return &section;
  return nullptr;
}

llvm::Error read_sections(Contents& contents, const Elf& elf) {
  auto headers = elf.sections();
  if (!headers)
    return fail_because(contents.name, "section headers", headers.takeError());
  if (headers->empty())
    return llvm::Error::success();
  auto strings = elf.getSectionStringTable(*headers);
  if (!strings)
    return fail_because(contents.name, "section names", strings.takeError());
  for (size_t i = 0; i < headers->size(); ++i) {
    const Elf::Elf_Shdr& header = (*headers)[i];
    if (header.sh_type == SHT_NULL)
      continue;
    auto name = elf.getSectionName(header, *strings);
    if (!name)
      return fail_because(contents.name, fmt::format("section {}", i), name.takeError());
    if (!(header.sh_flags & SHF_ALLOC)) {
      if (*name == ".comment" && header.sh_type != SHT_NOBITS)
        read_comment(contents, elf, header);
      if (llvm::Error error = add_debug_section(contents, elf, header, *name))
        return error;
      continue;
    }
    Section section{name->str(),
                    header.sh_addr,
                    header.sh_size,
                    (header.sh_flags & SHF_EXECINSTR) != 0,
                    (header.sh_flags & SHF_WRITE) != 0,
                    {}};
    std::string where = fmt::format("section {} ({})", quoted(section.name), i);
    if (section.size && !contents.segment_of(section.address, section.size))
      return fail(contents.name, "{} at 0x{:x}, {} bytes: not within one loaded segment; the file is damaged", where,
                  section.address, section.size);
    if (header.sh_type != SHT_NOBITS) {
      auto bytes = elf.getSectionContents(header);
      if (!bytes)
        return fail_because(contents.name, where, bytes.takeError());
      section.bytes = {bytes->data(), bytes->size()};
    }
    contents.sections.push_back(std::move(section));
  }
  return llvm::Error::success();
}

llvm::Error read_symbols(Contents& contents, const Elf& elf) {
  auto headers = elf.sections();
  if (!headers)
    return fail_because(contents.name, "section headers", headers.takeError());
  const Elf::Elf_Shdr* table = nullptr; // .symtab holds all of .dynsym and the local ones besides
  for (const Elf::Elf_Shdr& header : *headers)
    if (header.sh_type == SHT_SYMTAB || (header.sh_type == SHT_DYNSYM && !table))
      table = &header;
  if (!table) {
    if (llvm::Error error = read_dynamic_symbols(contents))
      return error;
  } else {
    auto symbols = elf.symbols(table);
    if (!symbols)
      return fail_because(contents.name, "symbol table", symbols.takeError());
    auto strings = elf.getStringTableForSymtab(*table, *headers);
    if (!strings)
      return fail_because(contents.name, "symbol names", strings.takeError());
    for (const Elf::Elf_Sym& symbol : *symbols) {
      auto name = symbol.getName(*strings);
      if (!name)
        return fail_because(contents.name, fmt::format("symbol {}", &symbol - symbols->begin()), name.takeError());
      if (llvm::Error error = add_symbol(contents, symbol, {name->data(), name->size()}))
        return error;
    }
  }
  std::sort(contents.symbols.begin(), contents.symbols.end(), [](const Symbol& a, const Symbol& b) {
    return std::tie(a.address, a.kind, a.size, a.name) < std::tie(b.address, b.kind, b.size, b.name);
  });
  for (uint32_t i = 0; i < contents.symbols.size(); ++i) {
    const Symbol& symbol = contents.symbols[i];
    auto [at, inserted] = contents.symbol_index.emplace(symbol.name, i);
    if (!inserted && symbol.global && !contents.symbols[at->second].global)
      at->second = i; // a local symbol does not hide a global one of the same name
  }
  return llvm::Error::success();
}

const Symbol* CodeObject::find_symbol(std::string_view name) const {
  auto found = impl_->symbol_index.find(name);
  return found == impl_->symbol_index.end() ? nullptr : &impl_->symbols[found->second];
}

const Symbol* CodeObject::symbol_at(uint64_t address) const {
  const Section* section = impl_->section_of(address);
  if (!section)
    return nullptr;
  const std::vector<Symbol>& symbols = impl_->symbols;
  auto after = std::upper_bound(symbols.begin(), symbols.end(), address,
                                [](uint64_t value, const Symbol& symbol) { return value < symbol.address; });
  const Symbol* nearest = nullptr;
  // Backwards from the last one that starts at or before the address. One that covers it wins over a nearer label
  // inside of it; nothing reaches over a whole sized symbol that ends before the address.
  for (auto at = after; at != symbols.begin();) {
    --at;
    if (at->address < section->address)
      break;
    if (!at->defined || at->absolute || at->kind == Symbol::Kind::lds)
      continue;
    if (at->size && address - at->address < at->size)
      return &*at;
    if (at->size) {
      if (nearest && nearest->address - at->address < at->size)
        return nullptr; // a label inside of what has ended: this is padding
      break;
    }
    if (!nearest)
      nearest = &*at;
  }
  return nearest;
}

std::vector<Function> CodeObject::functions() const {
  std::vector<Function> result;
  for (const Section& section : impl_->sections) {
    if (!section.executable || !section.size)
      continue;
    const uint64_t section_end = section.address + section.size;
    size_t first = result.size();
    std::vector<const Symbol*> starts;
    for (const Symbol& symbol : impl_->symbols)
      if (is_code_label(symbol) && inside(symbol.address, 1, section.address, section.size))
        starts.push_back(&symbol);
    // Of several at one address, the function that has a size names it.
    std::sort(starts.begin(), starts.end(), [](const Symbol* a, const Symbol* b) {
      auto rank = [](const Symbol* s) {
        return std::tuple(s->address, s->kind, s->size == 0, std::string_view(s->name));
      };
      return rank(a) < rank(b);
    });
    for (size_t i = 0; i < starts.size(); ++i) {
      const Symbol& symbol = *starts[i];
      if (result.size() > first && symbol.address < result.back().end)
        continue; // an alias, or a label inside a function
      uint64_t end = section_end;
      for (size_t next = i + 1; next < starts.size() && end == section_end; ++next)
        if (starts[next]->address > symbol.address)
          end = starts[next]->address;
      if (symbol.size)
        end = symbol.address + std::min(symbol.size, section_end - symbol.address);
      result.push_back({symbol.name, symbol.address, end, false});
    }
    if (result.size() == first)
      result.push_back({section.name, section.address, section_end, false});
  }
  std::sort(result.begin(), result.end(), [](const Function& a, const Function& b) { return a.begin < b.begin; });
  for (const Kernel& kernel : impl_->kernels) {
    auto found = std::lower_bound(result.begin(), result.end(), kernel.entry,
                                  [](const Function& function, uint64_t entry) { return function.begin < entry; });
    if (found != result.end() && found->begin == kernel.entry)
      found->kernel = true;
  }
  // Where a kernel began before write() led it elsewhere (codeobject/write.h): nothing calls that.
  constexpr std::string_view before = ".original";
  for (Function& function : result)
    if (function.name.ends_with(before) &&
        impl_->kernel_index.contains(function.name.substr(0, function.name.size() - before.size())))
      function.kernel = true;
  return result;
}

} // namespace crosslane::codeobject
