// Owns the line that tells how far a long run is: text for a terminal, which somebody else writes there.
//
//   crosslane: matmul: 1200 of 4096 workgroups, 12 kernels done, 120.3 M wave-instructions/s, 12 s
#pragma once
#include "engine/dispatch.h"
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace crosslane::profile {

struct ProgressState {
  std::string kernel;                   // that began last and runs; empty: none
  uint64_t groups_done = 0, groups = 0; // of it
  uint64_t kernels_done = 0;
  uint64_t instructions = 0; // of all
  double seconds = 0;        // since the first kernel began
  double busy_seconds = 0;   // during which one ran
};
std::string describe(const ProgressState&);

class Progress {
public:
  // `show` gets what is to be written to the terminal as it is: a line without an end in place of the last one, or its
  // erasure. It is called by a thread of ours, from `delay` on after the first kernel has begun.
  using Show = std::function<void(std::string_view)>;
  using Time = std::chrono::milliseconds;
  explicit Progress(Show show, Time delay = Time(1000), Time period = Time(250));
  // Instead of a line, for a program.
  using Tell = std::function<void(const ProgressState&)>;
  explicit Progress(Tell tell, Time delay = Time(100), Time period = Time(100));
  ~Progress(); // erases the line

  // A dispatch of so many workgroups begins: what its engine::Options::progress points to, until end().
  engine::Progress* begin(const std::string& kernel, uint64_t groups);
  void end(engine::Progress*);
  // Erases the line before something else is written.
  void erase();

private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    std::string kernel;
    uint64_t groups;
    engine::Progress progress;
  };
  void run();
  ProgressState state() const; // this and the next two with the mutex
  void draw();
  void erase_line();

  const Show show_;
  const Tell tell_; // one of the two is empty
  const Time delay_, period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Running> running_;
  Clock::time_point began_, busy_since_;
  Clock::duration busy_{}; // before busy_since_
  uint64_t kernels_done_ = 0, instructions_done_ = 0;
  bool stop_ = false, started_ = false, shown_ = false;
  std::thread thread_;
};

} // namespace crosslane::profile
