// Sources are looked at before an instruction, integer results with them; floating-point results are there when the
// next one is told.
#include "check/numerics.h"
#include "check/numerics/integers.h"
#include "check/numerics/moves.h"
#include "check/per_thread.h"
#include "check/recent_block.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "machine/apertures.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <fmt/format.h>

namespace crosslane::check {

namespace {

using namespace numerics;

constexpr uint32_t gpr_index_enabled = 1u << 27; // of MODE

std::atomic<uint64_t> next_serial = 1;

lint::Rule rule_of(Made made) {
  switch (made) {
  case Made::nan: return lint::Rule::float_nan;
  case Made::infinity: return lint::Rule::float_infinity;
  default: return lint::Rule::address_overflow;
  }
}

std::string text_of(const Example& example) {
  std::string text;
  for (unsigned n = 0; n < example.count; ++n)
    text += fmt::format("{}{:.6g}",
                        n == 0                   ? ""
                        : n + 1 == example.count ? " and "
                                                 : ", ",
                        value_of(example.items[n].format, example.items[n].bits));
  return text.empty() ? "finite numbers" : text;
}

std::string text_of(isa::Op op, const std::array<uint32_t, 3>& values, unsigned count) {
  std::string text(isa::row(op).mnemonic);
  for (unsigned n = 0; n < count; ++n)
    text += fmt::format("{}{}", n == 0 ? " of " : n + 1 == count ? " and " : ", ", int32_t(values[n]));
  return text;
}

// What is stored looks like an infinity or a NaN, of whichever size.
bool is_special_somehow(uint32_t v) {
  return is_special(Format::f32, v) || is_special(Format::f16, v & 0xffff) || is_special(Format::f16, v >> 16);
}

bool is_address(isa::Role r) { return r == isa::Role::addr || r == isa::Role::base || r == isa::Role::offset; }

bool is_data(isa::Role r) { return r == isa::Role::data || r == isa::Role::data1; }

// Lanes of a FLAT access that lead into scratch.
uint64_t scratch_lanes(const machine::Wave& w, const isa::Instruction& in) {
  const isa::Encoding encoding = isa::row(in.op).encoding;
  if (encoding == isa::Encoding::SCRATCH)
    return ~uint64_t(0);
  if (encoding != isa::Encoding::FLAT || !isa::is_vgpr(in.addr))
    return 0;
  const uint32_t* high = lanes_of(w, in.addr + 1u);
  uint64_t lanes = 0;
  for (int n = 0; n < machine::lanes_per_wave; ++n)
    lanes |= uint64_t(high[n] == machine::apertures().private_hi()) << n;
  return lanes;
}

// The destination as it is, if it is a source too.
void keep(Kept& kept, const machine::Wave& wave, const numerics::Instruction& i) {
  kept.count = 0;
  for (const isa::Operand& o : i.operands) {
    if (!o.written || o.role != isa::Role::dst)
      continue;
    const unsigned first = slot_of(o), end = first + o.dwords;
    const bool read = std::ranges::any_of(
        i.operands, [&](const isa::Operand& s) { return s.read && slot_of(s) < end && slot_of(s) + s.dwords > first; });
    if (!read || first < slot::vgpr || first >= slot::end)
      return;
    kept.first = first, kept.count = std::min<unsigned>(o.dwords, unsigned(kept.values.size()));
    for (unsigned k = 0; k < kept.count; ++k)
      std::copy_n(lanes_of(wave, first + k), machine::lanes_per_wave, kept.values[k].begin());
    return;
  }
}

} // namespace

Numerics::Numerics(NumericsCode& code, bool scratch, Told& told)
    : serial_(next_serial++), code_(code), scratch_(scratch), told_(told) {}
Numerics::~Numerics() = default;

Numerics::Now& Numerics::now() { return per_thread<Now>(); }

void Numerics::wave_ended(const events::WaveEnded& event) {
  Now& n = now();
  if (n.wave == event.wave)
    n.serial = 0, n.wave = nullptr, n.pending = n.stores = nullptr;
  waves_.reset(event.wave);
}

void Numerics::issued(const events::Issued& event) {
  Now& n = now();
  if (n.serial != serial_)
    n.pending = n.stores = nullptr;
  finish(n);
  if (n.serial != serial_ || n.wave != event.wave)
    n.serial = serial_, n.wave = event.wave, n.of = &waves_[event.wave];
  n.block = &recent_block<Block>(serial_, event.block->id, [&]() -> const Block& {
    return code_.code.of(*event.block, event.wave->mode & gpr_index_enabled);
  });
  n.next = 0, n.exec = event.exec;
}

const numerics::Instruction& Numerics::instruction_at(Now& n, uint64_t pc) const {
  const auto& all = n.block->instructions;
  if (n.next >= all.size() || all[n.next].pc != pc)
    n.next = size_t(std::ranges::find(all, pc, &Instruction::pc) - all.begin());
  n.next = std::min(n.next + 1, all.size());
  return all[n.next - 1];
}

void Numerics::finish(Now& n) {
  if (n.pending)
    judge_result(n);
  if (n.stores)
    judge_store(n, *n.stores);
  n.stores = nullptr;
}

void Numerics::judge_result(Now& n) {
  OfWave& of = *n.of;
  const Instruction& i = *n.pending;
  n.pending = nullptr;
  judge_floats({.wave = *n.wave,
                .marks = of.marks,
                .i = i,
                .exec = n.exec,
                .kept = n.kept,
                .made = [&](Made made, int, const Example& e) { of.examples.try_emplace({i.pc, made}, text_of(e)); },
                .flushed =
                    [&](bool result, uint64_t lanes) {
                      told_.add(lint::Rule::float_flushed, i.pc, 0, *n.wave, std::countr_zero(lanes),
                                uint64_t(std::popcount(lanes)), [&] {
                                  return Told::Said{fmt::format(
                                      "{} is a denormal number, which becomes 0{}", result ? "its result" : "a source",
                                      i.flushes ? ": this instruction has none" : " as MODE says")};
                                });
                    }});
}

void Numerics::step(const events::Step& event) {
  Now& n = now();
  if (n.serial != serial_ || n.wave != event.wave)
    return;
  finish(n);
  const Instruction& i = instruction_at(n, event.site.pc);
  OfWave& of = *n.of;
  switch (i.kind) {
  case Kind::floats: n.pending = &i; return keep(n.kept, *n.wave, i);
  case Kind::integer:
  case Kind::widened:
    if (i.kind == Kind::widened && of.marks.clean())
      return;
    return judge_integers({.wave = *n.wave,
                           .marks = of.marks,
                           .i = i,
                           .exec = n.exec,
                           .made = [&](Made, int, std::array<uint32_t, 3> values, unsigned count) {
                             of.examples.try_emplace({i.pc, Made::overflow}, text_of(i.in->op, values, count));
                           }});
  default: break;
  }
  if (of.marks.clean())
    return;
  switch (i.kind) {
  case Kind::other: return clear(n, i);
  case Kind::memory: return reach_memory(n, i);
  case Kind::relative: return of.marks.clear_vectors();
  default: return move_marks(*n.wave, of.marks, i, n.exec);
  }
}

void Numerics::clear(Now& n, const numerics::Instruction& i) {
  for (const isa::Operand& o : i.operands)
    if (o.written && slot_of(o) != slot::end && (o.bits == ~0u || o.file == isa::RegisterFile::scalar))
      for (unsigned k = 0; k < o.dwords; ++k)
        n.of->marks.clear(slot_of(o) + k, o.masked ? n.exec : ~uint64_t(0));
}

void Numerics::reach_memory(Now& n, const numerics::Instruction& i) {
  // Whether a buffer is in scratch, its resource says: an access is told of if it is.
  const bool waits = scratch_ && isa::row(i.in->op).encoding == isa::Encoding::MUBUF;
  if (waits)
    n.stores = &i;
  judge_address(n, i);
  if (!waits)
    judge_store(n, i);
  clear(n, i);
}

// One lane is told of once, whichever of its dwords it is.
void Numerics::judge_address(Now& n, const numerics::Instruction& i) {
  const Marks& marks = n.of->marks;
  uint64_t told = 0;
  for (const isa::Operand& o : i.operands)
    for (unsigned s = slot_of(o); o.read && is_address(o.role) && s < slot_of(o) + o.dwords && s < slot::end; ++s) {
      const uint64_t lanes = marks.lanes(s) & n.exec & ~told;
      tell(n, i.pc, s, lanes, [](const Mark& m, int) { return m.made == Made::overflow; });
      told |= lanes;
    }
}

void Numerics::judge_store(Now& n, const numerics::Instruction& i) {
  for (const isa::Operand& o : i.operands)
    for (unsigned s = slot_of(o); o.read && is_data(o.role) && s < slot_of(o) + o.dwords && s < slot::end; ++s)
      if (uint64_t lanes = n.of->marks.lanes(s) & n.exec; lanes)
        tell(n, i.pc, s, lanes & ~scratch_lanes(*n.wave, *i.in), [&](const Mark& m, int lane) {
          return is_float(m.made) && is_special_somehow(dword_of(*n.wave, s, lane));
        });
}

// Of lanes of a register whose marks matter, those with one mark together.
template <class Matters>
void Numerics::tell(const Now& n, uint64_t at, unsigned slot, uint64_t lanes, Matters matters) {
  const bool scalar = slot < slot::vgpr;
  if (scalar)
    lanes &= -lanes;
  while (lanes) {
    const int first = std::countr_zero(lanes);
    const Mark mark = n.of->marks.at(slot, first);
    uint64_t same = 0, matter = 0;
    for (uint64_t left = lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (n.of->marks.at(slot, lane) != mark)
        continue;
      same |= left & -left;
      if (matters(mark, lane))
        matter |= left & -left;
    }
    if (matter)
      tell(n, mark, at, scalar ? -1 : std::countr_zero(matter), uint64_t(std::popcount(matter)));
    lanes &= ~same;
  }
}

void Numerics::tell(const Now& n, const Mark& mark, uint64_t at, int lane, uint64_t times) {
  told_.add(rule_of(mark.made), mark.pc, 0, *n.wave, lane, times, [&] {
    const auto found = n.of->examples.find(mark);
    const std::string example = found == n.of->examples.end() ? "" : found->second;
    if (mark.made == Made::overflow)
      return Told::Said{fmt::format("the result is not what 32 bits hold ({}), and an address is made of it", example),
                        {{at, "where the address is used", {}}}};
    return Told::Said{
        fmt::format("makes {} of {}, and it is stored", mark.made == Made::nan ? "a NaN" : "an infinity", example),
        {{at, "where it is stored", {}}}};
  });
}

// Scratch keeps marks, dword by dword.
void Numerics::access(const events::Access& e) {
  Now& n = now();
  if (n.serial != serial_ || n.wave != e.wave || e.space != events::Space::scratch || !n.block)
    return;
  n.stores = nullptr;
  Marks& marks = n.of->marks;
  const bool loads = e.kind == events::AccessKind::load;
  if (loads ? marks.scratch.empty() : marks.clean() && marks.scratch.empty())
    return;
  const Instruction& i = *std::ranges::find(n.block->instructions, e.site.pc, &Instruction::pc);
  for (const isa::Operand& o : i.operands) {
    if (loads ? !o.written || o.role != isa::Role::dst : !o.read || o.role != isa::Role::data)
      continue;
    for (uint64_t left = e.lanes; left; left &= left - 1)
      for (unsigned k = 0; k * 4 < e.bytes && k < o.dwords; ++k) {
        const int lane = std::countr_zero(left);
        const uint64_t dword = (e.address[lane] & ~uint64_t(3)) + 256 * k;
        if (loads) {
          if (const auto found = marks.scratch.find(dword); found != marks.scratch.end() && e.bytes >= 4)
            marks.set(slot_of(o) + k, lane, found->second);
        } else if (const Mark m = e.bytes >= 4 ? marks.at(slot_of(o) + k, lane) : Mark()) {
          marks.scratch[dword] = m;
        } else {
          marks.scratch.erase(dword);
        }
      }
  }
}

} // namespace crosslane::check
