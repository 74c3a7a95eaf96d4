// Lowering with a sink that keeps what it is given.
#include "engine/uops.h"
#include "engine/decode/backend.h"
#include "isa/enum_name.h"
#include <cstdio>
#include <deque>

namespace crosslane::engine {

namespace {

struct Recorder final : UopSink {
  struct Recorded {
    UopKind kind;
    Uop op;
  };
  std::deque<Recorded> uops; // lowering holds references
  Uop& append(UopKind kind) override { return uops.emplace_back(Recorded{kind, {}}).op; }
  Uop& last() override { return uops.back().op; }
};

constexpr uint32_t scalar_zero = machine::sgpr_offset(machine::scalar_zero);
constexpr uint32_t unread = machine::tmp_offset(15); // where Lowering::emit lets a result go that nobody reads

std::string scalar_name(uint32_t n) {
  namespace code = isa::code;
  if (n > machine::scalar_zero)
    return "st" + std::to_string(n - machine::scalar_tmp);
  for (const auto& [first, name] : {std::pair(code::vcc, "vcc"), {code::exec, "exec"}})
    if (n == first || n == first + 1u)
      return std::string(name) + (n == first ? "_lo" : "_hi");
  return n == code::m0 ? "m0" : "s" + std::to_string(n);
}

std::string hex(uint64_t value) {
  char buffer[20];
  std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(value));
  return buffer;
}

} // namespace

std::string_view name(UopKind kind) { return isa::enum_name(kind); }

std::vector<LoweredUop> lowered(const isa::Instruction& inst) {
  if (inst.reserved)
    return {};
  Recorder recorder;
  Lowering l{inst, isa::row(inst.op), recorder, 0, 0, 0, false};
  if (!lower(l, backend()))
    return {};
  const auto used = [](uint32_t offset) { return offset == scalar_zero ? LoweredUop::no_operand : offset; };
  std::vector<LoweredUop> out;
  out.reserve(recorder.uops.size());
  for (const auto& [kind, op] : recorder.uops)
    out.push_back({kind, op.dst == unread ? LoweredUop::no_operand : op.dst, used(op.a), used(op.b), used(op.c),
                   kind == UopKind::fault ? 0 : op.k0, op.k1, op.imm, op.aux});
  return out;
}

std::string place_name(uint32_t offset) {
  if (offset >= machine::vgpr_offset(0)) {
    const uint32_t n = (offset - machine::vgpr_offset(0)) / machine::vgpr_bytes;
    return n < machine::max_vgprs ? "v" + std::to_string(n) : "a" + std::to_string(n - machine::max_vgprs);
  }
  if (offset >= machine::tmp_offset(0))
    return "t" + std::to_string((offset - machine::tmp_offset(0)) / machine::vgpr_bytes);
  return scalar_name((offset - machine::sgpr_offset(0)) / 4);
}

std::string text(const LoweredUop& u) {
  std::string out(name(u.kind));
  for (const auto& [field, offset] : {std::pair("dst", u.dst), {"a", u.a}, {"b", u.b}, {"c", u.c}})
    if (offset != LoweredUop::no_operand)
      out += std::string(" ") + field + "=" + place_name(offset);
  for (const auto& [field, constant] : {std::pair("k0", u.k0), {"k1", u.k1}})
    if (constant)
      out += std::string(" ") + field + "=" + hex(constant);
  if (u.imm && (u.kind == UopKind::vector || u.kind == UopKind::saturated))
    out += " flags=" + place_name(uint32_t(u.imm));
  else if (u.imm)
    out += " imm=" + std::to_string(u.imm);
  if (u.aux)
    out += " aux=" + hex(u.aux);
  return out;
}

} // namespace crosslane::engine
