// Legacy code objects (hsa_code_object_t) and AMD's loader extension.
#include "hsa/code/loader_extension.h"
#include "tests/hsa/code_objects.h"
#include <cstring>
#include <fcntl.h>
#include <set>
#include <unistd.h>

namespace crosslane::test {
namespace {

class CodeObjects : public HsaTest {
protected:
  hsa_code_object_t deserialize(std::vector<uint8_t> bytes) {
    hsa_code_object_t object{};
    EXPECT_SUCCESS(hsa_code_object_deserialize(bytes.data(), bytes.size(), nullptr, &object));
    return object; // the bytes go
  }
};

TEST_F(CodeObjects, LoadAsGccDoes) {
  const auto object = deserialize(built("symbols-gfx900.co"));
  hsa_executable_t executable{};
  ASSERT_SUCCESS(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, "", &executable));
  ASSERT_SUCCESS(hsa_executable_load_code_object(executable, gpu(), object, ""));
  ASSERT_SUCCESS(hsa_executable_freeze(executable, ""));
  ASSERT_SUCCESS(hsa_code_object_destroy(object));
  EXPECT_EQ(hsa_code_object_destroy(object), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  hsa_executable_symbol_t symbol{};
  ASSERT_SUCCESS(hsa_executable_get_symbol(executable, nullptr, "counter", gpu(), 0, &symbol));
  EXPECT_EQ(*reinterpret_cast<int*>(symbol_attribute<uint64_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS)),
            5);
  EXPECT_SUCCESS(hsa_executable_destroy(executable));
}

TEST_F(CodeObjects, TellWhatTheyAre) {
  const auto object = deserialize(built("symbols-gfx900.co"));
  char version[64];
  std::memset(version, '?', sizeof version);
  ASSERT_SUCCESS(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_VERSION, version));
  EXPECT_STREQ(version, "5.0");
  hsa_isa_t isa{}, of_agent{};
  ASSERT_SUCCESS(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_ISA, &isa));
  const auto first = [](hsa_isa_t found, void* result) {
    *static_cast<hsa_isa_t*>(result) = found;
    return HSA_STATUS_INFO_BREAK;
  };
  hsa_agent_iterate_isas(gpu(), first, &of_agent);
  EXPECT_EQ(isa.handle, of_agent.handle);
  uint32_t value = 77;
  EXPECT_SUCCESS(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_MACHINE_MODEL, &value));
  EXPECT_EQ(value, HSA_MACHINE_MODEL_LARGE);
  EXPECT_EQ(hsa_code_object_get_info(object, hsa_code_object_info_t(99), &value), HSA_STATUS_ERROR_INVALID_ARGUMENT);

  hsa_code_symbol_t kernel{}, variable{}, none{};
  EXPECT_SUCCESS(hsa_code_object_get_symbol(object, "demanding.kd", &kernel));
  EXPECT_SUCCESS(hsa_code_object_get_symbol_from_name(object, nullptr, "zeroed", &variable));
  EXPECT_EQ(hsa_code_object_get_symbol(object, "nothing", &none), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  EXPECT_SUCCESS(hsa_code_symbol_get_info(kernel, HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &value));
  EXPECT_EQ(value, 400u);
  EXPECT_SUCCESS(hsa_code_symbol_get_info(variable, HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE, &value));
  EXPECT_EQ(value, 4000u);
  EXPECT_EQ(hsa_code_symbol_get_info(none, HSA_CODE_SYMBOL_INFO_TYPE, &value), HSA_STATUS_ERROR_INVALID_CODE_SYMBOL);
  int count = 0;
  const auto counter = [](hsa_code_object_t, hsa_code_symbol_t, void* sum) {
    ++*static_cast<int*>(sum);
    return HSA_STATUS_SUCCESS;
  };
  EXPECT_SUCCESS(hsa_code_object_iterate_symbols(object, counter, &count));
  EXPECT_EQ(count, 6);
  EXPECT_SUCCESS(hsa_code_object_destroy(object));
  EXPECT_EQ(hsa_code_symbol_get_info(kernel, HSA_CODE_SYMBOL_INFO_TYPE, &value), HSA_STATUS_ERROR_INVALID_CODE_SYMBOL);
}

TEST_F(CodeObjects, SerializeGivesTheBytesBack) {
  const auto bytes = built("symbols-gfx900.co");
  const auto object = deserialize(bytes);
  std::vector<uint8_t> room;
  const auto allocate = [](size_t size, hsa_callback_data_t data, void** address) {
    auto& target = *reinterpret_cast<std::vector<uint8_t>*>(data.handle);
    target.resize(size);
    *address = target.data();
    return HSA_STATUS_SUCCESS;
  };
  void* result = nullptr;
  size_t size = 0;
  ASSERT_SUCCESS(
      hsa_code_object_serialize(object, allocate, {reinterpret_cast<uint64_t>(&room)}, nullptr, &result, &size));
  EXPECT_EQ(result, room.data());
  EXPECT_EQ(size, bytes.size());
  EXPECT_EQ(room, bytes);
  EXPECT_SUCCESS(hsa_code_object_destroy(object));
}

TEST_F(CodeObjects, DamagedOnesFailWhenTheyAreLoaded) {
  auto bytes = built("symbols-gfx900.co");
  bytes.resize(300);
  const auto object = deserialize(bytes);
  TestExecutable executable;
  uint32_t value;
  EXPECT_EQ(hsa_executable_load_code_object(executable.get(), gpu(), object, nullptr),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_TYPE, &value), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(hsa_executable_load_code_object(executable.get(), gpu(), {0}, nullptr),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_SUCCESS(hsa_code_object_destroy(object));
}

class LoaderExtension : public HsaTest {
protected:
  const hsa_ven_amd_loader_1_03_pfn_t& loader = hsa::loader_table();
  template <class T> T attribute(hsa_loaded_code_object_t object, hsa_ven_amd_loader_loaded_code_object_info_t which) {
    T value{};
    EXPECT_SUCCESS(loader.hsa_ven_amd_loader_loaded_code_object_get_info(object, which, &value)) << which;
    return value;
  }
  std::string uri(hsa_loaded_code_object_t object) {
    std::string text(attribute<uint32_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH), ' ');
    EXPECT_SUCCESS(loader.hsa_ven_amd_loader_loaded_code_object_get_info(
        object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, text.data()));
    return text;
  }
};

TEST_F(LoaderExtension, IsTheTableThatTheSystemGives) {
  hsa_ven_amd_loader_1_03_pfn_t table{};
  ASSERT_SUCCESS(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof table, &table));
  EXPECT_EQ(std::memcmp(&table, &loader, sizeof table), 0);
}

TEST_F(LoaderExtension, FindsTheExecutableOfAnAddress) {
  TestExecutable one, two;
  ASSERT_SUCCESS(one.load(gpu(), built("symbols-gfx900.co")));
  ASSERT_SUCCESS(two.load(gpu(), built("symbols-gfx900.co")));
  ASSERT_SUCCESS(one.freeze());
  ASSERT_SUCCESS(two.freeze());
  for (auto* executable : {&one, &two}) {
    const auto* address = reinterpret_cast<const void*>(executable->address("squares", gpu()));
    hsa_executable_t found{};
    EXPECT_SUCCESS(loader.hsa_ven_amd_loader_query_executable(address, &found));
    EXPECT_EQ(found.handle, executable->get().handle);
    const void* host = nullptr;
    EXPECT_SUCCESS(loader.hsa_ven_amd_loader_query_host_address(address, &host));
    EXPECT_EQ(static_cast<const int*>(host)[2], 4);
  }
  int other = 0;
  const void* host = nullptr;
  hsa_executable_t found{};
  EXPECT_EQ(loader.hsa_ven_amd_loader_query_host_address(&other, &host), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(loader.hsa_ven_amd_loader_query_host_address(nullptr, &host), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(loader.hsa_ven_amd_loader_query_executable(&other, &found), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  std::set<uint64_t> executables;
  const auto collect = [](hsa_executable_t executable, void* set) {
    static_cast<std::set<uint64_t>*>(set)->insert(executable.handle);
    return HSA_STATUS_SUCCESS;
  };
  EXPECT_SUCCESS(loader.hsa_ven_amd_loader_iterate_executables(collect, &executables));
  EXPECT_EQ(executables, (std::set<uint64_t>{one.get().handle, two.get().handle}));
}

TEST_F(LoaderExtension, TellsWhereCodeCameFrom) {
  const auto bytes = built("symbols-gfx900.co");
  TestExecutable executable;
  hsa_loaded_code_object_t from_memory{}, from_file{};
  ASSERT_SUCCESS(executable.load(gpu(), bytes, &from_memory));

  // A file in which the code object starts after 100 other bytes.
  const std::string path = ::testing::TempDir() + "offset " + std::to_string(getpid());
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  ASSERT_GE(file, 0);
  const auto second = built("defines.co");
  ASSERT_EQ(pwrite(file, second.data(), second.size(), 100), ssize_t(second.size()));
  hsa_code_object_reader_t reader{};
  const auto create = loader.hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size;
  EXPECT_EQ(create(file, 200, second.size(), &reader), HSA_STATUS_ERROR_INVALID_FILE);
  EXPECT_EQ(create(file, 100, 0, &reader), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  ASSERT_SUCCESS(create(file, 100, second.size(), &reader));
  ASSERT_SUCCESS(hsa_executable_load_agent_code_object(executable.get(), gpu(), reader, nullptr, &from_file));
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
  ASSERT_SUCCESS(executable.freeze());

  for (const auto object : {from_memory, from_file}) {
    EXPECT_EQ(attribute<hsa_executable_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE).handle,
              executable.get().handle);
    EXPECT_EQ(attribute<hsa_agent_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT).handle, gpu().handle);
    EXPECT_EQ(attribute<uint32_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND),
              HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT);
  }
  using enum hsa_ven_amd_loader_loaded_code_object_info_e;
  const auto delta = attribute<int64_t>(from_memory, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA);
  const auto base = attribute<uint64_t>(from_memory, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE);
  const auto size = attribute<uint64_t>(from_memory, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE);
  const uint64_t zeroed = executable.address("zeroed", gpu());
  EXPECT_EQ(zeroed, readelf_symbols("symbols-gfx900.co").at("zeroed") + uint64_t(delta));
  EXPECT_GE(zeroed, base);
  EXPECT_LE(zeroed + 4000, base + size);
  EXPECT_EQ(attribute<uint32_t>(from_memory, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE),
            HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY);
  EXPECT_EQ(
      attribute<uint64_t>(from_memory, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE),
      reinterpret_cast<uint64_t>(bytes.data()));
  EXPECT_EQ(
      attribute<uint64_t>(from_memory, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE),
      bytes.size());
  char expected[100];
  std::snprintf(expected, sizeof expected, "memory://%d#offset=0x%zx&size=%zu", getpid(), size_t(bytes.data()),
                bytes.size());
  EXPECT_EQ(uri(from_memory), expected);
  EXPECT_EQ(attribute<uint32_t>(from_file, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE),
            HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE);
  EXPECT_EQ(attribute<int>(from_file, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE), file);
  std::string encoded = path; // "offset 123" has one character that a URI cannot hold
  encoded.replace(encoded.rfind(' '), 1, "%20");
  EXPECT_EQ(uri(from_file), "file://" + encoded + "#offset=100&size=" + std::to_string(second.size()));

  size_t count = 0;
  ASSERT_SUCCESS(loader.hsa_ven_amd_loader_query_segment_descriptors(nullptr, &count));
  ASSERT_EQ(count, 2u);
  hsa_ven_amd_loader_segment_descriptor_t segments[3] = {};
  size_t wrong = 3;
  EXPECT_EQ(loader.hsa_ven_amd_loader_query_segment_descriptors(segments, &wrong),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  ASSERT_SUCCESS(loader.hsa_ven_amd_loader_query_segment_descriptors(segments, &count));
  EXPECT_EQ(segments[0].segment_base, reinterpret_cast<const void*>(base));
  EXPECT_EQ(segments[0].segment_size, size);
  EXPECT_EQ(segments[0].code_object_storage_base, bytes.data());
  EXPECT_EQ(segments[0].code_object_storage_offset, 0u);
  EXPECT_STREQ(static_cast<const char*>(segments[1].code_object_storage_base), path.c_str());
  EXPECT_EQ(segments[1].code_object_storage_size, path.size() + 1);
  count = 0;
  EXPECT_EQ(loader.hsa_ven_amd_loader_query_segment_descriptors(segments, &count), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(loader.hsa_ven_amd_loader_query_segment_descriptors(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);

  std::vector<uint64_t> iterated;
  const auto collect = [](hsa_executable_t, hsa_loaded_code_object_t object, void* list) {
    static_cast<std::vector<uint64_t>*>(list)->push_back(object.handle);
    return HSA_STATUS_SUCCESS;
  };
  EXPECT_SUCCESS(
      loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(executable.get(), collect, &iterated));
  EXPECT_EQ(iterated, (std::vector<uint64_t>{from_memory.handle, from_file.handle}));
  uint64_t value;
  EXPECT_EQ(loader.hsa_ven_amd_loader_loaded_code_object_get_info(
                {1}, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE, &value),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(loader.hsa_ven_amd_loader_loaded_code_object_get_info(
                from_memory, hsa_ven_amd_loader_loaded_code_object_info_t(99), &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  close(file);
  unlink(path.c_str());
}

} // namespace
} // namespace crosslane::test
