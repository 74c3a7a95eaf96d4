// The lanes that are read, as the engine reads them: cross_lane/control.h, and addresses.
#include "check/lanes.h"
#include "cross_lane/control.h"
#include "isa/op.h"
#include <bit>

namespace crosslane::check {

namespace {

// Lanes of DPP whose row and bank the instruction has.
uint64_t enabled(const isa::Instruction& in) {
  uint64_t lanes = 0;
  for (int n = 0; n < machine::lanes_per_wave; ++n)
    if (in.row_mask >> n / 16 & 1 && in.bank_mask >> n % 16 / 4 & 1)
      lanes |= uint64_t(1) << n;
  return lanes;
}

// The instruction says what lanes get that cannot have what they ask for, as reductions do: 0, the other source, or one
// value that was put into all lanes of the destination.
bool says_what_else(const machine::Wave& w, const isa::Instruction& in, uint64_t launched) {
  if (in.bound_ctrl || !isa::is_vgpr(in.dst) || in.dst == in.src[1])
    return true;
  const uint32_t* old = w.v[in.dst - isa::code::vgpr0];
  const auto first = size_t(std::countr_zero(launched));
  for (size_t n = first; n < machine::lanes_per_wave; ++n)
    if (launched >> n & 1 && old[n] != old[first])
      return false;
  return true;
}

} // namespace

std::optional<OffLane> off_lane(const machine::Wave& w, const isa::Instruction& in, uint64_t launched) {
  const uint64_t exec = w.exec(), off = launched & ~exec;
  if (!off || !exec)
    return std::nullopt;
  cross_lane::Sources from;
  uint64_t readers = exec;
  if (in.form == isa::Form::dpp) {
    if (says_what_else(w, in, launched))
      return std::nullopt;
    from = cross_lane::dpp_sources(in.dpp_ctrl), readers &= enabled(in);
  } else if (in.op == isa::Op::ds_swizzle_b32) {
    from = cross_lane::swizzle_sources(uint32_t(in.imm), isa::info(in.target).generation);
  } else if (in.op == isa::Op::ds_bpermute_b32) {
    const uint32_t* address = w.v[in.addr - isa::code::vgpr0];
    for (size_t n = 0; n < from.size(); ++n)
      from[n] = int8_t((address[n] + uint32_t(in.imm)) >> 2 & 63);
  } else {
    return std::nullopt;
  }
  OffLane found;
  for (int n = 0; n < machine::lanes_per_wave; ++n) {
    const int source = from[size_t(n)];
    if (!(readers >> n & 1) || source == cross_lane::no_lane || !(off >> source & 1))
      continue;
    if (!found.count++)
      found.lane = n, found.source = source;
  }
  return found.count ? std::optional(found) : std::nullopt;
}

} // namespace crosslane::check
