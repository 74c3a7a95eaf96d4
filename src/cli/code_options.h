// Owns the options of verbs that look at the code in a file.
#pragma once
#include "toolchain/compile.h"
#include <CLI/CLI.hpp>
#include <string>

namespace crosslane::cli {

// FILE, --target, --clang. Where they go must live as long as the app.
void add_code_options(CLI::App&, std::string& file, toolchain::CompileOptions&);
// --clang alone.
void add_clang_option(CLI::App&, toolchain::CompileOptions&);

} // namespace crosslane::cli
