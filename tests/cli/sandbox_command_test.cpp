// crosslane launch --sandbox: the same results and reports as without, and what the process could do no more.
#include "files/read.h"
#include "files/write.h"
#include "tests/cli/command.h"
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

std::vector<std::string> vadd(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"launch",           input("vadd.cl"),  "--grid",      "1000",
                                    "a=f32[1000]:iota", "b=f32[1000]:0.5", "c=f32[1000]", "n=1000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string text_of(const std::string& path) {
  const auto bytes = value_of(files::read(path));
  return {bytes.begin(), bytes.end()};
}

TEST(SandboxCommand, AProcessThatWasTakenOverCanDoNothing) {
  const Folder folder;
  const std::string victim = folder / "victim";
  EXPECT_EQ(error_of(files::write(victim, std::string("kept"))), "");
  auto words = vadd({"--out", "c=" + (folder / "c.npy"), "--sandbox"});
  words.insert(words.begin(), {"LD_PRELOAD=" SANDBOX_PROBE, "SANDBOX_VICTIM=" + victim, CROSSLANE});
  Result result = run("/usr/bin/env", words);
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* what : {"open", "unlink", "socket", "fork", "execve"})
    EXPECT_HAS(result.err, "probe: " + std::string(what) + ": Operation not permitted\n");
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(text_of(victim), "kept");
  EXPECT_EQ(at<float>(read_npy(folder / "c.npy"), 999), 999.5f);
  words.pop_back();
  result = run("/usr/bin/env", words);
  EXPECT_EQ(result.err, "") << "only the sandbox wakes the probe";
}

// What is compiled elsewhere is not used, and nothing is left for others to use.
TEST(SandboxCommand, HasNoPartInTheCacheOfCompiledKernels) {
  const Folder folder;
  const std::string cache = folder / "cache";
  const auto launch = [&](const std::vector<std::string>& more) {
    auto words = vadd({"--stats", "--expect", "c=f32[1000]:iota:0.5"});
    words.insert(words.begin(),
                 {"CROSSLANE_JIT=always", "CROSSLANE_CACHE=on", "CROSSLANE_CACHE_DIR=" + cache, CROSSLANE});
    words.insert(words.end(), more.begin(), more.end());
    const Result result = run("/usr/bin/env", words);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  };
  EXPECT_HAS(launch({"--sandbox"}), "not compiled: ");
  EXPECT_FALSE(std::filesystem::exists(cache));
  if (!contains(launch({}), "kept for other runs: 1 kernel(s)"))
    GTEST_SKIP() << "nothing is compiled on this host";
  const auto before = std::filesystem::last_write_time(cache);
  EXPECT_HAS(launch({"--sandbox"}), "not compiled: ");
  EXPECT_EQ(std::filesystem::last_write_time(cache), before);
}

TEST(SandboxCommand, WritesAllThatIsWrittenWithout) {
  const Folder folder;
  const auto words = [&](const std::string& part) {
    return vadd({"--profile", "all", "--trace-wave", "0:0", "--fidelity", "--print", "c:4", "--expect",
                 "c=f32[1000]:iota:0.5", "--out", "c=" + (folder / part + ".npy"), "--out",
                 "a=" + (folder / part + ".raw"), "--json", folder / part + ".json", "--csv", folder / part + ".csv",
                 "--html", folder / part + ".html"});
  };
  const Result plain = crosslane(words("plain"));
  EXPECT_EQ(plain.status, 0) << plain.err;
  auto contained = words("contained");
  contained.push_back("--sandbox");
  const Result result = crosslane(contained);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "c = f32[1000]\n  0.5 1.5 2.5 3.5 ...");
  for (const char* extension : {".npy", ".raw"})
    EXPECT_EQ(text_of(folder / "contained" + extension), text_of(folder / "plain" + extension)) << extension;
  const auto lines = [&](const char* part) { return std::ranges::count(text_of(folder / part + ".csv"), '\n'); };
  EXPECT_EQ(lines("contained"), lines("plain")); // it has times, too
  const auto profile = [&](const char* part) { return nlohmann::json::parse(text_of(folder / part + ".json")); };
  EXPECT_EQ(profile("contained")["kernels"][0]["instructions"], profile("plain")["kernels"][0]["instructions"]);
  EXPECT_HAS(text_of(folder / "contained.html"), "</html>");
}

TEST(SandboxCommand, FaultsAndWrongResultsAreTold) {
  Result result = crosslane(vadd({"--sandbox", "--expect", "c=f32[1000]:1"}));
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.err, "crosslane: wrong result: c");
  result = crosslane(
      {"launch", input("vadd.cl"), "--grid", "1000", "f32[1000]", "f32[1000]", "f32[10]", "1000", "--sandbox"});
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_HAS(result.err, "vadd.cl:");
  result = crosslane(vadd({"--sandbox", "--out", "c=/nowhere/c.npy"}));
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "/nowhere/c.npy: ");
}

TEST(SandboxCommand, InToml) {
  const Folder folder;
  const std::string job = folder / "j.toml";
  EXPECT_EQ(error_of(files::write(
                job, "file = \"" + input("vadd.cl") +
                         "\"\ngrid = [64]\nsandbox = true\n[args]\n"
                         "a = \"f32[64]:iota\"\nb = \"f32[64]\"\nc = \"f32[64]\"\nn = 64\n[out]\nc = \"c.npy\"\n")),
            "");
  const Result result = run(
      "/usr/bin/env", {"LD_PRELOAD=" SANDBOX_PROBE, "SANDBOX_VICTIM=" + (folder / "none"), CROSSLANE, "launch", job});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.err, "probe: execve: Operation not permitted\n");
  EXPECT_EQ(at<float>(read_npy(folder / "c.npy"), 63), 63);
}

TEST(SandboxCommand, RunSaysWhyItHasNone) {
  const Result result = crosslane({"run", "--sandbox", "true"});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "the program itself is native code");
}

} // namespace
} // namespace crosslane::cli::test
