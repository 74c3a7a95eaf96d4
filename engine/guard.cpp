#include "engine/guard.h"
#include <csignal>
#include <mutex>

namespace crosslane::engine {

namespace {

thread_local Guard* current = nullptr;
struct sigaction previous_segv, previous_bus;

void on_fault(int signal, siginfo_t* info, void* context) {
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

}  // namespace

Guard::Guard() : outer(current) {
  static std::once_flag installed;
  std::call_once(installed, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_segv);
    sigaction(SIGBUS, &action, &previous_bus);
  });
  current = this;
}
Guard::~Guard() { current = outer; }
void Guard::disarm() { current = outer; }

}  // namespace crosslane::engine
