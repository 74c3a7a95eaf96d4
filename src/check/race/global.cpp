// Pages of lines, found by address: by each thread in a table of its own, and else on a shelf. A page is locked while
// one instruction is at it.
#include "check/race/global.h"
#include "check/per_thread.h"
#include "check/race/reporter.h"
#include "check/race/runs.h"
#include <array>
#include <thread>

namespace crosslane::check::race {

namespace {

constexpr uint64_t page_bytes = 4096;
constexpr size_t most_looks = 1024;

} // namespace

std::atomic<uint64_t> Global::last_id{0};

struct Global::Page {
  std::atomic_flag busy;
  std::array<Line, page_bytes / line_bytes> lines;
  // Of each line, as the last stores left it: of which it is known.
  std::array<uint8_t*, page_bytes / line_bytes> values{};
  std::unordered_map<uint64_t, Clock> published; // by dword
};

class Global::Lock {
public:
  Lock() = default;
  ~Lock() { release(); }
  Lock(const Lock&) = delete;
  void take(Page& page) {
    if (page_ == &page)
      return;
    release();
    for (int tries = 0; page.busy.test_and_set(std::memory_order_acquire); ++tries)
      if (tries > 64)
        std::this_thread::yield();
    page_ = &page;
  }

private:
  Page* page_ = nullptr;
  void release() {
    if (page_)
      page_->busy.clear(std::memory_order_release);
    page_ = nullptr;
  }
};

struct Global::Judge {
  Global& global;
  const Record& me;
  const Clock& others;
  Reporter& reporter;
  Lock lock;
  Page* page = nullptr;
  size_t line = 0; // its index
  static constexpr bool stores_are_atomic = true;

  bool before(const Record& r) const {
    const bool same_group = group_of(r.wave) == group_of(me.wave);
    return (same_group ? r.interval < me.interval : !global.between_groups_) || others.covers(r);
  }
  void conflict(const Record& r, uint64_t address, uint32_t bytes) {
    const uint32_t byte = address % line_bytes;
    const bool known = page->lines[line].at(byte).writer.is_known;
    reporter.conflict(r, address, bytes, known ? page->values[line] + byte : nullptr);
  }
  void again() { reporter.again(); }
  void reads_own(const Record& r) { reporter.reads_own(r); }
  // Who comes here later learns from what was there before as well: it carries on what a store began to release.
  void replaces(const Record& w, uint64_t address, uint32_t bytes) {
    if (!global.fences_)
      return;
    const bool store = w.wave != nobody && w.wave != me.wave && Kind(w.kind) == Kind::store;
    const bool atomic = Kind(me.kind) == Kind::atomic;
    if (!store && !atomic)
      return;
    for (uint64_t dword = address / 4; dword < (address + bytes) / 4; ++dword) {
      Clock& clock = page->published[dword];
      if (store)
        clock.join(global.released_by(w));
      if (atomic) {
        Clock::Group own{me.interval, {}};
        own.count[me.wave % waves_per_group] = published_count(me);
        clock.join(group_of(me.wave), own);
        clock.join(others);
      }
    }
  }
};

void Global::EndPage::operator()(Page* page) const { std::destroy_at(page); }

Global::Global(Found& found, bool fences, bool between_groups)
    : found_(found), fences_(fences), between_groups_(between_groups) {}
Global::~Global() = default;

Global::Page& Global::page(uint64_t number) {
  struct Recent {
    uint64_t id = 0, number = 0;
    Page* page = nullptr;
  };
  auto& all = per_thread<std::array<Recent, 256>>();
  Recent& r = all[number % all.size()];
  if (r.id == id_ && r.number == number)
    return *r.page;
  Shelf& shelf = shelves_[number % shelves_.size()];
  const std::lock_guard lock(shelf.mutex);
  auto& found = shelf.pages[number];
  if (!found)
    found.reset(new (memory_.allocate(sizeof(Page))) Page);
  r = {id_, number, found.get()};
  return *found;
}

void Global::judge_places(const events::Places& at, const events::Access& e, const Record& me, Judge& judge) {
  const bool store = e.kind == events::AccessKind::store;
  const std::optional<Stored> data = store ? std::optional<Stored>(std::in_place, e, false) : std::nullopt;
  Record record = me;
  record.is_known = data && data->known();
  Runs runs;
  find_runs(at.address, at.lanes, e.bytes, !store, runs);
  for (const Run& run : runs)
    each_part(run.begin, run.end, [&](uint64_t at, uint32_t bytes) {
      if (at == run.begin || at % page_bytes == 0) {
        judge.page = &page(at / page_bytes);
        judge.lock.take(*judge.page);
      }
      const uint32_t first = at % line_bytes;
      judge.line = at % page_bytes / line_bytes;
      judge_line(judge.page->lines[judge.line], at - first, first, bytes, record, judge);
      if (!record.is_known)
        return;
      uint8_t*& value = judge.page->values[judge.line];
      if (!value)
        value = static_cast<uint8_t*>(memory_.allocate(line_bytes));
      data->copy_run(run.lanes, e.bytes, at - run.begin, bytes, value + first);
    });
}

void Global::access(const events::Access& e, const Record& me, WaveState& wave) {
  {
    Reporter reporter(found_, e, me);
    Judge judge{*this, me, wave.others, reporter, {}};
    judge_places({e.lanes, e.address}, e, me, judge);
    for (const events::Places& more : e.more)
      judge_places(more, e, me, judge);
  }
  if (Kind(me.kind) != Kind::seen && Kind(me.kind) != Kind::atomic)
    return;
  if (!has_looked())
    has_looked_.store(true, std::memory_order_relaxed);
  if (fences_)
    look(e, me, wave);
}

void Global::look(const events::Access& e, const Record& me, WaveState& wave) {
  if (wave.looks.size() > most_looks) {
    for (const Look& look : wave.looks)
      collect(look.address, wave, wave.looked);
    wave.looks.clear();
  }
  for (uint64_t left = e.lanes; left; left &= left - 1)
    if (const uint64_t address = e.address[__builtin_ctzll(left)] & ~uint64_t(3);
        wave.looks.empty() || wave.looks.back().address != address)
      wave.looks.push_back({address, me.count});
}

Clock Global::released_by(const Record& store) {
  Clock clock;
  {
    const std::lock_guard lock(learned_mutex_);
    if (const auto found = learned_.find(store.wave); found != learned_.end())
      for (const Learned& l : found->second)
        if (l.count < store.count)
          clock = l.clock;
  }
  Clock::Group own{store.interval, {}};
  own.count[store.wave % waves_per_group] = published_count(store);
  clock.join(group_of(store.wave), own);
  return clock;
}

// At the time of the acquire, and not of the look: what was looked at is told of before it happens, and somebody may
// have come in between. What comes later does no harm.
void Global::collect(uint64_t address, const WaveState& wave, Clock& into) {
  Page& at = page(address / page_bytes);
  Lock lock;
  lock.take(at);
  const Record& w = at.lines[address % page_bytes / line_bytes].at(address % line_bytes).writer;
  if (w.wave != nobody && w.wave != wave.index && Kind(w.kind) == Kind::store)
    into.join(released_by(w));
  if (const auto found = at.published.find(address / 4); found != at.published.end())
    into.join(found->second);
}

void Global::acquire(WaveState& wave) {
  const Clock before = wave.others;
  wave.others.join(wave.looked);
  wave.looked = {};
  std::erase_if(wave.looks, [&](const Look& look) {
    if (look.count > wave.memory.done)
      return false;
    collect(look.address, wave, wave.others);
    return true;
  });
  if (wave.others != before)
    learned(wave);
}

void Global::learned(const WaveState& wave) {
  const std::lock_guard lock(learned_mutex_);
  learned_[wave.index].push_back({wave.memory.issued, wave.others});
}

void Global::forget() {
  id_ = ++last_id;
  for (Shelf& shelf : shelves_)
    shelf.pages.clear();
  memory_.clear();
  learned_.clear();
}

void Global::meet(Global& other, const std::function<void(const Lines&)>& f) {
  for (size_t shelf = 0; shelf < shelves_.size(); ++shelf)
    for (const auto& [number, mine] : shelves_[shelf].pages) {
      const auto found = other.shelves_[shelf].pages.find(number);
      if (found == other.shelves_[shelf].pages.end())
        continue;
      Page &a = *mine, &b = *found->second;
      for (size_t line = 0; line < a.lines.size(); ++line)
        f({number * page_bytes + line * line_bytes, a.lines[line], b.lines[line], a.values[line], b.values[line]});
    }
}

void Global::each_cell(uint64_t begin, uint64_t end, const std::function<void(uint64_t, uint32_t, const Cell&)>& f) {
  const auto each_of = [&](uint64_t number, Page& page) {
    for (uint64_t at = number * page_bytes, next; at < (number + 1) * page_bytes; at = next) {
      Line& line = page.lines[at % page_bytes / line_bytes];
      const uint32_t byte = at % line_bytes;
      next = at - byte + line.next(byte);
      if (at < end && next > begin)
        f(at, uint32_t(next - at), line.at(byte));
    }
  };
  for (const Shelf& shelf : shelves_)
    for (const auto& [number, page] : shelf.pages)
      if (number * page_bytes < end && (number + 1) * page_bytes > begin)
        each_of(number, *page);
}

} // namespace crosslane::check::race
