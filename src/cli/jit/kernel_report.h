// Owns what `crosslane jit` prints of a kernel: the disassembly by block, beside it what the compiler knew of registers
// and did with instructions, and what all of it cost.
#pragma once
#include "codeobject/code_object.h"
#include "jit/examine.h"
#include <nlohmann/json.hpp>
#include <string>

namespace crosslane::cli {

struct JitKernel {
  const codeobject::CodeObject& object;
  const codeobject::Kernel& kernel;
  std::array<uint32_t, 3> workgroup;
  std::string workgroup_from; // who says so: "--block"
  std::unique_ptr<jit::Examined> examined;
  bool compiled() const { return examined->answer.error.empty(); }
};

std::string jit_text(const JitKernel&);
nlohmann::ordered_json jit_json(const JitKernel&);

} // namespace crosslane::cli
