// A trial is a claim of one workgroup that the thread's loop runs two to four times.
#include "engine/dispatch/trial.h"
#include "engine/dispatch/runner_thread.h"
#include "machine/memory.h"
#include <atomic>
#include <cstring>
#include <utility>

namespace crosslane::engine {

namespace {

constexpr uint32_t first_workgroups = 4; // of each kernel
constexpr uint32_t one_in = 1000;        // of those behind in a launch, and of further launches

std::atomic<Notify> notify{nullptr};
thread_local bool trying = false, has_sent = false;

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(value));
  return text;
}

std::string text_of(const std::optional<machine::Fault>& fault) {
  return !fault ? "none"
                : std::string(machine::name(fault->kind)) + " at " + hex(fault->pc) + ", wave " +
                      std::to_string(fault->wave) + ", lane " + std::to_string(fault->lane) + ", address " +
                      hex(fault->address);
}

std::string both(const std::string& compiled, const std::string& interpreted) {
  return compiled + " compiled, " + interpreted + " interpreted";
}

// Of the dword that holds the first byte that differs.
std::string dwords(const uint8_t* a, const uint8_t* b, size_t at) {
  uint32_t x, y;
  std::memcpy(&x, a + at / 4 * 4, 4), std::memcpy(&y, b + at / 4 * 4, 4);
  return both(hex(x), hex(y));
}

} // namespace

std::string difference(const TrialResult& compiled, const TrialResult& interpreted, const WrittenPages& pages,
                       std::string (*name_of)(uint64_t, const void*), const void* names) {
  if (text_of(compiled.fault) != text_of(interpreted.fault))
    return "its fault is " + both(text_of(compiled.fault), text_of(interpreted.fault));
  uint64_t first = ~uint64_t(0);
  std::string text;
  constexpr size_t page_bytes = WrittenPages::page_bytes;
  for (size_t n = 0; n < pages.count(); ++n) {
    const auto content = [&](const TrialResult& r) {
      return (n + 1) * page_bytes <= r.pages.size() ? &r.pages[n * page_bytes] : pages.before(n);
    };
    const uint8_t *a = content(compiled), *b = content(interpreted);
    if (!std::memcmp(a, b, page_bytes) || pages.address(n) > first)
      continue;
    size_t at = 0;
    while (a[at] == b[at])
      ++at;
    first = pages.address(n) + at;
    text = "at " + hex(first / 4 * 4) + " it leaves " + dwords(a, b, at);
  }
  if (!text.empty()) {
    const std::string name = names ? name_of(first, names) : "";
    return text + (name.empty() ? "" : " (" + name + ")");
  }
  for (size_t at = 0; at < compiled.lds.size(); ++at)
    if (compiled.lds[at] != interpreted.lds[at])
      return "in LDS at byte " + std::to_string(at / 4 * 4) + " it leaves " +
             dwords(compiled.lds.data(), interpreted.lds.data(), at);
  if (compiled.gds && interpreted.gds)
    for (size_t at = 0; at < machine::gds_bytes; ++at)
      if (compiled.gds->memory[at] != interpreted.gds->memory[at])
        return "in GDS at byte " + std::to_string(at / 4 * 4) + " it leaves " +
               dwords(compiled.gds->memory, interpreted.gds->memory, at);
  if (compiled.instructions != interpreted.instructions)
    return "it executes " + both(std::to_string(compiled.instructions), std::to_string(interpreted.instructions)) +
           " wave-instructions";
  return "";
}

Notify outside_of_trials(Notify asked) {
  if (!asked)
    return nullptr;
  notify = asked; // a process has one
  return [] {
    if (trying)
      has_sent = true;
    else
      notify.load()();
  };
}

// ---- In the loop of a thread

// At its top: begins a trial, if it is time for one, or sees to the one under way. True: that has ended.
bool Thread::tend_trial() {
  if (!trial_) {
    if (!shared_.verifies || !resident_.empty() || !claim_chunk() || !compiled_ || claimed_ == untried_)
      return false;
    std::atomic<uint32_t>& tried = shared_.kernel->tried;
    if (tried.load(std::memory_order_relaxed) < first_workgroups)
      ++tried;
    else if (claimed_ ? claimed_ % one_in : ++tried % one_in)
      return false;
    begin_trial();
  } else if (trial_->unfit || has_sent || !trial_->pages.is_complete()) {
    end_trial(Verdict::not_compared);
  } else if (trial_->fault || (resident_.empty() && claimed_ == claimed_end_)) {
    end_stage();
  }
  return !trial_;
}

void Thread::begin_trial() {
  if (idle_.empty())
    idle_.push_back(std::make_unique<Slot>(shared_, hooks_, counts_));
  const Slot& slot = *idle_.back();
  trial_.reset(new Trial{.number = claimed_,
                         .claim_end = claimed_end_,
                         .compiled = compiled_,
                         .counts = {instructions_, waves_, groups_, entered_, instructions_untold_},
                         .slot = {slot.memory.get(), slot.memory.get() + slot.memory_bytes},
                         .gds = shared_.gds.content(),
                         .pages = WrittenPages(shared_.context.options->is_hosts)});
  claimed_end_ = claimed_ + 1;
  trying = true, has_sent = false;
  if (!trial_->pages.watches())
    end_trial(Verdict::not_compared);
}

// The workgroup has come to its end, or to a fault.
void Thread::end_stage() {
  Trial& t = *trial_;
  if (!resident_.empty())
    release();
  const auto& group = idle_.back()->group;
  TrialResult result{std::exchange(t.fault, {}),
                     instructions_ - t.counts.instructions,
                     {group.lds, group.lds + group.lds_bytes},
                     t.pages.contents(),
                     shared_.gds.content()};
  if (result.fault)
    result.instructions = 0; // of a wave that stops they are not counted
  const auto name_of = [](uint64_t address, const void* memory) {
    return static_cast<const machine::Memory*>(memory)->describe(address);
  };
  const void* const memory = shared_.context.options->memory;
  const auto same = [&](const TrialResult& x, const TrialResult& y) {
    return difference(x, y, t.pages, name_of, memory).empty();
  };
  switch (t.stage) {
  case Trial::Stage::compiled: t.as_compiled = std::move(result), t.stage = Trial::Stage::interpreted; break;
  case Trial::Stage::interpreted: {
    t.as_interpreted = std::move(result);
    if (same(t.as_compiled, t.as_interpreted))
      return end_trial(Verdict::same);
    t.stage = Trial::Stage::compiled_again;
    break;
  }
  case Trial::Stage::compiled_again:
    if (!same(result, t.as_compiled))
      return end_trial(Verdict::not_compared);
    t.stage = Trial::Stage::interpreted_again;
    break;
  case Trial::Stage::interpreted_again:
    if (!same(result, t.as_interpreted))
      return end_trial(Verdict::not_compared);
    const auto* id = group.id;
    machine::Fault fault;
    fault.kind = machine::FaultKind::bad_dispatch;
    fault.kernel = shared_.context.kernel;
    fault.detail = "compiled code does not do what the interpreter does (CROSSLANE_JIT=verify): of workgroup (" +
                   std::to_string(id[0]) + ", " + std::to_string(id[1]) + ", " + std::to_string(id[2]) + "), " +
                   difference(t.as_compiled, t.as_interpreted, t.pages, name_of, memory);
    t.as_interpreted.fault = std::move(fault);
    return end_trial(Verdict::differs);
  }
  take_back();
  take(t.stage == Trial::Stage::compiled_again ? t.compiled : nullptr);
  claimed_end_ = t.number + 1;
}

// As before the workgroup began; the thread has it to run.
void Thread::take_back() {
  Trial& t = *trial_;
  while (!resident_.empty())
    release();
  t.pages.undo();
  shared_.gds.put_back(t.gds.get());
  Slot& slot = *idle_.back();
  give_back_place(slot.group);
  std::memcpy(slot.memory.get(), t.slot.data(), t.slot.size());
  slot.fault = {};
  current_ = nullptr;
  instructions_ = t.counts.instructions, waves_ = t.counts.waves, groups_ = t.counts.groups;
  entered_ = t.counts.entered, instructions_untold_ = t.counts.untold;
  range_size_ = 0, replays_ = false, in_vain_ = 0;
  claimed_ = t.number, claimed_end_ = t.claim_end;
}

void Thread::end_trial(Verdict verdict) {
  const std::optional<machine::Fault> fault =
      verdict == Verdict::not_compared ? std::nullopt : std::move(trial_->as_interpreted.fault);
  trying = false;
  take(trial_->compiled);
  if (verdict == Verdict::not_compared) {
    take_back();
    untried_ = claimed_; // it runs as any other
  } else {
    claimed_ = trial_->number + 1, claimed_end_ = trial_->claim_end;
  }
  trial_.reset();
  shared_.context.options->compiler->tell(verdict);
  if (fault) {
    const std::lock_guard lock(shared_.fault_mutex);
    if (!shared_.fault)
      shared_.fault = fault;
    shared_.stop = true;
  } else if (verdict == Verdict::same) {
    report_progress(1);
  }
}

} // namespace crosslane::engine
