// Two differences of figures a range; of all ranges, what lies between them.
#include "timing/replay/window.h"
#include "isa/print.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace crosslane::timing::replay {

namespace {

constexpr uint64_t fills = 6;    // times the card, before anything is measured,
constexpr uint64_t measures = 2; // that are,
constexpr uint64_t rest = 2;     // behind those, of the grid's end
constexpr uint64_t warms = 8;    // before all of these, that bring lines to L2

template <class Do> void each_pair(Figures& a, const Figures& b, Do f) {
  std::vector<uint64_t> counts;
  each_count(b, [&](uint64_t count) { counts.push_back(count); });
  a.rows.resize(std::max(a.rows.size(), b.rows.size()));
  size_t i = 0;
  each_count(a, [&](uint64_t& count) { f(count, i < counts.size() ? counts[i] : 0), ++i; });
  f(a.instructions, b.instructions), f(a.waves, b.waves), f(a.groups, b.groups);
}

void add(Figures& a, const Figures& b) {
  each_pair(a, b, [](uint64_t& x, uint64_t y) { x += y; });
}
Figures difference(const Figures& now, const Figures& then) {
  Figures d = now;
  each_pair(d, then, [](uint64_t& x, uint64_t y) { x -= y; });
  return d;
}

} // namespace

std::vector<Line> by_address(const Program& program, Figures& figures) {
  struct Sum {
    const events::Site* site = nullptr;
    RowFigures figures;
  };
  std::map<uint64_t, Sum> sums;
  program.for_each([&](const BlockRows& block) {
    for (size_t i = 0; i < block.rows.size() && block.first + i < figures.rows.size(); ++i) {
      const events::Site& site = block.block->sites[i];
      Sum& sum = sums[site.pc];
      sum.site = &site;
      const RowFigures& row = figures.rows[block.first + i];
      sum.figures.issued += row.issued;
      for (size_t k = 0; k < spent_count; ++k)
        sum.figures.cycles[k] += row.cycles[k];
    }
  });
  figures.rows.clear();
  std::vector<Line> lines;
  for (const auto& [pc, sum] : sums) {
    lines.push_back({pc, isa::print(*sum.site->instruction)});
    figures.rows.push_back(sum.figures);
  }
  return lines;
}

Window::Window(const WindowRange& range, uint64_t capacity)
    : range_(range), capacity_(std::max<uint64_t>(capacity, 1)) {
  const uint64_t least = (fills + measures) * capacity_;
  if (range_.begins)
    begin_ = range_.first + fills * capacity_;
  else if (range_.ends)
    begin_ = range_.first + range_.count - (measures + rest) * capacity_;
  else
    begin_ = range_.first + fills * capacity_ +
             uint64_t(double(range_.count - std::min(range_.count, least)) * (jitter(range_.first) - 0.5));
  end_ = begin_ + measures * capacity_;
}

std::string Window::trouble() const {
  const uint64_t least = (fills + measures + (range_.ends ? rest : 0)) * capacity_;
  if (range_.count >= least)
    return "";
  return fmt::format("a range of {} workgroups is too short to be timed by itself: the card holds {} at a time, and {} "
                     "times as many are wanted; take fewer ranges",
                     range_.count, capacity_, fills + measures + rest);
}

void Window::begin(Source& source) {
  const uint64_t filled = begin_ - fills * capacity_;
  const uint64_t warmed = range_.begins ? filled : std::max(range_.first, filled - std::min(filled, warms * capacity_));
  next_ = warmed;
  source.plan(warmed, Fate::skipped);
  source.plan(filled, Fate::warms);
  source.plan(range_.ends ? range_.first + range_.count : end_, Fate::replayed);
  source.plan(range_.first + range_.count, Fate::skipped);
  due_ = begin_;
}

void Window::reached(const Figures& figures, Source&) {
  measuring_ = !measuring_;
  (measuring_ ? before_ : behind_) = figures;
  due_ = measuring_ ? end_ : never;
}

WindowPart Window::part(const Figures& replayed, const Program& program, uint64_t instructions, uint64_t waves) const {
  WindowPart part{.instructions = instructions, .waves = waves, .groups = range_.count, .replayed = replayed.groups};
  part.measured = difference(behind_, before_);
  part.known = range_.begins ? behind_ : range_.ends ? difference(replayed, before_) : part.measured;
  part.before = range_.begins ? 0 : begin_ - range_.first;
  part.behind = range_.ends ? 0 : range_.first + range_.count - end_;
  for (Figures* figures : {&part.known, &part.measured}) {
    figures->rows.resize(replayed.rows.size());
    part.lines = by_address(program, *figures);
  }
  return part;
}

namespace {

// With rows of all of them.
class Aligned {
public:
  explicit Aligned(std::span<const WindowPart> parts) {
    for (const WindowPart& part : parts)
      for (const Line& line : part.lines)
        rows_.emplace(line.address, line.text);
    size_t row = 0;
    for (const auto& [address, text] : rows_) {
      lines_.push_back({address, text});
      numbers_[address] = row++;
    }
  }
  Figures operator()(const WindowPart& part, const Figures& figures) const {
    Figures out = figures;
    out.rows.assign(lines_.size(), {});
    for (size_t i = 0; i < part.lines.size() && i < figures.rows.size(); ++i)
      out.rows[numbers_.at(part.lines[i].address)] = figures.rows[i];
    return out;
  }
  std::vector<Line> lines() && { return std::move(lines_); }

private:
  std::map<uint64_t, std::string> rows_;
  std::map<uint64_t, size_t> numbers_;
  std::vector<Line> lines_;
};

} // namespace

Joined join(std::span<const WindowPart> parts) {
  Aligned aligned(parts);
  std::vector<Measured> measured;
  std::vector<double> between;
  Figures known, all;
  uint64_t replayed = 0;
  double behind = 0; // instructions between the measured ones of the range before and its end
  for (const WindowPart& part : parts) {
    add(known, aligned(part, part.known));
    measured.push_back({.rates = rates_between({}, aligned(part, part.measured)), .later = {}});
    const double guessed = double(part.instructions - std::min(part.instructions, part.known.instructions));
    const auto around = double(part.before + part.behind);
    if (measured.size() > 1)
      between.push_back(behind + (around > 0 ? guessed * double(part.before) / around : 0));
    behind = around > 0 ? guessed * double(part.behind) / around : 0;
    all.instructions += part.instructions, all.waves += part.waves, all.groups += part.groups;
    replayed += part.replayed;
  }
  const double sum = std::accumulate(between.begin(), between.end(), 0.0);
  Estimate estimate = extrapolate(known, measured, {std::move(between), {}, sum});
  estimate.replayed = replayed;
  estimate.figures.instructions = all.instructions, estimate.figures.waves = all.waves;
  estimate.figures.groups = all.groups;
  return {std::move(estimate), std::move(aligned).lines()};
}

} // namespace crosslane::timing::replay
