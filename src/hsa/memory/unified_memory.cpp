// Source: proc(5), /proc/[pid]/maps; LLVM 19, OMPKinds and OffloadEntry: an entry of section omp_offloading_entries
// with the flag OMP_REGISTER_REQUIRES carries the clauses of `requires` as data.
#include "hsa/memory/unified_memory.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <llvm/Object/ELF.h>
#include <llvm/Support/MemoryBuffer.h>
#include <set>
#include <string>

namespace crosslane::hsa {

namespace {

struct OffloadEntry {
  uint64_t address, name, size;
  int32_t flags, data;
};
constexpr int32_t register_requires = 0x10, unified_shared_memory = 0x08;

// The files whose code this process has mapped.
std::set<std::string> loaded_files() {
  std::set<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const size_t path = line.find('/'); path != line.npos && line.find(" r-xp ") < path)
      files.insert(line.substr(path));
  return files;
}

bool requires_in(const std::string& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, false, false);
  if (!buffer)
    return false;
  auto elf = llvm::object::ELFFile<llvm::object::ELF64LE>::create((*buffer)->getBuffer());
  if (!elf)
    return llvm::consumeError(elf.takeError()), false;
  auto sections = elf->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError()), false;
  for (const auto& section : *sections) {
    auto name = elf->getSectionName(section);
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (*name != "omp_offloading_entries")
      continue;
    auto bytes = elf->getSectionContents(section);
    if (!bytes)
      return llvm::consumeError(bytes.takeError()), false;
    for (size_t at = 0; at + sizeof(OffloadEntry) <= bytes->size(); at += sizeof(OffloadEntry)) {
      OffloadEntry entry;
      std::memcpy(&entry, bytes->data() + at, sizeof entry);
      if (entry.flags & register_requires && entry.data & unified_shared_memory)
        return true;
    }
  }
  return false;
}

} // namespace

bool asks_for_unified_memory() {
  const std::set<std::string> files = loaded_files();
  const bool offloads =
      std::ranges::any_of(files, [](const std::string& file) { return file.find("libomptarget") != file.npos; });
  return offloads && std::ranges::any_of(files, requires_in);
}

} // namespace crosslane::hsa
