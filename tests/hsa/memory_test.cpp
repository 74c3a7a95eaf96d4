// Pools, regions, pointers and what may access them.
#include "hsa/newer.h"
#include "tests/hsa/memory_fixture.h"
#include <cstring>
#include <thread>

namespace crosslane::test {
namespace {

class TwoGpuMemoryTest : public MemoryTest {
protected:
  TwoGpuMemoryTest() : MemoryTest("vega10,vega10") {}
};
class SmallMemoryTest : public MemoryTest {
protected:
  void SetUp() override {
    setenv("CROSSLANE_VRAM", "64M", 1);
    MemoryTest::SetUp();
    unsetenv("CROSSLANE_VRAM");
  }
};

constexpr uint32_t kernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
constexpr uint32_t fine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
constexpr uint32_t coarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
constexpr uint32_t extended_scope = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED;

TEST_F(MemoryTest, PoolsAreThoseOfTheRealRuntime) {
  const auto of_cpu = pools_of(cpu), of_gpu = pools_of(gpu());
  ASSERT_EQ(of_cpu.size(), 3u);
  ASSERT_EQ(of_gpu.size(), 3u);
  std::vector<uint32_t> flags;
  for (const auto pool : of_cpu) {
    flags.push_back(pool_info<uint32_t>(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS));
    EXPECT_EQ(pool_info<uint32_t>(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT), uint32_t(HSA_AMD_SEGMENT_GLOBAL));
    EXPECT_TRUE(pool_info<bool>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED));
    EXPECT_TRUE(pool_info<bool>(pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL));
    EXPECT_EQ(pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE), 4096u);
    EXPECT_GE(pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE), size_t(1) << 28);
  }
  EXPECT_EQ(flags, (std::vector<uint32_t>{fine, fine | kernarg, coarse}));
  EXPECT_EQ(pool_info<uint32_t>(of_gpu[0], HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS), coarse);
  const auto size = pool_info<size_t>(of_gpu[0], HSA_AMD_MEMORY_POOL_INFO_SIZE);
  EXPECT_EQ(size >> 28, 31u); // 8 GiB less some
  EXPECT_EQ(pool_info<size_t>(of_gpu[0], HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE), size);
  EXPECT_FALSE(pool_info<bool>(of_gpu[0], HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL));
  EXPECT_EQ(pool_info<uint32_t>(of_gpu[1], HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS), extended_scope); // since ROCm 5.7
  EXPECT_EQ(pool_info<size_t>(of_gpu[1], HSA_AMD_MEMORY_POOL_INFO_SIZE), size);
  EXPECT_EQ(pool_info<uint32_t>(of_gpu[2], HSA_AMD_MEMORY_POOL_INFO_SEGMENT), uint32_t(HSA_AMD_SEGMENT_GROUP));
  EXPECT_EQ(pool_info<size_t>(of_gpu[2], HSA_AMD_MEMORY_POOL_INFO_SIZE), size_t(64) << 10);
  EXPECT_FALSE(pool_info<bool>(of_gpu[2], HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED));
  void* p;
  EXPECT_EQ(hsa_amd_memory_pool_allocate(of_gpu[2], 64, 0, &p), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_pool_allocate({0}, 64, 0, &p), hsa_status_t(HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  EXPECT_EQ(hsa_amd_memory_pool_allocate(vram, 0, 0, &p), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(vram, 64, 8, &p), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(vram, 64, 0, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_pool_get_info(vram, hsa_amd_memory_pool_info_t(99), &p), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// As rocminfo shows on such a card: the same memory once more, fine-grained.
class InstinctMemoryTest : public MemoryTest {
protected:
  InstinctMemoryTest() : MemoryTest("mi50") {}
  void SetUp() override {
    setenv("CROSSLANE_VRAM", "64M", 1);
    MemoryTest::SetUp();
    unsetenv("CROSSLANE_VRAM");
  }
};
TEST_F(InstinctMemoryTest, DeviceMemoryIsAlsoFineGrained) {
  const auto pools = pools_of(gpu());
  ASSERT_EQ(pools.size(), 4u);
  EXPECT_EQ(pool_info<uint32_t>(pools[0], HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS), coarse);
  EXPECT_EQ(pool_info<uint32_t>(pools[2], HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS), fine);
  EXPECT_EQ(pool_info<uint32_t>(pools[3], HSA_AMD_MEMORY_POOL_INFO_SEGMENT), uint32_t(HSA_AMD_SEGMENT_GROUP));
  void *p = nullptr, *q = nullptr;
  EXPECT_SUCCESS(hsa_amd_memory_pool_allocate(pools[0], 40 << 20, 0, &p));
  EXPECT_EQ(hsa_amd_memory_pool_allocate(pools[2], 40 << 20, 0, &q), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
  EXPECT_SUCCESS(hsa_amd_memory_pool_allocate(pools[2], 40 << 20, 0, &q));
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(q, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.global_flags, fine);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(pools[0], 40 << 20, 0, &p), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(q));
}
TEST(ForcedFineGrain, IsThereOnAnyCard) {
  setenv("HSA_FORCE_FINE_GRAIN_PCIE", "1", 1);
  setenv("CROSSLANE_GPU", "vega20", 1);
  ASSERT_SUCCESS(hsa_init());
  EXPECT_SUCCESS(hsa_iterate_agents(
      [](hsa_agent_t agent, void*) {
        hsa_device_type_t type;
        EXPECT_SUCCESS(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
        EXPECT_EQ(pools_of(agent).size(), type == HSA_DEVICE_TYPE_GPU ? 4u : 3u);
        return HSA_STATUS_SUCCESS;
      },
      nullptr));
  EXPECT_SUCCESS(hsa_shut_down());
  unsetenv("HSA_FORCE_FINE_GRAIN_PCIE");
}

// GCC takes the first kernarg region of the GPU, and the first coarse-grained one for its data: that must be on the
// GPU.
TEST_F(TwoGpuMemoryTest, RegionsOfAGpuBeginWithItsOwnMemory) {
  for (const auto agent : gpus) {
    struct Regions {
      hsa_region_t kernarg{}, data{};
    } regions;
    EXPECT_SUCCESS(hsa_agent_iterate_regions(
        agent,
        [](hsa_region_t region, void* data) {
          auto& found = *static_cast<Regions*>(data);
          hsa_region_segment_t segment;
          uint32_t flags = 0;
          EXPECT_SUCCESS(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
          EXPECT_SUCCESS(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
          if (segment == HSA_REGION_SEGMENT_GLOBAL && flags & HSA_REGION_GLOBAL_FLAG_KERNARG && !found.kernarg.handle)
            found.kernarg = region;
          if (segment == HSA_REGION_SEGMENT_GLOBAL && flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED &&
              !found.data.handle)
            found.data = region;
          return HSA_STATUS_SUCCESS;
        },
        &regions));
    EXPECT_EQ(regions.data.handle, pools_of(agent)[0].handle);
    ASSERT_NE(regions.kernarg.handle, 0u);
    bool host_accessible = false;
    EXPECT_SUCCESS(
        hsa_region_get_info(regions.kernarg, hsa_region_info_t(HSA_AMD_REGION_INFO_HOST_ACCESSIBLE), &host_accessible));
    EXPECT_TRUE(host_accessible);
    void* p = nullptr;
    EXPECT_SUCCESS(hsa_memory_allocate(regions.kernarg, 270392, &p));
    std::memset(p, 1, 270392);
    EXPECT_SUCCESS(hsa_memory_assign_agent(p, agent, HSA_ACCESS_PERMISSION_RW));
    EXPECT_SUCCESS(hsa_memory_free(p));
  }
  // The status of the callback ends the iteration.
  int calls = 0;
  EXPECT_EQ(hsa_agent_iterate_regions(
                gpu(),
                [](hsa_region_t, void* n) {
                  return ++*static_cast<int*>(n) == 2 ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
                },
                &calls),
            HSA_STATUS_INFO_BREAK);
  EXPECT_EQ(calls, 2);
}

TEST_F(TwoGpuMemoryTest, AccessBetweenAgentsAndPools) {
  const auto access = [](hsa_agent_t agent, hsa_amd_memory_pool_t pool) {
    hsa_amd_memory_pool_access_t value{};
    EXPECT_SUCCESS(hsa_amd_agent_memory_pool_get_info(agent, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &value));
    return value;
  };
  EXPECT_EQ(access(gpu(), vram), HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
  EXPECT_EQ(access(gpus[1], vram), HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
  EXPECT_EQ(access(cpu, vram), HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
  EXPECT_EQ(access(gpu(), host), HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
  EXPECT_EQ(access(cpu, host), HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
  EXPECT_EQ(access(cpu, pools_of(gpu())[1]), HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
  uint32_t hops = 9;
  EXPECT_SUCCESS(hsa_amd_agent_memory_pool_get_info(gpu(), host, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops));
  EXPECT_EQ(hops, 1u);
  hsa_amd_memory_pool_link_info_t link{};
  EXPECT_SUCCESS(hsa_amd_agent_memory_pool_get_info(gpu(), host, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, &link));
  EXPECT_EQ(link.link_type, HSA_AMD_LINK_INFO_TYPE_PCIE);
  EXPECT_SUCCESS(hsa_amd_agent_memory_pool_get_info(gpu(), vram, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops));
  EXPECT_EQ(hops, 0u);

  // And what pointer_info tells of it.
  void* p = allocate(vram, 100);
  const auto may_access = [&] {
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    uint32_t count = 0;
    hsa_agent_t* list = nullptr;
    EXPECT_SUCCESS(hsa_amd_pointer_info(p, &info, std::malloc, &count, &list));
    std::vector<uint64_t> handles;
    for (uint32_t i = 0; i < count; ++i)
      handles.push_back(list[i].handle);
    std::free(list);
    return handles;
  };
  EXPECT_EQ(may_access(), std::vector{gpu().handle});
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(1, &gpus[1], nullptr, p));
  EXPECT_EQ(may_access(), (std::vector{gpu().handle, gpus[1].handle}));
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(1, &gpus[0], nullptr, p));
  EXPECT_EQ(may_access(), std::vector{gpu().handle});
  // ROCr grants the CPU what a card without a large BAR does not have; the header would have it refused.
  const hsa_agent_t both[] = {cpu, gpu()};
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(1, &cpu, nullptr, p));
  EXPECT_EQ(may_access(), (std::vector{gpu().handle, cpu.handle}));
  EXPECT_SUCCESS(hsa_amd_agents_allow_access(2, both, nullptr, p));
  EXPECT_EQ(may_access(), (std::vector{cpu.handle, gpu().handle}));
  EXPECT_EQ(hsa_amd_agents_allow_access(0, &cpu, nullptr, p), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_agents_allow_access(1, &gpus[1], nullptr, &p), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
}

TEST_F(SmallMemoryTest, DeviceMemoryIsLimited) {
  EXPECT_EQ(pool_info<size_t>(vram, HSA_AMD_MEMORY_POOL_INFO_SIZE), size_t(64) << 20);
  void *p = nullptr, *q = nullptr;
  EXPECT_EQ(hsa_amd_memory_pool_allocate(vram, 65 << 20, 0, &p), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_memory_pool_allocate(vram, 40 << 20, 0, &p));
  EXPECT_EQ(hsa_amd_memory_pool_allocate(vram, 40 << 20, 0, &q), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
  EXPECT_SUCCESS(hsa_amd_memory_pool_allocate(vram, 40 << 20, 0, &q));
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(q));
  // Allocations take whole pages of it.
  std::vector<void*> small;
  for (void* one = nullptr; hsa_amd_memory_pool_allocate(vram, 1, 0, &one) == HSA_STATUS_SUCCESS;)
    small.push_back(one);
  EXPECT_EQ(small.size(), (64u << 20) / 4096);
  for (void* one : small)
    EXPECT_SUCCESS(hsa_amd_memory_pool_free(one));
}

TEST_F(MemoryTest, NobodyGetsMoreThanTheHostHas) {
  const auto all = pool_info<size_t>(host, HSA_AMD_MEMORY_POOL_INFO_SIZE);
  void* p = nullptr;
  EXPECT_EQ(hsa_amd_memory_pool_allocate(host, all + 4096, 0, &p), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_pool_allocate(host, all, 0, &p),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES); // others have some of it
}

TEST_F(MemoryTest, TenThousandAllocations) {
  std::vector<void*> live;
  for (int i = 0; i < 10000; ++i) {
    auto* p = allocate<uint32_t>(vram, size_t(i % 37 + 1) * 100);
    ASSERT_EQ(reinterpret_cast<uint64_t>(p) % 256, 0u);
    *p = uint32_t(i);
    live.push_back(p);
  }
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(*static_cast<uint32_t*>(live[size_t(i)]), uint32_t(i));
    ASSERT_SUCCESS(hsa_amd_memory_pool_free(live[size_t(i)]));
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2500; ++i) {
        void* p = allocate(vram, 1 << 20);
        std::memset(p, 1, 64);
        ASSERT_SUCCESS(hsa_amd_memory_pool_free(p));
      }
    });
  for (auto& thread : threads)
    thread.join();
}

TEST_F(MemoryTest, PointerInfo) {
  auto* p = allocate<char>(vram, 1000);
  // A client that knows less of the structure must not find its stack overwritten.
  struct {
    hsa_amd_pointer_info_t info;
    uint64_t behind = 77;
  } small;
  std::memset(&small.info, 0x5a, sizeof small.info);
  small.info.size = 32;
  EXPECT_SUCCESS(hsa_amd_pointer_info(p + 999, &small.info, nullptr, nullptr, nullptr));
  EXPECT_EQ(small.info.size, 32u);
  EXPECT_EQ(small.info.type, HSA_EXT_POINTER_TYPE_HSA);
  EXPECT_EQ(small.info.agentBaseAddress, p);
  EXPECT_EQ(small.info.sizeInBytes, 4096u); // a granule
  EXPECT_EQ(reinterpret_cast<uint64_t>(small.info.userData), 0x5a5a5a5a5a5a5a5au);
  EXPECT_EQ(small.info.global_flags, 0x5a5a5a5au);

  EXPECT_SUCCESS(hsa_amd_pointer_info_set_userdata(p, &small));
  EXPECT_EQ(hsa_amd_pointer_info_set_userdata(p + 4, &small), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info + 100; // a newer client
  EXPECT_SUCCESS(hsa_amd_pointer_info(p, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.size, sizeof info);
  EXPECT_EQ(info.userData, &small);
  EXPECT_EQ(info.agentOwner.handle, gpu().handle);
  EXPECT_EQ(info.global_flags, coarse);

  EXPECT_EQ(hsa_amd_pointer_info(nullptr, &info, nullptr, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_pointer_info(p, nullptr, nullptr, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(&small, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(p, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  EXPECT_EQ(hsa_amd_memory_pool_free(p), HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

// A pool's granule and alignment hold for what it allocates, and all of that may be used.
TEST_F(MemoryTest, WholeGranules) {
  for (const auto pool : {vram, host, pools_of(cpu).at(1), pools_of(cpu).at(2)}) {
    const auto granule = pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE);
    const auto alignment = pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT);
    EXPECT_EQ(granule, 4096u);
    EXPECT_EQ(alignment, 4096u);
    for (const size_t bytes : {size_t(1), size_t(1000), granule - 1, granule, granule + 1, (size_t(5) << 20) + 3}) {
      auto* p = allocate<uint8_t>(pool, bytes);
      EXPECT_EQ(reinterpret_cast<uint64_t>(p) % alignment, 0u);
      hsa_amd_pointer_info_t info{};
      info.size = sizeof info;
      EXPECT_SUCCESS(hsa_amd_pointer_info(p + bytes - 1, &info, nullptr, nullptr, nullptr));
      EXPECT_EQ(info.agentBaseAddress, p);
      EXPECT_EQ(info.sizeInBytes, (bytes + granule - 1) / granule * granule);
      EXPECT_SUCCESS(hsa_amd_memory_fill(p, 0x5a5a5a5a, info.sizeInBytes / 4));
      EXPECT_EQ(p[info.sizeInBytes - 1], 0x5a);
      EXPECT_EQ(hsa_amd_memory_fill(p, 0, info.sizeInBytes / 4 + 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
      EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
    }
  }
}

// Where a library of a language allocates, or the user asks for it, the end of what was asked for is what matters.
class ExactBoundsTest : public MemoryTest {
protected:
  void SetUp() override {
    setenv("CROSSLANE_BOUNDS", "exact", 1);
    MemoryTest::SetUp();
    unsetenv("CROSSLANE_BOUNDS");
  }
};
TEST_F(ExactBoundsTest, DeviceMemoryEndsWhereItWasAskedTo) {
  EXPECT_EQ(pool_info<size_t>(vram, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT), 256u);
  auto* p = allocate<uint8_t>(vram, 1000);
  EXPECT_EQ(reinterpret_cast<uint64_t>(p) % 4096, 4096u - 1024);
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  EXPECT_SUCCESS(hsa_amd_pointer_info(p, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.sizeInBytes, 1000u);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
}

TEST_F(MemoryTest, DeallocationCallbacks) {
  auto* p = allocate<char>(vram, 1000);
  static std::vector<std::pair<void*, void*>> calls;
  calls.clear();
  const hsa_amd_deallocation_callback_t record = [](void* ptr, void* data) { calls.emplace_back(ptr, data); };
  int a = 0, b = 0;
  EXPECT_SUCCESS(hsa_amd_register_deallocation_callback(p, record, &a));
  EXPECT_SUCCESS(hsa_amd_register_deallocation_callback(p + 8, record, &b));
  EXPECT_EQ(hsa_amd_register_deallocation_callback(&a, record, &b), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_register_deallocation_callback(p, nullptr, &b), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_register_deallocation_callback(p, record, &b)); // twice, and both go at once
  EXPECT_SUCCESS(hsa_amd_deregister_deallocation_callback(p, record));
  EXPECT_EQ(hsa_amd_deregister_deallocation_callback(p, record), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
  EXPECT_EQ(calls, (std::vector<std::pair<void*, void*>>{{p + 8, &b}}));
}

TEST_F(MemoryTest, Fill) {
  auto* p = allocate<uint32_t>(vram, 4096);
  EXPECT_SUCCESS(hsa_amd_memory_fill(p + 1, 0x01020304, 10));
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(p[i], i >= 1 && i < 11 ? 0x01020304u : 0u);
  EXPECT_EQ(hsa_amd_memory_fill(nullptr, 1, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_fill(reinterpret_cast<char*>(p) + 1, 1, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_memory_fill(&p, 1, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(hsa_amd_memory_fill(p, 1, 1025), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
}

// Locked memory, by either address; and nothing at all.
TEST_F(MemoryTest, FillOfLockedMemory) {
  std::vector<uint32_t> words(64);
  void* alias = nullptr;
  EXPECT_SUCCESS(hsa_amd_memory_fill(words.data(), 1, 0));
  EXPECT_EQ(hsa_amd_memory_fill(words.data(), 1, 1), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_memory_lock(words.data(), 256, nullptr, 0, &alias));
  EXPECT_SUCCESS(hsa_amd_memory_fill(words.data() + 60, 0x01020304, 4));
  EXPECT_SUCCESS(hsa_amd_memory_fill(static_cast<uint32_t*>(alias) + 1, 5, 2));
  EXPECT_EQ(words[0], 0u);
  EXPECT_EQ(words[1], 5u);
  EXPECT_EQ(words[2], 5u);
  EXPECT_EQ(words[3], 0u);
  EXPECT_EQ(words[63], 0x01020304u);
  EXPECT_EQ(hsa_amd_memory_fill(words.data() + 60, 1, 5), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_memory_unlock(words.data()));
}

TEST_F(MemoryTest, ArgumentsThatMakeNoSense) {
  constexpr auto bad = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  constexpr auto bad_agent = HSA_STATUS_ERROR_INVALID_AGENT;
  const auto bad_pool = hsa_status_t(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  const auto none = [](hsa_amd_memory_pool_t, void*) { return HSA_STATUS_SUCCESS; };
  uint64_t value[8] = {};
  EXPECT_EQ(hsa_amd_agent_iterate_memory_pools({9}, none, nullptr), bad_agent);
  EXPECT_EQ(hsa_amd_agent_iterate_memory_pools(gpu(), nullptr, nullptr), bad);
  EXPECT_EQ(hsa_amd_memory_pool_get_info({9}, HSA_AMD_MEMORY_POOL_INFO_SIZE, value), bad_pool);
  EXPECT_EQ(hsa_amd_memory_pool_get_info(vram, HSA_AMD_MEMORY_POOL_INFO_SIZE, nullptr), bad);
  EXPECT_EQ(hsa_amd_agent_memory_pool_get_info({9}, vram, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, value), bad_agent);
  EXPECT_EQ(hsa_amd_agent_memory_pool_get_info(gpu(), {9}, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, value), bad_pool);
  EXPECT_EQ(hsa_amd_agent_memory_pool_get_info(gpu(), vram, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, nullptr), bad);
  EXPECT_EQ(hsa_amd_agent_memory_pool_get_info(gpu(), vram, hsa_amd_agent_memory_pool_info_t(9), value), bad);
  // No hops to one's own memory: ROCr says so by zeros.
  hsa_amd_memory_pool_link_info_t link;
  std::memset(&link, 1, sizeof link);
  EXPECT_SUCCESS(hsa_amd_agent_memory_pool_get_info(gpu(), vram, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, &link));
  EXPECT_EQ(link.max_bandwidth, 0u);
  EXPECT_EQ(link.numa_distance, 0u);
  void* p = allocate(vram, 64);
  const uint32_t flags = 0;
  const hsa_agent_t agent = gpu(), nobody{9};
  EXPECT_EQ(hsa_amd_agents_allow_access(1, nullptr, nullptr, p), bad);
  EXPECT_EQ(hsa_amd_agents_allow_access(1, &agent, &flags, p), bad);
  EXPECT_EQ(hsa_amd_agents_allow_access(1, &agent, nullptr, nullptr), bad);
  EXPECT_EQ(hsa_amd_agents_allow_access(1, &nobody, nullptr, p), bad_agent);
  bool can = true;
  EXPECT_EQ(hsa_amd_memory_pool_can_migrate(vram, host, nullptr), bad);
  EXPECT_EQ(hsa_amd_memory_pool_can_migrate({9}, host, &can), bad_pool);
  EXPECT_EQ(hsa_amd_memory_pool_can_migrate(vram, {9}, &can), bad_pool);
  EXPECT_EQ(hsa_amd_memory_migrate(p, {9}, 0), bad_pool);
  uint64_t tick = 0;
  EXPECT_SUCCESS(hsa_amd_profiling_convert_tick_to_system_domain(gpu(), 1234, &tick));
  EXPECT_EQ(tick, 12340u); // nanoseconds, of a clock of 100 MHz that began together with the system's
  EXPECT_EQ(hsa_amd_profiling_convert_tick_to_system_domain(gpu(), 1, nullptr), bad);
  EXPECT_EQ(hsa_amd_profiling_convert_tick_to_system_domain(cpu, 1, &tick), bad_agent);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(nullptr));
  EXPECT_EQ(hsa_amd_memory_pool_free(static_cast<char*>(p) + 8), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
}

TEST_F(MemoryTest, WhatIsNotSupportedSaysSo) {
  bool can = true;
  EXPECT_SUCCESS(hsa_amd_memory_pool_can_migrate(host, vram, &can));
  EXPECT_FALSE(can);
  void* p = allocate(vram, 64);
  EXPECT_EQ(hsa_amd_memory_migrate(p, host, 0), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_amd_memory_migrate(p, host, 1), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_memory_pool_free(p));
}

TEST_F(MemoryTest, RegisterAndCoherency) {
  int x = 0;
  EXPECT_SUCCESS(hsa_memory_register(&x, sizeof x));
  EXPECT_SUCCESS(hsa_memory_register(nullptr, 0));
  EXPECT_EQ(hsa_memory_register(&x, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_memory_deregister(&x, sizeof x));
  hsa_amd_coherency_type_t type;
  EXPECT_SUCCESS(hsa_amd_coherency_get_type(gpu(), &type));
  EXPECT_EQ(type, HSA_AMD_COHERENCY_TYPE_COHERENT);
  EXPECT_SUCCESS(hsa_amd_coherency_set_type(gpu(), HSA_AMD_COHERENCY_TYPE_NONCOHERENT));
  EXPECT_SUCCESS(hsa_amd_coherency_get_type(gpu(), &type));
  EXPECT_EQ(type, HSA_AMD_COHERENCY_TYPE_NONCOHERENT);
  EXPECT_EQ(hsa_amd_coherency_set_type(gpu(), hsa_amd_coherency_type_t(7)), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_amd_coherency_set_type(gpu(), HSA_AMD_COHERENCY_TYPE_COHERENT));
  EXPECT_SUCCESS(hsa_amd_coherency_get_type(gpu(), &type));
  EXPECT_EQ(type, HSA_AMD_COHERENCY_TYPE_COHERENT);
  EXPECT_EQ(hsa_amd_coherency_get_type(gpu(), nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_amd_coherency_get_type(cpu, &type), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_coherency_set_type(cpu, HSA_AMD_COHERENCY_TYPE_COHERENT), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_amd_coherency_get_type({12345}, &type), HSA_STATUS_ERROR_INVALID_AGENT);
}

} // namespace
} // namespace crosslane::test
