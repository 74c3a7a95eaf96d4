// Counting branches from events, on one thread and on several.
#include "views/branches.h"
#include <gtest/gtest.h>
#include <memory>
#include <thread>

namespace crosslane::views {
namespace {

constexpr uint64_t all = ~uint64_t(0);

events::Branch event(uint64_t pc, uint64_t exec, uint64_t condition, const machine::Wave* wave = nullptr,
                     bool per_lane = true) {
  return {{pc, nullptr}, wave, exec, condition, per_lane};
}

TEST(Branches, AgreementsAndDivergencesOfTheSlides) {
  Branches branches;
  branches.branch(event(8, all, 0xffffffff)); // threadIdx.x < 32: divergence
  branches.branch(event(8, all, 0));          // threadIdx.x > 63: all lanes take the else
  branches.branch(event(8, all, all));        // all lanes take the if
  branches.branch(event(8, 0xf0, 0xf0));      // a partial wave that agrees
  branches.branch(event(8, 0xf0, 0xf));       // only bits of arriving lanes count
  branches.branch(event(8, 0, 0));            // nobody arrives
  const auto sites = branches.sites();
  ASSERT_EQ(sites.size(), 1u);
  const auto& c = sites[0].counts;
  EXPECT_EQ(c.executions, 6u);
  EXPECT_EQ(c.divergences(), 1u);
  EXPECT_EQ(c.agreements(), 5u);
  EXPECT_EQ(c.all, 3u);
  EXPECT_EQ(c.none, 2u);
  EXPECT_EQ(c.arriving_lanes, 64u * 3 + 8);
  EXPECT_EQ(c.condition_lanes, 32u + 64 + 4);
  EXPECT_TRUE(sites[0].per_lane);
  EXPECT_TRUE(branches.by_wave().empty());
}

TEST(Branches, SitesInOrder) {
  Branches branches;
  for (const uint64_t pc : {40, 8, 40, 24})
    branches.branch(event(pc, all, all, nullptr, pc == 8));
  const auto sites = branches.sites();
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].pc, 8u);
  EXPECT_EQ(sites[1].pc, 24u);
  EXPECT_EQ(sites[2].pc, 40u);
  EXPECT_EQ(sites[2].counts.executions, 2u);
  EXPECT_TRUE(sites[0].per_lane);
  EXPECT_FALSE(sites[1].per_lane);
}

TEST(Branches, ThreadsAddUp) {
  Branches branches;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&branches, t] {
      for (uint64_t i = 0; i < 10000; ++i)
        branches.branch(event(8 * (i % 3), all, t));
    });
  for (auto& thread : threads)
    thread.join();
  const auto sites = branches.sites();
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].counts.executions + sites[1].counts.executions + sites[2].counts.executions, 40000u);
  EXPECT_EQ(sites[0].counts.divergences(), 3 * sites[0].counts.none); // t = 1, 2, 3 diverge, t = 0 agrees
}

TEST(Branches, ViewsDoNotMix) {
  auto first = std::make_unique<Branches>();
  first->branch(event(8, all, all));
  Branches second;
  second.branch(event(16, all, all));
  first->branch(event(8, all, all));
  EXPECT_EQ(first->sites().size(), 1u);
  EXPECT_EQ(first->sites()[0].counts.executions, 2u);
  first.reset();
  Branches third; // may lie where the first one was
  third.branch(event(24, all, all));
  ASSERT_EQ(third.sites().size(), 1u);
  EXPECT_EQ(third.sites()[0].pc, 24u);
  EXPECT_EQ(second.sites().size(), 1u);
}

TEST(Branches, PerWavefront) {
  machine::Workgroup group = {};
  group.id[0] = 5, group.id[1] = 1;
  auto wave = std::make_unique<machine::Wave>();
  wave->workgroup = &group;
  Branches branches(true);
  for (const uint16_t id : {1, 0, 1}) {
    wave->id = id;
    branches.branch(event(8, all, id, wave.get()));
  }
  const auto waves = branches.by_wave();
  ASSERT_EQ(waves.size(), 2u);
  EXPECT_EQ(waves[0].wave, 0u);
  EXPECT_EQ(waves[0].counts.agreements(), 1u);
  EXPECT_EQ(waves[1].wave, 1u);
  EXPECT_EQ(waves[1].workgroup[0], 5u);
  EXPECT_EQ(waves[1].workgroup[1], 1u);
  EXPECT_EQ(waves[1].counts.divergences(), 2u);
  EXPECT_EQ(branches.sites()[0].counts.executions, 3u);
}

} // namespace
} // namespace crosslane::views
