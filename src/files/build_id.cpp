// Source: ELF's notes (NT_GNU_BUILD_ID).
#include "files/build_id.h"
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <span>
#include <unistd.h>

namespace crosslane::files {

namespace {

std::span<const uint8_t> build_id_in(std::span<const uint8_t> notes) {
  const auto padded = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const size_t name = sizeof note, description = name + padded(note.n_namesz);
    const size_t end = description + padded(note.n_descsz);
    if (end > notes.size() || description < name || end < description)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !std::memcmp(&notes[name], "GNU", 4))
      return notes.subspan(description, note.n_descsz);
    notes = notes.subspan(end);
  }
  return {};
}

std::vector<uint8_t> read_at(int file, uint64_t offset, size_t bytes) {
  std::vector<uint8_t> out(bytes);
  if (pread(file, out.data(), bytes, off_t(offset)) != ssize_t(bytes))
    out.clear();
  return out;
}

constexpr size_t most_notes = 64 << 10;

std::vector<uint8_t> build_id_in_file(int file) {
  ElfW(Ehdr) header;
  const auto begin = read_at(file, 0, sizeof header);
  if (begin.empty())
    return {};
  std::memcpy(&header, begin.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)))
    return {};
  const auto segments = read_at(file, header.e_phoff, header.e_phnum * sizeof(ElfW(Phdr)));
  for (size_t at = 0; at < segments.size(); at += sizeof(ElfW(Phdr))) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, &segments[at], sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_filesz > most_notes)
      continue;
    const auto notes = read_at(file, segment.p_offset, segment.p_filesz);
    if (const auto id = build_id_in(notes); !id.empty())
      return {id.begin(), id.end()};
  }
  return {};
}

struct Search {
  uint64_t address;            // in the object that is meant
  std::span<const uint8_t> id; // nothing is allocated while the list of objects is locked: malloc() may walk it too
};

int look_at(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
  bool is_meant = false;
  for (const auto& s : segments)
    is_meant |= s.p_type == PT_LOAD && search.address - (object->dlpi_addr + s.p_vaddr) < s.p_memsz;
  if (!is_meant)
    return 0;
  for (const auto& s : segments)
    if (s.p_type == PT_NOTE && search.id.empty())
      search.id = build_id_in({reinterpret_cast<const uint8_t*>(object->dlpi_addr + s.p_vaddr), s.p_memsz});
  return 1;
}

} // namespace

std::vector<uint8_t> build_id_at(const void* address) {
  Search search{reinterpret_cast<uint64_t>(address), {}};
  dl_iterate_phdr(look_at, &search);
  return {search.id.begin(), search.id.end()};
}

std::vector<uint8_t> build_id_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  auto id = build_id_in_file(file);
  close(file);
  return id;
}

} // namespace crosslane::files
