// Owns which SGPRs virtual ones are (rewrite/virtual_sgprs.h), anew in each piece of a probe, which is what stands at
// one place of the program: those that the program has no use for there, and where there are none, some of its own,
// which are kept in lanes of a VGPR meanwhile. In lanes, too, lies what one piece leaves for another one.
#pragma once
#include "analysis/liveness.h"
#include "rewrite/copied_code.h"
#include "rewrite/registers.h"
#include "rewrite/virtual_sgprs.h"
#include <bitset>

namespace crosslane::rewrite {

// By the codes of isa/instruction.h.
using SgprSet = std::bitset<first_virtual_sgpr>;

// What the program has in SGPRs at every place of some blocks.
class LiveSgprs {
public:
  explicit LiveSgprs(size_t blocks) : live_(blocks) {}
  void set(analysis::BlockId b, uint32_t n, const analysis::RegisterSet& live);
  SgprSet at(analysis::BlockId b, uint32_t n) const { return n < live_[b].size() ? live_[b][n] : ~SgprSet(); }

private:
  std::vector<std::vector<SgprSet>> live_;
};

class SgprAllocator {
public:
  // `sgprs`: as many as waves can have, from 0 on.
  SgprAllocator(const CopiedCode& code, const ProbeRegisters& registers, uint32_t sgprs, const LiveSgprs& live)
      : code_(code), registers_(registers), sgprs_(sgprs), live_(live) {}

  // Gives registers to all pieces. False: there are not enough.
  bool run(Insertions&);

  using Piece = CopyInput::Piece;
  // What the copy itself has before instruction n of a block.
  Piece place(analysis::BlockId, uint32_t n, std::span<const Item>);
  uint32_t used() const { return used_; } // SGPRs, from 0 on
  bool uses_lanes() const { return uses_lanes_; }

private:
  using Map = std::array<uint16_t, first_virtual_sgpr>; // by the number of virtual ones

  // What a piece asks for.
  struct Demand {
    SgprSet program;                                 // SGPRs that it names itself
    SgprSet used, read, written;                     // virtual ones; read before they are written
    SgprSet joined;                                  // with the next one, in a tuple
    std::array<uint8_t, first_virtual_sgpr> align{}; // of tuples that begin there
    bool calls = false;                              // Insertions::functions
    void add(const Item&, isa::Target);
    void join(const Demand&);
  };
  Demand demand_of(std::span<const Item>) const;
  std::optional<Map> choose(const Demand&, const SgprSet& live) const;
  std::optional<size_t> instance_for(const Demand&, const SgprSet& live);
  std::vector<Item> with_map(std::span<const Item>, const Map&, size_t instance) const;
  std::optional<Piece> given(std::span<const Item>, const Demand&, const SgprSet& live);
  bool place(std::vector<Item>&, const SgprSet& live);
  bool place_end(Insertions&);

  const CopiedCode& code_;
  const ProbeRegisters& registers_;
  uint32_t sgprs_ = 0, used_ = 0;
  bool uses_lanes_ = false;
  const LiveSgprs& live_;
  SgprSet kept_; // virtual ones that some piece finds as another one left them
  // Functions have one set of registers in all pieces that call them; where the program's are in the way, there is
  // another instance with others.
  std::vector<FunctionBlock> functions_;
  Demand functions_demand_, calls_; // theirs; with that of all pieces that call them
  std::vector<Map> instances_;
};

} // namespace crosslane::rewrite
