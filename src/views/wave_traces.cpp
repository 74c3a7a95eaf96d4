// A thread keeps the workgroups that it runs to itself until they end.
#include "views/wave_traces.h"
#include "views/per_thread.h"
#include "views/trace_writer.h"
#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

namespace crosslane::views {

namespace replay = timing::replay;

namespace {

struct Recorder { // of one thread
  TraceWriter waves;
  uint32_t open = 0;       // workgroups that have begun and not ended
  std::vector<bool> known; // blocks, by number
};

} // namespace

struct WaveTraces::Impl {
  Impl(bool is_planned, uint64_t how_far) : planned(is_planned), ahead(how_far) {
    if (!planned)
      plan.push_back({~uint64_t(0), replay::Fate::replayed});
  }
  struct Part {
    uint64_t end = 0; // workgroup
    replay::Fate fate{};
  };
  const bool planned;
  const uint64_t ahead;
  PerThread<Recorder> recorders;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<uint64_t, replay::GroupTrace> ready; // by number
  uint64_t taken = 0;                           // all before it were, or are not wanted
  std::vector<Part> plan;                       // one behind the other; those that are over go
  bool finished = false, abandoned = false;
  std::string incomplete;
  std::vector<const events::Block*> blocks;

  bool stops() const { return abandoned || !incomplete.empty(); } // nobody waits any more
  bool is_planned(uint64_t number) const { return !plan.empty() && number < plan.back().end; }
  const Part& part(uint64_t number) const { return *std::ranges::upper_bound(plan, number, {}, &Part::end); }
  void pass(uint64_t number) { // all before it are done with
    taken = number;
    plan.erase(plan.begin(), std::ranges::upper_bound(plan, number, {}, &Part::end));
    ready.erase(ready.begin(), ready.lower_bound(number));
    changed.notify_all();
  }
};

WaveTraces::WaveTraces(bool planned, uint64_t ahead) : impl_(std::make_unique<Impl>(planned, ahead)) {}
WaveTraces::~WaveTraces() = default;

// A thread that holds a workgroup does not wait: the model may need that one to go on.
bool WaveTraces::wants_workgroup(const machine::Workgroup& group) const {
  if (!impl_->planned)
    return true;
  const bool waits = impl_->recorders.mine().open == 0;
  std::unique_lock lock(impl_->mutex);
  if (waits)
    impl_->changed.wait(
        lock, [&] { return impl_->stops() || group.number < impl_->taken || impl_->is_planned(group.number); });
  if (impl_->abandoned || group.number < impl_->taken)
    return false;
  return !impl_->is_planned(group.number) || impl_->part(group.number).fate != replay::Fate::skipped;
}

void WaveTraces::began(const events::Began& e) {
  Recorder& r = impl_->recorders.mine();
  if (r.open++ == 0) {
    std::unique_lock lock(impl_->mutex);
    impl_->changed.wait(lock, [&] { return impl_->stops() || e.group->number < impl_->taken + impl_->ahead; });
  }
  r.waves.began(e);
}

void WaveTraces::issued(const events::Issued& e) {
  Recorder& r = impl_->recorders.mine();
  r.waves.issued(e);
  const uint32_t id = e.block->id;
  if (id < r.known.size() && r.known[id])
    return;
  r.known.resize(std::max<size_t>(r.known.size(), id + 1));
  r.known[id] = true;
  const std::lock_guard lock(impl_->mutex);
  impl_->blocks.resize(std::max<size_t>(impl_->blocks.size(), id + 1));
  impl_->blocks[id] = e.block;
}

void WaveTraces::access(const events::Access& e) { impl_->recorders.mine().waves.access(e); }

void WaveTraces::group_ended(const events::GroupEnded& e) {
  Recorder& r = impl_->recorders.mine();
  TraceWriter::Group& now = r.waves.of(e.group);
  replay::GroupTrace trace{.number = e.group->number, .waves = {}};
  trace.waves.reserve(now.waves.size());
  for (TraceWriter::Wave& w : now.waves)
    trace.waves.push_back(w.words.take());
  r.waves.ended(e.group);
  --r.open;
  const std::lock_guard lock(impl_->mutex);
  if (e.end != events::End::finished)
    impl_->incomplete = "the kernel did not come to its end";
  else if (!impl_->abandoned && trace.number >= impl_->taken)
    impl_->ready.emplace(trace.number, std::move(trace));
  impl_->changed.notify_all();
}

void WaveTraces::finish() {
  const std::lock_guard lock(impl_->mutex);
  impl_->finished = true;
  impl_->changed.notify_all();
}

void WaveTraces::abandon() {
  const std::lock_guard lock(impl_->mutex);
  impl_->abandoned = true;
  impl_->ready.clear();
  impl_->changed.notify_all();
}

replay::Source::Next WaveTraces::next(replay::GroupTrace& trace) {
  std::unique_lock lock(impl_->mutex);
  if (const Impl::Part& part = impl_->part(impl_->taken); part.fate == replay::Fate::skipped)
    impl_->pass(part.end);
  const auto first = [&] { return !impl_->ready.empty() && impl_->ready.begin()->first == impl_->taken; };
  impl_->changed.wait(lock, [&] { return first() || impl_->finished; });
  if (!first())
    return Next::none;
  trace = std::move(impl_->ready.begin()->second);
  trace.fate = impl_->part(impl_->taken).fate;
  impl_->pass(impl_->taken + 1);
  return Next::group;
}

void WaveTraces::plan(uint64_t end, replay::Fate fate) {
  const std::lock_guard lock(impl_->mutex);
  auto& plan = impl_->plan;
  if (end <= (plan.empty() ? impl_->taken : plan.back().end))
    return;
  if (!plan.empty() && plan.back().fate == fate)
    plan.back().end = end;
  else
    plan.push_back({end, fate});
  impl_->changed.notify_all();
}

const events::Block* WaveTraces::block(uint32_t number) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->blocks[number];
}

std::string WaveTraces::incomplete() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->incomplete;
}

} // namespace crosslane::views
