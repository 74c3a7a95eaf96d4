// CLRX, "Instruction alignment" and "Instruction scheduling": each rule at each dword of a block, written out by hand.
#include "isa/op.h"
#include "tests/timing/estimate_fixture.h"
#include "timing/fetch.h"

namespace crosslane::timing {
namespace {

TEST(Fetch, TwoDwords) {
  const uint32_t plain[] = {0, 0, 0, 4, 4, 4, 4, 4}, of_8_cycles[] = {0, 0, 0, 4, 4, 4, 0, 0},
                 of_16_cycles[] = {0, 0, 0, 4, 0, 0, 0, 0};
  for (uint32_t n = 0; n < 8; ++n) {
    const uint64_t address = 0x1000 + 4 * n;
    EXPECT_EQ(size_penalty(address, 8, 4), plain[n]) << n;
    EXPECT_EQ(size_penalty(address, 8, 8), of_8_cycles[n]) << n;
    EXPECT_EQ(size_penalty(address, 8, 16), of_16_cycles[n]) << n;
    EXPECT_EQ(size_penalty(address, 4, 4), 0u) << n;
    EXPECT_EQ(size_penalty(address, 8, 4, true), n == 4 ? 0 : plain[n]) << n;
  }
}

TEST(Fetch, Jumps) {
  const uint32_t to[] = {0, 0, 0, 0, 0, 4, 8, 12}, not_taken[] = {0, 0, 0, 0, 4, 8, 12, 16};
  for (uint32_t n = 0; n < 8; ++n) {
    EXPECT_EQ(target_penalty(0x40 + 4 * n), to[n]) << n;
    EXPECT_EQ(not_taken_penalty(0x40 + 4 * n), not_taken[n]) << n;
  }
}

TEST(Fetch, OfGenerations) {
  for (const auto& [target, has] : std::initializer_list<std::pair<const char*, bool>>{
           {"gfx600", true}, {"gfx701", true}, {"gfx803", false}, {"gfx900", false}, {"gfx90a", false}})
    EXPECT_EQ(has_fetch_penalties(*isa::parse_target(target)), has) << target;
}

// Of rows: three instructions of 8 bytes in a block of 32, of which the third begins at dword 4.
TEST(Fetch, InCode) {
  const gpu::Machine hawaii = gpu::machine(*gpu::find_card("hawaii")), fiji = gpu::machine(*gpu::find_card("fiji"));
  const std::string code = times(4, "v_add_f32 v1, 0x42280000, v2") + "s_endpgm\n";
  const Estimated old(code, hawaii), newer(code, fiji);
  const uint32_t expected[] = {0, 0, 4, 4};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(old.e.rows[i].fetch, expected[i]) << i;
    EXPECT_EQ(newer.e.rows[i].fetch, 0u) << i;
  }
  EXPECT_EQ(old.e.blocks[0].alone.least.cycles, 4 * 5 + 8 + 4);
}

TEST(Fetch, SchedulingDelays) {
  const gpu::Machine vega = gpu::machine(*gpu::find_card("vega10"));
  const auto delays = [&](const std::string& code) {
    const Estimated k(code + "s_endpgm\n", vega);
    std::vector<double> all;
    for (const Row& row : k.e.rows)
      all.push_back(row.delay);
    all.pop_back();
    return all;
  };
  using Delays = std::vector<double>;
  EXPECT_EQ(delays("v_add_u32 v1, v1, v2\ns_mov_b32 s0, 0\n"), (Delays{0, 16}));
  EXPECT_EQ(delays("v_readfirstlane_b32 s1, v2\ns_mov_b32 s0, 0\ns_mov_b32 s0, 0\n"), (Delays{0, 16, 0}));
  EXPECT_EQ(delays("v_sub_u32 v1, v1, v2\nv_mov_b32 v3, 0\ns_mov_b32 s0, 0\n"), (Delays{0, 0, 12}));
  EXPECT_EQ(delays("v_add_f32 v1, v1, v2\ns_mov_b32 s0, 0\n"), (Delays{0, 0}));
  EXPECT_EQ(delays("v_cmp_lt_f32 vcc, v1, v2\ns_cbranch_vccz out\nout:\n"), (Delays{0, 4}));
  EXPECT_EQ(delays("v_cmp_lt_f32 vcc, v1, v2\ns_mov_b32 s0, 0\ns_cbranch_vccz out\nout:\n"), (Delays{0, 0, 0}));
  EXPECT_EQ(delays("s_mov_b64 exec, s[2:3]\ns_cbranch_execz out\nout:\n"), (Delays{0, 4}));
  EXPECT_EQ(delays("s_cmp_eq_u32 s0, s1\ns_cbranch_scc0 out\nout:\n"), (Delays{0, 4}));
  EXPECT_EQ(delays("s_mov_b32 s0, s1\ns_cbranch_scc0 out\nout:\n"), (Delays{0, 0}));
  EXPECT_EQ(delays("v_mov_b32 v0, v1\ns_branch out\nout:\n"), (Delays{0, 0}));
}

} // namespace
} // namespace crosslane::timing
