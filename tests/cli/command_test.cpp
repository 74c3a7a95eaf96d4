// The command as a whole: version, help, usage errors; and the helpers that run it.
#include "files/read.h"
#include "files/write.h"
#include "launch/npy.h"
#include "tests/cli/command.h"
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::cli::test {

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "crosslane-test-XXXXXX").string();
  if (mkdtemp(pattern.data()))
    path_ = pattern;
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result run(const std::string& program, const std::vector<std::string>& words, const std::string& standard_input) {
  const Folder folder;
  std::string command = "exec '" + program + "'";
  for (const auto& word : words) {
    command += " '";
    for (const char c : word)
      command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += "'";
  }
  EXPECT_EQ(error_of(files::write(folder / "in", standard_input)), "");
  const int status =
      std::system((command + " <" + (folder / "in") + " >" + (folder / "out") + " 2>" + (folder / "err")).c_str());
  const auto text = [&](const char* name) {
    const auto bytes = value_of(files::read(folder / name));
    return std::string(bytes.begin(), bytes.end());
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0, text("out"),
          text("err")};
}

Result crosslane(const std::vector<std::string>& words, const std::string& standard_input) {
  return run(CROSSLANE, words, standard_input);
}

std::string input(const std::string& name) { return std::string(INPUT_DIR) + "/" + name; }
Buffer read_npy(const std::string& path) { return value_of(launch::parse_npy(value_of(files::read(path)), path)); }

namespace {

TEST(Command, VersionAndHelp) {
  const Result version = crosslane({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(std::regex_match(version.out, std::regex("crosslane [0-9.]+\ncommit ([0-9a-f]{12}(-modified)?|unknown)\n"
                                                       "LLVM 19[0-9.]+\nx86-64 level (v[134]) \\(of v1, v3, v4\\)\n")))
      << version.out;
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                {"launch", "--help"},
                                                {"disasm", "--help"},
                                                {"isa", "--help"},
                                                {"run", "--help"},
                                                {"env", "--help"}}) {
    const Result help = crosslane(words);
    EXPECT_EQ(help.status, 0);
    EXPECT_HAS(help.out, "Example");
  }
}

TEST(Command, UsageErrorsExitWith2AndOneMessage) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{}, "which verb? One is 'launch'\nRun 'crosslane --help'"},
      {{"lunch"}, "there is no verb 'lunch'; did you mean launch?"},
      {{"whatever"}, "there is no verb 'whatever'\n"},
      {{"launch"}, "FILE is required"},
      {{"launch", "x.cl", "--gird", "5"}, "launch has no option '--gird'; did you mean --grid?"},
      {{"launch", "x.cl", "--pint=c"}, "launch has no option '--pint'; did you mean --print?"},
      {{"disasm", "--whatever"}, "disasm has no option '--whatever'\n"},
      {{"launch", input("math.cl"), "--grid", "4", "--kernel", "atomcs"},
       "has no kernel 'atomcs'; did you mean atomics? There are:"},
      {{"launch", "nowhere.cl", "--grid", "5"}, "nowhere.cl: No such file or directory"},
      {{"launch", input("vadd.cl"), "--grid", "five"}, "--grid: 'five' is not a size"},
      {{"launch", input("vadd.cl"), "[4]", "[4]", "[4]", "4"}, "Give --grid"},
      {{"launch", input("vadd.cl"), "--grid", "4", "--runs", "0"}, "--runs must be at least 1"},
      {{"launch", input("vadd.cl"), "--grid", "4", "--profile", "x"}, "--profile x: there is no view 'x'"},
      {{"launch", input("vadd.cl"), "--grid", "4", "--per-wave"}, "--per-wave needs --profile"},
      {{"launch", input("vadd.cl"), "--grid", "4", "--json", "/nowhere/x"}, "/nowhere/x: No such file or directory"},
      {{"launch", input("math.cl"), "--grid", "4"}, "choose one with --kernel"},
      {{"launch", input("broken.cl"), "--grid", "4"}, "undeclared identifier"},
      {{"disasm"}, "needs a file"},
      {{"isa", "v_nothing"}, "the ISA has no instruction 'v_nothing'"},
      {{"isa", "v_ad_f32"}, "the ISA has no instruction 'v_ad_f32'; did you mean v_add_f32? Patterns"},
      {{"isa", "--target", "gfx803", "global_lod_dword"}, "gfx803 has no instruction 'global_lod_dword'"},
      {{"isa", "--target", "gfx90"}, "'gfx90' is not a target of crosslane; did you mean gfx900? There are gfx600, "},
      {{"isa", "--target", "gfx42"}, "'gfx42' is not a target"},
      {{"isa", "--encoding", "VOP9"}, "there is no 'VOP9'; there are SOP1, SOP2,"},
      {{"isa", "--target", "gfx803", "--encoding", "global"}, "gfx803, encoding GLOBAL, has no instruction"},
      {{"disasm", "--hex"}, "--hex needs --target"},
      {{"disasm", "--hex", "--target", "gfx42"}, "'gfx42' is not a target"},
      {{"disasm", "--hex", "--target", "gfx900", "x.co"}, "leave out the file"},
  };
  for (const auto& [words, message] : cases) {
    const Result result = crosslane(words);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_TRUE(result.err.starts_with("crosslane: ")) << result.err;
    EXPECT_HAS(result.err, message);
    EXPECT_EQ(result.out, "");
  }
}

} // namespace
} // namespace crosslane::cli::test
