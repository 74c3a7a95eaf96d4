// Reports as files: each process its own.
#include "profile/output.h"
#include "profile/process.h"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
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

TEST_F(ProfileOutput, SaysWhatItWrites) {
  std::string text;
  for (const auto& use : Output({.json = "a", .html = "b"}, false).uses())
    text += use.what + " " + use.name + "\n";
  EXPECT_EQ(text, "--json a\n--html b\n");
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
  EXPECT_EQ(message(Output({.json = path("no/a")}, true).clear()), path("no/a") + ": No such file or directory");
}

TEST_F(ProfileOutput, LinksStayLinks) {
  put(path("real.json"), "old");
  fs::create_symlink("real.json", path("a.json"));
  Output output({.json = path("a.json")}, true);
  EXPECT_EQ(message(output.clear()), "");
  EXPECT_EQ(message(output.write({.producer = "somebody"})), "");
  EXPECT_EQ(files(), (std::vector<std::string>{"a.json", "real.json"}));
  EXPECT_NE(text(path("real.json")).find("somebody"), std::string::npos);
}

// A name that was taken, and then could not be written to, is given back.
TEST_F(ProfileOutput, AFullDiskLeavesNoEmptyFile) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit most = {100, 100};
    setrlimit(RLIMIT_FSIZE, &most);
    Output output({.json = path("a.json")}, true);
    _exit(message(output.write({})) == path("a.json") + ": File too large" ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(ProfileOutput, CommandLine) { EXPECT_NE(command_line().find("profile_test"), std::string::npos); }

} // namespace
} // namespace crosslane::profile
