// Every example on several targets and at several levels of optimisation: each edge that is executed is in the graph,
// and nothing changes when all that is dead at the beginning of a block is overwritten there.
#include "tests/analysis/judge.h"
#include "tests/kernels/runner.h"
#include "tests/kernels/workloads.h"
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

std::unique_ptr<analysis::CodeImage> image_of(const CrosslaneSession& session) {
  const engine::Code& code = session.code();
  return analysis::describe_image(session.object(), code.target(), reinterpret_cast<const uint8_t*>(code.base()));
}

std::string name_of(const Case& c) {
  std::string name = std::get<0>(c) + std::get<1>(c) + "_" + std::get<2>(c).name;
  for (char& letter : name)
    if (!isalnum(static_cast<unsigned char>(letter)))
      letter = '_';
  return name;
}

class Executed : public testing::TestWithParam<Case> {};

TEST_P(Executed, GivesTheSameResults) {
  if (!possible(GetParam()))
    GTEST_SKIP() << "this target does not have it";
  const auto& [target, flags, workload] = GetParam();
  Workload w = workload;
  w.reference(w);
  Settings settings;
  settings.target = target, settings.flags = flags, settings.threads = 1;
  auto session = open_crosslane(w, settings);
  ASSERT_EQ(session->error(), "");
  session->once();
  ASSERT_EQ(session->error(), "");
  const auto got = session->read();
  for (size_t i = 0; i < w.buffers.size(); ++i)
    if (const Buffer& b = w.buffers[i]; b.compare != Compare::none)
      if (auto difference = compare(b, got[i], b.expected))
        ADD_FAILURE() << *difference;
  EXPECT_EQ(Findings(image_of(*session)->code).liveness.tangled_parts, 0u);
}

INSTANTIATE_TEST_SUITE_P(Optimised, Executed,
                         testing::Combine(testing::Values("gfx701", "gfx803", "gfx906", "gfx90a"), testing::Values(""),
                                          testing::ValuesIn(some())),
                         [](const auto& i) { return name_of(i.param); });
INSTANTIATE_TEST_SUITE_P(Plain, Executed,
                         testing::Combine(testing::Values("gfx803", "gfx900"), testing::Values("-O0"),
                                          testing::ValuesIn(some())),
                         [](const auto& i) { return name_of(i.param); });

// The oracle itself: an edge taken out of the graph is missed, and a register taken out of the live ones is
// overwritten.
TEST(Oracle, FindsWhatIsMissing) {
  const Unjudged otherwise;
  Workload w = vector_add(300);
  w.reference(w);
  struct Forward final : events::Listener { // to who is made when it is known where the code is
    events::Listener* to = nullptr;
    bool wants_steps() const override { return true; }
    bool wants_waves() const override { return true; }
    void began(const events::Began& b) override { to->began(b); }
    void step(const events::Step& s) override { to->step(s); }
  } forward;
  Settings settings;
  settings.threads = 1, settings.listener = &forward;
  auto session = open_crosslane(w, settings);
  ASSERT_EQ(session->error(), "");
  auto image = image_of(*session);
  Findings findings(image->code);
  size_t spoilt = 0, live = 0;
  for (uint32_t s = 0; s < analysis::slot::end; ++s)
    for (size_t block = 0; block < findings.liveness.begin.size(); ++block) {
      // Registers of addresses would fault, which is found as well, but ends the session.
      // Functions that the kernel does not call have all registers live.
      auto& begin = findings.liveness.begin[block];
      if (!begin.has(s) || s < analysis::slot::vgpr || begin.has(analysis::slot::vgpr + 255))
        continue;
      ++live;
      begin.remove(s);
      test::Oracle oracle(*image, findings);
      forward.to = &oracle;
      session->fill();
      session->once();
      const auto got = session->read();
      spoilt += !session->error().empty() || compare(w.buffers[2], got[2], w.buffers[2].expected).has_value();
      begin.add(s);
      if (!session->error().empty()) {
        session = open_crosslane(w, settings);
        image = image_of(*session);
        findings = Findings(image->code);
      }
    }
  EXPECT_GT(live, 0u);
  EXPECT_GE(spoilt * 3, live * 2) << spoilt << " of " << live; // the guard's side without work may not care

  const auto deviations = [&] {
    test::Oracle oracle(*image, findings);
    forward.to = &oracle;
    session->fill();
    session->once();
    return oracle.take_deviations().size();
  };
  EXPECT_EQ(deviations(), 0u);
  for (auto& fact : findings.facts_of_whole_rows)
    fact.stride += 4;
  EXPECT_GT(deviations(), 0u);
  findings = Findings(image->code);
  for (auto& definition : findings.definitions)
    definition.writer += 4;
  EXPECT_GT(deviations(), 0u);
  findings = Findings(image->code);
  for (auto& block : findings.graph.blocks)
    block.successors = 0;
  EXPECT_GT(deviations(), 0u);
}

} // namespace
} // namespace crosslane::test
