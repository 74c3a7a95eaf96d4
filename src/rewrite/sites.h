// Owns the probes of a group of kernels: what counts edges and what counts lanes' decisions, where each is put, and the
// plan that says what the counters mean.
#pragma once
#include "analysis/loops.h"
#include "isa/divergence.h"
#include "rewrite/copier.h"
#include "rewrite/exec_lanes.h"
#include "rewrite/instrument.h"
#include "rewrite/registers.h"

namespace crosslane::rewrite {

// SCC at every place of the copied blocks.
class SccLiveness {
public:
  explicit SccLiveness(size_t blocks) : live_(blocks) {}
  void set(analysis::BlockId b, uint32_t n, bool live) {
    if (live_[b].size() <= n)
      live_[b].resize(n + 1);
    live_[b][n] = live;
  }
  bool at(analysis::BlockId b, uint32_t n) const { return n >= live_[b].size() || live_[b][n]; }

private:
  std::vector<std::vector<bool>> live_;
};

// Counters are chosen first, since registers depend on how many there are; then the probes are made.
class SiteProbes {
public:
  SiteProbes(const lint::Subject&, std::span<const CopiedKernel* const>, const Probes&, const SccLiveness&,
             const analysis::Loops&);
  uint32_t counters() const { return counters_; }
  size_t sites() const { return plan_.sites.size(); }
  void insert(const ProbeRegisters&, Insertions&);
  // But for the names, with addresses of the code object as it was.
  KernelPlan plan(const CopiedKernel&) const;

private:
  struct Site {
    analysis::BlockId block;
    uint32_t instruction; // in its block
    isa::Instruction in;
    isa::SiteKind kind;
    uint64_t pc;
    uint32_t planned;        // in plan_.sites
    bool xor_behind = false; // s_xor_b64 of EXEC and what was saved stands directly behind it
  };
  void find_blocks();
  void find_sites();
  void choose_edges(const analysis::Loops&);
  void choose_site(const Site&, const ExecLanes&);
  void find_ends();
  isa::Condition last_condition(analysis::BlockId) const;
  void put_edge(const ProbeRegisters&, Insertions&, uint32_t edge);
  void put_site(const ProbeRegisters&, Insertions&, const Site&);
  std::string count(const ProbeRegisters&, int32_t counter) const;
  std::string add_carry(const ProbeRegisters&, int32_t counter) const;

  const lint::Subject& subject_;
  std::span<const CopiedKernel* const> kernels_;
  Probes probes_;
  const SccLiveness& scc_;
  uint32_t counters_ = 0;
  KernelPlan plan_;
  std::vector<analysis::BlockId> blocks_; // by address
  std::vector<uint32_t> node_;            // of each block of the graph; none: not copied
  std::vector<uint32_t> functions_;       // those copied: entries of calls and of kernels
  std::vector<Site> sites_;
  std::vector<bool> may_end_; // of each function of the graph: a wave may end in it
  struct EdgePlace {
    enum Kind : uint8_t { edge, begin_of_block, end_of_block, entry, nowhere } kind{};
    analysis::BlockId block = 0;
    uint32_t successor = 0;
  };
  std::vector<EdgePlace> places_; // of plan_.graph.edges
};

} // namespace crosslane::rewrite
