// crosslane diff: says what has changed between two documents that crosslane wrote, and whether that is too much.
#include "cli/exit.h"
#include "cli/outputs.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "diff/forms.h"
#include "files/error.h"
#include "files/write.h"
#include <cstdio>

namespace crosslane::cli {

namespace {

struct DiffOptions {
  std::string before, after, json, html;
  std::vector<std::string> fail_if;
  bool all = false;
};

llvm::Error check_files(const DiffOptions& o) {
  if (o.before == "-" && o.after == "-")
    return fail("only one of two documents can come from standard input");
  const auto input = [](const std::string& name) { return name == "-" ? std::string("/dev/stdin") : name; };
  const files::Use inputs[] = {{input(o.before), "the document before"}, {input(o.after), "the document after"}};
  return prepare_outputs(inputs, {{{o.json, "--json"}, {o.html, "--html"}}});
}

llvm::Expected<Exit> run(const DiffOptions& o) {
  std::vector<diff::Condition> conditions;
  for (const std::string& text : o.fail_if) {
    auto condition = diff::parse_condition(text);
    if (!condition)
      return condition.takeError();
    conditions.push_back(std::move(*condition));
  }
  if (auto error = check_files(o))
    return std::move(error);
  auto before = diff::read(o.before);
  if (!before)
    return before.takeError();
  auto after = diff::read(o.after);
  if (!after)
    return after.takeError();
  auto difference = diff::compare(*before, *after);
  if (!difference)
    return difference.takeError();
  auto verdict = diff::judge(*difference, conditions);
  if (!verdict)
    return verdict.takeError();
  print(diff::text_of(*difference, o.all));
  flush_printed();
  std::fputs(diff::text_of(*verdict).c_str(), stderr);
  llvm::Error errors = llvm::Error::success();
  if (!o.json.empty())
    errors = llvm::joinErrors(std::move(errors), files::write(o.json, diff::json_of(*difference, *verdict)));
  if (!o.html.empty())
    errors = llvm::joinErrors(std::move(errors), files::write(o.html, diff::html_of(*difference, *verdict)));
  if (errors)
    return std::move(errors);
  return verdict->hits.empty() ? Exit::ok : Exit::wrong;
}

constexpr const char* footer =
    R"(The documents: a profile (launch or run, --profile --json), times (launch --time --json), findings (--check --findings
FILE.json, lint --output-format json), counters of probes (launch --counters), estimates (timing --json), outcomes of tests
(test --json). Of profiles also each line and branch. See docs/comparing.md.

--fail-if: [KERNEL:]NAME, one of > < >= <= == !=, and a number: +5% or 5% of the change in percent, +100 or -100 of the
change, 100 of what is there now. NAME as it is printed, also new_findings; * and ? stand for anything.

Exit status: 0 ok, 1 a --fail-if holds, 2 bad usage or documents.

Examples:
  crosslane launch examples/matmul_naive.cl --grid 64,64 [64,64]:iota [64,64]:1 [64,64] 64 --profile all --json before.json
  crosslane launch examples/matmul_tiled.cl --grid 64,64 [64,64]:iota [64,64]:1 [64,64] 64 --profile all --json after.json
  crosslane diff before.json after.json --html diff.html
  crosslane diff before.json after.json --fail-if 'lds_conflicts>+5%' --fail-if 'SQ_WAVES!=+0')";

} // namespace

Run add_diff(CLI::App& app) {
  auto options = std::make_shared<DiffOptions>();
  DiffOptions& o = *options;
  app.add_option("BEFORE", o.before, "a document that crosslane wrote; - for standard input")
      ->required()
      ->type_name("");
  app.add_option("AFTER", o.after, "another one of the same kind")->required()->type_name("");
  app.add_option("--fail-if", o.fail_if, "exit status 1 if this holds: 'NAME>+5%', 'KERNEL:NAME>100'; may be repeated")
      ->allow_extra_args(false)
      ->type_name("CONDITION");
  app.add_flag("--all", o.all, "show what is the same, too, and all lines and branches");
  app.add_option("--json", o.json, "write all of it there; - for standard output")->type_name("FILE");
  app.add_option("--html", o.html, "write a page there")->type_name("FILE");
  app.footer(footer);
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
