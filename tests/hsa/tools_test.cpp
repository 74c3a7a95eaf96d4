// Tools that the runtime loads: HSA_TOOLS_LIB, and the order, the arguments and the end of what they are told. What is
// expected is what ROCr does (LoadTools and UnloadTools of its runtime.cpp).
#include "hsa/tools/tools.h"
#include "tests/hsa/code_objects.h"
#include "tests/hsa/tools/counter.h"
#include <cstdlib>
#include <dlfcn.h>

namespace crosslane::test {
namespace {

std::string tool(const char* name) { return std::string(TOOL_DIR "/libtool_") + name + ".so"; }

class Tools : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("CROSSLANE_GPU", "vega10", 1);
    unsetenv("TOOL_LOG");
  }
  void TearDown() override {
    unsetenv("HSA_TOOLS_LIB");
    for (void* library : kept_)
      dlclose(library);
  }
  // Of a tool; it stays in the process until the end of the test, so that what it noted can be read.
  ToolRecord& keep(const char* name) {
    void* const library = dlopen(tool(name).c_str(), RTLD_LAZY);
    EXPECT_TRUE(library) << dlerror();
    kept_.push_back(library);
    ToolRecord& record = *reinterpret_cast<ToolRecordOf>(dlsym(library, "tool_record"))();
    record = {};
    return record;
  }
  static std::string log() { return std::getenv("TOOL_LOG") ? std::getenv("TOOL_LOG") : ""; }
  static hsa_status_t ask() {
    uint16_t version = 0;
    return hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &version);
  }

private:
  std::vector<void*> kept_;
};

TEST_F(Tools, IsAskedBeforeTheRuntimeUntilItIsUnloaded) {
  setenv("HSA_TOOLS_LIB", tool("a").c_str(), 1);
  ToolRecord& a = keep("a");
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(a.loads, 1);
  EXPECT_EQ(a.status_in_on_load, HSA_STATUS_SUCCESS);
  EXPECT_EQ(a.runtime_version, a.table->version.major_id);
  EXPECT_EQ(a.failed_count, 0u);
  EXPECT_SUCCESS(ask());
  EXPECT_EQ(a.calls, 1);
  ASSERT_SUCCESS(hsa_init()); // once more: nothing is loaded anew
  EXPECT_EQ(a.loads, 1);
  ASSERT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(a.unloads, 0);
  ASSERT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(a.unloads, 1);
  EXPECT_EQ(a.status_in_on_unload, HSA_STATUS_SUCCESS); // the runtime is still there
  EXPECT_EQ(ask(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(a.calls, 1); // the tables are as before
  // Anew.
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(a.loads, 2);
  EXPECT_SUCCESS(ask());
  EXPECT_EQ(a.calls, 2);
  ASSERT_SUCCESS(hsa_shut_down());
}

TEST_F(Tools, TablesAreLive) {
  setenv("HSA_TOOLS_LIB", tool("a").c_str(), 1);
  ToolRecord& a = keep("a");
  ASSERT_SUCCESS(hsa_init());
  const auto original = a.table->core_->hsa_status_string_fn;
  a.table->core_->hsa_status_string_fn = [](hsa_status_t, const char** text) {
    *text = "another";
    return HSA_STATUS_INFO_BREAK;
  };
  const char* text = nullptr;
  EXPECT_EQ(hsa_status_string(HSA_STATUS_SUCCESS, &text), HSA_STATUS_INFO_BREAK);
  EXPECT_STREQ(text, "another");
  a.table->core_->hsa_status_string_fn = original;
  EXPECT_SUCCESS(hsa_status_string(HSA_STATUS_SUCCESS, &text));
  EXPECT_STRNE(text, "another");
  // The names of HSA 1.0 are other names of the same entries.
  a.table->core_->hsa_signal_load_scacquire_fn = [](hsa_signal_t) { return hsa_signal_value_t(47); };
  EXPECT_EQ(hsa_signal_load_acquire({}), 47);
  ASSERT_SUCCESS(hsa_shut_down());
  ASSERT_SUCCESS(hsa_init());
  hsa_signal_t signal{};
  ASSERT_SUCCESS(hsa_signal_create(11, 0, nullptr, &signal));
  EXPECT_EQ(hsa_signal_load_acquire(signal), 11);
  hsa_signal_destroy(signal);
  ASSERT_SUCCESS(hsa_shut_down());
}

// rocprofiler collects the kernels in its hsa_executable_freeze, before it goes on to the runtime's; with ROCr they
// have addresses.
TEST_F(Tools, WhoFreezesIsToldAddressesBefore) {
  setenv("HSA_TOOLS_LIB", tool("a").c_str(), 1);
  ToolRecord& a = keep("a");
  ASSERT_SUCCESS(hsa_init());
  static decltype(CoreApiTable::hsa_executable_freeze_fn) next;
  static hsa_executable_symbol_t kernel;
  static uint64_t before;
  next = a.table->core_->hsa_executable_freeze_fn, before = 0;
  {
    hsa_agent_t gpu{};
    ASSERT_SUCCESS(hsa_iterate_agents(
        [](hsa_agent_t agent, void* last) {
          *static_cast<hsa_agent_t*>(last) = agent;
          return HSA_STATUS_SUCCESS;
        },
        &gpu));
    const auto address = [] { return symbol_attribute<uint64_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT); };
    TestExecutable executable;
    ASSERT_SUCCESS(executable.load(gpu, built("symbols-gfx900.co")));
    kernel = executable.symbol("plain.kd", gpu);
    EXPECT_EQ(address(), 0u) << "hsa.h: not frozen";
    a.table->core_->hsa_executable_freeze_fn = [](hsa_executable_t frozen, const char* options) {
      before = symbol_attribute<uint64_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
      return next(frozen, options);
    };
    ASSERT_SUCCESS(executable.freeze());
    EXPECT_NE(before, 0u);
    EXPECT_EQ(before, address());
  }
  ASSERT_SUCCESS(hsa_shut_down());
}

TEST_F(Tools, TwoAtOnceAreUnloadedInReverse) {
  setenv("HSA_TOOLS_LIB", (tool("a") + " " + tool("b")).c_str(), 1);
  ToolRecord &a = keep("a"), &b = keep("b");
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(a.table, b.table);
  EXPECT_SUCCESS(ask());
  EXPECT_EQ(a.calls, 2); // also of b's OnLoad, which asked what was in the table then
  EXPECT_EQ(b.calls, 1);
  ASSERT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(log(), "+a +b -b -a ");
}

TEST_F(Tools, ThoseThatFailAreToldToTheRest) {
  setenv("HSA_TOOLS_LIB",
         ("/nowhere/libnone.so " + tool("no_onload") + " " + tool("refuses") + " " + tool("a")).c_str(), 1);
  ToolRecord &a = keep("a"), &refuses = keep("refuses");
  testing::internal::CaptureStderr();
  ASSERT_SUCCESS(hsa_init());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("crosslane: HSA_TOOLS_LIB: '/nowhere/libnone.so' cannot be loaded: "), std::string::npos) << said;
  EXPECT_NE(said.find("'" + tool("no_onload") + "' is no tool: it exports no OnLoad\n"), std::string::npos) << said;
  EXPECT_NE(said.find("'" + tool("refuses") + "' does not want to be loaded"), std::string::npos) << said;
  EXPECT_EQ(refuses.failed_count, 2u);
  EXPECT_EQ(a.failed_count, 3u);
  EXPECT_EQ(a.failed, "/nowhere/libnone.so " + tool("no_onload") + " " + tool("refuses") + " ");
  EXPECT_SUCCESS(ask());
  EXPECT_EQ(a.calls, 1);
  ASSERT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(refuses.unloads, 0);
  EXPECT_EQ(log(), "+refuses +a -a ");
}

TEST_F(Tools, SilentIfSoWished) {
  setenv("HSA_TOOLS_LIB", "/nowhere/libnone.so", 1);
  setenv("HSA_TOOLS_REPORT_LOAD_FAILURE", "0", 1);
  testing::internal::CaptureStderr();
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_SUCCESS(hsa_shut_down());
  unsetenv("HSA_TOOLS_REPORT_LOAD_FAILURE");
}

// Libraries of the process that say so are tools as well, after those of the variable and by their priority.
TEST_F(Tools, LoadedLibrariesWithAPriority) {
  setenv("HSA_TOOLS_LIB", (tool("b") + " " + tool("late")).c_str(), 1);
  ToolRecord &late = keep("late"), &early = keep("early"), &b = keep("b");
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(early.loads + late.loads + b.loads, 3);
  ASSERT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(log(), "+b +late +early -early -late -b "); // late is named by the variable too, which counts
  unsetenv("HSA_TOOLS_LIB");
  unsetenv("TOOL_LOG");
  ASSERT_SUCCESS(hsa_init());
  ASSERT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(log(), "+early +late -late -early ");
}

TEST(ToolNames, SpacesSeparateAndQuotesDoNot) {
  using hsa::parse_tool_names;
  using Names = std::vector<std::string>;
  EXPECT_EQ(parse_tool_names(""), Names{});
  EXPECT_EQ(parse_tool_names("liba.so libb.so"), (Names{"liba.so", "libb.so"}));
  EXPECT_EQ(parse_tool_names(R"("/a b/liba.so" /c\ d/libb.so)"), (Names{"/a b/liba.so", "/c d/libb.so"}));
  EXPECT_EQ(parse_tool_names(" liba.so  "), (Names{"liba.so"}));
}

} // namespace
} // namespace crosslane::test
