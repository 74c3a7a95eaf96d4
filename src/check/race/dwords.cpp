// Instructions that have been waited for happen before any barrier to come. So nobody asks for their counts, and those
// of one place in the code are one set: a loop that reads LDS has two, of its last round and of all others. Of atomics
// one: whether they have been waited for at a barrier is not told apart by their rounds.
#include "check/race/dwords.h"

namespace crosslane::check::race {

bool Dwords::is_for_cells(const Record& me, uint64_t dwords) const {
  const auto kind = Kind(me.kind);
  for (const Set& s : sets()) {
    if (!(s.dwords & dwords))
      continue;
    const auto other = Kind(s.record.kind);
    if (s.record.wave != me.wave
            ? other != kind || kind == Kind::store
            : (kind == Kind::store && s.record.count == me.count) || // lanes write to one place
                  (kind == Kind::atomic && other == Kind::load))     // perhaps a swap of what it loaded
      return true;
  }
  return false;
}

// The last load of a dword counts, and the last write, which takes the place of loads before it.
void Dwords::take_from_own(const Record& me, uint64_t dwords) {
  for (uint32_t n = 0; n < count_;) {
    Set& s = sets_[n];
    if (s.record.wave == me.wave && (Kind(me.kind) != Kind::load || Kind(s.record.kind) == Kind::load))
      s.dwords &= ~dwords;
    if (s.dwords)
      ++n;
    else
      s = sets_[--count_];
  }
}

Dwords::Set* Dwords::place_for(const Record& me, uint32_t done) {
  Set* waited_for = nullptr;
  for (uint32_t n = 0; n < count_; ++n) {
    Set& s = sets_[n];
    if (s.record.wave != me.wave || s.record.site != me.site || s.record.kind != me.kind ||
        s.record.is_known != me.is_known)
      continue;
    if (s.record.count == me.count || Kind(me.kind) == Kind::atomic)
      return &s;
    if (s.record.count > done)
      continue;
    if (!waited_for) {
      waited_for = &s;
      continue;
    }
    waited_for->dwords |= s.dwords;
    s.dwords = 0;
    return &s;
  }
  if (count_ == sets_.size())
    return nullptr;
  sets_[count_] = {};
  return &sets_[count_++];
}

// What others of this kind have done is no race, nor is it forgotten.
uint64_t Dwords::matter_to(Kind kind) const {
  switch (kind) {
  case Kind::atomic: return loaded_ | stored_;
  case Kind::store: return loaded_ | stored_ | changed_;
  default: return stored_ | changed_;
  }
}

bool Dwords::add(const Record& me, uint64_t dwords, uint32_t done) {
  const auto kind = Kind(me.kind);
  if (matter_to(kind) & dwords && is_for_cells(me, dwords))
    return false;
  if ((matter_to(kind) | (kind == Kind::load ? loaded_ : 0)) & dwords)
    take_from_own(me, dwords);
  Set* const set = place_for(me, done);
  if (!set)
    return false;
  set->record = me;
  set->dwords |= dwords;
  (kind == Kind::load ? loaded_ : kind == Kind::store ? stored_ : changed_) |= dwords;
  return true;
}

} // namespace crosslane::check::race
