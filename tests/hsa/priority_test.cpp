// Priorities of queues: a dispatch gives way to more urgent ones of its GPU, but goes on.
#include "tests/hsa/memory_fixture.h"
#include <chrono>
#include <thread>

namespace crosslane::test {
namespace {

using namespace std::chrono_literals;

// Each workgroup counts itself in word 0.
constexpr const char* counts = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v0, 0
  v_mov_b32 v1, 1
  s_mov_b64 exec, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v0, v1, s[4:5]
  s_endpgm
)";
// Tells in word 2 that it runs, until word 3 is not 0.
constexpr const char* occupies = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_mov_b32 v0, 0
  v_mov_b32 v1, 1
  s_mov_b64 exec, 1
  s_waitcnt lgkmcnt(0)
  global_store_dword v0, v1, s[4:5] offset:8
again:
  global_load_dword v2, v0, s[4:5] offset:12 glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s6, v2
  s_cmp_eq_u32 s6, 0
  s_cbranch_scc1 again
  s_endpgm
)";

// Workgroups in a millisecond of a dispatch that gives way: it pauses for 100 us before each, whatever the machine does
// besides. With some to spare; a dispatch that does not give way has thousands when it gets a core.
constexpr double few = 30;

class Priorities : public MemoryTest {
protected:
  // A dispatch of the first queue counts, one of the second one runs from some time on, and ends again.
  void run(hsa_amd_queue_priority_t first, hsa_amd_queue_priority_t second, bool gives_way) {
    const TestKernel work(gpu(), "gfx900", counts), other(gpu(), "gfx900", occupies);
    auto* words = allocate<uint32_t>(host, 4096);
    { // queues cancel what is left
      TestQueue counting(gpu()), occupying(gpu());
      EXPECT_SUCCESS(hsa_amd_queue_set_priority(counting.get(), first));
      EXPECT_SUCCESS(hsa_amd_queue_set_priority(occupying.get(), second));
      const auto read = [&](int word) { return __atomic_load_n(&words[word], __ATOMIC_ACQUIRE); };
      const auto rate = [&] {
        const auto begin = std::chrono::steady_clock::now();
        const uint32_t count = read(0);
        std::this_thread::sleep_for(100ms);
        return (read(0) - count) /
               std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      };
      // Somebody else may have the cores for a while.
      const auto becomes = [&](auto&& holds) {
        for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;)
          if (holds())
            return true;
        return false;
      };
      hsa_signal_store_relaxed(signal, 2);
      counting.submit(work.packet(1u << 31, 1, words, signal), HSA_PACKET_TYPE_KERNEL_DISPATCH);
      EXPECT_TRUE(becomes([&] { return rate() > 2 * few; })) << "before";
      occupying.submit(other.packet(1, 1, words, signal), HSA_PACKET_TYPE_KERNEL_DISPATCH);
      EXPECT_TRUE(becomes([&] { return read(2) != 0; }));
      if (gives_way) {
        std::this_thread::sleep_for(100ms); // what helpers had taken on
        EXPECT_LT(rate(), few);
        const uint32_t count = read(0);
        EXPECT_TRUE(becomes([&] { return read(0) - count > 100; })) << "it stands still";
      } else {
        EXPECT_TRUE(becomes([&] { return rate() > 2 * few; })) << "it gives way";
      }
      __atomic_store_n(&words[3], 1, __ATOMIC_RELEASE);
      EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 2, 60'000'000'000, HSA_WAIT_STATE_BLOCKED),
                1);
      EXPECT_TRUE(becomes([&] { return rate() > 2 * few; })) << "after";
      hsa_signal_store_relaxed(signal, 1);
    }
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(words));
  }
};

TEST_F(Priorities, LowerOnesGiveWayAndGoOn) {
  run(HSA_AMD_QUEUE_PRIORITY_NORMAL, HSA_AMD_QUEUE_PRIORITY_HIGH, true);
  run(HSA_AMD_QUEUE_PRIORITY_LOW, HSA_AMD_QUEUE_PRIORITY_NORMAL, true);
}

TEST_F(Priorities, OthersDoNot) {
  run(HSA_AMD_QUEUE_PRIORITY_HIGH, HSA_AMD_QUEUE_PRIORITY_HIGH, false);
  run(HSA_AMD_QUEUE_PRIORITY_NORMAL, HSA_AMD_QUEUE_PRIORITY_LOW, false);
}

TEST_F(Priorities, ThereAreThree) {
  TestQueue queue(gpu());
  EXPECT_EQ(hsa_amd_queue_set_priority(queue.get(), hsa_amd_queue_priority_t(3)), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_queue_t none{};
  EXPECT_EQ(hsa_amd_queue_set_priority(&none, HSA_AMD_QUEUE_PRIORITY_LOW), HSA_STATUS_ERROR_INVALID_QUEUE);
}

} // namespace
} // namespace crosslane::test
