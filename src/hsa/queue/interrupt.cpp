// The handler may do next to nothing, so a thread waits for its word.
#include "hsa/queue/interrupt.h"
#include "engine/thread.h"
#include <atomic>
#include <csignal>
#include <semaphore.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

struct Row {
  int signal;
  const char* name;
};
constexpr Row rows[] = {{SIGINT, "Ctrl-C"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGQUIT, "SIGQUIT"}};

// Outlives the runtime: a signal may come at any time.
sem_t arrived;
constexpr int timed_out = -1, timeout_status = 124;
std::atomic<int> which{0}; // signal, or timed_out
std::atomic<pid_t> owner{0};
static_assert(std::atomic<int>::is_always_lock_free);

// The system's own action is back when this is called (SA_RESETHAND): a second signal ends the process at once.
void handle(int signal) {
  if (getpid() != owner) { // a child that was forked has no thread that waits
    raise(signal);
    return;
  }
  which = signal;
  sem_post(&arrived);
}

} // namespace

Interrupt::Interrupt(std::function<void(const std::string&)> tell) : tell_(std::move(tell)) {
  sem_init(&arrived, 0, 0);
  which = 0, owner = getpid();
  thread_ = engine::start_thread("crosslane signal", [this] { run(); });
  for (const auto& [signal, name] : rows) {
    struct sigaction before = {}, action = {};
    action.sa_handler = handle;
    action.sa_flags = int(SA_RESETHAND) | SA_RESTART;
    sigaction(signal, nullptr, &before);
    if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
      sigaction(signal, &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (const auto& [signal, name] : rows) {
    struct sigaction now = {}, standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, nullptr, &now);
    if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == handle)
      sigaction(signal, &standard, nullptr);
  }
  sem_post(&arrived);
  thread_.join();
}

void Interrupt::run() {
  while (sem_wait(&arrived) != 0)
    ; // a debugger
  const int why = which;
  if (!why)
    return;
  if (why == timed_out)
    tell_("the time limit is over");
  for (const Row& row : rows)
    if (row.signal == why)
      tell_(row.name);
  end_process();
}

void Interrupt::time_out() {
  int nothing = 0;
  if (which.compare_exchange_strong(nothing, timed_out))
    sem_post(&arrived);
}

void Interrupt::end_process() {
  const int signal = which;
  if (signal != timed_out) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    raise(signal);
  }
  _exit(timeout_status);
}

} // namespace crosslane::hsa
