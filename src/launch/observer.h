// Owns what goes between a launch and whoever started it while it runs: what is to be heard of it, and how it is asked
// to end.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <string_view>

namespace crosslane::codeobject {
class CodeObject;
}
namespace crosslane::profile {
struct ProgressState;
}

namespace crosslane::launch {

// Ends a run soon after it was asked to: by whoever started it, or because its time is over.
class Stop {
public:
  // From any thread, and from signal handlers: `who` is text that stays where it is, such as "Ctrl-C".
  void request(const char* who) { who_ = who, flag_ = true; }
  void expire() { flag_ = true; }

  const std::atomic<bool>& flag() const { return flag_; } // true from then on: engine::Options::cancel
  bool requested() const { return who_ != nullptr; }
  // Who requested it, or "the time limit is over"; empty: nothing came.
  std::string text() const {
    const char* who = who_;
    return who ? who : flag_ ? "the time limit is over" : "";
  }

private:
  std::atomic<const char*> who_{nullptr};
  std::atomic<bool> flag_{false};
  static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
};

// A launch prints nothing: this is what it would say. Each may be left out.
struct Observer {
  // A sentence that should be known, about what does not end the launch.
  std::function<void(const std::string&)> note = nullptr;
  // The code that is going to run, and the file that it came from.
  std::function<void(const codeobject::CodeObject&, const std::string& file)> loaded = nullptr;
  // What a terminal is to get as it is: the line of profile/progress.h. From a thread of its own.
  std::function<void(std::string_view)> progress = nullptr;
  // How far the launch is, several times a second, also from a thread of its own. One of the two can be had.
  std::function<void(const profile::ProgressState&)> advanced = nullptr;
  // Between these two calls, and then only, the launch can be stopped.
  std::function<void(Stop&)> runs_begin = nullptr;
  std::function<void()> runs_end = nullptr;
};

} // namespace crosslane::launch
