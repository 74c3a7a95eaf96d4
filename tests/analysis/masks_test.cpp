// Which masks EXEC has, and which are part of which, of hand-written code.
#include "analysis/masks.h"
#include "tests/analysis/code_fixture.h"
#include <map>

namespace crosslane::test {
namespace {

struct Masked : Analysed {
  explicit Masked(const std::string& text) : Analysed(text) {
    const analysis::Part part = graph.parts[graph.blocks[at("k")].part];
    analysis::PartCode part_code;
    analysis::decode_part(code(), graph, part, {}, part_code);
    analysis::find_masks(graph, part, part_code, masks);
    const auto blocks = graph.blocks_of(part);
    for (uint32_t i = 0; i < blocks.size(); ++i)
      places[blocks[i]] = i;
  }
  analysis::MaskId begin(const std::string& label) const { return masks.begin[places.at(at(label))]; }
  bool part_of(const std::string& inner, const std::string& outer) const {
    return masks.part_of(begin(inner), begin(outer));
  }
  analysis::PartMasks masks;
  std::map<analysis::BlockId, uint32_t> places;
};

// `label:` begins a block: something may jump there.
std::string block(const std::string& label) { return "  s_cbranch_scc0 " + label + "\n" + label + ":\n"; }

TEST(Masks, EndOfAnIf) {
  const Masked m("  s_and_saveexec_b64 s[4:5], vcc\n" + block("body") + "  s_or_b64 exec, exec, s[4:5]\n" +
                 block("behind") + "  s_endpgm\n");
  EXPECT_TRUE(m.part_of("body", "k"));
  EXPECT_FALSE(m.part_of("k", "body"));
  EXPECT_EQ(m.begin("behind"), m.begin("k"));
}

TEST(Masks, EndOfAnElse) {
  for (const char* other : {"  s_or_saveexec_b64 s[4:5], s[4:5]\n  s_xor_b64 exec, exec, s[4:5]\n",
                            "  s_andn2_saveexec_b64 s[4:5], s[4:5]\n"}) {
    const Masked m("  s_and_saveexec_b64 s[4:5], vcc\n  s_xor_b64 s[4:5], exec, s[4:5]\n" + block("body") + other +
                   block("else") + "  s_or_b64 exec, exec, s[4:5]\n" + block("behind") + "  s_endpgm\n");
    EXPECT_TRUE(m.part_of("else", "k")) << other;
    EXPECT_FALSE(m.part_of("else", "body")) << other;
    EXPECT_EQ(m.masks.masks[m.begin("else")].minus, m.begin("body")) << other;
    EXPECT_EQ(m.begin("behind"), m.begin("k")) << other;
  }
}

// What a round of a loop says before its back edge is known is not kept.
TEST(Masks, IfAndElseInALoopThatLanesLeave) {
  const Masked m("  s_mov_b64 s[2:3], 0\nloop:\n  v_cmp_gt_i32 vcc, s0, v0\n  s_and_saveexec_b64 s[4:5], vcc\n"
                 "  s_xor_b64 s[4:5], exec, s[4:5]\n" +
                 block("body") + "  s_andn2_saveexec_b64 s[4:5], s[4:5]\n" + block("else") +
                 "  s_or_b64 exec, exec, s[4:5]\n" + block("end") +
                 "  v_cmp_gt_i32 vcc, s1, v0\n  s_or_b64 s[2:3], vcc, s[2:3]\n  s_andn2_b64 exec, exec, s[2:3]\n"
                 "  s_cbranch_execnz loop\n  s_or_b64 exec, exec, s[2:3]\n" +
                 block("behind") + "  s_endpgm\n");
  EXPECT_NE(m.begin("loop"), m.begin("k"));
  EXPECT_TRUE(m.part_of("loop", "k"));
  EXPECT_TRUE(m.part_of("body", "loop"));
  EXPECT_TRUE(m.part_of("else", "loop"));
  EXPECT_EQ(m.begin("end"), m.begin("loop"));
  EXPECT_TRUE(m.part_of("behind", "k"));
  EXPECT_FALSE(m.part_of("behind", "loop"));
}

// EXEC is the same in each round, and so are the masks that are saved around the loop.
TEST(Masks, ALoopThatAllLanesGoRound) {
  const Masked m("  s_and_saveexec_b64 s[2:3], vcc\n" + block("before") +
                 "loop:\n  v_cmp_gt_i32 vcc, s0, v0\n  s_and_saveexec_b64 s[4:5], vcc\n" + block("body") +
                 "  s_or_b64 exec, exec, s[4:5]\n  s_cbranch_scc1 loop\n  s_or_b64 exec, exec, s[2:3]\n" +
                 block("behind") + "  s_endpgm\n");
  EXPECT_EQ(m.begin("loop"), m.begin("before"));
  EXPECT_TRUE(m.part_of("body", "loop"));
  EXPECT_EQ(m.begin("behind"), m.begin("k"));
}

// Two loops that share a head, and what is narrowed on one way round only.
TEST(Masks, WaysRoundALoop) {
  const Masked m("loop:\n  s_cbranch_scc1 other\none:\n  v_cmp_gt_i32 vcc, s0, v0\n  s_and_b64 exec, exec, vcc\n"
                 "  s_cbranch_execnz loop\n  s_endpgm\nother:\n  s_cbranch_scc0 loop\n  s_endpgm\n");
  EXPECT_TRUE(m.masks.settled);
  EXPECT_EQ(m.begin("one"), m.begin("loop"));
  EXPECT_EQ(m.begin("other"), m.begin("loop"));
}

} // namespace
} // namespace crosslane::test
