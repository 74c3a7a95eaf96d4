// Random kernels, run twice: the second time they are judged, which must change no result.
// CROSSLANE_ANALYSIS_KERNELS in the environment says how many kernels of each setting are tried, 8 without it.
#include "tests/analysis/judge.h"
#include "tests/generated/differential.h"
#include "tests/generated/generate.h"
#include "tests/generated/inputs.h"
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace crosslane::generated {
namespace {

class Analysed : public testing::TestWithParam<Setting> {};

TEST_P(Analysed, EdgesValuesAndLiveness) {
  const char* wanted = std::getenv("CROSSLANE_ANALYSIS_KERNELS");
  const uint64_t count = wanted ? std::strtoull(wanted, nullptr, 10) : 8, batch = 8;
  uint64_t tried = 0;
  for (uint64_t first = 0; first < count; first += batch) {
    std::vector<Kernel> kernels;
    for (uint64_t seed = 2'000'000 + first; seed < 2'000'000 + std::min(first + batch, count); ++seed)
      kernels.push_back(generate(seed, fmt::format("k{}", seed)));
    const std::string source = fmt::format("{}/analysed-{}.cl", testing::TempDir(), getpid());
    std::ofstream(source) << source_text(kernels);
    for (const Kernel& kernel : kernels) {
      SCOPED_TRACE(kernel.name);
      const workload::Workload w = workload_of(kernel, source);
      workload::Settings settings;
      settings.target = GetParam().target, settings.flags = compiler_flags_for(GetParam());
      auto session = workload::open_crosslane(w, settings);
      if (session->error().find("clang") != std::string::npos)
        continue; // the compiler gave up on the batch
      ASSERT_EQ(session->error(), "");
      const auto run = [&] {
        session->fill();
        session->once();
        EXPECT_EQ(session->error(), "");
        return session->read();
      };
      const auto expected = (test::Unjudged(), run());
      EXPECT_TRUE(run() == expected);
      ++tried;
      if (HasFatalFailure())
        return;
    }
    std::filesystem::remove(source);
  }
  EXPECT_GT(tried, 0u);
  fmt::print("{} kernels\n", tried);
}

INSTANTIATE_TEST_SUITE_P(All, Analysed,
                         testing::Values(Setting{"gfx803", "-O2"}, Setting{"gfx900", "-O1"}, Setting{"gfx906", "-O3"},
                                         Setting{"gfx900", "-O0"}),
                         [](const auto& i) { return i.param.target + i.param.level.substr(1); });

} // namespace
} // namespace crosslane::generated
