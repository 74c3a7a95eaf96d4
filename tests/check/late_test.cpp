// Late return: code that waits gives what it always gives, code that does not gets poison.
#include "check/late.h"
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

} // namespace crosslane::test
