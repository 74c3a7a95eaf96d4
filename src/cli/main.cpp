// The crosslane command: parses the command line, runs one verb, prints its error if there is one.
#include "check/checks.h"
#include "cli/colour.h"
#include "cli/help/text.h"
#include "cli/standard_error.h"
#include "cli/standard_output.h"
#include "cli/unknown_option.h"
#include "cli/verb.h"
#include "engine/dispatch.h"
#include "findings/text.h"
#include "isa/suggest.h"
#include <algorithm>
#include <commit.h>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <new>
#include <sstream>
#include <string>
#include <vector>

namespace crosslane::cli {

namespace {

constexpr const char* description = "crosslane: AMD GCN GPU machine code on an ordinary CPU";
constexpr const char* footer =
    "Each verb has a --help of its own, and a manual page: crosslane launch --help, man crosslane-launch.\n\n"
    "The files of examples and the pages of docs/ that are named here are in share/doc/crosslane of the installation: "
    "copy that folder, and run the examples in the copy.\n\n"
    "Exit status: 0 ok, 1 wrong result or findings, 2 bad usage or input, 3 GPU fault, 124 time limit over "
    "(--timeout), "
    "128 + N stopped by signal N; 'run' ends as its program does.\n\n"
    "Examples:\n"
    "  crosslane launch examples/vector_add.cl --grid 1000 a=f32[1000]:iota b=f32[1000]:1 c=f32[1000] n=1000 --print "
    "c:4\n"
    "  crosslane disasm examples/if_else.s --kernel if_else\n"
    "  crosslane lint examples/if_else.s\n"
    "  crosslane run --gpu vega20 --profile all -- ./matmul 512 512";

void complain_of(llvm::Error error) { complain(findings::plain_lines(llvm::toString(std::move(error)))); }

void add_colour(CLI::App& app) {
  app.add_option_function<std::string>(
         "--color", choose_colour,
         "colours: always, never, or auto: on a terminal, and not with NO_COLOR (default: auto)")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
}

// For who reports a mistake.
std::string version() {
  return fmt::format("crosslane {}\ncommit {}\nLLVM {}\nx86-64 level {} (of {})", CROSSLANE_VERSION, CROSSLANE_COMMIT,
                     LLVM_VERSION_STRING, engine::host_level(), CROSSLANE_LEVEL_NAMES);
}

int finish(llvm::Expected<Exit> result) {
  auto lost = finish_printing(); // what was printed comes before what went wrong
  int status = Exit::bad;
  if (result)
    status = *result;
  else
    complain_of(result.takeError());
  if (!lost)
    return status;
  complain_of(std::move(lost));
  return status == Exit::ok ? Exit::bad : status;
}

bool has_checks(std::string_view verb) {
  return verb == "launch" || verb == "replay" || verb == "run" || verb == "env";
}

// What follows "--check": checks, or what was meant to be, and no argument of a kernel and no program.
bool names_checks(std::string_view verb, std::string_view word) {
  if (verb != "launch")
    return check::wanted_of(word).has_value();
  const bool letters = std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == ',' || c == '-'; });
  return letters && !word.starts_with('-') && word != "null" && word != "true" && word != "false";
}

// The words of the command line, last one first, as CLI11 takes them. Where a verb takes many words it would read
// "[16]" as a list of its own: the buffer of 16 elements is written "buf:[16]" in full. And it would read the
// expression "-i + 63" as options: a blank before it does not change what it means. "--check" without checks is all of
// them, and "--poison" takes no word. The "--" of `run` is marked, see verb.h.
std::vector<std::string> words(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  std::vector<std::string> result;
  int first_separator = argc;
  if (verb == "run")
    first_separator = int(std::find(argv + 1, argv + argc, std::string_view("--")) - argv);
  for (int i = argc - 1; i > 0; --i) {
    if (i == first_separator) {
      result.push_back(program_mark);
      continue;
    }
    const std::string_view word = argv[i];
    if (word == "--check" && i < first_separator && has_checks(verb)) {
      if (result.empty() || i + 1 == first_separator || !names_checks(verb, argv[i + 1]))
        result.push_back("--check=all");
      else
        result.back() = "--check=" + result.back();
      continue;
    }
    if (word == "--poison" && i < first_separator && has_checks(verb)) {
      result.push_back("--poison=1"); // a seed is given by '='
      continue;
    }
    const bool buffer = verb == "launch" && word.starts_with('[');
    const bool expression = verb == "permute" && word.size() > 1 && word[0] == '-' && word[1] != '-' && word != "-h";
    result.push_back((buffer ? "buf:" : expression ? " " : "") + std::string(word));
  }
  return result;
}

int run(int argc, char** argv) {
  keep_standard_descriptors();
  CLI::App app(description, "crosslane");
  app.footer(footer);
  use_help_text(app);
  app.set_help_flag("-h,--help", "show this text and exit");
  app.set_version_flag("--version", version, "version, commit, LLVM, instructions of the host in use");
  add_colour(app);
  app.require_subcommand(1);
  struct Verb {
    CLI::App* app;
    Run run;
  };
  const auto add = [&](const char* name, const char* what, Run (*options)(CLI::App&)) {
    CLI::App* verb = app.add_subcommand(name, what);
    const Run run = options(*verb);
    add_colour(*verb);
    return Verb{verb, run};
  };
  const Verb verbs[] = {
      add("launch", "run one kernel and look at its results", add_launch),
      add("diff", "say what changed between two documents of crosslane's", add_diff),
      add("disasm", "show machine code as text", add_disasm),
      add("asm", "make machine code of text", add_asm),
      add("cfg", "show the control flow of machine code", add_cfg),
      add("isa", "list the instructions and what is executed of them", add_isa),
      add("jit", "show how kernels are compiled for this host", add_jit),
      add("lint", "find missing waits and other mistakes in machine code", add_lint),
      add("permute", "plan how a CPU and a GPU move lanes by a pattern", add_permute),
      add("instrument", "put probes into code objects", add_instrument),
      add("test", "run launch descriptions and compare with what they expect", add_test),
      add("timing", "estimate what kernels cost on a card", add_timing),
      add("run", "run a HIP, OpenMP or other ROCm program on an emulated GPU", add_run),
      add("replay", "run again what 'run --capture' has kept", add_replay),
      add("env", "print the variables that 'run' sets, for a shell", add_env),
      add("help", "show the help of a verb, manual pages, completions", add_help),
  };
  // CLI11 would only say that a verb is missing.
  std::vector<std::string> names;
  for (const Verb& v : verbs)
    names.push_back(v.app->get_name());
  if (argc > 1 && argv[1][0] != '-' && std::find(names.begin(), names.end(), argv[1]) == names.end()) {
    const std::string nearest = isa::did_you_mean(argv[1], std::vector<std::string_view>(names.begin(), names.end()));
    complain(fmt::format("there is no verb '{}'{}\nRun 'crosslane --help'.", argv[1], nearest));
    return Exit::bad;
  }
  try {
    app.parse(words(argc, argv));
  } catch (const CLI::Success& done) { // --help, --version
    std::ostringstream text;
    app.exit(done, text);
    print(text.str());
    return finish(Exit::ok);
  } catch (const CLI::ParseError& error) {
    std::string text = argc > 1 ? error.what() : "which verb? One is 'launch'";
    for (const auto& verb : verbs)
      if (verb.app->parsed() && dynamic_cast<const CLI::ExtrasError*>(&error))
        for (const std::string& word : verb.app->remaining())
          if (word.starts_with("-")) {
            text = unknown_option(*verb.app, word);
            break;
          }
    complain(text + "\nRun 'crosslane --help', or 'crosslane VERB --help'.");
    return Exit::bad;
  }
  for (const auto& verb : verbs)
    if (verb.app->parsed())
      return finish(verb.run());
  return Exit::bad;
}

} // namespace

} // namespace crosslane::cli

int main(int argc, char** argv) {
  try {
    return crosslane::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "crosslane: out of memory\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "crosslane: %s\n", error.what());
  }
  return crosslane::cli::Exit::bad;
}
