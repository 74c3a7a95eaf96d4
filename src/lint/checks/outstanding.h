// Owns what a wave may have outstanding at a place of the code: its memory operations, messages and exports, each with
// how many of its like were surely issued since, and what of that s_waitcnt has proved done.
//
// Two readings are kept. `open` is what no reading of the manual calls done; `strict` adds what code may rely on that
// knows more than its bits say: that a FLAT instruction of gfx7 and gfx8, which have no GLOBAL, does not reach LDS.
#pragma once
#include "isa/classify.h"
#include "isa/wait_counts.h"
#include "lint/slot_set.h"
#include <array>
#include <optional>
#include <string>

namespace crosslane::lint {

// What comes back in order among its like, and in any order with the others on the same counter.
enum class Stream : uint8_t { vmem, flat, lds, gds, smem, message, export_color, export_position, export_parameter };

constexpr uint8_t bit(isa::Counter c) { return uint8_t(1u << uint8_t(c)); }
inline constexpr isa::Counter counters[] = {isa::Counter::vm, isa::Counter::exp,
                                            isa::Counter::lgkm}; // as s_waitcnt prints
inline constexpr uint8_t result_counters = 1u << uint8_t(isa::Counter::vm) | 1u << uint8_t(isa::Counter::lgkm);

struct Range {
  uint16_t first = 0, count = 0; // slots
  constexpr uint16_t end() const { return uint16_t(first + count); }
  bool operator==(const Range&) const = default;
};

struct Operation {
  uint64_t pc = 0, call = 0; // call: in whose callee the wave is since; 0: none
  uint64_t fooled = 0;       // an s_waitcnt for more than 0 that proves nothing, as it does not come back in order
  isa::Op op{};
  Stream stream{};
  bool sampler = false;           // an image operation that filters
  bool loads = false;             // not an atomic: for texts
  bool writes_lds = false;        // so that others may read it
  bool ordered = false;           // others may look when it is done: a store, an atomic, a load past the caches
  uint8_t open = 0, strict = 0;   // a bit for each counter; open is part of strict
  uint8_t llvm = 0;               // bits of strict that LLVM alone has: s_trap and a full counter are no waits for it
  std::array<uint8_t, 3> age{};   // of each counter: how many of the same stream are younger, at least
  std::array<Range, 2> results{}; // registers that will be written; count 0: none
  std::array<Range, 4> sources{}; // registers that are read late: expcnt says when
  bool operator==(const Operation&) const = default;
  constexpr bool same(const Operation& o) const { return pc == o.pc && call == o.call; }
  constexpr uint8_t sure() const { return strict & uint8_t(~llvm); }
  constexpr bool has_results() const { return results[0].count != 0; }
};

// What holds of a whole subject.
struct CountingRules {
  isa::Generation generation{};
  isa::WaitCounts most{};
  bool flat_is_memory = false; // FLAT is taken to reach memory, not LDS
  static CountingRules of(const Subject&);
  uint8_t most_of(isa::Counter c) const {
    return c == isa::Counter::vm ? most.vm : c == isa::Counter::exp ? most.exp : most.lgkm;
  }
};
constexpr uint8_t count_of(isa::WaitCounts w, isa::Counter c) {
  return c == isa::Counter::vm ? w.vm : c == isa::Counter::exp ? w.exp : w.lgkm;
}

// What the instruction adds, if it counts on anything; ages are 0.
std::optional<Operation> operation_of(const Step&, const CountingRules&);
// What of a counter is in one order; `flat_is_memory` as CountingRules has it, or stricter.
Stream order_of(const Operation&, isa::Counter, bool flat_is_memory);

// "vmcnt(0) lgkmcnt(1)": without those that do not wait.
std::string wait_text(isa::WaitCounts, const CountingRules&);

class Outstanding {
public:
  const std::vector<Operation>& operations() const { return operations_; }
  std::vector<Operation>& operations() { return operations_; } // changed() behind it
  bool empty() const { return operations_.empty(); }
  bool any(Stream s) const { return streams_ >> uint8_t(s) & 1; }

  // Whether a register of these may be waited for.
  bool claims(uint16_t first, uint16_t count) const { return claimed_.holds_any(first, first + count); }
  // Whether a wait for more than 0 proves anything.
  bool in_order(isa::Counter, const CountingRules&, bool strictly) const;
  // The most that an s_waitcnt may say to have it done.
  uint8_t needed(const Operation&, isa::Counter, const CountingRules&, bool strictly) const;

  void issue(const Step&, const CountingRules&);
  // s_waitcnt at `pc`; 0: what a missing one would have done. Whether anything is done now that was not.
  bool wait(isa::Counter c, uint8_t count, const CountingRules& rules, uint64_t pc) {
    return settle(c, count, rules, pc, false);
  }
  void trap();    // waits for all
  void changed(); // forgets what is done
  bool join(const Outstanding& from);
  bool operator==(const Outstanding&) const = default;

private:
  std::vector<Operation> operations_;
  SlotSet claimed_;
  uint16_t streams_ = 0;

  void claim(const Operation&);
  void grow_older(const Operation& younger, const CountingRules&);
  bool settle(isa::Counter, uint8_t count, const CountingRules&, uint64_t pc, bool full); // full: by the counter itself
};

// The registers of a use that are surely meant.
Range sure_range(const Step&, const Use&);

} // namespace crosslane::lint
