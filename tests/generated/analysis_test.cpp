// Random kernels: each edge that they execute is in the graph, what is said of values holds, and nothing changes when
// what is dead at the beginning of a block is overwritten there. The first run of each is what the others must equal.
// CROSSLANE_ANALYSIS_KERNELS in the environment says how many kernels of each setting are tried, 8 without it.
#include "tests/analysis/oracle.h"
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

struct Forward final : events::Listener {
  events::Listener* to = nullptr;
  bool wants_steps() const override { return true; }
  void step(const events::Step& s) override {
    if (to)
      to->step(s);
  }
};

class Analysed : public testing::TestWithParam<Setting> {};

TEST_P(Analysed, EdgesValuesAndLiveness) {
  const char* wanted = std::getenv("CROSSLANE_ANALYSIS_KERNELS");
  const uint64_t count = wanted ? std::strtoull(wanted, nullptr, 10) : 8, batch = 8;
  uint64_t steps = 0, calls = 0, unresolved = 0, registers = 0, facts = 0, affine = 0, tried = 0;
  for (uint64_t first = 0; first < count; first += batch) {
    std::vector<Kernel> kernels;
    for (uint64_t seed = 2'000'000 + first; seed < 2'000'000 + std::min(first + batch, count); ++seed)
      kernels.push_back(generate(seed, fmt::format("k{}", seed)));
    const std::string source = fmt::format("{}/analysed-{}.cl", testing::TempDir(), getpid());
    std::ofstream(source) << source_text(kernels);
    for (const Kernel& kernel : kernels) {
      SCOPED_TRACE(kernel.name);
      const workload::Workload w = workload_of(kernel, source);
      Forward forward;
      workload::Settings settings;
      settings.target = GetParam().target, settings.flags = compiler_flags_for(GetParam());
      settings.threads = 1, settings.listener = &forward;
      auto session = workload::open_crosslane(w, settings);
      if (session->error().find("clang") != std::string::npos)
        continue; // the compiler gave up on the batch
      ASSERT_EQ(session->error(), "");
      const test::Subject subject(session->object(), session->code());
      test::Watched watched(subject);
      const auto run = [&](events::Listener& listener) {
        forward.to = &listener;
        session->fill();
        session->once();
        EXPECT_EQ(session->error(), "");
        return session->read();
      };
      const auto expected = run(watched);
      for (const auto& d : watched.deviations())
        ADD_FAILURE() << fmt::format("{:#x} -> {:#x} {}", d.from, d.to, d.what);
      analysis::ValueOptions options;
      options.whole_rows = w.launches[0].block[0] % 64 == 0;
      test::FactChecker checker(analysis::value_facts(subject.image->code, subject.graph, options));
      EXPECT_TRUE(run(checker) == expected);
      for (const auto& d : checker.deviations())
        ADD_FAILURE() << d;
      const auto liveness = analysis::liveness(subject.image->code, subject.graph);
      test::Poisoner poisoner(subject, liveness);
      EXPECT_TRUE(run(poisoner) == expected) << "poisoned";
      ++tried, steps += watched.edges(), calls += watched.calls_and_returns(), unresolved += watched.unresolved();
      registers += poisoner.registers(), facts += checker.checks(), affine += checker.affine();
      if (HasFatalFailure())
        return;
    }
    std::filesystem::remove(source);
  }
  EXPECT_GT(tried, 0u);
  fmt::print(
      "{} kernels: {} different steps, {} calls and returns, {} at a named unknown; {} registers overwritten; {} "
      "values as they should be, {} of them with a stride\n",
      tried, steps, calls, unresolved, registers, facts, affine);
}

INSTANTIATE_TEST_SUITE_P(All, Analysed,
                         testing::Values(Setting{"gfx803", "-O2"}, Setting{"gfx900", "-O1"}, Setting{"gfx906", "-O3"},
                                         Setting{"gfx900", "-O0"}),
                         [](const auto& i) { return i.param.target + i.param.level.substr(1); });

} // namespace
} // namespace crosslane::generated
