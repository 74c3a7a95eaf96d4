// The branch table and its JSON.
#include "findings/branches.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crosslane::findings {
namespace {

std::vector<views::BranchSite> sites() {
  views::BranchSite saveexec, scc;
  saveexec.pc = 0x1024, saveexec.function = "k", saveexec.offset = 0x24, saveexec.per_lane = true;
  saveexec.instruction = "s_and_saveexec_b64 s[6:7], vcc", saveexec.source = "k.cl:4:7";
  saveexec.counts = {8, 3, 1, 512, 128};
  scc.pc = 0x1030, scc.offset = 0x1030, scc.instruction = "s_cbranch_scc0 4";
  scc.counts = {100, 60, 40, 6400, 3840};
  return {saveexec, scc};
}

TEST(BranchTable, Text) {
  const auto rows = sites();
  EXPECT_EQ(table({"k", "gfx900", rows, {}}),
            "branches of k (gfx900)\n"
            "  executions agree diverge diverge % lanes cond. lanes  place   instruction                     source\n"
            "           8     4       4      50.0  64.0        16.0  k+0x24  s_and_saveexec_b64 s[6:7], vcc  k.cl:4:7\n"
            "         100   100       0       0.0  64.0        38.4  0x1030  s_cbranch_scc0 4\n"
            "  where lanes decide for themselves: 8 executions, 4 divergences (50.0 %)\n");
  EXPECT_EQ(table({"k", "gfx900", {}, {}}), "branches of k (gfx900)\n  no branch ran, and nothing took lanes away\n");
}

TEST(BranchTable, ShortNames) {
  auto rows = sites();
  rows[0].function = "_Z5scaleILi4EEvPf";
  EXPECT_NE(table({"k", "gfx900", rows, {}}).find("  scale<4>+0x24  s_and_saveexec_b64"), std::string::npos);
}

TEST(BranchTable, Json) {
  const auto rows = sites();
  views::WaveBranch wave;
  wave.workgroup[0] = 2, wave.wave = 1, wave.pc = 0x1030, wave.counts = {5, 5, 0, 320, 320};
  const auto document = nlohmann::json::parse(json({"k", "gfx900", rows, std::span(&wave, 1)}));
  EXPECT_EQ(document["kernel"], "k");
  EXPECT_EQ(document["branches"].size(), 2u);
  EXPECT_EQ(document["branches"][0]["divergences"], 4);
  EXPECT_EQ(document["branches"][0]["source"], "k.cl:4:7");
  EXPECT_EQ(document["waves"][0]["branch"], 1);
  EXPECT_EQ(document["waves"][0]["workgroup"][0], 2);
  EXPECT_EQ(document["waves"][0]["executions"], 5);
  EXPECT_FALSE(nlohmann::json::parse(json({"k", "gfx900", rows, {}})).contains("waves"));
}

} // namespace
} // namespace crosslane::findings
