// Copies are done by threads of their own: one waits for the dependencies of all copies that have open ones, two copy.
// What is small and need not wait is copied by the caller, which is sooner than handing it over.
#include "hsa/copy.h"
#include "engine/guard.h"
#include "engine/thread.h"
#include "hsa/faults.h"
#include "hsa/heap_tables.h"
#include "hsa/runtime.h"
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <thread>

namespace crosslane::hsa {

namespace {

constexpr uint64_t small_bytes = 256 << 10;
constexpr size_t copy_threads = 2; // there and back at once

// The agent that a fault is reported of: whose memory it was, else the first GPU.
const Agent& agent_of(Runtime& runtime, uint64_t address) {
  HeapTables& heap = heap_of(runtime);
  const std::shared_lock lock(heap.mutex);
  if (const Record* record = heap.find(address); record && record->pool)
    return *record->pool->agent;
  return *runtime.agents[runtime.agents.size() > 1];
}

void report(Runtime& runtime, uint64_t address, const std::string& what) {
  memory_fault(runtime, agent_of(runtime, address), address,
               fmt::format("{}: {:#x} is not accessible: {}", what, address, runtime.heap->memory().describe(address)));
}

// The address that a body touched in vain, if it did.
template <class Body> std::optional<uint64_t> fault_of(Body&& body) {
  engine::Guard guard;
  if (sigsetjmp(guard.jump, 0) != 0) {
    guard.disarm();
    return guard.address;
  }
  body();
  return std::nullopt;
}

// Where [address, address + bytes) really is, in `host`; else false and the first address of it that is not there.
bool translate(Runtime& runtime, uint64_t address, uint64_t bytes, uint64_t& host, uint64_t& bad) {
  host = reinterpret_cast<uint64_t>(runtime.heap->to_host(reinterpret_cast<void*>(address)));
  if (host == address)
    return true;
  HeapTables& heap = heap_of(runtime);
  const std::shared_lock guard(heap.mutex);
  const Lock* lock = heap.find_lock(address);
  bad = lock ? lock->alias + lock->size : address;
  return lock && bytes <= bad - address;
}

// False: a memory fault, which has been reported.
bool try_copy(Runtime& runtime, void* to, const void* from, uint64_t bytes, const char* what) {
  const auto write = reinterpret_cast<uint64_t>(to), read = reinterpret_cast<uint64_t>(from);
  uint64_t target = 0, source = 0, bad = 0;
  const bool known = translate(runtime, write, bytes, target, bad) && translate(runtime, read, bytes, source, bad);
  std::optional<uint64_t> fault = bad;
  if (known)
    fault = fault_of([=] { std::memcpy(reinterpret_cast<void*>(target), reinterpret_cast<void*>(source), bytes); });
  if (!fault)
    return true;
  const bool reads = *fault - read < bytes || *fault - source < bytes;
  report(runtime, *fault, fmt::format("{} {}", what, reads ? "reads what it should copy" : "writes its copy"));
  return false;
}

struct Job {
  std::vector<Signal*> dependencies;
  Signal* completion;
  const char* what;
  std::function<void()> body;
  std::atomic<uint32_t>* work; // where it is counted; null: nowhere
  // The first dependency that is not 0; null if there is none.
  Signal* open() {
    while (!dependencies.empty() && dependencies.back()->value().load(std::memory_order_acquire) == 0)
      dependencies.pop_back();
    return dependencies.empty() ? nullptr : dependencies.back();
  }
};

// Set while a body runs, by copies in it that failed.
thread_local bool failed = false;

} // namespace

std::atomic<bool> profile_copies{false};

struct CopyEngine::Impl {
  explicit Impl(Runtime& r) : runtime(r) {}
  Runtime& runtime;
  std::mutex mutex;
  std::condition_variable work; // something is ready, or stop
  std::deque<Job> ready;
  std::vector<Job> waiting;  // of the waiter alone, but for
  std::vector<Job> arriving; // those it has not seen
  std::condition_variable arrival;
  std::atomic<bool> kick{false}; // ends the waiter's wait
  bool stop = false;
  std::vector<std::thread> threads;

  void start();
  void run(Job& job);
  void copy_loop();
  void wait_loop();
};

void CopyEngine::Impl::run(Job& job) {
  const uint64_t start = now();
  failed = false;
  if (const auto fault = fault_of(job.body)) {
    report(runtime, *fault, job.what);
    failed = true;
  }
  if (job.work)
    job.work->fetch_sub(1, std::memory_order_relaxed);
  if (!job.completion)
    return;
  if (profile_copies.load(std::memory_order_relaxed)) {
    job.completion->amd.start_ts = start;
    job.completion->amd.end_ts = now();
  }
  if (failed) { // how the client learns of an error
    job.completion->value().store(-1);
    notify(*job.completion);
  } else {
    complete(*job.completion);
  }
}

// Those that are missing: of an earlier call, the system may have given some only.
void CopyEngine::Impl::start() {
  threads.reserve(1 + copy_threads);
  if (threads.empty())
    threads.push_back(engine::start_thread("crosslane wait", [this] { wait_loop(); }));
  while (threads.size() < 1 + copy_threads)
    threads.push_back(engine::start_thread("crosslane copy", [this] { copy_loop(); }));
}

void CopyEngine::Impl::copy_loop() {
  std::unique_lock lock(mutex);
  for (;;) {
    work.wait(lock, [&] { return stop || !ready.empty(); });
    if (stop)
      return;
    Job job = std::move(ready.front());
    ready.pop_front();
    lock.unlock();
    {
      const Runtime::Use use; // whoever is told of a fault may shut the runtime down
      run(job);
    }
    lock.lock();
  }
}

void CopyEngine::Impl::wait_loop() {
  std::unique_lock lock(mutex);
  for (;;) {
    arrival.wait(lock, [&] { return stop || !arriving.empty() || !waiting.empty(); });
    if (stop)
      return;
    kick = false;
    std::ranges::move(arriving, std::back_inserter(waiting));
    arriving.clear();
    std::vector<Signal*> open_ones;
    for (size_t i = 0; i < waiting.size();) {
      if (Signal* open = waiting[i].open()) {
        open_ones.push_back(open);
        ++i;
      } else {
        ready.push_back(std::move(waiting[i]));
        waiting.erase(waiting.begin() + ptrdiff_t(i));
        work.notify_one();
      }
    }
    if (open_ones.empty())
      continue;
    lock.unlock();
    const auto changed = [&] {
      return kick || std::ranges::any_of(open_ones, [](Signal* signal) { return signal->value() == 0; });
    };
    wait_until(open_ones, changed, forever, 0);
    lock.lock();
  }
}

CopyEngine::CopyEngine(Runtime& runtime) : impl_(std::make_unique<Impl>(runtime)) {}

CopyEngine::~CopyEngine() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stop = true;
    impl_->kick = true;
  }
  notify_all();
  impl_->work.notify_all();
  impl_->arrival.notify_all();
  bool own = false;
  for (std::thread& thread : impl_->threads)
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach(), own = true;
    else
      thread.join();
  if (own) // it ends when it is back in its loop
    impl_.release();
}

void CopyEngine::submit(std::vector<Signal*> dependencies, Signal* completion, uint64_t bytes, const char* what,
                        std::function<void()> body, std::atomic<uint32_t>* work) {
  Job job{std::move(dependencies), completion, what, std::move(body), nullptr};
  const bool open = job.open();
  if (!open && bytes <= small_bytes)
    return impl_->run(job);
  if (work) {
    job.work = work;
    work->fetch_add(1, std::memory_order_relaxed);
  }
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->start();
    if (!open) {
      impl_->ready.push_back(std::move(job));
      impl_->work.notify_one();
      return;
    }
    impl_->arriving.push_back(std::move(job));
    impl_->kick = true;
  }
  impl_->arrival.notify_one();
  notify_all();
}

void copy_bytes(Runtime& runtime, void* to, const void* from, uint64_t bytes, const char* what) {
  if (bytes && !try_copy(runtime, to, from, bytes, what))
    failed = true;
}

} // namespace crosslane::hsa
