// What came, went and changed.
#include "diff/forms.h"
#include "diff/wording.h"
#include "tests/diff/made_up.h"
#include <cmath>

namespace crosslane::diff {
namespace {

using made_up::document;
using made_up::Json;
using made_up::kernel;
using made_up::profile;
using made_up::row;
using test::error_of;

TEST(Difference, NumbersByKernelAndName) {
  const Difference d = made_up::difference(profile({kernel("a"), kernel("b"), kernel("gone")}),
                                           profile({kernel("new"), kernel("b", 150), kernel("a")}));
  ASSERT_EQ(d.kernels.size(), 4u);
  EXPECT_TRUE(!d.kernels[0].before && d.kernels[0].name == "new");
  EXPECT_TRUE(!d.kernels[3].after && d.kernels[3].name == "gone");
  const Row& conflicts = row(d.kernels[1], "SQ_LDS_BANK_CONFLICT");
  EXPECT_EQ(*conflicts.change(), 50);
  EXPECT_EQ(*conflicts.percent(), 50);
  for (const Row& r : d.kernels[2].rows)
    EXPECT_FALSE(r.changed()) << r.name;
  EXPECT_TRUE(d.notes.empty());
}

TEST(Difference, OfNothing) {
  Row r{.before = 0, .after = 5};
  EXPECT_TRUE(std::isinf(*r.percent()));
  r.after = 0;
  EXPECT_EQ(*r.percent(), 0);
  r.before = -4, r.after = -2;
  EXPECT_EQ(*r.percent(), 50);
  r.before.reset();
  EXPECT_FALSE(r.percent());
  EXPECT_TRUE(r.changed());
}

// Two code objects may have a kernel of one name.
TEST(Difference, KernelsOfOneNameInTheirOrder) {
  const Difference d = made_up::difference(profile({kernel("a", 1), kernel("a", 2)}),
                                           profile({kernel("a", 1), kernel("a", 2), kernel("a", 3)}));
  ASSERT_EQ(d.kernels.size(), 3u);
  for (int i : {0, 1})
    EXPECT_FALSE(row(d.kernels[i], "SQ_LDS_BANK_CONFLICT").changed());
  EXPECT_FALSE(d.kernels[2].before);
}

TEST(Difference, SaysWhyNumbersMayNotBeComparable) {
  Json k = kernel("b");
  k["target"] = "gfx906", k["grid"] = {128, 1, 1}, k["sampled"] = {{"workgroups", 12}, {"of", 1200}};
  Json after = profile({k});
  after["producer"] = "crosslane 0.2.0", after["views"] = {"lds", "memory"};
  after["complete"] = false, after["interrupted"] = "Ctrl-C";
  const Difference d = made_up::difference(profile({kernel("a")}), after);
  const std::string notes = fmt::format("{}", fmt::join(d.notes, "\n"));
  EXPECT_HAS(notes, "b is compared with a");
  EXPECT_HAS(notes, "written by crosslane 0.1.0 and by crosslane 0.2.0");
  EXPECT_HAS(notes, "before nothing else; after memory");
  EXPECT_HAS(notes, "after.json is not complete: Ctrl-C");
  const std::string of_kernel = fmt::format("{}", fmt::join(d.kernels.at(0).notes, "\n"));
  EXPECT_HAS(of_kernel, "target before: gfx900; after: gfx906");
  EXPECT_HAS(of_kernel, "grid 128x1x1");
  EXPECT_HAS(of_kernel, "before: all workgroups; after: 12 of 1200 workgroups");
}

TEST(Difference, FindingsAsBaselinesKnowThem) {
  Json moved = kernel("a"), other = kernel("a");
  moved["instructions"][0]["offset"] = 48; // code before it has changed
  Difference d = made_up::difference(profile({kernel("a")}), profile({moved}));
  EXPECT_EQ(d.same.size(), 1u);
  EXPECT_TRUE(d.came.empty() && d.went.empty());
  other["instructions"][0]["text"] = "ds_read_b64 v[0:1], v2";
  d = made_up::difference(profile({kernel("a")}), profile({other}));
  EXPECT_TRUE(d.came.size() == 1 && d.went.size() == 1 && d.same.empty());
  // One of two that are alike: the one at the same offset is the same.
  Json two = kernel("a");
  two["findings"].push_back(two["findings"][0]);
  two["findings"][1]["instruction"] = 1;
  d = made_up::difference(profile({two}), profile({kernel("a")}));
  ASSERT_EQ(d.went.size(), 1u);
  EXPECT_EQ(d.went[0].match.offset, 24u);
}

TEST(Difference, RefusesDocumentsOfTwoKinds) {
  const Document times = document({{"kernel", "k"}, {"timing", {{"cycles", 1}}}}, "t.json");
  EXPECT_EQ(error_of(compare(document(profile({kernel("a")}), "p.json"), times)),
            "p.json is a profile, t.json is modelled times: only documents of one kind can be compared");
}

// Lines are known by their text: what is written above one does not make it another.
TEST(Parts, LinesAndBranchesByTheirTexts) {
  const auto made = [](const std::string& text, std::vector<Json> lines, int line, int divergences) {
    Json k = kernel("k");
    k["lines"] = std::move(lines);
    k["instructions"].push_back({{"function", "k"},
                                 {"offset", 16 * line},
                                 {"text", fmt::format("s_cbranch_execz L{}", line)},
                                 {"source", {0, line, 3}},
                                 {"branch", {{"executions", 10}, {"divergences", divergences}}}});
    Json document = profile({k});
    document["sources"] = {{{"path", "made/k.cl"}, {"text", text}}};
    return document;
  };
  const auto line = [](int number, int executions) {
    return Json{{"source", {0, number}}, {"executions", executions}, {"lds_cycles", 5}};
  };
  const Difference d =
      made_up::difference(made("int a;\n  if (a)\n", {line(1, 10), line(2, 30)}, 2, 4),
                          made("// more\nint a;\n\tif (a)\nnew\n", {line(2, 10), line(3, 60), line(4, 1)}, 3, 8));
  const auto& parts = d.kernels.at(0).parts;
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(shown_of(parts[0]), "made/k.cl:2 (was made/k.cl:1)");
  EXPECT_FALSE(parts[0].rows.at(0).changed());
  EXPECT_EQ(parts[1].rows.at(0).before, 30);
  EXPECT_EQ(parts[1].rows.at(0).after, 60);
  EXPECT_EQ(parts[2].rows.at(0).before, std::nullopt);
  EXPECT_TRUE(parts[3].branch);
  const auto lines = changed_parts(d.kernels[0], false), branches = changed_parts(d.kernels[0], true);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].part->shown, "made/k.cl:3"); // 30 of 71 executions
  EXPECT_EQ(lines[1].part->shown, "made/k.cl:4"); // 5 of 15 LDS cycles
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_EQ(shown_of(*branches[0].part), "made/k.cl:3 s_cbranch_execz (was made/k.cl:2 s_cbranch_execz)");
  EXPECT_EQ(branches[0].row.name, "divergences");
  const std::string text = text_of(d, false), page = html_of(d, {});
  EXPECT_HAS(text, "made/k.cl:3 (was made/k.cl:2)");
  EXPECT_HAS(page, "by branch, most of the whole first");
  const Json json = Json::parse(json_of(d, {}));
  EXPECT_EQ(json["kernels"][0]["lines"][1]["was"], "made/k.cl:2");
  EXPECT_EQ(json["kernels"][0]["branches"][0]["values"][1]["change"], 4);
}

} // namespace
} // namespace crosslane::diff
