// Occupancy against CLRX's table, hand calculations, and the "; Occupancy:" that clang-19 prints in assembly.
#include "timing/occupancy.h"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace crosslane::timing {
namespace {

uint32_t limit(const Occupancy& o, const std::string& name) {
  for (const OccupancyLimit& l : o.limits)
    if (l.name == name)
      return l.waves;
  ADD_FAILURE() << name;
  return 0;
}

// CLRX, "Occupancy table": waves, most SGPRs, VGPRs, and dwords of LDS per lane of a wavefront; instructions in a
// clock.
constexpr struct {
  uint32_t waves, sgprs, vgprs, lds_dwords, issue;
} clrx[] = {{1, 128, 256, 64, 1}, {2, 128, 128, 32, 2}, {3, 128, 84, 21, 3}, {4, 128, 64, 16, 4}, {5, 96, 48, 12, 5},
            {6, 80, 40, 10, 5},   {7, 72, 36, 9, 5},    {8, 64, 32, 8, 5},   {9, 56, 28, 7, 5},   {10, 48, 24, 6, 5}};

// Each row: as much is fine for so many wavefronts, one granule more is not. The table's SGPRs are those of gfx6 and
// gfx7.
TEST(Occupancy, ClrxTable) {
  for (const isa::Target target : {isa::Target::gfx600, isa::Target::gfx701, isa::Target::gfx803, isa::Target::gfx900})
    for (const auto& row : clrx) {
      SCOPED_TRACE(std::string(isa::info(target).name) + ", " + std::to_string(row.waves) + " waves");
      EXPECT_EQ(occupancy({.target = target, .vgprs = row.vgprs}).waves_per_simd, row.waves);
      EXPECT_EQ(instructions_per_clock(row.waves), row.issue);
      EXPECT_EQ(occupancy({.target = target, .vgprs = row.vgprs + 1}).waves_per_simd, row.waves - 1);
      if (target == isa::Target::gfx600 || target == isa::Target::gfx701) {
        const uint32_t waves = limit(occupancy({.target = target, .sgprs = row.sgprs}), "sgprs");
        EXPECT_EQ(waves, std::max(row.waves, 4u)); // the most that a wave can have allows 4
        if (row.waves > 4) {
          EXPECT_EQ(limit(occupancy({.target = target, .sgprs = row.sgprs + 1}), "sgprs"), row.waves - 1);
        }
      }
      // Workgroups of four wavefronts, one for each SIMD unit.
      const uint32_t lds = row.lds_dwords * 4 * 256;
      const OccupancyInput with_lds{.target = target, .lds_bytes = lds, .workgroup_items = 256};
      EXPECT_EQ(occupancy(with_lds).waves_per_simd, row.waves);
      if (row.waves == 3) // 21 dwords are not all: 65536 / 3 bytes are 21.33 dwords for 256 lanes
        EXPECT_EQ(occupancy({.target = target, .lds_bytes = 65536 / 3 + 1, .workgroup_items = 256}).waves_per_simd, 2u);
    }
}

// gfx8, gfx9: 800 SGPRs, in granules of 16. 800 / 80 = 10; 96: 8.3; 112: 7.1.
TEST(Occupancy, ScalarRegistersSinceGfx8) {
  for (const auto& [sgprs, waves] : std::map<uint32_t, uint32_t>{{80, 10}, {81, 8}, {96, 8}, {97, 7}, {112, 7}})
    for (const isa::Target target : {isa::Target::gfx803, isa::Target::gfx900})
      EXPECT_EQ(occupancy({.target = target, .sgprs = sgprs}).waves_per_simd, waves) << sgprs;
}

// 512 registers for both kinds in granules of 8, and 8 wavefronts. 512 / 64 = 8; 72: 7.1; 80: 6.4; 128: 4; 256: 2;
// 264: 1.
TEST(Occupancy, Gfx90a) {
  for (const auto& [vgprs, waves] : std::map<uint32_t, uint32_t>{
           {64, 8}, {65, 7}, {72, 7}, {73, 6}, {128, 4}, {129, 3}, {256, 2}, {257, 1}, {512, 1}})
    EXPECT_EQ(occupancy({.target = isa::Target::gfx90a, .vgprs = vgprs, .agprs = 8}).waves_per_simd, waves) << vgprs;
  EXPECT_EQ(occupancy({.target = isa::Target::gfx90a}).max_waves_per_simd, 8u);
  EXPECT_EQ(occupancy({.target = isa::Target::gfx90a, .vgprs = 72, .agprs = 24}).advice,
            "use 64 VGPRs and AccVGPRs or fewer (now 72) for 8 waves");
}

// A file of 256 for each kind: the larger number counts.
TEST(Occupancy, Gfx908) {
  EXPECT_EQ(occupancy({.target = isa::Target::gfx908, .vgprs = 24, .agprs = 128}).waves_per_simd, 2u);
  EXPECT_EQ(occupancy({.target = isa::Target::gfx908, .vgprs = 128, .agprs = 128}).waves_per_simd, 2u);
  EXPECT_EQ(occupancy({.target = isa::Target::gfx908, .vgprs = 128, .agprs = 128}).advice,
            "use 84 AccVGPRs or fewer (now 128) for 3 waves");
}

// A compute unit has 16 barriers, so 16 workgroups of two wavefronts: 32, 8 for each SIMD unit. One wavefront needs no
// barrier. 16 wavefronts: 40 hold two such, which is 32. 3 wavefronts: 13 workgroups, 39, and 10 in three of the units.
TEST(Occupancy, Workgroups) {
  for (const auto& [items, waves] : std::map<uint32_t, uint32_t>{
           {1, 10}, {64, 10}, {65, 8}, {128, 8}, {192, 10}, {256, 10}, {512, 10}, {768, 9}, {1024, 8}}) {
    const Occupancy o = occupancy({.target = isa::Target::gfx900, .workgroup_items = items});
    EXPECT_EQ(o.waves_per_simd, waves) << items;
    EXPECT_EQ(o.limiter, waves == 10 ? "waves" : "workgroups") << items;
  }
  EXPECT_EQ(occupancy({.target = isa::Target::gfx900, .workgroup_items = 128}).advice,
            "use workgroups of 256 work-items (now 128) for 10 waves");
  EXPECT_EQ(occupancy({.target = isa::Target::gfx900, .workgroup_items = 1024}).advice,
            "use workgroups of 512 work-items (now 1024) for 10 waves");
  EXPECT_EQ(occupancy({.target = isa::Target::gfx90a, .workgroup_items = 1024}).limiter, "waves");
  // That workgroups do not divide the unit is not the registers' fault.
  EXPECT_EQ(limit(occupancy({.target = isa::Target::gfx900, .vgprs = 24, .workgroup_items = 1024}), "vgprs"), 10u);
}

// 84 VGPRs: 3 wavefronts in a SIMD unit, 12 in the compute unit. A workgroup of 8 fits once: 2 in each.
TEST(Occupancy, WholeWorkgroups) {
  const Occupancy o = occupancy({.target = isa::Target::gfx900, .vgprs = 84, .workgroup_items = 512});
  EXPECT_EQ(o.waves_per_simd, 2u);
  EXPECT_EQ(o.limiter, "vgprs");
  EXPECT_EQ(o.advice, "use 64 VGPRs or fewer (now 84) for 4 waves"); // 16 of the compute unit, two workgroups
}

// gfx6 gives out LDS by 256 bytes, later ones by 512. 65536 / 1792 = 36.6 workgroups of one wavefront: 9 in a unit;
// rounded up to 2048 there are 32: 8.
TEST(Occupancy, LdsGranules) {
  EXPECT_EQ(occupancy({.target = isa::Target::gfx600, .lds_bytes = 1792}).waves_per_simd, 9u);
  EXPECT_EQ(occupancy({.target = isa::Target::gfx900, .lds_bytes = 1792}).waves_per_simd, 8u);
  // 40 workgroups in 65536 bytes: 1638, which is 1536 in granules of 512.
  EXPECT_EQ(occupancy({.target = isa::Target::gfx900, .lds_bytes = 1792}).advice,
            "use 1536 bytes of LDS or less (now 1792) for 10 waves");
  EXPECT_EQ(occupancy({.target = isa::Target::gfx900, .lds_bytes = 65536, .workgroup_items = 256}).limiter, "lds");
}

TEST(Occupancy, LimiterAndAdvice) {
  Occupancy o = occupancy({.target = isa::Target::gfx900, .vgprs = 28, .sgprs = 16, .workgroup_items = 256});
  EXPECT_EQ(o.waves_per_simd, 9u);
  EXPECT_EQ(o.max_waves_per_simd, 10u);
  EXPECT_EQ(o.limiter, "vgprs");
  EXPECT_EQ(o.advice, "use 24 VGPRs or fewer (now 28) for 10 waves");
  ASSERT_EQ(o.limits.size(), 5u);
  EXPECT_EQ(limit(o, "waves"), 10u);
  EXPECT_EQ(limit(o, "vgprs"), 9u);
  EXPECT_EQ(limit(o, "sgprs"), 10u);
  EXPECT_EQ(limit(o, "lds"), 10u);
  EXPECT_EQ(limit(o, "workgroups"), 10u);

  o = occupancy({.target = isa::Target::gfx900, .vgprs = 24, .sgprs = 80});
  EXPECT_EQ(o.limiter, "waves");
  EXPECT_EQ(o.advice, "");

  // Two limits bind alike: both have to go. 65536 / 16384 = 4 workgroups of four, and 256 / 64 = 4.
  o = occupancy({.target = isa::Target::gfx900, .vgprs = 64, .lds_bytes = 16384, .workgroup_items = 256});
  EXPECT_EQ(o.waves_per_simd, 4u);
  EXPECT_EQ(o.advice, "use 48 VGPRs or fewer (now 64) and 12800 bytes of LDS or less (now 16384) for 5 waves");

  // Two workgroups of 16 wavefronts, by LDS and because 40 hold no more. Smaller ones would need less LDS each, and
  // nobody knows how much: no advice.
  o = occupancy({.target = isa::Target::gfx900, .lds_bytes = 32768, .workgroup_items = 1024});
  EXPECT_EQ(o.waves_per_simd, 8u);
  EXPECT_EQ(o.advice, "");

  // The next that binds is in the way before more than 9 are reached.
  o = occupancy({.target = isa::Target::gfx803, .vgprs = 28, .sgprs = 96});
  EXPECT_EQ(o.waves_per_simd, 8u);
  EXPECT_EQ(o.advice, "use 80 SGPRs or fewer (now 96) for 9 waves");
}

// What clang says of kernels that clobber chosen registers, for the same numbers. Not asked: 81 to 88 and 97 to 100
// SGPRs of gfx8 and gfx9, for which LLVM forgets that they are given out by 16; LDS of gfx6, where it takes 32 KiB for
// the whole compute unit; and LDS between granules, which it does not round.
struct Asked {
  uint32_t vgprs, agprs, sgprs, lds, items;
};

std::string source(const std::vector<Asked>& kernels, bool agprs) {
  std::string text;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const Asked& k = kernels[i];
    std::string clobbers = "\"v" + std::to_string(k.vgprs - 1) + "\"";
    if (k.sgprs)
      clobbers += ", \"s" + std::to_string(k.sgprs - 1) + "\"";
    if (agprs && k.agprs)
      clobbers += ", \"a" + std::to_string(k.agprs - 1) + "\"";
    text += "kernel __attribute__((reqd_work_group_size(" + std::to_string(k.items) + ", 1, 1))) void k" +
            std::to_string(i) + "() {";
    if (k.lds)
      text += " local volatile char a[" + std::to_string(k.lds) + "]; a[0] = 1;";
    text += " __asm volatile(\"\" ::: " + clobbers + "); }\n";
  }
  return text;
}

struct Said {
  uint32_t vgprs = 0, agprs = 0, sgprs = 0, lds = 0, occupancy = 0;
};

std::vector<Said> ask_clang(const std::string& target, const std::string& source) {
  const std::string base = testing::TempDir() + "occupancy_" + target;
  std::ofstream(base + ".cl") << source;
  const std::string command = std::string(CROSSLANE_CLANG) +
                              " -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib -O1 -S -mcpu=" + target + " " +
                              base + ".cl -o " + base + ".s";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<Said> said;
  std::ifstream in(base + ".s");
  Said k;
  bool total = false;
  for (std::string line; std::getline(in, line);) {
    unsigned n = 0;
    if (std::sscanf(line.c_str(), "; NumSgprs: %u", &n) == 1)
      k.sgprs = n;
    else if (std::sscanf(line.c_str(), "; NumVgprs: %u", &n) == 1 && !total)
      k.vgprs = n;
    else if (std::sscanf(line.c_str(), "; NumAgprs: %u", &n) == 1)
      k.agprs = n;
    else if (std::sscanf(line.c_str(), "; TotalNumVgprs: %u", &n) == 1)
      k.vgprs = n, total = true;
    else if (std::sscanf(line.c_str(), "; LDSByteSize: %u", &n) == 1)
      k.lds = n;
    else if (std::sscanf(line.c_str(), "; Occupancy: %u", &n) == 1) {
      k.occupancy = n;
      said.push_back(k);
      k = {}, total = false;
    }
  }
  return said;
}

TEST(Occupancy, AsClangSays) {
  std::vector<Asked> asked;
  for (uint32_t vgprs = 1; vgprs <= 255; vgprs += 2)
    asked.push_back({vgprs, 0, 0, 0, 64});
  for (const uint32_t agprs : {1u, 8u, 24u, 25u, 64u, 100u, 200u})
    for (const uint32_t vgprs : {1u, 24u, 33u, 130u})
      asked.push_back({vgprs, agprs, 0, 0, 256});
  for (const uint32_t sgprs : {8u, 40u, 48u, 56u, 64u, 72u, 76u, 90u})
    asked.push_back({1, 0, sgprs, 0, 64});
  for (uint32_t lds = 512; lds <= 32768; lds += 1536)
    for (const uint32_t items : {64u, 256u, 512u})
      asked.push_back({1, 0, 0, lds, items});
  for (uint32_t items = 64; items <= 1024; items += 64)
    asked.push_back({1, 0, 0, 0, items});
  int compared = 0;
  for (const char* name : {"gfx600", "gfx700", "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a"}) {
    const isa::Target target = isa::parse_target(name).value();
    const isa::Generation generation = isa::info(target).generation;
    const std::vector<Said> said = ask_clang(name, source(asked, generation >= isa::Generation::gfx908));
    ASSERT_EQ(said.size(), asked.size()) << name;
    for (size_t i = 0; i < said.size(); ++i) {
      const Said& k = said[i];
      if (generation == isa::Generation::gfx6 && k.lds)
        continue;
      const Occupancy o = occupancy({target, k.vgprs, k.agprs, k.sgprs, k.lds, asked[i].items});
      EXPECT_EQ(o.waves_per_simd, k.occupancy)
          << name << ": " << k.vgprs << " VGPRs, " << k.agprs << " AccVGPRs, " << k.sgprs << " SGPRs, " << k.lds
          << " bytes of LDS, " << asked[i].items << " work-items";
      ++compared;
    }
  }
  EXPECT_GT(compared, 1500);
}

} // namespace
} // namespace crosslane::timing
