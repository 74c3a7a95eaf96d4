// LLVM's own disassembler, in process: the outside oracle of the isa tests. What `llvm-mc --disassemble` calls, without
// starting it ten million times.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace crosslane::tests {

class LlvmOracle {
public:
  explicit LlvmOracle(const std::string& processor);
  ~LlvmOracle();

  // Size of the instruction at the front of `bytes`, 0 when LLVM rejects it; `text` with blanks normalised.
  int disassemble(std::span<const uint8_t> bytes, std::string& text);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// SDWA select 7 and dst_unused 3 are reserved; LLVM 19 decodes them and then runs into an unreachable switch while
// printing. There is no answer to compare with.
bool llvm_has_no_answer(uint32_t word0, uint32_t word1);

} // namespace crosslane::tests
