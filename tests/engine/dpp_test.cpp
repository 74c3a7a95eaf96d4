// DPP over every control, with masks, bound_ctrl and disabled lanes, after the text of "AMD GCN Assembly: Cross-Lane
// Operations" (GPUOpen) and the GCN3 manual: which lane is read is written here a second time, by the names of the
// assembler.
#include "tests/engine/memory_fixture.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace crosslane {
namespace {

using namespace test;
using isa::Target;

struct Control {
  std::string text;
  int (*source)(int lane, int n); // -1: no such lane
  int n = 0;
};

std::vector<Control> controls() {
  std::vector<Control> all;
  for (int q = 0; q < 256; ++q)
    all.push_back({"quad_perm:[" + std::to_string(q & 3) + "," + std::to_string(q >> 2 & 3) + "," +
                       std::to_string(q >> 4 & 3) + "," + std::to_string(q >> 6) + "]",
                   [](int lane, int n) { return lane - lane % 4 + (n >> lane % 4 * 2 & 3); }, q});
  for (int n = 1; n < 16; ++n) {
    const std::string by = std::to_string(n);
    all.push_back({"row_shl:" + by, [](int lane, int k) { return lane % 16 + k > 15 ? -1 : lane + k; }, n});
    all.push_back({"row_shr:" + by, [](int lane, int k) { return lane % 16 < k ? -1 : lane - k; }, n});
    all.push_back({"row_ror:" + by, [](int lane, int k) { return lane / 16 * 16 + (lane % 16 + 16 - k) % 16; }, n});
  }
  all.push_back({"wave_shl:1", [](int lane, int) { return lane == 63 ? -1 : lane + 1; }});
  all.push_back({"wave_rol:1", [](int lane, int) { return (lane + 1) % 64; }});
  all.push_back({"wave_shr:1", [](int lane, int) { return lane - 1; }});
  all.push_back({"wave_ror:1", [](int lane, int) { return (lane + 63) % 64; }});
  all.push_back({"row_mirror", [](int lane, int) { return lane ^ 15; }});
  all.push_back({"row_half_mirror", [](int lane, int) { return lane ^ 7; }});
  all.push_back({"row_bcast:15", [](int lane, int) { return lane / 16 * 16 - 1; }});
  all.push_back({"row_bcast:31", [](int lane, int) { return lane < 32 ? -1 : 31; }});
  return all;
}

TEST(Dpp, EveryControl) {
  std::mt19937_64 random(11);
  const auto all = controls();
  struct Case {
    const Control* control;
    uint32_t rows, banks;
    bool bound;
    int dst; // v8, or v5, which is read too
  };
  std::vector<Case> cases;
  std::vector<std::string> lines;
  for (const Control& c : all)
    for (int k = 0; k < 6; ++k) {
      const Case one{&c, k ? uint32_t(random() & 15) : 15, k ? uint32_t(random() & 15) : 15, k % 2 != 0, k % 3 ? 8 : 5};
      cases.push_back(one);
      lines.push_back("v_add_u32_dpp v" + std::to_string(one.dst) + ", v5, v6 " + c.text +
                      " row_mask:" + std::to_string(one.rows) + " bank_mask:" + std::to_string(one.banks) +
                      (one.bound ? " bound_ctrl:0" : ""));
    }
  const auto instructions = assemble(Target::gfx900, lines);
  const uint64_t masks[] = {~0ull, 0,          0xffff0000ffff0000, 0x5555555555555555,
                            1,     1ull << 63, random(),           random() & random()};
  for (size_t n = 0; n < cases.size(); ++n)
    for (const uint64_t exec : masks)
      for (const auto* level : host_levels()) {
        const Case& c = cases[n];
        TestWave w{unsigned(n)};
        w.set_exec(exec);
        auto want = w.registers();
        for (int lane = 0; lane < 64; ++lane) {
          const bool masked = !(c.rows >> lane / 16 & 1) || !(c.banks >> lane % 16 / 4 & 1);
          const int from = c.control->source(lane, c.control->n);
          const bool readable = from >= 0 && w.active(from);
          if (!w.active(lane) || masked || (!readable && !c.bound))
            continue;
          want[c.dst * 64 + lane] = (readable ? w.v(5, from) : 0) + w.v(6, lane);
        }
        ASSERT_TRUE(w.run(*level, instructions[n])) << lines[n];
        ASSERT_EQ(w.registers(), want) << lines[n] << " exec " << std::hex << exec << " " << level->level;
      }
}

// neg and abs change what was read, after it was read: a 0 of bound_ctrl becomes -0.
TEST(Dpp, NegAndAbsOfWhatIsRead) {
  for (const auto* level : host_levels())
    for (const Target target : {Target::gfx803, Target::gfx900}) {
      TestWave w;
      const uint64_t exec = 0xfffffffffffffff0;
      w.set_exec(exec);
      for (int lane = 0; lane < 64; ++lane) {
        const float x = lane % 2 ? float(lane) : -float(lane);
        std::memcpy(&w.v(5, lane), &x, 4);
        w.v(6, lane) = 0x80000000;
      }
      ASSERT_TRUE(w.run(
          *level, assemble(target, "v_add_f32_dpp v8, -|v5|, v6 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0")));
      for (int lane = 4; lane < 64; ++lane) {
        float got;
        std::memcpy(&got, &w.v(8, lane), 4);
        const bool readable = lane % 16 != 0 && exec >> (lane - 1) & 1;
        EXPECT_EQ(got, readable ? -float(lane - 1) : 0.0f) << lane;
        EXPECT_TRUE(std::signbit(got)) << lane;
      }
    }
}

} // namespace
} // namespace crosslane
