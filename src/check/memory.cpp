// Most instructions stay in one buffer, so that each remembers its extent, and what stays there is done with.
#include "check/memory.h"
#include "check/misaligned.h"
#include "check/per_thread.h"
#include "isa/classify.h"
#include "isa/op.h"
#include <array>
#include <bit>
#include <fmt/format.h>

namespace crosslane::check {

namespace {

using events::Access;
using events::AccessKind;
using events::Places;
using events::Space;

// Farther from every allocation nothing is mapped, or it is not known whose it is.
constexpr uint64_t near_bytes = 4096;

// The extent that an instruction was in last.
struct Recent {
  uint64_t pc = 0, version = 0;
  Extent extent;
};

Recent& recent_of(uint64_t pc) {
  auto& all = per_thread<std::array<Recent, 256>>();
  return all[pc / 4 % all.size()];
}

std::string count(uint64_t n) { return fmt::format("{} byte{}", n, n == 1 ? "" : "s"); }

std::string_view verb(AccessKind kind) {
  return kind == AccessKind::load ? "reads" : kind == AccessKind::store ? "writes" : "changes";
}

// Scalar loads fetch the aligned block that they ask for, and compilers ask for the whole of one that begins with what
// they need: none of its bytes is in another page.
bool fetches_block(const Access& e, uint64_t address, const Extent& x) {
  return e.space == Space::scalar && e.kind == AccessKind::load && address < x.end &&
         address % std::bit_ceil(uint64_t(e.bytes)) == 0;
}

// The address in SGPRs that GLOBAL instructions add offsets of lanes to; 0: there is none.
uint64_t base_of(const Access& e) {
  const isa::Instruction& in = *e.site.instruction;
  if (isa::row(in.op).encoding != isa::Encoding::GLOBAL || in.saddr >= isa::code::off)
    return 0;
  return e.wave->pair(in.saddr);
}

} // namespace

// All lanes are where those of this instruction were before.
bool Memory::within(const Access& e, const Places& at) const {
  const Recent& r = recent_of(e.site.pc);
  if (r.pc != e.site.pc || r.version != allocations_->version())
    return false;
  const uint64_t size = r.extent.end - r.extent.begin;
  if (size < e.bytes)
    return false;
  bool inside = true;
  if (at.lanes == ~uint64_t(0)) {
    for (int lane = 0; lane < machine::lanes_per_wave; ++lane)
      inside &= at.address[lane] - r.extent.begin <= size - e.bytes;
    return inside;
  }
  for (uint64_t left = at.lanes; left; left &= left - 1)
    inside &= at.address[std::countr_zero(left)] - r.extent.begin <= size - e.bytes;
  return inside;
}

void Memory::judge_lds(const Access& e, const uint64_t* address) {
  if (lds_bytes_ >= e.wave->workgroup->lds_bytes)
    return; // all beyond is a fault
  uint64_t outside = 0;
  for (uint64_t left = e.lanes; left; left &= left - 1)
    if (address[std::countr_zero(left)] + e.bytes > lds_bytes_)
      outside |= left & -left;
  if (!outside)
    return;
  const int lane = std::countr_zero(outside);
  told_.add(lint::Rule::lds_bounds, e.site.pc, 0, *e.wave, lane, uint64_t(std::popcount(outside)), [&] {
    return Told::Said{fmt::format("{} {} at byte {} of LDS, of which the workgroup has {}", verb(e.kind),
                                  count(e.bytes), address[lane], count(lds_bytes_))};
  });
}

void Memory::judge_alignment(const Access& e) {
  const Misaligned m = misaligned(e);
  if (!m.lanes) [[likely]]
    return;
  told_.add(
      lint::Rule::misaligned, e.site.pc, 0, *e.wave, e.space == Space::scalar ? -1 : std::countr_zero(m.lanes),
      uint64_t(std::popcount(m.lanes)), [&] {
        const std::string_view where = e.space == Space::lds ? "LDS" : e.space == Space::scratch ? "scratch" : "memory";
        return Told::Said{fmt::format("{} {} at {} {:#x} of {}, which this target takes for {:#x}", verb(e.kind),
                                      count(e.bytes), e.space == Space::scalar ? "address" : "byte", m.address, where,
                                      m.address & ~uint64_t(m.alignment - 1)),
                          {},
                          m.address};
      });
}

void Memory::access(const Access& e) {
  judge_alignment(e);
  if (e.space == Space::lds) {
    judge_lds(e, e.address);
    if (e.second)
      judge_lds(e, e.second);
    return;
  }
  if (e.space == Space::scratch || !allocations_)
    return;
  if (const Places all{e.lanes, e.address}; !within(e, all))
    judge(e, all);
  for (const Places& more : e.more)
    if (!within(e, more))
      judge(e, more);
}

// What should hold all of an access: a variable, or else an allocation.
std::optional<Allocations::Named> Memory::find(uint64_t address, uint64_t near) const {
  if (const Allocations::Named* variable = variables_.find(address))
    return *variable;
  return allocations_->find(address, near);
}

void Memory::judge(const Access& e, const Places& at) {
  std::optional<Allocations::Named> x; // where the last lane is
  const std::optional<Allocations::Named> base = base_of(e) ? find(base_of(e), 0) : std::optional<Allocations::Named>();
  uint64_t outside = 0, elsewhere = 0, gone = 0, read_only = 0;
  const bool stores = e.kind != AccessKind::load;
  for (uint64_t left = at.lanes; left; left &= left - 1) {
    const uint64_t address = at.address[std::countr_zero(left)], lane = left & -left;
    if (stores && variables_.read_only({address, address + e.bytes}))
      read_only |= lane;
    if (x && x->holds(address, e.bytes) && !base)
      continue;
    const auto found = find(address, near_bytes);
    if (!found) { // a fault, or memory that nobody told of
      gone |= lane;
      continue;
    }
    x = found;
    if (!x->holds(address, e.bytes) && !fetches_block(e, address, *x))
      outside |= lane;
    else if (base && base->begin != x->begin)
      elsewhere |= lane;
  }
  if (read_only)
    tell_read_only(e, read_only, at.address);
  if (x && !outside && !(stores && variables_.read_only(*x)))
    recent_of(e.site.pc) = {e.site.pc, allocations_->version(), *x};
  if (outside) {
    const int lane = std::countr_zero(outside);
    if (const auto of = find(at.address[lane], near_bytes))
      tell(e, outside, lane, at.address[lane], *of);
  }
  if (gone)
    tell_freed(e, gone, at.address);
  if (elsewhere) {
    recent_of(e.site.pc) = {};
    const int lane = std::countr_zero(elsewhere);
    const uint64_t address = at.address[lane];
    if (const auto of = find(address, 0))
      told_.add(lint::Rule::memory_other, e.site.pc, 0, *e.wave, e.space == Space::scalar ? -1 : lane,
                uint64_t(std::popcount(elsewhere)), [&] {
                  return Told::Said{fmt::format("{} {} at byte {} of '{}' ({}) by the address of '{}' ({}) in {}",
                                                verb(e.kind), count(e.bytes), address - of->begin, of->name,
                                                count(of->end - of->begin), base->name, count(base->end - base->begin),
                                                "its SGPRs"),
                                    {},
                                    address};
                });
  }
}

void Memory::tell_read_only(const Access& e, uint64_t lanes, const uint64_t* addresses) {
  const int lane = std::countr_zero(lanes);
  const uint64_t address = addresses[lane];
  told_.add(
      lint::Rule::memory_readonly, e.site.pc, 0, *e.wave, e.space == Space::scalar ? -1 : lane,
      uint64_t(std::popcount(lanes)), [&] {
        const Allocations::Named* variable = variables_.find(address);
        const Variables::Segment* segment = variables_.read_only({address, address + e.bytes});
        return Told::Said{
            fmt::format("{} {}{} of {}, which is for reading alone", verb(e.kind), count(e.bytes),
                        variable ? fmt::format(" at byte {} of '{}'", address - variable->begin, variable->name) : "",
                        segment && segment->executable ? "code" : "constants"),
            {},
            address};
      });
}

// All lanes of a use after free are in one allocation, but for what is wrong besides.
void Memory::tell_freed(const Access& e, uint64_t lanes, const uint64_t* addresses) {
  const int lane = std::countr_zero(lanes);
  const uint64_t address = addresses[lane];
  const auto x = allocations_->find_freed(address);
  if (!x)
    return;
  told_.add(lint::Rule::memory_bounds, e.site.pc, 0, *e.wave, e.space == Space::scalar ? -1 : lane,
            uint64_t(std::popcount(lanes)), [&] {
              return Told::Said{fmt::format("{} {} at byte {} of '{}' ({}{}{})", verb(e.kind), count(e.bytes),
                                            address - x->begin, x->name, count(x->end - x->begin), allocated_in(*x),
                                            freed_in(*x)),
                                {},
                                address};
            });
}

void Memory::tell(const Access& e, uint64_t lanes, int lane, uint64_t address, const Allocations::Named& x) {
  told_.add(lint::Rule::memory_bounds, e.site.pc, 0, *e.wave, e.space == Space::scalar ? -1 : lane,
            uint64_t(std::popcount(lanes)), [&] {
              const std::string whose = fmt::format("'{}' ({}{})", x.name, count(x.end - x.begin), allocated_in(x));
              std::string where;
              if (address < x.begin)
                where = fmt::format("{} before the start of {}", count(x.begin - address), whose);
              else if (address < x.end)
                where = fmt::format("at byte {} of {}, {} past its end", address - x.begin, whose,
                                    count(address + e.bytes - x.end));
              else if (address == x.end)
                where = fmt::format("right past the end of {}", whose);
              else
                where = fmt::format("{} past the end of {}", count(address - x.end), whose);
              return Told::Said{fmt::format("{} {} {}", verb(e.kind), count(e.bytes), where), {}, address};
            });
}

} // namespace crosslane::check
