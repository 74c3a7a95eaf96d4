// The dynamic twin of lint: what waves really do without the waits that they need.
#include "tests/check/kernel.h"

namespace crosslane::test {

namespace {

std::vector<std::string> found(const std::string& body, int items = 64) { return rules_found("waits", body, items); }

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

TEST(Waits, KnowWhichLanesAreAskedFor) {
  const std::string half = "s_mov_b32 exec_hi, 0\nv_mov_b32 v2, 0\ns_nop 4\n";
  EXPECT_EQ(found(half + "ds_swizzle_b32 v1, v2 offset:swizzle(SWAP,16)\ns_waitcnt lgkmcnt(0)"), Rules{});
  EXPECT_EQ(found(half + "v_mov_b32 v3, 124\nds_bpermute_b32 v1, v3, v2\ns_waitcnt lgkmcnt(0)"), Rules{});
  EXPECT_EQ(found(half + "v_mov_b32 v3, 128\nds_bpermute_b32 v1, v3, v2\ns_waitcnt lgkmcnt(0)"), Rules{"dpp-inactive"});
  EXPECT_EQ(found("s_mov_b32 exec_lo, 0\nv_mov_b32 v2, 0\ns_nop 4\n"
                  "v_mov_b32_dpp v0, v2 row_bcast:31 row_mask:0xf bank_mask:0xf"),
            Rules{"dpp-inactive"});
  // Row 2 asks for lane 31 alone where the mask lets it.
  EXPECT_EQ(found("s_mov_b32 exec_lo, 0\nv_mov_b32 v2, 0\ns_nop 4\n"
                  "v_mov_b32_dpp v0, v2 row_bcast:31 row_mask:0x3 bank_mask:0xf"),
            Rules{});
  // It says what else comes in.
  const std::string off = "s_mov_b64 exec, 0xff\nv_mov_b32 v2, 0\ns_nop 4\n";
  EXPECT_EQ(found(off + "v_mov_b32_dpp v0, v2 row_shl:1 row_mask:0xf bank_mask:0xf"), Rules{"dpp-inactive"});
  EXPECT_EQ(found(off + "v_mov_b32_dpp v0, v2 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:0"), Rules{});
  EXPECT_EQ(found(off + "v_add_u32_dpp v0, v2, v0 row_shl:1 row_mask:0xf bank_mask:0xf"), Rules{});
  EXPECT_EQ(found("v_mov_b32 v1, 7\n" + off + "v_mov_b32_dpp v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf"), Rules{});
  // v_readlane_b32 has the register of any lane.
  EXPECT_EQ(found(half + "v_readlane_b32 s8, v2, 63"), Rules{});
}

// Nobody expects the values of lanes that the wave never had.
TEST(Waits, DoNotMissLanesBeyondTheGrid) {
  const std::string shift = "v_mov_b32 v2, 0\ns_nop 1\nv_mov_b32_dpp v0, v2 row_shl:1 row_mask:0xf bank_mask:0xf";
  EXPECT_EQ(found(shift, 40), Rules{});
  EXPECT_EQ(found("s_mov_b64 exec, 0xff\n" + shift, 40), Rules{"dpp-inactive"});
}

} // namespace crosslane::test
