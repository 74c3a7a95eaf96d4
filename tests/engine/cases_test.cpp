// Runs every behaviour case on every target that its header names, at every level the host has.
#include "tests/engine/case.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

namespace crosslane {
namespace {

struct File {
  std::string path;
  isa::Target target;
  friend void PrintTo(const File& f, std::ostream* out) {
    *out << std::filesystem::path(f.path).filename().string() << " on " << isa::info(f.target).name;
  }
};

std::vector<File> all_files() {
  std::vector<File> files;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(CROSSLANE_CASES))
    if (entry.path().extension() == ".s")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths)
    for (const isa::Target target : test::targets_of(path))
      files.push_back({path, target});
  return files;
}

class Cases : public testing::TestWithParam<File> {};

TEST_P(Cases, EndWithTheExpectedRegisters) {
  for (const auto& result : test::run_cases(GetParam().path, GetParam().target))
    for (const auto& m : result.mismatches)
      ADD_FAILURE() << result.name << ": " << m;
}

INSTANTIATE_TEST_SUITE_P(Engine, Cases, testing::ValuesIn(all_files()), [](const auto& info) {
  std::string name =
      std::filesystem::path(info.param.path).stem().string() + "_" + std::string(isa::info(info.param.target).name);
  for (char& c : name)
    if (!isalnum(c))
      c = '_';
  return name;
});

// The checker itself: a case that expects something wrong must not pass.
TEST(CaseChecker, ComplainsAboutWrongValuesAndStrayWrites) {
  const auto results = test::run_cases(CROSSLANE_CASES "/checker/wrong.s", isa::Target::gfx900);
  ASSERT_FALSE(results.empty());
  for (const auto& r : results)
    EXPECT_FALSE(r.mismatches.empty()) << r.name;
}

} // namespace
} // namespace crosslane
