// Guest memory: anonymous mappings whose last byte lies right before addresses that are not mapped.
#include "machine/memory.h"
#include "machine/window.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <sys/mman.h>
#include <utility>

namespace crosslane::machine {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t alignment = 256;
constexpr uint64_t huge_page = 2u << 20;
constexpr uint64_t near_bytes = 1u << 20; // farther away than this, naming a neighbour would mislead
constexpr size_t most_freed_blocks = 8192;
constexpr int guard_install = 102; // MADV_GUARD_INSTALL
constexpr uint8_t pattern = 0xc5;

constexpr uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }
uint8_t* bytes_at(uint64_t address) { return reinterpret_cast<uint8_t*>(address); }

std::string bytes_text(uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

// Distance in bytes from the allocation; 0 inside.
uint64_t distance(const Allocation& a, uint64_t address) {
  if (address < a.address)
    return a.address - address;
  const uint64_t end = a.address + a.size;
  return address < end ? 0 : address - end + 1;
}

size_t most_mappings() {
  unsigned long long limit = 65530;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/sys/vm/max_map_count", "re"),
                                                             std::fclose);
  if (!file || std::fscanf(file.get(), "%llu", &limit) != 1)
    limit = 65530;
  return size_t(std::min<unsigned long long>(limit, 1u << 20)) / 4 * 3;
}

} // namespace

HostLimits HostLimits::actual() {
  static const HostLimits limits{most_mappings(), true}; // whether it has such guards shows when one is wanted
  return limits;
}

Memory::~Memory() {
  for (auto& [address, block] : blocks_)
    if (block.mapping_size)
      munmap(bytes_at(block.mapping), block.mapping_size + (block.opened ? page : 0));
}

// What was freed is only known, for diagnosis: nothing is mapped there.
void Memory::retire(Block block) {
  // An address may come twice: that of memory not ours, which the host hands out again.
  forget_freed(block.allocation.address, block.allocation.address + 1);
  freed_order_.push_back(block.allocation.address);
  freed_[block.allocation.address] = std::move(block);
  while (freed_order_.size() > most_freed_blocks) {
    freed_.erase(freed_order_.front());
    freed_order_.pop_front();
  }
}

// Notes give way when there is something new at the address.
void Memory::forget_freed(uint64_t begin, uint64_t end) {
  auto it = freed_.upper_bound(begin);
  if (it != freed_.begin())
    --it;
  while (it != freed_.end() && it->first < end) {
    const Allocation& a = it->second.allocation;
    if (a.address + std::max<uint64_t>(a.size, 1) > begin)
      it = freed_.erase(it);
    else
      ++it;
  }
}

// The host runs out of mappings: beside the one before, so that both become one. The page behind it is a guard, or has
// a pattern.
bool Memory::map_crowded(Block& block) {
  const uint64_t used = block.mapping_size;
  block.mapping = map_in_window(used + page, PROT_READ | PROT_WRITE, page, 0);
  if (!block.mapping)
    return false;
  block.mapping_size = used + page;
  const bool guarded = limits_.guards_in_mappings && madvise(bytes_at(block.mapping + used), page, guard_install) == 0;
  block.end = guarded ? End::guard : End::pattern;
  return true;
}

bool Memory::map(uint64_t size, Block& block) {
  const uint64_t used = round_up(size, page);
  const bool large = used >= huge_page;
  block.mapping_size = std::max(used, page);
  size_t live;
  {
    std::lock_guard lock(mutex_);
    live = blocks_.size();
  }
  if (live >= limits_.mappings && size && !large) {
    if (!map_crowded(block))
      return false;
  } else {
    block.mapping =
        map_in_window(block.mapping_size, size ? PROT_READ | PROT_WRITE : PROT_NONE, large ? huge_page : page);
    if (!block.mapping)
      return false;
  }
  if (large)
    madvise(bytes_at(block.mapping), used, MADV_HUGEPAGE);
  block.allocation.address = block.mapping + used - round_up(size, alignment);
  block.allocation.size = size;
  return true;
}

namespace {

// [end of the data, end of the pattern): the rest of the last 256 bytes, and as many behind.
uint64_t pattern_begin(const Allocation& a) { return a.address + a.size; }
uint64_t pattern_end(const Allocation& a) { return a.address + round_up(a.size, alignment) + alignment; }
bool pattern_intact(const Allocation& a) {
  const uint8_t *begin = bytes_at(pattern_begin(a)), *end = bytes_at(pattern_end(a));
  return std::all_of(begin, end, [](uint8_t byte) { return byte == pattern; });
}
std::string overrun_text(const Allocation& a) {
  return "past the end of '" + a.name + "' (" + bytes_text(a.size) + ")";
}

// The rest of the last 256 bytes, and 256 in front, if the block's own pages have them.
struct Margins {
  std::span<uint8_t> before, behind;
};
Margins margins_of(const Allocation& a, uint64_t mapping) {
  const uint64_t front = std::min(alignment, a.address - mapping), end = a.address + a.size;
  return {{bytes_at(a.address - front), front}, {bytes_at(end), round_up(a.size, alignment) - a.size}};
}
bool intact(std::span<const uint8_t> margin) {
  return std::ranges::all_of(margin, [](uint8_t byte) { return byte == pattern; });
}
void append_overwritten(const Allocation& a, uint64_t mapping, std::vector<std::string>& texts) {
  const Margins m = margins_of(a, mapping);
  if (!intact(m.before))
    texts.push_back("before the start of '" + a.name + "' (" + bytes_text(a.size) + ")");
  if (!intact(m.behind))
    texts.push_back(overrun_text(a));
}
void mark(const Allocation& a, uint64_t mapping) {
  const Margins m = margins_of(a, mapping);
  std::ranges::fill(m.before, pattern);
  std::ranges::fill(m.behind, pattern);
}

} // namespace

void Memory::watch(MemoryWatcher& watcher) {
  std::lock_guard lock(mutex_);
  for (const auto& [address, block] : blocks_)
    watcher.allocated(block.allocation);
  watchers_.push_back(&watcher);
}

void Memory::unwatch(MemoryWatcher& watcher) {
  std::lock_guard lock(mutex_);
  std::erase(watchers_, &watcher);
}

void Memory::tell_allocated(const Allocation& a) const {
  for (MemoryWatcher* watcher : watchers_)
    watcher->allocated(a);
}

void Memory::tell_freed(const Allocation& a) const {
  for (MemoryWatcher* watcher : watchers_)
    watcher->freed(a);
}

void* Memory::allocate(uint64_t size, std::string name) {
  Block block;
  if (size > uint64_t(1) << 42 || !map(size, block))
    return nullptr;
  Allocation& a = block.allocation;
  a.name = std::move(name);
  if (block.end == End::pattern) {
    std::memset(bytes_at(pattern_begin(a)), pattern, pattern_end(a) - pattern_begin(a));
    ++patterns_;
  } else if (size) {
    block.marked = true;
    mark(a, block.mapping);
  }
  const uint64_t address = a.address;
  std::lock_guard lock(mutex_);
  forget_freed(block.mapping, block.mapping + block.mapping_size);
  tell_allocated((blocks_[address] = std::move(block)).allocation);
  return reinterpret_cast<void*>(address);
}

void Memory::free(void* address) {
  Block block;
  {
    std::lock_guard lock(mutex_);
    auto it = blocks_.find(reinterpret_cast<uint64_t>(address));
    if (it == blocks_.end() || !it->second.mapping_size)
      return;
    block = std::move(it->second);
    blocks_.erase(it);
    tell_freed(block.allocation);
    if (block.end == End::pattern) {
      if (!pattern_intact(block.allocation))
        overruns_.push_back(overrun_text(block.allocation));
      else
        --patterns_; // else it stays until it has been told
    }
    if (block.marked) {
      append_overwritten(block.allocation, block.mapping, overwritten_);
      any_overwritten_ = any_overwritten_ || !overwritten_.empty();
    }
  }
  void* const mapping = bytes_at(block.mapping);
  const uint64_t bytes = block.mapping_size + (block.opened ? page : 0);
  // In the middle of others, and the host has no mapping left for what remains on both sides: then only its memory
  // goes.
  if (munmap(mapping, bytes) != 0)
    madvise(mapping, bytes, MADV_DONTNEED);
  std::lock_guard lock(mutex_);
  retire(std::move(block));
}

std::vector<std::string> Memory::overruns() {
  std::vector<std::string> found;
  std::lock_guard lock(mutex_);
  for (auto& [address, block] : blocks_)
    if (block.end == End::pattern && !pattern_intact(block.allocation)) {
      found.push_back(overrun_text(block.allocation));
      block.end = End::gap; // nothing more to look at
      --patterns_;
    }
  patterns_ -= overruns_.size();
  std::move(overruns_.begin(), overruns_.end(), std::back_inserter(found));
  overruns_.clear();
  return found;
}

std::vector<std::string> Memory::overwritten(bool all) {
  std::lock_guard lock(mutex_);
  if (all)
    for (const auto& [address, block] : blocks_)
      if (block.marked) {
        append_overwritten(block.allocation, block.mapping, overwritten_);
        mark(block.allocation, block.mapping);
      }
  any_overwritten_ = false;
  return std::exchange(overwritten_, {});
}

// Of the block whose last page, as a card would have it, has the address: that page begins with the block.
bool Memory::let_through(uint64_t address) {
  if (bounds_.load(std::memory_order_relaxed) != Bounds::card)
    return false;
  std::lock_guard lock(mutex_);
  const auto above = blocks_.upper_bound(address);
  if (above == blocks_.begin())
    return false;
  Block& block = std::prev(above)->second;
  const Allocation& a = block.allocation;
  const uint64_t end = block.mapping + block.mapping_size;
  if (!block.mapping_size || !a.size || block.end != End::gap || address < end ||
      address >= a.address + round_up(a.size, page))
    return false;
  if (block.opened)
    return true; // by another thread, just now
  block.opened = mmap(bytes_at(end), page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                      -1, 0) == static_cast<void*>(bytes_at(end));
  if (block.opened)
    let_through_.push_back(bytes_text(address - a.address - a.size) + " past the end of '" + a.name + "' (" +
                           bytes_text(a.size) + ")");
  return block.opened;
}

std::vector<std::string> Memory::let_through() {
  std::lock_guard lock(mutex_);
  return std::exchange(let_through_, {});
}

void Memory::note(uint64_t address, uint64_t size, std::string name) {
  std::lock_guard lock(mutex_);
  forget_freed(address, address + size);
  const auto [it, fresh] = blocks_.try_emplace(address);
  Block& block = it->second;
  if (!fresh)
    tell_freed(block.allocation); // noted anew
  block = {};
  block.allocation = {address, size, std::move(name)};
  tell_allocated(block.allocation);
}

void Memory::forget(uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto it = blocks_.find(address);
  if (it == blocks_.end() || it->second.mapping_size)
    return;
  Block block = std::move(it->second);
  blocks_.erase(it);
  tell_freed(block.allocation);
  retire(std::move(block));
}

namespace {

// Of the blocks, the one that holds the address or is nearest to it; null if there are none.
template <class Blocks> const Allocation* nearest_of(const Blocks& blocks, uint64_t address) {
  const Allocation* best = nullptr;
  const auto above = blocks.upper_bound(address);
  if (above != blocks.end())
    best = &above->second.allocation;
  if (above != blocks.begin()) {
    const Allocation& below = std::prev(above)->second.allocation;
    if (!best || distance(below, address) <= distance(*best, address))
      best = &below;
  }
  return best;
}

} // namespace

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
  if (late)
    found = freed;
  if (!found || distance(*found, address) > near_bytes)
    return "no allocation is near";
  const std::string who =
      "'" + found->name + "' (" + bytes_text(found->size) + ")" + (late ? ", which has been freed" : "");
  if (address < found->address)
    return bytes_text(found->address - address) + " before the start of " + who;
  const uint64_t offset = address - found->address;
  if (offset < found->size)
    return bytes_text(offset) + " into " + who;
  if (offset == found->size)
    return "right past the end of " + who;
  return bytes_text(offset - found->size) + " past the end of " + who;
}

} // namespace crosslane::machine
