// Owns what a verb is: a subcommand that adds its options and runs. One file per verb.
#pragma once
#include "cli/exit.h"
#include <CLI/CLI.hpp>
#include <llvm/Support/Error.h>

namespace crosslane::cli {

// Stands in the words of `run` for the first "--", behind which CLI11 would look for options of its own no more, but
// would not leave us the words either.
constexpr const char* program_mark = "\x1f--";

// Runs after parsing. An error is printed by main() and exits with Exit::bad.
using Run = std::function<llvm::Expected<Exit>()>;

Run add_launch(CLI::App& app);     // launch.cpp
Run add_disasm(CLI::App& app);     // disasm.cpp
Run add_asm(CLI::App& app);        // asm.cpp
Run add_cfg(CLI::App& app);        // cfg.cpp
Run add_diff(CLI::App& app);       // diff.cpp
Run add_instrument(CLI::App& app); // instrument.cpp
Run add_isa(CLI::App& app);        // isa/isa.cpp
Run add_jit(CLI::App& app);        // jit/jit.cpp
Run add_lint(CLI::App& app);       // lint/lint.cpp
Run add_permute(CLI::App& app);    // permute/permute.cpp
Run add_replay(CLI::App& app);     // replay.cpp
Run add_run(CLI::App& app);        // run/run.cpp
Run add_test(CLI::App& app);       // test.cpp
Run add_timing(CLI::App& app);     // timing/timing.cpp
Run add_env(CLI::App& app);        // run/env.cpp
Run add_help(CLI::App& app);       // help/help.cpp

} // namespace crosslane::cli
