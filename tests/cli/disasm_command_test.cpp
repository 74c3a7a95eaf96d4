// crosslane disasm.
#include "tests/cli/command.h"
#include <algorithm>

namespace crosslane::cli::test {
namespace {

TEST(DisasmCommand, FileWithLabelsLinesAndDescriptor) {
  const Result result = crosslane({"disasm", input("twice.s")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "for gfx906");
  EXPECT_HAS(result.out, "\ntwice:\n");
  EXPECT_HAS(result.out,
             "s[0:3] private_segment_buffer, s[4:5] kernarg_segment_ptr, s6 workgroup_id_x, v0 work-item id");
  EXPECT_HAS(result.out, "twice.s:15\n  s_and_saveexec_b64 s[6:7], vcc ");
  EXPECT_HAS(result.out, "// 001324: be86206a\n");
  // The label of the branch is the label before its target.
  const size_t branch = result.out.find("s_cbranch_execz L");
  ASSERT_NE(branch, std::string::npos);
  const std::string label = result.out.substr(branch + 16, result.out.find(' ', branch + 16) - branch - 16);
  const size_t target = result.out.find("\n" + label + ":\n");
  ASSERT_NE(target, std::string::npos) << label;
  EXPECT_LT(target, result.out.find("s_or_b64 exec"));
}

TEST(DisasmCommand, Options) {
  const Result result = crosslane({"disasm", input("math.cl"), "--kernel", "atomics", "--target", "gfx803",
                                   "--no-addresses", "--no-source", "--no-descriptors"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "\natomics:\n");
  EXPECT_HAS(result.out, "\n  s_endpgm\n");
  for (const char* absent : {"native:", "//", "math.cl:4", "; kernel"})
    EXPECT_FALSE(contains(result.out, absent)) << absent;
  EXPECT_HAS(crosslane({"disasm", input("math.cl"), "--kernel", "x"}).err, "has no kernel 'x'");
}

TEST(DisasmCommand, Uops) {
  const Result result = crosslane({"disasm", input("twice.s"), "--uops", "--no-addresses", "--no-source"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "\n  s_and_saveexec_b64 s[6:7], vcc\n    ; save_exec dst=s6 a=vcc_lo");
  EXPECT_HAS(result.out, "\n  s_endpgm\n    ; end\n");
}

TEST(DisasmCommand, FunctionsOfCppAreDemangled) {
  const Result all = crosslane({"disasm", input("templates.hip"), "--no-source"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_HAS(all.out, "\n; kernel shapes::scale<3, shapes::Box>(shapes::Box* data, float by)\n");
  EXPECT_HAS(all.out, "\n; kernel (anonymous namespace)::hidden(float* out)\n");
  EXPECT_HAS(all.out, "\n_Z5twicefi:  ; twice(float, int)\n");
  for (const char* name : {"twice", "twice(float,int)", "_Z5twicefi"}) {
    const Result one = crosslane({"disasm", input("templates.hip"), "--kernel", name});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_HAS(one.out, "\n_Z5twicefi:  ; twice(float, int)\n");
    EXPECT_FALSE(contains(one.out, "hidden")) << one.out;
  }
}

TEST(DisasmCommand, Gfx6AndGfx7) {
  for (const char* target : {"gfx602", "gfx704"}) {
    const Result result = crosslane({"disasm", input("math.cl"), "--kernel", "atomics", "--target", target});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_HAS(result.out, std::string("for ") + target);
    EXPECT_HAS(result.out, "\n  s_load_dwordx2 s[0:1], s[4:5], 0x0 ");
    EXPECT_HAS(result.out, "\n  s_endpgm ");
    EXPECT_FALSE(contains(result.out, ".long")) << result.out;
    EXPECT_EQ(crosslane({"disasm", "--target", target, "--hex"}, "c0c20d04\n").out,
              "s_load_dwordx8 s[4:11], s[12:13], 0x4\n");
  }
}

TEST(DisasmCommand, OneLineOutForEachLineIn) {
  const Result result = crosslane({"disasm", "--target", "gfx900", "--hex"},
                                  "7e000280\n0x80,0x02,0x00,0x7e\r\n\nzz\nd8ec0000 00000000\n0xbf810000");
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.err,
            "crosslane: 2 of 6 lines are no instruction of gfx900, the first one line 3: see 'error:' in the output\n");
  ASSERT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 6) << result.out;
  EXPECT_TRUE(result.out.starts_with("v_mov_b32_e32 v0, 0\nv_mov_b32_e32 v0, 0\nerror: ")) << result.out;
  EXPECT_TRUE(result.out.ends_with("\ns_endpgm\n")) << result.out;
}

TEST(DisasmCommand, HexOfManyLines) {
  std::string in, expected;
  for (int i = 0; i < 50000; ++i)
    in += "0xbf810000\n", expected += "s_endpgm\n";
  const Result result = crosslane({"disasm", "--target", "gfx906", "--hex"}, in);
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.out == expected);
  EXPECT_EQ(crosslane({"disasm", "--target", "gfx906", "--hex"}, "").out, "");
}

} // namespace
} // namespace crosslane::cli::test
