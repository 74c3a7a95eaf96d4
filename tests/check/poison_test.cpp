// What registers, LDS and scratch begin with.
#include "tests/check/kernel.h"
#include <set>

namespace crosslane::test {

namespace {

// Of 4 workgroups of 64 items.
std::vector<uint32_t> results(const std::string& body, uint32_t poison) {
  launch::Job job;
  job.poison = poison;
  job.block = value_of(launch::parse_sizes("64", "block"));
  job.threads = 1;
  std::vector<uint32_t> out;
  launched(body, job, &out, 256);
  EXPECT_EQ(out.size(), 256u);
  return out;
}

// Out[item] = v2, of all workgroups.
const std::string store = R"(
  s_lshl_b32 s10, s2, 8
  v_add_u32 v4, s10, v0
  global_store_dword v4, v2, s[6:7])";
const std::string leave_something = R"(
  v_mov_b32 v2, 0x77
  v_mov_b32 v3, 0x77
  s_mov_b32 s9, 0x77
  ds_write_b32 v0, v2
  s_waitcnt lgkmcnt(0))";

void expect_poison(const std::string& read) {
  const std::string body = read + store + leave_something;
  const auto one = results(body, 1), two = results(body, 2);
  EXPECT_EQ(one, results(body, 1));
  EXPECT_NE(one, two);
  for (const auto& out : {one, two})
    for (size_t n = 0; n < out.size(); ++n)
      EXPECT_EQ(out[n], out[n % 64]) << n << ": not what another workgroup left"; // and not 0x77
  EXPECT_EQ(std::ranges::count(one, 0x77u), 0);
}

} // namespace

TEST(Poison, IsInVgprs) { expect_poison("v_mov_b32 v2, v3"); }
TEST(Poison, IsInSgprs) { expect_poison("v_mov_b32 v2, s9"); }
TEST(Poison, IsInVcc) { expect_poison("v_mov_b32 v2, vcc_hi"); }
TEST(Poison, IsInLds) { expect_poison("ds_read_b32 v2, v0\ns_waitcnt lgkmcnt(0)"); }

// One lane's value says nothing of another's.
TEST(Poison, IsNotTheSameInAllLanes) {
  const auto out = results("v_mov_b32 v2, v3" + store, 1);
  EXPECT_GT(std::set<uint32_t>(out.begin(), out.end()).size(), 60u);
}

TEST(Poison, LeavesWhatALaunchFillsIn) {
  const std::string body = "v_lshrrev_b32 v2, 2, v0" + store;
  EXPECT_EQ(results(body, 1), results(body, 0));
}

} // namespace crosslane::test
