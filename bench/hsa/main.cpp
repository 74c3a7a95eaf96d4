// crosslane_hsa_bench: what the HSA runtime itself costs: starting, dispatching, waiting, copying. It uses the shared
// library, so that LD_LIBRARY_PATH compares it with another build. The programs that it starts (rocminfo, an empty HIP
// program) are timed as whole processes, beside the same work without a GPU where there is such a thing.
#include "engine/dispatch.h"
#include "tests/engine/assembler.h"
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace crosslane;

void must(hsa_status_t status, const char* what) {
  if (status != HSA_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + " failed with status " + std::to_string(status));
}
#define MUST(call) must(call, #call)

hsa_agent_t find_gpu() {
  hsa_agent_t gpu{};
  MUST(hsa_iterate_agents(
      [](hsa_agent_t agent, void* found) {
        hsa_device_type_t type;
        MUST(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
        if (type == HSA_DEVICE_TYPE_GPU)
          *static_cast<hsa_agent_t*>(found) = agent;
        return HSA_STATUS_SUCCESS;
      },
      &gpu));
  return gpu;
}

// A runtime with a queue and an empty kernel.
struct World {
  hsa_agent_t gpu{};
  hsa_queue_t* queue = nullptr;
  hsa_signal_t done{};
  hsa_executable_t executable{};
  uint64_t kernel = 0;

  World() {
    MUST(hsa_init());
    gpu = find_gpu();
    MUST(hsa_queue_create(gpu, 4096, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue));
    MUST(hsa_signal_create(0, 0, nullptr, &done));
    const auto bytes = test::assemble_code_object(R"(
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
)",
                                                  isa::Target::gfx900);
    hsa_code_object_reader_t reader;
    MUST(hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader));
    MUST(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable));
    MUST(hsa_executable_load_agent_code_object(executable, gpu, reader, nullptr, nullptr));
    MUST(hsa_executable_freeze(executable, nullptr));
    hsa_executable_symbol_t symbol;
    MUST(hsa_executable_get_symbol_by_name(executable, "k.kd", &gpu, &symbol));
    MUST(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel));
    MUST(hsa_code_object_reader_destroy(reader));
  }
  ~World() {
    hsa_queue_destroy(queue);
    hsa_signal_destroy(done);
    hsa_executable_destroy(executable);
    hsa_shut_down();
  }

  void submit(uint32_t grid, hsa_signal_t completion) {
    const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    auto* slot = static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address) + index % queue->size;
    std::memset(reinterpret_cast<char*>(slot) + 2, 0, 62);
    slot->setup = 1;
    slot->workgroup_size_x = 64;
    slot->workgroup_size_y = slot->workgroup_size_z = 1;
    slot->grid_size_x = grid;
    slot->grid_size_y = slot->grid_size_z = 1;
    slot->kernel_object = kernel;
    slot->completion_signal = completion;
    __atomic_store_n(&slot->header, uint16_t(HSA_PACKET_TYPE_KERNEL_DISPATCH), __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, int64_t(index));
  }
  void wait() { hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED); }
};

void init_and_shut_down(benchmark::State& state) {
  for (auto _ : state) {
    MUST(hsa_init());
    MUST(hsa_shut_down());
  }
}
BENCHMARK(init_and_shut_down)->Unit(benchmark::kMicrosecond);

// From the store to the doorbell until the waiting thread goes on.
void empty_dispatch(benchmark::State& state) {
  World world;
  for (auto _ : state) {
    hsa_signal_store_relaxed(world.done, 1);
    world.submit(uint32_t(state.range(0)), world.done);
    world.wait();
  }
}
BENCHMARK(empty_dispatch)
    ->Name("empty_dispatch, work-items")
    ->Arg(64)
    ->Arg(64 * 64)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

// The same when the queue has slept: after a millisecond without work, which is not counted.
void empty_dispatch_after_rest(benchmark::State& state) {
  World world;
  for (auto _ : state) {
    usleep(1000);
    const auto begin = std::chrono::steady_clock::now();
    hsa_signal_store_relaxed(world.done, 1);
    world.submit(64, world.done);
    world.wait();
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}
BENCHMARK(empty_dispatch_after_rest)->Unit(benchmark::kMicrosecond)->UseManualTime()->Iterations(1000);

void dispatches_in_a_row(benchmark::State& state) {
  World world;
  constexpr int count = 1000;
  for (auto _ : state) {
    hsa_signal_store_relaxed(world.done, 1);
    for (int i = 1; i < count; ++i)
      world.submit(64, {0});
    world.submit(64, world.done);
    world.wait();
  }
  state.counters["per_dispatch"] = benchmark::Counter(double(count) * double(state.iterations()),
                                                      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(dispatches_in_a_row)->Unit(benchmark::kMicrosecond)->UseRealTime();

// A thread that waits and answers, and back: two signals, two wake-ups.
void signal_round_trip(benchmark::State& state) {
  World world;
  hsa_signal_t there{}, back{};
  MUST(hsa_signal_create(0, 0, nullptr, &there));
  MUST(hsa_signal_create(0, 0, nullptr, &back));
  std::thread other([&] {
    for (int64_t turn = 1;; ++turn) {
      if (hsa_signal_wait_scacquire(there, HSA_SIGNAL_CONDITION_NE, turn - 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) < 0)
        return;
      hsa_signal_store_screlease(back, turn);
    }
  });
  int64_t turn = 0;
  for (auto _ : state) {
    hsa_signal_store_screlease(there, ++turn);
    hsa_signal_wait_scacquire(back, HSA_SIGNAL_CONDITION_EQ, turn, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  }
  hsa_signal_store_screlease(there, -1);
  other.join();
  hsa_signal_destroy(there);
  hsa_signal_destroy(back);
}
BENCHMARK(signal_round_trip)->Unit(benchmark::kMicrosecond)->UseRealTime();

hsa_agent_t find_cpu() {
  hsa_agent_t cpu{};
  hsa_iterate_agents( // the first agent
      [](hsa_agent_t agent, void* found) {
        *static_cast<hsa_agent_t*>(found) = agent;
        return HSA_STATUS_INFO_BREAK;
      },
      &cpu);
  return cpu;
}

void* allocate(hsa_agent_t agent, size_t size) {
  hsa_amd_memory_pool_t pool{};
  hsa_amd_agent_iterate_memory_pools(
      agent,
      [](hsa_amd_memory_pool_t p, void* found) {
        bool allowed = false;
        hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
        if (!allowed)
          return HSA_STATUS_SUCCESS;
        *static_cast<hsa_amd_memory_pool_t*>(found) = p;
        return HSA_STATUS_INFO_BREAK;
      },
      &pool);
  void* memory = nullptr;
  MUST(hsa_amd_memory_pool_allocate(pool, size, 0, &memory));
  std::memset(memory, 1, size);
  return memory;
}

// Memory on both sides of a copy, of agents of the world's.
struct Buffers {
  hsa_agent_t to_agent, from_agent;
  void *to, *from;
  Buffers(hsa_agent_t t, hsa_agent_t f, size_t bytes)
      : to_agent(t), from_agent(f), to(allocate(t, bytes)), from(allocate(f, bytes)) {}
  ~Buffers() {
    hsa_amd_memory_pool_free(to);
    hsa_amd_memory_pool_free(from);
  }
  void copy(size_t bytes, hsa_signal_t done) const {
    MUST(hsa_amd_memory_async_copy(to, to_agent, from, from_agent, bytes, 0, nullptr, done));
  }
};

void sizes(benchmark::internal::Benchmark* b) {
  for (const int64_t bytes : {4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20})
    b->Arg(bytes);
  b->Unit(benchmark::kMicrosecond)->UseRealTime();
}

// From the call until the waiting thread goes on.
void async_copy(benchmark::State& state, bool to_device, bool from_device) {
  World world;
  const auto bytes = size_t(state.range(0));
  const hsa_agent_t cpu = find_cpu();
  const Buffers buffers(to_device ? world.gpu : cpu, from_device ? world.gpu : cpu, bytes);
  for (auto _ : state) {
    hsa_signal_store_relaxed(world.done, 1);
    buffers.copy(bytes, world.done);
    world.wait();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(async_copy, host_to_device, true, false)->Apply(sizes);
BENCHMARK_CAPTURE(async_copy, device_to_host, false, true)->Apply(sizes);
BENCHMARK_CAPTURE(async_copy, device_to_device, true, true)->Apply(sizes);

// Many under way at once: a thousand of 4 KiB, waited for together.
void async_copies_in_a_row(benchmark::State& state) {
  World world;
  constexpr int count = 1000;
  constexpr size_t bytes = 4096;
  const Buffers buffers(world.gpu, find_cpu(), bytes);
  for (auto _ : state) {
    hsa_signal_store_relaxed(world.done, count);
    for (int i = 0; i < count; ++i)
      buffers.copy(bytes, world.done);
    world.wait();
  }
  state.SetBytesProcessed(state.iterations() * count * int64_t(bytes));
}
BENCHMARK(async_copies_in_a_row)->Unit(benchmark::kMicrosecond)->UseRealTime();

// Each waits for the one before it.
void async_copies_in_a_chain(benchmark::State& state) {
  World world;
  constexpr size_t count = 100, bytes = 4096;
  const Buffers buffers(world.gpu, find_cpu(), bytes);
  std::vector<hsa_signal_t> signals(count + 1);
  for (auto& signal : signals)
    MUST(hsa_signal_create(1, 0, nullptr, &signal));
  for (auto _ : state) {
    for (const auto signal : signals)
      hsa_signal_store_relaxed(signal, 1);
    for (size_t i = 0; i < count; ++i)
      MUST(hsa_amd_memory_async_copy(buffers.to, world.gpu, buffers.from, buffers.from_agent, bytes, 1, &signals[i],
                                     signals[i + 1]));
    hsa_signal_store_screlease(signals[0], 0);
    hsa_signal_wait_scacquire(signals[count], HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  }
  for (const auto signal : signals)
    hsa_signal_destroy(signal);
}
BENCHMARK(async_copies_in_a_chain)->Unit(benchmark::kMicrosecond)->UseRealTime();

// 4096 rows of so many bytes, every second one of the target.
void async_copy_rect(benchmark::State& state) {
  World world;
  const auto row = uint32_t(state.range(0));
  constexpr uint32_t rows = 4096;
  const Buffers buffers(world.gpu, find_cpu(), size_t(row) * 2 * rows);
  const hsa_pitched_ptr_t to{buffers.to, size_t(row) * 2, 0}, from{buffers.from, row, 0};
  const hsa_dim3_t zero{}, range{row, rows, 1};
  for (auto _ : state) {
    hsa_signal_store_relaxed(world.done, 1);
    MUST(hsa_amd_memory_async_copy_rect(&to, &zero, &from, &zero, &range, world.gpu, hsaHostToDevice, 0, nullptr,
                                        world.done));
    world.wait();
  }
  state.SetBytesProcessed(state.iterations() * row * int64_t(rows));
}
BENCHMARK(async_copy_rect)
    ->Name("async_copy_rect, bytes of a row")
    ->Arg(64)
    ->Arg(1024)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

void memory_fill(benchmark::State& state) {
  World world;
  const auto bytes = size_t(state.range(0));
  void* to = allocate(world.gpu, bytes);
  for (auto _ : state)
    MUST(hsa_amd_memory_fill(to, 7, bytes / 4));
  state.SetBytesProcessed(state.iterations() * state.range(0));
  hsa_amd_memory_pool_free(to);
}
BENCHMARK(memory_fill)->Name("memory_fill, bytes")->Apply(sizes);

void plain_memcpy(benchmark::State& state) {
  const auto bytes = size_t(state.range(0));
  std::vector<char> from(bytes, 1), to(bytes, 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(plain_memcpy)->Name("plain_memcpy, bytes")->Apply(sizes);

// A whole process, its output thrown away.
void process(benchmark::State& state, const std::string& command) {
  for (auto _ : state)
    if (const int status = std::system((command + " >/dev/null 2>&1").c_str()); status != 0)
      return state.SkipWithError((command + ": exit status " + std::to_string(WEXITSTATUS(status))).c_str());
}
BENCHMARK_CAPTURE(process, nothing, "true")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(process, rocminfo, CROSSLANE_PROGRAM " run -- rocminfo")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(process, empty_hip_launch, CROSSLANE_PROGRAM " run -- " CROSSLANE_EMPTY_HIP)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace

BENCHMARK_MAIN();
