// Owns what must be known of a program before it runs with the emulated GPU: whether it can load libraries at all, and
// where the loader would look for them.
#pragma once
#include <llvm/Support/Error.h>
#include <string>
#include <vector>

namespace crosslane::cli {

struct Program {
  std::string path;        // as execve takes it
  bool elf = false;        // false: a script, or not readable; nothing else is known then
  bool is_64_bit = false;  // x86-64
  bool dynamic = false;    // has a loader
  bool privileged = false; // set-user-ID or set-group-ID for someone else: the loader ignores the environment
  std::vector<std::string> libraries; // that it names itself (DT_NEEDED)
  std::vector<std::string> rpath;     // searched before LD_LIBRARY_PATH; $ORIGIN is replaced in it
  std::vector<std::string> runpath;   // searched after it
};

// Where the shell would find it, if that is an executable file; else empty.
std::string find_program(const std::string& name);
// What the file says. One that is no ELF file, or a broken one, is taken for a script.
Program inspect_program(const std::string& path);

// What crosslane cannot do for the program, one sentence each.
std::vector<std::string> warnings(const Program&);

} // namespace crosslane::cli
