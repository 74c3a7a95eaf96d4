// What passes between a dispatch and the host while it runs: cancelling, interrupts, waiting for each other.
#include "tests/engine/kernel_fixture.h"
#include <thread>
#include <tuple>

namespace crosslane {
namespace {

using test::Buffer;
using test::Kernel;

// Spins until the dword that the argument points to is not 0.
constexpr const char* spin = R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
again:
  flat_load_dword v6, v[8:9] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s11, v6
  s_cmp_eq_u32 s11, 0
  s_cbranch_scc1 again
  s_endpgm
)";

TEST(Host, CancelsAKernelThatNeverEnds) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, spin);
    machine::Memory memory;
    Buffer<uint32_t> flag(memory, 1);
    std::atomic<bool> cancel{false};
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cancel = true;
    });
    const auto outcome = kernel.run({{256, 1, 1}, {64, 1, 1}}, {flag.address()}, {.cancel = &cancel});
    canceller.join();
    ASSERT_TRUE(outcome.fault);
    EXPECT_EQ(outcome.fault->kind, machine::FaultKind::cancelled);
  }
}

// Runs the kernel, cancels it when it has run for a while, and says where its waves were.
engine::Census hang(const Kernel& kernel, const test::Shape& shape) {
  std::atomic<bool> cancel{false};
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel = true;
  });
  const auto outcome = kernel.run(shape, {}, {.cancel = &cancel});
  canceller.join();
  EXPECT_TRUE(outcome.fault && outcome.fault->kind == machine::FaultKind::cancelled);
  return outcome.census;
}

TEST(Host, TellsWhereTheWavesOfAHangAre) {
  using State = engine::WavePlace::State;
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
      v_lshrrev_b32 v3, 6, v0
      v_readfirstlane_b32 s11, v3
      s_cmp_eq_u32 s11, 3
      s_cbranch_scc1 spin
      s_cmp_eq_u32 s2, 1
      s_cselect_b32 exec_lo, 0xff, -1
      s_barrier
      s_endpgm
    spin:
      s_add_u32 s12, s12, 1
      s_branch spin
    )");
    const auto census = hang(kernel, {{512, 1, 1}, {256, 1, 1}});
    EXPECT_EQ(census.workgroups, 2u);
    EXPECT_EQ(census.ended, 0u);
    EXPECT_EQ(census.resident, 2u);
    ASSERT_EQ(census.places.size(), 2u);
    const auto& [barrier, spin] = std::tie(census.places[0], census.places[1]);
    EXPECT_EQ(barrier.state, State::barrier);
    EXPECT_EQ(barrier.pc, kernel.entry() + 28);
    EXPECT_EQ(barrier.instruction, "s_barrier");
    EXPECT_EQ(barrier.waves, 6u);
    EXPECT_EQ(barrier.exec, (std::map<uint64_t, uint64_t>{{0xffffffff000000ff, 3}, {~uint64_t(0), 3}}));
    EXPECT_LT(barrier.wave, 3u);
    EXPECT_EQ(spin.state, State::running);
    EXPECT_EQ(spin.pc, kernel.entry() + 36);
    EXPECT_EQ(spin.instruction, "s_add_u32 s12, s12, 1");
    EXPECT_EQ(spin.waves, 2u);
    EXPECT_EQ(spin.wave, 3u);
  }
}

// No wave ever uses up its budget between two barriers.
TEST(Host, CancelsALoopAroundABarrier) {
  const Kernel kernel(isa::Target::gfx900, "again:\ns_barrier\ns_branch again\n");
  const auto census = hang(kernel, {{128, 1, 1}, {128, 1, 1}});
  ASSERT_EQ(census.places.size(), 1u);
  EXPECT_EQ(census.places[0].waves, 2u);
}

TEST(Host, AnEndHasNoCensus) {
  const Kernel kernel(isa::Target::gfx900, "s_endpgm");
  EXPECT_TRUE(kernel.run({{64, 1, 1}, {64, 1, 1}}, {}).census.places.empty());
}

TEST(Host, CancellingWhatHasEndedIsNoFault) {
  const Kernel kernel(isa::Target::gfx900, "s_endpgm\n");
  const std::atomic<bool> cancel{false};
  EXPECT_NO_FAULT(kernel.run({{64, 1, 1}, {64, 1, 1}}, {}, {.cancel = &cancel}));
}

TEST(Host, AnswersAKernelThatWaits) {
  const Kernel kernel(isa::Target::gfx900, spin);
  machine::Memory memory;
  Buffer<uint32_t> flag(memory, 1);
  std::thread answer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic_ref<uint32_t>(flag[0]).store(1);
  });
  EXPECT_NO_FAULT(kernel.run({{64, 1, 1}, {64, 1, 1}}, {flag.address()}));
  answer.join();
}

std::atomic<int> interrupts;

TEST(Host, HearsInterrupts) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, "s_sendmsg sendmsg(MSG_INTERRUPT)\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_endpgm\n");
    interrupts = 0;
    EXPECT_NO_FAULT(kernel.run({{192, 1, 1}, {64, 1, 1}}, {}, {.interrupt = [] { ++interrupts; }}));
    EXPECT_EQ(interrupts, 6);
    EXPECT_NO_FAULT(kernel.run({{192, 1, 1}, {64, 1, 1}}, {}));
  }
}

} // namespace
} // namespace crosslane
