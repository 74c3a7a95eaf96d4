// Owns CompiledCode: code of a unit (engine/unit.h) that a compiler made, as waves enter it. A wave enters by a Uop of
// its own, whose handler calls the function; it leaves for the interpreter at any instruction, or stops as in any
// handler.
#pragma once
#include "engine/unit.h"
#include "engine/uop.h"
#include <atomic>
#include <memory>
#include <vector>

namespace crosslane::engine {

// How a compiled function comes back: the kind above 32 bits; below, the dword index where the interpreter goes on, or
// the number of the entry where the wave comes back to compiled code.
enum class Back : uint32_t {
  interpret, // the interpreter goes on there
  stopped,   // the Wave says all
  preempted, // the wave has used up its budget
  barrier,
  failed, // as `interpret`, because a guard failed
  apart,  // of a range: its waves are to go on on their own, from what is in their frames
};

// What a wave of a range has, as it was at its last checkpoint: the barrier that it waits at or was let past, or what
// it did last that cannot be done twice. Behind this head lie values, as the code of that checkpoint has them.
struct alignas(64) Frame {
  static constexpr uint32_t begins = 0, ended = ~0u;
  uint32_t at;           // which checkpoint, by a number of the compiler's; or one of these
  uint64_t instructions; // executed up to its last barrier,
  uint64_t since;        // and from there to a checkpoint behind it
};

// Dwords that waves of a range have added to memory and that are not there yet: nobody can know before such a wave has
// ended that it has come to the instruction, and none of them does anything else after. Found by bits 2 to 14 of the
// address.
struct PendingSums {
  static constexpr uint32_t places = 1 << 13, tag_shift = 15;
  uint32_t tag[places]; // the bits above; 0: nothing
  uint32_t sum[places]; // 0 where nothing is
  uint32_t count;       // places with something, and which:
  uint16_t used[places];
  void settle(); // to memory
  // The calling thread's, with nothing in it. Dispatches are too short to make one for each.
  static PendingSums& of_thread();
};

// Workgroups, one after the other, that a compiled function is to run from their first instruction to their last. It
// is given to the function in place of an entry, with a Wave as launched, which it does not write to. Waves run in
// turn, each up to a barrier or to its end, and again from the first one on.
struct Range {
  uint32_t id[3]; // of the workgroup at hand
  uint32_t wave;  // at hand
  uint32_t waves; // of a workgroup
  uint32_t groups[2];
  uint32_t again;             // 0: waves behind the one at hand have not begun
  uint64_t left;              // workgroups, that at hand included
  uint64_t instructions;      // executed by the waves that have ended
  uint64_t budget;            // when so many more have been, it comes back between workgroups, or where all waves wait
  const uint32_t* work_items; // v0, v1, v2 in the first lane of each wave
  uint8_t* frames;            // one for each wave, frame_bytes apart,
  uint64_t frame_bytes;       // or 0: all have the same one, as none waits for another
  uint8_t* frame;             // of the wave at hand
  uint64_t arrived;           // executed since their last barriers by those that wait at the next one
  uint64_t passed;            // ... at those that all have passed, since it was entered
  uint64_t writes;            // 1: it only writes to the Wave what the wave at hand has in its frame
  PendingSums* sums;          // null: none are kept
  uint64_t last_exec;         // lanes that the last wave of a workgroup is launched with; others have all
  uint64_t all_waves;         // of the dispatch, or somewhat more: those of full workgroups
};

struct CountedUnit;

struct CompiledCode {
  // The wave's registers are in the Wave, as in front of the instruction of that entry; Wave::instructions are those
  // that were executed. What comes back: see Back. `entry`: its number, or a Range.
  using Function = uint64_t (*)(Wave*, const CompiledCode*, uint64_t entry);
  Function function = nullptr;
  const Uop* const* calls = nullptr; // what the code has handlers do, each a Uop or more and the way back
  uint64_t base = 0;                 // address of dword 0
  // By number, 0 being the unit's own: two each. The first one stands for the barrier that waves are at who will enter
  // (engine/census.h), the second one enters.
  std::vector<Uop> entries;
  // At heads of loops, for waves that come from the interpreter.
  struct Loop {
    uint32_t pc;    // dword index
    bool full_exec; // EXEC must have all lanes
    uint32_t entry;
  };
  std::vector<Loop> loops;
  int32_t partial = -1;    // the entry of waves that start with some lanes alone; -1: none
  bool only_loops = false; // nothing else: waves begin in the interpreter, and enter where they come to one
  bool comes_back = false; // so they do where the interpreter has returned from what is left to it
  bool cold = false;       // what no wave had executed was left out
  uint32_t mode = 0;       // the MODE register that it was made for
  // ... and what stays of `calls`.
  std::vector<Uop> called;
  std::vector<const Uop*> table;
  std::shared_ptr<void> image;                // where the function is
  std::shared_ptr<const CountedUnit> counted; // it counts (engine/counts.h); null: it does not
  bool ranges = false;                        // it takes a Range,
  bool waits = false;                         // in which waves wait at barriers,
  bool sums = false;                          // and which has a use for Range::sums,
  uint32_t frame_bytes = 0;                   // with so much of a frame for each
  // Waves that ended in ranges, and workgroups that had to go on on their own. What does too often is not given any
  // more.
  mutable std::atomic<uint64_t> ranged{0}, parted{0};
  bool ranges_pay() const {
    return ranges && parted.load(std::memory_order_relaxed) <= 16 + entered.load(std::memory_order_relaxed) / 32;
  }
  // Waves that entered, those that left for the interpreter, and how often they stayed until they met others or were
  // preempted. What leaves too often is not entered again.
  mutable std::atomic<uint64_t> entered{0}, left{0}, stayed{0};
  bool pays() const {
    const auto count = [](const std::atomic<uint64_t>& n) { return n.load(std::memory_order_relaxed); };
    return count(left) <= 64 + (count(entered) + count(stayed)) / 8;
  }

  mutable uint32_t asked = 0;     // for tests: places where guards are asked that were passed since one failed
  std::atomic<bool> stale{false}; // memory has changed, and s_icache_inv told so: no wave enters any more

  CompiledCode() = default;
  CompiledCode(const CompiledCode&) = delete;

  // The Uop that enters. 0 expects what a wave starts with.
  const Uop* entry(uint32_t number) const { return &entries[2 * number + 1]; }
  // ... where an interpreted wave would go on at `at`; null: not there.
  const Uop* loop(const Uop* at, bool full_exec) const;
};

// Runs a wave from an entry on (CompiledCode::entry()), for who enters once the wave is there. What comes back is where
// the interpreter goes on; null: the Wave says all.
const Uop* run_compiled(const Uop* entry, Wave*);

// Runs a range, with a Wave as launched. False: the workgroup at hand cannot go on in it.
bool run_range(const CompiledCode&, Range&, Wave*);
// Makes of the wave `range.wave`, which has begun and not ended, one that goes on on its own; the Wave is as launched.
// `counted`: it was under way in code that counts, and has counted so many instructions since its last barrier.
void take_out(const CompiledCode&, Range&, Wave*, const int64_t* counted = nullptr);

// Where the interpreter goes on with what the wave has in memory, at a dword index of the kernel's code.
const Uop* interpret_at(Wave*, uint32_t pc);
// ... of code that counts, which has counted up to that instruction of the wave's.
const Uop* interpret_counted_at(Wave*, uint32_t pc, int64_t counted);

// A Uop in front of a loop's head, in code that the interpreter runs: goes on in the loops of the CompiledCode in
// `target`, if the wave fits them.
CROSSLANE_CC void loop_head(const Uop*, Wave*);

// Fills in entries and handlers. `pcs`: dword indexes of the entries.
void make_entries(CompiledCode&, const std::vector<uint32_t>& pcs);
// A uop that ends what compiled code called.
Uop way_back();

} // namespace crosslane::engine
