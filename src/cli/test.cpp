// crosslane test: runs launch descriptions with their expectations, and tells as test runners do what came out.
#include "cli/exit.h"
#include "cli/outputs.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"
#include "files/write.h"
#include "findings/text.h"
#include "profile/watchdog.h"
#include "testing/forms.h"
#include "testing/processes.h"
#include <algorithm>
#include <chrono>

namespace crosslane::cli {

namespace {

struct TestOptions {
  testing::Selection selection;
  std::string junit, json, timeout;
  unsigned at_once = 1;
  bool list = false;
};

class Testing {
public:
  explicit Testing(const TestOptions& options) : o_(options) {}

  llvm::Expected<Exit> run() {
    if (auto error = prepare())
      return std::move(error);
    return o_.list ? list() : run_all();
  }

private:
  llvm::Error prepare() {
    if (!o_.timeout.empty() && !(running_.timeout = profile::parse_seconds(o_.timeout)))
      return fail("--timeout {}: must be a number of seconds above 0", o_.timeout);
    running_.at_once = o_.at_once;
    auto tests = testing::collect(o_.selection);
    if (!tests)
      return tests.takeError();
    tests_ = std::move(*tests);
    if (tests_.empty())
      return fail("no tests: {}", o_.selection.filter.empty() && o_.selection.exclude.empty()
                                      ? "there is no *.toml in what was given"
                                      : "--filter and --exclude leave none");
    std::vector<files::Use> inputs;
    for (const testing::Case& test : tests_)
      inputs.push_back({test.name, "a test"});
    return prepare_outputs(inputs, {{{o_.junit, "--junit"}, {o_.json, "--json"}}});
  }

  llvm::Expected<Exit> list() const {
    bool good = true;
    for (const testing::Case& test : tests_) {
      if (test.job) {
        const std::string expected = testing::expectations_of(*test.job);
        print(findings::plain(fmt::format("{}: {}: {}", test.name, test.job->file,
                                          expected.empty() ? "nothing expected" : expected)) +
              "\n");
        continue;
      }
      flush_printed();
      std::fprintf(stderr, "%s\n", findings::plain_lines(text_of(test.why)).c_str());
      good = false;
    }
    return good ? Exit::ok : Exit::wrong;
  }

  llvm::Expected<Exit> run_all() {
    const auto start = std::chrono::steady_clock::now();
    std::vector<testing::Outcome> outcomes(tests_.size());
    size_t width = 0, ended = 0;
    for (const testing::Case& test : tests_)
      width = std::max(width, findings::columns(findings::plain(test.name)));
    const int signal = testing::run(tests_, running_, [&](size_t index, const testing::Outcome& outcome) {
      outcomes[index] = outcome;
      if (outcome.end == testing::End::not_run)
        return;
      print(testing::line_of(++ended, tests_.size(), width, tests_[index], outcome));
      flush_printed();
    });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    print(testing::summary_of(tests_, outcomes, seconds));
    llvm::Error errors = llvm::Error::success();
    if (!o_.junit.empty())
      errors = llvm::joinErrors(std::move(errors), files::write(o_.junit, testing::junit_of(tests_, outcomes)));
    if (!o_.json.empty())
      errors = llvm::joinErrors(std::move(errors), files::write(o_.json, testing::json_of(tests_, outcomes, seconds)));
    if (errors)
      return std::move(errors);
    if (signal)
      return Exit(128 + signal);
    return std::ranges::any_of(
               outcomes,
               [](const testing::Outcome& o) { return o.end == testing::End::failed || o.end == testing::End::error; })
               ? Exit::wrong
               : Exit::ok;
  }

  const TestOptions& o_;
  testing::Running running_;
  std::vector<testing::Case> tests_;
};

constexpr const char* footer =
    R"(A test is a launch description (docs/launching.md, TOML) that says what it expects: [expect] of buffers, expect_fault,
check and expect_findings. See docs/testing-kernels.md.

Exit status: 0 all as expected, 1 something failed or could not be run, 2 bad usage, 128 + N stopped by signal N.

Examples:
  crosslane test examples
  crosslane test examples -j 2 --timeout 60 --junit tests.xml --json tests.json
  crosslane test examples/tests --filter 'reduce*' --list)";

} // namespace

Run add_test(CLI::App& app) {
  auto options = std::make_shared<TestOptions>();
  TestOptions& o = *options;
  app.add_option("PATH", o.selection.paths, "launch descriptions (.toml), and folders in which all *.toml are")
      ->required()
      ->type_name("");
  app.add_option("--filter", o.selection.filter,
                 "those whose path or file name this pattern (* and ?) matches; may be repeated")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  app.add_option("--exclude", o.selection.exclude, "but for those; may be repeated")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  app.add_option("-j,--jobs", o.at_once, "so many at once (default: 1)")->check(CLI::Range(1, 1024))->type_name("N");
  app.add_option("--timeout", o.timeout, "of a test, compiling included (default: none)")->type_name("SECONDS");
  app.add_flag("--list", o.list, "name them and what they expect, and run none");
  app.add_option("--junit", o.junit, "write JUnit's XML there")->type_name("FILE");
  app.add_option("--json", o.json, "write all of it there")->type_name("FILE");
  app.footer(footer);
  return [options] { return Testing(*options).run(); };
}

} // namespace crosslane::cli
