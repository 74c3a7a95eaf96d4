// The table. What C leaves open is closed in the template: counts are masked, signed sums are formed unsigned,
// quotients go through portable.h's guards, minima get operands without -0 and NaN.
#include "tests/generated/operations.h"
#include <map>

namespace crosslane::generated {

namespace {

using enum Base;
constexpr Base integers[] = {i8, u8, i16, u16, i32, u32, i64, u64};
constexpr Type scalar(Base b) { return {b, 1}; }

struct Table {
  std::map<Type, std::vector<Operation>> rows;
  void add(Type result, std::string text, std::vector<Type> arguments, unsigned weight = 4, bool of_loads = false) {
    rows[result].push_back({result, std::move(text), std::move(arguments), weight, of_loads});
  }
};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

void integer_arithmetic(Table& t, Type T) {
  const Type U{as_unsigned(T.base), T.width};
  const std::string n = name_of(T), u = name_of(U), bits = std::to_string(8 * bytes_of(T.base) - 1);
  const bool vector = T.width > 1, small = bytes_of(T.base) < 4;
  // Formed unsigned and wide enough, taken back.
  const auto wrapping = [&](const std::string& a, const std::string& op, const std::string& b) {
    if (vector)
      return "as_" + n + "(as_" + u + "(" + a + ") " + op + " as_" + u + "(" + b + "))";
    return "(" + n + ")((" + (small ? "uint" : u) + ")" + a + " " + op + " (" + (small ? "uint" : u) + ")" + b + ")";
  };
  for (const char* op : {"+", "-", "*"})
    t.add(T, wrapping("$0", op, "$1"), {T, T}, op[0] == '*' ? 5 : 8);
  for (const char* op : {"&", "|", "^"})
    t.add(T, std::string("(") + n + ")($0 " + op + " $1)", {T, T}, 6);
  t.add(T, "(" + n + ")(~$0)", {T}, 2);
  t.add(T, wrapping("(" + n + ")(0)", "-", "$0"), {T}, 2);
  t.add(T, wrapping("$0", "<<", "($1 & (" + n + ")" + bits + ")"), {T, T}, 5);
  t.add(T, "(" + n + ")($0 >> ($1 & (" + n + ")" + bits + "))", {T, T}, 6);
  t.add(T, "rotate($0, $1)", {T, T}, 3);
  t.add(T, "min($0, $1)", {T, T}, 4);
  t.add(T, "max($0, $1)", {T, T}, 4);
  t.add(T, "max(max($0, $1), $2)", {T, T, T}, 2);
  t.add(T, "min($0, min($1, $2))", {T, T, T}, 2);
  t.add(T, "clamp($0, (" + n + ")(5), (" + n + ")(99))", {T}, 2);
  t.add(T, "clamp($0, min($1, $2), max($1, $2))", {T, T, T}, 2);
  // LLVM 19 loses the clamp of gfx8's v_add_u32 and v_sub_u32 when it folds a constant into them, and takes two
  // saturating subtractions of 16 bits for one another when it turns them into SDWA (it commutes v_sub_u16_sdwa).
  const bool clamped = !is_signed(T.base);
  t.add(T, "add_sat($0, $1)", {T, T}, 3, clamped);
  t.add(T, "sub_sat($0, $1)", {T, T}, 3, clamped);
  // abs_diff() of signed values overflows in libclc and in PoCL.
  if (is_signed(T.base) || small)
    t.add(T, wrapping("max($0, $1)", "-", "min($0, $1)"), {T, T}, 2);
  else
    t.add(T, "abs_diff($0, $1)", {T, T}, 2, true);
  // libclc's abs() overflows for the smallest value.
  if (is_signed(T.base))
    t.add(T, "max($0, " + wrapping("(" + n + ")(0)", "-", "$0") + ")", {T}, 2);
  t.add(T, "hadd($0, $1)", {T, T}, 1);
  t.add(T, "rhadd($0, $1)", {T, T}, 1);
  t.add(T, "mul_hi($0, $1)", {T, T}, 2);
  t.add(T, "clz($0)", {T}, 2);
  t.add(T, "popcount($0)", {T}, 2);
  t.add(T, "bitselect($0, $1, $2)", {T, T, T}, 3);
  t.add(T, "select($0, $1, $2)", {T, T, {as_signed(T.base), T.width}}, 3);
  t.add(T, wrapping(wrapping("$0", "*", "$1"), "+", "$2"), {T, T, T}, 5);
  if (!vector) {
    // LLVM 19 takes an unsigned dividend with many sign bits, a converted char, for a small one.
    const bool wide = !is_signed(T.base) && !small;
    t.add(T, "div_" + n + "($0, $1)", {T, T}, 1, wide);
    t.add(T, "mod_" + n + "($0, $1)", {T, T}, 1, wide);
    t.add(T, "(" + n + ")($0 / (" + n + ")7)", {T}, 1, wide);
    t.add(T, "(" + n + ")($0 % (" + n + ")10)", {T}, 1, wide);
    t.add(T, "(" + n + ")($0 ? $1 : $2)", {scalar(i32), T, T}, 6);
  }
  if (!vector || bytes_of(T.base) < 8)
    for (const char* op : {"<<", ">>"})
      t.add(T,
            op[0] == '<' ? wrapping("$0", op, vector ? "(" + n + ")(3)" : "3u") : "(" + n + ")($0 >> (" + n + ")(3))",
            {T}, 2);
}

// Between elements: every conversion of one width; bits of the same size.
void conversions(Table& t, Type T) {
  const std::string n = name_of(T);
  if (T.base == f16)
    return;
  for (Base b : integers)
    if (b != T.base)
      t.add(T, "convert_" + n + "($0)", {{b, T.width}}, T.width == 1 ? 2 : 1);
  if (!is_float(T.base))
    for (Base b : integers)
      if (b != T.base && T.width <= 2)
        t.add(T, "convert_" + n + "_sat($0)", {{b, T.width}}, 1);
  if (T.base == f32 && T.width <= 2)
    t.add(T, "convert_" + n + "($0)", {{f64, T.width}}, 2);
  if (T.base == f64)
    t.add(T, "convert_" + n + "($0)", {{f32, T.width}}, 3);
  if (!is_float(T.base) && T.width == 1) {
    t.add(T, n + "_of_float($0)", {scalar(f32)}, 3);
    t.add(T, n + "_of_double($0)", {scalar(f64)}, 2);
  }
  const unsigned size = bytes_of(T.base) * T.width;
  if (T.width == 3 || T.base == f64)
    return;
  for (Base b : integers)
    for (uint8_t width : {1, 2, 4})
      if (b != T.base && bytes_of(b) * width == size && !(is_float(T.base) && width > 1))
        t.add(T, "as_" + n + "($0)", {{b, width}}, 1);
}

void vectors(Table& t, Type T) {
  if (T.width == 1) { // an element
    for (uint8_t w : {2, 3, 4})
      for (int i = 0; i < w; ++i)
        t.add(
            T, std::string("($0).") + "xyzw" [i],
            {
              {
                T.base, w
              }
            },
            1);
    return;
  }
  const std::string n = name_of(T);
  const Type one = scalar(T.base), two{T.base, 2}, four{T.base, 4};
  t.add(T, "(" + n + ")($0)", {one}, 3);
  if (T.width == 2)
    t.add(T, "(" + n + ")($0, $1)", {one, one}, 12);
  if (T.width == 3)
    t.add(T, "(" + n + ")($0, $1, $2)", {one, one, one}, 12);
  if (T.width == 4) {
    t.add(T, "(" + n + ")($0, $1, $2, $3)", {one, one, one, one}, 9);
    t.add(T, "(" + n + ")($0, $1)", {two, two}, 6);
    t.add(T, "(" + n + ")($0.odd, $1.even)", {four, four}, 1);
  }
  for (const char* from : {"yx", "xx", "zyx", "xxy", "wzyx", "xzyw", "yyww", "zwxy"}) {
    const std::string s(from);
    if (s.size() == T.width)
      t.add(T, "($0)." + s, {T}, 2);
  }
  if (T.width == 2) {
    t.add(T, "($0).hi", {four}, 2);
    t.add(T, "($0).even", {four}, 2);
    t.add(T, "($0).zx", {{T.base, 3}}, 1);
  }
  if (T.width == 3)
    t.add(T, "($0).wyz", {four}, 3);
}

void comparisons(Table& t) {
  const Type truth = scalar(i32);
  for (Base b : {i8, u8, i16, u16, i32, u32, i64, u64, f32, f64})
    for (const char* op : {"<", "<=", "==", "!=", ">", ">="})
      t.add(truth, std::string("($0 ") + op + " $1)", {scalar(b), scalar(b)}, bytes_of(b) == 4 ? 3 : 1);
  for (Base b : {f32, f64}) {
    t.add(truth, "(!($0 < $1))", {scalar(b), scalar(b)}, 1);
    t.add(truth, "(!($0 >= $1))", {scalar(b), scalar(b)}, 1);
    t.add(truth, "isunordered($0, $1)", {scalar(b), scalar(b)}, 1);
    t.add(truth, "isordered($0, $1)", {scalar(b), scalar(b)}, 1);
    t.add(truth, "islessgreater($0, $1)", {scalar(b), scalar(b)}, 1);
    t.add(truth, "isfinite($0)", {scalar(b)}, 1);
    t.add(truth, "isnan($0)", {scalar(b)}, 1);
    t.add(truth, b == f32 ? "g_class_f32($0, 0x134)" : "g_class_f64($0, 0x24c)", {scalar(b)}, 1);
  }
  for (const char* name : {"h_lt", "h_le", "h_eq", "h_ne"})
    t.add(truth, std::string(name) + "($0, $1)", {scalar(f16), scalar(f16)}, 1);
  t.add(truth, "h_class($0)", {scalar(f16)}, 1);
  t.add(truth, "($0 && $1)", {truth, truth}, 2);
  t.add(truth, "($0 || $1)", {truth, truth}, 2);
  t.add(truth, "(!$0)", {truth}, 1);
  for (Base b : {i8, i16, i32, i64})
    for (uint8_t w : {2, 4}) {
      const Type result{b, w};
      for (Base from : {b, as_unsigned(b)})
        for (const char* op : {"<", "==", ">="})
          t.add(result, std::string("($0 ") + op + " $1)", {{from, w}, {from, w}}, 1);
      t.add(truth, "any($0)", {result}, 1);
      t.add(truth, "all($0)", {result}, 1);
    }
  for (uint8_t w : {2, 4}) {
    t.add({i32, w}, "($0 < $1)", {{f32, w}, {f32, w}}, 2);
    t.add({i64, w}, "($0 <= $1)", {{f64, w}, {f64, w}}, 1);
  }
}

void floats(Table& t, Type T) {
  const std::string n = name_of(T), suffix = T.base == f32 ? "_f32" : "_f64";
  for (const char* op : {"+", "-", "*"})
    t.add(T, std::string("($0 ") + op + " $1)", {T, T}, 9);
  t.add(T, "($0 / $1)", {T, T}, T.width == 1 ? 2 : 1);
  t.add(T, "g_fma($0, $1, $2)", {T, T, T}, 9);
  t.add(T, "($0 * $1 + $2)", {T, T, T}, 5);
  t.add(T, "sqrt($0)", {T}, T.width == 1 ? 2 : 1);
  for (const char* name : {"fabs", "rint", "floor", "ceil", "trunc"})
    t.add(T, std::string(name) + "($0)", {T}, 3);
  t.add(T, "(-$0)", {T}, 4);
  t.add(T, "g_fma(-$0, fabs($1), $2)", {T, T, T}, 4);
  t.add(T, "($0 - fabs($1))", {T, T}, 3);
  t.add(T, "select($0, $1, $2)", {T, T, {T.base == f32 ? i32 : i64, T.width}}, 3);
  if (T.width > 1)
    return;
  const std::string plain = "plain" + suffix;
  t.add(T, "fmin(" + plain + "($0), " + plain + "($1))", {T, T}, 3);
  t.add(T, "fmax(" + plain + "($0), " + plain + "($1))", {T, T}, 3);
  t.add(T, "fmax(" + plain + "($0), fmax(" + plain + "($1), " + plain + "($2)))", {T, T, T}, 1);
  t.add(T, "fmin(" + plain + "($0), fmin(" + plain + "($1), " + plain + "($2)))", {T, T, T}, 1);
  t.add(T, "fmin(fmax(" + plain + "($0), " + n + "_zero), " + n + "_one)", {T}, 3);
  t.add(T, "copysign($0, " + plain + "($1))", {T, T}, 1);
  t.add(T, "g_fract" + suffix + "($0)", {T}, 2);
  t.add(T, "g_frexp_mant" + suffix + "($0)", {T}, 2);
  t.add(T, "g_ldexp" + suffix + "($0, $1)", {T, scalar(i32)}, 1);
  t.add(T, "g_ldexp" + suffix + "($0, $1 & 31)", {T, scalar(i32)}, 2);
  t.add(T, "($0 ? $1 : $2)", {scalar(i32), T, T}, 5);
  t.add(T, "($0 < $1 ? $0 : $1)", {T, T}, 2);
  t.add(T, "(($0 + $1) * (" + n + ")2)", {T, T}, 2);
  t.add(T, "($0 * (" + n + ")0.5)", {T}, 1);
  if (T.base == f32) {
    t.add(T, "g_med3_f32($0, $1, $2)", {T, T, T}, 2);
    for (int shift : {0, 8, 16, 24})
      t.add(T, "(float)(($0 >> " + std::to_string(shift) + ") & 255)", {scalar(u32)}, 1);
    t.add(T, "(float_of_h($0) * float_of_h($1) + $2)", {scalar(f16), scalar(f16), T}, 2);
    t.add(T, "g_fma(float_of_h($0), float_of_h($1), $2)", {scalar(f16), scalar(f16), T}, 2);
    t.add(T, "float_of_h($0)", {scalar(f16)}, 3);
  } else {
    t.add(T, "double_of_h($0)", {scalar(f16)}, 1);
  }
}

void halves(Table& t) {
  const Type h = scalar(f16), h2{f16, 2};
  for (const char* name : {"add", "sub", "mul", "min", "max"}) {
    t.add(h, std::string("h_") + name + "($0, $1)", {h, h}, 6);
    t.add(h2, std::string("h2_") + name + "($0, $1)", {h2, h2}, 6);
  }
  t.add(h, "h_div($0, $1)", {h, h}, 1);
  t.add(h, "h_fma($0, $1, $2)", {h, h, h}, 6);
  t.add(h2, "h2_fma($0, $1, $2)", {h2, h2, h2}, 8);
  t.add(h, "h_add(h_mul($0, $1), $2)", {h, h, h}, 3);
  t.add(h2, "h2_neg($0)", {h2}, 2);
  t.add(h2, "h2_swap($0)", {h2}, 2);
  t.add(h2, "h2_make($0, $1)", {h, h}, 8);
  t.add(h2, "h2_make(h2_x($0), h2_y($1))", {h2, h2}, 3);
  for (const char* name : {"neg", "abs", "rint", "floor", "ceil", "trunc"})
    t.add(h, std::string("h_") + name + "($0)", {h}, 2);
  t.add(h, "h2_x($0)", {h2}, 3);
  t.add(h, "h2_y($0)", {h2}, 3);
  t.add(h, "h_of_float($0)", {scalar(f32)}, 5);
  t.add(h, "h_of_double($0)", {scalar(f64)}, 1);
  t.add(h, "h_of_int($0)", {scalar(i32)}, 1);
  t.add(h, "h_of_short($0)", {scalar(i16)}, 3);
  t.add(h, "h_of_ushort($0)", {scalar(u16)}, 3);
  t.add(h, "h_of_bits($0)", {scalar(u16)}, 3);
  t.add(h, "h_of_fma(g_fma(float_of_h($0), float_of_h($1), $2))", {h, h, scalar(f32)}, 3);
  t.add(h, "($0 ? $1 : $2)", {scalar(i32), h, h}, 3);
  t.add(scalar(u16), "bits_f16($0)", {h}, 3);
  t.add(scalar(i16), "short_of_h($0)", {h}, 3);
}

void gpu(Table& t) {
  const Type u = scalar(u32), i = scalar(i32), l = scalar(u64), f = scalar(f32), d = scalar(f64);
  for (const char* name : {"perm", "alignbit", "alignbyte", "sad_u8", "msad_u8", "sad_hi_u8", "sad_u16", "lerp"})
    t.add(u, std::string("g_") + name + "($0, $1, $2)", {u, u, u}, 2);
  t.add(u, "g_perm($0, $1, $2 & 0x0f0f0f0fu)", {u, u, u}, 3);
  t.add(u, "g_ubfe($0, $1, $2)", {u, u, u}, 2);
  t.add(i, "g_sbfe($0, $1, $2)", {i, u, u}, 2);
  t.add(u, "(($0 >> 7) & 0x1ff)", {u}, 2);
  t.add(i, "((int)((uint)$0 << 9) >> 20)", {i}, 2);
  t.add(u, "(((1u << ($0 & 31)) - 1) << ($1 & 31))", {u, u}, 1);
  t.add(i, "g_sffbh($0)", {i}, 2);
  t.add(u, "($0 ? (uint)__builtin_ctz($0) : 32u)", {u}, 2);
  t.add(u, "(uint)__builtin_bitreverse32($0)", {u}, 2);
  t.add(l, "g_qsad($0, $1, $2)", {l, u, l}, 3);
  t.add(u, "g_cvt_pk_u8($0, $1, $2)", {f, u, u}, 2);
  t.add(u, "g_pkrtz(plain_f32($0), plain_f32($1))", {f, f}, 2);
  t.add(i, "g_sdot4($0, $1, $2)", {i, i, i}, 2);
  t.add(i, "g_sdot8($0, $1, $2)", {i, i, i}, 2);
  t.add(i, "g_sdot2($0, $1, $2)", {i, i, i}, 2);
  t.add(u, "g_udot4($0, $1, $2)", {u, u, u}, 2);
  t.add(u, "g_udot8($0, $1, $2)", {u, u, u}, 2);
  t.add(u, "g_udot2($0, $1, $2)", {u, u, u}, 2);
  t.add(i, "g_frexp_exp_f32($0)", {f}, 2);
  t.add(i, "g_frexp_exp_f64($0)", {d}, 2);
  t.add(u, "bits_f32($0)", {f}, 4);
  t.add(l, "bits_f64($0)", {d}, 4);
  t.add(u, "g_rcp_ok($0 & 0xffff)", {u}, 1);
  t.add(u, "g_rsq_ok(($0 & 0xfff) + 1)", {u}, 1);
  t.add(u, "g_exp_log_ok((int)($0 & 63) - 30)", {u}, 1);
  t.add(u, "g_sincos_ok((float)($0 & 1023) * 0.125f)", {u}, 1);
  // What the manuals' 24-bit, carry, and wide instructions are for.
  t.add(u, "mul24($0 & 0xffffff, $1 & 0xffffff)", {u, u}, 3);
  t.add(u, "mad24($0 & 0xffffff, $1 & 0xffffff, $2)", {u, u, u}, 3);
  // A product or sum beyond 32 bits overflows in libclc.
  t.add(i, "mul24($0 >> 8, $1 >> 24)", {i, i}, 3);
  t.add(i, "mad24($0 >> 24, $1 >> 9, $2 >> 1)", {i, i, i}, 3);
  t.add(u, "(uint)(((ulong)($0 & 0xffffff) * ($1 & 0xffffff)) >> 32)", {u, u}, 2);
  t.add(i, "(int)(((long)($0 >> 8) * ($1 >> 8)) >> 32)", {i, i}, 2);
  t.add(l, "((ulong)$0 * $1 + $2)", {u, u, l}, 4);
  t.add(scalar(i64), "(long)((ulong)((long)$0 * $1) + (ulong)$2)", {i, i, scalar(i64)}, 3);
  t.add(l, "upsample($0, $1)", {u, u}, 2);
  t.add(u, "upsample($0, $1)", {scalar(u16), scalar(u16)}, 2);
  t.add(u, "(uint)($0 >> 32)", {l}, 3);
  t.add(u, "mad_hi($0, $1, $2 & 1)", {u, u, u}, 1);
  t.add(u, "(($0 << 5) + $1)", {u, u}, 3);
  t.add(u, "(($0 + $1) << 4)", {u, u}, 3);
  t.add(u, "(($0 << 7) | $1)", {u, u}, 3);
  t.add(u, "(($0 & $1) | $2)", {u, u, u}, 3);
  t.add(u, "($0 | $1 | $2)", {u, u, u}, 3);
  t.add(u, "($0 + $1 + $2)", {u, u, u}, 3);
  t.add(u, "(($0 ^ $1) + $2)", {u, u, u}, 3);
  t.add(u, "($0 & ~$1)", {u, u}, 3);
  t.add(l, "($0 & ~$1)", {l, l}, 2);
  t.add(u, "~($0 ^ $1)", {u, u}, 2);
  t.add(u, "(($0 & 0x00ff00ff) << 8 | ($0 >> 8 & 0x00ff00ff))", {u}, 2);
  t.add(u, "(($0 & 255) + ($1 >> 24))", {u, u}, 4);
  t.add(u, "((($0 >> 8) & 255) | (($1 >> 16) & 255))", {u, u}, 3);
  t.add(u, "(($0 & 0xffff) * ($1 >> 16))", {u, u}, 3);
  t.add(i, "((int)(short)$0 + (int)(char)($1 >> 8))", {i, i}, 3);
  t.add(u, "(($0 >> 16) ^ ($1 & 0xffff))", {u, u}, 3);
  t.add(u, "($0 - ($1 < $2))", {u, u, u}, 2);
}

Table build() {
  Table t;
  for (uint8_t w : {1, 2, 3, 4})
    for (Base b : integers) {
      integer_arithmetic(t, {b, w});
      conversions(t, {b, w});
      vectors(t, {b, w});
    }
  for (uint8_t w : {1, 2, 3, 4})
    for (Base b : {f32, f64}) {
      floats(t, {b, w});
      conversions(t, {b, w});
      vectors(t, {b, w});
    }
  halves(t);
  comparisons(t);
  gpu(t);
  for (auto& [type, rows] : t.rows) {
    for (auto& row : rows)
      row.text = replaced(replaced(std::move(row.text), "float_zero", "0.0f"), "float_one", "1.0f");
    for (auto& row : rows)
      row.text = replaced(replaced(std::move(row.text), "double_zero", "0.0"), "double_one", "1.0");
  }
  return t;
}

} // namespace

static const Table& table() {
  static const Table all = build();
  return all;
}

std::span<const Operation> operations_for(Type result) {
  const auto found = table().rows.find(result);
  return found == table().rows.end() ? std::span<const Operation>() : found->second;
}

std::vector<const Operation*> all_operations() {
  std::vector<const Operation*> all;
  for (const auto& [type, rows] : table().rows)
    for (const auto& row : rows)
      all.push_back(&row);
  return all;
}

} // namespace crosslane::generated
