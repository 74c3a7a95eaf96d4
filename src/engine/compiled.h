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
  begin,  // of a range: the wave at hand is to begin again, on its own
};

// Workgroups, one after the other, that a compiled function is to run from their first instruction to their last. It
// is given to the function in place of an entry, with a Wave as launched, which it does not write to.
struct Range {
  uint32_t id[3]; // of the workgroup at hand
  uint32_t wave;  // at hand
  uint32_t waves; // of a workgroup
  uint32_t groups[2];
  uint64_t left;              // workgroups, that at hand included
  uint64_t instructions;      // executed by the waves that have ended
  uint64_t budget;            // as many, and it comes back
  const uint32_t* work_items; // v0, v1, v2 in the first lane of each wave
};

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
  // ... and what stays of `calls`.
  std::vector<Uop> called;
  std::vector<const Uop*> table;
  std::shared_ptr<void> image; // where the function is
  bool ranges = false;         // it takes a Range
  // Waves that ended in ranges, and those that had to begin again. What does too often is not given any more.
  mutable std::atomic<uint64_t> ranged{0}, begun_again{0};
  bool ranges_pay() const {
    return ranges && begun_again.load(std::memory_order_relaxed) <= 16 + entered.load(std::memory_order_relaxed) / 32;
  }
  // Waves that entered, and those that left for the interpreter. What leaves too often is not entered again.
  mutable std::atomic<uint64_t> entered{0}, left{0};
  bool pays() const { return left.load(std::memory_order_relaxed) <= 64 + entered.load(std::memory_order_relaxed) / 8; }

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

// Runs a range, with a Wave as launched. False: the wave that is at hand must begin again.
bool run_range(const CompiledCode&, Range&, Wave*);

// Where the interpreter goes on with what the wave has in memory, at a dword index of the kernel's code.
const Uop* interpret_at(Wave*, uint32_t pc);

// Fills in entries and handlers. `pcs`: dword indexes of the entries.
void make_entries(CompiledCode&, const std::vector<uint32_t>& pcs);
// A uop that ends what compiled code called.
Uop way_back();

} // namespace crosslane::engine
