// Executables: loading code objects of the real compiler, symbols, variables of the client, what is refused and why.
#include "hsa/code/executable.h"
#include "hsa/runtime.h"
#include "tests/hsa/code_objects.h"
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <unistd.h>

namespace crosslane::test {
namespace {

class Executables : public HsaTest {
protected:
  using HsaTest::HsaTest;
};

class EachGpu : public HsaTest, public ::testing::WithParamInterface<const char*> {
protected:
  EachGpu() : HsaTest(GetParam()) {}
  std::string name() const { return std::string("symbols-") + GetParam() + ".co"; }
};
INSTANTIATE_TEST_SUITE_P(Gfx, EachGpu, ::testing::Values("gfx803", "gfx900", "gfx906"));

TEST_P(EachGpu, SymbolsAreWhereTheLinkerPutThem) {
  TestExecutable executable;
  ASSERT_SUCCESS(executable.load(gpu(), built(name())));
  ASSERT_SUCCESS(executable.freeze());
  auto expected = readelf_symbols(name());
  const uint64_t delta = executable.address("counter", gpu()) - expected.at("counter");
  for (const char* symbol : {"counter", "zeroed", "squares", "pointer"})
    EXPECT_EQ(executable.address(symbol, gpu()), expected.at(symbol) + delta) << symbol;
  for (const char* kernel : {"plain.kd", "demanding.kd"})
    EXPECT_EQ(symbol_attribute<uint64_t>(executable.symbol(kernel, gpu()), HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT),
              expected.at(kernel) + delta);
  EXPECT_EQ(delta % 4096, 0u);

  const auto read = [&](const char* symbol, size_t index) {
    int value;
    std::memcpy(&value, reinterpret_cast<const int*>(executable.address(symbol, gpu())) + index, sizeof value);
    return value;
  };
  EXPECT_EQ(read("counter", 0), 5);
  EXPECT_EQ(read("squares", 3), 9);
  EXPECT_EQ(read("zeroed", 999), 0);
  uint64_t pointer;
  std::memcpy(&pointer, reinterpret_cast<const void*>(executable.address("pointer", gpu())), sizeof pointer);
  EXPECT_EQ(pointer, executable.address("counter", gpu()));
}

TEST_P(EachGpu, AttributesOfAKernel) {
  TestExecutable executable;
  ASSERT_SUCCESS(executable.load(gpu(), built(name())));
  ASSERT_SUCCESS(executable.freeze());
  const auto kernel = executable.symbol("demanding.kd", gpu());
  ASSERT_NE(kernel.handle, 0u);
  EXPECT_EQ(symbol_attribute<hsa_symbol_kind_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_TYPE), HSA_SYMBOL_KIND_KERNEL);
  ASSERT_EQ(symbol_attribute<uint32_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH), 12u);
  char text[14] = "?????????????"; // what is behind the name must stay
  EXPECT_SUCCESS(hsa_executable_symbol_get_info(kernel, HSA_EXECUTABLE_SYMBOL_INFO_NAME, text));
  EXPECT_STREQ(text, "demanding.kd?");
  EXPECT_EQ(symbol_attribute<uint32_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH), 0u);
  EXPECT_EQ(symbol_attribute<hsa_symbol_linkage_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE),
            HSA_SYMBOL_LINKAGE_PROGRAM);
  EXPECT_TRUE(symbol_attribute<bool>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION));
  EXPECT_EQ(symbol_attribute<hsa_agent_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_AGENT).handle, gpu().handle);
  // out, n, dynamic. Not rounded up to 16: ROCr does not do so either, and clients compare it with what the compiler
  // wrote.
  EXPECT_EQ(symbol_attribute<uint32_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE), 20u);
  EXPECT_EQ(symbol_attribute<uint32_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT), 16u);
  EXPECT_EQ(symbol_attribute<uint32_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE), 400u);
  EXPECT_GE(symbol_attribute<uint32_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE), 80u);
  EXPECT_FALSE(symbol_attribute<bool>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK));
  EXPECT_EQ(symbol_attribute<uint32_t>(kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION), 0u);
  EXPECT_EQ(symbol_attribute<uint32_t>(kernel, 19), 64u); // wavefront size, of later headers
  uint64_t value;
  for (const int attribute :
       {int(HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), int(HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST),
        int(HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_OBJECT), 77})
    EXPECT_EQ(hsa_executable_symbol_get_info(kernel, hsa_executable_symbol_info_t(attribute), &value),
              HSA_STATUS_ERROR_INVALID_ARGUMENT)
        << attribute;
  // By its own name it is found too, a function is not.
  EXPECT_EQ(executable.symbol("demanding", gpu()).handle, kernel.handle);
  EXPECT_EQ(executable.symbol("demandin", gpu()).handle, 0u);
}

TEST_F(Executables, AttributesOfVariables) {
  TestExecutable executable;
  ASSERT_SUCCESS(executable.load(gpu(), built("symbols-gfx900.co")));
  const auto zeroed = executable.symbol("zeroed", gpu()), squares = executable.symbol("squares", gpu());
  EXPECT_EQ(symbol_attribute<uint64_t>(zeroed, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS), 0u) << "not frozen yet";
  ASSERT_SUCCESS(executable.freeze());
  EXPECT_NE(symbol_attribute<uint64_t>(zeroed, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS), 0u);
  EXPECT_EQ(symbol_attribute<hsa_symbol_kind_t>(zeroed, HSA_EXECUTABLE_SYMBOL_INFO_TYPE), HSA_SYMBOL_KIND_VARIABLE);
  EXPECT_EQ(symbol_attribute<uint32_t>(zeroed, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 4000u);
  EXPECT_EQ(symbol_attribute<uint32_t>(squares, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 16u);
  EXPECT_GE(symbol_attribute<uint32_t>(squares, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT), 4u);
  EXPECT_FALSE(symbol_attribute<bool>(zeroed, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST));
  EXPECT_TRUE(symbol_attribute<bool>(squares, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST));
  EXPECT_EQ(symbol_attribute<hsa_variable_allocation_t>(zeroed, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION),
            HSA_VARIABLE_ALLOCATION_AGENT);
  EXPECT_EQ(symbol_attribute<hsa_variable_segment_t>(zeroed, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT),
            HSA_VARIABLE_SEGMENT_GLOBAL);
  EXPECT_EQ(executable.symbol("inner", gpu()).handle, 0u) << "hidden";
}

TEST_F(Executables, IterateShowsEachGlobalSymbolOnce) {
  TestExecutable executable;
  ASSERT_SUCCESS(executable.load(gpu(), built("symbols-gfx900.co")));
  int host_variable = 0;
  ASSERT_SUCCESS(hsa_executable_global_variable_define(executable.get(), "of_the_host", &host_variable));
  ASSERT_SUCCESS(executable.freeze());
  using Names = std::multiset<std::string>;
  static const auto name_of = [](hsa_executable_symbol_t symbol) {
    std::string name(symbol_attribute<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH), ' ');
    EXPECT_SUCCESS(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data()));
    return name;
  };
  const auto collect = [](hsa_executable_t, hsa_executable_symbol_t symbol, void* names) {
    static_cast<Names*>(names)->insert(name_of(symbol));
    return HSA_STATUS_SUCCESS;
  };
  const auto collect_agent = [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t symbol, void* names) {
    static_cast<Names*>(names)->insert(name_of(symbol));
    return HSA_STATUS_SUCCESS;
  };
  const Names of_agent{"counter", "demanding.kd", "plain.kd", "pointer", "squares", "zeroed"};
  Names all, agents, programs, cpus;
  EXPECT_SUCCESS(hsa_executable_iterate_symbols(executable.get(), collect, &all));
  EXPECT_SUCCESS(hsa_executable_iterate_agent_symbols(executable.get(), gpu(), collect_agent, &agents));
  EXPECT_SUCCESS(hsa_executable_iterate_agent_symbols(executable.get(), cpu, collect_agent, &cpus));
  EXPECT_SUCCESS(hsa_executable_iterate_program_symbols(executable.get(), collect, &programs));
  EXPECT_EQ(agents, of_agent);
  EXPECT_EQ(programs, Names{"of_the_host"});
  EXPECT_EQ(cpus, Names{});
  all.erase("of_the_host");
  EXPECT_EQ(all, of_agent);
  const auto stop = [](hsa_executable_t, hsa_executable_symbol_t, void* count) {
    ++*static_cast<int*>(count);
    return HSA_STATUS_INFO_BREAK;
  };
  int count = 0;
  EXPECT_EQ(hsa_executable_iterate_symbols(executable.get(), stop, &count), HSA_STATUS_INFO_BREAK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(hsa_executable_iterate_symbols(executable.get(), nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Executables, VariablesOfTheClientResolveWhatCodeDoesNotDefine) {
  for (const bool early : {true, false}) {
    SCOPED_TRACE(early ? "before loading" : "before freezing");
    TestExecutable executable;
    uint64_t needed[2] = {1, 2};
    const auto define = [&] {
      return hsa_executable_agent_global_variable_define(executable.get(), gpu(), "needed", needed);
    };
    if (early)
      ASSERT_SUCCESS(define());
    ASSERT_SUCCESS(executable.load(gpu(), built("external.co")));
    if (!early)
      ASSERT_SUCCESS(define());
    ASSERT_SUCCESS(executable.freeze());
    const auto* pointers = reinterpret_cast<const uint64_t*>(executable.address("pointers", gpu()));
    EXPECT_EQ(pointers[0], reinterpret_cast<uint64_t>(&needed[0]));
    EXPECT_EQ(pointers[1], reinterpret_cast<uint64_t>(&needed[1]));
    EXPECT_EQ(pointers[2], 0u) << "weak";
    const auto symbol = executable.symbol("needed", gpu());
    EXPECT_EQ(executable.address("needed", gpu()), reinterpret_cast<uint64_t>(needed));
    EXPECT_EQ(symbol_attribute<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 0u);
    uint32_t wrong = 1;
    EXPECT_SUCCESS(hsa_executable_validate(executable.get(), &wrong));
    EXPECT_EQ(wrong, 0u);
  }
}

TEST_F(Executables, WeakSymbolsTakeADefinitionThatIsThere) {
  TestExecutable executable;
  int needed = 0, wanted = 0;
  ASSERT_SUCCESS(hsa_executable_global_variable_define(executable.get(), "needed", &needed));
  ASSERT_SUCCESS(hsa_executable_readonly_variable_define(executable.get(), gpu(), "wanted", &wanted));
  ASSERT_SUCCESS(executable.load(gpu(), built("external.co")));
  ASSERT_SUCCESS(executable.freeze());
  const auto* pointers = reinterpret_cast<const uint64_t*>(executable.address("pointers", gpu()));
  EXPECT_EQ(pointers[0], reinterpret_cast<uint64_t>(&needed));
  EXPECT_EQ(pointers[2], reinterpret_cast<uint64_t>(&wanted));
  EXPECT_EQ(symbol_attribute<hsa_variable_segment_t>(executable.symbol("wanted", gpu()),
                                                     HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT),
            HSA_VARIABLE_SEGMENT_READONLY);
}

TEST_F(Executables, OtherCodeObjectsResolveWhatOneDoesNotDefine) {
  for (const bool first : {true, false}) {
    TestExecutable executable;
    ASSERT_SUCCESS(executable.load(gpu(), built(first ? "defines.co" : "external.co")));
    ASSERT_SUCCESS(executable.load(gpu(), built(first ? "external.co" : "defines.co")));
    ASSERT_SUCCESS(executable.freeze());
    const auto* pointers = reinterpret_cast<const uint64_t*>(executable.address("pointers", gpu()));
    EXPECT_EQ(pointers[0], executable.address("needed", gpu()));
    EXPECT_EQ(*reinterpret_cast<const uint64_t*>(pointers[1]), 22u);
  }
}

TEST_F(Executables, UndefinedVariablesFailToFreeze) {
  TestExecutable executable;
  ASSERT_SUCCESS(executable.load(gpu(), built("external.co")));
  uint32_t wrong = 0;
  EXPECT_SUCCESS(hsa_executable_validate_alt(executable.get(), nullptr, &wrong));
  EXPECT_NE(wrong, 0u);
  EXPECT_EQ(executable.freeze(), HSA_STATUS_ERROR_VARIABLE_UNDEFINED);
}

TEST_F(Executables, NothingIsDefinedTwice) {
  TestExecutable executable;
  int variable = 0;
  ASSERT_SUCCESS(hsa_executable_agent_global_variable_define(executable.get(), gpu(), "counter", &variable));
  EXPECT_EQ(hsa_executable_agent_global_variable_define(executable.get(), gpu(), "counter", &variable),
            HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  EXPECT_EQ(executable.load(gpu(), built("symbols-gfx900.co")), HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  EXPECT_EQ(executable.symbol("zeroed", gpu()).handle, 0u) << "nothing of it was loaded";

  TestExecutable other;
  ASSERT_SUCCESS(other.load(gpu(), built("symbols-gfx900.co")));
  EXPECT_EQ(other.load(gpu(), built("symbols-gfx900.co")), HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  EXPECT_EQ(hsa_executable_agent_global_variable_define(other.get(), gpu(), "counter", &variable),
            HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
}

TEST_F(Executables, AFrozenOneDoesNotChange) {
  TestExecutable executable;
  const auto state = [&] {
    hsa_executable_state_t value{};
    EXPECT_SUCCESS(hsa_executable_get_info(executable.get(), HSA_EXECUTABLE_INFO_STATE, &value));
    return value;
  };
  EXPECT_EQ(state(), HSA_EXECUTABLE_STATE_UNFROZEN);
  ASSERT_SUCCESS(executable.freeze());
  EXPECT_EQ(state(), HSA_EXECUTABLE_STATE_FROZEN);
  EXPECT_EQ(executable.freeze(), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  EXPECT_EQ(executable.load(gpu(), built("symbols-gfx900.co")), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  int variable = 0;
  EXPECT_EQ(hsa_executable_global_variable_define(executable.get(), "v", &variable),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  EXPECT_EQ(hsa_executable_agent_global_variable_define(executable.get(), gpu(), "v", &variable),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  EXPECT_EQ(hsa_executable_readonly_variable_define(executable.get(), gpu(), "v", &variable),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  hsa_executable_t born_frozen{};
  ASSERT_SUCCESS(hsa_executable_create(HSA_PROFILE_BASE, HSA_EXECUTABLE_STATE_FROZEN, "", &born_frozen));
  EXPECT_EQ(hsa_executable_freeze(born_frozen, nullptr), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  hsa_profile_t profile{};
  EXPECT_SUCCESS(hsa_executable_get_info(born_frozen, HSA_EXECUTABLE_INFO_PROFILE, &profile));
  EXPECT_EQ(profile, HSA_PROFILE_BASE);
  EXPECT_SUCCESS(hsa_executable_destroy(born_frozen));
}

TEST_F(Executables, HandlesThatAreNoneAreRefused) {
  const hsa_executable_t none{0}, junk{0x123456};
  hsa_executable_symbol_t symbol{};
  uint64_t value;
  const hsa_agent_t agent = gpu();
  for (const auto handle : {none, junk}) {
    EXPECT_EQ(hsa_executable_freeze(handle, nullptr), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    EXPECT_EQ(hsa_executable_destroy(handle), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    EXPECT_EQ(hsa_executable_get_symbol_by_name(handle, "x", &agent, &symbol), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    EXPECT_EQ(hsa_executable_get_info(handle, HSA_EXECUTABLE_INFO_STATE, &value), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
  }
  TestExecutable executable;
  EXPECT_EQ(hsa_executable_load_agent_code_object(executable.get(), agent, {77}, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  EXPECT_EQ(hsa_code_object_reader_destroy({77}), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  EXPECT_EQ(executable.load({99}, built("symbols-gfx900.co")), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_executable_symbol_get_info({0}, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &value),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
  ASSERT_SUCCESS(executable.load(agent, built("symbols-gfx900.co")));
  symbol = executable.symbol("counter", agent);
  EXPECT_EQ(hsa_executable_symbol_get_info({symbol.handle + 8}, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &value),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
  EXPECT_EQ(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  executable.destroy();
  EXPECT_EQ(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &value),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
  hsa_executable_t created{};
  EXPECT_EQ(hsa_executable_create_alt(hsa_profile_t(7), HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &created),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Executables, CodeForAnotherTargetIsRefused) {
  TestExecutable executable;
  for (const char* other : {"symbols-gfx803.co", "symbols-gfx906.co", "symbols-xnack-on.co"})
    EXPECT_EQ(executable.load(gpu(), built(other)), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS) << other;
  EXPECT_EQ(executable.load(cpu, built("symbols-gfx900.co")), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_SUCCESS(executable.load(gpu(), built("symbols-xnack-off.co")));
}

TEST_F(Executables, DamagedCodeObjectsAreRefused) {
  const auto whole = built("symbols-gfx900.co");
  TestExecutable executable;
  for (const size_t size : {size_t(1), size_t(4), size_t(63), size_t(200), whole.size() / 2, whole.size() - 1})
    EXPECT_EQ(executable.load(gpu(), {whole.begin(), whole.begin() + long(size)}), HSA_STATUS_ERROR_INVALID_CODE_OBJECT)
        << size;
  auto changed = whole;
  changed[18] = 62; // machine: x86-64
  EXPECT_EQ(executable.load(gpu(), changed), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  changed = whole;
  std::memset(&changed[64 + 56 + 40], 0x7f, 6); // the first PT_LOAD segment takes 127 TiB of memory
  EXPECT_EQ(executable.load(gpu(), changed), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  const std::string text = "kernel void k() {}";
  EXPECT_EQ(executable.load(gpu(), {text.begin(), text.end()}), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  hsa_code_object_reader_t reader{};
  EXPECT_EQ(hsa_code_object_reader_create_from_memory(nullptr, 10, &reader), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_code_object_reader_create_from_memory(whole.data(), 0, &reader), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(executable.load(gpu(), built("defines.co"))) << "without kernels";
}

TEST_F(Executables, ALargeVariableTakesNoMemoryBeforeItIsUsed) {
  const auto resident = [] { // pages
    long size = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> size >> pages;
    return pages;
  };
  TestExecutable executable;
  const long before = resident();
  ASSERT_SUCCESS(executable.load(gpu(), built("huge.co")));
  ASSERT_SUCCESS(executable.freeze());
  EXPECT_LT(resident() - before, 10000);
  const auto huge = executable.symbol("huge", gpu());
  EXPECT_EQ(symbol_attribute<uint32_t>(huge, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 0x80000000u);
  const auto* bytes = reinterpret_cast<const uint8_t*>(executable.address("huge", gpu()));
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[0x7fffffff], 0);
}

TEST_F(Executables, ReadersOfFiles) {
  const int file = open(built_path("symbols-gfx900.co").c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  hsa_code_object_reader_t reader{};
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_file(file, &reader));
  close(file);
  TestExecutable executable;
  EXPECT_SUCCESS(hsa_executable_load_agent_code_object(executable.get(), gpu(), reader, nullptr, nullptr));
  EXPECT_NE(executable.symbol("counter", gpu()).handle, 0u);
  EXPECT_EQ(hsa_executable_load_program_code_object(executable.get(), reader, nullptr, nullptr),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
  EXPECT_EQ(hsa_code_object_reader_destroy(reader), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  for (const int bad : {-1, 1000000})
    EXPECT_EQ(hsa_code_object_reader_create_from_file(bad, &reader), HSA_STATUS_ERROR_INVALID_FILE);
  const int folder = open("/", O_RDONLY);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(folder, &reader), HSA_STATUS_ERROR_INVALID_FILE);
  close(folder);
}

TEST_F(Executables, LoadedCodeStaysWhileADispatchHoldsIt) {
  TestExecutable executable;
  ASSERT_SUCCESS(executable.load(gpu(), built("symbols-gfx900.co")));
  ASSERT_SUCCESS(executable.freeze());
  const auto object =
      symbol_attribute<uint64_t>(executable.symbol("plain.kd", gpu()), HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
  auto& registry = *hsa::Runtime::current()->code;
  const auto held = registry.find(object);
  ASSERT_TRUE(held);
  const auto* kernel = hsa::CodeRegistry::kernel_at(*held, object);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->name, "plain");
  EXPECT_EQ(hsa::CodeRegistry::kernel_at(*held, object + 4), nullptr);
  EXPECT_EQ(registry.find(held->base - 1), nullptr);
  EXPECT_EQ(registry.find(held->base + held->size), nullptr);
  std::vector<uint8_t> descriptor(64), again(64);
  std::memcpy(descriptor.data(), reinterpret_cast<const void*>(object), 64);
  executable.destroy();
  EXPECT_EQ(registry.find(object), nullptr);
  std::memcpy(again.data(), reinterpret_cast<const void*>(object), 64);
  EXPECT_EQ(descriptor, again);
}

// Two GPUs of one kind: each has variables of its own.
class TwoGpus : public HsaTest {
protected:
  TwoGpus() : HsaTest("vega10,vega10") {}
};

TEST_F(TwoGpus, HaveVariablesOfTheirOwn) {
  const auto bytes = built("symbols-gfx900.co");
  const TestReader reader(bytes);
  TestExecutable executable;
  for (const auto agent : gpus)
    ASSERT_SUCCESS(hsa_executable_load_agent_code_object(executable.get(), agent, reader.get(), nullptr, nullptr));
  ASSERT_SUCCESS(executable.freeze());
  EXPECT_NE(executable.address("counter", gpus[0]), executable.address("counter", gpus[1]));
  hsa_executable_symbol_t symbol{};
  EXPECT_EQ(hsa_executable_get_symbol_by_name(executable.get(), "counter", nullptr, &symbol),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_SUCCESS(hsa_executable_get_symbol(executable.get(), "", "counter", gpus[1], 0, &symbol));
  EXPECT_EQ(symbol.handle, executable.symbol("counter", gpus[1]).handle);
  EXPECT_EQ(hsa_executable_get_symbol(executable.get(), "module", "counter", gpus[1], 0, &symbol),
            HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
}

} // namespace
} // namespace crosslane::test
