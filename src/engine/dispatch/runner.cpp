// The loop of one thread: it claims workgroups, runs their waves in turns, and leaves when there is nothing more to do.
#include "engine/diagnosis.h"
#include "engine/dispatch/runner_thread.h"
#include "engine/dispatch/tell.h"
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <x86intrin.h>

namespace crosslane::engine {

using machine::WaveState;

namespace {

// The one place where C++ enters the handlers. Not instrumented and not inlined: clang's preserve_none leaves no
// register for a base pointer of the caller.
[[gnu::noinline]] __attribute__((no_sanitize("address", "thread", "undefined"))) void enter(const Uop* op, Wave* w) {
  op->fn(op, w);
}

} // namespace

// Setting it waits for what is under way.
void Thread::set_csr(const Wave& w) {
  if (w.mxcsr32 != csr_)
    _mm_setcsr(w.mxcsr32), csr_ = w.mxcsr32;
}

void Thread::run_wave(Wave& w) {
  current_ = &w;
  set_csr(w);
  w.deadline = w.instructions + int64_t(shared_.context.options->preempt_after);
  w.state = WaveState::ready;
  enter(static_cast<const Uop*>(w.resume), &w);
  csr_ = w.state == WaveState::faulted ? unknown_csr : w.mxcsr32;
}

// Runs a wave to its next stop; false: it waits where it did before.
bool Thread::advance(Wave& w) {
  const bool waited = w.state == WaveState::waiting;
  const void* const at = w.resume;
  const int64_t before = w.instructions;
  entered_at_ = before;
  run_wave(w);
  instructions_untold_ += w.instructions - before;
  if (w.state == WaveState::ended) {
    instructions_ += uint64_t(w.instructions);
    if (w.workgroup->observed)
      tell_ended(w, events::End::finished);
  }
  return !waited || w.state != WaveState::waiting || w.resume != at || w.instructions != before;
}

// Everyone who is left has arrived.
void Thread::open_barrier(Slot& slot) {
  if (slot.group.observed)
    tell_released(slot);
  for (uint32_t i = 0; i < slot.group.wave_count; ++i)
    if (Wave& w = slot.wave(i); w.state == WaveState::barrier)
      w.state = WaveState::ready;
}

// Runs each runnable wave to its next stop, until none can go on.
Thread::Step Thread::step(Slot& slot) {
  const uint32_t count = slot.group.wave_count;
  for (;;) {
    uint32_t ended = 0, waiting = 0;
    bool preempted = false, progress = false;
    for (uint32_t i = 0; i < count; ++i) {
      Wave& w = slot.wave(i);
      if (w.state == WaveState::ready || w.state == WaveState::preempted || w.state == WaveState::waiting)
        progress = advance(w) || progress;
      switch (w.state) {
      case WaveState::ended: ++ended; break;
      case WaveState::barrier: ++waiting; break;
      case WaveState::preempted:
        if (cancelled())
          return Step::preempted;
        preempted = true;
        if (compiled_ && (!slot.group.observed || shared_.counts))
          enter_loop(w);
        else if (!compiled_ && !slot.group.observed)
          enter_special(w);
        break;
      case WaveState::faulted: fail(slot, w); return Step::faulted;
      case WaveState::ready:
      case WaveState::waiting: break;
      }
    }
    if (ended == count)
      return Step::ended;
    if (ended + waiting == count) {
      open_barrier(slot);
      progress = true;
      preempted = preempted || cancelled(); // a loop around a barrier need never use up a wave's budget
    }
    if (preempted)
      return Step::preempted;
    if (!progress)
      return Step::waiting;
  }
}

void Thread::fail(Slot& slot, const Wave& w) {
  if (trial_) {
    diagnose(slot.fault, w);
    trial_->fault = slot.fault;
    return;
  }
  {
    const std::lock_guard lock(shared_.fault_mutex);
    if (!shared_.fault) {
      diagnose(slot.fault, w);
      shared_.fault = slot.fault;
    }
  }
  shared_.stop = true; // now everyone knows why
}

void Thread::deadlock(Slot& slot, const Wave& w) {
  slot.fault.kind = machine::FaultKind::deadlock;
  slot.fault.detail = "no wave can go on: each waits in the global wave sync, for its turn to count, or at a barrier";
  fail(slot, w);
}

// Nothing here goes on before the epoch moves. When that is so of all threads, everyone looks once more, because slots
// may have become free since; then it is a deadlock, and the thread that finds it names a wave of its own.
void Thread::stuck(uint64_t epoch) {
  {
    const std::lock_guard lock(shared_.stuck_mutex);
    if (shared_.gds.epoch != epoch)
      return;
    if (shared_.stuck_epoch != epoch)
      shared_.stuck_epoch = epoch, shared_.stuck_threads = 0;
    if (!marked_ || marked_epoch_ != epoch)
      marked_ = true, marked_epoch_ = epoch, ++shared_.stuck_threads;
    if (shared_.stuck_threads == shared_.live_threads && shared_.confirming_epoch != epoch) {
      shared_.confirming_epoch = ++shared_.gds.epoch;
    } else if (shared_.stuck_threads == shared_.live_threads) {
      Slot& slot = *resident_.front();
      for (uint32_t i = 0; i < slot.group.wave_count; ++i) {
        const Wave& w = slot.wave(i);
        if (w.state != WaveState::waiting)
          continue;
        return deadlock(slot, w);
      }
    }
  }
  std::this_thread::yield();
}
void Thread::unstick() {
  if (!shared_.gds.epoch.load(std::memory_order_relaxed))
    return; // no wave has ever waited
  const std::lock_guard lock(shared_.stuck_mutex);
  if (marked_ && shared_.stuck_epoch == marked_epoch_)
    --shared_.stuck_threads;
  marked_ = false;
  shared_.confirming_epoch = 0;
}

void Thread::report_progress(uint64_t workgroups) {
  Progress* progress = shared_.context.options->progress;
  if (!progress || trial_)
    return;
  progress->workgroups.fetch_add(workgroups, std::memory_order_relaxed);
  progress->instructions.fetch_add(uint64_t(std::exchange(instructions_untold_, 0)), std::memory_order_relaxed);
}

// Of the waves that this thread leaves behind, if the dispatch hangs.
void Thread::take_census() {
  if (resident_.empty())
    return;
  const std::lock_guard lock(shared_.fault_mutex);
  const bool hangs = shared_.fault ? shared_.fault->kind == machine::FaultKind::deadlock : cancelled();
  if (!hangs)
    return;
  shared_.census.resident += resident_.size();
  for (const auto& slot : resident_)
    for (uint32_t i = 0; i < slot->group.wave_count; ++i)
      count(shared_.census, slot->wave(i));
}

void Thread::join() {
  const std::lock_guard lock(shared_.stuck_mutex);
  ++shared_.live_threads;
}

// What the thread has seen goes to the dispatch.
void Thread::leave() {
  unstick();
  {
    const std::lock_guard lock(shared_.stuck_mutex);
    --shared_.live_threads;
  }
  take_census();
  for (const auto& slot : resident_)
    if (slot->group.observed)
      tell_abandoned(*slot);
  shared_.instructions += instructions_;
  shared_.waves += waves_;
  look_for_compiled();
  if (shared_.counts)
    counts_.tell(*shared_.context.options->listener);
  shared_.hook_ticks += hooks_.all_ticks();
  shared_.groups_done += groups_;
}

void Thread::fault_unmapped(uint64_t address) {
  Slot& slot = *resident_.front();
  slot.fault.kind = machine::FaultKind::unmapped_address;
  slot.fault.address = address;
  current_->state = WaveState::faulted;
  fail(slot, *current_);
}

// Compiled code touched what is not there: the interpreter goes on where all that the wave has was last in memory,
// meets the same fault, and knows what to say.
void Thread::replay(Wave& w) {
  const bool counts = static_cast<const CompiledCode*>(w.compiled)->counted != nullptr;
  w.compiled = nullptr;
  replays_ = true;
  if (range_size_) {
    end_range(false);
    return;
  }
  w.resume = counts ? interpret_counted_at(&w, w.compiled_pc, counts_.cells->counted) : interpret_at(&w, w.compiled_pc);
  w.state = WaveState::ready;
  instructions_untold_ += w.instructions - entered_at_;
}

bool Thread::run() {
  join();
  host_csr_ = _mm_getcsr();
  Guard guard;
  if (sigsetjmp(guard.jump, 0) != 0) { // a wave of the workgroup at the front touched memory that is not there
    guard.disarm();
    _mm_setcsr(host_csr_);
    csr_ = unknown_csr;
    if (!current_)
      std::abort(); // no wave was running: the fault is our own
    if (current_->compiled) {
      replay(*current_);
      guard.arm();
    } else {
      fault_unmapped(guard.address);
      if (trial_)
        guard.arm(); // the workgroup runs again
    }
  }
  const bool over = run_workgroups();
  if (trial_) // cancelled
    end_trial(Verdict::not_compared);
  _mm_setcsr(host_csr_);
  leave();
  return over;
}

// False: the thread leaves for a more urgent dispatch, with nothing in its hands.
bool Thread::run_workgroups() {
  while (!shared_.stop.load(std::memory_order_relaxed) && !cancelled()) {
    if (shared_.verifies) [[unlikely]] {
      if (tend_trial())
        continue;
    }
    if (!trial_ && outranked()) [[unlikely]]
      if (!give_way())
        return false;
    const Ran ran = resident_.empty() ? run_range() : Ran::none;
    if (ran == Ran::some)
      continue;
    if (ran == Ran::none && !std::exchange(replays_, false) && !take_turn())
      break;
    uint64_t epoch;
    Step result;
    do {
      epoch = shared_.gds.epoch;
      result = step(*resident_.front());
    } while (result == Step::ended && take_next_in_place());
    if (result == Step::faulted) {
      if (trial_)
        continue;
      break;
    }
    put_away(result);
    if (trial_)
      trial_->unfit =
          result == Step::waiting || (result == Step::preempted && ++trial_->preemptions > Trial::most_preemptions);
    else if (shared_.context.options->pace) [[unlikely]]
      went_round_ = went_round_ && result != Step::preempted;
    else
      look_for_deadlock(result, epoch);
  }
  return true;
}

// True: this thread stays. The caller goes on slowly, as somebody may wait for it. So does a helper with workgroups
// that wait; what it has claimed it ends at once. One that comes back too early must not come and go without end.
bool Thread::give_way() {
  constexpr auto pause = std::chrono::microseconds(100);
  const bool stays = worker_ == Worker::caller || !resident_.empty() || claimed_ != claimed_end_;
  if (worker_ == Worker::caller || !resident_.empty() || (!stays && !groups_))
    std::this_thread::sleep_for(pause);
  return stays;
}

// Brings the workgroup whose turn it is to the front; false: none is left. New ones have precedence over preempted
// ones, up to a burst: who waits mostly waits for those to come. When one has ended, the one preempted last goes on,
// which may have waited for it; otherwise they take turns.
bool Thread::take_turn() {
  if (shared_.context.options->pace) [[unlikely]]
    return take_paced_turn();
  constexpr int burst = 64;
  if ((resident_.empty() || started_ < burst) && claim()) {
    ++started_, in_vain_ = 0;
    unstick();
    return true;
  }
  if (resident_.empty())
    return false;
  started_ = 0;
  if (one_ended_) {
    resident_.push_front(std::move(resident_.back()));
    resident_.pop_back();
  }
  return true;
}

// The workgroup at the front leaves, or lines up behind the others.
void Thread::put_away(Step result) {
  one_ended_ = result == Step::ended;
  if (one_ended_) {
    end_workgroup();
    release();
  } else {
    resident_.push_back(std::move(resident_.front()));
    resident_.pop_front();
  }
  if (result == Step::preempted) {
    look_for_compiled();
    report_progress(0);
    std::this_thread::yield(); // what it waits for may be the host's to do
  }
}

// `epoch`: of the GDS when the workgroup went on.
void Thread::look_for_deadlock(Step result, uint64_t epoch) {
  if (result != Step::waiting) {
    in_vain_ = 0;
    unstick();
    return;
  }
  if (epoch != epoch_)
    in_vain_ = 0;
  epoch_ = epoch;
  if (++in_vain_ >= resident_.size())
    stuck(epoch);
}

void find_place(Wave& w) {
  auto& group = static_cast<Placed&>(*w.workgroup);
  if (!group.place.known)
    group.place = group.shared->places.take(group.number);
  group.shared->launch.write_place(w, group.place);
}

bool run_thread(Shared& shared, Worker worker) { return Thread(shared, worker).run(); }

} // namespace crosslane::engine
