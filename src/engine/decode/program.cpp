#include "engine/decode/program.h"
#include "engine/memory/access_event.h"
#include "engine/scalar/flow.h"
#include "isa/decode.h"
#include "isa/divergence.h"
#include <algorithm>
#include <atomic>
#include <cstring>
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
  if (e == DS)
    return inst.dst != isa::code::none;
  return inst.glc && (e == FLAT || e == GLOBAL || e == MUBUF || e == SMEM);
}
// A loop of at most this many instructions, one of which polls, looks like waiting; each of its iterations counts for
// this much of the budget. Waiting waves then yield after about a thousand looks.
constexpr uint32_t waiting_loop = 32, waiting_cost = 1000;

std::atomic<uint32_t> next_block = 0;

CROSSLANE_CC void skip(const Uop* op, Wave* w) { CROSSLANE_NEXT(op, w); }

// VSKIP: what is not issued. Source: Vega ISA manual, S_SETVSKIP.
bool skipped_by_vskip(const isa::Row& row) {
  using enum isa::Encoding;
  const auto e = row.encoding;
  return e != SOP1 && e != SOP2 && e != SOPK && e != SOPC && e != SOPP && e != SMEM;
}

void free_uops(Uop* p) { ::operator delete[](p, std::align_val_t(64)); }

} // namespace

// A straight-line run under construction; branch targets are patched when everything reached is decoded.
struct Program::Run {
  Uop* uops;
  size_t count;
  struct Patch {
    size_t index;
    Key target;
  };
  std::vector<Patch> patches;
};

Program::Program(isa::Target target, uint64_t base, uint64_t size, const Backend& backend, Hooks hooks,
                 RegisterLimits limits)
    : target_(target), generation_(isa::info(target).generation), base_(base), size_(size), backend_(backend),
      hooks_(hooks), limits_(limits) {
  arena_.push_back({{static_cast<Uop*>(::operator new[](sizeof(Uop), std::align_val_t(64))), free_uops}, 1});
  bad_pc_ = new (arena_.back().uops.get()) Uop{};
  bad_pc_->fn = fault_bad_pc;
}

// A Uop that reports a direct branch to an address without code.
const Uop* Program::outside(uint64_t address) {
  arena_.push_back({{static_cast<Uop*>(::operator new[](sizeof(Uop), std::align_val_t(64))), free_uops}, 1});
  Uop* op = new (arena_.back().uops.get()) Uop{};
  op->fn = fault_left_code, op->k0 = address;
  return op;
}

Program::Entry Program::at(uint64_t address, DecodeMode mode) {
  const uint64_t offset = address - base_;
  if (offset >= size_ || offset % 4 != 0)
    return {bad_pc_, 0};
  if (const Slot* slots = table(mode.bits))
    if (const Entry* entry = slots[offset / 4].load(std::memory_order_acquire))
      return *entry;
  std::lock_guard lock(mutex_);
  const Key k = key(uint32_t(offset / 4), mode);
  if (!find(k))
    decode_from(k);
  return *find(k);
}

bool Program::owns(const Uop* op) {
  std::lock_guard lock(mutex_);
  for (const Arena& a : arena_)
    if (op >= a.uops.get() && op < a.uops.get() + a.count)
      return true;
  return false;
}

const Program::Entry* Program::find(Key k) const {
  const auto it = fresh_.find(k);
  if (it != fresh_.end())
    return &it->second;
  const Slot* slots = table(uint8_t(k >> 32));
  return slots ? slots[uint32_t(k)].load(std::memory_order_relaxed) : nullptr;
}

// Decodes everything that `start` reaches. Nothing is published before every target is known, because other threads
// read the slots without the mutex.
void Program::decode_from(Key start) {
  std::vector<Key> pending{start};
  std::vector<Run> runs;
  while (!pending.empty()) {
    const Key next = pending.back();
    pending.pop_back();
    if (!find(next))
      decode_run(next, pending, runs);
  }
  for (Run& run : runs)
    for (const auto& patch : run.patches) {
      Uop& op = run.uops[patch.index];
      const Entry& target = *find(patch.target);
      op.target = target.uop;
      op.imm = int32_t(op.ordinal + 1) - int32_t(target.ordinal);
    }
  for (const auto& [at, entry] : fresh_) {
    auto& slots = tables_[at >> 32];
    if (!slots.load(std::memory_order_relaxed)) {
      // calloc: of a large code object only the pages that somebody uses become memory.
      auto* fresh = static_cast<Slot*>(std::calloc(size_ / 4 + 1, sizeof(Slot)));
      if (!fresh)
        throw std::bad_alloc();
      slots.store(tables_owned_.emplace_back(fresh).get(), std::memory_order_release);
    }
    slots.load(std::memory_order_relaxed)[uint32_t(at)].store(&entries_.emplace_back(entry), std::memory_order_release);
  }
  fresh_.clear();
}

void Program::invalidate() {
  std::lock_guard lock(mutex_);
  const auto stale = [this](const Source& s) {
    return std::memcmp(reinterpret_cast<const uint32_t*>(base_) + s.pc, s.words.data(), s.words.size() * 4) != 0;
  };
  if (std::none_of(sources_.begin(), sources_.end(), stale))
    return;
  for (const auto& slots : tables_owned_)
    for (uint64_t i = 0; i <= size_ / 4; ++i)
      slots[i].store(nullptr, std::memory_order_release);
  sources_.clear();
}

void Program::decode_run(Key start, std::vector<Key>& pending, std::vector<Run>& runs) {
  Sink sink(kept_);
  Run run{};
  std::vector<std::pair<Key, std::pair<size_t, uint32_t>>> entries; // -> (first Uop, ordinal)
  uint32_t pc = uint32_t(start), ordinal = 0;
  DecodeMode mode{uint8_t(start >> 32)};
  // With issued events only the first instruction of a block may be entered: a jump to another one starts a run of its
  // own.
  constexpr size_t none = ~size_t(0);
  size_t hook = none;
  std::vector<events::Site> sites;
  const auto close_block = [&] {
    if (hook == none)
      return;
    if (sites.empty()) {
      sink.uops[hook].fn = skip; // its first instruction does not execute
    } else {
      const auto& kept = sites_.emplace_back(std::move(sites));
      sink.uops[hook].target = reinterpret_cast<const Uop*>(&blocks_.emplace_back(events::Block{next_block++, kept}));
    }
    hook = none;
    sites.clear();
  };
  isa::SiteFinder sites_of_lanes;
  int64_t last_poll = -1; // dword index of the last instruction of the run that polls
  const uint32_t end = uint32_t(size_ / 4);
  for (bool more = true; more; ++ordinal) {
    const size_t first = sink.uops.size();
    const Key here = key(pc, mode);
    isa::Instruction inst;
    int size = 0;
    if (pc < end) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(base_) + uint64_t(pc) * 4;
      size = isa::decode(target_, std::span(bytes, size_ - uint64_t(pc) * 4), inst);
      if (inst.reserved)
        size = 0; // LLVM prints it, the hardware does not define it
    }
    const bool known = pc < end && find(here); // (a run never meets itself: it only moves forward)
    static const isa::Row nothing{};
    Lowering l{inst, size ? isa::row(inst.op) : nothing, sink, base_ + uint64_t(pc) * 4, pc, ordinal, hooks_.branches,
               mode};
    if (known) { // another run continues here
      Uop& op = l.emit(link);
      op.ordinal = ordinal - 1; // the link itself is no instruction
      run.patches.push_back({first, here});
      break;
    }
    const bool enters = !hooks_.issued || hook == none;
    if (enters && pc < end)
      entries.push_back({here, {first, ordinal}});
    if (hooks_.issued && enters && size) {
      hook = first;
      l.emit(event_issued);
    }
    if (size == 0) {
      l.emit(pc < end ? fault_illegal : fault_left_code).k0 = base_ + uint64_t(pc) * 4;
      break;
    }
    if (!beyond_registers(inst, limits_).empty()) {
      l.emit(fault_registers);
      break;
    }
    const Flow flow = flow_of(inst, l.row, pc);
    const size_t body = sink.uops.size();
    // As the code has it, for listeners.
    const isa::Instruction* const written = hooks_.any() ? sink.keep(inst) : nullptr;
    uint16_t old;
    if (!mode.has(DecodeMode::privileged) && discard_privileged_write(inst, l.row, old))
      emit_discarded(l, old);
    const bool issued = !mode.has(DecodeMode::vskip) || !skipped_by_vskip(l.row);
    if (issued && hooks_.steps)
      emit_step_event(l, written);
    if (issued && (hooks_.memory || hooks_.lds))
      emit_access_event(l, written, hooks_.memory, hooks_.lds);
    const bool narrows = hooks_.branches && sites_of_lanes.next(*written) == isa::SiteKind::exec && issued;
    if (narrows)
      emit_keep_exec(l);
    const bool done = !issued || lower(l, backend_);
    if (!done) {
      sink.uops.resize(body);
      l.emit(fault_unimplemented);
    } else {
      if (narrows)
        emit_exec_event(l, written);
      if (may_change_mode(l))
        emit_reconsider(l);
    }
    if (hooks_.issued) {
      if (done && issued)
        sites.push_back({l.address, written});
      if (!done || ends_block(inst, l.row, flow) || may_change_mode(l))
        close_block();
    }
    mode = l.mode;
    if (polls(inst, l.row.encoding))
      last_poll = pc;
    if (flow.branches && flow.target <= pc && last_poll >= int64_t(flow.target) && pc - flow.target <= 2 * waiting_loop)
      sink.uops.back().aux = waiting_cost;
    if (flow.branches) {
      if (flow.target < end) {
        run.patches.push_back({sink.uops.size() - 1, key(flow.target, mode)});
        pending.push_back(key(flow.target, mode));
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
  arena_.push_back({{run.uops, free_uops}, run.count});
  const auto* words = reinterpret_cast<const uint32_t*>(base_);
  const uint32_t seen = std::min(pc + 2, end); // with what the decoder looked at where it found no instruction
  if (seen > uint32_t(start))
    sources_.push_back({uint32_t(start), std::vector<uint32_t>(words + uint32_t(start), words + seen)});
  for (const auto& [at, entry] : entries)
    fresh_[at] = {run.uops + entry.first, entry.second};
  runs.push_back(std::move(run));
}

Program& Code::Impl::program(Hooks hooks, RegisterLimits limits) {
  std::lock_guard lock(mutex);
  auto& p = programs[{hooks.index(), limits}];
  if (!p)
    p = std::make_unique<Program>(target, base, size, backend(), hooks, limits);
  return *p;
}

Code::Code(isa::Target target, uint64_t base, uint64_t size) : impl_(std::make_unique<Impl>()) {
  impl_->target = target, impl_->base = base, impl_->size = size;
}
Code::~Code() = default;
isa::Target Code::target() const { return impl_->target; }
uint64_t Code::base() const { return impl_->base; }
uint64_t Code::size() const { return impl_->size; }

} // namespace crosslane::engine
