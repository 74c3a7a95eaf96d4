// Owns the comparison: the same generated kernels, inputs and grids on PoCL and on crosslane, all output bit for bit.
#pragma once
#include "tests/generated/program.h"
#include "tests/kernels/opencl.h"
#include "tests/kernels/runner.h"
#include <optional>

namespace crosslane::generated {

struct Setting {
  std::string target = "gfx900";
  std::string level = "-O2"; // for the GPU's compiler
};

enum class Outcome : uint8_t {
  same,
  different,
  refused,    // crosslane stopped with an error
  uncompiled, // the GPU's compiler gave up
  unknown,    // the oracle has no answer
};
struct Verdict {
  Outcome outcome = Outcome::same;
  std::string message;
};

class Differential {
public:
  // Sources are written to `folder`, which must exist.
  explicit Differential(std::string folder, events::Listener* listener = nullptr)
      : folder_(std::move(folder)), listener_(listener) {}
  const std::string& unavailable() const { return opencl_.reason(); } // why there is no oracle; empty: there is

  // One verdict for each kernel and setting: [kernel][setting].
  std::vector<std::vector<Verdict>> run(const std::vector<Kernel>& kernels, const std::vector<Setting>& settings);
  // The source file of the last run.
  const std::string& source() const { return source_; }
  uint64_t instructions() const { return instructions_; } // wave-instructions, all runs

private:
  workload::OpenCl opencl_;
  std::string folder_, source_;
  events::Listener* listener_;
  uint64_t instructions_ = 0;
};

// What the GPU's compiler is called with, for the shell that does it.
std::string compiler_flags_for(const Setting&);
// The text of a source file with these kernels.
std::string source_text(const std::vector<Kernel>& kernels);

// -O0 to -O3 for a batch: the same for one seed for ever.
std::string level_for(uint64_t seed);

// A source file of its own for one kernel, whose first line says how to launch it; and the kernel of such a file.
std::string replayable(const Kernel&, const Setting&);
std::optional<std::pair<Kernel, Setting>> read_replayable(const std::string& text);

} // namespace crosslane::generated
