// How a thread comes by its workgroups: claims them, begins their waves, in compiled code if there is some, and lets
// that run many in one go.
#include "engine/dispatch/runner_thread.h"
#include "engine/dispatch/tell.h"
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <x86intrin.h>

namespace crosslane::engine {

using machine::WaveState;

void Thread::start(Slot& slot, uint64_t number) {
  const LaunchState& launch = shared_.launch;
  find_id(slot.group, number);
  const LaunchState::Size size = launch.size_of(slot.group.id);
  const uint64_t items = uint64_t(size[0]) * size[1] * size[2];
  slot.group.wave_count = uint32_t((items + 63) / 64);
  waves_ += slot.group.wave_count;
  const auto* listener = shared_.context.options->listener;
  slot.group.observed = listener && listener->wants_workgroup(slot.group);
  uint32_t compiled = 0; // waves
  if (compiled_ && !compiled_->only_loops && size == launch.size && (!slot.group.observed || shared_.counts) &&
      compiled_->pays())
    compiled = compiled_->partial >= 0 ? slot.group.wave_count : uint32_t(items / 64);
  start_compiled(slot, compiled);
  if (compiled < slot.group.wave_count)
    start_interpreted(slot, size, compiled);
  if (slot.group.observed)
    tell_began(slot);
}

// The first waves of a full workgroup.
void Thread::start_compiled(Slot& slot, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    start_as_launched(slot, i);
    Wave& w = slot.wave(i);
    w.resume = compiled_->entry(w.launched == ~uint64_t(0) ? 0 : uint32_t(compiled_->partial));
  }
  entered_ += count;
}

void Thread::start_as_launched(Slot& slot, uint32_t wave) {
  Wave& w = slot.wave(wave);
  if (w.as_launched)
    shared_.launch.start_again(w, slot.group.id);
  else
    shared_.launch.start(w, slot.group.id, shared_.launch.size, wave);
}

// Waves from `first` on.
void Thread::start_interpreted(Slot& slot, const LaunchState::Size& size, uint32_t first) {
  const Programs& code = programs(&slot.wave(0));
  const Program::Entry entry = code.kernel->at(shared_.entry, shared_.launch.decode_mode());
  for (uint32_t i = first; i < slot.group.wave_count; ++i) {
    Wave& w = slot.wave(i);
    shared_.launch.start(w, slot.group.id, size, i);
    w.as_launched = 0;
    w.resume = entry.uop;
    w.instructions = -int64_t(entry.ordinal);
    instructions_untold_ += w.instructions;
  }
}

// Most come in turn, and divisions take their time.
void Thread::find_id(Placed& group, uint64_t number) const {
  const uint32_t* const groups = shared_.launch.groups;
  uint32_t* const id = group.id;
  const bool follows = number == group.number + 1;
  group.number = number;
  if (follows && ++id[0] < groups[0])
    return;
  id[0] = uint32_t(number % groups[0]);
  id[1] = uint32_t(number / groups[0] % groups[1]);
  id[2] = uint32_t(number / groups[0] / groups[1]);
}

// Takes the next workgroup of the grid into a slot, at the front; false when there is none or too many are held.
bool Thread::claim() {
  const bool extra = !resident_.empty();
  if (extra && shared_.extra.fetch_add(1, std::memory_order_relaxed) >= shared_.extra_limit) {
    shared_.extra.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  if (!claim_chunk()) {
    if (extra)
      shared_.extra.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  resident_.push_front(idle_slot());
  resident_.front()->fill_memory(shared_.launch);
  start(*resident_.front(), claimed_++);
  return true;
}

// There is something claimed; false: no more.
bool Thread::claim_chunk() {
  if (claimed_ != claimed_end_)
    return true;
  const uint64_t begun = shared_.next.load(std::memory_order_relaxed);
  if (trial_ || begun >= shared_.group_count)
    return false;
  look_for_compiled();
  const uint64_t part = (shared_.group_count - begun) / (shared_.threads * 4); // so that all end at about one time
  const uint64_t size = std::clamp(part, shared_.chunk, chunk_);
  claimed_ = shared_.next.fetch_add(size, std::memory_order_relaxed);
  claimed_end_ = std::min(claimed_ + size, shared_.group_count);
  if (claimed_ < shared_.group_count)
    return true;
  claimed_ = claimed_end_ = 0;
  return false;
}

std::unique_ptr<Slot> Thread::idle_slot() {
  if (idle_.empty())
    return std::make_unique<Slot>(shared_, hooks_, counts_);
  std::unique_ptr<Slot> slot = std::move(idle_.back());
  idle_.pop_back();
  return slot;
}

// Runs claimed workgroups in one go, if compiled code can (Range), in a slot at the front. One may come to where a wave
// needs a Wave of its own; then it is the resident one, begun.
Thread::Ran Thread::run_range() {
  if (!claim_chunk() || !compiled_ || !compiled_->ranges_pay() ||
      (shared_.context.options->listener && !shared_.counts))
    return Ran::none;
  const LaunchState& launch = shared_.launch;
  resident_.push_front(idle_slot());
  Slot& slot = *resident_.front();
  find_id(slot.group, claimed_);
  const uint32_t* const id = slot.group.id;
  const uint32_t waves = launch.waves_per_group;
  if (!frames_) {
    const size_t bytes = size_t(compiled_->frame_bytes) * (compiled_->waits ? waves : 1);
    frames_.reset(static_cast<uint8_t*>(std::aligned_alloc(alignof(Frame), bytes)));
    if (!frames_)
      throw std::bad_alloc();
    std::memset(frames_.get(), 0, bytes);
  }
  frame(0).at = Frame::begins;
  range_ = {.id = {id[0], id[1], id[2]},
            .wave = 0,
            .waves = waves,
            .groups = {launch.groups[0], launch.groups[1]},
            .left = std::min(claimed_end_ - claimed_, launch.full_from(id)),
            .budget = shared_.context.options->preempt_after,
            .work_items = launch.first_ids.data(),
            .frames = frames_.get(),
            .frame_bytes = compiled_->waits ? compiled_->frame_bytes : 0,
            .last_exec = launch.last_exec,
            .all_waves = uint64_t(launch.groups[0]) * launch.groups[1] * launch.groups[2] * waves};
  if (!range_.left) {
    release();
    return Ran::none;
  }
  if (compiled_->sums && !sums_)
    sums_ = &PendingSums::of_thread();
  if (launch.poisons() && (launch.lds_bytes || launch.scratch_bytes)) { // none finds what the one before left
    range_.left = 1;
    slot.fill_memory(launch);
  }
  range_.sums = sums_;
  range_size_ = range_.left;
  slot.group.wave_count = waves;
  slot.group.observed = shared_.counts;
  start_as_launched(slot, 0);
  Wave& w = slot.wave(0);
  current_ = &w;
  set_csr(w);
  const auto go_on = [&] {
    w.deadline = int64_t(range_.budget);
    range_.passed = 0;
    return engine::run_range(*compiled_, range_, &w);
  };
  bool complete = go_on();
  while (complete && range_.again) { // in the middle of a workgroup, for which others shall not wait
    if (sums_)
      sums_->settle();
    complete = !shared_.stop.load(std::memory_order_relaxed) && !cancelled() && !outranked() && go_on();
  }
  return end_range(complete);
}

// What was run is counted.
Thread::Ran Thread::end_range(bool complete) {
  if (sums_)
    sums_->settle();
  const uint64_t groups = range_size_ - range_.left;
  compiled_->ranged.fetch_add(groups * range_.waves, std::memory_order_relaxed);
  groups_ += groups, claimed_ += groups;
  waves_ += groups * range_.waves, entered_ += groups * range_.waves;
  instructions_ += range_.instructions;
  instructions_untold_ += int64_t(range_.instructions);
  report_progress(groups);
  range_size_ = 0;
  Slot& slot = *resident_.front();
  if (complete) {
    // Neighbours often read the same memory: the fewer borders between what threads have, the better. But nobody shall
    // wait for long.
    if (groups == chunk_ && range_.instructions < shared_.context.options->preempt_after / 4)
      chunk_ *= 2;
    release();
    return Ran::some;
  }
  compiled_->parted.fetch_add(1, std::memory_order_relaxed);
  start(slot, claimed_++);
  part_waves(slot);
  return Ran::up_to_a_wave;
}

// The waves of the workgroup at hand become what they were at their last checkpoints.
void Thread::part_waves(Slot& slot) {
  const int64_t counted = shared_.counts ? counts_.cells->counted : 0; // before its code is entered to take waves out
  const uint32_t at_hand = range_.wave, begun = range_.again ? range_.waves : at_hand + 1;
  for (uint32_t i = 0; i < begun; ++i) {
    Wave& w = slot.wave(i);
    if ((!compiled_->waits && i < at_hand) || frame(i).at == Frame::ended) {
      w.state = WaveState::ended;
      compiled_->ranged.fetch_add(1, std::memory_order_relaxed);
    } else if (frame(i).at != Frame::begins) {
      start_as_launched(slot, i);
      range_.wave = i;
      take_out(*compiled_, range_, &w, shared_.counts && i == at_hand ? &counted : nullptr);
      instructions_untold_ += w.instructions;
      if (i < at_hand)
        w.state = WaveState::barrier;
    } else if (i == at_hand && counted) {
      start_as_launched(slot, i);
      w.resume = interpret_counted_at(&w, compiled_->entry(0)->pc, counted);
    }
  }
}

// The slot of the workgroup that has ended takes the next one of those claimed, if nothing else wants the thread.
bool Thread::take_next_in_place() {
  if (claimed_ == claimed_end_ || resident_.size() > 1 || shared_.context.options->pace ||
      (compiled_ && compiled_->ranges_pay()) || shared_.stop.load(std::memory_order_relaxed) || cancelled() ||
      outranked())
    return false;
  unstick();
  end_workgroup();
  resident_.front()->fill_memory(shared_.launch);
  start(*resident_.front(), claimed_++);
  return true;
}

// The one at the front.
void Thread::end_workgroup() {
  Placed& group = resident_.front()->group;
  ++groups_;
  report_progress(1);
  if (group.observed)
    tell_ended(*resident_.front(), events::End::finished);
  give_back_place(group);
}

void Thread::give_back_place(Placed& group) {
  if (Place& place = group.place; place.known) {
    if (place.taken)
      shared_.places.give_back(place);
    place = {};
  }
}

void Thread::release() {
  idle_.push_back(std::move(resident_.front()));
  resident_.pop_front();
  if (!resident_.empty())
    shared_.extra.fetch_sub(1, std::memory_order_relaxed);
}

// From chunk to chunk: is there compiled code by now? If not, the compiler hears what the kernel costs.
void Thread::look_for_compiled() {
  CompiledKernel* const kernel = shared_.kernel;
  if (!kernel || trial_)
    return;
  if (compiled_) {
    compiled_->entered.fetch_add(std::exchange(entered_, 0), std::memory_order_relaxed);
    if (!compiled_->cold || compiled_->pays())
      return; // else it shall be made anew
  }
  take(kernel->code());
  const uint64_t now = __rdtsc(), spent = now - since_;
  if (std::exchange(since_, now) == 0)
    return; // the first time
  const uint64_t here = shared_.interpreted.fetch_add(spent, std::memory_order_relaxed) + spent;
  if (kernel->interpreted.fetch_add(spent, std::memory_order_relaxed) + spent < kernel->hot_at ||
      (compiled_ && (!compiled_->cold || compiled_->pays())))
    return;
  const uint64_t begun = std::clamp<uint64_t>(shared_.next, 1, shared_.group_count);
  const double left = double(here) / double(begun) * double(shared_.group_count - begun);
  _mm_setcsr(host_csr_), csr_ = unknown_csr; // it may compile here and now
  current_ = nullptr;                        // and what fails is no wave's
  shared_.context.options->compiler->hot(*shared_.context.code, shared_.query, uint64_t(left));
  take(kernel->code());
  since_ = __rdtsc();
}

void Thread::take(const CompiledCode* code) {
  compiled_ = code;
  if (code && shared_.counts)
    counts_.begin(*code);
  Program* special = nullptr;
  const DispatchContext& context = shared_.context;
  const RegisterLimits limits = context.plain.kernel->limits();
  if (code && (code->only_loops || code->comes_back))
    special = &context.code->impl().program(*code, limits);
  else if (!code && shared_.kernel && shared_.kernel->covers())
    special = &context.code->impl().program(shared_.kernel->coverage(), limits);
  run_in(special);
}

// What waves begin in from now on, and go on in. Null: as they ever did.
void Thread::run_in(Program* special) {
  const DispatchContext& context = shared_.context;
  const Programs* now = context.special.load(std::memory_order_relaxed);
  if ((now ? now->kernel : nullptr) == special)
    return;
  const std::lock_guard lock(shared_.fault_mutex);
  const Programs* programs = nullptr;
  if (special) {
    auto& known = shared_.special[special];
    if (!known)
      known = std::make_unique<Programs>(special, context.plain.trap);
    programs = known.get();
  }
  context.special.store(programs, std::memory_order_release);
}

// A wave that was preempted in the interpreter goes on where what it executes is found out, if it shall be by now.
void Thread::enter_special(Wave& w) const {
  if (!shared_.context.special.load(std::memory_order_relaxed) || w.counted || w.status & status_bit::priv)
    return;
  const auto* at = static_cast<const Uop*>(w.resume);
  Program& plain = *shared_.context.plain.kernel;
  if (plain.at(plain.base() + uint64_t(at->pc) * 4, w).uop != at) // it is there, or no instruction begins here
    return;
  w.instructions += at->ordinal;
  w.resume = interpret_at(&w, at->pc);
}

// A wave that was preempted in the interpreter goes on in compiled code, where that has been made since.
void Thread::enter_loop(Wave& w) const {
  const auto* at = static_cast<const Uop*>(w.resume);
  const Uop* loop = compiled_->loop(at, w.exec() == ~uint64_t(0));
  if (!loop || w.counted || w.mode != shared_.query.mode || w.status & status_bit::priv || !compiled_->pays())
    return;
  w.instructions += at->ordinal;
  w.resume = loop;
  compiled_->entered.fetch_add(1, std::memory_order_relaxed);
}

} // namespace crosslane::engine
