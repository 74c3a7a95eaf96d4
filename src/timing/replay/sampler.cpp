// Stretches are planned one by one, each when the one before has been measured.
#include "timing/replay/sampler.h"
#include <algorithm>
#include <cmath>

namespace crosslane::timing::replay {

namespace {

// As often as the card holds workgroups:
constexpr uint64_t least_fills = 24;  // a grid, of which anything is left out
constexpr uint64_t start_fills = 4;   // its beginning, until places and caches are as they stay
constexpr uint64_t stretch_fills = 2; // what is measured in one
constexpr uint64_t end_fills = 3;     // its end: one more, as the card becomes empty
constexpr uint64_t warming_fills = 8; // what brings lines to L2, at most

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
  if (sampling_.groups < least_fills * capacity_) // hardly anything could be left out
    return source.plan(never, Fate::replayed);
  begin_stretch(source, start_fills * capacity_, 0);
}

void Sampler::took(const GroupTrace& trace, uint64_t instructions) {
  Selection::took(trace, instructions);
  if (stretches_.empty())
    return;
  if (trace.fate == Fate::warms) { // in front of the stretch that is planned
    stretches_[stretches_.size() - 2].warmed_instructions += instructions;
    return;
  }
  ++stretches_.back().groups;
  stretches_.back().instructions += instructions;
}

// `rest`: what of it is not measured any more.
void Sampler::begin_stretch(Source& source, uint64_t measured, uint64_t rest) {
  const uint64_t first = stretches_.empty() ? 0 : next_ + stretches_.back().left_out + stretches_.back().warmed;
  stretches_.emplace_back();
  due_ = first + measured / 2, until_ = first + measured;
  source.plan(rest ? never : until_, Fate::replayed);
}

void Sampler::reached(const Figures& figures, Source& source) {
  if (due_ != until_) {
    middle_ = figures;
    due_ = until_;
    return;
  }
  Stretch& stretch = stretches_.back();
  const double instructions = double(std::max<uint64_t>(figures.instructions - before_.instructions, 1));
  stretch.lines = double(figures.memory.misses - before_.memory.misses) / instructions;
  stretch.measured = {rates_between(before_, figures), rates_between(middle_, figures), stretch.each()};
  before_ = figures;
  due_ = never;
  if (!last_)
    plan(source);
}

// How much stretches differ in their cycles: the standard deviation of one, relative.
double Sampler::variation() const {
  double squares = 0, sum = 0;
  const size_t most = std::min<size_t>(stretches_.size() - 1, 8); // not of the start
  for (size_t i = stretches_.size() - most; i < stretches_.size(); ++i) {
    sum += stretches_[i].measured.rates.counts[0];
    if (i > stretches_.size() - most)
      squares += square(stretches_[i].measured.rates.counts[0] - stretches_[i - 1].measured.rates.counts[0]) / 2;
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
  const uint64_t most = std::min(gap, warming_fills * capacity_);
  return !sampling_.warms ? 0
         : lines * double(most) < double(l2_lines_)
             ? most
             : std::min(most, 2 * capacity_ + uint64_t(double(l2_lines_) / lines));
}

void Sampler::plan(Source& source) {
  const uint64_t left = sampling_.groups - next_, end = end_fills * capacity_;
  const double instructions = stretches_.back().each() * double(sampling_.groups);
  uint64_t apart = gap();
  if (instructions < double(sampling_.least_instructions) || left <= end + capacity_ / 2)
    return source.plan(never, Fate::replayed);
  if (apart < capacity_ / 2)
    return begin_stretch(source, stretch_fills * capacity_, 0);
  if (apart + end + capacity_ > left)
    apart = left - end, last_ = true;
  Stretch& stretch = stretches_.back();
  stretch.warmed = warming(apart);
  stretch.left_out = apart - stretch.warmed;
  any_left_out_ = true;
  source.plan(next_ + stretch.left_out, Fate::skipped);
  source.plan(next_ + apart, Fate::warms);
  begin_stretch(source, stretch_fills * capacity_, last_ ? capacity_ : 0);
}

std::optional<Estimate> Sampler::estimate(const Figures& replayed, uint64_t instructions, uint64_t waves) const {
  if (!any_left_out_)
    return {};
  std::vector<Measured> measured;
  LeftOut left_out{
      .parts = {}, .counted = {}, .instructions = double(instructions - std::min(instructions, replayed.instructions))};
  for (size_t i = 1; i < stretches_.size(); ++i) {
    measured.push_back(stretches_[i].measured);
    const Stretch& before = stretches_[i - 1];
    left_out.parts.push_back(double(before.left_out + before.warmed));
    left_out.counted.push_back({double(before.warmed), double(before.warmed_instructions)});
  }
  Estimate out = extrapolate(replayed, measured, std::move(left_out));
  out.figures.instructions = instructions, out.figures.waves = waves, out.figures.groups = sampling_.groups;
  return out;
}

} // namespace crosslane::timing::replay
