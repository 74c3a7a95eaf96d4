// The section that assemble.cpp writes: names of files, then an entry for each instruction.
#include "toolchain/positions.h"
#include <algorithm>
#include <cstring>
#include <llvm/Object/ELF.h>

namespace crosslane::toolchain {

namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

std::span<const uint8_t> table_of(std::span<const uint8_t> bytes) {
  const auto nothing = [](llvm::Error error) {
    return llvm::consumeError(std::move(error)), std::span<const uint8_t>();
  };
  auto elf = Elf::create({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!elf)
    return nothing(elf.takeError());
  auto sections = elf->sections();
  if (!sections)
    return nothing(sections.takeError());
  for (const auto& section : *sections) {
    auto name = elf->getSectionName(section);
    if (!name)
      return nothing(name.takeError());
    if (*name != positions_section)
      continue;
    auto contents = elf->getSectionContents(section);
    if (!contents)
      return nothing(contents.takeError());
    return {contents->data(), contents->size()};
  }
  return {};
}

template <class T> bool take(std::span<const uint8_t>& from, T& value) {
  if (from.size() < sizeof(T))
    return false;
  std::memcpy(&value, from.data(), sizeof(T));
  from = from.subspan(sizeof(T));
  return true;
}

} // namespace

Positions Positions::read(std::span<const uint8_t> code_object) {
  Positions p;
  auto table = table_of(code_object);
  uint32_t size = 0, count = 0;
  if (!take(table, size) || table.size() < size)
    return p;
  for (auto names = table.first(size); !names.empty();) {
    const size_t length = size_t(std::ranges::find(names, 0) - names.begin());
    p.files.emplace_back(names.begin(), names.begin() + std::ptrdiff_t(length));
    names = names.subspan(std::min(length + 1, names.size()));
  }
  table = table.subspan(size);
  if (!take(table, count))
    return p;
  for (uint32_t n = 0; n < count; ++n) {
    Entry e;
    if (!take(table, e.address) || !take(table, e.position.file) || !take(table, e.position.line) ||
        !take(table, e.position.column))
      break;
    p.entries_.push_back(e);
  }
  std::ranges::sort(p.entries_, {}, &Entry::address); // no two have one address
  return p;
}

std::optional<Position> Positions::find(uint64_t address) const {
  const auto at = std::ranges::lower_bound(entries_, address, {}, &Entry::address);
  if (at == entries_.end() || at->address != address)
    return std::nullopt;
  return at->position;
}

} // namespace crosslane::toolchain
