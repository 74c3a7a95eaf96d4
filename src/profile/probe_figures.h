// Owns what probes say of places that no view of a profile knows: a user's counters, work-items, times of loops, as
// figures of instructions. Not for users of the layer.
#pragma once
#include "report/view.h"
#include "rewrite/tally.h"

namespace crosslane::profile {

// Names the places, so that the listing has the functions that they are in.
void list_places(const rewrite::Tally&, report::Listing&);
void fill_in_figures(const rewrite::Tally&, report::Listing&);
// Executions of instructions whose addresses are traced, and those that had room in the records.
void add_traced(uint64_t accesses, uint64_t traced, report::Listing&);

} // namespace crosslane::profile
