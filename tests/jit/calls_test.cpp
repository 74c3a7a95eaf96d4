// Functions: called from one place or several, returned from, left to the interpreter, and found to be elsewhere than
// the analysis says.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"

namespace crosslane::test {
namespace {

const std::string macros = R"(
.macro call function
  s_getpc_b64 s[12:13]
here\@:
  s_add_u32 s12, s12, \function-here\@
  s_addc_u32 s13, s13, (\function-here\@)>>31
  s_swappc_b64 s[30:31], s[12:13]
.endm
)";
// v10 is the work-item's id at first, which it stores in the end.
const std::string begin = R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  v_mov_b32 v10, v0
  v_lshlrev_b32 v4, 2, v0
  s_waitcnt lgkmcnt(0)
)";
const std::string end = R"(
  address 6, 8, v4
  flat_store_dword v[6:7], v10
  s_endpgm
)";

struct Result {
  engine::Outcome outcome;
  std::string fault;
  std::vector<uint32_t> values;
  jit::Stats before = jit::stats(), after = {};
};

Result run(const std::string& body, uint32_t items = 64) {
  const Kernel kernel(isa::Target::gfx900, macros + body);
  machine::Memory memory;
  Buffer<uint32_t> out(memory, items);
  std::fill(out.begin(), out.end(), ~0u);
  Result r;
  const engine::Outcome interpreted = kernel.interpret({{items, 1, 1}, {items, 1, 1}}, {out.address()});
  const std::vector<uint32_t> expected(out.begin(), out.end());
  std::fill(out.begin(), out.end(), ~0u);
  r.outcome = kernel.run({{items, 1, 1}, {items, 1, 1}}, {out.address()});
  r.after = jit::stats();
  r.values.assign(out.begin(), out.end());
  EXPECT_EQ(r.values, expected);
  EXPECT_EQ(r.outcome.stats.instructions, interpreted.stats.instructions);
  r.fault = r.outcome.fault ? machine::describe(*r.outcome.fault) : "";
  EXPECT_EQ(r.fault, interpreted.fault ? machine::describe(*interpreted.fault) : "");
  return r;
}

const std::string squares = R"(
squares: // v10 = sum of n * n for n below v10
  v_mov_b32 v11, 0
  v_mov_b32 v12, 0
  s_mov_b64 s[14:15], exec
squares_again:
  v_cmp_lt_u32 vcc, v11, v10
  s_and_b64 exec, exec, vcc
  s_cbranch_execz squares_out
  v_mul_lo_u32 v13, v11, v11
  v_add_u32 v12, v12, v13
  v_add_u32 v11, 1, v11
  s_branch squares_again
squares_out:
  s_mov_b64 exec, s[14:15]
  v_mov_b32 v10, v12
  s_setpc_b64 s[30:31]
)";
uint32_t sum_of_squares(uint32_t n) { return n ? (n - 1) * n * (2 * n - 1) / 6 : 0; }

TEST(Calls, FromOnePlace) {
  const Result r = run(begin + "call squares\n" + end + squares, 128);
  for (uint32_t id = 0; id < 128; ++id)
    EXPECT_EQ(r.values[id], sum_of_squares(id)) << id;
  EXPECT_EQ(r.after.entered - r.before.entered, 2u);
  EXPECT_EQ(r.after.left - r.before.left, 0u);
}

// With all lanes and with some, in a loop, and before and behind a value that the function does not touch.
TEST(Calls, FromSeveralPlaces) {
  const Result r = run(begin + R"(
    v_add_u32 v20, 100, v0
    s_movk_i32 s20, 3
  again:
    v_and_b32 v10, 15, v10
    call squares
    v_add_u32 v20, v20, v10
    v_cmp_gt_u32 vcc, 40, v0
    s_and_saveexec_b64 s[22:23], vcc
    v_and_b32 v10, 7, v10
    call squares
    v_add_u32 v20, v20, v10
    s_mov_b64 exec, s[22:23]
    s_sub_u32 s20, s20, 1
    s_cmp_lg_u32 s20, 0
    s_cbranch_scc1 again
    v_mov_b32 v10, v20
  )" + end + squares,
                       192);
  for (uint32_t id = 0; id < 192; ++id) {
    uint32_t v = id, sum = 100 + id;
    for (int n = 0; n < 3; ++n) {
      sum += v = sum_of_squares(v & 15);
      if (id < 40)
        sum += v = sum_of_squares(v & 7);
    }
    EXPECT_EQ(r.values[id], sum) << id;
  }
  EXPECT_EQ(r.after.entered - r.before.entered, 3u);
  EXPECT_EQ(r.after.left - r.before.left, 0u);
}

// The one in the other, which keeps its return address in lanes of v40; both are called from elsewhere, too.
TEST(Calls, Nested) {
  const Result r = run(begin + "call outer\nv_and_b32 v10, 15, v10\ncall squares\ncall outer\n" + end + R"(
  outer:
    v_writelane_b32 v40, s30, 0
    v_writelane_b32 v40, s31, 1
    v_and_b32 v10, 31, v10
    call squares
    v_and_b32 v10, 63, v10
    call squares
    v_readlane_b32 s30, v40, 0
    v_readlane_b32 s31, v40, 1
    s_setpc_b64 s[30:31]
  )" + squares);
  const auto outer = [](uint32_t v) { return sum_of_squares(sum_of_squares(v & 31) & 63); };
  for (uint32_t id = 0; id < 64; ++id)
    EXPECT_EQ(r.values[id], outer(sum_of_squares(outer(id) & 15))) << id;
  EXPECT_EQ(r.after.entered - r.before.entered, 1u);
  EXPECT_EQ(r.after.left - r.before.left, 0u);
}

// What nobody can tell before: the depth is data.
TEST(Calls, Recursive) {
  const Result r = run(begin + R"(
    s_mov_b32 m0, 0
    call deeper
  )" + end + R"(
  deeper:
    v_writelane_b32 v40, s30, m0
    v_writelane_b32 v41, s31, m0
    v_add_u32 v10, v10, v10
    s_cmp_eq_u32 m0, 9
    s_cbranch_scc1 back
    s_add_u32 m0, m0, 1
    call deeper
    v_add_u32 v10, 1, v10
    s_sub_u32 m0, m0, 1
  back:
    v_readlane_b32 s30, v40, m0
    v_readlane_b32 s31, v41, m0
    s_setpc_b64 s[30:31]
  )");
  EXPECT_EQ(r.fault, "");
  for (uint32_t id = 0; id < 64; ++id)
    EXPECT_EQ(r.values[id], 1024 * id + 9) << id;
}

// One that is too large is interpreted, and waves come back behind it: four times each.
TEST(Calls, ComeBackFromTheInterpreter) {
  const Result r = run(begin + R"(
    v_mov_b32 v20, v0
    s_movk_i32 s20, 4
  again:
    call large
    v_add_u32 v20, v20, v10
    s_sub_u32 s20, s20, 1
    s_cmp_lg_u32 s20, 0
    s_cbranch_scc1 again
    v_mov_b32 v10, v20
  )" + end + R"(
  large:
    .rept 4001
    v_add_u32 v10, 1, v10
    .endr
    s_setpc_b64 s[30:31]
  )",
                       128);
  for (uint32_t id = 0; id < 128; ++id)
    EXPECT_EQ(r.values[id], id + 4 * id + 4001 * 10) << id;
  EXPECT_EQ(r.after.units - r.before.units, 1u);
  EXPECT_EQ(r.after.entered - r.before.entered, 2 + 2 * 4u);
  EXPECT_EQ(r.after.left - r.before.left, 0u);
}

// By an address that lanes had, as pointers to functions are. What could be called, as its address is taken, may be
// data.
TEST(Calls, AddressesThatNobodyKnowsAreLeft) {
  const Result r = run(begin + R"(
    s_getpc_b64 s[16:17]
  near:
    s_add_u32 s18, s16, data-near
    s_addc_u32 s19, s17, 0
    v_mov_b32 v16, s18
    v_mov_b32 v17, s19
    s_add_u32 s16, s16, squares-near
    s_addc_u32 s17, s17, 0
    v_mov_b32 v14, s16
    v_mov_b32 v15, s17
    v_readfirstlane_b32 s16, v14
    v_readfirstlane_b32 s17, v15
    s_swappc_b64 s[30:31], s[16:17]
    v_add_u32 v10, v10, v0
    v_sub_u32 v16, v16, v14
    v_add_u32 v10, v10, v16
  )" + end + R"(
  data:
    .rept 8
    .long 0xffffffff
    .endr
  )" + squares);
  EXPECT_EQ(r.fault, "");
  for (uint32_t id = 0; id < 64; ++id)
    EXPECT_EQ(r.values[id], sum_of_squares(id) + id - 32) << id;
  EXPECT_EQ(r.after.entered - r.before.entered, 2u); // and behind the call
  EXPECT_EQ(r.after.left - r.before.left, 0u);
}

// A function that comes back behind the next instruction: it is no return that anybody knows of.
TEST(Calls, ReturnElsewhere) {
  const Result r = run(begin + R"(
    call skips
    v_add_u32 v10, 5, v10
    v_add_u32 v10, 7, v10
    call skips
    v_add_u32 v10, 5, v10
  )" + end + R"(
  skips:
    s_add_u32 s30, s30, 4
    s_addc_u32 s31, s31, 0
    s_setpc_b64 s[30:31]
  )");
  EXPECT_EQ(r.fault, "");
  for (uint32_t id = 0; id < 64; ++id)
    EXPECT_EQ(r.values[id], id + 7) << id;
}

// A table of jumps, whose index each wave has for itself.
TEST(Calls, JumpTable) {
  const Result r = run(begin + R"(
    v_readfirstlane_b32 s20, v0
    s_lshr_b32 s20, s20, 6
    s_and_b32 s20, s20, 3
    s_lshl_b32 s20, s20, 3
    s_getpc_b64 s[12:13]
  here:
    s_add_u32 s20, s20, table-here
    s_add_u32 s12, s12, s20
    s_addc_u32 s13, s13, 0
    s_setpc_b64 s[12:13]
  table:
    .irp n, 11, 22, 33, 44
    v_add_u32 v10, \n, v10
    s_branch done
    .endr
  done:
  )" + end,
                       256);
  for (uint32_t id = 0; id < 256; ++id)
    EXPECT_EQ(r.values[id], id + 11 * (id / 64 + 1)) << id;
}

// A fault in a function is told as the interpreter tells it.
TEST(Calls, Faults) {
  const Result r = run(begin + "call reads\ncall reads\n" + end + R"(
  reads:
    v_mov_b32 v14, 0
    v_mov_b32 v15, v10
    flat_load_dword v10, v[14:15]
    s_waitcnt vmcnt(0)
    v_mov_b32 v10, 0x1000
    s_setpc_b64 s[30:31]
  )");
  EXPECT_NE(r.fault, "");
}

} // namespace
} // namespace crosslane::test
