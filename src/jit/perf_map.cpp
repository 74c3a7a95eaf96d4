// One line for each kernel, written at once: others of this process may write there as well.
#include "jit/perf_map.h"
#include "jit/gdb.h"
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::jit {

namespace {

bool is_on(const char* word) { return word && *word && std::string_view(word) != "0"; }

} // namespace

bool perf_listens() {
  static const bool listens = is_on(std::getenv("CROSSLANE_JIT_PERF"));
  return listens;
}

bool gdb_listens() {
  static const bool listens = is_on(std::getenv("CROSSLANE_JIT_GDB"));
  return listens;
}

void tell_perf(std::string_view kernel, const void* code, size_t bytes) {
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  char place[64];
  std::snprintf(place, sizeof place, "%" PRIxPTR " %zx ", reinterpret_cast<uintptr_t>(code), bytes);
  std::string line = place + std::string(kernel) + " [crosslane]";
  std::replace_if(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  line += '\n';
  struct stat status;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_nlink == 1)
    (void)!write(file, line.data(), line.size());
  close(file);
}

} // namespace crosslane::jit
