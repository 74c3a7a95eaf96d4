// Owns Ctrl-C while a kernel runs: the first one ends the dispatch, so that what was seen can be told; a second one
// ends the process as ever. SIGTERM, which timeout(1) sends, SIGHUP (a terminal that closes) and SIGQUIT do the same.
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

  // True from the signal on: engine::Options::cancel.
  const std::atomic<bool>& flag() const;
  int signal() const;       // that came; 0: none
  std::string text() const; // "Ctrl-C", "SIGTERM", ...

private:
  std::array<struct sigaction, 4> before_;
};

} // namespace crosslane::cli
