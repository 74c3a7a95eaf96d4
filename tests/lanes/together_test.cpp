// Every header of lanes/ in one source: no two of them may give a name twice.
#include "lanes/lanes.h"
#include <gtest/gtest.h>

namespace crosslane::lanes {
namespace {

TEST(Headers, GoTogether) {
  const auto v = iota<uint32_t, 16>(1);
  EXPECT_EQ(reduce(v, Sum{}), uint32_t(inclusive_scan(v, Sum{}).v[15]));
}

} // namespace
} // namespace crosslane::lanes
