// Kernels with known answers, through the engine: every number of their comments, on each of their targets.
#include "events/several.h"
#include "tests/kernels/runner.h"
#include "tests/profile_kernels/sites.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace crosslane::test {
namespace {

struct Case {
  ProfileKernel kernel;
  std::string target;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.kernel.path << ":" << c.kernel.line << " " << c.target; }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const ProfileKernel& kernel : all_profile_kernels())
    for (const std::string& target : kernel.targets)
      cases.push_back({kernel, target});
  return cases;
}

class ProfileKernels : public testing::TestWithParam<Case> {};

TEST_P(ProfileKernels, AsTheirCommentsSay) {
  const auto& [kernel, target] = GetParam();
  views::MemoryCoalescing memory;
  events::Several listeners;
  views::LdsBanks lds;
  views::ActiveLaneCounts lanes;
  views::Branches branches;
  listeners.add(memory);
  listeners.add(lds);
  listeners.add(lanes);
  listeners.add(branches);
  workload::Settings settings;
  settings.target = target;
  settings.listener = &listeners;
  const auto session = workload::open_crosslane(kernel.workload, settings);
  ASSERT_EQ(session->error(), "");
  session->once();
  ASSERT_EQ(session->error(), "");
  Sites sites;
  add_sites(memory.sites(), sites);
  add_sites(lds.sites(), sites);
  add_sites(lanes.sites(), sites);
  add_sites(branches.sites(), sites);
  EXPECT_EQ(mismatches(kernel, sites), "") << kernel.launch;
}

INSTANTIATE_TEST_SUITE_P(All, ProfileKernels, testing::ValuesIn(all_cases()), [](const auto& info) {
  const ProfileKernel& k = info.param.kernel;
  return k.workload.name + "_line" + std::to_string(k.line) + "_" + info.param.target;
});

// Which thread runs which workgroup changes nothing, the example that is kept included; and two launches count twice.
TEST(ProfileKernelsOnThreads, AddUpAlike) {
  const uint32_t groups = 500, stride = 3;
  workload::Workload w = read_profile_kernels(CROSSLANE_PROFILE_KERNELS "/strides.cl").at(0).workload;
  w.launches[0].grid[0] = groups * 64;
  w.launches[0].arguments[2] = workload::value(stride);
  w.buffers[0].initial.resize(groups * 64 * stride * 4);
  w.buffers[1].initial.resize(groups * 64 * 4);
  std::vector<views::MemorySite> first;
  for (const unsigned threads : {1u, 8u, 3u}) {
    views::MemoryCoalescing memory;
    workload::Settings settings;
    settings.threads = threads;
    settings.listener = &memory;
    const auto session = workload::open_crosslane(w, settings);
    for (uint64_t launches = 1; launches <= 2; ++launches) {
      session->once();
      ASSERT_EQ(session->error(), "");
      auto sites = memory.sites();
      std::erase_if(sites, [](const auto& site) { return site.space == events::Space::scalar; });
      ASSERT_EQ(sites.size(), 2u);
      // 64 dwords that are 12 bytes apart: 768 bytes, 12 lines, of which none is left out.
      EXPECT_EQ(sites[0].counts.requests, launches * groups);
      EXPECT_EQ(sites[0].counts.lines, launches * groups * 12);
      EXPECT_EQ(sites[0].worst.workgroup[0], 0u);
      EXPECT_EQ(sites[0].worst.address[63] - sites[0].worst.address[0], 63u * 12);
      if (first.empty())
        first = sites;
      for (int i = 0; i < 2 && launches == 1; ++i) {
        EXPECT_EQ(sites[i].counts, first[i].counts);
        EXPECT_EQ(sites[i].pattern, first[i].pattern);
        EXPECT_EQ(sites[i].worst.workgroup[0], first[i].worst.workgroup[0]);
        EXPECT_EQ(sites[i].worst.wave, first[i].worst.wave);
      }
    }
  }
}

std::string written(const std::string& text) {
  const std::string path = testing::TempDir() + "expectations_" + std::to_string(getpid()) + ".s";
  std::ofstream(path) << text;
  return path;
}

TEST(Expectations, WhatIsReadAndWhatIsWrong) {
  const std::string path =
      written("; targets: gfx900\n"
              "; launch: --kernel k --grid 128,2 --block 64 a=u32[4]:1,2,3,4 b=u8[3]:iota c=lds:64 d=7 --lds 16\n"
              "s_endpgm // not this\n"
              "  // expect: load@1 lines=4 pattern=\"stride 8 bytes\"\n");
  const auto kernels = read_profile_kernels(path);
  ASSERT_EQ(kernels.size(), 1u);
  const ProfileKernel& k = kernels[0];
  EXPECT_EQ(k.targets, std::vector<std::string>{"gfx900"});
  const workload::Launch& launch = k.workload.launches.at(0);
  EXPECT_EQ(launch.kernel, "k");
  EXPECT_EQ(launch.grid, (std::array<uint32_t, 3>{128, 2, 1}));
  EXPECT_EQ(launch.block, (std::array<uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(launch.dimensions, 2);
  EXPECT_EQ(launch.extra_lds, 16u);
  EXPECT_EQ(launch.arguments.size(), 4u);
  EXPECT_EQ(workload::values_of<uint32_t>(k.workload.buffers.at(0).initial), (std::vector<uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(workload::values_of<uint8_t>(k.workload.buffers.at(1).initial), (std::vector<uint8_t>{0, 1, 2}));
  EXPECT_EQ(launch.arguments[2].local_size, 64u);
  EXPECT_EQ(workload::values_of<uint64_t>(launch.arguments[3].value), std::vector<uint64_t>{7});

  const std::string at = path + ":4: ";
  EXPECT_EQ(mismatches(k, {{"load@1", {{"lines", "4"}, {"pattern", "stride 8 bytes"}}}, {"scalar_load@1", {}}}), "");
  EXPECT_EQ(mismatches(k, {{"load@1", {{"lines", "5"}}}}),
            at + "load@1: lines is 5, expected 4\n" + at + "load@1 has no pattern\n");
  EXPECT_EQ(mismatches(k, {{"load@2", {}}}), at + "no load@1\n" + path + ":2: load@2 is not expected\n");
  std::filesystem::remove(path);
}

TEST(Expectations, RefusesWhatItCannotRead) {
  for (const char* text :
       {"// nothing\n", "// expect: load@1\n", "// launch: --grid 64\n", "// launch: --kernel k --gird 64\n",
        "// launch: --kernel k a=u32[3]:1,2\n", "// launch: --kernel k a=u31[3]\n", "// launch: --kernel k a=5x\n",
        "// launch: --kernel k\n// expect: load lines=4\n", "// launch: --kernel k\n// expect: load@1 lines\n",
        "// launch: --kernel k\n// expect: load@1 lines=1 lines=1\n",
        "// launch: --kernel k\n// expect: load@1 a=\"b\n"}) {
    const std::string path = written(text);
    EXPECT_THROW(read_profile_kernels(path), std::runtime_error) << text;
    std::filesystem::remove(path);
  }
}

} // namespace
} // namespace crosslane::test
