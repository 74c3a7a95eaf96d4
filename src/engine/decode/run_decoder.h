// Owns the decoding of one straight-line run of a Program: instruction after instruction, until control does not go on
// behind one, or another run continues there. For each: what the hooks need, what it is lowered to, and where it may
// branch to.
#pragma once
#include "engine/decode/program.h"
#include "engine/decode/waiting_loops.h"
#include "engine/scalar/flow.h"
#include "isa/divergence.h"

namespace crosslane::engine {

// A straight-line run; branch targets are patched when everything reached is decoded.
struct Program::Run {
  Uop* uops;
  size_t count;
  struct Patch {
    size_t index;
    Key target;
  };
  std::vector<Patch> patches;
};

uint32_t new_block_id(); // events::Block::id

class RunDecoder {
public:
  using Key = Program::Key;
  RunDecoder(Program&, Key start, std::vector<Key>& pending); // to `pending` go the targets of its branches
  void decode(std::vector<Program::Run>& runs);

private:
  struct Sink final : UopSink {
    explicit Sink(std::deque<isa::Instruction>& kept) : kept_(kept) {}
    std::vector<Uop> uops;
    Uop& append(UopKind) override { return uops.emplace_back(Uop{}); }
    Uop& last() override { return uops.back(); }
    const isa::Instruction* keep(const isa::Instruction& inst) override { return &kept_.emplace_back(inst); }

  private:
    std::deque<isa::Instruction>& kept_;
  };

  void find_sites_before();
  bool step(); // one instruction; false: the run ends with it, or before it
  int read(uint32_t pc, isa::Instruction&) const;
  bool continued(Lowering&);
  void begin(Lowering&, int size);
  bool cannot_start(Lowering&, int size);
  bool lower_hooked(Lowering&, isa::Instruction&, const isa::Instruction* written, bool issued);
  void end_block_behind(const Lowering&, const Flow&, const isa::Instruction* written, bool executes, bool issued);
  void close_block();
  void aim(const isa::Instruction&, const Flow&);
  void keep(std::vector<Program::Run>& runs);
  Key here() const { return Program::key(pc_, mode_); }

  Program& program_;
  std::vector<Key>& pending_;
  Sink sink_;
  Program::Run run_{};
  std::vector<std::pair<Key, std::pair<size_t, uint32_t>>> entries_; // -> (first Uop, ordinal)
  const uint32_t start_, end_;                                       // dword indexes, as is pc_
  uint32_t pc_, ordinal_ = 0;
  DecodeMode mode_;
  // With issued events only the first instruction of a block may be entered: a jump to another one starts a run of its
  // own.
  static constexpr size_t none = ~size_t(0);
  size_t hook_ = none;
  std::vector<events::Site> sites_;
  isa::SiteFinder sites_of_lanes_;
  WaitingLoops waiting_;
};

} // namespace crosslane::engine
