// Intercept queues: what handlers see and write, in which order, what markers are told, and what happens when there is
// no room. What is expected is what ROCr does (intercept_queue.cpp) and what hsa_api_trace.h says of markers.
#include "hsa/functions.h"
#include "tests/hsa/runtime_fixture.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <hsa/amd_hsa_signal.h>
#include <thread>

namespace crosslane::test {
namespace {

using namespace std::chrono_literals;
using Writer = hsa_amd_queue_intercept_packet_writer;

// Appends what the second argument says to the list that the first points to: a count, then the entries.
constexpr const char* append = R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s4
  v_mov_b32 v3, s5
  v_mov_b32 v4, 1
  flat_atomic_add v4, v[2:3], v4 glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_lshlrev_b32 v4, 2, v4
  v_add_u32 v2, v2, v4
  v_mov_b32 v5, s6
  flat_store_dword v[2:3], v5 offset:4
  s_waitcnt vmcnt(0)
  s_endpgm
)";

struct Arguments {
  uint32_t* list;
  uint32_t value, unused;
};

struct Marker { // amd_aql_intercept_marker_t
  uint16_t header;
  uint8_t format, reserved[5];
  void (*callback)(const Marker*, hsa_queue_t*, uint64_t);
  uint64_t user_data[6];
};

class Intercept : public HsaTest {
protected:
  void SetUp() override {
    HsaTest::SetUp();
    list = static_cast<uint32_t*>(reachable_memory(65536));
    kernel = std::make_unique<TestKernel>(gpu(), "gfx900", append);
    ASSERT_SUCCESS(
        hsa::functions::hsa_amd_queue_intercept_create(gpu(), 64, HSA_QUEUE_TYPE_MULTI, error, this, 0, 0, &queue));
    ASSERT_SUCCESS(hsa_signal_create(0, 0, nullptr, &done));
  }
  void TearDown() override {
    if (queue)
      EXPECT_SUCCESS(hsa_queue_destroy(queue));
    hsa_signal_destroy(done);
    kernel.reset();
    HsaTest::TearDown();
  }
  static void error(hsa_status_t status, hsa_queue_t* of, void* test) {
    auto& self = *static_cast<Intercept*>(test);
    self.told = of;
    self.status = status;
  }
  using Handler = std::function<void(const void* packets, uint64_t count, uint64_t index, Writer)>;
  void intercept(Handler handler) {
    handlers_.push_back(std::make_unique<Handler>(std::move(handler)));
    ASSERT_SUCCESS(hsa::functions::hsa_amd_queue_intercept_register(
        queue,
        [](const void* packets, uint64_t count, uint64_t index, void* data, Writer writer) {
          (*static_cast<Handler*>(data))(packets, count, index, writer);
        },
        handlers_.back().get()));
  }
  hsa_kernel_dispatch_packet_t packet(uint32_t value) const {
    return kernel->packet(1, 1, Arguments{list, value, 0}, done);
  }
  // With its header.
  template <class Packet> static Packet valid(Packet packet, hsa_packet_type_t type) {
    const auto header = uint16_t(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER);
    std::memcpy(&packet, &header, sizeof header);
    return packet;
  }
  // Puts a packet into the queue without ringing. False: there is no room.
  bool put(const hsa_kernel_dispatch_packet_t& packet) {
    const uint64_t index = hsa_queue_load_write_index_relaxed(queue);
    if (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size)
      return false;
    hsa_queue_store_write_index_relaxed(queue, index + 1);
    auto* const to = static_cast<uint8_t*>(queue->base_address) + 64 * (index % queue->size);
    const auto whole = valid(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    std::memcpy(to + 2, reinterpret_cast<const uint8_t*>(&whole) + 2, 62);
    __atomic_store_n(reinterpret_cast<uint16_t*>(to), whole.header, __ATOMIC_RELEASE);
    return true;
  }
  void ring() const {
    hsa_signal_store_screlease(queue->doorbell_signal, int64_t(hsa_queue_load_write_index_relaxed(queue)) - 1);
  }
  void submit(uint32_t value) {
    while (!put(packet(value)))
      std::this_thread::yield();
    ring();
  }
  bool wait() const { // for `done` to be 0
    return hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 20'000'000'000, HSA_WAIT_STATE_BLOCKED) == 0;
  }
  std::vector<uint32_t> results() const { return {list + 1, list + 1 + list[0]}; }

  hsa_queue_t* queue = nullptr;
  hsa_signal_t done{};
  uint32_t* list = nullptr; // what kernels appended
  std::unique_ptr<TestKernel> kernel;
  std::atomic<hsa_queue_t*> told{nullptr};
  std::atomic<hsa_status_t> status{HSA_STATUS_SUCCESS};

private:
  std::vector<std::unique_ptr<Handler>> handlers_;
};

TEST_F(Intercept, ArgumentsThatMakeNoSense) {
  hsa_queue_t* made = nullptr;
  const auto create = [&](uint32_t size, hsa_queue_t** to) {
    return hsa::functions::hsa_amd_queue_intercept_create(gpu(), size, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0,
                                                          to);
  };
  EXPECT_EQ(create(2, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT); // too small for it, though not for others
  EXPECT_EQ(create(100, &made), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(64, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa::functions::hsa_amd_queue_intercept_register(queue, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const TestQueue plain(gpu());
  const auto handler = [](const void*, uint64_t, uint64_t, void*, Writer) {};
  EXPECT_EQ(hsa::functions::hsa_amd_queue_intercept_register(plain.get(), handler, nullptr),
            HSA_STATUS_ERROR_INVALID_QUEUE);
}

TEST_F(Intercept, WithoutHandlersPacketsPass) {
  hsa_signal_store_relaxed(done, 200);
  for (uint32_t i = 0; i < 200; ++i)
    submit(i);
  ASSERT_TRUE(wait());
  ASSERT_EQ(results().size(), 200u);
  for (uint32_t i = 0; i < 200; ++i)
    EXPECT_EQ(results()[i], i);
  EXPECT_EQ(hsa_queue_load_read_index_relaxed(queue), 200u);
}

TEST_F(Intercept, TheLastHandlerIsFirst) {
  std::string order;
  std::vector<uint64_t> indices;
  const auto me = std::this_thread::get_id();
  intercept([&](const void* packets, uint64_t count, uint64_t index, Writer writer) {
    order += "a";
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(std::this_thread::get_id(), me); // who rings
    indices.push_back(index);
    writer(packets, count);
  });
  intercept([&](const void* packets, uint64_t count, uint64_t, Writer writer) {
    order += "b";
    writer(packets, count);
  });
  hsa_signal_store_relaxed(done, 2);
  submit(7);
  submit(8);
  ASSERT_TRUE(wait());
  EXPECT_EQ(order, "baba");
  EXPECT_EQ(indices, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(results(), (std::vector<uint32_t>{7, 8}));
}

TEST_F(Intercept, HandlersDropAddAndWriteTwice) {
  intercept([&](const void* packets, uint64_t count, uint64_t, Writer writer) { writer(packets, count); });
  intercept([&](const void*, uint64_t, uint64_t index, Writer writer) {
    if (index == 1)
      return; // dropped
    const auto first = valid(packet(10 + uint32_t(index)), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    const auto second = valid(packet(20 + uint32_t(index)), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    writer(&first, 1);
    const hsa_kernel_dispatch_packet_t both[] = {second, first};
    writer(both, 2);
  });
  hsa_signal_store_relaxed(done, 6);
  submit(0);
  submit(0);
  submit(0);
  ASSERT_TRUE(wait());
  EXPECT_EQ(results(), (std::vector<uint32_t>{10, 20, 10, 12, 22, 12}));
}

TEST_F(Intercept, MarkersAreToldWhereTheNextPacketGoes) {
  static std::vector<uint64_t> ids, data;
  static const hsa_queue_t* lower;
  ids.clear(), data.clear();
  intercept([&](const void* packets, uint64_t, uint64_t index, Writer writer) {
    Marker marker{};
    marker.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE;
    marker.format = 0xfe;
    marker.callback = [](const Marker* self, hsa_queue_t* queue, uint64_t id) {
      ids.push_back(id);
      data.push_back(self->user_data[0]);
      lower = queue;
    };
    uint8_t both[4][64];
    for (int i = 0; i < 4; i += 2) {
      marker.user_data[0] = 10 * index + uint64_t(i);
      std::memcpy(both[i], &marker, 64);
      std::memcpy(both[i + 1], packets, 64);
    }
    writer(both, 4);
  });
  hsa_signal_store_relaxed(done, 4);
  submit(1);
  submit(2);
  ASSERT_TRUE(wait());
  EXPECT_EQ(ids, (std::vector<uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(data, (std::vector<uint64_t>{0, 2, 10, 12}));
  EXPECT_NE(lower, queue);
  EXPECT_EQ(results(), (std::vector<uint32_t>{1, 1, 2, 2}));
}

// 50 packets for each of 100, in queues of 64; and 200 for one, which never fit at once.
TEST_F(Intercept, WhatHasNoRoomWaitsInOrder) {
  uint32_t copies = 50;
  intercept([&](const void* packets, uint64_t, uint64_t, Writer writer) {
    std::vector<hsa_kernel_dispatch_packet_t> all(copies);
    for (auto& one : all)
      std::memcpy(&one, packets, 64);
    writer(all.data(), all.size());
  });
  hsa_signal_store_relaxed(done, 5000);
  for (uint32_t i = 0; i < 100; ++i)
    submit(i);
  ASSERT_TRUE(wait());
  ASSERT_EQ(results().size(), 5000u);
  for (uint32_t i = 0; i < 5000; ++i)
    ASSERT_EQ(results()[i], i / 50) << i;
  list[0] = 0;
  copies = 200;
  hsa_signal_store_relaxed(done, 600);
  for (uint32_t i = 0; i < 3; ++i)
    submit(i);
  ASSERT_TRUE(wait());
  ASSERT_EQ(results().size(), 600u);
  for (uint32_t i = 0; i < 600; ++i)
    ASSERT_EQ(results()[i], i / 200) << i;
  EXPECT_EQ(status, HSA_STATUS_SUCCESS);
}

// As a kernel rings: by a plain store.
TEST_F(Intercept, ADoorbellInMemory) {
  std::atomic<int> seen{0};
  intercept([&](const void* packets, uint64_t count, uint64_t, Writer writer) {
    ++seen;
    writer(packets, count);
  });
  hsa_signal_store_relaxed(done, 1);
  put(packet(5));
  auto* const doorbell = reinterpret_cast<amd_signal_t*>(queue->doorbell_signal.handle);
  __atomic_store_n(&doorbell->value, 0, __ATOMIC_RELEASE);
  ASSERT_TRUE(wait());
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(results(), (std::vector<uint32_t>{5}));
}

TEST_F(Intercept, AHandlerUsesItsOwnQueue) {
  std::atomic<int> seen{0};
  intercept([&](const void* packets, uint64_t count, uint64_t, Writer writer) {
    writer(packets, count);
    if (!seen++) {
      put(packet(2));
      ring();
    }
  });
  hsa_signal_store_relaxed(done, 2);
  submit(1);
  ASSERT_TRUE(wait());
  EXPECT_EQ(results(), (std::vector<uint32_t>{1, 2}));
}

TEST_F(Intercept, AHandlerDestroysItsQueue) {
  intercept([&](const void*, uint64_t, uint64_t, Writer) { EXPECT_SUCCESS(hsa_queue_destroy(queue)); });
  submit(1);
  EXPECT_EQ(hsa_queue_inactivate(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
  queue = nullptr;
}

TEST_F(Intercept, FunctionsOnQueuesReachTheOneThatIsProcessed) {
  uint32_t mask = 0;
  EXPECT_SUCCESS(hsa_amd_queue_cu_get_mask(queue, 32, &mask));
  EXPECT_EQ(mask, UINT32_MAX);
  EXPECT_SUCCESS(hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH));
  hsa_agent_t agent{};
  EXPECT_SUCCESS(hsa_amd_queue_get_info(queue, HSA_AMD_QUEUE_INFO_AGENT, &agent));
  EXPECT_EQ(agent.handle, gpu().handle);
  EXPECT_SUCCESS(hsa_amd_profiling_set_profiler_enabled(queue, 1));
  hsa_signal_store_relaxed(done, 1);
  uint64_t before = 0, after = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before);
  submit(1);
  ASSERT_TRUE(wait());
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after);
  hsa_amd_profiling_dispatch_time_t time{};
  EXPECT_SUCCESS(hsa_amd_profiling_get_dispatch_time(gpu(), done, &time));
  EXPECT_TRUE(before <= time.start && time.start < time.end && time.end <= after);
  EXPECT_SUCCESS(hsa_queue_inactivate(queue));
  hsa_signal_store_relaxed(done, 1);
  put(packet(2));
  ring();
  EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 20'000'000, HSA_WAIT_STATE_BLOCKED), 1);
  EXPECT_EQ(results(), (std::vector<uint32_t>{1}));
}

TEST_F(Intercept, ErrorsNameTheClientsQueue) {
  auto wrong = packet(1);
  wrong.kernel_object = 0;
  put(wrong);
  ring();
  for (int i = 0; i < 1000 && !told; ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_EQ(told, queue);
  EXPECT_EQ(status, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

TEST_F(Intercept, OneIsToldOfTheRuntimesQueues) {
  const auto notifier = [](const hsa_queue_t*, hsa_agent_t, void*) {};
  EXPECT_SUCCESS(hsa::functions::hsa_amd_runtime_queue_create_register(notifier, nullptr));
  EXPECT_EQ(hsa::functions::hsa_amd_runtime_queue_create_register(notifier, nullptr), HSA_STATUS_ERROR);
}

} // namespace
} // namespace crosslane::test
