// crosslane lint: what is wrong with machine code, before it runs.
#include "lint/lint.h"
#include "cli/code_options.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"
#include "lint/path.h"
#include <fmt/format.h>

namespace crosslane::cli {

namespace {

struct LintOptions {
  std::string file, rules = "default";
  toolchain::CompileOptions compile;
};

llvm::Expected<Exit> run(const LintOptions& options) {
  auto object = toolchain::load_code(options.file, options.compile);
  if (!object)
    return object.takeError();
  auto subject = lint::make_subject(**object);
  if (!subject)
    return subject.takeError();
  lint::Options o;
  o.rules = options.rules == "llvm"     ? lint::RuleSet::llvm
            : options.rules == "manual" ? lint::RuleSet::manual
            : options.rules == "all"    ? lint::RuleSet::all
                                        : lint::RuleSet::default_;
  const lint::Report report = lint::lint(*subject, o);
  std::string text;
  const auto place = [&](uint64_t pc) { return fmt::format("{}({})", options.file, lint::place_name(*subject, pc)); };
  for (const lint::Finding& f : report.findings) {
    text += fmt::format("{}: {}: {} [{}]\n", place(f.pc), lint::name_of(f.severity), f.message, lint::id_of(f.rule));
    for (const lint::Note& n : f.notes)
      text += fmt::format("{}: note: {}\n", place(n.pc), n.text);
    if (f.fix)
      text += fmt::format("{}: fix: insert '{}'\n", place(f.fix->pc), f.fix->text);
  }
  print(text);
  return report.findings.empty() ? Exit::ok : Exit::wrong;
}

} // namespace

Run add_lint(CLI::App& app) {
  auto options = std::make_shared<LintOptions>();
  add_code_options(app, options->file, options->compile);
  app.add_option("--rules", options->rules, "default, manual, llvm or all")->type_name("SET");
  return [options] { return run(*options); };
}

} // namespace crosslane::cli
