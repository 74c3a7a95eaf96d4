// What the workgroups of a dispatch share besides memory: GDS atomics from several threads, ordered counts, the global
// wave sync, and the fault when all waves wait.
#include "tests/engine/kernel_fixture.h"

namespace crosslane {
namespace {

using test::Buffer;
using test::Kernel;

engine::Options with(unsigned threads, machine::Gds* gds = nullptr) {
  engine::Options options;
  options.threads = threads;
  options.gds = gds;
  return options;
}

// Every work-item takes a number from a counter in the GDS and marks it in memory.
TEST(Gds, AtomicsOfManyWorkgroups) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_mov_b32 m0, 0x01001000
  v_mov_b32 v4, 16
  v_mov_b32 v5, 1
  ds_add_rtn_u32 v6, v4, v5 offset:4 gds
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v7, 2, v6
  address 10, 8, v7
  flat_store_dword v[10:11], v5
  s_endpgm
)");
    machine::Memory memory;
    for (const unsigned threads : {1u, 0u})
      for (int twice = 0; twice < 2; ++twice) { // the GDS of a dispatch starts with zeros
        const uint32_t items = 256 * 100;
        Buffer<uint32_t> out(memory, items);
        EXPECT_NO_FAULT(kernel.run({{items, 1, 1}, {256, 1, 1}}, {out.address()}, with(threads)));
        for (const uint32_t v : out)
          ASSERT_EQ(v, 1u);
      }
  }
}

// Wave n adds n + 1: it must find the sum of all that were launched before it. Each wave counts twice, by two counters.
TEST(Gds, OrderedCountsInLaunchOrder) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target, R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  v_readfirstlane_b32 s12, v0
  s_lshr_b32 s12, s12, 6
  s_lshl_b32 s13, s2, 1
  s_add_u32 s12, s12, s13
  s_add_u32 s13, s12, 1
  s_mov_b32 m0, 0x01000000
  v_mov_b32 v4, s13
  ds_ordered_count v6, v4 offset:0x100 gds
  v_mov_b32 v5, 1
  ds_ordered_count v7, v5 offset:0x304 gds
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s13, s12, 3
  v_mov_b32 v8, s13
  address 10, 8, v8
  flat_store_dwordx2 v[10:11], v[6:7]
  s_endpgm
)");
    machine::Memory memory;
    for (const unsigned threads : {1u, 0u}) {
      const uint32_t groups = 300, waves = 2 * groups;
      Buffer<uint32_t> out(memory, 2 * waves);
      EXPECT_NO_FAULT(kernel.run({{128 * groups, 1, 1}, {128, 1, 1}}, {out.address()}, with(threads)));
      for (uint32_t n = 0; n < waves; ++n) {
        ASSERT_EQ(out[2 * n], n * (n + 1) / 2) << n;
        ASSERT_EQ(out[2 * n + 1], n) << n;
      }
    }
  }
}

// One dispatch initialises a resource, the next one uses it, as the HIP runtime does for cooperative launches.
Kernel initialiser(isa::Target target) {
  return Kernel(target, R"(
  s_load_dword s8, s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, s8
  s_mov_b32 m0, 0x20000
  ds_gws_init v4 offset:1 gds
  s_endpgm
)");
}

// Rounds of: count in memory, barrier of all waves, look at the count. Arguments: counter, rounds, waves, waves - 1.
const char* const barrier_rounds = R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dwordx4 s[12:15], s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  s_mov_b32 m0, 0x30000
  s_mov_b32 s16, 0
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
  v_mov_b32 v5, 1
  v_mov_b32 v4, s14
again:
  flat_atomic_add v[8:9], v5
  s_add_u32 s16, s16, s12
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  ds_gws_barrier v4 gds
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  flat_load_dword v6, v[8:9] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s17, v6
  s_cmp_lt_u32 s17, s16
  s_cbranch_scc1 wrong
  ds_gws_barrier v4 gds
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 again
  s_endpgm
wrong:
  s_trap 2
  s_endpgm
)";

TEST(Gws, BarrierOfAllWaves) {
  FOR_ALL_TARGETS(target) {
    const Kernel init = initialiser(target), kernel(target, barrier_rounds);
    machine::Memory memory;
    for (const unsigned threads : {1u, 0u})
      for (const uint32_t size : {64u, 256u}) {
        const uint32_t groups = 60, rounds = 5, waves = groups * size / 64;
        Buffer<uint32_t> counter(memory, 1);
        machine::Gds gds;
        EXPECT_NO_FAULT(init.run({}, {waves - 1}, with(threads, &gds)));
        EXPECT_NO_FAULT(kernel.run({{size * groups, 1, 1}, {size, 1, 1}}, {counter.address(), rounds, waves, waves - 1},
                                   with(threads, &gds)));
        EXPECT_EQ(counter[0], waves * rounds);
      }
  }
}

// A semaphore of one as a lock around a plain load, add and store. Arguments: counter, turns.
TEST(Gws, SemaphoreAsALock) {
  FOR_ALL_TARGETS(target) {
    const Kernel init = initialiser(target), kernel(target, R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  s_mov_b32 m0, 0x30000
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
turn:
  ds_gws_sema_p gds
  flat_load_dword v6, v[8:9] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  s_sleep 1
  add_u32 v6, 1, v6
  flat_store_dword v[8:9], v6
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  ds_gws_sema_v gds
  s_sub_u32 s10, s10, 1
  s_cmp_lg_u32 s10, 0
  s_cbranch_scc1 turn
  s_endpgm
)");
    machine::Memory memory;
    for (const unsigned threads : {1u, 0u}) {
      Buffer<uint32_t> counter(memory, 1);
      machine::Gds gds;
      EXPECT_NO_FAULT(init.run({}, {1}, with(threads, &gds)));
      EXPECT_NO_FAULT(kernel.run({{128 * 20, 1, 1}, {128, 1, 1}}, {counter.address(), 20}, with(threads, &gds)));
      EXPECT_EQ(counter[0], 800u);
    }
  }
}

// All groups but the last queue up; the last one lets them go, when they are all there, by `release`. Arguments:
// counter, last group.
std::string queue(const std::string& release) {
  return R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b64 exec, 1
  s_mov_b32 m0, 0
  v_mov_b32 v8, s8
  v_mov_b32 v9, s9
  v_mov_b32 v5, 1
  v_mov_b32 v4, s10
  s_cmp_eq_u32 s2, s10
  s_cbranch_scc1 last
  flat_atomic_add v[8:9], v5
  ds_gws_sema_p offset:9 gds
  flat_atomic_add v[8:9], v5 offset4
  s_endpgm
last:
  flat_load_dword v6, v[8:9] glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_readfirstlane_b32 s11, v6
  s_cmp_lt_u32 s11, s10
  s_cbranch_scc1 last
  s_sleep 100
  s_sleep 100
)" + release +
         "\n  s_endpgm\n";
}

TEST(Gws, BulkReleaseAndReleaseAll) {
  for (const char* release : {"ds_gws_sema_br v4 offset:9 gds", "ds_gws_sema_release_all offset:9 gds"}) {
    std::string text = queue(release);
    text.replace(text.find(" offset4"), 8, "");
    const Kernel kernel(isa::Target::gfx900, text);
    machine::Memory memory;
    Buffer<uint32_t> counter(memory, 1);
    EXPECT_NO_FAULT(kernel.run({{64 * 31, 1, 1}, {64, 1, 1}}, {counter.address(), 30}, with(1)));
    EXPECT_EQ(counter[0], 60u) << release;
  }
}

// Waves that wait for ever are a fault that names the instruction, not a hang.
TEST(Gws, WhenAllWavesWaitItIsADeadlock) {
  const struct {
    const char *code, *instruction;
  } cases[] = {
      {"v_mov_b32 v4, 100\n ds_gws_init v4 gds\n ds_gws_barrier v4 gds\n s_endpgm", "ds_gws_barrier v4 gds"},
      {"ds_gws_sema_p offset:5 gds\n s_endpgm", "ds_gws_sema_p offset:5 gds"},
      {"v_mov_b32 v4, 1\n ds_ordered_count v5, v4 gds\n s_endpgm", "ds_ordered_count v5, v4 gds"},
      // The rest of the workgroup is at a barrier.
      {"v_readfirstlane_b32 s4, v0\n s_cmp_lg_u32 s4, 0\n s_cbranch_scc1 l\n ds_gws_sema_p gds\nl: s_barrier\n "
       "s_endpgm",
       "ds_gws_sema_p gds"},
  };
  for (const auto& c : cases)
    for (const unsigned threads : {1u, 0u})
      for (const uint32_t groups : {2u, 50u, 3000u}) {
        const Kernel kernel(isa::Target::gfx900, std::string("s_mov_b32 m0, 0\n") + c.code);
        const auto outcome = kernel.run({{128 * groups, 1, 1}, {128, 1, 1}}, {}, with(threads));
        ASSERT_TRUE(outcome.fault) << c.code;
        EXPECT_EQ(outcome.fault->kind, machine::FaultKind::deadlock);
        EXPECT_EQ(outcome.fault->instruction, c.instruction);
        EXPECT_NE(machine::describe(*outcome.fault).find("no wave can go on"), std::string::npos);
        const auto& places = outcome.census.places;
        EXPECT_TRUE(std::any_of(places.begin(), places.end(), [&](const auto& place) {
          return place.state == engine::WavePlace::State::waiting && place.instruction == c.instruction;
        }));
      }
}

} // namespace
} // namespace crosslane
