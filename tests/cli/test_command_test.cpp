// crosslane test: descriptions with their expectations, each in a process of its own.
#include "files/read.h"
#include "tests/cli/command.h"
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace crosslane::cli::test {
namespace {

class TestCommand : public ::testing::Test {
protected:
  TestCommand() {
    write("double.cl", "kernel void twice(global int* x) {\n  x[get_global_id(0)] *= 2;\n}\n");
    write("hangs.cl", "kernel void hangs(global volatile int* x) {\n  while (!x[0]);\n}\n");
    write("shift.cl", "kernel void shift(global const int* in, global int* out) {\n  int i = get_global_id(0);\n"
                      "  out[i] = in[i + 1];\n}\n");
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  void twice(const std::string& name, const std::string& expected) {
    write(name, "file = 'double.cl'\ngrid = 8\nargs.x = 'i32[8]:iota'\n[expect]\n  x = '" + expected + "'\n");
  }
  void shift(const std::string& name, int items, const std::string& more) {
    write(name,
          fmt::format("file = 'shift.cl'\ngrid = {0}\n{1}\n[args]\nin = '[{0}]:iota'\nout = '[{0}]'\n", items, more));
  }
  void hangs(const std::string& name) { write(name, "file = 'hangs.cl'\ngrid = 64\nargs = ['i32[1]']\n"); }
  Result run(std::vector<std::string> words) {
    words.insert(words.begin(), {"test", folder_ / ""});
    return crosslane(words);
  }
  std::string read(const std::string& name) {
    const auto bytes = value_of(files::read(folder_ / name));
    return {bytes.begin(), bytes.end()};
  }

  Folder folder_;
};

TEST_F(TestCommand, PassesFailsAndRuns) {
  twice("a.toml", "i32[8]:iota:0:2");
  twice("b.toml", "i32[8]:iota:0:3");
  write("c.toml", "file = 'double.cl'\ngrid = 8\nargs = ['i32[8]']\n");
  const Result result = run({"-j", "2", "--junit", folder_ / "j.xml", "--json", folder_ / "j.json"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_HAS(result.out, "b.toml:5:3: error: x: 7 of 8 elements differ");
  EXPECT_HAS(result.out, "3 tests: 1 passed, 1 failed, 1 ran with nothing expected");
  EXPECT_HAS(read("j.xml"), "tests=\"3\" failures=\"1\" errors=\"0\"");
  EXPECT_HAS(read("j.json"), "\"outcome\": \"ran\"");
  EXPECT_EQ(run({"--exclude", "b.toml"}).status, 0);
  EXPECT_EQ(run({"--filter", "b*", "--list"}).out, (folder_ / "b.toml") + ": double.cl: x\n");
}

TEST_F(TestCommand, FaultsAreExpectedOrNot) {
  shift("expected.toml", 64, "expect_fault = 'unmapped_address'");
  shift("other.toml", 64, "expect_fault = 'trap'");
  shift("none.toml", 63, "expect_fault = 'trap'");
  shift("surprise.toml", 64, "");
  write("none.toml", "file = 'double.cl'\ngrid = 8\nexpect_fault = 'trap'\nargs = ['i32[8]']\n");
  const Result result = run({});
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.out, "other.toml:3:1: error: expected the fault 'trap', not 'unmapped_address'");
  EXPECT_HAS(result.out, "none.toml:3:1: error: the kernel ended without the fault 'trap'");
  EXPECT_HAS(result.out, "shift.cl:3:12: error: memory fault: unmapped address 0x");
  EXPECT_HAS(result.out, "4 tests: 1 passed, 3 failed");
}

TEST_F(TestCommand, FindingsAreExpectedOrNot) {
  shift("expected.toml", 50, "check = 'memory'\nexpect_findings = ['memory-bounds shift.cl:3']");
  shift("elsewhere.toml", 50, "check = 'memory'\nexpect_findings = ['memory-bounds shift.cl:2']");
  shift("surprise.toml", 50, "check = 'memory'");
  write("clean.toml", "file = 'double.cl'\ngrid = 8\ncheck = 'memory'\nargs = ['i32[8]']\n");
  const Result result = run({});
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.out, "elsewhere.toml:4:1: error: not found: memory-bounds shift.cl:2");
  EXPECT_HAS(result.out, "shift.cl:3:12: error: reads 4 bytes right past the end of 'in' (200 bytes) [memory-bounds]");
  EXPECT_HAS(result.out, "4 tests: 2 passed, 2 failed");
}

TEST_F(TestCommand, TimeLimitEndsOneTest) {
  hangs("a.toml");
  twice("b.toml", "i32[8]:iota:0:2");
  const Result result = run({"--timeout", "1.5"});
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.out, "the time limit is over: kernel hangs was stopped");
  EXPECT_HAS(result.out, "2 tests: 1 passed, 1 failed");
}

// What docs/testing-kernels.md gives to GitHub finds what each command says is wrong.
TEST_F(TestCommand, ProblemMatcherOfTheManual) {
  const auto manual = value_of(files::read(TESTING_MANUAL));
  const std::string text(manual.begin(), manual.end());
  const size_t begin = text.find("{\n  \"problemMatcher\""), end = text.find("```", begin);
  ASSERT_NE(end, std::string::npos);
  const auto pattern = nlohmann::json::parse(text.substr(begin, end - begin))["problemMatcher"][0]["pattern"][0];
  const std::regex matcher(pattern["regexp"].get<std::string>());
  const auto found = [&](const std::string& output) { // file, line and column of all
    std::vector<std::string> all;
    std::istringstream lines(output);
    std::smatch match;
    for (std::string line; std::getline(lines, line);)
      if (std::regex_match(line, match, matcher)) {
        const std::string file = match[pattern["file"].get<size_t>()];
        all.push_back(
            fmt::format("{}:{}:{} {}", file.substr(file.rfind('/') + 1), match[pattern["line"].get<size_t>()].str(),
                        match[pattern["column"].get<size_t>()].str(), match[pattern["severity"].get<size_t>()].str()));
      }
    return all;
  };
  using Places = std::vector<std::string>;
  const std::vector<std::string> launch = {"launch", folder_ / "shift.cl", "--grid", "64", "in=i32[64]", "out=i32[64]"};
  EXPECT_EQ(found(crosslane(launch).err), (Places{"shift.cl:3:12 error"}));
  EXPECT_EQ(
      found(crosslane({"launch", folder_ / "shift.cl", "--grid", "50", "in=i32[50]", "out=i32[50]", "--check"}).err),
      (Places{"shift.cl:3:12 error"}));
  EXPECT_EQ(found(crosslane({"lint", input("hazard.s"), "--select", "wait-states"}).out),
            (Places{"hazard.s:12:8 error", "hazard.s:14: error"})); // the second one in a macro
  twice("b.toml", "i32[8]:iota:0:3");
  EXPECT_EQ(found(run({}).out), (Places{"b.toml:5:3 error"}));
}

TEST_F(TestCommand, BadUse) {
  EXPECT_EQ(run({}).status, 2);
  EXPECT_HAS(run({}).err, "no tests: there is no *.toml");
  twice("a.toml", "i32[8]:iota:0:2");
  EXPECT_HAS(run({"--filter", "x*"}).err, "--filter and --exclude leave none");
  EXPECT_HAS(run({"--timeout", "0"}).err, "--timeout 0: must be a number of seconds above 0");
  EXPECT_EQ(run({"-j", "0"}).status, 2);
  EXPECT_EQ(crosslane({"test", folder_ / "none"}).status, 2);
  EXPECT_HAS(run({"--json", folder_ / "a.toml"}).err, "would overwrite");
  EXPECT_HAS(run({"--junit", folder_ / "no/j.xml"}).err, "No such file");
}

// Starts the command, and gives its process; what it prints goes to a file.
pid_t start(const std::vector<std::string>& words, const std::string& output) {
  std::vector<char*> all = {const_cast<char*>(CROSSLANE)};
  for (const std::string& word : words)
    all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    if (!std::freopen(output.c_str(), "w", stdout))
      _exit(126);
    execv(CROSSLANE, all.data());
    _exit(127);
  }
  return process;
}

int wait_for(pid_t process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Processes that `parent` started; waits for the first one.
std::vector<pid_t> children(pid_t parent) {
  for (int tries = 0; tries < 500; ++tries) {
    std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", parent));
    std::vector<pid_t> all;
    for (pid_t child; file >> child;)
      all.push_back(child);
    if (!all.empty())
      return all;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return {};
}

TEST_F(TestCommand, ProcessThatDiesIsAnErrorOfOneTest) {
  hangs("a.toml");
  twice("b.toml", "i32[8]:iota:0:2");
  const pid_t command = start({"test", folder_ / ""}, folder_ / "out");
  const auto all = children(command);
  ASSERT_EQ(all.size(), 1u);
  kill(all[0], SIGKILL);
  EXPECT_EQ(wait_for(command), 1);
  EXPECT_HAS(read("out"), "a.toml:1:1: error: the process of the test ended by signal 9");
  EXPECT_HAS(read("out"), "2 tests: 1 passed, 1 error");
}

TEST_F(TestCommand, SignalEndsAllAndTellsWhatThereIs) {
  hangs("b.toml");
  twice("a.toml", "i32[8]:iota:0:2");
  hangs("c.toml");
  write("out", "");
  const pid_t command = start({"test", folder_ / "", "--json", folder_ / "j.json"}, folder_ / "out");
  for (int tries = 0; tries < 500 && read("out").find("a.toml") == std::string::npos; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto all = children(command);
  kill(command, SIGTERM);
  EXPECT_EQ(wait_for(command), 128 + SIGTERM);
  EXPECT_HAS(read("out"), "3 tests: 1 passed, 2 not run");
  EXPECT_HAS(read("j.json"), "\"not_run\": 2");
  for (const pid_t child : all)
    EXPECT_NE(kill(child, 0), 0) << "still there: " << child;
}

} // namespace
} // namespace crosslane::cli::test
