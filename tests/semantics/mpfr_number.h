// Owns MPFR as an oracle: floats of any format as MPFR numbers, operations rounded once to a format in any mode,
// denormals included, and the distance of a result from a value of many bits.
#pragma once
#include "tests/semantics/exact.h"
#include <mpfr.h>

namespace crosslane::test {

class Number {
public:
  explicit Number(int precision) { mpfr_init2(v_, precision); }
  Number(FloatFormat f, uint64_t bits); // exactly
  Number(Number&& other) noexcept {
    v_[0] = other.v_[0];
    other.v_[0]._mpfr_d = nullptr;
  }
  Number(const Number&) = delete;
  ~Number() {
    if (v_[0]._mpfr_d)
      mpfr_clear(v_);
  }
  operator mpfr_ptr() { return v_; }
  operator mpfr_srcptr() const { return v_; }

private:
  mpfr_t v_;
};

mpfr_rnd_t rounding(int mode); // of MODE: 0 nearest even, 1 up, 2 down, 3 toward zero

// The bits of a number that a format holds.
uint64_t bits_of(FloatFormat f, mpfr_srcptr v);

// What `operation` gives in the format: called with a result of the format's precision and a rounding mode, it returns
// MPFR's ternary value.
template <class Operation> uint64_t rounded(FloatFormat f, int mode, Operation operation) {
  Number result(f.mantissa + 1);
  const mpfr_rnd_t r = rounding(mode);
  int ternary = operation(mpfr_ptr(result), r);
  const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
  mpfr_set_emin(2 - f.bias() - f.mantissa);
  mpfr_set_emax(f.bias() + 1);
  ternary = mpfr_check_range(result, ternary, r);
  mpfr_subnormalize(result, ternary, r);
  mpfr_set_emin(least);
  mpfr_set_emax(most);
  return bits_of(f, result);
}

// |got - exact| in units of the last place of exact in the format; infinite if only one of them is.
double error_in_ulp(FloatFormat f, uint64_t got, mpfr_srcptr exact);

} // namespace crosslane::test
