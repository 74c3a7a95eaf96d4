// Four ways, from the fastest to the one that knows everything: patterns that were seen before, accesses that cannot
// conflict, marks without a branch per lane, queues, which know who waits where and take any address.
#include "views/lds_banks.h"
#include <algorithm>
#include <bit>
#include <span>

namespace crosslane::views {

namespace {

constexpr uint64_t both_halves[] = {0x0000'0000'ffff'ffff, 0xffff'ffff'0000'0000};
constexpr uint64_t sixteens[] = {0xffff, 0xffff'0000, 0xffff'0000'0000, 0xffff'0000'0000'0000};
constexpr uint64_t eights[] = {0xff,           0xff00,           0xff'0000,           0xff00'0000,
                               0xff'0000'0000, 0xff00'0000'0000, 0xff'0000'0000'0000, 0xff00'0000'0000'0000};
constexpr uint64_t crossed_eights[] = {0x00f0'000f,           0x000f'00f0,           0xf000'0f00,
                                       0x0f00'f000,           0x00f0'000f'0000'0000, 0x000f'00f0'0000'0000,
                                       0xf000'0f00'0000'0000, 0x0f00'f000'0000'0000};

std::span<const uint64_t> groups_of(uint32_t bytes, events::AccessKind kind) {
  if (bytes <= 4)
    return both_halves;
  if (bytes <= 8)
    return sixteens;
  if (kind == events::AccessKind::load)
    return crossed_eights;
  return eights;
}

// What the lanes of an access ask for at one address each.
struct Asked {
  events::AccessKind kind;
  uint32_t bytes;
  uint64_t lanes;
  const uint64_t* address;

  Asked(const LdsRequest& request, int which)
      : kind(request.access.kind), bytes(request.bytes), lanes(request.access.lanes), address(request.address[which]) {}
  bool load() const { return kind == events::AccessKind::load; }
  bool atomic() const { return kind == events::AccessKind::atomic; }
  uint64_t any() const { return lane_loops().any(address, lanes); } // bits of addresses
  LdsUnits units(uint64_t any) const {
    if (!std::has_single_bit(bytes) || any % bytes != 0)
      return {};
    return {.shift = std::max(2u, static_cast<uint32_t>(std::countr_zero(bytes))), .one_a_lane = true};
  }
};

struct Group {
  uint32_t cycles = 1, if_shared = 1;
  uint64_t again = 0;  // lanes whose first unit another has asked for before
  bool shared = false; // any unit of any lane
};

// What each bank is asked for, in one pass: units that are new to the group, and for atomics all.
template <bool atomic, bool one_a_lane>
Group count_group(const Asked& asked, uint64_t lanes, LdsUnits units, UnitMarks& marks) {
  uint8_t different[lds_banks] = {}, all[lds_banks] = {};
  uint8_t most_different = 0, most = 0;
  Group group;
  bool known = false;
  const auto ask = [&](uint32_t unit) {
    const bool fresh = marks.mark(unit);
    const uint32_t bank = units.bank(unit);
    different[bank] = static_cast<uint8_t>(different[bank] + fresh);
    most_different = std::max(most_different, different[bank]);
    if constexpr (atomic)
      most = std::max(most, ++all[bank]);
    known |= !fresh;
    return fresh;
  };
  marks.start_group();
  for (; lanes; lanes &= lanes - 1) {
    const uint64_t address = asked.address[std::countr_zero(lanes)];
    uint32_t unit = units.of(address);
    group.again += !ask(unit);
    if constexpr (!one_a_lane)
      for (const uint32_t last = units.of(address + asked.bytes - 1); unit != last;)
        ask(++unit);
  }
  group.if_shared = most_different;
  group.cycles = atomic ? most : most_different;
  group.shared = known;
  return group;
}

// All lanes of a group wait: those that share a unit once, or each in turn.
Group wait(BankQueues& queues, const Asked& asked, uint64_t lanes, LdsUnits units, bool each_in_turn) {
  Group group;
  queues.clear();
  for (; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint64_t address = asked.address[lane];
    const uint32_t first = units.of(address), last = units.of(address + asked.bytes - 1);
    bool known = queues.request(units, first, lane, each_in_turn);
    group.again += known;
    for (uint32_t unit = first; unit != last;)
      known |= queues.request(units, ++unit, lane, each_in_turn);
    group.shared |= known;
  }
  group.cycles = group.if_shared = queues.longest();
  return group;
}

Group queue_group(BankQueues& queues, const Asked& asked, uint64_t lanes, LdsUnits units) {
  Group group = wait(queues, asked, lanes, units, false);
  if (asked.atomic())
    group.cycles = wait(queues, asked, lanes, units, true).cycles;
  return group;
}

// Without a conflict, and most common: whole dwords in sequence, whose groups have 32 dwords in a row or two halves of
// it that complete each other (16 bytes, loads); and loads and stores of all lanes at one place. Sets `shared` for the
// latter.
bool is_plain(const Asked& asked, bool& shared) {
  const auto first = static_cast<uint64_t>(std::countr_zero(asked.lanes));
  const uint64_t rest = asked.lanes & (asked.lanes - 1);
  if (!rest)
    return false;
  const auto next = static_cast<uint64_t>(std::countr_zero(rest));
  const uint64_t base = asked.address[first], distance = asked.address[next] - base;
  if (distance == 0) {
    shared = true;
    return !asked.atomic() && lane_loops().are_in_steps(asked.address, asked.lanes, base, 0);
  }
  return distance == (next - first) * asked.bytes && std::has_single_bit(asked.bytes) && asked.bytes >= 4 &&
         base % 4 == 0 &&
         lane_loops().are_in_steps(asked.address, asked.lanes, base - first * asked.bytes, asked.bytes);
}

// Adds to `served`.
void serve_one(const Asked& asked, UnitMarks& marks, BankQueues& queues, LdsServed& served) {
  bool all_at_one = false;
  const bool plain = is_plain(asked, all_at_one);
  const uint64_t any = plain ? 0 : asked.any();
  const LdsUnits units = asked.units(any);
  const bool inside = any < UnitMarks::lds_bytes && asked.bytes <= 64;
  auto* const count = asked.atomic()     ? units.one_a_lane ? count_group<true, true> : count_group<true, false>
                          : units.one_a_lane ? count_group<false, true>
                                         : count_group<false, false>;
  LdsCounts& counts = served.counts;
  for (const uint64_t of_group : groups_of(asked.bytes, asked.kind)) {
    const uint64_t lanes = asked.lanes & of_group;
    if (!lanes)
      continue;
    Group group;
    if (plain)
      group.shared = all_at_one && !std::has_single_bit(lanes);
    else
      group = inside ? count(asked, lanes, units, marks) : queue_group(queues, asked, lanes, units);
    counts.cycles += group.cycles - 1;
    counts.same_address_cycles += group.cycles - group.if_shared;
    counts.same_address_atomics += asked.atomic() ? group.again : 0;
    counts.broadcasts |= asked.load() && group.shared;
    served.degree = std::max(served.degree, group.cycles);
  }
}

// Who meets where, in the first group that needs `degree` cycles. False if none does.
bool find_worst_of_one(const Asked& asked, uint32_t degree, BankQueues& queues, LdsSite& site) {
  const LdsUnits units = asked.units(asked.any());
  for (const uint64_t group : groups_of(asked.bytes, asked.kind)) {
    wait(queues, asked, asked.lanes & group, units, asked.atomic());
    if (queues.longest() != degree)
      continue;
    const uint32_t bank = queues.first_of_length(degree);
    site.worst_bank = bank << (units.shift - 2);
    for (uint32_t i = 0; i < 2; ++i) {
      site.worst_lane[i] = queues.lane(bank, i);
      site.worst_address[i] = uint64_t(queues.unit(bank, i)) << units.shift;
    }
    return true;
  }
  return false;
}

// What serving it depends on, beside how its addresses lie to each other: as they all move by dwords, units and banks
// only rotate, and groups are as they were. (Units of more than a dword serve as their dwords would, as no two overlap
// in part.) Lanes' second addresses must be equally far from the first ones, as the offsets of an instruction make
// them.
bool make_key(const events::Access& event, const LaneLoops& loops, PatternKey& key) {
  const auto first = static_cast<size_t>(std::countr_zero(event.lanes));
  const uint64_t base = event.address[first];
  key.lanes = event.lanes;
  key.others = base % 4 | uint64_t(event.kind) << 2 | uint64_t(event.bytes) << 8;
  if (!event.second)
    return true;
  key.others |= 1 << 4;
  key.apart = event.second[first] - base;
  return loops.are_apart(event.address, event.second, event.lanes, key.apart);
}

} // namespace

bool BankQueues::request(LdsUnits units, uint32_t unit, uint32_t lane, bool each_in_turn) {
  const uint32_t bank = units.bank(unit);
  Queue& queue = queues_[bank];
  const uint32_t length = waiting_[bank];
  const bool known = std::find(queue.unit, queue.unit + length, unit) != queue.unit + length;
  if (!known || each_in_turn) {
    // A lane's dwords lie in banks of their own, so that no more come than there are lanes.
    assert(length < most_lanes);
    queue.unit[length] = unit;
    queue.lane[length] = lane;
    waiting_[bank] = length + 1;
  }
  return known;
}

uint32_t BankQueues::longest() const {
  uint32_t most = 0;
  for (const uint32_t length : waiting_)
    most = std::max(most, length);
  return most;
}

uint32_t BankQueues::first_of_length(uint32_t length) const {
  return static_cast<uint32_t>(std::find(waiting_.begin(), waiting_.end(), length) - waiting_.begin());
}

LdsRequest lds_request(const events::Access& event) {
  LdsRequest request{event, event.bytes, {event.address, event.second}};
  if (!event.second)
    return request;
  // Next to each other? One lane tells: how far apart they are is in the instruction.
  const auto lane = static_cast<size_t>(std::countr_zero(event.lanes));
  const uint64_t first = event.address[lane], second = event.second[lane];
  if (second == first + event.bytes || first == second + event.bytes) {
    request.bytes *= 2;
    request.address[0] = first < second ? event.address : event.second;
    request.address[1] = nullptr;
  }
  return request;
}

LdsServed LdsServer::serve_anew(const events::Access& event) {
  LdsServed served;
  served.counts.accesses = 1;
  served.counts.lanes = static_cast<uint64_t>(std::popcount(event.lanes));
  const LdsRequest request = lds_request(event);
  serve_one({request, 0}, marks_, queues_, served);
  if (request.address[1])
    serve_one({request, 1}, marks_, queues_, served);
  return served;
}

LdsServed LdsServer::serve(const events::Access& event, const Known*& last) {
  PatternKey key;
  if (!make_key(event, loops_, key))
    return serve_anew(event);
  if (const LdsServed* known = memo_.find(key, event.address, last))
    return *known;
  const LdsServed served = serve_anew(event);
  memo_.learn(key, event.address, served);
  return served;
}

void LdsServer::find_worst(const events::Access& event, uint32_t degree, LdsSite& site) {
  const LdsRequest request = lds_request(event);
  if (!find_worst_of_one({request, 0}, degree, queues_, site))
    find_worst_of_one({request, 1}, degree, queues_, site);
}

} // namespace crosslane::views
