// Owns starting the runtime's threads: they take none of the signals that the client's handlers wait for, and have a name for debuggers.
#pragma once
#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

namespace crosslane::hsa {

// `name`: at most 15 characters. Faults of the thread itself still reach it.
template <class Body> std::thread start_thread(const char* name, Body&& body) {
  sigset_t all, before;
  sigfillset(&all);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::forward<Body>(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

} // namespace crosslane::hsa
