// Matrix operations in compiled code: what they sum up stays in the Wave, whatever else reads and writes it, and
// however a wave comes and goes. Against the interpreter.
#include "tests/engine/kernel_fixture.h"
#include <vector>

namespace crosslane::test {
namespace {

// Rounds that add products to a[0:3] and a[4:7]; every second one adds 1 to a1 and moves a4 on in the lanes below 20,
// and then reads LDS at a distance that may be out of the workgroup's, which no compiled code does. The sums begin as
// constants, or, `loaded`, as what memory has.
std::string in_rounds(bool loaded) {
  return std::string(R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dwordx2 s[14:15], s[0:1], 0x10
  s_load_dword s16, s[0:1], 0x18
  v_lshlrev_b32 v4, 2, v0
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s17, s2, 8
  v_mov_b32 v3, s17
  v_add_u32 v3, v3, v4
  address 6, 8, v3
  global_load_dword v5, v[6:7], off
  v_cvt_f32_u32 v1, v0
  v_mov_b32 v2, 0.5
  v_mov_b32 v9, 0
  s_mul_i32 s18, s2, s16
  s_lshl_b32 s18, s18, 2
  s_mov_b32 s21, 0
  s_waitcnt vmcnt(0)
)") +
         (loaded ? R"(
  v_accvgpr_write_b32 a0, v5
  v_accvgpr_write_b32 a1, v5
  v_accvgpr_write_b32 a2, v1
  v_accvgpr_write_b32 a3, v1
)"
                 : R"(
  v_accvgpr_write_b32 a0, 0
  v_accvgpr_write_b32 a1, 0
  v_accvgpr_write_b32 a2, 1.0
  v_accvgpr_write_b32 a3, v1
)") +
         R"(
  v_accvgpr_write_b32 a4, v2
  v_accvgpr_write_b32 a5, 0
  v_accvgpr_write_b32 a6, 0
  v_accvgpr_write_b32 a7, v5
again:
  s_load_dword s22, s[14:15], s18
  v_add_u32 v9, v9, v0
  s_waitcnt lgkmcnt(0)
  v_add_u32 v8, s22, v4
  ds_write_b32 v4, v9
  ds_read_b32 v10, v8
  s_waitcnt lgkmcnt(0)
  v_cvt_f32_u32 v10, v10
  v_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[0:3]
  v_mfma_f32_4x4x1f32 a[4:7], v10, v2, a[4:7]
  s_bitcmp1_b32 s21, 0
  s_cbranch_scc0 next
  v_accvgpr_read_b32 v11, a1
  v_cmp_gt_u32 vcc, 20, v0
  v_add_f32 v11, 1.0, v11
  s_nop 8
  s_and_saveexec_b64 s[24:25], vcc
  v_accvgpr_write_b32 a1, v11
  v_accvgpr_read_b32 v12, a4
  s_nop 1
  v_accvgpr_write_b32 a5, v12
  s_or_b64 exec, exec, s[24:25]
  s_barrier
next:
  s_add_u32 s18, s18, 4
  s_add_u32 s21, s21, 1
  s_cmp_lt_u32 s21, s16
  s_cbranch_scc1 again
  v_mov_b32 v14, 0
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  v_accvgpr_read_b32 v13, a\n
  s_nop 1
  v_xor_b32 v14, v14, v13
  v_mul_lo_u32 v14, v14, 3
  .endr
  v_xor_b32 v14, v14, v9
  address 6, 10, v3
  global_store_dword v[6:7], v14, off
  s_endpgm
)";
}

class Matrices : public testing::TestWithParam<std::tuple<bool, uint32_t>> {};

TEST_P(Matrices, StayWithTheWave) {
  const auto [loaded, leaves] = GetParam();
  const uint32_t groups = 12, rounds = 7;
  const Kernel kernel(isa::Target::gfx908, in_rounds(loaded));
  const auto run = [&](bool compiled) {
    machine::Memory memory;
    Buffer<float> data(memory, groups * 64);
    Buffer<uint32_t> out(memory, groups * 64), distances(memory, groups * rounds);
    for (uint32_t i = 0; i < groups * 64; ++i)
      data[i] = float(i % 37) - 11, out[i] = 0;
    for (uint32_t i = 0; i < distances.size(); ++i)
      distances[i] = leaves && i % leaves == 0 ? 0x8000 : 0;
    const Shape shape{{groups * 64, 1, 1}, {64, 1, 1}};
    const std::vector<uint64_t> arguments{data.address(), out.address(), distances.address(), rounds};
    // Preempted at each loop, too.
    const engine::Options options{.threads = 1, .preempt_after = leaves ? 1u : 1u << 20};
    const engine::Outcome outcome =
        compiled ? kernel.run(shape, arguments, options, 512) : kernel.interpret(shape, arguments, {.threads = 1}, 512);
    EXPECT_NO_FAULT(outcome);
    std::vector<uint32_t> all(out.begin(), out.end());
    all.push_back(uint32_t(outcome.stats.instructions));
    return all;
  };
  EXPECT_EQ(run(true), run(false));
}

INSTANTIATE_TEST_SUITE_P(Jit, Matrices, testing::Combine(testing::Bool(), testing::Values(0u, 1u, 3u, 7u, 10u)),
                         [](const auto& i) {
                           return std::string(std::get<0>(i.param) ? "loaded" : "constant") +
                                  std::to_string(std::get<1>(i.param));
                         });

} // namespace
} // namespace crosslane::test
