// The threads and their queues: one for each priority.
#include "jit/background.h"
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace crosslane::jit {

namespace {

constexpr size_t stack_bytes = 64 << 20; // LLVM recurses; pages are taken as they are touched
constexpr int niceness = 10;             // of low priority

class Background {
public:
  static Background& get(Priority priority) {
    static Background& normal = *new Background(0); // the threads may run until the process is gone
    static Background& low = *new Background(niceness);
    return priority == Priority::low ? low : normal;
  }
  bool add(Job);

private:
  explicit Background(int nice) : nice_(nice) {}
  friend void watch_forks();
  bool start();
  static void* run(void*);
  [[noreturn]] void work();

  const int nice_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Job> jobs_;
  bool started_ = false, lost_ = false;
};

template <class F> void each(F f) {
  f(Background::get(Priority::normal));
  f(Background::get(Priority::low));
}
void watch_forks() {
  static const int once = pthread_atfork([] { each([](Background& b) { b.mutex_.lock(); }); },
                                         [] { each([](Background& b) { b.mutex_.unlock(); }); },
                                         [] { each([](Background& b) { b.lost_ = true, b.mutex_.unlock(); }); });
  static_cast<void>(once);
}

bool Background::add(Job job) {
  const std::lock_guard lock(mutex_);
  if (lost_ || (!started_ && !start()))
    return false;
  jobs_.push_back(std::move(job));
  more_.notify_one();
  return true;
}

bool Background::start() {
  watch_forks();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  sigset_t all, before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) // of its own mistakes
    sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before); // a thread begins with the mask of who starts it
  pthread_t thread;
  started_ = pthread_create(&thread, &attributes, run, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  lost_ = !started_;
  return started_;
}

void* Background::run(void* given) {
  auto& self = *static_cast<Background*>(given);
  pthread_setname_np(pthread_self(), "crosslane-jit");
  setpriority(PRIO_PROCESS, 0, std::min(getpriority(PRIO_PROCESS, 0) + self.nice_, 19)); // of this thread
  self.work();
}

void Background::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [&] { return !jobs_.empty(); });
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job.work();
    lock.lock();
    job.end();
  }
}

} // namespace

bool in_background(Priority priority, Job job) { return Background::get(priority).add(std::move(job)); }

} // namespace crosslane::jit
