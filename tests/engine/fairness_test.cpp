// Waves that wait for each other without a barrier instruction: every resident wave makes progress.
#include "tests/engine/kernel_fixture.h"

namespace crosslane {
namespace {

using test::Buffer;
using test::Kernel;
using test::Shape;

// Wave 0 of a workgroup and wave 1: the one whose number is in s10 spins until the other has set the flag.
// Arguments: out, number of the waiting wave. `spin` is what the loop does besides looking.
std::string within_workgroup(const std::string& spin) {
  return R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_waitcnt lgkmcnt(0)
  s_mov_b32 m0, -1
  v_lshrrev_b32 v3, 6, v0
  v_readfirstlane_b32 s11, v3
  v_mov_b32 v5, 0
  v_mov_b32 v6, 1
  s_cmp_eq_u32 s11, s10
  s_cbranch_scc1 wait
  ds_write_b32 v5, v6
  s_waitcnt lgkmcnt(0)
  s_endpgm
wait:
)" + spin +
         R"(
  ds_read_b32 v7, v5
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s12, v7
  s_cmp_eq_u32 s12, 0
  s_cbranch_scc1 wait
  s_lshl_b32 s13, s2, 2
  v_mov_b32 v8, s13
  address 10, 8, v8
  s_mov_b64 exec, 1
  flat_store_dword v[10:11], v6
  s_endpgm
)";
}

TEST(Fairness, WavesOfOneWorkgroup) {
  FOR_ALL_TARGETS(target)
  for (const char* spin : {"", "s_sleep 1", "s_nop 0"}) {
    const Kernel kernel(target, within_workgroup(spin));
    machine::Memory memory;
    for (const uint64_t waiting : {0u, 1u}) {
      Buffer<uint32_t> out(memory, 50);
      EXPECT_NO_FAULT(kernel.run({{128 * 50, 1, 1}, {128, 1, 1}}, {out.address(), waiting}, {}, 256));
      for (const uint32_t v : out)
        ASSERT_EQ(v, 1u);
    }
  }
}

// Workgroup 0 waits for a letter that the last workgroup writes; one host thread has to run both.
// Arguments: mailbox, number of the last workgroup.
std::string mailbox(const std::string& spin) {
  return R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
  v_mov_b32 v5, 42
  s_mov_b64 exec, 1
  s_cmp_eq_u32 s2, s10
  s_cbranch_scc1 send
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 wait
  s_endpgm
send:
  flat_store_dword v[8:9], v5
  s_endpgm
wait:
)" + spin +
         R"(
  flat_load_dword v6, v[8:9] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s11, v6
  s_cmp_lg_u32 s11, 42
  s_cbranch_scc1 wait
  s_endpgm
)";
}

TEST(Fairness, AnEarlierWorkgroupWaitsForALaterOne) {
  FOR_ALL_TARGETS(target)
  for (const char* spin : {"", "s_sleep 8"}) {
    const Kernel kernel(target, mailbox(spin));
    machine::Memory memory;
    for (const unsigned threads : {1u, 0u})
      for (const uint32_t groups : {2u, 100u, 1000u}) {
        Buffer<uint32_t> out(memory, 1);
        engine::Options options;
        options.threads = threads;
        EXPECT_NO_FAULT(kernel.run({{64 * groups, 1, 1}, {64, 1, 1}}, {out.address(), groups - 1}, options));
        EXPECT_EQ(out[0], 42u);
      }
  }
}

// Single-pass scan: workgroup i waits for the inclusive sum of workgroup i - 1. Groups take numbers from a counter.
// Arguments: counter, sums (one dword a group, 0 = not yet).
const char* const look_back = R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
  v_mov_b32 v5, 1
  flat_atomic_add v6, v[8:9], v5 glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_lshlrev_b32 v7, 2, v6
  address 12, 10, v7
  v_mov_b32 v14, 0
  v_readfirstlane_b32 s12, v6
  s_cmp_eq_u32 s12, 0
  s_cbranch_scc1 first
  v_subrev_u32 v7, 4, v7
  address 10, 10, v7
wait:
  flat_load_dword v14, v[10:11] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s13, v14
  s_cmp_eq_u32 s13, 0
  s_cbranch_scc1 wait
first:
  v_add_u32 v14, v6, v14
  v_add_u32 v14, 1, v14
  flat_store_dword v[12:13], v14
  s_endpgm
)";

TEST(Fairness, DecoupledLookBack) {
  const Kernel kernel(isa::Target::gfx900, look_back);
  machine::Memory memory;
  for (const unsigned threads : {1u, 0u}) {
    const uint32_t groups = 1000;
    Buffer<uint32_t> counter(memory, 1), sums(memory, groups);
    engine::Options options;
    options.threads = threads;
    EXPECT_NO_FAULT(kernel.run({{64 * groups, 1, 1}, {64, 1, 1}}, {counter.address(), sums.address()}, options));
    for (uint32_t i = 0; i < groups; ++i)
      ASSERT_EQ(sums[i], (i + 1) * (i + 2) / 2);
  }
}

// The same backwards, so that every workgroup waits for one that comes later: workgroup i waits for i + 1.
// Arguments: flags, number of groups.
const char* const look_ahead = R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  s_lshl_b32 s11, s2, 2
  v_mov_b32 v7, s11
  address 12, 8, v7
  add_u32 v7, 4, v7
  address 10, 8, v7
  v_mov_b32 v14, 1
  s_sub_u32 s10, s10, 1
  s_cmp_eq_u32 s10, s2
  s_cbranch_scc1 last
wait:
  flat_load_dword v6, v[10:11] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s13, v6
  s_cmp_eq_u32 s13, 0
  s_cbranch_scc1 wait
last:
  flat_store_dword v[12:13], v14
  s_endpgm
)";

TEST(Fairness, EveryWorkgroupWaitsForTheNext) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, look_ahead);
    machine::Memory memory;
    for (const unsigned threads : {1u, 0u}) {
      const uint32_t groups = 300;
      Buffer<uint32_t> flags(memory, groups);
      engine::Options options;
      options.threads = threads;
      EXPECT_NO_FAULT(kernel.run({{64 * groups, 1, 1}, {64, 1, 1}}, {flags.address(), groups}, options));
      for (const uint32_t f : flags)
        ASSERT_EQ(f, 1u);
    }
  }
}

// A barrier over the whole grid, `rounds` times: each workgroup counts itself in and waits for all.
// Arguments: counter, rounds, groups.
std::string grid_barrier(const std::string& spin) {
  return R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_load_dword s11, s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s12, 0
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
  v_mov_b32 v5, 1
again:
  s_barrier
  s_add_u32 s12, s12, s11
  s_mov_b64 s[16:17], exec
  v_cmp_eq_u32 vcc, 0, v0
  s_and_b64 exec, exec, vcc
  s_cbranch_execz joined
  flat_atomic_add v[8:9], v5
wait:
)" + spin +
         R"(
  flat_load_dword v6, v[8:9] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s13, v6
  s_cmp_lt_u32 s13, s12
  s_cbranch_scc1 wait
joined:
  s_mov_b64 exec, s[16:17]
  s_barrier
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 again
  s_endpgm
)";
}

TEST(Fairness, GridBarrierOverResidentWorkgroups) {
  FOR_ALL_TARGETS(target)
  for (const char* spin : {"", "s_sleep 8"}) {
    const Kernel kernel(target, grid_barrier(spin));
    machine::Memory memory;
    for (const unsigned threads : {1u, 0u})
      for (const uint32_t size : {64u, 256u}) {
        const uint32_t groups = 60, rounds = 3;
        Buffer<uint32_t> counter(memory, 1);
        engine::Options options;
        options.threads = threads;
        EXPECT_NO_FAULT(
            kernel.run({{size * groups, 1, 1}, {size, 1, 1}}, {counter.address(), rounds, groups}, options));
        EXPECT_EQ(counter[0], groups * rounds);
      }
  }
}

// As many workgroups as a 64-CU card holds of one-wave groups with 64 registers: 4 SIMDs x 4 waves x 64 CUs. All of
// them are resident, however many host threads take part.
TEST(Fairness, GridBarrierOverAWholeCard) {
  const Kernel kernel(isa::Target::gfx906, grid_barrier("s_sleep 8"));
  machine::Memory memory;
  for (const unsigned threads : {1u, 2u}) {
    const uint32_t groups = 1024, rounds = 2;
    Buffer<uint32_t> counter(memory, 1);
    engine::Options options;
    options.threads = threads;
    EXPECT_NO_FAULT(kernel.run({{64 * groups, 1, 1}, {64, 1, 1}}, {counter.address(), rounds, groups}, options));
    EXPECT_EQ(counter[0], groups * rounds);
  }
}

// A lock that waves of many workgroups take in turn, by compare and swap. Arguments: lock, counter, turns.
const char* const lock = R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dword s12, s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
  v_mov_b32 v10, s10
  v_mov_b32 v11, s11
  v_mov_b32 v4, 1
  v_mov_b32 v5, 0
turn:
  flat_atomic_cmpswap v6, v[8:9], v[4:5] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s13, v6
  s_cmp_lg_u32 s13, 0
  s_cbranch_scc1 turn
  flat_load_dword v7, v[10:11] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_or_b32 v7, v7, v7
  flat_load_dword v12, v[10:11] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  add_u32 v7, 1, v12
  flat_store_dword v[10:11], v7
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  flat_store_dword v[8:9], v5
  s_sub_u32 s12, s12, 1
  s_cmp_lg_u32 s12, 0
  s_cbranch_scc1 turn
  s_endpgm
)";

TEST(Fairness, ALockOverManyWorkgroups) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, lock);
    machine::Memory memory;
    for (const uint64_t budget : {uint64_t(1) << 20, uint64_t(50)}) {
      Buffer<uint32_t> word(memory, 1), counter(memory, 1);
      engine::Options options;
      options.preempt_after = budget;
      EXPECT_NO_FAULT(kernel.run({{64 * 40, 1, 1}, {64, 1, 1}}, {word.address(), counter.address(), 100}, options));
      EXPECT_EQ(counter[0], 4000u);
    }
  }
}

// A wave that goes round by computed jumps and calls alone is preempted as well.
TEST(Fairness, LoopsOfCallsYieldToo) {
  const Kernel kernel(isa::Target::gfx900, R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
  v_mov_b32 v5, 42
  s_mov_b64 exec, 1
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc1 wait
  global_store_dword v[8:9], v5, off
  s_endpgm
wait:
  global_load_dword v6, v[8:9], off glc
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s11, v6
  s_cmp_eq_u32 s11, 42
  s_cbranch_scc1 done
  s_call_b64 s[12:13], wait
done:
  s_endpgm
)");
  machine::Memory memory;
  Buffer<uint32_t> out(memory, 1);
  engine::Options options;
  options.threads = 1;
  EXPECT_NO_FAULT(kernel.run({{128, 1, 1}, {64, 1, 1}}, {out.address()}, options));
  EXPECT_EQ(out[0], 42u);
}

} // namespace
} // namespace crosslane
