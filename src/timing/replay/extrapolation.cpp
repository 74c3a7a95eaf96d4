// Ratios where sizes are known, a regression estimator where only their sum is, and differences of neighbours (Cochran,
// Sampling Techniques, chapters 6 to 8).
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

constexpr double least_error = 0.008; // of what is guessed: what is wrong with all stretches alike
constexpr double unlike_error = 0.4;  // of what instructions take that workgroups of the stretches do not have
constexpr double uneven_error = 0.25; // where sizes of workgroups change from stretch to stretch by as much as they are
constexpr double like_ratio = 0.02;   // sizes that differ by no more than this tell little of what sizes take

double square(double x) { return x * x; }
double at(const std::vector<double>& counts, size_t i) { return i < counts.size() ? counts[i] : 0; }

class Parts {
public:
  Parts(LeftOut left_out, std::span<const Measured> stretches)
      : left_out_(std::move(left_out)), stretches_(stretches),
        leading_(left_out_.parts.size() - (stretches_.size() - 1)) {
    left_out_.counted.resize(left_out_.parts.size());
    for (size_t p = 0; p < left_out_.parts.size(); ++p)
      squares_ += square(uncounted(p)), counted_ += left_out_.counted[p].instructions;
    guessed_ = all([&](size_t s) { return stretches_[s].size; });
    for (size_t s = 1; s < stretches_.size(); ++s)
      spread_ += square(stretches_[s].size - stretches_[s - 1].size);
    for (const Measured& stretch : stretches_)
      spread_ += square(like_ratio * stretch.size);
    limit_ = student(2 * (stretches_.size() - 1) / 3); // that many are independent of as many differences
  }
  struct Sum {
    double value = 0, error = 0;
  };
  // `rate`: of Rates.
  template <class Rate> Sum sum(Rate rate) const {
    const auto of = [&](size_t s) { return rate(stretches_[s].rates) * stretches_[s].size; };
    const double known = all(of), mean = guessed_ > 0 ? known / guessed_ : 0,
                 missing = left_out_.instructions - guessed_;
    double more = 0; // of an instruction more
    for (const Measured& stretch : stretches_)
      more += mean * square(like_ratio * stretch.size);
    for (size_t s = 1; s < stretches_.size(); ++s)
      more += (of(s) - of(s - 1)) * (stretches_[s].size - stretches_[s - 1].size);
    more = spread_ > 0 ? more / spread_ : 0;
    double own = 0, counted = 0, pooled = 0;
    for (size_t s = 1; s < stretches_.size(); ++s) {
      const double apart = of(s) - of(s - 1) - more * (stretches_[s].size - stretches_[s - 1].size);
      const double ratio = rate(stretches_[s].rates) - rate(stretches_[s - 1].rates);
      const size_t p = s - 1 + leading_;
      own += square(uncounted(p) * apart) / 2; // a stretch is on the side of two parts
      counted += square(left_out_.counted[p].instructions * ratio) / 2;
      pooled += square(apart) / 2 / double(stretches_.size() - 1);
    }
    if (leading_)
      own += square(uncounted(0)) * pooled;
    double variance = (own + squares_ * pooled) / 2 + counted; // few parts may agree by chance
    variance += spread_ > 0 ? square(missing) * 2 * pooled / spread_ : 0;
    const double value = std::max(known + more * missing, 0.0);
    const double alike = least_error * value, uneven = uneven_error * unevenness() * unknown() * value;
    return {value, std::sqrt(square(limit_) * variance + square(left_out_.instructions * lateness(rate)) +
                             square(unlike_error * more * missing) + square(alike) + square(uneven))};
  }

  // Of each, without what corrects their sum.
  template <class Rate> std::vector<double> each(Rate rate) const {
    std::vector<double> parts;
    each_part([&](size_t s) { return rate(stretches_[s].rates) * stretches_[s].size; },
              [&](double part) { parts.push_back(part); });
    return parts;
  }

private:
  // By what stretches have of a workgroup.
  template <class Of, class Do> void each_part(Of of, Do f) const {
    if (leading_)
      f(part(0, 2 * of(0), 2 * stretches_[0].size));
    for (size_t s = 1; s < stretches_.size(); ++s)
      f(part(s - 1 + leading_, of(s - 1) + of(s), stretches_[s - 1].size + stretches_[s].size));
  }
  template <class Of> double all(Of of) const {
    double sum = 0;
    each_part(of, [&](double part) { sum += part; });
    return sum;
  }
  // `both`: of a workgroup of each side, which have `size` instructions together.
  double part(size_t p, double both, double size) const {
    return uncounted(p) * both / 2 + (size > 0 ? left_out_.counted[p].instructions * both / size : 0);
  }
  double uncounted(size_t p) const { return left_out_.parts[p] - left_out_.counted[p].parts; } // workgroups
  // The part of all whose sizes are guessed.
  double unknown() const { return guessed_ > 0 ? std::max(0.0, 1 - counted_ / guessed_) : 0; }
  // How much workgroups of neighbours differ in size, relative, 1 at most.
  double unevenness() const {
    double squares = 0, sum = stretches_[0].size;
    for (size_t s = 1; s < stretches_.size(); ++s)
      squares += square(stretches_[s].size - stretches_[s - 1].size) / 2, sum += stretches_[s].size;
    const double n = double(stretches_.size());
    return n < 2 || sum <= 0 ? 0 : std::min(1.0, std::sqrt(squares / (n - 1)) / (sum / n));
  }
  // How much the mean of the second halves is above that of all.
  template <class Rate> double lateness(Rate rate) const {
    double sum = 0;
    for (const Measured& stretch : stretches_)
      sum += stretch.later ? rate(*stretch.later) - rate(stretch.rates) : 0;
    return sum / double(stretches_.size());
  }

  LeftOut left_out_;
  std::span<const Measured> stretches_;
  size_t leading_;
  double guessed_ = 0, counted_ = 0, spread_ = 0, squares_ = 0, limit_ = 0;
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

Estimate extrapolate(const Figures& known, std::span<const Measured> stretches, LeftOut left_out) {
  const Parts parts(std::move(left_out), stretches);
  Estimate out{.figures = known, .error = {}, .replayed = known.groups, .stretches = stretches.size(), .cycles = {}};
  out.cycles = parts.each([](const Rates& r) { return at(r.counts, 0); });
  std::vector<double> errors;
  each_count(out.figures, [&](uint64_t& count) {
    const auto sum = parts.sum([&](const Rates& r) { return at(r.counts, errors.size()); });
    count += uint64_t(std::llround(sum.value));
    errors.push_back(sum.error);
  });
  out.error.rows.resize(known.rows.size());
  const double* error = errors.data();
  each_count(out.error, [&](uint64_t& count) { count = uint64_t(std::ceil(*error++)); });
  for (size_t i = 0; i < spent_count; ++i)
    out.spent_error[i] = uint64_t(std::ceil(parts.sum([&](const Rates& r) { return r.spent[i]; }).error));
  return out;
}

} // namespace crosslane::timing::replay
