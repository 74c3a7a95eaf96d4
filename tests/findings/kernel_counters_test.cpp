// Counters of a kernel that ran on the engine, from the views to the metrics: every number worked out by hand.
#include "events/several.h"
#include "findings/derive.h"
#include "tests/engine/kernel_fixture.h"
#include <gtest/gtest.h>
#include <map>

namespace crosslane::findings {
namespace {

using test::Buffer;
using test::Kernel;

// Two workgroups of 128 work-items: 4 wavefronts of 64 lanes. In each of them:
constexpr const char* code = R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0              // 4 l
  v_lshlrev_b32_e32 v2, 5, v0              // 32 l
  ds_write_b32 v1, v0                      // a dword in each bank for 32 lanes: a store, 4 cycles
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v3, v2                       // banks 8 l mod 32: 32 lanes in 4 of them, 8 cycles; twice that
  s_waitcnt lgkmcnt(0)
  global_load_dword v4, v1, s[4:5]         // 4 lines, 4 clocks
  s_waitcnt vmcnt(0)
  global_store_dword v2, v4, s[6:7]        // two lanes in a line: 32 lines; 16 quads, 16 clocks
  v_cmp_gt_u32_e32 vcc, 16, v0             // 16 lanes of a workgroup's first wavefront, none of its second
  s_and_saveexec_b64 s[8:9], vcc
  v_rcp_f32_e32 v5, v4                     // quarter rate
  s_endpgm
)";

struct Ran {
  engine::Stats stats;
  KernelProfile profile;
};

Ran run() {
  const Kernel kernel(isa::Target::gfx900, code);
  machine::Memory memory;
  Buffer<uint32_t> in(memory, 1024, "in"), out(memory, 1024, "out");
  views::ActiveLaneCounts lanes;
  views::MemoryCoalescing coalescing;
  views::LdsBanks banks;
  events::Several listeners;
  listeners.add(lanes);
  listeners.add(coalescing);
  listeners.add(banks);
  engine::Options options;
  options.listener = &listeners;
  const auto outcome = kernel.run({{256, 1, 1}, {128, 1, 1}}, {in.address(), out.address()}, options, 4096);
  EXPECT_NO_FAULT(outcome);

  Ran ran{outcome.stats, {}};
  ran.profile.target = "gfx900";
  ran.profile.waves = outcome.stats.waves;
  std::map<uint64_t, ProfiledInstruction> by_pc;
  for (const auto& site : lanes.sites()) {
    ProfiledInstruction& i = by_pc[site.pc];
    i.instruction = site.instruction;
    i.kind = class_of(site.instruction);
    i.executions = site.active.executions();
    i.active = site.active;
    i.lost_lane_cycles = site.lost_to_divergence;
  }
  for (const auto& site : coalescing.sites())
    by_pc[site.pc].memory.push_back(site);
  for (const auto& site : banks.sites())
    by_pc[site.pc].lds = site;
  for (auto& [pc, i] : by_pc)
    ran.profile.instructions.push_back(i);
  derive(ran.profile, {}, {true, true, true, true});
  return ran;
}

TEST(KernelCounters, FromTheEngineToTheMetrics) {
  const Ran ran = run();
  const std::map<std::string, double> expected = {
      {"SQ_WAVES", 4},
      {"SQ_INSTS_VALU", 16}, // 2 shifts, the compare, v_rcp_f32
      {"SQ_INSTS_SALU", 4},  // s_and_saveexec
      {"SQ_INSTS_SMEM", 4},
      {"SQ_INSTS_LDS", 8},
      {"SQ_INSTS_GDS", 0},
      {"SQ_INSTS_VMEM_RD", 4},
      {"SQ_INSTS_VMEM_WR", 4},
      {"SQ_INSTS_FLAT", 8},
      {"SQ_INSTS_FLAT_LDS_ONLY", 0},
      {"SQ_ACTIVE_INST_VALU", 28},    // 4 * (1 + 1 + 1 + 4)
      {"SQ_THREAD_CYCLES_VALU", 896}, // 4 * 3 * 64, and 16 lanes of 2 wavefronts for 4
      {"VALUUtilization", 50},        // 896 of 28 * 64
      {"VALU Active Threads", 32},
      {"SQ_INST_CYCLES_SALU", 8},
      {"SQ_LDS_BANK_CONFLICT", 56},       // 4 * (16 - 2)
      {"SQ_LDS_IDX_ACTIVE", 80},          // 4 * (4 + 16)
      {"Bank Conflicts/Access", 7.0 / 3}, // 56 of 80 - 56
      {"TA_TOTAL_WAVEFRONTS", 8},
      {"TCP_TOTAL_ACCESSES", 320}, // 4 * 4 * (4 + 16)
      {"Coalescing", 40},          // 100 * 8 * 16 / 320: between 100 for the load and 25 for the store
      {"TCP_TOTAL_CACHE_ACCESSES", 144},
      {"TCP_TCC_WRITE_REQ", 128},
      {"VALUInsts", 4},
      {"SALUInsts", 1},
      {"SFetchInsts", 1},
      {"LDSInsts", 2},
      {"FlatVMemInsts", 2},
      {"VFetchInsts", 0},
      {"VWriteInsts", 0},
  };
  std::map<std::string, double> actual;
  for (const Counter& c : ran.profile.counters)
    if (c.value && expected.contains(c.name))
      actual[c.name] = *c.value;
  EXPECT_EQ(actual, expected);
}

TEST(KernelCounters, Mix) {
  const Ran ran = run();
  // Per wavefront: 4 vector, 5 messages (s_waitcnt, s_barrier, s_endpgm), 2 each of LDS and global memory, 1 scalar and
  // 1 scalar load.
  std::map<std::string, uint64_t> mix, lanes;
  uint64_t sum = 0;
  for (const MixEntry& m : ran.profile.mix) {
    mix[name_of(m.kind)] = m.wave_instructions;
    if (m.lanes)
      lanes[name_of(m.kind)] = *m.lanes;
    sum += m.wave_instructions;
  }
  EXPECT_EQ(mix, (std::map<std::string, uint64_t>{
                     {"valu", 16}, {"message", 20}, {"lds", 8}, {"flat", 8}, {"salu", 4}, {"smem", 4}}));
  EXPECT_EQ(lanes, (std::map<std::string, uint64_t>{{"valu", 3 * 256 + 32}, {"lds", 512}, {"flat", 512}}));
  EXPECT_EQ(sum, ran.stats.instructions);
}

} // namespace
} // namespace crosslane::findings
