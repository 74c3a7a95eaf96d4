// The mean of the two stretches beside each part, and Student's t of how they differ.
#include "timing/replay/extrapolation.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace crosslane::timing::replay {

namespace {

std::vector<double> counts_of(const Figures& figures) {
  std::vector<double> counts;
  each_count(figures, [&](uint64_t count) { counts.push_back(double(count)); });
  return counts;
}

// Two-sided, 95 %.
double student(uint64_t degrees) {
  static constexpr std::array<double, 11> exact{12.71, 12.71, 4.303, 3.182, 2.776, 2.571,
                                                2.447, 2.365, 2.306, 2.262, 2.228};
  return degrees < exact.size() ? exact[degrees] : 1.96 + 2.6 / double(degrees);
}

double square(double x) { return x * x; }
double at(const std::vector<double>& counts, size_t i) { return i < counts.size() ? counts[i] : 0; }

// Of parts of so many instructions with a measured rate before and behind each.
class Parts {
public:
  explicit Parts(std::vector<double> instructions) : instructions_(std::move(instructions)) {
    uint64_t parts = 0;
    for (const double n : instructions_)
      all_ += n, squares_ += square(n), parts += n > 0;
    limit_ = student(parts);
  }
  struct Sum {
    double value = 0, error = 0;
  };
  // `rate`: of the stretch of a number.
  template <class Rate> Sum sum(Rate rate) const {
    double value = 0, own = 0, pooled = 0, before = rate(0);
    for (size_t s = 0; s < instructions_.size(); ++s) {
      const double n = instructions_[s], behind = rate(s + 1);
      value += n * (before + behind) / 2;
      own += square(n * (behind - before)) / 2; // a stretch is on the side of two parts
      pooled += n * square(behind - before) / 2;
      before = behind;
    }
    const double variance = all_ > 0 ? (own + squares_ * pooled / all_) / 2 : 0; // few parts may agree by chance
    return {value, limit_ * std::sqrt(variance)};
  }

private:
  std::vector<double> instructions_;
  double all_ = 0, squares_ = 0, limit_ = 0;
};

} // namespace

Rates rates_between(const Figures& then, const Figures& now) {
  Rates rates;
  const double instructions = double(std::max<uint64_t>(now.instructions - then.instructions, 1));
  rates.counts = counts_of(now);
  const std::vector<double> before = counts_of(then);
  for (size_t i = 0; i < rates.counts.size(); ++i)
    rates.counts[i] = (rates.counts[i] - at(before, i)) / instructions;
  const SpentCycles spent = now.spent(), spent_before = then.spent();
  for (size_t i = 0; i < spent_count; ++i)
    rates.spent[i] = double(spent[i] - spent_before[i]) / instructions;
  return rates;
}

Estimate extrapolate(const Figures& known, std::span<const Rates> stretches, std::vector<double> between) {
  const Parts parts(std::move(between));
  Estimate out{.figures = known, .error = {}, .replayed = known.groups, .stretches = stretches.size()};
  std::vector<double> errors;
  each_count(out.figures, [&](uint64_t& count) {
    const auto sum = parts.sum([&](size_t s) { return at(stretches[s].counts, errors.size()); });
    count += uint64_t(std::llround(sum.value));
    errors.push_back(sum.error);
  });
  out.error.rows.resize(known.rows.size());
  const double* error = errors.data();
  each_count(out.error, [&](uint64_t& count) { count = uint64_t(std::ceil(*error++)); });
  for (size_t i = 0; i < spent_count; ++i)
    out.spent_error[i] = uint64_t(std::ceil(parts.sum([&](size_t s) { return stretches[s].spent[i]; }).error));
  return out;
}

} // namespace crosslane::timing::replay
