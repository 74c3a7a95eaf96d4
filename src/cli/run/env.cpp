// crosslane env: the variables that `crosslane run` sets, for a shell that is to keep them.
#include "cli/run/gpu_options.h"
#include "cli/standard_output.h"
#include "cli/verb.h"
#include "files/error.h"

namespace crosslane::cli {

namespace {

llvm::Expected<Exit> run(const GpuOptions& options, const std::string& format) {
  static constexpr std::pair<const char*, Shell> formats[] = {
      {"sh", Shell::sh}, {"fish", Shell::fish}, {"json", Shell::json}};
  for (const auto& [name, shell] : formats)
    if (format == name) {
      auto variables = set_environment(options, nullptr);
      if (!variables)
        return variables.takeError();
      print(shell_text(*variables, shell));
      return Exit::ok;
    }
  return fail("--format {}: there are sh, fish and json", format);
}

constexpr const char* footer =
    R"help(Programs started from that shell find crosslane's libhsa-runtime64.so.1, and with it the emulated GPU. A program for
LLVM's OpenMP also needs LLVM's own folder in LD_LIBRARY_PATH, which only 'crosslane run' can know of. LD_PRELOAD is for
rocminfo, rocm_agent_enumerator and hipcc without --offload-arch; others do without it.

Exit status: 0 ok, 2 bad usage.

Examples: eval "$(crosslane env --gpu vega20)"
          crosslane env --gpu fiji --format fish | source)help";

} // namespace

Run add_env(CLI::App& app) {
  auto options = std::make_shared<GpuOptions>();
  auto format = std::make_shared<std::string>("sh");
  add_gpu_options(app, *options);
  app.add_option("--format", *format, "sh, fish or json (default: sh)")->type_name("SHELL");
  app.footer(card_names() + "\n" + footer);
  return [options, format] { return run(*options, *format); };
}

} // namespace crosslane::cli
