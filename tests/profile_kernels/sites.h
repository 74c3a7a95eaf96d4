// Owns the names of what the views count, as expectations use them (docs/profile-format.md).
#pragma once
#include "tests/profile_kernels/expectations.h"
#include "views/lds.h"
#include "views/memory.h"

namespace crosslane::test {

void add_sites(const std::vector<views::MemorySite>&, Sites&);
void add_sites(const std::vector<views::LdsSite>&, Sites&);

} // namespace crosslane::test
