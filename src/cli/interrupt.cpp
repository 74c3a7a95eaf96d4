// Signal handlers that act once.
#include "cli/interrupt.h"
#include <iterator>

namespace crosslane::cli {

namespace {

constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
std::atomic<launch::Stop*> asked{nullptr};
std::atomic<int> which{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<launch::Stop*>::is_always_lock_free);

const char* name(int signal) {
  switch (signal) {
  case SIGINT: return "Ctrl-C";
  case SIGTERM: return "SIGTERM";
  case SIGHUP: return "SIGHUP";
  default: return "SIGQUIT";
  }
}

void ask(int signal) {
  which = signal;
  if (launch::Stop* stop = asked)
    stop->request(name(signal));
}

} // namespace

void Interrupt::begin(launch::Stop& stop) {
  which = 0, asked = &stop;
  struct sigaction action = {};
  action.sa_handler = ask;
  action.sa_flags = int(SA_RESETHAND); // the second one takes effect at once
  for (size_t i = 0; i < std::size(signals); ++i) {
    sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) // nohup, or a job in the background of a script
      sigaction(signals[i], &action, nullptr);
  }
  catches_ = true;
}

void Interrupt::end() {
  if (!catches_)
    return;
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &before_[i], nullptr);
  asked = nullptr;
  catches_ = false;
}

int Interrupt::signal() const { return which; }

} // namespace crosslane::cli
