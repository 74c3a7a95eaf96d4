// Owns guest memory. A GPU virtual address IS a host address; so this only hands out memory of the window
// (machine/window.h), with nothing mapped behind it, so that an overrun faults instead of corrupting a neighbour;
// remembers the allocations for diagnosis (freed ones too: late accesses fault).
#pragma once
#include "machine/apertures.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::machine {

struct Allocation {
  uint64_t address = 0, size = 0; // bytes
  std::string name;
};

// How exactly the end of an allocation is held to.
enum class Bounds : uint8_t {
  exact, // an access past the end, rounded up to 256 bytes, faults
  card,  // what a card's pages of 4 KiB let through goes on, and is told
};

// What the host lets a process have.
struct HostLimits {
  size_t mappings;         // of allocations; the rest is the program's own
  bool guards_in_mappings; // MADV_GUARD_INSTALL, from Linux 6.13 on: guard pages that take no mapping
  static HostLimits actual();
};

// Hears of allocations as they come and go. Called one at a time, by the thread that allocates or frees, which has the
// Memory locked meanwhile: it must not be called back.
class MemoryWatcher {
public:
  virtual void allocated(const Allocation&) = 0; // before anybody has the address
  virtual void freed(const Allocation&) = 0;     // before the address can be handed out again

protected:
  ~MemoryWatcher() = default;
};

class Memory {
public:
  explicit Memory(HostLimits limits = HostLimits::actual()) : limits_(limits) {}
  ~Memory();
  // Zeroed memory that ends (to its alignment of 256 bytes) right before unmapped addresses. size 0 gives a valid,
  // inaccessible address. nullptr when the host has no memory left. From 2 MiB on, whole pages lie at a multiple of 2
  // MiB, where drivers of real GPUs put them too: malloc() on the GPU finds the head of its heap by cutting off bits of
  // an address. The host allows a process only so many mappings (vm.max_map_count, 65,530). From three quarters of them
  // on, allocations lie side by side: with a guard page (Linux 6.13 on), or else with a pattern behind each that
  // overruns() looks at.
  void* allocate(uint64_t size, std::string name);
  // The memory goes back at once; its addresses are not used again before the rest of the window has been.
  void free(void* address);
  // Memory that somebody else owns, to be found by the two below.
  void note(uint64_t address, uint64_t size, std::string name);
  void forget(uint64_t address);
  // The watcher is told of what there is, in the order of addresses, and from then on of all allocations and notes.
  void watch(MemoryWatcher&);
  void unwatch(MemoryWatcher&);
  // The allocation that holds the address, or else the nearest one (in either direction).
  std::optional<Allocation> nearest(uint64_t address) const;
  // "12 bytes past the end of 'out' (4096 bytes)", "4 bytes into 'out' (4096 bytes), which has been freed", or "no
  // allocation is near".
  std::string describe(uint64_t address) const;

  // Some allocations have a pattern behind them instead of a guard. Free to ask.
  bool has_patterns() const { return patterns_.load(std::memory_order_relaxed) != 0; }
  // Where a pattern has been overwritten, each once: "past the end of 'out' (64 bytes)". free() looks too; it is told
  // here. Looks at all of them, about 20 ns each.
  std::vector<std::string> overruns();

  // What the rounding of sizes leaves around an allocation, up to 256 bytes on either side, has a pattern too (where
  // there is no guard anyway). Where it has been overwritten, each once: of what was freed, as that is looked at then,
  // and, asked for `all`, of what is there: "past the end of 'out' (200 bytes)", "before the start of ...".
  bool has_overwritten() const { return any_overwritten_.load(std::memory_order_relaxed); }
  std::vector<std::string> overwritten(bool all);

  void set_bounds(Bounds bounds) { bounds_ = bounds; }
  // In the handler of a memory fault: true if the access works now, because the bounds are a card's and its page has
  // the address.
  bool let_through(uint64_t address);
  // What was let through since the last call, once for each allocation: "12 bytes past the end of 'out' (4000 bytes)".
  std::vector<std::string> let_through();

private:
  enum class End : uint8_t { gap, guard, pattern };
  struct Block {
    uint64_t mapping = 0, mapping_size = 0; // size 0: not ours
    Allocation allocation;
    End end = End::gap;
    bool opened = false; // the page behind it, for a card's bounds
    bool marked = false; // has patterns within its own pages
  };
  using Blocks = std::map<uint64_t, Block>;
  bool map(uint64_t size, Block& block);
  bool map_crowded(Block& block);
  void retire(Block block);
  void forget_freed(uint64_t begin, uint64_t end);
  void tell_allocated(const Allocation&) const;
  void tell_freed(const Allocation&) const;
  const HostLimits limits_;
  mutable std::mutex mutex_;
  Blocks blocks_;
  Blocks freed_;
  std::deque<uint64_t> freed_order_; // keys of freed_, oldest first; some are gone
  std::atomic<uint64_t> patterns_{0};
  std::atomic<bool> any_overwritten_{false};
  std::vector<std::string> overruns_, overwritten_, let_through_;
  std::vector<MemoryWatcher*> watchers_;
  std::atomic<Bounds> bounds_{Bounds::exact};
};

} // namespace crosslane::machine
