// Owns counting where lanes part: for each divergence and decision site (isa/divergence.h), how often it ran and
// whether the lanes agreed. OLD MASK is EXEC on arrival (events::Branch::exec), IF MASK the part of it whose own
// condition holds
// (::condition):
//   what writes EXEC   the lanes that it leaves; lanes that it adds count as if they had arrived
//   vccz, vccnz        the lanes whose bit of VCC is set
//   forks              the lanes of the mask
//   scc0, scc1, execz, execnz   all lanes or none: the wave decides as a whole, which is always an agreement
// A condition that a branch on VCC looks at and EXEC is then narrowed by counts at both.
// An execution is an agreement if IF MASK == OLD MASK or IF MASK == 0, else a divergence.
// Source: Wu, "Efficient Binary Instrumentation for GPU Profiling" (Scalable Tools Workshop 2022), "How to detect
// divergence?".
#pragma once
#include "events/listener.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace crosslane::views {

struct BranchCounts {
  uint64_t executions = 0;
  uint64_t all = 0;             // agreements on the condition: IF MASK == OLD MASK (lanes or not)
  uint64_t none = 0;            // agreements against it: IF MASK == 0, OLD MASK not
  uint64_t arriving_lanes = 0;  // sum of lanes in OLD MASK
  uint64_t condition_lanes = 0; // sum of lanes in IF MASK
  uint64_t agreements() const { return all + none; }
  uint64_t divergences() const { return executions - agreements(); }
  BranchCounts& operator+=(const BranchCounts&);
  bool operator==(const BranchCounts&) const = default;
};

struct BranchSite {
  uint64_t pc = 0;       // address in loaded code
  bool per_lane = false; // a divergence site
  BranchCounts counts;
  bool lanes_counted = true; // probes do not
  // Filled by who has the code object:
  std::string function;    // symbol that covers it
  uint64_t offset = 0;     // from the start of that symbol
  std::string instruction; // disassembly
  std::string source;      // "file:line:column"; empty without a line table
};

// One wavefront's share of a site.
struct WaveBranch {
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t wave = 0; // in the workgroup
  uint64_t pc = 0;
  BranchCounts counts;
};

// Attach to one dispatch or several; read when none is running.
class Branches final : public events::Listener {
public:
  // `per_wave`: count for each wavefront too, which costs memory for each.
  explicit Branches(bool per_wave = false);
  ~Branches() override;
  bool wants_branches() const override { return true; }
  void branch(const events::Branch&) override;
  bool takes_counts() const override; // unless for each wavefront
  void branch_counted(const events::BranchCounted&) override;

  std::vector<BranchSite> sites() const;   // by pc
  std::vector<WaveBranch> by_wave() const; // by workgroup (z, y, x), wave, pc; empty unless asked for

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::views
