// Entering compiled code and coming back from it.
#include "engine/compiled.h"
#include "engine/context.h"

namespace crosslane::engine {

namespace {

// Numbers of jit/compile/emitter.h.
enum Back : uint32_t { interpret, stopped, preempted, barrier, failed };

CROSSLANE_CC void come_back(const Uop*, Wave*) {}

[[gnu::noinline]] const Uop* run_compiled(const Uop* op, Wave* w) {
  const auto& code = *reinterpret_cast<const CompiledCode*>(op->target);
  w->instructions += op->ordinal;
  w->compiled_pc = op->pc;
  w->compiled = &code;
  const uint64_t back = code.function(w, &code, op->aux);
  w->compiled = nullptr;
  const auto kind = uint32_t(back >> 32), where = uint32_t(back);
  if (kind == stopped)
    return nullptr;
  if (kind == failed)
    code.left.fetch_add(1, std::memory_order_relaxed);
  if (kind == interpret || kind == failed) {
    const auto entry = find_code(w, programs(w).kernel->base() + uint64_t(where) * 4);
    w->instructions -= int64_t(entry.ordinal);
    return entry.uop;
  }
  w->resume = &code.entries[where];
  w->state = kind == preempted ? machine::WaveState::preempted : machine::WaveState::barrier;
  return nullptr;
}

CROSSLANE_CC void enter(const Uop* op, Wave* w) {
  if (const Uop* to = run_compiled(op, w))
    CROSSLANE_JUMP(to, w);
}

} // namespace

void make_entries(CompiledCode& code, const std::vector<uint32_t>& pcs) {
  for (uint32_t i = 0; i < pcs.size(); ++i) {
    Uop entry = {};
    entry.fn = enter, entry.pc = pcs[i], entry.aux = i;
    entry.target = reinterpret_cast<const Uop*>(&code);
    code.entries.push_back(entry);
  }
}

std::map<std::string, std::shared_ptr<const CompiledCode>>& kept_with(const Code& code) { return code.impl().compiled; }

Uop way_back() {
  Uop op = {};
  op.fn = come_back;
  return op;
}

} // namespace crosslane::engine
