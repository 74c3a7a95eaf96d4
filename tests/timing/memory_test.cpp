// L2 against what others read off a MI210.
#include "gpu/machine.h"
#include "tests/timing/straight_code.h"
#include "timing/replay/replay.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace crosslane::timing::replay {
namespace {

Machine mi210() {
  gpu::Used used;
  return machine_of(gpu::machine(*gpu::find_card("mi210")), used);
}

// gpu-benches' pointer chase on a MI210 goes round a buffer of so many KiB, a line of 64 bytes at a time in random
// order: cycles a load. Where L2 has all of it they are 241, where it has nothing 572, so they tell how many of the
// loads miss.
TEST(L2, MissesAsOftenAsAPointerChaseOfAMI210) {
  static constexpr std::pair<uint32_t, double> measured[] = {{4333, 267.5},  {5245, 277.8},  {6348, 315.3},
                                                             {7684, 380.6},  {8453, 420.9},  {9299, 460.0},
                                                             {11254, 532.5}, {13620, 573.9}, {16482, 573.4}};
  const Machine machine = mi210();
  for (const auto& [kib, cycles] : measured) {
    std::vector<uint64_t> order(kib * 16);
    std::iota(order.begin(), order.end(), uint64_t(1) << 24);
    std::ranges::shuffle(order, std::mt19937(1));
    L2 l2(machine);
    uint64_t before = 0;
    for (int round = 0; round < 3; ++round) {
      before = l2.figures().misses;
      for (const uint64_t line : order) {
        Request request{.line = line, .kind = Kind::load};
        l2.serve(request);
      }
    }
    const double share = double(l2.figures().misses - before) / double(order.size());
    EXPECT_NEAR(share, (cycles - 241) / (572 - 241), 0.1) << kib;
  }
}

class Copies final : public Source { // of doubles, workgroups of four waves
public:
  explicit Copies(uint64_t groups) : groups_(groups) {}
  Next next(GroupTrace& trace) override {
    if (number_ == groups_)
      return Next::none;
    trace = {.number = number_, .waves = {}, .fate = {}};
    for (uint64_t wave = number_ * 4; wave < number_ * 4 + 4; ++wave) {
      Words w;
      w.block(0, false);
      w.access({.instruction = 0, .clocks = 16, .shape = Shape::x2}, (1 << 24) + wave * 8, 8);
      w.access({.instruction = 2, .clocks = 16, .kind = Kind::store, .whole = true, .dwords = 2}, (1 << 25) + wave * 8,
               8);
      trace.waves.push_back(w.take());
    }
    ++number_;
    return Next::group;
  }

private:
  uint64_t groups_, number_ = 0;
};

// rocprofiler-compute's stored runs of a vector copy of 1,048,576 doubles on a MI210: L2 counts 65,536 reads, and some
// more of code, and 131,072 writes; of both 65,536 miss, and memory is asked 131,072 times for 64 bytes.
TEST(L2, CountsWhatCountersOfAMI210Do) {
  const Code code(isa::Target::gfx90a, {"global_load_dwordx2 v[0:1], v2, s[0:1]", "s_waitcnt vmcnt(0)",
                                        "global_store_dwordx2 v2, v[0:1], s[2:3]", "s_endpgm"});
  constexpr uint64_t groups = 4096, lines = groups * 4 * 8;
  Replay replay(mi210(), {}, [&](uint32_t) { return &code.block(); });
  Copies copies(groups);
  ASSERT_EQ(replay.run(copies), "");
  const Figures f = replay.figures();
  const auto of_code = double(f.units.code_misses);
  EXPECT_NEAR(double(f.memory.loads), lines / 2, of_code);
  EXPECT_EQ(f.memory.stores, lines);
  EXPECT_NEAR(double(f.memory.misses), lines, of_code);
  EXPECT_NEAR(double(f.memory.read), 64.0 * lines, 64 * of_code);
}

} // namespace
} // namespace crosslane::timing::replay
