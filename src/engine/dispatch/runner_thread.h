// Owns Thread: what one host thread has in hand of a dispatch. Its loop is in runner.cpp; how workgroups are claimed
// and begin, one by one or many in one go, in workgroups.cpp.
#pragma once
#include "engine/counts.h"
#include "engine/dispatch/runner.h"
#include "engine/dispatch/slot.h"
#include "engine/dispatch/trial.h"
#include <emmintrin.h>

namespace crosslane::engine {

class Thread {
public:
  Thread(Shared& shared, Worker worker) : shared_(shared), worker_(worker) {}
  bool run();

private:
  enum class Step { ended, preempted, waiting, faulted };
  // The loop.
  void join();
  bool run_workgroups();
  bool give_way();
  bool take_turn();
  bool take_paced_turn();
  void put_away(Step result);
  void look_for_deadlock(Step result, uint64_t epoch);
  void leave();
  // One workgroup.
  bool claim();
  bool take_next_in_place();
  void end_workgroup();
  void give_back_place(Placed&);
  void release();
  void start(Slot& slot, uint64_t number);
  void start_interpreted(Slot& slot, const LaunchState::Size& size, uint32_t first);
  void start_compiled(Slot& slot, uint32_t count);
  void start_as_launched(Slot& slot, uint32_t wave);
  bool claim_chunk();
  std::unique_ptr<Slot> idle_slot();
  enum class Ran { none, some, up_to_a_wave };
  Ran run_range();
  Ran end_range(bool complete);
  void part_waves(Slot& slot);
  Frame& frame(uint32_t wave) const {
    return *reinterpret_cast<Frame*>(frames_.get() + (compiled_->waits ? wave * size_t(compiled_->frame_bytes) : 0));
  }
  void find_id(Placed& group, uint64_t number) const;
  Step step(Slot& slot);
  bool advance(Wave& w);
  void run_wave(Wave& w);
  void set_csr(const Wave& w);
  void open_barrier(Slot& slot);
  void fail(Slot& slot, const Wave& w);
  void fault_unmapped(uint64_t address);
  void replay(Wave& w);
  // Waves that wait for each other.
  void stuck(uint64_t epoch);
  void deadlock(Slot& slot, const Wave& w);
  void unstick();
  // Others that watch or want this thread.
  bool cancelled() const {
    const auto* cancel = shared_.context.options->cancel;
    return cancel && cancel->load(std::memory_order_relaxed);
  }
  bool outranked() const {
    const auto* give_way = shared_.context.options->give_way;
    return give_way && give_way->load(std::memory_order_relaxed) != 0;
  }
  void report_progress(uint64_t workgroups);
  void look_for_compiled();
  void take(const CompiledCode*);
  void run_in(Program*);
  void enter_loop(Wave& w) const;
  void enter_special(Wave& w) const;
  void take_census();
  // Workgroups that are run both ways: trial.cpp.
  bool tend_trial();
  void begin_trial();
  void end_stage();
  void take_back();
  void end_trial(Verdict);

  Shared& shared_;
  const Worker worker_;
  static constexpr uint32_t unknown_csr = ~0u;
  uint32_t host_csr_ = 0;      // MXCSR as it was
  uint32_t csr_ = unknown_csr; // MXCSR as the last wave left it
  // Read after the jump out of a faulting handler:
  Wave* volatile current_ = nullptr;
  volatile int64_t entered_at_ = 0; // its instructions when it was run
  std::vector<std::unique_ptr<Slot>> idle_;
  std::deque<std::unique_ptr<Slot>> resident_;
  uint64_t claimed_ = 0, claimed_end_ = 0;
  uint64_t chunk_ = shared_.chunk; // claimed at a time, at most
  int started_ = 0;                // workgroups in a row
  bool one_ended_ = false;         // the workgroup that ran last
  bool replays_ = false;           // the workgroup at the front, which is to go on
  size_t in_vain_ = 0;             // resident workgroups, one after the other, that only wait,
  uint64_t epoch_ = 0;             // since the GDS came to this one
  size_t turns_ = 0;               // with a pace: workgroups that are to run before it is asked,
  bool went_round_ = true;         // and whether none of them was preempted since it was asked last
  bool marked_ = false;            // counts among the stuck threads of epoch marked_epoch_
  uint64_t marked_epoch_ = 0;
  uint64_t instructions_ = 0, waves_ = 0, groups_ = 0;
  const CompiledCode* compiled_ = nullptr; // null: there is none yet
  uint64_t entered_ = 0;                   // waves that it was not told of yet
  Range range_{};                          // under way,
  uint64_t range_size_ = 0;                // if it had workgroups
  std::unique_ptr<uint8_t, void (*)(void*)> frames_{nullptr, std::free};
  PendingSums* sums_ = nullptr;     // of it; null: its code has no use for them
  uint64_t since_ = 0;              // look_for_compiled() was called last, by the time stamp counter
  std::unique_ptr<Trial> trial_;    // under way,
  uint64_t untried_ = ~uint64_t(0); // and a workgroup that is not to be tried again
  HookClock hooks_;
  Counts counts_;                   // of compiled_, if it counts
  int64_t instructions_untold_ = 0; // to Options::progress: also those of waves that go on
};

} // namespace crosslane::engine
