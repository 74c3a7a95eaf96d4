// Words go to the model when all that can run has stopped.
#include "views/paced_traces.h"
#include "isa/op.h"

namespace crosslane::views {

namespace replay = timing::replay;

void PacedTraces::touch(const machine::Wave& wave) {
  Group::Wave& w = of(*wave.workgroup).waves[wave.id];
  if (!w.fresh)
    fresh_.emplace_back(wave.workgroup->number, wave.id);
  w.fresh = true;
}

void PacedTraces::began(const events::Began& e) {
  wants_group_ = false;
  recorder_.began(e);
  Group& group = groups_[e.group->number];
  group.group = e.group;
  group.words.resize(e.waves.size());
  group.waves.resize(e.waves.size());
}

void PacedTraces::issued(const events::Issued& e) {
  recorder_.issued(e);
  touch(*e.wave);
  const uint32_t id = e.block->id;
  if (id >= blocks_.size())
    blocks_.resize(id + 1);
  blocks_[id] = e.block;
}

void PacedTraces::group_ended(const events::GroupEnded& e) {
  Group& group = of(*e.group);
  auto& recorded = recorder_.of(e.group).waves;
  for (size_t i = 0; i < group.words.size(); ++i)
    group.words[i] = recorded[i].words.take();
  recorder_.ended(e.group);
  group.group = nullptr;
  ended_.push_back(e.group->number);
  if (e.end != events::End::finished)
    incomplete_ = "the kernel did not come to its end";
}

bool PacedTraces::pass(const events::Site& site, const machine::Wave& wave, uint64_t& clock) {
  Group::Wave& w = of(*wave.workgroup).waves[wave.id];
  if (!w.granted && !over_) {
    if (!w.asks)
      recorder_.pause(wave, site.pc), w.asks = true;
    return false;
  }
  touch(wave);
  w.granted = w.asks = false;
  clock = site.instruction->op == isa::Op::s_memrealtime
              ? uint64_t((clock_.nanoseconds + double(w.time) * clock_.cycle_ns) / clock_.tick_ns)
              : clock_.cycles + w.time;
  return true;
}

void PacedTraces::hand_over() {
  for (const auto& [number, wave] : fresh_) {
    Group& group = groups_.find(number)->second;
    group.waves[wave].fresh = false;
    if (!group.placed)
      continue; // next() takes what there is
    replay_->give(number, wave,
                  group.group ? recorder_.of(group.group).waves[wave].words.take() : std::move(group.words[wave]));
  }
  fresh_.clear();
  std::erase_if(ended_, [&](uint64_t number) {
    const auto at = groups_.find(number);
    const bool placed = at->second.placed;
    if (placed)
      groups_.erase(at);
    return placed;
  });
}

replay::Source::Next PacedTraces::next(replay::GroupTrace& trace) {
  const auto at = groups_.find(to_place_);
  if (at == groups_.end())
    return more_ ? Next::later : Next::none;
  Group& group = at->second;
  trace = {.number = to_place_++, .waves = {}, .open = true};
  for (size_t i = 0; i < group.words.size(); ++i)
    trace.waves.push_back(group.group ? recorder_.of(group.group).waves[i].words.take() : std::move(group.words[i]));
  group.placed = true;
  return Next::group;
}

replay::Replay::State PacedTraces::advance() {
  hand_over();
  const auto state = replay_->go_on(*this);
  hand_over(); // forgets workgroups that have ended and were placed now
  return state;
}

bool PacedTraces::go_on(bool more) {
  more_ = more;
  if (over_)
    return false;
  const auto state = advance();
  wants_group_ = more && state == replay::Replay::State::wants_group;
  if (!replay_->trouble().empty())
    over_ = true;
  bool goes_on = wants_group_ || over_;
  if (state == replay::Replay::State::starves)
    replay_->for_each_starved([&](const replay::Cluster::Starved& s) {
      if (!s.paused)
        return;
      Group::Wave& w = groups_.find(s.group)->second.waves[s.wave];
      w.granted = true, w.time = s.time;
      goes_on = true;
    });
  return goes_on;
}

std::string PacedTraces::finish() {
  more_ = false;
  if (!incomplete_.empty())
    return incomplete_;
  if (!over_ && advance() == replay::Replay::State::starves)
    return "a wave waits for its time when the kernel has ended";
  return replay_->trouble();
}

} // namespace crosslane::views
