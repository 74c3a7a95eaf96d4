// Programs: finding what is decoded, decoding what an address reaches, publishing it, forgetting it.
#include "engine/decode/program.h"
#include "engine/decode/run_decoder.h"
#include "engine/scalar/flow.h"
#include <algorithm>
#include <cstring>
#include <new>

namespace crosslane::engine {

// Room for so many, as long as the Program lives.
Uop* Program::uops_of(size_t count) {
  const auto free = [](Uop* p) { ::operator delete[](p, std::align_val_t(64)); };
  arena_.push_back({{static_cast<Uop*>(::operator new[](count * sizeof(Uop), std::align_val_t(64))), free}, count});
  return arena_.back().uops.get();
}

Program::Program(isa::Target target, uint64_t base, uint64_t size, const Backend& backend, Hooks hooks,
                 RegisterLimits limits, const CompiledCode* loops, std::shared_ptr<Coverage> coverage)
    : target_(target), generation_(isa::info(target).generation), base_(base), size_(size), backend_(backend),
      hooks_(hooks), limits_(limits), loops_(loops), coverage_(std::move(coverage)) {
  bad_pc_ = new (uops_of(1)) Uop{};
  bad_pc_->fn = fault_bad_pc;
}

// A Uop that reports a direct branch to an address without code.
const Uop* Program::outside(uint64_t address) {
  Uop* op = new (uops_of(1)) Uop{};
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
  RunDecoder(*this, start, pending).decode(runs);
}

Program& Code::Impl::program(Hooks hooks, RegisterLimits limits) {
  std::lock_guard lock(mutex);
  auto& p = programs[{hooks.index(), limits}];
  if (!p)
    p = std::make_unique<Program>(target, base, size, backend(), hooks, limits);
  return *p;
}

Program& Code::Impl::program(const CompiledCode& loops, RegisterLimits limits) {
  std::lock_guard lock(mutex);
  auto& p = special[&loops];
  if (!p)
    p = std::make_unique<Program>(target, base, size, backend(), Hooks(), limits, &loops);
  return *p;
}

Program& Code::Impl::program(std::shared_ptr<Coverage> coverage, RegisterLimits limits) {
  std::lock_guard lock(mutex);
  auto& p = special[coverage.get()];
  if (!p)
    p = std::make_unique<Program>(target, base, size, backend(), Hooks(), limits, nullptr, std::move(coverage));
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
