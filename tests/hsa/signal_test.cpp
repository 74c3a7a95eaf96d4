// Signals: operations, conditions, timeouts, who is woken by what, handlers.
#include "hsa/queue/signal.h"
#include "tests/hsa/runtime_fixture.h"
#include <chrono>
#include <ctime>
#include <thread>

namespace crosslane::test {
namespace {

using namespace std::chrono_literals;

class Signals : public HsaTest {
protected:
  hsa_signal_t make(int64_t value) {
    hsa_signal_t signal{};
    EXPECT_EQ(hsa_signal_create(value, 0, nullptr, &signal), HSA_STATUS_SUCCESS);
    return signal;
  }
};

TEST_F(Signals, Operations) {
  const auto s = make(5);
  EXPECT_EQ(hsa_signal_load_scacquire(s), 5);
  hsa_signal_add_scacq_screl(s, 7);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 12);
  hsa_signal_subtract_relaxed(s, 13);
  EXPECT_EQ(hsa_signal_load_relaxed(s), -1);
  hsa_signal_and_release(s, 0x6c);
  hsa_signal_or_acquire(s, 0x13);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 0x7f);
  hsa_signal_xor_screlease(s, 0x0f);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 0x70);
  EXPECT_EQ(hsa_signal_exchange_relaxed(s, 3), 0x70);
  EXPECT_EQ(hsa_signal_cas_relaxed(s, 4, 9), 3);
  EXPECT_EQ(hsa_signal_cas_relaxed(s, 3, INT64_MIN), 3);
  EXPECT_EQ(hsa_signal_load_relaxed(s), INT64_MIN);
  hsa_signal_silent_store_relaxed(s, 1);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 1);
  EXPECT_EQ(hsa_signal_destroy(s), HSA_STATUS_SUCCESS);
}

TEST_F(Signals, ArgumentsThatMakeNoSense) {
  EXPECT_EQ(hsa_signal_create(0, 0, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_signal_t s{};
  EXPECT_EQ(hsa_signal_create(0, 1, nullptr, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_destroy({0}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_signal_create(0, 0, nullptr, 64, &s), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Signals, WaitsMeetEachCondition) {
  const auto s = make(5);
  const auto wait = [&](hsa_signal_condition_t condition, int64_t value) {
    return hsa_signal_wait_scacquire(s, condition, value, 0, HSA_WAIT_STATE_BLOCKED);
  };
  EXPECT_EQ(wait(HSA_SIGNAL_CONDITION_EQ, 5), 5);
  EXPECT_EQ(wait(HSA_SIGNAL_CONDITION_NE, 4), 5);
  EXPECT_EQ(wait(HSA_SIGNAL_CONDITION_LT, 6), 5);
  EXPECT_EQ(wait(HSA_SIGNAL_CONDITION_GTE, 5), 5);
  hsa_signal_destroy(s);
}

TEST_F(Signals, TimeoutsAreInNanoseconds) {
  const auto s = make(1);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 0, 30'000'000, HSA_WAIT_STATE_BLOCKED), 1);
  const auto waited = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(waited, 30ms);
  EXPECT_LT(waited, 3s);
  hsa_signal_destroy(s);
}

// Waits in a thread of its own; afterwards, what it saw and the CPU time it took.
struct Waiter {
  int64_t seen = 0;
  double cpu_seconds = 0;
  std::thread thread;
  explicit Waiter(hsa_signal_t s)
      : thread([this, s] {
          seen = hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
          timespec time;
          clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
          cpu_seconds = double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
        }) {}
};

TEST_F(Signals, StoreWakesAWaiterThatBurnsNoCore) {
  const auto s = make(1);
  Waiter waiter(s);
  std::this_thread::sleep_for(400ms);
  hsa_signal_store_screlease(s, 0);
  waiter.thread.join();
  EXPECT_EQ(waiter.seen, 0);
  EXPECT_LT(waiter.cpu_seconds, 0.1);
  hsa_signal_destroy(s);
}

TEST_F(Signals, PlainWriteWakesAWaiter) {
  const auto s = make(1);
  volatile int64_t* value = nullptr;
  ASSERT_EQ(hsa_amd_signal_value_pointer(s, &value), HSA_STATUS_SUCCESS);
  Waiter waiter(s);
  std::this_thread::sleep_for(50ms);
  __atomic_store_n(value, -3, __ATOMIC_RELAXED); // an ordinary store to the machine
  waiter.thread.join();
  EXPECT_EQ(waiter.seen, -3);
  hsa_signal_destroy(s);
}

TEST_F(Signals, WaitsForAnyOfMany) {
  std::vector<hsa_signal_t> signals;
  for (int i = 0; i < 20; ++i)
    signals.push_back(make(1));
  std::vector<hsa_signal_condition_t> conditions(20, HSA_SIGNAL_CONDITION_EQ);
  std::vector<hsa_signal_value_t> values(20, 0);
  hsa_signal_value_t seen = 7;
  EXPECT_EQ(hsa_amd_signal_wait_any(20, signals.data(), conditions.data(), values.data(), 1000, HSA_WAIT_STATE_BLOCKED,
                                    &seen),
            UINT32_MAX);
  std::thread store([&] {
    std::this_thread::sleep_for(20ms);
    hsa_signal_store_relaxed(signals[17], 0);
  });
  EXPECT_EQ(hsa_amd_signal_wait_any(20, signals.data(), conditions.data(), values.data(), UINT64_MAX,
                                    HSA_WAIT_STATE_BLOCKED, &seen),
            17u);
  EXPECT_EQ(seen, 0);
  store.join();

  hsa_signal_group_t group{};
  ASSERT_EQ(hsa_signal_group_create(20, signals.data(), 0, nullptr, &group), HSA_STATUS_SUCCESS);
  hsa_signal_t which{};
  EXPECT_EQ(hsa_signal_group_wait_any_scacquire(group, conditions.data(), values.data(), HSA_WAIT_STATE_BLOCKED, &which,
                                                &seen),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(which.handle, signals[17].handle);
  EXPECT_EQ(hsa_signal_group_destroy(group), HSA_STATUS_SUCCESS);
  for (const auto s : signals)
    hsa_signal_destroy(s);
}

TEST_F(Signals, HandlersRunUntilTheyHaveEnough) {
  const auto s = make(0), done = make(3);
  // Each call takes one from `done`; the handler stays while it is not 0.
  const auto handler = [](hsa_signal_value_t value, void* argument) {
    EXPECT_GE(value, 10);
    const auto count = *static_cast<hsa_signal_t*>(argument);
    hsa_signal_subtract_screlease(count, 1);
    return hsa_signal_load_relaxed(count) != 0;
  };
  auto argument = done;
  ASSERT_EQ(hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_GTE, 10, handler, &argument), HSA_STATUS_SUCCESS);
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(hsa_signal_load_relaxed(done), 3);
  hsa_signal_store_screlease(s, 11);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(hsa_signal_load_relaxed(done), 0); // gone
  EXPECT_EQ(hsa_amd_async_function([](void* d) { hsa_signal_store_screlease(*static_cast<hsa_signal_t*>(d), 42); },
                                   &argument),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 42, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 42);
  hsa_signal_destroy(s);
  hsa_signal_destroy(done);
}

} // namespace
} // namespace crosslane::test
