// One lock: programs that race all the time have worse troubles than its cost.
#include "check/race/found.h"
#include "lint/rule.h"
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace crosslane::check::race {

std::string_view verb(Kind kind) {
  switch (kind) {
  case Kind::load:
  case Kind::seen: return "loads";
  case Kind::store: return "stores to";
  case Kind::atomic: return "changes atomically";
  }
  return "";
}
std::string_view noun(Kind kind) {
  return kind == Kind::store ? "store" : kind == Kind::atomic ? "atomic operation" : "load";
}

bool Found::began(const machine::Workgroup& group) {
  const std::lock_guard lock(mutex_);
  if (ids_.size() <= group.number)
    ids_.resize(group.number + 1), begun_.resize(group.number + 1);
  if (begun_[group.number])
    return false;
  begun_[group.number] = true;
  ids_[group.number] = {group.id[0], group.id[1], group.id[2]};
  return true;
}

void Found::forget_groups() {
  const std::lock_guard lock(mutex_);
  begun_.assign(begun_.size(), false);
  agreed_ = {};
}

// Empty: in what nobody has allocated, such as the runtime's signals.
std::string Found::place(bool lds, uint64_t address) const {
  if (lds)
    return fmt::format("byte {} of LDS", address);
  if (!allocations_)
    return fmt::format("{:#x}", address);
  const auto in = allocations_->find(address, 0);
  return in ? fmt::format("'{}' + {}", in->name, address - in->begin) : "";
}

// Parties in the order of Key: the later address first; at one address that of the wave that was launched later.
void Found::add(const Key& key, Party first, Party second, uint64_t address, uint64_t times, bool unwaited) {
  const auto order = [](const Party& a, const Party& b) { return std::pair(a.wave, b.wave); };
  const std::lock_guard lock(mutex_);
  Case& c = cases_[key];
  c.times += times;
  if (c.first.wave != nobody && order(c.first, c.second) <= order(first, second))
    return;
  c.first = first, c.second = second, c.address = address, c.unwaited = unwaited;
  c.place = place(key.lds, address);
}

void Found::race(const events::Access& e, const Record& me, const Record& other, uint64_t address, uint64_t times,
                 bool same_value) {
  const bool lds = e.space == events::Space::lds;
  Party a{me.wave, Kind(me.kind), e.site.pc, -1}, b{other.wave, Kind(other.kind), sites.pc(other.site), -1};
  for (uint64_t left = e.lanes; left && a.lane < 0; left &= left - 1)
    if (const int lane = __builtin_ctzll(left); address + 3 >= e.address[lane] && address < e.address[lane] + e.bytes)
      a.lane = e.space == events::Space::scalar ? -1 : lane;
  const bool of_atomic = a.kind == Kind::atomic || b.kind == Kind::atomic;
  const What what = of_atomic ? What::atomic : same_value ? What::value : What::race;
  if (std::pair(a.pc, a.wave) < std::pair(b.pc, b.wave))
    std::swap(a, b);
  add({what, lds, a.pc, b.pc}, a, b, address, times, lds && other.interval < me.interval);
}

void Found::clash(const events::Access& e, const Record& me, int lane, int other_lane, uint64_t address) {
  add({What::lanes, e.space == events::Space::lds, e.site.pc, 0}, {me.wave, Kind::store, e.site.pc, lane},
      {me.wave, Kind::store, e.site.pc, other_lane}, address, 1, false);
}

void Found::agree(const Agreed::Place& place, uint32_t wave, uint32_t other) {
  const std::lock_guard lock(mutex_);
  agreed_.add(place, wave, other);
}

bool Found::agreed(const Agreed::Place& place, uint32_t wave) {
  const std::lock_guard lock(mutex_);
  return agreed_.has(place, wave);
}

void Found::swaps_what_it_loaded(uint32_t load_site) {
  const uint64_t pc = sites.pc(load_site);
  const std::lock_guard lock(mutex_);
  swapped_.insert(pc);
}

std::string Found::who(uint32_t wave, bool lds) const {
  const auto& id = ids_[group_of(wave)];
  return lds ? fmt::format("wave {}", wave % waves_per_group)
             : fmt::format("wave {} of workgroup ({},{},{})", wave % waves_per_group, id[0], id[1], id[2]);
}

Told::Where Found::where(uint32_t wave, int lane) const {
  return {group_of(wave), ids_[group_of(wave)], wave % waves_per_group, lane};
}

void Found::tell() {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, c] : cases_) {
    if (c.place.empty())
      continue;
    if (key.what == What::value && cases_.contains({What::race, key.lds, key.pc, key.other}))
      continue;
    const Party& load = c.first.kind == Kind::load ? c.first : c.second;
    if (key.what == What::atomic && load.kind == Kind::load && swapped_.contains(load.pc))
      continue;
    tell(key, c);
  }
  cases_.clear();
}

void Found::tell(const Key& key, const Case& c) {
  using enum lint::Rule;
  const Told::Where where = this->where(c.first.wave, c.first.lane);
  if (key.what == What::lanes)
    return told_.add(race_lanes, key.pc, 0, where, c.times, [&] {
      return Told::Said{
          fmt::format("lanes {} and {} store different values to {}", c.first.lane, c.second.lane, c.place),
          {},
          c.address};
    });
  const lint::Rule rule = key.what == What::value    ? race_same_value
                          : key.lds                  ? race_lds
                          : key.what == What::atomic ? race_atomic
                                                     : race_global;
  told_.add(rule, key.pc, key.other, where, c.times, [&] {
    const std::string other = who(c.second.wave, key.lds);
    std::string text = fmt::format("{} {}, ", verb(c.first.kind), c.place);
    text += c.first.kind == c.second.kind ? fmt::format("as {} does", other)
                                          : fmt::format("which {} {}", other, verb(c.second.kind));
    if (key.what == What::value)
      text +=
          c.first.kind == c.second.kind ? " with the same value" : ": the value that the one who loads has stored too";
    text += c.unwaited ? ": a barrier lies between them, but nothing waits for LDS before it" : ", in no order";
    return Told::Said{
        std::move(text), {{key.other, fmt::format("the {} of {}", noun(c.second.kind), other)}}, c.address};
  });
}

} // namespace crosslane::check::race
