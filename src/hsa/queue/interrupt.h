// Owns the end of a process before its time: by SIGINT, SIGTERM, SIGHUP or SIGQUIT, where the program leaves them to
// the system (its own handlers stay), or because a kernel takes longer than it may. What was seen until then is told,
// and where kernels that run are; then the process dies by that signal as ever, or exits.
#pragma once
#include <functional>
#include <string>
#include <thread>

namespace crosslane::hsa {

// One at a time in a process.
class Interrupt {
public:
  // `tell` is called by a thread of ours, with "Ctrl-C", the signal's name or "the time limit is over"; then the
  // process ends.
  explicit Interrupt(std::function<void(const std::string& why)> tell);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void time_out(); // from any thread
  // Dies by the signal that came, or exits with 124, as timeout(1) does.
  [[noreturn]] static void end_process();

private:
  void run();
  std::function<void(const std::string&)> tell_;
  std::thread thread_;
};

} // namespace crosslane::hsa
