// Owns work that is done in a process of its own, because it may abort, take all memory or never end: LLVM's assembler
// does all three, given the right text. Whatever happens there is an error here.
#pragma once
#include <cstdint>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>
#include <string>
#include <vector>

namespace crosslane::toolchain {

struct ChildLimits {
  uint64_t memory;  // bytes beyond what this process has
  unsigned seconds; // of processor time
};

// What `work` returns. `what` is at fault if it does not return: "kernel.s". Nothing else of what it does is seen here.
llvm::Expected<std::vector<uint8_t>> in_child(const std::string& what, ChildLimits limits,
                                              llvm::function_ref<llvm::Expected<std::vector<uint8_t>>()> work);

} // namespace crosslane::toolchain
