// Threads of oneTBB join and leave; nobody waits for one that has not begun.
#include "engine/dispatch/crew.h"
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <tbb/info.h>
#include <tbb/task_arena.h>

namespace crosslane::engine {

namespace {

// Outlives the call for helpers that come too late; they must not touch `work`.
struct Crew {
  static constexpr uint32_t closed = 1u << 31;
  std::atomic<uint32_t> state{0}; // helpers at work, and whether more may join
  const std::function<bool(Worker)>* work;
  std::mutex mutex;
  std::exception_ptr exception;

  bool call(Worker worker) {
    try {
      return (*work)(worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      exception = std::current_exception();
      return true;
    }
  }
  // False: the helper shall come again.
  bool help() {
    uint32_t now = state.load();
    do {
      if (now & closed)
        return true;
    } while (!state.compare_exchange_weak(now, now + 1));
    const bool over = call(Worker::helper);
    if (state.fetch_sub(1) == (closed | 1))
      state.notify_all();
    return over;
  }
  void wait_for_helpers() {
    state.fetch_or(closed);
    for (uint32_t now; (now = state.load()) != closed;)
      state.wait(now);
  }
};

// One for all dispatches of the process, never destroyed: a program may end while kernels run. One slot is for a
// caller, though none ever enters: oneTBB warns on standard error of an arena that wants a worker for every core.
tbb::task_arena& arena() {
  static auto& arena = *new tbb::task_arena(int(crew_limit()), 1);
  return arena;
}

void enqueue(const std::shared_ptr<Crew>& crew) {
  arena().enqueue([crew] {
    if (!crew->help())
      enqueue(crew);
  });
}

} // namespace

unsigned crew_limit() {
  static const unsigned limit = unsigned(std::max(1, tbb::info::default_concurrency()));
  return limit;
}

void work_together(unsigned helpers, const std::function<bool(Worker)>& work) {
  if (!helpers) {
    work(Worker::caller);
    return;
  }
  const auto crew = std::make_shared<Crew>();
  crew->work = &work;
  for (unsigned i = 0; i < helpers; ++i)
    enqueue(crew);
  crew->call(Worker::caller);
  crew->wait_for_helpers();
  if (crew->exception)
    std::rethrow_exception(crew->exception);
}

} // namespace crosslane::engine
