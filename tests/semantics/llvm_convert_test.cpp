// Conversions against LLVM's constant folder: fptosi.sat and its like, roundings by APFloat.
#include "tests/semantics/llvm_fold.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

#define CONSTRAINED(to, op, suffixes, from)                                                                            \
  "%r = call " to " @llvm.experimental.constrained." op "." suffixes "(" from " %a, $R)"
const std::vector<Fold> integers = {
    {"v_cvt_i32_f32", "%r = call i32 @llvm.fptosi.sat.i32.f32(float %a)"},
    {"v_cvt_u32_f32", "%r = call i32 @llvm.fptoui.sat.i32.f32(float %a)"},
    {"v_cvt_i32_f64", "%r = call i32 @llvm.fptosi.sat.i32.f64(double %a)"},
    {"v_cvt_u32_f64", "%r = call i32 @llvm.fptoui.sat.i32.f64(double %a)"},
    {"v_cvt_i16_f16", "%r = call i16 @llvm.fptosi.sat.i16.f16(half %a)"},
    {"v_cvt_u16_f16", "%r = call i16 @llvm.fptoui.sat.i16.f16(half %a)"},
    {"v_cvt_flr_i32_f32", "%w = call float @llvm.floor.f32(float %a); %r = call i32 @llvm.fptosi.sat.i32.f32(float %w)",
     flushes},
    // The sum exact: docs/isa-errata.md.
    {"v_cvt_rpi_i32_f32",
     "%d = fpext float %a to double; %s = fadd double %d, 0.5; %w = call double @llvm.floor.f64(double %s);"
     "%r = call i32 @llvm.fptosi.sat.i32.f64(double %w)",
     flushes},
    {"v_cvt_f32_i32", CONSTRAINED("float", "sitofp", "f32.i32", "i32"), rounds},
    {"v_cvt_f32_u32", CONSTRAINED("float", "uitofp", "f32.i32", "i32"), rounds},
    {"v_cvt_f64_i32", CONSTRAINED("double", "sitofp", "f64.i32", "i32"), rounds},
    {"v_cvt_f64_u32", CONSTRAINED("double", "uitofp", "f64.i32", "i32"), rounds},
    {"v_cvt_f16_i16", CONSTRAINED("half", "sitofp", "f16.i16", "i16"), rounds},
    {"v_cvt_f16_u16", CONSTRAINED("half", "uitofp", "f16.i16", "i16"), rounds},
    {"v_cvt_f32_ubyte0", "%t = trunc i32 %a to i8; %r = uitofp i8 %t to float"},
    {"v_cvt_f32_ubyte1", "%h = lshr i32 %a, 8; %t = trunc i32 %h to i8; %r = uitofp i8 %t to float"},
    {"v_cvt_f32_ubyte2", "%h = lshr i32 %a, 16; %t = trunc i32 %h to i8; %r = uitofp i8 %t to float"},
    {"v_cvt_f32_ubyte3", "%h = lshr i32 %a, 24; %t = trunc i32 %h to i8; %r = uitofp i8 %t to float"},
    {"v_cvt_off_f32_i4", "%t = trunc i32 %a to i4; %w = sitofp i4 %t to float; %r = fdiv float %w, 16.0"},
};
const std::vector<Fold> floats = {
    {"v_cvt_f32_f64", CONSTRAINED("float", "fptrunc", "f32.f64", "double"), rounds | flushes},
    {"v_cvt_f64_f32", "%r = fpext float %a to double", flushes},
    {"v_cvt_f16_f32", CONSTRAINED("half", "fptrunc", "f16.f32", "float"), rounds | flushes},
    {"v_cvt_f32_f16", "%r = fpext half %a to float"},
};

// A number clamped to [least, 1], times the largest integer, rounded; NaN gives 0.
#define NORM(n, x, to, least, scale)                                                                                   \
  "%h" n " = fcmp ogt double %" x ", 1.0; %c" n " = select i1 %h" n ", double 1.0, double %" x ";"                     \
  "%l" n " = fcmp olt double %c" n ", " least "; %d" n " = select i1 %l" n ", double " least ", double %c" n ";"       \
  "%m" n " = fmul double %d" n ", " scale "; %w" n " = call double @llvm.roundeven.f64(double %m" n ");"               \
  "%i" n " = call i16 @llvm." to ".sat.i16.f64(double %w" n ");"
#define WIDEN(type) "%x = fpext " type " %a to double; %y = fpext " type " %b to double;"
#define JOIN "%lo = zext i16 %i0 to i32; %hi = zext i16 %i1 to i32; %s = shl i32 %hi, 16; %r = or i32 %lo, %s"
#define SIGNED(n, x) NORM(n, x, "fptosi", "-1.0", "32767.0")
#define UNSIGNED(n, x) NORM(n, x, "fptoui", "0.0", "65535.0")
const std::vector<Fold> norms = {
    {"v_cvt_pknorm_i16_f32", WIDEN("float") SIGNED("0", "x") SIGNED("1", "y") JOIN},
    {"v_cvt_pknorm_u16_f32", WIDEN("float") UNSIGNED("0", "x") UNSIGNED("1", "y") JOIN},
    {"v_cvt_pknorm_i16_f16", WIDEN("half") SIGNED("0", "x") SIGNED("1", "y") JOIN},
    {"v_cvt_pknorm_u16_f16", WIDEN("half") UNSIGNED("0", "x") UNSIGNED("1", "y") JOIN},
    {"v_cvt_norm_i16_f16", "%x = fpext half %a to double;" SIGNED("0", "x") "%r = freeze i16 %i0"},
    {"v_cvt_norm_u16_f16", "%x = fpext half %a to double;" UNSIGNED("0", "x") "%r = freeze i16 %i0"},
};

// Byte %b of a dword replaced by %a, rounded by MODE and saturated.
#define BYTE(old)                                                                                                      \
  "%w = call float @llvm.experimental.constrained.rint.f32(float %a, $R);"                                             \
  "%u = call i8 @llvm.fptoui.sat.i8.f32(float %w); %i = and i32 %b, 3; %v = bitcast i32 " old " to <4 x i8>;"          \
  "%d = insertelement <4 x i8> %v, i8 %u, i32 %i; %r = bitcast <4 x i8> %d to i32"
const std::vector<Fold> bytes = {
    {"v_cvt_pk_u8_f32", BYTE("%c"), rounds},
    {"v_cvt_pkaccum_u8_f32", BYTE("%old"), rounds},
};

const Asked asked[] = {
    {Outside::llvm, integers}, {Outside::llvm, floats}, {Outside::llvm, norms}, {Outside::llvm, bytes}};
TEST(LlvmConvert, Integers) { expect_folds(integers, 5000); }
TEST(LlvmConvert, Floats) { expect_folds(floats, 8000); }
TEST(LlvmConvert, Norms) { expect_folds(norms, 4000); }
TEST(LlvmConvert, Bytes) { expect_folds(bytes, 4000); }

} // namespace
} // namespace crosslane::test
