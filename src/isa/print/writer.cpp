// See print_writer.h. Where an operand is of a kind that the field does not allow, LLVM prints it and says so in a
// comment that names the register class it expected; so do we.
#include "isa/print/writer.h"

namespace crosslane::isa::detail {
namespace {

std::string class_name(RegisterKind kind, int dwords, bool accumulators) {
  switch (kind) {
  case RegisterKind::agpr: return "AGPR_32";
  case RegisterKind::vector: return "AV_" + std::to_string(32 * dwords);
  case RegisterKind::vector_or_constant: return (accumulators ? "AReg_" : "VReg_") + std::to_string(32 * dwords);
  case RegisterKind::vgpr: return dwords == 4 ? "VReg_128" : "VGPR_32";
  case RegisterKind::vgpr_or_lds: return "VRegOrLds_32";
  case RegisterKind::mask: return "SReg_1_XEXEC";
  default: return dwords == 2 ? "SReg_64" : "SReg_32";
  }
}

std::string_view tuple_class(int dwords) {
  switch (dwords) {
  case 2: return "SReg_64";
  case 4: return "SReg_128";
  case 8: return "SReg_256";
  case 16: return "SReg_512";
  default: return "SReg_32";
  }
}

bool constant(uint16_t c) { return is_inline_constant(c) || c == code::literal; }

// null, the apertures and the condition bits are in every register class of LLVM.
bool in_every_class(uint16_t c) {
  return c == code::null_ || (c >= code::shared_base && c <= code::pops_exiting_wave_id) ||
         (c >= code::vccz && c <= code::scc);
}

} // namespace

void Writer::expected(std::string_view register_class) {
  text += "/*Invalid register, operand has '";
  text += register_class;
  text += "' register class*/";
}

void Writer::value(uint16_t c, Type t, RegisterKind kind) {
  const bool no_constants = kind == RegisterKind::sgpr || kind == RegisterKind::mask || kind == RegisterKind::vector;
  append_source(text, inst, c, no_constants && constant(c) ? Type::B32 : t);
  if (!inst.reserved || accepts(kind, c) || in_every_class(c))
    return;
  if (constant(c))
    text += "/*Invalid immediate*/";
  else
    expected(class_name(kind, dwords(t), inst.dst >= code::agpr0));
}

void Writer::source(uint16_t c, Type t, RegisterKind kind) {
  next();
  value(c, t, kind);
}

void Writer::modified_source(int k, Type t, RegisterKind kind) {
  const bool neg = inst.neg >> k & 1, abs = inst.abs >> k & 1, sext = inst.sext >> k & 1;
  const uint16_t c = inst.src[k];
  const bool call = neg && !abs && constant(c); // neg(1) is not -1
  next();
  text += sext ? "sext(" : call ? "neg(" : neg ? "-" : "";
  if (abs)
    text += '|';
  value(c, t, kind);
  if (abs)
    text += '|';
  if (sext || call)
    text += ')';
}

void Writer::tuple(uint16_t c, int n, std::string_view register_class) {
  reg(c, n > 2 && c >= code::flat_scratch && c % 2 == 0 && !(c >= 108 && c < code::m0) ? 2 : n);
  if (!inst.reserved || c == code::null_)
    return;
  const bool trap_temporary = c >= first_ttmp(info(inst.target).generation) && c < code::m0;
  const bool no_m0_or_exec = !register_class.empty() && n <= 2;
  if (n > 2 ? c >= code::flat_scratch && !trap_temporary : no_m0_or_exec && (c == code::m0 || c >= code::exec))
    expected(n > 2 ? tuple_class(n) : register_class);
}

void Writer::scalar_dst(uint16_t c, int n) { source(c, n == 2 ? Type::Mask : Type::B32, RegisterKind::sgpr); }

void Writer::clamp_and_omod() {
  constexpr std::string_view omods[] = {"", "mul:2", "mul:4", "div:2"};
  flag(inst.clamp, "clamp");
  flag(inst.omod != 0, omods[inst.omod]);
}

} // namespace crosslane::isa::detail
