// Source: mremap(2), "old_size is zero"; proc(5), /proc/[pid]/maps.
#include "hsa/memory/shared_pages.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

// Odd: pages [active_begin, active_end) are being converted. Changes with every beginning and every end.
std::atomic<uint64_t> generation{0};
std::atomic<uint64_t> active_begin{0}, active_end{0};

constexpr uint64_t piece_bytes = uint64_t(2) << 20; // that are write-protected at a time

void sleep_a_little() {
  const timespec time{0, 20'000};
  nanosleep(&time, nullptr);
}

// initial-exec: see engine/dispatch/guard.cpp.
struct Retry {
  uint64_t address, generation;
};
[[gnu::tls_model("initial-exec")]] thread_local Retry last_retry = {0, ~uint64_t(0)};

struct Mapping {
  uint64_t begin, end;
  int protection;
  bool shared;
  char name[48]; // its beginning
};

// Reads /proc/self/maps without memory of its own: for signal handlers. One at a time for each buffer: `sharing` is
// held.
constexpr size_t buffer_bytes = 16384;
char list_buffer[buffer_bytes], check_buffer[buffer_bytes];

class Mappings {
public:
  explicit Mappings(char* buffer = list_buffer)
      : file_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)), buffer_(buffer) {}
  ~Mappings() {
    if (file_ >= 0)
      close(file_);
  }
  bool next(Mapping& mapping) {
    // 7f0000000000-7f0000001000 rw-p 00000000 00:00 0 [name]
    int c = get();
    if (c < 0)
      return false;
    mapping.begin = hex(c);
    mapping.end = hex(c = get());
    mapping.protection = (get() == 'r' ? PROT_READ : 0);
    mapping.protection |= (get() == 'w' ? PROT_WRITE : 0);
    mapping.protection |= (get() == 'x' ? PROT_EXEC : 0);
    mapping.shared = get() == 's';
    // The name follows the inode's number, which follows four other words.
    size_t words = 0, length = 0;
    for (int before = 0; c >= 0 && c != '\n'; before = c, c = get()) {
      words += before == ' ' && c != ' ';
      if (words >= 4 && length + 1 < sizeof mapping.name)
        mapping.name[length++] = char(c);
    }
    mapping.name[length] = 0;
    return true;
  }

private:
  int get() {
    if (at_ == end_) {
      const ssize_t n = read(file_, buffer_, buffer_bytes);
      at_ = 0, end_ = size_t(std::max<ssize_t>(n, 0));
      if (n <= 0)
        return -1;
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }
  // A number that begins with c; eats one character behind it.
  uint64_t hex(int c) {
    uint64_t value = 0;
    for (; c >= 0; c = get()) {
      if (c >= '0' && c <= '9')
        value = value * 16 + uint64_t(c - '0');
      else if (c >= 'a' && c <= 'f')
        value = value * 16 + uint64_t(c - 'a' + 10);
      else
        break;
    }
    return value;
  }
  int file_;
  char* buffer_;
  size_t at_ = 0, end_ = 0;
};

// Whole pages hold also what a sanitizer forbids to touch, and its pwrite, memcpy and mmap would say so: none is used.
bool write_all(int file, uint64_t from, uint64_t size, uint64_t offset) {
  while (size) {
    const long n = syscall(SYS_pwrite64, file, from, size, offset);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    from += uint64_t(n), offset += uint64_t(n), size -= uint64_t(n);
  }
  return true;
}

// False if the program has unmapped some of them meanwhile, as it may with memory that it frees: then there is no
// fault.
bool copy_pages(uint8_t* to, uint64_t from, uint64_t size) {
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (memory < 0)
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  while (memory >= 0 && size) {
    const long n = syscall(SYS_pread64, memory, to, size, from);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    to += n, from += uint64_t(n), size -= uint64_t(n);
  }
  if (memory >= 0)
    close(memory);
  return memory < 0 || !size;
}

// Whether all these pages are of the file of that name: the program may have mapped something else there meanwhile.
// Between this and what follows from it it still may; nothing of the system's excludes that.
bool are_of(uint64_t host, uint64_t size, const char* name) {
  Mappings mappings(check_buffer);
  Mapping mapping;
  uint64_t done = host;
  while (done < host + size && mappings.next(mapping) && mapping.begin <= done)
    if (mapping.end > done) {
      if (!mapping.shared || !std::strstr(mapping.name, name))
        return false;
      done = mapping.end;
    }
  return done >= host + size;
}

bool map_file(uint64_t address, uint64_t size, int protection, int file, uint64_t offset) {
  return syscall(SYS_mmap, address, size, protection, MAP_SHARED | MAP_FIXED, file, offset) != -1;
}

// Private pages with one protection.
bool convert(uint64_t host, uint64_t size, int protection, int file, uint64_t offset, uint64_t alias) {
  if (!(protection & PROT_WRITE))
    return alias && write_all(file, host, size, offset) && map_file(alias, size, protection, file, offset);
  active_begin = host, active_end = host + size;
  ++generation;
  // Whoever writes from now on waits for us.
  bool done = mprotect(reinterpret_cast<void*>(host), size, protection & ~PROT_WRITE) == 0;
  if (done) {
    done = write_all(file, host, size, offset) && map_file(host, size, protection, file, offset);
    if (!done)
      mprotect(reinterpret_cast<void*>(host), size, protection);
  }
  ++generation;
  return done && (!alias || map_file(alias, size, protection, file, offset));
}

// Shared pages with one protection, of which `copy` shall take the place.
bool replace(uint64_t host, uint64_t size, int protection, uint8_t* copy, const char* name) {
  active_begin = host, active_end = host + size;
  ++generation;
  bool done = mprotect(reinterpret_cast<void*>(host), size, PROT_READ) == 0;
  if (done) {
    done = copy_pages(copy, host, size) && mprotect(copy, size, protection) == 0 && are_of(host, size, name) &&
           mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(host)) != MAP_FAILED;
    if (!done)
      mprotect(reinterpret_cast<void*>(host), size, protection);
  }
  ++generation;
  return done;
}

bool convert_back(uint64_t host, uint64_t size, int protection, const char* name) {
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return false;
  // All pieces come out of one mapping, so that the host makes one of them again.
  auto* copy = static_cast<uint8_t*>(p);
  bool done = true;
  uint64_t at = 0;
  for (; at < size && done; at += piece_bytes)
    done = replace(host + at, std::min(piece_bytes, size - at), protection, copy + at, name);
  if (!done)
    munmap(copy + at - piece_bytes, size - (at - piece_bytes));
  return done;
}

} // namespace

SignalLock sharing;

void SignalLock::lock() {
  while (taken_.exchange(true, std::memory_order_acquire))
    sleep_a_little();
}

constexpr int memory_file_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

int make_memory_file(const char* name, uint64_t size) {
  const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 && (ftruncate(file, off_t(size)) != 0 || fcntl(file, F_ADD_SEALS, memory_file_seals) != 0)) {
    close(file);
    return -1;
  }
  return file;
}

int open_memory_file(int path, const char* name) {
  struct stat status;
  if (fstat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
    return -1;
  char link[64], target[64];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", path);
  const ssize_t length = readlink(link, target, sizeof target - 1);
  if (length < 0)
    return -1;
  target[length] = 0;
  char expected[64];
  std::snprintf(expected, sizeof expected, "/memfd:%s (deleted)", name);
  if (std::strcmp(target, expected) != 0)
    return -1;
  // A name can be made to look like this one. But only a file of memfd_create can have seals on its size.
  const int file = open(link, O_RDWR | O_CLOEXEC);
  if (file >= 0 && fcntl(file, F_GET_SEALS) != memory_file_seals) {
    close(file);
    return -1;
  }
  return file;
}

std::string memory_file_name(int file) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      fcntl(file, F_GET_SEALS) != memory_file_seals)
    return {};
  char link[64], target[128];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, target, sizeof target);
  const std::string_view whole(target, size_t(std::max<ssize_t>(length, 0)));
  constexpr std::string_view before = "/memfd:", after = " (deleted)";
  if (!whole.starts_with(before) || !whole.ends_with(after))
    return {};
  return std::string(whole.substr(before.size(), whole.size() - before.size() - after.size()));
}

bool share_pages(uint64_t host, uint64_t size, int file, uint64_t offset, uint64_t alias) {
  Mappings mappings;
  Mapping mapping;
  uint64_t done = host;
  bool all = true;
  while (done < host + size && mappings.next(mapping) && mapping.begin < host + size) {
    const uint64_t begin = std::max(mapping.begin, host), end = std::min(mapping.end, host + size);
    if (begin >= end || begin < done)
      continue;
    all &= begin == done;
    done = end;
    const auto alias_of = [&](uint64_t address) { return alias ? alias + (address - host) : 0; };
    if (!(mapping.protection & PROT_READ))
      all = false;
    else if (mapping.shared)
      all &= alias && mremap(reinterpret_cast<void*>(begin), 0, end - begin, MREMAP_MAYMOVE | MREMAP_FIXED,
                             reinterpret_cast<void*>(alias_of(begin))) != MAP_FAILED;
    else // in pieces, so that nobody waits for long
      for (uint64_t at = begin; at < end; at += piece_bytes)
        all &=
            convert(at, std::min(piece_bytes, end - at), mapping.protection, file, offset + (at - host), alias_of(at));
  }
  ++generation, ++generation; // what was tried in vain is tried again once
  return all && done == host + size;
}

namespace {

bool make_private(uint64_t host, uint64_t size, const char* name) {
  Mappings mappings;
  Mapping mapping;
  bool all = true;
  uint64_t done = host;
  while (mappings.next(mapping) && mapping.begin < host + size) {
    const uint64_t begin = std::max(mapping.begin, done), end = std::min(mapping.end, host + size);
    if (begin >= end)
      continue;
    done = end;
    if (mapping.shared && std::strstr(mapping.name, name))
      all &= convert_back(begin, end - begin, mapping.protection, name);
  }
  return all;
}

} // namespace

// On a stack of its own: the caller's may be among the pages that are write-protected meanwhile. `sharing` is held.
bool unshare_pages(uint64_t host, uint64_t size, const char* name) {
  static struct {
    uint64_t host, size;
    const char* name;
    bool done;
  } call;
  static ucontext_t here, there;
  alignas(64) static char stack[64 << 10];
  call = {host, size, name, false};
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = &here;
  makecontext(&there, [] { call.done = make_private(call.host, call.size, call.name); }, 0);
  swapcontext(&here, &there);
  return call.done;
}

bool retry_once(uint64_t address) {
  const Retry now{address, generation};
  if (last_retry.address == now.address && last_retry.generation == now.generation)
    return false;
  last_retry = now;
  return true;
}

bool await_sharing(uint64_t address) {
  for (;;) {
    const uint64_t now = generation;
    if (!now)
      return false;
    const bool inside = active_begin <= address && address < active_end;
    if (now != generation)
      continue;
    if (!(now & 1) || !inside)
      break;
    sleep_a_little();
  }
  return retry_once(address);
}

} // namespace crosslane::hsa
