// Owns symbols as the API shows them: kernels, as their descriptors are called ("vadd.kd"), and variables.
// What they say follows hsa.h and, where that is silent, what ROCr does.
#pragma once
#include "codeobject/code_object.h"
#include "hsa/info/agent.h"
#include <string_view>
#include <vector>

namespace crosslane::hsa {

struct LoadedSymbol {
  uint64_t handle = 0;                        // hsa_code_symbol_t or hsa_executable_symbol_t
  std::string_view name;                      // its text belongs to the code object or the executable
  const codeobject::Kernel* kernel = nullptr; // null: a variable
  Agent* agent = nullptr;                     // null: program allocation, or not loaded
  uint64_t address = 0;                       // 0: not loaded
  uint64_t size = 0;
  bool weak = false, constant = false;
  bool external = false; // defined by hsa_executable_*_variable_define
  hsa_variable_segment_t segment = HSA_VARIABLE_SEGMENT_GLOBAL;
  const std::atomic<bool>* frozen = nullptr; // of its executable; null: a symbol of a code object
};

// All kernels and global variables that the code object defines, at their places when it is loaded at `base`.
std::vector<LoadedSymbol> symbols_of(const codeobject::CodeObject&, uint64_t base, Agent*,
                                     const std::atomic<bool>* frozen);

// Attributes of hsa_code_symbol_info_t and hsa_executable_symbol_info_t, which have the same numbers.
hsa_status_t symbol_info(const LoadedSymbol&, uint32_t attribute, void* value);

} // namespace crosslane::hsa
