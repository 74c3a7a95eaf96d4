// Owns what `--check` asks for, by name, and all of its checks of one code object as one: a listener for each dispatch,
// and what they have found.
#pragma once
#include "check/race.h"
#include "check/sync.h"
#include "check/told.h"
#include "check/undefined_memory.h"
#include "check/variables.h"
#include "check/waits.h"
#include "events/listener.h"
#include "lint/lint.h"
#include <memory>
#include <optional>
#include <string_view>

namespace crosslane::codeobject {
struct Kernel;
}

namespace crosslane::check {

class Allocations;
struct InitCode;
struct NumericsCode;

struct Wanted {
  bool waits = false;    // missing s_waitcnt and wait states, lanes that are off: check/waits.h
  bool memory = false;   // accesses outside of allocations: check/memory.h
  bool sync = false;     // barriers: check/sync.h
  bool race = false;     // accesses of several waves that nothing orders: check/race.h
  bool init = false;     // what nothing has defined: check/init.h
  bool stores = false;   // ... and what of it is stored to memory; not in `all`, as it is often meant so
  bool numerics = false; // infinities, NaNs, flushed denormals, overflowing addresses: check/numerics.h; not in `all`
  bool leaks = false;    // memory that the host's program never frees: check/leaks.h; not in `all`
  bool any() const { return *this != Wanted(); }
  // Anything that kernels do.
  bool of_kernels() const {
    Wanted w = *this;
    w.leaks = false;
    return w.any();
  }
  bool operator==(const Wanted&) const = default;
};
// Of "waits", "memory,sync" or "all". Empty: a word is none of them (check_names).
std::optional<Wanted> wanted_of(std::string_view words);
inline constexpr std::string_view check_names = "waits, memory, sync, race, init, init-stores, numerics, leaks or all";

// A dispatch, as it is about to begin.
struct Dispatched {
  const codeobject::Kernel& kernel;
  uint32_t lds_bytes = 0;                       // that it asks for
  bool scratch = false;                         // waves have some
  std::shared_ptr<UndefinedMemory> memory = {}; // null: all of it has contents
  std::shared_ptr<Between> others = {};         // null: nothing runs beside it; of races
  uint64_t launch = 0;                          // which one of the kernel's it is, for `others`
  Operation operation = {};                     // likewise
};

class Checks {
public:
  // The code that runs, at the addresses where it runs, and the memory that kernels may reach: null if that is not
  // known. Both outlive it.
  Checks(const Wanted&, const lint::Subject&, const Allocations*);
  ~Checks();
  // Hears one dispatch, and must not outlive this.
  std::unique_ptr<events::Listener> begin(Dispatched);
  // When nothing runs: by address, then rule.
  lint::Report report(const lint::Options&) const;

private:
  const Wanted wanted_;
  const Allocations* const allocations_;
  const lint::Subject& subject_;
  const Variables variables_;
  std::optional<Waits> waits_;
  SyncCode sync_;
  std::optional<Fences> fences_;           // if races are wanted
  std::unique_ptr<InitCode> init_;         // null: it is not asked for
  std::unique_ptr<NumericsCode> numerics_; // likewise
  Told told_;
};

} // namespace crosslane::check
