// Reports as files: whole or not there, and each process its own.
#include "profile/output.h"
#include "profile/process.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::profile {
namespace {

namespace fs = std::filesystem;

class ProfileOutput : public testing::Test {
protected:
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }
  std::string path(const std::string& name) const { return (folder / name).string(); }
  static std::string text(const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  static void put(const std::string& path, const char* text) { std::ofstream(path) << text; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  const fs::path folder = fs::temp_directory_path() / ("crosslane-output-" + std::to_string(getpid()));
};

std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }

TEST_F(ProfileOutput, ReplacesAFileAndLeavesNothingElse) {
  put(path("a"), "old and longer");
  EXPECT_EQ(message(write_whole(path("a"), "new")), "");
  EXPECT_EQ(text(path("a")), "new");
  EXPECT_EQ(files(), std::vector<std::string>{"a"});
}

TEST_F(ProfileOutput, FollowsLinks) {
  put(path("real"), "old");
  fs::create_symlink("real", path("link"));
  EXPECT_EQ(message(write_whole(path("link"), "new")), "");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text(path("real")), "new");
}

TEST_F(ProfileOutput, WritesIntoWhatIsNoFile) {
  EXPECT_EQ(message(write_whole("/dev/null", "x")), "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(message(write_whole("/dev/full", "x")), "/dev/full: No space left on device");
}

TEST_F(ProfileOutput, SaysWhatCannotBeWritten) {
  EXPECT_EQ(message(write_whole(path("no/a"), "x")), path("no/a") + ": No such file or directory");
  EXPECT_EQ(message(Output({.json = path("no/a")}, false).check()), path("no/a") + ": No such file or directory");
  EXPECT_EQ(message(Output({.csv = folder.string()}, false).check()), folder.string() + ": is a folder");
  EXPECT_EQ(message(Output({.json = path("a"), .html = "/dev/null"}, false).check()), "");
  EXPECT_EQ(message(Output({.json = path("a"), .html = path("a")}, false).check()),
            path("a") + ": is asked for as the file of two reports: give each a name of its own");
  EXPECT_EQ(message(Output({.json = "/dev/null", .html = "/dev/null"}, false).check()), "");
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(ProfileOutput, OneThatCannotBeWrittenDoesNotLoseTheOthers) {
  Output output({.json = path("no/a"), .csv = path("b")}, false);
  EXPECT_EQ(message(output.write({})), path("no/a") + ": No such file or directory");
  EXPECT_EQ(files(), std::vector<std::string>{"b"});
}

TEST_F(ProfileOutput, JsonTakesMoreMembers) {
  Output output({.json = path("a.json")}, false);
  EXPECT_EQ(message(output.write({}, "\"fidelity\":{\"x\":1}")), "");
  EXPECT_TRUE(text(path("a.json")).ends_with(",\"fidelity\":{\"x\":1}}\n")) << text(path("a.json"));
}

TEST_F(ProfileOutput, HtmlHasTheProfileInside) {
  Output output({.html = path("a.html")}, false);
  EXPECT_EQ(message(output.write({.producer = "somebody"})), "");
  EXPECT_NE(text(path("a.html")).find("\"producer\":\"somebody\""), std::string::npos);
}

// A process keeps the name that it has; another one finds it taken, and gives all of its files its number.
TEST_F(ProfileOutput, ProcessesDoNotOverwriteEachOther) {
  const Options options = {.json = path("a.json"), .csv = path("a.csv")};
  Output first(options, true);
  EXPECT_EQ(message(first.write({.producer = "first"})), "");
  const pid_t child = fork();
  if (child == 0) {
    fs::remove(path("a.csv")); // one of the names is free: still both get the number
    Output second(options, true);
    bool good = !second.write({.producer = "second"});
    good &= !second.write({.producer = "second again"});
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const std::string number = "a." + std::to_string(child);
  EXPECT_EQ(files(), (std::vector<std::string>{number + ".csv", number + ".json", "a.json"}));
  EXPECT_EQ(message(first.write({.producer = "first again"})), "");
  EXPECT_NE(text(path("a.json")).find("first again"), std::string::npos);
  EXPECT_NE(text(path(number + ".json")).find("second again"), std::string::npos);
}

TEST_F(ProfileOutput, FilesOfAnEarlierRunGiveTheirNamesBack) {
  put(path("a.json"), "old");
  put(path("b.json"), "somebody's");
  Output output({.json = path("a.json"), .html = path("a.html")}, true);
  EXPECT_EQ(message(output.clear()), "");
  EXPECT_EQ(files(), std::vector<std::string>{"b.json"});
  EXPECT_EQ(message(output.write({})), "");
  EXPECT_EQ(output.json(), path("a.json"));
  EXPECT_NE(message(Output({.json = path("no/a")}, true).clear()), "");
}

TEST_F(ProfileOutput, CommandLine) { EXPECT_NE(command_line().find("profile_test"), std::string::npos); }

} // namespace
} // namespace crosslane::profile
