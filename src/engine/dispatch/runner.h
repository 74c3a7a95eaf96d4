// Owns running workgroups on one host thread. A workgroup lives in a Slot (LDS, wave states, scratch); a thread takes
// the next workgroup of the grid, runs it until it ends or is preempted, and in the latter case takes others on
// besides, going round, so that workgroups that wait for each other all make progress.
#pragma once
#include "engine/compiler.h"
#include "engine/dispatch/crew.h"
#include "engine/dispatch/launch_state.h"
#include "engine/guard.h"
#include "machine/gds.h"
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace crosslane::engine {

// What the threads of one dispatch share.
struct Shared {
  const DispatchContext& context;
  const LaunchState& launch;
  uint64_t entry; // address of the first instruction
  uint64_t group_count;
  uint64_t threads;
  uint64_t chunk;       // workgroups claimed at a time, at least; more where compiled code is soon done with them
  uint64_t extra_limit; // workgroups that all threads may hold besides the one each runs
  machine::Gds& gds;
  CompiledKernel* kernel; // null: nobody compiles it
  CompileQuery query;     // that it is for
  bool verifies;          // some workgroups are run both ways
  bool counts;            // compiled code counts for the listener, which hears of all workgroups
  Places places;          // of the resident workgroups that have asked
  std::map<Program*, std::unique_ptr<Programs>> special; // that DispatchContext::special has had
  std::atomic<uint64_t> next{0};
  std::atomic<uint64_t> extra{0};
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> instructions{0}, waves{0}, groups_done{0};
  std::atomic<uint64_t> hook_ticks{0};  // of the time stamp counter
  std::atomic<uint64_t> interpreted{0}; // such ticks of all threads, while there was no compiled code
  std::mutex fault_mutex;
  std::optional<machine::Fault> fault;
  Census census; // guarded by fault_mutex
  // Who has only waves that wait, all seen in vain while the GDS was in one epoch. When that is every thread, it is a
  // deadlock.
  std::mutex stuck_mutex;
  uint64_t stuck_epoch = 0, confirming_epoch = 0;
  unsigned live_threads = 0, stuck_threads = 0;
};

// False: a helper left its part to the others, to help a more urgent dispatch.
bool run_thread(Shared& shared, Worker worker);
// Fills in the registers of a wave that say where it runs: HW_ID, GPR_ALLOC, LDS_ALLOC.
void find_place(Wave&);

} // namespace crosslane::engine
