// Events to what follows registers, and the bytes of memory that loads and stores touch.
#include "check/init.h"
#include "check/init/bits.h"
#include "check/per_thread.h"
#include "check/recent_block.h"
#include "isa/access.h"
#include "isa/classify.h"
#include <algorithm>
#include <array>
#include <bit>

namespace crosslane::check {

namespace {

using events::AccessKind;
using events::Space;
using init::Instruction;
using init::Matter;
using init::Origin;
using init::Registers;

constexpr uint32_t gpr_index_enabled = 1u << 27; // of MODE

std::atomic<uint64_t> next_serial = 1;

bool is_place(isa::Role r) {
  return r == isa::Role::addr || r == isa::Role::base || r == isa::Role::offset || r == isa::Role::resource ||
         r == isa::Role::sampler;
}

const isa::Operand* operand(const Instruction& i, isa::Role role, bool written) {
  for (const isa::Operand& o : i.operands)
    if (o.role == role && (written ? o.written : o.read))
      return &o;
  return nullptr;
}

unsigned slot_of(const isa::Operand& o) {
  return o.first + (o.file == isa::RegisterFile::vgpr   ? unsigned(slot::vgpr)
                    : o.file == isa::RegisterFile::agpr ? unsigned(slot::accvgpr)
                                                        : 0u);
}

// From a bit a byte to eight.
constexpr uint32_t widened(uint32_t bytes) {
  return (bytes & 1 ? 0xffu : 0) | (bytes & 2 ? 0xff00u : 0) | (bytes & 4 ? 0xff0000u : 0) |
         (bytes & 8 ? 0xff000000u : 0);
}
// ... and back: a byte of which some bits are defined is taken for defined.
constexpr uint32_t narrowed(uint32_t bits) {
  uint32_t bytes = 0;
  for (unsigned n = 0; n < 4; ++n)
    bytes |= uint32_t((bits >> 8 * n & 0xff) == 0xff) << n;
  return bytes;
}

bool is_signed(isa::Type t) { return t == isa::Type::I8 || t == isa::Type::I16; }

// Registers do not hold what memory does: formats, images, what an LDS transfer moves.
bool converts(const isa::Row& row) { return isa::is_format(row.access) || row.encoding == isa::Encoding::MIMG; }

} // namespace

Init::Init(InitCode& code, Launched launched, Told& told)
    : serial_(next_serial++), code_(code), launched_(std::move(launched)), judge_(told, code.generation) {
  const unsigned end = code.generation >= isa::Generation::gfx908 ? slot::end : slot::accvgpr;
  for (unsigned n = 0; n < end; ++n)
    if ((n < slot::exec || n == slot::scc || n >= slot::vgpr) && !launched_.registers.holds_all(n, n + 1))
      add(undefined_, n);
}
Init::~Init() = default;

// VGPRs beyond those of the wave are nobody's.
Slots Init::undefined_of(const machine::Wave& wave) const {
  Slots s = undefined_;
  for (unsigned n = slot::vgpr + wave.vgpr_count; n < slot::accvgpr; n = (n / 64 + 1) * 64)
    s[n / 64] &= ~(~uint64_t(0) << n % 64);
  return s;
}

Init::Now& Init::now() { return per_thread<Now>(); }

bool Init::wants_space(Space space) const {
  if (space == Space::lds)
    return true;
  return space == Space::scratch ? launched_.scratch : launched_.stores || launched_.memory;
}

void Init::began(const events::Began& event) {
  auto lds = std::make_unique<init::Bytes>(event.group->lds_bytes);
  for (const machine::Wave* wave : event.waves) {
    OfWave& of = waves_[wave];
    of.lds = lds.get();
    of.registers.begin(*wave, undefined_of(*wave));
    of.clean = false;
  }
  const std::lock_guard lock(mutex_);
  groups_[event.group] = std::move(lds);
}

void Init::wave_ended(const events::WaveEnded& event) {
  Now& n = now();
  n.recent(event.wave) = {};
  if (n.wave == event.wave)
    n.init = 0, n.wave = nullptr, n.follows = false;
  waves_.reset(event.wave);
}
void Init::group_ended(const events::GroupEnded& event) {
  const std::lock_guard lock(mutex_);
  groups_.erase(event.group);
}

Init::OfWave& Init::find(Now& n, const machine::Wave* wave) {
  if (n.init != serial_ || n.wave != wave) {
    Recent& r = n.recent(wave);
    if (r.init != serial_ || r.wave != wave)
      r = {serial_, wave, &waves_[wave]};
    n.follows = false;
    n.init = serial_, n.wave = wave, n.of = r.of;
  }
  return *n.of;
}

const init::Block& Init::block_of(const events::Block& block, const machine::Wave& wave) {
  return recent_block<init::Block>(
      serial_, block.id, [&]() -> const init::Block& { return code_.code.of(block, wave.mode & gpr_index_enabled); });
}

// A block that reads nothing undefined leaves what it writes defined.
bool Init::passes(OfWave& of, const init::Block& block, uint64_t exec) const {
  Registers& r = of.registers;
  if (block.dynamic || (block.first_lane && !exec))
    return false;
  const Slots dirty = r.dirty();
  for (size_t word = 0; word < dirty.size(); ++word) {
    uint64_t left = dirty[word] & (block.reads[word] | block.partial[word] | block.wide[word]);
    if (!left)
      continue;
    if (word < slot::vgpr / 64 || left & block.wide[word])
      return false;
    for (; left; left &= left - 1)
      if (r.lanes(unsigned(word * 64) + unsigned(std::countr_zero(left))) & exec)
        return false;
  }
  for (size_t word = 0; word < dirty.size(); ++word)
    for (uint64_t left = dirty[word] & (block.kills[word] | block.wide_kills[word]); left; left &= left - 1) {
      const unsigned n = unsigned(word * 64) + unsigned(std::countr_zero(left));
      if (n < slot::vgpr)
        r.set(n, 0u);
      else
        r.define(n, holds(block.wide_kills, n) ? ~uint64_t(0) : exec);
    }
  return true;
}

void Init::issued(const events::Issued& event) {
  Now& n = now();
  OfWave& of = find(n, event.wave);
  if (n.follows)
    of.clean = of.registers.clean();
  n.events = event.block, n.block = nullptr, n.next = 0, n.exec = event.exec;
  n.follows = false;
  if (of.clean)
    return;
  n.block = &block_of(*event.block, *event.wave);
  n.follows = !passes(of, *n.block, event.exec);
  if (!n.follows)
    of.clean = of.registers.clean();
}

const Instruction& Init::instruction_at(Now& n, uint64_t pc) {
  if (!n.block)
    n.block = &block_of(*n.events, *n.wave);
  const auto& all = n.block->instructions;
  if (n.next && n.next <= all.size() && all[n.next - 1].pc == pc)
    return all[n.next - 1];
  if (n.next >= all.size() || all[n.next].pc != pc)
    n.next = size_t(std::ranges::find(all, pc, &Instruction::pc) - all.begin());
  n.next = std::min(n.next + 1, all.size());
  return all[n.next - 1];
}

void Init::step(const events::Step& event) {
  Now& n = now();
  if (!n.follows || n.wave != event.wave || n.init != serial_)
    return;
  const Instruction& i = instruction_at(n, event.site.pc);
  const init::At at{*event.wave, n.of->registers, i, n.exec, judge_};
  const isa::Encoding encoding = isa::row(i.in->op).encoding;
  if (i.rule == init::Rule::memory)
    follow_memory(at, n);
  else if (encoding <= isa::Encoding::SOPP)
    follow_scalar(at);
  else
    follow_vector(at);
}

void Init::follow_memory(const init::At& at, Now& n) {
  Registers& r = at.registers;
  const bool vector = isa::is_vector(isa::row(at.i.in->op).encoding);
  n.atomic_data = 0;
  if (vector && !at.exec)
    return;
  for (const isa::Operand& o : at.i.operands) {
    const unsigned first = slot_of(o), end = first + (o.extent == isa::Extent::at_most ? 1u : o.dwords);
    if (o.file == isa::RegisterFile::special || !o.read)
      continue;
    for (unsigned s = first; s < end; ++s) {
      if (o.role == isa::Role::data || o.role == isa::Role::data1)
        n.atomic_data |= s >= slot::vgpr ? r.lanes(s) & at.exec : r.undefined(s) ? 1 : 0;
      if (!is_place(o.role))
        continue;
      if (s < slot::vgpr && r.undefined(s)) {
        at.judge.tell(Matter::address, at.wave, at.i.pc, s, -1, 1, at.origin(s));
        r.set(s, 0u);
      } else if (const uint64_t lanes = s < slot::vgpr ? 0 : r.lanes(s) & at.exec) {
        at.judge.tell(Matter::address, at.wave, at.i.pc, s, std::countr_zero(lanes), uint64_t(std::popcount(lanes)),
                      at.origin(s));
        r.define(s, lanes);
      }
    }
  }
  for (const isa::Operand& o : at.i.operands) {
    if (!o.written || o.file == isa::RegisterFile::special)
      continue;
    for (unsigned s = slot_of(o); s < slot_of(o) + o.dwords; ++s)
      if (s < slot::vgpr)
        r.set(s, 0u);
      else if (o.bits == ~0u)
        r.define(s, at.exec);
      else
        for (uint64_t left = r.lanes(s) & at.exec; left; left &= left - 1)
          r.set(s, std::countr_zero(left), r.undefined(s, std::countr_zero(left)) & ~o.bits);
  }
}

// Where a byte of an access is kept.
struct Init::Place {
  init::Bytes* bytes = nullptr;
  init::Pages* pages = nullptr;
  uint64_t offset = 0; // of pages: the address
  bool scratch = false;
  int lane = 0;
};

Init::Place Init::place(const events::Access& e, OfWave& of, uint64_t address, unsigned byte) const {
  switch (e.space) {
  case Space::lds: return {of.lds, nullptr, address + byte};
  case Space::scratch: {
    const uint64_t there = address - reinterpret_cast<uint64_t>(e.wave->scratch), dword = there / 4;
    return {nullptr, nullptr, dword / 64 * 4 + there % 4 + byte, true, int(dword % 64)};
  }
  default:
    if (launched_.memory)
      return {nullptr, launched_.memory->find(address + byte).pages.get(), address + byte};
    return {};
  }
}

uint32_t Init::undefined(const events::Access& e, OfWave& of, uint64_t address, unsigned byte, unsigned count) const {
  const Place p = place(e, of, address, byte);
  return p.scratch ? of.scratch.undefined(p.offset, p.lane, count)
         : p.bytes ? widened(p.bytes->undefined(p.offset, count))
         : p.pages ? widened(p.pages->undefined(p.offset, count))
                   : 0;
}

void Init::set(const events::Access& e, OfWave& of, uint64_t address, unsigned byte, unsigned count, uint32_t undefined,
               const Origin* origin) const {
  const Place p = place(e, of, address, byte);
  if (p.scratch)
    of.scratch.set(p.offset, p.lane, count, undefined);
  else if (p.bytes)
    p.bytes->set(p.offset, count, narrowed(undefined));
  else if (p.pages)
    p.pages->set(p.offset, count, narrowed(undefined));
  if (undefined && origin && p.scratch)
    of.scratch.origins[p.offset / 4] = *origin;
  if (undefined && origin && e.space == Space::lds)
    of.lds->origins[p.offset / 4] = *origin;
}

Origin Init::origin(const events::Access& e, OfWave& of, uint64_t address, unsigned byte) const {
  const Place p = place(e, of, address, byte);
  const auto* stored = p.scratch ? &of.scratch.origins : e.space == Space::lds ? &of.lds->origins : nullptr;
  if (stored)
    if (const auto found = stored->find(p.offset / 4); found != stored->end())
      return found->second;
  const auto kind = p.scratch               ? Origin::Kind::scratch
                    : e.space == Space::lds ? Origin::Kind::lds
                                            : Origin::Kind::memory;
  return {e.site.pc, kind == Origin::Kind::memory ? address + byte : p.offset, kind};
}

namespace {

struct LanesExtent {
  uint64_t begin, end, bytes; // from the first byte to the last; of all lanes together
};
LanesExtent extent_of(const uint64_t* address, uint64_t lanes, uint64_t bytes) {
  const uint64_t one = address[std::countr_zero(lanes)];
  uint64_t least = one, most = one;
  for (int lane = 0; lane < machine::lanes_per_wave; ++lane) {
    const uint64_t a = lanes >> lane & 1 ? address[lane] : one;
    least = std::min(least, a), most = std::max(most, a);
  }
  return {least, most + bytes, uint64_t(std::popcount(lanes)) * bytes};
}

} // namespace

bool Init::is_defined(const events::Access& e, OfWave& of, const uint64_t* address, uint64_t lanes) const {
  if (!lanes)
    return true;
  if (e.space == Space::scratch)
    return false;
  if (e.space != Space::lds) {
    if (!launched_.memory)
      return true;
    const auto [begin, end, count] = extent_of(address, lanes, e.bytes);
    const UndefinedMemory::Range& r = launched_.memory->find(begin);
    return end <= r.end && (!r.pages || r.pages->are_defined(begin, end));
  }
  if (of.lds->all_below(of.lds->size())) // and addresses, just written, need not be waited for
    return true;
  uint64_t bits = 0, highest = 0;
  if (lanes == ~uint64_t(0)) {
    for (int lane = 0; lane < machine::lanes_per_wave; ++lane)
      bits |= address[lane];
    if (of.lds->all_below(bits + e.bytes)) // no address is above
      return true;
  }
  for (uint64_t left = lanes; left; left &= left - 1)
    highest = std::max(highest, address[std::countr_zero(left)]);
  return of.lds->all_below(highest + e.bytes);
}

// Lanes side by side in memory, whose data is defined.
bool Init::defines_run(const events::Access& e, const uint64_t* address, uint64_t lanes) const {
  if (e.space == Space::lds || e.space == Space::scratch || !launched_.memory)
    return false;
  const auto [begin, end, bytes] = extent_of(address, lanes, e.bytes);
  const UndefinedMemory::Range& r = launched_.memory->find(begin);
  if (bytes != end - begin || end > r.end)
    return false;
  for (uint64_t left = lanes, at = begin; left; left &= left - 1, at += e.bytes)
    if (address[std::countr_zero(left)] != at)
      return false;
  r.pages->define(begin, end);
  return true;
}

// Registers get what memory lacks.
void Init::load(const events::Access& e, const uint64_t* address, uint64_t lanes, unsigned first, Now& n) {
  OfWave& of = *n.of;
  if (is_defined(e, of, address, lanes))
    return;
  const isa::Row& row = isa::row(e.site.instruction->op);
  const isa::Operand* d = nullptr;
  for (uint64_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (unsigned byte = 0; byte < e.bytes; byte += 4) {
      const unsigned count = std::min(4u, e.bytes - byte);
      const uint32_t missing = undefined(e, of, address[lane], byte, count);
      if (!missing) [[likely]]
        continue;
      if (!d) {
        d = operand(instruction_at(n, e.site.pc), isa::Role::dst, true);
        if (!d || d->file == isa::RegisterFile::special)
          return;
        n.follows = true, of.clean = false;
      }
      const auto mark = [&](unsigned dword, uint32_t bits) {
        const unsigned s = slot_of(*d) + dword;
        if (dword >= d->dwords)
          return;
        if (s < slot::vgpr) {
          of.registers.set(s, of.registers.undefined(s) | bits);
        } else {
          of.registers.set(s, lane, of.registers.undefined(s, lane) | bits);
        }
        if (Origin& o = of.registers.origin(s); o.kind == Origin::Kind::none || s < slot::vgpr)
          o = origin(e, of, address[lane], byte + unsigned(std::countr_zero(missing)) / 8);
      };
      if (converts(row) || e.kind == AccessKind::atomic || !isa::is_load(row.access)) {
        for (unsigned k = 0; k < d->dwords; ++k)
          mark(k, ~0u);
      } else if (e.bytes < 4) {
        uint32_t bits = missing;
        if (is_signed(row.memory) && missing >> (8 * count - 1) & 1)
          bits |= ~0u << 8 * count;
        if (row.access == isa::Access::load_d16)
          bits &= 0xffff;
        else if (row.access == isa::Access::load_d16_hi)
          bits <<= 16;
        mark(0, bits);
      } else {
        mark((first + byte) / 4, missing);
      }
    }
  }
}

// Memory gets what registers lack. `data`: null: it is defined.
void Init::store(const events::Access& e, const uint64_t* address, uint64_t lanes, const isa::Operand* data, Now& n) {
  OfWave& of = *n.of;
  Registers& r = of.registers;
  if (!data && (is_defined(e, of, address, lanes) || defines_run(e, address, lanes)))
    return;
  const isa::Row& row = isa::row(e.site.instruction->op);
  uint64_t told = 0;
  unsigned told_slot = 0;
  for (uint64_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (unsigned byte = 0; byte < e.bytes; byte += 4) {
      const unsigned count = std::min(4u, e.bytes - byte);
      uint32_t bits = 0;
      unsigned s = 0;
      if (data) {
        const unsigned dwords = data->dwords;
        for (unsigned k = converts(row) ? 0 : byte / 4; k < (converts(row) ? dwords : std::min(byte / 4 + 1, dwords));
             ++k) {
          const unsigned here = slot_of(*data) + k;
          const uint32_t u = here < slot::vgpr ? r.undefined(here) : r.undefined(here, lane);
          if (u)
            s = here, bits |= u;
        }
        if (converts(row) && bits)
          bits = ~0u;
        if (row.access == isa::Access::store_d16_hi)
          bits >>= 16;
      }
      bits &= uint32_t(init::ones(8 * count));
      set(e, of, address[lane], byte, count, bits, bits ? &r.origin(s) : nullptr);
      if (bits)
        told |= uint64_t(1) << lane, told_slot = s;
    }
  }
  if (!told || !launched_.stores || (e.space != Space::global && e.space != Space::scalar))
    return;
  const int lane = std::countr_zero(told);
  Origin& o = r.origin(told_slot);
  if (o.kind == Origin::Kind::none)
    o = {e.site.pc, told_slot, Origin::Kind::slot};
  judge_.tell(Matter::store, *e.wave, e.site.pc, told_slot, e.space == Space::scalar ? -1 : lane,
              uint64_t(std::popcount(told)), o, address[lane]);
}

void Init::access(const events::Access& e) {
  if (!wants_space(e.space) || (e.space == Space::scratch && !e.wave->scratch))
    return;
  Now& n = now();
  if (n.wave != e.wave || n.init != serial_)
    return;
  const isa::Row& row = isa::row(e.site.instruction->op);
  const bool follows = n.follows, transfer = e.site.instruction->lds && row.encoding != isa::Encoding::DS;
  if (e.kind == AccessKind::load) {
    if (transfer)
      return;
    load(e, e.address, e.lanes, 0, n);
    if (e.second)
      load(e, e.second, e.lanes, e.bytes, n);
    for (const events::Places& more : e.more)
      load(e, more.address, more.lanes, 0, n);
    return;
  }
  const Instruction* i = follows ? &instruction_at(n, e.site.pc) : nullptr;
  if (e.kind == AccessKind::store) {
    const bool data = i && !transfer;
    store(e, e.address, e.lanes, data ? operand(*i, isa::Role::data, false) : nullptr, n);
    if (e.second)
      store(e, e.second, e.lanes, data ? operand(*i, isa::Role::data1, false) : nullptr, n);
    return;
  }
  const uint64_t data = follows ? n.atomic_data : 0;
  if (row.dst != isa::Type::None && isa::memory_use(*e.site.instruction).returns) {
    load(e, e.address, e.lanes, 0, n);
    if (e.second)
      load(e, e.second, e.lanes, e.bytes, n);
  }
  const bool replaces = row.access == isa::Access::atomic_swap || row.access == isa::Access::swap2 ||
                        row.access == isa::Access::swap2_st64;
  for (uint64_t left = replaces ? e.lanes : e.lanes & data; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (unsigned byte = 0; byte < e.bytes; byte += 4) {
      const unsigned count = std::min(4u, e.bytes - byte);
      const uint32_t undefined = data >> lane & 1 ? uint32_t(init::ones(8 * count)) : 0;
      set(e, *n.of, e.address[lane], byte, count, undefined, nullptr);
      if (e.second)
        set(e, *n.of, e.second[lane], byte, count, undefined, nullptr);
    }
  }
}

} // namespace crosslane::check
