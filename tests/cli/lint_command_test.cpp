// crosslane lint, and what asm and launch say of it.
#include "files/read.h"
#include "files/write.h"
#include "tests/cli/command.h"
#include <filesystem>
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

using nlohmann::json;

std::string text_of(const std::string& path) {
  const auto bytes = value_of(files::read(path));
  return {bytes.begin(), bytes.end()};
}

// Only what the tests' own input is about: other rules come and go.
Result lint(std::vector<std::string> words, const std::string& standard_input = "") {
  words.insert(words.begin(), {"lint", "--select", "valu-sgpr-vmem,usage"});
  return crosslane(words, standard_input);
}

void write(const std::string& path, std::string_view text) { ASSERT_FALSE(bool(files::write(path, text))); }

constexpr std::string_view snippet = "v_readfirstlane_b32 s0, v0\nbuffer_load_dword v2, off, s[0:3], 0\ns_endpgm\n";

TEST(LintCommand, NamesLinesOfAssembly) {
  const Result result = lint({input("hazard.s")});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_HAS(result.out, "hazard.s:12:8: error: buffer_load_dword reads s[0:3] ");
  EXPECT_HAS(result.out, "    12 | again: buffer_load_dword v2, off, s[0:3], 0\n       |        ^\n");
  EXPECT_HAS(result.out, "hazard.s:11:3: note: s0 written here\n");
  EXPECT_HAS(result.out, "hazard.s:12:8: fix: insert 's_nop 4'\n");
  EXPECT_HAS(result.out, "hazard.s:14: error: "); // the line that names the macro
  EXPECT_FALSE(contains(result.out, "\x1b"));
}

// Whatever .loc says.
TEST(LintCommand, NamesLinesOfCompiledAssemblyItself) {
  const Folder folder;
  write(folder / "k.s", ".file 1 \"vadd.cl\"\n\t.loc 1 77 1\nv_readfirstlane_b32 s0, v0\n\t.loc 1 78 1\n"
                        "\tbuffer_load_dword v2, off, s[0:3], 0\ns_endpgm\n");
  EXPECT_HAS(lint({folder / "k.s"}).out, "k.s:5:2: error: ");
}

TEST(LintCommand, TakesStandardInputAndTargets) {
  EXPECT_HAS(lint({"-", "--mcpu", "gfx906"}, std::string(snippet)).out, "<standard input>:2:1: error: ");
  EXPECT_HAS(lint({"-"}, std::string(snippet)).out, "; gfx900 needs 5");
  const Result noted = lint({"-", "--target", "gfx701"}, std::string(snippet)); // selected by name: notes, too
  EXPECT_EQ(noted.status, 0);
  EXPECT_HAS(noted.out, ":2:1: note: buffer_load_dword reads ");
  EXPECT_EQ(crosslane({"lint", "-", "--select", "wait-states", "--severity", "warning", "--target", "gfx701"},
                      std::string(snippet))
                .status,
            0);
}

TEST(LintCommand, TakesCodeObjectsBundlesAndFolders) {
  const Folder folder;
  const std::string object = folder / "k.co";
  ASSERT_EQ(crosslane({"asm", input("hazard.s"), "-o", object}).status, 0);
  const Result result = lint({object});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_HAS(result.out, "hazard.s:12: error: "); // by the line table, which has no columns
  EXPECT_HAS(result.out, "+0x4 | buffer_load_dword v2, off, s[0:3], 0  // " + object + "(hazard+0x4)\n");
  write(folder / "host.s", "movq %rax, %rbx\n");
  write(folder / "notes.txt", "text\n");
  const Result all = lint({folder / ".", "--statistics"});
  EXPECT_EQ(all.status, 1);
  EXPECT_EQ(all.err, "");
  EXPECT_HAS(all.out, "\n       2  error     valu-sgpr-vmem\n");
  EXPECT_HAS(all.out, "1 files, 2 skipped, 1 code objects, 1 kernels, ");
  EXPECT_HAS(lint({folder / ".", "--statistics", "--target", "gfx900"}).out, "0 files, 3 skipped, ");
}

TEST(LintCommand, TakesRelocatableObjects) {
  const Folder folder;
  write(folder / "k.s", snippet);
  const Result made = run("/usr/bin/env", {"llvm-mc-19", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx900", "-filetype=obj",
                                           folder / "k.s", "-o", folder / "k.o"});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_HAS(lint({folder / "k.o"}).out, "k.o(.text+0x4): error: ");
}

TEST(LintCommand, TakesStaticLibrariesAndOffloadBinaries) {
  const Folder folder;
  write(folder / "k.s", snippet);
  write(folder / "text.txt", "hello\n");
  const auto tool = [](std::vector<std::string> words) {
    const Result made = run("/usr/bin/env", std::move(words));
    ASSERT_EQ(made.status, 0) << made.err;
  };
  tool({"llvm-mc-19", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx900", "-filetype=obj", folder / "k.s", "-o",
        folder / "k.o"});
  tool({"llvm-ar-19", "rcs", folder / "libk.a", folder / "text.txt", folder / "k.o"});
  tool({"llvm-ar-19", "rcs", folder / "none.a", folder / "text.txt"});
  tool({"clang-offload-packager-19", "-o", folder / "k.bin",
        "--image=file=" + folder / "k.o" + ",triple=amdgcn-amd-amdhsa,arch=gfx900,kind=openmp"});
  EXPECT_HAS(lint({folder / "libk.a"}).out, "libk.a(k.o)(.text+0x4): error: ");
  EXPECT_HAS(lint({folder / "none.a"}).err, "none.a: none of its 1 members holds code for AMD GPUs");
  EXPECT_HAS(lint({folder / "k.bin"}).out, "k.bin:gfx900(.text+0x4): error: ");
  write(folder / "code.bc", "BC\xc0\xde");
  tool({"clang-offload-packager-19", "-o", folder / "bc.bin",
        "--image=file=" + folder / "code.bc" + ",triple=amdgcn-amd-amdhsa,arch=gfx900,kind=openmp"});
  const Result bitcode = lint({folder / "bc.bin"});
  EXPECT_EQ(bitcode.status, 0) << bitcode.err;
  EXPECT_HAS(bitcode.out, "not judged: this is LLVM's bitcode");
}

// Of several files the rest is judged.
TEST(LintCommand, GoesOnBehindBadInput) {
  const Folder folder;
  write(folder / "cut.co", "\x7f"
                           "ELF\x02\x01\x01");
  write(folder / "bad.s", "  v_bogus v0\n");
  write(folder / "text.txt", "hello\n");
  const Result result =
      lint({folder / "cut.co", folder / "bad.s", folder / "text.txt", folder / "none.s", input("hazard.s")});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "cut.co");
  EXPECT_HAS(result.err, "bad.s:1:3: error: invalid instruction");
  EXPECT_HAS(result.err, "text.txt: holds no GPU code: what can be read is ");
  EXPECT_HAS(result.err, "none.s: No such file");
  EXPECT_HAS(result.out, "hazard.s:12:8: error: ");
}

TEST(LintCommand, Selects) {
  const std::string file = input("hazard.s");
  EXPECT_EQ(crosslane({"lint", file, "--ignore", "all"}).status, 0);
  EXPECT_EQ(crosslane({"lint", file, "--select", "mai"}).status, 0);
  EXPECT_EQ(lint({file, "--exit-zero"}).status, 0);
  EXPECT_EQ(lint({file, "--kernel", "hazard"}).status, 1);
  EXPECT_HAS(lint({file, "--kernel", "other"}).err, "no function 'other'");
  EXPECT_HAS(crosslane({"lint", file, "--select", "valu-sgpr-vmen"}).err, "did you mean valu-sgpr-vmem");
  EXPECT_EQ(crosslane({"lint", file, "--severity", "bad"}).status, 2);
  EXPECT_HAS(lint({file, "--max-printed", "1"}).out, "1 more findings are not shown\n");
}

TEST(LintCommand, ExplainsRules) {
  const Result result = crosslane({"lint", "--explain", "valu-sgpr-vmem"});
  EXPECT_EQ(result.status, 0);
  EXPECT_HAS(result.out, "valu-sgpr-vmem (wait-states, error): ");
  EXPECT_HAS(result.out, "\n  gfx8 and later   5  ");
  EXPECT_HAS(result.out, "\nWrong (gfx900):\n");
  EXPECT_HAS(crosslane({"lint", "--explain", "valu-sgpr-vmen"}).err, "did you mean valu-sgpr-vmem?");
  EXPECT_HAS(crosslane({"lint", "--list-rules"}).out, "\n  valu-sgpr-vmem ");
  EXPECT_GT(json::parse(crosslane({"lint", "--list-rules", "--output-format", "json"}).out).size(), 50u);
}

// Those of the group usage are about comments: only the command reads them. The others are judged by lint_test.
TEST(LintCommand, ExamplesOfRulesAboutComments) {
  size_t count = 0;
  for (const json& rule : json::parse(crosslane({"lint", "--list-rules", "--output-format", "json"}).out)) {
    if (rule["group"] != "usage")
      continue;
    ++count;
    const std::vector<std::string> words = {"-", "--target", rule["target"]};
    const Result wrong = lint(words, rule["wrong"].get<std::string>() + "\n"),
                 right = lint(words, rule["right"].get<std::string>() + "\n");
    EXPECT_EQ(wrong.status, 1) << wrong.err;
    EXPECT_HAS(wrong.out, "[" + rule["id"].get<std::string>() + "]");
    EXPECT_EQ(right.status, 0) << right.out << right.err;
  }
  EXPECT_EQ(count, 2u);
}

TEST(LintCommand, Json) {
  const json all = json::parse(lint({input("hazard.s"), "--output-format", "json"}).out);
  EXPECT_EQ(all["crosslane_lint"], 1);
  ASSERT_EQ(all["findings"].size(), 2u);
  const json& first = all["findings"][0];
  EXPECT_EQ(first["rule"], "valu-sgpr-vmem");
  EXPECT_EQ(first["place"]["line"], 12);
  EXPECT_EQ(first["place"]["column"], 8);
  EXPECT_EQ(first["place"]["function"], "hazard");
  EXPECT_EQ(first["notes"][0]["place"]["line"], 11);
  EXPECT_EQ(first["fix"]["text"], "s_nop 4");
  EXPECT_EQ(all["statistics"]["found"]["valu-sgpr-vmem"], 2);
}

// What readers of SARIF rely on; tests/cli/check_sarif.py has the rest.
TEST(LintCommand, Sarif) {
  const Folder folder;
  EXPECT_EQ(lint({input("hazard.s"), "--output-format", "sarif", "--output", folder / "o.sarif"}).out, "");
  const json all = json::parse(text_of(folder / "o.sarif"));
  EXPECT_EQ(all["version"], "2.1.0");
  const json& run = all["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["id"], "valu-sgpr-vmem");
  EXPECT_HAS(run["tool"]["driver"]["rules"][0]["help"]["text"].get<std::string>(), "Wait states between:");
  const json& first = run["results"][0];
  EXPECT_EQ(first["ruleIndex"], 0);
  EXPECT_EQ(first["locations"][0]["physicalLocation"]["region"]["startLine"], 12);
  EXPECT_EQ(first["codeFlows"][0]["threadFlows"][0]["locations"].size(), 2u);
  EXPECT_EQ(first["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"], "s_nop 4\n");
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], true);
}

TEST(LintCommand, FormsOfServices) {
  EXPECT_HAS(lint({input("hazard.s"), "--output-format", "github"}).out, ",line=12,col=8,title=valu-sgpr-vmem::");
  EXPECT_HAS(lint({input("hazard.s"), "--output-format", "junit"}).out, "tests=\"2\" failures=\"2\" errors=\"0\"");
}

TEST(LintCommand, Repairs) {
  const Folder folder;
  const std::string file = folder / "k.s";
  write(file, snippet);
  const Result diff = lint({file, "--diff"});
  EXPECT_EQ(diff.status, 1);
  EXPECT_HAS(diff.out, "@@ -1,3 +1,4 @@\n v_readfirstlane_b32 s0, v0\n+s_nop 4\n buffer_load_dword");
  EXPECT_EQ(text_of(file), snippet);
  const Result fixed = lint({file, "--fix"});
  EXPECT_EQ(fixed.status, 0) << fixed.out;
  EXPECT_HAS(fixed.err, "k.s: 1 finding repaired, 0 left");
  EXPECT_HAS(text_of(file), "v0\ns_nop 4\nbuffer");
  // In a macro nothing is changed, and that is still a finding.
  std::filesystem::copy_file(input("hazard.s"), folder / "m.s");
  EXPECT_EQ(lint({folder / "m.s", "--fix"}).status, 1);
  EXPECT_HAS(text_of(folder / "m.s"), "again:\n  s_nop 4\n  buffer_load_dword v2");
  ASSERT_EQ(crosslane({"asm", file, "-o", folder / "k.co"}).status, 0);
  const Result binary = lint({folder / "k.co", "--fix"});
  EXPECT_EQ(binary.status, 2);
  EXPECT_HAS(binary.err, "--fix changes assembly (.s) alone");
}

TEST(LintCommand, TakesAwayWhatIsTooLong) {
  const Folder folder;
  const std::string file = folder / "k.s", kernel = text_of(std::string(EXAMPLES) + "/if_else.s");
  std::string slow = kernel;
  const size_t at = slow.find("  v_cmp", slow.find("\nif_else:"));
  ASSERT_NE(at, std::string::npos);
  slow.insert(at, "  s_nop 7\n  s_waitcnt lgkmcnt(0)\n");
  write(file, slow);
  EXPECT_EQ(lint({file}).status, 0);
  const Result fixed = lint({file, "--select", "performance", "--severity", "note", "--fix"});
  EXPECT_EQ(fixed.status, 0) << fixed.out;
  EXPECT_HAS(fixed.err, "2 findings repaired, 0 left");
  EXPECT_EQ(text_of(file), kernel);
}

TEST(LintCommand, AllowsByCommentsAndBaselines) {
  const Folder folder;
  const std::string file = folder / "k.s", base = folder / "base.json";
  write(file, "v_readfirstlane_b32 s0, v0\n; crosslane-lint: allow(valu-sgpr-vmem) a test\n"
              "buffer_load_dword v2, off, s[0:3], 0\ns_endpgm\n");
  const Result allowed = lint({file, "--statistics"});
  EXPECT_EQ(allowed.status, 0) << allowed.out;
  EXPECT_HAS(allowed.out, "0 findings, 1 allowed by comments");
  write(file, std::string("// crosslane-lint: allow(valu-exec-dpp) none\n") + std::string(snippet));
  EXPECT_HAS(lint({file}).out, "k.s:1:4: warning: 'valu-exec-dpp' is allowed here, and not found [unused-allow]\n");
  for (const std::string& judged : {input("hazard.s"), folder / "k.co"}) {
    if (judged != input("hazard.s")) {
      ASSERT_EQ(crosslane({"asm", input("hazard.s"), "-o", judged}).status, 0);
    }
    EXPECT_EQ(lint({judged, "--write-baseline", base}).status, 0);
    const Result known = lint({judged, "--baseline", base, "--statistics"});
    EXPECT_EQ(known.status, 0) << known.out;
    EXPECT_HAS(known.out, "2 in the baseline");
  }
  EXPECT_EQ(lint({file, "--baseline", base}).status, 1);
  EXPECT_HAS(lint({file, "--baseline", file}).err, "is no baseline");
}

TEST(LintCommand, AssemblerAndLaunchSaySo) {
  const Result text =
      crosslane({"asm", "--lint", "v_readfirstlane_b32 s0, v0", "buffer_load_dword v2, off, s[0:3], 0"});
  EXPECT_EQ(text.status, 1);
  EXPECT_HAS(text.out, "buffer_load_dword v2, off, s[0:3], 0 ");
  EXPECT_HAS(text.err, "<command line>:2:1: error: ");
  EXPECT_EQ(crosslane({"asm", "--lint", "v_mov_b32 v0, v1"}).status, 0);
  const Folder folder;
  EXPECT_EQ(crosslane({"asm", "--lint", input("hazard.s"), "-o", folder / "k.co"}).status, 1);

  const Result launched = crosslane({"launch", input("hazard.s"), "--grid", "64"});
  EXPECT_HAS(launched.err, "hazard.s:12:8: error: ");
  EXPECT_HAS(launched.err, "crosslane lint ");
  ASSERT_EQ(setenv("CROSSLANE_LINT", "off", 1), 0);
  EXPECT_FALSE(contains(crosslane({"launch", input("hazard.s"), "--grid", "64"}).err, "error: "));
  unsetenv("CROSSLANE_LINT");
}

} // namespace
} // namespace crosslane::cli::test
