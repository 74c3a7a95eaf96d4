// Float arithmetic of the vector ALU against LLVM's constant folder: APFloat in every rounding mode.
#include "tests/semantics/llvm_fold.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

#define ROUNDED(op, arguments) "call $T @llvm.experimental.constrained." op ".$S(" arguments ", $R)"
const std::vector<Fold> sums =
    family({"f16", "f32", "f64"}, {
                                      {"v_add_$S", "%r = " ROUNDED("fadd", "$T %a, $T %b"), rounds | flushes},
                                      {"v_mul_$S", "%r = " ROUNDED("fmul", "$T %a, $T %b"), rounds | flushes},
                                      {"v_fma_$S", "%r = " ROUNDED("fma", "$T %a, $T %b, $T %c"), rounds | flushes},
                                  });
const std::vector<Fold> narrow_sums =
    family({"f16", "f32"}, {
                               {"v_sub_$S", "%r = " ROUNDED("fsub", "$T %a, $T %b"), rounds | flushes},
                               {"v_subrev_$S", "%r = " ROUNDED("fsub", "$T %b, $T %a"), rounds | flushes},
                           });
const std::vector<Fold> more_sums = {
    {"v_fmac_f32", "%r = call float @llvm.experimental.constrained.fma.f32(float %a, float %b, float %old, $R)",
     rounds | flushes},
    {"v_fmac_f64", "%r = call double @llvm.experimental.constrained.fma.f64(double %a, double %b, double %old, $R)",
     rounds | flushes},
    {"v_fma_legacy_f16", "%r = call half @llvm.experimental.constrained.fma.f16(half %a, half %b, half %c, $R)",
     rounds | flushes},
    {"v_fma_mix_f32", "%r = call float @llvm.experimental.constrained.fma.f32(float %a, float %b, float %c, $R)",
     rounds | flushes},
    {"v_mul_legacy_f32", "%r = call float @llvm.amdgcn.fmul.legacy(float %a, float %b)", flushes},
    {"v_mul_legacy_f32_e64", "%r = call float @llvm.amdgcn.fmul.legacy(float %a, float %b)", flushes},
};

// Multiply-add flushes every source and result, in every mode. (llvm.canonicalize does not fold NaN.)
#define FLUSHED(to, from)                                                                                              \
  "%" to "d = call i1 @llvm.is.fpclass.$S($T %" from ", i32 144);"                                                     \
  "%" to "z = call $T @llvm.copysign.$S($T 0.0, $T %" from "); %" to " = select i1 %" to "d, $T %" to "z, $T %" from   \
  ";"
// MXCSR flushes a product that only rounding lifts to the least normal, the formula keeps it; hardware would tell.
#define TINY                                                                                                           \
  "%o = call $T @llvm.fabs.$S($T %p); %ob = bitcast $T %o to $I; %oe = shl $I 1, $M; %open = icmp eq $I %ob, %oe;"
#define MULTIPLY_ADD(x, y, z)                                                                                          \
  FLUSHED("x", x)                                                                                                      \
  FLUSHED("y", y)                                                                                                      \
  FLUSHED("z", z)                                                                                                      \
  "%p = " ROUNDED("fmul", "$T %x, $T %y") ";" FLUSHED("q", "p") "%s = " ROUNDED("fadd", "$T %q, $T %z") ";" FLUSHED(   \
      "d", "s") TINY
#define LEGACY_ADD(z)                                                                                                  \
  FLUSHED("x", "a")                                                                                                    \
  FLUSHED("y", "b")                                                                                                    \
  FLUSHED("z", z)                                                                                                      \
  "%p = call float @llvm.amdgcn.fmul.legacy(float %x, float %y);" FLUSHED("q", "p") "%s = fadd float %q, %z;" FLUSHED( \
      "r", "s") ";" TINY
#define SAME "%r = freeze $T %d"
std::vector<Fold> multiply_adds() {
  std::vector<Fold> list =
      family({"f16", "f32"}, {
                                 {"v_mad_$S", MULTIPLY_ADD("a", "b", "c") SAME, rounds | flushes},
                                 {"v_mac_$S", MULTIPLY_ADD("a", "b", "old") SAME, rounds | flushes},
                                 {"v_madak_$S", MULTIPLY_ADD("a", "b", "c") SAME, rounds | flushes},
                             });
  const auto add = [&](std::initializer_list<const char*> suffix, Fold fold) {
    list.push_back(family(suffix, {std::move(fold)}).front());
  };
  add({"f32"}, {"v_madmk_f32", "%k = bitcast i32 %b to float;" MULTIPLY_ADD("a", "k", "c") SAME, rounds | flushes});
  add({"f16"},
      {"v_madmk_f16", "%t = trunc i32 %b to i16; %k = bitcast i16 %t to half;" MULTIPLY_ADD("a", "k", "c") SAME,
       rounds | flushes});
  add({"f16"}, {"v_mad_legacy_f16", MULTIPLY_ADD("a", "b", "c") SAME, rounds | flushes});
  add({"f32"}, {"v_mad_legacy_f32", LEGACY_ADD("c"), flushes});
  add({"f32"}, {"v_mac_legacy_f32", LEGACY_ADD("old"), flushes});
  add({"f32"}, {"v_mad_mix_f32", MULTIPLY_ADD("a", "b", "c") SAME, rounds | flushes});
  for (const char* row : {"v_mad_mixlo_f16", "v_mad_mixhi_f16"})
    add({"f32"},
        {row, MULTIPLY_ADD("a", "b", "c") "%r = call half @llvm.experimental.constrained.fptrunc.f16.f32(float %d, $R)",
         rounds | flushes});
  for (const char* row : {"v_fma_mixlo_f16", "v_fma_mixhi_f16"})
    add({"f32"},
        {row,
         "%d = " ROUNDED(
             "fma",
             "$T %a, $T %b, $T %c") ";"
                                    "%r = call half @llvm.experimental.constrained.fptrunc.f16.f32(float %d, $R)",
         rounds});
  return list;
}

// IEEE mode quiets a signaling NaN and returns it: whatever an addition makes of it.
#define EXTREME(to, which, x, y)                                                                                       \
  "%" to "m = call $T @llvm." which "num.$S($T %" x ", $T %" y "); %" to "u = call i1 @llvm.is.fpclass.$S($T %" x      \
  ", i32 1); %" to "v = call i1 @llvm.is.fpclass.$S($T %" y ", i32 1); %" to "w = or i1 %" to "u, %" to "v; %" to      \
  "n = and i1 %" to "w, $E; %" to "q = " ROUNDED("fadd", "$T %" x ", $T %" y) "; %" to " = select i1 %" to             \
                                                                              "n, $T %" to "q, $T %" to "m;"
const std::vector<Fold> extremes =
    family({"f16", "f32", "f64"}, {
                                      {"v_min_$S", EXTREME("r", "min", "a", "b"), flushes | ieee},
                                      {"v_max_$S", EXTREME("r", "max", "a", "b"), flushes | ieee},
                                  });
const std::vector<Fold> threes = family(
    {"f16", "f32"}, {
                        {"v_min3_$S", EXTREME("x", "min", "a", "b") EXTREME("r", "min", "x", "c"), flushes | ieee},
                        {"v_max3_$S", EXTREME("x", "max", "a", "b") EXTREME("r", "max", "x", "c"), flushes | ieee},
                    });

#define UNARY(name) "%r = call $T @llvm." name ".$S($T %a)"
const std::vector<Fold> parts =
    family({"f16", "f32", "f64"},
           {
               {"v_rndne_$S", UNARY("roundeven"), flushes},
               {"v_ceil_$S", UNARY("ceil"), flushes},
               {"v_floor_$S", UNARY("floor"), flushes},
               {"v_trunc_$S", UNARY("trunc"), flushes},
               {"v_fract_$S", UNARY("amdgcn.fract"), flushes},
               {"v_frexp_mant_$S", "%p = call {$T, i32} @llvm.frexp.$S.i32($T %a); %r = extractvalue {$T, i32} %p, 0",
                flushes},
           });
const std::vector<Fold> exponents = {
    {"v_frexp_exp_i32_f32",
     "%p = call {float, i32} @llvm.frexp.f32.i32(float %a); %r = extractvalue {float, i32} %p, 1", flushes},
    {"v_frexp_exp_i32_f64",
     "%p = call {double, i32} @llvm.frexp.f64.i32(double %a); %r = extractvalue {double, i32} %p, 1", flushes},
    {"v_frexp_exp_i16_f16",
     "%p = call {half, i32} @llvm.frexp.f16.i32(half %a); %e = extractvalue {half, i32} %p, 1;"
     "%r = trunc i32 %e to i16",
     flushes},
    {"v_ldexp_f32", "%r = call float @llvm.ldexp.f32.i32(float %a, i32 %b)", flushes},
    {"v_ldexp_f64", "%r = call double @llvm.ldexp.f64.i32(double %a, i32 %b)", flushes},
    {"v_ldexp_f16", "%e = sext i16 %b to i32; %r = call half @llvm.ldexp.f16.i32(half %a, i32 %e)", flushes},
};

// Halves of packed rows, one after the other: the folder takes no vectors in constrained calls.
#define SPLIT(v)                                                                                                       \
  "%" v "v = bitcast i32 %" v " to <2 x half>; %" v "0 = extractelement <2 x half> %" v "v, i32 0;"                    \
  "%" v "1 = extractelement <2 x half> %" v "v, i32 1;"
#define JOIN                                                                                                           \
  ";%i0 = insertelement <2 x half> zeroinitializer, half %r0, i32 0; %i1 = insertelement <2 x half> %i0, half %r1, "   \
  "i32 1;"                                                                                                             \
  "%r = bitcast <2 x half> %i1 to i32"
#define HALF2(op)                                                                                                      \
  SPLIT("a")                                                                                                           \
  SPLIT("b")                                                                                                           \
  "%r0 = call half @llvm.experimental.constrained." op ".f16(half %a0, half %b0, $R);"                                 \
  "%r1 = call half @llvm.experimental.constrained." op ".f16(half %a1, half %b1, $R)" JOIN
#define HALF3(c)                                                                                                       \
  SPLIT("a")                                                                                                           \
  SPLIT("b")                                                                                                           \
  SPLIT(c)                                                                                                             \
  "%r0 = call half @llvm.experimental.constrained.fma.f16(half %a0, half %b0, half %" c "0, $R);"                      \
  "%r1 = call half @llvm.experimental.constrained.fma.f16(half %a1, half %b1, half %" c "1, $R)" JOIN
#define SPLIT64(v)                                                                                                     \
  "%" v "v = bitcast i64 %" v " to <2 x float>; %" v "0 = extractelement <2 x float> %" v "v, i32 0;"                  \
  "%" v "1 = extractelement <2 x float> %" v "v, i32 1;"
#define JOIN64                                                                                                         \
  ";%i0 = insertelement <2 x float> zeroinitializer, float %r0, i32 0; %i1 = insertelement <2 x float> %i0, float "    \
  "%r1, i32 1; %r = bitcast <2 x float> %i1 to i64"
#define SINGLE2(op)                                                                                                    \
  SPLIT64("a")                                                                                                         \
  SPLIT64("b")                                                                                                         \
  "%r0 = call float @llvm.experimental.constrained." op ".f32(float %a0, float %b0, $R);"                              \
  "%r1 = call float @llvm.experimental.constrained." op ".f32(float %a1, float %b1, $R)" JOIN64
#define SINGLE3                                                                                                        \
  SPLIT64("a")                                                                                                         \
  SPLIT64("b")                                                                                                         \
  SPLIT64("c")                                                                                                         \
  "%r0 = call float @llvm.experimental.constrained.fma.f32(float %a0, float %b0, float %c0, $R);"                      \
  "%r1 = call float @llvm.experimental.constrained.fma.f32(float %a1, float %b1, float %c1, $R)" JOIN64
#define DOT2(sum)                                                                                                      \
  SPLIT("a")                                                                                                           \
  SPLIT("b")                                                                                                           \
  "%p0 = fpext half %a0 to float; %q0 = fpext half %b0 to float; %p1 = fpext half %a1 to float;"                       \
  "%q1 = fpext half %b1 to float; %x = fmul float %p0, %q0; %y = fmul float %p1, %q1;"                                 \
  "%s = call float @llvm.experimental.constrained.fadd.f32(float %x, float %y, $R);"                                   \
  "%r = call float @llvm.experimental.constrained.fadd.f32(float %s, float " sum ", $R)"
std::vector<Fold> packed() {
  std::vector<Fold> list = {
      {"v_pk_add_f16", HALF2("fadd"), rounds},   {"v_pk_mul_f16", HALF2("fmul"), rounds},
      {"v_pk_fma_f16", HALF3("c"), rounds},      {"v_pk_fmac_f16", HALF3("old"), rounds},
      {"v_pk_add_f32", SINGLE2("fadd"), rounds}, {"v_pk_mul_f32", SINGLE2("fmul"), rounds},
      {"v_pk_fma_f32", SINGLE3, rounds},         {"v_dot2_f32_f16", DOT2("%c"), rounds},
      {"v_dot2c_f32_f16", DOT2("%old"), rounds},
  };
  for (const Fold& fold :
       family({"f16"},
              {
                  {"v_pk_min_f16",
                   SPLIT("a") SPLIT("b") EXTREME("r0", "min", "a0", "b0") EXTREME("r1", "min", "a1", "b1") JOIN, ieee},
                  {"v_pk_max_f16",
                   SPLIT("a") SPLIT("b") EXTREME("r0", "max", "a0", "b0") EXTREME("r1", "max", "a1", "b1") JOIN, ieee},
              }))
    list.push_back(fold);
  return list;
}

// gfx6 and gfx7. The select by an ordered compare is what LLVM selects v_min_legacy_f32 and v_max_legacy_f32 for.
const std::vector<Fold> legacy = {
    {"v_min_legacy_f32", "%k = fcmp olt float %a, %b; %r = select i1 %k, float %a, float %b", flushes},
    {"v_max_legacy_f32", "%k = fcmp oge float %a, %b; %r = select i1 %k, float %a, float %b", flushes},
    {"v_mullit_f32",
     "%p = call float @llvm.amdgcn.fmul.legacy(float %a, float %b);"
     "%l = call i1 @llvm.is.fpclass.f32(float %b, i32 7); %m = fcmp oeq float %b, 0xC7EFFFFFE0000000;"
     "%n = fcmp ule float %c, 0.0; %x = or i1 %l, %m; %y = or i1 %x, %n;"
     "%r = select i1 %y, float 0xC7EFFFFFE0000000, float %p",
     flushes},
};

const std::vector<Fold> cubes = {
    {"v_cubeid_f32", "%r = call float @llvm.amdgcn.cubeid(float %a, float %b, float %c)"},
    {"v_cubema_f32", "%r = call float @llvm.amdgcn.cubema(float %a, float %b, float %c)"},
    {"v_cubesc_f32", "%r = call float @llvm.amdgcn.cubesc(float %a, float %b, float %c)"},
    {"v_cubetc_f32", "%r = call float @llvm.amdgcn.cubetc(float %a, float %b, float %c)"},
};

const std::vector<Fold> mads = multiply_adds(), pairs = packed();
const Asked asked[] = {{Outside::llvm, sums},  {Outside::llvm, narrow_sums}, {Outside::llvm, more_sums},
                       {Outside::llvm, mads},  {Outside::llvm, extremes},    {Outside::llvm, threes},
                       {Outside::llvm, parts}, {Outside::llvm, exponents},   {Outside::llvm, pairs},
                       {Outside::llvm, cubes}, {Outside::llvm, legacy}};
TEST(LlvmFloat, Sums) { expect_folds(sums); }
TEST(LlvmFloat, NarrowSums) { expect_folds(narrow_sums); }
TEST(LlvmFloat, MoreSums) { expect_folds(more_sums); }
TEST(LlvmFloat, MultiplyAdds) { expect_folds(mads); }
TEST(LlvmFloat, Extremes) { expect_folds(extremes); }
TEST(LlvmFloat, ExtremesOfThree) { expect_folds(threes); }
TEST(LlvmFloat, Parts) { expect_folds(parts, 5000); }
TEST(LlvmFloat, Exponents) { expect_folds(exponents, 5000); }
TEST(LlvmFloat, Packed) { expect_folds(pairs); }
TEST(LlvmFloat, Legacy) { expect_folds(legacy, 5000); }
TEST(LlvmFloat, Cubes) { expect_folds(cubes); }

} // namespace
} // namespace crosslane::test
