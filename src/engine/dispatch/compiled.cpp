// Entering compiled code and coming back from it; keeping it with the code that it was made from.
#include "engine/compiler.h"
#include "engine/context.h"
#include "engine/counts.h"
#include "engine/coverage.h"

namespace crosslane::engine {

namespace {

CROSSLANE_CC void come_back(const Uop*, Wave*) {}

CROSSLANE_CC void enter(const Uop* op, Wave* w) {
  if (const Uop* to = run_compiled(op, w))
    CROSSLANE_JUMP(to, w);
}

Counts& counts_of(const Wave* w) { return static_cast<Counts&>(*static_cast<CountTables*>(w->counts)); }

// The same as run_compiled(), of code that counts.
[[gnu::noinline]] const Uop* run_counted(const Uop* op, Wave* w) {
  const Uop* const to = run_compiled(op, w);
  if (!to && w->state == machine::WaveState::faulted) // in a handler that it called
    counts_of(w).add_faulted(static_cast<const Uop*>(w->fault_op)->pc, w->exec());
  return to;
}

CROSSLANE_CC void enter_counted(const Uop* op, Wave* w) {
  if (const Uop* to = run_counted(op, w))
    CROSSLANE_JUMP(to, w);
}

} // namespace

[[gnu::noinline]] const Uop* run_compiled(const Uop* op, Wave* w) {
  const auto& code = *reinterpret_cast<const CompiledCode*>(op->target);
  if (code.stale.load(std::memory_order_acquire))
    return interpret_at(w, op->pc);
  w->compiled_pc = op->pc;
  w->compiled = &code;
  const uint64_t back = code.function(w, &code, op->aux);
  w->compiled = nullptr;
  const auto kind = Back(back >> 32);
  const auto where = uint32_t(back);
  if (kind == Back::stopped)
    return nullptr;
  if (kind == Back::failed)
    code.left.fetch_add(1, std::memory_order_relaxed);
  if (kind == Back::interpret || kind == Back::failed)
    return code.counted ? interpret_counted_at(w, where, counts_of(w).cells->counted) : interpret_at(w, where);
  // Of several threads one may not count: it is a measure.
  code.stayed.store(code.stayed.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  w->resume = code.entry(where);
  w->state = kind == Back::preempted ? machine::WaveState::preempted : machine::WaveState::barrier;
  return nullptr;
}

bool run_range(const CompiledCode& code, Range& range, Wave* w) {
  if (code.stale.load(std::memory_order_acquire))
    return false;
  w->compiled = &code;
  const uint64_t back = code.function(w, &code, reinterpret_cast<uint64_t>(&range));
  w->compiled = nullptr;
  __builtin_ia32_sfence(); // stores past the caches are in no order with those that tell of them
  return Back(back >> 32) != Back::apart;
}

void take_out(const CompiledCode& code, Range& range, Wave* w, const int64_t* counted_since) {
  range.writes = 1;
  const uint64_t back = code.function(w, &code, reinterpret_cast<uint64_t>(&range));
  range.writes = 0;
  const auto where = uint32_t(back);
  const bool at_barrier = Back(back >> 32) == Back::barrier;
  w->state = machine::WaveState::ready;
  if (!counted_since) {
    w->resume = at_barrier ? code.entry(where) : interpret_at(w, where);
    return;
  }
  const auto& frame = *reinterpret_cast<const Frame*>(range.frames + range.wave * range.frame_bytes);
  const int64_t counted = int64_t(frame.instructions) + *counted_since;
  w->resume = !at_barrier                  ? interpret_counted_at(w, where, counted)
              : counted == w->instructions ? code.entry(where)
                                           : interpret_counted_at(w, code.entry(where)->pc, counted);
}

PendingSums& PendingSums::of_thread() {
  static thread_local std::unique_ptr<PendingSums> sums;
  if (!sums || sums->count) // memory was gone when it was to settle
    sums = std::make_unique<PendingSums>();
  return *sums;
}

void PendingSums::settle() {
  for (uint32_t n = 0; n < count; ++n) {
    const uint32_t i = used[n];
    auto* p = reinterpret_cast<uint32_t*>(uint64_t(tag[i]) << tag_shift | i << 2);
    __atomic_fetch_add(p, sum[i], __ATOMIC_RELAXED);
    tag[i] = sum[i] = 0;
  }
  count = 0;
}

const Uop* CompiledCode::loop(const Uop* at, bool full_exec) const {
  const Loop* found = nullptr;
  if (at >= entries.data() && at < entries.data() + entries.size())
    return nullptr; // it is no interpreted one
  for (const Loop& l : loops)
    if (l.pc == at->pc && (full_exec || !l.full_exec) && (!found || l.full_exec))
      found = &l;
  return found ? entry(found->entry) : nullptr;
}

CROSSLANE_CC void mark_executed(const Uop* op, Wave* w) {
  auto* mark = reinterpret_cast<std::atomic<uint8_t>*>(reinterpret_cast<uintptr_t>(op->target));
  const uint8_t bit = w->exec() == ~uint64_t(0) ? Coverage::with_all_lanes : Coverage::with_fewer;
  if (const uint8_t known = mark->load(std::memory_order_relaxed); !(known & bit))
    mark->fetch_or(bit, std::memory_order_relaxed);
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void loop_head(const Uop* op, Wave* w) {
  const auto& code = *reinterpret_cast<const CompiledCode*>(op->target);
  const bool fits = w->mode == code.mode && !(w->status & status_bit::priv) && code.pays() &&
                    !code.stale.load(std::memory_order_relaxed);
  const Uop* const to = fits ? code.loop(op, w->exec() == ~uint64_t(0)) : nullptr;
  if (!to)
    CROSSLANE_NEXT(op, w);
  w->instructions += op->ordinal;
  code.entered.fetch_add(1, std::memory_order_relaxed);
  CROSSLANE_JUMP(to, w);
}

// The Uop of the interpreter that goes on at a dword of the kernel's code. What has left a loop at its head shall not
// enter it at once again.
const Uop* interpret_at(Wave* w, uint32_t pc) {
  w->as_launched = 0;
  const auto entry = find_code(w, programs(w).kernel->base() + uint64_t(pc) * 4);
  w->instructions -= int64_t(entry.ordinal);
  return entry.uop + (entry.uop->fn == loop_head);
}

const Uop* interpret_counted_at(Wave* w, uint32_t pc, int64_t counted) {
  if (w->instructions >= counted) {
    counts_of(w).add_part(pc, w->instructions - counted, w->exec());
    return interpret_at(w, pc);
  }
  w->as_launched = 0;
  w->counted = counted;
  Program& program = *context(w).repeats.kernel;
  const auto entry = program.at(program.base() + uint64_t(pc) * 4, *w);
  w->instructions -= int64_t(entry.ordinal);
  return entry.uop;
}

void make_entries(CompiledCode& code, const std::vector<uint32_t>& pcs) {
  for (uint32_t i = 0; i < pcs.size(); ++i) {
    Uop entry = {};
    entry.fn = code.counted ? enter_counted : enter, entry.aux = i;
    entry.target = reinterpret_cast<const Uop*>(&code);
    for (const uint32_t pc : {pcs[i] - 1, pcs[i]}) { // s_barrier is one dword
      entry.pc = pc;
      code.entries.push_back(entry);
    }
  }
}

void CompiledKernel::expect(CodeBytes bytes) {
  const std::lock_guard lock(mutex_);
  bytes_ = std::move(bytes);
}

void CompiledKernel::publish(std::shared_ptr<CompiledCode> made) {
  const std::lock_guard lock(mutex_);
  if (changed_)
    return;
  made_ = std::move(made);
  code_.store(made_.get(), std::memory_order_release);
}

void CompiledKernel::cover(size_t dwords) {
  const std::lock_guard lock(mutex_);
  if (!coverage_)
    coverage_ = std::make_shared<Coverage>(dwords);
  covers_.store(true, std::memory_order_release);
}

std::shared_ptr<Coverage> CompiledKernel::coverage() const {
  const std::lock_guard lock(mutex_);
  return coverage_;
}

size_t CompiledKernel::withdraw() {
  const std::lock_guard lock(mutex_);
  code_.store(nullptr, std::memory_order_release);
  if (made_)
    withdrawn_.push_back(std::move(made_));
  return withdrawn_.size();
}

bool CompiledKernel::forget_if_changed(uint64_t base) {
  const std::lock_guard lock(mutex_);
  if (bytes_.are_in(base))
    return false;
  changed_ = true;
  for (const auto& code : withdrawn_)
    code->stale.store(true, std::memory_order_release);
  if (made_)
    made_->stale.store(true, std::memory_order_release); // waves may be in it
  return true;
}

CompiledKernel& compiled_kernel(const Code& code, const CompileQuery& query, uint64_t hot_at) {
  Code::Impl& impl = code.impl();
  const std::lock_guard lock(impl.mutex);
  if (!impl.last_compiled || impl.last_compiled->first != query) {
    const auto [at, is_new] = impl.compiled.try_emplace(query);
    if (is_new) {
      at->second = std::make_shared<CompiledKernel>();
      at->second->hot_at = hot_at;
    }
    impl.last_compiled = &*at;
  }
  return *impl.last_compiled->second;
}

void forget_changed(const Code& code) {
  const std::lock_guard lock(code.impl().mutex);
  code.impl().last_compiled = nullptr;
  std::erase_if(code.impl().compiled, [&](const auto& kept) {
    if (!kept.second->forget_if_changed(code.base()))
      return false;
    code.impl().stale.push_back(kept.second);
    return true;
  });
}

Uop way_back() {
  Uop op = {};
  op.fn = come_back;
  return op;
}

} // namespace crosslane::engine
