// A lane of a VGPR is changed in an SGPR.
#include "rewrite/counter_code.h"
#include "isa/instruction.h"
#include <fmt/format.h>

namespace crosslane::rewrite {

namespace {

// `change` of an SGPR, {0} in it.
std::string changed(const ProbeRegisters& r, uint32_t counter, const std::string& change) {
  if (r.in_sgpr(counter))
    return fmt::format(fmt::runtime(change), r.counters + counter);
  const uint32_t lane = counter - r.in_sgprs, s = r.scratch + 5u, v = r.lanes + lane / 64;
  return fmt::format("v_readlane_b32 s{0}, v{1}, {2}\n{3}v_writelane_b32 v{1}, s{0}, {2}\n", s, v, lane % 64,
                     fmt::format(fmt::runtime(change), s));
}

} // namespace

std::string count(const ProbeRegisters& r, uint32_t counter) { return changed(r, counter, "s_addk_i32 s{0}, 1\n"); }

std::string add(const ProbeRegisters& r, uint32_t counter, std::string_view value) {
  return changed(r, counter, fmt::format("s_add_u32 s{{0}}, s{{0}}, {}\n", value));
}

std::string add_carry(const ProbeRegisters& r, uint32_t counter, std::string_view value) {
  return changed(r, counter, fmt::format("s_addc_u32 s{{0}}, s{{0}}, {}\n", value));
}

std::string subtract(const ProbeRegisters& r, uint32_t counter, std::string_view value) {
  return changed(r, counter, fmt::format("s_sub_u32 s{{0}}, s{{0}}, {}\n", value));
}

std::string subtract_borrow(const ProbeRegisters& r, uint32_t counter, std::string_view value) {
  return changed(r, counter, fmt::format("s_subb_u32 s{{0}}, s{{0}}, {}\n", value));
}

std::string keeping_scc(const ProbeRegisters& r, std::string_view text) {
  return fmt::format("s_cselect_b32 s{0}, 1, 0\n{1}s_cmp_lg_u32 s{0}, 0\n", r.scratch + 4, text);
}

std::string pair(uint16_t c) {
  if (c == isa::code::vcc)
    return "vcc";
  return c == isa::code::exec ? "exec" : fmt::format("s[{}:{}]", c, c + 1);
}

} // namespace crosslane::rewrite
