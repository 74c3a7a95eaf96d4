// Every example on several targets and at several levels of optimisation: each edge that is executed is in the graph,
// and nothing changes when all that is dead at the beginning of a block is overwritten there.
#include "tests/analysis/oracle.h"
#include "tests/kernels/runner.h"
#include "tests/kernels/workloads.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

using namespace workload;

std::vector<Workload> some() {
  return {vector_add(300),
          copy4(300),
          saxpy_loop(100, 3),
          stencil5(20, 9),
          matmul_naive(9),
          matmul_tiled(17),
          mandelbrot(12, 10, 20),
          nbody(40),
          reduce_tree(500),
          reduce_dpp(300),
          dpp_prefix_sum(2, true),
          dpp_prefix_sum(2, false),
          prefix_sum(300),
          histogram_local(600, 2),
          bitonic_local(2),
          if_else(200, 70),
          if_else_assembly("if_else", 200, 64, 70),
          f64(70),
          f16(70),
          hash(100),
          bytes(100),
          shorts(100),
          scratch(70),
          recursive(70),
          indirect(70),
          transpose(33, 17, 16),
          collatz(100),
          maze(100),
          ids({24, 10, 6}, {8, 5, 2}, 3)};
}

using Case = std::tuple<std::string, std::string, Workload>; // target, flags, workload

// What cannot be there: half arithmetic and DPP before gfx8.
bool possible(const Case& c) {
  const auto& [target, flags, w] = c;
  return !(w.since_gfx8 && target < "gfx8") &&
         !(target == "gfx90a" && w.source.ends_with(".s")) && // whose descriptors do not say where AccVGPRs begin
         !(target == "gfx803" && flags == "-O0" && w.source == "calls.hip"); // see tests/kernels/kernels_test.cpp
}

std::string name_of(const Case& c) {
  std::string name = std::get<0>(c) + std::get<1>(c) + "_" + std::get<2>(c).name;
  for (char& letter : name)
    if (!isalnum(static_cast<unsigned char>(letter)))
      letter = '_';
  return name;
}

// What all cases together came to.
struct Sums {
  size_t edges = 0, calls = 0, unresolved = 0;
  uint64_t blocks = 0, registers = 0, facts = 0, affine = 0, definitions = 0;
} sums;

class Executed : public testing::TestWithParam<Case> {
protected:
  static void TearDownTestSuite() {
    fmt::print("{} different steps executed, {} calls and returns among them, {} at a named unknown; {} registers "
               "overwritten at {} beginnings of blocks; {} values as they should be, {} of them with a stride; {} "
               "reads of what its definition wrote\n",
               sums.edges, sums.calls, sums.unresolved, sums.registers, sums.blocks, sums.facts, sums.affine,
               sums.definitions);
    sums = {};
  }
};

void expect_reference(Workload& w, CrosslaneSession& session, const char* how) {
  const auto got = session.read();
  for (size_t i = 0; i < w.buffers.size(); ++i) {
    const Buffer& b = w.buffers[i];
    if (b.compare == Compare::none)
      continue;
    if (auto difference = compare(b, got[i], b.expected))
      ADD_FAILURE() << how << ": " << *difference;
  }
}

// The listener has to know where the code is before the session is made: it is set behind a pointer.
struct Forward final : events::Listener {
  events::Listener* to = nullptr;
  bool wants_steps() const override { return true; }
  void step(const events::Step& s) override {
    if (to)
      to->step(s);
  }
};

TEST_P(Executed, EdgesAndLiveness) {
  if (!possible(GetParam()))
    GTEST_SKIP() << "this target does not have it";
  const auto& [target, flags, workload] = GetParam();
  Workload w = workload;
  w.reference(w);
  Forward forward;
  Settings settings;
  settings.target = target, settings.flags = flags, settings.threads = 1, settings.listener = &forward;
  auto session = open_crosslane(w, settings);
  ASSERT_EQ(session->error(), "");
  const Subject subject(session->object(), session->code());
  Watched watched(subject);
  forward.to = &watched;
  session->once();
  ASSERT_EQ(session->error(), "");
  for (const auto& d : watched.deviations())
    ADD_FAILURE() << fmt::format("{:#x} -> {:#x} {}", d.from, d.to, d.what);
  EXPECT_GT(watched.edges(), 5u);
  sums.edges += watched.edges(), sums.calls += watched.calls_and_returns(), sums.unresolved += watched.unresolved();
  expect_reference(w, *session, "watched");

  const analysis::Liveness liveness = analysis::liveness(subject.image->code, subject.graph);
  EXPECT_EQ(liveness.tangled_parts, 0u);
  Poisoner poisoner(subject, liveness);
  forward.to = &poisoner;
  session->fill();
  session->once();
  ASSERT_EQ(session->error(), "") << "poisoned";
  expect_reference(w, *session, "poisoned");
  EXPECT_GT(poisoner.registers(), poisoner.blocks());
  sums.blocks += poisoner.blocks(), sums.registers += poisoner.registers();

  analysis::ValueOptions options;
  options.whole_rows = std::ranges::all_of(w.launches, [](const Launch& l) { return l.block[0] % 64 == 0; });
  FactChecker checker(analysis::value_facts(subject.image->code, subject.graph, options));
  forward.to = &checker;
  session->fill();
  session->once();
  ASSERT_EQ(session->error(), "");
  for (const auto& d : checker.deviations())
    ADD_FAILURE() << d;
  sums.facts += checker.checks(), sums.affine += checker.affine();

  DefinitionChecker writers(analysis::definitions(subject.image->code, subject.graph));
  forward.to = &writers;
  session->fill();
  session->once();
  ASSERT_EQ(session->error(), "");
  for (const auto& d : writers.deviations())
    ADD_FAILURE() << d;
  EXPECT_GT(writers.checks(), 0u);
  sums.definitions += writers.checks();
}

INSTANTIATE_TEST_SUITE_P(Optimised, Executed,
                         testing::Combine(testing::Values("gfx701", "gfx803", "gfx906", "gfx90a"), testing::Values(""),
                                          testing::ValuesIn(some())),
                         [](const auto& i) { return name_of(i.param); });
INSTANTIATE_TEST_SUITE_P(Plain, Executed,
                         testing::Combine(testing::Values("gfx803", "gfx900"), testing::Values("-O0"),
                                          testing::ValuesIn(some())),
                         [](const auto& i) { return name_of(i.param); });

// The listeners themselves: an edge taken out of the graph is missed, and a register taken out of the live ones is
// overwritten.
TEST(Oracle, FindsWhatIsMissing) {
  Workload w = vector_add(300);
  w.reference(w);
  Forward forward;
  Settings settings;
  settings.threads = 1, settings.listener = &forward;
  auto session = open_crosslane(w, settings);
  ASSERT_EQ(session->error(), "");
  Subject subject(session->object(), session->code());
  analysis::Liveness liveness = analysis::liveness(subject.image->code, subject.graph);
  size_t spoilt = 0, live = 0;
  for (uint32_t s = 0; s < analysis::slot::end; ++s)
    for (auto& begin : liveness.begin) {
      // Registers of addresses would fault, which is found as well, but ends the session.
      // Functions that the kernel does not call have all registers live.
      if (!begin.has(s) || s < analysis::slot::vgpr || begin.has(analysis::slot::vgpr + 255))
        continue;
      ++live;
      begin.remove(s);
      Poisoner poisoner(subject, liveness);
      forward.to = &poisoner;
      session->fill();
      session->once();
      const auto got = session->read();
      spoilt += !session->error().empty() || compare(w.buffers[2], got[2], w.buffers[2].expected).has_value();
      begin.add(s);
      if (!session->error().empty()) {
        session = open_crosslane(w, settings);
        subject = Subject(session->object(), session->code());
      }
    }
  EXPECT_GT(live, 0u);
  EXPECT_GE(spoilt * 3, live * 2) << spoilt << " of " << live; // the guard's side without work may not care

  for (auto& block : subject.graph.blocks)
    block.successors = 0;
  Watched watched(subject);
  forward.to = &watched;
  session->fill();
  session->once();
  EXPECT_FALSE(watched.deviations().empty());
}

} // namespace
} // namespace crosslane::test
