// Source: proc(5), /proc/[pid]/maps, mem and pagemap.
#include "capture/live_memory.h"
#include "machine/window.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace crosslane::capture {

namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t present = uint64_t(1) << 63, swapped = uint64_t(1) << 62;

} // namespace

LiveMemory::LiveMemory()
    : memory_(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)), pages_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

LiveMemory::~LiveMemory() {
  if (memory_ >= 0)
    close(memory_);
  if (pages_ >= 0)
    close(pages_);
}

bool LiveMemory::list(std::vector<Mapped>& mapped) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps)
    return false;
  char line[512];
  bool begins = true; // a line, and not the rest of a long one
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long long begin, end;
    char read, write, execute, sharing;
    const bool whole = std::exchange(begins, std::strchr(line, '\n') != nullptr);
    if (!whole || std::sscanf(line, "%llx-%llx %c%c%c%c", &begin, &end, &read, &write, &execute, &sharing) != 6 ||
        read != 'r' || !machine::window.contains(begin))
      continue;
    mapped.push_back({begin, end - begin, write == 'w', sharing == 's'});
  }
  std::fclose(maps);
  return true;
}

bool LiveMemory::Range::read(uint64_t offset, std::span<uint8_t> to) const {
  uint64_t at = mapped_.address + offset;
  while (!to.empty()) {
    const ssize_t n = pread(memory_.memory_, to.data(), to.size(), off_t(at));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    to = to.subspan(size_t(n)), at += uint64_t(n);
  }
  return true;
}

// Of shared memory the table says nothing: others may have written to the pages.
bool LiveMemory::Range::untouched(uint64_t offset, uint64_t bytes) const {
  uint64_t entries[piece_bytes / page];
  const size_t count = (bytes + page - 1) / page;
  if (mapped_.shared || memory_.pages_ < 0 || count > std::size(entries))
    return false;
  const auto at = off_t((mapped_.address + offset) / page * sizeof entries[0]);
  return pread(memory_.pages_, entries, count * sizeof entries[0], at) == ssize_t(count * sizeof entries[0]) &&
         std::none_of(entries, entries + count, [](uint64_t entry) { return entry & (present | swapped); });
}

} // namespace crosslane::capture
