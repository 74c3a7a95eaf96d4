// hsa_init and hsa_shut_down.
#include "hsa/runtime.h"
#include "hsa/capturing.h"
#include "hsa/code/executable.h"
#include "hsa/functions.h"
#include "hsa/image/image.h"
#include "hsa/info/placement.h"
#include "hsa/info/visible_devices.h"
#include "hsa/memory/copy.h"
#include "hsa/memory/memory.h"
#include "hsa/memory/svm.h"
#include "hsa/memory/vmem.h"
#include "hsa/queue/async_handlers.h"
#include "hsa/queue/cu_mask.h"
#include "hsa/queue/interrupt.h"
#include "hsa/queue/queue.h"
#include "hsa/queue/signal.h"
#include "hsa/statistics.h"
#include "hsa/tools/tools.h"
#include "profile/watchdog.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

std::recursive_mutex init_mutex;       // tools may initialise once more while they are loaded
std::atomic<uint32_t> references{0};   // leaves 0, and comes to 0, under the mutex alone
constexpr uint32_t exit_handlers = 16; // registered at most, see init()
bool closing = false;                  // the last hsa_shut_down is under way
[[clang::no_destroy]] std::condition_variable_any closed;
std::atomic<Runtime*> instance{nullptr};
std::atomic<int64_t> users{0};
// Those that hsa_shut_down has left behind while there were users.
std::mutex retired_mutex;
[[clang::no_destroy]] constinit std::vector<Runtime*> retired;
std::atomic<bool> any_retired{false};
std::atomic<uint32_t> destroying{0}; // threads that do
pid_t owner = 0;                     // process that has made runtimes
// The process runs its exit handlers.
std::atomic<bool> ending{false};
std::atomic<int> exit_status{0}; // of Statistics, of the process
bool left_for_good = false;      // hsa_shut_down was called meanwhile

// Of runtimes that somebody was in a call of when the client shut down, such as a handler of signals: who may be there
// still, or is just destroying what it left, and telling, for which there are ten seconds.
void tell_retired() {
  if (getpid() != owner) // a fork: they are its parent's
    return;
  std::vector<Runtime*> left;
  {
    const std::lock_guard lock(retired_mutex);
    left.swap(retired);
    any_retired = false;
  }
  for (Runtime* runtime : left) {
    runtime->tell_all();
    if (const int status = runtime->statistics->exit_status())
      exit_status = status;
  }
  for (int tries = 0; destroying && tries < 1000; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// Most clients never shut down. Kernels that still run must not do so while what they use is destroyed, and what was
// counted is told. As a destructor of the library this comes after the exit handlers of its clients, which may still
// launch kernels and wait.
[[gnu::destructor]] void at_unload() {
  if (any_retired || destroying)
    tell_retired();
  if (Runtime* runtime = instance.load()) {
    runtime->queues->stop_all();
    runtime->tell_all();
    exit_status = runtime->statistics->exit_status();
  }
  if (exit_status) { // nobody else can say so any more
    std::fflush(nullptr);
    _exit(exit_status);
  }
}

// Once: clients try again and again.
hsa_status_t say_error(const std::string& error) {
  static std::string said;
  if (error != said)
    say(said = error);
  return HSA_STATUS_ERROR;
}

std::unique_ptr<Agent> make_cpu() {
  auto cpu = std::make_unique<Agent>();
  cpu->name = "CPU";
  return cpu;
}

// A GPU keeps its node, and with it all that it says of itself, whatever others are seen.
void show_only(std::string_view list, std::vector<std::unique_ptr<Agent>>& agents) {
  std::vector<std::string> uuids;
  std::vector<std::unique_ptr<Agent>> seen;
  for (size_t i = 1; i < agents.size(); ++i)
    uuids.push_back(agents[i]->uuid());
  seen.push_back(std::move(agents[0]));
  for (const size_t gpu : visible_devices(list, uuids))
    seen.push_back(std::move(agents[gpu + 1]));
  agents = std::move(seen);
}

} // namespace

Runtime* Runtime::current() { return instance.load(std::memory_order_acquire); }

// Who comes after `instance` has changed does not see the retired one, so that without users nobody has it.
Runtime* Runtime::Use::enter() noexcept {
  ++users;
  return instance;
}

void Runtime::Use::leave() noexcept {
  if (--users == 0 && any_retired) [[unlikely]]
    retire(nullptr);
}

// Destroys what was retired, unless somebody still uses it.
void Runtime::retire(Runtime* runtime) {
  std::vector<Runtime*> unused;
  {
    const std::lock_guard lock(retired_mutex);
    if (runtime)
      retired.push_back(runtime);
    any_retired = !retired.empty();
    if (users)
      return;
    unused.swap(retired);
    any_retired = false;
    ++destroying; // here, so that they are either in `retired` or waited for
  }
  for (const Runtime* each : unused)
    delete each;
  --destroying;
}

Runtime::Runtime(Settings s) : settings(std::move(s)), reaches_host(settings.host_memory) {
  heap = std::make_unique<Heap>();
  svm = std::make_unique<SvmRanges>();
  images = std::make_unique<Images>();
  virtual_memory = std::make_unique<VirtualMemory>(*this);
  code = std::make_unique<CodeRegistry>();
  statistics = std::make_unique<Statistics>(settings, *heap);
  if (!settings.capture.folder.empty())
    capturing = std::make_unique<Capturing>(*this);
  copies = std::make_unique<CopyEngine>(*this);
  async_handlers = std::make_unique<AsyncHandlers>();
  queues = std::make_unique<Queues>();
  interrupt = std::make_unique<Interrupt>([this](const std::string& why) { tell_at_last(why); });
}

void Runtime::tell_at_last(const std::string& why) {
  statistics->interrupt(why);
  last_words_ = &why;
  {
    // A client's callback that does not return must not keep the process alive.
    const profile::Watchdog limit(10, Interrupt::end_process);
    queues->stop_all();
  }
  tell_all();
}

void Runtime::tell_all() {
  if (!settings.checks.memory && !settings.quiet && settings.bounds != machine::Bounds::card)
    heap->tell_overwritten(true);
  statistics->print(/*ended=*/!last_words_);
  if (capturing)
    capturing->tell();
}

Runtime::~Runtime() {
  interrupt.reset();
  queues.reset();
  copies.reset();
  async_handlers.reset();
  tell_all();
  if (const int status = statistics->exit_status())
    exit_status = status;
  code.reset();
}

hsa_status_t Runtime::init() {
  if (in_forked_child()) {
    say_forked();
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  // One more of many: without the lock, as some programs try how often they can (2^31 times).
  for (uint32_t n = references; n >= exit_handlers && n < INT32_MAX;)
    if (references.compare_exchange_weak(n, n + 1))
      return HSA_STATUS_SUCCESS;
  std::unique_lock lock(init_mutex);
  if (closing && in_queue_thread()) // which the end waits for
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  closed.wait(lock, [] { return !closing; });
  // libomptarget of LLVM 15 starts anew while the process ends, with handles of the time before it shut down.
  if (left_for_good)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  // Exit handlers run in reverse. The client's, which shuts down, may have been registered after the first
  // initialisation.
  static uint32_t registrations = 0;
  if (registrations < exit_handlers) {
    ++registrations;
    std::atexit([] {
      ending = true;
      say_no_more();
    });
  }
  if (references == INT32_MAX)
    return HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
  if (references) {
    instance.load()->statistics->initialised();
    ++references;
    return HSA_STATUS_SUCCESS;
  }
  std::string error;
  const Settings settings = read_settings(error);
  std::vector<gpu::Choice> wanted;
  for (const auto& name : settings.gpus)
    if (auto choice = gpu::choose(name))
      wanted.push_back(std::move(*choice));
    else if (std::string why = llvm::toString(choice.takeError()); error.empty())
      error = "CROSSLANE_GPU: " + why;
  if (!error.empty())
    return say_error(error);
  std::unique_ptr<Runtime> runtime(new Runtime(settings));
  runtime->statistics->initialised();
  if (settings.bounds == machine::Bounds::card)
    runtime->heap->use_card_bounds();
  runtime->heap->place_tight(settings.exact || language_runtime_loaded());
  runtime->agents.push_back(make_cpu());
  for (gpu::Choice& choice : wanted) {
    auto gpu = std::make_unique<Agent>();
    const gpu::Card& card = *choice.card;
    gpu->node = uint32_t(runtime->agents.size());
    gpu->card = &card;
    gpu->chosen = std::move(choice);
    gpu->name = isa::info(card.target).name;
    gpu->isa = isa_name(card);
    gpu->vram_bytes = settings.vram ? settings.vram : card.vram_bytes;
    runtime->agents.push_back(std::move(gpu));
  }
  if (settings.visible)
    show_only(*settings.visible, runtime->agents);
  for (auto& agent : runtime->agents)
    runtime->heap->make_pools(*agent, settings.fine_grain_pcie);
  read_cu_masks(*runtime);
  place_managed_memory();
  watch_forks([] { return instance.load() != nullptr; }, [] { instance = nullptr; });
  owner = getpid();
  instance.store(runtime.release(), std::memory_order_release);
  references = 1;
  if (load_tools(error))
    return HSA_STATUS_SUCCESS;
  shut_down();
  return say_error(error);
}

hsa_status_t Runtime::shut_down() {
  if (in_forked_child())
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  Runtime* runtime = nullptr;
  {
    const std::lock_guard lock(init_mutex);
    if (!references)
      return HSA_STATUS_ERROR_NOT_INITIALIZED;
    left_for_good |= ending;
    if (--references)
      return HSA_STATUS_SUCCESS;
    closing = true;
    runtime = instance;
  }
  // Without the lock: what ends now may be in callbacks, which may call this function too.
  unload_tools();
  runtime->queues->stop_all(); // kernels may still look for the runtime
  instance.store(nullptr);
  runtime->interrupt.reset(); // one at a time in a process
  destroy_all_signals();
  retire(runtime);
  const std::lock_guard lock(init_mutex);
  closing = false;
  closed.notify_all();
  return HSA_STATUS_SUCCESS;
}

Agent* Runtime::agent(hsa_agent_t handle) const {
  for (const auto& agent : agents)
    if (agent->handle().handle == handle.handle)
      return agent.get();
  return nullptr;
}

} // namespace crosslane::hsa

namespace crosslane::hsa::functions {

hsa_status_t hsa_init() {
  try {
    return crosslane::hsa::Runtime::init();
  } catch (const std::bad_alloc&) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } catch (const std::system_error&) { // no thread
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
}

hsa_status_t hsa_shut_down() { return crosslane::hsa::Runtime::shut_down(); }

} // namespace crosslane::hsa::functions
