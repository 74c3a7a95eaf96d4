// crosslane asm.
#include "files/read.h"
#include "files/write.h"
#include "tests/cli/command.h"

namespace crosslane::cli::test {
namespace {

std::vector<uint8_t> bytes_of(const std::string& path) { return value_of(files::read(path)); }

TEST(AsmCommand, ShowsTextAndBytes) {
  const Result result = crosslane({"asm", "--target", "gfx900", "v_add_f32 v0, v1, v2", "x: s_branch x"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "  v_add_f32_e32 v0, v1, v2 ");
  EXPECT_HAS(result.out, " // 000000: 02000501\nx:\n  s_branch x ");
  EXPECT_HAS(result.out, " // 000004: bf82ffff\n");
}

TEST(AsmCommand, TargetDecides) {
  EXPECT_HAS(crosslane({"asm", "--target", "gfx803", "s_load_dword s0, s[2:3], 0x10"}).out, "c0020001 00000010");
  EXPECT_HAS(crosslane({"asm", "--target", "gfx701", "s_load_dword s0, s[2:3], 0x10"}).out, ": c0000310\n");
  EXPECT_HAS(crosslane({"asm", "--target", "gfx803", "global_load_dword v0, v[2:3], off"}).err,
             "is not an instruction of gfx803; gfx900 has it");
  const Result unknown = crosslane({"asm", "--target", "gfx1", "s_endpgm"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_HAS(unknown.err, "'gfx1' is not a target");
}

TEST(AsmCommand, HexIsWhatDisasmTakes) {
  const std::string text = "v_mov_b32_e32 v0, 0x123\ns_cbranch_scc0 65533\nds_write_b32 v1, v2 offset:4\ns_endpgm\n";
  const Result hex = crosslane({"asm", "-", "--hex"}, text);
  EXPECT_EQ(hex.status, 0) << hex.err;
  EXPECT_EQ(hex.out, "7e0002ff 00000123\nbf84fffd\nd81a0004 00000201\nbf810000\n");
  EXPECT_EQ(crosslane({"disasm", "--target", "gfx900", "--hex"}, hex.out).out, text);
}

TEST(AsmCommand, RawBytes) {
  const Folder folder;
  const Result result = crosslane({"asm", "-", "-o", folder / "code.bin"}, "s_nop 0\ns_endpgm");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(bytes_of(folder / "code.bin"), (std::vector<uint8_t>{0, 0, 0x80, 0xbf, 0, 0, 0x81, 0xbf}));
}

TEST(AsmCommand, EveryErrorWithItsLine) {
  const Folder folder;
  EXPECT_EQ(error_of(files::write(folder / "bad.s", std::string("s_nop 0\n\tv_add_f32 v0, s1, s2\n\nfrob\n"))), "");
  const Result result = crosslane({"asm", folder / "bad.s"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_HAS(result.err, "/bad.s:2:20: error: v_add_f32_e64 can read one scalar register or literal only, and another "
                         "operand already is one\n\tv_add_f32 v0, s1, s2\n\t                  ^\n");
  EXPECT_HAS(result.err, "/bad.s:4:1: error: 'frob' is not an instruction\nfrob\n^\n");
}

TEST(AsmCommand, ManyErrorsAreCounted) {
  std::string text;
  for (int k = 0; k < 30; ++k)
    text += "frob\n";
  EXPECT_HAS(crosslane({"asm", "-"}, text).err, "<standard input>: 10 more errors\n");
}

TEST(AsmCommand, KernelsBecomeCodeObjects) {
  const Folder folder;
  const Result result = crosslane({"asm", input("twice.s"), "-o", folder / "twice.co"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(crosslane({"disasm", folder / "twice.co"}).out, "\ntwice:\n");
  EXPECT_HAS(crosslane({"asm", input("twice.s")}).out, "\ntwice:\n"); // shown without a file for it
  const Result hex = crosslane({"asm", input("twice.s"), "--hex"});
  EXPECT_EQ(hex.status, 2);
  EXPECT_HAS(hex.err, "name it with -o");
  EXPECT_EQ(crosslane({"asm", "s_endpgm", "-o", folder / "end.co"}).status, 0);
  EXPECT_HAS(crosslane({"disasm", folder / "end.co"}).out, "code object");
}

TEST(AsmCommand, ErrorsOfKernels) {
  const Result result = crosslane({"asm", "-"}, ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\nfrob\n v_nop v1\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.err, "<standard input>:2:1: error: ");
  EXPECT_HAS(result.err, "<standard input>:3:");
}

TEST(AsmCommand, Usage) {
  EXPECT_EQ(crosslane({"asm"}).status, 2);
  EXPECT_HAS(crosslane({"asm", "nowhere.s"}).err, "nowhere.s");
  EXPECT_HAS(crosslane({"asm", "-", "s_nop 0"}).err, "asm takes one file, or instructions");
  EXPECT_HAS(crosslane({"asm", "--help"}).out, "crosslane asm --target gfx900 'v_add_f32 v0, v1, v2'");
}

} // namespace
} // namespace crosslane::cli::test
