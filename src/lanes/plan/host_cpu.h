// Owns which of the tabled CPUs the one at hand is, by its family and model; where it is none of them, the nearest.
#pragma once
#include "lanes/plan/host.h"
#include <cpuid.h>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

struct HostCpu {
  Cpu cpu;
  bool guessed; // it is another, and its costs may be others
};

namespace detail {
// Families and models: Intel's "Architecture and Instruction Set Extensions Programming Reference", table 1-1; AMD's
// "Processor Programming Reference" of each.
constexpr HostCpu known_cpu(bool amd, int family, int model, bool avx512, bool avx_vnni) {
  if (amd) {
    const bool zen4 = family == 0x19 && ((model >= 0x10 && model < 0x20) || (model >= 0x60 && model < 0x80) ||
                                         (model >= 0xa0 && model < 0xb0));
    if (family == 0x19)
      return {zen4 ? Cpu::zen4 : Cpu::zen3, false};
    return {family >= 0x1a ? Cpu::zen5 : Cpu::zen3, family != 0x1a};
  }
  if (family == 6)
    switch (model) {
    case 0x6a: // server
    case 0x6c:
    case 0x7d: // client
    case 0x7e:
    case 0x8c: // Tiger Lake
    case 0x8d: return {Cpu::icelake, false};
    case 0x8f:
    case 0xcf: return {Cpu::sapphirerapids, false}; // Emerald Rapids
    case 0x97:
    case 0x9a:
    case 0xb7: // Raptor Lake
    case 0xba:
    case 0xbf: return {Cpu::alderlake, false};
    }
  return {avx_vnni ? avx512 ? Cpu::sapphirerapids : Cpu::alderlake : Cpu::icelake, true};
}
} // namespace detail

inline HostCpu host_cpu() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(0, a, b, c, d);
  const bool amd = b == signature_AMD_ebx;
  __cpuid(1, a, b, c, d);
  int family = int(a >> 8 & 15), model = int(a >> 4 & 15);
  if (family == 6 || family == 15)
    model += int(a >> 16 & 15) << 4;
  if (family == 15)
    family += int(a >> 20 & 255);
  unsigned extended = 0, more = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
    extended = b;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d))
    more = a;
  return detail::known_cpu(amd, family, model, extended >> 16 & 1, more >> 4 & 1);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
