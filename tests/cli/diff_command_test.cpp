// crosslane diff of what the real command writes.
#include "files/read.h"
#include "tests/cli/command.h"
#include <fstream>
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

using Json = nlohmann::json;

class DiffCommand : public ::testing::Test {
protected:
  // A launch of 64 work-items or more that writes a document; the stride is that of LDS.
  void launch(const std::string& name, int stride, std::vector<std::string> more) {
    std::ofstream(folder_ / "k.cl") << "kernel void shuffle(global int* x) {\n  local int l[64 * 32];\n"
                                       "  uint i = get_local_id(0);\n  l[i * STRIDE] = x[i];\n"
                                       "  x[i] = l[(63 - i) * STRIDE];\n}\n";
    std::vector<std::string> words = {
        "launch", folder_ / "k.cl", "--clang=-DSTRIDE=" + std::to_string(stride), "--grid", "64", "--block",
        "64",     "x=i32[64]:iota"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(folder_ / name);
    const Result result = crosslane(words);
    EXPECT_LT(result.status, 2) << result.err;
  }
  Result diff(std::vector<std::string> more, const char* before = "a.json", const char* after = "b.json") {
    more.insert(more.begin(), {"diff", folder_ / before, folder_ / after});
    return crosslane(more);
  }
  Json json(const std::string& name) {
    const auto bytes = value_of(files::read(folder_ / name));
    return Json::parse(bytes.begin(), bytes.end());
  }
  static double after(const Json& difference, const std::string& name) {
    for (const Json& v : difference["kernels"][0]["values"])
      if (v["name"] == name)
        return v["after"];
    ADD_FAILURE() << "no " << name;
    return 0;
  }

  Folder folder_;
};

TEST_F(DiffCommand, Profiles) {
  launch("a.json", 1, {"--profile", "all", "--json"});
  launch("b.json", 32, {"--profile", "all", "--json"});
  Result result = diff({"--json", folder_ / "d.json", "--html", folder_ / "d.html", "--fail-if", "lds_conflicts>+5%",
                        "--fail-if", "shuffle:SQ_WAVES!=+0"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_HAS(result.err, "crosslane: lds_conflicts>+5%: shuffle: lds_conflicts: 0 before, ");
  EXPECT_EQ(result.err.find("SQ_WAVES"), std::string::npos);
  EXPECT_HAS(result.out, "SQ_LDS_BANK_CONFLICT");
  EXPECT_EQ(result.out.find("SQ_WAVES"), std::string::npos); // the same
  EXPECT_HAS(result.out, "+ ");                              // a finding
  const Json d = json("d.json");
  // Our sums are the counters that the profile has of the same, and its totals.
  const Json kernel = json("b.json")["kernels"][0];
  for (const Json& c : kernel["counters"])
    if (c["name"] == "SQ_LDS_BANK_CONFLICT")
      EXPECT_EQ(after(d, "lds_conflicts"), c["value"].get<double>());
    else if (c["name"] == "SQ_LDS_IDX_ACTIVE")
      EXPECT_EQ(after(d, "lds_cycles"), c["value"].get<double>());
  EXPECT_GT(after(d, "lds_conflicts"), 0);
  EXPECT_EQ(after(d, "wave_instructions"), kernel["wave_instructions"].get<double>());
  EXPECT_EQ(diff({"--fail-if", "SQ_WAVES!=+0", "--fail-if", "vgprs>=+1"}).status, 0);
  result = diff({}, "a.json", "a.json");
  EXPECT_HAS(result.out, "the same: shuffle\nfindings: 0 new");
  result = diff({"--json", "-"});
  EXPECT_EQ(Json::parse(result.out)["crosslane_diff"], 1);
  EXPECT_HAS(result.err, "SQ_LDS_BANK_CONFLICT");
}

TEST_F(DiffCommand, Times) {
  launch("a.json", 1, {"--time", "--json"});
  launch("b.json", 32, {"--time", "--json"});
  const Result result = diff({"--fail-if", "busy_cycles.lds>+1%", "--fail-if", "waves!=+0"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_HAS(result.err, "busy_cycles.lds>+1%: shuffle: busy_cycles.lds: ");
}

TEST_F(DiffCommand, Findings) {
  launch("a.json", 1, {"--check", "memory", "--findings"});
  std::ofstream(folder_ / "bad.cl") << "kernel void k(global int* x) { x[get_global_id(0) + 1] = 1; }\n";
  EXPECT_EQ(crosslane({"launch", folder_ / "bad.cl", "--grid", "50", "x=i32[50]", "--check", "memory", "--findings",
                       folder_ / "b.json"})
                .status,
            1);
  const Result result = diff({"--fail-if", "new_findings>0", "--fail-if", "errors>0"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_HAS(result.out, "findings: 1 new, 0 gone, 0 the same\n+ ");
  EXPECT_HAS(result.out, "bad.cl:1:");
  EXPECT_HAS(result.out, "[memory-bounds]");
  EXPECT_EQ(diff({"--fail-if", "new_findings>0"}, "b.json", "b.json").status, 0);
}

TEST_F(DiffCommand, CountersOfProbes) {
  launch("k.json", 1, {"--profile", "branches", "--json"});
  ASSERT_EQ(
      crosslane({"instrument", folder_ / "k.cl", "--clang=-DSTRIDE=1", "--probe", "blocks", "-o", folder_ / "k.co"})
          .status,
      0);
  for (const char* grid : {"64", "128"})
    ASSERT_EQ(crosslane({"launch", folder_ / "k.co", "--grid", grid, "--block", "64", "x=i32[64]", "--counters",
                         folder_ / (grid + std::string(".json"))})
                  .status,
              0);
  const Result result =
      diff({"--fail-if", "wave_instructions==+100%", "--fail-if", "waves_recorded==2"}, "64.json", "128.json");
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.err, "wave_instructions==+100%: ");
  EXPECT_HAS(result.err, "waves_recorded==2: ");
}

TEST_F(DiffCommand, LinesAndBranches) {
  launch("a.json", 1, {"--profile", "all", "--json"});
  launch("b.json", 32, {"--profile", "all", "--json"});
  const Result result = diff({}, "a.json", "b.json");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "  line ");
  EXPECT_HAS(result.out, "k.cl:");
  EXPECT_HAS(result.out, "conflict_cycles\n");
}

TEST_F(DiffCommand, EstimatesOfTiming) {
  launch("k.json", 1, {"--profile", "branches", "--json"});
  for (const char* stride : {"1", "32"}) {
    const Result timing = crosslane({"timing", folder_ / "k.cl", std::string("--clang=-DSTRIDE=") + stride, "--json"});
    ASSERT_EQ(timing.status, 0) << timing.err;
    std::ofstream(folder_ / (stride + std::string(".json"))) << timing.out;
  }
  const Result same = diff({"--fail-if", "*!=+0"}, "1.json", "1.json");
  EXPECT_EQ(same.status, 0) << same.err;
  const Result result = diff({"--fail-if", "instructions!=+0", "--html", folder_ / "d.html"}, "1.json", "32.json");
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_HAS(result.out, "estimates: ");
}

TEST_F(DiffCommand, OutcomesOfTests) {
  launch("k.json", 1, {"--profile", "branches", "--json"});
  const auto test = [&](const std::string& expected, const char* json) {
    std::ofstream(folder_ / "t.toml") << "file = 'k.cl'\nclang = '-DSTRIDE=1'\ngrid = 64\nblock = 64\n[args]\nx = "
                                         "'i32[64]'\n[expect]\nx = '"
                                      << expected << "'\n";
    return crosslane({"test", folder_ / "t.toml", "--json", folder_ / json}).status;
  };
  const std::string out = crosslane({"launch", folder_ / "k.cl", "--clang=-DSTRIDE=1", "--grid", "64", "--block", "64",
                                     "x=i32[64]", "--out", "x=" + (folder_ / "x.npy")})
                              .err;
  ASSERT_EQ(test("x.npy", "good.json"), 0) << out;
  ASSERT_EQ(test("i32[64]:77", "bad.json"), 1);
  const Result same = diff({"--fail-if", "new_findings>0", "--fail-if", "failed>0"}, "good.json", "good.json");
  EXPECT_EQ(same.status, 0) << same.err;
  const Result result = diff({"--fail-if", "new_findings>0", "--fail-if", "*t.toml:passes<1"}, "good.json", "bad.json");
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_HAS(result.out, "findings: 1 new");
  EXPECT_HAS(result.out, "elements differ");
  EXPECT_HAS(result.err, "passes: 1 before, 0 after");
}

TEST_F(DiffCommand, BadUse) {
  launch("a.json", 1, {"--profile", "all", "--json"});
  launch("b.json", 1, {"--time", "--json"});
  EXPECT_EQ(diff({}).status, 2);
  EXPECT_HAS(diff({}).err, "only documents of one kind can be compared");
  EXPECT_HAS(diff({"--fail-if", "SQ_WAFES>1"}, "a.json", "a.json").err, "did you mean SQ_WAVES?");
  EXPECT_EQ(diff({"--fail-if", "SQ_WAFES>1"}, "a.json", "a.json").status, 2);
  EXPECT_HAS(diff({"--fail-if", "SQ_WAVES"}, "a.json", "a.json").err, "must be [KERNEL:]NAME");
  EXPECT_HAS(diff({"--json", folder_ / "a.json"}, "a.json", "a.json").err, "would overwrite");
  EXPECT_HAS(diff({}, "a.json", "none.json").err, "none.json: No such file");
  EXPECT_HAS(diff({}, "a.json", "k.cl").err, "k.cl: is no JSON");
}

} // namespace
} // namespace crosslane::cli::test
