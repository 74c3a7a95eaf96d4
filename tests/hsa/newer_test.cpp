// What came after ROCm 5.2 and has no file of its own: waiting for several signals, questions about queues, the system,
// pools and agents, samplers with a mode for each axis, and what only a card does for profilers. Expectations from the
// newest headers; numbers as there.
#include "hsa/newer.h"
#include "hsa/tools/newer_tools.h"
#include "tests/hsa/memory_fixture.h"
#include "tests/hsa/session.h"
#include <array>
#include <chrono>
#include <cstring>
#include <thread>

namespace crosslane::test {
namespace {

using hsa::test::get;
using hsa::test::Session;

// The structures that clients compiled with the newest headers pass.
static_assert(sizeof(perf_sample_hosttrap_v1_t) == 64 && sizeof(perf_sample_snapshot_v1_t) == 64);
static_assert(sizeof(hsa_ext_sampler_descriptor_v2_t) == 20 && sizeof(hsa_amd_memory_access_desc_t) == 16);
static_assert(sizeof(hsa_amd_clock_counters_t) == 32 && sizeof(hsa_amd_sdma_engine_id_t) == 4);
static_assert(sizeof(hsa_ven_amd_pc_sampling_1_00_pfn_t) == 7 * sizeof(void*));
static_assert(sizeof(hsa_amd_event_scratch_alloc_end_t) == 48);

template <class T> T ask(uint32_t attribute) {
  T value{};
  EXPECT_SUCCESS(hsa_system_get_info(hsa_system_info_t(attribute), &value));
  return value;
}

TEST(Newer, WhatTheSystemCan) {
  const Session session;
  EXPECT_FALSE(ask<bool>(0x203)); // mwaitx
  EXPECT_TRUE(ask<bool>(0x204));  // dma-bufs
  EXPECT_TRUE(ask<bool>(0x205));  // virtual memory
  EXPECT_FALSE(ask<bool>(0x206)); // XNACK
  EXPECT_EQ(ask<uint16_t>(0x207), 1);
  EXPECT_EQ(ask<uint16_t>(0x208), 11); // hsa_amd_agent_info_t: HSA_AMD_AGENT_INFO_CLOCK_COUNTERS
  uint64_t value;
  EXPECT_EQ(hsa_system_get_info(hsa_system_info_t(0x209), &value), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  bool supported = true;
  EXPECT_SUCCESS(hsa_system_extension_supported(HSA_EXTENSION_AMD_PC_SAMPLING, 1, 0, &supported));
  EXPECT_FALSE(supported);
}

TEST(Newer, TextsOfStatuses) {
  const Session session;
  for (const int status : {45, 46, 47}) {
    const char* text = nullptr;
    EXPECT_SUCCESS(hsa_status_string(hsa_status_t(status), &text));
    EXPECT_EQ(std::strncmp(text, "HSA_STATUS_ERROR_", 17), 0) << text;
  }
}

TEST(Newer, WhatAgentsAre) {
  for (const char* card : {"vega10", "fiji", "raven", "mi210"}) {
    const Session session(card);
    const hsa_agent_t gpu = session.gpu(), cpu = session.cpu();
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_UCODE_VERSION), 0u); // there is none
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION), 0u);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_NUM_XCC), 1u);
    EXPECT_EQ(get<hsa_agent_t>(gpu, HSA_AMD_AGENT_INFO_NEAREST_CPU).handle, cpu.handle);
    const auto properties = get<std::array<uint8_t, 8>>(gpu, HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES);
    // hsa_flag_isset64(value, HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU): the enumerator is the number of the bit
    EXPECT_EQ(properties[0] >> HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU & 1, std::strcmp(card, "raven") == 0) << card;
    EXPECT_GT(get<uint64_t>(gpu, HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX), 0u);
    // Its threshold is of cards with asynchronous reclaim, from gfx942 on.
    EXPECT_EQ(get<uint64_t>(gpu, HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT), 0u);
    EXPECT_EQ(hsa_amd_agent_set_async_scratch_limit(gpu, 1 << 20), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_amd_agent_set_async_scratch_limit(cpu, 1 << 20), HSA_STATUS_ERROR_INVALID_AGENT);
    const auto before = get<hsa_amd_clock_counters_t>(gpu, HSA_AMD_AGENT_INFO_CLOCK_COUNTERS);
    const auto after = get<hsa_amd_clock_counters_t>(gpu, HSA_AMD_AGENT_INFO_CLOCK_COUNTERS);
    EXPECT_GT(before.gpu_clock_counter, 0u);
    EXPECT_GE(after.gpu_clock_counter, before.gpu_clock_counter);
    EXPECT_GE(after.system_clock_counter, before.system_clock_counter);
    EXPECT_GE(after.cpu_clock_counter, before.cpu_clock_counter);
    EXPECT_EQ(after.system_clock_frequency, 1'000'000'000u);
    EXPECT_EQ(after.gpu_clock_counter, after.system_clock_counter / 10); // 100 MHz
    // ROCr of the CPU: nothing of all that.
    for (const int attribute : {0xA107, 0xA108, 0xA109, 0xA10A, 0xA10B, 0xA110, 0xA111, 0xA112})
      EXPECT_EQ(get<uint32_t>(cpu, attribute), 0u) << attribute;
    for (const int attribute : {0xA113, 0xA114, 0xA115, 0xA116, 0xA117})
      EXPECT_EQ(get<uint64_t>(cpu, attribute), 0u) << attribute;
    EXPECT_EQ(get<hsa_amd_clock_counters_t>(cpu, 0xA118).cpu_clock_counter, 0u);
    EXPECT_EQ(get<uint64_t>(cpu, HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY), 1'000'000'000u);
    uint64_t value;
    EXPECT_EQ(hsa_agent_get_info(gpu, hsa_agent_info_t(0xA119), &value), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
}

TEST_F(MemoryTest, WherePoolsAre) {
  EXPECT_EQ(pool_info<uint32_t>(vram, HSA_AMD_MEMORY_POOL_INFO_LOCATION), uint32_t(HSA_AMD_MEMORY_POOL_LOCATION_GPU));
  EXPECT_EQ(pool_info<uint32_t>(host, HSA_AMD_MEMORY_POOL_INFO_LOCATION), uint32_t(HSA_AMD_MEMORY_POOL_LOCATION_CPU));
  EXPECT_EQ(pool_info<size_t>(vram, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE), size_t(2) << 20);
  EXPECT_EQ(pool_info<size_t>(host, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE), size_t(4096));
  EXPECT_EQ(pool_info<size_t>(pools_of(gpu()).back(), HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE), 0u);
  uint32_t value;
  EXPECT_EQ(hsa_amd_memory_pool_get_info(pools_of(gpu()).back(),
                                         hsa_amd_memory_pool_info_t(HSA_AMD_MEMORY_POOL_INFO_LOCATION), &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT); // LDS is in no such place
}

TEST_F(MemoryTest, FlagsOfAllocations) {
  for (uint32_t flags = 0; flags < 9; ++flags) {
    void* memory = nullptr;
    const hsa_status_t status = hsa_amd_memory_pool_allocate(vram, 4096, flags, &memory);
    if (flags == 8) { // there is no such flag
      EXPECT_EQ(status, HSA_STATUS_ERROR_INVALID_ARGUMENT);
      break;
    }
    ASSERT_EQ(status, HSA_STATUS_SUCCESS);
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    EXPECT_SUCCESS(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr));
    // "Allocates fine grain memory type where memory ordering is per point to point connection."
    EXPECT_EQ(info.global_flags, flags & HSA_AMD_MEMORY_POOL_PCIE_FLAG
                                     ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
                                     : HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(memory));
  }
}

TEST_F(MemoryTest, SharedVirtualMemoryMayBeExecutable) {
  alignas(4096) static char page[4096];
  hsa_amd_svm_attribute_pair_t pair{HSA_AMD_SVM_ATTRIB_GPU_EXEC, 7};
  EXPECT_SUCCESS(hsa_amd_svm_attributes_get(page, sizeof page, &pair, 1));
  EXPECT_EQ(pair.value, 0u);
  pair.value = 1;
  EXPECT_SUCCESS(hsa_amd_svm_attributes_set(page, sizeof page, &pair, 1));
  pair.value = 0;
  EXPECT_SUCCESS(hsa_amd_svm_attributes_get(page, sizeof page, &pair, 1));
  EXPECT_EQ(pair.value, 1u);
}

class WaitAllTest : public HsaTest {
protected:
  void SetUp() override {
    HsaTest::SetUp();
    for (auto& signal : signals)
      ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &signal));
  }
  void TearDown() override {
    for (const auto signal : signals)
      EXPECT_SUCCESS(hsa_signal_destroy(signal));
    HsaTest::TearDown();
  }
  uint32_t wait(uint32_t count, hsa_signal_t* list, uint64_t timeout, hsa_signal_value_t* seen) {
    return hsa_amd_signal_wait_all(count, list, conditions, values, timeout, HSA_WAIT_STATE_BLOCKED, seen);
  }
  hsa_signal_t signals[3];
  hsa_signal_condition_t conditions[4] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_GTE,
                                          HSA_SIGNAL_CONDITION_NE};
  hsa_signal_value_t values[4] = {0, 1, 5, 1};
};

TEST_F(WaitAllTest, WaitsForTheLast) {
  hsa_signal_value_t seen[3] = {7, 7, 7};
  EXPECT_EQ(wait(3, signals, 1'000'000, seen), UINT32_MAX);
  std::thread other([&] {
    hsa_signal_store_relaxed(signals[2], 6);
    hsa_signal_store_relaxed(signals[0], 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    hsa_signal_store_relaxed(signals[1], -3);
  });
  EXPECT_EQ(wait(3, signals, 60'000'000'000, seen), 0u);
  EXPECT_EQ(hsa_signal_load_relaxed(signals[1]), -3);
  EXPECT_EQ(seen[0], 0);
  EXPECT_EQ(seen[1], -3);
  EXPECT_EQ(seen[2], 6);
  EXPECT_EQ(wait(3, signals, 0, nullptr), 0u);
  other.join();
}

// "NULL and invalid signals are considered to have value 0 and their conditions already satisfied."
TEST_F(WaitAllTest, NoSignalIsDone) {
  hsa_signal_value_t seen[4] = {7, 7, 7, 7};
  hsa_signal_t none[4] = {};
  EXPECT_EQ(wait(4, none, 0, seen), 0u);
  for (const auto value : seen)
    EXPECT_EQ(value, 0);
  hsa_signal_t some[4] = {{0}, {0}, signals[0], signals[1]}; // >= 5, != 1
  hsa_signal_store_relaxed(signals[0], 5);
  EXPECT_EQ(wait(4, some, 1'000'000, seen), UINT32_MAX);
  hsa_signal_store_relaxed(signals[1], 2);
  EXPECT_EQ(wait(4, some, 60'000'000'000, seen), 0u);
  EXPECT_EQ(seen[0], 0);
  EXPECT_EQ(seen[2], 5);
  EXPECT_EQ(seen[3], 2);
  EXPECT_EQ(wait(0, nullptr, 0, nullptr), 0u);
}

TEST_F(HsaTest, QueuesTellTheirAgentAndDoorbell) {
  const TestQueue one(gpu()), two(gpu());
  hsa_agent_t agent{};
  EXPECT_SUCCESS(hsa_amd_queue_get_info(one.get(), HSA_AMD_QUEUE_INFO_AGENT, &agent));
  EXPECT_EQ(agent.handle, gpu().handle);
  uint64_t first = 0, second = 0;
  EXPECT_SUCCESS(hsa_amd_queue_get_info(one.get(), HSA_AMD_QUEUE_INFO_DOORBELL_ID, &first));
  EXPECT_SUCCESS(hsa_amd_queue_get_info(two.get(), HSA_AMD_QUEUE_INFO_DOORBELL_ID, &second));
  EXPECT_NE(first, 0u);
  EXPECT_NE(first, second);
  EXPECT_EQ(hsa_amd_queue_get_info(one.get(), hsa_queue_info_attribute_t(2), &agent),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_queue_get_info(one.get(), HSA_AMD_QUEUE_INFO_AGENT, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_queue_get_info(nullptr, HSA_AMD_QUEUE_INFO_AGENT, &agent), HSA_STATUS_ERROR_INVALID_QUEUE);
}

TEST_F(HsaTest, LoggingTakesItsFlags) {
  uint8_t flags[8] = {1 << HSA_AMD_LOG_FLAG_BLIT_KERNEL_PKTS};
  EXPECT_SUCCESS(hsa_amd_enable_logging(flags, nullptr));
  EXPECT_SUCCESS(hsa_amd_enable_logging(flags, stderr));
  EXPECT_EQ(hsa_amd_enable_logging(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// The address modes are in the first word of S#, three bits each from x on: 0 repeat, 1 mirrored, 2 clamp to edge, 6 to
// border (Vega ISA manual, table 43).
TEST_F(HsaTest, SamplersWithAModeForEachAxis) {
  hsa_ext_sampler_descriptor_v2_t descriptor{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                             HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
                                             {HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT,
                                              HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE,
                                              HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER}};
  hsa_ext_sampler_t sampler{}, other{};
  ASSERT_SUCCESS(hsa_ext_sampler_create_v2(gpu(), &descriptor, &sampler));
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(sampler.handle) & 0x1ff, 1u | 2u << 3 | 6u << 6);
  std::fill_n(descriptor.address_modes, 3, HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT);
  const hsa_ext_sampler_descriptor_t old{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                         HSA_EXT_SAMPLER_FILTER_MODE_NEAREST, HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT};
  ASSERT_SUCCESS(hsa_ext_sampler_create(gpu(), &old, &other));
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(other.handle) & 0x1ff, 0u);
  descriptor.address_modes[2] = 9;
  EXPECT_EQ(hsa_ext_sampler_create_v2(gpu(), &descriptor, &other),
            int(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED));
  EXPECT_EQ(hsa_ext_sampler_create_v2(gpu(), nullptr, &other), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_sampler_create_v2(gpu(), &descriptor, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_sampler_create_v2({0}, &descriptor, &other), HSA_STATUS_ERROR_INVALID_AGENT);
  for (const auto each : {sampler, other})
    EXPECT_SUCCESS(hsa_ext_sampler_destroy(gpu(), each));
  hsa_ext_images_1_newest_pfn_t table{};
  EXPECT_SUCCESS(hsa_system_get_major_extension_table(HSA_EXTENSION_IMAGES, 1, sizeof table, &table));
  EXPECT_NE(table.hsa_ext_sampler_create_v2, nullptr);
}

TEST_F(HsaTest, ThereIsNothingToSampleWith) {
  hsa_ven_amd_pcs_t session{};
  const auto iterate = [](const hsa_ven_amd_pcs_configuration_t*, void*) { return HSA_STATUS_SUCCESS; };
  const auto ready = [](void*, size_t, size_t, hsa_ven_amd_pcs_data_copy_callback_t, void*) {};
  testing::internal::CaptureStderr();
  for (int twice = 0; twice < 2; ++twice)
    EXPECT_EQ(hsa_ven_amd_pcs_iterate_configuration(gpu(), iterate, nullptr), HSA_STATUS_ERROR);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("crosslane: hsa_ven_amd_pcs_iterate_configuration is not supported: "), 0u) << said;
  EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
  EXPECT_EQ(hsa_ven_amd_pcs_iterate_configuration(cpu, iterate, nullptr), HSA_STATUS_ERROR_INVALID_AGENT);
  const auto create = [&](hsa_agent_t agent, size_t bytes, hsa_ven_amd_pcs_t* made) {
    return hsa_ven_amd_pcs_create(agent, HSA_VEN_AMD_PCS_METHOD_HOSTTRAP_V1,
                                  HSA_VEN_AMD_PCS_INTERVAL_UNITS_MICRO_SECONDS, 1000, 0, bytes, ready, nullptr, made);
  };
  EXPECT_EQ(create(gpu(), 6400, &session), HSA_STATUS_ERROR);
  EXPECT_EQ(create(gpu(), 6401, &session), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(gpu(), 6400, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(cpu, 6400, &session), HSA_STATUS_ERROR_INVALID_AGENT);
  for (const auto call : {hsa_ven_amd_pcs_start, hsa_ven_amd_pcs_stop, hsa_ven_amd_pcs_flush, hsa_ven_amd_pcs_destroy})
    EXPECT_EQ(call(session), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_spm_acquire(gpu()), HSA_STATUS_ERROR);
  EXPECT_EQ(hsa_amd_spm_acquire(cpu), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_spm_release(gpu()), HSA_STATUS_ERROR);
  uint32_t timeout = 0, copied = 0;
  bool lost = false;
  EXPECT_EQ(hsa_amd_spm_set_dest_buffer(gpu(), 4096, &timeout, &copied, &session, &lost), HSA_STATUS_ERROR);
}

} // namespace
} // namespace crosslane::test
