// Queues: dispatches, barriers, errors, independence, cancelling, many threads.
#include "tests/hsa/runtime_fixture.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sys/mman.h>
#include <thread>

namespace crosslane::test {
namespace {

using namespace std::chrono_literals;

class Queues : public HsaTest {
protected:
  hsa_signal_t make(int64_t value) {
    hsa_signal_t signal{};
    EXPECT_SUCCESS(hsa_signal_create(value, 0, nullptr, &signal));
    return signal;
  }
  static int64_t wait(hsa_signal_t signal, uint64_t timeout = UINT64_MAX) {
    return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, timeout, HSA_WAIT_STATE_BLOCKED);
  }
};

// Adds 1 to the dword that the first argument points to, once per work-item.
constexpr const char* count = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s4
  v_mov_b32 v3, s5
  v_mov_b32 v4, 1
  flat_atomic_add v[2:3], v4
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  s_endpgm
)";

// Spins until the dword that the first argument points to is not 0.
constexpr const char* spin = R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s4
  v_mov_b32 v3, s5
again:
  flat_load_dword v6, v[2:3] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s11, v6
  s_cmp_eq_u32 s11, 0
  s_cbranch_scc1 again
  s_endpgm
)";

TEST_F(Queues, ArgumentsThatMakeNoSense) {
  hsa_queue_t* queue = nullptr;
  EXPECT_EQ(hsa_queue_create(gpu(), 100, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_queue_create(gpu(), 0, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_queue_create(gpu(), 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_queue_create({1}, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
            HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_queue_create(cpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
            HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
  EXPECT_EQ(hsa_queue_destroy(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_queue_inactivate(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_queue_t none{};
  EXPECT_EQ(hsa_queue_destroy(&none), HSA_STATUS_ERROR_INVALID_QUEUE);
}

TEST_F(Queues, RunsDispatchesInOrderAndMoreThanFitAtOnce) {
  TestQueue queue(gpu(), 4);
  EXPECT_EQ(queue.get()->size, 64u); // HSA_AGENT_INFO_QUEUE_MIN_SIZE
  const TestKernel kernel(gpu(), "gfx900", count);
  auto* const argument = static_cast<uint32_t*>(reachable_memory(4));
  uint32_t& counter = *argument;
  const auto done = make(100);
  for (int i = 0; i < 100; ++i)
    queue.submit(kernel.packet(100, 64, argument, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(counter, 10'000u);
  EXPECT_EQ(hsa_queue_load_read_index_relaxed(queue.get()), 100u);
  EXPECT_EQ(queue.error(), HSA_STATUS_SUCCESS);
  hsa_signal_destroy(done);
}

TEST_F(Queues, TimesOfADispatch) {
  TestQueue queue(gpu());
  EXPECT_SUCCESS(hsa_amd_profiling_set_profiler_enabled(queue.get(), 1));
  const TestKernel kernel(gpu(), "gfx900", count);
  auto* const argument = static_cast<uint32_t*>(reachable_memory(4));
  const auto done = make(1);
  uint64_t before = 0, after = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before);
  queue.submit(kernel.packet(6400, 64, argument, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  wait(done);
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after);
  hsa_amd_profiling_dispatch_time_t time{};
  EXPECT_SUCCESS(hsa_amd_profiling_get_dispatch_time(gpu(), done, &time));
  EXPECT_LE(before, time.start);
  EXPECT_LT(time.start, time.end);
  EXPECT_LE(time.end, after);
  hsa_signal_destroy(done);
}

TEST_F(Queues, BarrierAndWaitsForAll) {
  TestQueue queue(gpu());
  const auto a = make(1), b = make(1), done = make(1);
  hsa_barrier_and_packet_t packet{};
  packet.dep_signal[0] = a, packet.dep_signal[3] = b;
  packet.completion_signal = done;
  queue.submit(packet, HSA_PACKET_TYPE_BARRIER_AND);
  EXPECT_EQ(wait(done, 10'000'000), 1);
  hsa_signal_store_screlease(b, 0);
  EXPECT_EQ(wait(done, 10'000'000), 1);
  hsa_signal_store_screlease(a, 0);
  EXPECT_EQ(wait(done), 0);
  for (const auto s : {a, b, done})
    hsa_signal_destroy(s);
}

TEST_F(Queues, BarrierOrWaitsForOne) {
  TestQueue queue(gpu());
  const auto a = make(1), b = make(1), done = make(1);
  hsa_barrier_or_packet_t packet{};
  packet.dep_signal[1] = a, packet.dep_signal[2] = b;
  packet.completion_signal = done;
  queue.submit(packet, HSA_PACKET_TYPE_BARRIER_OR);
  EXPECT_EQ(wait(done, 10'000'000), 1);
  hsa_signal_store_screlease(b, 0);
  EXPECT_EQ(wait(done), 0);
  for (const auto s : {a, b, done})
    hsa_signal_destroy(s);
}

TEST_F(Queues, BarriersWithoutSignalsGoThrough) {
  TestQueue queue(gpu());
  const auto done = make(2);
  hsa_barrier_and_packet_t both{};
  hsa_barrier_or_packet_t one{};
  both.completion_signal = one.completion_signal = done;
  queue.submit(both, HSA_PACKET_TYPE_BARRIER_AND);
  queue.submit(one, HSA_PACKET_TYPE_BARRIER_OR);
  EXPECT_EQ(wait(done), 0);
  hsa_signal_destroy(done);
}

TEST_F(Queues, BarrierOnAValue) {
  TestQueue queue(gpu());
  const auto a = make(0x10), done = make(1);
  hsa_amd_barrier_value_packet_t packet{};
  packet.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
  packet.signal = a, packet.mask = 0xf, packet.value = 3, packet.cond = HSA_SIGNAL_CONDITION_GTE;
  packet.completion_signal = done;
  queue.submit(packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
  EXPECT_EQ(wait(done, 10'000'000), 1);
  hsa_signal_store_screlease(a, 0x25);
  EXPECT_EQ(wait(done), 0);
  hsa_signal_destroy(a);
  hsa_signal_destroy(done);
}

// One queue's kernel waits for what another queue's kernel does.
TEST_F(Queues, ProgressIndependently) {
  TestQueue first(gpu()), second(gpu());
  const TestKernel waits(gpu(), "gfx900", spin), counts(gpu(), "gfx900", count);
  auto* const argument = static_cast<uint32_t*>(reachable_memory(4));
  const auto done = make(2);
  first.submit(waits.packet(64, 64, argument, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(hsa_signal_load_relaxed(done), 2);
  second.submit(counts.packet(1, 1, argument, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(wait(done), 0);
  hsa_signal_destroy(done);
}

TEST_F(Queues, DestroyingOneCancelsItsKernel) {
  const TestKernel waits(gpu(), "gfx900", spin);
  auto* const argument = static_cast<uint32_t*>(reachable_memory(4));
  TestQueue queue(gpu());
  queue.submit(waits.packet(64, 64, argument, {0}), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  std::this_thread::sleep_for(5ms);
}

hsa_status_t error_of(const TestQueue& queue) {
  for (int i = 0; i < 5000 && queue.error() == HSA_STATUS_SUCCESS; ++i)
    std::this_thread::sleep_for(1ms);
  return queue.error();
}

TEST_F(Queues, TellWhatWentWrong) {
  const struct {
    const char* body;
    hsa_status_t status;
    const char* text;
  } cases[] = {
      {"s_trap 2\ns_endpgm\n", HSA_STATUS_ERROR_EXCEPTION, "s_trap 2"},
      {".long 0xffffffff\ns_endpgm\n", hsa_status_t(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION), "illegal instruction"},
      {"s_mov_b64 s[4:5], 64\ns_setpc_b64 s[4:5]\ns_endpgm\n", hsa_status_t(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION),
       "invalid program counter"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.body);
    TestQueue queue(gpu());
    const TestKernel kernel(gpu(), "gfx900", c.body);
    const auto done = make(1);
    queue.submit(kernel.packet(64, 64, nullptr, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    EXPECT_EQ(error_of(queue), c.status);
    const char* text = nullptr;
    EXPECT_SUCCESS(hsa_status_string(c.status, &text));
    EXPECT_NE(std::string(text).find(c.text), std::string::npos) << text;
    EXPECT_NE(std::string(text).find("kernel k"), std::string::npos) << text;
    EXPECT_EQ(hsa_signal_load_relaxed(done), 1); // never completed
    hsa_signal_destroy(done);
  }
}

TEST_F(Queues, RefusePacketsThatMakeNoSense) {
  {
    TestQueue queue(gpu());
    queue.submit(hsa_agent_dispatch_packet_t{}, HSA_PACKET_TYPE_AGENT_DISPATCH);
    EXPECT_EQ(error_of(queue), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  }
  {
    TestQueue queue(gpu());
    hsa_kernel_dispatch_packet_t packet{};
    packet.kernel_object = 0x1234;
    queue.submit(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    EXPECT_EQ(error_of(queue), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  }
  {
    const TestKernel kernel(gpu(), "gfx900", "s_endpgm\n");
    TestQueue queue(gpu());
    queue.submit(kernel.packet(64, 2048, nullptr, {0}), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    EXPECT_EQ(error_of(queue), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  {
    const TestKernel kernel(gpu(), "gfx900", "s_endpgm\n");
    TestQueue queue(gpu());
    auto packet = kernel.packet(UINT32_MAX, 1, nullptr, {0}); // 2^96 workgroups, or nearly
    packet.setup = 3;
    packet.grid_size_y = packet.grid_size_z = UINT32_MAX;
    queue.submit(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
    EXPECT_EQ(error_of(queue), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const char* text = nullptr;
    EXPECT_SUCCESS(hsa_status_string(HSA_STATUS_ERROR_INVALID_ARGUMENT, &text));
    EXPECT_NE(std::string(text).find("make the grid smaller"), std::string::npos) << text;
  }
}

TEST_F(Queues, MemoryFaultReachesTheHandler) {
  // Registered for the rest of this runtime's life; it says that it has dealt with the fault.
  static hsa_amd_event_t seen;
  EXPECT_SUCCESS(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t* event, void*) {
        seen = *event;
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  void* page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TestQueue queue(gpu());
  const TestKernel kernel(gpu(), "gfx900", count);
  queue.submit(kernel.packet(64, 64, page, {0}), HSA_PACKET_TYPE_KERNEL_DISPATCH);
  EXPECT_EQ(error_of(queue), hsa_status_t(HSA_STATUS_ERROR_MEMORY_FAULT));
  EXPECT_EQ(seen.event_type, HSA_AMD_GPU_MEMORY_FAULT_EVENT);
  EXPECT_EQ(seen.memory_fault.virtual_address, reinterpret_cast<uint64_t>(page));
  EXPECT_EQ(seen.memory_fault.agent.handle, gpu().handle);
  munmap(page, 4096);
}

// A kernel can write packets; what they name must be within its own reach.
TEST_F(Queues, ForgedSignalsAreRefused) {
  const TestKernel kernel(gpu(), "gfx900", "s_endpgm\n");
  alignas(64) static int64_t host[32] = {};
  std::ranges::fill(host, 7);
  const hsa_signal_t forged{reinterpret_cast<uint64_t>(host)};
  {
    TestQueue queue(gpu());
    queue.submit(kernel.packet(64, 64, nullptr, forged), HSA_PACKET_TYPE_KERNEL_DISPATCH);
    EXPECT_EQ(error_of(queue), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  }
  {
    TestQueue queue(gpu());
    hsa_barrier_and_packet_t barrier{};
    barrier.dep_signal[3] = forged;
    queue.submit(barrier, HSA_PACKET_TYPE_BARRIER_AND);
    EXPECT_EQ(error_of(queue), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  }
  EXPECT_TRUE(std::ranges::all_of(host, [](int64_t word) { return word == 7; }));
}

TEST_F(Queues, MemoryFaultEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  TestQueue queue(gpu());
  const TestKernel kernel(gpu(), "gfx900", count);
  EXPECT_DEATH(
      {
        static void* wild = reinterpret_cast<void*>(8);
        TestQueue own(gpu());
        own.submit(kernel.packet(64, 64, wild, {0}), HSA_PACKET_TYPE_KERNEL_DISPATCH);
        std::this_thread::sleep_for(10s);
      },
      "lane 0(.|\n)*Memory access fault by GPU node-1 .*address \\(nil\\)");
}

// Eight threads with a queue each, all counting in one place.
TEST_F(Queues, ManyThreadsAndDispatches) {
  const TestKernel kernel(gpu(), "gfx900", count);
  auto* const argument = static_cast<uint32_t*>(reachable_memory(4));
  uint32_t& counter = *argument;
  constexpr int threads = 8, dispatches = 250;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      TestQueue queue(gpu());
      const auto done = make(dispatches);
      for (int i = 0; i < dispatches; ++i)
        queue.submit(kernel.packet(64, 64, argument, done), HSA_PACKET_TYPE_KERNEL_DISPATCH);
      EXPECT_EQ(wait(done), 0);
      hsa_signal_destroy(done);
    });
  for (auto& thread : all)
    thread.join();
  EXPECT_EQ(counter, uint32_t(threads * dispatches * 64));
}

// No thread can have so much stack. Whoever asks is told, gets no half a queue, and has its signals as before.
TEST_F(Queues, NoThreadIsAnError) {
  pthread_attr_t usual, impossible;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&impossible), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&impossible, size_t(1) << 46), 0);
  const auto signal = make(1);
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  ASSERT_EQ(pthread_setattr_default_np(&impossible), 0);
  hsa_queue_t* queue = nullptr;
  EXPECT_EQ(hsa_queue_create(gpu(), 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  std::atomic<int> calls{0};
  const auto count_calls = [](hsa_signal_value_t, void* n) {
    ++*static_cast<std::atomic<int>*>(n);
    return false;
  };
  EXPECT_EQ(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ, 0, count_calls, &calls),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int number = 1; number < 32; ++number)
    EXPECT_EQ(sigismember(&after, number), sigismember(&before, number)) << number;
  // What was refused is not there; what comes now is.
  EXPECT_SUCCESS(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ, 0, count_calls, &calls));
  hsa_signal_store_screlease(signal, 0);
  for (int i = 0; i < 5000 && !calls; ++i)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(calls, 1);
  EXPECT_SUCCESS(hsa_queue_create(gpu(), 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue));
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
  hsa_signal_destroy(signal);
  pthread_attr_destroy(&usual);
  pthread_attr_destroy(&impossible);
}

TEST(Runtime, SaysOnceWhatIsWrongWithTheEnvironment) {
  setenv("CROSSLANE_GPU", "vega99", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(hsa_init(), HSA_STATUS_ERROR);
  EXPECT_EQ(hsa_init(), HSA_STATUS_ERROR);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "crosslane: CROSSLANE_GPU: there is no card 'vega99'; did you mean "
            "vega10? ('crosslane run --help' lists them; a card of your own is a FILE.toml)\n");
  unsetenv("CROSSLANE_GPU");
}

TEST(Runtime, StartsAndStopsAgainAndAgain) {
  EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  for (int i = 0; i < 50; ++i) {
    ASSERT_SUCCESS(hsa_init());
    ASSERT_SUCCESS(hsa_init());
    ASSERT_SUCCESS(hsa_shut_down());
    hsa_signal_t signal{};
    ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &signal));
    ASSERT_SUCCESS(hsa_signal_destroy(signal));
    ASSERT_SUCCESS(hsa_shut_down());
    ASSERT_EQ(hsa_signal_create(1, 0, nullptr, &signal), HSA_STATUS_ERROR_NOT_INITIALIZED);
  }
}

} // namespace
} // namespace crosslane::test
