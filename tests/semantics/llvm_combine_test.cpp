// Rows against what InstCombine for amdgcn knows of their intrinsics, and against mistakes: the oracle must notice one.
#include "tests/semantics/llvm_fold.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

#define FLUSHED(to, from)                                                                                              \
  "%" to "d = call i1 @llvm.is.fpclass.f32(float %" from ", i32 144);"                                                 \
  "%" to "z = call float @llvm.copysign.f32(float 0.0, float %" from ");"                                              \
  "%" to " = select i1 %" to "d, float %" to "z, float %" from ";"
const std::vector<Fold> combined = {
    {"v_rcp_f32", FLUSHED("x", "a") "%y = call float @llvm.amdgcn.rcp.f32(float %x);" FLUSHED("r", "y")},
    {"v_rcp_iflag_f32", FLUSHED("x", "a") "%y = call float @llvm.amdgcn.rcp.f32(float %x);" FLUSHED("r", "y")},
    {"v_rcp_clamp_f32", FLUSHED("x", "a") "%y = call float @llvm.amdgcn.rcp.f32(float %x);" FLUSHED(
                            "s", "y") "%i = call i1 @llvm.is.fpclass.f32(float %s, i32 516);"
                                      "%m = call float @llvm.copysign.f32(float 0x47EFFFFFE0000000, float %s);"
                                      "%r = select i1 %i, float %m, float %s"},
    {"v_rcp_legacy_f32", FLUSHED("x", "a") "%y = call float @llvm.amdgcn.rcp.f32(float %x);" FLUSHED(
                             "s", "y") "%i = call i1 @llvm.is.fpclass.f32(float %s, i32 516);"
                                       "%m = call float @llvm.copysign.f32(float 0.0, float %s);"
                                       "%r = select i1 %i, float %m, float %s"},
    {"v_rcp_clamp_f64", "%s = call double @llvm.amdgcn.rcp.f64(double %a);"
                        "%i = call i1 @llvm.is.fpclass.f64(double %s, i32 516);"
                        "%m = call double @llvm.copysign.f64(double 0x7FEFFFFFFFFFFFFF, double %s);"
                        "%r = select i1 %i, double %m, double %s"},
    {"v_rcp_f64", "%r = call double @llvm.amdgcn.rcp.f64(double %a)"},
    {"v_cvt_pkrtz_f16_f32", "%v = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %a, float %b);"
                            "%r = bitcast <2 x half> %v to i32"},
    {"v_bfe_u32",
     "%o = and i32 %b, 31; %w = and i32 %c, 31; %r = call i32 @llvm.amdgcn.ubfe.i32(i32 %a, i32 %o, i32 %w)"},
    {"v_bfe_i32",
     "%o = and i32 %b, 31; %w = and i32 %c, 31; %r = call i32 @llvm.amdgcn.sbfe.i32(i32 %a, i32 %o, i32 %w)"},
    {"v_trig_preop_f64", "%r = call double @llvm.amdgcn.trig.preop.f64(double %a, i32 %b)"},
    {"v_mul_legacy_f32", "%r = call float @llvm.amdgcn.fmul.legacy(float %a, float %b)"},
    {"v_perm_b32", "%r = call i32 @llvm.amdgcn.perm(i32 %a, i32 %b, i32 %c)"},
    // Where S2 is NaN LLVM takes the larger of the others, the manual the smaller: docs/isa-errata.md.
    {"v_med3_f32",
     "%r = call float @llvm.amdgcn.fmed3.f32(float %a, float %b, float %c); %skip = fcmp uno float %c, %c"},
    {"v_med3_f16", "%r = call half @llvm.amdgcn.fmed3.f16(half %a, half %b, half %c); %skip = fcmp uno half %c, %c"},
    {"v_frexp_mant_f16", "%r = call half @llvm.amdgcn.frexp.mant.f16(half %a)"},
    {"v_frexp_mant_f32", "%r = call float @llvm.amdgcn.frexp.mant.f32(float %a)"},
    {"v_frexp_mant_f64", "%r = call double @llvm.amdgcn.frexp.mant.f64(double %a)"},
    {"v_frexp_exp_i16_f16", "%r = call i16 @llvm.amdgcn.frexp.exp.i16.f16(half %a)"},
    {"v_frexp_exp_i32_f32", "%r = call i32 @llvm.amdgcn.frexp.exp.i32.f32(float %a)"},
    {"v_frexp_exp_i32_f64", "%r = call i32 @llvm.amdgcn.frexp.exp.i32.f64(double %a)"},
    // Special values only.
    {"v_exp_f32", "%r = call float @llvm.amdgcn.exp2.f32(float %a)", partial},
    {"v_log_f32", "%r = call float @llvm.amdgcn.log.f32(float %a)", partial},
    {"v_exp_f16", "%r = call half @llvm.amdgcn.exp2.f16(half %a)", partial},
    {"v_log_f16", "%r = call half @llvm.amdgcn.log.f16(half %a)", partial},
};
// Rows whose intrinsic gives special values only are not answered for by LLVM.
std::vector<Fold> whole() {
  std::vector<Fold> list;
  for (const Fold& fold : combined)
    if (!(fold.modes & partial))
      list.push_back(fold);
  return list;
}
const Asked asked(Outside::llvm, whole());
TEST(LlvmCombine, Intrinsics) { expect_combines(combined); }

TEST(LlvmItself, NoticesAWrongResult) {
  for (const Fold& wrong :
       {Fold{"v_add_u32", "%r = sub i32 %a, %b"}, Fold{"v_cmp_lt_f32", "%f = fcmp ult float %a, %b"},
        Fold{"v_fma_f32", "%p = fmul float %a, %b; %r = fadd float %p, %c"}}) {
    for (const auto expect : {expect_folds, expect_combines}) {
      testing::TestPartResultArray failures;
      {
        const testing::ScopedFakeTestPartResultReporter reporter(&failures);
        expect({&wrong, 1}, 1000);
      }
      EXPECT_GT(failures.size(), 0) << wrong.row;
    }
  }
}

} // namespace
} // namespace crosslane::test
