// Copies: sizes, overlaps, rectangles, engines, and signals before and behind them.
#include "tests/hsa/memory_fixture.h"
#include <atomic>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <thread>

namespace crosslane::test {
namespace {

class CopyTest : public MemoryTest {
protected:
  hsa_signal_t make_signal(int64_t value) {
    hsa_signal_t made{};
    EXPECT_SUCCESS(hsa_signal_create(value, 0, nullptr, &made));
    return made;
  }
  hsa_status_t copy(void* to, const void* from, size_t bytes, std::vector<hsa_signal_t> after = {}) {
    return hsa_amd_memory_async_copy(to, gpu(), from, cpu, bytes, uint32_t(after.size()),
                                     after.empty() ? nullptr : after.data(), signal);
  }
};

TEST_F(CopyTest, AGibibyteThereAndBack) {
  constexpr size_t bytes = 256 << 20;
  auto* from = allocate<uint64_t>(host, bytes);
  auto* device = allocate<uint64_t>(vram, bytes);
  auto* to = allocate<uint64_t>(host, bytes);
  for (uint64_t part = 1; part <= 4; ++part) {
    const uint64_t factor = part * 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < bytes / 8; i += 512)
      from[i] = i * factor;
    EXPECT_SUCCESS(copy(device, from, bytes));
    wait();
    EXPECT_SUCCESS(copy(to, device, bytes));
    wait();
    for (size_t i = 0; i < bytes / 8; ++i)
      ASSERT_EQ(to[i], i % 512 ? 0 : i * factor);
  }
  for (void* p : {from, device, to})
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
}

TEST_F(CopyTest, OddSizesAndAddresses) {
  std::vector<uint8_t> from(1 << 20), to(1 << 20), expected(1 << 20);
  std::mt19937 random(1);
  for (auto& byte : from)
    byte = uint8_t(random());
  for (int i = 0; i < 200; ++i) {
    const size_t bytes = 1 + random() % (i % 2 ? 300 : 500000), a = random() % (from.size() - bytes),
                 b = random() % (to.size() - bytes);
    EXPECT_SUCCESS(copy(to.data() + a, from.data() + b, bytes));
    wait();
    std::copy_n(from.begin() + ptrdiff_t(b), bytes, expected.begin() + ptrdiff_t(a));
    ASSERT_EQ(to, expected) << i;
  }
}

TEST_F(CopyTest, WaitsForAllItsSignalsAndForNobodyElse) {
  for (const size_t bytes : {size_t(4), size_t(4) << 20}) {
    std::vector<uint8_t> from(bytes, 1), to(bytes), other(bytes);
    const auto a = make_signal(1), b = make_signal(1), done = make_signal(1);
    EXPECT_SUCCESS(copy(to.data(), from.data(), bytes, {a, b}));
    // One behind it, which need not wait.
    EXPECT_SUCCESS(hsa_amd_memory_async_copy(other.data(), gpu(), from.data(), cpu, bytes, 0, nullptr, done));
    EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 10'000'000'000, HSA_WAIT_STATE_BLOCKED), 0);
    EXPECT_EQ(other, from);
    for (const auto dependency : {a, b}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_EQ(hsa_signal_load_scacquire(signal), 1);
      EXPECT_EQ(to, std::vector<uint8_t>(bytes));
      hsa_signal_store_screlease(dependency, 0);
    }
    wait();
    EXPECT_EQ(to, from);
    for (const auto used : {a, b, done})
      EXPECT_SUCCESS(hsa_signal_destroy(used));
  }
}

TEST_F(CopyTest, ChainsOfDependenciesInAnyOrder) {
  constexpr int links = 100;
  std::vector<hsa_signal_t> signals;
  for (int i = 0; i <= links; ++i)
    signals.push_back(make_signal(1));
  std::vector<uint32_t> values(links + 1);
  values[0] = 42;
  for (int i = links; i > 0; --i) // the last first
    EXPECT_SUCCESS(hsa_amd_memory_async_copy(&values[size_t(i)], gpu(), &values[size_t(i - 1)], gpu(), 4, 1,
                                             &signals[size_t(i - 1)], signals[size_t(i)]));
  hsa_signal_store_screlease(signals[0], 0);
  EXPECT_EQ(
      hsa_signal_wait_scacquire(signals[links], HSA_SIGNAL_CONDITION_LT, 1, 60'000'000'000, HSA_WAIT_STATE_BLOCKED), 0);
  EXPECT_EQ(values, std::vector<uint32_t>(links + 1, 42));
  for (const auto used : signals)
    EXPECT_SUCCESS(hsa_signal_destroy(used));
}

TEST_F(CopyTest, ShutDownDropsWhatWaits) {
  int from = 1, to = 0;
  static hsa_signal_t never = make_signal(1); // somebody waits for it until there is no runtime to destroy it
  EXPECT_SUCCESS(copy(&to, &from, 4, {never}));
} // TearDown must not hang

TEST_F(CopyTest, Rectangles) {
  std::mt19937 random(2);
  constexpr size_t room = 64 << 10;
  std::vector<uint8_t> from(room), to(room), expected;
  for (auto& byte : from)
    byte = uint8_t(random());
  for (int i = 0; i < 500; ++i) {
    const uint32_t x = i % 3 == 0 ? 4 + random() % 10 * 4 : 1 + random() % 40, y = 1 + random() % 20,
                   z = 1 + random() % 5;
    hsa_pitched_ptr_t source{from.data(), 0, 0}, target{to.data(), 0, 0};
    hsa_dim3_t source_at{}, target_at{};
    for (auto [memory, at] : {std::pair{&source, &source_at}, std::pair{&target, &target_at}}) {
      *at = {uint32_t(random() % 8), uint32_t(random() % 4), uint32_t(random() % 3)};
      if (i % 3 == 0)
        at->x = 0;
      memory->pitch = i % 3 == 0 ? x : (x + at->x + random() % 9 + 3) / 4 * 4; // also whole rows
      memory->slice = memory->pitch * (y + at->y + (i % 3 == 0 ? 0 : random() % 3));
    }
    const hsa_dim3_t range{x, y, z};
    std::ranges::fill(to, uint8_t(0));
    expected.assign(room, 0);
    for (uint32_t c = 0; c < z; ++c)
      for (uint32_t b = 0; b < y; ++b)
        for (uint32_t a = 0; a < x; ++a)
          expected[(target_at.z + c) * target.slice + (target_at.y + b) * target.pitch + target_at.x + a] =
              from[(source_at.z + c) * source.slice + (source_at.y + b) * source.pitch + source_at.x + a];
    EXPECT_SUCCESS(hsa_amd_memory_async_copy_rect(&target, &target_at, &source, &source_at, &range, gpu(),
                                                  hsa_amd_copy_direction_t(1 + i % 3), 0, nullptr, signal));
    wait();
    ASSERT_EQ(to, expected) << i;
  }
  const hsa_pitched_ptr_t memory{to.data(), 4, 4};
  const hsa_dim3_t zero{}, one{4, 1, 1};
  EXPECT_EQ(
      hsa_amd_memory_async_copy_rect(&memory, &zero, &memory, &zero, &one, gpu(), hsaHostToHost, 0, nullptr, signal),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(
      hsa_amd_memory_async_copy_rect(&memory, &zero, &memory, &zero, &one, cpu, hsaHostToDevice, 0, nullptr, signal),
      HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_memory_async_copy_rect(&memory, nullptr, &memory, &zero, &one, gpu(), hsaHostToDevice, 0, nullptr,
                                           signal),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_async_copy_rect(&memory, &zero, &memory, &zero, &zero, gpu(), hsaHostToDevice, 0,
                                                nullptr, signal));
  EXPECT_EQ(hsa_signal_load_relaxed(signal), 1);
}

// The DMA engine takes no others: base, pitch and slice that are no multiples of 4, and what is wider than a row or
// higher than a slice.
TEST_F(CopyTest, RectanglesThatAreNone) {
  std::vector<uint8_t> room(4096);
  const hsa_pitched_ptr_t memory{room.data(), 32, 128};
  const hsa_dim3_t zero{}, range{32, 4, 2}, row{8, 1, 1}, layers{8, 1, 2};
  const auto copy = [&](const hsa_pitched_ptr_t& target, const hsa_dim3_t& at, const hsa_dim3_t& bytes) {
    const hsa_pitched_ptr_t source{room.data() + 2048, 32, 128};
    const auto there = hsa_amd_memory_async_copy_rect(&target, &at, &source, &zero, &bytes, gpu(), hsaHostToDevice, 0,
                                                      nullptr, signal);
    const auto back = hsa_amd_memory_async_copy_rect(&source, &zero, &target, &at, &bytes, gpu(), hsaDeviceToHost, 0,
                                                     nullptr, signal);
    EXPECT_EQ(there, back);
    return there;
  };
  EXPECT_SUCCESS(copy(memory, zero, range));
  EXPECT_SUCCESS(copy(memory, {24, 3, 7}, row));
  EXPECT_SUCCESS(copy({room.data(), 32, 0}, {0, 9, 0}, row)); // no slices: as many rows as one likes
  EXPECT_EQ(hsa_signal_load_relaxed(signal), -5);
  const hsa_pitched_ptr_t bad[] = {{nullptr, 32, 128},
                                   {room.data() + 1, 32, 128},
                                   {room.data(), 33, 132},
                                   {room.data(), 32, 130},
                                   {room.data(), 0, 128}};
  for (const auto& target : bad)
    EXPECT_EQ(copy(target, zero, row), HSA_STATUS_ERROR_INVALID_ARGUMENT) << target.pitch;
  EXPECT_EQ(copy(memory, {25, 0, 0}, row), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy(memory, {UINT32_MAX, 0, 0}, row), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy(memory, {0, 4, 0}, row), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy({room.data(), 32, 0}, zero, layers), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_load_relaxed(signal), -5);
  hsa_signal_store_relaxed(signal, 1);
}

// Large enough for several threads; each part arrives, and a part that faults is found.
TEST_F(CopyTest, LargeCopiesInParts) {
  constexpr size_t bytes = (48 << 20) + 12345;
  auto* from = allocate<uint8_t>(host, bytes);
  auto* to = allocate<uint8_t>(vram, bytes);
  EXPECT_SUCCESS(copy(to, from, 2 << 20)); // there are threads now
  wait();
  for (size_t i = 0; i < bytes; i += 64)
    from[i] = uint8_t(i / 64 * 7 + 1);
  EXPECT_SUCCESS(copy(to, from, bytes));
  wait();
  EXPECT_EQ(std::memcmp(to, from, bytes), 0);
  EXPECT_SUCCESS(
      hsa_amd_register_system_event_handler([](const hsa_amd_event_t*, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  testing::internal::CaptureStderr();
  EXPECT_SUCCESS(copy(to, from, bytes + (1 << 20)));
  EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, 60'000'000'000, HSA_WAIT_STATE_BLOCKED), -1);
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_NE(output.find("hsa_amd_memory_async_copy"), std::string::npos) << output;
  for (void* p : {from, to})
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
}

TEST_F(CopyTest, Times) {
  hsa_amd_profiling_async_copy_time_t time{};
  std::vector<uint8_t> from(8 << 20, 1), to(8 << 20);
  EXPECT_SUCCESS(copy(to.data(), from.data(), to.size()));
  wait();
  EXPECT_EQ(hsa_amd_profiling_get_async_copy_time(signal, &time), HSA_STATUS_ERROR); // nobody timed it
  EXPECT_SUCCESS(hsa_amd_profiling_async_copy_enable(true));
  uint64_t before = 0, after = 0;
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
  EXPECT_SUCCESS(copy(to.data(), from.data(), to.size()));
  wait();
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
  EXPECT_SUCCESS(hsa_amd_profiling_get_async_copy_time(signal, &time));
  EXPECT_LE(before, time.start);
  EXPECT_LT(time.start, time.end);
  EXPECT_LE(time.end, after);
  EXPECT_SUCCESS(hsa_amd_profiling_async_copy_enable(false));
  EXPECT_EQ(hsa_amd_profiling_get_async_copy_time({0}, &time), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_amd_profiling_get_async_copy_time(signal, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(CopyTest, Arguments) {
  int a = 1, b = 2;
  hsa_signal_t none{};
  EXPECT_EQ(copy(nullptr, &a, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(copy(&a, nullptr, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_async_copy(&a, {99}, &b, cpu, 4, 0, nullptr, signal), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_memory_async_copy(&a, cpu, &b, {99}, 4, 0, nullptr, signal), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_memory_async_copy(&a, cpu, &b, cpu, 4, 0, nullptr, none),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);                                     // as the header says
  EXPECT_SUCCESS(hsa_amd_memory_async_copy(&a, cpu, &b, cpu, 4, 0, &none, signal)); // a list that is ignored
  EXPECT_EQ(a, 2);
  a = 1;
  hsa_signal_store_relaxed(signal, 1);
  const auto gone = make_signal(0);
  EXPECT_SUCCESS(hsa_signal_destroy(gone));
  EXPECT_EQ(hsa_amd_memory_async_copy(&a, cpu, &b, cpu, 4, 0, nullptr, gone), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_amd_memory_async_copy(&a, cpu, &b, cpu, 4, 1, &gone, signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_EQ(hsa_amd_memory_async_copy(&a, cpu, &b, cpu, 4, 1, nullptr, signal), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_async_copy(&a, cpu, &b, cpu, 4, 1, &none, signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  EXPECT_SUCCESS(copy(&a, &b, 0));
  EXPECT_EQ(hsa_signal_load_relaxed(signal), 1);
  EXPECT_EQ(a, 1);
  EXPECT_SUCCESS(hsa_memory_copy(&a, &b, 4));
  EXPECT_EQ(a, 2);
  EXPECT_EQ(hsa_memory_copy(nullptr, &b, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// A wild address in a copy is a memory fault of the GPU, not a crash of the program.
TEST_F(CopyTest, WildAddressesAreMemoryFaults) {
  static hsa_amd_event_t event;
  EXPECT_SUCCESS(hsa_amd_register_system_event_handler(
      [](const hsa_amd_event_t* what, void*) {
        event = *what;
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  std::vector<uint8_t> bytes(4 << 20);
  auto* p = allocate<uint8_t>(vram, 5000);
  const auto expect_fault = [&](const uint8_t* address, const std::string& output) {
    EXPECT_EQ(event.memory_fault.virtual_address >> 12, reinterpret_cast<uint64_t>(address) >> 12);
    EXPECT_EQ(event.memory_fault.agent.handle, gpu().handle);
    EXPECT_LT(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, 10'000'000'000, HSA_WAIT_STATE_BLOCKED), 0);
    hsa_signal_store_relaxed(signal, 1);
    EXPECT_NE(output.find("past the end of 'device memory"), std::string::npos) << output;
  };
  // Too much of it: found where the device memory ends.
  testing::internal::CaptureStderr();
  EXPECT_SUCCESS(copy(p, bytes.data(), 8200));
  expect_fault(p + 8192, testing::internal::GetCapturedStderr());
  testing::internal::CaptureStderr();
  EXPECT_SUCCESS(copy(bytes.data(), p, 8200));
  expect_fault(p + 8192, testing::internal::GetCapturedStderr());
  // Freed, in a large copy, which another thread does.
  auto* large = allocate<uint8_t>(vram, bytes.size());
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(large));
  testing::internal::CaptureStderr();
  EXPECT_SUCCESS(copy(large, bytes.data(), bytes.size()));
  EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, 10'000'000'000, HSA_WAIT_STATE_BLOCKED), -1);
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_NE(output.find("(4194304 bytes), which has been freed"), std::string::npos) << output;
  // More than what was locked.
  void* alias = nullptr;
  EXPECT_SUCCESS(hsa_amd_memory_lock(bytes.data(), 1000, nullptr, 0, &alias));
  testing::internal::CaptureStderr();
  EXPECT_SUCCESS(copy(p, alias, 1001));
  const std::string past = testing::internal::GetCapturedStderr();
  EXPECT_NE(past.find("right past the end of 'locked host memory"), std::string::npos) << past;
  EXPECT_SUCCESS(hsa_amd_memory_unlock(bytes.data()));
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
}

} // namespace
} // namespace crosslane::test
