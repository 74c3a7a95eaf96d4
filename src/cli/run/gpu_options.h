// Owns the options by which `crosslane run` and `crosslane env` choose the emulated GPU and what is reported.
#pragma once
#include "cli/run/environment.h"
#include <CLI/CLI.hpp>

namespace crosslane::cli {

void add_gpu_options(CLI::App& app, GpuOptions& options);

// The cards' names, for --help: a line for each target.
std::string card_names();
// A line for each card.
std::string card_table();

// The environment for `program`, which may be null, also put into this process, and checked as the library will check
// it.
llvm::Expected<std::vector<Variable>> set_environment(const GpuOptions& options, const Program* program);

} // namespace crosslane::cli
