// Kernels whose MODE has operations of 32 bits, and of 16 and 64 bits, round and treat denormals differently, compiled.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include <bit>
#include <fmt/format.h>

namespace crosslane::test {
namespace {

struct Modes {
  int round32, round64, denormals32, denormals64;
};
constexpr Modes all_modes[] = {{0, 0, 0, 3}, {0, 0, 3, 0}, {0, 3, 1, 2}, {2, 1, 3, 3}};

// What a lane has of each type: a normal number, one that is denormal, or becomes it.
struct Item {
  uint64_t f64;
  uint32_t f32, f16; // f16: two of them
};
Item item(uint32_t lane) {
  const uint64_t bits = uint64_t(lane) * 0x9e3779b97f4a7c15 + 0x1234567;
  const uint64_t sign = bits & uint64_t(1) << 63;
  const uint32_t f = uint32_t(bits >> 20);
  switch (lane % 4) {
  case 0: return {sign | bits >> 13, uint32_t(sign >> 32) | f >> 10, f & 0x83ff83ff};
  case 1:
    return {sign | uint64_t(1) << 52 | bits >> 16, uint32_t(sign >> 32) | 1u << 23 | f >> 12,
            0x04100410 | (f & 0x80038003)};
  default:
    return {std::bit_cast<uint64_t>(1.0 + double(f)), std::bit_cast<uint32_t>(1.0f + float(f)),
            (f & 0x03ff03ff) | 0x3c003c00};
  }
}

struct Ran {
  std::vector<uint32_t> left;
  engine::Outcome outcome;
  uint64_t entered = 0;
};

constexpr uint32_t lanes = 256, dwords = 16; // of results, each lane

Kernel kernel_of(isa::Target target, const std::string& body, const Modes& m) {
  return Kernel(target, R"(
      s_load_dwordx4 s[8:11], s[0:1], 0x0
      s_lshl_b32 s12, s2, 6
      v_or_b32 v4, s12, v0
      v_lshlrev_b32 v5, 4, v4
      s_waitcnt lgkmcnt(0)
      address 6, 8, v5
      flat_load_dwordx4 v[8:11], v[6:7]
      v_lshlrev_b32 v5, 6, v4
      address 6, 10, v5
      s_waitcnt vmcnt(0) lgkmcnt(0)
    )" + body + "\n s_endpgm",
                fmt::format(".amdhsa_float_round_mode_32 {}\n .amdhsa_float_round_mode_16_64 {}\n"
                            ".amdhsa_float_denorm_mode_32 {}\n .amdhsa_float_denorm_mode_16_64 {}\n"
                            ".amdhsa_ieee_mode 0\n{}",
                            m.round32, m.round64, m.denormals32, m.denormals64,
                            target == isa::Target::gfx90a ? ".amdhsa_accum_offset 64" : ""));
}

Ran run(const Kernel& kernel, bool compiled) {
  machine::Memory memory;
  Buffer<Item> in(memory, lanes);
  Buffer<uint32_t> out(memory, lanes * dwords);
  for (uint32_t i = 0; i < lanes; ++i)
    in[i] = item(i);
  std::fill(out.begin(), out.end(), 0);
  engine::Options options;
  options.threads = 1;
  const Shape shape{{lanes, 1, 1}, {64, 1, 1}};
  const jit::Stats before = jit::stats();
  Ran r;
  r.outcome = compiled ? kernel.run(shape, {in.address(), out.address()}, options)
                       : kernel.interpret(shape, {in.address(), out.address()}, options);
  r.entered = jit::stats().entered - before.entered;
  r.left.assign(out.begin(), out.end());
  return r;
}

void expect_same(const std::string& body) {
  for (const isa::Target target : {isa::Target::gfx803, isa::Target::gfx900, isa::Target::gfx90a})
    for (const Modes& m : all_modes) {
      SCOPED_TRACE(fmt::format("{}, rounding {} and {}, denormals {} and {}", isa::info(target).name, m.round32,
                               m.round64, m.denormals32, m.denormals64));
      const Kernel kernel = kernel_of(target, body, m);
      const Ran a = run(kernel, false), b = run(kernel, true);
      EXPECT_NO_FAULT(b.outcome);
      EXPECT_EQ(a.left, b.left);
      EXPECT_EQ(b.entered, lanes / 64);
    }
}

// By turns, so that what is computed with the modes of the other half would show.
constexpr const char* both = R"(
  v_add_f64 v[12:13], v[8:9], v[8:9]
  v_add_f32 v14, v10, v10
  v_mul_f64 v[12:13], v[12:13], 0.5
  v_add_f16 v15, v11, v11
  v_mul_f32 v14, 0.5, v14
  v_cvt_f32_f64 v16, v[12:13]
  v_cvt_f64_f32 v[18:19], v14
  v_fma_f32 v17, v14, v10, v10
  v_fma_f64 v[20:21], v[18:19], v[8:9], v[12:13]
  v_cvt_f32_f16 v22, v15
  v_cvt_f16_f32 v23, v10
  v_cmp_lt_f64 vcc, v[8:9], v[18:19]
  v_cndmask_b32 v24, 0, -1, vcc
  v_cmp_eq_f32 vcc, 0, v10
  v_cndmask_b32 v25, 0, -1, vcc
  v_cmp_eq_f64 vcc, 0, v[8:9]
  v_cndmask_b32 v26, 0, -1, vcc
  v_floor_f64 v[28:29], v[8:9]
  v_ceil_f32 v27, v10
  v_rcp_f32 v30, v10
  v_sqrt_f64 v[32:33], v[8:9]
)";
constexpr const char* store = R"(
  flat_store_dwordx4 v[6:7], v[12:15]
  add_u32 v6, 16, v6
  flat_store_dwordx4 v[6:7], v[16:19]
  add_u32 v6, 16, v6
  v_xor_b32 v20, v20, v28
  v_xor_b32 v21, v21, v29
  v_xor_b32 v22, v22, v27
  v_xor_b32 v23, v23, v30
  flat_store_dwordx4 v[6:7], v[20:23]
  add_u32 v6, 16, v6
  v_xor_b32 v27, v32, v33
  flat_store_dwordx4 v[6:7], v[24:27]
)";

TEST(SplitModes, AreThoseOfEachOperation) { expect_same(std::string(both) + store); }

TEST(SplitModes, OfScalarsAndMasks) {
  expect_same(std::string("v_readlane_b32 s14, v8, 4\n v_readlane_b32 s15, v9, 4\n v_readlane_b32 s16, v10, 4\n"
                          "v_mov_b32 v8, s14\n v_mov_b32 v9, s15\n v_mov_b32 v10, s16\n v_mov_b32 v11, s14\n") +
              both + store);
  expect_same(std::string("v_cmp_lt_u32 vcc, 5, v0\n s_and_saveexec_b64 s[14:15], vcc\n") + both +
              "s_mov_b64 exec, s[14:15]\n" + store);
}

TEST(SplitModes, InLoopsAndBranches) {
  expect_same(std::string(R"(
    v_and_b32 v34, 3, v0
    s_mov_b64 s[14:15], exec
  again:
    v_mul_f64 v[8:9], v[8:9], 0.5
    v_mov_b32 v36, 0x90
    v_cmp_class_f64 vcc, v[8:9], v36
    s_cbranch_vccz none
    v_mul_f32 v10, 0.5, v10
  none:
    v_mul_f16 v11, 0.5, v11
    v_subrev_f16 v12, 1.0, v11
    v_mov_b32 v35, -1
    add_u32 v34, v34, v35
    v_cmp_lt_i32 vcc, 0, v34
    s_and_b64 exec, exec, vcc
    s_cbranch_execnz again
    s_mov_b64 exec, s[14:15]
  )") + both + store);
}

TEST(SplitModes, OutputModifiersAndClamp) {
  expect_same(std::string(both) + R"(
    v_mul_f64 v[12:13], v[8:9], v[8:9] mul:2
    v_mul_f32 v14, v10, v10 div:2
    v_add_f64 v[16:17], v[8:9], -1.0 clamp
    v_add_f32 v18, v10, v10 clamp
    v_add_f16 v19, v11, v11 clamp
    v_mul_f16 v15, v11, v11 mul:4
  )" + store);
}

// In the middle of operations of 64 bits: what faults is done again by the interpreter, as what it stored before.
TEST(SplitModes, FaultAsInterpreted) {
  const std::string body = std::string(both) + store + R"(
    v_add_f64 v[12:13], v[8:9], v[8:9]
    v_cmp_eq_u32 vcc, 33, v4
    v_mov_b32 v35, 0x7fff0000
    v_cndmask_b32 v6, v6, v35, vcc
    flat_store_dwordx2 v[6:7], v[12:13]
    v_add_f64 v[12:13], v[12:13], v[8:9]
    flat_store_dwordx2 v[6:7], v[12:13]
  )";
  for (const Modes& m : all_modes) {
    const Kernel kernel = kernel_of(isa::Target::gfx900, body, m);
    const Ran a = run(kernel, false), b = run(kernel, true);
    ASSERT_TRUE(a.outcome.fault && b.outcome.fault);
    EXPECT_EQ(a.outcome.fault->lane, 33);
    EXPECT_EQ(machine::describe(*a.outcome.fault), machine::describe(*b.outcome.fault));
    EXPECT_EQ(a.left, b.left);
    EXPECT_EQ(b.entered, 1u);
  }
}

} // namespace
} // namespace crosslane::test
