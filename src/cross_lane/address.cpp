// Addresses from lane numbers.
#include "cross_lane/address.h"
#include "cross_lane/lane_function.h"
#include <bit>

namespace crosslane::cross_lane {
namespace {

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

// A temporary that is taken when it is first written.
class Temporary {
public:
  explicit Temporary(Sequence& s) : sequence_(s) {}
  int operator()() { return vgpr_ < 0 ? vgpr_ = sequence_.vgpr_temporary() : vgpr_; }

private:
  Sequence& sequence_;
  int vgpr_ = -1;
};

// The base's byte addresses from the lane numbers in `lane`; returns the register they are in, which is not always `v`.
int emit_base(Sequence& s, const LaneBase& base, Temporary& v, int lane, bool share) {
  const int shift = base.address_shift();
  if (base.multiplier == 1) {
    if (shift == 0)
      return lane;
    if (shift == -2 && share)
      return times_4(s, lane);
    two(s, shift > 0 ? "v_lshrrev_b32" : "v_lshlrev_b32", v(), std::to_string(shift > 0 ? shift : -shift), lane);
    return v();
  }
  if (base.multiplier == 0) {
    s.vector(v(), "v_bfrev_b32 " + vgpr(v()) + ", " + vgpr(lane), true);
    two(s, "v_lshrrev_b32", v(), std::to_string(shift), v());
    return v();
  }
  if (base.group) {
    two(s, "v_and_b32", v(), constant((1u << base.group) - 1), lane);
    lane = v();
  }
  two(s, "v_mul_u32_u24", v(), constant(uint32_t(base.multiplier) << (shift < 0 ? -shift : 0)), lane);
  if (shift > 0)
    two(s, "v_lshrrev_b32", v(), std::to_string(shift), v());
  return v();
}

// share: 4 * lane is of use to others, so it is left alone.
Address emit(Sequence& s, const LaneFunction& f, AddressBits look, int lane, bool share) {
  const bool groups = f.bits < 6, exact = look == AddressBits::all && !groups;
  Temporary v(s);
  int now = emit_base(s, *f.base, v, lane, share || groups);
  const auto apply = [&](const char* name, uint32_t value) {
    two(s, name, v(), constant(value << 2), now);
    now = v();
  };
  const auto add_to = [&] {
    add(s, v(), constant(uint32_t(f.add) << 2), now);
    now = v();
  };
  if (f.keep != 63 || (exact && f.base->has_other_bits()))
    apply("v_and_b32", f.keep);
  if (f.set)
    apply("v_or_b32", f.set);
  if (f.flip)
    apply("v_xor_b32", f.flip);
  int offset = 0;
  if (groups) { // lane * 4, but for the low bits
    if (f.add)
      add_to();
    const int own = times_4(s, lane), mask = s.sgpr_temporary();
    s.scalar("s_movk_i32 s" + std::to_string(mask) + ", " + hex(((1u << f.bits) - 1) << 2), true);
    s.vector(v(), "v_bfi_b32 " + vgpr(v()) + ", s" + std::to_string(mask) + ", " + vgpr(now) + ", " + vgpr(own), true);
    now = v();
  } else if (!exact || f.can_offset()) {
    offset = f.add * 4;
  } else if (f.add) {
    add_to();
    apply("v_and_b32", 63);
  }
  return {now, offset, describe(f)};
}

LanePlanes constants_of(const Pattern& f) {
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

// What to make the address of: the shortest.
struct Choice {
  std::optional<int> constant;
  std::optional<LaneFunction> function;
  std::optional<SplitFunction> split; // if none: 64-bit constants

  int operator()(int lane) const { // of lanes that the pattern leaves open
    return constant ? *constant : function ? (*function)(lane) : split ? (*split)(lane) : 0;
  }
};

Choice choose(const Pattern& f, AddressBits look, bool has_lane) {
  Choice choice;
  choice.constant = one_source(f);
  if (choice.constant)
    return choice;
  const int limit = count_constants(f) - (has_lane ? 0 : 2);
  choice.function = find_function(f, look);
  if (choice.function && choice.function->instructions > limit)
    choice.function.reset();
  if (choice.function)
    return choice;
  choice.split = find_split(f, look);
  if (choice.split && choice.split->instructions > limit)
    choice.split.reset();
  return choice;
}

Address emit(Sequence& s, const SplitFunction& split, AddressBits look, int lane) {
  const auto whole = [&](const LaneFunction& f) {
    const Address at = emit(s, f, look, lane, true);
    if (!at.offset)
      return at.vgpr;
    const int v = s.vgpr_temporary();
    add(s, v, constant(uint32_t(at.offset)), at.vgpr);
    return v;
  };
  const int most = whole(split.most), rest = whole(split.rest), v = s.vgpr_temporary();
  s.set_mask("vcc", split.other, true);
  s.vector(v, "v_cndmask_b32 " + vgpr(v) + ", " + vgpr(most) + ", " + vgpr(rest) + ", vcc", true);
  const int lanes = std::popcount(split.other);
  return {v, 0,
          describe(split.most) + ", in " + std::to_string(lanes) + (lanes == 1 ? " lane " : " lanes ") +
              describe(split.rest)};
}

} // namespace

int lane_number(Sequence& s) {
  const int v = s.vgpr_temporary();
  s.vector(v, "v_mbcnt_lo_u32_b32 " + vgpr(v) + ", -1, 0", true);
  s.vector(v, "v_mbcnt_hi_u32_b32 " + vgpr(v) + ", -1, " + vgpr(v), true);
  return v;
}

int times_4(Sequence& s, int lane) {
  if (s.lane_times_4 < 0) {
    s.lane_times_4 = s.vgpr_temporary();
    two(s, "v_lshlrev_b32", s.lane_times_4, "2", lane);
  }
  return s.lane_times_4;
}

Address make_address(Sequence& s, const Pattern& f, AddressBits look, int lane) {
  const Choice choice = choose(f, look, lane >= 0);
  if (choice.constant) {
    const int v = s.vgpr_temporary();
    s.vector(v, "v_mov_b32 " + vgpr(v) + ", " + constant(uint32_t(*choice.constant) * 4), true);
    return {v, 0, "a constant"};
  }
  if (!choice.function && !choice.split)
    return emit_constants(s, f);
  const int number = lane < 0 ? lane_number(s) : lane;
  return choice.function ? emit(s, *choice.function, look, number, lane >= 0) : emit(s, *choice.split, look, number);
}

Pattern addressed(const Pattern& f, AddressBits look) {
  const Choice choice = choose(f, look, false);
  Pattern all = f;
  for (int i = 0; i < lane_count; ++i)
    if (all[size_t(i)] < 0)
      all[size_t(i)] = int8_t(choice(i));
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
