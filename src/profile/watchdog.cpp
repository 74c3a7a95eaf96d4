// One thread, which sleeps until the limit or the end.
#include "profile/watchdog.h"
#include "engine/thread.h"
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

namespace crosslane::profile {

Watchdog::Watchdog(double seconds, std::function<void()> bark) {
  if (seconds <= 0)
    return;
  const engine::SignalsBlocked blocked; // they are for others
  thread_ =
      std::jthread([limit = std::chrono::duration<double>(seconds), bark = std::move(bark)](std::stop_token gone) {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        never.wait_for(lock, gone, limit, [] { return false; });
        if (!gone.stop_requested())
          bark();
      });
}

double parse_seconds(const std::string& text) {
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, seconds);
  return result.ec == std::errc() && result.ptr == end && seconds > 0 && seconds < 3.2e8 ? seconds : 0;
}

} // namespace crosslane::profile
