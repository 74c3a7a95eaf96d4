// Three ways, from the fastest to the one that knows everything: accesses that cannot conflict, rounds without a branch
// per lane, queues.
#include "views/lds_banks.h"
#include "views/lds.h"
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

LdsUnits units_of(const uint64_t* address, uint64_t lanes, uint32_t bytes) {
  uint64_t any = 0;
  if (lanes == ~uint64_t(0))
    for (int lane = 0; lane < 64; ++lane)
      any |= address[lane];
  else
    for (; lanes; lanes &= lanes - 1)
      any |= address[std::countr_zero(lanes)];
  if (!std::has_single_bit(bytes) || any % bytes != 0)
    return {};
  return {.shift = std::max(2u, static_cast<uint32_t>(std::countr_zero(bytes))), .one_a_lane = true};
}

// The units that the lanes of one group ask for, one each.
struct Requests {
  uint32_t unit[BankQueues::most_lanes];
  uint32_t count = 0;

  Requests(const uint64_t* address, uint64_t lanes, LdsUnits units) {
    for (; lanes; lanes &= lanes - 1)
      unit[count++] = units.of(address[std::countr_zero(lanes)]);
  }
  uint32_t most_at_a_bank(LdsUnits units) const {
    uint32_t at[lds_banks] = {}, most = 0;
    for (uint32_t i = 0; i < count; ++i)
      most = std::max(most, ++at[units.bank(unit[i])]);
    return most;
  }
  // Each round serves one unit of every bank, that of whoever asked last, and all that want the same: without a branch
  // per lane. Leaves requests if many rounds would follow: then queues are faster.
  struct Rounds {
    uint32_t rounds = 0, different = 0; // units
  };
  Rounds serve(LdsUnits units) {
    Rounds result;
    for (; count && result.rounds < 4; ++result.rounds) {
      uint32_t served[lds_banks], used = 0, left = 0; // served: of banks that are used
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t bank = units.bank(unit[i]);
        served[bank] = unit[i];
        used |= 1u << bank;
      }
      for (uint32_t i = 0; i < count; ++i) {
        const uint32_t one = unit[i];
        unit[left] = one;
        left += served[units.bank(one)] != one;
      }
      result.different += static_cast<uint32_t>(std::popcount(used));
      count = left;
    }
    return result;
  }
};

// All lanes of a group wait: those that share a unit once, or each in turn.
void wait(BankQueues& queues, const events::Access& event, const uint64_t* address, uint64_t lanes, LdsUnits units,
          bool each_in_turn, LdsCounts& counts) {
  const bool atomic = event.kind == events::AccessKind::atomic;
  queues.clear();
  for (; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint32_t first = units.of(address[lane]), last = units.of(address[lane] + event.bytes - 1);
    bool known = queues.request(units, first, lane, each_in_turn);
    counts.same_address_atomics += atomic && known;
    for (uint32_t unit = first; unit != last;)
      known |= queues.request(units, ++unit, lane, each_in_turn);
    counts.broadcasts |= event.kind == events::AccessKind::load && known;
  }
}

// Whether lane l is at base + l * step.
bool advances_by(uint64_t step, uint64_t base, const uint64_t* address, uint64_t lanes) {
  uint64_t differ = 0;
  if (lanes == ~uint64_t(0)) {
    for (uint64_t lane = 0; lane < 64; ++lane)
      differ |= address[lane] ^ (base + lane * step);
    return differ == 0;
  }
  for (; lanes && !differ; lanes &= lanes - 1) {
    const auto lane = static_cast<uint64_t>(std::countr_zero(lanes));
    differ = address[lane] ^ (base + lane * step);
  }
  return differ == 0;
}

// Without a conflict, and most common: whole dwords in sequence, whose groups have 32 dwords in a row or two halves of
// it that complete each other (16 bytes, loads); and loads and stores of all lanes at one place. Sets `shared` for the
// latter.
bool is_plain(const events::Access& event, const uint64_t* address, bool& shared) {
  const auto first = static_cast<uint64_t>(std::countr_zero(event.lanes));
  const uint64_t rest = event.lanes & (event.lanes - 1);
  if (!rest)
    return false;
  const auto next = static_cast<uint64_t>(std::countr_zero(rest));
  if (address[next] == address[first]) {
    shared = true;
    return event.kind != events::AccessKind::atomic && advances_by(0, address[first], address, event.lanes);
  }
  return std::has_single_bit(event.bytes) && event.bytes >= 4 && address[first] % 4 == 0 &&
         advances_by(event.bytes, address[first] - first * event.bytes, address, event.lanes);
}

// Adds to `counts`, and returns the most cycles that a group needed.
uint32_t serve_one(const events::Access& event, const uint64_t* address, BankQueues& queues, LdsCounts& counts) {
  const bool load = event.kind == events::AccessKind::load, atomic = event.kind == events::AccessKind::atomic;
  bool shared = false;
  const bool plain = is_plain(event, address, shared);
  const LdsUnits units = plain ? LdsUnits() : units_of(address, event.lanes, event.bytes);
  uint32_t worst = 1;
  for (const uint64_t group : groups_of(event.bytes, event.kind)) {
    const uint64_t lanes = event.lanes & group;
    if (!lanes)
      continue;
    uint32_t cycles = 1, if_shared = 1;
    bool counted = plain;
    if (plain)
      counts.broadcasts |= load && shared && !std::has_single_bit(lanes);
    else if (units.one_a_lane) {
      Requests requests(address, lanes, units);
      const uint32_t all = requests.count, in_turn = atomic ? requests.most_at_a_bank(units) : 0;
      const Requests::Rounds served = requests.serve(units);
      counted = requests.count == 0;
      if (counted) {
        if_shared = served.rounds;
        cycles = atomic ? in_turn : served.rounds;
        counts.broadcasts |= load && served.different != all;
        counts.same_address_atomics += atomic ? all - served.different : 0;
      }
    }
    if (!counted) {
      if (atomic) {
        LdsCounts not_these;
        wait(queues, event, address, lanes, units, false, not_these);
        if_shared = queues.longest();
      }
      wait(queues, event, address, lanes, units, atomic, counts);
      cycles = queues.longest();
    }
    counts.cycles += cycles;
    counts.same_address_cycles += atomic ? cycles - if_shared : 0;
    ++counts.ideal_cycles;
    worst = std::max(worst, cycles);
  }
  return worst;
}

// Who meets where, in the first group that needs `degree` cycles. False if none does.
bool find_worst_of_one(const events::Access& event, const uint64_t* address, uint32_t degree, BankQueues& queues,
                       LdsSite& site) {
  const LdsUnits units = units_of(address, event.lanes, event.bytes);
  for (const uint64_t group : groups_of(event.bytes, event.kind)) {
    LdsCounts counted_before;
    wait(queues, event, address, event.lanes & group, units, event.kind == events::AccessKind::atomic, counted_before);
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
  LdsRequest request{event, {event.address, event.second}};
  if (!event.second || event.kind == events::AccessKind::atomic)
    return request;
  // Next to each other? One lane tells: how far apart they are is in the instruction.
  const auto lane = static_cast<size_t>(std::countr_zero(event.lanes));
  const uint64_t first = event.address[lane], second = event.second[lane];
  if (second == first + event.bytes || first == second + event.bytes) {
    request.access.bytes *= 2;
    request.address[0] = first < second ? event.address : event.second;
    request.address[1] = nullptr;
  }
  return request;
}

uint32_t serve(const LdsRequest& request, BankQueues& queues, LdsCounts& counts) {
  uint32_t most = serve_one(request.access, request.address[0], queues, counts);
  if (request.address[1])
    most = std::max(most, serve_one(request.access, request.address[1], queues, counts));
  return most;
}

void find_worst(const LdsRequest& request, uint32_t degree, BankQueues& queues, LdsSite& site) {
  if (!find_worst_of_one(request.access, request.address[0], degree, queues, site))
    find_worst_of_one(request.access, request.address[1], degree, queues, site);
}

} // namespace crosslane::views
