// crosslane lint: what is wrong with machine code, before it runs.
#include "lint/lint.h"
#include "cli/code_options.h"
#include "cli/lint/inputs.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"
#include "findings/text.h"
#include "lint/format/format.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace crosslane::cli {

namespace {

struct LintOptions {
  LintInputs inputs;
  std::string rules = "default", severity, error_on;
};

bool colours() {
  const char* no = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && !(no && *no);
}

llvm::Expected<Exit> run(const LintOptions& options) {
  if (options.inputs.names.empty())
    return fail("lint needs a file: assembly, a code object, a library, or a folder of them");
  lint::Options o;
  o.rules = options.rules == "llvm"     ? lint::RuleSet::llvm
            : options.rules == "manual" ? lint::RuleSet::manual
            : options.rules == "all"    ? lint::RuleSet::all
                                        : lint::RuleSet::default_;
  std::vector<lint::Judged> judged;
  bool failed = false, found = false;
  InputVisitor visitor;
  visitor.error = [&](const std::string& message) {
    flush_printed();
    std::fprintf(stderr, "crosslane: %s\n", findings::plain_lines(message).c_str());
    failed = true;
  };
  visitor.gap = [&](const std::string& file, const std::string& target, const std::string& reason) {
    judged.push_back({.file = file, .target = target, .not_judged = {{{.file = file}, reason}}});
  };
  visitor.unit = [&](LintUnit& unit) {
    auto subject = lint::make_subject(*unit.object);
    if (!subject)
      return visitor.error(llvm::toString(subject.takeError()));
    judged.push_back(lint::place(*subject, lint::lint(*subject, o), unit.origin));
  };
  each_unit(options.inputs, visitor);
  for (const lint::Judged& j : judged)
    found |= !j.findings.empty();
  print(lint::text_of(judged, {.colour = colours()}));
  return failed ? Exit::bad : found ? Exit::wrong : Exit::ok;
}

} // namespace

Run add_lint(CLI::App& app) {
  auto options = std::make_shared<LintOptions>();
  app.add_option("FILE", options->inputs.names,
                 "assembly (.s), code objects (.co .hsaco .o), offload bundles, HIP programs and libraries, .cl, .hip, "
                 "folders; - for assembly on standard input")
      ->type_name("");
  app.add_option("--target,--mcpu", options->inputs.compile.target,
                 "GPU: gfx803, gfx900, gfx906, ... (default: the file's own, or gfx900); of libraries, these entries")
      ->type_name("GPU");
  add_clang_option(app, options->inputs.compile);
  app.add_option("--rules", options->rules, "default, manual, llvm or all")->type_name("SET");
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
