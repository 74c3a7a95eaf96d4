// Ages and waits. Sources: GCN3 and Vega ISA manuals, chapter 4.4; LLVM 19, SIInsertWaitcnts.
#include "lint/checks/outstanding.h"
#include "isa/access.h"
#include "isa/memory_registers.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

using isa::Counter;

Stream stream_of(isa::Counted c, const isa::Instruction& in) {
  switch (c) {
  case isa::Counted::vmem:
  case isa::Counted::store_data: return Stream::vmem;
  case isa::Counted::flat: return Stream::flat;
  case isa::Counted::lds: return Stream::lds;
  case isa::Counted::gds:
  case isa::Counted::gds_data: return Stream::gds;
  case isa::Counted::smem: return Stream::smem;
  case isa::Counted::message: return Stream::message;
  case isa::Counted::export_: break;
  }
  constexpr int first_position = 12, first_parameter = 32; // targets of exports
  return in.imm >= first_parameter  ? Stream::export_parameter
         : in.imm >= first_position ? Stream::export_position
                                    : Stream::export_color;
}

template <size_t N> void add(std::array<Range, N>& ranges, Range r) {
  for (Range& have : ranges)
    if (have.count == 0) {
      have = r;
      return;
    }
}

// Export and GDS read all their VGPRs late, stores of gfx6 their data.
bool read_late(const Use& u, Stream s) {
  if (!u.read || u.first < slot::vgpr)
    return false;
  return s != Stream::vmem || u.role == isa::Role::data;
}

} // namespace

CountingRules CountingRules::of(const Subject& subject) {
  constexpr uint32_t tg_split =
      1u << 16; // of compute_pgm_rsrc3 of gfx90a: workgroups lie across units, without LDS for FLAT
  CountingRules r;
  r.generation = subject.generation();
  r.most = isa::most_waits(r.generation);
  r.flat_is_memory =
      r.generation < isa::Generation::gfx9 ||
      (r.generation == isa::Generation::gfx90a &&
       std::ranges::any_of(
           subject.object->kernels(),
           [](const codeobject::Kernel& k) { return (k.descriptor.compute_pgm_rsrc3 & tg_split) != 0; }));
  return r;
}

Stream order_of(const Operation& o, Counter c, bool flat_is_memory) {
  return c == Counter::vm && o.stream == Stream::flat && flat_is_memory ? Stream::vmem : o.stream;
}

std::string wait_text(isa::WaitCounts counts, const CountingRules& rules) {
  constexpr std::string_view names[] = {"vmcnt", "lgkmcnt", "expcnt"};
  std::string text;
  for (const Counter c : counters)
    if (const int n = count_of(counts, c); n < rules.most_of(c))
      text += fmt::format("{}{}({})", text.empty() ? "" : " ", names[size_t(c)], n);
  return text;
}

void Outstanding::claim(const Operation& o) {
  const auto mark = [&](const Range& range) { claimed_.add(range.first, range.end()); };
  if (o.strict & result_counters)
    std::ranges::for_each(o.results, mark);
  if (o.strict & bit(Counter::exp))
    std::ranges::for_each(o.sources, mark);
  streams_ |= uint16_t(1u << uint8_t(o.stream));
}

void Outstanding::changed() {
  std::erase_if(operations_, [](const Operation& o) { return o.strict == 0; });
  claimed_.clear(), streams_ = 0;
  for (const Operation& o : operations_)
    claim(o);
}

bool Outstanding::in_order(Counter c, const CountingRules& rules, bool strictly) const {
  const bool lax = rules.flat_is_memory && !strictly;
  int only = -1;
  for (const Operation& o : operations_) {
    if (!((strictly ? o.sure() : o.open) & bit(c)))
      continue;
    const Stream s = order_of(o, c, lax);
    if (s == Stream::smem || s == Stream::flat || (only >= 0 && only != int(s)))
      return false;
    only = int(s);
  }
  return true;
}

uint8_t Outstanding::needed(const Operation& o, Counter c, const CountingRules& rules, bool strictly) const {
  const auto most = uint8_t(rules.most_of(c) - 1); // one more is no wait
  return in_order(c, rules, strictly) ? std::min(o.age[size_t(c)], most) : uint8_t(0);
}

void Outstanding::grow_older(const Operation& younger, const CountingRules& rules) {
  for (const Counter c : counters) {
    if (!(younger.strict & bit(c)))
      continue;
    bool full = false;
    for (Operation& o : operations_)
      if ((o.strict & bit(c)) && order_of(o, c, rules.flat_is_memory) == order_of(younger, c, rules.flat_is_memory)) {
        uint8_t& age = o.age[size_t(c)];
        age = uint8_t(std::min(age + 1, 255));
        full |= age >= rules.most_of(c) && (o.sure() & bit(c));
      }
    // A full counter holds up the next of its kind until the oldest is done.
    if (full)
      settle(c, rules.most_of(c), rules, 0, true);
  }
}

std::optional<Operation> operation_of(const Step& step, const CountingRules& rules) {
  switch (step.facts.unit) { // most raise nothing
  case isa::Unit::salu:
  case isa::Unit::valu:
  case isa::Unit::branch:
  case isa::Unit::internal: return std::nullopt;
  default: break;
  }
  const isa::Instruction& in = *step.instruction;
  const isa::Waits raised = isa::waits(in);
  if (raised.begin() == raised.end())
    return std::nullopt;
  Operation o;
  o.pc = step.pc, o.op = step.op();
  o.stream = stream_of(raised.begin()->counted, in);
  for (const isa::Raised& r : raised)
    o.strict |= bit(r.counter);
  o.open = o.strict;
  if (o.stream == Stream::flat && rules.flat_is_memory)
    o.open &= uint8_t(~bit(Counter::lgkm));
  const isa::MemoryUse use = isa::memory_use(in);
  o.loads = use.loads && !use.atomic;
  o.ordered = use.stores || use.atomic || in.glc;
  o.writes_lds = use.stores && (o.stream == Stream::lds ||
                                (in.lds && has(use.spaces, isa::Space::lds) && isa::is_load(isa::row(in.op).access)));
  for (const Use& u : step.uses) {
    o.sampler |= u.role == isa::Role::sampler;
    if (u.written && (u.role == isa::Role::dst || u.role == isa::Role::status))
      add(o.results, {u.first, u.count});
    if ((o.strict & bit(Counter::exp)) && read_late(u, o.stream))
      add(o.sources, {u.first, u.count});
  }
  return o;
}

void Outstanding::issue(const Step& step, const CountingRules& rules) {
  const std::optional<Operation> made = operation_of(step, rules);
  if (!made)
    return;
  const Operation& o = *made;
  grow_older(o, rules);
  // The same instruction of an earlier round: what it writes is the same.
  for (Operation& have : operations_)
    if (have.same(o)) {
      have.open |= o.open, have.strict |= o.strict, have.age = {}, have.llvm = 0;
      claim(have);
      return;
    }
  operations_.push_back(o);
  claim(o);
}

bool Outstanding::settle(Counter c, uint8_t count, const CountingRules& rules, uint64_t pc, bool full) {
  const bool ordered = count == 0 || in_order(c, rules, false), strictly = count == 0 || in_order(c, rules, true);
  bool done = false, any = false;
  for (Operation& o : operations_) {
    if (!(o.strict & bit(c)))
      continue;
    const bool old = count == 0 || o.age[size_t(c)] >= count;
    // One that FLAT alone spoils is not open any more: `strict` keeps it.
    const bool apart = o.stream == Stream::vmem || o.stream == Stream::lds || o.stream == Stream::gds;
    bool proved = ordered;
    if (!ordered && apart && !rules.flat_is_memory) {
      proved = true;
      for (const Operation& other : operations_)
        proved = proved && (!(other.open & bit(c)) || other.stream == o.stream || other.stream == Stream::flat);
    }
    if (old && proved && (o.open & bit(c)))
      o.open &= uint8_t(~bit(c)), any = true;
    if (old && strictly) {
      any |= (o.sure() & bit(c)) != 0, done = true;
      if (full && (o.has_results() || c == Counter::exp))
        o.llvm |= bit(c); // LLVM waits for its registers all the same
      else
        o.strict &= uint8_t(~bit(c));
      o.open &= o.sure();
    } else if (pc && (old || !ordered || o.stream == Stream::flat) && !o.fooled) {
      o.fooled = pc;
    }
  }
  if (done)
    changed();
  return any;
}

void Outstanding::trap() {
  for (Operation& o : operations_)
    o.open = 0, o.llvm = o.strict;
}

bool Outstanding::join(const Outstanding& from) {
  bool grown = false;
  for (const Operation& o : from.operations_) {
    const auto have = std::ranges::find_if(operations_, [&](const Operation& h) { return h.same(o); });
    if (have == operations_.end()) {
      operations_.push_back(o), claim(o), grown = true;
      continue;
    }
    const Operation before = *have;
    have->open |= o.open, have->strict |= o.strict;
    have->llvm = (before.llvm | uint8_t(~before.strict)) & (o.llvm | uint8_t(~o.strict)) & have->strict;
    for (size_t c = 0; c < have->age.size(); ++c)
      if (o.strict >> c & 1)
        have->age[c] = before.strict >> c & 1 ? std::min(have->age[c], o.age[c]) : o.age[c];
    if (!have->fooled)
      have->fooled = o.fooled;
    if (have->open != before.open || have->strict != before.strict || have->age != before.age ||
        have->llvm != before.llvm)
      claim(*have), grown = true;
  }
  return grown;
}

Range sure_range(const Step& step, const Use& u) {
  if (u.exact)
    return {u.first, u.count};
  if (!u.indexed) // an image's coordinates
    return {u.first,
            uint16_t(u.role == isa::Role::addr ? std::max(1, isa::image_address_registers(step.op()).least) : 1)};
  // A source of which M0 says the register may fall back to register 0: that is no sure use of it.
  for (const Use& before : step.uses) {
    if (&before == &u)
      break;
    if (before.indexed && before.role == u.role)
      return {};
  }
  return {u.first, 1};
}

} // namespace crosslane::lint
