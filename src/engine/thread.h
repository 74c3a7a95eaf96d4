// Owns starting threads of our own inside of somebody's program: they take none of the signals that its handlers wait
// for, and have a name for debuggers.
#pragma once
#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace crosslane::engine {

// Blocks the signals of others on this thread, for those that it starts meanwhile inherit that.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
      sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;

private:
  sigset_t before_;
};

// `name`: at most 15 characters. Faults of the thread itself still reach it. Throws std::system_error where the system
// gives no thread.
template <class Body> std::thread start_thread(const char* name, Body&& body) {
  const SignalsBlocked blocked;
  std::thread thread(std::forward<Body>(body));
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

} // namespace crosslane::engine
