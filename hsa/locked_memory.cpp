#include "hsa/locked_memory.h"
#include "engine/guard.h"
#include "hsa/shared_pages.h"
#include <algorithm>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

constexpr uint64_t granule = uint64_t(2) << 20;
constexpr uint64_t most_bytes = uint64_t(1) << 40, least_bytes = uint64_t(1) << 30; // of alias space

void* map(uint64_t bytes, int protection) {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}
template <class T> T* table(uint64_t count) { return static_cast<T*>(map(count * sizeof(T), PROT_READ | PROT_WRITE)); }

} // namespace

LockedMemory& LockedMemory::get() {
  static auto& instance = *new LockedMemory;
  return instance;
}

LockedMemory::LockedMemory() {
  for (uint64_t bytes = most_bytes; bytes >= least_bytes && !base_; bytes /= 2)
    if (void* p = map(bytes + granule, PROT_NONE)) {
      base_ = (reinterpret_cast<uint64_t>(p) + granule - 1) / granule * granule;
      bytes_ = bytes;
    }
  granule_count_ = uint32_t(bytes_ / granule);
  owner_ = table<uint32_t>(granule_count_ + 1);
  mapped_ = table<uint8_t>(granule_count_ + 1);
  entries_ = table<Entry>(granule_count_ + 1);
  if (!owner_ || !mapped_ || !entries_)
    bytes_ = granule_count_ = 0;
}

// Goes round, so that an address is not used again soon: late accesses are found out.
uint32_t LockedMemory::find_granules(uint32_t count) {
  for (int round = 0; round < 2; ++round) {
    uint32_t free = 0;
    for (uint32_t g = round ? 0 : next_; g < granule_count_; ++g) {
      free = owner_[g] ? 0 : free + 1;
      if (free == count) {
        next_ = g + 1;
        return g + 1 - count;
      }
    }
  }
  return granule_count_;
}

uint64_t LockedMemory::lock(uint64_t host, uint64_t size) {
  const uint64_t first_page = page_floor(host), bytes = page_ceil(host + size) - first_page;
  if (host + size < host || bytes > bytes_ || contains(host))
    return 0;
  const auto count = uint32_t((bytes + granule - 1) / granule);
  engine::set_repair([](uint64_t address) { return get().repair(address); });
  const std::lock_guard guard(sharing);
  const uint32_t first = find_granules(count);
  if (first == granule_count_)
    return 0;
  entries_[first] = {host, size, first, count, -1, false};
  std::fill_n(owner_ + first, count, first + 1);
  std::fill_n(mapped_ + first, count, 0);
  return base_ + first * granule + (host - first_page);
}

void LockedMemory::unlock(uint64_t alias) {
  const std::lock_guard guard(sharing);
  const uint64_t g = (alias - base_) / granule;
  if (!contains(alias) || !owner_[g])
    return;
  Entry& entry = entries_[owner_[g] - 1];
  if (entry.touched)
    mmap(reinterpret_cast<void*>(base_ + entry.first * granule), entry.granules * granule, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (entry.file >= 0)
    close(entry.file); // the pages stay with the host's mapping
  std::fill_n(owner_ + entry.first, entry.granules, 0);
}

bool LockedMemory::repair(uint64_t address) {
  if (!contains(address))
    return await_sharing(address);
  const std::lock_guard guard(sharing);
  const uint64_t g = (address - base_) / granule;
  if (!owner_[g])
    return false;
  Entry& entry = entries_[owner_[g] - 1];
  const uint64_t begin = page_floor(entry.host), end = page_ceil(entry.host + entry.size);
  const uint64_t offset = (g - entry.first) * granule;
  if (begin + offset + (address - base_) % granule >= end)
    return false;
  if (mapped_[g])
    return retry_once(address); // by another thread, or it cannot be helped
  if (entry.file < 0)
    entry.file = make_memory_file("crosslane-locked", end - begin);
  if (entry.file < 0)
    return false;
  mapped_[g] = 1;
  entry.touched = true;
  share_pages(begin + offset, std::min(granule, end - begin - offset), entry.file, offset, base_ + g * granule);
  return retry_once(address);
}

} // namespace crosslane::hsa
