// Stretches are planned one by one, each when the one before has been measured.
#include "timing/replay/sampler.h"
#include <algorithm>
#include <cmath>

namespace crosslane::timing::replay {

namespace {

double square(double x) { return x * x; }

} // namespace

double jitter(uint64_t number) {
  uint64_t z = (number + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 31) * 0xbf58476d1ce4e5b9u;
  return 0.8 + 0.4 * double(z >> 40) * 0x1p-24;
}

Sampler::Sampler(const Sampling& sampling, uint64_t capacity, uint64_t l2_lines)
    : sampling_(sampling), capacity_(std::max<uint64_t>(capacity, 1)), l2_lines_(l2_lines) {}

void Sampler::begin(Source& source) {
  if (sampling_.groups < 12 * capacity_) // hardly anything could be left out
    return source.plan(never, Fate::replayed);
  begin_stretch(source, 2 * capacity_, capacity_, 0); // places, then caches, become warm
}

void Sampler::took(const GroupTrace& trace, uint64_t instructions) {
  Selection::took(trace, instructions);
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
  stretch.rates = rates_between(before_, figures);
}

// How much stretches differ in their cycles: the standard deviation of one, relative.
double Sampler::variation() const {
  double squares = 0, sum = 0;
  const size_t most = std::min<size_t>(stretches_.size(), 6);
  for (size_t i = stretches_.size() - most; i < stretches_.size(); ++i) {
    sum += stretches_[i].rates.counts[0];
    if (i > stretches_.size() - most)
      squares += square(stretches_[i].rates.counts[0] - stretches_[i - 1].rates.counts[0]) / 2;
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

std::optional<Estimate> Sampler::estimate(const Figures& replayed, uint64_t instructions, uint64_t waves) const {
  if (!any_left_out_)
    return {};
  std::vector<Rates> rates;
  for (const Stretch& stretch : stretches_)
    rates.push_back(stretch.rates);
  Estimate out = extrapolate(replayed, rates, between(replayed.instructions, instructions));
  out.figures.instructions = instructions, out.figures.waves = waves, out.figures.groups = sampling_.groups;
  return out;
}

} // namespace crosslane::timing::replay
