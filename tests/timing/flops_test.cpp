// Operations of instructions against what AMD publishes of compute units: operations a clock, four SIMD units.
#include "isa/parse.h"
#include "timing/flops.h"
#include "timing/issue_cycles.h"
#include <gtest/gtest.h>

namespace crosslane::timing {
namespace {

isa::Instruction parsed(isa::Target target, const char* text) {
  const isa::Parsed p = isa::parse(target, text);
  EXPECT_TRUE(p) << text << ": " << p.error.message;
  return p.instruction;
}

Flops of(isa::Target target, const char* text) { return flops(parsed(target, text)); }

// MI100's and MI200's data sheets: of a compute unit.
TEST(Flops, AreThoseOfTheDataSheets) {
  const auto a_clock = [](isa::Target target, const char* text) {
    const isa::Instruction i = parsed(target, text);
    const Flops f = flops(i);
    return 4.0 * (f.wave ? f.wave : 64 * f.each) / issue_cycles(i, rates(gpu::machine(target)));
  };
  EXPECT_EQ(a_clock(isa::Target::gfx908, "v_fma_f32 v0, v1, v2, v3"), 128);
  EXPECT_EQ(a_clock(isa::Target::gfx908, "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]"), 64);
  EXPECT_EQ(a_clock(isa::Target::gfx908, "v_pk_fma_f16 v0, v1, v2, v3"), 256);
  EXPECT_EQ(a_clock(isa::Target::gfx90a, "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]"), 128);
  EXPECT_EQ(a_clock(isa::Target::gfx90a, "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]"), 256);
  EXPECT_EQ(a_clock(isa::Target::gfx908, "v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]"), 1024);
  EXPECT_EQ(a_clock(isa::Target::gfx908, "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]"), 256);
}

TEST(Flops, NothingElseCounts) {
  for (const char* text : {"v_mov_b32 v0, v1", "v_add_u32 v0, v1, v2", "v_cvt_f32_u32 v0, v1",
                           "v_cmp_lt_f32 vcc, v0, v1", "s_nop 0", "global_load_dword v0, v[0:1], off"})
    EXPECT_EQ(of(isa::Target::gfx900, text).each, 0u) << text;
  EXPECT_EQ(of(isa::Target::gfx900, "v_add_f32 v0, v1, v2").each, 1u);
  EXPECT_EQ(of(isa::Target::gfx900, "v_mac_f32 v0, v1, v2").each, 2u);
  EXPECT_EQ(of(isa::Target::gfx900, "v_rcp_f32 v0, v1").each, 1u);
  EXPECT_EQ(of(isa::Target::gfx908, "v_mfma_i32_32x32x8i8 a[0:15], v0, v1, a[0:15]").wave, 0u);
}

} // namespace
} // namespace crosslane::timing
