// Entering compiled code and coming back from it; keeping it with the code that it was made from.
#include "engine/compiled.h"
#include "engine/context.h"

namespace crosslane::engine {

namespace {

CROSSLANE_CC void come_back(const Uop*, Wave*) {}

CROSSLANE_CC void enter(const Uop* op, Wave* w) {
  if (const Uop* to = run_compiled(op, w))
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
    return interpret_at(w, where);
  w->resume = code.entry(where);
  w->state = kind == Back::preempted ? machine::WaveState::preempted : machine::WaveState::barrier;
  return nullptr;
}

// The Uop of the interpreter that goes on at a dword of the kernel's code.
const Uop* interpret_at(Wave* w, uint32_t pc) {
  w->as_launched = 0;
  const auto entry = find_code(w, programs(w).kernel->base() + uint64_t(pc) * 4);
  w->instructions -= int64_t(entry.ordinal);
  return entry.uop;
}

void make_entries(CompiledCode& code, const std::vector<uint32_t>& pcs) {
  for (uint32_t i = 0; i < pcs.size(); ++i) {
    Uop entry = {};
    entry.fn = enter, entry.aux = i;
    entry.target = reinterpret_cast<const Uop*>(&code);
    for (const uint32_t pc : {pcs[i] - 1, pcs[i]}) { // s_barrier is one dword
      entry.pc = pc;
      code.entries.push_back(entry);
    }
  }
}

std::optional<const CompiledCode*> find_compiled(const Code& code, const std::string& key) {
  const std::lock_guard lock(code.impl().mutex);
  const auto found = code.impl().compiled.find(key);
  if (found == code.impl().compiled.end())
    return std::nullopt;
  return found->second.get();
}

// What changed while it was compiled is not kept: s_icache_inv may have been before.
const CompiledCode* keep_compiled(const Code& code, const std::string& key, std::shared_ptr<CompiledCode> compiled) {
  const std::lock_guard lock(code.impl().mutex);
  if (compiled && !compiled->bytes.are_in(code.base()))
    return nullptr;
  return (code.impl().compiled[key] = std::move(compiled)).get();
}

void forget_changed(const Code& code) {
  const std::lock_guard lock(code.impl().mutex);
  std::erase_if(code.impl().compiled, [&](const auto& kept) {
    const std::shared_ptr<CompiledCode>& compiled = kept.second;
    if (!compiled || compiled->bytes.are_in(code.base()))
      return false;
    compiled->stale.store(true, std::memory_order_release);
    code.impl().stale.push_back(compiled); // waves may be in it
    return true;
  });
}

Uop way_back() {
  Uop op = {};
  op.fn = come_back;
  return op;
}

} // namespace crosslane::engine
