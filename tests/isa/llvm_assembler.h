// LLVM's own assembler, in process: the outside oracle for encoding and parsing, as llvm_oracle.h is for decoding. What
// `llvm-mc -show-encoding` does, without starting it a million times.
#pragma once
#include "tests/isa/llvm_registers.h"
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::tests {

class LlvmAssembler {
public:
  // What else to note of a line: how LLVM prints what it read, which registers it says are read and written.
  struct Notes {
    bool text = false, registers = false;
  };
  explicit LlvmAssembler(const std::string& processor, bool print = false) : LlvmAssembler(processor, Notes{print}) {}
  LlvmAssembler(const std::string& processor, Notes);
  ~LlvmAssembler();

  // What became of one line: the bytes of its instruction, or why LLVM refuses it. Neither for a line without an
  // instruction (blank, comment, directive).
  struct Line {
    std::vector<uint8_t> bytes;
    std::string error; // the first one, without position
    std::string text;  // if asked to; blanks as in llvm_oracle.h
    LlvmRegisters registers;
    LlvmKind kind; // noted with them
  };

  // Each element is one line; order is kept. Batches of thousands are much faster than single lines. Branch targets are
  // numbers, as LLVM's disassembler prints them (`s_branch 5`); a line that refers to a symbol is an error.
  std::vector<Line> assemble(std::span<const std::string> lines);
  Line assemble(std::string_view line);

  // LLVM's names of all instructions of the target architecture ("V_ADD_F32_e32_vi"), for every processor.
  std::vector<std::string> instruction_names() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Why LLVM's assembler must not be asked about this line (it would crash), empty if it may. assemble() answers such
// lines with this text as the error.
std::string_view llvm_assembler_crashes_on(std::string_view line);

} // namespace crosslane::tests
