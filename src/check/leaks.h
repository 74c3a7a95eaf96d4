// Owns memory that a program has not freed when it ends: which of what there is was the program's, and not of the
// runtime of its language, which allocates for itself too and seldom frees.
//
// It is the program's if it asked HSA itself, or called a function whose job is to allocate (hipMalloc,
// omp_target_alloc) and no other function of the runtime's stands between the two. What comes by the way on which the
// runtime initialised HSA, which may be in the first call of such a function, is the runtime's.
#pragma once
#include "check/allocations.h"
#include "lint/placed.h"
#include <mutex>
#include <set>

namespace crosslane::check {

class Leaks {
public:
  // By this stack HSA is initialised.
  void initialised(const HostStack&);
  bool is_programs(const HostStack&) const;
  // One finding for each way that led to an allocation, those with the most bytes first.
  std::vector<lint::PlacedFinding> in(const std::vector<Allocations::Named>&) const;

private:
  mutable std::mutex mutex_;
  std::set<void*> initialisations_; // Request::within
};

} // namespace crosslane::check
