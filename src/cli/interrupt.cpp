// Signal handlers that act once.
#include "cli/interrupt.h"
#include <iterator>

namespace crosslane::cli {

namespace {

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
std::atomic<bool> interrupted{false};
std::atomic<int> which{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void remember(int signal) {
  which = signal;
  interrupted = true;
}

} // namespace

Interrupt::Interrupt() {
  interrupted = false, which = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = int(SA_RESETHAND); // the second one takes effect at once
  for (size_t i = 0; i < std::size(signals); ++i) {
    sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) // nohup, or a job in the background of a script
      sigaction(signals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &before_[i], nullptr);
}

void Interrupt::expire() { interrupted = true; }
const std::atomic<bool>& Interrupt::flag() const { return interrupted; }
int Interrupt::signal() const { return which; }
std::string Interrupt::text() const {
  switch (which) {
  case SIGINT: return "Ctrl-C";
  case SIGTERM: return "SIGTERM";
  case SIGHUP: return "SIGHUP";
  case SIGQUIT: return "SIGQUIT";
  default: return interrupted ? "the time limit is over" : "";
  }
}

} // namespace crosslane::cli
