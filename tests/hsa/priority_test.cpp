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

class Priorities : public MemoryTest {
protected:
  struct Rates {
    double before, during,
        after; // workgroups of the first queue in a millisecond: while the second one's kernel runs, and around that
  };
  Rates measure(hsa_amd_queue_priority_t first, hsa_amd_queue_priority_t second) {
    const TestKernel work(gpu(), "gfx900", counts), other(gpu(), "gfx900", occupies);
    auto* words = allocate<uint32_t>(host, 4096);
    auto** arguments = allocate<uint32_t*>(host, 4096);
    *arguments = words;
    Rates rates{};
    { // queues cancel what is left
      TestQueue low(gpu()), high(gpu());
      EXPECT_SUCCESS(hsa_amd_queue_set_priority(low.get(), first));
      EXPECT_SUCCESS(hsa_amd_queue_set_priority(high.get(), second));
      const auto read = [&](int word) { return __atomic_load_n(&words[word], __ATOMIC_ACQUIRE); };
      const auto rate = [&] {
        const auto begin = std::chrono::steady_clock::now();
        const uint32_t count = read(0);
        std::this_thread::sleep_for(100ms);
        return (read(0) - count) /
               std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      };
      hsa_signal_store_relaxed(signal, 2);
      low.submit(work.packet(1u << 31, 1, arguments, signal), HSA_PACKET_TYPE_KERNEL_DISPATCH);
      while (!read(0))
        std::this_thread::sleep_for(1ms);
      rates.before = rate();
      high.submit(other.packet(1, 1, arguments, signal), HSA_PACKET_TYPE_KERNEL_DISPATCH);
      while (!read(2))
        std::this_thread::sleep_for(1ms);
      rates.during = rate();
      __atomic_store_n(&words[3], 1, __ATOMIC_RELEASE);
      EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 2, 60'000'000'000, HSA_WAIT_STATE_BLOCKED),
                1);
      rates.after = rate();
      hsa_signal_store_relaxed(signal, 1);
    }
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(words));
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(arguments));
    return rates;
  }
};

TEST_F(Priorities, LowerOnesGiveWayAndGoOn) {
  const struct {
    hsa_amd_queue_priority_t first, second;
  } cases[] = {{HSA_AMD_QUEUE_PRIORITY_NORMAL, HSA_AMD_QUEUE_PRIORITY_HIGH},
               {HSA_AMD_QUEUE_PRIORITY_LOW, HSA_AMD_QUEUE_PRIORITY_NORMAL}};
  for (const auto& c : cases) {
    const auto [before, during, after] = measure(c.first, c.second);
    EXPECT_LT(during, before / 10) << c.first;
    EXPECT_GT(during, 0) << c.first;
    EXPECT_GT(after, during * 3) << c.first;
  }
}

// One kernel more has one of the threads, of two or more; that is all.
TEST_F(Priorities, EqualOnesShare) {
  const auto [before, during, after] = measure(HSA_AMD_QUEUE_PRIORITY_HIGH, HSA_AMD_QUEUE_PRIORITY_HIGH);
  EXPECT_GT(during, before / 10);
  EXPECT_GT(after, 0);
}

TEST_F(Priorities, ThereAreThree) {
  TestQueue queue(gpu());
  EXPECT_EQ(hsa_amd_queue_set_priority(queue.get(), hsa_amd_queue_priority_t(3)), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_queue_t none{};
  EXPECT_EQ(hsa_amd_queue_set_priority(&none, HSA_AMD_QUEUE_PRIORITY_LOW), HSA_STATUS_ERROR_INVALID_QUEUE);
}

} // namespace
} // namespace crosslane::test
