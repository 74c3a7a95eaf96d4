// What toolchain::load_code() is asked with.
#include "cli/code_options.h"

namespace crosslane::cli {

void add_code_options(CLI::App& app, std::string& file, toolchain::CompileOptions& options) {
  app.add_option("FILE", file, "code object (.co .hsaco .so), offload bundle, .s, .cl or .hip")->type_name("");
  app.add_option("--target", options.target, "GPU: gfx803, gfx900, gfx906, ... (default: the file's own, or gfx900)")
      ->type_name("GPU");
  add_clang_option(app, options);
}

void add_clang_option(CLI::App& app, toolchain::CompileOptions& options) {
  app.add_option("--clang", options.options, "one more option for clang, may be repeated: --clang=-O0")
      ->allow_extra_args(false)
      ->type_name("OPTION");
}

} // namespace crosslane::cli
