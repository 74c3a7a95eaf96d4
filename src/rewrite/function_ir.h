// Owns a user's probe that is a function in OpenCL C or HIP: what its parameters, by their names, ask for where it
// stands, and a wrapper around it in LLVM IR whose arguments and results are in registers that are known
// (rewrite/probe_function.h).
#pragma once
#include "isa/operands.h"
#include <llvm/Support/Error.h>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::rewrite {

struct ProbeParameter {
  enum class Kind : uint8_t {
    exec,
    vcc,
    scc,
    m0,
    pc,      // of the instruction, in the code object as it was
    place,   // the number of the place, as counters are listed
    group,   // `number` of the workgroup's three
    sgpr,    // s`number` of the program
    vgpr,    // v`number`
    operand, // of the instruction, by `role`
    address, // of each lane's access
  } kind{};
  std::string name;
  uint16_t number = 0;
  isa::Role role{};
  uint16_t dwords = 1;
  // Of the wrapper's arguments: the first that is the wave's, in SGPRs from s0 on, and the first that each lane has, in
  // VGPRs from v0 on. Of `address` three (base, offset) and two (what is added).
  uint16_t sgpr = 0, vgpr = 0;
};

// What an operand of an instruction is called: "vaddr".
std::optional<isa::Role> role_of(std::string_view name);

struct FunctionIr {
  std::string text; // the file's, with the wrapper
  std::vector<ProbeParameter> parameters;
  uint32_t counters = 0; // results of the wrapper, in SGPRs from s0 on
};
inline constexpr const char* wrapper_symbol = "crosslane_probe";
// `ir`: what clang makes of a file with a function that is called probe. `name`: the file.
llvm::Expected<FunctionIr> wrap_probe(const std::string& ir, const std::string& name);

} // namespace crosslane::rewrite
