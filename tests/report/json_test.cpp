// The profile as JSON against docs/profile-format.md.
#include "report/json.h"
#include "tests/findings/made_up.h"
#include <cctype>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace crosslane::report {

using namespace findings;
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.items())
    result.push_back(key);
  return result;
}
using Keys = std::vector<std::string>;

Profile profile() {
  made_up::Kernel k("_Z4saxpPfi");
  k.line = 3;
  made_up::count_branch(k.add("s_and_saveexec_b64 s[0:1], vcc", 8), {8, 3, 1, 512, 128});
  k.jump("s_cbranch_execz 2", 3, 8, 16);
  k.line = 4;
  auto& load = k.add("global_load_dword v1, v0, s[2:3]", 8, 16);
  auto& site = made_up::count_memory(load, 8, 256, 32, views::Pattern::strided, 32);
  site.worst.lanes = 0b101, site.worst.workgroup[1] = 2, site.worst.wave = 3;
  auto& read = k.add("ds_read_b32 v1, v0", 8, 16);
  auto& lds = made_up::count_lds(read, 8, 64, 16, 128);
  lds.worst_bank = 5, lds.worst_lane[1] = 1, lds.worst_address[0] = 20, lds.worst_address[1] = 148;
  k.add("s_endpgm", 0);
  k.k.mix = {{InstructionClass::lds, 8, 128}, {InstructionClass::branch, 8, {}}};
  k.k.counters = {{"SQ_WAVES", 4.0, "waves", "wavefronts", ""},
                  {"GRBM_COUNT", {}, "clocks", "clocks", "no cycles here"}};
  k.k.findings = {{FindingKind::coalescing, "t", "x", "a", 2, {0, 4, 3}, 224, "cache lines", 0.875},
                  {FindingKind::occupancy, "t", "x", "a", -1, {}, 2, "waves", 0.2}};
  ProfiledLine line;
  line.source = {0, 4, 0}, line.instructions = {2, 3}, line.executions = 16, line.excess_lines = 224;
  k.k.lines = {line};
  Profile p;
  p.producer = "crosslane 0.1.0", p.command = "crosslane launch x.hip", p.seconds = 0.5;
  p.views = {.branches = true, .divergence = true, .memory = true, .lds = true};
  p.sources = {{"/src/x.hip", "hip", "a\nb\n"}, {"gone.h", "", {}}};
  p.kernels = {k.k};
  return p;
}

TEST(Json, DocumentHasTheKeysOfTheFormatInItsOrder) {
  const Profile p = profile();
  const std::string text = json(p);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  EXPECT_EQ(text, json(p));
  const Json document = Json::parse(text);
  EXPECT_EQ(keys(document), (Keys{"format", "version", "producer", "command", "views", "complete", "selection",
                                  "seconds", "overhead", "overhead_estimate", "sources", "buffers", "kernels"}));
  EXPECT_EQ(document["format"], "crosslane-profile");
  EXPECT_EQ(document["version"], 1);
  EXPECT_EQ(document["views"], Json({"branches", "divergence", "memory", "lds"}));
  EXPECT_EQ(document["complete"], true);
  EXPECT_EQ(document["selection"].dump(), R"({"kernels":null,"launches":null,"sample":null})");
  EXPECT_TRUE(document["overhead"].is_null());
  EXPECT_TRUE(document["overhead_estimate"].is_null());
  EXPECT_EQ(document["seconds"], 0.5);
  EXPECT_EQ(document["sources"].dump(), R"([{"path":"/src/x.hip","language":"hip","text":"a\nb\n"},)"
                                        R"({"path":"gone.h","language":"","text":null}])");
}

TEST(Json, Kernel) {
  const Json k = Json::parse(json(profile()))["kernels"][0];
  EXPECT_EQ(keys(k), (Keys{"name",          "readable",  "short",  "target",     "card",     "launches",
                           "grid",          "block",     "varied", "workgroups", "waves",    "wave_instructions",
                           "sampled",       "seconds",   "vgprs",  "agprs",      "sgprs",    "lds_bytes",
                           "scratch_bytes", "occupancy", "mix",    "counters",   "findings", "lines",
                           "instructions"}));
  EXPECT_EQ(k["name"], "_Z4saxpPfi");
  EXPECT_EQ(k["readable"], "saxp(float*, int)");
  EXPECT_EQ(k["short"], "saxp");
  EXPECT_EQ(k["grid"], Json({64, 1, 1}));
  EXPECT_EQ(k["occupancy"].dump(), R"({"waves_per_simd":10,"max_waves_per_simd":10,"limiter":"waves",)"
                                   R"("limits":[{"name":"waves","waves":10}],"advice":"","instructions_per_clock":5})");
  EXPECT_EQ(k["mix"].dump(), R"([{"class":"lds","wave_instructions":8,"lanes":128},)"
                             R"({"class":"branch","wave_instructions":8,"lanes":null}])");
  EXPECT_EQ(k["counters"].dump(),
            R"([{"name":"SQ_WAVES","value":4,"unit":"waves","about":"wavefronts"},)"
            R"({"name":"GRBM_COUNT","value":null,"unit":"clocks","about":"clocks","why":"no cycles here"}])");
  EXPECT_EQ(k["findings"].dump(), R"([{"kind":"coalescing","title":"t","text":"x","advice":"a","instruction":2,)"
                                  R"("source":[0,4,3],"cost":224,"unit":"cache lines","share":0.875},)"
                                  R"({"kind":"occupancy","title":"t","text":"x","advice":"a","instruction":null,)"
                                  R"("source":null,"cost":2,"unit":"waves","share":0.2}])");
  EXPECT_EQ(k["lines"].dump(),
            R"([{"source":[0,4],"instructions":[2,3],"executions":16,"lanes":0,"lost_lane_cycles":0,)"
            R"("lines":0,"ideal_lines":0,"excess_lines":224,"lds_cycles":0,"conflict_cycles":0,)"
            R"("divergences":0,"branches":0}])");
}

TEST(Json, Instructions) {
  const Json list = Json::parse(json(profile()))["kernels"][0]["instructions"];
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].dump(),
            R"({"address":"0x1000","function":"_Z4saxpPfi","offset":0,"text":"s_and_saveexec_b64 s[0:1], vcc",)"
            R"("source":[0,3,3],"class":"salu","executions":8,"lanes":512,"active":[[64,8]],"diverged_lanes":0,)"
            R"("missing_lanes":0,"lost_lane_cycles":0,"lost_to_partial_waves":0,"branch":{"executions":8,"all":3,)"
            R"("none":1,"agreements":4,"divergences":4,"arriving_lanes":512,"condition_lanes":128,"per_lane":true}})");
  EXPECT_EQ(list[1]["target"], 4);
  EXPECT_EQ(list[1]["active"], Json::parse("[[16,8]]"));
  EXPECT_EQ(list[1]["diverged_lanes"], 8 * 48);
  EXPECT_FALSE(list[0].contains("target"));
  // Not executed: known, so it is 0; but there are no lanes to speak of.
  EXPECT_EQ(list[4]["executions"], 0);
  EXPECT_FALSE(list[4].contains("active"));
  EXPECT_FALSE(list[4].contains("memory"));
  EXPECT_FALSE(list[4].contains("lds"));
}

TEST(Json, MemoryAndItsExample) {
  const Json site = Json::parse(json(profile()))["kernels"][0]["instructions"][2]["memory"][0];
  EXPECT_EQ(keys(site), (Keys{"space",       "kind",         "bytes",         "requests",
                              "lanes",       "lines",        "ideal_lines",   "excess_lines",
                              "bytes_asked", "bytes_moved",  "l2_operations", "address_collisions",
                              "clocks",      "ideal_clocks", "l1_groups",     "misaligned_lanes",
                              "split_lanes", "pattern",      "pattern_share", "stride",
                              "alignment",   "worst"}));
  EXPECT_EQ(site["space"], "global");
  EXPECT_EQ(site["kind"], "load");
  EXPECT_EQ(site["excess_lines"], 224);
  EXPECT_EQ(site["pattern"], "stride 32 bytes");
  EXPECT_EQ(site["l1_groups"].dump(),
            R"({"same_address":0,"quads_same_address":0,"quads_one_block":32,"separate_quads":0,"wide":0})");
  const Json& worst = site["worst"];
  EXPECT_EQ(worst["workgroup"], Json({0, 2, 0}));
  EXPECT_EQ(worst["wave"], 3);
  EXPECT_EQ(worst["lanes"], "0x5");
  EXPECT_EQ(worst["base"], "0x7f0000001000");
  ASSERT_EQ(worst["offsets"].size(), 64u);
  EXPECT_EQ(worst["offsets"][0], 0);
  EXPECT_TRUE(worst["offsets"][1].is_null());
  EXPECT_EQ(worst["offsets"][2], 64);
  EXPECT_TRUE(worst["second"].is_null());
}

TEST(Json, Lds) {
  Profile p = profile();
  Json site = Json::parse(json(p))["kernels"][0]["instructions"][3]["lds"];
  EXPECT_EQ(keys(site), (Keys{"kind", "bytes", "accesses", "lanes", "cycles", "ideal_cycles", "conflict_cycles",
                              "broadcasts", "same_address_atomics", "same_address_cycles", "worst_degree", "worst_bank",
                              "worst_lanes", "worst_addresses", "worst"}));
  EXPECT_EQ(site["conflict_cycles"], 48);
  EXPECT_EQ(site["worst_bank"], 5);
  EXPECT_EQ(site["worst_lanes"], Json({0, 1}));
  EXPECT_EQ(site["worst_addresses"], Json({20, 148}));
  EXPECT_EQ(site["worst"]["base"], "0x0");
  EXPECT_EQ(site["worst"]["offsets"][2], 256);
  // Two addresses, and no conflict: then there are no two lanes to name.
  auto& lds = *p.kernels[0].instructions[3].lds;
  lds.worst.two_addresses = true, lds.worst.second[3] = 77, lds.worst_degree = 1;
  site = Json::parse(json(p))["kernels"][0]["instructions"][3]["lds"];
  EXPECT_EQ(site["worst"]["second"][3], 77);
  EXPECT_TRUE(site["worst_lanes"].is_null());
  EXPECT_TRUE(site["worst_bank"].is_null());
}

TEST(Json, WhatWasNotCollectedIsNotZero) {
  Profile p = profile();
  p.kernels[0].card.clear();
  for (auto& i : p.kernels[0].instructions)
    i.active.reset(), i.executions = 0;
  const Json k = Json::parse(json(p))["kernels"][0];
  EXPECT_TRUE(k["card"].is_null());
  EXPECT_FALSE(k["instructions"][0].contains("executions"));
  EXPECT_FALSE(k["instructions"][0].contains("lanes"));
  EXPECT_FALSE(k["instructions"][0].contains("lost_lane_cycles"));
}

TEST(Json, OfAnEmptyGridEachInstructionRanNever) {
  Profile p = profile();
  p.kernels[0].wave_instructions = 0;
  for (auto& i : p.kernels[0].instructions)
    i.active.reset(), i.executions = 0;
  EXPECT_EQ(Json::parse(json(p))["kernels"][0]["instructions"][0]["executions"], 0);
}

TEST(Json, InterruptedSampledMeasured) {
  Profile p = profile();
  p.interrupted = "Ctrl-C", p.selection = {"sax.*", "0..3", 0.01, 7}, p.overhead = Overhead{0.5, 1.25};
  p.kernels[0].sampled = Sampled{12, 1200, 0.031};
  p.kernels[0].waves_branches = {{{1, 2, 3}, 4, 0, {5, 2, 1, 320, 100}}};
  const Json document = Json::parse(json(p));
  EXPECT_EQ(document["complete"], false);
  EXPECT_EQ(document["interrupted"], "Ctrl-C");
  EXPECT_EQ(document["selection"].dump(),
            R"({"kernels":"sax.*","launches":"0..3","sample":{"fraction":0.01,"seed":7}})");
  EXPECT_EQ(document["overhead"].dump(), R"({"plain_seconds":0.5,"profiled_seconds":1.25,"ratio":2.5})");
  // 4 s of which 3 are the hooks': one is left without them.
  p.overhead_estimate = OverheadEstimate{4, 3};
  EXPECT_EQ(Json::parse(json(p))["overhead_estimate"].dump(),
            R"({"cpu_seconds":4,"hook_seconds":3,"share":0.75,"ratio":4})");
  p.overhead_estimate = OverheadEstimate{0.0078125, 0.00390625}; // less than 10 ms
  EXPECT_EQ(Json::parse(json(p))["overhead_estimate"].dump(),
            R"({"cpu_seconds":0.0078125,"hook_seconds":0.00390625,"share":null,"ratio":null})");
  EXPECT_EQ(document["kernels"][0]["sampled"].dump(), R"({"workgroups":12,"of":1200,"error":0.031})");
  EXPECT_EQ(document["kernels"][0]["waves_branches"].dump(),
            R"([{"workgroup":[1,2,3],"wave":4,"instruction":0,"executions":5,"agreements":3}])");
}

TEST(Json, BytesThatAreNoTextDoNotBreakIt) {
  Profile p = profile();
  p.sources[0].text = "caf\xe9";
  EXPECT_EQ(Json::parse(json(p))["sources"][0]["text"], "caf\xef\xbf\xbd");
}

TEST(Json, Trace) {
  Profile p = profile();
  auto& trace = p.trace.emplace();
  trace.instructions = {{0x1000, 0, "saxp", "v_mov_b32_e32 v1, 7", {0, 3, 1}},
                        {0x1004, 4, "saxp", "global_load_dword", {}}};
  auto& w = trace.wave;
  trace.launch = 3;
  w.workgroup[0] = 2, w.wave = 1, w.vgpr_count = 8, w.sgpr_count = 16, w.complete = true, w.found = true;
  w.initial.exec = ~uint64_t{0}, w.initial.s[4] = 0xffffffff;
  for (uint32_t lane = 0; lane < 64; ++lane)
    w.initial.v[0][lane] = lane;
  w.steps.resize(3);
  w.steps[0].changes.v[1].fill(7);
  w.steps[0].changes.v[258].fill(9);
  w.steps[1].instruction = 1;
  auto& access = w.steps[1].accesses.emplace_back();
  access.bytes = 4, access.lanes = 0b11, access.address[0] = 0x2004, access.address[1] = 0x2000;
  const Json t = Json::parse(json(p))["trace"];
  EXPECT_EQ(keys(t), (Keys{"kernel", "launch", "workgroup", "wave", "vgpr_count", "agpr_count", "sgpr_count",
                           "complete", "instructions", "initial", "steps"}));
  EXPECT_EQ(t["launch"], 3);
  EXPECT_EQ(t["instructions"][0].dump(),
            R"({"address":"0x1000","function":"saxp","offset":0,"text":"v_mov_b32_e32 v1, 7","source":[0,3,1]})");
  EXPECT_EQ(keys(t["initial"]), (Keys{"s", "v", "exec", "vcc", "scc", "m0"}));
  EXPECT_EQ(t["initial"]["s"]["4"], 0xffffffffu);
  EXPECT_EQ(t["initial"]["exec"], "0xffffffffffffffff");
  // base64 of 00 00 00 00 01 00 00 00 02 00 00 00; the last lane is 3f 00 00 00, of which 3f 00 00 are the last three
  // of 255 bytes.
  const std::string lanes = t["initial"]["v"]["0"];
  EXPECT_EQ(lanes.substr(0, 16), "AAAAAAEAAAACAAAA");
  EXPECT_EQ(lanes.size(), 344u);
  EXPECT_EQ(lanes.substr(336), "PwAAAA==");
  EXPECT_EQ(t["steps"][0].dump(), R"([0,{"v":{"1":7,"a2":9}}])");
  EXPECT_EQ(t["steps"][1][1]["mem"]["base"], "0x2000");
  EXPECT_EQ(t["steps"][1][1]["mem"]["offsets"][0], 4);
  EXPECT_EQ(t["steps"][1][1]["mem"]["offsets"][1], 0);
  EXPECT_EQ(t["steps"][1][1]["mem"]["lanes"], "0x3");
  EXPECT_EQ(t["steps"][2].dump(), "[0,0]");
  EXPECT_EQ(Json::parse(json(p))["views"].back(), "trace");
}

TEST(Json, WhyThereIsNoTrace) {
  Profile p = profile();
  EXPECT_FALSE(Json::parse(json(p)).contains("untraced"));
  p.untraced = "wave 0 of workgroup 9 was not traced: the only launch has 8 workgroups, 0 to 7";
  EXPECT_EQ(Json::parse(json(p))["untraced"], p.untraced);
}

// Keys of all objects in it, but for numbers of registers.
void collect_keys(const Json& value, std::set<std::string>& all) {
  if (!value.is_structured())
    return;
  for (const auto& [key, member] : value.items()) {
    if (value.is_object() && !std::isdigit(static_cast<unsigned char>(key[0])))
      all.insert(key);
    collect_keys(member, all);
  }
}

TEST(Json, EveryKeyIsDocumented) {
  std::ifstream file(CROSSLANE_PROFILE_FORMAT);
  const std::string manual((std::istreambuf_iterator<char>(file)), {});
  Profile p = profile();
  p.interrupted = "x", p.overhead = Overhead{1, 2}, p.selection.fraction = 0.5;
  p.overhead_estimate = OverheadEstimate{2, 1}, p.untraced = "x";
  p.kernels[0].sampled = Sampled{1, 2, 0.5};
  p.kernels[0].waves_branches = {{{1, 2, 3}, 4, 0, {5, 2, 1, 320, 100}}};
  p.kernels[0].figures = {{"v", {{"c", "u", "a"}}, {{0, {1}}}}};
  auto& trace = p.trace.emplace();
  trace.instructions.resize(1), trace.wave.steps.resize(1);
  trace.wave.steps[0].accesses.resize(1);
  trace.wave.initial = {{{1, 2}}, {{3, {}}}, 1, 2, 3, 4};
  std::set<std::string> all;
  const Json document = Json::parse(json(p));
  collect_keys(document, all);
  EXPECT_GT(all.size(), 120u);
  for (const auto& key : all)
    EXPECT_TRUE(manual.find("`" + key + "`") != std::string::npos ||
                manual.find("\"" + key + "\"") != std::string::npos)
        << key;
}

TEST(Json, TenThousandInstructionsAreAFewMegabytes) {
  made_up::Kernel k;
  for (int i = 0; i < 10000; ++i)
    if (i % 5 == 0)
      made_up::count_memory(k.add("global_load_dword v1, v0, s[2:3]", 1000), 1000, 4000, 4000, views::Pattern::strided,
                            4096);
    else
      k.add("v_add_f32_e32 v1, v2, v3", 1000);
  Profile p;
  p.kernels = {k.k};
  EXPECT_LT(json(p).size(), 6'000'000u);
}

} // namespace
} // namespace crosslane::report
