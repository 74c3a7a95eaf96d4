// Owns Program: loaded code decoded into Uops, on first use, once. Decoding follows the code from an entry through both
// sides of every branch, so direct branches are plain pointers; computed targets (s_setpc, s_swappc) look up a table.
//
// Instruction counts are free: an instruction knows its ordinal in its straight-line run, and a taken branch adds
// (ordinal + 1 - ordinal of the target) to Wave::instructions. At any point executed = Wave::instructions + ordinal.
#pragma once
#include "engine/backend.h"
#include "engine/dispatch.h"
#include "engine/lowering.h"
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace crosslane::engine {

// Which events the decoded code reports.
struct Hooks {
  bool branches = false, issued = false;
};

class Program {
public:
  Program(isa::Target target, uint64_t base, uint64_t size, const Backend& backend, Hooks hooks);

  // The Uop at an address, decoding what it reaches when nobody has been there. Thread-safe. Addresses outside of the
  // code give a Uop that faults with bad_pc.
  struct Entry {
    const Uop* uop = nullptr;
    uint32_t ordinal = 0;
  };
  Entry at(uint64_t address);

  isa::Target target() const { return target_; }
  uint64_t base() const { return base_; }
  uint64_t address_of(const Uop* op) const { return base_ + uint64_t(op->pc) * 4; }

private:
  struct Run;
  void decode_from(uint32_t pc);
  const Uop* outside(uint64_t address);
  void decode_run(uint32_t pc, std::vector<uint32_t>& pending, std::vector<Run>& runs);

  isa::Target target_;
  uint64_t base_, size_;
  const Backend& backend_;
  Hooks hooks_;

  const Entry* find(uint32_t pc) const;

  struct Slot {
    std::atomic<const Uop*> uop{nullptr};  // set last: whoever sees it may read the entry
    Entry entry;
  };
  std::unique_ptr<Slot[]> slots_;               // one per dword of code
  std::unordered_map<uint32_t, Entry> fresh_;   // decoded, not yet published; guarded by the mutex
  std::mutex mutex_;
  std::deque<std::unique_ptr<Uop[], void (*)(Uop*)>> arena_;
  std::deque<isa::Instruction> kept_;           // of event hooks
  std::deque<events::Block> blocks_;
  std::deque<std::vector<events::Site>> sites_; // of the blocks
  std::unordered_map<uint32_t, uint8_t> indexing_;  // pc -> s_set_gpr_idx mode, where a block may yet come to start
  Uop* bad_pc_ = nullptr;
};

struct Code::Impl {
  isa::Target target;
  uint64_t base, size;
  std::mutex mutex;
  std::unique_ptr<Program> programs[4];  // by Hooks
  Program& program(Hooks);
};

}  // namespace crosslane::engine
