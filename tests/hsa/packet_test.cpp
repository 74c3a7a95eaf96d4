// Packets that make no sense: the queue's callback is told the status that ROCr tells
// (AqlQueue::DynamicScratchHandler), the completion signal stays as it is, and what lies behind them in the queue is
// not processed.
#include "tests/hsa/runtime_fixture.h"
#include <chrono>
#include <thread>

namespace crosslane::test {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t long_enough = 20'000'000'000; // nanoseconds

class Packets : public HsaTest {
protected:
  hsa_signal_t make(int64_t value) {
    hsa_signal_t signal{};
    EXPECT_SUCCESS(hsa_signal_create(value, 0, nullptr, &signal));
    return signal;
  }
  static hsa_status_t error_of(const TestQueue& queue) {
    for (int i = 0; i < 5000 && queue.error() == HSA_STATUS_SUCCESS; ++i)
      std::this_thread::sleep_for(1ms);
    return queue.error();
  }
  // What the callback is told of a packet, which must not complete, and whose queue must take no more.
  template <class Packet>
  void expect_refused(Packet packet, hsa_packet_type_t type, hsa_status_t status, const std::string& text) {
    TestQueue queue(gpu());
    if (!packet.completion_signal.handle)
      packet.completion_signal = done;
    hsa_barrier_and_packet_t next{};
    next.completion_signal = after;
    queue.submit(packet, type);
    queue.submit(next, HSA_PACKET_TYPE_BARRIER_AND);
    EXPECT_EQ(error_of(queue), status);
    const char* told = nullptr;
    EXPECT_SUCCESS(hsa_status_string(status, &told));
    EXPECT_NE(std::string(told).find(text), std::string::npos) << told;
    EXPECT_EQ(hsa_signal_load_relaxed(done), 1);
    EXPECT_EQ(hsa_signal_load_relaxed(after), 1);
    EXPECT_EQ(hsa_queue_load_read_index_relaxed(queue.get()), 0u);
  }
  void SetUp() override {
    HsaTest::SetUp();
    done = make(1), after = make(1);
  }
  void TearDown() override {
    hsa_signal_destroy(done);
    hsa_signal_destroy(after);
    HsaTest::TearDown();
  }
  hsa_signal_t done{}, after{};
};

TEST_F(Packets, DispatchesThatMakeNoSense) {
  const TestKernel kernel(gpu(), "gfx900", "s_endpgm\n");
  const auto refused = [&](hsa_status_t status, const char* text, auto&& change) {
    auto packet = kernel.packet(64, 64, nullptr, {0});
    change(packet);
    SCOPED_TRACE(text);
    expect_refused(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH, status, text);
  };
  refused(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "0 dimensions", [](auto& p) { p.setup = 0; });
  refused(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "0 dimensions (setup 0x0004)", [](auto& p) { p.setup = 4; });
  refused(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "in dimension x", [](auto& p) { p.workgroup_size_x = 0; });
  refused(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "in dimension z",
          [](auto& p) { p.setup = 3, p.workgroup_size_z = 0; });
  refused(HSA_STATUS_ERROR_INVALID_ARGUMENT, "65535 work-items", [](auto& p) { p.workgroup_size_x = 65535; });
  refused(HSA_STATUS_ERROR_INVALID_ARGUMENT, "1088 work-items", [](auto& p) { p.setup = 2, p.workgroup_size_y = 17; });
  refused(HSA_STATUS_ERROR_INVALID_ALLOCATION, "65537 bytes of LDS", [](auto& p) { p.group_segment_size = 65537; });
  refused(HSA_STATUS_ERROR_INVALID_ALLOCATION, "4294967295 bytes of LDS",
          [](auto& p) { p.group_segment_size = UINT32_MAX; });
  refused(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "4294967295 bytes of scratch",
          [](auto& p) { p.private_segment_size = UINT32_MAX; });
  refused(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "kernel object 0x0", [](auto& p) { p.kernel_object = 0; });
  refused(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "kernel object 0x7fffffff0000",
          [](auto& p) { p.kernel_object = 0x7fffffff0000; });
  refused(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "which is no kernel", [](auto& p) { p.kernel_object += 64; });
}

// 16 waves of 256 registers each: a compute unit has room for 4.
TEST_F(Packets, WorkgroupsWhoseRegistersDoNotFit) {
  const TestKernel kernel(gpu(), "gfx900", "v_mov_b32 v255, 0\ns_endpgm\n", ".amdhsa_next_free_vgpr 256\n");
  expect_refused(kernel.packet(1024, 1024, nullptr, {0}), HSA_PACKET_TYPE_KERNEL_DISPATCH, HSA_STATUS_ERROR_INVALID_ISA,
                 "16 waves of 256 registers");
  TestQueue queue(gpu());
  queue.submit(kernel.packet(1024, 256, nullptr, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, long_enough, HSA_WAIT_STATE_BLOCKED), 0);
}

// As the suite of the HSA Foundation has them: sizes that do not count left at 0, something in the reserved bits.
TEST_F(Packets, WhatIsNotUsedIsNotLookedAt) {
  const TestKernel kernel(gpu(), "gfx900", R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s4
  v_mov_b32 v3, s5
  v_mov_b32 v4, 1
  flat_atomic_add v[2:3], v4
  s_endpgm
)");
  auto* const count = static_cast<uint32_t*>(reachable_memory(4));
  TestQueue queue(gpu());
  auto packet = kernel.packet(128, 64, count, done);
  packet.setup = 0x0101;
  packet.grid_size_y = packet.grid_size_z = 0, packet.workgroup_size_y = packet.workgroup_size_z = 0;
  queue.submit(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, long_enough, HSA_WAIT_STATE_BLOCKED), 0);
  EXPECT_EQ(*count, 128u);
}

TEST_F(Packets, GridsWithoutWorkItemsComplete) {
  const TestKernel kernel(gpu(), "gfx900", "s_trap 2\ns_endpgm\n");
  TestQueue queue(gpu());
  hsa_signal_store_relaxed(done, 2);
  auto packet = kernel.packet(0, 0, nullptr, done);
  queue.submit(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  packet = kernel.packet(64, 64, nullptr, done);
  packet.setup = 3, packet.grid_size_y = 0, packet.workgroup_size_y = 0;
  queue.submit(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, long_enough, HSA_WAIT_STATE_BLOCKED), 0);
  EXPECT_EQ(queue.error(), HSA_STATUS_SUCCESS);
}

TEST_F(Packets, TypesThatNoQueueProcesses) {
  for (const int type : {int(HSA_PACKET_TYPE_AGENT_DISPATCH), 6, 0x7f, 0xff})
    expect_refused(hsa_barrier_and_packet_t{}, hsa_packet_type_t(type), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
                   "has type");
  hsa_amd_barrier_value_packet_t vendor{};
  expect_refused(vendor, HSA_PACKET_TYPE_VENDOR_SPECIFIC, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
                 "vendor packet of format 0");
  vendor.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE, vendor.cond = 4;
  expect_refused(vendor, HSA_PACKET_TYPE_VENDOR_SPECIFIC, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "condition 4");
}

// Numbers that are no signals, whatever lies there: nothing, memory of the device, memory of the host, a signal no
// more, the inside of one.
TEST_F(Packets, HandlesThatAreNoSignals) {
  const auto gone = make(0), inside = make(0);
  std::vector<hsa_signal_t> next_ones(8); // what is destroyed last is used again first, by the queues of this test
  for (auto& signal : next_ones)
    signal = make(0);
  hsa_signal_destroy(gone);
  for (const auto signal : next_ones)
    hsa_signal_destroy(signal);
  alignas(64) static char host[256];
  void* device = nullptr;
  ASSERT_SUCCESS(hsa_amd_memory_pool_allocate(pools_of(gpu()).at(0), 4096, 0, &device));
  const uint64_t handles[] = {1,
                              64,
                              0xdeadbeef,
                              0x680012345680,
                              0x6fffffffffc0,
                              UINT64_MAX,
                              uint64_t(1) << 63,
                              reinterpret_cast<uint64_t>(host),
                              reinterpret_cast<uint64_t>(device),
                              gone.handle,
                              inside.handle + 64,
                              inside.handle + 8};
  for (const uint64_t handle : handles) {
    SCOPED_TRACE(handle);
    for (const hsa_packet_type_t type : {HSA_PACKET_TYPE_BARRIER_AND, HSA_PACKET_TYPE_BARRIER_OR}) {
      hsa_barrier_and_packet_t barrier{};
      barrier.dep_signal[4].handle = handle;
      expect_refused(barrier, type, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "which is none");
    }
    hsa_amd_barrier_value_packet_t value{};
    value.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
    value.signal.handle = handle;
    expect_refused(value, HSA_PACKET_TYPE_VENDOR_SPECIFIC, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "which is none");
    hsa_barrier_and_packet_t completes{};
    completes.completion_signal.handle = handle;
    expect_refused(completes, HSA_PACKET_TYPE_BARRIER_AND, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "which is none");
    EXPECT_NE(hsa_signal_destroy({handle}), HSA_STATUS_SUCCESS);
  }
  hsa_signal_destroy(inside);
  hsa_amd_memory_pool_free(device);
}

// Signals that processes share lie elsewhere, and those beyond the first few hundred too.
TEST_F(Packets, SignalsOfAllKindsComplete) {
  std::vector<hsa_signal_t> signals(3000);
  for (auto& signal : signals)
    signal = make(1);
  hsa_signal_t shared{};
  ASSERT_SUCCESS(hsa_amd_signal_create(1, 0, nullptr, HSA_AMD_SIGNAL_IPC, &shared));
  signals.push_back(shared);
  TestQueue queue(gpu());
  for (const size_t i : {size_t(0), size_t(600), size_t(2999), size_t(3000)}) {
    hsa_barrier_and_packet_t packet{};
    packet.completion_signal = signals[i];
    queue.submit(packet, HSA_PACKET_TYPE_BARRIER_AND);
    EXPECT_EQ(hsa_signal_wait_scacquire(signals[i], HSA_SIGNAL_CONDITION_EQ, 0, long_enough, HSA_WAIT_STATE_BLOCKED),
              0);
  }
  for (const auto signal : signals)
    EXPECT_SUCCESS(hsa_signal_destroy(signal));
  EXPECT_EQ(hsa_signal_destroy(shared), HSA_STATUS_ERROR_INVALID_SIGNAL);
}

} // namespace
} // namespace crosslane::test
