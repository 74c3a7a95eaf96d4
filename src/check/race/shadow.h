// Owns the shadow of memory: for each dword, or byte where need be, the last write and two reads that nothing orders,
// and what an access of another wave makes of them (FastTrack's rules, with two readers in place of a clock). 64 bytes
// that are accessed alike, as waves do it most of the time, share one cell until something divides them.
//
// Source: Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009.
#pragma once
#include "check/race/record.h"
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace crosslane::check::race {

struct Cell {
  Record writer; // a store or an atomic
  // Plain loads. In place of the second, where the writer is an atomic: one of another wave that was there before.
  std::array<Record, 2> readers;
};

inline constexpr uint32_t line_bytes = 64;

struct Line {
  std::array<uint8_t, line_bytes> value; // as the last stores have it, of which it is known
  Cell whole;                            // of all bytes, if not divided
  uint32_t unit = line_bytes;            // bytes of a cell: all, 4 or 1
  uint32_t room = line_bytes;            // as many as there is room for cells of
  std::unique_ptr<Cell[]> cells;
  void clear() { whole = {}, unit = line_bytes; }
  Cell& at(uint64_t address) { return unit == line_bytes ? whole : cells[address % line_bytes / unit]; }
  void divide(uint32_t into) {
    std::unique_ptr<Cell[]> old;
    if (room > into) {
      old = std::exchange(cells, std::make_unique<Cell[]>(line_bytes / into));
      room = into;
    }
    if (unit == line_bytes)
      std::fill_n(cells.get(), line_bytes / into, whole);
    else
      for (uint32_t n = line_bytes / into; n-- > 0;)
        cells[n] = (old ? old : cells)[n * into / unit];
    unit = into;
  }
};

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
  if (kind == Kind::atomic && w.wave == me.wave && Kind(w.kind) == Kind::atomic && cell.readers[0].wave == nobody &&
      cell.readers[1].wave == nobody) {
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
    const bool loaded = Kind(r.kind) == Kind::load;
    const bool counts = kind == Kind::load    ? !loaded
                        : kind == Kind::store ? loaded || !Judge::stores_are_atomic
                                              : loaded;
    if (counts && r.wave != me.wave && !judge.before(r))
      judge.conflict(r, address, bytes);
    if (kind == Kind::atomic && loaded && r.wave == me.wave)
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
void judge_line(Line& line, uint64_t address, uint32_t first, uint32_t bytes, const Record& me, Judge& judge) {
  if (bytes == line_bytes && line.unit == line_bytes)
    return judge_cell<kind>(line.whole, me, address, line_bytes, judge);
  const uint32_t unit = (first | bytes) % 4 ? 1 : 4;
  if (line.unit > unit)
    line.divide(unit);
  bool is_atomic = false;
  for (uint32_t at = first; at < first + bytes; at += line.unit) {
    Cell& cell = line.cells[at / line.unit];
    judge_cell<kind>(cell, me, address + at, line.unit, judge);
    is_atomic |= cell.writer.is_atomic;
  }
  if (kind == Kind::store && bytes == line_bytes && !is_atomic)
    line.whole = line.cells[0], line.unit = line_bytes;
}

template <class Judge>
void judge_line(Line& line, uint64_t address, uint32_t first, uint32_t bytes, const Record& me, Judge& judge) {
  switch (Kind(me.kind)) {
  case Kind::load: return judge_line<Kind::load>(line, address, first, bytes, me, judge);
  case Kind::store: return judge_line<Kind::store>(line, address, first, bytes, me, judge);
  case Kind::seen: return judge_line<Kind::seen>(line, address, first, bytes, me, judge);
  case Kind::atomic: return judge_line<Kind::atomic>(line, address, first, bytes, me, judge);
  }
}

} // namespace crosslane::check::race
