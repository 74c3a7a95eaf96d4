// Sets of dwords against a list of all accesses of each dword: what races is never taken in, and what is taken in is
// all there, by the last instruction of each wave.
#include "check/race/dwords.h"
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace crosslane::check::race {
namespace {

using Last = std::set<std::tuple<uint32_t, uint32_t, uint32_t>>; // wave, kind, site

struct All {
  std::array<Last, 64> dwords;
  static bool races(uint32_t a, uint32_t b) { return a != b || Kind(a) == Kind::store; }
  bool has_race(const Record& me, uint64_t bits) const {
    for (uint32_t d = 0; d < 64; ++d)
      for (const auto& [wave, kind, site] : dwords[d])
        if (bits >> d & 1 && wave != me.wave && races(kind, me.kind))
          return true;
    return false;
  }
  void add(const Record& me, uint64_t bits) {
    for (uint32_t d = 0; d < 64; ++d)
      if (bits >> d & 1) {
        std::erase_if(dwords[d], [&](const auto& at) {
          const auto [wave, kind, site] = at;
          if (Kind(me.kind) == Kind::atomic) // of a wave's own, a load would be for cells
            return wave == me.wave && Kind(kind) == Kind::store;
          return wave == me.wave && (Kind(me.kind) != Kind::load || Kind(kind) == Kind::load);
        });
        dwords[d].insert({me.wave, me.kind, me.site});
      }
  }
};

std::array<Last, 64> kept(const Dwords& sets) {
  std::array<Last, 64> all;
  for (const Dwords::Set& s : sets.sets())
    for (uint32_t d = 0; d < 64; ++d)
      if (s.dwords >> d & 1)
        all[d].insert({s.record.wave, s.record.kind, s.record.site});
  return all;
}

TEST(Dwords, TakeInWhatDoesNotRace) {
  std::mt19937_64 random(3);
  const auto number = [&](uint64_t below) { return uint32_t(random() % below); };
  int taken = 0, races = 0, longest = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Dwords sets;
    sets.clear();
    All all;
    std::array<uint32_t, 4> count{};
    const uint32_t spread = 1 + number(60), sites = 1 + number(3);
    for (int n = 0; n < 200; ++n) {
      Record me;
      me.wave = number(count.size());
      me.count = ++count[me.wave];
      me.kind = number(8) ? uint32_t(Kind::load) : number(4) ? uint32_t(Kind::store) : uint32_t(Kind::atomic);
      me.site = me.kind * 8 + number(sites);
      // Most of the time in a part that is the wave's own.
      const uint32_t first = number(5) ? me.wave * 16 + number(16) : number(64);
      const uint64_t bits = ((uint64_t(1) << (1 + number(spread))) - 1) << first & ~uint64_t(0);
      const bool race = all.has_race(me, bits);
      if (!sets.add(me, bits, count[me.wave] - number(3))) {
        races += race;
        break;
      }
      ASSERT_FALSE(race) << trial << " " << n;
      all.add(me, bits);
      ASSERT_EQ(kept(sets), all.dwords) << trial << " " << n;
      ++taken, longest = std::max(longest, n);
    }
  }
  EXPECT_GT(taken, 1500);
  EXPECT_GT(races, 50);
  EXPECT_GT(longest, 30);
}

// A loop that reads through all of it, as all waves do, needs little room.
TEST(Dwords, ALoopHasTwoSets) {
  Dwords sets;
  sets.clear();
  for (uint32_t n = 0; n < 1000; ++n)
    for (uint32_t wave = 0; wave < 4; ++wave) {
      Record me;
      me.wave = wave, me.count = n + 1, me.site = 5;
      ASSERT_TRUE(sets.add(me, uint64_t(1) << n % 64, n));
    }
  EXPECT_LE(sets.sets().size(), 8u);
}

// Lanes that write to one place are for cells, as their data are compared; other places of the instruction are not.
TEST(Dwords, AnInstructionWritesADwordOnce) {
  Dwords sets;
  sets.clear();
  Record me;
  me.wave = 1, me.count = 1, me.kind = uint32_t(Kind::store);
  EXPECT_TRUE(sets.add(me, 0xff, 0));
  EXPECT_TRUE(sets.add(me, 0xff00, 0));
  EXPECT_EQ(sets.sets().size(), 1u);
  EXPECT_FALSE(sets.add(me, 0x80, 0));
  me.count = 2;
  EXPECT_TRUE(sets.add(me, 0x80, 0));
}

} // namespace
} // namespace crosslane::check::race
