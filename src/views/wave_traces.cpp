// A thread keeps the workgroups that it runs to itself until they end.
#include "views/wave_traces.h"
#include "timing/lds_cycles.h"
#include "views/lds_banks.h"
#include "views/memory_request.h"
#include "views/per_thread.h"
#include <algorithm>
#include <bit>
#include <condition_variable>
#include <map>
#include <mutex>

namespace crosslane::views {

namespace {

namespace replay = timing::replay;

struct WaveNow {
  replay::Words words;
  const events::Block* block = nullptr;
  uint32_t at = 0; // instructions of it that have accessed memory or may still
};

struct GroupNow {
  const machine::Workgroup* group = nullptr;
  std::vector<WaveNow> waves;
};

// What an instruction's accesses looked like last time. Few of a program's instructions are in each other's way.
template <class Known> class LastSeen {
public:
  const Known*& of(uint64_t pc) {
    Entry& e = entries_[pc / 4 % entries_.size()];
    if (e.pc != pc)
      e = {pc, nullptr};
    return e.known;
  }

private:
  struct Entry {
    uint64_t pc = 0;
    const Known* known = nullptr;
  };
  std::array<Entry, 1024> entries_{};
};

// The lines that a request touches, in the order of lanes.
class LineList {
public:
  void clear() {
    lines_.clear();
    ++stamp_;
  }
  void add(uint64_t address, uint32_t bytes) {
    for (uint64_t line = address / 64; line <= (address + bytes - 1) / 64; ++line)
      if (lines_.empty() || lines_.back() != line)
        insert(line);
  }
  const std::vector<uint64_t>& lines() const { return lines_; }

private:
  void insert(uint64_t line) {
    constexpr size_t mask = size - 1;
    for (size_t i = line * 0x9e3779b97f4a7c15u >> 50 & mask;; i = (i + 1) & mask) {
      if (table_[i].stamp != stamp_) {
        table_[i] = {line, stamp_};
        break;
      }
      if (table_[i].line == line)
        return;
    }
    lines_.push_back(line);
  }
  static constexpr size_t size = 4096; // 64 lanes touch no more than 1,088, of images 64 times 16
  struct Entry {
    uint64_t line, stamp = 0;
  };
  std::array<Entry, size> table_{};
  uint64_t stamp_ = 0;
  std::vector<uint64_t> lines_;
};

replay::Kind kind_of(events::AccessKind kind) {
  switch (kind) {
  case events::AccessKind::load: return replay::Kind::load;
  case events::AccessKind::store: return replay::Kind::store;
  case events::AccessKind::atomic: return replay::Kind::atomic;
  }
  return replay::Kind::load;
}

struct Recorder { // of one thread
  std::vector<std::unique_ptr<GroupNow>> groups;
  GroupNow* last = nullptr;
  std::vector<bool> known; // blocks, by number
  LdsServer lds;
  MemoryReader reader;
  LineList list;
  LastSeen<LdsServer::Known> lds_seen;
  LastSeen<MemoryReader::Known> memory_seen;
  std::vector<uint32_t> apart;

  GroupNow& of(const machine::Workgroup* group) {
    if (!last || last->group != group)
      last = std::ranges::find(groups, group, [](const auto& g) { return g->group; })->get();
    return *last;
  }

  void lines(const events::Access& e, replay::Access& a, replay::Words& words) {
    if (e.space == events::Space::scalar) {
      a.space = replay::Space::scalar;
      const uint64_t first = e.address[0] / 64, last_line = (e.address[0] + e.bytes - 1) / 64;
      return words.access(a, first, uint32_t(last_line - first + 1));
    }
    const auto read = reader.read(e, l1_path(*e.site.instruction, e.space), memory_seen.of(e.site.pc));
    const MemoryCounts& c = read.request.counts;
    a.space = replay::Space::vector;
    a.clocks = uint32_t(c.clocks);
    a.conflicted = std::max(read.request.bank_clocks, 1u);
    a.dwords = std::min((e.bytes + 3) / 4, 4u);
    a.scattered = read.request.pattern >= Pattern::strided && read.request.pattern != Pattern::single;
    a.operations = e.kind == events::AccessKind::atomic ? uint32_t(c.l2_operations) : 0;
    a.whole = c.lines == c.ideal_lines && c.bytes_asked >= c.bytes_moved;
    const uint64_t highest = read.lowest + (read.request.highest - read.request.lowest);
    const uint64_t first = read.lowest / 64, all = (highest + e.bytes - 1) / 64 - first + 1;
    if (e.more.empty() && e.space == events::Space::global && all == c.lines)
      return words.access(a, first, uint32_t(all));
    list.clear();
    for (uint64_t left = e.lanes; left; left &= left - 1) {
      const uint64_t address = e.address[std::countr_zero(left)];
      if (e.space == events::Space::scratch) // a lane's dwords are 256 bytes apart
        for (uint32_t done = 0; done < e.bytes; done += 4)
          list.add(address + uint64_t(done) * 64, std::min(4u, e.bytes - done));
      else
        list.add(address, e.bytes);
    }
    for (const events::Places& more : e.more)
      for (uint64_t left = more.lanes; left; left &= left - 1)
        list.add(more.address[std::countr_zero(left)], e.bytes);
    apart.clear();
    const auto& found = list.lines();
    for (size_t i = 1; i < found.size(); ++i)
      apart.push_back(uint32_t(int32_t(int64_t(found[i] - found[0]))));
    words.access(a, found[0], apart);
  }

  void access(const events::Access& e) {
    WaveNow& w = of(e.wave->workgroup).waves[e.wave->id];
    while (w.at < w.block->sites.size() && w.block->sites[w.at].pc != e.site.pc)
      ++w.at;
    replay::Access a{.instruction = w.at, .kind = kind_of(e.kind)};
    if (e.space != events::Space::lds)
      return lines(e, a, w.words);
    a.space = replay::Space::lds;
    a.clocks = timing::lds_cycles(e) + uint32_t(lds.serve(e, lds_seen.of(e.site.pc)).counts.cycles);
    w.words.access(a, 0, 0);
  }
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
  auto group = std::make_unique<GroupNow>();
  group->group = e.group;
  group->waves.resize(e.waves.size());
  impl_->recorders.mine().groups.push_back(std::move(group));
}

void WaveTraces::issued(const events::Issued& e) {
  Recorder& r = impl_->recorders.mine();
  WaveNow& w = r.of(e.wave->workgroup).waves[e.wave->id];
  const uint32_t id = e.block->id;
  w.block = e.block;
  w.at = 0;
  w.words.block(id, e.exec == 0);
  if (id < r.known.size() && r.known[id])
    return;
  r.known.resize(std::max<size_t>(r.known.size(), id + 1));
  r.known[id] = true;
  const std::lock_guard lock(impl_->mutex);
  impl_->blocks.resize(std::max<size_t>(impl_->blocks.size(), id + 1));
  impl_->blocks[id] = e.block;
}

void WaveTraces::access(const events::Access& e) { impl_->recorders.mine().access(e); }

void WaveTraces::group_ended(const events::GroupEnded& e) {
  Recorder& r = impl_->recorders.mine();
  GroupNow& now = r.of(e.group);
  replay::GroupTrace trace{.number = e.group->number, .waves = {}};
  trace.waves.reserve(now.waves.size());
  for (WaveNow& w : now.waves)
    trace.waves.push_back(w.words.take());
  r.last = nullptr;
  std::erase_if(r.groups, [&](const auto& g) { return g.get() == &now; });
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

bool WaveTraces::next(replay::GroupTrace& trace) {
  std::unique_lock lock(impl_->mutex);
  const auto first = [&] { return !impl_->ready.empty() && impl_->ready.begin()->first == impl_->taken; };
  impl_->changed.wait(lock, [&] { return first() || impl_->finished; });
  if (!first())
    return false;
  trace = std::move(impl_->ready.begin()->second);
  impl_->ready.erase(impl_->ready.begin());
  ++impl_->taken;
  impl_->changed.notify_all();
  return true;
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
