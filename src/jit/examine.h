// Owns compiling a kernel for its own sake, with all that the compiler can tell of it. Nothing enters the code.
#pragma once
#include "engine/compiler.h"
#include "jit/request.h"

namespace crosslane::jit {

struct Examined {
  engine::Unit unit;
  std::string level;                // "v3" or "v4"
  std::vector<LaunchLane> at_first; // what is known of work-item ids
  Compiled answer;                  // or why it is not compiled
};

// As a dispatch that asks so would have it compiled.
std::unique_ptr<Examined> examine(const engine::Code&, const engine::CompileQuery&, bool keep_text, bool keep_assembly);

} // namespace crosslane::jit
