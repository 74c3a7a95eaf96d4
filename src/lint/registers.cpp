// Names of single registers and tuples.
#include "lint/registers.h"
#include "lint/steps.h"
#include <fmt/format.h>

namespace crosslane::lint {

namespace {

struct Special {
  uint16_t first;
  std::string_view pair, low, high; // low, high: of its halves
};

std::string tuple(char file, unsigned first, unsigned count) {
  return count == 1 ? fmt::format("{}{}", file, first) : fmt::format("{}[{}:{}]", file, first, first + count - 1);
}

std::string special(const Special& s, unsigned first, unsigned count) {
  return std::string(count > 1 ? s.pair : first == s.first ? s.low : s.high);
}

std::string scalar(isa::Generation g, unsigned first, unsigned count) {
  constexpr Special vcc{slot::vcc, "vcc", "vcc_lo", "vcc_hi"}, exec{slot::exec, "exec", "exec_lo", "exec_hi"},
      flat_scratch{isa::code::flat_scratch, "flat_scratch", "flat_scratch_lo", "flat_scratch_hi"},
      xnack_mask{isa::code::xnack_mask, "xnack_mask", "xnack_mask_lo", "xnack_mask_hi"};
  const auto within = [&](const Special& s) { return first >= s.first && first < s.first + 2u; };
  if (first == slot::m0)
    return "m0";
  if (within(vcc))
    return special(vcc, first, count);
  if (within(exec))
    return special(exec, first, count);
  if (g >= isa::Generation::gfx8) {
    if (within(flat_scratch))
      return special(flat_scratch, first, count);
    if (within(xnack_mask))
      return special(xnack_mask, first, count);
  } else if (g == isa::Generation::gfx7 && first >= isa::code::flat_scratch_gfx7 && first < slot::vcc) {
    return special({isa::code::flat_scratch_gfx7, "flat_scratch", "flat_scratch_lo", "flat_scratch_hi"}, first, count);
  }
  if (const unsigned trap = isa::first_ttmp(g); first >= trap && first < slot::m0)
    return count == 1 ? fmt::format("ttmp{}", first - trap)
                      : fmt::format("ttmp[{}:{}]", first - trap, first - trap + count - 1);
  return tuple('s', first, count);
}

} // namespace

std::string register_name(isa::Generation g, uint16_t first, uint16_t count) {
  if (first >= slot::accvgpr)
    return tuple('a', first - slot::accvgpr, count);
  if (first >= slot::vgpr)
    return tuple('v', first - slot::vgpr, count);
  if (first >= slot::hwreg) {
    constexpr std::string_view names[] = {"hardware register 0", "MODE", "STATUS", "TRAPSTS"};
    const unsigned n = first - slot::hwreg;
    return n < std::size(names) ? std::string(names[n]) : fmt::format("hardware register {}", n);
  }
  switch (first) {
  case slot::scc: return "scc";
  case slot::vccz: return "vccz";
  case slot::execz: return "execz";
  case slot::lds_direct: return "lds_direct";
  default: return scalar(g, first, count);
  }
}

} // namespace crosslane::lint
