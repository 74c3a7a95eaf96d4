// Owns what a row promises: the exact result of the manual's formula, or an approximation and its bound. Bounds are
// what tests/semantics measures against long double, in ulp of the result, round to nearest. Where more than one source
// is NaN, which of them a float row passes on is not specified.
#pragma once
#include <string_view>

namespace crosslane::semantics {

struct Fidelity {
  bool exact = true;
  double ulp = 0;         // of an approximate row
  std::string_view why{}; // what the number rests on
};

struct FidelityRow {
  std::string_view row;
  Fidelity fidelity;
};

inline constexpr std::string_view refined = "hardware: 1 ulp; here: polynomial in f64, rounded once";
inline constexpr std::string_view rounded = "hardware: 1 ulp; here: correctly rounded in round to nearest";
inline constexpr std::string_view rounded64 = "hardware: 2^29 ulp; here: correctly rounded in round to nearest";
inline constexpr std::string_view twice = "hardware: 0.51 ulp; here: the f32 result, rounded to f16";

inline constexpr FidelityRow approximate_rows[] = {
    {"v_rcp_f32", {false, 0.5, rounded}},
    {"v_rcp_iflag_f32", {false, 0.5, rounded}},
    {"v_sqrt_f32", {false, 0.5, rounded}},
    {"v_rsq_f32", {false, 0.501, refined}},
    {"v_exp_f32", {false, 0.502, refined}},
    {"v_exp_legacy_f32", {false, 0.502, refined}},
    {"v_log_f32", {false, 0.501, refined}},
    {"v_log_legacy_f32", {false, 0.501, refined}},
    {"v_sin_f32", {false, 0.501, refined}},
    {"v_cos_f32", {false, 0.501, refined}},
    {"v_rcp_f64", {false, 0.5, rounded64}},
    {"v_sqrt_f64", {false, 0.5, rounded64}},
    {"v_rsq_f64", {false, 1.5, "hardware: 2^29 ulp; here: root, then quotient"}},
    {"v_rcp_f16", {false, 0.51, twice}},
    {"v_sqrt_f16", {false, 0.51, twice}},
    {"v_rsq_f16", {false, 0.51, twice}},
    {"v_exp_f16", {false, 0.51, twice}},
    {"v_log_f16", {false, 0.51, twice}},
    {"v_sin_f16", {false, 0.51, twice}},
    {"v_cos_f16", {false, 0.51, twice}},
    {"v_dot2_f32_f16",
     {false, 1.0, "assumed: products exact, their sum rounded, then the addend; hardware would tell"}},
    {"v_dot2c_f32_f16", {false, 1.0, "assumed: as v_dot2_f32_f16"}},
};

// Rows that are not listed are exact.
constexpr Fidelity fidelity(std::string_view row) {
  for (const FidelityRow& r : approximate_rows)
    if (r.row == row)
      return r.fidelity;
  return {};
}

} // namespace crosslane::semantics
