// crosslane lint: what is wrong with machine code, before it runs. Reads options, prints.
#include "lint/lint.h"
#include "cli/code_options.h"
#include "cli/colour.h"
#include "cli/lint/judge.h"
#include "cli/standard_error.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/collisions.h"
#include "files/error.h"
#include "files/read.h"
#include "files/write.h"
#include "findings/text.h"
#include "launch/signature.h"
#include "lint/baseline.h"
#include "lint/explain.h"
#include "lint/fix.h"
#include "lint/select.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace crosslane::cli {

namespace {

struct LintOptions {
  LintInputs inputs;
  std::string rules = "default", severity, error_on, format = "text", output, explain, baseline, write_baseline, kernel;
  std::vector<std::string> select, ignore;
  size_t most = SIZE_MAX;
  bool list = false, fix = false, diff = false, statistics = false, exit_zero = false;
};

const std::vector<std::string> severities = {"error", "warning", "note", "pedantic"};

lint::Severity severity_called(const std::string& name) {
  return lint::Severity(std::ranges::find(severities, name) - severities.begin());
}

lint::RuleSet set_called(const std::string& name) {
  return name == "llvm"     ? lint::RuleSet::llvm
         : name == "manual" ? lint::RuleSet::manual
         : name == "all"    ? lint::RuleSet::all
                            : lint::RuleSet::default_;
}

llvm::Error deliver(const LintOptions& options, const std::string& text) {
  if (!options.output.empty())
    return files::write(options.output, text);
  print(text);
  return llvm::Error::success();
}

llvm::Expected<Exit> tell_rules(const LintOptions& options) {
  if (!options.list) {
    const auto rule = lint::find_rule(options.explain);
    if (!rule)
      return fail("'{}' is no rule{}\nTo see all: crosslane lint --list-rules", options.explain,
                  lint::near_rule(options.explain));
    print(lint::explanation_of(*rule));
    return Exit::ok;
  }
  if (options.format != "text" && options.format != "json" && options.format != "markdown")
    return fail("--list-rules is told as text, json or markdown, not {}", options.format);
  if (auto error = deliver(options, options.format == "json"       ? lint::rules_json()
                                    : options.format == "markdown" ? lint::rules_markdown()
                                                                   : lint::rules_text()))
    return error;
  return Exit::ok;
}

class Linting {
public:
  explicit Linting(const LintOptions& options) : o_(options) {}

  llvm::Expected<Exit> run() {
    if (auto error = prepare())
      return error;
    InputVisitor visitor;
    visitor.error = [&](const std::string& message) { complain(message); };
    visitor.gap = [&](const std::string& file, const std::string& target, const std::string& reason) {
      judged_.push_back({.file = file, .target = target, .not_judged = {{{.file = file}, reason}}});
    };
    visitor.unit = [&](LintUnit& unit) { judge_one(unit); };
    each_unit(o_.inputs, visitor);
    statistics_.files = visitor.files, statistics_.skipped = visitor.skipped;
    if (!o_.kernel.empty() && !kernel_seen_ && errors_.empty())
      return fail("no function '{}' in what was given", o_.kernel);
    if (!o_.write_baseline.empty()) {
      if (auto error = files::write(o_.write_baseline, lint::baseline_of(judged_)))
        return error;
      return errors_.empty() ? Exit::ok : Exit::bad;
    }
    statistics_.known = lint::take_known(judged_, known_);
    bool wrong = false;
    for (const lint::Judged& j : judged_)
      for (const lint::PlacedFinding& f : j.findings)
        ++statistics_.found[f.rule], wrong |= f.severity <= error_on_;
    if (o_.diff)
      print(diffs_);
    else if (auto error = tell())
      return error;
    return !errors_.empty() ? Exit::bad : (wrong || !diffs_.empty()) && !o_.exit_zero ? Exit::wrong : Exit::ok;
  }

private:
  const LintOptions& o_;
  Asked asked_;
  lint::Severity error_on_{};
  std::vector<lint::KnownFinding> known_;
  std::vector<lint::Judged> judged_;
  std::vector<std::string> errors_;
  lint::Statistics statistics_;
  std::string diffs_;
  bool kernel_seen_ = false;

  llvm::Error prepare() {
    if (o_.inputs.names.empty())
      return fail("lint needs a file: assembly, a code object, a library, a folder of them, or - for standard input");
    if (o_.fix && o_.diff)
      return fail("--fix and --diff exclude one another: --diff shows what --fix would do");
    if (o_.format == "markdown")
      return fail("--output-format markdown is for --list-rules");
    if (auto error = refuse_overwriting())
      return error;
    auto chosen = lint::select_rules(o_.select, o_.ignore);
    if (!chosen)
      return chosen.takeError();
    asked_.options = {set_called(o_.rules), *chosen};
    asked_.kernel = o_.kernel;
    // Who asks for more rules, or for some by name, wants to see what they find.
    const lint::Severity usual = o_.rules == "default" ? lint::Severity::warning : lint::Severity::pedantic;
    error_on_ = o_.error_on.empty() ? usual : severity_called(o_.error_on);
    asked_.least = !o_.severity.empty() ? severity_called(o_.severity)
                   : !o_.select.empty() ? lint::Severity::pedantic
                                        : std::max(usual, error_on_);
    if (o_.baseline.empty())
      return llvm::Error::success();
    auto text = files::read(o_.baseline);
    if (!text)
      return text.takeError();
    auto known = lint::read_baseline(std::string(text->begin(), text->end()), o_.baseline);
    if (!known)
      return known.takeError();
    known_ = std::move(*known);
    return llvm::Error::success();
  }

  llvm::Error refuse_overwriting() const {
    std::vector<files::Use> inputs, outputs;
    for (const std::string& name : o_.inputs.names)
      inputs.push_back({name == "-" ? "/dev/stdin" : name, "a file to be judged"});
    if (!o_.output.empty())
      outputs.push_back({o_.output, "--output"});
    if (!o_.write_baseline.empty())
      outputs.push_back({o_.write_baseline, "--write-baseline"});
    return files::refuse_collisions(inputs, outputs);
  }

  void complain(const std::string& message) {
    errors_.push_back(message);
    cli::complain(findings::plain_lines(message));
  }

  void judge_one(LintUnit& unit) {
    auto judged = judge(unit, asked_, statistics_);
    if (!judged)
      return complain(llvm::toString(judged.takeError()));
    for (const auto& function : unit.object->functions())
      kernel_seen_ |= function.name == o_.kernel || launch::is_called(function.name, o_.kernel);
    if (o_.fix || o_.diff)
      repair(unit, *judged);
    judged_.push_back(std::move(*judged));
  }

  // Round by round, until nothing more can be done; each round's text is assembled before it counts.
  void repair(const LintUnit& unit, lint::Judged& judged) {
    const std::string& file = unit.origin.file;
    if (!unit.origin.assembly)
      return complain(
          fmt::format("{}: --{} changes assembly (.s) alone: repair what this was made of, or disassemble it", file,
                      o_.fix ? "fix" : "diff"));
    if (o_.fix && file.starts_with('<'))
      return complain("standard input cannot be changed in place: use --diff, or name a file");
    lint::Repair repair(file, unit.origin.texts.at(file).text());
    size_t applied = 0;
    for (int round = 0; round < 100; ++round) {
      const size_t now = repair.round(judged.findings);
      if (!now)
        break;
      auto next = unit_of_text(repair.text(), file, o_.inputs.compile.target);
      if (!next)
        return complain(fmt::format("{}: left as it was, as its repaired text is no assembly: {}", file,
                                    llvm::toString(next.takeError())));
      lint::Statistics again;
      auto result = judge(*next, asked_, again);
      if (!result)
        return complain(llvm::toString(result.takeError()));
      statistics_.seconds += again.seconds;
      judged = std::move(*result), applied += now;
    }
    if (o_.diff) {
      diffs_ += repair.diff();
      return;
    }
    if (applied) {
      if (auto error = files::write(file, repair.text()))
        return complain(llvm::toString(std::move(error)));
      note(findings::plain_lines(fmt::format("{}: {} finding{} repaired, {} left", file, applied,
                                             applied == 1 ? "" : "s", judged.findings.size())));
    }
  }

  llvm::Error tell() {
    const lint::Results results{judged_, errors_, statistics_, CROSSLANE_VERSION};
    const std::string text =
        o_.format == "json"     ? lint::json_of(results)
        : o_.format == "sarif"  ? lint::sarif_of(results)
        : o_.format == "github" ? lint::github_of(results, o_.most)
        : o_.format == "junit"
            ? lint::junit_of(results)
            : lint::text_of(results, {.colour = o_.output.empty() && is_coloured(STDOUT_FILENO), .most = o_.most});
    if (auto error = deliver(o_, text))
      return error;
    if (!o_.statistics)
      return llvm::Error::success();
    const std::string counts = lint::text_of(statistics_, judged_);
    if (o_.format == "text" || !o_.output.empty())
      print(counts);
    else
      std::fputs(counts.c_str(), stderr); // standard output is a document
    return llvm::Error::success();
  }
};

constexpr const char* footer =
    R"(Exit status: 0 nothing found, 1 findings, 2 something could not be read. Rules: docs/lint-rules.md; comments that
allow a finding, baselines, formats: docs/lint.md.

Examples:
  crosslane lint examples/if_else.s
  crosslane lint examples --statistics
  crosslane lint examples/matmul_tiled.cl --target gfx90a --rules all
  crosslane lint examples/if_else.s --output-format sarif --output if_else.sarif
  crosslane lint examples/dpp_prefix_sum.s --target gfx803 --diff
  crosslane lint --explain valu-sgpr-vmem
  crosslane lint --list-rules)";

} // namespace

Run add_lint(CLI::App& app) {
  auto options = std::make_shared<LintOptions>();
  LintOptions& o = *options;
  app.add_option("FILE", o.inputs.names,
                 "assembly (.s), code objects (.co .hsaco .o), offload bundles, HIP programs and libraries, .cl, .hip, "
                 "folders; - for standard input")
      ->type_name("");
  app.add_option("--target,--mcpu", o.inputs.compile.target,
                 "GPU: gfx803, gfx900, gfx906, ... (default: the file's own, or gfx900); of libraries, these entries")
      ->type_name("GPU");
  add_clang_option(app, o.inputs.compile);
  app.add_option("--kernel", o.kernel, "findings in this function alone: its symbol, or its name in the source")
      ->type_name("NAME");
  app.add_option("--rules", o.rules, "whose rules: default, or also all that the manual, llvm, or all of them ask for")
      ->check(CLI::IsMember({"default", "manual", "llvm", "all"}))
      ->type_name("SET");
  app.add_option("--select", o.select, "these rules alone: ids, groups, beginnings of ids, default, all")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("RULES");
  app.add_option("--ignore", o.ignore, "without these")->delimiter(',')->allow_extra_args(false)->type_name("RULES");
  app.add_option("--severity", o.severity, "the least that is shown: error, warning (default), note, pedantic")
      ->check(CLI::IsMember(severities))
      ->type_name("LEVEL");
  app.add_option("--error-on", o.error_on, "the least that makes exit status 1 (default: warning)")
      ->check(CLI::IsMember(severities))
      ->type_name("LEVEL");
  app.add_option("--output-format", o.format, "text, json, sarif, github or junit; of --list-rules also markdown")
      ->check(CLI::IsMember({"text", "json", "sarif", "github", "junit", "markdown"}))
      ->type_name("FORMAT");
  app.add_option("--output", o.output, "write there instead of standard output")->type_name("FILE");
  app.add_option("--max-printed", o.most, "print no more findings than this as text; all are counted")->type_name("N");
  app.add_flag("--statistics", o.statistics, "findings of each rule, sizes, time");
  app.add_flag("--fix", o.fix, "change assembly in place where a finding has a fix");
  app.add_flag("--diff", o.diff, "show what --fix would change");
  app.add_option("--baseline", o.baseline, "leave out the findings that this file has")->type_name("FILE");
  app.add_option("--write-baseline", o.write_baseline, "write such a file of all findings")->type_name("FILE");
  app.add_flag("--exit-zero", o.exit_zero, "exit status 0 whatever is found");
  app.add_option("--explain", o.explain, "tell all about one rule")->type_name("RULE");
  app.add_flag("--list-rules", o.list, "tell the ids of all");
  app.footer(footer);
  return [options]() -> llvm::Expected<Exit> {
    if (options->list || !options->explain.empty())
      return tell_rules(*options);
    return Linting(*options).run();
  };
}

} // namespace crosslane::cli
