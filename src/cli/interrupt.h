// Owns what stops a kernel that runs: Ctrl-C, whose first one ends the dispatch, so that what was seen can be told,
// while a second one ends the process as ever; SIGTERM, which timeout(1) sends, SIGHUP (a terminal that closes) and
// SIGQUIT likewise; and the end of a time limit.
#pragma once
#include <array>
#include <atomic>
#include <csignal>
#include <string>

namespace crosslane::cli {

// One at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void expire(); // the time is over; from any thread

  // True from then on: engine::Options::cancel.
  const std::atomic<bool>& flag() const;
  int signal() const;       // that came; 0: none
  std::string text() const; // "Ctrl-C", "SIGTERM", ..., "the time limit is over"; empty: nothing came

private:
  std::array<struct sigaction, 4> before_;
};

} // namespace crosslane::cli
