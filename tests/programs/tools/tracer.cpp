// A tool as profilers are, for any program, named by HSA_TOOLS_LIB: counts calls of the core and the AMD table, makes
// each queue an intercept queue, and gives each dispatch a completion signal of its own, at whose end it notes the
// times and goes on to the program's signal. Kernels' names are what the program looked up. Tells the trace at the end.
// Written to Debian's headers, ROCm 5.2.
#define AMD_INTERNAL_BUILD // headers side by side
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa_api_trace.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/programs/check.h"

namespace {

CoreApiTable core; // as handed out
AmdExtTable amd;
template <class Table> Table& original();
template <> CoreApiTable& original() { return core; }
template <> AmdExtTable& original() { return amd; }

// Stands in an entry's place: counts, then calls what was there.
template <auto Entry> struct Counted;
template <class Table, class Result, class... Arguments, Result (*Table::*Entry)(Arguments...)> struct Counted<Entry> {
  static inline std::atomic<long> calls{0};
  static Result call(Arguments... arguments) {
    ++calls;
    return (original<Table>().*Entry)(arguments...);
  }
};

#define COUNTED(X)                                                                                                     \
  X(CoreApiTable, core_, hsa_queue_create)                                                                             \
  X(CoreApiTable, core_, hsa_queue_destroy)                                                                            \
  X(CoreApiTable, core_, hsa_signal_create)                                                                            \
  X(CoreApiTable, core_, hsa_executable_freeze)                                                                        \
  X(AmdExtTable, amd_ext_, hsa_amd_memory_pool_allocate)                                                               \
  X(AmdExtTable, amd_ext_, hsa_amd_agents_allow_access)

struct Queue;

struct Dispatch {
  Queue* queue;
  uint64_t kernel, index, seen; // seen: the system's clock when the packet came by
  hsa_signal_t mine, programs;
  uint64_t start = 0, end = 0, told = 0; // told: the system's clock when its signal was 0
};

struct Queue {
  hsa_agent_t agent;
  hsa_queue_t* queue = nullptr;
  std::vector<Dispatch*> dispatches;
};

std::mutex mutex; // guards what follows, which outlives destructors
std::vector<Queue*>& queues = *new std::vector<Queue*>;
std::map<uint64_t, std::string>& names = *new std::map<uint64_t, std::string>; // by kernel object
std::condition_variable& idle = *new std::condition_variable;
long running = 0; // dispatches
bool reported = false;

uint64_t now() {
  uint64_t time = 0;
  REQUIRE(!core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_TIMESTAMP, &time), "the clock");
  return time;
}

bool ended(hsa_signal_value_t, void* data) {
  Dispatch& dispatch = *static_cast<Dispatch*>(data);
  hsa_amd_profiling_dispatch_time_t time = {};
  REQUIRE(!amd.hsa_amd_profiling_get_dispatch_time_fn(dispatch.queue->agent, dispatch.mine, &time), "times");
  {
    const std::lock_guard lock(mutex);
    dispatch.start = time.start, dispatch.end = time.end, dispatch.told = now();
    if (--running == 0)
      idle.notify_all();
  }
  REQUIRE(!core.hsa_signal_destroy_fn(dispatch.mine), "the tool's signal");
  if (dispatch.programs.handle) { // whoever asks the program's signal for times gets these
    amd_signal_t* const signal = reinterpret_cast<amd_signal_t*>(dispatch.programs.handle);
    signal->start_ts = time.start, signal->end_ts = time.end;
    core.hsa_signal_subtract_screlease_fn(dispatch.programs, 1);
  }
  return false;
}

void packets_come(const void* packets, uint64_t count, uint64_t index, void* data,
                  hsa_amd_queue_intercept_packet_writer write) {
  Queue& queue = *static_cast<Queue*>(data);
  std::vector<hsa_kernel_dispatch_packet_t> mine(count);
  memcpy(mine.data(), packets, count * sizeof mine[0]);
  for (hsa_kernel_dispatch_packet_t& packet : mine) {
    if ((packet.header >> HSA_PACKET_HEADER_TYPE & 0xff) != HSA_PACKET_TYPE_KERNEL_DISPATCH)
      continue;
    Dispatch* const dispatch = new Dispatch{&queue, packet.kernel_object,    index + (&packet - mine.data()), now(),
                                            {},     packet.completion_signal};
    REQUIRE(!core.hsa_signal_create_fn(1, 0, nullptr, &dispatch->mine), "the tool's signal");
    REQUIRE(!amd.hsa_amd_signal_async_handler_fn(dispatch->mine, HSA_SIGNAL_CONDITION_LT, 1, ended, dispatch),
            "its handler");
    packet.completion_signal = dispatch->mine;
    const std::lock_guard lock(mutex);
    queue.dispatches.push_back(dispatch);
    ++running;
  }
  write(mine.data(), count);
}

hsa_status_t create_queue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                          void (*error)(hsa_status_t, hsa_queue_t*, void*), void* data, uint32_t private_size,
                          uint32_t group_size, hsa_queue_t** queue) {
  ++Counted<&CoreApiTable::hsa_queue_create_fn>::calls;
  const hsa_status_t status =
      amd.hsa_amd_queue_intercept_create_fn(agent, size, type, error, data, private_size, group_size, queue);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  Queue* const mine = new Queue{agent, *queue, {}};
  REQUIRE(!amd.hsa_amd_profiling_set_profiler_enabled_fn(*queue, true), "profiling");
  REQUIRE(!amd.hsa_amd_queue_intercept_register_fn(*queue, packets_come, mine), "the handler of packets");
  const std::lock_guard lock(mutex);
  queues.push_back(mine);
  return status;
}

hsa_status_t get_symbol_info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute, void* value) {
  const hsa_status_t status = core.hsa_executable_symbol_get_info_fn(symbol, attribute, value);
  if (status == HSA_STATUS_SUCCESS && attribute == HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT) {
    uint32_t length = 0;
    core.hsa_executable_symbol_get_info_fn(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length);
    std::string name(length, 0);
    core.hsa_executable_symbol_get_info_fn(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data());
    const std::lock_guard lock(mutex);
    names[*static_cast<uint64_t*>(value)] = name;
  }
  return status;
}

// At the last hsa_shut_down, or when a program just exits. What it waited for may be a barrier packet behind a dispatch
// whose signal we have yet to hear of.
void report() {
  std::unique_lock lock(mutex);
  if (reported)
    return;
  reported = true;
  idle.wait_for(lock, std::chrono::seconds(20), [] { return running == 0; });
  long all = 0, in_order = 0;
  std::map<std::string, long> of_name;
  for (const Queue* queue : queues) {
    uint64_t before = 0, index = 0;
    for (const Dispatch* dispatch : queue->dispatches) {
      const auto name = names.find(dispatch->kernel);
      ++of_name[name == names.end() ? "unknown" : name->second];
      ++all;
      // Packets of a queue do not overlap here
      if (before <= dispatch->start && dispatch->seen <= dispatch->start && dispatch->start < dispatch->end &&
          dispatch->end <= dispatch->told && (before == 0 || index < dispatch->index))
        ++in_order;
      else
        printf("tracer: packet %lu after %lu, which ended at %lu: seen %lu, start %lu, end %lu, told %lu\n",
               dispatch->index, index, before, dispatch->seen, dispatch->start, dispatch->end, dispatch->told);
      before = dispatch->end, index = dispatch->index;
    }
  }
  printf("tracer: %ld dispatches, %ld with times in order\n", all, in_order);
  for (const auto& [name, count] : of_name)
    printf("tracer: %ld of %s\n", count, name.c_str());
#define PRINT(Table, member, function)                                                                                 \
  printf("tracer: %ld calls of " #function "\n", Counted<&Table::function##_fn>::calls.load());
  COUNTED(PRINT)
  fflush(stdout);
}

[[gnu::destructor]] void process_ends() { report(); }

} // namespace

extern "C" {

[[gnu::visibility("default")]] bool OnLoad(HsaApiTable* table, uint64_t, uint64_t, const char* const*) {
  core = *table->core_, amd = *table->amd_ext_;
#define REPLACE(Table, member, function) table->member->function##_fn = Counted<&Table::function##_fn>::call;
  COUNTED(REPLACE)
  table->core_->hsa_queue_create_fn = create_queue;
  table->core_->hsa_executable_symbol_get_info_fn = get_symbol_info;
  return true;
}

[[gnu::visibility("default")]] void OnUnload() { report(); }

} // extern "C"
