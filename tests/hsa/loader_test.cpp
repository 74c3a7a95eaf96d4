// Which code runs on which GPU, and loading from several threads.
#include "hsa/code/loader.h"
#include "hsa/code/loader_extension.h"
#include "tests/hsa/code_objects.h"
#include <atomic>
#include <thread>

namespace crosslane::test {
namespace {

// Source: LLVM AMDGPUUsage, "Target ID": what a code object does not mention fits both settings.
TEST(Fits, TargetsAndAgents) {
  struct Case {
    const char *target, *isa;
    bool fits;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"gfx900", "gfx900:xnack-", true},
           {"gfx900:xnack-", "gfx900:xnack-", true},
           {"gfx900:xnack+", "gfx900:xnack-", false},
           {"gfx90", "gfx900:xnack-", false},
           {"gfx900", "gfx90a:sramecc+:xnack-", false},
           {"gfx90a", "gfx90a:sramecc+:xnack-", true},
           {"gfx803", "gfx803", true},
           {"gfx906:sramecc+:xnack-", "gfx906:sramecc+:xnack-", true},
           {"gfx906:sramecc-:xnack-", "gfx906:sramecc+:xnack-", false},
           {"gfx906:xnack-", "gfx906:sramecc+:xnack-", true},
           {"gfx906:sramecc+", "gfx906:xnack-", true},
           {"gfx9-generic", "gfx906:sramecc+:xnack-", true},
           {"gfx9-generic:xnack-", "gfx90c:xnack-", true},
           {"gfx9-generic:xnack+", "gfx900:xnack-", false},
           {"gfx9-generic", "gfx908:sramecc+:xnack-", false},
           {"gfx10-1-generic", "gfx900:xnack-", false},
       })
    EXPECT_EQ(hsa::fits(c.target, std::string("amdgcn-amd-amdhsa--") + c.isa), c.fits) << c.target << " on " << c.isa;
  EXPECT_FALSE(hsa::fits("gfx900", ""));
}

class LoaderThreads : public HsaTest {};

// A tool that looks at all loaded code does not stop those who load and unload, nor the other way round.
TEST_F(LoaderThreads, LoadUnloadAndAskAtTheSameTime) {
  const auto bytes = built("symbols-gfx900.co");
  const auto& loader = hsa::loader_table();
  std::atomic<int> loading{4};
  std::atomic<uint64_t> seen{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 50 || !seen; ++round) {
        TestExecutable executable;
        EXPECT_SUCCESS(executable.load(gpu(), bytes));
        EXPECT_SUCCESS(executable.freeze());
        EXPECT_EQ(*reinterpret_cast<const int*>(executable.address("counter", gpu())), 5);
      }
      --loading;
    });
  threads.emplace_back([&] {
    const auto ask = [](hsa_executable_t, hsa_loaded_code_object_t object, void* sum) {
      uint64_t size = 0;
      const auto& table = hsa::loader_table();
      if (table.hsa_ven_amd_loader_loaded_code_object_get_info(
              object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE, &size) == HSA_STATUS_SUCCESS)
        ++*static_cast<std::atomic<uint64_t>*>(sum);
      return HSA_STATUS_SUCCESS;
    };
    struct Asking {
      decltype(+ask) each;
      std::atomic<uint64_t>* seen;
    } asking{ask, &seen};
    while (loading) {
      const auto look = [](hsa_executable_t executable, void* data) {
        const auto& what = *static_cast<Asking*>(data);
        // It may be gone already.
        hsa::loader_table().hsa_ven_amd_loader_executable_iterate_loaded_code_objects(executable, what.each, what.seen);
        return HSA_STATUS_SUCCESS;
      };
      EXPECT_SUCCESS(loader.hsa_ven_amd_loader_iterate_executables(look, &asking));
      size_t count = 0;
      EXPECT_SUCCESS(loader.hsa_ven_amd_loader_query_segment_descriptors(nullptr, &count));
    }
  });
  for (auto& thread : threads)
    thread.join();
}

} // namespace
} // namespace crosslane::test
