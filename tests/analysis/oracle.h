// Owns the listener that holds the static analysis against what waves do. Each step from one instruction to the next
// must be in the graph; whatever is said to be dead at the beginning of a block is overwritten there, in all lanes,
// which must change no result; values that are said to be uniform or affine are looked at in each instruction that
// reads them; and who wrote a register last is compared with its definition.
#pragma once
#include "analysis/code_image.h"
#include "analysis/definitions.h"
#include "analysis/liveness.h"
#include "analysis/values.h"
#include "events/listener.h"
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace crosslane::test {

// What the analysis says of a code object.
struct Findings {
  explicit Findings(const analysis::Code&);
  analysis::Graph graph;
  analysis::Liveness liveness;
  std::vector<analysis::ValueFact> facts, facts_of_whole_rows;
  std::vector<analysis::Definition> definitions;
};

struct Counts {
  uint64_t executed = 0; // instructions
  // Different steps; of them calls and returns, and those that only an unknown allows.
  uint64_t steps = 0, calls = 0, unresolved = 0;
  uint64_t blocks = 0, registers = 0;   // entered, and overwritten there
  uint64_t values = 0, with_stride = 0; // looked at
  uint64_t definitions = 0;             // reads of a register with a single one
  Counts& operator+=(const Counts&);
  std::string text() const;
};

// Of one code object, in all of its dispatches.
class Oracle final : public events::Listener {
public:
  // What it is given must outlive it. It hears of the first workgroups of a dispatch, as many as it is told.
  Oracle(const analysis::CodeImage& image, const Findings& findings, uint64_t workgroups = ~uint64_t(0))
      : image_(image), findings_(findings), workgroups_(workgroups) {}
  bool wants_steps() const override { return true; }
  bool wants_waves() const override { return true; }
  bool wants_workgroup(const machine::Workgroup& group) const override { return group.number < workgroups_; }
  void began(const events::Began&) override;
  void step(const events::Step&) override;

  // Since the last time.
  Counts take_counts();
  std::vector<std::string> take_deviations(); // one of each instruction and kind

private:
  struct Wave {
    uint64_t pc = 0; // of the instruction before; 0: none
    bool whole_rows = false;
    std::vector<uint64_t> writers; // of each register; 0: nobody yet
  };
  const analysis::CodeImage& image_;
  const Findings& findings_;
  const uint64_t workgroups_;
  std::mutex mutex_;
  std::unordered_map<const machine::Wave*, Wave> waves_;
  std::set<std::pair<uint64_t, uint64_t>> steps_;
  std::set<std::pair<uint64_t, std::string>> known_; // deviations
  std::vector<std::string> deviations_;
  Counts counts_;

  void check_begin(const events::Step&);
  void check_step(uint64_t from, const events::Step&);
  bool leads_to(uint64_t pc, uint64_t to) const;
  void check_values(const events::Step&, bool whole_rows);
  void check_definitions(const events::Step&, Wave&);
  void overwrite(const events::Step&);
  void deviates(uint64_t pc, std::string what);
};

} // namespace crosslane::test
