// crosslane instrument, as a user runs it, and launch --counters. That probes count right is tested in tests/rewrite.
#include "tests/cli/command.h"
#include "toolchain/temporary_folder.h"
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace crosslane::cli::test {
namespace {

using Json = nlohmann::json;
const std::string examples = EXAMPLES "/";

class InstrumentCommand : public testing::Test {
protected:
  InstrumentCommand() : folder_(llvm::cantFail(toolchain::TemporaryFolder::create())) {}
  std::string path(const std::string& name) const { return folder_.path(name); }
  static std::string content(const std::string& file) {
    std::ostringstream out;
    out << std::ifstream(file, std::ios::binary).rdbuf();
    return out.str();
  }
  // Of the example with a branch.
  Result launch(const std::string& file, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"launch",           file,           "--grid",   "256",  "--block", "64",
                                      "in=u32[256]:iota", "out=u32[768]", "limit=32", "n=256"};
    words.insert(words.end(), more.begin(), more.end());
    return crosslane(words);
  }
  toolchain::TemporaryFolder folder_;
};

TEST_F(InstrumentCommand, ProfilesByNoProbesAreRefused) {
  for (const auto& [probes, why] :
       {std::pair("none", "--instrument none: counts nothing"),
        std::pair("document-lds", "of which there are no profiles; 'crosslane instrument --probe document-lds'"),
        std::pair("speed",
                  "there are divergence, blocks, lanes, time, memory, FILE.s, FILE.cl, FILE.hip, document-lds, "
                  "document-global and none")}) {
    const Result result = launch(examples + "if_else.cl", {"--instrument", probes});
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_HAS(result.err, why);
  }
}

// The document's probes count some branches, and nothing says that the others never ran.
TEST_F(InstrumentCommand, DocumentProbesSayWhatTheyDoNotCount) {
  const std::string loop = path("loop.s"), probed = path("loop.co");
  std::ofstream(loop) << R"(
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.globl loop
.p2align 8
.type loop,@function
loop:
  s_mov_b32 s4, 3
again:
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 again
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel loop
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 8
  .amdhsa_system_sgpr_workgroup_id_x 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 0]
amdhsa.kernels:
  - .name: loop
    .symbol: loop.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 1
    .max_flat_workgroup_size: 64
...
.end_amdgpu_metadata
)";
  ASSERT_EQ(crosslane({"instrument", loop, "--probe", "document-global", "-o", probed}).status, 0);
  const Result counted =
      crosslane({"launch", probed, "--grid", "64", "--block", "64", "--counters", path("loop.json")});
  EXPECT_EQ(counted.status, 0) << counted.err;
  EXPECT_HAS(counted.out, "it has no s_*_saveexec_b64, and no other branches were counted");
  EXPECT_EQ(counted.out.find("no branch"), std::string::npos) << counted.out;
  EXPECT_EQ(Json::parse(content(path("loop.json")))["branches_counted"], "saveexec");

  const std::string branch = path("branch.co");
  ASSERT_EQ(crosslane({"instrument", examples + "if_else.cl", "--probe", "document-lds", "-o", branch}).status, 0);
  EXPECT_HAS(launch(branch, {"--counters", path("branch.json")}).out, "only s_*_saveexec_b64 and those behind");
  // No profile is made of them.
  const Result profile = launch(branch, {"--instrument", "divergence"});
  EXPECT_HAS(profile.out + profile.err, "its probes are the document's, which know only some branches");
  const std::string time = path("time.co");
  ASSERT_EQ(crosslane({"instrument", examples + "if_else.cl", "--probe", "time", "-o", time}).status, 0);
  const Result of_time = launch(time, {"--instrument", "divergence"});
  EXPECT_HAS(of_time.out + of_time.err, "time of waves"); // it keeps the probes that it has
}

// In one step: what a probe of one's own counts are columns of a profile, in all of its forms.
TEST_F(InstrumentCommand, ProfilesOfProbesOfOnesOwn) {
  for (const std::string probe : {"count_lanes.s", "count_lanes.cl", "count_lanes.hip"}) {
    const std::string json = path("profile.json");
    const Result result = launch(examples + "if_else.cl",
                                 {"--instrument", examples + "probes/" + probe, "--at", "memory,edge", "--json", json});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_HAS(result.out, probe + " at memory");
    const auto kernel = Json::parse(content(json))["kernels"][0];
    Json at_memory, taken, not_taken;
    for (const auto& table : kernel["figures"])
      (table["view"] == probe + " at memory"        ? at_memory
       : table["view"] == probe + " at edge, taken" ? taken
                                                    : not_taken) = table;
    ASSERT_EQ(at_memory["rows"].size(), 7u);
    EXPECT_EQ(at_memory["columns"].size(), 3u);
    for (const auto& row : at_memory["rows"])
      EXPECT_TRUE(kernel["instructions"][row[0].get<size_t>()]["text"].get<std::string>().find("_") !=
                  std::string::npos);
    EXPECT_EQ(at_memory["rows"][4], Json({at_memory["rows"][4][0], 4, 256, 4}));
    ASSERT_EQ(taken["rows"].size(), 3u);
    ASSERT_EQ(not_taken["rows"].size(), 3u);
    for (size_t i = 0; i < 3; ++i) // each branch comes by 4 times
      EXPECT_EQ(taken["rows"][i][1].get<int>() + not_taken["rows"][i][1].get<int>(), 4);
  }
}

TEST_F(InstrumentCommand, ProfilesOfAddresses) {
  const std::string seen = path("seen.json"), traced = path("traced.json"), cut = path("cut.json");
  const auto memory = [&](const std::string& json, const std::vector<std::string>& how) {
    std::vector<std::string> words = how;
    words.insert(words.end(), {"--json", json});
    const Result result = launch(examples + "if_else.cl", words);
    EXPECT_EQ(result.status, 0) << result.err;
    Json all = Json::parse(content(json))["kernels"][0], out = Json::object();
    for (auto& i : all["instructions"])
      if (i.contains("memory"))
        for (auto& site : i["memory"])
          site["worst"].erase("base"), out[i["address"].get<std::string>()].push_back(site);
    return std::pair(out, result.out);
  };
  const auto [by_listeners, ignored] = memory(seen, {"--profile", "memory,lds"});
  const auto [by_probes, text] = memory(traced, {"--instrument", "memory"});
  EXPECT_FALSE(by_listeners.empty());
  EXPECT_EQ(by_listeners, by_probes);
  EXPECT_HAS(text, "accesses 28, with room 28");
  const auto [less, told] = memory(cut, {"--instrument", "memory", "--trace-bytes", "1K"});
  EXPECT_NE(less, by_probes);
  EXPECT_TRUE(told.find("accesses 28, with room ") != told.npos && told.find("with room 28") == told.npos) << told;
}

// Against a kernel that reads the clock itself, before and behind its loops: 5 times an inner loop of 40. The model's
// clock, so that it is the same each time.
TEST_F(InstrumentCommand, TimeIsWhatTheKernelItselfReads) {
  const std::string probed = path("clock.co"), json = path("clock.json"), own = path("own.raw");
  ASSERT_EQ(crosslane({"instrument", input("clock_loops.s"), "--probe", "time", "-o", probed}).status, 0);
  const Result result =
      crosslane({"launch", probed, "--kernel", "clock_loops", "--grid", "512", "--block", "128", "out=u32[16]", "--gpu",
                 "vega10", "--time", "--counters", json, "--out", "out=" + own});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "by s_memtime, 8 waves ran for ");
  const std::string bytes = content(own);
  ASSERT_EQ(bytes.size(), 64u);
  uint32_t read[16]; // of each wave: of all loops; of the last time in the inner loop
  std::memcpy(read, bytes.data(), 64);
  const auto time = Json::parse(content(json))["time"];
  ASSERT_EQ(time["loops"].size(), 2u);
  EXPECT_EQ(time["loops"][0]["depth"], 1);
  EXPECT_EQ(time["loops"][1]["depth"], 2);
  EXPECT_EQ(time["loops"][0]["entries"], 8);
  EXPECT_EQ(time["loops"][1]["entries"], 8 * 5);
  ASSERT_EQ(time["waves"].size(), 8u);
  for (size_t w = 0; w < 8; ++w) {
    const auto& wave = time["waves"][w];
    const uint64_t ran = wave["end"].get<uint64_t>() - wave["begin"].get<uint64_t>(), outer = wave["loop_cycles"][0],
                   inner = wave["loop_cycles"][1];
    const size_t n = wave["workgroup"][0].get<size_t>() * 2 + wave["wave"].get<size_t>();
    EXPECT_LT(outer, read[2 * n]) << w;
    EXPECT_GT(outer, read[2 * n] * 8 / 10) << w; // less two readings
    EXPECT_LT(inner, outer);
    EXPECT_LT(outer, ran);
    EXPECT_LT(inner, read[2 * n + 1] * 5 * 11 / 10) << w;
    EXPECT_GT(inner, read[2 * n + 1] * 5 * 7 / 10) << w;
  }
}

// What a user's probe says wrong is named with its line; no file is written.
TEST_F(InstrumentCommand, UserProbesThatCannotBe) {
  const std::string probe = path("user.s"), out = path("user.co");
  for (const auto& [text, why] : {
           std::pair("count %c0\ns_mov_b32 s5, 1", "user.s:2: 's_mov_b32 s5, 1': it writes to what is the program's"),
           std::pair("s_mov_b32 s80, 1\ncount %c0", "it writes to what is the program's"),
           std::pair("v_mov_b32 v92, 1\ncount %c0", "it writes to what is the program's"),
           std::pair("v_cmp_eq_u32 vcc, v0, v1\ncount %c0", "it writes to what is the program's"),
           std::pair("s_mov_b64 exec, -1\ncount %c0", "it writes to what is the program's"),
           std::pair("s_movreld_b32 %s0, 1\ncount %c0", "it writes to what is the program's"),
           std::pair("// nothing\ns_branch 0\ncount %c0", "user.s:2: 's_branch 0': probes go straight on"),
           std::pair("s_barrier\ncount %c0", "it would change when the wave goes on"),
           std::pair("s_setreg_b32 hwreg(HW_REG_MODE), s0\ncount %c0", "user.s:1: 's_setreg_b32"),
           std::pair("ds_write_b32 v0, v1\ncount %c0", "probes may compute"),
           std::pair("count", "write 'count %c0' or 'add %c0, VALUE'"),
           std::pair("v_mov_b32 %v4, v0", "%v4 is no register of probes"),
           std::pair("s_nop 0", "user.s: counts nothing"),
           std::pair("s_foo %s0", "'s_foo' is not an instruction"),
           std::pair("add %c0, s80", "user.s reads s80, and its code uses "),
           std::pair("v_readlane_b32 %s0, v200, 0\nadd %c0, %s0", "user.s reads v200, and its code uses "),
       }) {
    std::ofstream(probe) << text;
    const Result result = crosslane(
        {"instrument", examples + "if_else.cl", "--target", "gfx900", "--probe", probe, "--at", "block", "-o", out});
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_HAS(result.err, why);
    EXPECT_FALSE(std::filesystem::exists(out)) << text;
  }
  std::ofstream(probe) << "count %c0";
  for (const auto& [at, why] :
       {std::pair("somewhere", "there are entry, exit, block"), std::pair("x.cl:3", "no place"),
        std::pair("line", "there are entry, exit, block"), std::pair("", "says where it goes")}) {
    const Result result = crosslane({"instrument", examples + "if_else.cl", "--probe", probe, "--at", at, "-o", out});
    EXPECT_NE(result.status, 0) << at;
    EXPECT_HAS(result.err, why);
  }
  EXPECT_HAS(crosslane({"instrument", examples + "if_else.cl", "--at", "block", "-o", out}).err,
             "--at block: says where a probe of your own goes");
}

// Three rounds: no reading is where it leaves the loop.
TEST_F(InstrumentCommand, TimeOfALoopInWhichTheWaveEnds) {
  const std::string probed = path("ends.co"), json = path("ends.json");
  ASSERT_EQ(crosslane({"instrument", input("clock_loops.s"), "--probe", "time", "-o", probed}).status, 0);
  const Result result = crosslane({"launch", probed, "--kernel", "ends_in_call", "--grid", "64", "--block", "64",
                                   "--gpu", "vega10", "--time", "--counters", json});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto time = Json::parse(content(json))["time"];
  ASSERT_EQ(time["loops"].size(), 1u);
  EXPECT_EQ(time["loops"][0]["entries"], 1);
  const uint64_t cycles = time["loops"][0]["cycles"];
  const auto& wave = time["waves"][0];
  EXPECT_GT(cycles, 3 * 10 * 64u); // of s_sleep 10
  EXPECT_LT(cycles, wave["end"].get<uint64_t>() - wave["begin"].get<uint64_t>());
}

// What probes in the kernel count is what listeners see of it as it was.
TEST_F(InstrumentCommand, LaunchProfilesByProbes) {
  const auto profile = [&](const std::string& how, const std::string& what, const std::string& file) {
    const auto result =
        crosslane({"launch", examples + "if_else.cl", "--grid", "250", "--block", "64", "in=u32[256]:iota",
                   "out=u32[768]", "limit=32", "n=256", how, what, "--per-wave", "--json", path(file)});
    EXPECT_EQ(result.status, 0) << result.err;
    return Json::parse(content(path(file)));
  };
  const auto probes = profile("--instrument", "divergence,blocks", "probes.json"),
             listeners = profile("--profile", "branches", "listeners.json");
  EXPECT_EQ(probes["measured_by"], "probes");
  EXPECT_FALSE(listeners.contains("measured_by"));
  const auto &a = probes["kernels"][0], &b = listeners["kernels"][0];
  EXPECT_EQ(a["waves_recorded"], a["waves"]);
  EXPECT_EQ(a["wave_instructions"], b["wave_instructions"]);
  EXPECT_EQ(a["waves_branches"], b["waves_branches"]);
  ASSERT_EQ(a["instructions"].size(), b["instructions"].size());
  size_t sites = 0;
  for (size_t i = 0; i < a["instructions"].size(); ++i) {
    const auto &x = a["instructions"][i], &y = b["instructions"][i];
    EXPECT_EQ(x["executions"], y["executions"]) << i;
    ASSERT_EQ(x.contains("branch"), y.contains("branch")) << i;
    if (!x.contains("branch"))
      continue;
    ++sites;
    for (const char* key : {"executions", "all", "none", "divergences", "per_lane"})
      EXPECT_EQ(x["branch"][key], y["branch"][key]) << i << key;
    EXPECT_TRUE(x["branch"]["arriving_lanes"].is_null());
  }
  EXPECT_EQ(sites, 6u);
}

TEST_F(InstrumentCommand, SaysWhatPointersLeadTo) {
  const std::string jumps = EXAMPLES "/../tests/rewrite/inputs/jumps.s";
  const std::vector<std::string> spilled = {"--kernel", "spilled_return", "--groups",      "3", "--block",
                                            "64",       "out=u32[192]",   "stack=u32[192]"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), spilled.begin(), spilled.end());
    return crosslane(arguments);
  };
  const std::string text = "1 calls and jumps through pointers: what they lead to";
  Result result = with({"launch", jumps, "--instrument", "divergence", "--json", path("j.json")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, text);
  EXPECT_EQ(Json::parse(content(path("j.json")))["kernels"][0]["calls_to_uninstrumented"], 1);
  EXPECT_EQ(crosslane({"instrument", jumps, "-o", path("j.co")}).status, 0);
  result = with({"launch", path("j.co"), "--counters", path("j.json")});
  EXPECT_HAS(result.out, text);
  EXPECT_EQ(Json::parse(content(path("j.json")))["calls_to_uninstrumented"], 1);
}

TEST_F(InstrumentCommand, CountsAndStrips) {
  Result result = crosslane({"instrument", examples + "if_else.cl", "-o", path("p.co")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "if_else (gfx900): 6 sites, ");
  EXPECT_HAS(result.out, "1 of 1 kernels instrumented, with probes at 6 of 6 branches (100.0 %): " + path("p.co"));
  result = launch(path("p.co"), {"--counters", path("c.json")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "counted by probes, in 4 of 4 waves");
  EXPECT_HAS(result.out, "8 divergences");
  const Json json = Json::parse(content(path("c.json")));
  EXPECT_EQ(json["measured_by"], "probes");
  EXPECT_EQ(json["waves"].size(), 24u);
  // Lint has nothing to say of either code.
  result = crosslane({"lint", path("p.co")});
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_FALSE(contains(result.out, "warning")) << result.out;
  // Without a place for records it does as the original.
  EXPECT_EQ(launch(path("p.co")).status, 0);
  EXPECT_EQ(crosslane({"instrument", "--strip", path("p.co"), "-o", path("s.co")}).status, 0);
  EXPECT_EQ(crosslane({"instrument", path("s.co"), "-o", path("again.co")}).status, 0);
  EXPECT_EQ(content(path("again.co")), content(path("p.co")));
}

TEST_F(InstrumentCommand, SaysWhatIsWrong) {
  const std::string source = examples + "if_else.cl";
  Result result = crosslane({"instrument", source});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "-o FILE says where");
  result = crosslane({"instrument", source, "-o", path("p.co"), "--probe", "speed"});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(
      result.err,
      "--probe speed: there are divergence, blocks, lanes, time, memory, FILE.s, FILE.cl, FILE.hip, document-lds, "
      "document-global and none");
  result = crosslane({"instrument", source, "-o", path("p.co"), "--kernels", "("});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "no regular expression");
  result = crosslane({"instrument", source, "-o", path("p.co"), "--kernels", "nothing"});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "has no kernel that --kernels nothing names; there are if_else");
  result = crosslane({"instrument", source, "-o", source});
  EXPECT_EQ(result.status, 2);
  result = crosslane({"instrument", "--strip", source, "-o", path("p.co")});
  EXPECT_EQ(result.status, 2);
  EXPECT_FALSE(std::filesystem::exists(path("p.co")));
  result = launch(source, {"--counters", path("c.json")});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "has no probes");
  EXPECT_FALSE(std::filesystem::exists(path("c.json")));
}

TEST_F(InstrumentCommand, KernelsByName) {
  const Result result = crosslane(
      {"instrument", examples + "histogram.cl", "-o", path("h.co"), "--kernels", "local|^atomics$", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  ASSERT_EQ(json["kernels"].size(), 2u);
  EXPECT_TRUE(json["kernels"][0]["instrumented"]);
}

} // namespace
} // namespace crosslane::cli::test
