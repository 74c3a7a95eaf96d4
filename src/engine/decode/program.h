// Owns Program: loaded code decoded into Uops, on first use, once for each DecodeMode that it runs in, for kernels that
// are given equally many registers. Decoding follows the code from an entry through both sides of every branch, so
// direct branches are plain pointers; computed targets (s_setpc, s_swappc) and what changes the DecodeMode look up a
// table.
//
// Instruction counts are free: an instruction knows its ordinal in its straight-line run, and a taken branch adds
// (ordinal + 1 - ordinal of the target) to Wave::instructions. At any point executed = Wave::instructions + ordinal.
#pragma once
#include "engine/compiler.h"
#include "engine/coverage.h"
#include "engine/decode/backend.h"
#include "engine/decode/decode_mode.h"
#include "engine/decode/lowering.h"
#include "engine/dispatch.h"
#include "engine/registers.h"
#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace crosslane::engine {

// Which events the decoded code reports.
struct Hooks {
  bool branches = false, issued = false, memory = false, lds = false, steps = false, barriers = false, waits = false;
  bool repeats = false; // none: before each instruction it asks for Wave::counted, where other code goes on
  bool paced = false, paced_stores = false; // waves stop where Options::pace says
  bool any() const { return index() != 0; }
  int index() const {
    return branches | issued << 1 | memory << 2 | lds << 3 | steps << 4 | barriers << 5 | waits << 6 | repeats << 7 |
           paced << 8 | paced_stores << 9;
  }
};

class Program {
public:
  // `loops`: code goes on in these where it comes to them. `coverage` has what was executed.
  Program(isa::Target target, uint64_t base, uint64_t size, const Backend& backend, Hooks hooks,
          RegisterLimits limits = {}, const CompiledCode* loops = nullptr, std::shared_ptr<Coverage> coverage = {});

  // The Uop at an address, decoding what it reaches when nobody has been there. Thread-safe. Addresses outside of the
  // code give a Uop that faults with bad_pc.
  struct Entry {
    const Uop* uop = nullptr;
    uint32_t ordinal = 0;
  };
  Entry at(uint64_t address, DecodeMode mode);
  // ... as the wave's own state says.
  Entry at(uint64_t address, const Wave& w) { return at(address, decode_mode(w, generation_)); }
  DecodeMode mode_of(const Wave& w) const { return decode_mode(w, generation_); }

  // s_icache_inv: if the code in memory is no longer what was decoded, forgets all of it. Waves that are inside go on
  // with the old code until they look up an address.
  void invalidate();

  isa::Target target() const { return target_; }
  uint64_t base() const { return base_; }
  uint64_t size() const { return size_; }
  bool contains(uint64_t address) const { return address - base_ < size_; }
  RegisterLimits limits() const { return limits_; }
  bool owns(const Uop* op);
  uint64_t address_of(const Uop* op) const { return base_ + uint64_t(op->pc) * 4; }

private:
  friend class RunDecoder;
  struct Run;
  // A place in the code and the mode it is decoded for: dword index below, mode above.
  using Key = uint64_t;
  static Key key(uint32_t pc, DecodeMode mode) { return pc | Key(mode.bits) << 32; }
  using Slot = std::atomic<const Entry*>; // one per dword of code

  void decode_from(Key start);
  void decode_run(Key start, std::vector<Key>& pending, std::vector<Run>& runs);
  const Uop* outside(uint64_t address);
  Uop* uops_of(size_t count);
  Slot* table(uint8_t mode) const { return tables_[mode].load(std::memory_order_acquire); }
  const Entry* find(Key k) const;

  isa::Target target_;
  isa::Generation generation_;
  uint64_t base_, size_;
  const Backend& backend_;
  Hooks hooks_;
  RegisterLimits limits_;
  const CompiledCode* loops_;
  std::shared_ptr<Coverage> coverage_;

  std::array<std::atomic<Slot*>, 256> tables_{}; // one per DecodeMode that has occurred
  std::mutex mutex_;                             // guards what follows
  struct FreeTable {
    void operator()(Slot* p) const { std::free(p); }
  };
  std::vector<std::unique_ptr<Slot[], FreeTable>> tables_owned_;
  std::deque<Entry> entries_;
  std::unordered_map<Key, Entry> fresh_; // decoded, not yet published
  struct Arena {
    std::unique_ptr<Uop[], void (*)(Uop*)> uops;
    size_t count;
  };
  std::deque<Arena> arena_;
  struct Source { // what a run was decoded from
    uint32_t pc;
    std::vector<uint32_t> words;
  };
  std::vector<Source> sources_;
  std::deque<isa::Instruction> kept_; // of event hooks
  std::deque<events::Block> blocks_;
  std::deque<std::vector<events::Site>> sites_; // of the blocks
  Uop* bad_pc_ = nullptr;
};

struct Code::Impl {
  isa::Target target;
  uint64_t base, size;
  std::mutex mutex;
  std::map<std::pair<int, RegisterLimits>, std::unique_ptr<Program>> programs; // by Hooks::index()
  Program& program(Hooks, RegisterLimits);
  std::map<const void*, std::unique_ptr<Program>> special; // by CompiledCode or Coverage
  Program& program(const CompiledCode&, RegisterLimits);   // without hooks, going on in its loops
  Program& program(std::shared_ptr<Coverage>, RegisterLimits);
  using Compiled = std::map<CompileQuery, std::shared_ptr<CompiledKernel>>;
  Compiled compiled;
  const Compiled::value_type* last_compiled = nullptr; // that was asked for
  std::vector<std::shared_ptr<CompiledKernel>> stale;
};

} // namespace crosslane::engine
