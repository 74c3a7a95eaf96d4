// What is done with findings: which are left out, and the forms they come in.
#include "check/suppressions.h"
#include "check/telling.h"
#include "tests/expected.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace crosslane::test {

namespace {

lint::Judged judged() {
  lint::Judged j{.file = "k.co", .target = "gfx900"};
  const auto add = [&](lint::Rule rule, const char* function, uint64_t offset, const char* source) {
    j.findings.push_back(
        {.rule = rule,
         .severity = lint::Severity::error,
         .place = {.file = "k.co", .function = function, .offset = offset, .source = source},
         .message = "it is wrong",
         .seen = lint::Seen{.workgroup = {1, 2, 3}, .wave = 4, .lane = 5, .address = 0x40, .times = 6}});
  };
  add(lint::Rule::memory_bounds, "sort", 0x50, "kernels/k.cl:12:5");
  add(lint::Rule::memory_bounds, "scan", 0x10, "kernels/k.cl:30:1");
  add(lint::Rule::barrier_lanes, "sort", 0x60, "kernels/k.cl:13:5");
  return j;
}

size_t left(std::string_view lines) {
  lint::Judged j = judged();
  check::Suppressions suppressions = value_of(check::Suppressions::parse(lines, "known.txt"));
  suppressions.apply({&j, 1});
  return j.findings.size();
}

std::string error_of(std::string_view lines) {
  auto parsed = check::Suppressions::parse(lines, "known.txt");
  return parsed ? "" : llvm::toString(parsed.takeError());
}

class TemporaryFile {
public:
  explicit TemporaryFile(std::string_view text)
      : path_(std::filesystem::temp_directory_path() / ("telling-" + std::to_string(getpid()))) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  std::string path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace

TEST(Suppressions, NameRuleAndPlace) {
  EXPECT_EQ(left(""), 3u);
  EXPECT_EQ(left("memory-bounds\n"), 1u);
  EXPECT_EQ(left("memory-bounds sort # known\n"), 2u);
  EXPECT_EQ(left("* sort"), 1u);
  EXPECT_EQ(left("* sort+0x50"), 2u);
  EXPECT_EQ(left("memory-* k.cl:30"), 2u);
  EXPECT_EQ(left("memory-* kernels/k.cl:30:1"), 2u);
  EXPECT_EQ(left("* */k.cl:*"), 0u);
  EXPECT_EQ(left("memory-bounds k.cl:13\n\n# nothing\n"), 3u);
}

TEST(Suppressions, SayWhatIsWrong) {
  EXPECT_EQ(error_of("\nmemory-bound sort"),
            "known.txt:2: 'memory-bound' is no rule; to see all: crosslane lint --list-rules");
  EXPECT_EQ(error_of("memory-bounds sort scan"), "known.txt:1: 'scan' is too much: a line is RULE [WHERE]");
}

TEST(Telling, ShowsSoManyAndWritesAll) {
  const TemporaryFile known("memory-bounds scan\nmemory-other\n");
  std::vector<lint::Judged> all = {judged()};
  const check::Telling telling{.file = "f.json", .suppress = known.path(), .most = 1};
  EXPECT_FALSE(bool(telling.judge()));
  const auto told = value_of(telling.tell(all));
  EXPECT_EQ(told.findings, 2u);
  EXPECT_NE(told.text.find("[memory-bounds]"), std::string::npos);
  EXPECT_NE(told.text.find("in workgroup (1,2,3), wave 4, lane 5, address 0x40; 6 times"), std::string::npos);
  EXPECT_EQ(told.text.find("[barrier-lanes]"), std::string::npos);
  EXPECT_NE(told.text.find("1 more findings are not shown"), std::string::npos);
  ASSERT_EQ(told.notes.size(), 2u);
  EXPECT_EQ(told.notes[0], "1 finding is suppressed by " + known.path());
  EXPECT_EQ(told.notes[1], known.path() + ":2: memory-other names nothing that was found");
  EXPECT_NE(told.document.find("\"barrier-lanes\""), std::string::npos);
  EXPECT_NE(told.document.find("\"lane\": 5"), std::string::npos);
}

// A place in what the compiler inlined, in a function that was called.
TEST(Telling, SaysByWhichCallsAPlaceIsComeTo) {
  lint::Judged j = judged();
  j.findings.resize(1);
  lint::PlacedFinding& f = j.findings[0];
  f.place.inlined_by = {"kernels/k.cl:20:3"};
  f.callers = {{.file = "k.co", .function = "main", .offset = 8, .source = "kernels/main.cl:7:1"}};
  const auto document = [&](const char* file) { return value_of(check::Telling{.file = file}.tell({&j, 1})).document; };
  const std::string text = value_of(check::Telling{}.tell({&j, 1})).text;
  EXPECT_NE(text.find("kernels/k.cl:12:5: error: it is wrong [memory-bounds]"), std::string::npos) << text;
  EXPECT_NE(text.find("            inlined by kernels/k.cl:20:3\n"
                      "            called from kernels/main.cl:7:1 (main+0x8)\n"),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(document("f.json"))["findings"][0];
  EXPECT_EQ(json["place"]["inlined_by"], nlohmann::json({"kernels/k.cl:20:3"}));
  EXPECT_EQ(json["called_from"][0]["source"], "kernels/main.cl:7:1");
  const auto result = nlohmann::json::parse(document("f.sarif"))["runs"][0]["results"][0];
  const auto line = [](const nlohmann::json& location) {
    const auto& physical = location["physicalLocation"];
    return physical["artifactLocation"]["uri"].get<std::string>() + ":" + physical["region"]["startLine"].dump();
  };
  EXPECT_EQ(line(result["locations"][0]), "kernels/k.cl:12");
  std::vector<std::string> frames;
  for (const auto& frame : result["stacks"][0]["frames"])
    frames.push_back(line(frame["location"]));
  EXPECT_EQ(frames, (std::vector<std::string>{"kernels/k.cl:12", "kernels/k.cl:20", "kernels/main.cl:7"}));
  for (const char* known : {"* k.cl:20", "* main.cl:7:1", "* main"}) {
    lint::Judged left = j;
    EXPECT_EQ(value_of(check::Suppressions::parse(known, "known")).apply({&left, 1}), 1u) << known;
  }
}

TEST(Telling, KnowsItsForms) {
  const auto document = [](const char* file) {
    std::vector<lint::Judged> all = {judged()};
    return value_of(check::Telling{.file = file}.tell(all)).document;
  };
  EXPECT_NE(document("a.sarif").find("crosslane check"), std::string::npos);
  EXPECT_NE(document("a.xml").find("<testsuites name=\"crosslane check\""), std::string::npos);
  EXPECT_EQ(llvm::toString(check::Telling{.file = "a.txt"}.judge()),
            "a.txt: findings are written as .json, .sarif or .xml (JUnit): name such a file");
  EXPECT_NE(llvm::toString(check::Telling{.suppress = "/nowhere/known"}.judge()).find("/nowhere/known"),
            std::string::npos);
}

} // namespace crosslane::test
