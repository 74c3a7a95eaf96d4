// An instruction is put down when the next one begins: until then, a barrier may add to it.
#include "timing/replay/recording.h"
#include "timing/replay/unit.h"
#include <bit>
#include <tuple>

namespace crosslane::timing::replay {

namespace {

// In its wave's eyes: a unit that is busy longer than the wave's next instruction waits is not its matter.
uint32_t issue_cycles_of(const Row& r) {
  return r.port == Port::valu || r.port == Port::matrix ? std::min(r.busy, r.period) : r.period;
}

} // namespace

void RowTimes::add(const RowTimes& o) { hits += o.hits, latency += o.latency, stall += o.stall, idle += o.idle; }

Recorder::Recorder(const Wanted& wanted, std::vector<Place> places)
    : wanted_(wanted), places_(std::move(places)), bins_(series_count, wanted.bins, wanted.bin_cycles),
      now_(places_.size(), std::vector<Now>(Unit::slots)), taken_(places_.size()) {}

void Recorder::begin(uint32_t unit, uint32_t slot, uint32_t simd, uint64_t workgroup, uint32_t wave, uint64_t time) {
  const auto place = uint8_t(std::countr_one(taken_[unit][simd]));
  taken_[unit][simd] |= uint64_t(1) << place;
  const Place& at = places_[unit];
  Now& now = now_[unit][slot];
  now = {};
  now.wave = {.begin = time,
              .workgroup = workgroup,
              .wave = wave,
              .engine = at.engine,
              .unit = at.unit,
              .simd = uint8_t(simd),
              .slot = place};
  now.last_end = time;
  now.detailed = at.engine == wanted_.engine && at.unit == wanted_.unit && steps_ < wanted_.steps;
}

void Recorder::spent(uint32_t unit, uint32_t slot, Spent what, uint64_t from, uint64_t until, bool last) {
  busy(series_of(what), from, until);
  Now& now = now_[unit][slot];
  const auto cycles = uint32_t(until - from);
  switch (what) {
  case Spent::waitcnt:
  case Spent::barrier:
  case Spent::sleep:
  case Spent::unit_full:
  case Spent::other:
    if (last)
      now.step.stall += cycles, now.last_end = until;
    else
      now.stall += cycles;
    break;
  default: break; // what is left of the time between two instructions
  }
}

void Recorder::issued(uint32_t unit, uint32_t slot, uint32_t row, const Row& r, uint64_t time, uint64_t plain) {
  Now& now = now_[unit][slot];
  close(now);
  const uint32_t issue = issue_cycles_of(r);
  now.step = {row, uint32_t(time - now.last_end) - now.stall, now.stall, issue};
  now.stall = 0, now.any = true;
  now.last_end = time + issue;
  count(Series::instructions, time, 1);
  const bool internal = r.port == Port::none;
  busy(series_of(internal ? Spent::internal : Spent::issue), time, plain);
  busy(series_of(internal ? Spent::internal : Spent::dependency), plain, time + r.period);
  switch (r.port) {
  case Port::valu: busy(Series::valu, time, time + r.busy); break;
  case Port::matrix: busy(Series::matrix, time, time + r.busy); break;
  case Port::salu: busy(Series::salu, time, time + r.busy); break;
  default: break;
  }
}

void Recorder::close(Now& now) {
  if (!now.any)
    return;
  if (now.step.row >= rows_.size())
    rows_.resize(now.step.row + 1);
  rows_[now.step.row].add({1, uint64_t(now.step.stall) + now.step.issue, now.step.stall, now.step.idle});
  if (now.detailed)
    now.steps.push_back(now.step), ++steps_;
  now.any = false;
}

void Recorder::end(uint32_t unit, uint32_t slot, uint64_t time) {
  Now& now = now_[unit][slot];
  close(now);
  now.wave.end = time;
  taken_[unit][now.wave.simd] &= ~(uint64_t(1) << now.wave.slot);
  busy(Series::waves, now.wave.begin, time);
  ++all_;
  if (now.wave.unit % every_ == 0)
    waves_.push_back(now.wave);
  if (now.detailed)
    detailed_.push_back({now.wave, std::move(now.steps)});
}

void Recorder::keep_every(uint32_t units) {
  every_ = units;
  std::erase_if(waves_, [&](const WaveRecord& w) { return w.unit % every_ != 0; });
}

void Recorder::add_to(Recording& r) const {
  r.bins.add(bins_);
  r.waves.insert(r.waves.end(), waves_.begin(), waves_.end());
  r.every = every_;
  r.waves_in_all += all_;
  r.rows.resize(std::max(r.rows.size(), rows_.size()));
  for (size_t i = 0; i < rows_.size(); ++i)
    r.rows[i].add(rows_[i]);
  r.detailed.insert(r.detailed.end(), detailed_.begin(), detailed_.end());
}

} // namespace crosslane::timing::replay
