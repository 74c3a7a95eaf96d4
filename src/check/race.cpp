// Events in, records out: which of a wave's instructions are done, and what a barrier orders.
#include "check/race.h"
#include "check/per_thread.h"
#include "isa/classify.h"
#include "lint/subject.h"
#include <algorithm>
#include <array>

namespace crosslane::check {

namespace {

bool invalidates(isa::Op op) {
  using enum isa::Op;
  return op == buffer_wbinvl1 || op == buffer_wbinvl1_sc || op == buffer_wbinvl1_vol;
}

} // namespace

Fences fences_of(const lint::Subject& subject) {
  Fences fences;
  for (const analysis::Block& block : subject.graph.blocks)
    analysis::each_instruction(subject.code(), block, [&](uint64_t, const isa::Instruction& in) {
      fences.global |= invalidates(in.op);
      if (in.encoding == isa::Encoding::DS) {
        const isa::MemoryUse use = isa::memory_use(in);
        fences.lds |= use.atomic && use.returns;
        fences.gws |= isa::row(in.op).access == isa::Access::gws;
      }
    });
  return fences;
}

std::atomic<uint64_t> Race::last_id{0};

Race::Race(const Fences& fences, isa::Generation generation, const Allocations* allocations, Told& told)
    : fences_(fences), most_(isa::most_waits(generation)), barriers_need_waits_(generation < isa::Generation::gfx90a),
      dispatch_(std::make_unique<race::Dispatch>(told, allocations, fences.global, !fences.gws)),
      found_(dispatch_->found), global_(dispatch_->memory) {}

void Race::is_one_of(std::shared_ptr<Between> between, std::string kernel, uint64_t launch, Operation operation) {
  between_ = std::move(between);
  dispatch_->kernel = std::move(kernel), dispatch_->launch = launch, dispatch_->operation = std::move(operation);
}

Race::~Race() {
  found_.tell();
  if (between_)
    between_->ended(std::move(dispatch_));
}

void Race::began(const events::Began& event) {
  const machine::Workgroup& group = *event.group;
  if (group.number >= race::max_groups || group.wave_count > race::waves_per_group)
    return;
  const std::lock_guard lock(mutex_);
  if (!found_.began(group)) { // the next run
    found_.forget_groups();
    found_.began(group);
    global_.forget();
    id_ = ++last_id;
  }
  auto& state = groups_[&group];
  if (!spare_.empty())
    state = std::move(spare_.back()), spare_.pop_back();
  else
    state = std::make_unique<OfGroup>();
  state->interval = 0;
  state->lds.begin(group, fences_.lds);
  for (uint32_t w = 0; w < group.wave_count; ++w)
    state->waves[w] = {}, state->waves[w].index = race::wave_index(group.number, w);
}

void Race::group_ended(const events::GroupEnded& event) {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(event.group);
  if (found == groups_.end())
    return;
  spare_.push_back(std::move(found->second));
  groups_.erase(found);
}

Race::OfGroup* Race::group_of(const machine::Workgroup* group) {
  struct Recent {
    const void* race = nullptr;
    uint64_t id = 0, number = 0;
    const machine::Workgroup* group = nullptr;
    OfGroup* state = nullptr;
  };
  auto& r = per_thread<Recent>();
  if (r.group == group && r.number == group->number && r.race == this && r.id == id_)
    return r.state;
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(group);
  if (found == groups_.end())
    return nullptr;
  r = {this, id_, group->number, group, found->second.get()};
  return r.state;
}

uint32_t Race::site_of(uint64_t pc) {
  struct Recent {
    uint64_t id = 0, pc = 0;
    uint32_t number = 0;
  };
  auto& all = per_thread<std::array<Recent, 256>>();
  Recent& r = all[pc / 4 % all.size()];
  if (r.id != id_ || r.pc != pc)
    r = {id_, pc, found_.sites.number(pc)};
  return r.number;
}

void Race::access(const events::Access& e) {
  OfGroup* group = group_of(e.wave->workgroup);
  if (!group)
    return;
  OfWave& wave = group->waves[e.wave->id];
  invalidate_before(wave, e.site.pc);
  const isa::Encoding encoding = e.site.instruction->encoding;
  switch (e.space) {
  case events::Space::scratch: wave.memory.begin(most_.vm); return;
  case events::Space::lds: {
    const bool counted = encoding == isa::Encoding::DS || encoding == isa::Encoding::FLAT;
    const uint32_t count = counted ? wave.lds.begin(most_.lgkm) : wave.lds.begin_uncounted();
    group->lds.access(e, wave.record(race::kind_of(e), site_of(e.site.pc), count, group->interval, true), wave, found_);
    return;
  }
  case events::Space::global:
  case events::Space::scalar: {
    const uint32_t count =
        e.space == events::Space::scalar ? wave.memory.begin_uncounted() : wave.memory.begin(most_.vm);
    global_.access(e, wave.record(race::kind_of(e), site_of(e.site.pc), count, group->interval, false), wave);
    return;
  }
  }
}

void Race::wait(const events::Wait& event) {
  OfGroup* group = event.sleeps ? nullptr : group_of(event.wave->workgroup);
  if (!group)
    return;
  OfWave& wave = group->waves[event.wave->id];
  invalidate_before(wave, event.site.pc);
  wave.memory.wait(event.counts.vm);
  wave.lds.wait(event.counts.lgkm);
  if (!wave.lds_looks.empty())
    group->lds.acquire(wave);
}

// What a block does to the cache is known when it begins, and done when the wave has come past it: at its next event.
void Race::issued(const events::Issued& event) {
  OfGroup* group = group_of(event.wave->workgroup);
  if (!group)
    return;
  OfWave& wave = group->waves[event.wave->id];
  invalidate_before(wave, UINT64_MAX);
  const auto does = [](const events::Site& site) { return invalidates(site.instruction->op); };
  if (std::ranges::any_of(event.block->sites, does))
    wave.ahead = event.block->sites;
}

void Race::invalidate_before(OfWave& wave, uint64_t pc) {
  while (!wave.ahead.empty() && wave.ahead.front().pc < pc) {
    if (invalidates(wave.ahead.front().instruction->op))
      global_.acquire(wave);
    wave.ahead = wave.ahead.subspan(1);
  }
}

// What it has done is done when it has ended (assumed: hardware lets a wave go once its accesses have come back).
void Race::wave_ended(const events::WaveEnded& event) {
  if (OfGroup* group = group_of(event.wave->workgroup))
    group->waves[event.wave->id].lds.wait(0);
}

void Race::released(const events::Released& event) {
  OfGroup* group = group_of(event.group);
  if (!group)
    return;
  ++group->interval;
  const std::span waves(group->waves.data(), event.group->wave_count);
  race::Clock all;
  bool all_done = true;
  for (OfWave& w : waves) {
    invalidate_before(w, UINT64_MAX);
    all.join(w.others);
    all_done &= !barriers_need_waits_ || w.lds.done == w.lds.issued;
  }
  group->lds.passed_barrier(all_done);
  for (OfWave& w : waves) {
    for (size_t other = 0; other < waves.size(); ++other) {
      const race::InFlight& lds = waves[other].lds;
      w.limit[other] = std::max(w.limit[other], barriers_need_waits_ ? lds.done : lds.issued);
    }
    if (w.others != all) {
      w.others = all;
      global_.learned(w);
    }
  }
}

} // namespace crosslane::check
