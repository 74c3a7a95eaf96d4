#include "engine/program.h"
#include "engine/flow.h"
#include "isa/decode.h"
#include <atomic>
#include <new>
#include <span>

namespace crosslane::engine {

namespace {

struct Sink final : UopSink {
  explicit Sink(std::deque<isa::Instruction>& kept) : kept_(kept) {}
  std::vector<Uop> uops;
  Uop& append() override { return uops.emplace_back(Uop{}); }
  Uop& last() override { return uops.back(); }
  const isa::Instruction* keep(const isa::Instruction& inst) override { return &kept_.emplace_back(inst); }

private:
  std::deque<isa::Instruction>& kept_;
};

// What a wave looks at when it waits for another one: memory past the caches, or LDS.
bool polls(const isa::Instruction& inst, isa::Encoding e) {
  using enum isa::Encoding;
  if (e == DS) return inst.dst != isa::code::none;
  return inst.glc && (e == FLAT || e == GLOBAL || e == MUBUF || e == SMEM);
}
// A loop of at most this many instructions, one of which polls, looks like waiting; each of its iterations counts for this
// much of the budget. Waiting waves then yield after about a thousand looks.
constexpr uint32_t waiting_loop = 32, waiting_cost = 1000;

std::atomic<uint32_t> next_block = 0;

CROSSLANE_CC void skip(const Uop* op, Wave* w) { CROSSLANE_NEXT(op, w); }

void free_uops(Uop* p) { ::operator delete[](p, std::align_val_t(64)); }

}  // namespace

// A straight-line run under construction; branch targets are patched when everything reached is decoded.
struct Program::Run {
  Uop* uops;
  size_t count;
  struct Patch {
    size_t index;
    uint32_t target;
  };
  std::vector<Patch> patches;
};

Program::Program(isa::Target target, uint64_t base, uint64_t size, const Backend& backend, Hooks hooks)
    : target_(target), base_(base), size_(size), backend_(backend), hooks_(hooks),
      slots_(new Slot[size / 4 + 1]) {
  arena_.emplace_back(static_cast<Uop*>(::operator new[](sizeof(Uop), std::align_val_t(64))), free_uops);
  bad_pc_ = new (arena_.back().get()) Uop{};
  bad_pc_->fn = fault_bad_pc;
}

// A Uop that reports a direct branch to an address without code.
const Uop* Program::outside(uint64_t address) {
  arena_.emplace_back(static_cast<Uop*>(::operator new[](sizeof(Uop), std::align_val_t(64))), free_uops);
  Uop* op = new (arena_.back().get()) Uop{};
  op->fn = fault_left_code, op->k0 = address;
  return op;
}

Program::Entry Program::at(uint64_t address) {
  const uint64_t offset = address - base_;
  if (offset >= size_ || offset % 4 != 0) return {bad_pc_, 0};
  Slot& slot = slots_[offset / 4];
  if (!slot.uop.load(std::memory_order_acquire)) {
    std::lock_guard lock(mutex_);
    if (!slot.uop.load(std::memory_order_relaxed)) decode_from(uint32_t(offset / 4));
  }
  return slot.entry;
}

const Program::Entry* Program::find(uint32_t pc) const {
  const auto it = fresh_.find(pc);
  if (it != fresh_.end()) return &it->second;
  return slots_[pc].uop.load(std::memory_order_relaxed) ? &slots_[pc].entry : nullptr;
}

// Decodes everything that pc reaches. Nothing is published before every target is known, because other threads read the
// slots without the mutex.
void Program::decode_from(uint32_t pc) {
  std::vector<uint32_t> pending{pc};
  std::vector<Run> runs;
  while (!pending.empty()) {
    const uint32_t next = pending.back();
    pending.pop_back();
    if (!find(next)) decode_run(next, pending, runs);
  }
  for (Run& run : runs)
    for (const auto& patch : run.patches) {
      Uop& op = run.uops[patch.index];
      const Entry& target = *find(patch.target);
      op.target = target.uop;
      op.imm = int32_t(op.ordinal + 1) - int32_t(target.ordinal);
    }
  for (const auto& [at, entry] : fresh_) {
    slots_[at].entry = entry;
    slots_[at].uop.store(entry.uop, std::memory_order_release);
  }
  fresh_.clear();
}

void Program::decode_run(uint32_t start, std::vector<uint32_t>& pending, std::vector<Run>& runs) {
  Sink sink(kept_);
  Run run{};
  std::vector<std::pair<uint32_t, std::pair<size_t, uint32_t>>> entries;  // pc -> (first Uop, ordinal)
  uint32_t pc = start, ordinal = 0;
  const auto mode = indexing_.find(start);
  uint8_t gpr_idx = mode == indexing_.end() ? 0 : mode->second;
  // With issued events only the first instruction of a block may be entered: a jump to another one starts a run of its own.
  constexpr size_t none = ~size_t(0);
  size_t hook = none;
  std::vector<events::Site> sites;
  const auto close_block = [&] {
    if (hook == none) return;
    if (sites.empty()) {
      sink.uops[hook].fn = skip;  // its first instruction does not execute
    } else {
      const auto& kept = sites_.emplace_back(std::move(sites));
      sink.uops[hook].target = reinterpret_cast<const Uop*>(&blocks_.emplace_back(events::Block{next_block++, kept}));
    }
    hook = none;
    sites.clear();
  };
  int64_t last_poll = -1;  // dword index of the last instruction of the run that polls
  const uint32_t end = uint32_t(size_ / 4);
  for (bool more = true; more; ++ordinal) {
    const size_t first = sink.uops.size();
    isa::Instruction inst;
    int size = 0;
    if (pc < end) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(base_) + uint64_t(pc) * 4;
      size = isa::decode(target_, std::span(bytes, size_ - uint64_t(pc) * 4), inst);
      if (inst.reserved) size = 0;  // LLVM prints it, the hardware does not define it
    }
    const bool known = pc < end && find(pc);  // (a run never meets itself: it only moves forward)
    static const isa::Row nothing{};
    Lowering l{inst, size ? isa::row(inst.op) : nothing, sink, base_ + uint64_t(pc) * 4, pc, ordinal, hooks_.branches, gpr_idx};
    if (known) {  // another run continues here
      Uop& op = l.emit(link);
      op.ordinal = ordinal - 1;  // the link itself is no instruction
      run.patches.push_back({first, pc});
      break;
    }
    const bool enters = !hooks_.issued || hook == none;
    if (enters && pc < end) entries.push_back({pc, {first, ordinal}});
    if (hooks_.issued && enters && size) {
      hook = first;
      l.emit(event_issued);
    } else if (!enters && gpr_idx) {
      indexing_[pc] = gpr_idx;
    }
    if (size == 0) {
      l.emit(pc < end ? fault_illegal : fault_left_code).k0 = base_ + uint64_t(pc) * 4;
      break;
    }
    const Flow flow = flow_of(inst, l.row, pc);
    using enum isa::Encoding;
    const auto e = l.row.encoding;
    const size_t body = sink.uops.size();
    const bool done = lower(l, backend_);
    if (!done) {
      sink.uops.resize(body);
      l.emit(fault_unimplemented);
    }
    gpr_idx = l.gpr_idx;
    if (hooks_.issued) {
      if (done) sites.push_back({l.address, sink.keep(inst)});
      if (!done || ends_block(inst, l.row, flow)) close_block();
    }
    if (polls(inst, e)) last_poll = pc;
    if (flow.branches && flow.target <= pc && last_poll >= int64_t(flow.target) && pc - flow.target <= 2 * waiting_loop)
      sink.uops.back().aux = waiting_cost;
    if (flow.branches) {
      if (flow.target < end) {
        run.patches.push_back({sink.uops.size() - 1, flow.target});
        pending.push_back(flow.target);
      } else {
        sink.uops.back().target = outside(base_ + uint64_t(int64_t(int32_t(flow.target))) * 4);
        sink.uops.back().imm = int32_t(ordinal + 1);
      }
    }
    pc += uint32_t(size) / 4;
    more = flow.falls_through;
  }
  close_block();
  run.count = sink.uops.size();
  run.uops = static_cast<Uop*>(::operator new[](run.count * sizeof(Uop), std::align_val_t(64)));
  std::copy(sink.uops.begin(), sink.uops.end(), run.uops);
  arena_.emplace_back(run.uops, free_uops);
  for (const auto& [at, entry] : entries) fresh_[at] = {run.uops + entry.first, entry.second};
  runs.push_back(std::move(run));
}

Program& Code::Impl::program(Hooks hooks) {
  std::lock_guard lock(mutex);
  auto& p = programs[int(hooks.branches) + 2 * int(hooks.issued)];
  if (!p) p = std::make_unique<Program>(target, base, size, backend(), hooks);
  return *p;
}

Code::Code(isa::Target target, uint64_t base, uint64_t size) : impl_(std::make_unique<Impl>()) {
  impl_->target = target, impl_->base = base, impl_->size = size;
}
Code::~Code() = default;
isa::Target Code::target() const { return impl_->target; }
uint64_t Code::base() const { return impl_->base; }
uint64_t Code::size() const { return impl_->size; }

}  // namespace crosslane::engine
