// Guest memory: anonymous mappings whose last byte lies right before a guard page. A freed one is replaced by an inaccessible
// mapping, which costs the host no memory and, beside others like it, no further entry in its list of mappings.
#include "machine/memory.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <sys/mman.h>

namespace crosslane::machine {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t alignment = 256;
constexpr uint64_t huge_page = 2u << 20;
constexpr uint64_t near_bytes = 1u << 20;  // farther away than this, naming a neighbour would mislead
constexpr size_t guarded_blocks = 16384;
constexpr size_t most_freed_blocks = 8192;
constexpr uint64_t most_freed_bytes = uint64_t(1) << 40;

constexpr uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

// Far from what the host has mapped: a kernel that writes past its memory and over the page behind it would else hit the heap or
// the dynamic linker's own data, and the process would die of that. The kernel of the host takes another place if this is taken.
uint64_t map(uint64_t bytes, int protection) {
  constexpr uint64_t first = 0x6800'0000'0000, last = 0x7000'0000'0000;
  static std::atomic<uint64_t> next{first};
  uint64_t place = next.fetch_add(round_up(bytes, page));
  if (place + bytes > last) next = first;
  void* p = mmap(reinterpret_cast<void*>(place), bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(p);
}
void unmap(uint64_t address, uint64_t bytes) {
  if (bytes) munmap(reinterpret_cast<void*>(address), bytes);
}
// From a huge page on, at a multiple of one.
uint64_t map_block(uint64_t bytes) {
  if (bytes < huge_page) return map(bytes, PROT_READ | PROT_WRITE);
  const uint64_t mapping = map(bytes + huge_page - page, PROT_READ | PROT_WRITE);
  if (!mapping) return 0;
  const uint64_t block = round_up(mapping, huge_page);
  unmap(mapping, block - mapping);
  unmap(block + bytes, mapping + huge_page - page - block);
  return block;
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
  for (auto& [address, block] : blocks_) unmap(block.mapping, block.mapping_size);
  for (auto& [address, block] : freed_) unmap(block.mapping, block.mapping_size);
}

void Memory::release_oldest() {
  const auto it = freed_.find(freed_order_.front());
  freed_order_.pop_front();
  if (it == freed_.end()) return;
  unmap(it->second.mapping, it->second.mapping_size);
  freed_bytes_ -= it->second.mapping_size;
  freed_.erase(it);
}

void Memory::retire(Block block) {
  // An address may come twice: that of memory not ours, which the host hands out again.
  forget_freed(block.allocation.address, block.allocation.address + 1);
  freed_order_.push_back(block.allocation.address);
  freed_bytes_ += block.mapping_size;
  freed_[block.allocation.address] = std::move(block);
  while (freed_order_.size() > most_freed_blocks || freed_bytes_ > most_freed_bytes) release_oldest();
}

// Notes of memory not ours give way when there is something new at the address. Blocks of ours keep their addresses for themselves.
void Memory::forget_freed(uint64_t begin, uint64_t end) {
  auto it = freed_.upper_bound(begin);
  if (it != freed_.begin()) --it;
  while (it != freed_.end() && it->first < end) {
    const Block& block = it->second;
    if (!block.mapping_size && block.allocation.address + block.allocation.size > begin) it = freed_.erase(it);
    else ++it;
  }
}

uint64_t Memory::map_or_make_room(uint64_t bytes) {
  if (const uint64_t mapping = map_block(bytes)) return mapping;
  // Freed blocks hold address space and mappings, which some users limit.
  std::lock_guard lock(mutex_);
  while (!freed_order_.empty()) release_oldest();
  return map_block(bytes);
}

void* Memory::allocate(uint64_t size, std::string name) {
  if (size > uint64_t(1) << 46) return nullptr;
  bool guarded = true;
  {
    std::lock_guard lock(mutex_);
    guarded = blocks_.size() < guarded_blocks || !size;
  }
  const uint64_t used = round_up(size, page), mapping_size = used + (guarded ? page : 0);
  const uint64_t mapping = map_or_make_room(mapping_size);
  if (!mapping) return nullptr;
  if (used >= huge_page) madvise(reinterpret_cast<void*>(mapping), used, MADV_HUGEPAGE);
  if (guarded && mprotect(reinterpret_cast<void*>(mapping + used), page, PROT_NONE) != 0) {
    unmap(mapping, mapping_size);
    return nullptr;
  }
  const uint64_t address = mapping + used - round_up(size, alignment);
  std::lock_guard lock(mutex_);
  forget_freed(mapping, mapping + mapping_size);
  blocks_[address] = {mapping, mapping_size, {address, size, std::move(name)}};
  return reinterpret_cast<void*>(address);
}

void Memory::free(void* address) {
  Block block;
  {
    std::lock_guard lock(mutex_);
    auto it = blocks_.find(reinterpret_cast<uint64_t>(address));
    if (it == blocks_.end() || !it->second.mapping_size) return;
    block = std::move(it->second);
    blocks_.erase(it);
  }
  // The pages that stand there now, whatever they have become, are replaced at once.
  if (mmap(reinterpret_cast<void*>(block.mapping), block.mapping_size, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
    unmap(block.mapping, block.mapping_size);
    return;
  }
  std::lock_guard lock(mutex_);
  retire(std::move(block));
}

void Memory::note(uint64_t address, uint64_t size, std::string name) {
  std::lock_guard lock(mutex_);
  forget_freed(address, address + size);
  blocks_[address] = {0, 0, {address, size, std::move(name)}};
}

void Memory::forget(uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto it = blocks_.find(address);
  if (it == blocks_.end() || it->second.mapping_size) return;
  Block block = std::move(it->second);
  blocks_.erase(it);
  retire(std::move(block));
}

namespace {

// Of the blocks, the one that holds the address or is nearest to it; null if there are none.
template <class Blocks> const Allocation* nearest_of(const Blocks& blocks, uint64_t address) {
  const Allocation* best = nullptr;
  const auto above = blocks.upper_bound(address);
  if (above != blocks.end()) best = &above->second.allocation;
  if (above != blocks.begin()) {
    const Allocation& below = std::prev(above)->second.allocation;
    if (!best || distance(below, address) <= distance(*best, address)) best = &below;
  }
  return best;
}

}  // namespace

std::optional<Allocation> Memory::nearest(uint64_t address) const {
  std::lock_guard lock(mutex_);
  const Allocation* best = nearest_of(blocks_, address);
  return best ? std::optional(*best) : std::nullopt;
}

std::string Memory::describe(uint64_t address) const {
  std::lock_guard lock(mutex_);
  const Allocation* found = nearest_of(blocks_, address);
  const Allocation* freed = nearest_of(freed_, address);
  const bool late = freed && (!found || distance(*freed, address) < distance(*found, address));
  if (late) found = freed;
  if (!found || distance(*found, address) > near_bytes) return "no allocation is near";
  const std::string who = "'" + found->name + "' (" + bytes_text(found->size) + ")" + (late ? ", which has been freed" : "");
  if (address < found->address) return bytes_text(found->address - address) + " before the start of " + who;
  const uint64_t offset = address - found->address;
  if (offset < found->size) return bytes_text(offset) + " into " + who;
  if (offset == found->size) return "right past the end of " + who;
  return bytes_text(offset - found->size) + " past the end of " + who;
}

}  // namespace crosslane::machine
