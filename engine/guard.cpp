#include "engine/guard.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>

namespace crosslane::engine {

namespace {

// initial-exec: the handler must not allocate this variable of a thread that comes here first in the middle of malloc.
[[gnu::tls_model("initial-exec")]] thread_local Guard* current = nullptr;
std::atomic<Repair> repair{nullptr};
struct sigaction previous_segv, previous_bus;

void on_fault(int signal, siginfo_t* info, void* context) {
  if (const Repair ask = repair.load(std::memory_order_acquire)) {
    const int error = errno;
    const bool repaired = ask(reinterpret_cast<uint64_t>(info->si_addr));
    errno = error;
    if (repaired) return;
  }
  if (Guard* guard = current) {
    guard->address = reinterpret_cast<uint64_t>(info->si_addr);
    siglongjmp(guard->jump, 1);
  }
  // Not ours: whoever was there before.
  const struct sigaction& previous = signal == SIGBUS ? previous_bus : previous_segv;
  if (previous.sa_flags & SA_SIGINFO) return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
  ::signal(signal, SIG_DFL);  // returning repeats the access, now fatally
}

void install() {
  static std::once_flag installed;
  std::call_once(installed, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_segv);
    sigaction(SIGBUS, &action, &previous_bus);
  });
}

}  // namespace

void set_repair(Repair function) {
  repair.store(function, std::memory_order_release);
  install();
}

Guard::Guard() : outer(current) {
  install();
  current = this;
}
Guard::~Guard() { current = outer; }
void Guard::disarm() { current = outer; }

}  // namespace crosslane::engine
