// Owns the division sequences that LLVM emits, run on rows: division tests compare the quotient with other divisions.
#pragma once
#include "tests/semantics/check.h"

namespace crosslane::test {

// One instruction on bits. The rows are looked up once: the sequences run them millions of times.
struct Machine {
  ModeBits mode;
  Out operator()(const RowEntry& r, uint64_t a, uint64_t b = 0, uint64_t c = 0, bool vcc = false) const {
    Call call{};
    call.source[0][0] = a, call.source[1][0] = b, call.source[2][0] = c;
    call.mask = vcc;
    call.mode = mode;
    Result result{};
    r.lane(call, 0, result);
    return {result.value[0], bool(result.flag & 1)};
  }
};

struct Rows {
  const RowEntry &scale, &rcp, &fma, &mul, &fmas, &fixup;
  uint64_t sign, one;
};
inline const Rows& single_rows() {
  static const Rows rows{row("v_div_scale_f32"), row("v_rcp_f32"),       row("v_fma_f32"), row("v_mul_f32"),
                         row("v_div_fmas_f32"),  row("v_div_fixup_f32"), 0x80000000,       0x3f800000};
  return rows;
}
inline const Rows& double_rows() {
  static const Rows rows{row("v_div_scale_f64"), row("v_rcp_f64"),       row("v_fma_f64"),   row("v_mul_f64"),
                         row("v_div_fmas_f64"),  row("v_div_fixup_f64"), 0x8000000000000000, 0x3ff0000000000000};
  return rows;
}

// The f32 sequence, denormals on (LLVM turns them on around it when the mode has them off).
inline uint64_t divide_single(const Machine& m, uint64_t x, uint64_t y) {
  const Rows& r = single_rows();
  const uint64_t d = m(r.scale, y, y, x).value;
  const Out n = m(r.scale, x, y, x);
  const uint64_t rcp = m(r.rcp, d).value, negative = d ^ r.sign;
  const uint64_t f0 = m(r.fma, negative, rcp, r.one).value;
  const uint64_t f1 = m(r.fma, f0, rcp, rcp).value;
  const uint64_t q = m(r.mul, n.value, f1).value;
  const uint64_t f2 = m(r.fma, negative, q, n.value).value;
  const uint64_t f3 = m(r.fma, f2, f1, q).value;
  const uint64_t f4 = m(r.fma, negative, f3, n.value).value;
  const uint64_t scaled = m(r.fmas, f4, f1, f3, n.flag).value;
  return m(r.fixup, scaled, y, x).value;
}
// The f64 sequence: one more step for the reciprocal.
inline uint64_t divide_double(const Machine& m, uint64_t x, uint64_t y) {
  const Rows& r = double_rows();
  const uint64_t d = m(r.scale, y, y, x).value, negative = d ^ r.sign;
  const uint64_t rcp = m(r.rcp, d).value;
  const uint64_t f0 = m(r.fma, negative, rcp, r.one).value;
  const uint64_t f1 = m(r.fma, rcp, f0, rcp).value;
  const uint64_t f2 = m(r.fma, negative, f1, r.one).value;
  const Out n = m(r.scale, x, y, x);
  const uint64_t f3 = m(r.fma, f1, f2, f1).value;
  const uint64_t q = m(r.mul, n.value, f3).value;
  const uint64_t f4 = m(r.fma, negative, q, n.value).value;
  const uint64_t scaled = m(r.fmas, f4, f3, q, n.flag).value;
  return m(r.fixup, scaled, y, x).value;
}

} // namespace crosslane::test
