// What agents say of themselves, against outputs of rocminfo on real cards that people published:
//   vega10   nanopool/nanominer issue 104 (clinfo of ROCm 3.9: 64 units, 1630 MHz)
//   vega20   ROCm/legacy-rocm-build issue 6138; ISA name: ollama/ollama issue 4780
//   mi50     lamikr/rocm_sdk_builder issue 180; pool: lmstudio-ai/lmstudio-bug-tracker issue 352; ISA name:
//            AlphaMine-Tech/alpha-miner issue 5
//   mi100    ROCm/legacy-rocm-build issue 1886 (ISA name); CLRX/CLRX-mirror issue 34 (clinfo: 120 units, 1502 MHz);
//            engines, L2: the kernel's tables
//   mi210    ROCm/legacy-rocm-build issues 2595 and 6031; ROCm/rocm-libraries issue 9699
//   mi250    ROCm/aiter issue 179; ROCm/rocm_smi_lib issue 160
//   rx580    ollama/ollama issue 2453; lamikr/rocm_sdk_builder issue 173
//   fiji     AMD's description of the Radeon R9 Fury X: 64 units, 1050 MHz, 4096 bits at 500 MHz, 4 GiB
#include "hsa/runtime.h"
#include "tests/hsa/session.h"
#include <array>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>

namespace crosslane::hsa {
namespace {

using test::get;
using test::get_string;
using test::Session;

struct Printed {
  const char* card;
  const char* name;
  const char* product;
  const char* isa;
  uint32_t chip, revision, units, engines, arrays, clock, waves, line, l1, l2;
  uint64_t vram_kib;
};

const Printed printed[] = {
    {"vega10", "gfx900", "AMD Radeon RX Vega", "amdgcn-amd-amdhsa--gfx900:xnack-", 26751, 1, 64, 4, 1, 1630, 40, 64, 16,
     4096, 8372224},
    {"vega20", "gfx906", "AMD Radeon VII", "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-", 26287, 1, 60, 4, 1, 1801, 40,
     64, 16, 8192, 16760832},
    {"mi50", "gfx906", "AMD Instinct MI60 / MI50", "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", 26273, 1, 60, 4, 1,
     1725, 40, 64, 16, 8192, 16760832},
    {"mi100", "gfx908", "AMD Instinct MI100", "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-", 29580, 2, 120, 8, 1, 1502,
     40, 64, 16, 8192, 33538048},
    {"mi210", "gfx90a", "AMD Instinct MI210", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", 29711, 1, 104, 8, 1, 1700,
     32, 128, 16, 8192, 67092480},
    {"mi250", "gfx90a", "AMD Instinct MI250X / MI250", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", 29708, 1, 104, 8, 1,
     1700, 32, 128, 16, 8192, 67092480},
    {"rx580", "gfx803", "AMD Radeon RX 580 Series", "amdgcn-amd-amdhsa--gfx803", 26591, 1, 36, 4, 1, 1340, 40, 64, 16,
     2048, 8388608},
    {"fiji", "gfx803", "AMD Radeon R9 Fury Series", "amdgcn-amd-amdhsa--gfx803", 29440, 0, 64, 4, 1, 1050, 40, 64, 16,
     2048, 4194304},
};

std::string isa_name_of(hsa_agent_t agent) {
  std::string name;
  hsa_agent_iterate_isas(
      agent,
      [](hsa_isa_t isa, void* text) {
        uint32_t length = 0;
        hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
        std::vector<char> buffer(length);
        hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, buffer.data());
        *static_cast<std::string*>(text) = buffer.data();
        return HSA_STATUS_SUCCESS;
      },
      &name);
  return name;
}

TEST(AgentInfo, IsWhatRocminfoPrintsOnTheRealCard) {
  for (const Printed& real : printed) {
    SCOPED_TRACE(real.card);
    const Session session(real.card);
    const hsa_agent_t gpu = session.gpu();
    EXPECT_EQ(get_string(gpu, HSA_AGENT_INFO_NAME), real.name);
    EXPECT_EQ(get_string(gpu, HSA_AGENT_INFO_VENDOR_NAME), "AMD");
    EXPECT_EQ(get_string(gpu, HSA_AMD_AGENT_INFO_PRODUCT_NAME), real.product);
    EXPECT_EQ(isa_name_of(gpu), real.isa);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_CHIP_ID), real.chip);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_ASIC_REVISION), real.revision);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), real.units);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT), real.units);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES), real.engines);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE), real.arrays);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY), real.clock);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU), real.waves);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_CACHELINE_SIZE), real.line);
    const auto caches = get<std::array<uint32_t, 4>>(gpu, HSA_AGENT_INFO_CACHE_SIZE);
    EXPECT_EQ(caches, (std::array<uint32_t, 4>{real.l1 * 1024, real.l2 * 1024, 0, 0}));
    EXPECT_EQ(Runtime::current()->agent(gpu)->vram_bytes / 1024, real.vram_kib);
    // The same on all of these cards.
    EXPECT_EQ(get<hsa_agent_feature_t>(gpu, HSA_AGENT_INFO_FEATURE), HSA_AGENT_FEATURE_KERNEL_DISPATCH);
    EXPECT_EQ(get<hsa_profile_t>(gpu, HSA_AGENT_INFO_PROFILE), HSA_PROFILE_BASE);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AGENT_INFO_QUEUES_MAX), 128U);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AGENT_INFO_QUEUE_MIN_SIZE), 64U);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AGENT_INFO_QUEUE_MAX_SIZE), 131072U);
    EXPECT_EQ(get<hsa_queue_type32_t>(gpu, HSA_AGENT_INFO_QUEUE_TYPE), uint32_t(HSA_QUEUE_TYPE_MULTI));
    EXPECT_EQ(get<hsa_device_type_t>(gpu, HSA_AGENT_INFO_DEVICE), HSA_DEVICE_TYPE_GPU);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU), 4U);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS), 4U);
    EXPECT_EQ(get<bool>(gpu, HSA_AGENT_INFO_FAST_F16_OPERATION), true);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AGENT_INFO_WAVEFRONT_SIZE), 64U);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AGENT_INFO_WORKGROUP_MAX_SIZE), 1024U);
    EXPECT_EQ((get<std::array<uint16_t, 3>>(gpu, HSA_AGENT_INFO_WORKGROUP_MAX_DIM)),
              (std::array<uint16_t, 3>{1024, 1024, 1024}));
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AGENT_INFO_GRID_MAX_SIZE), UINT32_MAX);
    EXPECT_EQ(get<hsa_dim3_t>(gpu, HSA_AGENT_INFO_GRID_MAX_DIM).z, UINT32_MAX);
    EXPECT_EQ(get<uint32_t>(gpu, HSA_AGENT_INFO_FBARRIER_MAX_SIZE), 32U);
  }
}

// Memory clock and width are not printed by rocminfo; HIP's device properties have them. AMD's product pages:
// bandwidths in GB/s.
TEST(AgentInfo, MemoryHasTheBandwidthThatAmdStates) {
  const std::pair<const char*, double> stated[] = {{"vega10", 484}, {"vega56", 410},   {"vega20", 1024}, {"mi50", 1024},
                                                   {"mi100", 1229}, {"mi210", 1638},   {"fiji", 512},    {"mi25", 484},
                                                   {"rx580", 256},  {"polaris11", 112}};
  for (const auto& [card, bandwidth] : stated) {
    const Session session(card);
    const double width = get<uint32_t>(session.gpu(), HSA_AMD_AGENT_INFO_MEMORY_WIDTH);
    const double clock = get<uint32_t>(session.gpu(), HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY);
    const bool gddr5 = width <= 512; // four transfers a cycle; HBM two
    EXPECT_NEAR(width / 8 * clock * (gddr5 ? 4 : 2) / 1000, bandwidth, 1) << card;
  }
}

TEST(AgentInfo, CpuIsTheHost) {
  const Session session;
  const hsa_agent_t cpu = session.cpu();
  std::string model;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line) && model.empty();)
    if (line.starts_with("model name"))
      model = line.substr(line.find(": ") + 2);
  EXPECT_EQ(get_string(cpu, HSA_AGENT_INFO_NAME), model.substr(0, 63));
  EXPECT_EQ(get_string(cpu, HSA_AMD_AGENT_INFO_PRODUCT_NAME), model.substr(0, 63));
  EXPECT_EQ(get_string(cpu, HSA_AGENT_INFO_VENDOR_NAME), "CPU");
  EXPECT_EQ(get<hsa_device_type_t>(cpu, HSA_AGENT_INFO_DEVICE), HSA_DEVICE_TYPE_CPU);
  EXPECT_EQ(get<hsa_profile_t>(cpu, HSA_AGENT_INFO_PROFILE), HSA_PROFILE_FULL);
  EXPECT_EQ(get<uint32_t>(cpu, HSA_AGENT_INFO_FEATURE), 0U);
  EXPECT_EQ(get<uint32_t>(cpu, HSA_AGENT_INFO_QUEUES_MAX), 0U);
  EXPECT_EQ(get<uint32_t>(cpu, HSA_AGENT_INFO_NODE), 0U);
  EXPECT_EQ(get<hsa_isa_t>(cpu, HSA_AGENT_INFO_ISA).handle, 0U);
  EXPECT_GE(get<uint32_t>(cpu, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), 1U);
  EXPECT_EQ(isa_name_of(cpu), "");
  char uuid[21] = "";
  EXPECT_EQ(hsa_agent_get_info(cpu, hsa_agent_info_t(HSA_AMD_AGENT_INFO_UUID), uuid), HSA_STATUS_SUCCESS);
  EXPECT_STREQ(uuid, "CPU-XX");
}

std::string uuid_of(hsa_agent_t agent) {
  char uuid[22];
  std::memset(uuid, '#', sizeof uuid);
  EXPECT_EQ(hsa_agent_get_info(agent, hsa_agent_info_t(HSA_AMD_AGENT_INFO_UUID), uuid), HSA_STATUS_SUCCESS);
  EXPECT_EQ(uuid[21], '#') << "21 characters, NUL included, are all that a client need have";
  return uuid;
}

TEST(AgentInfo, GpusCanBeToldApart) {
  std::set<std::string> uuids;
  std::set<uint32_t> places, nodes;
  std::vector<std::string> first;
  for (int again = 0; again < 2; ++again) {
    const Session session("vega10,vega10,mi50");
    ASSERT_EQ(session.agents.size(), 4U);
    for (size_t i = 0; i < 3; ++i) {
      const std::string uuid = uuid_of(session.gpu(i));
      EXPECT_TRUE(std::regex_match(uuid, std::regex("GPU-[0-9a-f]{16}"))) << uuid;
      uuids.insert(uuid);
      places.insert(get<uint32_t>(session.gpu(i), HSA_AMD_AGENT_INFO_BDFID));
      nodes.insert(get<uint32_t>(session.gpu(i), HSA_AMD_AGENT_INFO_DRIVER_NODE_ID));
      EXPECT_EQ(get<uint32_t>(session.gpu(i), HSA_AGENT_INFO_NODE), i + 1);
    }
  }
  EXPECT_EQ(uuids.size(), 3U) << "and the same each time";
  EXPECT_EQ(places.size(), 3U);
  EXPECT_EQ(nodes, (std::set<uint32_t>{1, 2, 3}));
}

TEST(AgentInfo, AttributesThatAreNewerThanTheHeaders) {
  const Session session;
  EXPECT_EQ(get<uint64_t>(session.gpu(), 0xA016), 100'000'000U); // timestamp frequency, 1 to 400 MHz: LLVM 19 asks
  EXPECT_EQ(get<uint64_t>(session.gpu(), 0xA015), Runtime::current()->agent(session.gpu())->vram_bytes);
  EXPECT_EQ(get<uint32_t>(session.gpu(), 0xA107), 141U); // AMDGPU_FAMILY_AI
  EXPECT_EQ(get<hsa_agent_t>(session.gpu(), 0xA113).handle, session.cpu().handle);
}

// HIP 5.2.3 refuses every other gfx7.
TEST(AgentInfo, KaveriHasTheFullProfile) {
  for (const char* card : {"kaveri", "carrizo", "raven", "hawaii", "vega10"}) {
    const Session session(card);
    const bool full = card == std::string("kaveri");
    EXPECT_EQ(get<hsa_profile_t>(session.gpu(), HSA_AGENT_INFO_PROFILE), full ? HSA_PROFILE_FULL : HSA_PROFILE_BASE)
        << card;
    std::array<bool, 2> profiles{};
    EXPECT_EQ(
        hsa_isa_get_info_alt(get<hsa_isa_t>(session.gpu(), HSA_AGENT_INFO_ISA), HSA_ISA_INFO_PROFILES, profiles.data()),
        HSA_STATUS_SUCCESS);
    EXPECT_EQ(profiles, (std::array{true, full})) << card;
  }
}

// HIP hands these addresses on to programs, which write to them.
TEST(AgentInfo, HdpFlushRegistersCanBeWritten) {
  const Session session;
  const auto registers = get<hsa_amd_hdp_flush_t>(session.gpu(), HSA_AMD_AGENT_INFO_HDP_FLUSH);
  *registers.HDP_MEM_FLUSH_CNTL = 1;
  *registers.HDP_REG_FLUSH_CNTL = 1;
}

TEST(AgentInfo, CooperativeQueuesAndImagesButNoSvm) {
  const Session session;
  EXPECT_TRUE(get<bool>(session.gpu(), HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES));
  EXPECT_FALSE(get<bool>(session.gpu(), HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS));
  const auto extensions = get<std::array<uint8_t, 128>>(session.gpu(), HSA_AGENT_INFO_EXTENSIONS);
  EXPECT_EQ(extensions[0], 2) << "without bit 1 HIP has no hipMallocPitch";
  EXPECT_EQ((get<std::array<uint8_t, 128>>(session.cpu(), HSA_AGENT_INFO_EXTENSIONS)), (std::array<uint8_t, 128>{}));
}

TEST(AgentInfo, LimitsOfImages) {
  const Session session;
  uint32_t limits[4] = {1, 1, 1, 0x5a5a5a5a};
  const auto three_d = hsa_agent_info_t(HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS);
  EXPECT_EQ(hsa_amd_image_get_info_max_dim(session.gpu(), three_d, limits), HSA_STATUS_SUCCESS);
  EXPECT_EQ(limits[0], 16384U);
  EXPECT_EQ(limits[1], 16384U);
  EXPECT_EQ(limits[2], 8192U);
  EXPECT_EQ(limits[3], 0x5a5a5a5aU);
  EXPECT_EQ(hsa_amd_image_get_info_max_dim(session.cpu(), three_d, limits), HSA_STATUS_SUCCESS);
  EXPECT_EQ(limits[0] | limits[1] | limits[2], 0U);
  EXPECT_EQ(hsa_amd_image_get_info_max_dim(session.gpu(), HSA_AGENT_INFO_NODE, limits),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST(AgentInfo, ArgumentsAreChecked) {
  uint32_t value = 0;
  EXPECT_EQ(hsa_agent_get_info({0}, HSA_AGENT_INFO_NODE, &value), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_iterate_agents(nullptr, nullptr), HSA_STATUS_ERROR_NOT_INITIALIZED);
  const Session session;
  EXPECT_EQ(hsa_agent_get_info({0}, HSA_AGENT_INFO_NODE, &value), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_agent_get_info({1234}, HSA_AGENT_INFO_NODE, &value), HSA_STATUS_ERROR_INVALID_AGENT);
  for (const hsa_agent_t agent : session.agents) {
    EXPECT_EQ(hsa_agent_get_info(agent, HSA_AGENT_INFO_NODE, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (const int unknown : {0x19, 0x100, 0x1000, 0x9fff, 0xA0FF, 0xBFFF})
      EXPECT_EQ(hsa_agent_get_info(agent, hsa_agent_info_t(unknown), &value), HSA_STATUS_ERROR_INVALID_ARGUMENT)
          << unknown;
  }
  EXPECT_EQ(value, 0U);
  EXPECT_EQ(hsa_iterate_agents(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST(AgentInfo, IterationStopsAtWhatTheCallbackReturns) {
  const Session session("vega10,fiji");
  int calls = 0;
  const auto stop = [](hsa_agent_t, void* count) {
    ++*static_cast<int*>(count);
    return HSA_STATUS_INFO_BREAK;
  };
  EXPECT_EQ(hsa_iterate_agents(stop, &calls), HSA_STATUS_INFO_BREAK);
  EXPECT_EQ(calls, 1);
}

TEST(AgentInfo, CachesAreThoseOfTheCard) {
  const Session session("mi210");
  std::vector<hsa_cache_t> caches;
  const auto collect = [](hsa_cache_t cache, void* list) {
    static_cast<std::vector<hsa_cache_t>*>(list)->push_back(cache);
    return HSA_STATUS_SUCCESS;
  };
  ASSERT_EQ(hsa_agent_iterate_caches(session.gpu(), collect, &caches), HSA_STATUS_SUCCESS);
  ASSERT_EQ(caches.size(), 2U);
  const uint32_t sizes[] = {16 << 10, 8 << 20};
  for (size_t i = 0; i < 2; ++i) {
    uint8_t level = 0;
    uint32_t size = 0, length = 0;
    char name[80] = "";
    EXPECT_EQ(hsa_cache_get_info(caches[i], HSA_CACHE_INFO_LEVEL, &level), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_cache_get_info(caches[i], HSA_CACHE_INFO_SIZE, &size), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_cache_get_info(caches[i], HSA_CACHE_INFO_NAME_LENGTH, &length), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_cache_get_info(caches[i], HSA_CACHE_INFO_NAME, name), HSA_STATUS_SUCCESS);
    EXPECT_EQ(level, i + 1);
    EXPECT_EQ(size, sizes[i]);
    EXPECT_EQ(length, std::strlen(name));
    EXPECT_EQ(name, "gfx90a L" + std::to_string(i + 1));
    EXPECT_EQ(hsa_cache_get_info(caches[i], HSA_CACHE_INFO_LEVEL, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(hsa_cache_get_info(caches[i], hsa_cache_info_t(9), name), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  }
  uint8_t level = 0;
  EXPECT_EQ(hsa_cache_get_info({0}, HSA_CACHE_INFO_LEVEL, &level), HSA_STATUS_ERROR_INVALID_CACHE);
  EXPECT_EQ(hsa_cache_get_info({caches[1].handle + 1}, HSA_CACHE_INFO_LEVEL, &level), HSA_STATUS_ERROR_INVALID_CACHE);
  EXPECT_EQ(hsa_agent_iterate_caches(session.gpu(), nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_agent_iterate_caches({7}, collect, &caches), HSA_STATUS_ERROR_INVALID_AGENT);
}

} // namespace
} // namespace crosslane::hsa
