// Looks --cpu and --level up.
#include "cli/permute/host_choice.h"
#include "files/error.h"
#include "lanes/plan/host_cpu.h"
#include <algorithm>
#include <fmt/ranges.h>
#include <optional>

namespace crosslane::cli {

namespace {

using lanes::Cpu;
using lanes::Isa;

std::optional<Isa> level_of_this_cpu() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    if (!__builtin_cpu_supports("avx512vbmi"))
      return Isa::avx512;
    if (!__builtin_cpu_supports("avx512vbmi2"))
      return Isa::avx512_vbmi;
    return __builtin_cpu_supports("gfni") ? Isa::avx512_gfni : Isa::avx512_vbmi2;
  }
  if (__builtin_cpu_supports("avx2"))
    return Isa::avx2;
  return std::nullopt;
}

template <class E, size_t N>
llvm::Expected<E> named(const std::string& name, const char* const (&names)[N], const char* option) {
  const auto at = std::find(std::begin(names), std::end(names), name);
  if (at == std::end(names))
    return fail("{}: there is no '{}'; there are host, {}", option, name, fmt::join(names, ", "));
  return E(at - std::begin(names));
}

llvm::Expected<lanes::HostCpu> parse_cpu(const std::string& name) {
  if (name == "host")
    return lanes::host_cpu();
  auto cpu = named<Cpu>(name, lanes::cpu_names, "--cpu");
  if (!cpu)
    return cpu.takeError();
  return lanes::HostCpu{*cpu, false};
}

// Zen 3 has no AVX-512, and Alder Lake's is turned off.
llvm::Expected<Isa> parse_level(const std::string& name, const std::string& cpu) {
  if ((cpu == "alderlake" || cpu == "zen3") && name.empty())
    return Isa::avx2;
  if (cpu == "zen3" && name.starts_with("avx512"))
    return fail("--level: zen3 has no {}, only avx2", name);
  if (cpu == "alderlake" && name.starts_with("avx512"))
    return fail("--level: alderlake has no {}, only avx2; sapphirerapids has the same core with AVX-512", name);
  if (name != "host" && (!name.empty() || cpu != "host"))
    return name.empty() ? Isa::avx512_gfni : named<Isa>(name, lanes::isa_names, "--level");
  if (const auto level = level_of_this_cpu())
    return *level;
  return fail("this CPU has no AVX2, and so no plans; name another one, as in --cpu zen4 --level avx2");
}

} // namespace

llvm::Expected<HostChoice> choose_host(const std::string& cpu, const std::string& level) {
  auto which = parse_cpu(cpu);
  if (!which)
    return which.takeError();
  auto isa = parse_level(level, cpu);
  if (!isa)
    return isa.takeError();
  return HostChoice{which->cpu, which->guessed, *isa};
}

} // namespace crosslane::cli
