// operands_oracle [--trials N] [--target T]... [--seed S]: as many trials of operands_oracle.h as asked for, of each
// target, for which `make test` has no time.
#include "tests/engine/operands_oracle.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  using namespace crosslane;
  uint64_t trials = 1000000, seed = 1;
  std::vector<isa::Target> targets;
  for (int n = 1; n + 1 < argc; n += 2) {
    if (std::strcmp(argv[n], "--trials") == 0)
      trials = std::strtoull(argv[n + 1], nullptr, 10);
    else if (std::strcmp(argv[n], "--seed") == 0)
      seed = std::strtoull(argv[n + 1], nullptr, 10);
    else if (const auto t = isa::parse_target(argv[n + 1]); t && std::strcmp(argv[n], "--target") == 0)
      targets.push_back(*t);
    else
      return std::fprintf(stderr, "usage: operands_oracle [--trials N] [--target T]... [--seed S]\n"), 2;
  }
  if (targets.empty())
    targets = {isa::Target::gfx900};
  size_t complaints = 0;
  for (const isa::Target t : targets) {
    const auto begin = std::chrono::steady_clock::now();
    test::OperandsOracle oracle(t, 20, seed);
    const test::OracleResult r = oracle.run(trials);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (const std::string& c : r.complaints)
      std::printf("%s\n", c.c_str());
    for (const std::string& u : r.untried)
      std::printf("no trial of %s ran to its end\n", u.c_str());
    std::printf("%.*s: %llu trials of %zu instructions, %llu ended by a fault, %zu complaints, %.0f s\n",
                int(isa::info(t).name.size()), isa::info(t).name.data(), (unsigned long long)(r.trials + r.faults),
                r.instructions, (unsigned long long)r.faults, r.complaints.size(), seconds);
    std::fflush(stdout);
    complaints += r.complaints.size();
  }
  return complaints ? 1 : 0;
}
