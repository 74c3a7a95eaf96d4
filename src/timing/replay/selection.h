// Owns what a replay asks that does not replay all of a grid: which workgroups come, and when something is measured.
#pragma once
#include "timing/replay/figures.h"
#include "timing/replay/trace.h"

namespace crosslane::timing::replay {

class Selection {
public:
  virtual ~Selection() = default;
  virtual void begin(Source&) = 0;
  // A workgroup came, of so many instructions.
  virtual void took(const GroupTrace& trace, uint64_t /*instructions*/) { next_ = trace.number + 1; }
  // Whether reached() wants to be called before the next one is asked for.
  bool due() const { return next_ == due_; }
  // `figures`: of all so far, at the cycle that they have.
  virtual void reached(const Figures& figures, Source&) = 0;

protected:
  static constexpr uint64_t never = ~uint64_t(0);
  uint64_t next_ = 0;    // workgroup
  uint64_t due_ = never; // before this one
};

// Of a number in 0.8 to 1.2: where a stretch lies does not follow what the grid repeats.
double jitter(uint64_t number);

} // namespace crosslane::timing::replay
