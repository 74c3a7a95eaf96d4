// See parse_match.h. How numbers become inline constants and literals follows LLVM: an integer is the bits of the
// operand, a number with a point is converted to the operand's type.
#include "isa/parse/match.h"
#include "isa/inline_constant.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace crosslane::isa::detail {
namespace {

std::string registers(std::string_view file, int dwords) {
  if (dwords <= 1)
    return (file == "VGPR" ? "a " : "an ") + std::string(file) + (file == "VGPR" ? ", such as v1" : ", such as s1");
  const std::string letter = file == "VGPR" ? "v" : "s";
  return std::to_string(dwords) + " " + std::string(file) + "s, such as " + letter +
         "[4:" + std::to_string(4 + dwords - 1) + "]";
}

// What a number means to an operand.
enum class Class : uint8_t { i16, f16, i32, f32, i64, f64, pair_i16, pair_f16 };
Class number_class(Type t) {
  switch (t) {
  case Type::F16: return Class::f16;
  case Type::I16:
  case Type::U16:
  case Type::B16: return Class::i16;
  case Type::PkF16: return Class::pair_f16;
  case Type::PkI16:
  case Type::PkU16:
  case Type::PkB16: return Class::pair_i16;
  case Type::F32:
  case Type::PkF32: return Class::f32;
  case Type::PkB32: return Class::i32;
  case Type::F64: return Class::f64;
  default: return dwords(t) == 2 ? Class::i64 : Class::i32;
  }
}
bool wide(Class c) { return c == Class::i64 || c == Class::f64; }
bool half(Class c) { return c == Class::i16 || c == Class::f16 || c == Class::pair_i16 || c == Class::pair_f16; }

// Rounds to nearest even. `fits` is false where the value would become infinite, or lose bits by being too small.
uint16_t to_half(double d, bool& fits) {
  const uint64_t bits = std::bit_cast<uint64_t>(d);
  const auto sign = static_cast<uint16_t>(bits >> 63 << 15);
  const double a = std::fabs(d);
  if (std::isnan(d))
    return sign | 0x7e00;
  if (std::isinf(d))
    return sign | 0x7c00;
  if (a == 0)
    return sign;
  int exponent = 0;
  std::frexp(a, &exponent);                         // a = [0.5, 1) * 2^exponent
  const int quantum = std::max(exponent - 11, -24); // of the last bit
  const double scaled = std::ldexp(a, -quantum), r = std::nearbyint(scaled);
  if (quantum == -24 && exponent - 11 < -24 && r != scaled)
    fits = false;
  const double rounded = std::ldexp(r, quantum);
  if (rounded >= 65536) {
    fits = false;
    return sign | 0x7c00;
  }
  if (rounded < std::ldexp(1.0, -14)) // subnormal
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::ldexp(rounded, 24)));
  std::frexp(rounded, &exponent);
  const auto mantissa = static_cast<uint32_t>(std::ldexp(rounded, 11 - exponent)); // 11 bits
  return static_cast<uint16_t>(sign | uint32_t(exponent + 14) << 10 | (mantissa & 0x3ff));
}

uint32_t to_single(double d, bool& fits) {
  const auto f = static_cast<float>(d);
  if (std::isinf(f) && !std::isinf(d))
    fits = false;
  if (double(f) != d && std::fabs(f) < 0x1p-126f)
    fits = false;
  return std::bit_cast<uint32_t>(f);
}

bool fits_bits(int64_t v, int bits) {
  const int64_t low = -(int64_t(1) << (bits - 1)), high = (int64_t(1) << bits) - 1;
  return v >= low && v <= high;
}

std::string what_is_expected(RegisterKind kind, int dwords, bool literal) {
  switch (kind) {
  case RegisterKind::vgpr:
  case RegisterKind::vgpr_or_lds: return registers("VGPR", dwords);
  case RegisterKind::agpr: return registers("AGPR", dwords);
  case RegisterKind::vector: return registers("VGPR", dwords) + " or " + registers("AGPR", dwords);
  case RegisterKind::vector_or_constant:
    return registers("VGPR", dwords) + ", " + registers("AGPR", dwords) + ", or an inline constant";
  case RegisterKind::sgpr: return registers("SGPR", dwords);
  case RegisterKind::mask: return "vcc or a pair of SGPRs";
  case RegisterKind::scalar:
  case RegisterKind::scalar_or_lds: return registers("SGPR", dwords) + ", or a constant";
  default:
    return registers("VGPR", dwords) + ", " + registers("SGPR", dwords) +
           (literal ? ", or a constant" : ", or an inline constant (-16 to 64, 0.5, 1.0, 2.0, 4.0)");
  }
}

} // namespace

void Match::begin(Form form, int size) {
  out.op = context.op;
  out.target = context.target;
  out.encoding = row_.encoding;
  out.form = form;
  out.size = static_cast<uint8_t>(size);
}

bool Match::fail(std::string message) {
  if (message_.empty() || (at_ >= reach_ && !rejected())) {
    reach_ = at_;
    error_column_ = column(at_);
    message_ = std::move(message);
  }
  return false;
}

bool Match::reject(size_t item, std::string message) {
  reach_ = SIZE_MAX;
  error_column_ = column(item);
  message_ = std::move(message);
  return false;
}

void Match::note_tuple(const Item& i) {
  if (odd_tuple_ == none && i.code >= code::vgpr0 && i.dwords > 1 && i.code % 2 != 0)
    odd_tuple_ = at_;
}

bool Match::width(const Item& i, int dwords, std::string_view what) {
  if (i.dwords == 0 || i.dwords == std::max(dwords, 1))
    return true;
  return fail(quoted(i.text) + " is " + std::to_string(i.dwords) + (i.dwords == 1 ? " register" : " registers") +
              "; as " + std::string(what) + " " + full_name(*this) + " takes " + std::to_string(std::max(dwords, 1)));
}

bool Match::vgpr(int dwords, uint16_t& field, std::string_view what) {
  const Item* i = item();
  if (!i || i->kind != ItemKind::reg || !is_vgpr(i->code) || i->neg || i->abs || i->sext)
    return fail("expected " + registers("VGPR", dwords) + ", as " + std::string(what) + " of " + full_name(*this));
  if (!width(*i, dwords, what))
    return false;
  note_tuple(*i);
  field = i->code;
  skip();
  return true;
}

bool Match::agpr(int dwords, uint16_t& field, std::string_view what) {
  const Item* i = item();
  if (!i || i->kind != ItemKind::reg || i->code < code::agpr0 || i->neg || i->abs || i->sext)
    return fail("expected " + registers("AGPR", dwords) + ", as " + std::string(what) + " of " + full_name(*this));
  if (!width(*i, dwords, what))
    return false;
  note_tuple(*i);
  field = i->code;
  skip();
  return true;
}

bool Match::data(int dwords, uint16_t& field, std::string_view what) {
  const Item* i = item();
  if (!context.gfx90a() || !i || i->kind != ItemKind::reg || i->code < code::agpr0 || i->neg || i->abs || i->sext)
    return vgpr(dwords, field, what);
  if (!width(*i, dwords, what))
    return false;
  note_tuple(*i);
  field = i->code;
  skip();
  return true;
}

bool Match::sgpr(int dwords, uint16_t& field, std::string_view what) {
  const Item* i = item();
  if (!i || i->kind != ItemKind::reg || i->code >= 128 || i->neg || i->abs || i->sext)
    return fail("expected " + registers("SGPR", dwords) + ", as " + std::string(what) + " of " + full_name(*this));
  if (!width(*i, dwords, what))
    return false;
  field = i->code;
  skip();
  return true;
}

bool Match::sgpr_xm0_xexec(int dwords, uint16_t& field, std::string_view what) {
  const Item* i = item();
  if (i && i->kind == ItemKind::reg && (i->code == code::m0 || i->code == code::exec || i->code == code::exec + 1))
    return fail(quoted(i->text) + " cannot be " + std::string(what) + " of " + full_name(*this));
  return sgpr(dwords, field, what);
}

bool Match::vcc(std::string_view what) {
  const Item* i = item();
  if (!i || i->kind != ItemKind::reg || i->code != code::vcc || i->dwords != 2 || i->neg || i->abs || i->sext)
    return fail("expected vcc, as " + std::string(what) + " of " + full_name(*this));
  skip();
  return true;
}

bool Match::off(uint16_t& field) {
  if (!item() || item()->kind != ItemKind::off)
    return false;
  field = code::off;
  skip();
  return true;
}

bool Match::use_literal(uint32_t value) {
  if (literal_used_ && out.literal != value)
    return reject(at_, "there is room for one literal only, and another operand already is one");
  if (!literal_used_)
    out.size += 4;
  literal_used_ = true;
  out.literal = value;
  return true;
}

bool Match::constant(const Item& i, Type t, unsigned takes, uint16_t& field) {
  const Class c = number_class(t);
  const auto no_literal = [&] {
    return fail(quoted(i.text) +
                " is not an inline constant (-16 to 64, 0.5, 1.0, 2.0, 4.0 and their negatives), and " +
                full_name(*this) + " takes no literal here");
  };
  const auto inline_as = [&](uint64_t bits, Type type) { return inline_constant(bits, type, context.generation()); };
  if (i.label)
    return fail("the address of a label is no operand; take the difference of two labels");
  if (i.late) {
    if (half(c) || wide(c))
      return fail("the difference of labels is a literal of 32 bits, which this operand does not take");
    if (!(takes & literals))
      return no_literal();
    field = code::literal;
    return use_literal(static_cast<uint32_t>(i.value));
  }
  const bool fold = (i.neg || i.abs) && !(takes & signs);
  const auto folded = [&](uint64_t bits, int width) {
    const uint64_t sign = uint64_t(1) << (width - 1);
    if (fold && i.abs)
      bits &= ~sign;
    return fold && i.neg ? bits ^ sign : bits;
  };
  std::optional<uint16_t> code_of;
  uint32_t literal = 0;
  if (i.kind == ItemKind::real) {
    const uint64_t bits = folded(static_cast<uint64_t>(i.value), 64);
    const auto d = std::bit_cast<double>(bits);
    bool fits = true;
    if (wide(c)) {
      code_of = inline_as(bits, t);
      literal = static_cast<uint32_t>(bits >> 32);
      if (!code_of && c == Class::i64)
        return fail("an integer operand of 64 bits takes no floating-point number but 0.5, 1.0, 2.0 and 4.0");
    } else if (c == Class::f16 || c == Class::pair_f16) {
      literal = to_half(d, fits);
      code_of = inline_as(c == Class::f16 ? literal : uint64_t(int64_t(int16_t(literal))), Type::F16);
    } else { // integers of 16 bits as well: 1.0 is one of 32
      if (c == Class::i16)
        to_half(d, fits);
      literal = to_single(d, fits);
      code_of = inline_as(literal, Type::F32);
    }
    if (!fits)
      return fail(quoted(i.text) + " is out of the range of this operand's type");
  } else {
    const int size = c == Class::i16 || c == Class::f16 ? 16 : 32;
    if (wide(c))
      code_of = inline_as(static_cast<uint64_t>(i.value), t);
    if (!code_of && !fits_bits(i.value, size))
      return fail(quoted(i.text) + " does not fit into the " + std::to_string(size) + " bits of this operand");
    if (fold && c == Class::f64)
      return fail("the sign of an integer as a 64-bit float is not clear; write a number with a point");
    const uint64_t bits = folded(static_cast<uint64_t>(i.value), half(c) ? 16 : size);
    literal = static_cast<uint32_t>(size == 16 ? bits & 0xffff : bits);
    if (c == Class::pair_f16 && literal > 0xffef) // no half: at most a small negative integer of 32 bits
      code_of = inline_as(literal, Type::U16);
    else if (!wide(c))
      code_of = inline_as(bits, c == Class::pair_f16 ? Type::F16 : c == Class::pair_i16 ? Type::I32 : t);
  }
  if (code_of) {
    field = *code_of;
    return true;
  }
  if (!(takes & literals))
    return no_literal();
  field = code::literal;
  return use_literal(literal);
}

bool Match::source(int k, Type t, RegisterKind kind, unsigned takes) {
  const Item* i = item();
  const int n = t == Type::Mask ? 2 : dwords(t);
  const auto expected = [&] {
    return fail("expected " + what_is_expected(kind, n, takes & literals) + ", as source " + std::to_string(k) +
                " of " + full_name(*this));
  };
  if (!i || i->kind == ItemKind::modifier || i->kind == ItemKind::off || i->kind == ItemKind::word || i->macro)
    return expected();
  const bool number = i->kind != ItemKind::reg;
  if ((i->neg || i->abs) && !(takes & signs) && !(number && takes & folded_signs))
    return fail(full_name(*this) + " takes no sign or absolute value on source " + std::to_string(k));
  if (i->sext && !(takes & extension) && !(number && takes & meaningless_sext))
    return fail(full_name(*this) + " takes no sext(...) on source " + std::to_string(k));
  uint16_t field = code::none;
  if (i->kind == ItemKind::reg) {
    // LLVM counts the apertures as pairs and the condition bits as single registers.
    const bool aperture = i->code >= code::shared_base && i->code <= code::private_limit;
    const bool before_gfx8 = context.generation() < Generation::gfx8;
    const bool wrong_value = kind == RegisterKind::sgpr && i->code >= 128 && (before_gfx8 || aperture != (n == 2));
    const bool takes_agpr =
        kind == RegisterKind::agpr || kind == RegisterKind::vector || kind == RegisterKind::vector_or_constant;
    if (!accepts(kind, i->code) || (i->code >= code::agpr0 && !takes_agpr) || wrong_value)
      return expected();
    if (!width(*i, n, "source " + std::to_string(k)))
      return false;
    note_tuple(*i);
    field = i->code;
  } else {
    const bool registers_only = kind == RegisterKind::vgpr || kind == RegisterKind::vgpr_or_lds ||
                                kind == RegisterKind::sgpr || kind == RegisterKind::mask ||
                                kind == RegisterKind::agpr || kind == RegisterKind::vector;
    if (registers_only)
      return expected();
    // Matrices of one constant: it stands for every element.
    const Type element = n <= 2 ? t : row_.src[0] == Type::F64 ? Type::F64 : Type::F32;
    if (!constant(*i, element, takes, field))
      return false;
  }
  const auto bit = static_cast<uint8_t>(1u << k);
  out.neg |= i->neg && takes & signs ? bit : 0;
  out.abs |= i->abs && takes & signs ? bit : 0;
  out.sext |= i->sext && takes & extension ? bit : 0;
  out.src[k] = field;
  source_item_[k] = at_;
  source_dwords_[k] = i->kind == ItemKind::reg ? i->dwords : 0;
  skip();
  return true;
}

bool Match::scalar_source(uint16_t& field, Type t, unsigned takes) {
  const uint16_t kept = out.src[0];
  if (!source(0, t, RegisterKind::scalar, takes))
    return false;
  field = out.src[0];
  out.src[0] = kept;
  return true;
}

bool Match::number(int64_t low, int64_t high, int64_t& value, std::string_view what) {
  const Item* i = item();
  if (!i || i->kind != ItemKind::integer || i->label || i->late || i->neg || i->abs || i->sext)
    return fail("expected a number, as " + std::string(what) + " of " + full_name(*this));
  if (i->value < low || i->value > high)
    return fail(std::string(what) + " is a number from " + std::to_string(low) + " to " + std::to_string(high));
  value = i->value;
  skip();
  return true;
}

bool Match::literal32(Type t, std::string_view what) {
  const Item* i = item();
  if (!i || (i->kind != ItemKind::integer && i->kind != ItemKind::real) || i->label || i->macro || i->neg || i->abs ||
      i->sext)
    return fail("expected a number, as " + std::string(what) + " of " + full_name(*this));
  uint32_t value = 0;
  bool fits = true;
  const bool half = t == Type::F16;
  if (i->kind == ItemKind::real) {
    const double d = std::bit_cast<double>(i->value);
    value = half ? to_half(d, fits) : to_single(d, fits);
  } else {
    fits = fits_bits(i->value, half ? 16 : 32);
    value = static_cast<uint32_t>(half ? i->value & 0xffff : i->value);
  }
  if (!fits)
    return fail(quoted(i->text) + " is out of the range of this operand's type");
  if (!use_literal(value))
    return false;
  skip();
  return true;
}

bool Match::branch_target() {
  const Item* i = item();
  if (!i || i->kind != ItemKind::integer || i->neg || i->abs || i->sext || (i->late && !i->label))
    return fail("expected a label or a number of dwords, as target of " + full_name(*this));
  int64_t distance = i->value;
  if (i->label) {
    distance = i->resolved ? (i->value - (context.address + 4)) / 4 : 0;
    if (i->resolved && (i->value - context.address) % 4 != 0)
      return fail(quoted(i->text) + " is not at a whole dword");
    if (distance < INT16_MIN || distance > INT16_MAX)
      return fail(quoted(i->text) + " is " + std::to_string(distance) +
                  " dwords away; a branch reaches from -32768 to 32767");
  } else if (!fits_bits(distance, 16)) {
    return fail("a branch reaches from -32768 to 32767 dwords");
  }
  out.imm = static_cast<int16_t>(distance);
  skip();
  return true;
}

std::optional<int64_t> Match::take(Name n) {
  if (!has(n))
    return std::nullopt;
  return items_[at_++].value;
}

bool Match::flag(Name n) { return take(n).value_or(0) != 0; }

bool Match::flag_is_given(Name n) const {
  return std::any_of(items_.begin(), items_.end(), [&](const Item& i) { return i.name == n && i.value != 0; });
}

int Match::operand_count() const {
  return static_cast<int>(
      std::count_if(items_.begin(), items_.end(), [](const Item& i) { return i.kind != ItemKind::modifier; }));
}

bool Match::end() {
  const Item* i = item();
  if (!i)
    return true;
  if (i->kind != ItemKind::modifier)
    return fail(full_name(*this) + " has no operand left for " + quoted(i->text));
  return fail(full_name(*this) + " does not take " + quoted(i->text) + ", or not in this place");
}

bool Match::constant_bus(int sources, bool implicit_vcc) {
  struct Use {
    uint16_t code;
    int dwords;
  };
  Use used[4];
  int uses = 0;
  if (implicit_vcc)
    used[uses++] = {code::vcc, 2};
  else if (isa::has(row_.implicit, Implicit::m0_r))
    used[uses++] = {code::m0, 1};
  bool literal = shape_.k;
  for (int k = 0; k < sources; ++k) {
    const uint16_t c = out.src[k];
    if (c == code::literal) {
      literal = true;
      continue;
    }
    const bool scalar =
        c < 128 || (c >= code::shared_base && c <= code::pops_exiting_wave_id) || (c >= code::vccz && c <= code::scc);
    if (!scalar)
      continue;
    const auto same = [&](const Use& u) { return u.code == c && u.dwords == source_dwords_[k]; };
    if (std::none_of(used, used + uses, same))
      used[uses++] = {c, source_dwords_[k]};
    if (uses + (literal ? 1 : 0) > 1)
      return reject(source_item_[k], full_name(*this) +
                                         " can read one scalar register or literal only, and another operand" +
                                         (implicit_vcc ? " (vcc)" : "") + " already is one");
  }
  return uses + (literal ? 1 : 0) <= 1 ||
         reject(source_item_[0], full_name(*this) + " can read one scalar register or literal only");
}

bool Match::even_vgprs() {
  return !context.gfx90a() || odd_tuple_ == none ||
         reject(odd_tuple_,
                std::string(info(context.target).name) + " needs VGPR tuples that start at an even register");
}

std::string full_name(const Match& m) {
  std::string s(mnemonic(m.context.op, m.context.target));
  const Encoding e = m.row_.encoding;
  if (e == Encoding::VOP1 || e == Encoding::VOP2 || e == Encoding::VOPC || m.shape_.vop2)
    s += m.out.form == Form::base   ? "_e32"
         : m.out.form == Form::vop3 ? "_e64"
         : m.out.form == Form::dpp  ? "_dpp"
                                    : "_sdwa";
  return s;
}

} // namespace crosslane::isa::detail
