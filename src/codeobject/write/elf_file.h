// Owns an ELF file that grows: its headers as they will be, what is appended, and the bytes that were changed in place.
// Not for other layers.
#pragma once
#include "codeobject/code_object.h"
#include <bit>
#include <cstring>
#include <llvm/BinaryFormat/ELF.h>
#include <map>

namespace crosslane::codeobject {

static_assert(std::endian::native == std::endian::little, "ELF headers are copied as they are");

using Bytes = std::vector<uint8_t>;

inline uint64_t align_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

template <class T>
  requires(std::is_trivially_copyable_v<T> && !std::is_convertible_v<const T&, std::span<const uint8_t>>)
void append(Bytes& to, const T& value) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof(T));
}
inline void append(Bytes& to, std::span<const uint8_t> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }
inline void append_text(Bytes& to, std::string_view text) { // with its zero
  to.insert(to.end(), text.begin(), text.end());
  to.push_back(0);
}
void append_uleb(Bytes& to, uint64_t value);
void append_sleb(Bytes& to, int64_t value);

// A stretch of the input as it was before it was changed.
struct Patch {
  uint64_t offset = 0;
  Bytes before;
};

struct ElfFile {
  static constexpr uint64_t page = 4096;

  std::string name;
  Bytes bytes;
  uint64_t input_size = 0;
  llvm::ELF::Elf64_Ehdr header;
  std::vector<llvm::ELF::Elf64_Phdr> segments;
  std::vector<llvm::ELF::Elf64_Shdr> sections; // empty: the file has no section headers
  std::map<uint32_t, Bytes> edited;            // new contents of sections that are not loaded, by index
  std::vector<Patch> journal;

  static llvm::Expected<ElfFile> read(std::span<const uint8_t> bytes, std::string name);

  std::string_view section_name(uint32_t section) const; // empty: it has none
  std::span<const uint8_t> contents(uint32_t section) const;
  std::optional<uint32_t> find_section(std::string_view wanted) const;
  std::optional<uint32_t> section_at(uint64_t address) const; // a loaded one
  // What is in the file of memory at `address`: its offset; nothing if not all is.
  std::optional<uint64_t> offset_of(uint64_t address, uint64_t size) const;
  uint64_t end_of_memory() const;

  // Changes bytes of the input, and keeps what was there.
  void patch(uint64_t offset, std::span<const uint8_t> with);
  template <class T> void patch(uint64_t offset, T value) {
    patch(offset, std::span(reinterpret_cast<const uint8_t*>(&value), sizeof value));
  }

  // A section behind the others, its number; 0 if the file has no section headers.
  uint32_t add_section(std::string_view section, llvm::ELF::Elf64_Shdr described);
  // Contents to change of a section that is not loaded, as they are (not decompressed) at first.
  Bytes& edit(uint32_t section);

  // A PT_LOAD behind the others, with `contents` appended to the file; `flags`: PF_R and the like. Its offset.
  uint64_t add_load(uint64_t address, uint64_t memory_size, std::span<const uint8_t> contents, uint32_t flags);
  // Appends what was edited, and the section headers; writes the ELF header.
  llvm::Error finish();
};

} // namespace crosslane::codeobject
