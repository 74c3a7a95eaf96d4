// The estimate of what hooks cost, against a listener that knows how much processor time it takes.
#include "tests/engine/kernel_fixture.h"
#include <algorithm>
#include <ctime>

namespace crosslane {
namespace {

using test::Kernel;

// 40 rounds in each wave, one block of code each.
const char* const loop = R"(
  s_movk_i32 s5, 40
again:
  v_mov_b32_e32 v1, v0
  s_sub_u32 s5, s5, 1
  s_cmp_lg_u32 s5, 0
  s_cbranch_scc1 again
  s_endpgm
)";

// The thread's own clock is a system call, of more than a microsecond on some machines; this is one of 30 ns.
int64_t nanoseconds_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Takes `nanoseconds` for every `period`-th event.
class Spender : public events::Listener {
public:
  Spender(int64_t nanoseconds, uint64_t period) : nanoseconds_(nanoseconds), period_(period) {}
  bool wants_issued() const override { return true; }
  void issued(const events::Issued&) override {
    if (events_++ % period_)
      return;
    const int64_t begin = nanoseconds_now();
    int64_t now = begin;
    while (now - begin < nanoseconds_)
      now = nanoseconds_now();
    spent_ += std::min(now - begin, 2 * nanoseconds_); // the rest of a longer one is another's
  }
  double seconds() const { return double(spent_) * 1e-9; }
  uint64_t events() const { return events_; }

private:
  const int64_t nanoseconds_;
  const uint64_t period_;
  std::atomic<uint64_t> events_{0};
  std::atomic<int64_t> spent_{0};
};

engine::Stats run(uint32_t waves, events::Listener* listener, unsigned threads) {
  const Kernel kernel(isa::Target::gfx900, loop);
  engine::Options options;
  options.listener = listener;
  options.threads = threads;
  const auto outcome = kernel.run({{64 * waves, 1, 1}, {64, 1, 1}}, {}, options);
  EXPECT_NO_FAULT(outcome);
  return outcome.stats;
}

// Estimated by spent. The machine may interrupt what is being timed: one of a few runs is to lie in these bounds.
void expect_estimate(int64_t nanoseconds, uint64_t period, uint32_t waves, unsigned threads, double least,
                     double most) {
  std::string seen;
  for (int attempt = 0; attempt < 5; ++attempt) {
    Spender spender(nanoseconds, period);
    const engine::Stats stats = run(waves, &spender, threads);
    EXPECT_GE(spender.events(), waves * 40u);
    EXPECT_LE(spender.events(), waves * 50u);
    EXPECT_GE(stats.cpu_seconds, 0.9 * spender.seconds());
    const double ratio = stats.hook_seconds / spender.seconds();
    if (ratio > least && ratio < most)
      return;
    seen += " " + std::to_string(ratio);
  }
  ADD_FAILURE() << "estimated by spent:" << seen;
}

TEST(HookClock, WhatAListenerTakes) {
  for (const unsigned threads : {1u, 2u})
    expect_estimate(5'000, 1, 400, threads, 0.8, 1.2);
}

// One event of four costs all, and the loop repeats in the same rhythm as a regular choice would.
TEST(HookClock, EventsThatDiffer) { expect_estimate(10'000, 4, 400, 1, 0.6, 1.6); }

// So few that each of the first is timed.
TEST(HookClock, AShortDispatch) { expect_estimate(5'000, 1, 1, 1, 0.6, 2); }

TEST(HookClock, NothingWithoutAListener) {
  const engine::Stats stats = run(10, nullptr, 1);
  EXPECT_EQ(stats.hook_seconds, 0);
  EXPECT_EQ(stats.cpu_seconds, 0);
}

} // namespace
} // namespace crosslane
