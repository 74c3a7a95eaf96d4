// fork(2), limits, and a pipe on which the child sends a mark and bytes.
#include "toolchain/child.h"
#include "files/error.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <llvm/Support/ErrorHandling.h>
#include <memory>
#include <new>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::toolchain {

namespace {

enum Mark : char { result = 'r', error = 'e', fatal = 'f', out_of_memory = 'm' };

int answer = -1; // in the child: where it writes

void send(Mark mark, const void* bytes, size_t size) {
  const auto write_all = [](const char* at, size_t left) {
    while (left) {
      const ssize_t done = ::write(answer, at, left);
      if (done < 0 && errno != EINTR)
        _exit(1);
      if (done > 0)
        at += done, left -= static_cast<size_t>(done);
    }
  };
  const char first = mark;
  write_all(&first, 1);
  write_all(static_cast<const char*>(bytes), size);
}

// Of memory that there is no more of nothing may be taken here.
[[noreturn]] void no_memory() {
  send(Mark::out_of_memory, nullptr, 0);
  _exit(0);
}
void bad_alloc(void*, const char*, bool) { no_memory(); }
void fatal_error(void*, const char* reason, bool) {
  send(Mark::fatal, reason, std::strlen(reason));
  _exit(0);
}

// A sanitizer's shadow is address space too.
constexpr bool shadowed = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);

uint64_t address_space() {
  unsigned long pages = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"), std::fclose);
  if (!file || std::fscanf(file.get(), "%lu", &pages) != 1)
    return 0;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void limit(int resource, uint64_t value) {
  rlimit now;
  if (getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0)
    return;
  now.rlim_cur = now.rlim_max = std::min<rlim_t>(value, now.rlim_max);
  setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

[[noreturn]] void run_child(ChildLimits limits, llvm::function_ref<llvm::Expected<std::vector<uint8_t>>()> work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits.seconds);
  if (!shadowed)
    limit(RLIMIT_AS, address_space() + limits.memory);
  std::set_new_handler(no_memory);
  llvm::install_bad_alloc_error_handler(bad_alloc);
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(fatal_error);
  auto bytes = work();
  if (bytes) {
    send(Mark::result, bytes->data(), bytes->size());
  } else {
    const std::string text = llvm::toString(bytes.takeError());
    send(Mark::error, text.data(), text.size());
  }
  _exit(0);
}

// All that the child sends until its end.
std::vector<uint8_t> receive(int file) {
  std::vector<uint8_t> bytes;
  size_t used = 0;
  while (true) {
    bytes.resize(std::max<size_t>(used + 65536, bytes.capacity()));
    const ssize_t got = read(file, bytes.data() + used, bytes.size() - used);
    if (got > 0)
      used += static_cast<size_t>(got);
    else if (got == 0 || errno != EINTR)
      break;
  }
  bytes.resize(used);
  return bytes;
}

} // namespace

llvm::Expected<std::vector<uint8_t>> in_child(const std::string& what, ChildLimits limits,
                                              llvm::function_ref<llvm::Expected<std::vector<uint8_t>>()> work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fail("{}: no pipe to another process: {}", what, std::strerror(errno));
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    answer = ends[1];
    run_child(limits, work);
  }
  const int no_child = errno;
  close(ends[1]);
  std::vector<uint8_t> bytes;
  int status = 0;
  if (child > 0) {
    bytes = receive(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      continue;
  }
  close(ends[0]);
  if (child < 0)
    return fail("{}: no process to assemble it in: {}", what, std::strerror(no_child));
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL
               ? fail("{}: takes more than {} s to assemble: does a .rept or macro in it ever end?", what,
                      limits.seconds)
               : fail("{}: LLVM's assembler crashed: {}", what, strsignal(WTERMSIG(status)));
  const char mark = bytes.empty() ? '\0' : static_cast<char>(bytes[0]);
  if (!bytes.empty())
    bytes.erase(bytes.begin());
  if (mark == Mark::result)
    return bytes;
  if (mark == Mark::out_of_memory)
    return fail("{}: takes more than {} MiB of memory to assemble: is a .fill, .org, .rept or macro in it too large?",
                what, limits.memory >> 20);
  const std::string text(bytes.begin(), bytes.end());
  if (mark == Mark::error)
    return fail("{}", text);
  if (mark == Mark::fatal)
    return fail("{}: LLVM's assembler gives up: {}", what, text);
  return fail("{}: LLVM's assembler ended without a result", what);
}

} // namespace crosslane::toolchain
