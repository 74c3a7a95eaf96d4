// Owns what the tests of memory share: pools by kind, allocations that free themselves, and a kernel that adds to
// words.
#pragma once
#include "tests/hsa/runtime_fixture.h"
#include <optional>

namespace crosslane::test {

template <class T> T pool_info(hsa_amd_memory_pool_t pool, int attribute) {
  T value{};
  EXPECT_SUCCESS(hsa_amd_memory_pool_get_info(pool, hsa_amd_memory_pool_info_t(attribute), &value));
  return value;
}

class MemoryTest : public HsaTest {
protected:
  explicit MemoryTest(const char* gpus = "vega10") : HsaTest(gpus) {}
  void SetUp() override {
    HsaTest::SetUp();
    vram = pools_of(gpu()).at(0);
    host = pools_of(cpu).at(0);
    ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &signal));
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_signal_destroy(signal));
    HsaTest::TearDown();
  }
  template <class T = void> T* allocate(hsa_amd_memory_pool_t pool, size_t bytes) {
    void* p = nullptr;
    EXPECT_SUCCESS(hsa_amd_memory_pool_allocate(pool, bytes, 0, &p));
    return static_cast<T*>(p);
  }
  void wait() {
    EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, 60'000'000'000, HSA_WAIT_STATE_BLOCKED), 0);
    hsa_signal_store_relaxed(signal, 1);
  }
  hsa_amd_memory_pool_t vram{}, host{};
  hsa_signal_t signal{}; // 1
};

// Adds 1 to every second word of memory from `words` on: word 0, 2, ... of 2 * count.
class AddOne {
public:
  explicit AddOne(hsa_agent_t gpu)
      : kernel_(gpu, "gfx900", R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_lshl_b32 s3, s2, 6
  v_add_u32_e32 v2, s3, v0
  v_lshlrev_b32_e32 v2, 3, v2
  s_waitcnt lgkmcnt(0)
  global_load_dword v3, v2, s[4:5]
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v3, 1, v3
  global_store_dword v2, v3, s[4:5]
  s_endpgm
)"),
        queue_(gpu) {}
  // The signal goes down by one at the end.
  void start(void* words, uint32_t count, hsa_signal_t signal) {
    queue_.submit(kernel_.packet(count, 64, words, signal), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  }
  hsa_status_t error() const { return queue_.error(); }

private:
  TestKernel kernel_;
  TestQueue queue_;
};

} // namespace crosslane::test
