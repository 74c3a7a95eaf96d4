// LDS is small and private: a table of its lines, without locks.
#include "check/race/lds.h"
#include "check/race/reporter.h"
#include "check/race/runs.h"
#include "isa/classify.h"
#include <bit>
#include <cstring>

namespace crosslane::check::race {

struct Lds::Judge {
  Lds& lds;
  const Record& me;
  const Limit& limit;
  Reporter& reporter;
  const uint8_t* bytes; // of the workgroup's LDS, which hold what the last store has written
  Line* line = nullptr;
  static constexpr bool stores_are_atomic = false;

  bool before(const Record& r) const { return r.count <= limit[r.wave % waves_per_group]; }
  void conflict(const Record& r, uint64_t address, uint32_t count) {
    reporter.conflict(r, address, count, line->at(address % line_bytes).writer.is_known ? bytes + address : nullptr);
  }
  void again() { reporter.again(); }
  void reads_own(const Record& r) { reporter.reads_own(r); }
  void replaces(const Record&, uint64_t address, uint32_t count) {
    if (!lds.fences_ || Kind(me.kind) != Kind::atomic)
      return;
    for (uint64_t dword = address / 4; dword < (address + count) / 4; ++dword) {
      Limit& l = lds.published(dword);
      for (uint32_t w = 0; w < waves_per_group; ++w)
        l[w] = std::max(l[w], w == me.wave % waves_per_group ? published_count(me) : limit[w]);
    }
  }
};

void Lds::begin(const machine::Workgroup& group, bool fences) {
  alone_ = group.wave_count == 1, fences_ = fences;
  places_.resize((group.lds_bytes + line_bytes - 1) / line_bytes);
  ++phase_;
  for (const uint64_t dword : dwords_)
    published_[dword] = {};
  dwords_.clear();
}

void Lds::passed_barrier(bool all_done) {
  if (all_done) {
    ++phase_;
    return;
  }
  // What is in sets has no order among waves.
  for (Place& p : places_)
    if (p.phase == phase_)
      in_cells(p);
}

// Sets are for code in which nothing but barriers orders waves.
Lds::Place& Lds::place(uint64_t number) {
  Place& p = places_[number];
  if (p.phase == phase_)
    return p;
  p.phase = phase_, p.in_cells = fences_;
  if (fences_)
    p.line.clear();
  else
    p.dwords.clear();
  return p;
}

namespace {

// The runs of dwords: f(first byte, bytes).
template <class F> void each_range(uint64_t dwords, F f) {
  while (dwords) {
    const int first = std::countr_zero(dwords), count = std::countr_one(dwords >> first);
    f(uint32_t(first) * 4, uint32_t(count) * 4);
    dwords &= count == 64 ? 0 : ~((~(~uint64_t(0) << count)) << first);
  }
}
uint64_t dwords_of(uint32_t first, uint32_t bytes) { return ~uint64_t(0) >> (64 - bytes / 4) << first / 4; }

// No two of these have an order, nor do they race.
struct Unordered {
  static constexpr bool stores_are_atomic = false;
  bool before(const Record&) const { return false; }
  void conflict(const Record&, uint64_t, uint32_t) {}
  void again() {}
  void reads_own(const Record&) {}
  void replaces(const Record&, uint64_t, uint32_t) {}
};

} // namespace

Line& Lds::in_cells(Place& p) {
  if (p.in_cells)
    return p.line;
  p.in_cells = true;
  p.line.clear();
  Unordered judge;
  for (const bool loads : {false, true}) // of a wave's own, they came later
    for (const Dwords::Set& s : p.dwords.sets())
      if ((Kind(s.record.kind) == Kind::load) == loads)
        each_range(s.dwords,
                   [&](uint32_t first, uint32_t bytes) { judge_line(p.line, 0, first, bytes, s.record, judge); });
  return p.line;
}

Lds::Limit& Lds::published(uint64_t dword) {
  if (published_.size() <= dword)
    published_.resize(places_.size() * line_bytes / 4);
  Limit& l = published_[dword];
  if (l == Limit())
    dwords_.push_back(dword);
  return l;
}

namespace {

// Of a compare-and-swap, the lanes whose value is there: the others load, and write nothing. (Known, as nobody else is
// at this workgroup's LDS; what a lane writes, another one of the instruction may find there, at the same place.)
uint64_t swapping_lanes(const events::Access& e) {
  const isa::Instruction& in = *e.site.instruction;
  if (isa::row(in.op).access != isa::Access::atomic_cmpswap || !isa::is_vgpr(in.data))
    return e.lanes;
  uint64_t lanes = 0;
  for (uint64_t left = e.lanes; left; left &= left - 1) {
    const int lane = __builtin_ctzll(left);
    bool same = true;
    for (uint32_t b = 0; b < e.bytes; b += 4)
      same &= std::memcmp(e.wave->workgroup->lds + e.address[lane] + b,
                          &e.wave->v[in.data - isa::code::vgpr0 + b / 4][lane], 4) == 0;
    lanes |= same ? left & -left : 0;
  }
  return lanes;
}

} // namespace

// One on its way through the places that it accesses: dwords of one place are gathered, and judged at once.
struct Lds::Instruction {
  Lds& lds;
  Judge& judge;
  Record record;
  const uint32_t done;
  const bool store = Kind(record.kind) == Kind::store;
  struct Gathered {
    uint64_t number, dwords;
  };
  static constexpr uint32_t most = 8; // lanes that go here and there meet again
  uint32_t used = 0;
  std::array<Gathered, most> gathered;

  void add(uint64_t begin, uint64_t end) {
    each_part(begin, std::min<uint64_t>(end, lds.places_.size() * line_bytes), [&](uint64_t at, uint32_t bytes) {
      const uint32_t first = at % line_bytes;
      const uint64_t number = at / line_bytes;
      if ((first | bytes) % 4)
        in_cells(lds.place(number), at - first, first, bytes);
      else
        gather(number, dwords_of(first, bytes));
    });
  }
  void add(const Dwords256& part, int64_t further) {
    const uint64_t number = part.number + uint64_t(further >> 8), dwords = uint64_t(further) / 4 % 64;
    gather(number, part.dwords << dwords);
    if (dwords)
      gather(number + 1, part.dwords >> (64 - dwords));
  }
  void gather(uint64_t number, uint64_t dwords) {
    if (!dwords || number >= lds.places_.size())
      return;
    Gathered& g = gathered[number % most];
    const uint32_t bit = 1u << number % most;
    if (used & bit && g.number == number && !(store && g.dwords & dwords)) {
      g.dwords |= dwords;
      return;
    }
    if (used & bit)
      flush(g);
    g = {number, dwords}, used |= bit;
  }
  void flush() {
    for (; used; used &= used - 1)
      flush(gathered[uint32_t(std::countr_zero(used))]);
  }
  void flush(const Gathered& g) {
    Place& p = lds.place(g.number);
    if (p.in_cells || !p.dwords.add(record, g.dwords, done))
      each_range(g.dwords, [&](uint32_t first, uint32_t bytes) { in_cells(p, g.number * line_bytes, first, bytes); });
  }
  void in_cells(Place& p, uint64_t address, uint32_t first, uint32_t bytes) {
    judge.line = &Lds::in_cells(p);
    judge_line(*judge.line, address, first, bytes, record, judge);
  }
};

void Lds::access(const events::Access& e, const Record& me, WaveState& wave, Found& found) {
  if (alone_ && e.kind != events::AccessKind::store)
    return;
  Reporter reporter(found, e, me);
  Judge judge{*this, me, wave.limit, reporter, e.wave->workgroup->lds};
  const bool store = e.kind == events::AccessKind::store;
  const uint64_t lanes = swapping_lanes(e);
  Runs runs;
  DwordParts parts;
  const bool in_dwords = find_dwords(e.address, lanes, e.bytes, !store, parts);
  if (!in_dwords)
    find_runs(e.address, lanes, e.bytes, !store, runs);
  // What lies in LDS lies as far from its second address as any other lane's.
  const int lane = std::countr_zero(e.lanes);
  const int64_t apart = e.second ? int64_t(e.second[lane]) - int64_t(e.address[lane]) : 0;
  Instruction instruction{*this, judge, me, wave.lds.done};
  for (const bool of_second : {false, true}) {
    if (of_second && !e.second)
      break;
    if (store) {
      instruction.flush();
      instruction.record.is_known = Stored(e, of_second).known();
    }
    const int64_t further = of_second ? apart : 0;
    if (in_dwords)
      for (const Dwords256& part : parts)
        instruction.add(part, further);
    else
      for (const Run& run : runs)
        instruction.add(run.begin + uint64_t(further), run.end + uint64_t(further));
  }
  instruction.flush();
  if (fences_ && e.kind == events::AccessKind::atomic && isa::memory_use(*e.site.instruction).returns)
    for (uint64_t left = e.lanes; left; left &= left - 1)
      if (const uint64_t dword = e.address[__builtin_ctzll(left)] / 4;
          wave.lds_looks.empty() || wave.lds_looks.back().address != dword)
        wave.lds_looks.push_back({dword, me.count});
}

void Lds::acquire(WaveState& wave) {
  std::erase_if(wave.lds_looks, [&](const Look& look) {
    if (look.count > wave.lds.done)
      return false;
    const Limit& l = published(look.address);
    for (uint32_t w = 0; w < waves_per_group; ++w)
      wave.limit[w] = std::max(wave.limit[w], l[w]);
    return true;
  });
}

} // namespace crosslane::check::race
