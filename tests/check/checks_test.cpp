// What kernels do to memory and at barriers, and what is said of it.
#include "check/checks.h"
#include "tests/check/kernel.h"

namespace crosslane::test {

namespace {

using Rules = std::vector<std::string>;

std::vector<lint::PlacedFinding> findings(const std::string& checks, const std::string& body, int items = 64) {
  launch::Job job;
  job.check = checks;
  return launched(body, job, nullptr, items).judged->findings;
}

} // namespace

TEST(Checks, AreAskedForByName) {
  EXPECT_TRUE(check::wanted_of("memory")->memory);
  EXPECT_FALSE(check::wanted_of("memory")->sync);
  EXPECT_TRUE(check::wanted_of("waits,sync")->sync);
  EXPECT_TRUE(check::wanted_of("all")->memory);
  EXPECT_FALSE(check::wanted_of("all")->leaks); // programs that just end do not free
  EXPECT_TRUE(check::wanted_of("leaks,race")->of_kernels());
  EXPECT_FALSE(check::wanted_of("leaks")->of_kernels());
  for (const char* wrong : {"", "memry", "memory,", ",memory", "memory sync"})
    EXPECT_FALSE(check::wanted_of(wrong)) << wrong;
}

// The rules that only a run can tell of: their examples.
TEST(Checks, FindWhatTheExamplesOfTheGroupRunningShow) {
  for (size_t n = 0; n < lint::rule_count; ++n) {
    const lint::RuleText& rule = lint::text_of(lint::Rule(n));
    if (rule.group != lint::Group::running)
      continue;
    const std::string checks =
        "all,numerics" + std::string(lint::Rule(n) == lint::Rule::undefined_store ? ",init-stores" : "");
    EXPECT_EQ(rules_found(checks, std::string(rule.wrong), 128), Rules{lint::id_of(lint::Rule(n))});
    EXPECT_EQ(rules_found(checks, std::string(rule.right), 128), Rules{});
  }
}

TEST(CheckMemory, IsExactToTheByte) {
  const std::string load = "global_load_dword v2, v0, s[4:5] offset:";
  // 50 items: 200 bytes of 256.
  EXPECT_EQ(rules_found("memory", load + "0", 50), Rules{});
  EXPECT_EQ(rules_found("memory", load + "1", 50), Rules{"memory-bounds"});
  EXPECT_EQ(rules_found("memory", "global_load_ubyte v2, v0, s[4:5] offset:3", 50), Rules{});
  EXPECT_EQ(rules_found("memory", "global_load_ubyte v2, v0, s[4:5] offset:4", 50), Rules{"memory-bounds"});
  // The page has more in front of it.
  EXPECT_EQ(rules_found("memory", load + "-1", 50), Rules{"memory-bounds"});
  EXPECT_EQ(rules_found("memory", "s_load_dword s8, s[4:5], 0xc4", 50), Rules{});
  EXPECT_EQ(rules_found("memory", "s_load_dword s8, s[4:5], 0xc8", 50), Rules{"memory-bounds"});
  // The aligned block that begins inside.
  EXPECT_EQ(rules_found("memory", "s_load_dwordx16 s[8:23], s[4:5], 0xc0", 50), Rules{});
}

TEST(CheckMemory, KnowsAddressesInVgprs) {
  const std::string address = "v_add_co_u32 v0, vcc, s4, v0\nv_mov_b32 v1, s5\nv_addc_co_u32 v1, vcc, 0, v1, vcc\n";
  EXPECT_EQ(rules_found("memory", address + "global_load_dword v2, v[0:1], off", 50), Rules{});
  EXPECT_EQ(rules_found("memory", address + "global_load_dword v2, v[0:1], off offset:4", 50), Rules{"memory-bounds"});
  EXPECT_EQ(rules_found("memory", address + "flat_load_dword v2, v[0:1] offset:4", 50), Rules{"memory-bounds"});
}

TEST(CheckMemory, SaysWhereAndHowOften) {
  const auto found = findings("memory", "global_store_dword v0, v2, s[6:7] offset:16", 50);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "writes 4 bytes right past the end of 'out' (200 bytes)");
  ASSERT_TRUE(found[0].seen);
  EXPECT_EQ(found[0].seen->lane, 46);
  EXPECT_EQ(found[0].seen->times, 4u);
  EXPECT_EQ(found[0].instruction, "global_store_dword v0, v2, s[6:7] offset:16");
}

// The workgroup has 1000 bytes, hardware gives it 1024.
TEST(CheckMemory, KnowsHowMuchLdsWasAskedFor) {
  EXPECT_EQ(rules_found("memory", "v_mov_b32 v1, 996\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)"), Rules{});
  EXPECT_EQ(rules_found("memory", "v_mov_b32 v1, 1000\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)"), Rules{"lds-bounds"});
  const auto found = findings("memory", "v_mov_b32 v1, 0\nds_write2_b32 v1, v2, v2 offset0:249 offset1:250\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "writes 4 bytes at byte 1000 of LDS, of which the workgroup has 1000 bytes");
  EXPECT_EQ(found[0].seen->times, 64u);
}

// Variables of the code object, not only its image.
TEST(CheckMemory, KnowsVariables) {
  const std::string store = R"(s_getpc_b64 s[8:9]
  s_add_u32 s8, s8, a@rel32@lo+4
  s_addc_u32 s9, s9, a@rel32@hi+12
  global_store_dword v0, v2, s[8:9]
.data
a:
  .skip 64
.size a, 64
.type a,@object
b:
  .skip 1000
.size b, 1000
.type b,@object
.text)";
  EXPECT_EQ(rules_found("memory", store, 16), Rules{});
  EXPECT_EQ(rules_found("memory", store, 17), Rules{"memory-other"});
}

TEST(CheckMemory, KnowsWhoseAddressItWas) {
  const auto found = findings("memory", R"(s_sub_u32 s8, s6, s4
  v_add_u32 v1, s8, v0
  global_store_dword v1, v2, s[4:5])",
                              64);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(lint::id_of(found[0].rule), "memory-other");
  EXPECT_EQ(found[0].message,
            "writes 4 bytes at byte 0 of 'out' (256 bytes) by the address of 'in' (256 bytes) in its SGPRs");
  EXPECT_EQ(found[0].seen->times, 64u);
}

TEST(CheckSync, SeesWavesMeetAtDifferentBarriers) {
  const std::string body = R"(v_readfirstlane_b32 s8, v0
  s_cmp_eq_u32 s8, 0
  s_cbranch_scc1 other
  s_barrier
  s_branch end
other:
  s_barrier
end:
  s_nop 0)";
  EXPECT_EQ(rules_found("sync", body, 128), Rules{"barrier-divergent"});
  EXPECT_EQ(rules_found("sync", body, 64), Rules{});
  EXPECT_EQ(rules_found("sync", "s_barrier\ns_barrier", 256), Rules{});
}

TEST(CheckSync, SeesWavesThatDoNotCome) {
  const std::string body = R"(v_readfirstlane_b32 s8, v0
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 end
  s_barrier
end:)";
  EXPECT_EQ(rules_found("sync", body, 128), Rules{"barrier-missed"});
  EXPECT_EQ(rules_found("sync", body, 64), Rules{});
}

TEST(CheckSync, SaysByWhichCallABarrierWasComeTo) {
  launch::Job job;
  job.check = "sync";
  const launch::Result result = launched(R"(v_readfirstlane_b32 s8, v0
  s_call_b64 s[30:31], back
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 end
  s_call_b64 s[28:29], outer
  s_branch end
back:
  s_setpc_b64 s[30:31]
outer:
  s_call_b64 s[30:31], inner
  s_setpc_b64 s[28:29]
inner:
  s_barrier
  s_setpc_b64 s[30:31]
end:
)",
                                         job, nullptr, 128);
  ASSERT_TRUE(result.judged);
  ASSERT_EQ(result.judged->findings.size(), 1u);
  const lint::PlacedFinding& f = result.judged->findings[0];
  EXPECT_EQ(lint::id_of(f.rule), "barrier-missed");
  ASSERT_EQ(f.callers.size(), 2u);
  EXPECT_NE(f.callers[0].code.find("s_call_b64 s[30:31]"), std::string::npos) << f.callers[0].code;
  EXPECT_NE(f.callers[1].code.find("s_call_b64 s[28:29]"), std::string::npos) << f.callers[1].code;
}

// Lanes that go around a barrier and end are nobody's concern; the grid's last wave never had some.
TEST(CheckSync, SeesLanesThatGoAroundABarrier) {
  const std::string half = "s_mov_b64 s[8:9], exec\nv_cmp_gt_u32 vcc, 64, v0\ns_and_b64 exec, exec, vcc\ns_barrier\n";
  const std::string store = "global_store_dword v0, v2, s[6:7]\n", back = "s_mov_b64 exec, s[8:9]\n";
  EXPECT_EQ(rules_found("sync", half + store, 64), Rules{});
  EXPECT_EQ(rules_found("sync", half + store + back, 64), Rules{});
  EXPECT_EQ(rules_found("sync", half + back + store, 64), Rules{"barrier-lanes"});
  EXPECT_EQ(rules_found("sync", half + back + "s_barrier\n", 64), Rules{"barrier-lanes"});
  EXPECT_EQ(rules_found("sync", "s_barrier\n" + store, 40), Rules{});
}

// GCC's code has one lane on outside of SIMD loops, by a constant: a wave is a thread of OpenMP, and hardware counts
// those that wait, wherever they do.
TEST(CheckSync, TakesWavesWhoseLanesAreConstantForThreads) {
  const auto threads = [](const std::string& first, const std::string& second) {
    return "v_readfirstlane_b32 s8, v0\ns_cmp_eq_u32 s8, 0\ns_mov_b64 s[10:11], 1\ns_cbranch_scc1 other\n" + first +
           "s_barrier\ns_branch end\nother:\n" + second +
           "s_barrier\nend:\ns_mov_b64 exec, -1\nglobal_store_dword v0, v2, s[6:7]";
  };
  const std::string one = "s_mov_b64 exec, 1\n", half = "s_mov_b32 exec_lo, -1\ns_mov_b32 exec_hi, 0\n" + one,
                    computed = "s_and_b64 exec, exec, s[10:11]\n", all = "s_mov_b64 exec, -1\n";
  EXPECT_EQ(rules_found("sync", threads(one, one), 128), Rules{});
  EXPECT_EQ(rules_found("sync", threads(one, half), 128), Rules{});
  // One of the two is not such a wave.
  EXPECT_EQ(rules_found("sync", threads(one, ""), 128), Rules{"barrier-divergent"});
  EXPECT_EQ(rules_found("sync", threads("", one), 128), Rules{"barrier-divergent"});
  EXPECT_EQ(rules_found("sync", threads(one, one + all + computed), 128),
            (Rules{"barrier-divergent", "barrier-lanes"}));
  EXPECT_EQ(rules_found("sync", threads(all, all), 128), Rules{"barrier-divergent"});
  // A wave that has ended is none either way.
  EXPECT_EQ(rules_found(
                "sync",
                "v_readfirstlane_b32 s8, v0\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 end\n" + one + "s_barrier\nend:", 128),
            Rules{"barrier-missed"});
}

} // namespace crosslane::test
