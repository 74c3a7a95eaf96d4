// Owns the time limit on something that may not end: a thread that speaks up when it is over.
#pragma once
#include <functional>
#include <thread>

namespace crosslane::profile {

class Watchdog {
public:
  // `bark` is called once by another thread, unless the watchdog is gone before; quickly, as its end is waited for.
  // Seconds of 0: never. Throws std::system_error where the system gives no thread.
  Watchdog(double seconds, std::function<void()> bark);

private:
  std::jthread thread_;
};

// The text of --timeout or CROSSLANE_TIMEOUT as seconds: a number above 0, up to ten years; 0 if it is none.
double parse_seconds(const std::string& text);

} // namespace crosslane::profile
