// The list of views; and the view that docs/adding-a-view.md makes up, which is in no list here, from its events to its
// text.
#include "findings/totals.h"
#include "isa/op.h"
#include "report/json.h"
#include "report/summary.h"
#include "report/view.h"
#include "tests/findings/made_up.h"
#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

namespace crosslane::report {

extern const ViewParts sleeps_view; // tests/report/sleeps.cpp

using namespace findings;

namespace {

using Json = nlohmann::ordered_json;

std::string read(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Views, EachIsListedHeardAndInTheManual) {
  EXPECT_EQ(view_names(), "branches, divergence, memory, lds");
  EXPECT_EQ(view_names(" and "), "branches, divergence, memory and lds");
  const std::string manual = read(CROSSLANE_PROFILING);
  for (const View& view : all_views()) {
    findings::Views one;
    one.*view.on = true;
    EXPECT_TRUE(one.any()) << view.name;
    EXPECT_EQ(std::ranges::count_if(all_views(), [&](const View& v) { return one.*v.on; }), 1) << view.name;
    EXPECT_TRUE(view.parts.hear({})) << view.name;
    EXPECT_NE(manual.find(std::string("| `") + view.name + "` |"), std::string::npos) << view.name;
  }
  EXPECT_EQ(std::ssize(views_to_report()), std::ssize(all_views()));
  EXPECT_STREQ(views_to_report()[0].name, "divergence"); // counts executions
}

// Code that begins at 0x1000, of which every dword is an instruction.
class Code final : public Listing {
public:
  explicit Code(KernelProfile& kernel) : kernel_(kernel) {}
  KernelProfile& kernel() override { return kernel_; }
  const views::Image& image() const override { return image_; }
  void ran(uint64_t, const isa::Instruction&) override { ADD_FAILURE() << "it counts no executions"; }
  ProfiledInstruction* at(uint64_t pc) override { return &kernel_.instructions.at(static_cast<size_t>(index(pc))); }
  int index(uint64_t pc) const override { return static_cast<int>(pc - 0x1000) / 4; }

private:
  KernelProfile& kernel_;
  const views::Image image_;
};

Profile profile_of_sleeps() {
  made_up::Kernel k("nap");
  k.add("s_sleep 2", 4);
  k.add("s_waitcnt lgkmcnt(0)", 4);
  k.add("s_sleep 5", 4);
  const auto hearing = sleeps_view.hear({});
  events::Listener& listener = hearing->listener();
  EXPECT_TRUE(listener.wants_waits());
  const auto hear = [&](size_t at, int times) {
    isa::Instruction instruction;
    instruction.imm = at == 0 ? 2 : 5;
    for (int i = 0; i < times; ++i)
      listener.wait({{0x1000 + 4 * at, &instruction}, nullptr, at != 1, {}});
  };
  hear(0, 3), hear(1, 4), hear(2, 1);
  std::thread([&] { hear(2, 9); }).join();
  Code code(k.k);
  hearing->list(code);
  hearing->fill_in(code);
  Profile p;
  p.command = "x";
  p.views.lds = true; // the one asked for is in no list here
  p.kernels = {k.k};
  return p;
}

TEST(Views, FiguresAreInTheJson) {
  const Json document = Json::parse(json(profile_of_sleeps()));
  EXPECT_EQ(document["kernels"][0]["figures"], Json::parse(R"([{"view": "sleeps",
    "columns": [{"name": "times", "unit": "", "about": "executions"},
                {"name": "clocks", "unit": "clocks", "about": "asked for, at most"}],
    "rows": [[0, 3, 384], [2, 10, 3200]]}])"));
  Profile without = profile_of_sleeps();
  without.kernels[0].figures.clear();
  EXPECT_FALSE(Json::parse(json(without))["kernels"][0].contains("figures"));
}

TEST(Views, FiguresAreInTheSummary) {
  const std::string text = summary(profile_of_sleeps(), By::line);
  EXPECT_NE(text.find("\n  sleeps     times 13, clocks 3584 clocks\n"), std::string::npos) << text;
}

// What the guide shows is what these tests compile, which stands in it behind four spaces.
TEST(Views, TheGuideShowsThisView) {
  const std::string guide = read(CROSSLANE_ADDING_A_VIEW);
  std::istringstream code(read(CROSSLANE_SLEEPS_VIEW));
  std::string shown;
  for (std::string line; std::getline(code, line);)
    shown += line.empty() ? "\n" : "    " + line + "\n";
  EXPECT_GT(shown.size(), 1000u);
  EXPECT_NE(guide.find(shown), std::string::npos);
}

} // namespace
} // namespace crosslane::report
