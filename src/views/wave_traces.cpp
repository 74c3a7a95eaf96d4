// A thread keeps the workgroups that it runs to itself until they end.
#include "views/wave_traces.h"
#include "views/per_thread.h"
#include "views/trace_writer.h"
#include <condition_variable>
#include <map>
#include <mutex>

namespace crosslane::views {

namespace replay = timing::replay;

namespace {

struct Recorder { // of one thread
  TraceWriter waves;
  std::vector<bool> known; // blocks, by number
};

} // namespace

struct WaveTraces::Impl {
  explicit Impl(uint64_t how_far) : ahead(how_far) {}
  const uint64_t ahead;
  PerThread<Recorder> recorders;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<uint64_t, replay::GroupTrace> ready; // by number
  uint64_t taken = 0;                           // all before it were
  bool finished = false, abandoned = false;
  std::string incomplete;
  std::vector<const events::Block*> blocks;
};

WaveTraces::WaveTraces(uint64_t ahead) : impl_(std::make_unique<Impl>(ahead)) {}
WaveTraces::~WaveTraces() = default;

void WaveTraces::began(const events::Began& e) {
  {
    std::unique_lock lock(impl_->mutex);
    impl_->changed.wait(lock, [&] { return impl_->abandoned || e.group->number < impl_->taken + impl_->ahead; });
  }
  impl_->recorders.mine().waves.began(e);
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
  const std::lock_guard lock(impl_->mutex);
  if (e.end != events::End::finished)
    impl_->incomplete = "the kernel did not come to its end";
  else if (!impl_->abandoned)
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
  const auto first = [&] { return !impl_->ready.empty() && impl_->ready.begin()->first == impl_->taken; };
  impl_->changed.wait(lock, [&] { return first() || impl_->finished; });
  if (!first())
    return Next::none;
  trace = std::move(impl_->ready.begin()->second);
  impl_->ready.erase(impl_->ready.begin());
  ++impl_->taken;
  impl_->changed.notify_all();
  return Next::group;
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
