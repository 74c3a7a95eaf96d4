// Owns finding and running other programs: the compiler and the linker.
#pragma once
#include <cstdint>
#include <llvm/Support/Error.h>
#include <string>
#include <vector>

namespace crosslane::toolchain {

enum class Tool { clang, lld };
// CROSSLANE_CLANG or CROSSLANE_LLD in the environment, else version 19, else whatever version is in PATH.
llvm::Expected<std::string> find_tool(Tool);

struct RunResult {
  int status = 0;
  std::string messages; // what it wrote to standard output and error
};
// Runs to the end. `log` is a scratch file. The error says that the program could not be started or was killed.
llvm::Expected<RunResult> run_tool(const std::string& program, const std::vector<std::string>& arguments,
                                   const std::string& log);
// The file that a program wrote; one that only says it was well is not the program that it should be.
llvm::Expected<std::vector<uint8_t>> code_of(const std::string& program, const std::string& path);

} // namespace crosslane::toolchain
