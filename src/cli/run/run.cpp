// crosslane run: runs a program with the emulated GPU in place of the system's. The program takes the place of this
// process, so that its input, output, signals and exit status are its own.
#include "cli/run/gpu_options.h"
#include "cli/standard_error.h"
#include "cli/standard_output.h"
#include "cli/unknown_option.h"
#include "cli/verb.h"
#include "files/claim.h"
#include "files/collisions.h"
#include "files/error.h"
#include "files/write.h"
#include "hsa/settings.h"
#include "profile/output.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace crosslane::cli {

namespace {

// The program and its arguments, out of what CLI11 left.
llvm::Expected<std::vector<std::string>> command(const CLI::App& app) {
  std::vector<std::string> words = app.remaining();
  // The mark either ends our options, or it is an argument of the program like any other.
  const auto mark = std::find(words.begin(), words.end(), program_mark);
  if (mark == words.begin() && mark != words.end())
    words.erase(mark);
  else if (!words.empty() && words[0] == "--sandbox")
    return fail("run has no sandbox: the program itself is native code and can do what you can. Use a container, or "
                "take the kernel out of it: "
                "crosslane launch FILE --kernel NAME --sandbox");
  else if (!words.empty() && words[0].starts_with("-"))
    return fail("{}\nRun 'crosslane run --help'.", unknown_option(app, words[0]));
  else if (mark != words.end())
    *mark = "--";
  if (words.empty() || words[0].empty())
    return fail("which program? Write it behind the options: crosslane run --gpu vega10 -- ./program arguments");
  return words;
}

// Only returns if the program could not be started.
Exit execute(const std::vector<std::string>& words, const Program& program) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const auto& word : words)
    arguments.push_back(const_cast<char*>(word.c_str())); // execvp's type is older than const
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  // What the system takes for no program, execvp gives to the shell, which is right for a script without "#!" only.
  if (program.elf)
    execv(program.path.c_str(), arguments.data());
  else
    execvp(arguments[0], arguments.data());
  const int error = errno;
  complain(fmt::format("{}: {}", arguments[0], std::strerror(error)));
  return error == ENOENT ? Exit::not_found : Exit::not_executable;
}

llvm::Expected<Exit> run(const GpuOptions& options, bool list, const CLI::App& app) {
  if (list) {
    print(card_table());
    return Exit::ok;
  }
  auto words = command(app);
  if (!words)
    return words.takeError();
  const std::string path = find_program(words->front());
  const Program program = path.empty() ? Program() : inspect_program(path);
  if (auto variables = set_environment(options, &program); !variables)
    return variables.takeError();
  if (path.empty()) // says so
    return execute(*words, program);
  std::string wrong; // is known to be nothing
  const hsa::Settings settings = hsa::read_settings(wrong);
  const profile::Output reports(settings.profile, /*shared=*/true);
  std::vector<files::Use> outputs = reports.uses();
  if (!options.output.empty())
    outputs.push_back({options.output, "--output"});
  std::vector<std::string> findings;
  if (!settings.checked.file.empty())
    outputs.push_back({settings.checked.file, "--findings"}), findings.push_back(settings.checked.file);
  if (auto error = files::refuse_collisions({{{path, "the program"}}}, outputs))
    return error;
  if (auto error = reports.clear())
    return error;
  if (auto error = files::clear(findings))
    return error;
  if (!options.output.empty()) // the library adds to it, one process after the other
    if (auto error = files::write(options.output, ""))
      return error;
  if (!options.quiet)
    for (const auto& warning : warnings(program, settings.gpus))
      warn(warning);
  return execute(*words, program);
}

constexpr const char* footer =
    R"(Behind the options: the program and its arguments, preferably after '--'.

The program loads crosslane's libhsa-runtime64.so.1 in place of the system's; nothing else is changed for it, nothing at
all for others. The processes that it starts inherit the GPU. Input, output, signals and exit status are the program's own.
Other exit statuses: 124 if a kernel took longer than --timeout; if the program could not be started, 2 for a mistake in the
options, 126 if it is no program, 127 if there is none of that name. A memory fault of a kernel is SIGABRT (134), as on a card.

Examples: crosslane run -- ./vector_add
          crosslane run --gpu vega20 --stats -- ./matmul 512 512
          crosslane run --gpu vega20,vega20 --vram 8G -- ./peer_copy
          crosslane run --gpu fiji --profile branches --output branches.txt -- ./sort
          crosslane run --gpu vega20 --time -- ./matmul 512 512
          crosslane run --html report.html -- ./matmul 512 512
          crosslane run --instrument divergence --html report.html -- ./matmul 512 512
          crosslane run --profile memory,lds --kernel '^gemm' --launch 1.. --sample 1% --json gemm.json -- ./train
          crosslane run --trace-wave 12:0 --kernel '^gemm' --html steps.html -- ./train
          crosslane run --capture captured --capture-kernel '^gemm' --capture-launch 0..2 -- ./train
          crosslane run -- rocminfo)";

} // namespace

Run add_run(CLI::App& app) {
  auto options = std::make_shared<GpuOptions>();
  app.prefix_command(); // what is not an option of ours ends them
  add_gpu_options(app, *options);
  auto list = std::make_shared<bool>();
  app.add_flag("--list-gpus", *list,
               "all cards with their targets, compute units, clocks, memory, and peak bandwidths of LDS and registers");
  app.footer(card_names() + "\n" + footer);
  return [options, list, &app] { return run(*options, *list, app); };
}

} // namespace crosslane::cli
