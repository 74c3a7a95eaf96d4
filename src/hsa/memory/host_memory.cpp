// Source: proc(5), /proc/meminfo; Linux kernel documentation, "Control Group v2", memory interface files.
#include "hsa/memory/host_memory.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace crosslane::hsa {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
File open(const std::string& path) { return File(std::fopen(path.c_str(), "re"), std::fclose); }

// Bytes of a line "name:  1234 kB" of /proc/meminfo.
uint64_t meminfo(std::initializer_list<const char*> names) {
  uint64_t bytes = 0;
  const File file = open("/proc/meminfo");
  char line[128];
  while (file && std::fgets(line, sizeof line, file.get()))
    for (const char* name : names)
      if (const size_t length = std::strlen(name); !std::strncmp(line, name, length) && line[length] == ':')
        bytes += std::strtoull(line + length + 1, nullptr, 10) * 1024;
  return bytes;
}

// A file of one number; UINT64_MAX if there is none or it says "max".
uint64_t number(const std::string& path) {
  const File file = open(path);
  unsigned long long value = 0;
  return file && std::fscanf(file.get(), "%llu", &value) == 1 ? value : UINT64_MAX;
}

// The least that a control group from the process's own up to the root allows; `left`: less what it uses already.
uint64_t group_limit(bool left) {
  std::string group;
  if (const File file = open("/proc/self/cgroup")) {
    char line[4096];
    while (std::fgets(line, sizeof line, file.get()))
      if (!std::strncmp(line, "0::", 3))
        group.assign(line + 3, std::strcspn(line + 3, "\n"));
  }
  uint64_t limit = UINT64_MAX;
  for (;; group.resize(group.rfind('/'))) {
    const std::string folder = "/sys/fs/cgroup" + group;
    const uint64_t most = number(folder + "/memory.max");
    if (most != UINT64_MAX) {
      const uint64_t used = left ? number(folder + "/memory.current") : 0;
      limit = std::min(limit, most - std::min(most, used));
    }
    if (group.find('/') == std::string::npos)
      return limit;
  }
}

} // namespace

uint64_t host_memory_bytes() { return std::min(meminfo({"MemTotal", "SwapTotal"}), group_limit(false)); }

uint64_t host_memory_available() { return std::min(meminfo({"MemAvailable", "SwapFree"}), group_limit(true)); }

} // namespace crosslane::hsa
