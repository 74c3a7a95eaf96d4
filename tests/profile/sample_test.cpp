// The choice of workgroups, and the error of what is estimated from it.
#include "profile/sample.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace crosslane::profile {
namespace {

std::set<uint64_t> chosen(const Choice& choice, uint64_t of) {
  std::set<uint64_t> result;
  for (uint64_t i = 0; i < of; ++i)
    if (choice.chosen(i))
      result.insert(i);
  return result;
}

TEST(ProfileSample, AsManyAsWereAskedFor) {
  const struct {
    double fraction;
    uint64_t of, count;
  } cases[] = {{0.01, 10000, 100}, {0.5, 7, 4},     {0.01, 50, 2}, {0.01, 2, 2},
               {0.01, 1, 1},       {1, 1000, 1000}, {0.1, 65, 7},  {0.3, 0, 0}};
  for (const auto& c : cases)
    for (const uint64_t seed : {1, 2, 77}) {
      const Choice choice({c.fraction, seed}, 0, c.of);
      EXPECT_EQ(choice.count(), c.count) << c.fraction << " of " << c.of;
      EXPECT_EQ(chosen(choice, c.of).size(), c.count) << c.fraction << " of " << c.of;
    }
}

TEST(ProfileSample, SeedAndLaunchMakeTheChoice) {
  const uint64_t of = 4000;
  const auto choice = [&](uint64_t seed, uint64_t launch) { return chosen(Choice({0.1, seed}, launch, of), of); };
  EXPECT_EQ(choice(1, 0), choice(1, 0));
  EXPECT_NE(choice(1, 0), choice(2, 0));
  EXPECT_NE(choice(1, 0), choice(1, 1));
}

// Over many seeds each workgroup is chosen about equally often: of 400 draws with probability 1/4 the standard
// deviation is sqrt(400 * 1/4 * 3/4) = 8.66; five of them are 44.
TEST(ProfileSample, NobodyIsPreferred) {
  const uint64_t of = 100;
  std::vector<int> times(of);
  for (uint64_t seed = 0; seed < 400; ++seed)
    for (const uint64_t i : chosen(Choice({0.25, seed}, 0, of), of))
      ++times[i];
  for (uint64_t i = 0; i < of; ++i)
    EXPECT_NEAR(times[i], 100, 44) << i;
}

// By hand: costs 10, 20, 30 of 12 workgroups. Mean 20, s^2 = (100 + 0 + 100) / 2 = 100, s = 10.
// sqrt((1 - 3/12) / 3) * 10 / 20 = sqrt(0.25) * 0.5 = 0.25.
TEST(ProfileSample, ErrorByHand) {
  SampleSums sums;
  for (const double cost : {10, 20, 30})
    sums.add(cost);
  sums.of = 12;
  ASSERT_TRUE(sums.error());
  EXPECT_DOUBLE_EQ(*sums.error(), 0.25);
  sums.of = 3; // all of them: no error is left
  EXPECT_EQ(*sums.error(), 0);
}

TEST(ProfileSample, ErrorNeedsTwo) {
  SampleSums sums;
  sums.of = 10;
  EXPECT_FALSE(sums.error());
  sums.add(5);
  EXPECT_FALSE(sums.error());
  sums.add(5);
  EXPECT_EQ(*sums.error(), 0);
}

// The promise itself: of a population whose sum is known, estimates lie within twice the stated error about as often as
// a normal distribution says (95 %).
TEST(ProfileSample, TheStatedErrorIsTheTrueOne) {
  const uint64_t of = 2000;
  std::vector<double> costs(of);
  std::mt19937 random(5);
  std::exponential_distribution<double> cost(0.01);
  double truth = 0;
  for (double& c : costs)
    truth += c = 50 + cost(random);
  int within = 0;
  double squares = 0, stated = 0;
  const int draws = 500;
  for (uint64_t seed = 0; seed < draws; ++seed) {
    const Choice choice({0.1, seed}, 0, of);
    SampleSums sums;
    sums.of = of;
    for (uint64_t i = 0; i < of; ++i)
      if (choice.chosen(i))
        sums.add(costs[i]);
    const double estimate = sums.sum * static_cast<double>(of) / static_cast<double>(sums.workgroups);
    const double off = estimate / truth - 1;
    within += std::abs(off) <= 2 * *sums.error();
    squares += off * off;
    stated += *sums.error();
  }
  EXPECT_GT(within, draws * 92 / 100);
  EXPECT_LT(within, draws * 99 / 100);
  EXPECT_NEAR(std::sqrt(squares / draws) / (stated / draws), 1, 0.15);
}

} // namespace
} // namespace crosslane::profile
