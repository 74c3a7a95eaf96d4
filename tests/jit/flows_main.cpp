// jit_flows [--kernels N] [--target T]... [--seed S] [--counts 1]: as many random kernels (flows.h) of each target as
// asked for, for which `make test` has no time. CROSSLANE_LEVEL says for which level.
#include "tests/jit/flows.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  using namespace crosslane;
  setenv("CROSSLANE_JIT", "always", 1), setenv("CROSSLANE_CACHE", "off", 1);
  uint64_t kernels = 1000;
  test::FlowSettings settings;
  std::vector<isa::Target> targets;
  for (int n = 1; n < argc; n += 2) {
    const char* const value = n + 1 < argc ? argv[n + 1] : "";
    if (std::strcmp(argv[n], "--kernels") == 0)
      kernels = std::strtoull(value, nullptr, 10);
    else if (std::strcmp(argv[n], "--seed") == 0)
      settings.seed = std::strtoull(value, nullptr, 10);
    else if (std::strcmp(argv[n], "--counts") == 0)
      settings.counts = std::strcmp(value, "0") != 0;
    else if (const auto t = isa::parse_target(value); t && std::strcmp(argv[n], "--target") == 0)
      targets.push_back(*t);
    else
      return std::fprintf(stderr, "usage: jit_flows [--kernels N] [--target T]... [--seed S] [--counts 1]\n"), 2;
  }
  if (targets.empty())
    targets = {isa::Target::gfx900};
  bool wrong = false;
  for (const isa::Target t : targets) {
    const auto begin = std::chrono::steady_clock::now();
    test::FlowTrials trials(t, settings);
    const test::FlowResult r = trials.run(kernels);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (const auto* texts : {&r.complaints, &r.refused})
      for (const std::string& c : *texts)
        std::printf("%s\n", c.c_str());
    std::printf("%.*s: %llu kernels of %.0f dwords, %llu runs of %.0f wave-instructions, %llu waves entered, %llu in "
                "ranges, %llu left by a guard, %llu runs faulted, %llu too large, %zu refused, %llu differ; %.0f s\n",
                int(isa::info(t).name.size()), isa::info(t).name.data(), (unsigned long long)r.kernels,
                double(r.instructions) / double(r.kernels ? r.kernels : 1), (unsigned long long)r.runs,
                double(r.executed) / double(r.runs ? r.runs : 1), (unsigned long long)r.entered,
                (unsigned long long)r.ranged, (unsigned long long)r.left, (unsigned long long)r.faults,
                (unsigned long long)r.too_large, r.refused.size(), (unsigned long long)r.differences, seconds);
    std::fflush(stdout);
    wrong |= r.differences || !r.refused.empty();
  }
  return wrong;
}
