// Run-time permutes of a wave against a loop over its lanes: every kind of pattern that GPUs have, and random ones of
// each class, with and without holes.
#include "lanes/wave_permute.h"
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

using Move = WaveMove;

// Moves numbered lanes and masks by the plan and compares with `from`.
void check(const std::array<int8_t, 64>& from, const std::string& what) {
  const WavePermute p = plan_wave(from);
  std::mt19937_64 random(uint64_t(from[5]) + uint64_t(p.move) * 64 + p.valid);
  uint32_t in[64], got[64];
  for (uint32_t& lane : in)
    lane = uint32_t(random());
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(p.valid >> i & 1, from[i] >= 0) << what;
  const uint64_t masks[] = {~uint64_t(0), 0, random(), random() & random(), random() | random()};
  uint64_t moved[5];
  with_move(p.move, [&]<Move M>() {
    WaveRow rows[4], out[4];
    for (int r = 0; r < 4; ++r)
      rows[r] = load<uint32_t, 16>(in + 16 * r);
    permute_wave<M>(rows, p, out);
    for (int r = 0; r < 4; ++r)
      store(got + 16 * r, out[r]);
    for (int m = 0; m < 5; ++m)
      moved[m] = permute_wave_mask<M>(masks[m], p);
  });
  for (int i = 0; i < 64; ++i) {
    if (from[i] >= 0) {
      ASSERT_EQ(p.from[i], from[i]) << what;
      ASSERT_EQ(got[i], in[from[i]]) << what << ": lane " << i << ", class " << int(p.move);
    }
    for (int m = 0; m < 5; ++m)
      ASSERT_EQ(moved[m] >> i & 1, from[i] >= 0 && (masks[m] >> from[i] & 1))
          << what << ": bit " << i << ", class " << int(p.move);
  }
}
Move check(const std::string& what, const std::function<int(int)>& source) {
  std::array<int8_t, 64> from;
  for (int i = 0; i < 64; ++i)
    from[i] = int8_t(source(i));
  check(from, what);
  return plan_wave(from).move;
}

TEST(WavePermute, MovesByQuads) {
  for (int quad = 0; quad < 256; ++quad)
    EXPECT_EQ(check("quad_perm", [&](int i) { return i / 4 * 4 + (quad >> i % 4 * 2 & 3); }),
              quad == 0xe4 ? Move::none : Move::in_quads);
}

TEST(WavePermute, MovesWithinRows) {
  for (int n = 1; n < 16; ++n) {
    EXPECT_EQ(check("row_shl", [&](int i) { return i % 16 + n < 16 ? i + n : -1; }), Move::in_row);
    EXPECT_EQ(check("row_shr", [&](int i) { return i % 16 >= n ? i - n : -1; }), Move::in_row);
    EXPECT_EQ(check("row_ror", [&](int i) { return i / 16 * 16 + (i % 16 - n + 16) % 16; }), Move::in_row);
    EXPECT_EQ(check("row_share", [&](int i) { return i / 16 * 16 + n; }), Move::in_row);
  }
  EXPECT_EQ(check("mirror", [](int i) { return i ^ 15; }), Move::in_row);
  EXPECT_EQ(check("half mirror", [](int i) { return i ^ 7; }), Move::in_row);
}

TEST(WavePermute, MovesBetweenRows) {
  EXPECT_EQ(check("wave_shl", [](int i) { return i < 63 ? i + 1 : -1; }), Move::two_rows);
  EXPECT_EQ(check("wave_shr", [](int i) { return i - 1; }), Move::two_rows);
  EXPECT_EQ(check("wave_rol", [](int i) { return (i + 1) % 64; }), Move::two_rows);
  EXPECT_EQ(check("row_bcast15", [](int i) { return i < 16 ? -1 : i / 16 * 16 - 1; }), Move::one_row);
  EXPECT_EQ(check("row_bcast31", [](int i) { return i < 32 ? -1 : 31; }), Move::one_row);
  EXPECT_EQ(check("one lane", [](int) { return 37; }), Move::one_row);
  EXPECT_EQ(check("reverse", [](int i) { return 63 - i; }), Move::one_row);
  EXPECT_EQ(check("a row's holes", [](int i) { return i % 16 == 3 ? -1 : i ^ 16; }), Move::rows);
  EXPECT_EQ(check("stride", [](int i) { return i * 5 % 64; }), Move::any);
  for (int mask = 0; mask < 64; ++mask) {
    const Move move = check("xor", [&](int i) { return i ^ mask; });
    EXPECT_EQ(move, mask == 0        ? Move::none
                    : mask % 16 == 0 ? Move::rows
                    : mask < 4       ? Move::in_quads
                    : mask < 16      ? Move::in_row
                                     : Move::one_row);
  }
}

TEST(WavePermute, HolesDoNotRaiseTheClass) {
  EXPECT_EQ(check("no lane", [](int) { return -1; }), Move::none);
  EXPECT_EQ(check("holes in the first row only", [](int i) { return i < 16 ? -1 : i ^ 5; }), Move::in_row);
  EXPECT_EQ(check("one lane of each row", [](int i) { return i % 16 == 9 ? (i ^ 16) - 2 : -1; }), Move::one_row);
}

TEST(WavePermute, MovesRandomPatternsOfEveryClass) {
  std::mt19937 random(1);
  int seen[7] = {};
  for (int round = 0; round < 4000; ++round) {
    std::array<int8_t, 64> from;
    const uint32_t rows = random() & 3, kind = random() % 6, holes = random() % 4;
    int lane[16];
    for (int i = 0; i < 16; ++i)
      lane[i] = kind == 0 ? i : kind == 1 ? i / 4 * 4 + int(random() & 3) : int(random() & 15);
    int pair[4][2];
    for (auto& p : pair)
      p[0] = int(random() & 3), p[1] = int(random() & 3);
    for (int i = 0; i < 64; ++i) {
      const int row = kind == 5                ? int(random() & 3)
                      : kind == 4              ? pair[i / 16][random() & 1]
                      : kind == 1 || kind == 2 ? i / 16
                                               : i / 16 ^ int(rows);
      from[i] = int8_t(row * 16 + (kind >= 3 ? int(random() & 15) : lane[i % 16]));
      if (holes && random() % 16 < holes)
        from[i] = -1;
    }
    check(from, "random");
    if (HasFatalFailure())
      return;
    ++seen[int(plan_wave(from).move)];
  }
  for (int move = 0; move < 7; ++move)
    EXPECT_GT(seen[move], 0) << "class " << move;
}

TEST(WavePermute, PlansAtCompileTime) {
  constexpr WavePermute swap = plan_wave([](int i) { return i ^ 1; });
  static_assert(swap.move == Move::in_quads && swap.valid == ~uint64_t(0));
  static_assert(plan_wave([](int i) { return i - 1; }).move == Move::two_rows);
  constexpr Pattern rotate = make_pattern(4, 64, 1, 64, [](int i) { return i == 9 ? zero : (i + 16) % 64; });
  static_assert(plan_wave(rotate).move == Move::rows && plan_wave(rotate).valid == ~(uint64_t(1) << 9));
}

TEST(WavePermute, LooksUpAWholeWave) {
  std::mt19937 random(2);
  uint32_t table[64], index[64], got[64];
  for (int round = 0; round < 100; ++round) {
    WaveRow t[4], at[4];
    for (int i = 0; i < 64; ++i)
      table[i] = random(), index[i] = random();
    for (int r = 0; r < 4; ++r)
      t[r] = load<uint32_t, 16>(table + 16 * r), at[r] = load<uint32_t, 16>(index + 16 * r);
    lookup(t, at, t); // in place
    for (int r = 0; r < 4; ++r)
      store(got + 16 * r, t[r]);
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(got[i], table[index[i] % 64]);
  }
}

} // namespace
} // namespace crosslane::lanes
