// Owns the names of what the views count, as expectations use them (docs/profile-format.md).
#pragma once
#include "tests/profile_kernels/expectations.h"
#include "views/active_lanes.h"
#include "views/branches.h"
#include "views/lds.h"
#include "views/memory.h"

namespace crosslane::test {

void add_sites(const std::vector<views::MemorySite>&, Sites&);
void add_sites(const std::vector<views::LdsSite>&, Sites&);
void add_sites(const std::vector<views::ActiveLanesSite>&, Sites&); // valu@1, ...: of the vector ALU
void add_sites(const std::vector<views::BranchSite>&, Sites&);      // branch@1, ...: divergence and decision sites

} // namespace crosslane::test
