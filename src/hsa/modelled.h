// Owns what `crosslane run --time` tells: how long kernels take on the card by the cycle model (model/timed.h), summed
// over the process; and the card's clock, which goes on by what they take and by nothing else.
#pragma once
#include "timing/formats/csv.h"
#include "timing/replay/figures.h"
#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace crosslane::hsa {

class Modelled {
public:
  void add(const std::string& kernel, const std::string& card, const timing::replay::Figures&);
  // One that has no figures.
  void miss(const std::string& kernel, const std::string& card, const std::string& why);
  std::string text() const;
  nlohmann::ordered_json json() const;
  std::vector<timing::formats::KernelTimes> times() const;

private:
  struct Kernel {
    std::string name, card;
    uint64_t calls = 0, missed = 0;
    double total = 0, least = 0, most = 0, squares = 0; // nanoseconds
    uint64_t cycles = 0, waves = 0, instructions = 0;
    timing::replay::SpentCycles spent{};
    std::string why; // of the last one that was missed
  };
  Kernel& of(const std::string& kernel, const std::string& card);
  std::vector<Kernel> by_time() const;

  mutable std::mutex mutex_;
  std::vector<Kernel> kernels_;
};

} // namespace crosslane::hsa
