// Read once from /proc and sysconf.
#include "hsa/host.h"
#include <algorithm>
#include <cpuid.h>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

// What follows the colon of the first such line of /proc/cpuinfo, or nothing.
std::string cpuinfo(std::string_view field) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with(field))
      return line.substr(std::min(line.find_first_not_of(" \t", line.find(':') + 1), line.size()));
  return "";
}

// Where there is no /proc. A hypervisor may give another name here than the system goes by.
std::string brand() {
  std::array<uint32_t, 13> text{}; // 48 characters and a NUL
  uint32_t highest = __get_cpuid_max(0x8000'0000, nullptr);
  if (highest < 0x8000'0004)
    return "CPU";
  for (uint32_t i = 0; i < 3; ++i)
    __get_cpuid(0x8000'0002 + i, &text[4 * i], &text[4 * i + 1], &text[4 * i + 2], &text[4 * i + 3]);
  std::string name = reinterpret_cast<const char*>(text.data());
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  return name.empty() ? "CPU" : name;
}

uint32_t clock_mhz() {
  uint32_t base = 0, highest = 0, bus = 0, unused = 0;
  if (__get_cpuid(0x16, &base, &highest, &bus, &unused) && highest)
    return highest;
  uint64_t khz = 0;
  if (std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") >> khz)
    return uint32_t(khz / 1000);
  return uint32_t(std::strtod(cpuinfo("cpu MHz").c_str(), nullptr)); // of the moment, when nobody tells the highest
}

std::string name() {
  const std::string model = cpuinfo("model name");
  return model.empty() ? brand() : model;
}

uint32_t cache(int name) { return uint32_t(std::clamp<long>(sysconf(name), 0, UINT32_MAX)); }

} // namespace

const Host& host() {
  static const auto& found = *new Host{name(),
                                       std::max(1U, std::thread::hardware_concurrency()),
                                       clock_mhz(),
                                       {cache(_SC_LEVEL1_DCACHE_SIZE), cache(_SC_LEVEL2_CACHE_SIZE),
                                        cache(_SC_LEVEL3_CACHE_SIZE), cache(_SC_LEVEL4_CACHE_SIZE)}};
  return found;
}

} // namespace crosslane::hsa
