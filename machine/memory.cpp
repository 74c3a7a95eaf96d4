// Guest memory: anonymous mappings whose last byte lies right before a guard page.
#include "machine/memory.h"
#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

namespace crosslane::machine {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t alignment = 256;
constexpr uint64_t huge_page = 2u << 20;
constexpr uint64_t near_bytes = 1u << 20;  // farther away than this, naming a neighbour would mislead

constexpr uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

uint64_t map(uint64_t bytes, int protection) {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(p);
}

std::string bytes_text(uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

// Distance in bytes from the allocation; 0 inside.
uint64_t distance(const Allocation& a, uint64_t address) {
  if (address < a.address) return a.address - address;
  const uint64_t end = a.address + a.size;
  return address < end ? 0 : address - end + 1;
}

}  // namespace

Memory::~Memory() {
  for (auto& [address, block] : blocks_) munmap(reinterpret_cast<void*>(block.mapping), block.mapping_size);
}

void* Memory::allocate(uint64_t size, std::string name) {
  if (size > uint64_t(1) << 46) return nullptr;
  const uint64_t used = round_up(size, page), mapping_size = used + page;
  const uint64_t mapping = map(mapping_size, PROT_READ | PROT_WRITE);
  if (!mapping) return nullptr;
  if (used >= huge_page) madvise(reinterpret_cast<void*>(mapping), used, MADV_HUGEPAGE);
  if (mprotect(reinterpret_cast<void*>(mapping + used), page, PROT_NONE) != 0) {
    munmap(reinterpret_cast<void*>(mapping), mapping_size);
    return nullptr;
  }
  const uint64_t address = mapping + used - round_up(size, alignment);
  std::lock_guard lock(mutex_);
  blocks_[address] = {mapping, mapping_size, {address, size, std::move(name)}};
  return reinterpret_cast<void*>(address);
}

void Memory::free(void* address) {
  Block block;
  {
    std::lock_guard lock(mutex_);
    auto it = blocks_.find(reinterpret_cast<uint64_t>(address));
    if (it == blocks_.end()) return;
    block = std::move(it->second);
    blocks_.erase(it);
  }
  munmap(reinterpret_cast<void*>(block.mapping), block.mapping_size);
}

std::optional<Allocation> Memory::nearest(uint64_t address) const {
  std::lock_guard lock(mutex_);
  const Allocation* best = nullptr;
  const auto above = blocks_.upper_bound(address);
  if (above != blocks_.end()) best = &above->second.allocation;
  if (above != blocks_.begin()) {
    const Allocation& below = std::prev(above)->second.allocation;
    if (!best || distance(below, address) <= distance(*best, address)) best = &below;
  }
  return best ? std::optional(*best) : std::nullopt;
}

std::string Memory::describe(uint64_t address) const {
  const auto found = nearest(address);
  if (!found || distance(*found, address) > near_bytes) return "no allocation is near";
  const std::string who = "'" + found->name + "' (" + bytes_text(found->size) + ")";
  if (address < found->address) return bytes_text(found->address - address) + " before the start of " + who;
  const uint64_t offset = address - found->address;
  if (offset < found->size) return bytes_text(offset) + " into " + who;
  if (offset == found->size) return "right past the end of " + who;
  return bytes_text(offset - found->size) + " past the end of " + who;
}

}  // namespace crosslane::machine
