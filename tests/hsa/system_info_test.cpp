// The system and its extensions.
#include "tests/hsa/session.h"
#include <array>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <thread>

namespace crosslane::hsa {
namespace {

using test::Session;

template <class T> T system_get(int attribute) {
  struct {
    T value;
    uint64_t guard;
  } buffer{{}, 0x5a5a5a5a5a5a5a5a};
  EXPECT_EQ(hsa_system_get_info(static_cast<hsa_system_info_t>(attribute), &buffer.value), HSA_STATUS_SUCCESS)
      << attribute;
  EXPECT_EQ(buffer.guard, 0x5a5a5a5a5a5a5a5aU) << attribute;
  return buffer.value;
}

// What rocminfo prints on every machine: version 1.1, 1000 MHz, 2^64 - 1, LARGE, LITTLE.
TEST(SystemInfo, IsWhatRocminfoPrints) {
  const Session session;
  EXPECT_EQ(system_get<uint16_t>(HSA_SYSTEM_INFO_VERSION_MAJOR), 1);
  EXPECT_EQ(system_get<uint16_t>(HSA_SYSTEM_INFO_VERSION_MINOR), 1);
  EXPECT_EQ(system_get<uint64_t>(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY), 1'000'000'000U);
  EXPECT_EQ(system_get<uint64_t>(HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT), UINT64_MAX);
  EXPECT_EQ(system_get<hsa_machine_model_t>(HSA_SYSTEM_INFO_MACHINE_MODEL), HSA_MACHINE_MODEL_LARGE);
  EXPECT_EQ(system_get<hsa_endianness_t>(HSA_SYSTEM_INFO_ENDIANNESS), HSA_ENDIANNESS_LITTLE);
  EXPECT_NE(system_get<const char*>(HSA_AMD_SYSTEM_INFO_BUILD_VERSION), nullptr);
  EXPECT_TRUE(system_get<bool>(HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED));
  EXPECT_FALSE(system_get<bool>(HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT));
}

TEST(SystemInfo, TimestampsCountNanoseconds) {
  const Session session;
  const auto clock = std::chrono::steady_clock::now();
  const auto before = system_get<uint64_t>(HSA_SYSTEM_INFO_TIMESTAMP);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto after = system_get<uint64_t>(HSA_SYSTEM_INFO_TIMESTAMP);
  const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - clock;
  EXPECT_GE(after - before, 20'000'000U);
  EXPECT_LE(after - before, uint64_t(passed.count()));
}

bool has(const std::array<uint8_t, 128>& bits, unsigned extension) { return bits[extension / 8] >> extension % 8 & 1; }

TEST(SystemInfo, ExtensionsAgreeWithEachOther) {
  const Session session;
  const auto bits = system_get<std::array<uint8_t, 128>>(HSA_SYSTEM_INFO_EXTENSIONS);
  for (const unsigned id : {0U, 1U, 2U, 3U, 0x200U, 0x201U, 0x202U}) {
    SCOPED_TRACE(id);
    const bool expected =
        id == HSA_EXTENSION_IMAGES || id == HSA_EXTENSION_AMD_LOADER || id == HSA_EXTENSION_AMD_PROFILER;
    EXPECT_EQ(has(bits, id), expected);
    bool result = !expected, major = !expected, on_gpu = !expected, on_cpu = true;
    uint16_t minor = 99, gpu_minor = 99;
    EXPECT_EQ(hsa_system_extension_supported(uint16_t(id), 1, 0, &result), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_system_major_extension_supported(uint16_t(id), 1, &minor, &major), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_agent_major_extension_supported(uint16_t(id), session.gpu(), 1, &gpu_minor, &on_gpu),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_agent_extension_supported(uint16_t(id), session.cpu(), 1, 0, &on_cpu), HSA_STATUS_SUCCESS);
    EXPECT_EQ(result, expected);
    EXPECT_EQ(major, expected);
    EXPECT_EQ(on_gpu, expected);
    EXPECT_FALSE(on_cpu);
    EXPECT_EQ(minor, id == HSA_EXTENSION_AMD_LOADER ? 3 : 0);
    const char* name = nullptr;
    EXPECT_EQ(hsa_extension_get_name(uint16_t(id), &name), HSA_STATUS_SUCCESS);
    EXPECT_EQ(std::strncmp(name, "HSA_EXTENSION_", 14), 0);
  }
  bool result = true;
  EXPECT_EQ(hsa_system_extension_supported(HSA_EXTENSION_AMD_LOADER, 1, 4, &result), HSA_STATUS_SUCCESS);
  EXPECT_FALSE(result);
  EXPECT_EQ(hsa_system_extension_supported(HSA_EXTENSION_AMD_LOADER, 2, 0, &result), HSA_STATUS_SUCCESS);
  EXPECT_FALSE(result);
}

// HIP asks for the 24 bytes of version 1.0 of the loader's table.
TEST(SystemInfo, LoaderTableHasNoMoreThanTheClientHasRoomFor) {
  const Session session;
  std::array<void*, 9> table{};
  EXPECT_EQ(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 24, table.data()), HSA_STATUS_SUCCESS);
  for (size_t i = 0; i < table.size(); ++i)
    EXPECT_EQ(table[i] != nullptr, i < 3) << i;
  table = {};
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 1, table.data()), HSA_STATUS_SUCCESS);
  for (size_t i = 0; i < table.size(); ++i)
    EXPECT_EQ(table[i] != nullptr, i < sizeof(hsa_ven_amd_loader_1_01_pfn_t) / 8) << i;
  table = {};
  EXPECT_EQ(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof table, table.data()),
            HSA_STATUS_SUCCESS);
  for (size_t i = 0; i < table.size(); ++i)
    EXPECT_EQ(table[i] != nullptr, i < sizeof(hsa_ven_amd_loader_1_03_pfn_t) / 8) << i;
}

TEST(SystemInfo, ArgumentsAreChecked) {
  uint64_t value = 0;
  bool result = false;
  const char* name = nullptr;
  uint16_t minor = 0;
  std::array<void*, 16> table{};
  EXPECT_EQ(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &value), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_extension_get_name(0, &name), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 9, table.data()),
            HSA_STATUS_ERROR_NOT_INITIALIZED);
  const Session session;
  EXPECT_EQ(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_get_info(hsa_system_info_t(0x300), &value), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_extension_get_name(0x300, &name), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_extension_get_name(0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_extension_supported(0x300, 1, 0, &result), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_extension_supported(0, 1, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_major_extension_supported(0, 1, nullptr, &result), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_extension_supported(0, {0}, 1, 0, &result), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_agent_major_extension_supported(0, session.gpu(), 1, &minor, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 24, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 2, 24, table.data()), HSA_STATUS_ERROR);
  EXPECT_EQ(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_PROFILER, 1, 24, table.data()), HSA_STATUS_ERROR);
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 9, table.data()), HSA_STATUS_ERROR);
}

} // namespace
} // namespace crosslane::hsa
