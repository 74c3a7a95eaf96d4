// Owns behaviour cases: one assembly file per case, with the registers it starts from and must end with in its header.
//
//   // init:   s4 = 0x10, v1 = 4*lane+1, exec = 0xff
//   // expect: v2 = 2*lane, v3[5] = 7, v3[8..15] = 0, vcc = 0xf0, scc = 1
//
// A value is a number or `A*lane+B` for vectors; pairs (exec, vcc, s[2:3]) take 64-bit numbers. The code ends with s_endpgm.
#pragma once
#include "isa/target.h"
#include "machine/fault.h"
#include "machine/wave.h"
#include <memory>
#include <string>
#include <vector>

namespace crosslane::test {

struct CaseResult {
  std::vector<std::string> mismatches;  // empty: as expected
};

// Assembles (llvm-mc-19) and runs the file on one wave. Throws std::runtime_error on a malformed case.
CaseResult run_case(const std::string& path, isa::Target target);

// The .text bytes that llvm-mc-19 makes of assembly text.
std::vector<uint8_t> assemble(const std::string& text, isa::Target target);

// One wave that runs `code` to its end, with LDS and a register file, for tests that look at state directly.
class OneWave {
public:
  explicit OneWave(uint32_t lds_bytes = 65536);
  ~OneWave();
  machine::Wave& wave();
  // Runs to s_endpgm or a fault; returns the fault kind (none: ended).
  machine::FaultKind run(const std::vector<uint8_t>& code, isa::Target target);
  int64_t instructions() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace crosslane::test
