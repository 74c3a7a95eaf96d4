// Copies are done by threads of their own: one waits for the dependencies of all copies that have open ones, two copy.
// What is small and need not wait is copied by the caller, which is sooner than handing it over.
#include "hsa/memory/copy.h"
#include "engine/guard.h"
#include "engine/thread.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/queue/faults.h"
#include "hsa/runtime.h"
#include "hsa/statistics.h"
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <thread>

namespace crosslane::hsa {

namespace {

constexpr uint64_t small_bytes = 1 << 20;              // copied by the caller: takes no longer than to wake a thread
constexpr uint64_t large_bytes = 16 << 20;             // from here on several threads copy
constexpr size_t fewest_threads = 2, most_threads = 4; // there and back at once; more do not get more from memory

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

// From the first byte of a box to its last.
uint64_t extent(const Box& box, const Box::Steps& steps) {
  return (box.slices - 1) * steps.slice + (box.rows - 1) * steps.row + box.bytes;
}

// What lies without gaps on both sides is one row.
Box joined(Box box) {
  if (box.rows > 1 && box.to_steps.row == box.bytes && box.from_steps.row == box.bytes) {
    box.bytes *= box.rows;
    box.rows = 1;
  }
  if (box.rows == 1 && box.slices > 1 && box.to_steps.slice == box.bytes && box.from_steps.slice == box.bytes) {
    box.bytes *= box.slices;
    box.slices = 1;
  }
  return box;
}

void copy_rows(Runtime& runtime, const Box& box) {
  const auto distance = uint64_t(std::abs(box.to - box.from));
  if (box.bytes >= large_bytes && distance >= box.bytes) {
    for (uint64_t z = 0; z < box.slices; ++z)
      for (uint64_t y = 0; y < box.rows; ++y)
        runtime.copies->copy_large(box.to + z * box.to_steps.slice + y * box.to_steps.row,
                                   box.from + z * box.from_steps.slice + y * box.from_steps.row, box.bytes);
    return;
  }
  for (uint64_t z = 0; z < box.slices; ++z) {
    uint8_t* to = box.to + z * box.to_steps.slice;
    const uint8_t* from = box.from + z * box.from_steps.slice;
    for (uint64_t y = 0; y < box.rows; ++y, to += box.to_steps.row, from += box.from_steps.row)
      std::memmove(to, from, box.bytes);
  }
}

// False: a memory fault, which has been reported.
bool try_copy(Runtime& runtime, const Box& box, const char* what) {
  const auto write = reinterpret_cast<uint64_t>(box.to), read = reinterpret_cast<uint64_t>(box.from);
  const uint64_t written = extent(box, box.to_steps), from_bytes = extent(box, box.from_steps);
  uint64_t target = 0, source = 0, bad = 0;
  const bool known =
      translate(runtime, write, written, target, bad) && translate(runtime, read, from_bytes, source, bad);
  std::optional<uint64_t> fault = bad;
  if (known) {
    Box real = joined(box);
    real.to = reinterpret_cast<uint8_t*>(target);
    real.from = reinterpret_cast<const uint8_t*>(source);
    fault = fault_of([&] { copy_rows(runtime, real); });
  }
  if (!fault)
    return true;
  const bool reads = *fault - read < from_bytes || *fault - source < from_bytes;
  report(runtime, *fault, fmt::format("{} {}", what, reads ? "reads what it should copy" : "writes its copy"));
  return false;
}

struct Job {
  std::vector<Signal*> dependencies;
  Signal* completion;
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

// A large copy in parts, each of which is somebody's who takes it.
struct Split {
  uint8_t* to;
  const uint8_t* from;
  uint64_t bytes, part_bytes, parts;
  std::atomic<uint64_t> next{0}, done{0};
  std::atomic<bool> faulted{false};

  // Whether there was another part.
  bool copy_part() {
    const uint64_t part = next++;
    if (part >= parts)
      return false;
    const uint64_t at = part * part_bytes;
    if (fault_of([&] { std::memcpy(to + at, from + at, std::min(part_bytes, bytes - at)); }))
      faulted = true;
    ++done;
    done.notify_all();
    return true;
  }
};

} // namespace

std::atomic<bool> profile_copies{false};

struct CopyEngine::Impl {
  explicit Impl(Runtime& r) : runtime(r) {}
  Runtime& runtime;
  std::mutex mutex;
  std::condition_variable work; // something is ready or split, or stop
  std::deque<Job> ready;
  std::deque<std::shared_ptr<Split>> splits;
  size_t idle = 0;           // threads that wait for work
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
  const uint64_t start = agent_now();
  failed = false;
  job.body();
  if (job.work)
    job.work->fetch_sub(1, std::memory_order_relaxed);
  if (!job.completion)
    return;
  if (profile_copies.load(std::memory_order_relaxed)) {
    job.completion->amd.start_ts = start;
    job.completion->amd.end_ts = agent_now();
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
  const size_t copy_threads = std::clamp<size_t>(std::thread::hardware_concurrency() / 2, fewest_threads, most_threads);
  threads.reserve(1 + copy_threads);
  if (threads.empty())
    threads.push_back(engine::start_thread("crosslane wait", [this] { wait_loop(); }));
  while (threads.size() < 1 + copy_threads)
    threads.push_back(engine::start_thread("crosslane copy", [this] { copy_loop(); }));
}

void CopyEngine::Impl::copy_loop() {
  std::unique_lock lock(mutex);
  for (;;) {
    ++idle;
    work.wait(lock, [&] { return stop || !ready.empty() || !splits.empty(); });
    --idle;
    if (stop)
      return;
    if (ready.empty()) {
      const auto split = splits.front();
      splits.pop_front();
      lock.unlock();
      while (split->copy_part())
        ;
      lock.lock();
      continue;
    }
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
    static_cast<void>(impl_.release());
}

void CopyEngine::submit(std::vector<Signal*> dependencies, Signal* completion, uint64_t bytes,
                        std::function<void()> body, std::atomic<uint32_t>* work) {
  Job job{std::move(dependencies), completion, std::move(body), nullptr};
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

void CopyEngine::copy_large(uint8_t* to, const uint8_t* from, uint64_t bytes) {
  size_t helpers = 0;
  const auto split = std::make_shared<Split>();
  {
    const std::lock_guard lock(impl_->mutex);
    if (impl_->ready.empty())
      helpers = impl_->idle;
    if (helpers) {
      split->to = to;
      split->from = from;
      split->bytes = bytes;
      split->parts = helpers + 1;
      split->part_bytes = (bytes / split->parts + 4096) / 4096 * 4096;
      impl_->splits.insert(impl_->splits.end(), helpers, split);
    }
  }
  if (!helpers)
    return void(std::memcpy(to, from, bytes));
  impl_->work.notify_all();
  while (split->copy_part())
    ;
  for (uint64_t done = split->done; done != split->parts; done = split->done)
    split->done.wait(done);
  {
    const std::lock_guard lock(impl_->mutex); // those that nobody came for
    std::erase(impl_->splits, split);
  }
  if (split->faulted) // once more, where whoever asked learns of it
    std::memcpy(to, from, bytes);
}

std::shared_ptr<const check::AskedCopy> check_copy(Runtime& runtime, const Box& box, const char* what,
                                                   std::span<Signal* const> dependencies, const Signal* completion) {
  const auto to = reinterpret_cast<uint64_t>(box.to), from = reinterpret_cast<uint64_t>(box.from);
  return runtime.statistics->copy({to, to + extent(box, box.to_steps)}, {from, from + extent(box, box.from_steps)},
                                  what, dependencies, completion);
}

void copy_box(Runtime& runtime, const Box& box, const char* what) {
  if (!box.bytes || !box.rows || !box.slices)
    return;
  if (try_copy(runtime, box, what))
    runtime.statistics->moved(box);
  else
    failed = true;
}

void copy_bytes(Runtime& runtime, void* to, const void* from, uint64_t bytes, const char* what) {
  copy_box(runtime, {static_cast<uint8_t*>(to), static_cast<const uint8_t*>(from), bytes}, what);
}

} // namespace crosslane::hsa
