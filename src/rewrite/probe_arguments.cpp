// One or two moves for each.
#include "rewrite/probe_arguments.h"
#include "rewrite/site_operands.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::rewrite {

namespace {

using Kind = ProbeParameter::Kind;

bool has_argument(const ProbeParameter& p, const isa::Instruction* at) {
  if (p.kind == Kind::address)
    return at && site_address(*at);
  if (p.kind != Kind::operand)
    return true;
  const auto operand = at ? site_operand(*at, p.role) : std::nullopt;
  return operand && operand->code < isa::code::agpr0 && operand->dwords >= p.dwords;
}

class Moves {
public:
  Moves(const ArgumentPlace& place, const ProbeRegisters& r, uint16_t sgpr, uint16_t vgpr)
      : place_(place), r_(r), sgpr_(sgpr), vgpr_(vgpr) {}
  std::string text;

  void argument(const ProbeParameter& p) {
    switch (p.kind) {
    case Kind::scc: scalar(p.sgpr, place_.scc ? fmt::format("s{}", *place_.scc) : "0"); break;
    case Kind::exec: scalars(p, "exec_lo", "exec_hi"); break;
    case Kind::vcc: scalars(p, "vcc_lo", "vcc_hi"); break;
    case Kind::m0: scalar(p.sgpr, "m0"); break;
    case Kind::pc: scalars(p, fmt::format("{:#x}", uint32_t(place_.pc)), fmt::format("{:#x}", place_.pc >> 32)); break;
    case Kind::place: scalar(p.sgpr, fmt::format("{}", place_.number)); break;
    case Kind::group: scalar(p.sgpr, fmt::format("s{}", r_.group + p.number)); break;
    case Kind::sgpr:
      for (uint16_t i = 0; i < p.dwords; ++i)
        scalar(p.sgpr + i, fmt::format("s{}", p.number + i));
      break;
    case Kind::vgpr:
      for (uint16_t i = 0; i < p.dwords; ++i)
        vector(p.vgpr + i, fmt::format("v{}", p.number + i));
      break;
    case Kind::operand:
      for (uint16_t i = 0; i < p.dwords; ++i)
        vector(p.vgpr + i, dword_of(*site_operand(*place_.instruction, p.role), i, place_.target));
      break;
    case Kind::address: address(p); break;
    }
  }

private:
  const ArgumentPlace& place_;
  const ProbeRegisters& r_;
  uint16_t sgpr_, vgpr_;

  void scalar(int to, std::string_view from) { text += fmt::format("s_mov_b32 s{}, {}\n", sgpr_ + to, from); }
  void vector(int to, std::string_view from) { text += fmt::format("v_mov_b32 v{}, {}\n", vgpr_ + to, from); }
  void scalars(const ProbeParameter& p, std::string_view low, std::string_view high) {
    scalar(p.sgpr, low), scalar(p.sgpr + 1, high);
  }
  std::string name(uint16_t code) const { return dword_of({.code = code}, 0, place_.target); }

  void address(const ProbeParameter& p) {
    const SiteAddress a = *site_address(*place_.instruction);
    scalar(p.sgpr, a.base ? name(*a.base) : "0");
    scalar(p.sgpr + 1, a.base ? name(uint16_t(*a.base + 1)) : "0");
    if (a.base_of_buffer)
      text += fmt::format("s_and_b32 s{0}, s{0}, 0xffff\n", sgpr_ + p.sgpr + 1);
    scalar(p.sgpr + 2, a.offset ? name(*a.offset) : fmt::format("{}", a.constant));
    if (a.offset && a.constant)
      text += fmt::format("s_add_u32 s{0}, s{0}, {1}\n", sgpr_ + p.sgpr + 2, a.constant);
    for (uint16_t i = 0; i < 2; ++i)
      vector(p.vgpr + i, i < a.lane_dwords ? name(uint16_t(*a.lanes + i)) : "0");
  }
};

} // namespace

bool has_arguments(std::span<const ProbeParameter> parameters, const isa::Instruction* at) {
  return std::ranges::all_of(parameters, [&](const ProbeParameter& p) { return has_argument(p, at); });
}

std::string arguments(std::span<const ProbeParameter> parameters, const ArgumentPlace& place, const ProbeRegisters& r,
                      uint16_t sgpr, uint16_t vgpr) {
  Moves moves(place, r, sgpr, vgpr);
  for (const ProbeParameter& p : parameters)
    moves.argument(p);
  return moves.text;
}

} // namespace crosslane::rewrite
