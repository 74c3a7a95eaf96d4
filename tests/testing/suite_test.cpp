// Folders of descriptions.
#include "testing/suite.h"
#include "tests/expected.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace crosslane::testing {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::value_of;

class Suite : public ::testing::Test {
protected:
  Suite() {
    char name[] = "/tmp/crosslane-suite-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Suite() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text = "file = 'k.cl'\n") {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  // Names without the folder.
  std::vector<std::string> names(Selection selection = {}) {
    if (selection.paths.empty())
      selection.paths = {folder_};
    std::vector<std::string> all;
    for (const Case& t : value_of(collect(selection)))
      all.push_back(fs::path(t.name).lexically_relative(folder_));
    return all;
  }
  Case one(const std::string& text) {
    write("one.toml", text);
    auto all = value_of(collect({.paths = {folder_ / "one.toml"}}));
    return all.at(0);
  }

  fs::path folder_;
};

TEST_F(Suite, FindsDescriptionsInTheOrderOfTheirNames) {
  for (const char* name : {"b.toml", "a/z.toml", "a/b/c.toml", "k.cl", "a.toml", ".hidden/d.toml", "x.tomlx"})
    write(name);
  fs::create_directory_symlink(folder_, folder_ / "loop");
  EXPECT_EQ(names(), (std::vector<std::string>{"a/b/c.toml", "a/z.toml", "a.toml", "b.toml"}));
  EXPECT_EQ(names({.filter = {"?.toml"}, .exclude = {"*/b/*", "z*"}}), (std::vector<std::string>{"a.toml", "b.toml"}));
  // By two ways, and in the order in which they were given.
  EXPECT_EQ(names({.paths = {folder_ / "b.toml", folder_ / "a", folder_ / "a/../b.toml"}}),
            (std::vector<std::string>{"b.toml", "a/b/c.toml", "a/z.toml"}));
  EXPECT_HAS(error_of(collect({.paths = {folder_ / "none.toml"}})), "No such file");
}

TEST_F(Suite, WhatIsNoDescriptionSaysWhereAndWhy) {
  const Case key = one("file = 'k.cl'\n gird = 5");
  EXPECT_FALSE(key.job);
  EXPECT_EQ(key.why.place, key.name + ":2:2");
  EXPECT_EQ(key.why.text.substr(0, 43), "unknown key 'gird'; did you mean grid? Know");
  const Case none = one("x");
  EXPECT_EQ(none.why.place.substr(0, none.name.size() + 3), none.name + ":1:");
  EXPECT_EQ(one("grid = 5").why.text, "'file' is missing: the kernel's .cl, .s, .hip or .co");
  EXPECT_HAS(one("file = 'k'\nexpect_fault = 'traps'").why.text, "did you mean trap?");
  EXPECT_HAS(one("file = 'k'\nexpect_fault = 'cancelled'").why.text, "must be one of unmapped_address");
  EXPECT_HAS(one("file = 'k'\nexpect_fault = 'trap'\n[expect]\nc = 'c.npy'").why.text, "exclude each other");
  EXPECT_HAS(one("file = 'k'\nexpect_findings = ['race-lds']").why.text, "needs 'check'");
  EXPECT_HAS(one("file = 'k'\ncheck = 'all'\nexpect_findings = ['race-lsd']").why.text, "'race-lsd' is no rule");
  EXPECT_HAS(one("file = 'k'\nout.c = '-'").why.text, "no standard output");
}

TEST_F(Suite, NoTestOverwritesWhatIsAnotherOnes) {
  write("1.toml", "file = 'k.cl'\nout.c = 'c.npy'");
  write("2.toml", "file = 'k.cl'\nout.c = './c.npy'");
  write("3.toml", "file = 'k.cl'\njson = 'k.cl'");
  write("4.toml", "file = 'k.cl'\njson = '1.toml'");
  write("k.cl");
  const auto tests = value_of(collect({.paths = {folder_}}));
  ASSERT_EQ(tests.size(), 4u);
  EXPECT_TRUE(tests[0].job);
  for (int n : {1, 2, 3})
    EXPECT_HAS(tests[n].why.text, "would overwrite");
}

TEST_F(Suite, SaysWhatIsExpected) {
  EXPECT_EQ(expectations_of(*one("file = 'k'\nexpect.c = 'c.npy'\nexpect.d = 'd.npy'\ncheck = 'race'").job),
            "c, d, no findings of race");
  EXPECT_EQ(expectations_of(*one("file = 'k'\nexpect_fault = 'trap'").job), "fault trap");
  EXPECT_EQ(expectations_of(*one("file = 'k'\ncheck = 'all'\nexpect_findings = ['race-lds k.cl:3']").job),
            "findings race-lds k.cl:3");
  EXPECT_EQ(expectations_of(*one("file = 'k'\nprint = 'c'").job), "");
}

} // namespace
} // namespace crosslane::testing
