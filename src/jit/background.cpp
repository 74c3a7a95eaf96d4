// The thread and its queue.
#include "jit/background.h"
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/resource.h>

namespace crosslane::jit {

namespace {

constexpr size_t stack_bytes = 64 << 20; // LLVM recurses; pages are taken as they are touched
constexpr int niceness = 10;

struct Job {
  std::function<void()> run, lost;
};

struct Background {
  std::mutex mutex;
  std::condition_variable more;
  std::deque<Job> jobs; // the first is taken out when it has ended
  bool started = false;
};

Background& background() {
  static Background& only = *new Background; // the thread may run until the process is gone
  return only;
}

void* run(void*) {
  Background& b = background();
  pthread_setname_np(pthread_self(), "crosslane-jit");
  setpriority(PRIO_PROCESS, 0, std::min(getpriority(PRIO_PROCESS, 0) + niceness, 19)); // of this thread
  for (;;) {
    const Job* job;
    {
      std::unique_lock lock(b.mutex);
      b.more.wait(lock, [&] { return !b.jobs.empty(); });
      job = &b.jobs.front();
    }
    job->run();
    const std::lock_guard lock(b.mutex);
    b.jobs.pop_front();
  }
}

bool start() {
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
  const bool started = pthread_create(&thread, &attributes, run, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

} // namespace

bool in_background(std::function<void()> job, std::function<void()> lost) {
  Background& b = background();
  const std::lock_guard lock(b.mutex);
  if (!b.started && !(b.started = start()))
    return false;
  b.jobs.push_back({std::move(job), std::move(lost)});
  b.more.notify_one();
  return true;
}

void background_before_fork() { background().mutex.lock(); }

void background_after_fork(bool child) {
  Background& b = background();
  if (child) {
    for (const Job& job : b.jobs)
      job.lost();
    b.jobs.clear();
    b.started = false;
    new (&b.more) std::condition_variable; // which the parent's thread may have been waiting at
  }
  b.mutex.unlock();
}

} // namespace crosslane::jit
