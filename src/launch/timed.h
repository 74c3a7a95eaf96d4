// Owns running a dispatch with the cycle model beside it (timing/replay/): waves leave traces, and a thread replays
// them as fast as they come.
#pragma once
#include "codeobject/code_object.h"
#include "engine/dispatch.h"
#include "launch/job.h"
#include "timing/formats/course.h"
#include "timing/replay/replay.h"
#include "views/locate.h"
#include "views/wave_traces.h"
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>

namespace crosslane::launch {

// Job::gpu for code of a target; the error says which cards there are.
llvm::Expected<gpu::Machine> card_of(const Job&, isa::Target);

class Timed {
public:
  // `record`: keeps what course() tells. The image outlives finish().
  Timed(gpu::Machine card, const codeobject::Kernel&, const engine::AqlPacket&, const views::Image&, bool record);
  ~Timed();
  events::Listener& listener() { return traces_; } // of one dispatch
  // Behind the dispatch: waits for the model. Empty: the figures are there; else why not.
  std::string finish();
  std::string text() const;
  nlohmann::ordered_json json() const;
  const timing::formats::Course* course() const { return course_ ? &*course_ : nullptr; } // null: not recorded

private:
  gpu::Machine card_;
  gpu::Used used_;
  timing::replay::Machine machine_;
  views::WaveTraces traces_;
  timing::replay::Replay replay_;
  std::string kernel_;
  views::Image image_;
  bool record_;
  std::optional<timing::formats::Course> course_;
  std::string trouble_;
  std::thread thread_;
};

} // namespace crosslane::launch
