// Divergence and decision sites: by hand from the manual's descriptions, and of all rows by what they write.
#include "isa/classify.h"
#include "isa/divergence.h"
#include "isa/op.h"
#include "isa/parse.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace crosslane::isa {
namespace {

Instruction parsed(const char* text, Target target = Target::gfx900) {
  const auto result = parse(target, text);
  EXPECT_TRUE(result) << text << ": " << result.error.message;
  return result.instruction;
}

TEST(Divergence, Sites) {
  using enum SiteKind;
  const std::pair<const char*, SiteKind> cases[] = {
      {"s_cbranch_scc0 1", decision},
      {"s_cbranch_scc1 1", decision},
      {"s_cbranch_execz 1", decision},
      {"s_cbranch_execnz 1", decision},
      {"s_cbranch_vccz 1", vcc},
      {"s_cbranch_vccnz 1", vcc},
      {"s_cbranch_g_fork s[2:3], s[4:5]", fork},
      {"s_cbranch_i_fork s[2:3], 4", fork},
      {"s_branch 1", none},
      {"s_cbranch_cdbgsys 1", none},
      {"s_cbranch_join s2", none},
      {"s_and_saveexec_b64 s[2:3], vcc", exec},
      {"s_or_saveexec_b64 s[2:3], s[4:5]", exec},
      {"s_andn2_saveexec_b64 s[2:3], s[2:3]", exec},
      {"s_andn1_wrexec_b64 s[2:3], s[4:5]", exec},
      // Loops, and bodies that an outer mask restores.
      {"s_and_b64 exec, exec, vcc", exec},
      {"s_and_b64 exec, s[2:3], exec", exec},
      {"s_andn2_b64 exec, exec, s[2:3]", exec},
      {"s_mov_b64 exec, s[2:3]", exec},
      {"s_mov_b64 exec, vcc", exec},
      {"s_mov_b32 exec_lo, s2", exec},
      {"s_and_b32 exec_hi, exec_hi, s2", exec},
      {"s_and_b64 exec, s[2:3], s[4:5]", exec},
      {"s_or_b64 exec, s[2:3], s[4:5]", exec},
      {"s_cselect_b64 exec, s[2:3], 0", exec},
      {"s_cselect_b64 exec, -1, 0", exec},
      {"s_cmov_b64 exec, 0", exec},
      {"s_bitset0_b64 exec, s2", exec},
      {"s_bitset0_b64 exec, 5", exec},
      {"s_lshl_b64 exec, -1, s2", exec},
      {"s_bfm_b64 exec, s2, 0", exec},
      {"s_orn2_b64 exec, s[2:3], exec", exec},
      {"v_cmpx_gt_f32 vcc, v0, v1", exec},
      {"v_cmpx_gt_f32_e64 s[2:3], v0, v1", exec},
      {"v_cmpx_class_f64 vcc, v[0:1], v2", exec},
      {"v_cmpx_eq_u32_sdwa vcc, v0, v1 src0_sel:BYTE_0 src1_sel:DWORD", exec},
      // Lanes come back, change places with the others, or are told by a constant.
      {"s_or_b64 exec, exec, s[2:3]", none},
      {"s_or_b64 exec, s[2:3], exec", none},
      {"s_orn2_b64 exec, exec, s[2:3]", none},
      {"s_xor_b64 exec, exec, s[2:3]", none},
      {"s_not_b64 exec, exec", none},
      {"s_wqm_b64 exec, exec", none},
      {"s_mov_b64 exec, exec", none},
      {"s_mov_b64 exec, -1", none},
      {"s_or_saveexec_b64 s[2:3], -1", none}, // whole wave mode
      {"s_mov_b32 exec_lo, 0xffff", none},
      {"s_movk_i32 exec_lo, 0x7", none},
      {"s_bfm_b64 exec, 8, 0", none},
      {"s_mov_b64 s[2:3], exec", none},
      {"s_and_b64 vcc, exec, s[2:3]", none},
      {"v_cmp_gt_f32 vcc, v0, v1", none},
      {"v_mov_b32 v0, v1", none},
      {"s_endpgm", none},
  };
  for (const auto& [text, kind] : cases)
    EXPECT_EQ(int(site_kind(parsed(text))), int(kind)) << text;
  EXPECT_EQ(int(site_kind(parsed("v_cmpsx_lt_f32_e32 vcc, v0, v1", Target::gfx600))), int(exec));
}

TEST(Divergence, LanesOrTheWaveDecide) {
  using enum SiteKind;
  for (const SiteKind k : {vcc, fork, exec})
    EXPECT_TRUE(is_divergence(k));
  for (const SiteKind k : {none, decision})
    EXPECT_FALSE(is_divergence(k));
}

TEST(Divergence, AllThatSaveExec) {
  for (size_t o = 0; o < rows().size(); ++o) {
    Instruction i;
    i.op = Op(o), i.dst = 2, i.src[0] = 4;
    EXPECT_EQ(saves_exec(i), rows()[o].mnemonic.find("_saveexec_") != std::string_view::npos) << rows()[o].mnemonic;
  }
}

std::vector<SiteKind> kinds_of(std::initializer_list<const char*> code) {
  SiteFinder finder;
  std::vector<SiteKind> kinds;
  for (const char* text : code)
    kinds.push_back(finder.next(parsed(text)));
  return kinds;
}

TEST(Divergence, RestoringWhatWasSavedIsNone) {
  using enum SiteKind;
  // A spill in whole wave mode.
  EXPECT_EQ(kinds_of({"s_or_saveexec_b64 s[34:35], -1", "buffer_store_dword v40, off, s[0:3], s33",
                      "s_mov_b64 exec, s[34:35]"}),
            (std::vector{none, none, none}));
  // What clang writes without optimisation: the mask of an `if` is computed beside EXEC.
  EXPECT_EQ(kinds_of({"s_mov_b64 s[0:1], exec", "s_and_b64 s[2:3], s[0:1], s[4:5]", "s_xor_b64 s[0:1], s[2:3], s[0:1]",
                      "s_mov_b64 exec, s[2:3]", "s_cbranch_execz 5"}),
            (std::vector{none, none, none, exec, decision}));
  // A copy of it is as good.
  EXPECT_EQ(
      kinds_of({"s_mov_b64 s[0:1], exec", "s_mov_b64 s[8:9], s[0:1]", "s_mov_b64 s[0:1], 0", "s_mov_b64 exec, s[8:9]"}),
      (std::vector{none, none, none, none}));
}

TEST(Divergence, SavedMasksAreForgotten) {
  using enum SiteKind;
  for (const char* writer :
       {"s_mov_b32 s1, 5", "s_mov_b32 s0, 5", "s_load_dwordx4 s[0:3], s[8:9], 0x0", "s_and_b64 s[0:1], s[0:1], s[4:5]",
        "v_readlane_b32 s1, v0, 3", "v_cmp_gt_f32_e64 s[0:1], v0, v1", "v_add_co_u32_e64 v0, s[0:1], v1, v2",
        "s_swappc_b64 s[30:31], s[4:5]"})
    EXPECT_EQ(kinds_of({"s_mov_b64 s[0:1], exec", writer, "s_mov_b64 exec, s[0:1]"}).back(), exec) << writer;
  for (const char* other : {"s_mov_b32 s2, 5", "v_mov_b32 v0, 0", "s_cbranch_execz 2", "s_cbranch_scc0 2"})
    EXPECT_EQ(kinds_of({"s_mov_b64 s[0:1], exec", other, "s_mov_b64 exec, s[0:1]"}).back(), none) << other;
  EXPECT_EQ(kinds_of({"s_mov_b64 vcc, exec", "v_cmp_gt_f32 vcc, v0, v1", "s_mov_b64 exec, vcc"}).back(), exec);
}

} // namespace
} // namespace crosslane::isa
