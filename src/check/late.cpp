// Of each wave, the operations under way with what they will have loaded; looked at before every instruction.
#include "check/late.h"
#include "check/stale.h"
#include "isa/classify.h"
#include "isa/operands.h"
#include "machine/apertures.h"
#include <algorithm>
#include <bit>
#include <vector>

namespace crosslane::check {

namespace {

using isa::Counter;
using machine::Wave;

// Dwords of registers that something loads, with what they get.
struct Loaded {
  isa::RegisterFile file{};
  uint16_t first = 0, dwords = 0;
  uint32_t bits = ~0u;
  uint64_t lanes = 0;           // of vector registers
  std::vector<uint32_t> values; // by dword, then lane; of scalar ones by dword
};

struct Operation {
  // What it counts on, and as what: things of one kind come in order if isa::in_order().
  std::array<bool, 2> counts{}; // vm, lgkm
  isa::Counted kind{};
  std::vector<Loaded> loaded;
  bool on(Counter c) const { return counts[size_t(c)]; }
};

uint32_t* vector_register(Wave& w, const Loaded& l, unsigned dword) {
  const unsigned n = l.first + dword + (l.file == isa::RegisterFile::agpr ? machine::max_vgprs : 0);
  return w.vgpr(n);
}

void poison_registers(Wave& w, Loaded& l) {
  for (unsigned d = 0; d < l.dwords; ++d) {
    if (l.file == isa::RegisterFile::scalar) {
      l.values.push_back(w.s[l.first + d]);
      w.s[l.first + d] = poison;
      continue;
    }
    uint32_t* r = vector_register(w, l, d);
    l.values.insert(l.values.end(), r, r + machine::lanes_per_wave);
    for (int lane = 0; lane < machine::lanes_per_wave; ++lane)
      if (l.lanes >> lane & 1)
        r[lane] = (r[lane] & ~l.bits) | (poison & l.bits);
  }
}

void arrive(Wave& w, const Operation& o) {
  for (const Loaded& l : o.loaded)
    for (unsigned d = 0; d < l.dwords; ++d) {
      if (l.file == isa::RegisterFile::scalar) {
        w.s[l.first + d] = l.values[d];
        continue;
      }
      uint32_t* r = vector_register(w, l, d);
      for (int lane = 0; lane < machine::lanes_per_wave; ++lane)
        if (l.lanes >> lane & 1)
          r[lane] = (r[lane] & ~l.bits) | (l.values[d * machine::lanes_per_wave + unsigned(lane)] & l.bits);
    }
}

// Where FLAT goes, of its first lane: lanes that go elsewhere come with it.
bool goes_to_lds(const Wave& w, const isa::Instruction& in) {
  if (!w.exec() || in.addr == isa::code::none)
    return false;
  const auto lane = std::countr_zero(w.exec());
  const uint32_t high = w.v[in.addr - isa::code::vgpr0 + 1][lane];
  return machine::aperture_window(high) == 0;
}

Operation operation_of(const Wave& w, const isa::Instruction& in) {
  Operation o;
  for (const isa::Raised& r : isa::waits(in)) {
    if (r.counter == Counter::exp)
      continue;
    if (r.counted ==
        isa::Counted::flat) { // the address decides; it counts on the other until that is known, which is soon
      const bool lds = goes_to_lds(w, in);
      o.counts[size_t(lds ? Counter::lgkm : Counter::vm)] = true;
      o.kind = lds ? isa::Counted::lds : isa::Counted::vmem;
      continue;
    }
    o.counts[size_t(r.counter)] = true;
    o.kind = r.counted;
  }
  return o;
}

} // namespace

struct Late::OfWave {
  std::vector<Operation> under_way; // in the order of issue
  const isa::Instruction* last = nullptr;
  uint64_t exec = 0; // when it was executed
  Operation issued;  // what it is
  Stale stale;

  // The instruction before has been executed: what it loaded is taken away again.
  void take(Wave& w) {
    if (!last)
      return;
    for (const isa::Operand& o : isa::operands(*last)) {
      if (!o.written || o.role == isa::Role::implicit || o.file == isa::RegisterFile::special)
        continue;
      Loaded l{o.file, o.first, o.dwords, o.bits, o.masked ? exec : ~uint64_t(0), {}};
      poison_registers(w, l);
      issued.loaded.push_back(std::move(l));
    }
    under_way.push_back(std::move(issued));
    last = nullptr;
  }

  // All that the counter proves to have come when it is at most `left`.
  void wait(Wave& w, Counter counter, unsigned left) {
    if (under_way.empty())
      return;
    std::array<unsigned, 16> younger{}; // of each kind
    std::vector<bool> done(under_way.size());
    for (size_t n = under_way.size(); n-- > 0;) {
      const Operation& o = under_way[n];
      if (!o.on(counter))
        continue;
      const unsigned behind = isa::in_order(o.kind) ? younger[size_t(o.kind)]++ : 0;
      done[n] = behind >= left;
    }
    complete(w, done);
  }

  // Things of one kind in their order; scalar memory against it, which is as good as any.
  void complete(Wave& w, const std::vector<bool>& done) {
    for (size_t n = 0; n < under_way.size(); ++n)
      if (done[n] && isa::in_order(under_way[n].kind))
        arrive(w, under_way[n]);
    for (size_t n = under_way.size(); n-- > 0;)
      if (done[n] && !isa::in_order(under_way[n].kind))
        arrive(w, under_way[n]);
    size_t kept = 0;
    for (size_t n = 0; n < under_way.size(); ++n)
      if (!done[n]) {
        if (kept != n)
          under_way[kept] = std::move(under_way[n]);
        ++kept;
      }
    under_way.resize(kept);
  }
};

Late::Late() = default;
Late::~Late() = default;

Late::Shelf& Late::shelf(const Wave* w) { return shelves_[(reinterpret_cast<uintptr_t>(w) >> 12) % shelves_.size()]; }

void Late::step(const events::Step& event) {
  Wave& w = *event.wave;
  OfWave* of = nullptr;
  {
    Shelf& s = shelf(&w);
    const std::lock_guard lock(s.mutex);
    auto& entry = s.waves[&w];
    if (!entry)
      entry = std::make_unique<OfWave>();
    of = entry.get(); // one thread at a time has the wave
  }
  const isa::Instruction& in = *event.site.instruction;
  if (of->last == &in) // it had to wait for other waves (GDS), and is executed now
    return;
  of->stale.step(w, in);
  of->take(w);
  const isa::Generation g = isa::info(in.target).generation;
  if (in.op == isa::Op::s_waitcnt) {
    const isa::WaitCounts left = isa::wait_counts(g, uint32_t(in.imm));
    const isa::WaitCounts most = isa::most_waits(g);
    if (left.vm < most.vm)
      of->wait(w, Counter::vm, left.vm);
    if (left.lgkm < most.lgkm)
      of->wait(w, Counter::lgkm, left.lgkm);
    return;
  }
  if (in.op == isa::Op::s_trap) { // waits for all
    of->wait(w, Counter::vm, 0);
    of->wait(w, Counter::lgkm, 0);
    return;
  }
  Operation o = operation_of(w, in);
  if (!o.counts[0] && !o.counts[1])
    return;
  // A full counter: the instruction is issued when there is room for it.
  const isa::WaitCounts most = isa::most_waits(g);
  if (o.on(Counter::vm))
    of->wait(w, Counter::vm, most.vm);
  if (o.on(Counter::lgkm))
    of->wait(w, Counter::lgkm, most.lgkm);
  of->last = &in, of->exec = w.exec(), of->issued = std::move(o);
}

void Late::wave_ended(const events::WaveEnded& event) {
  Shelf& s = shelf(event.wave);
  const std::lock_guard lock(s.mutex);
  s.waves.erase(event.wave);
}

} // namespace crosslane::check
