// Kernels that are too large, of which the loops alone are compiled: waves come to a loop's head from the interpreter.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"

namespace crosslane::test {
namespace {

// More instructions than are compiled, which nobody comes to.
const std::string too_large = R"(
  .rept 4001
  v_add_u32 v1, v1, v1
  .endr
  s_endpgm
)";

// Lanes 41 to 63 loop, with one value in v1 and one after the other in v2; in the other lanes, lane 0 among them, these
// registers have anything, and are not read again.
TEST(Loops, EnterWhateverLanesHaveThatNobodyReads) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    v_lshlrev_b32 v4, 2, v0
    v_mul_lo_u32 v1, v0, v0
    v_mul_lo_u32 v2, v1, v0
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u64 s[8:9], 0
    s_cbranch_scc1 never
    v_cmp_lt_u32 vcc, 40, v0
    s_and_saveexec_b64 s[20:21], vcc
    v_mov_b32 v1, 5
    v_add_u32 v2, 3, v0
    s_movk_i32 s10, 1000
  again:
    v_add_u32 v1, 7, v1
    v_add_u32 v2, 1, v2
    s_sub_u32 s10, s10, 1
    s_cmp_lg_u32 s10, 0
    s_cbranch_scc1 again
    v_mul_lo_u32 v1, v1, v2
    address 6, 8, v4
    flat_store_dword v[6:7], v1
    s_endpgm
  never:
  )" + too_large);
  machine::Memory memory;
  Buffer<uint32_t> out(memory, 64);
  std::fill(out.begin(), out.end(), ~0u);
  const jit::Stats before = jit::stats();
  const auto outcome = kernel.run({{64, 1, 1}, {64, 1, 1}}, {out.address()});
  EXPECT_NO_FAULT(outcome);
  const jit::Stats after = jit::stats();
  EXPECT_EQ(after.only_loops - before.only_loops, 1u);
  EXPECT_EQ(after.entered - before.entered, 1u);
  EXPECT_EQ(after.left - before.left, 0u);
  for (uint32_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(out[lane], lane > 40 ? 7005 * (lane + 1003) : ~0u) << lane;
}

// ... but where lanes come back and read them: then all lanes must be as the loop was compiled for.
TEST(Loops, LanesThatComeBackKeepTheirValues) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    v_lshlrev_b32 v4, 2, v0
    v_mul_lo_u32 v1, v0, v0
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u64 s[8:9], 0
    s_cbranch_scc1 never
    v_cmp_lt_u32 vcc, 40, v0
    s_and_saveexec_b64 s[20:21], vcc
    v_mov_b32 v1, 5
    s_movk_i32 s10, 1000
  again:
    v_add_u32 v1, 7, v1
    s_sub_u32 s10, s10, 1
    s_cmp_lg_u32 s10, 0
    s_cbranch_scc1 again
    s_mov_b64 exec, s[20:21]
    address 6, 8, v4
    flat_store_dword v[6:7], v1
    s_endpgm
  never:
  )" + too_large);
  machine::Memory memory;
  Buffer<uint32_t> out(memory, 64);
  EXPECT_NO_FAULT(kernel.run({{64, 1, 1}, {64, 1, 1}}, {out.address()}));
  for (uint32_t lane = 0; lane < 64; ++lane)
    EXPECT_EQ(out[lane], lane > 40 ? 7005 : lane * lane) << lane;
}

// Two waves meet in each of 4,096 rounds, and in one of sixteen leave at a guard: a sum that wraps between lanes, of
// which the carry is read.
TEST(Loops, WavesThatMeetOftenMayLeaveNowAndThen) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    v_lshlrev_b32 v4, 2, v0
    v_mul_lo_u32 v1, v0, v0
    s_waitcnt lgkmcnt(0)
    s_cmp_eq_u64 s[8:9], 0
    s_cbranch_scc1 never
    s_movk_i32 s10, 0x1000
  again:
    s_lshl_b32 s11, s10, 28
    s_sub_u32 s11, s11, 32
    v_add_co_u32 v2, vcc, s11, v0
    v_addc_co_u32 v1, vcc, 0, v1, vcc
    s_barrier
    s_sub_u32 s10, s10, 1
    s_cmp_lg_u32 s10, 0
    s_cbranch_scc1 again
    address 6, 8, v4
    flat_store_dword v[6:7], v1
    s_endpgm
  never:
  )" + too_large);
  machine::Memory memory;
  Buffer<uint32_t> out(memory, 128);
  const jit::Stats before = jit::stats();
  EXPECT_NO_FAULT(kernel.run({{128, 1, 1}, {128, 1, 1}}, {out.address()}));
  for (uint32_t lane = 0; lane < 128; ++lane) // 256 rounds begin at -32
    EXPECT_EQ(out[lane], lane * lane + (lane < 32 ? 0u : 256u)) << lane;
  // All lanes of the second wave carry. The first one leaves behind the barrier before, and again from the loop's head.
  EXPECT_GE(jit::stats().left - before.left, 256u);
}

// Around all of a large kernel there is an `if`, and only the last wave of those that come has lanes beyond it: the
// code is for all lanes alone, and that wave goes on in the interpreter. Each store may go over what was read, for
// which many registers are kept.
TEST(Loops, LargeKernelsLeaveTheRaggedEdge) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 2, v0
    v_cmp_gt_u32 vcc, 200, v0
    s_and_saveexec_b64 s[10:11], vcc
    s_cbranch_execz over
    v_mul_lo_u32 v2, v0, v0
    ds_write_b32 v1, v2
    .irp r, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    v_mul_u32_u24 v\r, v2, \r
    .endr
    v_bfrev_b32 v3, v1 // so that places are vectors
    v_bfrev_b32 v3, v3
    .rept 260
    ds_read_b32 v2, v3
    s_waitcnt lgkmcnt(0)
    v_add_u32 v2, 3, v2
    ds_write_b32 v3, v2
    .endr
    .irp r, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
    v_add_u32 v2, v2, v\r
    .endr
    v_mov_b32 v18, s9
    v_add_co_u32 v17, vcc, s8, v1
    v_addc_co_u32 v18, vcc, 0, v18, vcc
    flat_store_dword v[17:18], v2
  over:
    s_endpgm
  )");
  machine::Memory memory;
  Buffer<uint32_t> out(memory, 256);
  std::fill(out.begin(), out.end(), ~0u);
  const jit::Stats before = jit::stats();
  EXPECT_NO_FAULT(kernel.run({{256, 1, 1}, {256, 1, 1}}, {out.address()}, {}, 1024));
  const jit::Stats after = jit::stats();
  EXPECT_EQ(after.units - before.units, 1u);
  EXPECT_EQ(after.only_loops - before.only_loops, 0u);
  EXPECT_EQ(after.entered - before.entered, 4u);
  for (uint32_t id = 0; id < 256; ++id)
    EXPECT_EQ(out[id], id < 200 ? id * id * (1 + 130) + 780 : ~0u) << id; // 4 + 5 ... + 16
}

} // namespace
} // namespace crosslane::test
