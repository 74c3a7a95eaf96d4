// Owns what a row promises: the exact result of the manual's formula, or an approximation and its bound. Bounds are
// what tests/semantics measures against long double and MPFR, in ulp of the result, round to nearest; half an ulp more
// in the directed round modes. Where more than one source is NaN, which of them a float row passes on is not specified.
#pragma once
#include <string>
#include <string_view>

namespace crosslane::semantics {

struct Fidelity {
  bool exact = true;
  double ulp = 0;         // the bound of an approximate row; 0 if `unit` says it all
  std::string_view why{}; // what hardware does and what is done here
  std::string_view unit = "ulp";
};

struct FidelityRow {
  std::string_view row;
  Fidelity fidelity;
};

inline constexpr std::string_view refined = "hardware: 1 ulp; here: polynomial in f64, rounded once";
inline constexpr std::string_view stepped = "hardware: 1 ulp; here: Newton steps in f32, the last one rounded once";
inline constexpr std::string_view rounded = "hardware: 1 ulp; here: correctly rounded in round to nearest";
inline constexpr std::string_view rounded64 = "hardware: 2^29 ulp; here: correctly rounded in round to nearest";
inline constexpr std::string_view twice = "hardware: 0.51 ulp; here: the f32 result, rounded to f16";

inline constexpr std::string_view summed = "assumed: products exact, their sum rounded, then the addend";
// A sum that cancels loses what was rounded before.
inline constexpr std::string_view of_largest = "ulp of the largest partial sum";

inline constexpr std::string_view filtered =
    "hardware: coordinates and weights in fixed point; here: 8 bits of fraction, sums in f64";

// A row that ends in '*' stands for all that begin so.
inline constexpr FidelityRow approximate_rows[] = {
    {"v_rcp_f32", {false, 0.5, rounded}},
    {"v_rcp_iflag_f32", {false, 0.5, rounded}},
    {"v_sqrt_f32", {false, 0.5, rounded}},
    {"v_rsq_f32", {false, 0.501, stepped}},
    {"v_exp_f32", {false, 0.502, refined}},
    {"v_exp_legacy_f32", {false, 0.502, refined}},
    {"v_log_f32", {false, 0.501, refined}},
    {"v_log_legacy_f32", {false, 0.501, refined}},
    {"v_sin_f32", {false, 0.501, refined}},
    {"v_cos_f32", {false, 0.501, refined}},
    {"v_rcp_clamp_f32", {false, 0.5, rounded}},
    {"v_rcp_legacy_f32", {false, 0.5, rounded}},
    {"v_rsq_clamp_f32", {false, 0.501, stepped}},
    {"v_rsq_legacy_f32", {false, 0.501, stepped}},
    {"v_log_clamp_f32", {false, 0.501, refined}},
    {"v_rcp_clamp_f64", {false, 0.5, rounded64}},
    {"v_rsq_clamp_f64", {false, 1.5, "hardware: 2^29 ulp; here: root, then quotient"}},
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
    {"v_dot2_f32_f16", {false, 1.0, summed, of_largest}},
    {"v_dot2c_f32_f16", {false, 1.0, summed, of_largest}},
    {"s_memtime", {false, 0, "hardware: the shader clock; here: the host's clock", "counts up at 1 GHz"}},
    {"s_memrealtime", {false, 0, "hardware: a reference clock; here: the host's clock", "counts up at 100 MHz"}},
    {"image_sample*", {false, 0, filtered, "1/512 of a texel"}},
    {"image_gather4*", {false, 0, filtered, "1/512 of a texel"}},
};

// Rows that are not listed are exact.
constexpr Fidelity fidelity(std::string_view row) {
  for (const FidelityRow& r : approximate_rows)
    if (r.row == row || (r.row.ends_with('*') && row.starts_with(r.row.substr(0, r.row.size() - 1))))
      return r.fidelity;
  return {};
}

// "0.502 ulp"
inline std::string bound(const Fidelity& f) {
  if (f.ulp == 0)
    return std::string(f.unit);
  std::string number = std::to_string(f.ulp); // six digits behind the point
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.'))
    number.pop_back();
  return number + " " + std::string(f.unit);
}

} // namespace crosslane::semantics
