// Registers, inline constants and literals as LLVM 19 prints them.
#include "isa/print/operand.h"
#include "isa/inline_constant.h"
#include "isa/print.h"
#include "isa/shape.h"
#include <bit>
#include <charconv>
#include <span>

namespace crosslane::isa::detail {
namespace {

struct Special {
  uint16_t code;
  std::string_view one, pair; // pair: as a 64-bit register, empty if there is none
};
constexpr Special specials[] = {
    {102, "flat_scratch_lo", "flat_scratch"},
    {103, "flat_scratch_hi", ""},
    {104, "xnack_mask_lo", "xnack_mask"},
    {105, "xnack_mask_hi", ""},
    {106, "vcc_lo", "vcc"},
    {107, "vcc_hi", ""},
    {124, "m0", ""},
    {125, "null", "null"},
    {126, "exec_lo", "exec"},
    {127, "exec_hi", ""},
    {235, "src_shared_base", "src_shared_base"},
    {236, "src_shared_limit", "src_shared_limit"},
    {237, "src_private_base", "src_private_base"},
    {238, "src_private_limit", "src_private_limit"},
    {239, "src_pops_exiting_wave_id", "src_pops_exiting_wave_id"},
    {251, "src_vccz", "src_vccz"},
    {252, "src_execz", "src_execz"},
    {253, "src_scc", "src_scc"},
    {254, "src_lds_direct", "src_lds_direct"},
};
constexpr Special gfx7_specials[] = {
    {104, "flat_scratch_lo", "flat_scratch"},
    {105, "flat_scratch_hi", ""},
};
constexpr Special gfx8_traps[] = {
    // and earlier
    {108, "tba_lo", "tba"},
    {109, "tba_hi", ""},
    {110, "tma_lo", "tma"},
    {111, "tma_hi", ""},
};

void append_range(std::string& s, std::string_view file, unsigned first, int dwords) {
  s += file;
  if (dwords <= 1) {
    append_decimal(s, first);
    return;
  }
  s += '[';
  append_decimal(s, first);
  s += ':';
  append_decimal(s, first + dwords - 1);
  s += ']';
}

constexpr std::string_view floats[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"};
bool append_small(std::string& s, int64_t v) {
  if (v < -16 || v > 64)
    return false;
  append_decimal(s, v);
  return true;
}

// `value` as an operand of 16, 32 or 64 bits. 1/(2*pi), the last of the table, is none before gfx8.
bool append_float(std::string& s, uint64_t value, int width, Generation g) {
  for (size_t i = 0; i < std::size(floats) - (g < Generation::gfx8 ? 1 : 0); ++i)
    if (inline_value(static_cast<uint16_t>(code::inline_float0 + i), width) == value) {
      s += floats[i];
      return true;
    }
  return false;
}

bool half_width(Type t) { return t == Type::F16 || t == Type::I16 || t == Type::U16 || t == Type::B16; }

// LLVM prints a literal that an inline constant could have held like that constant.
void append_literal(std::string& s, uint32_t v, Type t, Generation g) {
  if (half_width(t)) {
    const uint16_t h = static_cast<uint16_t>(v);
    const bool plain = t == Type::F16 ? append_small(s, int16_t(h)) || append_float(s, h, 16, g)
                                      : append_small(s, int32_t(v)) || append_float(s, v, 32, g);
    if (!plain)
      append_hex(s, h);
    return;
  }
  if (t == Type::PkF16) {
    if (!append_small(s, int32_t(v)) && (v > 0xffff || !append_float(s, uint16_t(v), 16, g)))
      append_hex(s, v);
    return;
  }
  if (t == Type::F64) { // the literal is the high half
    if (v == 0 || append_float(s, uint64_t(v) << 32, 64, g)) {
      if (v == 0)
        s += '0';
      return;
    }
    append_hex(s, v);
    return;
  }
  if (dwords(t) == 2) {
    if (!append_small(s, int64_t(v)))
      append_hex(s, v);
    return;
  }
  if (!append_small(s, int32_t(v)) && !append_float(s, v, 32, g))
    append_hex(s, v);
}

} // namespace

void append_decimal(std::string& s, int64_t value) {
  char text[24];
  s.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

void append_hex(std::string& s, uint64_t value) {
  char text[24];
  s += "0x";
  s.append(text, std::to_chars(text, text + sizeof text, value, 16).ptr);
}

void append_signed_hex(std::string& s, int64_t value) {
  if (value < 0)
    s += '-';
  append_hex(s, value < 0 ? -uint64_t(value) : uint64_t(value));
}

void append_register(std::string& s, const Instruction& i, uint16_t c, int dwords) {
  const Generation generation = info(i.target).generation;
  const unsigned sgprs = generation <= Generation::gfx7 ? code::flat_scratch_gfx7 : code::flat_scratch;
  if (c == code::off) {
    s += "off";
  } else if (c >= code::agpr0) {
    append_range(s, "a", c - code::agpr0, dwords);
  } else if (c >= code::vgpr0) {
    append_range(s, "v", c - code::vgpr0, dwords);
  } else if (c < sgprs) {
    append_range(s, "s", c, dwords);
  } else {
    const auto append_special = [&](std::span<const Special> registers) {
      for (const Special& r : registers)
        if (r.code == c) {
          s += dwords > 1 ? r.pair : r.one;
          return true;
        }
      return false;
    };
    const bool gfx8 = generation <= Generation::gfx8;
    if ((generation <= Generation::gfx7 && append_special(gfx7_specials)) || (gfx8 && append_special(gfx8_traps)) ||
        append_special(specials))
      return;
    append_range(s, "ttmp", c - first_ttmp(generation), dwords);
  }
}

void append_source(std::string& s, const Instruction& i, uint16_t c, Type t) {
  if (is_inline_constant(c) && c < code::inline_float0) {
    append_decimal(s, int32_t(inline_value(c, 32)));
  } else if (is_inline_constant(c)) {
    if (c == 248 && (dwords(t) == 2 || t == Type::B256) && t != Type::PkF32 && t != Type::PkB32)
      s += "0.15915494309189532";
    else if (t == Type::I16 || t == Type::U16 || t == Type::B16)
      append_hex(s, inline_value(c, 16));
    else
      s += floats[c - code::inline_float0];
  } else if (c == code::literal) {
    append_literal(s, i.literal, t, info(i.target).generation);
  } else {
    append_register(s, i, c, is_lone_scalar(c, dwords(t)) ? 1 : dwords(t));
  }
}

} // namespace crosslane::isa::detail

namespace crosslane::isa {

std::string print_registers(const Operand& o, Target target) {
  Instruction i;
  i.target = target;
  std::string text;
  switch (o.file) {
  case RegisterFile::scalar: detail::append_register(text, i, o.first, o.dwords); return text;
  case RegisterFile::vgpr: detail::append_register(text, i, uint16_t(code::vgpr0 + o.first), o.dwords); return text;
  case RegisterFile::agpr: detail::append_register(text, i, uint16_t(code::agpr0 + o.first), o.dwords); return text;
  case RegisterFile::special: break;
  }
  switch (o.first) {
  case special::scc: return "SCC";
  case special::vccz: return "VCCZ";
  case special::execz: return "EXECZ";
  case special::lds_direct: return "LDS_DIRECT";
  case special::mode: return "MODE";
  case special::status: return "STATUS";
  case special::trapsts: return "TRAPSTS";
  default: return "HWREG_" + std::to_string(o.first - special::hwreg0);
  }
}

} // namespace crosslane::isa
