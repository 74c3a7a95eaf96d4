// What is read of documents, and what is refused.
#include "tests/diff/made_up.h"

namespace crosslane::diff {
namespace {

using made_up::Json;
using test::error_of;

std::string error(const std::string& text) { return error_of(parse(text, "d.json")); }

double value(const Kernel& kernel, const std::string& name) {
  for (const Value& v : kernel.values)
    if (v.name == name)
      return v.value;
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(Document, Profile) {
  const Document d = made_up::document(made_up::profile({made_up::kernel("a"), made_up::kernel("b", 5)}));
  EXPECT_EQ(d.kind, Kind::profile);
  EXPECT_EQ(d.producer, "crosslane 0.1.0");
  ASSERT_EQ(d.kernels.size(), 2u);
  EXPECT_EQ(d.kernels[0].shape, "grid 64x1x1, block 64x1x1");
  EXPECT_EQ(value(d.kernels[1], "SQ_LDS_BANK_CONFLICT"), 5);
  EXPECT_EQ(value(d.kernels[0], "lds_cycles"), 12);
  EXPECT_EQ(value(d.kernels[0], "lds_conflicts"), 7);
  for (const Value& v : d.kernels[0].values) { // no value, and a view that did not look
    EXPECT_NE(v.name, "GRBM_COUNT");
    EXPECT_NE(v.name, "divergences");
  }
  ASSERT_EQ(d.findings.size(), 2u);
  EXPECT_EQ(d.findings[0].place, "k.cl:7");
  EXPECT_EQ(d.findings[0].match.offset, 16u);
}

TEST(Document, Times) {
  const Document d = made_up::document({{"kernel", "k"},
                                        {"target", "gfx900"},
                                        {"timing",
                                         {{"cycles", 100},
                                          {"l1", {{"hits", 7}}},
                                          {"card", "vega10"},
                                          {"assumed", {{"lds_latency", 48}}},
                                          {"per_instruction", {{{"issued", 3}}}}}}});
  EXPECT_EQ(d.kind, Kind::times);
  EXPECT_EQ(value(d.kernels[0], "cycles"), 100);
  EXPECT_EQ(value(d.kernels[0], "l1.hits"), 7);
  EXPECT_EQ(d.kernels[0].values.size(), 2u);
  EXPECT_EQ(d.made, "the card vega10, lds_latency 48");
}

TEST(Document, Findings) {
  const Json place = {{"file", "k.s"}, {"line", 4}, {"column", 3}, {"function", "k"}, {"offset", 8}};
  const Document d = made_up::document(
      {{"crosslane_lint", 1},
       {"version", "0.1.0"},
       {"findings",
        {{{"rule", "race-lds"}, {"severity", "error"}, {"message", "m"}, {"place", place}, {"instruction", "i"}},
         {{"rule", "race-lds"},
          {"severity", "warning"},
          {"message", "n"},
          {"place", {{"file", "k.co"}, {"function", "k"}, {"offset", 16}, {"source", "k.cl:2:1"}}},
          {"instruction", "i"}}}}});
  EXPECT_EQ(d.kind, Kind::findings);
  EXPECT_EQ(value(d.kernels[0], "findings"), 2);
  EXPECT_EQ(value(d.kernels[0], "errors"), 1);
  EXPECT_EQ(value(d.kernels[0], "race-lds"), 2);
  EXPECT_EQ(d.findings[0].place, "k.s:4:3");
  EXPECT_EQ(d.findings[1].place, "k.cl:2:1");
}

TEST(Document, CountersOfProbes) {
  const Document d = made_up::document(
      {{"kernel", "k"},
       {"target", "gfx900"},
       {"measured_by", "probes"},
       {"waves_recorded", 4},
       {"branches", {{{"executions", 4}, {"divergences", 1}}, {{"executions", 2}, {"divergences", 2}}}},
       {"blocks", {{{"executions", 4}, {"instructions", 10}}, {{"executions", 1}, {"instructions", 3}}}},
       {"user", {{"name", "mine"}, {"places", {{{"values", {1, 2}}}, {{"values", {10}}}}}}}});
  EXPECT_EQ(d.kind, Kind::counters);
  EXPECT_EQ(value(d.kernels[0], "divergences"), 3);
  EXPECT_EQ(value(d.kernels[0], "wave_instructions"), 43);
  EXPECT_EQ(value(d.kernels[0], "mine.0"), 11);
  EXPECT_EQ(value(d.kernels[0], "mine.1"), 2);
}

TEST(Document, RefusesWhatIsNone) {
  for (const char* none : {"", "{", "null", "5", "[]", "{}", "{\"a\":1e999}", "{\"a\":NaN}", "{\"kernel\":\"k\"}"})
    EXPECT_HAS(error(none), "d.json: is no ");
  EXPECT_HAS(error("<!doctype html>"), "is a page");
  Json p = made_up::profile({});
  EXPECT_EQ(error(p.dump()), "d.json: has no kernels");
  p["version"] = 2;
  EXPECT_EQ(error(p.dump()), "d.json: is a profile of version 2; this crosslane knows 1");
  p.erase("version");
  EXPECT_HAS(error(p.dump()), "version null");
  EXPECT_EQ(error(made_up::profile({Json{{"launches", 1}}}).dump()), "d.json: a kernel without a name");
  EXPECT_HAS(error(R"({"crosslane_lint":3,"findings":[]})"), "in the form 3");
  EXPECT_HAS(error(R"({"crosslane_lint":1})"), "lacks the list of findings");
  EXPECT_HAS(error(R"({"crosslane_lint":1,"findings":[5]})"), "finding 0 lacks its rule");
  EXPECT_HAS(error(R"({"kernel":5,"timing":{}})"), "names no kernel");
}

TEST(Document, RefusesWhatIsDeep) {
  std::string deep(10'000'000, '[');
  EXPECT_HAS(error(deep), "nested deeper than 64");
  std::string keys = "{\"format\":\"crosslane-profile\",\"a\":";
  for (int i = 0; i < 100'000; ++i)
    keys += "{\"a\":";
  EXPECT_HAS(error(keys), "nested deeper than 64");
}

// Wrong kinds of members are as if they were not there.
TEST(Document, TakesNothingFromWrongKinds) {
  Json k = made_up::kernel("k");
  for (const char* key :
       {"counters", "instructions", "findings", "occupancy", "mix", "grid", "block", "sampled", "waves"})
    for (const Json& wrong : {Json(5), Json("x"), Json::array({5, "x", nullptr}), Json{{"a", 1}}}) {
      Json changed = k;
      changed[key] = wrong;
      EXPECT_EQ(error(made_up::profile({changed}).dump()), "") << key << wrong;
    }
  k["findings"][0]["instruction"] = 1e18;
  k["findings"][0]["source"] = {7, "x"};
  const Document d = made_up::document(made_up::profile({k}));
  EXPECT_EQ(d.findings.at(0).place, "k");
}

} // namespace
} // namespace crosslane::diff
