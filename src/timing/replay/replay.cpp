// Rounds: workgroups are placed, all clusters run a while by themselves, L2 answers them in the order of time.
#include "timing/replay/replay.h"
#include <algorithm>
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tuple>

namespace crosslane::timing::replay {

Replay::Replay(const Machine& machine, const Needs& needs, std::function<const events::Block*(uint32_t)> find)
    : machine_(machine), needs_(needs), find_(std::move(find)), program_(machine_), l2_(machine_) {
  engines_.resize(machine_.engines);
  next_unit_.resize(machine_.engines);
  // Units of an engine follow each other, and share caches with their neighbours.
  const uint32_t per_engine = (machine_.units + machine_.engines - 1) / machine_.engines;
  for (uint32_t unit = 0, engine = 0; unit < machine_.units; ++engine) {
    const uint32_t end = std::min(machine_.units, unit + per_engine);
    while (unit < end) {
      const uint32_t count = std::min(machine_.units_per_cache, end - unit);
      clusters_.push_back(std::make_unique<Cluster>(machine_, program_, unit, count));
      for (uint32_t i = 0; i < count; ++i)
        engines_[engine].push_back({uint32_t(clusters_.size() - 1), i});
      unit += count;
    }
  }
}

// Engines take turns; one that has no room is passed over.
bool Replay::place(GroupTrace& trace, const Needs& needs) {
  if (resident_ && resident_ + needs.waves > machine_.waves_in_flight)
    return false;
  for (size_t tries = 0; tries < engines_.size(); ++tries) {
    const uint32_t e = next_engine_;
    next_engine_ = uint32_t((next_engine_ + 1) % engines_.size());
    const auto& units = engines_[e];
    for (size_t i = 0; i < units.size(); ++i) {
      const Place at = units[(next_unit_[e] + i) % units.size()];
      Cluster& cluster = *clusters_[at.cluster];
      if (!cluster.fits(at.unit, needs))
        continue;
      next_unit_[e] = uint32_t((next_unit_[e] + i + 1) % units.size());
      const double launch = std::max(dispatcher_, double(cluster.released(at.unit)));
      dispatcher_ = launch + std::max(double(machine_.launch_period), machine_.wave_launch * needs.waves);
      resident_ += needs.waves;
      if (trace.open)
        open_[trace.number] = at;
      cluster.place(at.unit, std::move(trace), needs, std::max(uint64_t(launch) + machine_.launch_latency, now_));
      return true;
    }
  }
  return false;
}

// ---- Rounds. What several threads do at a time knows nothing of each other, so its order does not matter.

namespace {

constexpr uint64_t little_work = 1000; // instructions or requests, for which nobody is woken
constexpr uint32_t most_threads = 16;

} // namespace

void Replay::share(uint32_t threads) {
  const uint32_t all = std::min({threads, uint32_t(clusters_.size()), most_threads});
  if (all > 1)
    team_.emplace(int(all), 1);
}

template <class Turn> void Replay::together(uint32_t count, tbb::affinity_partitioner& who, const Turn& turn) {
  team_->execute([&] { tbb::parallel_for(0u, count, turn, who); });
}

void Replay::run_clusters() {
  const auto run = [this](uint32_t i) {
    if (Cluster& cluster = *clusters_[i]; !cluster.starves() && cluster.next() < now_)
      cluster.run(now_);
  };
  if (team_ && work_ >= little_work)
    together(uint32_t(clusters_.size()), of_clusters_, run);
  else
    for (uint32_t i = 0; i < clusters_.size(); ++i)
      run(i);
  uint64_t issued = 0;
  for (const auto& cluster : clusters_)
    issued += cluster->issued();
  work_ = issued - issued_, issued_ = issued;
}

// Few are served one by one. Of many, each thread copies those of its own clusters, channel by channel, serves those of
// its own channels, and gives its clusters the answers, so that no two write next to each other.
void Replay::exchange() {
  uint64_t count = 0;
  bool passing = false;
  for (const auto& cluster : clusters_) {
    count += cluster->requests().size();
    passing |= cluster->passes();
  }
  if (!team_ || count < little_work || passing || of_memory_) {
    serve_in_order();
    for (const auto& cluster : clusters_)
      cluster->answer();
    return;
  }
  sorted_.resize(clusters_.size());
  of_channel_.resize(l2_.channels());
  together(uint32_t(clusters_.size()), of_clusters_, [this](uint32_t i) { sort_out(i); });
  together(l2_.channels(), of_channels_, [this](uint32_t channel) { serve(channel); });
  together(uint32_t(clusters_.size()), of_clusters_, [this](uint32_t i) {
    const auto requests = clusters_[i]->requests();
    for (auto& copies : sorted_[i])
      for (const Copy& copy : copies)
        requests[copy.index].done = copy.request.done;
    clusters_[i]->answer();
  });
}

void Replay::sort_out(uint32_t cluster) {
  auto& by_channel = sorted_[cluster];
  by_channel.resize(l2_.channels());
  for (auto& copies : by_channel)
    copies.clear();
  uint32_t index = 0;
  for (const Request& r : clusters_[cluster]->requests())
    by_channel[l2_.channel(r.line)].push_back({r, index++});
}

// Those of one time stay in the order of clusters and of asking.
void Replay::sort(std::vector<Asked>& asked) {
  std::ranges::sort(
      asked, [](const Asked& a, const Asked& b) { return std::tie(a.time, a.order) < std::tie(b.time, b.order); });
}

void Replay::serve(uint32_t channel) {
  auto& asked = of_channel_[channel];
  asked.clear();
  for (auto& by_channel : sorted_)
    for (Copy& copy : by_channel[channel])
      asked.push_back({copy.request.time, uint32_t(asked.size()), &copy.request});
  sort(asked);
  for (const Asked& a : asked)
    l2_.serve(channel, *a.request);
}

void Replay::serve_in_order() {
  asked_.clear();
  for (const auto& cluster : clusters_)
    for (Request& r : cluster->requests())
      asked_.push_back({r.time, uint32_t(asked_.size()), &r});
  sort(asked_);
  for (const Asked& a : asked_) {
    if (a.request->passing)
      near_.go_on(*a.request);
    if (of_memory_)
      serve_recorded(*a.request);
    else
      l2_.serve(*a.request);
  }
}

// The next workgroup that gets a place.
void Replay::take(Source& source) {
  do {
    while (selection_ && selection_->due())
      selection_->reached(so_far(), source);
    trace_ = {};
    next_ = source.next(trace_);
    if (next_ != Source::Next::group)
      return;
    if (trace_.number != expected_ || (trace_.fate == Fate::warms && fate_ == Fate::replayed))
      leave_behind(trace_.number);
    else if (trace_.fate == Fate::replayed && fate_ == Fate::warms)
      near_.begin(l2_);
    fate_ = trace_.fate;
    expected_ = trace_.number + 1;
    uint64_t instructions = 0;
    for (const auto& words : trace_.waves)
      instructions += program_.know(words, find_);
    if (selection_)
      selection_->took(trace_, instructions);
    if (trace_.fate == Fate::warms)
      near_.warm(trace_, scratch_of(trace_), l2_);
  } while (trace_.fate == Fate::warms);
}

// What the card still runs lies far behind from now on.
void Replay::leave_behind(uint64_t group) {
  std::vector<Cluster::Left> left;
  for (const auto& cluster : clusters_)
    cluster->add_left(left);
  std::ranges::sort(left, {}, [](const Cluster::Left& l) { return std::tie(l.group, l.scratch); });
  near_.leave_behind(left, l2_);
  for (const auto& cluster : clusters_)
    cluster->pass_before(group);
}

// Places as the card would give them, one workgroup after the other.
std::vector<uint64_t> Replay::scratch_of(const GroupTrace& trace) const {
  Needs needs = needs_;
  needs.waves = uint32_t(trace.waves.size());
  const auto unit = uint32_t(trace.number % machine_.units);
  const uint64_t turn = trace.number / machine_.units % std::max(capacity_, 1u);
  std::vector<uint64_t> lines;
  for (size_t wave = 0; wave < trace.waves.size(); ++wave)
    lines.push_back(scratch_line(unit, uint32_t(turn * needs.waves + wave), needs));
  return lines;
}

// Gives places to workgroups as long as there is room. False: the source has none yet.
bool Replay::fill(Source& source) {
  resident_ = 0;
  for (const auto& cluster : clusters_)
    resident_ += cluster->resident();
  for (;;) {
    if (next_ == Source::Next::later)
      take(source);
    if (next_ == Source::Next::later)
      return false;
    if (next_ == Source::Next::none)
      return true;
    Needs needs = needs_;
    needs.waves = uint32_t(trace_.waves.size());
    if (!place(trace_, needs))
      return true;
    trace_ = {};
    next_ = Source::Next::later;
  }
}

Replay::State Replay::fail(std::string why) {
  trouble_ = std::move(why);
  return State::over;
}

Replay::State Replay::go_on(Source& source) {
  const uint64_t round = std::min({machine_.l2_latency, machine_.scalar_latency + machine_.scalar_miss});
  while (trouble_.empty()) {
    if (!within_) {
      if (!fill(source))
        return State::wants_group;
      for (const auto& words : trace_.waves)
        if (words.empty())
          return fail(fmt::format("workgroup {} has a wave that did not execute anything", trace_.number));
      uint64_t next = Cluster::never;
      for (const auto& cluster : clusters_)
        next = std::min(next, cluster->next());
      if (next == Cluster::never) {
        if (next_ == Source::Next::group)
          return fail(fmt::format("a workgroup of {} waves with {} VGPRs, {} SGPRs and {} bytes of LDS does not fit "
                                  "into a compute unit of this card",
                                  trace_.waves.size(), needs_.vgprs, needs_.sgprs, needs_.lds));
        return State::over;
      }
      now_ = std::max(now_, next) + round;
    }
    run_clusters();
    within_ = std::ranges::any_of(clusters_, [](const auto& cluster) { return cluster->starves(); });
    if (within_)
      return State::starves;
    exchange();
    if (!recorders_.empty())
      bound_recording();
  }
  return State::over;
}

std::string Replay::run(Source& source) {
  if (selection_)
    selection_->begin(source);
  if (go_on(source) == State::starves)
    fail("a wave ends before its kernel does");
  return trouble_;
}

void Replay::give(uint64_t group, uint32_t wave, std::span<const uint64_t> words) {
  program_.know(words, find_);
  if (next_ == Source::Next::group && trace_.number == group) {
    trace_.waves[wave].insert(trace_.waves[wave].end(), words.begin(), words.end());
    return;
  }
  if (const auto at = open_.find(group); at != open_.end())
    clusters_[at->second.cluster]->give(at->second.unit, group, wave, words);
}

// Of so many waves each, by the whole card.
uint64_t Replay::groups_at_a_time(uint32_t waves) {
  Needs needs = needs_;
  needs.waves = waves;
  capacity_ = capacity(needs, machine_);
  return std::min(uint64_t(capacity_) * machine_.units, uint64_t(machine_.waves_in_flight) / std::max(waves, 1u));
}

void Replay::sample(const Sampling& sampling, uint32_t waves) {
  const uint64_t groups = groups_at_a_time(waves);
  selection_ = &sampler_.emplace(sampling, groups, machine_.l2_lines);
}

void Replay::watch(const WindowRange& range, uint32_t waves) {
  window_.emplace(range, groups_at_a_time(waves));
  selection_ = &*window_;
  trouble_ = window_->trouble();
}

void Replay::extrapolate(uint64_t instructions, uint64_t waves) {
  if (sampler_)
    estimate_ = sampler_->estimate(figures(), instructions, waves);
  if (estimate_)
    estimate_->figures.cycles -= overhang();
}

// A workgroup that still runs when the last one has ended, because parts of the grid were left out in the meantime,
// would have ended earlier by what those take: how many cycles the end is too late.
uint64_t Replay::overhang() const {
  std::vector<double> left_out; // parts that are not empty
  for (const double cycles : estimate_->cycles)
    if (cycles > 0)
      left_out.push_back(cycles);
  double end = 0, real_end = 0;
  for (const auto& cluster : clusters_) {
    const auto ended = cluster->ended();
    double since = 0;
    for (size_t part = ended.size(); part-- > 0;) {
      end = std::max(end, double(ended[part])), real_end = std::max(real_end, double(ended[part]) - since);
      if (part > 0 && ended.size() == left_out.size() + 1)
        since += left_out[part - 1];
    }
  }
  return uint64_t(end - real_end);
}

// All clusters have come to now_.
Figures Replay::so_far() const {
  Figures f = figures();
  f.cycles = now_;
  return f;
}

Figures Replay::figures() const {
  if (estimate_) {
    Figures f = estimate_->figures;
    f.nanoseconds = machine_.launch_ns + double(f.cycles) / machine_.mhz * 1e3;
    return f;
  }
  Figures f;
  for (const auto& cluster : clusters_) {
    cluster->add_to(f);
    f.cycles = std::max(f.cycles, std::ranges::max(cluster->ended()));
  }
  f.memory = l2_.figures();
  f.nanoseconds = machine_.launch_ns + double(f.cycles) / machine_.mhz * 1e3;
  return f;
}

// ---- Recording

void Replay::record(const Wanted& wanted) {
  wanted_ = wanted;
  std::vector<std::vector<Recorder::Place>> places(clusters_.size());
  for (size_t e = 0; e < engines_.size(); ++e)
    for (size_t u = 0; u < engines_[e].size(); ++u)
      places[engines_[e][u].cluster].push_back({uint16_t(e), uint16_t(u)});
  recorders_.reserve(clusters_.size());
  for (size_t c = 0; c < clusters_.size(); ++c)
    clusters_[c]->record(recorders_.emplace_back(wanted, std::move(places[c])));
  of_memory_.emplace(series_count, wanted.bins, wanted.bin_cycles);
}

void Replay::serve_recorded(Request& request) {
  const uint32_t channel = l2_.channel(request.line);
  const MemoryFigures before = l2_.figures(channel);
  l2_.serve(channel, request);
  const MemoryFigures& now = l2_.figures(channel);
  const auto add = [&](Series series, uint64_t amount) {
    if (amount)
      of_memory_->add(uint32_t(series), request.time, double(amount));
  };
  add(Series::l2_hits, now.hits - before.hits), add(Series::l2_misses, now.misses - before.misses);
  add(Series::bytes_read, now.read - before.read), add(Series::bytes_written, now.written - before.written);
}

// Too many waves: those of every second compute unit that has any are dropped.
void Replay::bound_recording() {
  for (;;) {
    size_t kept = 0;
    for (const Recorder& recorder : recorders_)
      kept += recorder.kept();
    if (kept <= wanted_.waves || wanted_.every >= machine_.units)
      return;
    wanted_.every *= 2;
    for (Recorder& recorder : recorders_)
      recorder.keep_every(wanted_.every);
  }
}

Recording Replay::recording() const {
  Recording r;
  if (!of_memory_)
    return r;
  r.bins = *of_memory_;
  for (const Recorder& recorder : recorders_)
    recorder.add_to(r);
  const auto place = [](const WaveRecord& w) { return std::tie(w.begin, w.workgroup, w.wave); };
  std::ranges::sort(r.waves, {}, place);
  std::ranges::sort(r.detailed, {}, [&](const Recording::Detailed& d) { return place(d.wave); });
  return r;
}

} // namespace crosslane::timing::replay
