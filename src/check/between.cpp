// Cell by cell, of all pages that both have touched. Of many conflicts of two instructions the lowest address is told.
#include "check/between.h"
#include "check/race/dispatch.h"
#include "lint/rule.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace crosslane::check {

namespace {

using namespace race;

constexpr size_t most_bytes = size_t(1) << 30; // of shadows that are kept beside the last one
constexpr size_t most_copies = 1024;           // that are kept: the last ones

enum class What : uint8_t { race, value, atomic };

// One of two operations, at a place. Of a copy: without a dispatch.
struct Party {
  const Dispatch* dispatch = nullptr;
  uint32_t wave = nobody, site = 0;
  Kind kind{};
};

struct Case {
  Party first, second;
  uint64_t address = UINT64_MAX, times = 0;
};
using Cases = std::map<std::tuple<What, uint32_t, uint32_t>, Case>; // sites of both; of a copy its kind

struct Place {
  uint64_t address;
  uint32_t bytes;
};

void add(Cases& cases, What what, const Party& first, const Party& second, const Place& place) {
  Case& c = cases[{what, first.site, second.dispatch ? second.site : uint32_t(second.kind)}];
  c.times += std::max(1u, place.bytes / 4);
  if (place.address < c.address)
    c.first = first, c.second = second, c.address = place.address;
}

// As between waves of one dispatch (check/race/shadow.h): atomics do not race with each other, nor with stores, which
// may be atomic themselves. None: no race.
std::optional<What> conflict(Kind a, Kind b, bool atomic_stores, bool same_value) {
  const auto one_is = [&](Kind kind) { return a == kind || b == kind; };
  if (a == Kind::store && b == Kind::store)
    return atomic_stores ? std::nullopt : std::optional(same_value ? What::value : What::race);
  if (!one_is(Kind::load) || a == b)
    return {};
  return one_is(Kind::atomic) ? What::atomic : What::race;
}

template <class F> void each_record(const Cell& cell, F f) {
  for (const Record* r : {&cell.writer, &cell.readers[0], &cell.readers[1]})
    if (r->wave != nobody)
      f(*r);
}

bool is_atomic(const Cell& cell) { return cell.writer.is_atomic; }
bool is_touched(const Cell& cell) { return cell.writer.wave != nobody || cell.readers[0].wave != nobody; }

// One looks as atomics do at what the other looks at so too, or writes.
bool may_meet(const Cell& a, const Cell& b) {
  return (is_atomic(a) && (is_atomic(b) || b.writer.wave != nobody)) || (is_atomic(b) && a.writer.wave != nobody);
}

// What may be told of two dispatches; `meet`: one of them may wait for the other.
Cases compare(Dispatch& mine, Dispatch& other, bool& meet) {
  Cases cases;
  bool learns = false; // while it runs
  const bool fences = mine.fences || other.fences;
  mine.memory.meet(other.memory, [&](const Global::Lines& lines) {
    for (uint32_t at = 0, next; at < line_bytes; at = next) {
      next = std::min(lines.mine.next(at), lines.others.next(at));
      const Cell &a = lines.mine.at(at), &b = lines.others.at(at);
      meet |= may_meet(a, b);
      learns |= fences && is_atomic(a) && is_atomic(b);
      if (!is_touched(a) || !is_touched(b))
        continue;
      const bool known = a.writer.is_known && b.writer.is_known;
      const bool same = known && !std::memcmp(lines.my_values + at, lines.other_values + at, next - at);
      each_record(a, [&](const Record& x) {
        each_record(b, [&](const Record& y) {
          if (const auto what = conflict(Kind(x.kind), Kind(y.kind), is_atomic(a) || is_atomic(b), same))
            add(cases, *what, {&mine, x.wave, x.site, Kind(x.kind)}, {&other, y.wave, y.site, Kind(y.kind)},
                {lines.address + at, next - at});
        });
      });
    }
  });
  if (learns)
    cases.clear();
  return cases;
}

Cases compare(Dispatch& mine, const AskedCopy& copy) {
  Cases cases;
  const auto meet = [&](const Extent& extent, Kind kind) {
    mine.memory.each_cell(extent.begin, extent.end, [&](uint64_t address, uint32_t bytes, const Cell& cell) {
      const uint64_t begin = std::max(address, extent.begin), end = std::min(address + bytes, extent.end);
      each_record(cell, [&](const Record& r) {
        if (Kind(r.kind) == Kind::load && kind == Kind::load)
          return;
        // What it stores is plain, whatever it meets.
        const What what = Kind(r.kind) == Kind::atomic && kind == Kind::load ? What::atomic : What::race;
        add(cases, what, {&mine, r.wave, r.site, Kind(r.kind)}, {.kind = kind}, {begin, uint32_t(end - begin)});
      });
    });
  };
  meet(copy.from, Kind::load), meet(copy.to, Kind::store);
  return cases;
}

std::string launch_of(const Dispatch& d) { return fmt::format("launch {} of '{}'", d.launch, d.kernel); }

// The later address first; of one instruction the later launch.
bool comes_first(const Party& a, const Party& b) {
  const auto of = [](const Party& p) {
    return std::tuple(p.dispatch->found.sites.pc(p.site), p.dispatch->launch, p.wave);
  };
  return of(a) > of(b);
}

void tell(What what, Case c, const AskedCopy* copy) {
  using enum lint::Rule;
  if (!copy && !comes_first(c.first, c.second))
    std::swap(c.first, c.second);
  const Found& found = c.first.dispatch->found;
  const std::string place = found.place(false, c.address);
  const auto is_swapped = [](const Party& p) { // what the wave loads, it compares and swaps
    return p.dispatch && p.kind == Kind::load && p.dispatch->found.is_swapped(p.dispatch->found.sites.pc(p.site));
  };
  if (place.empty() || is_swapped(c.first) || is_swapped(c.second))
    return;
  const uint64_t pc = found.sites.pc(c.first.site);
  std::string who;
  uint64_t other_pc = 0;
  bool same_code = false;
  if (copy) {
    who = copy->asked;
  } else {
    const Found& others = c.second.dispatch->found;
    who = fmt::format("{} in {}", others.who(c.second.wave, false), launch_of(*c.second.dispatch));
    other_pc = others.sites.pc(c.second.site);
    same_code = &others.told() == &found.told();
  }
  const lint::Rule rule = what == What::value ? race_same_value : what == What::atomic ? race_atomic : race_dispatch;
  found.told().add(rule, pc, other_pc, found.where(c.first.wave), c.times, [&] {
    std::string text = fmt::format("{} {} in {}, ", verb(c.first.kind), place, launch_of(*c.first.dispatch));
    text += c.first.kind == c.second.kind ? fmt::format("as {} does", who)
                                          : fmt::format("which {} {}", who, verb(c.second.kind));
    if (what == What::value)
      text += " with the same value";
    text += copy ? ": nothing orders the dispatch and the copy" : ": nothing orders the two dispatches";
    std::vector<lint::Note> notes;
    if (same_code)
      notes.push_back({other_pc, fmt::format("the {} of {}", noun(c.second.kind), who)});
    return Told::Said{std::move(text), std::move(notes), c.address};
  });
}

} // namespace

Between::Between(Order& order) : order(order) {}
Between::~Between() = default;

void Between::forget_past() {
  std::erase_if(dispatches_, [&](const auto& d) { return order.is_past(d->operation); });
  std::erase_if(copies_, [&](const PastCopy& c) { return order.is_past(c.operation); });
}

void Between::forget() {
  const std::lock_guard lock(mutex_);
  forget_past();
}

void Between::ended(std::unique_ptr<race::Dispatch> dispatch) {
  const std::lock_guard lock(mutex_);
  forget_past();
  const Operation& operation = dispatch->operation;
  if (dispatch->memory.has_looked())
    order.looks(operation);
  for (const auto& other : dispatches_) {
    if (order.is_after(operation, other->operation))
      continue;
    bool meet = false;
    for (const auto& [key, c] : compare(*dispatch, *other, meet))
      tell(std::get<What>(key), c, nullptr);
    if (meet)
      order.meet(operation, other->operation);
  }
  for (const PastCopy& other : copies_)
    if (!order.is_after(operation, other.operation))
      for (const auto& [key, c] : compare(*dispatch, other.copy))
        tell(std::get<What>(key), c, &other.copy);
  if (order.queues() == 1) // packets that it could meet are most likely yet to come from another one
    dispatches_.clear();
  dispatches_.push_back(std::move(dispatch));
  size_t bytes = 0;
  for (size_t n = dispatches_.size() - 1; n-- > 0;)
    if ((bytes += dispatches_[n]->memory.bytes()) > most_bytes) {
      dispatches_.erase(dispatches_.begin(), dispatches_.begin() + ptrdiff_t(n) + 1);
      break;
    }
}

void Between::copied(const AskedCopy& copy) {
  const Operation operation = order.copy(copy.ticket, copy.signals);
  const std::lock_guard lock(mutex_);
  forget_past();
  for (const auto& other : dispatches_)
    if (!order.is_after(operation, other->operation))
      for (const auto& [key, c] : compare(*other, copy))
        tell(std::get<What>(key), c, &copy);
  if (copies_.size() == most_copies)
    copies_.pop_front();
  copies_.push_back({copy, operation});
  order.copied(operation, copy.completion);
}

} // namespace crosslane::check
