// Places on the card: no two workgroups in one, units in turn, and what happens when there are more than fit.
#include "engine/places.h"
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace crosslane::engine {
namespace {

TEST(Places, AreTakenOnceAndInTurn) {
  const Units units{.count = 5, .engines = 1, .arrays_per_engine = 1};
  Places places(units, 3);
  std::set<std::pair<int, int>> taken;
  for (uint64_t workgroup = 0; workgroup < 15; ++workgroup) {
    const Place place = places.take(workgroup * 5); // all of them would like unit 0
    EXPECT_TRUE(place.known && place.taken);
    EXPECT_LT(place.unit, 5);
    EXPECT_LT(place.group, 3);
    EXPECT_TRUE(taken.insert({place.unit, place.group}).second) << workgroup;
  }
  const Place one_too_many = places.take(15);
  EXPECT_TRUE(one_too_many.known);
  EXPECT_FALSE(one_too_many.taken);
  places.give_back({3, 1, true, true});
  const Place again = places.take(16);
  EXPECT_EQ(again.unit, 3);
  EXPECT_EQ(again.group, 1);
}

TEST(Places, KeepToTheMask) {
  Units units{.count = 64};
  EXPECT_EQ(units.enabled(), 64u);
  units.mask = {1u << 7, 1u << 31 | 1};
  EXPECT_EQ(units.enabled(), 3u);
  Places places(units, 40);
  std::vector<int> order;
  for (uint64_t workgroup = 0; workgroup < 6; ++workgroup)
    order.push_back(places.take(workgroup).unit);
  EXPECT_EQ(order, (std::vector<int>{7, 32, 63, 7, 32, 63}));
}

} // namespace
} // namespace crosslane::engine
