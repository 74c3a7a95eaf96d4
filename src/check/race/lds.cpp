// LDS is small and private: a table of its lines, without locks.
#include "check/race/lds.h"
#include "check/race/reporter.h"
#include "check/race/runs.h"
#include "isa/classify.h"
#include <cstring>

namespace crosslane::check::race {

struct Lds::Judge {
  Lds& lds;
  const Record& me;
  const Limit& limit;
  Reporter& reporter;
  Line* line = nullptr;
  static constexpr bool stores_are_atomic = false;

  bool before(const Record& r) const { return r.count <= limit[r.wave % waves_per_group]; }
  void conflict(const Record& r, uint64_t address, uint32_t bytes) {
    const uint32_t byte = address % line_bytes;
    reporter.conflict(r, address, bytes, line->at(byte).writer.is_known ? line->value() + byte : nullptr);
  }
  void again() { reporter.again(); }
  void reads_own(const Record& r) { reporter.reads_own(r); }
  void replaces(const Record&, uint64_t address, uint32_t bytes) {
    if (!lds.fences_ || Kind(me.kind) != Kind::atomic)
      return;
    for (uint64_t dword = address / 4; dword < (address + bytes) / 4; ++dword) {
      Limit& l = lds.published(dword);
      for (uint32_t w = 0; w < waves_per_group; ++w)
        l[w] = std::max(l[w], w == me.wave % waves_per_group ? published_count(me) : limit[w]);
    }
  }
};

void Lds::begin(const machine::Workgroup& group, bool fences) {
  alone_ = group.wave_count == 1, fences_ = fences;
  lines_.resize((group.lds_bytes + line_bytes - 1) / line_bytes);
  for (Line& line : lines_)
    line.clear();
  for (const uint64_t dword : dwords_)
    published_[dword] = {};
  dwords_.clear();
}

Lds::Limit& Lds::published(uint64_t dword) {
  if (published_.size() <= dword)
    published_.resize(lines_.size() * line_bytes / 4);
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

void Lds::access(const events::Access& e, const Record& me, WaveState& wave, Found& found) {
  if (alone_ && e.kind != events::AccessKind::store)
    return;
  Reporter reporter(found, e, me);
  Judge judge{*this, me, wave.limit, reporter};
  const bool store = e.kind == events::AccessKind::store;
  Runs runs;
  find_runs(e.address, swapping_lanes(e), e.bytes, !store, runs);
  const auto judge_run = [&](const Run& run, const Record& record, const Stored* data) {
    each_part(run.begin, std::min<uint64_t>(run.end, lines_.size() * line_bytes), [&](uint64_t at, uint32_t bytes) {
      Line& line = lines_[at / line_bytes];
      const uint32_t first = at % line_bytes;
      judge.line = &line;
      judge_line(line, at - first, first, bytes, record, judge);
      if (data)
        data->copy_run(run.lanes, e.bytes, at - run.begin, bytes, line.make_value() + first);
    });
  };
  // What lies in LDS lies as far from its second address as any other lane's.
  const int lane = __builtin_ctzll(e.lanes);
  const uint64_t apart = e.second ? e.second[lane] - e.address[lane] : 0;
  const auto second = [&](const Run& run) { return Run{run.begin + apart, run.end + apart, run.lanes}; };
  if (store) {
    for (const bool of_second : {false, true}) {
      const Stored data(e, of_second);
      Record record = me;
      record.is_known = data.known();
      if (!of_second || e.second)
        for (const Run& run : runs)
          judge_run(of_second ? second(run) : run, record, data.known() ? &data : nullptr);
    }
  } else if (!e.second) {
    for (const Run& run : runs)
      judge_run(run, me, nullptr);
  } else {
    for (const Run& run : runs) {
      const bool both = run.end == second(run).begin; // they go on as one
      judge_run(both ? Run{run.begin, second(run).end, run.lanes} : run, me, nullptr);
      if (!both)
        judge_run(second(run), me, nullptr);
    }
  }
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
