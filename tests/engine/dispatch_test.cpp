// Whole dispatches: grids of every shape, LDS and barriers, exact instruction counts, several dispatches at once.
#include "tests/engine/kernel_fixture.h"
#include <atomic>
#include <numeric>
#include <thread>
#include <xmmintrin.h>

namespace crosslane {
namespace {

using test::Buffer;
using test::Kernel;
using test::Shape;

// out[flat global id] += 1 | local x << 8 | local y << 18 (by an atomic, so that a second visit shows).
// Arguments: out, grid x, grid y, group x, group y, group z.
const char* const visit = R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_load_dword s11, s[0:1], 0x10
  s_load_dword s12, s[0:1], 0x18
  s_load_dword s13, s[0:1], 0x20
  s_load_dword s14, s[0:1], 0x28
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s15, s2, s12
  s_mul_i32 s16, s3, s13
  s_mul_i32 s17, s4, s14
  add_u32 v3, s15, v0
  add_u32 v4, s16, v1
  add_u32 v5, s17, v2
  v_mul_lo_u32 v5, v5, s11
  add_u32 v5, v4, v5
  v_mul_lo_u32 v5, v5, s10
  add_u32 v5, v3, v5
  v_lshlrev_b32 v5, 2, v5
  v_lshlrev_b32 v6, 8, v0
  v_lshlrev_b32 v7, 18, v1
  v_or_b32 v6, v6, v7
  v_or_b32 v6, 1, v6
  address 8, 8, v5
  flat_atomic_add v[8:9], v6
  s_endpgm
)";

TEST(Dispatch, VisitsEveryWorkItemOnce) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, visit);
    machine::Memory memory;
    for (const Shape& shape :
         {Shape{{1, 1, 1}, {1, 1, 1}}, Shape{{64, 1, 1}, {64, 1, 1}}, Shape{{65, 1, 1}, {64, 1, 1}},
          Shape{{63, 1, 1}, {64, 1, 1}}, Shape{{1000, 1, 1}, {256, 1, 1}}, Shape{{100, 7, 3}, {16, 4, 2}},
          Shape{{100, 7, 3}, {16, 7, 3}}, Shape{{33, 33, 5}, {32, 32, 1}}, Shape{{5, 3, 129}, {2, 2, 64}},
          Shape{{1, 1025, 1}, {1, 1024, 1}}, Shape{{1, 1, 1025}, {1, 1, 1024}}, Shape{{31, 9, 11}, {10, 10, 10}},
          Shape{{2000, 2, 2}, {1024, 1, 1}}})
      for (const unsigned threads : {1u, 0u, 3u}) {
        const uint64_t items = uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2];
        Buffer<uint32_t> out(memory, items);
        engine::Options options;
        options.threads = threads;
        const auto outcome = kernel.run(
            shape, {out.address(), shape.grid[0], shape.grid[1], shape.group[0], shape.group[1], shape.group[2]},
            options);
        EXPECT_NO_FAULT(outcome);
        uint64_t groups = 1;
        for (int d = 0; d < 3; ++d)
          groups *= (shape.grid[d] + shape.group[d] - 1) / shape.group[d];
        EXPECT_EQ(outcome.stats.workgroups, groups);
        for (uint64_t i = 0; i < items; ++i) {
          const uint32_t x = uint32_t(i % shape.grid[0]), y = uint32_t(i / shape.grid[0] % shape.grid[1]);
          ASSERT_EQ(out[i], 1 | x % shape.group[0] << 8 | y % shape.group[1] << 18) << "item " << i;
        }
      }
  }
}

// LDS comes in granules of 512 bytes: a kernel that asks for 4 has all of one, and nothing behind it.
TEST(Dispatch, RunsPartsOfAGridByTheirOwnIds) {
  FOR_ALL_TARGETS(target) {
    Kernel kernel(target, visit);
    machine::Memory memory;
    const Shape shape{{100, 7, 3}, {16, 4, 2}}; // 7 x 2 x 2 workgroups, some of them cut off
    const uint64_t count = 28;
    struct Case {
      engine::Part part;
      uint64_t begin, end;
    };
    for (const Case& c : {Case{{0, 1}, 0, 1}, Case{{5, 9}, 5, 14}, Case{{13, 1}, 13, 14}, Case{{20, 100}, 20, count},
                          Case{{3, UINT64_MAX}, 3, count}, Case{{count, 1}, count, count}, Case{{2, 0}, 2, 2}})
      for (const unsigned threads : {1u, 3u}) {
        Buffer<uint32_t> out(memory, 100 * 7 * 3);
        engine::Options options;
        options.threads = threads;
        kernel.part = c.part;
        const auto outcome = kernel.run(shape, {out.address(), 100, 7, 16, 4, 2}, options);
        EXPECT_NO_FAULT(outcome);
        EXPECT_EQ(outcome.stats.workgroups, c.end - c.begin);
        for (uint32_t i = 0; i < out.size(); ++i) {
          const uint32_t x = i % 100, y = i / 100 % 7, z = i / 700;
          const uint64_t group = x / 16 + 7 * (y / 4 + 2 * uint64_t(z / 2));
          const bool runs = group >= c.begin && group < c.end;
          ASSERT_EQ(out[i], runs ? 1 | x % 16 << 8 | y % 4 << 18 : 0) << "item " << i << " of workgroup " << group;
        }
      }
  }
}

TEST(Dispatch, LdsIsAllocatedInGranules) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
      s_load_dwordx2 s[8:9], s[0:1], 0x0
      v_mov_b32 v3, 0x1fc
      v_mov_b32 v4, 0x200
      v_mov_b32 v5, 7
      ds_write_b32 v3, v5
      ds_write_b32 v4, v5
      s_waitcnt lgkmcnt(0)
      ds_read_b32 v10, v3
      ds_read_b32 v11, v4
      v_mov_b32 v6, 0
      address 8, 8, v6
      s_waitcnt lgkmcnt(0)
      flat_store_dwordx2 v[8:9], v[10:11]
      s_endpgm
    )");
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 2);
    out[1] = 1;
    EXPECT_NO_FAULT(kernel.run({{1, 1, 1}, {1, 1, 1}}, {out.address()}, {}, 4));
    EXPECT_EQ(out[0], 7u);
    EXPECT_EQ(out[1], 0u);
  }
}

TEST(Dispatch, DoesNothingForAnEmptyGrid) {
  const Kernel kernel(isa::Target::gfx900, "s_trap 2\ns_endpgm");
  for (int d = 0; d < 3; ++d) {
    Shape shape{{64, 2, 2}, {64, 1, 1}};
    shape.grid[d] = 0;
    const auto outcome = kernel.run(shape, {});
    EXPECT_NO_FAULT(outcome);
    EXPECT_EQ(outcome.stats.waves, 0u);
    EXPECT_EQ(outcome.stats.instructions, 0u);
  }
}

TEST(Dispatch, RefusesWhatNoDeviceCouldRun) {
  const Kernel kernel(isa::Target::gfx900, "s_endpgm");
  const auto kind = [&](const Shape& shape, uint32_t lds) {
    const auto outcome = kernel.run(shape, {}, {}, lds);
    return outcome.fault ? outcome.fault->kind : machine::FaultKind::none;
  };
  EXPECT_EQ(kind({{64, 1, 1}, {0, 1, 1}}, 0), machine::FaultKind::bad_dispatch);
  EXPECT_EQ(kind({{1025, 1, 1}, {1025, 1, 1}}, 0), machine::FaultKind::bad_dispatch);
  EXPECT_EQ(kind({{64, 64, 1}, {64, 17, 1}}, 0), machine::FaultKind::bad_dispatch);
  EXPECT_EQ(kind({{64, 1, 1}, {64, 1, 1}}, 65537), machine::FaultKind::bad_dispatch);
  EXPECT_EQ(kind({{64, 1, 1}, {64, 1, 1}}, 65536), machine::FaultKind::none);
  EXPECT_EQ(kind({{1024, 1, 1}, {1024, 1, 1}}, 0), machine::FaultKind::none);
  // 2^31 x 2^31 x 4 and 2^22 x 2^22 x 2^22 workgroups: the products are 0 in 64 bits.
  EXPECT_EQ(kind({{1u << 31, 1u << 31, 4}, {1, 1, 1}}, 0), machine::FaultKind::bad_dispatch);
  EXPECT_EQ(kind({{1u << 28, 1u << 22, 1u << 22}, {64, 1, 1}}, 0), machine::FaultKind::bad_dispatch);
}

// A reversal within each workgroup through LDS, `rounds` times with two barriers each.
// Arguments: out, workgroup size, rounds.
const char* const reverse = R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_load_dword s11, s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, -1
  s_mul_i32 s12, s2, s10
  add_u32 v3, s12, v0
  v_mov_b32 v4, v3
  v_lshlrev_b32 v5, 2, v0
  s_sub_u32 s13, s10, 1
  v_sub_u32 v6, s13, v0
  v_lshlrev_b32 v6, 2, v6
again:
  ds_write_b32 v5, v4
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v4, v6
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_sub_u32 s11, s11, 1
  s_cmp_lg_u32 s11, 0
  s_cbranch_scc1 again
  v_lshlrev_b32 v3, 2, v3
  address 8, 8, v3
  flat_store_dword v[8:9], v4
  s_endpgm
)";

TEST(Dispatch, BarriersKeepTheWavesOfAWorkgroupInStep) {
  for (const isa::Target target : {isa::Target::gfx900, isa::Target::gfx906}) {
    const Kernel kernel(target, reverse);
    machine::Memory memory;
    for (const uint32_t size : {64u, 128u, 200u, 1024u})
      for (const unsigned threads : {1u, 0u}) {
        const uint32_t groups = 37;
        Buffer<uint32_t> out(memory, groups * size);
        engine::Options options;
        options.threads = threads;
        EXPECT_NO_FAULT(kernel.run({{groups * size, 1, 1}, {size, 1, 1}}, {out.address(), size, 7}, options, size * 4));
        for (uint32_t i = 0; i < groups * size; ++i)
          ASSERT_EQ(out[i], i / size * size + (size - 1 - i % size));
      }
  }
}

// Waves other than the last of a workgroup end before the barrier that the rest still meets.
// Arguments: out, number of waves.
const char* const early_end = R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, -1
  v_lshrrev_b32 v3, 6, v0
  v_readfirstlane_b32 s11, v3
  v_lshlrev_b32 v5, 2, v0
  ds_write_b32 v5, v0
  s_waitcnt lgkmcnt(0)
  s_cmp_lt_u32 s11, 2
  s_cbranch_scc0 done
  s_barrier
  s_barrier
  v_xor_b32 v6, 0xfc, v5
  v_xor_b32 v6, 0x100, v6
  ds_read_b32 v7, v6
  s_waitcnt lgkmcnt(0)
  address 8, 8, v5
  flat_store_dword v[8:9], v7
done:
  s_endpgm
)";

TEST(Dispatch, WavesThatEndedDoNotHoldUpABarrier) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, early_end);
    machine::Memory memory;
    for (const uint32_t size : {128u, 256u, 1024u}) {
      Buffer<uint32_t> out(memory, 1024);
      EXPECT_NO_FAULT(kernel.run({{size, 1, 1}, {size, 1, 1}}, {out.address(), size / 64}, {}, 4096));
      for (uint32_t i = 0; i < 128; ++i)
        ASSERT_EQ(out[i], i ^ 127);
      for (uint32_t i = 128; i < 1024; ++i)
        ASSERT_EQ(out[i], 0u);
    }
  }
}

// 4 + 3 * s10 + 2 instructions: s_nop and s_waitcnt count, labels do not.
TEST(Dispatch, CountsInstructionsExactly) {
  FOR_ALL_TARGETS(target) {
    const Kernel loop(target, R"(
  s_load_dword s10, s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s10, 0
  s_cbranch_scc1 done
again:
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 again
done:
  s_nop 0
  s_endpgm
)");
    for (const unsigned threads : {1u, 0u})
      for (const uint64_t n : {0u, 1u, 2u, 1000u}) {
        engine::Options options;
        options.threads = threads;
        const auto outcome = loop.run({{6400, 1, 1}, {128, 1, 1}}, {n}, options);
        EXPECT_NO_FAULT(outcome);
        EXPECT_EQ(outcome.stats.waves, 100u);
        EXPECT_EQ(outcome.stats.instructions, 100 * (4 + 3 * n + 2));
      }
    // Preemption does not change the count: 3 million instructions in each wave.
    engine::Options options;
    options.preempt_after = 1000;
    const auto outcome = loop.run({{128, 1, 1}, {128, 1, 1}}, {100000}, options);
    EXPECT_EQ(outcome.stats.instructions, 2 * (4 + 3 * 100000 + 2u));
  }
}

// Calls, computed jumps, a jump into the middle of code seen before, and DPP and packed operations that are several
// Uops.
TEST(Dispatch, CountsAcrossCallsAndJumps) {
  const Kernel kernel(isa::Target::gfx900, R"(
  s_getpc_b64 s[10:11]
a:
  s_add_u32 s10, s10, f-a
  s_addc_u32 s11, s11, 0
  s_swappc_b64 s[12:13], s[10:11]
  s_call_b64 s[12:13], f
  s_add_u32 s10, s10, g-f
  s_addc_u32 s11, s11, 0
  s_swappc_b64 s[12:13], s[10:11]
  s_branch over
  s_nop 0
over:
  s_barrier
  s_sleep 1
  s_endpgm
f:
  v_mov_b32_dpp v3, v0 row_shr:1 row_mask:0xf bank_mask:0xf
g:
  v_mad_f16 v4, |v0|, v0, -v0 clamp
  s_setpc_b64 s[12:13]
)");
  for (const uint32_t size : {64u, 128u}) {
    const auto outcome = kernel.run({{size, 1, 1}, {size, 1, 1}}, {});
    EXPECT_NO_FAULT(outcome);
    // 4 to the first call and 3 in it; 1 and 3; 3 and 2; s_branch; s_barrier, s_sleep, s_endpgm.
    EXPECT_EQ(outcome.stats.instructions, size / 64 * (4 + 3 + 1 + 3 + 3 + 2 + 1 + 3));
  }
}

TEST(Dispatch, RunsFromSeveralHostThreadsAtOnce) {
  const Kernel one(isa::Target::gfx900, visit), two(isa::Target::gfx803, visit);
  std::atomic<int> failures{0};
  std::vector<std::thread> hosts;
  for (int h = 0; h < 4; ++h)
    hosts.emplace_back([&, h] {
      machine::Memory memory;
      for (int round = 0; round < 20; ++round) {
        const uint32_t n = 1000 + 100 * uint32_t(h);
        Buffer<uint32_t> out(memory, n);
        engine::Options options;
        options.threads = unsigned(h % 3);
        const auto outcome = (h & 1 ? one : two).run({{n, 1, 1}, {64, 1, 1}}, {out.address(), n, 1, 64, 1, 1}, options);
        if (outcome.fault)
          ++failures;
        for (uint32_t i = 0; i < n; ++i)
          if (out[i] != (1 | i % 64 << 8))
            ++failures;
      }
    });
  for (auto& t : hosts)
    t.join();
  EXPECT_EQ(failures, 0);
}

TEST(Dispatch, RunsManyWorkgroups) {
  const Kernel kernel(isa::Target::gfx906, visit);
  machine::Memory memory;
  const uint32_t n = 64 * 20000;
  Buffer<uint32_t> out(memory, n);
  const auto outcome = kernel.run({{n, 1, 1}, {64, 1, 1}}, {out.address(), n, 1, 64, 1, 1});
  EXPECT_NO_FAULT(outcome);
  EXPECT_EQ(outcome.stats.workgroups, 20000u);
  for (uint32_t i = 0; i < n; ++i)
    ASSERT_EQ(out[i], (1 | i % 64 << 8));
}

// The host's rounding and denormal modes are its own before and after.
TEST(Dispatch, LeavesTheHostsFloatModeAlone) {
  const Kernel kernel(isa::Target::gfx900,
                      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x0f\nv_add_f64 v[4:5], v[2:3], 1.0\ns_endpgm");
  const unsigned before = _mm_getcsr();
  engine::Options options;
  options.threads = 1;
  EXPECT_NO_FAULT(kernel.run({}, {}, options));
  EXPECT_EQ(_mm_getcsr() & ~0x3fu, before & ~0x3fu); // but for the sticky exception flags
  const Kernel faulting(isa::Target::gfx900, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x0f\ns_trap 2\ns_endpgm");
  EXPECT_TRUE(faulting.run({}, {}, options).fault);
  EXPECT_EQ(_mm_getcsr() & ~0x3fu, before & ~0x3fu);
}

} // namespace
} // namespace crosslane
