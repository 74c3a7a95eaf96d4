// hsa.h function by function, for what the tests of each subject leave out: every function before hsa_init, every
// memory order of every operation, every status's text, every attribute of regions, soft queues, signal groups, readers
// of files that are none. hsa/CONFORMANCE.md lists what is tested where.
#include "tests/hsa/code_objects.h"
#include "tests/hsa/runtime_fixture.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::test {
namespace {

TEST(Conformance, NothingWorksBeforeTheRuntimeIsUp) {
  const hsa_agent_t agent{0x10};
  const hsa_isa_t isa{0x10};
  const hsa_signal_t signal{0x10};
  const hsa_executable_t executable{0x10};
  const hsa_code_object_t object{0x10};
  const hsa_code_object_reader_t reader{0x10};
  alignas(8) char value[256];
  bool result;
  uint16_t number;
  const char* text;
  hsa_signal_t new_signal;
  hsa_signal_group_t group;
  hsa_queue_t* queue = nullptr;
  hsa_isa_t new_isa;
  hsa_code_object_reader_t new_reader;
  hsa_executable_t new_executable;
  hsa_code_object_t new_object;
  hsa_executable_symbol_t symbol;
  hsa_code_symbol_t code_symbol;
  hsa_round_method_t method;
  void* pointer = nullptr;
  size_t size;
  uint32_t valid;
  hsa_signal_value_t seen;
  const hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
#define EXPECT_DOWN(call) EXPECT_EQ(call, HSA_STATUS_ERROR_NOT_INITIALIZED)
  EXPECT_DOWN(hsa_shut_down());
  EXPECT_DOWN(hsa_status_string(HSA_STATUS_SUCCESS, &text));
  EXPECT_DOWN(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, value));
  EXPECT_DOWN(hsa_extension_get_name(HSA_EXTENSION_IMAGES, &text));
  EXPECT_DOWN(hsa_system_extension_supported(HSA_EXTENSION_IMAGES, 1, 0, &result));
  EXPECT_DOWN(hsa_system_major_extension_supported(HSA_EXTENSION_IMAGES, 1, &number, &result));
  EXPECT_DOWN(hsa_system_get_extension_table(HSA_EXTENSION_IMAGES, 1, 0, value));
  EXPECT_DOWN(hsa_system_get_major_extension_table(HSA_EXTENSION_IMAGES, 1, 8, value));
  EXPECT_DOWN(hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, value));
  EXPECT_DOWN(hsa_iterate_agents([](hsa_agent_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  EXPECT_DOWN(hsa_agent_get_exception_policies(agent, HSA_PROFILE_BASE, &number));
  EXPECT_DOWN(hsa_cache_get_info({0x10}, HSA_CACHE_INFO_LEVEL, value));
  EXPECT_DOWN(hsa_agent_iterate_caches(agent, [](hsa_cache_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  EXPECT_DOWN(hsa_agent_extension_supported(HSA_EXTENSION_IMAGES, agent, 1, 0, &result));
  EXPECT_DOWN(hsa_agent_major_extension_supported(HSA_EXTENSION_IMAGES, agent, 1, &number, &result));
  EXPECT_DOWN(hsa_signal_create(0, 0, nullptr, &new_signal));
  EXPECT_DOWN(hsa_signal_destroy(signal));
  EXPECT_DOWN(hsa_signal_group_create(1, &signal, 1, &agent, &group));
  EXPECT_DOWN(hsa_signal_group_destroy({0x10}));
  EXPECT_DOWN(
      hsa_signal_group_wait_any_scacquire({0x10}, &condition, &seen, HSA_WAIT_STATE_BLOCKED, &new_signal, &seen));
  EXPECT_DOWN(hsa_signal_group_wait_any_relaxed({0x10}, &condition, &seen, HSA_WAIT_STATE_BLOCKED, &new_signal, &seen));
  EXPECT_DOWN(hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue));
  EXPECT_DOWN(
      hsa_soft_queue_create({0x10}, 64, HSA_QUEUE_TYPE_MULTI, HSA_QUEUE_FEATURE_AGENT_DISPATCH, signal, &queue));
  EXPECT_DOWN(hsa_queue_destroy(reinterpret_cast<hsa_queue_t*>(value)));
  EXPECT_DOWN(hsa_queue_inactivate(reinterpret_cast<hsa_queue_t*>(value)));
  EXPECT_DOWN(hsa_queue_inactivate(nullptr));
  EXPECT_DOWN(hsa_region_get_info({0x10}, HSA_REGION_INFO_SIZE, value));
  EXPECT_DOWN(hsa_agent_iterate_regions(agent, [](hsa_region_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  EXPECT_DOWN(hsa_memory_allocate({0x10}, 4096, &pointer));
  EXPECT_DOWN(hsa_memory_free(value));
  EXPECT_DOWN(hsa_memory_copy(value, value, 1));
  EXPECT_DOWN(hsa_memory_assign_agent(value, agent, HSA_ACCESS_PERMISSION_RW));
  EXPECT_DOWN(hsa_memory_register(value, 1));
  EXPECT_DOWN(hsa_memory_deregister(value, 1));
  EXPECT_DOWN(hsa_isa_from_name("amdgcn-amd-amdhsa--gfx900", &new_isa));
  EXPECT_DOWN(hsa_agent_iterate_isas(agent, [](hsa_isa_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  EXPECT_DOWN(hsa_isa_get_info(isa, HSA_ISA_INFO_NAME, 0, value));
  EXPECT_DOWN(hsa_isa_get_info(isa, HSA_ISA_INFO_NAME, 1, value));
  EXPECT_DOWN(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, value));
  EXPECT_DOWN(hsa_isa_get_exception_policies(isa, HSA_PROFILE_BASE, &number));
  EXPECT_DOWN(hsa_isa_get_round_method(isa, HSA_FP_TYPE_32, HSA_FLUSH_MODE_FTZ, &method));
  EXPECT_DOWN(hsa_wavefront_get_info({0x10}, HSA_WAVEFRONT_INFO_SIZE, value));
  EXPECT_DOWN(hsa_isa_iterate_wavefronts(isa, [](hsa_wavefront_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  EXPECT_DOWN(hsa_isa_compatible(isa, isa, &result));
  EXPECT_DOWN(hsa_code_object_reader_create_from_file(0, &new_reader));
  EXPECT_DOWN(hsa_code_object_reader_create_from_memory(value, 1, &new_reader));
  EXPECT_DOWN(hsa_code_object_reader_destroy(reader));
  EXPECT_DOWN(hsa_executable_create(HSA_PROFILE_BASE, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &new_executable));
  EXPECT_DOWN(
      hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &new_executable));
  EXPECT_DOWN(hsa_executable_destroy(executable));
  EXPECT_DOWN(hsa_executable_load_program_code_object(executable, reader, nullptr, nullptr));
  EXPECT_DOWN(hsa_executable_load_agent_code_object(executable, agent, reader, nullptr, nullptr));
  EXPECT_DOWN(hsa_executable_load_code_object(executable, agent, object, nullptr));
  EXPECT_DOWN(hsa_executable_freeze(executable, nullptr));
  EXPECT_DOWN(hsa_executable_get_info(executable, HSA_EXECUTABLE_INFO_STATE, value));
  EXPECT_DOWN(hsa_executable_global_variable_define(executable, "x", value));
  EXPECT_DOWN(hsa_executable_agent_global_variable_define(executable, agent, "x", value));
  EXPECT_DOWN(hsa_executable_readonly_variable_define(executable, agent, "x", value));
  EXPECT_DOWN(hsa_executable_validate(executable, &valid));
  EXPECT_DOWN(hsa_executable_validate_alt(executable, nullptr, &valid));
  EXPECT_DOWN(hsa_executable_get_symbol(executable, nullptr, "x", agent, 0, &symbol));
  EXPECT_DOWN(hsa_executable_get_symbol_by_name(executable, "x", &agent, &symbol));
  EXPECT_DOWN(hsa_executable_symbol_get_info({0x10}, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, value));
  EXPECT_DOWN(hsa_executable_iterate_symbols(
      executable, [](hsa_executable_t, hsa_executable_symbol_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  EXPECT_DOWN(hsa_executable_iterate_agent_symbols(
      executable, agent,
      [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  EXPECT_DOWN(hsa_executable_iterate_program_symbols(
      executable, [](hsa_executable_t, hsa_executable_symbol_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
  EXPECT_DOWN(hsa_code_object_deserialize(value, 1, nullptr, &new_object));
  EXPECT_DOWN(hsa_code_object_serialize(
      object, [](size_t, hsa_callback_data_t, void**) { return HSA_STATUS_SUCCESS; }, {0}, nullptr, &pointer, &size));
  EXPECT_DOWN(hsa_code_object_destroy(object));
  EXPECT_DOWN(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_TYPE, value));
  EXPECT_DOWN(hsa_code_object_get_symbol(object, "x", &code_symbol));
  EXPECT_DOWN(hsa_code_object_get_symbol_from_name(object, nullptr, "x", &code_symbol));
  EXPECT_DOWN(hsa_code_symbol_get_info({0x10}, HSA_CODE_SYMBOL_INFO_TYPE, value));
  EXPECT_DOWN(hsa_code_object_iterate_symbols(
      object, [](hsa_code_object_t, hsa_code_symbol_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr));
#undef EXPECT_DOWN
}

class Conforming : public HsaTest {
protected:
  hsa_signal_t make(int64_t value) {
    hsa_signal_t signal{};
    EXPECT_SUCCESS(hsa_signal_create(value, 0, nullptr, &signal));
    return signal;
  }
};

TEST_F(Conforming, EveryStatusHasAText) {
  std::vector<int> statuses;
  for (int s = HSA_STATUS_ERROR; s <= HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL; ++s)
    statuses.push_back(s);
  for (int s = HSA_STATUS_ERROR_INVALID_FILE; s <= HSA_STATUS_ERROR_FATAL; ++s)
    statuses.push_back(s);
  for (const int s : {int(HSA_STATUS_SUCCESS), int(HSA_STATUS_INFO_BREAK), int(HSA_STATUS_ERROR_INVALID_MEMORY_POOL),
                      int(HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION), int(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION),
                      int(HSA_STATUS_ERROR_MEMORY_FAULT), int(HSA_STATUS_CU_MASK_REDUCED)})
    statuses.push_back(s);
  for (const int s : statuses) {
    const char* text = nullptr;
    EXPECT_SUCCESS(hsa_status_string(hsa_status_t(s), &text)) << std::hex << s;
    ASSERT_NE(text, nullptr);
    EXPECT_TRUE(std::string(text).starts_with("HSA_STATUS_")) << text;
  }
  const char* text = nullptr;
  EXPECT_EQ(hsa_status_string(hsa_status_t(0x7fff), &text), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_status_string(HSA_STATUS_ERROR, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// Every memory order of every operation does the same to the value.
TEST_F(Conforming, SignalOperationsOfEachOrder) {
  const auto s = make(0);
#define ORDERS(check, operation)                                                                                       \
  check(operation##_relaxed) check(operation##_scacquire) check(operation##_screlease) check(operation##_scacq_screl)  \
      check(operation##_acquire) check(operation##_release) check(operation##_acq_rel)
#define CHANGES(f, before, operand, after)                                                                             \
  hsa_signal_store_relaxed(s, before);                                                                                 \
  f(s, operand);                                                                                                       \
  EXPECT_EQ(hsa_signal_load_relaxed(s), after) << #f;
#define ADDS(f) CHANGES(f, 7, 5, 12)
#define SUBTRACTS(f) CHANGES(f, 7, 9, -2)
#define ANDS(f) CHANGES(f, 10, 12, 8)
#define ORS(f) CHANGES(f, 10, 12, 14)
#define XORS(f) CHANGES(f, 10, 12, 6)
#define STORES(f) CHANGES(f, 0, -7, -7)
#define EXCHANGES(f)                                                                                                   \
  hsa_signal_store_relaxed(s, 3);                                                                                      \
  EXPECT_EQ(f(s, 8), 3) << #f;                                                                                         \
  EXPECT_EQ(hsa_signal_load_relaxed(s), 8) << #f;
#define COMPARES(f)                                                                                                    \
  hsa_signal_store_relaxed(s, 3);                                                                                      \
  EXPECT_EQ(f(s, 4, 8), 3) << #f;                                                                                      \
  EXPECT_EQ(f(s, 3, 9), 3) << #f;                                                                                      \
  EXPECT_EQ(hsa_signal_load_relaxed(s), 9) << #f;
#define LOADS(f)                                                                                                       \
  hsa_signal_store_relaxed(s, INT64_MAX);                                                                              \
  EXPECT_EQ(f(s), INT64_MAX) << #f;
#define WAITS(f)                                                                                                       \
  hsa_signal_store_relaxed(s, 4);                                                                                      \
  EXPECT_EQ(f(s, HSA_SIGNAL_CONDITION_GTE, 4, UINT64_MAX, HSA_WAIT_STATE_ACTIVE), 4) << #f;
  ORDERS(ADDS, hsa_signal_add)
  ORDERS(SUBTRACTS, hsa_signal_subtract)
  ORDERS(ANDS, hsa_signal_and)
  ORDERS(ORS, hsa_signal_or)
  ORDERS(XORS, hsa_signal_xor)
  ORDERS(EXCHANGES, hsa_signal_exchange)
  ORDERS(COMPARES, hsa_signal_cas)
  STORES(hsa_signal_store_relaxed)
  STORES(hsa_signal_store_screlease)
  STORES(hsa_signal_store_release)
  STORES(hsa_signal_silent_store_relaxed)
  STORES(hsa_signal_silent_store_screlease)
  LOADS(hsa_signal_load_relaxed)
  LOADS(hsa_signal_load_scacquire)
  LOADS(hsa_signal_load_acquire)
  WAITS(hsa_signal_wait_relaxed)
  WAITS(hsa_signal_wait_scacquire)
  WAITS(hsa_signal_wait_acquire)
  hsa_signal_destroy(s);
}

TEST_F(Conforming, QueueIndexesOfEachOrder) {
  hsa_queue_t* q = nullptr;
  const auto bell = make(0);
  std::vector<hsa_region_t> regions;
  ASSERT_SUCCESS(hsa_agent_iterate_regions(
      cpu,
      [](hsa_region_t region, void* list) {
        return static_cast<std::vector<hsa_region_t>*>(list)->push_back(region), HSA_STATUS_SUCCESS;
      },
      &regions));
  ASSERT_SUCCESS(
      hsa_soft_queue_create(regions.at(0), 16, HSA_QUEUE_TYPE_SINGLE, HSA_QUEUE_FEATURE_AGENT_DISPATCH, bell, &q));
#define LOADS_INDEX(f, which)                                                                                          \
  hsa_queue_store_##which##_index_relaxed(q, 21);                                                                      \
  EXPECT_EQ(f(q), 21u) << #f;
#define STORES_INDEX(f, which)                                                                                         \
  hsa_queue_store_##which##_index_relaxed(q, 0);                                                                       \
  f(q, 23);                                                                                                            \
  EXPECT_EQ(hsa_queue_load_##which##_index_relaxed(q), 23u) << #f;
#define ADDS_WRITE(f)                                                                                                  \
  hsa_queue_store_write_index_relaxed(q, 5);                                                                           \
  EXPECT_EQ(f(q, 3), 5u) << #f;                                                                                        \
  EXPECT_EQ(hsa_queue_load_write_index_relaxed(q), 8u) << #f;
#define COMPARES_WRITE(f)                                                                                              \
  hsa_queue_store_write_index_relaxed(q, 5);                                                                           \
  EXPECT_EQ(f(q, 4, 9), 5u) << #f;                                                                                     \
  EXPECT_EQ(f(q, 5, 9), 5u) << #f;                                                                                     \
  EXPECT_EQ(hsa_queue_load_write_index_relaxed(q), 9u) << #f;
  LOADS_INDEX(hsa_queue_load_write_index_relaxed, write)
  LOADS_INDEX(hsa_queue_load_write_index_scacquire, write)
  LOADS_INDEX(hsa_queue_load_write_index_acquire, write)
  LOADS_INDEX(hsa_queue_load_read_index_relaxed, read)
  LOADS_INDEX(hsa_queue_load_read_index_scacquire, read)
  LOADS_INDEX(hsa_queue_load_read_index_acquire, read)
  STORES_INDEX(hsa_queue_store_write_index_relaxed, write)
  STORES_INDEX(hsa_queue_store_write_index_screlease, write)
  STORES_INDEX(hsa_queue_store_write_index_release, write)
  STORES_INDEX(hsa_queue_store_read_index_relaxed, read)
  STORES_INDEX(hsa_queue_store_read_index_screlease, read)
  STORES_INDEX(hsa_queue_store_read_index_release, read)
  ORDERS(ADDS_WRITE, hsa_queue_add_write_index)
  ORDERS(COMPARES_WRITE, hsa_queue_cas_write_index)
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  hsa_signal_destroy(bell);
}

TEST_F(Conforming, SoftQueues) {
  hsa_queue_t* q = nullptr;
  const auto bell = make(0);
  hsa_region_t region{};
  hsa_agent_iterate_regions(
      cpu, [](hsa_region_t r, void* out) { return *static_cast<hsa_region_t*>(out) = r, HSA_STATUS_INFO_BREAK; },
      &region);
  constexpr auto agent_dispatch = HSA_QUEUE_FEATURE_AGENT_DISPATCH;
  const auto create = [&](hsa_region_t r, uint32_t size, hsa_queue_type32_t type, uint32_t features,
                          hsa_signal_t signal,
                          hsa_queue_t** out) { return hsa_soft_queue_create(r, size, type, features, signal, out); };
  EXPECT_EQ(create(region, 0, 0, agent_dispatch, bell, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 3, 0, agent_dispatch, bell, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 4, 7, agent_dispatch, bell, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 4, 0, 0, bell, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 4, 0, agent_dispatch, {0}, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create(region, 4, 0, agent_dispatch, bell, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(create({0}, 4, 0, agent_dispatch, bell, &q), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_SUCCESS(
      create(region, 4, HSA_QUEUE_TYPE_SINGLE, HSA_QUEUE_FEATURE_KERNEL_DISPATCH | agent_dispatch, bell, &q));
  EXPECT_EQ(q->size, 4u); // just what was asked for: it is the client's
  EXPECT_EQ(q->type, uint32_t(HSA_QUEUE_TYPE_SINGLE));
  EXPECT_EQ(q->features, uint32_t(HSA_QUEUE_FEATURE_KERNEL_DISPATCH | agent_dispatch));
  EXPECT_EQ(q->doorbell_signal.handle, bell.handle);
  EXPECT_EQ(hsa_queue_load_read_index_relaxed(q), 0u);
  EXPECT_EQ(hsa_queue_load_write_index_relaxed(q), 0u);
  for (uint32_t i = 0; i < q->size; ++i)
    EXPECT_EQ(static_cast<const uint16_t*>(q->base_address)[i * 32] & 0xff, HSA_PACKET_TYPE_INVALID);
  EXPECT_SUCCESS(hsa_queue_inactivate(q));
  EXPECT_SUCCESS(hsa_queue_destroy(q));
  EXPECT_SUCCESS(hsa_signal_destroy(bell)); // which stays the client's
}

TEST_F(Conforming, SignalGroups) {
  const hsa_signal_t signals[] = {make(1), make(5)};
  hsa_signal_group_t group{};
  EXPECT_EQ(hsa_signal_group_create(0, signals, 1, &cpu, &group), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(2, nullptr, 1, &cpu, &group), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(2, signals, 1, nullptr, &group), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_signal_group_create(2, signals, 1, &cpu, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ASSERT_SUCCESS(hsa_signal_group_create(2, signals, 1, &cpu, &group));
  const hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_NE};
  const hsa_signal_value_t values[] = {1, 4};
  hsa_signal_t which{};
  hsa_signal_value_t seen = 0;
  for (const auto wait : {hsa_signal_group_wait_any_scacquire, hsa_signal_group_wait_any_relaxed}) {
    EXPECT_EQ(wait({0}, conditions, values, HSA_WAIT_STATE_BLOCKED, &which, &seen),
              HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
    EXPECT_EQ(wait(group, nullptr, values, HSA_WAIT_STATE_BLOCKED, &which, &seen), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(wait(group, conditions, nullptr, HSA_WAIT_STATE_BLOCKED, &which, &seen),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(wait(group, conditions, values, HSA_WAIT_STATE_BLOCKED, nullptr, &seen),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(wait(group, conditions, values, HSA_WAIT_STATE_BLOCKED, &which, nullptr),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    EXPECT_SUCCESS(wait(group, conditions, values, HSA_WAIT_STATE_BLOCKED, &which, &seen));
    EXPECT_EQ(which.handle, signals[1].handle);
    EXPECT_EQ(seen, 5);
  }
  EXPECT_SUCCESS(hsa_signal_group_destroy(group));
  EXPECT_EQ(hsa_signal_group_destroy(group), HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
  for (const auto s : signals)
    hsa_signal_destroy(s);
}

// Of all regions of both agents; those that nobody allocates in have no sizes of allocations.
TEST_F(Conforming, AttributesOfRegions) {
  for (const hsa_agent_t agent : {cpu, gpu()}) {
    std::vector<hsa_region_t> regions;
    ASSERT_SUCCESS(hsa_agent_iterate_regions(
        agent,
        [](hsa_region_t region, void* list) {
          return static_cast<std::vector<hsa_region_t>*>(list)->push_back(region), HSA_STATUS_SUCCESS;
        },
        &regions));
    EXPECT_FALSE(regions.empty());
    for (const hsa_region_t region : regions) {
      hsa_region_segment_t segment{};
      uint32_t flags = 0;
      size_t size = 0, most = 0, granule = 0, alignment = 0;
      bool allowed = false;
      EXPECT_SUCCESS(hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment));
      EXPECT_SUCCESS(hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
      EXPECT_SUCCESS(hsa_region_get_info(region, HSA_REGION_INFO_SIZE, &size));
      EXPECT_SUCCESS(hsa_region_get_info(region, HSA_REGION_INFO_ALLOC_MAX_SIZE, &most));
      EXPECT_SUCCESS(hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &allowed));
      EXPECT_SUCCESS(hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE, &granule));
      EXPECT_SUCCESS(hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT, &alignment));
      EXPECT_EQ(allowed, segment == HSA_REGION_SEGMENT_GLOBAL);
      EXPECT_GT(size, 0u);
      EXPECT_LE(most, size);
      for (const size_t value : {most, granule, alignment})
        EXPECT_EQ(value != 0, allowed);
      EXPECT_EQ(alignment & (alignment - 1), 0u);
      void* p = nullptr;
      EXPECT_EQ(hsa_memory_allocate(region, 0, &p), HSA_STATUS_ERROR_INVALID_ARGUMENT);
      EXPECT_EQ(hsa_memory_allocate(region, 1, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
      EXPECT_EQ(hsa_memory_allocate(region, most + 1, &p), HSA_STATUS_ERROR_INVALID_ALLOCATION);
      EXPECT_EQ(hsa_memory_allocate(region, 1, &p), allowed ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION);
      if (allowed) {
        EXPECT_EQ(reinterpret_cast<uint64_t>(p) % alignment, 0u);
        EXPECT_SUCCESS(hsa_memory_assign_agent(p, gpu(), HSA_ACCESS_PERMISSION_RO));
        EXPECT_SUCCESS(hsa_memory_free(p));
        EXPECT_EQ(hsa_memory_free(p), HSA_STATUS_ERROR_INVALID_ALLOCATION);
      }
      EXPECT_EQ(hsa_region_get_info(region, HSA_REGION_INFO_SIZE, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
      EXPECT_EQ(hsa_region_get_info(region, hsa_region_info_t(99), &size), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    }
  }
  size_t size = 0;
  void* p = nullptr;
  EXPECT_EQ(hsa_region_get_info({0x10}, HSA_REGION_INFO_SIZE, &size), HSA_STATUS_ERROR_INVALID_REGION);
  EXPECT_EQ(hsa_memory_allocate({0x10}, 1, &p), HSA_STATUS_ERROR_INVALID_REGION);
}

TEST_F(Conforming, MemoryCallsThatMakeNoSense) {
  char a[4] = "abc", b[4] = "";
  EXPECT_EQ(hsa_memory_copy(nullptr, a, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_copy(b, nullptr, 4), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_memory_copy(b, a, 0));
  EXPECT_EQ(b[0], 0);
  EXPECT_SUCCESS(hsa_memory_copy(b, a, 4));
  EXPECT_STREQ(b, "abc");
  EXPECT_EQ(hsa_memory_assign_agent(nullptr, gpu(), HSA_ACCESS_PERMISSION_RW), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_assign_agent(a, gpu(), hsa_access_permission_t(4)), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_memory_assign_agent(a, {0x10}, HSA_ACCESS_PERMISSION_RW), HSA_STATUS_ERROR_INVALID_AGENT);
  EXPECT_EQ(hsa_memory_register(a, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_memory_register(a, 4));
  EXPECT_SUCCESS(hsa_memory_register(nullptr, 0));
  EXPECT_SUCCESS(hsa_memory_deregister(a, 4));
  EXPECT_SUCCESS(hsa_memory_free(nullptr));
}

TEST_F(Conforming, FilesThatHoldNoCode) {
  hsa_code_object_reader_t reader{};
  EXPECT_EQ(hsa_code_object_reader_create_from_file(-1, &reader), HSA_STATUS_ERROR_INVALID_FILE);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(ends[0], &reader), HSA_STATUS_ERROR_INVALID_FILE);
  close(ends[0]), close(ends[1]);
  const int folder = open("/", O_RDONLY | O_DIRECTORY), empty = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(folder, &reader), HSA_STATUS_ERROR_INVALID_FILE);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(empty, &reader), HSA_STATUS_ERROR_INVALID_FILE);
  EXPECT_EQ(hsa_code_object_reader_create_from_file(empty, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  close(folder), close(empty);
  // What has been read of a file before does not matter.
  const int file = open(built_path("symbols-gfx900.co").c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  EXPECT_EQ(lseek(file, 100, SEEK_SET), 100);
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_file(file, &reader));
  const TestExecutable executable;
  EXPECT_SUCCESS(hsa_executable_load_agent_code_object(executable.get(), gpu(), reader, nullptr, nullptr));
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
  EXPECT_EQ(hsa_code_object_reader_destroy(reader), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  close(file);
}

} // namespace
} // namespace crosslane::test
