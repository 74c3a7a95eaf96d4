// Owns running a dispatch with the cycle model beside it (timing/replay/): waves leave traces, which are replayed as
// they come, by a thread. Kernels that depend on when they run (model/dependence.h) live in the time of the model.
#pragma once
#include "codeobject/code_object.h"
#include "engine/dispatch.h"
#include "timing/formats/course.h"
#include "timing/replay/replay.h"
#include "views/locate.h"
#include "views/paced_traces.h"
#include "views/wave_traces.h"
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>

namespace crosslane::model {

inline constexpr double realtime_tick_ns = 10; // of s_memrealtime. assumed: 100 MHz, as the runtime tells

struct TimedOptions {
  bool record = false;    // keeps what course() tells; then all workgroups are replayed
  double nanoseconds = 0; // what the card's clock is when the kernel is launched
  uint32_t threads = 0;   // of the model, 0: all cores; kernels that depend on when they run have one
  // Of the time, relative: workgroups of large grids are sampled for it. 0: none are. Nothing: 2 %, and only where all
  // of them would take long.
  std::optional<double> error;
  // Of a range of the grid, a stretch is measured by itself: json() is what join_timing() wants. Kernels that depend on
  // when they run have none.
  std::optional<timing::replay::WindowRange> window;
};

class Timed {
public:
  // What is given must outlive finish().
  Timed(gpu::Machine card, const views::Image&, const codeobject::Kernel&, const engine::AqlPacket&,
        const TimedOptions& options = {});
  ~Timed();
  // Empty: it may run; else why a range cannot be measured, and nothing else may be called.
  const std::string& refused() const { return trouble_; }
  // Of one dispatch: its listener, and Options::pace, which may be null.
  events::Listener& listener();
  events::Pace* pace() { return paced_.get(); }
  // Behind the dispatch, of which Stats tells: waits for the model. Empty: the figures are there; else why not.
  std::string finish(const engine::Stats&);
  timing::replay::Figures figures() const { return replay_.figures(); }
  const timing::replay::Machine& machine() const { return machine_; }
  uint64_t lds_waits() const; // cycles of waves that wait for the LDS unit to take an instruction
  std::string text() const;
  nlohmann::ordered_json json() const;
  const timing::formats::Course* course() const { return course_ ? &*course_ : nullptr; } // null: not recorded

private:
  std::string await();
  void describe_card(nlohmann::ordered_json&) const;

  gpu::Machine card_;
  gpu::Used used_;
  timing::replay::Machine machine_;
  std::unique_ptr<views::WaveTraces> traces_; // one of these
  std::unique_ptr<views::PacedTraces> paced_;
  timing::replay::Replay replay_;
  std::string kernel_;
  views::Image image_;
  TimedOptions options_;
  engine::Stats stats_; // of the dispatch
  std::optional<timing::formats::Course> course_;
  std::string trouble_;
  std::thread thread_; // with traces_
};

// json() of all ranges of a grid, in their order, as json() of all of it; nothing: they are no such thing.
std::optional<nlohmann::ordered_json> join_timing(std::span<const nlohmann::ordered_json> ranges);

} // namespace crosslane::model
