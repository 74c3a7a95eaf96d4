// Owns what an access makes of the shadow of memory: what the last write and two reads that nothing orders are then,
// and which of them it races with (FastTrack's rules, with two readers in place of a clock).
//
// Source: Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009.
#pragma once
#include "check/race/line.h"

namespace crosslane::check::race {

// A reader stays if it says more than the new one: what the new one follows, and what is its own, says less.
template <class Judge> void keep_reader(Cell& cell, const Record& me, const Judge& judge) {
  for (Record& r : cell.readers)
    if (r.wave == nobody || r.wave == me.wave || judge.before(r)) {
      r = me;
      return;
    }
  if (group_of(cell.readers[0].wave) == group_of(cell.readers[1].wave) &&
      group_of(me.wave) != group_of(cell.readers[0].wave))
    cell.readers[1] = me;
}

// The wave has loaded it before in this interval, and nothing was stored since, or the record would be gone.
inline bool loads_again(Cell& cell, const Record& me) {
  if (Kind(cell.writer.kind) == Kind::atomic)
    return false;
  for (Record& r : cell.readers)
    if (r.wave == me.wave && r.interval == me.interval) {
      r = me;
      return true;
    }
  return false;
}

// What Judge is asked and told: before(record): does it happen before this access? conflict(record, address, bytes).
// again(): the same instruction has written there. reads_own(record): an atomic of what the wave has loaded.
// replaces(record, address, bytes): a write where atomics look. stores_are_atomic: a plain store may be an atomic one,
// and is taken for that where atomics look.
template <Kind kind, class Judge>
void judge_cell(Cell& cell, const Record& me, uint64_t address, uint32_t bytes, Judge& judge) {
  Record& w = cell.writer;
  if (kind == Kind::seen) {
    w.is_atomic = true;
    return;
  }
  if (kind == Kind::load && loads_again(cell, me))
    return;
  const auto loaded = [](const Record& r) { return r.wave != nobody && Kind(r.kind) == Kind::load; };
  if (kind == Kind::atomic && w.wave != nobody && Kind(w.kind) == Kind::atomic && !loaded(cell.readers[0]) &&
      !loaded(cell.readers[1])) { // atomics among themselves
    if (w.wave != me.wave && !judge.before(w))
      cell.readers[1] = w;
    judge.replaces(w, address, bytes);
    w = me;
    return;
  }
  const bool others = w.wave != nobody && w.wave != me.wave;
  const bool races = kind == Kind::load    ? true
                     : kind == Kind::store ? !(Judge::stores_are_atomic && w.is_atomic)
                                           : !Judge::stores_are_atomic && Kind(w.kind) == Kind::store;
  const bool concurrent = others && !judge.before(w);
  if (concurrent && races)
    judge.conflict(w, address, bytes);
  for (Record& r : cell.readers) {
    if (r.wave == nobody)
      continue;
    const bool counts = kind == Kind::load    ? !loaded(r)
                        : kind == Kind::store ? loaded(r) || !Judge::stores_are_atomic
                                              : loaded(r);
    if (counts && r.wave != me.wave && !judge.before(r))
      judge.conflict(r, address, bytes);
    if (kind == Kind::atomic && loaded(r) && r.wave == me.wave)
      judge.reads_own(r);
    if (kind == Kind::store)
      r.wave = nobody;
  }
  if (kind == Kind::load)
    return keep_reader(cell, me, judge);
  if (kind == Kind::atomic && concurrent && Kind(w.kind) == Kind::atomic)
    cell.readers[1] = w;
  if (kind == Kind::store && w.wave == me.wave && w.count == me.count && Kind(w.kind) == Kind::store)
    judge.again();
  const bool is_atomic = kind == Kind::atomic || w.is_atomic;
  if (is_atomic)
    judge.replaces(w, address, bytes);
  w = me; // an atomic says itself that it is one
  if (kind == Kind::store && is_atomic)
    w.is_atomic = true;
}

// [first, first + bytes) of a line that lies at `address`.
template <Kind kind, class Judge>
[[gnu::noinline]] void judge_cells(Line& line, uint64_t address, uint32_t first, uint32_t bytes, const Record& me,
                                   Judge& judge) {
  const uint32_t end = first + bytes;
  line.divide_at(first), line.divide_at(end);
  bool is_atomic = false;
  Cell* cell = &line.at(first);
  for (uint32_t at = first, next; at < end; at = next, ++cell) {
    next = line.next(at);
    judge_cell<kind>(*cell, me, address + at, next - at, judge);
    is_atomic |= cell->writer.is_atomic;
  }
  if (kind == Kind::store && !is_atomic)
    line.unite(first, end);
}

template <class Judge>
void judge_line(Line& line, uint64_t address, uint32_t first, uint32_t bytes, const Record& me, Judge& judge) {
  const auto of_kind = [&]<Kind kind>() {
    if (Cell* const cell = line.exactly(first, bytes))
      judge_cell<kind>(*cell, me, address + first, bytes, judge);
    else
      judge_cells<kind>(line, address, first, bytes, me, judge);
  };
  switch (Kind(me.kind)) {
  case Kind::load: return of_kind.template operator()<Kind::load>();
  case Kind::store: return of_kind.template operator()<Kind::store>();
  case Kind::seen: return of_kind.template operator()<Kind::seen>();
  case Kind::atomic: return of_kind.template operator()<Kind::atomic>();
  }
}

// The parts of [begin, end) that lie in one line each: f(address, bytes).
template <class F> void each_part(uint64_t begin, uint64_t end, F f) {
  for (uint64_t at = begin; at < end;) {
    const uint64_t next = std::min(end, (at / line_bytes + 1) * line_bytes);
    f(at, uint32_t(next - at));
    at = next;
  }
}

} // namespace crosslane::check::race
