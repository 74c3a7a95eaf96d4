// The fidelity report and its JSON.
#include "findings/fidelity.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crosslane::findings {
namespace {

const ApproximateUse uses[] = {{"v_exp_f32", 1200, "0.502 ulp", "polynomial"}, {"v_rcp_f32", 7, "0.5 ulp", "rounded"}};

TEST(FidelityReport, Text) {
  EXPECT_EQ(table(FidelityReport{"k", "gfx900", uses, 5000}),
            "fidelity of k (gfx900)\n"
            "  count  approximate  bound      why\n"
            "   1200  v_exp_f32    0.502 ulp  polynomial\n"
            "      7  v_rcp_f32    0.5 ulp    rounded\n"
            "  1207 of 5000 executed instructions are approximate, the others exact\n");
  EXPECT_EQ(table(FidelityReport{"k", "gfx900", {}, 42}),
            "fidelity of k (gfx900)\n  all 42 executed instructions are exact\n");
}

TEST(FidelityReport, Json) {
  const auto document = nlohmann::json::parse(json(FidelityReport{"k", "gfx900", uses, 5000}));
  EXPECT_EQ(document["kernel"], "k");
  EXPECT_EQ(document["fidelity"]["instructions"], 5000);
  EXPECT_EQ(document["fidelity"]["approximate"][1]["operation"], "v_rcp_f32");
  EXPECT_EQ(document["fidelity"]["approximate"][1]["count"], 7);
}

} // namespace
} // namespace crosslane::findings
