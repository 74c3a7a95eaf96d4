// Owns what becomes of SIGINT, SIGTERM, SIGHUP and SIGQUIT while a program is profiled: the report of what was seen is
// written, and then the process dies by that signal as ever. Only where the program leaves the signal to the system; its
// own handlers stay.
#pragma once
#include <functional>
#include <string>
#include <thread>

namespace crosslane::hsa {

// One at a time in a process.
class Interrupt {
public:
  // `tell` is called by a thread of ours, with "Ctrl-C" or the signal's name; then the process ends.
  explicit Interrupt(std::function<void(const std::string& why)> tell);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

private:
  void run();
  std::function<void(const std::string&)> tell_;
  std::thread thread_;
};

} // namespace crosslane::hsa
