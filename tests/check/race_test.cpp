// Races of small kernels: each is found, and the same kernel with what orders the two is silent.
#include "tests/check/kernel.h"
#include <algorithm>

namespace crosslane::test {

namespace {

using Rules = std::vector<std::string>;

struct Shape {
  int groups = 1, items = 128; // of a workgroup
  unsigned threads = 0;
};

std::vector<lint::PlacedFinding> findings(const std::string& body, const Shape& shape = {}) {
  launch::Job job;
  job.check = "race";
  job.threads = shape.threads;
  const launch::Result result = launched(body, job, nullptr, shape.items, shape.groups);
  EXPECT_TRUE(result.judged);
  return result.judged ? result.judged->findings : std::vector<lint::PlacedFinding>();
}

Rules found(const std::string& body, const Shape& shape = {}) {
  Rules rules;
  for (const lint::PlacedFinding& f : findings(body, shape))
    rules.push_back(lint::id_of(f.rule));
  std::ranges::sort(rules);
  return rules;
}

const Rules none;

const std::string wait_lds = "s_waitcnt lgkmcnt(0)\n", wait_memory = "s_waitcnt vmcnt(0)\n", barrier = "s_barrier\n";
// v0: 4 * work-item; v2: the dword of the other wave.
const std::string begin = "v_mov_b32 v1, v0\nv_xor_b32 v2, 0x100, v0\n";
const std::string write = "ds_write_b32 v0, v1\n", read_other = "ds_read_b32 v3, v2\n",
                  write_other = "ds_write_b32 v2, v1\n", read = "ds_read_b32 v3, v0\n";
// The wave's own number is in s8.
const std::string number = "v_readfirstlane_b32 s8, v0\ns_lshr_b32 s8, s8, 8\n";

} // namespace

TEST(RaceLds, BarriersOrderWaves) {
  EXPECT_EQ(found(begin + write + wait_lds + read_other), Rules{"race-lds"});
  EXPECT_EQ(found(begin + write + wait_lds + barrier + read_other), none);
  // A read and a later write of another wave, and two writes.
  EXPECT_EQ(found(begin + read + wait_lds + write_other), Rules{"race-lds"});
  EXPECT_EQ(found(begin + read + wait_lds + barrier + write_other), none);
  EXPECT_EQ(found(begin + write + wait_lds + write_other), Rules{"race-lds"});
  EXPECT_EQ(found(begin + write + wait_lds + barrier + write_other), none);
  // Reads alone, and a wave alone.
  EXPECT_EQ(found(begin + read + read_other), none);
  EXPECT_EQ(found(begin + write + "v_xor_b32 v2, 0x80, v0\n" + read_other, {1, 64}), none);
}

TEST(RaceLds, BarriersOrderWhatWasWaitedFor) {
  EXPECT_EQ(found(begin + write + barrier + read_other), Rules{"race-lds"});
  EXPECT_EQ(found(begin + read + barrier + write_other), Rules{"race-lds"});
  // The first of two.
  const std::string two = write + "ds_read_b32 v4, v0 offset:512\n";
  EXPECT_EQ(found(begin + two + "s_waitcnt lgkmcnt(1)\n" + barrier + read_other), none);
  EXPECT_EQ(found(begin + two + "s_waitcnt lgkmcnt(2)\n" + barrier + read_other), Rules{"race-lds"});
  // A wait behind the barrier counts for the next one.
  EXPECT_EQ(found(begin + write + barrier + wait_lds + barrier + read_other), none);
}

TEST(RaceLds, NamesBothAccesses) {
  const auto all = findings(begin + write + wait_lds + "s_nop 0\n" + read_other);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].message, "loads byte 256 of LDS, which wave 1 stores to, in no order");
  EXPECT_EQ(all[0].instruction, "ds_read_b32 v3, v2");
  ASSERT_TRUE(all[0].seen);
  EXPECT_EQ(all[0].seen->wave, 0u);
  ASSERT_EQ(all[0].notes.size(), 1u);
  EXPECT_EQ(all[0].notes[0].text, "the store of wave 1");
  const auto unwaited = findings(begin + write + barrier + read_other);
  ASSERT_EQ(unwaited.size(), 1u);
  EXPECT_NE(unwaited[0].message.find("nothing waits for LDS"), std::string::npos) << unwaited[0].message;
}

TEST(RaceLds, IsExactToTheByte) {
  // Waves 0 and 1 in bytes 0 and 1 of the same dwords.
  const std::string bytes = "v_lshrrev_b32 v1, 8, v0\nv_and_b32 v2, 0xfc, v0\nv_add_u32 v2, v1, v2\n";
  EXPECT_EQ(found(bytes + "ds_write_b8 v2, v0"), none);
  EXPECT_EQ(found(bytes + "ds_write_b16 v2, v0"), Rules{"race-lds"});
  EXPECT_EQ(found(bytes + "ds_write_b8 v2, v0\nds_read_u8 v3, v2"), none);
  EXPECT_EQ(found(bytes + "ds_write_b8 v2, v0\nv_xor_b32 v2, 1, v2\nds_read_u8 v3, v2"), Rules{"race-lds"});
}

TEST(RaceLds, KnowsEveryAddressAndSize) {
  // Two addresses: dwords 64 apart of both waves.
  EXPECT_EQ(found(begin + "ds_write2st64_b32 v0, v1, v1 offset1:1"), Rules{"race-lds"});
  EXPECT_EQ(found(begin + "ds_write2st64_b32 v0, v1, v1 offset1:2"), none);
  EXPECT_EQ(found("v_lshlrev_b32 v4, 1, v0\nds_write_b64 v4, v[0:1]"), none);
  // Pairs of lanes, and of waves.
  EXPECT_EQ(found("v_and_b32 v4, 0xf8, v0\nds_write_b64 v4, v[0:1]"), (Rules{"race-lanes", "race-lds"}));
}

TEST(RaceLds, AtomicsDoNotRaceWithEachOther) {
  EXPECT_EQ(found("v_mov_b32 v1, 1\nv_mov_b32 v2, 0\nds_add_u32 v2, v1"), none);
  EXPECT_EQ(found("v_mov_b32 v1, 1\nv_mov_b32 v2, 0\nds_add_u32 v2, v1\n" + wait_lds + "ds_read_b32 v3, v2"),
            Rules{"race-lds"});
  EXPECT_EQ(found("v_mov_b32 v1, 1\nv_mov_b32 v2, 0\nds_add_u32 v2, v1\n" + wait_lds + barrier + "ds_read_b32 v3, v2"),
            none);
  EXPECT_EQ(found("v_mov_b32 v1, 1\nv_mov_b32 v2, 0\nds_write_b32 v2, v1\n" + wait_lds + barrier +
                  "ds_add_u32 v2, v1\n" + wait_lds + "ds_write_b32 v2, v1"),
            (Rules{"race-lds", "race-same-value"}));
  // A loop of compare-and-swap begins with a plain load.
  const std::string loop = R"(v_mov_b32 v2, 0
  ds_read_b32 v3, v2
  s_waitcnt lgkmcnt(0)
  v_add_u32 v4, 1, v3
  ds_cmpst_rtn_b32 v3, v2, v3, v4)";
  EXPECT_EQ(found(loop), none);
}

// It loads if it fails: wave 0 swaps, and reads what no other wave changes any more.
TEST(RaceLds, ACompareAndSwapThatFailsDoesNotWrite) {
  const auto swap = [](const std::string& compare) {
    return "v_mov_b32 v2, 0\nv_mov_b32 v1, 7\nv_mov_b32 v3, 9\nds_write_b32 v2, v1\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
           "v_lshrrev_b32 v4, 8, v0\nv_cmp_eq_u32 vcc, 0, v4\nv_mov_b32 v5, " +
           compare +
           "\nv_cndmask_b32 v1, v5, v1, vcc\nds_cmpst_b32 v2, v1, v3\ns_waitcnt lgkmcnt(0)\n"
           "s_and_b64 exec, exec, vcc\ns_cbranch_execz end\nds_read_b32 v5, v2\nend:";
  };
  // The stores of 7 before the barrier are of both waves.
  EXPECT_EQ(found(swap("7")), Rules{"race-same-value"});
  EXPECT_EQ(found(swap("9")), (Rules{"race-lds", "race-same-value"}));
}

TEST(RaceGlobal, AtomicsOfOthersStayBehindTheWavesOwn) {
  const std::string add = "v_mov_b32 v1, 1\nv_mov_b32 v2, 0\nglobal_atomic_add v2, v1, s[6:7]\n";
  for (const int reader : {0, 3})
    EXPECT_EQ(found(add + "s_cmp_lg_u32 s2, " + std::to_string(reader) +
                        "\ns_cbranch_scc1 end\nglobal_load_dword v3, v2, s[6:7]\nend:",
                    {4, 64}),
              Rules{"race-atomic"})
        << reader;
}

// Waves 0 and 2 store different bytes to the first of a dword whose second is wave 1's.
TEST(RaceGlobal, BytesOfADwordAreApart) {
  const auto bytes = [](const std::string& first, const std::string& second) {
    return number + "s_cmp_eq_u32 s8, 1\ns_cselect_b32 s9, " + second + ", " + first +
           "\nv_mov_b32 v2, s9\nv_mov_b32 v1, s8\nglobal_store_byte v2, v1, s[6:7]";
  };
  EXPECT_EQ(found(bytes("0", "1"), {1, 192}), Rules{"race-global"});
  EXPECT_EQ(found(bytes("0", "1"), {1, 128}), none);
}

// Wave 0 leaves a value and raises a flag, for which wave 1 looks.
TEST(RaceLds, AtomicsWithResultsPassOnWhatWasWaitedFor) {
  const auto body = [](const std::string& wait, const std::string& look) {
    return number + "v_mov_b32 v1, 1\nv_mov_b32 v2, 0\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc0 other\n" +
           "ds_write_b32 v0, v0 offset:512\n" + wait + "ds_add_u32 v2, v1\ns_branch end\nother:\n" + look +
           "s_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s9, v3\ns_cmp_eq_u32 s9, 0\ns_cbranch_scc1 other\n" +
           "ds_read_b32 v4, v0 offset:256\nend:";
  };
  const std::string atomic = "ds_or_rtn_b32 v3, v2, v2\n";
  EXPECT_EQ(found(body(wait_lds, atomic)), none);
  EXPECT_EQ(found(body("", atomic)), Rules{"race-lds"});
  EXPECT_EQ(found(body(wait_lds, "ds_read_b32 v3, v2\n")), (Rules{"race-lds", "race-lds"}));
}

TEST(RaceLanes, AreOfOneInstruction) {
  const std::string quarter = "v_and_b32 v2, 0x7c, v0\n";
  EXPECT_EQ(found(quarter + "ds_write_b32 v2, v0", {1, 64}), Rules{"race-lanes"});
  EXPECT_EQ(found(quarter + "ds_write_b32 v2, v2", {1, 64}), none);
  EXPECT_EQ(found(quarter + "ds_add_u32 v2, v0", {1, 64}), none);
  EXPECT_EQ(found(quarter + "global_store_dword v2, v0, s[6:7]", {1, 64}), Rules{"race-lanes"});
  EXPECT_EQ(found(quarter + "global_store_dword v2, v2, s[6:7]", {1, 64}), none);
  // One after the other.
  EXPECT_EQ(found("ds_write_b32 v0, v0\nds_write_b32 v0, v5", {1, 64}), none);
  // The two addresses of one instruction.
  EXPECT_EQ(found("ds_write2_b32 v0, v0, v5 offset1:1", {1, 64}), Rules{"race-lanes"});
  const auto all = findings(quarter + "ds_write_b32 v2, v0 offset:4", {1, 64});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].message, "lanes 0 and 32 store different values to byte 4 of LDS");
}

TEST(RaceSameValue, IsAKindOfItsOwn) {
  const std::string one = "v_mov_b32 v1, 7\nv_and_b32 v2, 0xfc, v0\n";
  EXPECT_EQ(found(one + "ds_write_b32 v2, v1"), Rules{"race-same-value"});
  EXPECT_EQ(found(one + "global_store_dword v2, v1, s[6:7]"), Rules{"race-same-value"});
  EXPECT_EQ(found(one + "global_store_dword v2, v0, s[6:7]"), Rules{"race-global"});
  EXPECT_EQ(found(one + "global_store_dword v2, v1, s[6:7]\n" + barrier + "global_store_dword v2, v1, s[6:7]"),
            (Rules{"race-same-value", "race-same-value"}));
  // The first to come is of another value in one dword of 64.
  EXPECT_EQ(found(one + "v_cmp_eq_u32 vcc, 0x7c, v0\nv_cndmask_b32 v1, v1, v0, vcc\nds_write_b32 v2, v1"),
            Rules{"race-lds"});
}

// Each workgroup sets a variable before it reads it, as the others do: what it reads is this value.
TEST(RaceSameValue, IsALoadOfWhatTheWaveHasStoredToo) {
  const auto set = [](const std::string& value, const std::string& loads) {
    return "v_mov_b32 v2, 0\nv_mov_b32 v1, 7\n" + value + "global_store_dword v2, v1, s[6:7]\n" + loads +
           "global_load_dword v3, v2, s[6:7]\nend:";
  };
  for (const unsigned threads : {1, 2}) {
    const Shape shape{4, 64, threads};
    EXPECT_EQ(found(set("", ""), shape), (Rules{"race-same-value", "race-same-value"}));
    EXPECT_EQ(found(set("v_add_u32 v1, s2, v1\n", ""), shape), (Rules{"race-global", "race-global"}));
    // One stores something else; one only reads.
    EXPECT_EQ(found(set("s_cmp_eq_u32 s2, 3\ns_cselect_b32 s8, 8, 7\nv_mov_b32 v1, s8\n", ""), shape),
              (Rules{"race-global", "race-global"}));
    EXPECT_EQ(found("s_cmp_eq_u32 s2, 3\nv_mov_b32 v2, 0\ns_cbranch_scc1 read\n" + set("", "read:\n"), shape),
              (Rules{"race-global", "race-same-value"}));
  }
  const auto two = findings(set("", ""), {2, 64, 1});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].message,
            "stores to 'out' + 0, as wave 0 of workgroup (0,0,0) does with the same value, in no order");
  EXPECT_EQ(two[1].message, "loads 'out' + 0, which wave 0 of workgroup (1,0,0) stores to: the value that the one who "
                            "loads has stored too, in no order");
}

TEST(RaceGlobal, BarriersOrderWavesOfAWorkgroup) {
  const std::string store = "global_store_dword v0, v1, s[6:7]\n", load_other = "global_load_dword v3, v2, s[6:7]\n";
  EXPECT_EQ(found(begin + store + wait_memory + load_other), Rules{"race-global"});
  EXPECT_EQ(found(begin + store + wait_memory + barrier + load_other), none);
  // As LLVM has it for gfx90a.
  EXPECT_EQ(found(begin + store + barrier + load_other), none);
  const auto all = findings(begin + store + wait_memory + load_other);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].message, "loads 'out' + 256, which wave 1 of workgroup (0,0,0) stores to, in no order");
}

TEST(RaceGlobal, NothingElseOrdersWorkgroups) {
  // Each workgroup writes to its own dwords, and to those of the others; s2 is the workgroup's number.
  const std::string own = "v_mov_b32 v1, v0\nv_lshlrev_b32 v2, 8, s2\nv_add_u32 v2, v2, v0\n";
  for (const unsigned threads : {1, 2}) {
    EXPECT_EQ(found(own + "global_store_dword v2, v2, s[6:7]", {4, 64, threads}), none);
    EXPECT_EQ(found(own + "global_store_dword v0, v2, s[6:7]", {4, 64, threads}), Rules{"race-global"});
    EXPECT_EQ(found(own + "global_store_dword v0, v1, s[6:7]", {4, 64, threads}), Rules{"race-same-value"});
    EXPECT_EQ(found("global_load_dword v3, v0, s[6:7]", {4, 64, threads}), none);
    // The last one writes what the others have read.
    EXPECT_EQ(found("global_load_dword v3, v0, s[6:7]\ns_cmp_lg_u32 s2, 3\ns_cbranch_scc1 end\n"
                    "global_store_dword v0, v3, s[6:7]\nend:",
                    {4, 64, threads}),
              Rules{"race-global"});
    // The scalar unit reads too.
    EXPECT_EQ(found("s_load_dword s9, s[6:7], 0x0\ns_cmp_lg_u32 s2, 3\ns_cbranch_scc1 end\n"
                    "global_store_dword v0, v0, s[6:7]\nend:",
                    {4, 64, threads}),
              Rules{"race-global"});
  }
}

TEST(RaceGlobal, AtomicsDoNotRaceWithEachOther) {
  const std::string add = "v_mov_b32 v1, 1\nv_mov_b32 v2, 0\nglobal_atomic_add v2, v1, s[6:7]\n";
  EXPECT_EQ(found(add, {4, 64}), none);
  EXPECT_EQ(found(add + "global_load_dword v3, v2, s[6:7] glc", {4, 64}), none);
  EXPECT_EQ(found(add + "global_load_dword v3, v2, s[6:7]", {4, 64}), Rules{"race-atomic"});
  EXPECT_EQ(found(R"(v_mov_b32 v2, 0
  global_load_dword v4, v2, s[6:7]
  s_waitcnt vmcnt(0)
  v_add_u32 v3, 1, v4
  global_atomic_cmpswap v1, v2, v[3:4], s[6:7] glc)",
                  {4, 64}),
            none);
}

// Workgroup 0 leaves values and raises a flag, for which workgroup 1 looks.
std::string message(const std::string& wait, const std::string& raise, const std::string& look,
                    const std::string& invalidate) {
  return "v_mov_b32 v1, 1\nv_mov_b32 v2, 0\ns_cmp_eq_u32 s2, 0\ns_cbranch_scc0 other\n"
         "global_store_dword v0, v0, s[6:7]\n" +
         wait + raise + "s_branch end\nother:\n" + look + "s_waitcnt vmcnt(0)\n" + invalidate +
         "v_readfirstlane_b32 s9, v3\ns_cmp_eq_u32 s9, 0\ns_cbranch_scc1 other\n"
         "global_load_dword v4, v0, s[6:7]\nend:";
}

TEST(RaceGlobal, ReleaseAndAcquireOrderWorkgroups) {
  const std::string invalidate = "buffer_wbinvl1_vol\n";
  // In `in`, whose first item is 0.
  const std::string stores = "global_store_dword v2, v1, s[4:5]\n", adds = "global_atomic_add v2, v1, s[4:5]\n";
  const std::string loads = "global_load_dword v3, v2, s[4:5] glc\n", ors = "global_atomic_or v3, v2, v2, s[4:5] glc\n";
  for (const unsigned threads : {1, 2}) {
    const Shape two{2, 64, threads};
    for (const std::string& raise : {stores, adds})
      for (const std::string& look : {loads, ors}) {
        EXPECT_EQ(found(message(wait_memory, raise, look, invalidate), two), none) << raise << look;
        EXPECT_EQ(found(message("", raise, look, invalidate), two), Rules{"race-global"}) << raise << look;
        EXPECT_EQ(found(message(wait_memory, raise, look, ""), two), Rules{"race-global"}) << raise << look;
      }
    // The flag is raced for as well.
    EXPECT_EQ(found(message(wait_memory, stores, "global_load_dword v3, v2, s[4:5]\n", invalidate), two),
              (Rules{"race-global", "race-global"}));
  }
}

TEST(RaceGlobal, WhatIsLearnedGoesOn) {
  // 0 tells 1, 1 tells 2: by one flag each, at 4 * workgroup of `in`.
  const auto chain = [](const std::string& acquire) {
    return "v_mov_b32 v1, 1000\nv_mov_b32 v2, 0\ns_lshl_b32 s8, s2, 2\nv_mov_b32 v6, s8\n"
           "s_cmp_eq_u32 s2, 0\ns_cbranch_scc0 other\n"
           "global_store_dword v0, v0, s[6:7]\ns_waitcnt vmcnt(0)\ns_branch raise\n"
           "other:\nglobal_load_dword v3, v6, s[4:5] offset:-4 glc\ns_waitcnt vmcnt(0)\n" +
           acquire +
           "v_readfirstlane_b32 s9, v3\ns_cmpk_lt_u32 s9, 1000\ns_cbranch_scc1 other\n"
           "s_cmp_eq_u32 s2, 2\ns_cbranch_scc0 raise\n"
           "global_load_dword v4, v0, s[6:7]\ns_waitcnt vmcnt(0)\n"
           "raise:\nglobal_store_dword v6, v1, s[4:5]\n";
  };
  EXPECT_EQ(found(chain("buffer_wbinvl1_vol\n"), {3, 64}), none);
  EXPECT_EQ(found(chain(""), {3, 64}), Rules{"race-global"});
}

// Runs follow each other, as dispatches do.
TEST(RaceGlobal, RunsAreOrdered) {
  launch::Job job;
  job.check = "race", job.runs = 3;
  const auto result = launched("global_store_dword v0, v0, s[6:7]", job, nullptr, 128);
  ASSERT_TRUE(result.judged);
  EXPECT_TRUE(result.judged->findings.empty());
}

} // namespace crosslane::test
