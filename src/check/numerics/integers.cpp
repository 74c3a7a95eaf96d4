// Most numbers are small: the widest of all lanes says that none of them leaves 32 bits.
#include "check/numerics/integers.h"
#include "isa/classify.h"
#include <algorithm>
#include <bit>
#include <limits>

namespace crosslane::check::numerics {

namespace {

// Bits of a signed number, but for its sign.
unsigned width(uint32_t v) { return unsigned(std::bit_width(v ^ uint32_t(int32_t(v) >> 31))); }

unsigned width(const machine::Wave& wave, const Source& s) {
  if (!s.exists())
    return 0;
  if (!s.is_vector())
    return width(s.integer(0));
  if (!s.is_whole())
    return 16;
  const uint32_t* v = lanes_of(wave, s.slot());
  uint32_t all = 0;
  for (int n = 0; n < machine::lanes_per_wave; ++n)
    all |= v[n] ^ uint32_t(int32_t(v[n]) >> 31);
  return unsigned(std::bit_width(all));
}

int64_t low24(int64_t v, bool sign) {
  const auto low = uint32_t(v) & 0xffffff;
  return sign ? int64_t(int32_t(low << 8) >> 8) : int64_t(low);
}

// What is meant, of operands that are all signed or all unsigned. Beyond 64 bits: far outside of 32 either way.
int64_t meant(Sum sum, int64_t a, int64_t b, int64_t c, unsigned fixed) {
  const auto product = [](int64_t x, int64_t y) {
    int64_t p = 0;
    return __builtin_mul_overflow(x, y, &p) ? std::numeric_limits<int64_t>::max() / 4 : p;
  };
  const auto shifted = [&](int64_t v, int64_t by) { return product(v, int64_t(1) << (by & 31)); };
  switch (sum) {
  case Sum::add: return a + b;
  case Sum::sub: return a - b;
  case Sum::subrev: return b - a;
  case Sum::mul: return product(a, b);
  case Sum::mul_u24: return product(low24(a, false), low24(b, false));
  case Sum::mul_i24: return product(low24(a, true), low24(b, true));
  case Sum::mad_u24: return product(low24(a, false), low24(b, false)) + c;
  case Sum::mad_i24: return product(low24(a, true), low24(b, true)) + c;
  case Sum::shl: return shifted(a, b);
  case Sum::shlrev: return shifted(b, a);
  case Sum::shl_add: return shifted(a, b) + c;
  case Sum::add_shl: return shifted(a + b, c);
  case Sum::add3: return a + b + c;
  case Sum::shl_fixed_add: return shifted(a, fixed) + b;
  default: return 0;
  }
}

class Judge {
public:
  explicit Judge(const About& a)
      : a_(a), in_(*a.i.in), scalar_(isa::row(in_.op).encoding <= isa::Encoding::SOPP),
        s_{Source(a.wave, a.i, 0, nullptr), Source(a.wave, a.i, 1, nullptr), Source(a.wave, a.i, 2, nullptr)} {
    if (isa::row(in_.op).encoding == isa::Encoding::SOPK)
      immediate_ = true, s_[0] = Source::accumulator(a.wave, a.i, nullptr);
  }

  void judge() {
    const uint64_t lanes = scalar_ ? 1 : written_lanes(in_, a_.exec);
    const bool small = a_.i.kind != Kind::integer || cannot_leave();
    if (small && a_.marks.clean())
      return;
    Mark marks[machine::lanes_per_wave] = {};
    for (uint64_t left = lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      marks[lane] = brought(lane);
      if (small || marks[lane].made == Made::overflow)
        continue;
      if (const Made made = made_here(lane); made != Made::nothing) {
        marks[lane] = {a_.i.pc, made};
        a_.made(made, lane, {operand(0, lane), operand(1, lane), operand(2, lane)}, count());
      }
    }
    for (const isa::Operand& o : a_.i.operands)
      if (o.written && o.role == isa::Role::dst)
        for (unsigned k = 0; k < o.dwords; ++k)
          for (uint64_t left = lanes; left; left &= left - 1)
            a_.marks.set(slot_of(o) + k, std::countr_zero(left), marks[std::countr_zero(left)]);
  }

private:
  uint32_t operand(int n, int lane) const {
    if (n == 1 && immediate_)
      return uint32_t(in_.imm);
    const int from = s_[n].exists() ? s_[n].from(lane) : -1;
    return from < 0 ? 0 : s_[n].integer(from);
  }
  unsigned count() const { return s_[2].exists() ? 3 : 2; }

  bool cannot_leave() const {
    const unsigned a = width(a_.wave, s_[0]), b = immediate_ ? 16 : width(a_.wave, s_[1]), c = width(a_.wave, s_[2]);
    // Of amounts, which are numbers below 32.
    const auto most = [&](int n) { return s_[n].is_vector() ? 31 : unsigned(operand(n, 0)) & 31; };
    switch (a_.i.sum) {
    case Sum::add:
    case Sum::sub:
    case Sum::subrev: return std::max(a, b) < 31;
    case Sum::mul: return a + b <= 31;
    case Sum::mul_u24:
    case Sum::mul_i24: return std::min(a, 24u) + std::min(b, 24u) <= 31;
    case Sum::mad_u24:
    case Sum::mad_i24: return std::max(std::min(a, 24u) + std::min(b, 24u), c) < 31;
    case Sum::shl: return a + most(1) <= 31;
    case Sum::shlrev: return b + most(0) <= 31;
    case Sum::shl_add: return std::max(a + most(1), c) < 31;
    case Sum::add_shl: return std::max(a, b) + 1 + most(2) <= 31;
    case Sum::add3: return std::max({a, b, c}) < 30;
    case Sum::shl_fixed_add: return std::max(a + a_.i.aux, b) < 31;
    default: return true;
    }
  }

  Made made_here(int lane) const {
    const uint32_t a = operand(0, lane), b = operand(1, lane), c = operand(2, lane);
    const bool amounts_last = a_.i.sum == Sum::shl || a_.i.sum == Sum::shlrev;
    if (amounts_last && (a == 0 || b == 0))
      return Made::nothing;
    const int64_t as_signed = meant(a_.i.sum, int32_t(a), int32_t(b), int32_t(c), a_.i.aux);
    const bool fits_signed = as_signed == int32_t(as_signed);
    const int64_t as_unsigned = meant(a_.i.sum, a, b, c, a_.i.aux);
    const bool fits_unsigned = as_unsigned == int64_t(uint32_t(as_unsigned));
    return fits_signed ? Made::nothing : fits_unsigned ? Made::unsigned_only : Made::overflow;
  }

  // A difference that is not one with a constant is taken for a remainder, as compilers have it: x - x / n * n.
  bool drops() const {
    if (a_.i.sum != Sum::sub && a_.i.sum != Sum::subrev)
      return false;
    return s_[a_.i.sum == Sum::sub ? 1 : 0].slot() != slot::end;
  }
  Mark brought(int lane) const {
    if (a_.marks.clean() || drops())
      return {};
    const bool right = a_.i.sum == Sum::sign || a_.i.sum == Sum::signrev;
    const uint32_t amount = right ? operand(a_.i.sum == Sum::sign ? 1 : 0, lane) : 0;
    for (const Source& s : s_)
      for (unsigned k = 0; s.exists() && s.is_whole() && s.slot() != slot::end && k < s.dwords(); ++k) {
        if (s.from(lane) < 0)
          continue;
        // Of 32 bits, only the sign by itself makes 64 of them: other shifts to the right take a field, as hashes do.
        const bool extends = a_.i.sum == Sum::mad_signed || (right && (s.dwords() == 2 || (amount & 31) == 31));
        Mark m = a_.marks.at(s.slot() + k, s.from(lane));
        if (m.made == Made::unsigned_only && extends)
          m.made = Made::overflow;
        if (m.made == Made::overflow ? !right || extends
                                     : m.made == Made::unsigned_only && a_.i.kind == Kind::widened && !right)
          return m;
      }
    return {};
  }

  const About& a_;
  const isa::Instruction& in_;
  const bool scalar_;
  bool immediate_ = false;
  Source s_[3];
};

} // namespace

void judge_integers(const About& a) { Judge(a).judge(); }

} // namespace crosslane::check::numerics
