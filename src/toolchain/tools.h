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
// A code object of a relocatable object file; the linker's messages if it failed, else nothing. `open`: symbols may be
// missing.
llvm::Expected<std::string> link_object(const std::string& object, const std::string& output, const std::string& log,
                                        bool open = false);
// A program that only says it was well, and wrote no file, is not the program that it should be.
llvm::Error wrote(const std::string& program, const std::string& path);
// The file that a program wrote.
llvm::Expected<std::vector<uint8_t>> code_of(const std::string& program, const std::string& path);

} // namespace crosslane::toolchain
