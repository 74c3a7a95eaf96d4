// Owns what Ctrl-C does to a kernel that runs: the first one ends the dispatch, so that what was seen can be told,
// while a second one ends the process as ever; SIGTERM, which timeout(1) sends, SIGHUP (a terminal that closes) and
// SIGQUIT likewise.
#pragma once
#include "launch/observer.h"
#include <array>
#include <csignal>

namespace crosslane::cli {

// One at a time.
class Interrupt {
public:
  Interrupt() = default;
  ~Interrupt() { end(); }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // From here to end() signals ask to stop, each kind once.
  void begin(launch::Stop&);
  void end();
  int signal() const; // that came; 0: none

private:
  bool catches_ = false;
  std::array<struct sigaction, 4> before_;
};

} // namespace crosslane::cli
