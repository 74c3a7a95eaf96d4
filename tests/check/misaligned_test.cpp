// Addresses that hardware rounds down, by target: what a program means is in its source, which says int at any byte.
#include "tests/check/kernel.h"
#include "tests/check/source.h"

namespace crosslane::test {

namespace {

using Rules = std::vector<std::string>;

Rules rules_of(const std::string& target, const std::string& statement) {
  const launch::Result result = launched(SourceKernel{
      .source =
          "kernel void k(global int* out, global int* data, int n) {\n  local char lds[1024];\n  int i = "
          "get_local_id(0);\n  for (int k = i; k < 1024; k += 64) lds[k] = k;\n  private volatile char stack[64];\n  "
          "for (int k = 0; k < 64; ++k) stack[k] = k;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  " +
          statement + "\n}\n",
      .target = target,
      .check = "memory",
      .arguments = {"out=i32[64]", "data=i32[128]", "n=1"}});
  Rules rules;
  for (const lint::PlacedFinding& f : result.judged->findings)
    rules.push_back(lint::id_of(f.rule));
  return rules;
}

constexpr const char* targets[] = {"gfx803", "gfx900", "gfx906", "gfx908", "gfx90a"};

} // namespace

TEST(Misaligned, LdsByGeneration) {
  for (const std::string target : targets) {
    const Rules before_gfx9 = target == "gfx803" ? Rules{"misaligned"} : Rules{};
    EXPECT_EQ(rules_of(target, "out[i] = *(volatile local int*)(lds + 4 * i + n);"), before_gfx9) << target;
    EXPECT_EQ(rules_of(target, "out[i] = *(volatile local long*)(lds + 8 * i + 4 * n);"), before_gfx9) << target;
    EXPECT_EQ(rules_of(target, "out[i] = *(volatile local int*)(lds + 4 * i + 4 * n);"), Rules{}) << target;
    EXPECT_EQ(rules_of(target, "out[i] = *(volatile local char*)(lds + 4 * i + n);"), Rules{}) << target;
    EXPECT_EQ(rules_of(target, "out[i] = atomic_add((volatile local int*)(lds + 8 * i + n), i);"), Rules{"misaligned"})
        << target;
  }
}

TEST(Misaligned, GlobalMemoryTakesAnyByte) {
  for (const char* target : targets)
    EXPECT_EQ(rules_of(target, "out[i] = *(volatile global int*)((global char*)data + 4 * i + n);"), Rules{}) << target;
}

TEST(Misaligned, ScratchByGeneration) {
  for (const std::string target : targets)
    EXPECT_EQ(rules_of(target, "out[i] = *(volatile private int*)(stack + (i & 3) * 4 + n);"),
              target == "gfx803" ? Rules{"misaligned"} : Rules{})
        << target;
}

TEST(Misaligned, SaysWhatBecomesOfIt) {
  launch::Job job;
  job.check = "memory";
  const launch::Result result = launched("v_mov_b32 v1, 6\nds_add_u32 v1, v0 offset:4\ns_waitcnt lgkmcnt(0)", job);
  ASSERT_EQ(result.judged->findings.size(), 1u);
  EXPECT_EQ(result.judged->findings[0].message, "changes 4 bytes at byte 0xa of LDS, which this target takes for 0x8");
  EXPECT_EQ(result.judged->findings[0].seen->times, 64u);
  EXPECT_EQ(rules_found("memory", "s_add_u32 s4, s4, 2\ns_load_dword s8, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)"),
            Rules{"misaligned"});
}

// Code, constants, and variables that may be written.
TEST(CheckMemory, KnowsWhatIsForReadingAlone) {
  const auto store = [](const std::string& section, const std::string& what) {
    return "s_getpc_b64 s[8:9]\ns_add_u32 s8, s8, table@rel32@lo+4\ns_addc_u32 s9, s9, table@rel32@hi+12\n" + what +
           "\ns_waitcnt vmcnt(0)\ns_endpgm\n" + section + "\ntable:\n.skip 256\n.text";
  };
  const std::string write = "global_store_dword v0, v0, s[8:9]", atomic = "global_atomic_add v0, v0, s[8:9]",
                    read = "global_load_dword v2, v0, s[8:9]";
  for (const std::string& access : {write, atomic}) {
    EXPECT_EQ(rules_found("memory", store(".rodata", access)), Rules{"memory-readonly"});
    EXPECT_EQ(rules_found("memory", store(".text", access)), Rules{"memory-readonly"});
    EXPECT_EQ(rules_found("memory", store(".data", access)), Rules{});
  }
  EXPECT_EQ(rules_found("memory", store(".rodata", read)), Rules{});
  EXPECT_EQ(rules_found("memory", "global_store_dword v0, v0, s[6:7]\n" + store(".rodata", write)),
            Rules{"memory-readonly"});
}

} // namespace crosslane::test
