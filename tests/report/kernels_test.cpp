// The table of kernels and its JSON.
#include "report/kernels.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crosslane::report {

using namespace findings;
namespace {

KernelStats vadd() {
  KernelStats k;
  k.name = "_Z4vaddPKfS0_Pfi", k.target = "gfx900", k.card = "vega10";
  k.launches = 3, k.instructions = 1500000, k.waves = 48, k.workgroups = 12, k.seconds = 0.01;
  k.grid[0] = 1000, k.block[0] = 256;
  k.vgprs = 8, k.sgprs = 16;
  return k;
}

KernelStats fill() {
  KernelStats k;
  k.name = "__amd_rocclr_fillBufferAligned.kd", k.target = "gfx900", k.card = "vega10";
  k.launches = 1, k.instructions = 500000, k.waves = 4, k.workgroups = 1, k.seconds = 0.03;
  k.grid[0] = 64, k.grid[1] = 4, k.block[0] = 16, k.block[1] = 2, k.block[2] = 2, k.varied = true;
  k.vgprs = 24, k.sgprs = 104, k.lds_bytes = 65536, k.scratch_bytes = 512;
  return k;
}

TEST(KernelTable, LongestFirstAndTheSum) {
  const KernelStats kernels[] = {vadd(), fill()};
  EXPECT_EQ(table(kernels),
            "kernels on vega10 (gfx900)\n"
            "  launches   grid    block  VGPRs  SGPRs    LDS  scratch  waves  wave-instr.  host ms   MIPS  kernel\n"
            "         1  64x4*  16x2x2*     24    104  65536      512      4       500000   30.000   16.7  "
            "__amd_rocclr_fillBufferAligned\n"
            "         3   1000      256      8     16      0        0     48      1500000   10.000  150.0  vadd\n"
            "         4                                                   52      2000000   40.000   50.0  all\n"
            "  grid, block: work-items; LDS: bytes of a workgroup; scratch: bytes of a work-item; MIPS: millions of "
            "wave-instructions per second\n"
            "  *: of the last launch; launches before it differed\n");
}

TEST(KernelTable, OneKernelHasNoSumAndNoneALine) {
  const KernelStats one[] = {vadd()};
  const std::string text = table(one);
  EXPECT_EQ(text.find("  all\n"), std::string::npos);
  EXPECT_EQ(text.find('*'), std::string::npos);
  EXPECT_NE(text.find("  150.0  vadd\n"), std::string::npos);
  EXPECT_EQ(table(std::span<const KernelStats>()), "kernels: none was launched\n");
}

TEST(KernelTable, CardsAndAccumulationRegisters) {
  KernelStats kernels[] = {vadd(), vadd()};
  kernels[1].card = "mi100", kernels[1].target = "gfx908", kernels[1].agprs = 4, kernels[1].seconds = 0;
  const std::string text = table(kernels);
  EXPECT_TRUE(text.starts_with("kernels\n")) << text;
  EXPECT_NE(text.find("  150.0  vega10 (gfx900)  vadd\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    8+4     16"), std::string::npos) << text;
  EXPECT_NE(text.find("    0.0  mi100 (gfx908)   vadd\n"), std::string::npos) << text;
  EXPECT_NE(text.find("accumulation registers"), std::string::npos) << text;
}

TEST(KernelTable, InstancesOfATemplateDiffer) {
  // scan_kernel<cfg<cfg<float, 1>, 8>, ...> and <cfg<cfg<float, 1>, 9>, ...>, which are too long for the table.
  KernelStats kernels[] = {vadd(), vadd()};
  kernels[0].name = "_ZN2rp6detail11scan_kernelINS0_3cfgINS2_IfLi1EEELi8EEEPKNS2_IdLi2EEENS_3BigEEEvT_T0_PT1_";
  kernels[1].name = "_ZN2rp6detail11scan_kernelINS0_3cfgINS2_IfLi1EEELi9EEEPKNS2_IdLi2EEENS_3BigEEEvT_T0_PT1_";
  const std::string text = table(kernels);
  EXPECT_NE(text.find("cfg<float, 1>, 8>"), std::string::npos) << text;
  EXPECT_NE(text.find("cfg<float, 1>, 9>"), std::string::npos) << text;
  // The same kernel on two cards is one name.
  kernels[1].name = kernels[0].name, kernels[1].card = "other";
  EXPECT_NE(table(kernels).find("  rp::detail::scan_kernel<...>\n"), std::string::npos);
}

TEST(KernelTable, Json) {
  const KernelStats kernels[] = {vadd(), fill()};
  const auto document = nlohmann::json::parse(json(kernels));
  ASSERT_EQ(document["kernels"].size(), 2u);
  const auto& k = document["kernels"][0];
  EXPECT_EQ(k["name"], "_Z4vaddPKfS0_Pfi");
  EXPECT_EQ(k["readable"], "vadd(float const*, float const*, float*, int)");
  EXPECT_EQ(k["launches"], 3);
  EXPECT_EQ(k["waves"], 48);
  EXPECT_EQ(k["workgroups"], 12);
  EXPECT_DOUBLE_EQ(k["seconds"], 0.01);
  EXPECT_DOUBLE_EQ(k["mips"], 150.0);
  EXPECT_EQ(k["grid"], nlohmann::json({1000, 1, 1}));
  EXPECT_EQ(document["kernels"][1]["block"], nlohmann::json({16, 2, 2}));
  EXPECT_EQ(document["kernels"][1]["varied"], true);
  EXPECT_EQ(document["kernels"][1]["scratch_bytes"], 512);
  EXPECT_EQ(document["profiles"].size(), 0u);
  EXPECT_EQ(nlohmann::json::parse(json(std::span<const KernelStats>()))["kernels"].size(), 0u);
}

TEST(KernelTable, JsonWithBranches) {
  views::BranchSite site;
  site.counts = {8, 3, 1, 512, 128};
  const BranchReport profiles[] = {{"_Z4vaddPKfS0_Pfi", "gfx900", std::span(&site, 1), {}}};
  const auto document = nlohmann::json::parse(json({}, profiles));
  ASSERT_EQ(document["profiles"].size(), 1u);
  const auto& profile = document["profiles"][0];
  EXPECT_EQ(profile["kernel"], "_Z4vaddPKfS0_Pfi");
  EXPECT_EQ(profile["readable"], "vadd(float const*, float const*, float*, int)");
  EXPECT_EQ(profile["branches"][0]["executions"], 8);
}

} // namespace
} // namespace crosslane::report
