// One step is one instruction of one wave: when it may be issued, what held it back until then, what it does.
#include "timing/replay/cluster.h"
#include "timing/replay/requests.h"
#include <algorithm>

namespace crosslane::timing::replay {

namespace {

constexpr uint32_t none = Operations::none;

} // namespace

struct Cluster::Impl {
  Impl(const Machine& m, const Program& p, uint32_t first, uint32_t count)
      : machine(m), program(p), first_unit(first), scalar(m.scalar_lines, m.scalar_ways),
        code(m.code_lines, m.code_ways), requests(m) {
    for (uint32_t i = 0; i < count; ++i)
      units.push_back(std::make_unique<Unit>(m, i));
  }

  const Machine& machine;
  const Program& program;
  const uint32_t first_unit;
  Needs needs; // of the waves that it has
  std::vector<std::unique_ptr<Unit>> units;
  Tags scalar, code;
  uint64_t scalar_free = 0;
  Requests requests;
  std::vector<RowFigures> rows;
  UnitFigures figures;
  // Workgroups with which parts begin; what those before the last of them ask for passes L2 by.
  std::vector<uint64_t> first{0}, ended{0};
  uint32_t starving = 0; // waves
  Starved starved;       // one of them
  uint64_t clock_reads = 0, wave_cycles = 0, instructions = 0, waves = 0, groups = 0;
  Recorder* recorder = nullptr; // hears of all that happens

  void wait_for(uint32_t unit, uint32_t request, uint32_t op) {
    requests.add_waiter(request, unit, op);
    units[unit]->ops.wait(op);
  }

  // ---- Memory

  // In all of these `time` is when the instruction is issued, `op` what waits for it.
  void vector_access(uint32_t number, Unit& u, uint32_t group, const Access& a, const Lines& l, uint64_t time,
                     uint32_t op, bool past_l1) {
    const bool passing = u.groups[group].number < first.back();
    const uint32_t clocks = address_clocks(machine, a, l.count);
    const uint64_t begin = std::max(time, u.address_free);
    u.address_free = begin + clocks;
    figures.address_busy += clocks;
    if (recorder)
      recorder->busy(Series::addresses, begin, u.address_free);
    uint64_t done = begin + clocks + machine.l1_latency - 4; // measured of loads of 4 clocks
    // What it wants of one line of L2 it asks for at once: measured of a MI210, whose L2 counts half as many reads of
    // lanes in a row as L1 misses lines (rocprofiler-compute's stored runs).
    uint32_t last = none;
    const auto miss = [&](uint64_t at, uint64_t line) {
      ++figures.l1_misses;
      if (recorder)
        recorder->count(Series::l1_misses, at, 1);
      if (last != none && requests.extend(last, line))
        return last;
      last = requests.ask(number, Asked::vector, at, line, Kind::load, false, 0, passing);
      wait_for(number, last, op);
      return last;
    };
    for (uint32_t i = 0; i < l.count; ++i) {
      const uint64_t at = begin + uint64_t(i) * clocks / l.count, line = l.line(i);
      if (a.kind == Kind::load) {
        if (past_l1) {
          if (Tags::Line* known = u.l1.peek(line); known && known->request == Tags::none)
            *known = {};
          miss(at, line);
          continue;
        }
        if (Tags::Line* known = u.l1.find(line)) {
          ++figures.l1_hits;
          if (recorder)
            recorder->count(Series::l1_hits, at, 1);
          if (known->request != Tags::none)
            wait_for(number, known->request, op);
          else
            done = std::max(done, known->ready);
          continue;
        }
        const uint32_t request = miss(at, line);
        Tags::Line& victim = u.l1.victim(line);
        if (victim.request == Tags::none) { // else it passes the cache by
          u.l1.fill(victim, line);
          victim.request = request;
        }
      } else {
        const uint32_t operations = a.kind == Kind::atomic ? (a.operations + l.count - 1) / l.count : 0;
        wait_for(number, requests.ask(number, Asked::vector, at, line, a.kind, a.whole, operations, passing), op);
      }
    }
    u.ops.done_by(op, done);
  }

  void scalar_access(uint32_t number, Unit& u, const Access& a, const Lines& l, uint64_t time, uint32_t op) {
    uint64_t done = 0;
    for (uint32_t i = 0; i < l.count; ++i) {
      const uint64_t begin = std::max(time, scalar_free);
      scalar_free = begin + 1;
      done = std::max(done, begin + machine.scalar_latency);
      Tags::Line* known = scalar.find(l.line(i));
      if (known && a.kind == Kind::load) {
        ++figures.scalar_hits;
        if (known->request != Tags::none)
          wait_for(number, known->request, op);
        else
          done = std::max(done, known->ready);
        continue;
      }
      ++figures.scalar_misses;
      const uint32_t request = requests.ask(number, Asked::scalar, begin, l.line(i), a.kind, a.whole, 1);
      if (Tags::Line& victim = scalar.victim(l.line(i)); a.kind == Kind::load && victim.request == Tags::none) {
        scalar.fill(victim, l.line(i));
        victim.request = request;
      }
      wait_for(number, request, op);
    }
    u.ops.done_by(op, done);
  }

  void lds_access(Unit& u, const Access& a, uint64_t time, uint32_t op) {
    const uint64_t begin = std::max(time, u.lds_free);
    u.lds_free = begin + a.clocks;
    figures.lds_busy += a.clocks;
    if (recorder)
      recorder->busy(Series::lds, begin, u.lds_free);
    u.ops.done_by(op, begin + machine.lds_latency + (a.clocks > 2 ? a.clocks - 2 : 0));
  }

  void accesses(uint32_t number, Unit& u, Wave& w, uint64_t time, uint32_t op) {
    const bool past_l1 = w.block->rows[w.at].past_l1;
    Lines l;
    while (w.words.at_access_of(w.at)) {
      const Access a = w.words.access(l);
      if (a.scratch)
        l.first += scratch_line(first_unit + number, uint32_t(&w - u.waves.data()), needs);
      switch (a.space) {
      case Space::vector: vector_access(number, u, w.group, a, l, time, op, past_l1); break;
      case Space::scalar: scalar_access(number, u, a, l, time, op); break;
      case Space::lds: lds_access(u, a, time, op); break;
      case Space::pause: break; // was met before
      }
    }
  }

  // ---- Code

  // The cycle at which a line of code is there. False: that is not known yet. It is asked for if nobody has.
  bool fetch(uint32_t number, uint64_t line, uint64_t time, uint64_t& there) {
    if (Tags::Line* known = code.find(line)) {
      there = known->ready;
      return known->request == Tags::none;
    }
    ++figures.code_misses;
    const uint32_t request = requests.ask(number, Asked::code, time, line, Kind::load, false, 0);
    if (Tags::Line& victim = code.victim(line); victim.request == Tags::none) {
      code.fill(victim, line);
      victim.request = request;
    }
    return false;
  }

  // ---- Waves

  void block_wave(Unit& u, uint32_t slot) {
    u.blocked.push_back(slot);
    u.ready.remove(slot);
  }

  void end_wave(Unit& u, uint32_t slot, uint64_t time) {
    Wave& w = u.waves[slot];
    for (; w.vm.count; w.vm.pop())
      u.ops.forget(w.vm.oldest());
    for (; w.lgkm.count; w.lgkm.pop())
      u.ops.forget(w.lgkm.oldest());
    size_t part = first.size() - 1;
    while (u.groups[w.group].number < first[part])
      --part;
    ended[part] = std::max(ended[part], time);
    if (recorder)
      recorder->end(u.number, slot, time);
    wave_cycles += time - w.begin;
    const uint32_t group = w.group;
    u.remove_wave(slot, time);
    u.ready.remove(slot);
    if (const Group& g = u.groups[group]; g.left && g.arrived == g.left)
      release(u, group);
  }

  // All that are still there have arrived.
  void release(Unit& u, uint32_t group) {
    Group& g = u.groups[group];
    const uint64_t go = g.barrier;
    g.arrived = 0, g.barrier = 0;
    for (uint32_t slot = 0; slot < Unit::slots; ++slot) {
      Wave& w = u.waves[slot];
      if (!w.block || w.group != group || !w.at_barrier)
        continue;
      w.at_barrier = false;
      RowFigures& f = rows[w.block->first + w.at];
      f.cycles[size_t(Spent::barrier)] += go - w.time;
      if (recorder)
        recorder->spent(u.number, slot, Spent::barrier, w.time, go, true);
      w.time = go;
      go_on(u, slot, f);
    }
  }

  // It can do no more with the words that it has.
  void leave(Unit& u, uint32_t slot, bool paused) {
    Wave& w = u.waves[slot];
    u.ready.remove(slot);
    (paused ? w.paused : w.starved) = true;
    ++starving; // more than one only where a barrier lets several go on
    starved = {u.groups[w.group].number, w.number, w.time, paused};
  }

  // Behind an instruction.
  void go_on(Unit& u, uint32_t slot, RowFigures& f) {
    Wave& w = u.waves[slot];
    if (advance(w, f))
      u.ready.set(slot, w.time);
    else if (w.open)
      leave(u, slot, false);
    else
      end_wave(u, slot, w.time);
  }

  void begin(Unit& u, uint32_t slot) {
    Wave& w = u.waves[slot];
    next_block(w);
    u.ready.set(slot, w.time);
  }

  // To the next instruction. False: there is none, as the run was stopped here.
  bool advance(Wave& w, RowFigures& f) const {
    w.offset += w.block->rows[w.at].dwords;
    return ++w.at < w.block->rows.size() || enter_next(w, f);
  }

  bool enter_next(Wave& w, RowFigures& f) const {
    if (w.words.done())
      return false;
    const uint64_t end = w.block->pc + w.block->bytes;
    next_block(w);
    if (w.block->pc != end) {
      f.cycles[size_t(Spent::no_instruction)] += machine.taken;
      if (recorder)
        recorder->busy(series_of(Spent::no_instruction), w.time, w.time + machine.taken);
      w.time += machine.taken;
    }
    return true;
  }

  void next_block(Wave& w) const {
    w.idle = w.words.idle();
    w.block = &program.rows(w.words.block());
    w.at = w.offset = 0;
  }

  // One instruction of a wave.
  void step(uint32_t number, uint32_t slot) {
    Unit& u = *units[number];
    Wave& w = u.waves[slot];
    const Row r = w.block->rows[w.at];
    RowFigures& f = rows[w.block->first + w.at];
    const auto spend = [&](Spent what, uint64_t until) {
      if (until > w.time) {
        f.cycles[size_t(what)] += until - w.time;
        if (recorder)
          recorder->spent(number, slot, what, w.time, until, what == Spent::sleep);
        w.time = until;
      }
    };

    const uint64_t last = w.block->pc / 4 + w.offset + r.dwords - 1, line = last / 16;
    if (line != w.code_line) {
      uint64_t there = 0;
      if (!fetch(number, line, w.time, there))
        return block_wave(u, slot);
      spend(Spent::no_instruction, there);
      w.code_line = line;
      w.ahead = false;
    }
    if (!w.ahead && last % 16 >= 16 - machine.lookahead) {
      uint64_t there = 0;
      fetch(number, line + 1, w.time, there);
      w.ahead = true;
    }

    uint64_t until = w.time;
    switch (r.what) {
    case What::wait:
      if (r.vm != 0xff) {
        if (!u.ops.wait(w.vm, r.vm, until))
          return block_wave(u, slot);
        spend(Spent::waitcnt, until);
      }
      if (r.lgkm != 0xff) {
        if (!u.ops.wait(w.lgkm, r.lgkm, until))
          return block_wave(u, slot);
        spend(Spent::waitcnt, until);
      }
      break;
    case What::barrier:
      if (!machine.barrier_waits)
        break;
      if (!u.ops.wait(w.vm, 0, until))
        return block_wave(u, slot);
      spend(Spent::barrier, until);
      if (!u.ops.wait(w.lgkm, 0, until))
        return block_wave(u, slot);
      spend(Spent::barrier, until);
      break;
    // Its place is free when its stores have arrived: measured by gpu-benches, of workgroups that store once.
    case What::end:
      if (!u.ops.wait(w.vm, 0, until))
        return block_wave(u, slot);
      spend(Spent::other, until);
      break;
    case What::vector:
      u.ops.settle(w.vm, w.time);
      if (!u.ops.make_room(w.vm, machine.most_vm, until))
        return block_wave(u, slot);
      spend(Spent::other, until);
      [[fallthrough]];
    case What::scalar:
    case What::lds:
    case What::counted:
    case What::time:
      if (r.what != What::vector || r.flat) {
        u.ops.settle(w.lgkm, w.time);
        if (!u.ops.make_room(w.lgkm, machine.most_lgkm, until))
          return block_wave(u, slot);
        spend(Spent::other, until);
      }
      break;
    default: break;
    }

    if (r.port != Port::none) {
      uint64_t& free = u.free[w.simd][size_t(r.port)];
      spend(Spent::not_win, free);
      if (const uint64_t queued = r.port == Port::vmem  ? u.address_free
                                  : r.port == Port::lds ? u.lds_free
                                                        : 0;
          queued > w.time + machine.address_queue)
        spend(Spent::unit_full, queued - machine.address_queue);
      if (w.words.at_pause_of(w.at)) {
        Lines none_of_it;
        w.words.access(none_of_it);
        return leave(u, slot, true);
      }
      free = w.time + r.busy;
      figures.busy[size_t(r.port)] += r.busy;
    }
    ++figures.issued[size_t(r.port)];
    ++f.issued;
    ++instructions;
    const uint64_t issue = w.time;
    const uint32_t plain = std::min<uint32_t>(r.period, machine.wave_period);
    f.cycles[size_t(r.port == Port::none ? Spent::internal : Spent::issue)] += plain;
    f.cycles[size_t(r.port == Port::none ? Spent::internal : Spent::dependency)] += r.period - plain;
    if (recorder)
      recorder->issued(number, slot, w.block->first + w.at, r, issue, issue + plain);
    w.time += r.period;

    switch (r.what) {
    case What::vector: {
      const uint32_t op = u.ops.make(issue, r.flat ? 2 : 1);
      w.vm.push(op);
      if (r.flat)
        w.lgkm.push(op);
      accesses(number, u, w, issue, op);
      break;
    }
    case What::lds: {
      const uint32_t op = u.ops.make(issue, 1);
      w.lgkm.push(op);
      if (w.words.at_access_of(w.at))
        accesses(number, u, w, issue, op);
      else if (!w.idle) // lanes read each other's registers
        lds_access(u, {.clocks = 4}, issue, op);
      break;
    }
    case What::scalar: {
      const uint32_t op = u.ops.make(issue + machine.scalar_latency, 1);
      w.lgkm.push(op);
      accesses(number, u, w, issue, op);
      break;
    }
    case What::time:
      w.lgkm.push(u.ops.make(issue + machine.time_latency, 1));
      ++clock_reads;
      break;
    case What::counted: w.lgkm.push(u.ops.make(issue + machine.lds_latency, 1)); break;
    case What::sleep: spend(Spent::sleep, w.time + 64 * uint64_t(r.vm)); break;
    case What::invalidate: u.l1.invalidate(); break;
    case What::barrier: {
      Group& g = u.groups[w.group];
      if (g.waves == 1)
        break;
      g.barrier = std::max(g.barrier, w.time);
      w.at_barrier = true;
      u.ready.remove(slot);
      if (++g.arrived == g.left)
        release(u, w.group);
      return;
    }
    case What::end: return end_wave(u, slot, w.time);
    default:
      if (w.words.at_access_of(w.at)) { // that nothing counts
        const uint32_t op = u.ops.make(issue, 1);
        accesses(number, u, w, issue, op);
        u.ops.forget(op);
      }
    }
    go_on(u, slot, f);
  }
};

Cluster::Cluster(const Machine& machine, const Program& program, uint32_t first, uint32_t units)
    : impl_(std::make_unique<Impl>(machine, program, first, units)) {}
Cluster::~Cluster() = default;

bool Cluster::fits(uint32_t unit, const Needs& n) const { return impl_->units[unit]->fits(n, impl_->machine); }
uint64_t Cluster::released(uint32_t unit) const { return impl_->units[unit]->released; }

void Cluster::place(uint32_t unit, GroupTrace&& trace, const Needs& n, uint64_t start) {
  Unit& u = *impl_->units[unit];
  const auto count = uint32_t(trace.waves.size());
  const uint32_t group = u.add_group(count, n);
  u.groups[group].number = trace.number;
  impl_->needs = n;
  impl_->groups += 1, impl_->waves += count;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t slot = u.add_wave(group, n, impl_->machine, std::move(trace.waves[i]), start + i);
    u.waves[slot].open = trace.open, u.waves[slot].number = uint16_t(i);
    if (impl_->recorder)
      impl_->recorder->begin(unit, slot, u.waves[slot].simd, trace.number, i, start + i);
    impl_->begin(u, slot);
  }
}

void Cluster::add_left(std::vector<Left>& all) const {
  const Impl& c = *impl_;
  for (const auto& u : c.units)
    for (uint32_t slot = 0; slot < Unit::slots; ++slot)
      if (const Wave& w = u->waves[slot]; w.block)
        all.push_back({u->groups[w.group].number, scratch_line(c.first_unit + u->number, slot, c.needs), w.words});
}

void Cluster::pass_before(uint64_t group) { impl_->first.push_back(group), impl_->ended.push_back(0); }

bool Cluster::starves() const { return impl_->starving != 0; }
const Cluster::Starved& Cluster::starved() const { return impl_->starved; }

void Cluster::give(uint32_t unit, uint64_t group, uint32_t wave, std::span<const uint64_t> words) {
  Impl& c = *impl_;
  Unit& u = *c.units[unit];
  c.rows.resize(std::max<size_t>(c.rows.size(), c.program.count()));
  for (uint32_t slot = 0; slot < Unit::slots; ++slot) {
    Wave& w = u.waves[slot];
    if (!w.block || w.number != wave || u.groups[w.group].number != group)
      continue;
    std::vector<uint64_t> all(w.words.left().begin(), w.words.left().end());
    all.insert(all.end(), words.begin(), words.end());
    w.storage = std::move(all);
    w.words = Cursor(w.storage);
    if (!w.paused && !w.starved)
      return;
    if (w.starved && w.words.done())
      return;
    --c.starving;
    if (w.starved)
      c.enter_next(w, c.rows[w.block->first + w.at - 1]);
    w.paused = w.starved = false;
    u.ready.set(slot, w.time);
    return;
  }
}

void Cluster::record(Recorder& recorder) { impl_->recorder = &recorder; }

uint64_t Cluster::next() const {
  uint64_t least = never;
  for (const auto& u : impl_->units)
    least = std::min(least, u->ready.time());
  return least;
}

void Cluster::run(uint64_t until) {
  Impl& c = *impl_;
  c.rows.resize(std::max<size_t>(c.rows.size(), c.program.count()));
  while (!c.starving) {
    uint32_t first = 0;
    uint64_t least = never;
    for (uint32_t i = 0; i < c.units.size(); ++i)
      if (const uint64_t time = c.units[i]->ready.time(); time < least)
        least = time, first = i;
    if (least >= until)
      return;
    c.step(first, c.units[first]->ready.slot());
  }
}

std::span<Request> Cluster::requests() { return impl_->requests.all; }
bool Cluster::passes() const { return impl_->requests.passes; }

void Cluster::answer() {
  Impl& c = *impl_;
  const Machine& m = c.machine;
  for (uint32_t i = 0; i < c.requests.all.size(); ++i) {
    const Request& r = c.requests.all[i];
    const Requests::Pending& p = c.requests.pending[i];
    Unit& u = *c.units[p.unit];
    uint64_t done = r.done;
    switch (p.asked) {
    case Asked::vector:
      done += m.l2_latency - 1;
      if (r.kind == Kind::load) { // a line of 64 bytes a cycle
        done = std::max(done, u.fill_free + r.lines);
        u.fill_free = done;
      } else if (r.kind == Kind::store) {
        done += m.store_extra;
      }
      break;
    case Asked::scalar: done += m.scalar_latency + m.scalar_miss - 1; break;
    case Asked::code: done += m.l2_latency - 1; break;
    }
    Tags& tags = p.asked == Asked::vector ? u.l1 : p.asked == Asked::scalar ? c.scalar : c.code;
    for (uint32_t l = 0; l < r.lines; ++l)
      if (Tags::Line* line = tags.peek(r.line + l); line && line->request == i)
        line->ready = done, line->request = Tags::none;
    for (uint32_t n = p.waiters; n != Requests::none; n = c.requests.waiters[n].next) {
      const Requests::Waiter& w = c.requests.waiters[n];
      c.units[w.unit]->ops.answer(w.op, done);
    }
  }
  c.requests.clear();
  for (const auto& u : c.units) {
    for (const uint32_t slot : u->blocked)
      u->ready.set(slot, u->waves[slot].time);
    u->blocked.clear();
  }
}

uint32_t Cluster::resident() const {
  uint32_t sum = 0;
  for (const auto& u : impl_->units)
    for (const uint32_t waves : u->resident)
      sum += waves;
  return sum;
}

uint64_t Cluster::issued() const { return impl_->instructions; }
std::span<const uint64_t> Cluster::ended() const { return impl_->ended; }

void Cluster::add_to(Figures& f) const {
  const Impl& c = *impl_;
  f.clock_reads += c.clock_reads;
  f.wave_cycles += c.wave_cycles, f.waves += c.waves, f.groups += c.groups;
  f.instructions += c.instructions, f.lines += c.requests.lines;
  f.rows.resize(std::max(f.rows.size(), c.rows.size()));
  for (size_t i = 0; i < c.rows.size(); ++i) {
    f.rows[i].issued += c.rows[i].issued;
    for (size_t k = 0; k < spent_count; ++k)
      f.rows[i].cycles[k] += c.rows[i].cycles[k];
  }
  f.units.add(c.figures);
}

} // namespace crosslane::timing::replay
