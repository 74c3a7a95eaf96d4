// crosslane jit. What lanes hold is what the instructions say of lane numbers, and how lines of work-items lie in a
// wave.
#include "engine/dispatch.h"
#include "tests/cli/command.h"
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <unistd.h>

namespace crosslane::cli::test {
namespace {

class JitCommand : public testing::Test {
protected:
  void SetUp() override {
    if (std::string_view(engine::host_level()) == "v1")
      GTEST_SKIP() << "nothing is compiled on this host";
  }
  // A kernel of two ids that ends behind `body`.
  std::string kernel(const std::string& body, const std::string& target = "gfx900",
                     const std::string& directives = "") const {
    std::string path = folder_ / "kernel.s";
    std::ofstream(path) << R"(
	.amdgcn_target "amdgcn-amd-amdhsa--)"
                        << target << R"("
	.text
	.globl	f
	.p2align	8
	.type	f,@function
f:
)" << body << R"(
	s_endpgm
	.size	f, .-f
	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel f
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_vgpr_workitem_id 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 24
)" << directives << R"(
	.end_amdhsa_kernel
)";
    return path;
  }
  Folder folder_;
};

TEST_F(JitCommand, Text) {
  const Result result = crosslane({"jit", input("twice.s")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "kernel twice\n  for workgroups of 256,1,1 (assumed");
  EXPECT_HAS(result.out, "known of work-item ids: v0 lane (bits 0xff)\n");
  EXPECT_HAS(result.out, "13 instructions in 5 blocks: 13 translated, 0 called, 0 left to the interpreter, 0 never");
  EXPECT_HAS(result.out, "\nL1300, EXEC full:\n  ; v0 lane (bits 0xff), exec full\n");
  EXPECT_HAS(result.out, "; v0 lane*4 (bits 0x3fc)\n");
  EXPECT_HAS(result.out, "; vcc rows\n");
  EXPECT_HAS(result.out, "; s[6:7] full, exec rows\n");
  EXPECT_HAS(result.out, "; v1 vector; 1 guard; asks\n");
  EXPECT_HAS(result.out, "\nL132c, EXEC perhaps not full:\n");
  EXPECT_HAS(result.out, "; exec full\n");
  EXPECT_HAS(result.out, " ms of processor time: open ");
  EXPECT_HAS(result.out, " expected)\n");
  EXPECT_FALSE(contains(result.out, "LLVM IR"));
  EXPECT_FALSE(contains(result.out, "host code:"));
}

TEST_F(JitCommand, LinesOfWorkItems) {
  const std::string file = kernel("v_mad_u32_u24 v2, v1, 20, v0\n v_mov_b32_e32 v3, s0\n v_mul_u32_u24_e32 v4, v2, v2\n"
                                  "s_nop 0");
  const auto out = [&](const char* block, const std::string& of = {}) {
    return crosslane({"jit", of.empty() ? file : of, "--block", block}).out;
  };
  EXPECT_HAS(out("64,4"), "(--block)\n  known of work-item ids: v0 lane (bits 0x3f), v1 uniform (bits 0x3)\n");
  EXPECT_HAS(out("32,8"), "v0 column*1 + odd*16 (bits 0x1f), v1 last*1 (bits 0x7)\n");
  const std::string sixteen = out("16,16");
  EXPECT_HAS(sixteen, "v0 column*1 (bits 0xf), v1 odd*1 + last*2 (bits 0xf)\n");
  EXPECT_HAS(sixteen, "; v3 uniform\n");
  EXPECT_HAS(sixteen, "; v4 vector");
  EXPECT_HAS(out("24,2"), "known of work-item ids: nothing\n");
  EXPECT_HAS(out("32,1"), "v0 lane (bits 0x3f), v1 uniform (bits 0x0)\n");
  EXPECT_HAS(out("16,6"), "v0 column*1 (bits 0xf), v1 odd*1 + last*2 (bits 0x7)\n");
  EXPECT_HAS(out("1,128"), "v0 uniform (bits 0x0), v1 lane (bits 0x7f)\n");
  const std::string packed =
      kernel("v_and_b32_e32 v2, 0x3ff, v0\n v_bfe_u32 v3, v0, 10, 10\n v_mov_b32_e32 v4, v2\n s_nop 0", "gfx90a",
             ".amdhsa_accum_offset 16");
  EXPECT_HAS(out("16,16", packed), "v0 column*1 + odd*1024 + last*2048 (bits 0x3c0f)\n");
  EXPECT_HAS(out("16,16", packed), "; v2 column*1 (bits 0xf)");
  EXPECT_HAS(out("16,16", packed), "; v3 odd*1 + last*2 (bits 0xf)");
  EXPECT_HAS(out("32,4", packed), "v0 column*1 + odd*16 + last*1024 (bits 0xc1f)\n");
  EXPECT_HAS(out("64,2", packed), "v0 lane (bits 0x43f)\n");
}

// As one of 64 bits it would be some 160 instructions of a host with AVX2.
TEST_F(JitCommand, PairsAreTwoOperations) {
  const Result result = crosslane({"jit",
                                   kernel("global_load_dwordx2 v[2:3], v[4:5], off\n s_waitcnt vmcnt(0)\n"
                                          "v_pk_mul_f32 v[6:7], v[2:3], v[2:3]\n"
                                          "global_store_dwordx2 v[4:5], v[6:7], off",
                                          "gfx90a", ".amdhsa_accum_offset 16"),
                                   "--asm"});
  std::smatch host;
  ASSERT_TRUE(std::regex_search(result.out, host, std::regex("v_pk_mul_f32 .* (\\d+) on the host"))) << result.out;
  EXPECT_LT(std::stoi(host[1]), 60);
}

TEST_F(JitCommand, LargeFunctionsAreThereOnce) {
  std::string body = "global_load_dwordx4 v[2:5], v[6:7], off\n s_waitcnt vmcnt(0)\n";
  for (int i = 0; i < 8; ++i)
    body += "v_div_scale_f64 v[2:3], vcc, v[2:3], v[4:5], v[2:3]\n";
  body += "global_store_dwordx2 v[6:7], v[2:3], off";
  const std::string ir = crosslane({"jit", kernel(body, "gfx900", ".amdhsa_float_denorm_mode_32 3"), "--ir"}).out;
  const std::regex call("call fastcc .*@v16.v_div_scale_f64\\(");
  EXPECT_EQ(std::distance(std::sregex_iterator(ir.begin(), ir.end(), call), std::sregex_iterator()), 8 * 4); // by rows
}

// MODE as the assembler has it by default flushes singles alone.
TEST_F(JitCommand, DoublesAndHalvesAreTranslatedWhereModeIsSplit) {
  const std::string body = "v_add_f64 v[2:3], v[4:5], v[6:7]\n v_add_f32 v8, v9, v10\n v_mul_f16 v11, v8, v9\n"
                           "v_fma_f64 v[2:3], v[4:5], v[6:7], v[2:3] clamp\n v_cmp_lt_f64 vcc, v[2:3], v[4:5]\n";
  for (const char* target : {"gfx803", "gfx900"}) {
    const Result result = crosslane({"jit", kernel(body, target), "--asm"});
    EXPECT_HAS(result.out, ", 0 called, ");
    EXPECT_HAS(result.out, "ldmxcsr");
    const Result alike = crosslane({"jit", kernel(body, target, ".amdhsa_float_denorm_mode_32 3"), "--asm"});
    EXPECT_EQ(alike.out.find("ldmxcsr"), std::string::npos);
  }
}

TEST_F(JitCommand, BuffersAreTranslated) {
  for (const char* target : {"gfx701", "gfx803", "gfx900"})
    EXPECT_HAS(crosslane({"jit", kernel("buffer_load_dwordx4 v[4:7], v0, s[8:11], s12 offen offset:16\n"
                                        "s_waitcnt vmcnt(0)\n buffer_atomic_add v4, v0, s[8:11], 0 offen\n"
                                        "buffer_store_byte v4, off, s[8:11], 0",
                                        target)})
                   .out,
               ", 0 called, ");
  EXPECT_HAS(crosslane({"jit", kernel("buffer_load_dword v4, v[0:1], s[8:11], s12 addr64\n s_waitcnt vmcnt(0)\n"
                                      "buffer_atomic_add v4, v[0:1], s[8:11], 0 addr64",
                                      "gfx600")})
                 .out,
             ", 0 called, ");
}

TEST_F(JitCommand, HalvesOfRegistersLanesAndFencesAreTranslated) {
  EXPECT_HAS(crosslane({"jit", kernel("global_load_short_d16_hi v1, v0, s[8:9]\n flat_load_ubyte_d16 v1, v[2:3]\n"
                                      "ds_read_i8_d16 v1, v0\n ds_write_b16_d16_hi v0, v1\n"
                                      "buffer_load_short_d16 v1, v0, s[8:11], 0 offen\n"
                                      "global_store_byte_d16_hi v0, v1, s[8:9]\n buffer_wbinvl1_vol\n s_dcache_inv\n"
                                      "v_readlane_b32 s4, v1, s5\n v_writelane_b32 v1, s4, m0\n s_setprio 1\n"
                                      "global_store_dword v0, v1, s[8:9]",
                                      "gfx900")})
                 .out,
             "13 translated, 0 called, ");
  EXPECT_HAS(crosslane({"jit", kernel("v_cmp_lt_u32_e32 vcc, 5, v0\n s_and_b64 exec, exec, vcc\n"
                                      "v_readfirstlane_b32 s4, v1\n v_mov_b32_e32 v1, s4\n"
                                      "global_store_dword v0, v1, s[8:9]",
                                      "gfx900")})
                 .out,
             "6 translated, 0 called, ");
}

TEST_F(JitCommand, AtomicsOfLdsAreTranslated) {
  EXPECT_HAS(
      crosslane(
          {"jit", kernel("ds_add_f32 v0, v1\n ds_max_rtn_f64 v[2:3], v0, v[4:5]\n ds_add_rtn_u64 v[2:3], v0, v[4:5]\n"
                         "ds_cmpst_rtn_b64 v[2:3], v0, v[4:5], v[6:7]\n ds_mskor_b32 v0, v1, v2",
                         "gfx900")})
          .out,
      ", 0 called, ");
}

TEST_F(JitCommand, ArraysOfWorkItemsAreTranslated) {
  const std::string has_segment = ".amdhsa_private_segment_fixed_size 64\n.amdhsa_user_sgpr_private_segment_buffer 1\n"
                                  ".amdhsa_system_sgpr_private_segment_wavefront_offset 1",
                    array = "buffer_store_dwordx2 v[4:5], v0, s[0:3], 0 offen offset:16\n"
                            "buffer_load_dword v4, off, s[0:3], 0 offset:8 glc\n" // a volatile variable
                            "buffer_store_dword v4, v0, s[0:3], 0 offen offset:4 glc slc\n"
                            "buffer_load_ubyte v4, v0, s[0:3], 0 offen\n s_waitcnt vmcnt(0)\n",
                    other = "buffer_load_dword v4, v0, s[8:11], 0 offen\n";
  for (const char* target : {"gfx803", "gfx900"}) {
    EXPECT_HAS(crosslane({"jit", kernel(array, target, has_segment)}).out, ", 0 called, ");
    const std::string both =
        crosslane({"jit", kernel(array + "buffer_load_dword v4, off, s[0:3], 0\n" + other, target, has_segment)}).out;
    EXPECT_HAS(both, "\n  called: buffer_load_dword 1\n");
  }
}

TEST_F(JitCommand, LinesOfEight) {
  const std::string path = kernel("v_lshlrev_b32_e32 v2, 2, v0\n v_lshlrev_b32_e32 v3, 5, v1\n"
                                  "v_or_b32_e32 v4, v2, v3\n global_store_dword v4, v0, s[8:9]");
  const Result result = crosslane({"jit", path, "--block", "8,8"});
  EXPECT_HAS(result.out, "known of work-item ids: v0 column*1 + half*-8 (bits 0x7), v1 half*1 + odd*2 + last*4 (bits");
  EXPECT_HAS(result.out, "; v2 column*4 + half*-32 (bits 0x1c)\n");
  EXPECT_HAS(result.out, "; v4 lane*4 (bits 0xfc)\n");
}

TEST_F(JitCommand, CalledAndLeft) {
  const Result called = crosslane({"jit", kernel("v_mov_b32_e32 v2, 0\n image_load v[4:7], v[0:3], s[8:15] dmask:0xf\n"
                                                 "s_waitcnt vmcnt(0)")});
  EXPECT_EQ(called.status, 0) << called.err;
  EXPECT_HAS(called.out, "4 instructions in 1 blocks: 3 translated, 1 called, 0 left");
  EXPECT_HAS(called.out, "\n  called: image_load 1\n");
  EXPECT_HAS(called.out, "; called; v[4:7] vector; 2 checkpoints\n");
  const Result left = crosslane({"jit", input("trap.s")});
  EXPECT_EQ(left.status, 0) << left.err;
  EXPECT_HAS(left.out, "\n  left to the interpreter: s_trap 1\n");
  EXPECT_HAS(left.out, "; left to the interpreter; asks\n");
}

// One with one call, and some with several, one of which keeps a register's lanes that are off.
TEST_F(JitCommand, FunctionsAreTranslated) {
  const auto source = [&](const std::string& body) {
    std::string path = folder_ / "functions.cl";
    std::ofstream(path) << R"(
__attribute__((noinline)) static uint one(uint a) { for (uint i = 0; i < (a & 7); ++i) a = a * 3 + i; return a; }
__attribute__((noinline)) static uint two(uint a, uint b) { return one(a) ^ one(b); }
kernel void f(global uint* p) { uint i = get_global_id(0); p[i] = )"
                        << body << "; }\n";
    return path;
  };
  const Result single = crosslane({"jit", source("one(i)")});
  EXPECT_HAS(single.out, " 0 called, 0 left to the interpreter, 0 never reached");
  EXPECT_TRUE(std::regex_search(single.out, std::regex("s_setpc_b64 s.30:31. *; 1 guard; asks"))) << single.out;
  const Result several = crosslane({"jit", source("two(one(i), two(i, 5))")});
  EXPECT_HAS(several.out, " 0 called, 0 left to the interpreter, 0 never reached");
}

TEST_F(JitCommand, LoopsAreEnteredFromTheInterpreter) {
  const Result result = crosslane({"jit", kernel("s_movk_i32 s8, 100\n.Lagain:\n s_sub_u32 s8, s8, 1\n"
                                                 "s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 .Lagain")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, ", EXEC full; waves come back here; from the interpreter too");
  // Lanes go different ways, and EXEC is full again at each label: the loop is entered at its head alone.
  const auto heads_in = [](const std::string& text) {
    size_t heads = 0;
    for (size_t at = 0; (at = text.find("; waves come back here", at)) != std::string::npos; ++at)
      ++heads;
    return heads;
  };
  std::string ifs = "s_movk_i32 s8, 100\n s_mov_b64 s[10:11], exec\n.Lagain:\n";
  for (const char* label : {".La", ".Lb", ".Lc"})
    ifs += fmt::format("v_cmp_lt_u32_e32 vcc, s8, v2\n s_and_saveexec_b64 s[12:13], vcc\n s_cbranch_execz {0}\n"
                       "v_add_u32_e32 v2, 3, v2\n{0}:\n s_mov_b64 exec, s[10:11]\n v_xor_b32_e32 v2, s8, v2\n",
                       label);
  ifs += "s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 .Lagain\n global_store_dword v0, v2, s[4:5]";
  EXPECT_EQ(heads_in(crosslane({"jit", kernel(ifs), "--block", "40"}).out), 1u); // nobody has all lanes
  EXPECT_EQ(heads_in(crosslane({"jit", kernel(ifs), "--block", "100"}).out), 2u);
}

// Each store to LDS may go over what was read, so that all registers are kept before it: in a frame, in the Wave, and
// from the one to the other.
TEST_F(JitCommand, LargeUnitsTakeNoRanges) {
  const auto with_stores = [&](int stores) {
    std::string text = "v_lshlrev_b32_e32 v2, 2, v0\n s_mov_b32 m0, -1\n ds_read_b128 v[4:7], v2\n"
                       "ds_read_b128 v[8:11], v2 offset:512\n ds_read_b128 v[12:15], v2 offset:1024\n"
                       "s_waitcnt lgkmcnt(0)\n .rept " +
                       std::to_string(stores) +
                       "\n ds_read_b32 v3, v4\n s_waitcnt lgkmcnt(0)\n ds_write_b32 v5, v3\n.endr\n";
    for (int v = 4; v < 16; v += 4)
      text += fmt::format("ds_write_b128 v2, v[{}:{}]\n", v, v + 3);
    return crosslane({"jit", kernel(text, "gfx900", ".amdhsa_group_segment_fixed_size 4096"), "--block", "256"}).out;
  };
  EXPECT_HAS(with_stores(3), "\n  goes from workgroup to workgroup by itself\n");
  const std::string large = with_stores(150);
  EXPECT_HAS(large, " 0 called, 0 left to the interpreter");
  EXPECT_EQ(large.find("goes from workgroup to workgroup"), std::string::npos) << large;
}

TEST_F(JitCommand, NotCompiled) {
  const std::string too_long = kernel(".rept 4001\n s_nop 0\n .endr");
  const Result result = crosslane({"jit", too_long});
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.out, "not compiled: the kernel is too large, and no loop of it can be compiled by itself\n");
  const Result as_json = crosslane({"jit", too_long, "--json"});
  EXPECT_EQ(as_json.status, 1);
  const auto json = nlohmann::json::parse(as_json.out);
  EXPECT_FALSE(json["kernels"][0]["compiled"].get<bool>());
  EXPECT_EQ(json["kernels"][0]["why_not"], "the kernel is too large, and no loop of it can be compiled by itself");
}

TEST_F(JitCommand, ByALinkToTheProgram) {
  const std::string link = folder_ / "crosslane";
  ASSERT_EQ(symlink(CROSSLANE, link.c_str()), 0);
  const Result result = run(link, {"jit", input("twice.s")});
  EXPECT_EQ(result.status, 0) << result.out << result.err;
}

TEST_F(JitCommand, EachKernelOrOne) {
  const Result all = crosslane({"jit", input("math.cl")});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_HAS(all.out, "\nkernel atomics\n");
  EXPECT_HAS(all.out, "\nkernel native\n");
  const Result one = crosslane({"jit", input("math.cl"), "--kernel", "atomics", "--target", "gfx906"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_HAS(one.out, " for gfx906");
  EXPECT_FALSE(contains(one.out, "kernel native"));
}

TEST_F(JitCommand, IrAndHostCode) {
  const Result result = crosslane({"jit", input("twice.s"), "--ir", "--asm"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "\nLLVM IR:\n; ModuleID = 'unit'");
  EXPECT_HAS(result.out, "llvm.experimental.constrained.fadd.v16f32(");
  EXPECT_HAS(result.out, "\nhost code:\n");
  EXPECT_HAS(result.out, "  # 00131c v_add_f32_e32 v1, v1, v1\n    vaddps\t");
  // Which instruction comes first there depends on the host's CPU.
  const size_t masked = result.out.find("(EXEC perhaps not full)\n");
  ASSERT_NE(masked, std::string::npos);
  EXPECT_HAS(result.out.substr(masked, result.out.find("\n  # ", masked) - masked), "    vaddps\t");
  EXPECT_HAS(result.out, " on the host\n");
  EXPECT_FALSE(contains(result.out, "!dbg"));
}

TEST_F(JitCommand, Json) {
  const auto kernel_of = [](const std::vector<std::string>& words) {
    const Result result = crosslane(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out)["kernels"][0];
  };
  const auto plain = kernel_of({"jit", input("twice.s"), "--json"});
  EXPECT_EQ(plain["kernel"], "twice");
  EXPECT_EQ(plain["instructions"], 13);
  EXPECT_EQ(plain["workgroup"], (std::vector{256, 1, 1}));
  const auto& shift = plain["versions"][0]["instructions"][1];
  EXPECT_EQ(shift["text"], "v_lshlrev_b32_e32 v0, 2, v0");
  EXPECT_EQ(shift["address"], 0x1308);
  EXPECT_EQ(shift["how"], "translated");
  EXPECT_EQ(shift["written"][0]["register"], "v0");
  EXPECT_EQ(shift["written"][0]["column"], 4);
  EXPECT_EQ(shift["written"][0]["odd"], 64);
  EXPECT_EQ(shift["written"][0]["last"], 128);
  uint64_t guards = 0, asked = 0;
  for (const auto& version : plain["versions"])
    for (const auto& i : version["instructions"])
      guards += i["guards"].get<uint64_t>(), asked += i["asked"].get<uint64_t>();
  EXPECT_GT(guards, 0u);
  EXPECT_EQ(plain["guards"], guards);
  EXPECT_EQ(plain["asked"], asked);
  EXPECT_GT(plain["seconds"]["generate"], 0);
  EXPECT_FALSE(plain.contains("ir"));
  // Where code comes from is told without changing it.
  const auto with_assembly = kernel_of({"jit", input("twice.s"), "--json", "--asm", "--ir"});
  EXPECT_GT(plain["code_bytes"], 100);
  EXPECT_EQ(with_assembly["code_bytes"], plain["code_bytes"]);
  EXPECT_EQ(with_assembly["ir_instructions"], plain["ir_instructions"]);
  EXPECT_TRUE(with_assembly.contains("ir") && with_assembly.contains("assembly"));
  EXPECT_EQ(with_assembly["versions"][0]["instructions"][2]["host_instructions"], 0); // s_waitcnt
  EXPECT_GE(with_assembly["versions"][0]["instructions"][5]["host_instructions"], 4); // four rows are added
}

TEST_F(JitCommand, Mistakes) {
  EXPECT_EQ(crosslane({"jit"}).status, 2);
  EXPECT_HAS(crosslane({"jit"}).err, "jit needs a file");
  const Result unknown = crosslane({"jit", input("twice.s"), "--kernel", "x"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_HAS(unknown.err, "'x'");
  EXPECT_EQ(crosslane({"jit", input("twice.s"), "--block", "64,x"}).status, 2);
  EXPECT_HAS(crosslane({"jit", input("twice.s"), "--block", "1024,2"}).err, "takes at most 1024");
  EXPECT_HAS(crosslane({"jit", input("trap_handler.s")}).err, "has no kernels");
  const std::string source = folder_ / "required.cl";
  std::ofstream(source) << "__attribute__((reqd_work_group_size(32, 2, 1))) kernel void f(global int* a) { *a = 1; }\n";
  EXPECT_HAS(crosslane({"jit", source}).out, "for workgroups of 32,2,1 (the kernel requires them)");
  EXPECT_HAS(crosslane({"jit", source, "--block", "64"}).err, "f requires workgroups of 32,2,1, not 64,1,1");
}

// As on a host that compiles nothing.
TEST(JitCommandHost, WithoutAvx2) {
  const char* level = std::getenv("CROSSLANE_LEVEL");
  const std::string before = level ? level : "";
  setenv("CROSSLANE_LEVEL", "v1", 1);
  const Result result = crosslane({"jit", input("twice.s")});
  level ? setenv("CROSSLANE_LEVEL", before.c_str(), 1) : unsetenv("CROSSLANE_LEVEL");
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_HAS(result.out, "not compiled: this host has no AVX2");
}

} // namespace
} // namespace crosslane::cli::test
