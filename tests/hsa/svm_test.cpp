// Attributes of shared virtual memory. What is expected is what Linux 6.1 and ROCr tell of the same calls (kfd_svm.c,
// runtime.cpp).
#include "hsa/memory/heap_tables.h"
#include "hsa/runtime.h"
#include "machine/window.h"
#include "tests/hsa/memory_fixture.h"
#include <cstdlib>
#include <sys/mman.h>

namespace crosslane::test {
namespace {

using Pair = hsa_amd_svm_attribute_pair_t;
constexpr size_t page = 4096;

class SvmTest : public MemoryTest {
protected:
  explicit SvmTest(const char* gpus = "vega10,vega10") : MemoryTest(gpus) {}
  void SetUp() override {
    MemoryTest::SetUp();
    pages = static_cast<uint8_t*>(mmap(nullptr, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  void TearDown() override {
    munmap(pages, 16 * page);
    MemoryTest::TearDown();
  }
  static bool system(int attribute) {
    bool value = true;
    EXPECT_SUCCESS(hsa_system_get_info(hsa_system_info_t(attribute), &value));
    return value;
  }
  hsa_status_t set(size_t first, size_t count, std::vector<Pair> list) {
    return hsa_amd_svm_attributes_set(pages + first * page, count * page, list.data(), list.size());
  }
  uint64_t get(size_t first, size_t count, uint64_t attribute) {
    Pair pair{attribute, 99};
    EXPECT_SUCCESS(hsa_amd_svm_attributes_get(pages + first * page, count * page, &pair, 1));
    return pair.value;
  }
  uint64_t access(size_t first, size_t count, hsa_agent_t agent) {
    Pair pair{HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, agent.handle};
    EXPECT_SUCCESS(hsa_amd_svm_attributes_get(pages + first * page, count * page, &pair, 1));
    EXPECT_EQ(pair.value, agent.handle);
    return pair.attribute;
  }
  uint8_t* pages = nullptr; // 16
};

TEST_F(SvmTest, UntoldPages) {
  EXPECT_TRUE(system(HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED));
  EXPECT_FALSE(system(HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT));
  EXPECT_EQ(get(0, 16, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), uint64_t(HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED));
  EXPECT_EQ(get(0, 16, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY), 9u);
  for (const uint64_t attribute :
       {HSA_AMD_SVM_ATTRIB_READ_ONLY, HSA_AMD_SVM_ATTRIB_HIVE_LOCAL, HSA_AMD_SVM_ATTRIB_READ_MOSTLY,
        HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION})
    EXPECT_EQ(get(0, 16, attribute), 0u) << attribute;
  EXPECT_EQ(access(0, 16, cpu), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE);
  EXPECT_EQ(access(0, 16, gpu()), HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS);
}

TEST_F(SvmTest, EachPageHasItsOwn) {
  EXPECT_SUCCESS(set(2, 6,
                     {{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpus[0].handle},
                      {HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE, gpus[1].handle},
                      {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, gpus[1].handle},
                      {HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1},
                      {HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY, 30}}));
  EXPECT_EQ(access(2, 6, gpus[0]), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE);
  EXPECT_EQ(access(3, 1, gpus[1]), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE);
  EXPECT_EQ(get(2, 6, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION), gpus[1].handle);
  EXPECT_EQ(get(2, 6, HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY), 18u);
  EXPECT_EQ(get(0, 2, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION), 0u);
  EXPECT_EQ(access(8, 8, gpus[0]), HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS);
  // In the middle; ranges that only touch it stay as they were, and one that has both has neither's.
  EXPECT_SUCCESS(set(4, 2,
                     {{HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, gpus[0].handle},
                      {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, cpu.handle},
                      {HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED},
                      {HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 0}}));
  EXPECT_EQ(access(2, 2, gpus[0]), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE);
  EXPECT_EQ(access(4, 2, gpus[0]), HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS);
  EXPECT_EQ(access(2, 6, gpus[0]), HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS);
  EXPECT_EQ(access(2, 6, gpus[1]), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE);
  EXPECT_EQ(get(4, 2, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION), cpu.handle);
  EXPECT_EQ(get(6, 2, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION), gpus[1].handle);
  EXPECT_EQ(get(3, 2, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION), 0u);
  EXPECT_EQ(get(4, 2, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), uint64_t(HSA_AMD_SVM_GLOBAL_FLAG_COARSE_GRAINED));
  EXPECT_EQ(get(4, 4, HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG), uint64_t(HSA_AMD_SVM_GLOBAL_FLAG_INDETERMINATE));
  EXPECT_EQ(get(6, 2, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 1u);
  EXPECT_EQ(get(2, 6, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 0u);
  // Whole pages count: a byte on either side of a boundary is two of them.
  Pair hive{HSA_AMD_SVM_ATTRIB_HIVE_LOCAL, 1};
  EXPECT_SUCCESS(hsa_amd_svm_attributes_set(pages + 13 * page - 1, 2, &hive, 1));
  EXPECT_EQ(get(12, 2, HSA_AMD_SVM_ATTRIB_HIVE_LOCAL), 1u);
}

TEST_F(SvmTest, WhatCannotBe) {
  EXPECT_EQ(set(0, 1, {{HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG, 2}}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set(0, 1, {{HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, cpu.handle}}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set(0, 1, {{HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, cpu.handle}}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set(0, 1, {{77, 1}}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(set(0, 1, {{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, 1}}), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(set(0, 1, {{HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, 1}}), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(set(0, 1, {{HSA_AMD_SVM_ATTRIB_READ_ONLY, 1}, {HSA_AMD_SVM_ATTRIB_READ_ONLY, 0}}),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(
      set(0, 1,
          {{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpu().handle}, {HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, gpu().handle}}),
      HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  // One that is wrong undoes the others.
  EXPECT_EQ(set(0, 1, {{HSA_AMD_SVM_ATTRIB_READ_ONLY, 1}, {77, 1}}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(get(0, 1, HSA_AMD_SVM_ATTRIB_READ_ONLY), 0u);
  Pair pair{HSA_AMD_SVM_ATTRIB_READ_ONLY, 1};
  EXPECT_EQ(hsa_amd_svm_attributes_set(nullptr, page, &pair, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_svm_attributes_set(pages, 0, &pair, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_svm_attributes_set(pages, SIZE_MAX, &pair, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_svm_attributes_set(pages, page, nullptr, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  // Where nothing is mapped, and memory of pools and locks, which the driver has under other rules
  munmap(pages + 8 * page, page);
  EXPECT_EQ(set(7, 2, {pair}), HSA_STATUS_ERROR);
  for (const auto pool : {vram, host}) {
    void* p = allocate(pool, 3 * page);
    EXPECT_EQ(hsa_amd_svm_attributes_set(p, page, &pair, 1), HSA_STATUS_ERROR);
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
  }
  void* alias = nullptr;
  EXPECT_SUCCESS(hsa_amd_memory_lock(pages, page, nullptr, 0, &alias));
  EXPECT_EQ(set(0, 1, {pair}), HSA_STATUS_ERROR);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(pages));
  EXPECT_SUCCESS(set(0, 1, {pair}));
}

// What was unmapped is forgotten as soon as other memory in its place is given to the GPUs.
TEST_F(SvmTest, NewMemoryHasNoPast) {
  const std::vector<Pair> all = {{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpus[0].handle},
                                 {HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpus[1].handle}};
  EXPECT_SUCCESS(set(0, 16, all));
  EXPECT_SUCCESS(
      set(0, 16, {{HSA_AMD_SVM_ATTRIB_READ_MOSTLY, 1}, {HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION, cpu.handle}}));
  pages[0] = pages[5 * page] = 1;
  EXPECT_SUCCESS(set(0, 16, all)); // in use: no news
  EXPECT_EQ(get(0, 16, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 1u);
  ASSERT_EQ(mmap(pages, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), pages);
  EXPECT_SUCCESS(set(0, 16, all));
  EXPECT_EQ(get(0, 16, HSA_AMD_SVM_ATTRIB_READ_MOSTLY), 0u);
  EXPECT_EQ(get(0, 16, HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION), 0u);
  EXPECT_EQ(access(0, 16, gpus[1]), HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE);
}

TEST_F(SvmTest, PrefetchWaitsAndIsTold) {
  hsa_signal_t first{};
  ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &first));
  EXPECT_SUCCESS(hsa_amd_svm_prefetch_async(pages, 4 * page, gpus[1], 1, &first, signal));
  EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, 10'000'000, HSA_WAIT_STATE_BLOCKED), 1);
  EXPECT_EQ(get(0, 4, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), 0u);
  hsa_signal_store_screlease(first, 0);
  wait();
  EXPECT_EQ(get(0, 4, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), gpus[1].handle);
  EXPECT_SUCCESS(hsa_amd_svm_prefetch_async(pages, page, cpu, 0, nullptr, signal));
  wait();
  EXPECT_EQ(get(0, 1, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), cpu.handle);
  EXPECT_EQ(get(1, 3, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), gpus[1].handle);
  EXPECT_EQ(get(0, 4, HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION), 0u);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(pages, page, {1}, 0, nullptr, signal), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_SUCCESS(hsa_signal_destroy(first));
}

// Thousands that come and go leave little behind: what is unmapped is neither kept nor named.
TEST_F(SvmTest, UnmappedOnesAreForgotten) {
  const std::vector<Pair> all = {{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpus[0].handle},
                                 {HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpus[1].handle}};
  const uint64_t first = machine::map_in_window(page, PROT_READ | PROT_WRITE);
  uint64_t address = first;
  for (int i = 0; i < 1000; ++i) {
    auto list = all;
    ASSERT_SUCCESS(hsa_amd_svm_attributes_set(reinterpret_cast<void*>(address), page, list.data(), list.size()));
    munmap(reinterpret_cast<void*>(address), page);
    address = machine::map_in_window(page, PROT_READ | PROT_WRITE);
  }
  munmap(reinterpret_cast<void*>(address), page);
  auto& memory = hsa::heap_of(*hsa::Runtime::current()).memory;
  const auto nearest = memory.nearest(first);
  EXPECT_TRUE(!nearest || nearest->address != first);
}

// A kernel uses what its GPU was given.
TEST_F(SvmTest, KernelsReachIt) {
  auto* words = reinterpret_cast<uint32_t*>(pages);
  words[0] = 5;
  EXPECT_SUCCESS(set(0, 16, {{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, gpu().handle}}));
  AddOne add_one(gpu());
  add_one.start(words, 128, signal);
  wait();
  EXPECT_EQ(words[0], 6u);
  EXPECT_EQ(words[254], 1u);
}

class OldCardSvmTest : public SvmTest {
protected:
  OldCardSvmTest() : SvmTest("vega10,fiji") {}
};
TEST_F(OldCardSvmTest, IsNotThere) {
  EXPECT_FALSE(system(HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED));
  EXPECT_EQ(set(0, 1, {{HSA_AMD_SVM_ATTRIB_READ_ONLY, 1}}), HSA_STATUS_ERROR);
  EXPECT_EQ(hsa_amd_svm_prefetch_async(pages, page, cpu, 0, nullptr, signal), HSA_STATUS_ERROR);
}

} // namespace
} // namespace crosslane::test
