// Owns behaviour cases: assembly files whose headers say the registers a wave starts from and must end with.
//
//   // targets: gfx803 gfx900            (of the file, or of one case)
//   // case: name                        (starts a case; a file without this line is one case)
//   // init:   s4 = 0x10, v1 = 4*lane+1, v[2:3] = 2.5d, exec = 0xff
//   // expect: v2 = 2*lane, v3[5] = 7, v3[8..15] = {1 2 3}, vcc = 0xf0, scc = 1
//   // clobbers: v9, s[4:5]
//   // fault: unimplemented instruction  (instead of an expectation)
//
// A value is a number, `A*lane+B`, a float (1.5f, 1.5h for f16, 1.5d for f64), or {...} for one value per lane.
// AccVGPRs are a0, a[2:3]. Pairs (exec, vcc, s[2:3], v[2:3]) take 64-bit values. The code ends with s_endpgm. Registers
// start with noise, and whatever neither `expect` nor `clobbers` names must end as it started: lanes, SGPRs, VCC, EXEC,
// M0, SCC and MODE alike.
#pragma once
#include "engine/decode/backend.h"
#include "events/listener.h"
#include "isa/target.h"
#include "machine/fault.h"
#include "machine/wave.h"
#include "tests/engine/assembler.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace crosslane::test {

struct CaseResult {
  std::string name;                    // of the case and the level
  std::vector<std::string> mismatches; // empty: as expected
};

// Makes who listens to the steps of a case, before it runs.
using Observer = std::function<std::unique_ptr<events::Listener>(const std::vector<uint8_t>& code, isa::Target)>;

// Assembles the file and runs each of its cases for `target` on one wave, at every level that the host has. Throws
// std::runtime_error on a malformed file.
std::vector<CaseResult> run_cases(const std::string& path, isa::Target target, const Observer& = {});
// All targets that the file or one of its cases names.
std::vector<isa::Target> targets_of(const std::string& path);

// The levels that the host can run.
std::vector<const engine::Backend*> levels();

// One wave that runs `code` to its end, with LDS and a register file, for tests that look at state directly.
class OneWave {
public:
  explicit OneWave(uint32_t lds_bytes = 65536);
  ~OneWave();
  machine::Wave& wave();
  // Runs to s_endpgm or a fault; returns the fault kind (none: ended). A listener hears of its beginning and of steps.
  machine::FaultKind run(const std::vector<uint8_t>& code, isa::Target target,
                         const engine::Backend& level = engine::backend(), events::Listener* listener = nullptr);
  int64_t instructions() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace crosslane::test
