// A thread that sleeps unless a kernel runs for long.
#include "profile/progress.h"
#include "engine/thread.h"
#include "findings/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <system_error>
#include <utility>

namespace crosslane::profile {

namespace {

std::string short_count(uint64_t value) {
  const auto v = static_cast<double>(value);
  return value < 1'000'000 ? fmt::format("{}", value) : fmt::format("{:.1f} M", v * 1e-6);
}

std::string duration(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds);
  return whole < 120 ? fmt::format("{} s", whole) : fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

} // namespace

std::string describe(const ProgressState& state) {
  std::string text = "crosslane: ";
  if (!state.kernel.empty())
    text += fmt::format("{}: {} of {} workgroups, ", findings::short_name(state.kernel, 24),
                        short_count(state.groups_done), short_count(state.groups));
  if (state.kernels_done)
    text += fmt::format("{} kernel{} done, ", short_count(state.kernels_done), state.kernels_done == 1 ? "" : "s");
  const double rate = state.busy_seconds > 0 ? static_cast<double>(state.instructions) / state.busy_seconds : 0;
  return text + fmt::format("{:.1f} M wave-instr/s, {}", rate * 1e-6, duration(state.seconds));
}

Progress::Progress(Show show, Time delay, Time period) : show_(std::move(show)), delay_(delay), period_(period) {}
Progress::Progress(Tell tell, Time delay, Time period) : tell_(std::move(tell)), delay_(delay), period_(period) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

engine::Progress* Progress::begin(const std::string& kernel, uint64_t groups) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (!started_) {
    started_ = true, began_ = now;
    try {
      thread_ = engine::start_thread("crosslane line", [this] { run(); });
    } catch (const std::system_error&) { // no thread: no line
    }
  }
  if (running_.empty()) {
    busy_since_ = now;
    changed_.notify_all();
  }
  Running& added = running_.emplace_back();
  added.kernel = kernel, added.groups = groups;
  return &added.progress;
}

void Progress::end(engine::Progress* progress) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(running_.begin(), running_.end(), [&](const Running& r) { return &r.progress == progress; });
  instructions_done_ += progress->instructions;
  ++kernels_done_;
  running_.erase(found);
  if (running_.empty())
    busy_ += Clock::now() - busy_since_;
}

void Progress::erase() {
  const std::lock_guard lock(mutex_);
  erase_line();
}

void Progress::erase_line() {
  if (std::exchange(shown_, false))
    show_("\r\x1b[K");
}

ProgressState Progress::state() const {
  const auto now = Clock::now();
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  ProgressState state;
  state.kernel = running_.back().kernel;
  state.groups_done = running_.back().progress.workgroups;
  state.groups = running_.back().groups;
  state.kernels_done = kernels_done_;
  state.instructions = instructions_done_;
  for (const Running& running : running_)
    state.instructions +=
        static_cast<uint64_t>(std::max<int64_t>(0, static_cast<int64_t>(running.progress.instructions)));
  state.seconds = seconds(now - began_);
  state.busy_seconds = seconds(busy_ + (now - busy_since_));
  return state;
}

void Progress::draw() {
  if (tell_)
    return tell_(state());
  std::string line = describe(state());
  line.resize(std::min<size_t>(line.size(), 79)); // a line that the terminal breaks cannot be erased
  show_("\r\x1b[K" + line);
  shown_ = true;
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  const auto first = began_ + delay_;
  changed_.wait_until(lock, first, [&] { return stop_; });
  while (!stop_) {
    if (running_.empty()) {
      // The program goes on with something else, and may write.
      erase_line();
      changed_.wait(lock, [&] { return stop_ || !running_.empty(); });
    } else {
      draw();
    }
    changed_.wait_for(lock, period_, [&] { return stop_; });
  }
  erase_line();
}

} // namespace crosslane::profile
