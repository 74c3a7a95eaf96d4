// The signal handler, and the jump out of the handlers of a thread that runs waves.
#include "engine/guard.h"
#include "machine/memory.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>

namespace crosslane::engine {

namespace {

// initial-exec: the handler must not allocate this variable of a thread that comes here first in the middle of malloc.
[[gnu::tls_model("initial-exec")]] thread_local Guard* current = nullptr;
std::atomic<Repair> repairs[4];
// Whoever was there before us. Others come after us, too (Catch2 does for each test case): then they are.
struct Previous {
  struct sigaction slots[2];
  std::atomic<int> current{0};
};
Previous previous_segv, previous_bus;
// The fault that was passed on last, and from where on the stack. Handlers may jump away: this is never taken back.
struct PassedOn {
  void *context, *frame;
};
[[gnu::tls_model("initial-exec")]] thread_local PassedOn passed_on = {};
std::mutex installing;

void on_fault(int signal, siginfo_t* info, void* context) {
  for (const auto& repair : repairs) {
    const Repair ask = repair.load(std::memory_order_acquire);
    if (!ask)
      break;
    const int error = errno;
    const bool repaired = ask(reinterpret_cast<uint64_t>(info->si_addr));
    errno = error;
    if (repaired)
      return;
  }
  if (Guard* guard = current) {
    guard->address = reinterpret_cast<uint64_t>(info->si_addr);
    // ThreadSanitizer calls us with all signals blocked, in spite of SA_NODEFER, and the jump does not restore the
    // mask.
    unblock_faults();
    siglongjmp(guard->jump, 1);
  }
  // Not ours. Who calls us about the fault that we told them of saved our handler as we saved theirs.
  void* frame = __builtin_frame_address(0);
  const bool back_again = passed_on.context == context && frame < passed_on.frame;
  Previous& saved = signal == SIGBUS ? previous_bus : previous_segv;
  const struct sigaction& previous = saved.slots[saved.current.load(std::memory_order_acquire)];
  if (back_again || previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
    ::signal(signal, SIG_DFL); // returning repeats the access, now fatally
    return;
  }
  passed_on = {context, frame};
  if (previous.sa_flags & SA_SIGINFO)
    previous.sa_sigaction(signal, info, context);
  else
    previous.sa_handler(signal);
  asm volatile(""); // no jump instead of a call: frames tell who is who
}

bool is_installed(int signal, struct sigaction& now) {
  sigaction(signal, nullptr, &now);
  return now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_fault;
}

void install(int signal, Previous& saved) {
  struct sigaction now;
  if (is_installed(signal, now))
    return;
  const std::lock_guard lock(installing);
  if (is_installed(signal, now))
    return;
  const int next = 1 - saved.current.load(std::memory_order_relaxed);
  saved.slots[next] = now;
  saved.current.store(next, std::memory_order_release);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void install() {
  install(SIGSEGV, previous_segv);
  install(SIGBUS, previous_bus);
}

} // namespace

void add_repair(Repair function) {
  for (auto& repair : repairs) {
    Repair none = nullptr;
    if (repair.compare_exchange_strong(none, function, std::memory_order_acq_rel) || none == function)
      break;
  }
  install();
}

void unblock_faults() {
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGSEGV);
  sigaddset(&ours, SIGBUS);
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

void set_card_bounds(machine::Memory* memory) {
  static std::atomic<machine::Memory*> lenient{nullptr};
  lenient.store(memory, std::memory_order_release);
  add_repair([](uint64_t address) {
    machine::Memory* const memory = lenient.load(std::memory_order_acquire);
    return memory && memory->let_through(address);
  });
}

Guard::Guard() : outer(current) {
  install();
  current = this;
}
Guard::~Guard() { current = outer; }
void Guard::disarm() { current = outer; }
void Guard::arm() { current = this; }

} // namespace crosslane::engine
