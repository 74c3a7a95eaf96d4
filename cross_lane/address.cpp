// Addresses from lane numbers. A function is looked for bit by bit: each of the six bits of f, as a mask of 64 lanes,
// must be the bit of a base function, its complement, 0 or 1.
#include "cross_lane/address.h"
#include <cassert>

namespace crosslane::cross_lane {
namespace {

using Planes = std::array<uint64_t, 6>; // [bit]: the lanes that have it

template <class F> Planes planes_of(F value) {
  Planes planes{};
  for (int i = 0; i < lane_count; ++i)
    for (int b = 0; b < 6; ++b)
      planes[size_t(b)] |= uint64_t(uint32_t(value(i)) >> b & 1) << i;
  return planes;
}

uint32_t reverse_32(uint32_t v) {
  uint32_t r = 0;
  for (int b = 0; b < 32; ++b)
    r |= (v >> b & 1) << (31 - b);
  return r;
}

// The value is bits 5..0 of (lane * multiplier) >> shift (a negative shift is one to the left), or of the reversed 32
// bits of the lane's number if the multiplier is 0. With `group` bits, of the lane's number within its group.
struct Base {
  int multiplier, shift, group;
  Planes planes;

  // Byte addresses are four times the value.
  int address_shift() const { return shift - 2; }
  int instructions() const {
    if (multiplier == 1)
      return address_shift() != 0;
    if (multiplier == 0)
      return 2;
    return (address_shift() > 0 ? 2 : 1) + (group != 0);
  }
};

std::vector<Base> make_bases() {
  std::vector<Base> all;
  const auto add = [&](int multiplier, int shift, int group = 0) {
    all.push_back({multiplier, shift, group, planes_of([&](int lane) {
                     const int i = group ? lane & ((1 << group) - 1) : lane;
                     const uint64_t product = multiplier ? uint64_t(i) * uint64_t(multiplier) : reverse_32(uint32_t(i));
                     return uint32_t(shift >= 0 ? product >> shift : product << -shift);
                   })});
  };
  for (int shift : {0, 2, 1, 3, 4, 5, -1, -2, -3, -4, -5})
    add(1, shift);
  for (int multiplier = 3; multiplier < 64; multiplier += 2)
    for (int shift = -4; shift <= 2; ++shift)
      add(multiplier, shift);
  for (int shift : {26, 27, 28, 29, 30})
    add(0, shift);
  for (int multiplier = 3; multiplier < 256; multiplier += 2)
    for (int shift = multiplier < 64 ? 3 : -2; shift <= 10; ++shift)
      add(multiplier, shift);
  // Rotations of the lower bits: twice the same bits in a row, and a shift.
  for (int group = 2; group < 6; ++group)
    for (int shift = 1; shift < group; ++shift)
      add((1 << group) + 1, shift, group);
  return all;
}

const std::vector<Base>& bases() {
  static const std::vector<Base> all = make_bases();
  return all;
}

// f = (((base & and) | or) ^ xor) + add, in the low `bits` bits; the others are the lane's own.
struct Form {
  const Base* base = nullptr;
  uint32_t keep = 63, set = 0, flip = 0; // and, or, xor
  int add = 0;
  int bits = 6;
  int instructions = 0;
};

// The cheapest masks that make `f` of `base` where lanes `care`; false: none.
bool mask_bits(const Planes& base, const Planes& f, uint64_t care, int bits, Form& form) {
  uint32_t equal = 0, inverted = 0, zero = 0, one = 0;
  for (int b = 0; b < bits; ++b) {
    const uint64_t is = f[size_t(b)] & care, has = base[size_t(b)] & care;
    equal |= uint32_t(is == has) << b;
    inverted |= uint32_t((is ^ has) == care) << b;
    zero |= uint32_t(is == 0) << b;
    one |= uint32_t(is == care) << b;
    if (!((equal | inverted | zero | one) >> b & 1))
      return false;
  }
  const uint32_t all = (1u << bits) - 1, other = all & ~equal;
  // One operation, if one does; else what each bit needs.
  form.keep = 63, form.set = form.flip = 0;
  if ((other & ~inverted) == 0)
    form.flip = other;
  else if ((other & ~one) == 0)
    form.set = other;
  else if ((other & ~zero) == 0)
    form.keep = 63 & ~other;
  else {
    form.flip = other & inverted & ~zero & ~one;
    form.set = other & one;
    form.keep = 63 & ~(other & zero & ~one);
  }
  return true;
}

uint32_t value_of(const Base& base, int lane) {
  uint32_t v = 0;
  for (int b = 0; b < 6; ++b)
    v |= uint32_t(base.planes[size_t(b)] >> lane & 1) << b;
  return v;
}
uint32_t before_add(const Form& form, int lane) {
  return ((value_of(*form.base, lane) & form.keep) | form.set) ^ form.flip;
}

bool can_offset(const Form& form) { // no lane leaves the 256 bytes
  for (int i = 0; i < lane_count; ++i)
    if (int(before_add(form, i)) + form.add > 63)
      return false;
  return true;
}

// Whether the base's address has bits outside of 7..2.
bool has_other_bits(const Base& base) {
  return base.multiplier == 1 ? base.shift != 0 : base.multiplier != 0 || base.shift != 26;
}

int count(const Form& form, AddressBits look) {
  int n = form.base->instructions() + (form.keep != 63) + (form.set != 0) + (form.flip != 0);
  if (form.bits < 6) // lane * 4 unless it is the base, the mask, v_bfi_b32
    return n + (form.add != 0) + 2 + !(form.base->multiplier == 1 && form.base->shift == 0);
  if (look == AddressBits::all) {
    n += has_other_bits(*form.base) && form.keep == 63;
    n += form.add != 0 && !can_offset(form) ? 2 : 0;
  }
  return n;
}

std::optional<Form> find_form(const Pattern& f, AddressBits look) {
  const uint64_t care = reading_lanes(f);
  Form best;
  best.instructions = 9; // nothing is so long
  const auto identity = planes_of([](int i) { return i; });
  for (int bits = 6; bits > 0; --bits) {
    bool own = true; // the upper bits are the lane's
    const auto planes = planes_of([&](int i) { return int(f[size_t(i)]) & 63; });
    for (int b = bits; b < 6; ++b)
      own &= ((planes[size_t(b)] ^ identity[size_t(b)]) & care) == 0;
    if (!own)
      break;
    std::array<Planes, 64> less;
    for (int add = 0; add < 1 << bits; ++add)
      less[size_t(add)] = planes_of([&](int i) { return (int(f[size_t(i)]) - add) & 63; });
    for (const Base& base : bases()) {
      if (base.instructions() + (bits < 6 ? 2 : 0) >= best.instructions || (base.group && base.group != bits))
        continue;
      // Adding changes the lowest bit to itself or to its complement: if that bit does not fit, no sum does.
      Form lowest;
      if (!mask_bits(base.planes, planes, care, 1, lowest))
        continue;
      for (int add = 0; add < 1 << bits; ++add) {
        Form form{&base};
        form.add = add, form.bits = bits;
        if (!mask_bits(base.planes, less[size_t(add)], care, bits, form))
          continue;
        form.instructions = count(form, look);
        if (form.instructions < best.instructions)
          best = form;
      }
    }
  }
  if (!best.base)
    return std::nullopt;
  return best;
}

// The source lane if all lanes read the same.
std::optional<int> one_source(const Pattern& f) {
  int found = -1;
  for (const int8_t from : f)
    if (from >= 0 && found >= 0 && from != found)
      return std::nullopt;
    else if (from >= 0)
      found = from;
  return found < 0 ? 0 : found;
}

std::string constant(uint32_t value) { return value <= 64 ? std::to_string(value) : hex(value); }

void two(Sequence& s, const char* name, int v, const std::string& a, int b) {
  s.vector(v, std::string(name) + " " + vgpr(v) + ", " + a + ", " + vgpr(b), true);
}

// v = a + b, with the names of the generations.
void add(Sequence& s, int v, const std::string& a, int b) {
  if (s.generation() >= isa::Generation::gfx9)
    two(s, "v_add_u32", v, a, b);
  else
    s.vector(v,
             std::string(s.generation() >= isa::Generation::gfx8 ? "v_add_u32 " : "v_add_i32 ") + vgpr(v) + ", vcc, " +
                 a + ", " + vgpr(b),
             true);
}

// The base's byte addresses into `v` from the lane numbers in `lane`; returns the register they are in.
int emit_base(Sequence& s, const Base& base, int v, int lane) {
  const int shift = base.address_shift();
  if (base.multiplier == 1) {
    if (shift == 0)
      return lane;
    two(s, shift > 0 ? "v_lshrrev_b32" : "v_lshlrev_b32", v, std::to_string(shift > 0 ? shift : -shift), lane);
    return v;
  }
  if (base.multiplier == 0) {
    s.vector(v, "v_bfrev_b32 " + vgpr(v) + ", " + vgpr(lane), true);
    two(s, "v_lshrrev_b32", v, std::to_string(shift), v);
    return v;
  }
  if (base.group) {
    two(s, "v_and_b32", v, constant((1u << base.group) - 1), lane);
    lane = v;
  }
  two(s, "v_mul_u32_u24", v, constant(uint32_t(base.multiplier) << (shift < 0 ? -shift : 0)), lane);
  if (shift > 0)
    two(s, "v_lshrrev_b32", v, std::to_string(shift), v);
  return v;
}

std::string describe(const Form& form) {
  const Base& b = *form.base;
  std::string text = "lane";
  if (b.multiplier == 0)
    text = b.shift == 26 ? "the lane's reversed bits" : "the lane's reversed bits >> " + std::to_string(b.shift - 26);
  else if (b.multiplier != 1)
    text += " * " + std::to_string(b.shift < 0 ? b.multiplier << -b.shift : b.multiplier);
  if (b.group)
    text = "the lane's low " + std::to_string(b.group) + " bits rotated right by " + std::to_string(b.shift);
  else if (b.multiplier != 0 && (b.shift > 0 || (b.shift < 0 && b.multiplier == 1)))
    text = (b.multiplier == 1 ? text : "(" + text + ")") + (b.shift > 0 ? " >> " : " << ") +
           std::to_string(b.shift > 0 ? b.shift : -b.shift);
  const auto masked = [&](const char* op, uint32_t value) {
    text = (text == "lane" ? text : "(" + text + ")") + op + std::to_string(value);
  };
  if (form.keep != 63)
    masked(" & ", form.keep);
  if (form.set)
    masked(" | ", form.set);
  if (form.flip)
    masked(" ^ ", form.flip);
  if (form.add)
    masked(" + ", uint32_t(form.add));
  return form.bits < 6 ? text + ", within groups of " + std::to_string(1 << form.bits) : text;
}

Address emit(Sequence& s, const Form& form, AddressBits look, int lane) {
  const bool groups = form.bits < 6, exact = look == AddressBits::all && !groups;
  int own = -1, v;
  if (groups) {
    own = s.vgpr_temporary();
    two(s, "v_lshlrev_b32", own, "2", lane);
  }
  v = s.vgpr_temporary();
  int now = groups && form.base->multiplier == 1 && form.base->shift == 0 ? own : emit_base(s, *form.base, v, lane);
  const auto apply = [&](const char* name, uint32_t value) { two(s, name, v, constant(value << 2), now), now = v; };
  if (form.keep != 63 || (exact && has_other_bits(*form.base)))
    apply("v_and_b32", form.keep);
  if (form.set)
    apply("v_or_b32", form.set);
  if (form.flip)
    apply("v_xor_b32", form.flip);
  Address at{now, 0, describe(form)};
  if (groups) { // lane * 4, but for the low bits
    if (form.add)
      add(s, v, constant(uint32_t(form.add) << 2), now), now = v;
    const int mask = s.sgpr_temporary();
    s.scalar("s_movk_i32 s" + std::to_string(mask) + ", " + hex(((1u << form.bits) - 1) << 2), true);
    s.vector(v, "v_bfi_b32 " + vgpr(v) + ", s" + std::to_string(mask) + ", " + vgpr(now) + ", " + vgpr(own), true);
    at.vgpr = v;
  } else if (!exact || can_offset(form)) {
    at.offset = form.add * 4;
  } else if (form.add) {
    add(s, v, constant(uint32_t(form.add) << 2), now);
    two(s, "v_and_b32", v, "0xfc", v);
    at.vgpr = v;
  }
  return at;
}

std::array<uint64_t, 6> constants_of(const Pattern& f) {
  return planes_of([&](int i) { return f[size_t(i)] < 0 ? 0 : int(f[size_t(i)]); });
}

int count_constants(const Pattern& f) {
  int n = 1;
  for (const uint64_t bits : constants_of(f))
    n += bits ? 3 : n > 1;
  return n;
}

// Bit by bit, from the highest: v = 2 * v + bit, where v_addc takes the bit from VCC.
Address emit_constants(Sequence& s, const Pattern& f) {
  const auto planes = constants_of(f);
  const int v = s.vgpr_temporary();
  int used = 0;
  for (int b = 5; b >= 0; --b) {
    const uint64_t bits = planes[size_t(b)];
    if (!used && !bits)
      continue;
    if (used && !bits) {
      two(s, "v_lshlrev_b32", v, "1", v);
      continue;
    }
    s.set_mask("vcc", bits, true);
    if (!used++)
      s.vector(v, "v_cndmask_b32 " + vgpr(v) + ", 0, 1, vcc", true);
    else
      s.vector(v,
               std::string(s.generation() >= isa::Generation::gfx9 ? "v_addc_co_u32 " : "v_addc_u32 ") + vgpr(v) +
                   ", vcc, " + vgpr(v) + ", " + vgpr(v) + ", vcc",
               true);
  }
  two(s, "v_lshlrev_b32", v, "2", v);
  return {v, 0, std::to_string(used) + (used == 1 ? " constant" : " constants") + " of 64 bits"};
}

// The function to use, unless the constants are shorter.
std::optional<Form> worthwhile_form(const Pattern& f, AddressBits look, bool has_lane) {
  const auto form = find_form(f, look);
  if (form && count_constants(f) < form->instructions + (has_lane ? 0 : 2))
    return std::nullopt;
  return form;
}

} // namespace

int lane_number(Sequence& s) {
  const int v = s.vgpr_temporary();
  s.vector(v, "v_mbcnt_lo_u32_b32 " + vgpr(v) + ", -1, 0", true);
  s.vector(v, "v_mbcnt_hi_u32_b32 " + vgpr(v) + ", -1, " + vgpr(v), true);
  return v;
}

int times_4(Sequence& s, int lane) {
  const int v = s.vgpr_temporary();
  two(s, "v_lshlrev_b32", v, "2", lane);
  return v;
}

Address make_address(Sequence& s, const Pattern& f, AddressBits look, int lane) {
  if (const auto from = one_source(f)) {
    const int v = s.vgpr_temporary();
    s.vector(v, "v_mov_b32 " + vgpr(v) + ", " + constant(uint32_t(*from) * 4), true);
    return {v, 0, "a constant"};
  }
  if (const auto form = worthwhile_form(f, look, lane >= 0))
    return emit(s, *form, look, lane < 0 ? lane_number(s) : lane);
  return emit_constants(s, f);
}

Pattern addressed(const Pattern& f, AddressBits look) {
  Pattern all = f;
  const auto one = one_source(f);
  const auto form = one ? std::nullopt : worthwhile_form(f, look, false);
  for (int i = 0; i < lane_count; ++i)
    if (int8_t& to = all[size_t(i)]; to < 0) {
      const int low = form ? (1 << form->bits) - 1 : 0;
      to = int8_t(one ? *one : form ? (i & ~low) | ((int(before_add(*form, i)) + form->add) & low) : 0);
    }
  return all;
}

std::optional<Address> load_address(Sequence& s, const Pattern& f, std::vector<uint32_t>& table) {
  if (s.generation() < isa::Generation::gfx7)
    return std::nullopt;
  table.clear();
  for (const int8_t from : f)
    table.push_back(from < 0 ? 0 : uint32_t(from) * 4);
  s.uses_data(lane_count * 4);
  while (s.sgpr_temporary() < 3) {
  }
  const int lane = lane_number(s);
  two(s, "v_lshlrev_b32", lane, "2", lane);
  if (s.generation() >= isa::Generation::gfx9) {
    s.memory("global_load_dword " + vgpr(lane) + ", " + vgpr(lane) + ", s[2:3]", true);
    s.scalar("s_waitcnt vmcnt(0)", true);
    return Address{lane, 0, "a table in memory"};
  }
  // A pair of registers for the address, aligned as nothing demands it: flat_load takes any.
  const int low = s.vgpr_temporary(), high = s.vgpr_temporary();
  s.vector(high, "v_mov_b32 " + vgpr(high) + ", s3", true);
  add(s, low, "s2", lane);
  s.vector(high, std::string("v_addc_u32 ") + vgpr(high) + ", vcc, 0, " + vgpr(high) + ", vcc", true);
  s.memory("flat_load_dword " + vgpr(lane) + ", " + vgpr(low, 2), true);
  s.scalar("s_waitcnt vmcnt(0) lgkmcnt(0)", true);
  return Address{lane, 0, "a table in memory"};
}

} // namespace crosslane::cross_lane
