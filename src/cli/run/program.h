// Owns what must be known of a program before it runs with the emulated GPU: whether it can load libraries at all,
// where the loader would look for them, and which GPUs it has code for.
#pragma once
#include "isa/target.h"
#include <llvm/Support/Error.h>
#include <span>
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
  std::vector<isa::Target> targets; // of the code objects in it; compressed ones, and those of libraries, are not seen
};

// Where the shell would find it, if that is an executable file; else empty.
std::string find_program(const std::string& name);
// What the file says. One that is no ELF file, or a broken one, is taken for a script.
Program inspect_program(const std::string& path);

// What crosslane cannot do for the program on these cards, one sentence each.
std::vector<std::string> warnings(const Program&, std::span<const std::string> cards = {});

} // namespace crosslane::cli
