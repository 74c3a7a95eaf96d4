// What is known of barriers before a kernel runs.
#include "check/sync_code.h"
#include "lint/subject.h"
#include "tests/check/kernel.h"
#include "toolchain/compile.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

check::SyncCode code_of(const std::string& body) {
  const auto object = value_of(toolchain::assemble(kernel(body, "64"), "k.s", "gfx900"));
  const auto code = value_of(codeobject::CodeObject::read(value_of(toolchain::link_code_object(object)), "k.s"));
  const auto subject = value_of(lint::make_subject(*code));
  return check::sync_code(subject);
}

const std::string barrier = "s_barrier\n", some = "s_and_saveexec_b64 s[4:5], vcc\n",
                  end = "end:\ns_or_b64 exec, exec, s[4:5]\n", skip = "s_cbranch_execz end\n";

TEST(SyncCode, KnowsWhetherThereAreBarriers) {
  EXPECT_FALSE(code_of("v_mov_b32 v0, 1\n").has_barriers);
  EXPECT_TRUE(code_of(barrier).has_barriers);
  EXPECT_TRUE(code_of("s_setpc_b64 s[8:9]\n").has_barriers); // where to nobody knows
}

TEST(SyncCode, KnowsWhereAllLanesCome) {
  EXPECT_FALSE(code_of(barrier).lanes_stay_out);
  EXPECT_FALSE(code_of(some + skip + "v_mov_b32 v0, 1\n" + end + barrier).lanes_stay_out);
  EXPECT_FALSE(
      code_of("s_mov_b32 s8, 0\nloop:\n" + some + skip + "v_mov_b32 v0, 1\n" + end + barrier + "s_cbranch_scc0 loop\n")
          .lanes_stay_out);
  // Within, behind lanes that have left, and in a loop that lanes leave one by one.
  EXPECT_TRUE(code_of(some + skip + barrier + end).lanes_stay_out);
  EXPECT_TRUE(code_of(some + "s_cbranch_execz end\n" + barrier + "end:\n").lanes_stay_out);
  EXPECT_TRUE(
      code_of("loop:\nv_cmp_gt_i32 vcc, s0, v0\ns_andn2_b64 exec, exec, vcc\n" + barrier + "s_cbranch_execnz loop\n")
          .lanes_stay_out);
  // A function does not know with which it is called.
  EXPECT_TRUE(code_of("s_getpc_b64 s[8:9]\ns_call_b64 s[6:7], f\ns_endpgm\nf:\n" + barrier + "s_setpc_b64 s[6:7]\n")
                  .lanes_stay_out);
}

} // namespace
} // namespace crosslane::test
