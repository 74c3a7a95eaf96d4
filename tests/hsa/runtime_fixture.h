// Owns what the tests of the HSA runtime share: a runtime that is up, with one GPU, its queues and kernels made of
// assembly text.
#pragma once
#include "isa/target.h"
#include <cstddef>
#include <gtest/gtest.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <string>
#include <type_traits>
#include <vector>

namespace crosslane::test {

#define EXPECT_SUCCESS(call) EXPECT_EQ(call, HSA_STATUS_SUCCESS)
#define ASSERT_SUCCESS(call) ASSERT_EQ(call, HSA_STATUS_SUCCESS)

class HsaTest : public ::testing::Test {
protected:
  // `gpus` as in CROSSLANE_GPU.
  explicit HsaTest(const char* gpus = "vega10") : gpus_(gpus) {}
  void SetUp() override;
  void TearDown() override;

  hsa_agent_t cpu{};
  std::vector<hsa_agent_t> gpus; // in the order of the agents
  hsa_agent_t gpu() const { return gpus.at(0); }

private:
  std::string gpus_;
};

// The pools of an agent, in its order.
inline std::vector<hsa_amd_memory_pool_t> pools_of(hsa_agent_t agent) {
  std::vector<hsa_amd_memory_pool_t> pools;
  EXPECT_SUCCESS(hsa_amd_agent_iterate_memory_pools(
      agent,
      [](hsa_amd_memory_pool_t pool, void* list) {
        static_cast<std::vector<hsa_amd_memory_pool_t>*>(list)->push_back(pool);
        return HSA_STATUS_SUCCESS;
      },
      &pools));
  return pools;
}

// Memory that the host and kernels reach, zeroed; it stays for the life of the runtime.
void* reachable_memory(size_t bytes);

// A queue of the first GPU and its packets.
class TestQueue {
public:
  explicit TestQueue(hsa_agent_t gpu, uint32_t size = 64);
  ~TestQueue();
  TestQueue(const TestQueue&) = delete;
  hsa_queue_t* get() const { return queue_; }
  // Puts a packet (64 bytes, its header still invalid) into the queue and rings the doorbell. `type`:
  // HSA_PACKET_TYPE_*.
  template <class Packet> void submit(Packet packet, hsa_packet_type_t type) {
    static_assert(sizeof packet == 64);
    submit(static_cast<const void*>(&packet), type);
  }
  // What the callback was told; HSA_STATUS_SUCCESS: nothing.
  hsa_status_t error() const { return error_; }

private:
  void submit(const void* packet, hsa_packet_type_t type);
  hsa_queue_t* queue_ = nullptr;
  std::atomic<hsa_status_t> error_{HSA_STATUS_SUCCESS};
};

// Kernel "k", assembled by llvm-mc and loaded through the API. In the body s[0:1] is the kernarg pointer, s2.. the
// workgroup ids, v0.. the work-item ids.
class TestKernel {
public:
  TestKernel(hsa_agent_t gpu, const std::string& processor, const std::string& body,
             const std::string& directives = "");
  ~TestKernel();
  TestKernel(const TestKernel&) = delete;
  uint64_t object() const { return object_; }
  // A dispatch of `grid` work-items in workgroups of `block`, one-dimensional, with a copy of the arguments.
  template <class T>
  hsa_kernel_dispatch_packet_t packet(uint32_t grid, uint16_t block, const T& arguments,
                                      hsa_signal_t completion) const {
    if constexpr (std::is_same_v<T, std::nullptr_t>)
      return packet(grid, block, nullptr, 0, completion);
    else
      return packet(grid, block, &arguments, sizeof arguments, completion);
  }

private:
  hsa_kernel_dispatch_packet_t packet(uint32_t grid, uint16_t block, const void* arguments, size_t bytes,
                                      hsa_signal_t completion) const;
  hsa_executable_t executable_{};
  uint64_t object_ = 0;
};

} // namespace crosslane::test
