// Which way the planner prefers, and what it says that it costs. The numbers are counted by hand from the manuals.
#include "cross_lane/planner.h"
#include <gtest/gtest.h>

namespace crosslane::cross_lane {
namespace {

using isa::Target;

template <class F> Pattern pattern(F source) {
  Pattern p;
  for (int i = 0; i < 64; ++i)
    p[size_t(i)] = int8_t(source(i));
  return p;
}

std::vector<std::string> lines(const Way& way) {
  std::vector<std::string> all;
  for (const Line& line : way.lines)
    all.push_back(line.text);
  return all;
}

const Way* find(const std::vector<Way>& ways, Method method) {
  for (const Way& way : ways)
    if (way.method == method)
      return &way;
  return nullptr;
}

using Lines = std::vector<std::string>;

TEST(Planner, SwapOfNeighbours) {
  const Pattern p = pattern([](int i) { return i ^ 1; });
  const auto gfx9 = plan(p, Target::gfx900);
  EXPECT_EQ(lines(gfx9[0]), (Lines{"s_nop 1", "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"}));
  EXPECT_EQ(gfx9[0].cost.cycles, 3 * 4);
  EXPECT_EQ(gfx9[0].cost.bytes, 12);
  EXPECT_EQ(gfx9[0].cost.wait_states, 2);
  EXPECT_EQ(gfx9[0].cost.vgprs, 0);
  EXPECT_EQ(gfx9[1].method, Method::swizzle);
  // No DPP before gfx8.
  const auto gfx7 = plan(p, Target::gfx701);
  EXPECT_EQ(lines(gfx7[0]), (Lines{"ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1)", "s_waitcnt lgkmcnt(0)"}));
  EXPECT_EQ(gfx7[0].cost.waits, 1);
  for (Method absent : {Method::dpp, Method::masked_dpp, Method::bpermute, Method::permute})
    EXPECT_FALSE(find(gfx7, absent)) << name(absent);
}

TEST(Planner, WhatComesBeforeDecidesTheWaitStates) {
  const Pattern p = pattern([](int i) { return i ^ 2; });
  const auto states = [&](bool source, bool exec) {
    return plan(p, Target::gfx803, {source, exec, 1})[0].cost.wait_states;
  };
  EXPECT_EQ(states(false, false), 0);
  EXPECT_EQ(states(true, false), 2);
  EXPECT_EQ(states(true, true), 5);
}

TEST(Planner, OneRowMirrored) {
  const auto ways = plan(pattern([](int i) { return i < 16 ? 15 - i : i; }), Target::gfx900);
  EXPECT_EQ(lines(ways[0]),
            (Lines{"v_mov_b32 v0, v1", "s_nop 0", "v_mov_b32_dpp v0, v1 row_mirror row_mask:0x1 bank_mask:0xf"}));
}

TEST(Planner, TwoHalvesOfAGroupChangePlacesByTwoMasks) {
  const auto ways = plan(pattern([](int i) { return i ^ 4; }), Target::gfx906);
  EXPECT_EQ(ways[0].method, Method::masked_dpp);
  EXPECT_EQ(ways[0].cost.instructions, 3); // s_nop and two
  EXPECT_EQ(ways[0].cost.cycles, 4 * 4);
  const Way* chained = find(ways, Method::chained_dpp);
  ASSERT_TRUE(chained);
  EXPECT_EQ(chained->cost.wait_states, 4); // the second one waits for the first one's result
}

TEST(Planner, AFewLanesArePatched) {
  const auto ways = plan(pattern([](int i) { return i == 0 ? 40 : i - 1; }), Target::gfx803);
  EXPECT_EQ(lines(ways[0]), (Lines{"s_nop 1", "v_mov_b32_dpp v0, v1 wave_shr:1 row_mask:0xf bank_mask:0xf",
                                   "v_readlane_b32 s0, v1, 40", "v_writelane_b32 v0, s0, 0"}));
  EXPECT_EQ(ways[0].cost.cycles, 5 * 4);
}

TEST(Planner, Broadcast) {
  const auto ways = plan(pattern([](int) { return 37; }), Target::gfx701);
  EXPECT_EQ(lines(ways[0]), (Lines{"v_readlane_b32 s0, v1, 37", "v_mov_b32 v0, s0"}));
  EXPECT_EQ(ways[0].cost.sgprs, 1);
  EXPECT_EQ(lines(plan(pattern([](int) { return 0; }), Target::gfx803)[0])[0], "v_readfirstlane_b32 s0, v1");
  // row_newbcast is gfx90a's.
  const Pattern row = pattern([](int i) { return (i & 48) | 5; });
  EXPECT_EQ(plan(row, Target::gfx90a)[0].method, Method::dpp);
  EXPECT_FALSE(find(plan(row, Target::gfx908), Method::dpp));
}

TEST(Planner, PairsCountAsTwoRegisters) {
  int seen = 0;
  for (const Way& way : plan(pattern([](int i) { return i * 7 * i % 64; }), Target::gfx900))
    for (const std::string& line : lines(way))
      if (line.find("global_load") != std::string::npos && line.find("s[2:3]") != std::string::npos) {
        ++seen;
        EXPECT_EQ(way.cost.sgprs, 4) << line;
      }
  EXPECT_GT(seen, 0);
}

TEST(Planner, AddressesOfFewInstructions) {
  const auto ways = plan(pattern([](int i) { return i ^ 37; }), Target::gfx803);
  const Way* pull = find(ways, Method::bpermute);
  ASSERT_TRUE(pull);
  EXPECT_EQ(lines(*pull),
            (Lines{"v_mbcnt_lo_u32_b32 v2, -1, 0", "v_mbcnt_hi_u32_b32 v2, -1, v2", "v_lshlrev_b32 v3, 2, v2",
                   "v_xor_b32 v3, 0x94, v3", "ds_bpermute_b32 v0, v3, v1", "s_waitcnt lgkmcnt(0)"}));
  EXPECT_EQ(pull->cost.vgprs, 2);
  EXPECT_EQ(pull->cost.repeated, 8 + 4 + 64); // a loop keeps the address
  // A rotation is the offset's work, and wraps by itself.
  const auto rotated = plan(pattern([](int i) { return (i + 20) & 63; }), Target::gfx803);
  EXPECT_EQ(lines(*find(rotated, Method::bpermute))[3], "ds_bpermute_b32 v0, v3, v1 offset:80");
}

TEST(Planner, PushedLanesLeaveZeros) {
  // 32 lanes spread over the even ones: pulling needs a mask for the zeros, pushing none.
  const auto ways = plan(pattern([](int i) { return i % 2 ? int(zero_lane) : 32 + i / 2; }), Target::gfx900);
  ASSERT_TRUE(find(ways, Method::permute));
  EXPECT_FALSE(find(ways, Method::permute)->cost.vcc);
  EXPECT_TRUE(find(ways, Method::bpermute)->cost.vcc);
}

TEST(Planner, OnlyTheLdsDoesEverythingOnGfx6) {
  const auto ways = plan(pattern([](int i) { return (i * i + 7 * (i / 5)) & 63; }), Target::gfx600);
  ASSERT_EQ(ways.size(), 1u);
  EXPECT_EQ(ways[0].method, Method::lds);
  EXPECT_EQ(ways[0].cost.lds_bytes, 256);
  EXPECT_EQ(lines(ways[0])[0], "s_mov_b32 m0, -1");
}

TEST(Planner, SixtyFourBitsShareTheAddress) {
  const Pattern p = pattern([](int i) { return i ^ 32; });
  const auto one = plan(p, Target::gfx900), two = plan(p, Target::gfx900, {true, false, 2});
  EXPECT_EQ(find(two, Method::bpermute)->cost.instructions, find(one, Method::bpermute)->cost.instructions + 1);
}

} // namespace
} // namespace crosslane::cross_lane
