// Late return: code that waits gives what it always gives, code that does not gets poison.
#include "check/late.h"
#include "check/stale.h"
#include "tests/check/kernel.h"

namespace crosslane::test {

namespace {

// What the kernel leaves that is not the item's number: poison, or something else.
struct Wrong {
  int poison = 0, other = 0;
  bool operator==(const Wrong&) const = default;
};
void PrintTo(const Wrong& w, std::ostream* out) { *out << w.poison << " poison, " << w.other << " other"; }

Wrong wrong(const std::string& body, bool late = true) {
  launch::Job job;
  job.late = late;
  std::vector<uint32_t> items;
  launched(body, job, &items);
  EXPECT_EQ(items.size(), 64u);
  Wrong w;
  for (uint32_t n = 0; n < items.size(); ++n)
    (items[n] == check::poison ? w.poison : w.other) += items[n] != n;
  return w;
}

} // namespace

TEST(Late, LeavesCodeThatWaitsAlone) {
  EXPECT_EQ(wrong(R"(global_load_dword v1, v0, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v0, v1, s[6:7])"),
            Wrong{});
  EXPECT_EQ(wrong(R"(global_load_dword v1, v0, s[4:5]
  global_load_dword v2, v0, s[4:5]
  global_load_dword v3, v0, s[4:5]
  s_waitcnt vmcnt(2)
  global_store_dword v0, v1, s[6:7])"),
            Wrong{});
}

TEST(Late, ShowsThatNobodyWaits) {
  const std::string body = R"(global_load_dword v1, v0, s[4:5]
  global_store_dword v0, v1, s[6:7])";
  EXPECT_EQ(wrong(body), (Wrong{64, 0}));
  EXPECT_EQ(wrong(body, false), Wrong{});
}

TEST(Late, CountsLoadsInTheirOrder) {
  const std::string body = R"(global_load_dword v1, v0, s[4:5]
  global_load_dword v2, v0, s[4:5]
  s_waitcnt vmcnt(1)
  global_store_dword v0, )";
  EXPECT_EQ(wrong(body + "v1, s[6:7]"), Wrong{});
  EXPECT_EQ(wrong(body + "v2, s[6:7]"), (Wrong{64, 0}));
}

TEST(Late, ScalarLoadsComeInNoOrder) {
  const std::string body = R"(s_load_dword s8, s[4:5], 0x0
  s_load_dword s9, s[4:5], 0x4
  s_waitcnt lgkmcnt({})
  v_mov_b32 v1, s8
  v_lshrrev_b32 v2, 2, v0
  v_add_u32 v1, v1, v2
  global_store_dword v0, v1, s[6:7])";
  std::string waits = body, waits_for_one = body;
  waits.replace(waits.find("{}"), 2, "0"), waits_for_one.replace(waits_for_one.find("{}"), 2, "1");
  EXPECT_EQ(wrong(waits), Wrong{});
  const Wrong w = wrong(waits_for_one);
  EXPECT_EQ(w.poison + w.other, 64);
}

TEST(Late, LdsWaitsForItsOwn) {
  const std::string body = R"(v_lshrrev_b32 v1, 2, v0
  ds_write_b32 v0, v1
  ds_read_b32 v2, v0
  {}
  global_store_dword v0, v2, s[6:7])";
  std::string waits = body, none = body;
  waits.replace(waits.find("{}"), 2, "s_waitcnt lgkmcnt(0)"), none.replace(none.find("{}"), 2, "s_nop 7");
  EXPECT_EQ(wrong(waits), Wrong{});
  EXPECT_EQ(wrong(none), (Wrong{64, 0}));
}

// What is loaded comes over what was written in the meantime.
TEST(Late, ALoadOverwritesWhatCameBeforeIt) {
  const std::string body = R"(global_load_dword v1, v5, s[4:5]
  v_lshrrev_b32 v1, 2, v0
  s_waitcnt vmcnt(0)
  global_store_dword v0, v1, s[6:7])";
  EXPECT_EQ(wrong(body, false), Wrong{});
  EXPECT_EQ(wrong(body), (Wrong{0, 63}));
}

// 64 loads: the first has come, or the last could not have been issued.
TEST(Late, AFullCounterHoldsTheNextBack) {
  std::string body = "global_load_dword v1, v0, s[4:5]\n";
  for (int n = 0; n < 62; ++n)
    body += "global_load_dword v2, v0, s[4:5]\n";
  EXPECT_EQ(wrong(body + "global_store_dword v0, v1, s[6:7]"), (Wrong{64, 0}));
  EXPECT_EQ(wrong(body + "global_load_dword v2, v0, s[4:5]\nglobal_store_dword v0, v1, s[6:7]"), Wrong{});
}

// What an instruction reads too few wait states behind a write is what was there before.
struct TooSoon {
  const char* before; // that the kernel begins with
  const char* write;
  int states; // needed
  const char* read;
};

class Stale : public testing::TestWithParam<TooSoon> {};

TEST_P(Stale, AreRegistersThatAreReadTooSoon) {
  const TooSoon& c = GetParam();
  const auto body = [&](int states) {
    std::string nops;
    for (int n = 0; n < states; ++n)
      nops += "s_nop 0\n";
    return std::string("v_lshrrev_b32 v1, 2, v0\n") + c.before + "\ns_nop 7\n" + c.write + "\n" + nops + c.read +
           "\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_nop 7\nglobal_store_dword v0, v1, s[6:7]";
  };
  for (int states = 0; states <= c.states; ++states) {
    EXPECT_EQ(wrong(body(states), false), Wrong{}) << states;
    EXPECT_EQ(wrong(body(states)) == Wrong{}, states == c.states) << states << "\n" << body(states);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Stale,
    testing::Values(
        // An address from another buffer.
        TooSoon{"s_mov_b64 s[8:9], s[6:7]\nv_mov_b32 v2, s4\nv_mov_b32 v3, s5\nv_readfirstlane_b32 s9, v3",
                "v_readfirstlane_b32 s8, v2", 5, "global_load_dword v1, v0, s[8:9]"},
        TooSoon{"s_mov_b32 s8, 3\nv_mov_b32 v2, 0\nv_mov_b32 v3, v1", "v_readfirstlane_b32 s8, v2", 4,
                "v_readlane_b32 s9, v1, s8\nv_add_u32 v1, s9, v1"},
        TooSoon{"v_mov_b32 v2, 0", "v_lshrrev_b32 v2, 2, v0", 2,
                "v_mov_b32_dpp v1, v2 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf"},
        TooSoon{"s_mov_b64 vcc, 0\nv_cvt_f32_u32 v2, v1\nv_mov_b32 v3, 1.0\nv_mov_b32 v4, 0",
                "v_cmp_eq_u32 vcc, v1, v1", 4,
                "v_div_fmas_f32 v2, v2, v3, v4\nv_ldexp_f32 v2, v2, 64\nv_cvt_u32_f32 v1, v2"},
        TooSoon{"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5", 2,
                "s_getreg_b32 s8, hwreg(HW_REG_MODE, 0, 4)\ns_sub_u32 s8, s8, 5\nv_add_u32 v1, s8, v1"},
        TooSoon{"s_mov_b32 m0, 0\ns_mov_b32 s8, 7\ns_mov_b32 s9, 0", "s_mov_b32 m0, 1", 1,
                "s_movrels_b32 s10, s8\nv_add_u32 v1, s10, v1"}));

// A write by something that the hardware holds others back for ends it.
TEST(Late, KnowsWhatIsOverwritten) {
  EXPECT_EQ(wrong(R"(v_lshrrev_b32 v1, 2, v0
  s_mov_b32 s8, 3
  v_readfirstlane_b32 s8, v1
  s_mov_b32 s8, 0
  v_readlane_b32 s9, v1, s8
  v_add_u32 v1, s9, v1
  global_store_dword v0, v1, s[6:7])"),
            Wrong{});
}

TEST(Late, NamesRulesThatThereAre) {
  for (const std::string_view rule : check::stale_rules())
    EXPECT_TRUE(std::ranges::any_of(isa::hazards::all(), [&](const auto& h) { return h.rule == rule; })) << rule;
}

} // namespace crosslane::test
