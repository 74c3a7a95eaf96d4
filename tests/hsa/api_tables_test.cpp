// The layouts of the API tables. Each test has a process of its own, because a process has one layout.
#include "hsa/functions.h"
#include "hsa/tools/api_tables.h"
#define AMD_INTERNAL_BUILD // headers side by side
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hsa/hsa_api_trace.h>

namespace crosslane::hsa {
namespace {

// HsaApiTable of 6.2 and later: as that of 5.2, and two more members.
struct NewRoot {
  HsaApiTable old;
  const ApiTableVersion *tools, *pc_sampling;
};

int failures = 0;
void require(bool good, const char* what) {
  if (!good)
    ++failures, std::fprintf(stderr, "not so: %s\n", what);
}
#define REQUIRE(condition) require(condition, #condition)

// An entry by its place.
Code at(const ApiTableVersion* table, size_t place) {
  return reinterpret_cast<const Code*>(reinterpret_cast<uintptr_t>(table) + sizeof(ApiTableVersion))[place];
}
#define CODE(name) reinterpret_cast<Code>(&functions::name)

// Ends the process with the number of failures of `body`, which gets the tables of the release.
template <class Body> [[noreturn]] void with_tables(Release release, Body&& body) {
  body(*static_cast<const NewRoot*>(make_tables(release)));
  std::exit(failures);
}

bool has_version(const ApiTableVersion& v, uint32_t major, uint32_t size, uint32_t step) {
  return v.major_id == major && v.minor_id == size && v.step_id == step;
}

class ApiTables : public ::testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
#define EXPECT_GOOD(statement) EXPECT_EXIT(statement, ::testing::ExitedWithCode(0), "")

// All that the tables of 5.2 hold.
void compare(const CoreApiTable& core, const AmdExtTable& amd, const ImageExtTable& image,
             const FinalizerExtTable& finalizer) {
  int compared = 0;
#define COMPARE_r5_2(table, name) require(reinterpret_cast<Code>(table.name##_fn) == CODE(name), #name), ++compared;
#define COMPARE_r5_5(table, name)
#define COMPARE_r5_6(table, name)
#define COMPARE_r6_0(table, name)
#define COMPARE_r6_1(table, name)
#define COMPARE_r6_2(table, name)
#define COMPARE_r6_3(table, name)
#define COMPARE_r6_4(table, name)
#define COMPARE_r7_0(table, name)
#define FUNCTION(table, release, name) COMPARE_##release(table, name)
#define TABLE_ONLY(table, release, name) COMPARE_##release(table, name)
#include "hsa/functions.inc"
  REQUIRE(compared ==
          (sizeof core + sizeof amd + sizeof image + sizeof finalizer - 4 * sizeof(ApiTableVersion)) / sizeof(Code));
}

// Debian's header has the layout of 5.2: every entry is compared by its name there.
TEST_F(ApiTables, Of52AreThoseOfTheHeader) {
  EXPECT_GOOD(with_tables(Release::r5_2, [](const NewRoot& root) {
    const HsaApiTable& table = root.old;
    REQUIRE(has_version(table.version, HSA_API_TABLE_MAJOR_VERSION, sizeof(HsaApiTable), HSA_API_TABLE_STEP_VERSION));
    const CoreApiTable& core = *table.core_;
    REQUIRE(has_version(core.version, HSA_CORE_API_TABLE_MAJOR_VERSION, sizeof core, HSA_CORE_API_TABLE_STEP_VERSION));
    const AmdExtTable& amd = *table.amd_ext_;
    REQUIRE(
        has_version(amd.version, HSA_AMD_EXT_API_TABLE_MAJOR_VERSION, sizeof amd, HSA_AMD_EXT_API_TABLE_STEP_VERSION));
    const ImageExtTable& image = *table.image_ext_;
    REQUIRE(
        has_version(image.version, HSA_IMAGE_API_TABLE_MAJOR_VERSION, sizeof image, HSA_IMAGE_API_TABLE_STEP_VERSION));
    const FinalizerExtTable& finalizer = *table.finalizer_ext_; // ROCr tells no version of it without a finalizer
    compare(core, amd, image, finalizer);
  }));
}

// Sizes, versions and places below are those of hsa_api_trace.h of each release.
TEST_F(ApiTables, Of55) {
  EXPECT_GOOD(with_tables(Release::r5_5, [](const NewRoot& root) {
    REQUIRE(has_version(root.old.version, 1, 48, 0));
    const auto* amd = &root.old.amd_ext_->version;
    REQUIRE(has_version(*amd, 1, 424, 0));
    REQUIRE(at(amd, 16) == CODE(hsa_amd_agent_memory_pool_get_info));
    REQUIRE(at(amd, 47) == CODE(hsa_amd_spm_acquire)); // in the middle
    REQUIRE(at(amd, 50) == CODE(hsa_amd_queue_cu_get_mask));
  }));
}

TEST_F(ApiTables, Of57) {
  EXPECT_GOOD(with_tables(Release::r5_6, [](const NewRoot& root) {
    REQUIRE(has_version(root.old.version, 1, 48, 0));
    const auto* amd = &root.old.amd_ext_->version;
    REQUIRE(has_version(*amd, 1, 456, 0));
    REQUIRE(at(amd, 16) == CODE(hsa_amd_memory_async_copy_on_engine));
    REQUIRE(at(amd, 18) == CODE(hsa_amd_agent_memory_pool_get_info));
    REQUIRE(at(amd, 54) == CODE(hsa_amd_portable_close_dmabuf));
  }));
}

TEST_F(ApiTables, Of60) {
  EXPECT_GOOD(with_tables(Release::r6_0, [](const NewRoot& root) {
    REQUIRE(has_version(root.old.version, 2, 48, 0));
    REQUIRE(has_version(root.old.core_->version, 2, 1016, 0));
    REQUIRE(has_version(root.old.amd_ext_->version, 2, 552, 0));
    REQUIRE(has_version(root.old.image_ext_->version, 2, 120, 0));
    REQUIRE(at(&root.old.amd_ext_->version, 66) == CODE(hsa_amd_vmem_get_alloc_properties_from_handle));
  }));
}

TEST_F(ApiTables, Of61) {
  EXPECT_GOOD(with_tables(Release::r6_1, [](const NewRoot& root) {
    REQUIRE(has_version(root.old.version, 3, 56, 0));
    REQUIRE(has_version(root.old.amd_ext_->version, 2, 560, 1));
    REQUIRE(has_version(*root.tools, 1, 64, 0));
    REQUIRE(!at(root.tools, 0)); // nobody listens
  }));
}

TEST_F(ApiTables, Of62) {
  EXPECT_GOOD(with_tables(Release::r6_2, [](const NewRoot& root) {
    REQUIRE(has_version(root.old.version, 3, 64, 1));
    REQUIRE(has_version(root.old.amd_ext_->version, 2, 576, 3));
    REQUIRE(has_version(*root.pc_sampling, 1, 72, 0));
    REQUIRE(at(root.pc_sampling, 6) == CODE(hsa_ven_amd_pcs_flush));
  }));
}

TEST_F(ApiTables, OfTheNewest) {
  EXPECT_GOOD(with_tables(Release::r7_0, [](const NewRoot& root) {
    REQUIRE(has_version(root.old.version, 3, 64, 1));
    REQUIRE(has_version(root.old.core_->version, 2, 1016, 0));
    REQUIRE(has_version(root.old.amd_ext_->version, 2, 608, 7));
    REQUIRE(has_version(root.old.image_ext_->version, 2, 128, 1));
    REQUIRE(at(&root.old.amd_ext_->version, 73) == CODE(hsa_amd_portable_export_dmabuf_v2));
    REQUIRE(at(&root.old.image_ext_->version, 13) == CODE(hsa_ext_sampler_create_v2));
  }));
}

// Calls of what a layout lacks do not go by it, and still work.
TEST_F(ApiTables, WhatALayoutLacksIsCalledDirectly) {
  EXPECT_GOOD(with_tables(Release::r5_2, [](const NewRoot&) {
    REQUIRE(hsa_amd_memory_copy_engine_status({}, {}, nullptr) == HSA_STATUS_ERROR_NOT_INITIALIZED);
  }));
}

TEST_F(ApiTables, TheReleaseIsSaid) {
  std::string error;
  const auto said = [&](const char* release) {
    setenv("CROSSLANE_HSA_TABLES", release, 1);
    return release_in_use(error);
  };
  EXPECT_EQ(said("5.2"), Release::r5_2);
  EXPECT_EQ(said("5.4"), Release::r5_2); // which changed nothing
  EXPECT_EQ(said("5.7"), Release::r5_6);
  EXPECT_EQ(said("6.0"), Release::r6_0);
  EXPECT_EQ(said("6.4"), Release::r6_4);
  EXPECT_EQ(said("8.1"), Release::r7_0);
  EXPECT_EQ(error, "");
  said("newest");
  EXPECT_EQ(error, "CROSSLANE_HSA_TABLES is 'newest'; it must be a release of ROCm such as 5.2 or 6.2");
  unsetenv("CROSSLANE_HSA_TABLES");
  error.clear();
  EXPECT_EQ(release_in_use(error), Release::r5_2); // nothing here is newer
}

// Where rocprofiler-register is, it gets tables of the newest layout; if it knows a profiler, HSA_TOOLS_LIB is left
// alone.
[[noreturn]] void with_register(const char* variable, const char* value, bool told, bool loads_tools) {
  void* const library = dlopen(TOOL_DIR "/libtool_register.so", RTLD_LAZY);
  REQUIRE(library);
  setenv("CROSSLANE_GPU", "vega10", 1);
  setenv("HSA_TOOLS_LIB", TOOL_DIR "/libtool_a.so", 1);
  setenv(variable, value, 1);
  REQUIRE(hsa_init() == HSA_STATUS_SUCCESS);
  const auto* root = *static_cast<const NewRoot**>(dlsym(library, "registered_table"));
  REQUIRE(bool(root) == told);
  if (root)
    REQUIRE(has_version(root->old.version, 3, 64, 1));
  const char* log = std::getenv("TOOL_LOG");
  REQUIRE(bool(log) == loads_tools);
  std::exit(failures);
}

TEST_F(ApiTables, AreToldToRocprofilerRegister) {
  EXPECT_GOOD(with_register("REGISTER_ANSWER", "0", true, false));
  EXPECT_GOOD(with_register("REGISTER_ANSWER", "1", true, true)); // no profilers
  EXPECT_GOOD(with_register("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "1", true, true));
  EXPECT_GOOD(with_register("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "Off", true, false));
  EXPECT_GOOD(with_register("HSA_TOOLS_DISABLE_REGISTER", "1", false, true));
}

} // namespace
} // namespace crosslane::hsa
