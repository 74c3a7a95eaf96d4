// What the programs that speak HSA directly share: agents, pools, a code object's kernels, and packets written by hand.
// CODE_OBJECTS is the folder of kernels.gfx*.co.
#pragma once
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/programs/check.h"

#define HSA(call)                                                                                                      \
  do {                                                                                                                 \
    const hsa_status_t status_ = (call);                                                                               \
    const char* text_ = "";                                                                                            \
    if (status_ != HSA_STATUS_SUCCESS)                                                                                 \
      hsa_status_string(status_, &text_);                                                                              \
    REQUIRE(status_ == HSA_STATUS_SUCCESS, "%s: %x %s", #call, status_, text_);                                        \
  } while (0)

struct Kernel {
  uint64_t object;
  uint32_t kernarg, group, scratch;
};

// The first GPU and the CPU, their pools, and the kernels of kernels.cl.
struct Gpu {
  hsa_agent_t cpu = {}, agent = {};
  hsa_amd_memory_pool_t fine = {}, kernarg = {}, vram = {};
  hsa_executable_t executable = {};
  hsa_code_object_reader_t reader = {};
  std::vector<char> code;
  std::string name;

  Gpu() {
    HSA(hsa_iterate_agents(
        [](hsa_agent_t found, void* self) {
          hsa_device_type_t type;
          HSA(hsa_agent_get_info(found, HSA_AGENT_INFO_DEVICE, &type));
          hsa_agent_t& mine =
              type == HSA_DEVICE_TYPE_GPU ? static_cast<Gpu*>(self)->agent : static_cast<Gpu*>(self)->cpu;
          if (!mine.handle)
            mine = found;
          return HSA_STATUS_SUCCESS;
        },
        this));
    REQUIRE(cpu.handle && agent.handle, "no agents");
    HSA(hsa_amd_agent_iterate_memory_pools(
        cpu,
        [](hsa_amd_memory_pool_t pool, void* self) {
          uint32_t flags = 0;
          HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
          Gpu& gpu = *static_cast<Gpu*>(self);
          if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
            gpu.kernarg = pool;
          else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
            gpu.fine = pool;
          return HSA_STATUS_SUCCESS;
        },
        this));
    HSA(hsa_amd_agent_iterate_memory_pools(
        agent,
        [](hsa_amd_memory_pool_t pool, void* self) {
          hsa_amd_segment_t segment;
          HSA(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
          Gpu& gpu = *static_cast<Gpu*>(self);
          if (segment == HSA_AMD_SEGMENT_GLOBAL && !gpu.vram.handle)
            gpu.vram = pool;
          return HSA_STATUS_SUCCESS;
        },
        this));
    REQUIRE(kernarg.handle && vram.handle, "no pools");
    if (!fine.handle)
      fine = kernarg;
    char text[64] = {};
    HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, text));
    name = text;
  }

  // Kernels on demand: programs about memory alone need none.
  Kernel kernel(const char* symbol_name) {
    if (!executable.handle) {
      std::ifstream file(std::string(CODE_OBJECTS "/kernels.") + name + ".co", std::ios::binary);
      code.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
      REQUIRE(!code.empty(), "no code object for %s in %s", name.c_str(), CODE_OBJECTS);
      HSA(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader));
      HSA(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable));
      HSA(hsa_executable_load_agent_code_object(executable, agent, reader, nullptr, nullptr));
      HSA(hsa_executable_freeze(executable, nullptr));
    }
    hsa_executable_symbol_t symbol;
    HSA(hsa_executable_get_symbol_by_name(executable, (std::string(symbol_name) + ".kd").c_str(), &agent, &symbol));
    Kernel kernel = {};
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel.object));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
                                       &kernel.kernarg));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &kernel.group));
    HSA(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                                       &kernel.scratch));
    REQUIRE(kernel.object && kernel.kernarg <= 64, "%s", symbol_name);
    return kernel;
  }

  template <class T> T* allocate(hsa_amd_memory_pool_t pool, size_t count) {
    void* block = nullptr;
    HSA(hsa_amd_memory_pool_allocate(pool, count * sizeof(T), 0, &block));
    if (pool.handle != vram.handle)
      HSA(hsa_amd_agents_allow_access(1, &agent, nullptr, block));
    return static_cast<T*>(block);
  }

  hsa_queue_t* queue(uint32_t size = 256) {
    hsa_queue_t* queue = nullptr;
    HSA(hsa_queue_create(
        agent, size, HSA_QUEUE_TYPE_MULTI,
        [](hsa_status_t status, hsa_queue_t*, void*) {
          const char* text = "";
          hsa_status_string(status, &text);
          REQUIRE(false, "the queue reports %x: %s", status, text);
        },
        nullptr, 0, 0, &queue));
    return queue;
  }

  void release() {
    if (executable.handle) {
      HSA(hsa_executable_destroy(executable));
      HSA(hsa_code_object_reader_destroy(reader));
    }
  }
};

inline hsa_signal_t new_signal(hsa_signal_value_t value) {
  hsa_signal_t signal;
  HSA(hsa_signal_create(value, 0, nullptr, &signal));
  return signal;
}

// Waits until the signal is 0, for half a minute at most.
inline void wait_zero(hsa_signal_t signal, const char* what) {
  uint64_t frequency = 0;
  HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  const hsa_signal_value_t value =
      hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, 30 * frequency, HSA_WAIT_STATE_BLOCKED);
  REQUIRE(value == 0, "%s: the signal stays at %lld", what, static_cast<long long>(value));
}

// Takes the next slot of the queue, waiting for room; the body fills all but the header, which makes the packet valid.
template <class Packet, class Body> void submit(hsa_queue_t* queue, uint16_t header, uint16_t setup, Body&& body) {
  const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
  }
  Packet* packet = static_cast<Packet*>(queue->base_address) + index % queue->size;
  memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
  body(*packet);
  __atomic_store_n(reinterpret_cast<uint32_t*>(packet), header | uint32_t(setup) << 16, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

inline uint16_t header(hsa_packet_type_t type) {
  return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

// All kernels here take (pointer, uint) in groups of 64; `arguments` is kernarg memory, 64 bytes of it.
inline void launch(hsa_queue_t* queue, const Kernel& kernel, char* arguments, void* pointer, uint32_t value,
                   uint32_t items, hsa_signal_t completion) {
  memcpy(arguments, &pointer, 8);
  memcpy(arguments + 8, &value, 4);
  submit<hsa_kernel_dispatch_packet_t>(queue, header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1, [&](auto& packet) {
    packet.workgroup_size_x = 64, packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = items, packet.grid_size_y = packet.grid_size_z = 1;
    packet.private_segment_size = kernel.scratch, packet.group_segment_size = kernel.group;
    packet.kernel_object = kernel.object, packet.kernarg_address = arguments;
    packet.completion_signal = completion;
  });
}

inline void barrier_packet(hsa_queue_t* queue, hsa_packet_type_t type, const std::vector<hsa_signal_t>& dependencies,
                           hsa_signal_t completion) {
  submit<hsa_barrier_and_packet_t>(queue, header(type), 0, [&](auto& packet) {
    for (size_t i = 0; i < dependencies.size(); ++i)
      packet.dep_signal[i] = dependencies[i];
    packet.completion_signal = completion;
  });
}
