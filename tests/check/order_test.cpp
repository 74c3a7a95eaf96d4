// The order of operations, against sets of all that happens before each, kept one by one.
#include "check/order.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace crosslane::check {
namespace {

const char queues[3] = {}, signals[5] = {};

TEST(Order, QueuesBarriersAndSignals) {
  Order order;
  const Operation a = order.dispatch(&queues[0], 0, false);
  order.ended(&queues[0], a);
  order.completes(&queues[0], &signals[0]);
  EXPECT_FALSE(order.is_after(order.dispatch(&queues[0], 1, false), a)); // packets of a queue may overlap
  EXPECT_TRUE(order.is_after(order.dispatch(&queues[0], 2, true), a));
  EXPECT_FALSE(order.is_after(order.dispatch(&queues[1], 0, true), a));
  const void* const first[] = {&signals[0]};
  order.barrier(&queues[1], 1, false, first);
  EXPECT_TRUE(order.is_after(order.dispatch(&queues[1], 2, false), a));
  EXPECT_FALSE(order.is_past(a));
  order.sees(&signals[0]);
  EXPECT_TRUE(order.is_after(order.dispatch(&queues[2], 0, false), a));
}

// What counts of the host is what it knew when it rang, not when the packet's turn comes.
TEST(Order, PacketsAreOlderThanTheirTurn) {
  Order order;
  const Operation a = order.dispatch(&queues[0], 0, true);
  order.rings(&queues[1], 1);
  order.ended(&queues[0], a);
  order.completes(&queues[0], &signals[0]);
  order.sees(&signals[0]);
  EXPECT_FALSE(order.is_past(a));
  order.rings(&queues[1], 2);
  EXPECT_FALSE(order.is_after(order.dispatch(&queues[1], 0, true), a));
  EXPECT_FALSE(order.is_after(order.dispatch(&queues[1], 1, true), a));
  const Operation last = order.dispatch(&queues[1], 2, true);
  EXPECT_TRUE(order.is_after(last, a));
}

TEST(Order, WhatIsPast) {
  Order order;
  const Operation a = order.dispatch(&queues[0], 0, true), beside = order.dispatch(&queues[1], 0, true);
  order.ended(&queues[0], a);
  order.completes(&queues[0], &signals[0]);
  order.sees(&signals[0]);
  EXPECT_FALSE(order.is_past(a)); // the other one still runs
  order.ended(&queues[1], beside);
  EXPECT_TRUE(order.is_past(a));
  EXPECT_FALSE(order.is_past(beside));
  order.destroyed(&queues[1]);
  EXPECT_TRUE(order.is_past(beside));
}

TEST(Order, CopiesBeginWhenTheyAreAskedForAndTheirSignalsAreMet) {
  Order order;
  const Operation a = order.dispatch(&queues[0], 0, true);
  const uint64_t early = order.ask_copy(), waits = order.ask_copy();
  order.ended(&queues[0], a);
  order.completes(&queues[0], &signals[0]);
  order.sees(&signals[0]);
  const Operation beside = order.copy(early, {});
  EXPECT_FALSE(order.is_after(beside, a));
  const void* const first[] = {&signals[0]};
  const Operation behind = order.copy(waits, first);
  EXPECT_TRUE(order.is_after(behind, a));
  order.copied(behind, &signals[1]);
  order.copied(beside, nullptr); // the host waits for it
  EXPECT_TRUE(order.is_after(order.copy(order.ask_copy(), {}), beside));
  EXPECT_FALSE(order.is_after(order.copy(order.ask_copy(), {}), behind));
  order.shows(&signals[1]);
  EXPECT_TRUE(order.is_after(order.copy(order.ask_copy(), {}), behind));
}

// A kernel that waits for another one's value, and a third behind it; and one that may have waited for the host.
TEST(Order, WhatMayHaveWaitedAtAPlace) {
  Order order;
  const Operation a = order.dispatch(&queues[0], 0, true);
  order.ended(&queues[0], a);
  const Operation writes = order.dispatch(&queues[0], 1, true), waits = order.dispatch(&queues[1], 0, true);
  order.ended(&queues[0], writes);
  order.ended(&queues[1], waits);
  const Operation behind = order.dispatch(&queues[1], 1, true);
  EXPECT_FALSE(order.is_after(behind, a));
  order.meet(waits, writes);
  EXPECT_TRUE(order.is_after(behind, a));
  EXPECT_FALSE(order.is_after(order.dispatch(&queues[2], 0, true), a));

  const Operation looks = order.dispatch(&queues[2], 1, true);
  order.ended(&queues[2], looks);
  const Operation later = order.dispatch(&queues[2], 2, true);
  EXPECT_FALSE(order.is_after(later, writes));
  order.completes(&queues[0], &signals[0]);
  order.sees(&signals[0]);
  order.looks(looks);
  EXPECT_TRUE(order.is_after(later, writes));
}

TEST(Order, RandomProgramsAsWithSets) {
  using Set = std::set<size_t>;
  const auto join = [](Set& to, const Set& from) { to.insert(from.begin(), from.end()); };
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const auto number = [&](uint64_t below) { return random() % below; };
    Order order;
    struct Queue {
      Set before, ended, last;
      uint64_t packet = 0;
    };
    struct Done {
      Operation operation;
      Set before;
    };
    Queue all[3];
    Set host, of_signal[5];
    std::vector<Done> done;
    size_t ordered = 0, unordered = 0;
    for (int step = 0; step < 150; ++step) {
      const size_t q = number(3), s = number(5);
      Queue& queue = all[q];
      const bool barrier = number(2);
      switch (number(6)) {
      case 0:
        order.sees(&signals[s]);
        join(host, of_signal[s]);
        break;
      case 1:
        order.changes(&signals[s]);
        join(of_signal[s], host);
        break;
      case 2: {
        const void* const waits_for[] = {&signals[s]};
        order.barrier(&queues[q], queue.packet++, barrier, waits_for);
        join(queue.before, host), join(queue.before, of_signal[s]);
        if (barrier)
          join(queue.before, queue.ended);
        queue.last = queue.before;
        break;
      }
      default: {
        const Operation operation = order.dispatch(&queues[q], queue.packet++, barrier);
        join(queue.before, host);
        if (barrier)
          join(queue.before, queue.ended);
        for (size_t n = 0; n < done.size(); ++n) {
          ASSERT_EQ(order.is_after(operation, done[n].operation), queue.before.contains(n))
              << seed << " " << step << " " << n;
          ++(queue.before.contains(n) ? ordered : unordered);
        }
        done.push_back({operation, queue.before});
        order.ended(&queues[q], operation);
        queue.last = queue.before;
        queue.last.insert(done.size() - 1);
        join(queue.ended, queue.last);
      }
      }
      if (number(2)) {
        order.completes(&queues[q], &signals[s]);
        join(of_signal[s], queue.last);
      }
      for (size_t n = 0; n < done.size(); ++n)
        ASSERT_EQ(order.is_past(done[n].operation), host.contains(n));
    }
    EXPECT_GT(ordered, 500u);
    EXPECT_GT(unordered, 50u);
  }
}

} // namespace
} // namespace crosslane::check
