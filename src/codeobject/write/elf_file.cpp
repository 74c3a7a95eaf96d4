// Reading the tables, placing what is new, writing the tables. What damaged input could do is checked here; sections
// and segments of a code object that was read are in the file.
#include "codeobject/write/elf_file.h"
#include "codeobject/read/contents.h"
#include <algorithm>
#include <llvm/Support/LEB128.h>

namespace crosslane::codeobject {
using namespace llvm::ELF;

void append_uleb(Bytes& to, uint64_t value) {
  uint8_t buffer[16];
  append(to, std::span(buffer, llvm::encodeULEB128(value, buffer)));
}

void append_sleb(Bytes& to, int64_t value) {
  uint8_t buffer[16];
  append(to, std::span(buffer, llvm::encodeSLEB128(value, buffer)));
}

llvm::Expected<ElfFile> ElfFile::read(std::span<const uint8_t> bytes, std::string name) {
  ElfFile file;
  file.name = std::move(name);
  if (bytes.size() < sizeof(Elf64_Ehdr))
    return fail(file.name, "ELF header: the file ends after {} bytes", bytes.size());
  file.bytes.assign(bytes.begin(), bytes.end());
  file.input_size = bytes.size();
  Elf64_Ehdr& header = file.header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto table = [&](uint64_t offset, uint64_t count, auto& entries) {
    if (!inside(offset, count * sizeof entries[0], 0, bytes.size()))
      return false;
    entries.resize(count);
    std::memcpy(entries.data(), bytes.data() + offset, count * sizeof entries[0]);
    return true;
  };
  if (header.e_phnum == UINT16_MAX || (header.e_phnum && header.e_phentsize != sizeof(Elf64_Phdr)) ||
      !table(header.e_phoff, header.e_phnum, file.segments))
    return fail(file.name, "program headers: they are not in the file");
  constexpr uint64_t highest = uint64_t{1} << 62; // beyond what any processor has
  for (const Elf64_Phdr& p : file.segments)
    if (p.p_type == PT_LOAD && (!inside(p.p_offset, p.p_filesz, 0, bytes.size()) || p.p_filesz > p.p_memsz ||
                                !inside(p.p_vaddr, p.p_memsz, 0, highest)))
      return fail(file.name,
                  "program headers: the segment at 0x{:x} is not in the file, or not in memory; the file is damaged",
                  p.p_vaddr);
  if (header.e_shoff && (!header.e_shnum || header.e_shstrndx >= SHN_LORESERVE))
    return fail(file.name, "section headers: more than {} of them cannot be written", SHN_LORESERVE - 1);
  if (header.e_shoff &&
      (header.e_shentsize != sizeof(Elf64_Shdr) || !table(header.e_shoff, header.e_shnum, file.sections)))
    return fail(file.name, "section headers: they are not in the file");
  for (uint32_t i = 0; i < file.sections.size(); ++i)
    if (const Elf64_Shdr& s = file.sections[i];
        s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL && !inside(s.sh_offset, s.sh_size, 0, bytes.size()))
      return fail(file.name, "section {} at file offset 0x{:x}, {} bytes: reaches past the end of the file", i,
                  s.sh_offset, s.sh_size);
  return file;
}

std::span<const uint8_t> ElfFile::contents(uint32_t section) const {
  if (const auto found = edited.find(section); found != edited.end())
    return found->second;
  if (section >= sections.size())
    return {};
  const Elf64_Shdr& s = sections[section];
  if (s.sh_type == SHT_NOBITS || s.sh_type == SHT_NULL)
    return {};
  return std::span(bytes).subspan(s.sh_offset, s.sh_size);
}

std::string_view ElfFile::section_name(uint32_t section) const {
  const std::span<const uint8_t> names = contents(header.e_shstrndx);
  const uint32_t at = sections[section].sh_name;
  if (header.e_shstrndx == 0 || at >= names.size())
    return {};
  const std::string_view rest(reinterpret_cast<const char*>(names.data()) + at, names.size() - at);
  return rest.substr(0, rest.find('\0'));
}

std::optional<uint32_t> ElfFile::find_section(std::string_view wanted) const {
  for (uint32_t i = 1; i < sections.size(); ++i)
    if (section_name(i) == wanted)
      return i;
  return std::nullopt;
}

std::optional<uint32_t> ElfFile::section_at(uint64_t address) const {
  for (uint32_t i = 1; i < sections.size(); ++i)
    if ((sections[i].sh_flags & SHF_ALLOC) && inside(address, 1, sections[i].sh_addr, sections[i].sh_size))
      return i;
  return std::nullopt;
}

std::optional<uint64_t> ElfFile::offset_of(uint64_t address, uint64_t size) const {
  for (const Elf64_Phdr& p : segments)
    if (p.p_type == PT_LOAD && inside(address, size, p.p_vaddr, p.p_filesz))
      return p.p_offset + (address - p.p_vaddr);
  return std::nullopt;
}

uint64_t ElfFile::end_of_memory() const {
  uint64_t end = 0;
  for (const Elf64_Phdr& p : segments)
    if (p.p_type == PT_LOAD)
      end = std::max(end, p.p_vaddr + p.p_memsz);
  return end;
}

void ElfFile::patch(uint64_t offset, std::span<const uint8_t> with) {
  const auto at = bytes.begin() + static_cast<ptrdiff_t>(offset);
  journal.push_back({offset, Bytes(at, at + static_cast<ptrdiff_t>(with.size()))});
  std::ranges::copy(with, at);
}

uint32_t ElfFile::add_section(std::string_view section, Elf64_Shdr described) {
  if (sections.empty())
    return 0;
  if (header.e_shstrndx == 0) { // a file whose sections have no names
    Elf64_Shdr table{};
    table.sh_type = SHT_STRTAB, table.sh_addralign = 1;
    header.e_shstrndx = static_cast<uint16_t>(sections.size());
    sections.push_back(table);
    edited[header.e_shstrndx] = {0};
    const std::string_view own = ".shstrtab";
    sections.back().sh_name = 1;
    append_text(edited[header.e_shstrndx], own);
  }
  Bytes& names = edit(header.e_shstrndx);
  described.sh_name = static_cast<uint32_t>(names.size());
  append_text(names, section);
  sections.push_back(described);
  return static_cast<uint32_t>(sections.size() - 1);
}

Bytes& ElfFile::edit(uint32_t section) {
  const auto found = edited.find(section);
  if (found != edited.end())
    return found->second;
  const std::span<const uint8_t> now = contents(section);
  return edited.emplace(section, Bytes(now.begin(), now.end())).first->second;
}

uint64_t ElfFile::add_load(uint64_t address, uint64_t memory_size, std::span<const uint8_t> contents, uint32_t flags) {
  // Offset and address agree modulo the page, as they must where a file is mapped.
  uint64_t offset = bytes.size() / page * page + address % page;
  if (contents.empty())
    offset -= offset > bytes.size() ? page : 0;
  else
    offset += offset < bytes.size() ? page : 0;
  Elf64_Phdr load{};
  load.p_type = PT_LOAD, load.p_flags = flags, load.p_offset = offset, load.p_align = page;
  load.p_vaddr = load.p_paddr = address;
  load.p_filesz = contents.size(), load.p_memsz = memory_size;
  auto at = segments.end();
  while (at != segments.begin() && std::prev(at)->p_type != PT_LOAD)
    --at;
  segments.insert(at, load);
  if (!contents.empty()) {
    bytes.resize(offset);
    append(bytes, contents);
  }
  return offset;
}

llvm::Error ElfFile::finish() {
  if (sections.size() >= SHN_LORESERVE || segments.size() >= UINT16_MAX)
    return fail(name, "{} sections and {} segments: more than an ELF header can count", sections.size(),
                segments.size());
  for (const auto& [index, contents] : edited) {
    Elf64_Shdr& section = sections[index];
    bytes.resize(align_up(bytes.size(), std::clamp<uint64_t>(section.sh_addralign, 1, page)));
    section.sh_offset = bytes.size();
    section.sh_size = contents.size();
    append(bytes, contents);
  }
  if (!sections.empty()) {
    bytes.resize(align_up(bytes.size(), alignof(Elf64_Shdr)));
    header.e_shoff = bytes.size();
    header.e_shnum = static_cast<uint16_t>(sections.size());
    for (const Elf64_Shdr& section : sections)
      append(bytes, section);
  }
  header.e_phnum = static_cast<uint16_t>(segments.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  return llvm::Error::success();
}

} // namespace crosslane::codeobject
