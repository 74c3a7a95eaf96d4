// crosslane isa. Opcodes and names are the manuals', not the rows'.
#include "isa/target.h"
#include "tests/cli/command.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

std::string out(std::vector<std::string> words) {
  words.insert(words.begin(), "isa");
  const Result result = crosslane(words);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}
size_t lines(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

TEST(IsaCommand, Table) {
  const std::string all = out({});
  EXPECT_TRUE(all.starts_with("instruction ")) << all.substr(0, 100);
  EXPECT_GT(lines(all), 1200u);
  EXPECT_HAS(all, "\nv_add_f32 ");
  EXPECT_HAS(all, "\nexp ");
  EXPECT_HAS(all, "fault: graphics: exports to the rasteriser\n");
  for (size_t at = 0; (at = all.find(" \n", at)) != std::string::npos; ++at)
    ADD_FAILURE() << "blank at the end of a line, at " << at;
}

TEST(IsaCommand, Filters) {
  EXPECT_EQ(out({"v_dot4_*"}), "instruction    encoding  forms  on       timing  fidelity\n"
                               "v_dot4_i32_i8  VOP3P     e64    gfx906+  valu    exact\n"
                               "v_dot4_u32_u8  VOP3P     e64    gfx906+  valu    exact\n");
  EXPECT_HAS(crosslane({"isa", "v_dot*", "--target", "gfx900"}).err, "gfx900 has no instruction 'v_dot*'");
  const std::string sopc = out({"--target", "gfx803", "--encoding", "sopc"});
  EXPECT_EQ(lines(sopc), 1u + 20); // GCN3 manual, "SOPC instructions": opcodes 0 to 19
  EXPECT_FALSE(contains(sopc, "VOP"));
  // A name finds whatever some target calls so; with a target, what that one does.
  EXPECT_HAS(out({"v_add_u32"}), "gfx8    0x19    v_add_u32");
  EXPECT_HAS(out({"v_add_u32"}), "gfx9    0x34    v_add_u32");
  EXPECT_FALSE(contains(out({"v_add_u32", "--target", "gfx900"}), "v_add_co_u32"));
}

TEST(IsaCommand, Detail) {
  const std::string rcp = out({"v_rcp_f32"});
  EXPECT_TRUE(rcp.starts_with("v_rcp_f32\n  encoding   VOP1\n  operands   D F32, S0 F32\n")) << rcp;
  EXPECT_HAS(rcp, "  fidelity   approximate: 0.5 ulp (hardware: 1 ulp");
  EXPECT_HAS(rcp, "  gfx6    0x2a    v_rcp_f32  gfx600 gfx601 ");
  EXPECT_HAS(rcp, "  gfx8    0x22    v_rcp_f32  gfx801 ");
  EXPECT_HAS(rcp, "  e64   executes  v_rcp_f32_e64 ");
  EXPECT_EQ(out({"v_rcp_f32_e64"}), rcp);
  EXPECT_EQ(out({"v_rcp_f32_sdwa"}), rcp);
  const std::string addc = out({"v_addc_co_u32"});
  EXPECT_HAS(addc, "  implicit   reads VCC; writes VCC\n");
  EXPECT_HAS(addc, "0x1c    v_addc_u32 ");
  EXPECT_HAS(out({"exp"}), "encoding   EXP, graphics");
  EXPECT_HAS(out({"exp"}), "base  graphics: exports to the rasteriser");
  EXPECT_HAS(out({"s_and_saveexec_b64"}), "reads EXEC; writes SCC, EXEC");
}

// What must hold whatever is implemented: every target, all of it decoded, and each count that of the list.
TEST(IsaCommand, Coverage) {
  const std::string all = out({"--coverage"});
  for (const isa::TargetInfo& target : isa::targets())
    EXPECT_HAS(all, std::string(target.name));
  const std::string gfx900 = out({"--coverage", "--target", "gfx900"});
  const size_t instructions = lines(out({"--target", "gfx900"})) - 1;
  EXPECT_HAS(gfx900, fmt::format("| gfx900  | {0} of {0} |", instructions));
  EXPECT_HAS(gfx900, "\ngraphics: exports to the rasteriser:\n  exp\n");
  EXPECT_HAS(crosslane({"isa", "--coverage", "v_*"}).err, "--coverage takes no other option than --target");
}

TEST(IsaCommand, Json) {
  const auto all = nlohmann::json::parse(out({"--json", "--target", "gfx900", "v_*_f32"}));
  ASSERT_GT(all.size(), 50u);
  const auto rcp = std::find_if(all.begin(), all.end(), [](const auto& i) { return i["instruction"] == "v_rcp_f32"; });
  ASSERT_NE(rcp, all.end());
  EXPECT_EQ((*rcp)["fidelity"]["exact"], false);
  EXPECT_EQ((*rcp)["fidelity"]["bound"], "0.5 ulp");
  EXPECT_EQ((*rcp)["targets"].size(), 1u);
  EXPECT_EQ((*rcp)["targets"][0]["opcode"], 0x22);
  EXPECT_EQ((*rcp)["targets"][0]["forms"].size(), 4u);
  EXPECT_EQ((*rcp)["operands"][1]["slot"], "S0");
  const auto exp = nlohmann::json::parse(out({"--json", "exp", "--target", "gfx900"}));
  EXPECT_EQ(exp[0]["graphics"], true);
  EXPECT_EQ(exp[0]["targets"][0]["forms"][0]["executes"], false);
}

TEST(IsaCommand, Operands) {
  EXPECT_EQ(out({"--operands", "s_and_saveexec_b64 s[0:1], vcc"}), "s_and_saveexec_b64 s[0:1], vcc  (gfx900)\n"
                                                                   "  dst       s[0:1]  written        B64\n"
                                                                   "  src0      vcc     read           B64\n"
                                                                   "  implicit  exec    read, written\n"
                                                                   "  implicit  SCC     written\n"
                                                                   "  implicit  EXECZ   written\n");
  const std::string bytes = out({"--operands", "0x7e000280", "--target", "gfx803"});
  EXPECT_TRUE(bytes.starts_with("v_mov_b32_e32 v0, 0  (gfx803)\n  dst       v0    written  B32\n")) << bytes;
  const std::string mac = out({"--operands", "v_mac_f16"});
  EXPECT_HAS(mac, "v_mac_f16_e32 v64, v0, v4  (gfx900)\n  dst       v64   read, written  F16  in part, bits 0xffff\n");
  EXPECT_HAS(mac, "\n\nv_mac_f16_e64 ");
  EXPECT_HAS(out({"--operands", "v_accvgpr_read_b32"}), "(gfx90a)"); // gfx900 has none
  EXPECT_HAS(out({"--operands", "v_readlane_b32"}), "whatever EXEC is");
  EXPECT_HAS(out({"--operands", "s_nop 0"}), "  no registers\n");
  const auto json = nlohmann::json::parse(out({"--operands", "--json", "s_load_dwordx2 s[4:5], s[0:1], 0x10"}));
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["operands"].size(), 2u);
  EXPECT_EQ(json[0]["operands"][1]["registers"], "s[4:5]");
  EXPECT_EQ(json[0]["operands"][1]["written"], true);
  EXPECT_EQ(json[0]["operands"][1]["dwords"], 2);
  EXPECT_HAS(crosslane({"isa", "--operands", "v_add_f32 v0"}).err, "v_add_f32 v0");
  EXPECT_HAS(crosslane({"isa", "--operands", "0x12"}).err, "whole dwords");
  EXPECT_HAS(crosslane({"isa", "--operands", "v_frobnicate"}).err, "no instruction 'v_frobnicate'");
}

} // namespace
} // namespace crosslane::cli::test
