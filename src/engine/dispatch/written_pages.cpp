// The fault handler of guard.cpp asks allow() about each write; so what it touches is memory that is there beforehand.
#include "engine/dispatch/written_pages.h"
#include "engine/guard.h"
#include "machine/window.h"
#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace crosslane::engine {

namespace {

constexpr size_t page_bytes = WrittenPages::page_bytes;
constexpr size_t most_pages = 1 << 16, most_ranges = 1 << 16, slots = 2 * most_pages;

struct Range {
  uint64_t begin, end;
  int protection;
};

// Of who watches; all of it is zeros of a mapping until then.
struct Watch {
  Range ranges[most_ranges]; // by address
  size_t range_count;
  uint64_t pages[most_pages];
  uint32_t known[slots]; // hashed by page: its number, and one more
  alignas(page_bytes) uint8_t before[most_pages][page_bytes];
};

std::mutex one_at_a_time;
Watch* watch = nullptr; // once made, for ever
std::atomic<bool> watching{false}, complete{true};
std::atomic<size_t> page_count{0};
pid_t watcher = 0;
WrittenPages::IsHosts is_hosts = nullptr;

const Range* range_of(uint64_t address) {
  size_t low = 0, high = watch->range_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (watch->ranges[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < watch->range_count && watch->ranges[low].begin <= address ? &watch->ranges[low] : nullptr;
}

// True: the access is to be tried again.
bool allow(uint64_t address) {
  if (!machine::window.contains(address) || !watching.load(std::memory_order_acquire))
    return false;
  const Range* range = range_of(address);
  if (!range)
    return false;
  if (gettid() != watcher) {
    const timespec a_moment = {0, 100'000};
    while (watching.load(std::memory_order_acquire))
      nanosleep(&a_moment, nullptr);
    return true;
  }
  const uint64_t page = address / page_bytes * page_bytes;
  size_t slot = page / page_bytes * 0x9e3779b97f4a7c15 >> 32 & (slots - 1);
  for (; watch->known[slot]; slot = (slot + 1) & (slots - 1))
    if (watch->pages[watch->known[slot] - 1] == page)
      return false; // it is open, so it is another fault
  const size_t n = page_count.load(std::memory_order_relaxed);
  if (n == most_pages || (is_hosts && is_hosts(address))) {
    complete.store(false, std::memory_order_relaxed);
    return false;
  }
  auto* at = reinterpret_cast<void*>(page);
  std::memcpy(watch->before[n], at, page_bytes);
  watch->pages[n] = page;
  watch->known[slot] = uint32_t(n + 1);
  page_count.store(n + 1, std::memory_order_relaxed);
  return mprotect(at, page_bytes, range->protection) == 0;
}

// What can be read and written in the window, as the system has it. False: nobody knows.
bool find_ranges() {
  watch->range_count = 0;
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps)
    return false;
  char line[512];
  bool all = true;
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long long begin, end;
    char read, write, execute;
    if (std::sscanf(line, "%llx-%llx %c%c%c", &begin, &end, &read, &write, &execute) != 5 || read != 'r' ||
        write != 'w' || !machine::window.contains(begin))
      continue;
    if (watch->range_count == most_ranges) {
      all = false;
      break;
    }
    watch->ranges[watch->range_count++] = {begin, end, PROT_READ | PROT_WRITE | (execute == 'x' ? PROT_EXEC : 0)};
  }
  std::fclose(maps);
  return all;
}

} // namespace

WrittenPages::WrittenPages(IsHosts asked) {
  one_at_a_time.lock();
  page_count = 0, complete = true;
  if (!watch) {
    void* at = mmap(nullptr, sizeof(Watch), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED)
      watch = static_cast<Watch*>(at);
  }
  watches_ = watch && sysconf(_SC_PAGESIZE) == long(page_bytes) && find_ranges();
  if (!watches_)
    return;
  add_repair(allow);
  watcher = gettid(), is_hosts = asked;
  std::memset(watch->known, 0, sizeof watch->known);
  watching.store(true, std::memory_order_release);
  for (size_t n = 0; n < watch->range_count; ++n) {
    const Range& r = watch->ranges[n];
    mprotect(reinterpret_cast<void*>(r.begin), r.end - r.begin, r.protection & ~PROT_WRITE);
  }
}

WrittenPages::~WrittenPages() {
  if (watches_) {
    for (size_t n = 0; n < watch->range_count; ++n) {
      const Range& r = watch->ranges[n];
      mprotect(reinterpret_cast<void*>(r.begin), r.end - r.begin, r.protection);
    }
    watching.store(false, std::memory_order_release);
    madvise(watch->before, page_count * page_bytes, MADV_DONTNEED);
  }
  one_at_a_time.unlock();
}

size_t WrittenPages::count() const { return page_count; }
uint64_t WrittenPages::address(size_t n) const { return watch->pages[n]; }
const uint8_t* WrittenPages::before(size_t n) const { return watch->before[n]; }
bool WrittenPages::is_complete() const { return complete; }

std::vector<uint8_t> WrittenPages::contents() const {
  std::vector<uint8_t> all(count() * page_bytes);
  for (size_t n = 0; n < count(); ++n)
    std::memcpy(&all[n * page_bytes], now(n), page_bytes);
  return all;
}

void WrittenPages::undo() {
  for (size_t n = 0; n < count(); ++n)
    std::memcpy(reinterpret_cast<void*>(address(n)), before(n), page_bytes);
}

} // namespace crosslane::engine
