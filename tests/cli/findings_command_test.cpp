// What profiles of real kernels say of their accesses to memory, compiled by the launcher; and whether doing what they
// say helps.
#include "files/read.h"
#include "tests/cli/command.h"
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

using Json = nlohmann::json;

// The kernel of inputs/rows.hip, profiled.
Json profile(const std::string& name, const std::string& grid, const std::string& block,
             std::vector<std::string> arguments) {
  const Folder folder;
  std::vector<std::string> words = {"launch", input("rows.hip"), "--kernel", name,     "--grid",
                                    grid,     "--block",         block,      "--json", folder / "p.json"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Result result = crosslane(words);
  EXPECT_EQ(result.status, 0) << result.err;
  const auto bytes = value_of(files::read(folder / "p.json"));
  return Json::parse(bytes.begin(), bytes.end())["kernels"][0];
}

std::vector<Json> memory_findings(const Json& kernel) {
  std::vector<Json> found;
  for (const Json& f : kernel["findings"])
    if (f["unit"] == "cache lines")
      found.push_back(f);
  return found;
}

uint64_t lines_of(const Json& kernel) {
  uint64_t lines = 0;
  for (const Json& i : kernel["instructions"])
    for (const Json& m : i.value("memory", Json::array()))
      if (m["space"] == "global")
        lines += uint64_t(m["lines"]);
  return lines;
}

std::vector<std::string> stencil(int width) {
  const std::string w = std::to_string(width);
  return {"in=f32[65536]:iota", "out=f32[65536]", "w=" + w, "h=" + w};
}

// Rows of 16 lanes, 64 bytes, that begin a float before or behind a line: two lines each, 8. A row of 64 has 5. Three
// floats at once, from the left one on, are three lines a row, and 6.
TEST(FindingsCommand, AStencilInNarrowBlocksWantsWiderOnes) {
  for (const char* name : {"clamped", "wrapped", "inner"}) {
    SCOPED_TRACE(name);
    const Json narrow = profile(name, "256,256", "16,16", stencil(256));
    const auto findings = memory_findings(narrow);
    ASSERT_FALSE(findings.empty());
    for (const Json& f : findings) {
      const std::string advice = f["advice"], title = f["title"];
      EXPECT_HAS(title, "Rows of 16 lanes begin within a cache line");
      EXPECT_HAS(advice,
                 std::string("In a block of 64x4 it is one row: about ") + (name == std::string("inner") ? "6" : "5"));
      EXPECT_HAS(advice, "border included");
    }
    const Json wide = profile(name, "256,256", "64,4", stencil(256));
    EXPECT_LT(lines_of(wide), lines_of(narrow) * 9 / 10);
  }
}

// With rows of 1000 bytes every load has rows off the line. Whole lines between the rows mend what reads no neighbour
// in the row; nothing but a wider block what does.
TEST(FindingsCommand, AStencilWithOddRows) {
  for (const char* name : {"clamped", "wrapped", "inner"}) {
    SCOPED_TRACE(name);
    const Json narrow = profile(name, "250,250", "16,16", stencil(250));
    const auto findings = memory_findings(narrow);
    ASSERT_FALSE(findings.empty());
    for (const Json& f : findings) {
      const std::string advice = f["advice"], title = f["title"];
      EXPECT_HAS(title, "Rows of 1,000 bytes begin within a cache line");
      EXPECT_HAS(advice, "In a block of 64x4 it is one row");
      const std::string text = narrow["instructions"][int(f["instruction"])]["text"];
      if (text.starts_with("global_store"))
        EXPECT_HAS(advice, "(1,000 -> 1,024)");
    }
    EXPECT_LT(lines_of(profile(name, "250,250", "64,4", stencil(250))), lines_of(narrow) * 9 / 10);
  }
}

TEST(FindingsCommand, IndexesInNoOrderAreToBeSorted) {
  const Json kernel =
      profile("gather", "65536", "256", {"in=f32[65536]", "index=i32[65536]:random:1:0:65535", "out=f32[65536]"});
  const auto findings = memory_findings(kernel);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_HAS(std::string(findings[0]["title"]), "Lanes read all over memory");
  EXPECT_HAS(std::string(findings[0]["advice"]), "Sort the indexes");
}

TEST(FindingsCommand, ColumnsAreToBeStaged) {
  for (const char* block : {"16,16", "64,4", "32,8"}) {
    const Json kernel = profile("transpose", "256,256", block, {"in=f32[65536]:iota", "out=f32[65536]", "n=256"});
    const auto findings = memory_findings(kernel);
    ASSERT_FALSE(findings.empty());
    EXPECT_HAS(std::string(findings[0]["title"]), "Lanes are 1,024 bytes apart");
    EXPECT_HAS(std::string(findings[0]["advice"]), "stage a tile in __shared__ memory");
  }
}

TEST(FindingsCommand, StructuresAreToBeTakenApart) {
  for (const auto& [name, grid, block] :
       {std::tuple{"particles", "65536", "256"}, {"neighbours", "256,256", "16,16"}}) {
    std::vector<std::string> arguments = {"in=f32[393216]", "out=f32[65536]"};
    if (std::string(name) == "neighbours")
      arguments.push_back("w=256");
    const auto findings = memory_findings(profile(name, grid, block, arguments));
    ASSERT_EQ(findings.size(), 1u) << name;
    EXPECT_HAS(std::string(findings[0]["title"]), "Lanes are 24 bytes apart");
    EXPECT_HAS(std::string(findings[0]["advice"]), "4 of the 24 bytes of a structure");
  }
}

} // namespace
} // namespace crosslane::cli::test
