// Runs every behaviour case on every target that its header names ("// targets: gfx803 gfx900").
#include "tests/engine/case.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace crosslane {
namespace {

struct Case {
  std::string path;
  isa::Target target;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& entry : std::filesystem::directory_iterator(CROSSLANE_CASES)) {
    if (entry.path().extension() != ".s") continue;
    std::ifstream in(entry.path());
    bool named = false;
    for (std::string line; std::getline(in, line);) {
      const std::string key = "// targets:";
      if (!line.starts_with(key)) continue;
      std::istringstream words(line.substr(key.size()));
      for (std::string word; words >> word; named = true) cases.push_back({entry.path(), *isa::parse_target(word)});
    }
    if (!named) ADD_FAILURE() << entry.path() << " names no targets";
  }
  return cases;
}

class Cases : public testing::TestWithParam<Case> {};

TEST_P(Cases, EndsWithTheExpectedRegisters) {
  const auto result = test::run_case(GetParam().path, GetParam().target);
  for (const auto& m : result.mismatches) ADD_FAILURE() << m;
}

INSTANTIATE_TEST_SUITE_P(Engine, Cases, testing::ValuesIn(all_cases()), [](const auto& info) {
  std::string name = std::filesystem::path(info.param.path).stem().string() + "_" +
                     std::string(isa::info(info.param.target).name);
  for (char& c : name)
    if (!isalnum(c)) c = '_';
  return name;
});

}  // namespace
}  // namespace crosslane
