// The range of second addresses, and the page faults that fill it.
#include "hsa/memory/locked_memory.h"
#include "engine/guard.h"
#include "hsa/memory/shared_pages.h"
#include "machine/window.h"
#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

constexpr uint64_t granule = uint64_t(2) << 20;
constexpr uint64_t most_bytes = uint64_t(1) << 40, least_bytes = uint64_t(16) << 20; // of alias space

void* map(uint64_t bytes, int protection) {
  void* p = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}
constexpr uint64_t most_at_once = 64; // granules
constexpr const char* file_name = "crosslane-locked";

// Memory on the stack: who writes to it while it is converted has no stack to handle that signal on, but for another
// one.
void provide_signal_stack() {
  constexpr uint64_t bytes = 64 << 10;
  stack_t stack = {};
  if (sigaltstack(nullptr, &stack) != 0 || !(stack.ss_flags & SS_DISABLE))
    return;
  stack.ss_sp = map(bytes, PROT_READ | PROT_WRITE); // stays for the life of the thread, and is not given back
  stack.ss_size = bytes;
  stack.ss_flags = 0;
  if (stack.ss_sp)
    sigaltstack(&stack, nullptr);
}

bool on_this_stack(uint64_t address) {
  constexpr uint64_t likely_bytes = 64 << 20;
  return address - reinterpret_cast<uint64_t>(__builtin_frame_address(0)) < likely_bytes;
}

template <class T> T* table(uint64_t count) { return static_cast<T*>(map(count * sizeof(T), PROT_READ | PROT_WRITE)); }

} // namespace

LockedMemory& LockedMemory::get() {
  static auto& instance = *new LockedMemory;
  return instance;
}

LockedMemory::LockedMemory() {
  // Users may limit the address space (ulimit -v); most of it is theirs.
  struct rlimit limit;
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const uint64_t most = limited ? std::min<uint64_t>(most_bytes, std::bit_floor(limit.rlim_cur / 8)) : most_bytes;
  for (uint64_t bytes = most; bytes >= least_bytes && !base_; bytes /= 2)
    if (const uint64_t place = machine::map_in_window(bytes, PROT_NONE, granule)) {
      base_ = place;
      bytes_ = bytes;
    }
  granule_count_ = uint32_t(bytes_ / granule);
  owner_ = table<uint32_t>(granule_count_ + 1);
  mapped_ = table<uint8_t>(granule_count_ + 1);
  entries_ = table<Entry>(granule_count_ + 1);
  if (!owner_ || !mapped_ || !entries_)
    bytes_ = granule_count_ = 0;
  pthread_atfork([] { get().before_fork(); }, [] { get().after_fork(false); }, [] { get().after_fork(true); });
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
  if (on_this_stack(host))
    provide_signal_stack();
  engine::add_repair([](uint64_t address) { return get().repair(address); });
  const std::lock_guard guard(sharing);
  const uint32_t first = find_granules(count);
  if (first == granule_count_)
    return 0;
  used_ = std::max(used_, first + count);
  entries_[first] = {host, size, first, count, 0, -1, false};
  std::fill_n(owner_ + first, count, first + 1);
  std::fill_n(mapped_ + first, count, 0);
  return base_ + first * granule + (host - first_page);
}

void LockedMemory::unlock(uint64_t alias) {
  const std::lock_guard guard(sharing);
  const uint64_t g = (alias - base_) / granule;
  if (!contains(alias) || !owner_[g])
    return;
  const Entry entry = entries_[owner_[g] - 1];
  std::fill_n(owner_ + entry.first, entry.granules, 0);
  if (!entry.touched)
    return;
  --touched_;
  void* const place = reinterpret_cast<void*>(base_ + entry.first * granule);
  const size_t bytes = entry.granules * granule;
  if (mmap(place, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    mprotect(place, bytes, PROT_NONE);
  close(entry.file);
  make_private(page_floor(entry.host), page_ceil(entry.host + entry.size));
}

// Of these host pages, those that no lock covers.
void LockedMemory::make_private(uint64_t begin, uint64_t end) {
  while (begin < end) {
    uint64_t covered_until = begin, next = end; // of [begin, end): what begins covered; where the next lock begins
    for (uint32_t g = 0; g < used_; ++g) {
      if (owner_[g] != g + 1)
        continue;
      const uint64_t first = page_floor(entries_[g].host), last = page_ceil(entries_[g].host + entries_[g].size);
      if (first <= begin)
        covered_until = std::max(covered_until, last);
      else
        next = std::min(next, first);
    }
    if (covered_until == begin)
      unshare_pages(begin, next - begin, file_name);
    begin = covered_until == begin ? next : covered_until;
  }
}

// A child must have pages of its own. The parent waits until the child has copied them: it might change them meanwhile.
void LockedMemory::before_fork() {
  sharing.lock();
  if (touched_ && pipe2(fork_pipe_, O_CLOEXEC) != 0)
    fork_pipe_[0] = fork_pipe_[1] = -1;
}

void LockedMemory::after_fork(bool child) {
  if (touched_ && child) {
    unshare_pages(0, base_, file_name);
    unshare_pages(base_ + bytes_, ~(base_ + bytes_), file_name);
  }
  if (fork_pipe_[0] >= 0) {
    close(fork_pipe_[1]);
    char none;
    while (!child && read(fork_pipe_[0], &none, 1) < 0 && errno == EINTR)
      ;
    close(fork_pipe_[0]);
    fork_pipe_[0] = fork_pipe_[1] = -1;
  }
  sharing.unlock();
}

void LockedMemory::bring_in() {
  uint32_t g = 0;
  const auto next = [&] { // of those that nobody has touched; 0: there is none
    const std::lock_guard guard(sharing);
    while (g < used_ && (!owner_[g] || mapped_[g]))
      ++g;
    return g < used_ ? base_ + g++ * granule : 0;
  };
  while (const uint64_t address = next())
    repair(address);
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
    entry.file = make_memory_file(file_name, end - begin);
  if (entry.file < 0)
    return false;
  // Who touches much of it will touch the rest: twice as much as so far, for reading the host's list of mappings takes
  // time.
  uint64_t count = 1;
  while (count < std::min<uint64_t>(entry.mapped, most_at_once) && g + count < entry.first + entry.granules &&
         !mapped_[g + count])
    ++count;
  std::fill_n(mapped_ + g, count, 1);
  entry.mapped += uint32_t(count);
  touched_ += !entry.touched;
  entry.touched = true;
  share_pages(begin + offset, std::min(count * granule, end - begin - offset), entry.file, offset, base_ + g * granule);
  return retry_once(address);
}

} // namespace crosslane::hsa
