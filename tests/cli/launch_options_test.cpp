// The command line laid over a launch description: what is given wins, also if it is what holds when nothing is given.
#include "cli/launch_options.h"
#include "files/write.h"
#include "tests/expected.h"
#include "toolchain/temporary_folder.h"
#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>

namespace crosslane::cli {
namespace {

using test::error_of;
using test::value_of;

class LaunchOptionsTest : public testing::Test {
protected:
  LaunchOptionsTest() : folder_(llvm::cantFail(toolchain::TemporaryFolder::create())) {}

  // The job of `crosslane launch job.toml WORDS...`, the file having this line.
  llvm::Expected<Job> job(const std::string& line, std::vector<std::string> words) {
    const std::string file = folder_.path("job.toml");
    EXPECT_EQ(error_of(files::write(file, "file = 'kernel.cl'\n" + line + "\n")), "");
    return parsed(file, std::move(words));
  }
  static llvm::Expected<Job> parsed(const std::string& file, std::vector<std::string> words) {
    CLI::App app;
    LaunchOptions options;
    options.add_to(app);
    words.insert(words.begin(), file);
    std::reverse(words.begin(), words.end()); // as CLI11 takes them
    app.parse(words);
    return options.job();
  }

  toolchain::TemporaryFolder folder_;
};

std::string text(const Sizes& sizes) { return fmt::format("{} of {}", fmt::join(sizes.value, ","), sizes.dims); }

// What an option says in a file, what it says on the command line, there as a word or two: the value that holds by
// itself.
struct Row {
  const char* option;
  const char* line;               // of the file
  std::vector<const char*> words; // the default
  std::string (*value)(const Job&);
  const char *in_file, *by_default;
};

using profile::Texts;
const Row rows[] = {
    {"--target", "target = 'gfx906'", {"--target", ""}, [](const Job& j) { return j.compile.target; }, "gfx906", ""},
    {"--kernel", "kernel = 'k'", {"--kernel", ""}, [](const Job& j) { return j.kernel; }, "k", ""},
    {"--grid", "grid = [8, 8]", {"--grid", "1"}, [](const Job& j) { return text(j.grid); }, "8,8,1 of 2", "1,1,1 of 1"},
    {"--groups",
     "groups = 5",
     {"--groups", "1"},
     [](const Job& j) { return text(j.groups); },
     "5,1,1 of 1",
     "1,1,1 of 1"},
    {"--block", "block = 5", {"--block", "1"}, [](const Job& j) { return text(j.block); }, "5,1,1 of 1", "1,1,1 of 1"},
    {"--offset",
     "offset = [1, 2]",
     {"--offset", "0,0,0"},
     [](const Job& j) { return fmt::format("{}", fmt::join(j.offset, ",")); },
     "1,2,0",
     "0,0,0"},
    {"--lds", "lds = 64", {"--lds", "0"}, [](const Job& j) { return fmt::format("{}", j.lds); }, "64", "0"},
    {"--stack", "stack = 64", {"--stack", "0"}, [](const Job& j) { return fmt::format("{}", j.stack); }, "64", "0"},
    {"--trap-handler",
     "trap_handler = 't.s'",
     {"--trap-handler", ""},
     [](const Job& j) { return j.trap_handler; },
     "t.s",
     ""},
    {"--rtol", "rtol = 0.5", {"--rtol", "0"}, [](const Job& j) { return fmt::format("{}", j.rtol); }, "0.5", "0"},
    {"--atol", "atol = 0.5", {"--atol", "0"}, [](const Job& j) { return fmt::format("{}", j.atol); }, "0.5", "0"},
    {"--threads",
     "threads = 3",
     {"--threads", "0"},
     [](const Job& j) { return fmt::format("{}", j.threads); },
     "3",
     "0"},
    {"--runs", "runs = 3", {"--runs", "1"}, [](const Job& j) { return fmt::format("{}", j.runs); }, "3", "1"},
    {"--bounds", "bounds = 'card'", {"--bounds", "exact"}, [](const Job& j) { return j.bounds; }, "card", "exact"},
    {"--host-memory",
     "host_memory = true",
     {"--host-memory=false"},
     [](const Job& j) { return fmt::format("{}", j.host_memory); },
     "true",
     "false"},
    {"--check", "check = 'waits'", {"--check", "waits"}, [](const Job& j) { return j.check; }, "waits", "waits"},
    {"--findings",
     "findings = '/tmp/f.json'",
     {"--findings", ""},
     [](const Job& j) { return j.checked.file; },
     "/tmp/f.json",
     ""},
    {"--suppress",
     "suppress = '/tmp/known'",
     {"--suppress", ""},
     [](const Job& j) { return j.checked.suppress; },
     "/tmp/known",
     ""},
    {"--max-findings",
     "max_findings = 3",
     {"--max-findings", "0"},
     [](const Job& j) { return fmt::format("{}", j.checked.most); },
     "3",
     "0"},
    {"--error-exitcode",
     "error_exitcode = 9",
     {"--error-exitcode", "1"},
     [](const Job& j) { return fmt::format("{}", j.checked.status); },
     "9",
     "1"},
    {"--poison", "poison = 3", {"--poison=0"}, [](const Job& j) { return fmt::format("{}", j.poison); }, "3", "0"},
    {"--counters",
     "counters = '/tmp/c.json'",
     {"--counters", ""},
     [](const Job& j) { return j.counters; },
     "/tmp/c.json",
     ""},
    {"--time",
     "time = true",
     {"--time=false"},
     [](const Job& j) { return fmt::format("{}", j.time); },
     "true",
     "false"},
    {"--time-error",
     "time_error = 2.5",
     {"--time-error", "0"},
     [](const Job& j) { return fmt::format("{}", j.time_error); },
     "2.5",
     "0"},
    {"--gpu", "gpu = 'fiji'", {"--gpu", "vega10"}, [](const Job& j) { return j.gpu; }, "fiji", "vega10"},
    {"--time-files",
     "time_files = '/tmp/a'",
     {"--time-files", "/tmp/b"},
     [](const Job& j) { return j.time_files; },
     "/tmp/a",
     "/tmp/b"},
    {"--late",
     "late = true",
     {"--late=false"},
     [](const Job& j) { return fmt::format("{}", j.late); },
     "true",
     "false"},
    {"--sandbox",
     "sandbox = true",
     {"--sandbox=false"},
     [](const Job& j) { return fmt::format("{}", j.sandbox); },
     "true",
     "false"},
    {"--timeout",
     "timeout = 2.5",
     {"--timeout", "0"},
     [](const Job& j) { return fmt::format("{}", j.timeout); },
     "2.5",
     "0"},
    {"--stats",
     "stats = true",
     {"--stats=false"},
     [](const Job& j) { return fmt::format("{}", j.stats); },
     "true",
     "false"},
    {"--overhead",
     "overhead = true",
     {"--overhead=false"},
     [](const Job& j) { return fmt::format("{}", j.overhead); },
     "true",
     "false"},
    {"--fidelity",
     "fidelity = true",
     {"--fidelity=false"},
     [](const Job& j) { return fmt::format("{}", j.fidelity); },
     "true",
     "false"},
    {"--profile", "profile = 'lds'", {"--profile", ""}, [](const Job& j) { return j.profile.views; }, "lds", ""},
    {"--launch", "launch = 2", {"--launch", ""}, [](const Job& j) { return j.profile.launches; }, "2", ""},
    {"--sample", "sample = 0.5", {"--sample", ""}, [](const Job& j) { return j.profile.sample; }, "0.5", ""},
    {"--instrument",
     "instrument = 'blocks'",
     {"--instrument", ""},
     [](const Job& j) { return j.profile.instrument; },
     "blocks",
     ""},
    {"--at", "at = 'entry'", {"--at", ""}, [](const Job& j) { return j.profile.at; }, "entry", ""},
    {"--trace-bytes",
     "trace_bytes = '1M'",
     {"--trace-bytes", ""},
     [](const Job& j) { return j.profile.trace_bytes; },
     "1M",
     ""},
    {"--by", "by = 'kernel'", {"--by", ""}, [](const Job& j) { return j.profile.by; }, "kernel", ""},
    {"--json", "json = '/x'", {"--json", ""}, [](const Job& j) { return j.profile.json; }, "/x", ""},
    {"--csv", "csv = '/x'", {"--csv", ""}, [](const Job& j) { return j.profile.csv; }, "/x", ""},
    {"--html", "html = '/x'", {"--html", ""}, [](const Job& j) { return j.profile.html; }, "/x", ""},
    {"--per-wave",
     "per_wave = true",
     {"--per-wave=false"},
     [](const Job& j) { return fmt::format("{}", j.profile.per_wave); },
     "true",
     "false"},
    {"--trace-wave",
     "trace_wave = '1:0'",
     {"--trace-wave", ""},
     [](const Job& j) { return j.profile.trace; },
     "1:0",
     ""},
};

// Of these the file's are kept, and an argument is replaced by its name.
const std::vector<std::string> joined = {"--arg", "--out", "--print", "--expect", "--clang"};

TEST_F(LaunchOptionsTest, TheCommandLineWinsWithTheDefaultToo) {
  for (const Row& row : rows) {
    EXPECT_EQ(row.value(value_of(job(row.line, {}))), row.in_file) << row.option;
    EXPECT_EQ(row.value(value_of(job(row.line, {row.words.begin(), row.words.end()}))), row.by_default) << row.option;
  }
}

TEST_F(LaunchOptionsTest, NoOptionIsMissingAbove) {
  CLI::App app;
  LaunchOptions options;
  options.add_to(app);
  size_t known = 0;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->get_positional() || name == "--help" || std::ranges::count(joined, name))
      continue;
    EXPECT_EQ(std::ranges::count(rows, name, &Row::option), 1) << name;
    ++known;
  }
  EXPECT_EQ(known, std::size(rows));
}

TEST_F(LaunchOptionsTest, GridAndGroupsReplaceEachOther) {
  const Job job = value_of(this->job("groups = 5", {"--grid", "7"}));
  EXPECT_EQ(text(job.grid), "7,1,1 of 1");
  EXPECT_EQ(job.groups.dims, 0);
}

TEST_F(LaunchOptionsTest, ListsAreJoined) {
  const std::string file = "print = 'a'\nclang = '-O1'\n[args]\na = 1\nb = 2\n[out]\na = 'x'\n[expect]\na = 'y'";
  const Job job = value_of(
      this->job(file, {"a=3", "--arg", "c=4", "--print", "b", "--clang=-g", "--out", "b=z", "--expect", "b=w"}));
  EXPECT_EQ(job.arguments, (std::vector<std::string>{"b=2", "a=3", "c=4"}));
  EXPECT_EQ(job.print, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(job.compile.options, (std::vector<std::string>{"-O1", "-g"}));
  EXPECT_EQ(job.out, (std::vector<std::string>{"a=x", "b=z"}));
  EXPECT_EQ(job.expect, (std::vector<std::string>{"a=y", "b=w"}));
  // Of the command line alone none is dropped: that both are given is told when they are bound.
  EXPECT_EQ(value_of(parsed("k.cl", {"a=1", "--arg", "a=2"})).arguments, (std::vector<std::string>{"a=1", "a=2"}));
}

TEST_F(LaunchOptionsTest, StandardOutputHasNoFolder) {
  EXPECT_EQ(value_of(job("json = '-'", {})).profile.json, "-");
  EXPECT_EQ(value_of(job("json = 'x'", {})).profile.json, folder_.path("x"));
}

TEST_F(LaunchOptionsTest, ErrorsNameTheOption) {
  EXPECT_HAS(error_of(parsed("k.cl", {"--grid", "x"})), "--grid: 'x' is not a size");
  EXPECT_HAS(error_of(parsed("k.cl", {"--offset", "x"})), "offset: 'x' is not a size");
  EXPECT_HAS(error_of(parsed("/no.toml", {})), "/no.toml: No such file");
  EXPECT_THROW((void)parsed("k.cl", {"--rtol", "x"}), CLI::ParseError);
}

} // namespace
} // namespace crosslane::cli
