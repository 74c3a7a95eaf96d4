// The dynamic twin of lint: what waves really do without the waits that they need.
#include "tests/check/kernel.h"

namespace crosslane::test {

namespace {

std::vector<std::string> found(const std::string& body) {
  launch::Job job;
  job.check = "waits";
  const launch::Result result = launched(body, job);
  EXPECT_TRUE(result.checked);
  std::vector<std::string> rules;
  if (result.checked)
    for (const lint::PlacedFinding& f : result.checked->findings)
      rules.push_back(lint::id_of(f.rule));
  return rules;
}

using Rules = std::vector<std::string>;

} // namespace

TEST(Waits, AreSilentWhereAllIsWell) {
  EXPECT_EQ(found("global_load_dword v1, v0, s[4:5]\ns_waitcnt vmcnt(0)\nglobal_store_dword v0, v1, s[6:7]"), Rules{});
}

TEST(Waits, FindWhatIsNotWaitedFor) {
  EXPECT_EQ(found("global_load_dword v1, v0, s[4:5]\nglobal_store_dword v0, v1, s[6:7]"), Rules{"vm-raw"});
  EXPECT_EQ(found("v_add_u32 v1, v0, v0\nv_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf\n"
                  "global_store_dword v0, v2, s[6:7]"),
            Rules{"valu-vgpr-dpp"});
}

// Lint has to take both ways of the branch for possible.
TEST(Waits, KnowTheWayThatWasTaken) {
  const std::string skipped = R"(s_mov_b32 s8, 0
  s_cmp_eq_u32 s8, 1
  global_load_dword v1, v0, s[4:5]
  s_cbranch_scc1 use
  s_waitcnt vmcnt(0)
use:
  global_store_dword v0, v1, s[6:7])";
  EXPECT_EQ(found(skipped), Rules{});
}

TEST(Waits, TellALoopOnce) {
  EXPECT_EQ(found(R"(s_mov_b32 s8, 100
again:
  global_load_dword v1, v0, s[4:5]
  v_add_u32 v2, v1, v1
  s_waitcnt vmcnt(0)
  s_sub_u32 s8, s8, 1
  s_cbranch_scc0 again
  global_store_dword v0, v2, s[6:7])"),
            Rules{"vm-raw"});
}

// No lane is on: nothing is read.
TEST(Waits, LetPassWhatNoLaneDoes) {
  EXPECT_EQ(found(R"(global_load_dword v1, v0, s[4:5]
  s_mov_b64 exec, 0
  v_add_u32 v2, v1, v1)"),
            Rules{});
}

} // namespace crosslane::test
