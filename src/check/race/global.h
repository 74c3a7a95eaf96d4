// Owns races in global memory, of all waves of a dispatch. What orders them, as LLVM's memory model of gfx6 to gfx90a
// has it (AMDGPUUsage, "Memory Model"):
// - barriers, the waves of a workgroup, whether they have waited or not: they share a cache, which takes accesses in
//   their order. (LLVM leaves vmcnt(0) out before a barrier. Not so where a workgroup may be on two compute units, the
//   TgSplit mode of gfx90a, which is not judged.)
// - a release: an atomic or a store, of what the wave has waited for (vmcnt) before it, and of what happens before
// that;
// - and an acquire: a load with GLC, or an atomic, that comes to the same dword later and is waited for, and then
//   buffer_wbinvl1 or buffer_wbinvl1_vol.
// A plain store that an atomic or a load with GLC looks at is what LLVM makes of an atomic store: no race with those.
// Nor do they race with each other.
#pragma once
#include "check/race/found.h"
#include "check/race/shadow.h"
#include "check/race/waves.h"
#include "check/shadow_memory.h"
#include <atomic>
#include <functional>
#include <unordered_map>

namespace crosslane::check::race {

class Global {
public:
  // `fences`: the code may acquire. `between_groups`: accesses of two workgroups are judged.
  Global(Found&, bool fences, bool between_groups);
  ~Global();
  void access(const events::Access&, const Record& me, WaveState&);
  // The wave invalidates its cache.
  void acquire(WaveState&);
  // It has more in its clock than before.
  void learned(const WaveState&);
  // Another run, which all of the last one happens before. Nothing runs meanwhile.
  void forget();

  // What is there when nothing runs any more, of 256 bytes; `values`: of places whose writer's are known.
  struct Lines {
    uint64_t address;
    Line &mine, &others;
    const uint8_t *my_values, *other_values;
  };
  // Those that both have.
  void meet(Global& other, const std::function<void(const Lines&)>&);
  // Cells of [begin, end), whole: f(address, bytes, cell).
  void each_cell(uint64_t begin, uint64_t end, const std::function<void(uint64_t, uint32_t, const Cell&)>&);
  size_t bytes() const { return memory_.bytes(); }
  bool has_looked() const { return has_looked_.load(std::memory_order_relaxed); } // anywhere as atomics do

private:
  struct Page;
  class Lock;
  struct Judge;
  struct EndPage {
    void operator()(Page*) const;
  };
  struct Shelf {
    std::mutex mutex;
    std::unordered_map<uint64_t, std::unique_ptr<Page, EndPage>> pages;
  };
  struct Learned {
    uint32_t count; // of its instructions: later ones have it before them
    Clock clock;
  };
  Found& found_;
  const bool fences_, between_groups_;
  static std::atomic<uint64_t> last_id;
  uint64_t id_ = ++last_id;
  std::atomic<bool> has_looked_{false};
  ShadowMemory memory_;
  std::array<Shelf, 64> shelves_;
  std::mutex learned_mutex_;
  std::unordered_map<uint32_t, std::vector<Learned>> learned_; // by wave
  Page& page(uint64_t number);
  void judge_places(const events::Places&, const events::Access&, const Record& me, Judge&);
  void look(const events::Access&, const Record& me, WaveState&);
  void collect(uint64_t address, const WaveState&, Clock& into);
  Clock released_by(const Record& store);
};

} // namespace crosslane::check::race
