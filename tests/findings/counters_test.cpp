// Counters of a kernel made by hand. Its instructions and what they did are listed below; each expected number is
// worked out beside it.
#include "findings/derive.h"
#include "findings/modelled.h"
#include "isa/op.h"
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace crosslane::findings {
namespace {

constexpr Views everything{true, true, true, true};

ProfiledInstruction instruction(std::string_view mnemonic, uint64_t executions,
                                std::initializer_list<std::pair<int, uint64_t>> histogram = {}) {
  ProfiledInstruction p;
  p.instruction.target = isa::Target::gfx900;
  const auto op = isa::find_op(mnemonic, isa::Target::gfx900);
  EXPECT_TRUE(op) << mnemonic;
  p.instruction.op = op.value_or(isa::Op::s_nop);
  p.kind = class_of(p.instruction);
  p.executions = executions;
  p.active.emplace();
  for (const auto& [lanes, waves] : histogram)
    p.active->waves[static_cast<size_t>(lanes)] = waves;
  return p;
}

ProfiledInstruction& reaches(ProfiledInstruction& p, events::AccessKind kind, const views::MemoryCounts& counts,
                             events::Space space = events::Space::global) {
  views::MemorySite site;
  site.instruction = p.instruction;
  site.kind = kind, site.space = space, site.counts = counts;
  p.memory.push_back(site);
  return p;
}

// Four waves: one of 64 lanes, three of 32.
KernelProfile kernel() {
  using events::AccessKind;
  KernelProfile k;
  k.target = "gfx900", k.waves = 4, k.workgroups = 2;
  auto& i = k.instructions;
  i.push_back(instruction("v_add_f32", 4, {{64, 1}, {32, 3}})); // 4 cycles
  i.push_back(instruction("v_rcp_f32", 8, {{16, 8}}));          // 16 cycles
  i.push_back(instruction("v_mul_f64", 1, {{10, 1}}));          // 64 cycles
  i.push_back(instruction("s_add_u32", 5, {{64, 5}}));
  i.push_back(instruction("s_and_saveexec_b64", 3, {{64, 3}})); // 8 cycles
  i.push_back(instruction("s_cbranch_execz", 3, {{64, 3}}));
  i.push_back(instruction("s_waitcnt", 9, {{64, 9}}));
  i.push_back(instruction("s_load_dword", 6, {{64, 6}}));
  reaches(i.back(), AccessKind::load, {.requests = 6, .lanes = 6, .lines = 6}, events::Space::scalar);
  // Contiguous dwords by full waves: 4 lines and 4 clocks each, 4 groups of 16.
  i.push_back(instruction("global_load_dword", 2, {{64, 2}}));
  reaches(i.back(), AccessKind::load,
          {.requests = 2, .lanes = 128, .lines = 8, .clocks = 8, .l1_groups = {0, 0, 8, 0, 0}});
  // Far apart, by the first 32 lanes: 2 groups of 16, 8 quads, 32 lines.
  i.push_back(instruction("buffer_load_dword", 1, {{32, 1}}));
  reaches(i.back(), AccessKind::load,
          {.requests = 1, .lanes = 32, .lines = 32, .clocks = 8, .l1_groups = {0, 0, 0, 2, 0}});
  i.push_back(instruction("global_store_dword", 2, {{64, 2}}));
  reaches(i.back(), AccessKind::store,
          {.requests = 2, .lanes = 128, .lines = 9, .clocks = 8, .l1_groups = {0, 0, 8, 0, 0}});
  i.push_back(instruction("buffer_store_dword", 3, {{0, 3}})); // no lane was active
  i.push_back(instruction("global_atomic_add", 1, {{64, 1}}));
  reaches(i.back(), AccessKind::atomic,
          {.requests = 1, .lanes = 64, .lines = 1, .l2_operations = 64, .clocks = 4, .l1_groups = {4, 0, 0, 0, 0}});
  i.push_back(instruction("buffer_atomic_add", 1, {{20, 1}}));
  i.back().instruction.glc = true;
  reaches(i.back(), AccessKind::atomic,
          {.requests = 1, .lanes = 20, .lines = 1, .l2_operations = 20, .clocks = 2, .l1_groups = {2, 0, 0, 0, 0}});
  // FLAT: 5 executions, one without lanes; 3 reached memory, 2 LDS, so one of them both: 4 - 3 = 1 reached LDS alone.
  i.push_back(instruction("flat_load_dword", 5, {{0, 1}, {64, 4}}));
  reaches(i.back(), AccessKind::load,
          {.requests = 3, .lanes = 150, .lines = 12, .clocks = 12, .l1_groups = {0, 0, 12, 0, 0}});
  i.back().lds.emplace();
  i.back().lds->counts = {.accesses = 2, .lanes = 106, .cycles = 4, .ideal_cycles = 4};
  i.push_back(instruction("ds_read_b32", 7, {{64, 7}}));
  i.back().lds.emplace();
  i.back().lds->counts = {.accesses = 7, .lanes = 448, .cycles = 44, .ideal_cycles = 14, .same_address_cycles = 9};
  i.push_back(instruction("ds_add_u32", 2, {{1, 2}}));
  i.back().instruction.gds = true;
  i.push_back(instruction("buffer_wbinvl1_vol", 2, {{64, 2}}));
  i.push_back(instruction("v_mov_b32", 0));
  i.push_back(instruction("s_endpgm", 4, {{64, 4}}));
  return k;
}

Counter get(const KernelProfile& k, std::string_view name) {
  for (const Counter& c : k.counters)
    if (c.name == name)
      return c;
  ADD_FAILURE() << name;
  return {};
}
double value(const KernelProfile& k, std::string_view name) {
  const Counter c = get(k, name);
  EXPECT_TRUE(c.value) << name << ": " << c.why;
  return c.value.value_or(-1);
}

TEST(Counters, Instructions) {
  KernelProfile k = kernel();
  derive_counters(k, everything);
  EXPECT_EQ(value(k, "SQ_WAVES"), 4);
  EXPECT_EQ(value(k, "SQ_INSTS_VALU"), 4 + 8 + 1);
  EXPECT_EQ(value(k, "SQ_INSTS_SALU"), 5 + 3);
  EXPECT_EQ(value(k, "SQ_INSTS_SMEM"), 6);
  EXPECT_EQ(value(k, "SQ_INSTS_VMEM_RD"), 2 + 1 + 5 + 1); // global, buffer, flat; the atomic that returns a value
  EXPECT_EQ(value(k, "SQ_INSTS_VMEM_WR"), 2 + 3 + 1);     // two stores, the other atomic
  EXPECT_EQ(value(k, "SQ_INSTS_VMEM"), 15);
  EXPECT_EQ(value(k, "SQ_INSTS_BRANCH"), 3);
  EXPECT_EQ(value(k, "SQ_INSTS_SENDMSG"), 4);          // s_endpgm; s_waitcnt is none
  EXPECT_EQ(value(k, "SQ_INSTS_FLAT"), 2 + 2 + 1 + 5); // global ones are of the same encoding
  EXPECT_EQ(value(k, "SQ_INSTS_FLAT_LDS_ONLY"), 1);
  EXPECT_EQ(value(k, "SQ_INSTS_LDS"), 7 + 5);
  EXPECT_EQ(value(k, "SQ_INSTS_GDS"), 2);
  EXPECT_EQ(value(k, "TA_FLAT_READ_WAVEFRONTS"), 2 + 5);
  EXPECT_EQ(value(k, "TA_FLAT_WRITE_WAVEFRONTS"), 2);
  EXPECT_EQ(value(k, "TA_FLAT_ATOMIC_WAVEFRONTS"), 1);
  EXPECT_EQ(value(k, "TA_FLAT_WAVEFRONTS"), 10);
  EXPECT_EQ(value(k, "TA_BUFFER_READ_WAVEFRONTS"), 1);
  EXPECT_EQ(value(k, "TA_BUFFER_WRITE_WAVEFRONTS"), 3);
  EXPECT_EQ(value(k, "TA_BUFFER_ATOMIC_WAVEFRONTS"), 1);
  EXPECT_EQ(value(k, "TA_BUFFER_WAVEFRONTS"), 5); // buffer_wbinvl1_vol is none
  // Per wave.
  EXPECT_EQ(value(k, "Wavefronts"), 4);
  EXPECT_EQ(value(k, "VALUInsts"), 13 / 4.);
  EXPECT_EQ(value(k, "SALUInsts"), 8 / 4.);
  EXPECT_EQ(value(k, "SFetchInsts"), 6 / 4.);
  EXPECT_EQ(value(k, "VFetchInsts"), (1 + 1) / 4.); // the buffer load and the buffer atomic that returns a value
  EXPECT_EQ(value(k, "VWriteInsts"), (3 + 1) / 4.); // the buffer store, and by the formula the global atomic
  EXPECT_EQ(value(k, "FlatVMemInsts"), (10 - 1) / 4.);
  EXPECT_EQ(value(k, "FlatLDSInsts"), 1 / 4.);
  EXPECT_EQ(value(k, "LDSInsts"), (12 - 1) / 4.);
  EXPECT_EQ(value(k, "GDSInsts"), 2 / 4.);
}

TEST(Counters, VectorCycles) {
  KernelProfile k = kernel();
  derive_counters(k, everything);
  // In 4 cycles: v_add_f32 1, v_rcp_f32 4, v_mul_f64 16 (a sixteenth of the rate on gfx900).
  EXPECT_EQ(value(k, "SQ_ACTIVE_INST_VALU"), 4 * 1 + 8 * 4 + 1 * 16); // 52
  const double threads = (64 + 3 * 32) * 1 + 8 * 16 * 4 + 10 * 16;    // 160 + 512 + 160 = 832
  EXPECT_EQ(value(k, "SQ_THREAD_CYCLES_VALU"), threads);
  EXPECT_EQ(value(k, "VALUUtilization"), 25); // 832 of 52 * 64 = 3328
  EXPECT_EQ(value(k, "VALU Active Threads"), 16);
  EXPECT_EQ(value(k, "SQ_INST_CYCLES_SALU"), 5 * 1 + 3 * 2);
}

TEST(Counters, LdsBanks) {
  KernelProfile k = kernel();
  derive_counters(k, everything);
  EXPECT_EQ(value(k, "SQ_LDS_BANK_CONFLICT"), 44 - 14 - 9);
  EXPECT_EQ(value(k, "SQ_LDS_ADDR_CONFLICT"), 9);
  EXPECT_EQ(value(k, "SQ_LDS_IDX_ACTIVE"), 44 + 4);
  EXPECT_EQ(value(k, "Bank Conflicts/Access"), 21. / (48 - 21));
}

TEST(Counters, Caches) {
  KernelProfile k = kernel();
  derive_counters(k, everything);
  EXPECT_EQ(value(k, "TA_TOTAL_WAVEFRONTS"), 2 + 1 + 2 + 1 + 1 + 3); // 10; those with EXEC = 0 reached nothing
  // Clocks: 8 + (8 + 2 groups of 16 without a lane) + 8 + 4 + (2 + 2) + 12 = 46, 4 accesses each.
  EXPECT_EQ(value(k, "TCP_TOTAL_ACCESSES"), 4 * 46);
  EXPECT_DOUBLE_EQ(value(k, "Coalescing"), 100. * 40 / 46);                 // 10 instructions in 40 clocks at best
  EXPECT_EQ(value(k, "TCP_TOTAL_CACHE_ACCESSES"), 8 + 32 + 9 + 1 + 1 + 12); // not the 6 of scalar loads
  EXPECT_EQ(value(k, "TCP_TCC_WRITE_REQ"), 9);
  EXPECT_EQ(value(k, "TCP_TCC_ATOMIC_WITHOUT_RET_REQ"), 64);
  EXPECT_EQ(value(k, "TCP_TCC_ATOMIC_WITH_RET_REQ"), 20);
  EXPECT_EQ(get(k, "TCP_TCC_READ_REQ").why, "depends on what the L1 cache holds, which is not modelled");
}

// Best and worst of one instruction, as rocprof-compute states the range: 100 and 25 %.
TEST(Counters, CoalescingHasTheKnownRange) {
  for (const auto& [clocks, percent] : {std::pair<uint64_t, double>{4, 100}, {16, 25}}) {
    KernelProfile k;
    k.target = "gfx906", k.waves = 1;
    k.instructions.push_back(instruction("global_load_dword", 1, {{64, 1}}));
    reaches(k.instructions.back(), events::AccessKind::load,
            {.requests = 1, .lanes = 64, .lines = 4, .clocks = clocks, .l1_groups = {0, 0, 4, 0, 0}});
    derive_counters(k, everything);
    EXPECT_EQ(value(k, "Coalescing"), percent);
  }
}

TEST(Counters, WhatIsNotModelledSaysWhy) {
  KernelProfile k = kernel();
  derive_counters(k, everything);
  for (const char* name : {"GRBM_COUNT", "GRBM_GUI_ACTIVE", "SQ_WAIT_INST_LDS", "TA_TA_BUSY",
                           "TCP_TCP_TA_DATA_STALL_CYCLES", "TCC_EA_WRREQ_STALL", "VALUBusy", "SALUBusy", "GPUBusy",
                           "MemUnitBusy", "MemUnitStalled", "WriteUnitStalled", "ALUStalledByLDS", "LDSBankConflict"}) {
    const Counter c = get(k, name);
    EXPECT_FALSE(c.value) << name;
    EXPECT_NE(c.why.find("takes time, which is not modelled"), std::string::npos) << name << ": " << c.why;
  }
  for (const char* name : {"TCC_HIT", "TCC_MISS", "TCC_EA_RDREQ", "TCC_EA_RDREQ_32B", "TCC_EA_WRREQ",
                           "TCC_EA_WRREQ_64B", "FetchSize", "WriteSize", "MemWrites32B", "L2CacheHit"}) {
    const Counter c = get(k, name);
    EXPECT_FALSE(c.value) << name;
    EXPECT_NE(c.why.find("what the L2 cache holds"), std::string::npos) << name << ": " << c.why;
  }
  EXPECT_EQ(get(k, "VALUBusy").why, "GRBM_GUI_ACTIVE: takes time, which is not modelled");
  EXPECT_EQ(get(k, "vL1D Cache Hit Rate").why,
            "TCP_TCC_READ_REQ: depends on what the L1 cache holds, which is not modelled");
}

// With a model of the card, what takes time or caches has a value, or says by itself why it has none.
TEST(Counters, AModelOfTheCardGivesValues) {
  KernelProfile k = kernel();
  k.launches = 1;
  const Modelled model{.cycles = 1000,
                       .compute_units = 10,
                       .simds = 4,
                       .address_busy = 500,
                       .lds_waits = 400,
                       .l1_misses = 7,
                       .l2_hits = 30,
                       .l2_misses = 10,
                       .bytes_read = 2048,
                       .bytes_written = 1024};
  add_modelled(k, everything, model);
  EXPECT_EQ(value(k, "GRBM_COUNT"), 1000);
  EXPECT_EQ(value(k, "GPUBusy"), 100);
  EXPECT_EQ(value(k, "SQ_WAIT_INST_LDS"), 100);
  EXPECT_EQ(value(k, "ALUStalledByLDS"), 100. * 100 * 4 / value(k, "SQ_WAVES") / 1000);
  EXPECT_EQ(value(k, "MemUnitBusy"), 5);                                                   // of 10 units' 1000 cycles
  EXPECT_EQ(value(k, "VALUBusy"), 100. * 4 * value(k, "SQ_ACTIVE_INST_VALU") / 1000 / 40); // of 40 SIMD units'
  EXPECT_EQ(value(k, "LDSBankConflict"), 100. * value(k, "SQ_LDS_BANK_CONFLICT") / 1000 / 10);
  EXPECT_EQ(value(k, "TCP_TCC_READ_REQ"), 7);
  EXPECT_EQ(value(k, "L2CacheHit"), 75);
  EXPECT_EQ(value(k, "FetchSize"), 2);
  EXPECT_EQ(value(k, "MemWrites32B"), 32);
  EXPECT_TRUE(get(k, "vL1D Cache Hit Rate").value);
  for (const Counter& c : k.counters)
    if (!c.value)
      EXPECT_EQ(c.why.find("not modelled"), std::string::npos) << c.name << ": " << c.why;
  EXPECT_EQ(get(k, "TCP_TCP_TA_DATA_STALL_CYCLES").why, "the model of the card does not tell what waits behind L1");
  EXPECT_EQ(get(k, "WriteUnitStalled").why, "the model of the card does not tell which writes wait");
  // Of part of the workgroups, or of several launches, the model's numbers are not.
  for (const bool sampled : {true, false}) {
    KernelProfile other = kernel();
    other.launches = sampled ? 1 : 2;
    if (sampled)
      other.sampled = Sampled{.workgroups = 1, .of = 2};
    derive_counters(other, everything);
    add_modelled(other, everything, model);
    EXPECT_FALSE(get(other, "GRBM_COUNT").value);
  }
}

// Two interfaces have half of it each; before gfx9 requests are of 32 bytes.
TEST(Counters, ModelledMemoryGoesThroughTheInterfacesOfTheTarget) {
  const auto of = [](const char* target) {
    KernelProfile k = kernel();
    k.target = target, k.launches = 1;
    add_modelled(k, everything,
                 {.cycles = 1, .compute_units = 1, .simds = 4, .bytes_read = 1280, .bytes_written = 640});
    return k;
  };
  EXPECT_EQ(value(of("gfx900"), "TCC_EA_RDREQ"), 20);
  EXPECT_EQ(value(of("gfx900"), "TCC_EA_WRREQ_64B"), 10);
  EXPECT_EQ(value(of("gfx900"), "TCC_EA_RDREQ_32B"), 0);
  EXPECT_EQ(value(of("gfx906"), "TCC_EA_RDREQ"), 10);
  EXPECT_EQ(value(of("gfx906"), "TCC_EA1_RDREQ"), 10);
  EXPECT_EQ(value(of("gfx803"), "TCC_MC_RDREQ"), 40);
}

TEST(Counters, WhatWasNotCollectedSaysWhichView) {
  KernelProfile k = kernel();
  for (auto& i : k.instructions)
    i.active.reset(), i.memory.clear(), i.lds.reset();
  derive_counters(k, {.branches = true});
  EXPECT_EQ(value(k, "SQ_INSTS_VALU"), 13);
  EXPECT_EQ(value(k, "SQ_ACTIVE_INST_VALU"), 52);
  EXPECT_EQ(get(k, "SQ_THREAD_CYCLES_VALU").why, "needs --profile divergence");
  EXPECT_EQ(get(k, "VALUUtilization").why, "SQ_THREAD_CYCLES_VALU: needs --profile divergence");
  EXPECT_EQ(get(k, "SQ_LDS_BANK_CONFLICT").why, "needs --profile lds");
  EXPECT_EQ(get(k, "Bank Conflicts/Access").why, "SQ_LDS_BANK_CONFLICT: needs --profile lds");
  EXPECT_EQ(get(k, "LDSBankConflict").why,
            "GRBM_GUI_ACTIVE: takes time, which is not modelled"); // whatever is collected
  EXPECT_EQ(get(k, "TCP_TCC_WRITE_REQ").why, "needs --profile memory");
  EXPECT_FALSE(get(k, "Coalescing").value);
  EXPECT_EQ(get(k, "SQ_INSTS_FLAT_LDS_ONLY").why, "needs --profile memory,lds: FLAT instructions ran");
  EXPECT_FALSE(get(k, "FlatLDSInsts").value);
  EXPECT_FALSE(get(k, "LDSInsts").value);
  EXPECT_EQ(value(k, "GDSInsts"), 0.5);
  // Without FLAT none can have reached LDS.
  std::erase_if(k.instructions, [](const auto& i) { return i.instruction.op == isa::Op::flat_load_dword; });
  derive_counters(k, {.branches = true});
  EXPECT_EQ(value(k, "SQ_INSTS_FLAT_LDS_ONLY"), 0);
  EXPECT_EQ(value(k, "LDSInsts"), 7 / 4.);
}

// One FLAT instruction whose lanes reached three memories: which of them in one execution was not counted.
TEST(Counters, FlatThatReachedEverything) {
  KernelProfile k = kernel();
  for (auto& i : k.instructions)
    if (i.lds && !i.memory.empty())
      reaches(i, events::AccessKind::load, {.requests = 1, .lanes = 1, .lines = 1}, events::Space::scratch);
  derive_counters(k, everything);
  EXPECT_EQ(get(k, "SQ_INSTS_FLAT_LDS_ONLY").why, "FLAT instructions reached LDS, scratch and other memory at once");
  EXPECT_FALSE(get(k, "FlatVMemInsts").value);
}

// Only a wave was traced: nothing was counted, which is not the same as 0.
TEST(Counters, WithoutAnyView) {
  KernelProfile k = kernel();
  for (auto& i : k.instructions)
    i = instruction(isa::row(i.instruction.op).mnemonic, 0), i.active.reset();
  derive_counters(k, Views{});
  for (const Counter& c : k.counters)
    EXPECT_EQ(c.value.has_value(), c.name == "SQ_WAVES" || c.name == "Wavefronts") << c.name;
  EXPECT_EQ(get(k, "SQ_INSTS_VALU").why, "needs --profile");
  EXPECT_EQ(get(k, "VALUInsts").why, "SQ_INSTS_VALU: needs --profile");
}

// Of a sample the waves are those that it has, as are the instructions.
TEST(Counters, OfASample) {
  KernelProfile k = kernel();
  k.waves = 400;
  k.sampled = Sampled{1, 100, {}};
  derive_counters(k, everything);
  EXPECT_EQ(value(k, "SQ_WAVES"), 4); // s_endpgm
  EXPECT_EQ(value(k, "VALUInsts"), 13 / 4.);
}

TEST(Counters, NothingRan) {
  KernelProfile k;
  k.target = "gfx900";
  derive_counters(k, everything);
  EXPECT_EQ(value(k, "SQ_WAVES"), 0);
  EXPECT_EQ(value(k, "SQ_INSTS_VALU"), 0);
  EXPECT_EQ(get(k, "VALUInsts").why, "nothing to divide by");
  EXPECT_EQ(get(k, "VALUUtilization").why, "nothing to divide by");
}

TEST(Counters, TargetsHaveTheirOwn) {
  const auto names = [](const char* target) {
    KernelProfile k;
    k.target = target;
    derive_counters(k, everything);
    std::set<std::string> names;
    for (const Counter& c : k.counters) {
      EXPECT_TRUE(names.insert(c.name).second) << c.name << " twice";
      EXPECT_FALSE(c.unit.empty() || c.about.empty()) << c.name;
      EXPECT_EQ(c.value.has_value(), c.why.empty()) << c.name;
    }
    return names;
  };
  EXPECT_TRUE(names("gfx803").contains("TCC_MC_RDREQ"));
  EXPECT_FALSE(names("gfx803").contains("TCC_EA_RDREQ"));
  EXPECT_TRUE(names("gfx900").contains("TCC_EA_RDREQ"));
  EXPECT_FALSE(names("gfx900").contains("TCC_EA1_RDREQ"));
  EXPECT_TRUE(names("gfx906").contains("TCC_EA1_RDREQ"));
  EXPECT_FALSE(names("gfx90a").contains("TCC_EA1_RDREQ"));
  EXPECT_TRUE(names("gfx908").contains("SQ_INSTS_MFMA"));
  EXPECT_FALSE(names("gfx906").contains("SQ_INSTS_MFMA"));
}

// The manual has a row for every counter, and none for what is not there.
TEST(Counters, AreAllInTheManual) {
  std::ifstream in(CROSSLANE_COUNTERS_MANUAL);
  ASSERT_TRUE(in) << CROSSLANE_COUNTERS_MANUAL;
  std::set<std::string> documented, derived;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("| `"))
      for (size_t from = line.find('`'), end = line.find('|', 1); from < end;) { // names of the first column
        const size_t to = line.find('`', from + 1);
        documented.insert(line.substr(from + 1, to - from - 1));
        from = line.find('`', to + 1);
      }
  for (const char* target : {"gfx803", "gfx900", "gfx906", "gfx908"}) {
    KernelProfile k;
    k.target = target;
    derive_counters(k, everything);
    for (const Counter& c : k.counters)
      derived.insert(c.name);
  }
  EXPECT_EQ(documented, derived);
}

} // namespace
} // namespace crosslane::findings
