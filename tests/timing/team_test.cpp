// Every turn is taken once, by whoever comes, also where loops follow each other closely.
#include "timing/replay/team.h"
#include <gtest/gtest.h>
#include <mutex>
#include <set>

namespace crosslane::timing::replay {
namespace {

TEST(Team, EveryTurnIsTakenOnce) {
  for (const uint32_t helpers : {0u, 1u, 3u}) {
    Team team(helpers);
    for (uint32_t loop = 0; loop < 2000; ++loop) {
      const uint32_t count = loop % 7;
      std::vector<std::atomic<uint32_t>> taken(count);
      team.each(count, [&](uint32_t i) { ++taken[i]; });
      for (const auto& times : taken)
        ASSERT_EQ(times, 1u) << helpers << " " << loop;
    }
  }
}

TEST(Team, WhatTurnsWriteIsThereBehindTheLoop) {
  Team team(2);
  std::vector<uint64_t> sums(64);
  for (uint64_t loop = 1; loop <= 1000; ++loop)
    team.each(64, [&](uint32_t i) { sums[i] += loop; });
  for (const uint64_t sum : sums)
    EXPECT_EQ(sum, 500'500u);
}

// None of them can end before all have begun.
TEST(Team, HelpersHelp) {
  Team team(3);
  std::atomic<uint32_t> begun = 0;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  team.each(4, [&](uint32_t) {
    ++begun;
    begun.notify_all();
    for (uint32_t n = begun; n < 4; n = begun)
      begun.wait(n);
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), 4u);
}

} // namespace
} // namespace crosslane::timing::replay
