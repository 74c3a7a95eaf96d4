// jit_blocks [--blocks N] [--target T]... [--seed S] [--level v3|v4] [--optimize 1|2] [--states N]: as many
// random blocks (blocks.h) of each target as asked for, for which `make test` has no time. --states: how often each is
// run, from other registers and memory; what costs time is that a block is compiled.
#include "tests/jit/blocks.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  using namespace crosslane;
  uint64_t blocks = 1000000;
  test::BlockSettings settings;
  std::vector<isa::Target> targets;
  for (int n = 1; n < argc; n += 2) {
    const char* const value = n + 1 < argc ? argv[n + 1] : "";
    if (std::strcmp(argv[n], "--blocks") == 0)
      blocks = std::strtoull(value, nullptr, 10);
    else if (std::strcmp(argv[n], "--seed") == 0)
      settings.seed = std::strtoull(value, nullptr, 10);
    else if (std::strcmp(argv[n], "--level") == 0)
      settings.level = value;
    else if (std::strcmp(argv[n], "--optimize") == 0)
      settings.optimize = std::atoi(value);
    else if (std::strcmp(argv[n], "--states") == 0)
      settings.states = std::atoi(value);
    else if (const auto t = isa::parse_target(value); t && std::strcmp(argv[n], "--target") == 0)
      targets.push_back(*t);
    else
      return std::fprintf(stderr, "usage: jit_blocks [--blocks N] [--target T]... [--seed S] [--level v3|v4] "
                                  "[--optimize 1|2] [--states N]\n"),
             2;
  }
  if (targets.empty())
    targets = {isa::Target::gfx900};
  bool wrong = false;
  for (const isa::Target t : targets) {
    const auto begin = std::chrono::steady_clock::now();
    test::BlockTrials trials(t, settings);
    const test::BlockResult r = trials.run(blocks);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (const auto* texts : {&r.complaints, &r.refused})
      for (const std::string& c : *texts)
        std::printf("%s\n", c.c_str());
    std::printf("%.*s: %llu blocks of %.1f instructions, %llu runs, %llu left by a guard, %llu ended by a fault, "
                "%llu differ by a free payload, %llu differ; %llu units, %.0f s of compiling, %.0f s\n",
                int(isa::info(t).name.size()), isa::info(t).name.data(), (unsigned long long)r.blocks,
                double(r.instructions) / double(r.blocks ? r.blocks : 1), (unsigned long long)r.runs,
                (unsigned long long)r.left, (unsigned long long)r.faults, (unsigned long long)r.free_payloads,
                (unsigned long long)r.differences, (unsigned long long)r.units, r.compile_seconds, seconds);
    std::fflush(stdout);
    wrong |= r.differences || !r.refused.empty();
  }
  return wrong;
}
