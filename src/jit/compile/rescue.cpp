// A jump out of the job: where LLVM reports a fatal error, or out of a signal's handler.
#include "jit/compile/rescue.h"
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <link.h>
#include <llvm/Support/ErrorHandling.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

namespace crosslane::jit {

namespace {

struct Rescue {
  sigjmp_buf jump;
  char* fatal; // of the heap; null: it took too long
};
thread_local Rescue* rescue = nullptr;

void on_fatal_error(void*, const char* reason, bool) {
  if (!rescue)
    return;
  rescue->fatal = strdup(reason);
  siglongjmp(rescue->jump, 1);
}

// ---- Too long

// Programs ignore it unless they ask for it, and are told of nothing by it that they could not get without a reason.
constexpr int signal_used = SIGURG;
struct sigaction previous;

// The code that LLVM is linked into. Whoever is in it holds no lock of the C library's, whose functions call nobody
// back while they do.
struct Text {
  uintptr_t begin = 0, end = 0;
} text;

int find_text(dl_phdr_info* info, size_t, void*) {
  const auto here = reinterpret_cast<uintptr_t>(&find_text);
  for (int n = 0; n < info->dlpi_phnum; ++n) {
    const auto& part = info->dlpi_phdr[n];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && here - begin < part.p_memsz)
      return text = {begin, begin + part.p_memsz}, 1;
  }
  return 0;
}

void on_late(int signal, siginfo_t* info, void* context) {
  if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &text) { // not ours
    if (previous.sa_flags & SA_SIGINFO)
      previous.sa_sigaction(signal, info, context);
    else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
      previous.sa_handler(signal);
    return;
  }
  const auto at = uintptr_t(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (at - text.begin < text.end - text.begin && rescue) // else it comes again
    siglongjmp(rescue->jump, 1);
}

// While it lives, this thread is told of the seconds that it has taken.
class Alarm {
public:
  Alarm() {
    sigset_t one;
    sigemptyset(&one), sigaddset(&one, signal_used);
    pthread_sigmask(SIG_UNBLOCK, &one, &before_);
    sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID, event.sigev_signo = signal_used;
    event.sigev_value.sival_ptr = &text, event._sigev_un._tid = gettid();
    made_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
  }
  ~Alarm() {
    if (made_)
      timer_delete(timer_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  void set(double seconds) const {
    constexpr long again = 1'000'000; // nanoseconds
    const auto whole = time_t(seconds);
    const itimerspec when = {{0, again}, {whole, long((seconds - double(whole)) * 1e9) + 1}};
    if (made_)
      timer_settime(timer_, 0, &when, nullptr);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

private:
  sigset_t before_;
  timer_t timer_;
  bool made_; // else nothing ends what does not end
};

void install() {
  llvm::install_fatal_error_handler(on_fatal_error);
  dl_iterate_phdr(find_text, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_late, action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(signal_used, nullptr, &previous);
  sigaction(signal_used, &action, nullptr);
}

} // namespace

std::string rescued(const std::function<void()>& job, double seconds) {
  static std::once_flag once;
  std::call_once(once, install);
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Alarm alarm;
  Rescue here;
  here.fatal = nullptr, rescue = &here;
  if (sigsetjmp(here.jump, 1) == 0) {
    alarm.set(seconds);
    job();
    rescue = nullptr;
    return {};
  }
  rescue = nullptr;
  if (here.fatal) {
    const std::unique_ptr<char, decltype(&std::free)> reason(here.fatal, std::free);
    return std::string("LLVM cannot compile it: ") + reason.get();
  }
  char words[80];
  std::snprintf(words, sizeof words, "LLVM had not compiled it after %g seconds, and was given up", seconds);
  return words;
}

} // namespace crosslane::jit
