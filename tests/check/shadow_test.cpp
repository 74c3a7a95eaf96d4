// Lines of shadow memory against a cell for each byte: the same states and conflicts, however accesses divide them.
#include "check/race/shadow.h"
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <tuple>

namespace crosslane::check::race {
namespace {

using Told = std::map<std::tuple<char, uint64_t, uint32_t, uint32_t>, int>; // what, byte, and the other access

struct Judge {
  const Record& me;
  Told& told;
  static constexpr bool stores_are_atomic = true;
  // Any rule will do that an access by itself decides.
  bool before(const Record& r) const { return (r.wave * 7 + r.count * 3 + me.wave + me.count) % 3 == 0; }
  void conflict(const Record& r, uint64_t address, uint32_t bytes) { tell('c', r, address, bytes); }
  void again() {}
  void reads_own(const Record&) {}
  void replaces(const Record& r, uint64_t address, uint32_t bytes) { tell('r', r, address, bytes); }
  void tell(char what, const Record& r, uint64_t address, uint32_t bytes) {
    for (uint64_t byte = address; byte < address + bytes; ++byte)
      ++told[{what, byte, r.wave, r.count}];
  }
};

bool same(const Record& a, const Record& b) {
  return a.wave == b.wave && (a.wave == nobody || (a.count == b.count && a.interval == b.interval && a.kind == b.kind &&
                                                   a.is_atomic == b.is_atomic && a.site == b.site));
}

struct Bytes {
  std::array<Cell, line_bytes> cells;
  void access(uint64_t address, uint32_t first, uint32_t bytes, const Record& me, Judge& judge) {
    for (uint32_t byte = first; byte < first + bytes; ++byte)
      switch (Kind(me.kind)) {
      case Kind::load: judge_cell<Kind::load>(cells[byte], me, address + byte, 1, judge); break;
      case Kind::store: judge_cell<Kind::store>(cells[byte], me, address + byte, 1, judge); break;
      case Kind::seen: judge_cell<Kind::seen>(cells[byte], me, address + byte, 1, judge); break;
      case Kind::atomic: judge_cell<Kind::atomic>(cells[byte], me, address + byte, 1, judge); break;
      }
  }
};

TEST(Shadow, LinesAreAsIfEachByteHadACell) {
  std::mt19937 random(7);
  const auto number = [&](uint32_t below) { return uint32_t(random() % below); };
  uint32_t most = 0, united = 0;
  for (int trial = 0; trial < 100; ++trial) {
    Line line;
    Bytes bytes;
    const uint32_t unit = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 4 : 16, kinds = trial % 2 ? 4 : 2;
    for (uint32_t n = 1; n < 400; ++n) {
      const bool all = number(30) == 0;
      const uint32_t first = all ? 0 : number(line_bytes / unit) * unit;
      const uint32_t length = all ? line_bytes : std::min((1 + number(8)) * unit, line_bytes - first);
      Record me;
      me.wave = number(5), me.count = n, me.interval = n / 100, me.site = number(9), me.kind = number(kinds);
      me.is_atomic = Kind(me.kind) == Kind::atomic;
      Told of_line, of_bytes;
      Judge judge{me, of_line}, judge_bytes{me, of_bytes};
      const uint32_t before = line.count();
      judge_line(line, 0x1000, first, length, me, judge);
      most = std::max(most, line.count()), united += line.count() < before;
      bytes.access(0x1000, first, length, me, judge_bytes);
      ASSERT_EQ(of_line, of_bytes) << trial << " " << n;
    }
    for (uint32_t byte = 0; byte < line_bytes; ++byte) {
      const Cell &a = line.at(byte), &b = bytes.cells[byte];
      ASSERT_TRUE(same(a.writer, b.writer) && same(a.readers[0], b.readers[0]) && same(a.readers[1], b.readers[1]))
          << trial << " " << byte;
    }
    line.clear();
    EXPECT_EQ(line.count(), 1u);
    EXPECT_EQ(line.at(77).writer.wave, nobody);
  }
  EXPECT_GT(most, 200u);
  EXPECT_GT(united, 1000u);
}

} // namespace
} // namespace crosslane::check::race
