// crosslane cfg.
#include "tests/cli/command.h"
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

TEST(CfgCommand, Text) {
  const Result result = crosslane({"cfg", input("twice.s")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "gfx906, 1 functions, 3 blocks, ");
  EXPECT_HAS(result.out, "\nkernel twice:\n  L1300: ");
  EXPECT_HAS(result.out, " fall_through\n");
  EXPECT_HAS(result.out, " branch\n");
  EXPECT_HAS(result.out, "VGPRs, EXEC");
}

TEST(CfgCommand, Json) {
  const Result result = crosslane({"cfg", input("twice.s"), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["functions"][0]["name"], "twice");
  ASSERT_EQ(json["blocks"].size(), 3u);
  EXPECT_EQ(json["blocks"][0]["exit"], "condition");
  EXPECT_EQ(json["blocks"][0]["edges"].size(), 2u);
  EXPECT_EQ(json["blocks"][2]["exit"], "ends");
  EXPECT_EQ(json["blocks"][2]["dominator"], json["blocks"][0]["begin"]);
  EXPECT_TRUE(json["unknowns"].empty());
}

TEST(CfgCommand, DotAndOneFunction) {
  const Result result = crosslane({"cfg", input("math.cl"), "--kernel", "atomics", "--dot"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("digraph")) << result.out;
  EXPECT_HAS(result.out, "[label=\"atomics\\l");
  EXPECT_FALSE(contains(result.out, "native"));
}

TEST(CfgCommand, Stats) {
  const Result result = crosslane({"cfg", input("math.cl"), "--stats"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "gfx900: 1 code objects, ");
  EXPECT_HAS(result.out, " s of one core: graph ");
}

TEST(CfgCommand, Mistakes) {
  EXPECT_EQ(crosslane({"cfg"}).status, 2);
  EXPECT_HAS(crosslane({"cfg", input("twice.s"), "--json", "--dot"}).err, "exclude one another");
  EXPECT_HAS(crosslane({"cfg", input("twice.s"), "--kernel", "x"}).err, "'x' is not a function");
}

} // namespace
} // namespace crosslane::cli::test
