// Atomics of LDS of which many lanes meet at one place, of 32 and 64 bits, integers and floats.
#include "tests/engine/kernel_fixture.h"
#include <fmt/format.h>

namespace crosslane::test {
namespace {

using isa::Target;

struct Op {
  const char* name;
  uint32_t dwords;
  bool returns, second = false;
};

// What lanes get back, and then all that LDS has: 12 places of 8 bytes.
std::vector<uint32_t> run(const Kernel& kernel, bool compiled) {
  constexpr uint32_t lanes = 64, each = 4;
  machine::Memory memory;
  Buffer<uint32_t> out(memory, lanes * each);
  for (uint32_t& v : out)
    v = 0;
  const Shape shape{{lanes, 1, 1}, {lanes, 1, 1}};
  const auto outcome =
      compiled ? kernel.run(shape, {out.address()}, {}, 512) : kernel.interpret(shape, {out.address()}, {}, 512);
  EXPECT_NO_FAULT(outcome);
  return {out.begin(), out.end()};
}

void expect_same(Target target, const Op& op, const std::string& mode, const std::string& before) {
  SCOPED_TRACE(fmt::format("{}: {}, {}", isa::info(target).name, op.name, mode));
  const auto registers = [&](uint32_t first) {
    return op.dwords == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + 1);
  };
  const std::string text = fmt::format(R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    s_mov_b32 m0, -1
    v_lshlrev_b32 v1, 3, v0
    v_mov_b32 v2, 0x9e3779b1
    v_mul_lo_u32 v2, v2, v0
    v_lshrrev_b32 v3, 5, v2
    v_or_b32 v3, 0x3f800000, v3           // floats of any size
    v_xor_b32 v5, 0x80000000, v3
    ds_write2_b32 v1, v2, v5 offset1:1
    v_cvt_f32_i32 v8, v2
    v_mov_b32 v9, v3
    v_mov_b32 v10, 17
    v_mov_b32 v11, v5
    v_mov_b32 v12, 0
    v_mov_b32 v13, 0
    v_mul_u32_u24 v4, 37, v0
    v_and_b32 v4, 0x38, v4
    {}
    {} {} v4, {}{} offset:16
    s_mov_b64 exec, -1
    s_waitcnt lgkmcnt(0)
    ds_read_b64 v[14:15], v1
    v_lshlrev_b32 v6, 4, v0
    address 6, 8, v6
    v_mul_f32 v10, v9, v8                 // rounded as MODE says
    s_waitcnt lgkmcnt(0)
    v_xor_b32 v14, v14, v10
    flat_store_dwordx4 v[6:7], v[12:15]
    s_endpgm
  )",
                                       before, op.name, op.returns ? registers(12) + "," : "", registers(8),
                                       op.second ? ", " + registers(10) : "");
  const Kernel kernel(target, text, mode + (target == Target::gfx90a ? "\n.amdhsa_accum_offset 64" : ""));
  EXPECT_EQ(run(kernel, false), run(kernel, true));
}

constexpr Op integers[] = {{"ds_add_u64", 2, false},
                           {"ds_sub_rtn_u64", 2, true},
                           {"ds_rsub_u64", 2, false},
                           {"ds_inc_rtn_u64", 2, true},
                           {"ds_dec_u64", 2, false},
                           {"ds_min_i64", 2, false},
                           {"ds_max_rtn_i64", 2, true},
                           {"ds_min_u64", 2, false},
                           {"ds_max_rtn_u64", 2, true},
                           {"ds_and_b64", 2, false},
                           {"ds_or_rtn_b64", 2, true},
                           {"ds_xor_b64", 2, false},
                           {"ds_wrxchg_rtn_b64", 2, true},
                           {"ds_cmpst_b64", 2, false, true},
                           {"ds_cmpst_rtn_b64", 2, true, true},
                           {"ds_mskor_b32", 1, false, true},
                           {"ds_mskor_rtn_b64", 2, true, true},
                           {"ds_add_u32", 1, false},
                           {"ds_cmpst_rtn_b32", 1, true, true}};
constexpr Op floats[] = {{"ds_add_f32", 1, false},    {"ds_add_rtn_f32", 1, true},         {"ds_min_f32", 1, false},
                         {"ds_max_rtn_f32", 1, true}, {"ds_cmpst_rtn_f32", 1, true, true}, {"ds_min_rtn_f64", 2, true},
                         {"ds_max_f64", 2, false},    {"ds_cmpst_f64", 2, false, true}};
constexpr Op sums_of_64[] = {{"ds_add_f64", 2, false}, {"ds_add_rtn_f64", 2, true}};

const std::string some_lanes = "v_and_b32 v6, 3, v0\n v_cmp_ne_u32 vcc, 1, v6\n s_and_b64 exec, exec, vcc\n";

TEST(LdsAtomics, OfIntegers) {
  for (const Op& op : integers)
    for (const Target target : {Target::gfx803, Target::gfx900})
      expect_same(target, op, "", target == Target::gfx803 ? "" : some_lanes);
}

// Sums are rounded to nearest whatever MODE says; what comes after them is not.
TEST(LdsAtomics, OfFloatsInAnyMode) {
  for (const char* mode :
       {".amdhsa_float_denorm_mode_32 3", ".amdhsa_float_round_mode_32 1\n.amdhsa_float_denorm_mode_16_64 0",
        ".amdhsa_float_round_mode_32 2\n.amdhsa_float_round_mode_16_64 3\n.amdhsa_float_denorm_mode_32 3"}) {
    for (const Op& op : floats)
      expect_same(Target::gfx900, op, mode, some_lanes);
    for (const Op& op : sums_of_64)
      expect_same(Target::gfx90a, op, mode, "");
  }
}

} // namespace
} // namespace crosslane::test
