// Serves the lanes of an access group by group, the way views/lds.h says. Counters per site, in a table per thread.
#include "views/lds.h"
#include "views/per_thread.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

namespace crosslane::views {

namespace {

constexpr uint32_t bank_count = 32;
constexpr uint32_t most_lanes = 32; // of a group

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

// The requests of one group that wait at each bank.
class Banks {
public:
  void clear() { waiting_ = {}; }

  // True if another lane has asked for the dword before.
  bool request(uint32_t dword, uint32_t lane, bool each_in_turn) {
    const uint32_t bank = dword % bank_count;
    auto& queue = queues_[bank];
    uint8_t& length = waiting_[bank];
    const bool known = std::find(queue.dword, queue.dword + length, dword) != queue.dword + length;
    if (!known || each_in_turn) {
      // A lane's dwords lie in banks of their own, so that no more come than there are lanes.
      assert(length < most_lanes);
      queue.dword[length] = dword;
      queue.lane[length] = static_cast<uint8_t>(lane);
      ++length;
    }
    return known;
  }

  uint32_t longest() const {
    uint8_t most = 0;
    for (const uint8_t length : waiting_)
      most = std::max(most, length);
    return most;
  }
  uint32_t first_of_length(uint32_t length) const {
    return static_cast<uint32_t>(std::find(waiting_.begin(), waiting_.end(), length) - waiting_.begin());
  }
  uint32_t lane(uint32_t bank, uint32_t place) const { return queues_[bank].lane[place]; }
  uint64_t address(uint32_t bank, uint32_t place) const { return uint64_t(queues_[bank].dword[place]) * 4; }

private:
  struct Queue {
    uint32_t dword[most_lanes];
    uint8_t lane[most_lanes];
  };
  std::array<uint8_t, bank_count> waiting_ = {};
  std::array<Queue, bank_count> queues_; // of each as many as wait have a value
};

struct Worst {
  uint32_t degree = 0, bank = 0, lane[2] = {0, 0};
  uint64_t address[2] = {0, 0};
};

struct Served {
  LdsCounts counts;
  Worst worst;
};

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

void serve(const events::Access& event, const uint64_t* address, Banks& banks, Served& served) {
  const bool load = event.kind == events::AccessKind::load, atomic = event.kind == events::AccessKind::atomic;
  LdsCounts& counts = served.counts;
  bool shared = false;
  const bool plain = is_plain(event, address, shared);
  for (const uint64_t group : groups_of(event.bytes, event.kind)) {
    uint64_t lanes = event.lanes & group;
    if (!lanes)
      continue;
    ++counts.ideal_cycles;
    if (plain) {
      ++counts.cycles;
      counts.broadcasts |= load && shared && !std::has_single_bit(lanes);
      served.worst.degree = std::max(served.worst.degree, 1u);
      continue;
    }
    banks.clear();
    for (; lanes; lanes &= lanes - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
      const auto first = static_cast<uint32_t>(address[lane] / 4);
      const auto last = static_cast<uint32_t>((address[lane] + event.bytes - 1) / 4);
      bool known = banks.request(first, lane, atomic);
      counts.same_address_atomics += atomic && known;
      for (uint32_t dword = first; dword != last;)
        known |= banks.request(++dword, lane, atomic);
      counts.broadcasts |= load && known;
    }
    const uint32_t degree = banks.longest();
    counts.cycles += degree;
    if (degree <= served.worst.degree)
      continue;
    served.worst = {.degree = degree};
    if (const uint32_t bank = banks.first_of_length(degree); degree > 1)
      served.worst = {.degree = degree,
                      .bank = bank,
                      .lane = {banks.lane(bank, 0), banks.lane(bank, 1)},
                      .address = {banks.address(bank, 0), banks.address(bank, 1)}};
  }
}

// Of a load or store with two addresses next to each other the lower one, else null. One lane tells: how far apart they
// are is in the instruction.
const uint64_t* address_of_both(const events::Access& event) {
  if (!event.second || event.kind == events::AccessKind::atomic)
    return nullptr;
  const auto lane = static_cast<size_t>(std::countr_zero(event.lanes));
  const uint64_t first = event.address[lane], second = event.second[lane];
  if (second == first + event.bytes)
    return event.address;
  return first == second + event.bytes ? event.second : nullptr;
}

auto place(const LaneExample& e) { return std::tie(e.workgroup[2], e.workgroup[1], e.workgroup[0], e.wave); }

LaneExample example(const events::Access& event) {
  LaneExample e;
  std::copy_n(event.wave->workgroup->id, 3, e.workgroup);
  e.wave = event.wave->id;
  e.lanes = event.lanes;
  e.two_addresses = event.second != nullptr;
  for (uint64_t lanes = event.lanes; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(lanes));
    e.address[lane] = event.address[lane];
    if (event.second)
      e.second[lane] = event.second[lane];
  }
  return e;
}

bool earlier(const machine::Wave& wave, const LaneExample& than) {
  const uint32_t* id = wave.workgroup->id;
  return std::make_tuple(id[2], id[1], id[0], uint32_t(wave.id)) < place(than);
}

bool worse(const LdsSite& a, const LdsSite& than) {
  return a.worst_degree != than.worst_degree ? a.worst_degree > than.worst_degree : place(a.worst) < place(than.worst);
}

void take_worst(LdsSite& to, const LdsSite& from) {
  to.worst_degree = from.worst_degree;
  to.worst_bank = from.worst_bank;
  std::copy_n(from.worst_lane, 2, to.worst_lane);
  std::copy_n(from.worst_address, 2, to.worst_address);
  to.worst = from.worst;
}

struct Table {
  std::unordered_map<uint64_t, LdsSite> sites; // by pc
  Banks banks;
};

} // namespace

LdsCounts& LdsCounts::operator+=(const LdsCounts& other) {
  accesses += other.accesses;
  lanes += other.lanes;
  cycles += other.cycles;
  ideal_cycles += other.ideal_cycles;
  broadcasts += other.broadcasts;
  same_address_atomics += other.same_address_atomics;
  return *this;
}

struct LdsBanks::Impl {
  PerThread<Table> tables;
};

LdsBanks::LdsBanks() : impl_(std::make_unique<Impl>()) {}
LdsBanks::~LdsBanks() = default;

void LdsBanks::access(const events::Access& event) {
  if (event.space != events::Space::lds)
    return;
  Table& table = impl_->tables.mine();
  Served served;
  served.counts.accesses = 1;
  served.counts.lanes = static_cast<uint64_t>(std::popcount(event.lanes));
  if (const uint64_t* both = address_of_both(event)) {
    events::Access wide = event;
    wide.bytes *= 2;
    serve(wide, both, table.banks, served);
  } else {
    serve(event, event.address, table.banks, served);
    if (event.second)
      serve(event, event.second, table.banks, served);
  }

  LdsSite& site = table.sites[event.site.pc];
  if (site.counts.accesses == 0) {
    site.pc = event.site.pc;
    site.instruction = *event.site.instruction;
    site.kind = event.kind;
    site.bytes = event.bytes;
  }
  site.counts += served.counts;
  const Worst& worst = served.worst;
  if (worst.degree > site.worst_degree || (worst.degree == site.worst_degree && earlier(*event.wave, site.worst))) {
    site.worst_degree = worst.degree;
    site.worst_bank = worst.bank;
    std::copy_n(worst.lane, 2, site.worst_lane);
    std::copy_n(worst.address, 2, site.worst_address);
    site.worst = example(event);
  }
}

std::vector<LdsSite> LdsBanks::sites() const {
  std::map<uint64_t, LdsSite> merged;
  impl_->tables.for_each([&](const Table& table) {
    for (const auto& [pc, site] : table.sites) {
      const auto [at, first] = merged.try_emplace(pc, site);
      if (first)
        continue;
      at->second.counts += site.counts;
      if (worse(site, at->second))
        take_worst(at->second, site);
    }
  });
  std::vector<LdsSite> sites;
  for (auto& [pc, site] : merged)
    sites.push_back(site);
  return sites;
}

} // namespace crosslane::views
