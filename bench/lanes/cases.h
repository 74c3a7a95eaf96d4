// Owns how one instruction set's variants are measured: they take turns, many times, and the least time of each counts,
// so that what else the machine does falls on all of them or on none. Times are only meant as ratios within a case.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace crosslane::bench {

struct Variant {
  const char* name;
  std::function<void(size_t)> run; // so many operations
};

// What is compared: `section` is the algorithm, `name` the task, `kind` what its plan was recognised as, `ours` the
// variant that the library takes.
struct Case {
  std::string section, name, metric, kind, ours;
  std::vector<Variant> variants;
};

class Cases {
public:
  Cases(std::string only, int rounds) : only_(std::move(only)), rounds_(rounds) {}

  // Prints a line for each variant: section, name, metric, kind, ours, variant, nanoseconds for one operation.
  void measure(const Case& c) const {
    const std::string full = c.section + ": " + c.name + " (" + c.metric + ") " + c.kind;
    if (full.find(only_) == std::string::npos)
      return;
    std::vector<double> best(c.variants.size(), 1e99);
    size_t operations = 1;
    while (std::min({seconds(c.variants[0], operations), seconds(c.variants[0], operations),
                     seconds(c.variants[0], operations)}) < 4e-6)
      operations *= 2;
    for (int round = 0; round < rounds_; ++round)
      for (size_t v = 0; v < best.size(); ++v)
        best[v] = std::min(best[v], seconds(c.variants[v], operations));
    for (size_t v = 0; v < best.size(); ++v)
      std::printf("%s\t%s\t%s\t%s\t%s\t%s\t%.4f\n", c.section.c_str(), c.name.c_str(), c.metric.c_str(), c.kind.c_str(),
                  c.ours.c_str(), c.variants[v].name, best[v] / double(operations) * 1e9);
    std::fflush(stdout);
  }

private:
  static double seconds(const Variant& v, size_t operations) {
    const auto start = std::chrono::steady_clock::now();
    v.run(operations);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::string only_;
  int rounds_;
};

} // namespace crosslane::bench
