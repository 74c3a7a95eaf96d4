// Owns what a verb is: a subcommand that adds its options and runs. One file per verb.
#pragma once
#include <CLI/CLI.hpp>
#include <llvm/Support/Error.h>

namespace crosslane::cli {

// What the process exits with.
enum Exit : int {
  ok = 0,
  wrong = 1, // the result differs from what was expected, or the kernel faulted
  bad = 2,   // usage or input
};

// Runs after parsing. An error is printed by main() and exits with Exit::bad.
using Run = std::function<llvm::Expected<Exit>()>;

Run add_launch(CLI::App& app);  // launch.cpp
Run add_disasm(CLI::App& app);  // disasm.cpp
Run add_asm(CLI::App& app);     // asm.cpp
Run add_isa(CLI::App& app);     // isa.cpp
Run add_permute(CLI::App& app); // permute.cpp

} // namespace crosslane::cli
