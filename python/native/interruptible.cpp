// One thread that stays, since starting one would cost a launch more than handing it over does.
#include "python/native/interruptible.h"
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <pybind11/pybind11.h>
#include <thread>
#include <unistd.h>

namespace py = pybind11;

namespace crosslane::python {

namespace {

constexpr auto between_looks = std::chrono::milliseconds(20); // at signals

class Worker {
public:
  Worker() : process_(getpid()) {
    std::thread([this] { loop(); }).detach();
  }
  // Threads do not survive fork().
  bool usable() const { return process_ == getpid(); }

  void begin(const std::function<void()>& work) {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    changed_.notify_all();
  }
  bool ended_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return !work_; });
  }
  std::exception_ptr take_error() { return std::exchange(error_, nullptr); }

private:
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return work_; });
      const std::function<void()>& work = *work_;
      lock.unlock();
      try {
        work();
      } catch (...) {
        error_ = std::current_exception();
      }
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  const pid_t process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr; // with the mutex
  std::exception_ptr error_;                    // of the last work
};

} // namespace

void run_interruptibly(const std::function<void()>& work, const std::function<void()>& cancel) {
  static Worker* worker = nullptr; // with the GIL; never destroyed: its thread is there until the process ends
  static bool busy = false;        // with the GIL
  if (busy) {                      // a signal handler of this thread launches, in the middle of another launch
    const py::gil_scoped_release release;
    return work();
  }
  if (!worker || !worker->usable())
    worker = new Worker;
  std::optional<py::error_already_set> raised;
  busy = true;
  {
    const py::gil_scoped_release release;
    worker->begin(work);
    while (!worker->ended_within(between_looks)) {
      const py::gil_scoped_acquire acquire;
      if (!raised && PyErr_CheckSignals() != 0)
        raised.emplace();
      if (raised)
        cancel();
    }
  }
  busy = false;
  const std::exception_ptr error = worker->take_error();
  if (raised)
    throw std::move(*raised);
  if (error)
    std::rethrow_exception(error);
}

} // namespace crosslane::python
