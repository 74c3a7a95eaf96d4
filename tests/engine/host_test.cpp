// What passes between a dispatch and the host while it runs: cancelling, interrupts, waiting for each other.
#include "tests/engine/kernel_fixture.h"
#include <thread>

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
