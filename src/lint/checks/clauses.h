// Owns runs of memory instructions with nothing else between, scalar or vector ones: with XNACK the hardware may replay
// such a run after a page fault, so that nothing in it may overwrite what it reads.
#pragma once
#include "lint/finding.h"
#include "lint/steps.h"

namespace crosslane::lint {

struct Clause {
  enum class Kind : uint8_t { none, scalar, vector };
  static Kind kind_of(const Step&); // of the run that it may be in
  struct Touched {
    uint64_t pc = 0;
    uint16_t first = 0, count = 0; // slots
    uint16_t index = 0;            // of its instruction in the run
    bool written = false;
    bool operator==(const Touched&) const = default;
  };
  Kind kind = Kind::none;
  uint16_t length = 0; // instructions
  uint64_t start = 0;
  std::vector<Touched> touched;
  bool operator==(const Clause&) const = default;

  bool step(const Step&); // whether there is harm
  bool join(const Clause& from);
  void report(const Step&, const Subject&, std::vector<Finding>&) const;

private:
  struct Harm {
    Touched with; // of the run; pc 0: it is a store
    int index = 0;
    uint16_t first = 0, count = 0; // registers of both
    bool writes = false;
    bool replays = false; // an earlier one of the run has overwritten what it reads itself
  };
  std::optional<Harm> harm(const Step&) const;
};

} // namespace crosslane::lint
