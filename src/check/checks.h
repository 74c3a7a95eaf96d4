// Owns what `--check` asks for, by name, and all of its checks of one code object as one: a listener for each dispatch,
// and what they have found.
#pragma once
#include "check/told.h"
#include "check/variables.h"
#include "check/waits.h"
#include "events/listener.h"
#include "lint/lint.h"
#include <memory>
#include <optional>
#include <string_view>

namespace crosslane::check {

class Allocations;

struct Wanted {
  bool waits = false;  // missing s_waitcnt and wait states, lanes that are off: check/waits.h
  bool memory = false; // accesses outside of allocations: check/memory.h
  bool sync = false;   // barriers: check/sync.h
  bool any() const { return *this != Wanted(); }
  bool operator==(const Wanted&) const = default;
};
// Of "waits", "memory,sync" or "all". Empty: a word is none of them (check_names).
std::optional<Wanted> wanted_of(std::string_view words);
inline constexpr std::string_view check_names = "waits, memory, sync or all";

class Checks {
public:
  // The code that runs, at the addresses where it runs, and the memory that kernels may reach: null if that is not
  // known. Both outlive it.
  Checks(const Wanted&, const lint::Subject&, const Allocations*);
  ~Checks();
  // Hears one dispatch, which asks for so much LDS, and must not outlive this.
  std::unique_ptr<events::Listener> begin(uint32_t lds_bytes);
  // When nothing runs: by address, then rule.
  lint::Report report(const lint::Options&) const;

private:
  const Wanted wanted_;
  const Allocations* const allocations_;
  const Variables variables_;
  std::optional<Waits> waits_;
  Told told_;
};

} // namespace crosslane::check
