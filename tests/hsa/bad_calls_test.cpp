// Every exported function with each of its arguments spoiled: handles that are null, freed, of another kind or made up,
// null pointers, wrong values; before hsa_init, after hsa_shut_down, and by several threads at once. The answer is a
// status that the function's header documents (tests/hsa/calls), and what others hold stays as it is.
#include "tests/hsa/calls/calls.h"
#include "tests/hsa/runtime_fixture.h"
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

namespace crosslane::test::calls {
namespace {

World& world() {
  static World& one = *new World;
  return one;
}

class BadCalls : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("CROSSLANE_GPU", "vega10,vega20", 1);
    setenv("CROSSLANE_QUIET", "1", 1);
    ASSERT_SUCCESS(hsa_init());
    world().open();
  }
  void TearDown() override {
    world().close();
    EXPECT_SUCCESS(hsa_shut_down());
    unsetenv("CROSSLANE_QUIET");
  }
};

int call(const Row& row, Chooser& c) {
  std::shared_lock lock(world().memory, std::defer_lock);
  if (row.memory)
    lock.lock();
  return run(row, c);
}

TEST(BadCallsTable, HasAllFunctions) {
  std::set<std::string> listed;
  for (const Row& row : rows())
    listed.insert(row.name);
  std::ifstream script(EXPORTS);
  ASSERT_TRUE(script);
  int functions = 0;
  for (std::string line; std::getline(script, line);) {
    const size_t begin = line.find("hsa_"), end = line.find(';');
    if (begin == std::string::npos || end == std::string::npos)
      continue;
    ++functions;
    EXPECT_TRUE(listed.contains(line.substr(begin, end - begin))) << line << " has no row in tests/hsa/calls";
  }
  EXPECT_GT(functions, 200);
}

TEST_F(BadCalls, GoodArgumentsAreGood) {
  for (const Row& row : rows()) {
    Chooser c(world(), 1, false);
    const int status = call(row, c);
    if (row.good > 999)
      EXPECT_TRUE(documented(row.name, status)) << row.name << " gives " << name_of_status(status);
    else
      EXPECT_EQ(status, row.good) << row.name << " gives " << name_of_status(status);
  }
}

TEST_F(BadCalls, EachArgumentSpoiled) {
  int calls = 0;
  for (const Row& row : rows()) {
    Chooser good(world(), 1, false);
    call(row, good);
    for (int argument = 0; argument < int(good.draws.size()); ++argument) {
      const auto& draw = good.draws[size_t(argument)];
      std::vector<Spoil> ways;
      if (draw.has_null)
        ways.push_back(Spoil::null);
      if (draw.has_wrong)
        ways.push_back(Spoil::wrong);
      if (draw.is_handle)
        ways.insert(ways.end(), {Spoil::foreign, Spoil::garbage});
      if (draw.has_freed)
        ways.push_back(Spoil::freed);
      for (const Spoil way : ways)
        for (uint64_t seed = 1; seed <= (way == Spoil::null ? 1u : 4u); ++seed) {
          Chooser c(world(), seed, false);
          c.spoil_at = argument, c.how = way;
          const int status = call(row, c);
          ++calls;
          const auto where = [&] {
            return std::string(row.name) + ", argument " + std::to_string(argument) + " " + name_of(way) + " (" +
                   std::to_string(c.spoiled_handle) + "): " + name_of_status(status);
          };
          EXPECT_TRUE(documented(row.name, status)) << where();
          const std::string name = row.name;
          // Freed memory is soon that of another one: hsa_code_object_t is an address (ROCr's is, too).
          const bool may_be = row.good == no_status ||
                              (way == Spoil::freed &&
                               (name.starts_with("hsa_code_object_") || name == "hsa_executable_load_code_object")) ||
                              ((name == "hsa_memory_free" || name == "hsa_amd_memory_pool_free") && way == Spoil::null);
          EXPECT_TRUE(status != HSA_STATUS_SUCCESS || may_be) << where();
        }
    }
  }
  EXPECT_GT(calls, 1000);
  RecordProperty("calls", calls);
}

// What the spoiled calls leave alone.
TEST_F(BadCalls, OthersHandlesStay) {
  hsa_signal_t signal{}, freed{};
  ASSERT_SUCCESS(hsa_signal_create(42, 0, nullptr, &signal));
  ASSERT_SUCCESS(hsa_signal_create(0, 0, nullptr, &freed));
  ASSERT_SUCCESS(hsa_signal_destroy(freed));
  std::vector<hsa_signal_t> later(200);
  for (auto& each : later) // none of them lies where the freed one did
    ASSERT_SUCCESS(hsa_signal_create(7, 0, nullptr, &each));
  hsa_signal_store_relaxed(freed, 1);
  hsa_signal_add_relaxed(freed, 1);
  EXPECT_EQ(hsa_signal_load_relaxed(freed), 0);
  EXPECT_EQ(hsa_signal_exchange_relaxed(freed, 5), 0);
  EXPECT_EQ(hsa_signal_destroy(freed), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_signal_wait_relaxed(freed, HSA_SIGNAL_CONDITION_EQ, 99, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  for (const auto each : later)
    EXPECT_EQ(hsa_signal_load_relaxed(each), 7);
  EXPECT_EQ(hsa_signal_load_relaxed(signal), 42);
}

TEST_F(BadCalls, ADestroyedSignalEndsWaitsAndHandlers) {
  hsa_signal_t signal{};
  ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &signal));
  std::atomic<int> called{0};
  ASSERT_SUCCESS(hsa_amd_signal_async_handler(
      signal, HSA_SIGNAL_CONDITION_EQ, 0,
      [](hsa_signal_value_t, void* n) { return ++*static_cast<std::atomic<int>*>(n), false; }, &called));
  std::thread waiter(
      [&] { hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_SUCCESS(hsa_signal_destroy(signal));
  waiter.join();
  hsa_signal_store_relaxed(signal, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(called, 0);
}

TEST_F(BadCalls, AQueuesDoorbellIsTheQueues) {
  hsa_queue_t* queue = nullptr;
  const hsa_agent_t gpu{Chooser(world(), 1, false).gpu()};
  ASSERT_SUCCESS(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue));
  EXPECT_EQ(hsa_signal_destroy(queue->doorbell_signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_SUCCESS(hsa_queue_destroy(queue));
}

TEST_F(BadCalls, LoadedCodeIsNotTheClientsToFree) {
  EXPECT_EQ(hsa_amd_memory_pool_free(reinterpret_cast<void*>(world().kernel & ~uint64_t(4095))),
            HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

TEST(BadCallsWithoutRuntime, NothingWorksBeforeInitOrAfterShutDown) {
  setenv("CROSSLANE_GPU", "vega10,vega20", 1);
  for (int round = 0; round < 2; ++round) {
    for (const Row& row : rows()) {
      const std::string name = row.name;
      if (name == "hsa_init" || name == "hsa_shut_down")
        continue;
      for (uint64_t seed = 1; seed <= 4; ++seed) { // stale handles, in the second round
        Chooser c(world(), seed, seed > 1);
        const int status = call(row, c);
        EXPECT_EQ(status, row.good == no_status ? no_status : int(HSA_STATUS_ERROR_NOT_INITIALIZED)) << row.name;
      }
    }
    EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
    if (round == 0) {
      ASSERT_SUCCESS(hsa_init());
      world().open();
      world().close();
      ASSERT_SUCCESS(hsa_shut_down());
    }
  }
}

// Ends when `ready`, at the latest after ten seconds.
template <class Ready> bool soon(Ready&& ready) {
  for (int i = 0; i < 10'000 && !ready(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return ready();
}

// The last hsa_shut_down by a callback: of a traversal, a handler, a queue that stops. The runtime is gone for all
// others, and comes back when it is asked for.
TEST(BadCallsWithoutRuntime, CallbacksShutDown) {
  setenv("CROSSLANE_GPU", "vega10", 1);
  const auto expect_gone = [] {
    hsa_signal_t signal;
    EXPECT_EQ(hsa_signal_create(0, 0, nullptr, &signal), HSA_STATUS_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  };
  static std::atomic<int> status;
  for (int round = 0; round < 3; ++round) {
    ASSERT_SUCCESS(hsa_init());
    // The second agent's call comes too late.
    EXPECT_EQ(hsa_iterate_agents([](hsa_agent_t, void*) { return hsa_shut_down(); }, nullptr),
              HSA_STATUS_ERROR_NOT_INITIALIZED);
    expect_gone();

    ASSERT_SUCCESS(hsa_init());
    status = -1;
    EXPECT_SUCCESS(hsa_amd_async_function([](void*) { status = hsa_shut_down(); }, nullptr));
    EXPECT_TRUE(soon([] { return status == HSA_STATUS_SUCCESS; }));
    expect_gone();

    ASSERT_SUCCESS(hsa_init());
    hsa_agent_t gpu{};
    hsa_iterate_agents(
        [](hsa_agent_t agent, void* last) { return *static_cast<hsa_agent_t*>(last) = agent, HSA_STATUS_SUCCESS; },
        &gpu);
    status = -1;
    hsa_queue_t* queue = nullptr;
    ASSERT_SUCCESS(hsa_queue_create(
        gpu, 64, HSA_QUEUE_TYPE_MULTI,
        [](hsa_status_t, hsa_queue_t* own, void*) {
          status = hsa_queue_destroy(own) == HSA_STATUS_SUCCESS ? hsa_shut_down() : HSA_STATUS_ERROR;
        },
        nullptr, 0, 0, &queue));
    auto* const packet = static_cast<hsa_barrier_and_packet_t*>(queue->base_address);
    packet->dep_signal[0].handle = 77; // none
    hsa_queue_store_write_index_relaxed(queue, 1);
    __atomic_store_n(&packet->header, uint16_t(HSA_PACKET_TYPE_BARRIER_AND), __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, 0);
    EXPECT_TRUE(soon([] { return status == HSA_STATUS_SUCCESS; }));
    expect_gone();
  }
}

// Others are in calls while the runtime goes and comes.
TEST(BadCallsWithoutRuntime, ShutsDownUnderCalls) {
  setenv("CROSSLANE_GPU", "vega10", 1);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!stop) {
        hsa_signal_t signal{};
        if (hsa_signal_create(1, 0, nullptr, &signal) == HSA_STATUS_SUCCESS)
          hsa_signal_destroy(signal);
        hsa_iterate_agents(
            [](hsa_agent_t agent, void*) {
              char name[64];
              hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
              return HSA_STATUS_SUCCESS;
            },
            nullptr);
      }
    });
  for (int round = 0; round < 200; ++round) {
    ASSERT_SUCCESS(hsa_init());
    ASSERT_SUCCESS(hsa_shut_down());
  }
  stop = true;
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
}

TEST_F(BadCalls, ByManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> undocumented{0};
  for (uint64_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      std::mt19937_64 random(i);
      for (int n = 0; n < 3000; ++n) {
        const Row& row = rows()[random() % rows().size()];
        Chooser c(world(), random(), true);
        if (const int status = call(row, c); !documented(row.name, status) && ++undocumented < 10)
          ADD_FAILURE() << row.name << ": " << name_of_status(status);
      }
    });
  for (auto& thread : threads)
    thread.join();
}

} // namespace
} // namespace crosslane::test::calls
