// The thread sleeps on the signals of all handlers at once.
#include "hsa/queue/async_handlers.h"
#include "engine/thread.h"
#include "hsa/queue/operations.h"
#include "hsa/runtime.h"
#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

namespace crosslane::hsa {

namespace {

struct Entry {
  Condition condition;
  uint32_t generation = 0; // of the signal
  hsa_amd_signal_handler handler = nullptr;
  void (*function)(void*) = nullptr; // instead: called once, without a condition
  void* argument = nullptr;
  bool stale() const {
    return !function && (!condition.signal->is_live() || condition.signal->generation != generation);
  }
  bool holds() const { return function || condition.holds(); }
};

} // namespace

struct AsyncHandlers::Impl {
  Signal changed; // whenever `added` or `stop` has
  std::mutex mutex;
  std::vector<Entry> added;
  std::atomic<bool> stop{false}, new_ones{false};
  std::thread thread; // started for the first handler: most processes that only ask for devices have none

  void run();
  void add(const Entry&);
};

void AsyncHandlers::Impl::run() {
  std::vector<Entry> entries; // this thread's own
  std::vector<Signal*> signals;
  for (;;) {
    signals.assign(1, &changed);
    for (const auto& entry : entries)
      signals.push_back(entry.condition.signal);
    wait_until(
        signals,
        [&] {
          return stop || new_ones ||
                 std::any_of(entries.begin(), entries.end(), [](const Entry& e) { return e.stale() || e.holds(); });
        },
        forever, short_spin);
    if (stop)
      return;
    {
      const std::lock_guard lock(mutex);
      new_ones = false;
      entries.insert(entries.end(), added.begin(), added.end());
      added.clear();
    }
    const Runtime::Use use; // a handler may shut the runtime down
    std::erase_if(entries, [](const Entry& entry) {
      if (entry.function) {
        entry.function(entry.argument);
        return true;
      }
      if (entry.stale()) // nobody can make its condition true any more
        return true;
      if (!entry.condition.holds())
        return false;
      const int64_t value = entry.condition.signal->value().load(std::memory_order_acquire);
      client_sees(*entry.condition.signal);
      return !entry.handler(value, entry.argument);
    });
  }
}

void AsyncHandlers::Impl::add(const Entry& entry) {
  {
    const std::lock_guard lock(mutex);
    if (!thread.joinable()) // first: without it nobody would call what was added
      thread = engine::start_thread("crosslane event", [this] { run(); });
    added.push_back(entry);
    new_ones = true;
  }
  notify(changed);
}

AsyncHandlers::AsyncHandlers() : impl_(std::make_unique<Impl>()) { initialise(impl_->changed, 0); }

AsyncHandlers::~AsyncHandlers() {
  impl_->stop = true;
  notify(impl_->changed);
  if (!impl_->thread.joinable())
    return;
  if (impl_->thread.get_id() == std::this_thread::get_id())
    impl_->thread.detach(), impl_.release(); // a handler shuts the runtime down: its thread ends when it returns
  else
    impl_->thread.join();
}

void AsyncHandlers::add(const Condition& condition, hsa_amd_signal_handler handler, void* argument) {
  impl_->add({condition, condition.signal->generation, handler, nullptr, argument});
}

void AsyncHandlers::call(void (*function)(void*), void* argument) { impl_->add({{}, 0, nullptr, function, argument}); }

} // namespace crosslane::hsa
