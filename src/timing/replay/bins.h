// Owns Bins: amounts over time in a fixed number of bins. When time goes beyond the last one, two become one, so that
// memory does not grow however long a kernel takes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace crosslane::timing::replay {

class Bins {
public:
  Bins(uint32_t series, uint32_t count, uint64_t width)
      : count_(std::max(count, 2u)), width_(width), amounts_(series, std::vector<double>(count_)) {}

  uint64_t width() const { return width_; } // cycles of a bin
  uint32_t count() const { return count_; } // of bins
  const std::vector<double>& of(uint32_t series) const { return amounts_[series]; }

  void add(uint32_t series, uint64_t time, double amount) {
    reach(time);
    amounts_[series][time / width_] += amount;
  }
  // One for each cycle from `begin` to `end`.
  void span(uint32_t series, uint64_t begin, uint64_t end) {
    if (begin >= end)
      return;
    reach(end - 1);
    std::vector<double>& bins = amounts_[series];
    for (uint64_t bin = begin / width_; begin < end; ++bin) {
      const uint64_t edge = std::min(end, (bin + 1) * width_);
      bins[bin] += double(edge - begin);
      begin = edge;
    }
  }
  // Those of others, whose bins are as many and whose first width was the same.
  void add(Bins other) {
    while (width_ < other.width_)
      halve();
    while (other.width_ < width_)
      other.halve();
    for (size_t s = 0; s < amounts_.size(); ++s)
      for (uint32_t i = 0; i < count_; ++i)
        amounts_[s][i] += other.amounts_[s][i];
  }

private:
  void reach(uint64_t time) {
    while (time / width_ >= count_)
      halve();
  }
  void halve() {
    for (std::vector<double>& bins : amounts_)
      for (uint32_t i = 0; i < count_; ++i)
        bins[i] = 2 * i < count_ ? bins[2 * i] + (2 * i + 1 < count_ ? bins[2 * i + 1] : 0) : 0;
    width_ *= 2;
  }
  uint32_t count_;
  uint64_t width_;
  std::vector<std::vector<double>> amounts_;
};

} // namespace crosslane::timing::replay
