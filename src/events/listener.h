// Owns what happened: the events a dispatch can report and the interface that hears them. A listener is attached to a
// dispatch; only then does the engine decode with event hooks, so that nothing costs anything when nobody listens.
// Calls come from several threads at once, but all of a workgroup from the one that runs it, one after the other, in
// the order of its execution: began, whatever its waves do, the end of each wave, the end of the workgroup.
#pragma once
#include "isa/instruction.h"
#include "isa/wait_counts.h"
#include "machine/wave.h"
#include <cstdint>
#include <span>

namespace crosslane::machine {
struct Allocation;
}

namespace crosslane::events {

// One instruction in loaded code.
struct Site {
  uint64_t pc;
  const isa::Instruction* instruction;
};

// A divergence or decision site (isa/divergence.h), before it executes; one that writes EXEC, as soon as it has.
struct Branch {
  Site site;
  const machine::Wave* wave;
  uint64_t exec;      // lanes that arrive
  uint64_t condition; // lanes whose own condition holds (subset of exec); see views/branches.h for each kind
  bool per_lane;      // a divergence site; else the instruction decides for the wave as a whole
};

// Straight-line code that a wave goes through from the first instruction to the last without a switch to another wave:
// it ends at branches, barriers and sleeps. It also ends after a write to EXEC, so that one mask holds for all of it.
// An instruction may be in more than one block, where code jumps into the middle of one.
struct Block {
  uint32_t id;                 // 0, 1, 2 ... over all blocks that the process has decoded: an index for tables
  std::span<const Site> sites; // one or more; they live as long as the code
};

// A wave is about to execute a block. Only a fault keeps it from executing all of it.
struct Issued {
  const Block* block;
  const machine::Wave* wave;
  uint64_t exec; // the lanes of its vector instructions (but for what ignores EXEC, such as v_readlane)
};

// What waves with all of their 64 lanes have executed, in place of events of their own: how often a block,
struct Counted {
  const Block* block;
  std::span<const uint64_t, 65> waves; // by the number of lanes in EXEC
};
// ... and what came of a site: sums of what its Branch events would have said (views/branches.h).
struct BranchCounted {
  Site site;
  bool per_lane;
  uint64_t executions, all, none, arriving_lanes, condition_lanes;
};

enum class Space : uint8_t {
  global,  // address: virtual
  scratch, // address: where the lane's dword really lies; scratch is interleaved, so dwords of a lane are 256 bytes
           // apart
  scalar,  // an SMEM access of the wave as a whole, in lane 0; address: virtual
  lds,     // address: byte offset in the workgroup's LDS
};
enum class AccessKind : uint8_t { load, store, atomic };

// Lanes, and an address of each.
struct Places {
  uint64_t lanes;
  const uint64_t* address; // of 64 lanes; only those of `lanes` have a value
};

// A wave is about to access memory. One event for each space that lanes reach: a FLAT instruction may reach several,
// and what moves data between memory and LDS tells of both, in its order. Beyond that an instruction has more than one
// event only where the second address of a DS instruction does not go with the first: lanes of which one of two lies
// outside of LDS, and ds_*_src2_*, which read LDS before they write it. Not told of: what moves no data (cache control,
// prefetches), GDS, and cross-lane operations in the LDS unit.
struct Access {
  Site site;
  const machine::Wave* wave;
  Space space;
  AccessKind kind;
  uint32_t bytes;          // of a lane, from its address on
  uint64_t lanes;          // active and within their buffer; never 0
  const uint64_t* address; // of 64 lanes; only those of `lanes` have a value
  const uint64_t* second;  // DS two-address instructions: the other one, `bytes` as well; else null
  // Image samples: each lane reads several texels of `bytes`, the first of them at `address`. No lane has one twice.
  std::span<const Places> more = {};
  bool filtered = false; // image samples: by a linear filter, or a gather of four texels; else by point
};

// A wave is about to execute an instruction: its registers are as the one before left them. Who hears it may change
// vector registers and SGPRs, as somebody at a debugger would.
struct Step {
  Site site;
  machine::Wave* wave;
};

// A workgroup and all of its waves begin. Told before the first instruction of any of them: registers are as launched.
struct Began {
  const machine::Workgroup* group;
  std::span<const machine::Wave* const> waves; // by number
};

// How a wave or a workgroup came to its end. Each that began has one.
enum class End : uint8_t {
  finished,  // executed the instruction that ends it; a workgroup: all of its waves have
  faulted,   // a wave that raised a fault, and its workgroup
  abandoned, // the dispatch has stopped before: for a fault elsewhere, a cancellation or a deadlock
};
// Of a wave that finishes, told at once; of others when their thread stops, by number of the wave.
struct WaveEnded {
  const machine::Wave* wave;
  End end;
  uint64_t instructions; // that it has executed; one that faulted is not among them
};
// Behind the last of its waves. LDS is as they left it.
struct GroupEnded {
  const machine::Workgroup* group;
  End end;
};

// A wave is about to arrive at a barrier: all that it did before has been told.
struct Arrived {
  Site site;
  const machine::Wave* wave;
};
// The waves that have arrived go on, because all others of the workgroup have ended: told before any of them goes on.
// They may have arrived at different instructions. A wave that is alone in its workgroup goes on at once; one that ends
// otherwise while it waits, by a fault of another say, is not among any.
struct Released {
  const machine::Workgroup* group;
  std::span<const machine::Wave* const> waves; // by number
};

// A wave is about to execute s_waitcnt or s_sleep. (s_barrier is above. Of what waits for other waves in GDS nothing is
// told.)
struct Wait {
  Site site;
  const machine::Wave* wave;
  bool sleeps;            // s_sleep, for as long as the instruction's immediate says; else s_waitcnt
  isa::WaitCounts counts; // s_waitcnt: how much may be outstanding behind it
};

class Listener {
public:
  virtual ~Listener() = default;
  virtual bool wants_branches() const { return false; }
  virtual bool wants_issued() const { return false; }
  virtual bool wants_accesses() const { return false; }
  // Narrows wants_accesses(): a space that it does not want costs nothing, but may be told of all the same.
  virtual bool wants_space(Space) const { return true; }
  virtual bool wants_steps() const { return false; }
  virtual bool wants_waves() const { return false; } // begin and end of waves and workgroups
  virtual bool wants_barriers() const { return false; }
  virtual bool wants_waits() const { return false; }
  virtual bool wants_memory() const { return false; } // events/memory.h; of no dispatch and no workgroup
  // It wants issued() and branch() of all workgroups, and adds them up: then it may be told sums of some of them, when
  // a thread has done its part of the dispatch. Who counts so tells nothing else.
  virtual bool takes_counts() const { return false; }
  // Asked once when a workgroup starts, from any thread. Those that are not wanted run at full speed and are not told
  // of.
  virtual bool wants_workgroup(const machine::Workgroup&) const { return true; }
  virtual void branch(const Branch&) {}
  virtual void issued(const Issued&) {}
  virtual void counted(const Counted&) {}
  virtual void branch_counted(const BranchCounted&) {}
  virtual void access(const Access&) {}
  virtual void step(const Step&) {}
  virtual void began(const Began&) {}
  virtual void wave_ended(const WaveEnded&) {}
  virtual void group_ended(const GroupEnded&) {}
  virtual void arrived(const Arrived&) {}
  virtual void released(const Released&) {}
  virtual void wait(const Wait&) {}
  virtual void allocated(const machine::Allocation&) {}
  virtual void freed(const machine::Allocation&) {}
};

} // namespace crosslane::events
