// Stretches are planned one by one, each when the one before has been measured.
#include "timing/replay/sampler.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace crosslane::timing::replay {

namespace {

constexpr uint64_t never = ~uint64_t(0);

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

// Where a stretch lies does not follow what the grid repeats.
double jitter(uint64_t number) {
  uint64_t z = (number + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 31) * 0xbf58476d1ce4e5b9u;
  return 0.8 + 0.4 * double(z >> 40) * 0x1p-24;
}

double square(double x) { return x * x; }
double at(const std::vector<double>& counts, size_t i) { return i < counts.size() ? counts[i] : 0; }

} // namespace

Sampler::Sampler(const Sampling& sampling, uint64_t capacity, uint64_t l2_lines)
    : sampling_(sampling), capacity_(std::max<uint64_t>(capacity, 1)), l2_lines_(l2_lines) {}

void Sampler::begin(Source& source) {
  if (sampling_.groups < 12 * capacity_) // hardly anything could be left out
    return source.plan(never, Fate::replayed);
  begin_stretch(source, 2 * capacity_, capacity_, 0); // places, then caches, become warm
}

void Sampler::took(const GroupTrace& trace, uint64_t instructions) {
  next_ = trace.number + 1;
  if (stretches_.empty())
    return;
  if (trace.fate == Fate::warms) {
    stretches_[stretches_.size() - 2].warmed_instructions += instructions;
    return;
  }
  ++stretches_.back().groups;
  stretches_.back().instructions += instructions;
}

// `rest`: what of it is not measured any more.
void Sampler::begin_stretch(Source& source, uint64_t warm_up, uint64_t measured, uint64_t rest) {
  const uint64_t first = stretches_.empty() ? 0 : next_ + stretches_.back().left_out + stretches_.back().warmed;
  stretches_.emplace_back();
  due_ = first + warm_up, until_ = due_ + measured;
  source.plan(rest ? never : until_, Fate::replayed);
}

void Sampler::reached(const Figures& figures, Source& source) {
  measuring_ = !measuring_;
  if (measuring_) {
    before_ = figures;
    due_ = until_;
    return;
  }
  measure(figures);
  due_ = never;
  if (!last_)
    plan(source);
}

void Sampler::measure(const Figures& figures) {
  Stretch& stretch = stretches_.back();
  const double instructions = double(std::max<uint64_t>(figures.instructions - before_.instructions, 1));
  stretch.lines = double(figures.memory.misses - before_.memory.misses) / instructions;
  stretch.rates = counts_of(figures);
  const Counts before = counts_of(before_);
  const SpentCycles now = figures.spent(), then = before_.spent();
  for (size_t i = 0; i < spent_count; ++i)
    stretch.spent[i] = double(now[i] - then[i]) / instructions;
  for (size_t i = 0; i < stretch.rates.size(); ++i)
    stretch.rates[i] = (stretch.rates[i] - at(before, i)) / instructions;
}

// How much stretches differ in their cycles: the standard deviation of one, relative.
double Sampler::variation() const {
  double squares = 0, sum = 0;
  const size_t most = std::min<size_t>(stretches_.size(), 6);
  for (size_t i = stretches_.size() - most; i < stretches_.size(); ++i) {
    sum += stretches_[i].rates[0];
    if (i > stretches_.size() - most)
      squares += square(stretches_[i].rates[0] - stretches_[i - 1].rates[0]) / 2;
  }
  return most < 2 ? 0.01 : std::sqrt(squares / double(most - 1)) / (sum / double(most));
}

// Workgroups to the next stretch. What lies between adds to the square of the error by its own.
uint64_t Sampler::gap() const {
  const double all = double(sampling_.groups);
  const double for_error = all * square(sampling_.error / (2.2 * std::max(variation(), 1e-4)));
  return uint64_t(jitter(next_) * std::min({double(next_), for_error, all / 6}));
}

// Workgroups in front of a stretch that bring to L2 what it holds.
uint64_t Sampler::warming(uint64_t gap) const {
  const Stretch& stretch = stretches_.back();
  const double lines = stretch.lines * stretch.each();
  return !sampling_.warms ? 0 : lines * double(gap) < double(l2_lines_) ? gap : uint64_t(double(l2_lines_) / lines);
}

void Sampler::plan(Source& source) {
  const uint64_t left = sampling_.groups - next_, end = 3 * capacity_;
  const double instructions = stretches_.back().each() * double(sampling_.groups);
  uint64_t apart = gap();
  if (instructions < double(sampling_.least_instructions) || left <= end + capacity_ / 2)
    return source.plan(never, Fate::replayed);
  if (apart < capacity_ / 2)
    return begin_stretch(source, 0, capacity_, 0);
  if (apart + end + capacity_ > left)
    apart = left - end, last_ = true;
  Stretch& stretch = stretches_.back();
  stretch.warmed = warming(apart);
  stretch.left_out = apart - stretch.warmed;
  any_left_out_ = true;
  source.plan(next_ + stretch.left_out, Fate::skipped);
  source.plan(next_ + apart, Fate::warms);
  begin_stretch(source, capacity_, capacity_, last_ ? capacity_ : 0);
}

// Instructions between each stretch and the next: as many as are missing in all, in parts as their neighbours have
// them.
std::vector<double> Sampler::between(uint64_t replayed, uint64_t instructions) const {
  std::vector<double> between(stretches_.size() - 1);
  double known = double(replayed), guessed = 0;
  for (size_t s = 0; s < between.size(); ++s) {
    between[s] = double(stretches_[s].left_out) * (stretches_[s].each() + stretches_[s + 1].each()) / 2;
    known += double(stretches_[s].warmed_instructions);
    guessed += between[s];
  }
  const double scale = guessed > 0 ? std::max(double(instructions) - known, 0.0) / guessed : 0;
  for (size_t s = 0; s < between.size(); ++s)
    between[s] = between[s] * scale + double(stretches_[s].warmed_instructions);
  return between;
}

namespace {

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

std::optional<Estimate> Sampler::estimate(const Figures& replayed, uint64_t instructions, uint64_t waves) const {
  if (!any_left_out_)
    return {};
  const Parts parts(between(replayed.instructions, instructions));
  Estimate out{.figures = replayed, .error = {}, .replayed = replayed.groups, .stretches = stretches_.size()};
  std::vector<double> errors;
  each_count(out.figures, [&](uint64_t& count) {
    const auto sum = parts.sum([&](size_t s) { return at(stretches_[s].rates, errors.size()); });
    count += uint64_t(std::llround(sum.value));
    errors.push_back(sum.error);
  });
  out.error.rows.resize(replayed.rows.size());
  const double* error = errors.data();
  each_count(out.error, [&](uint64_t& count) { count = uint64_t(std::ceil(*error++)); });
  for (size_t i = 0; i < spent_count; ++i)
    out.spent_error[i] = uint64_t(std::ceil(parts.sum([&](size_t s) { return stretches_[s].spent[i]; }).error));
  out.figures.instructions = instructions, out.figures.waves = waves, out.figures.groups = sampling_.groups;
  return out;
}

} // namespace crosslane::timing::replay
