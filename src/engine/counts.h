// Owns what compiled code counts for a listener that takes counts (events::Listener::takes_counts()): tables that each
// thread has, and what of a unit they are about. A block counts where it ends, so that one that is left in its middle
// has not: whoever goes on there counts what was executed of it. What goes back to a checkpoint repeats what was
// counted behind that: the interpreter tells of nothing until it is past it (Wave::counted).
#pragma once
#include "engine/compiled.h"
#include "events/listener.h"
#include <deque>
#include <map>
#include <vector>

namespace crosslane::engine {

inline constexpr size_t lane_counts = machine::lanes_per_wave + 1; // 0 to 64 lanes

// Of a block, what code for which EXEC is known to be full at its begin has executed;
struct BlockCells {
  uint64_t executions;
  uint64_t aside; // those that went on by the edge of its branch that counts
  // ... and of its last instruction, if that is a site that divides lanes, in all executions:
  uint64_t all, none, condition_lanes;
  uint64_t arriving_lanes; // where it may have other lanes than EXEC had, of code for other EXECs
};
// ... and the other code, by the number of lanes in EXEC.
struct BlockLanes {
  uint64_t waves[lane_counts], aside[lane_counts];
};
struct CountCells {
  int64_t counted; // the wave at hand: so many of its instructions have been
  BlockCells blocks[1];
};
// Of branches on SCC: the edge that counts, which is the one that leaves a loop.
inline bool counts_taken(const Unit& unit, const UnitBlock& block) {
  return block.target != no_block && &unit.blocks[block.target] > &block;
}

// UnitInstruction::site, as the interpreter's decoder finds them. `size`: bytes of the Code.
void find_sites(Unit&, uint64_t size);

// Of a unit, as listeners know it.
struct CountedUnit {
  struct Block {
    events::Block block;
    isa::SiteKind site;
    bool narrows, counts_taken, on_exec;
  };
  std::deque<isa::Instruction> instructions;
  std::vector<events::Site> sites; // of each
  std::vector<Block> blocks;
  std::vector<events::Block> parts; // each instruction alone
};
std::shared_ptr<const CountedUnit> counted_unit(const Unit&);

// What compiled code is given (Wave::counts).
struct CountTables {
  CountCells* cells = nullptr;
  BlockLanes* lanes = nullptr; // of each block
};

// Of a thread, in one dispatch.
class Counts : public CountTables {
public:
  void begin(const CompiledCode&);
  void tell(events::Listener&);

  // `n` instructions before a dword index, all in one block, were executed with such an EXEC, and are not counted.
  void add_part(uint32_t pc, int64_t n, uint64_t exec);
  // The block that has the instruction at a dword index counts as executed: a wave ends there by a fault.
  void add_faulted(uint32_t pc, uint64_t exec);

private:
  std::shared_ptr<const CountedUnit> unit_;
  uint64_t base_ = 0;
  std::vector<uint64_t> memory_;
  std::map<std::pair<size_t, int>, uint64_t> parts_; // by instruction and lanes
  size_t index_of(uint32_t pc) const;                // of the first instruction at or behind it
};

} // namespace crosslane::engine
