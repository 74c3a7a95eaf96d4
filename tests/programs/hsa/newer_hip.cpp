// What HIP 6.2 asks of the runtime, in its order: questions that are newer than ROCm 5.2, addresses before memory
// before a queue, memory at two addresses, copies on the engine that is free, and everything given back before
// hsa_shut_down. Written from calls that were watched; HIP itself is not needed, so that this runs where only an older
// one is installed.
#include "hsa/newer.h"
#include "tests/programs/hsa/hsa_check.h"

#include <array>
#include <chrono>
#include <numeric>
#include <thread>

static constexpr unsigned char untouched = 0xa5;

// The answer, which must fill just the type that HIP keeps it in.
template <class T> static T ask(hsa_agent_t agent, uint32_t attribute) {
  struct {
    T answer;
    unsigned char after[64];
  } place;
  memset(&place, untouched, sizeof place);
  HSA(hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(attribute), &place.answer));
  const auto* bytes = reinterpret_cast<unsigned char*>(&place);
  for (size_t i = sizeof(T); i < sizeof place; ++i)
    REQUIRE(bytes[i] == untouched, "attribute 0x%x writes byte %zu", attribute, i);
  return place.answer;
}

// HIP takes the lowest engine that is free in this direction, and without one the older function.
static void copy_on_free_engine(void* to, hsa_agent_t to_agent, const void* from, hsa_agent_t from_agent, size_t bytes,
                                const hsa_signal_t* after, hsa_signal_t done) {
  uint32_t free = 0;
  HSA(hsa_amd_memory_copy_engine_status(to_agent, from_agent, &free));
  REQUIRE(free, "no engine is free");
  HSA(hsa_amd_memory_async_copy_on_engine(to, to_agent, from, from_agent, bytes, after ? 1 : 0, after, done,
                                          static_cast<hsa_amd_sdma_engine_id_t>(free & -free), false));
}

static hsa_amd_vmem_alloc_handle_t map(Gpu& gpu, char* address, size_t bytes) {
  hsa_amd_vmem_alloc_handle_t memory = {};
  HSA(hsa_amd_vmem_handle_create(gpu.vram, bytes, MEMORY_TYPE_PINNED, 0, &memory));
  HSA(hsa_amd_vmem_map(address, bytes, 0, memory, 0));
  return memory;
}

static void questions(Gpu& gpu) {
  const auto total = ask<uint64_t>(gpu.agent, HSA_AMD_AGENT_INFO_MEMORY_AVAIL);
  REQUIRE(total > (64 << 20), "%llu bytes free", static_cast<unsigned long long>(total));
  REQUIRE(ask<uint32_t>(gpu.agent, HSA_AMD_AGENT_INFO_NUM_SDMA_ENG) >= 1);
  ask<uint32_t>(gpu.agent, HSA_AMD_AGENT_INFO_DRIVER_NODE_ID);
  REQUIRE(!(ask<std::array<uint8_t, 8>>(gpu.agent, HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES)[0] & 1), "no APU");
  bool virtual_memory = false;
  HSA(hsa_system_get_info(static_cast<hsa_system_info_t>(HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED),
                          &virtual_memory));
  REQUIRE(virtual_memory);
  size_t granule = 0;
  HSA(hsa_amd_memory_pool_get_info(
      gpu.vram, static_cast<hsa_amd_memory_pool_info_t>(HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE), &granule));
  REQUIRE(granule && !(granule & (granule - 1)), "granule %zu", granule);
}

// hipDeviceAttributeWallClockRate, by which programs wait in kernels. Between two kernels go at least the ticks of the
// host's sleep between them, and at most those of the time around both.
static void wall_clock(Gpu& gpu, hsa_queue_t* queue, char* arguments) {
  using Clock = std::chrono::steady_clock;
  const auto rate = double(ask<uint64_t>(gpu.agent, HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY));
  REQUIRE(rate >= 1e6 && rate <= 400e6, "%g Hz is out of the range of hsa_ext_amd.h", rate);
  auto* times = gpu.allocate<uint64_t>(gpu.fine, 2);
  const Kernel kernel = gpu.kernel("ticks");
  const hsa_signal_t done = new_signal(1);
  Clock::time_point before[2], after[2];
  for (uint32_t i = 0; i < 2; ++i) {
    if (i)
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
    hsa_signal_store_relaxed(done, 1);
    before[i] = Clock::now();
    launch(queue, kernel, arguments, times, i, 64, done);
    wait_zero(done, "ticks");
    after[i] = Clock::now();
    // What the kernel read lies within the times of its dispatch, once a card's tick has become one of the system.
    hsa_amd_profiling_dispatch_time_t time;
    uint64_t tick = 0;
    HSA(hsa_amd_profiling_get_dispatch_time(gpu.agent, done, &time));
    HSA(hsa_amd_profiling_convert_tick_to_system_domain(gpu.agent, times[i], &tick));
    REQUIRE(time.start <= tick && tick <= time.end, "the kernel's %llu is outside of its dispatch, %llu to %llu",
            static_cast<unsigned long long>(tick), static_cast<unsigned long long>(time.start),
            static_cast<unsigned long long>(time.end));
  }
  const double seconds = double(times[1] - times[0]) / rate;
  const double least = std::chrono::duration<double>(before[1] - after[0]).count();
  const double most = std::chrono::duration<double>(after[1] - before[0]).count();
  REQUIRE(seconds > least * 0.99 && seconds < most * 1.01, "%g s of ticks in %g to %g s", seconds, least, most);
  HSA(hsa_signal_destroy(done));
  HSA(hsa_amd_memory_pool_free(times));
}

int main() {
  HSA(hsa_init());
  {
    Gpu gpu;
    questions(gpu);

    // Three blocks behind each other, as hipMemAddressReserve, hipMemCreate, hipMemMap and hipMemSetAccess make a
    // growing array
    const size_t bytes = 1 << 20, count = bytes / 4;
    void* reserved = nullptr;
    HSA(hsa_amd_vmem_address_reserve(&reserved, 4 * bytes, 0, 0));
    char* const base = static_cast<char*>(reserved);
    hsa_amd_vmem_alloc_handle_t memory[3];
    for (int i = 0; i < 3; ++i)
      memory[i] = map(gpu, base + i * bytes, bytes);
    const hsa_amd_memory_access_desc_t access = {HSA_ACCESS_PERMISSION_RW, gpu.agent};
    for (int i = 0; i < 3; ++i)
      HSA(hsa_amd_vmem_set_access(base + i * bytes, bytes, &access, 1));
    hsa_access_permission_t allowed = HSA_ACCESS_PERMISSION_NONE;
    HSA(hsa_amd_vmem_get_access(base + bytes, &allowed, gpu.agent));
    REQUIRE(allowed == HSA_ACCESS_PERMISSION_RW);

    // Pageable memory is locked for each copy; a kernel goes over the borders of the blocks.
    std::vector<uint32_t> data(3 * count), back(3 * count);
    std::iota(data.begin(), data.end(), 7u);
    void *locked_data = nullptr, *locked_back = nullptr;
    HSA(hsa_amd_memory_lock_to_pool(data.data(), 3 * bytes, &gpu.agent, 1, gpu.fine, 0, &locked_data));
    HSA(hsa_amd_memory_lock_to_pool(back.data(), 3 * bytes, &gpu.agent, 1, gpu.fine, 0, &locked_back));
    hsa_queue_t* queue = gpu.queue(16384);
    char* arguments = gpu.allocate<char>(gpu.kernarg, 64);
    wall_clock(gpu, queue, arguments);
    const hsa_signal_t there = new_signal(1), kernel = new_signal(1), home = new_signal(1);
    copy_on_free_engine(base, gpu.agent, locked_data, gpu.cpu, 3 * bytes, nullptr, there);
    wait_zero(there, "a copy to the device");
    launch(queue, gpu.kernel("mix"), arguments, base, 5, 3 * count, kernel);
    copy_on_free_engine(locked_back, gpu.cpu, base, gpu.agent, 3 * bytes, &kernel, home);
    wait_zero(home, "a copy to the host");
    for (size_t i = 0; i < back.size(); ++i)
      REQUIRE(back[i] == data[i] * 31 + 5, "word %zu is %u", i, back[i]);

    // The middle block moves to the fourth place; what it holds moves along, and a kernel finds it there.
    HSA(hsa_amd_vmem_unmap(base + bytes, bytes));
    HSA(hsa_amd_vmem_map(base + 3 * bytes, bytes, 0, memory[1], 0));
    HSA(hsa_amd_vmem_set_access(base + 3 * bytes, bytes, &access, 1));
    hsa_signal_store_relaxed(kernel, 1);
    hsa_signal_store_relaxed(home, 1);
    launch(queue, gpu.kernel("add"), arguments, base + 3 * bytes, 11, count, kernel);
    copy_on_free_engine(locked_back, gpu.cpu, base + 3 * bytes, gpu.agent, bytes, &kernel, home);
    wait_zero(home, "a copy of what moved");
    for (size_t i = 0; i < count; ++i)
      REQUIRE(back[i] == data[count + i] * 31 + 16, "moved word %zu is %u", i, back[i]);

    HSA(hsa_amd_memory_unlock(data.data()));
    HSA(hsa_amd_memory_unlock(back.data()));
    for (const int place : {0, 2, 3})
      HSA(hsa_amd_vmem_unmap(base + place * bytes, bytes));
    for (const auto& block : memory)
      HSA(hsa_amd_vmem_handle_release(block));
    HSA(hsa_amd_vmem_address_free(base, 4 * bytes));
    HSA(hsa_amd_memory_pool_free(arguments));
    gpu.release();
    for (const hsa_signal_t signal : {there, kernel, home})
      HSA(hsa_signal_destroy(signal));
    HSA(hsa_queue_destroy(queue));
  }
  HSA(hsa_shut_down());
  return pass();
}
