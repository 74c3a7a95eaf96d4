// Old values, kept for as long as any row asks for.
#include "check/stale.h"
#include "isa/op.h"
#include "isa/operands.h"
#include <algorithm>
#include <bit>

namespace crosslane::check {

namespace {

using isa::hazards::Hazard;
using machine::Wave;

constexpr std::string_view rules[] = {"valu_sgpr_vmem",     "valu_sgpr_smem",  "valu_sgpr_lane_select",
                                      "valu_vcc_div_fmas",  "valu_vgpr_dpp",   "setreg_getreg",
                                      "salu_m0_gds",        "salu_m0_movrel",  "salu_m0_vintrp",
                                      "salu_m0_lds_addtid", "salu_m0_lds_dma", "salu_m0_lds_direct"};

// Those of a generation, as errors: what a compiler alone asks for is more than is needed.
const std::vector<const Hazard*>& rows_of(isa::Generation g) {
  [[clang::no_destroy]] static const auto all = [] {
    std::array<std::vector<const Hazard*>, size_t(isa::generation_count)> rows;
    for (size_t n = 0; n < rows.size(); ++n)
      for (const Hazard& h : isa::hazards::all())
        if (h.on(isa::Generation(n)) && h.severity == isa::hazards::Severity::error &&
            std::ranges::find(rules, h.rule) != std::end(rules))
          rows[n].push_back(&h);
    return rows;
  }();
  return all[size_t(g)];
}

// Where it is; null: not among what is acted out. Of hardware registers MODE alone.
uint32_t* place(Wave& w, isa::RegisterFile file, unsigned number) {
  switch (file) {
  case isa::RegisterFile::scalar: return w.s + number;
  case isa::RegisterFile::vgpr: return w.vgpr(number);
  case isa::RegisterFile::agpr: return nullptr;
  case isa::RegisterFile::special: return number == isa::special::mode ? &w.mode : nullptr;
  }
  return nullptr;
}
size_t dwords_of(isa::RegisterFile file) { return file == isa::RegisterFile::vgpr ? machine::lanes_per_wave : 1; }

} // namespace

std::span<const std::string_view> stale_rules() { return rules; }

void Stale::step(Wave& w, const isa::Instruction& in) {
  finish(w);
  last_ = &in;
  const isa::hazards::Kinds kinds = isa::hazards::kinds_of(in);
  if (!written_.empty())
    show_old(w, in, kinds);
  remember(w, in, kinds);
}

// What was read too soon is what it is; what the instruction wrote is new now.
void Stale::finish(Wave& w) {
  for (const Swapped& s : swapped_) {
    uint32_t* r = place(w, s.was.file, s.was.number);
    for (size_t n = 0; n < dwords_of(s.was.file); ++n)
      if (r[n] == s.shown[n]) // not written by the instruction itself
        r[n] = s.was.old[n];
  }
  swapped_.clear();
  if (!last_)
    return;
  const auto states = isa::hazards::wait_states(*last_);
  if (!written_.empty()) {
    const isa::Operands operands = isa::operands(*last_);
    const auto& rows = rows_of(isa::info(last_->target).generation);
    std::erase_if(written_, [&](Written& e) {
      e.age += states;
      for (uint64_t left = e.rows; left; left &= left - 1)
        if (const auto n = size_t(std::countr_zero(left)); e.age >= rows[n]->states.count)
          e.rows &= ~(uint64_t(1) << n);
      return !e.rows || operands.overwrites(e.file, e.number);
    });
  }
  for (const Written& e : by_last_) {
    std::erase_if(written_, [&](const Written& older) { return older.same(e); });
    written_.push_back(e);
  }
  by_last_.clear();
}

void Stale::show_old(Wave& w, const isa::Instruction& in, isa::hazards::Kinds kinds) {
  const auto& rows = rows_of(isa::info(in.target).generation);
  for (const Written& e : written_) {
    bool stale = false;
    for (uint64_t left = e.rows; left && !stale; left &= left - 1) {
      const Hazard& row = *rows[size_t(std::countr_zero(left))];
      if (!kinds.has(row.second))
        continue;
      for (const isa::Operand& o : isa::operands(in))
        stale |= o.holds(e.file, e.number) &&
                 row.which_of_second.takes(isa::hazards::registers_of(o), o.role, o.read, o.written);
    }
    if (!stale)
      continue;
    uint32_t* r = place(w, e.file, e.number);
    Swapped s{e, e.old};
    std::copy_n(r, dwords_of(e.file), s.was.old.begin());
    std::copy_n(e.old.begin(), dwords_of(e.file), r);
    swapped_.push_back(s);
  }
}

// What it is about to overwrite.
void Stale::remember(Wave& w, const isa::Instruction& in, isa::hazards::Kinds kinds) {
  const auto& rows = rows_of(isa::info(in.target).generation);
  uint64_t first = 0;
  for (size_t n = 0; n < rows.size(); ++n)
    first |= uint64_t(kinds.has(rows[n]->first)) << n;
  if (!first)
    return;
  for (const isa::Operand& o : isa::operands(in)) {
    if (!o.written)
      continue;
    Written e{.file = o.file};
    for (uint64_t left = first; left; left &= left - 1)
      if (const auto n = size_t(std::countr_zero(left));
          rows[n]->which_of_first.takes(isa::hazards::registers_of(o), o.role, o.read, o.written))
        e.rows |= uint64_t(1) << n;
    if (!e.rows || o.extent == isa::Extent::indexed)
      continue;
    for (unsigned d = 0; d < o.dwords; ++d) {
      e.number = uint16_t(o.first + d);
      const uint32_t* r = place(w, e.file, e.number);
      if (!r)
        continue;
      std::copy_n(r, dwords_of(e.file), e.old.begin());
      by_last_.push_back(e);
    }
  }
}

} // namespace crosslane::check
