// The estimate of what hooks cost, against a listener that knows how much processor time it takes.
#include "tests/engine/kernel_fixture.h"
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

int64_t own_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Takes at least `nanoseconds` of processor time for every `period`-th event.
class Spender : public events::Listener {
public:
  Spender(int64_t nanoseconds, uint64_t period) : nanoseconds_(nanoseconds), period_(period) {}
  bool wants_issued() const override { return true; }
  void issued(const events::Issued&) override {
    if (events_++ % period_) return;
    const int64_t begin = own_nanoseconds();
    int64_t now = begin;
    while (now - begin < nanoseconds_) now = own_nanoseconds();
    spent_ += now - begin;
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

TEST(HookClock, WhatAListenerTakes) {
  for (const unsigned threads : {1u, 2u}) {
    Spender spender(5'000, 1);
    const engine::Stats stats = run(400, &spender, threads);
    EXPECT_GE(spender.events(), 400u * 40);
    EXPECT_NEAR(stats.hook_seconds / spender.seconds(), 1, 0.2);
    EXPECT_GE(stats.cpu_seconds, spender.seconds());
  }
}

// One event of four costs all, and the loop repeats in the same rhythm as a regular choice would.
TEST(HookClock, EventsThatDiffer) {
  Spender spender(10'000, 4);
  const engine::Stats stats = run(400, &spender, 1);
  EXPECT_GT(stats.hook_seconds, spender.seconds() * 0.6);
  EXPECT_LT(stats.hook_seconds, spender.seconds() * 1.6);
}

// So few that each of the first is timed.
TEST(HookClock, AShortDispatch) {
  Spender spender(5'000, 1);
  const engine::Stats stats = run(1, &spender, 1);
  EXPECT_LE(spender.events(), 50u);
  EXPECT_GT(stats.hook_seconds, spender.seconds() * 0.6);
  EXPECT_LT(stats.hook_seconds, spender.seconds() * 2);
}

TEST(HookClock, NothingWithoutAListener) {
  const engine::Stats stats = run(10, nullptr, 1);
  EXPECT_EQ(stats.hook_seconds, 0);
  EXPECT_EQ(stats.cpu_seconds, 0);
}

} // namespace
} // namespace crosslane
