// Matrix operations in compiled code: what they sum up stays in the Wave, whatever else reads and writes it, and
// however a wave comes and goes. Against the interpreter.
#include "isa/matrix.h"
#include "tests/engine/kernel_fixture.h"
#include <algorithm>
#include <random>
#include <vector>

namespace crosslane::test {
namespace {

// Rounds that add products to a[0:3] and a[4:7]; every second one adds 1 to a1 and moves a4 on in the lanes below 20,
// and then reads LDS at a distance that may be out of the workgroup's, which no compiled code does. The sums begin as
// constants, or, `loaded`, as what memory has.
std::string in_rounds(bool loaded) {
  return std::string(R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dwordx2 s[14:15], s[0:1], 0x10
  s_load_dword s16, s[0:1], 0x18
  v_lshlrev_b32 v4, 2, v0
  s_waitcnt lgkmcnt(0)
  s_lshl_b32 s17, s2, 8
  v_mov_b32 v3, s17
  v_add_u32 v3, v3, v4
  address 6, 8, v3
  global_load_dword v5, v[6:7], off
  v_cvt_f32_u32 v1, v0
  v_mov_b32 v2, 0.5
  v_mov_b32 v9, 0
  s_mul_i32 s18, s2, s16
  s_lshl_b32 s18, s18, 2
  s_mov_b32 s21, 0
  s_waitcnt vmcnt(0)
)") +
         (loaded ? R"(
  v_accvgpr_write_b32 a0, v5
  v_accvgpr_write_b32 a1, v5
  v_accvgpr_write_b32 a2, v1
  v_accvgpr_write_b32 a3, v1
)"
                 : R"(
  v_accvgpr_write_b32 a0, 0
  v_accvgpr_write_b32 a1, 0
  v_accvgpr_write_b32 a2, 1.0
  v_accvgpr_write_b32 a3, v1
)") +
         R"(
  v_accvgpr_write_b32 a4, v2
  v_accvgpr_write_b32 a5, 0
  v_accvgpr_write_b32 a6, 0
  v_accvgpr_write_b32 a7, v5
again:
  s_load_dword s22, s[14:15], s18
  v_add_u32 v9, v9, v0
  s_waitcnt lgkmcnt(0)
  v_add_u32 v8, s22, v4
  ds_write_b32 v4, v9
  ds_read_b32 v10, v8
  s_waitcnt lgkmcnt(0)
  v_cvt_f32_u32 v10, v10
  v_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[0:3]
  v_mfma_f32_4x4x1f32 a[4:7], v10, v2, a[4:7]
  s_bitcmp1_b32 s21, 0
  s_cbranch_scc0 next
  v_accvgpr_read_b32 v11, a1
  v_cmp_gt_u32 vcc, 20, v0
  v_add_f32 v11, 1.0, v11
  s_nop 8
  s_and_saveexec_b64 s[24:25], vcc
  v_accvgpr_write_b32 a1, v11
  v_accvgpr_read_b32 v12, a4
  s_nop 1
  v_accvgpr_write_b32 a5, v12
  s_or_b64 exec, exec, s[24:25]
  s_barrier
next:
  s_add_u32 s18, s18, 4
  s_add_u32 s21, s21, 1
  s_cmp_lt_u32 s21, s16
  s_cbranch_scc1 again
  v_mov_b32 v14, 0
  .irp n, 0, 1, 2, 3, 4, 5, 6, 7
  v_accvgpr_read_b32 v13, a\n
  s_nop 1
  v_xor_b32 v14, v14, v13
  v_mul_lo_u32 v14, v14, 3
  .endr
  v_xor_b32 v14, v14, v9
  address 6, 10, v3
  global_store_dword v[6:7], v14, off
  s_endpgm
)";
}

class Matrices : public testing::TestWithParam<std::tuple<bool, uint32_t>> {};

TEST_P(Matrices, StayWithTheWave) {
  const auto [loaded, leaves] = GetParam();
  const uint32_t groups = 12, rounds = 7;
  const Kernel kernel(isa::Target::gfx908, in_rounds(loaded));
  const auto run = [&](bool compiled) {
    machine::Memory memory;
    Buffer<float> data(memory, groups * 64);
    Buffer<uint32_t> out(memory, groups * 64), distances(memory, groups * rounds);
    for (uint32_t i = 0; i < groups * 64; ++i)
      data[i] = float(i % 37) - 11, out[i] = 0;
    for (uint32_t i = 0; i < distances.size(); ++i)
      distances[i] = leaves && i % leaves == 0 ? 0x8000 : 0;
    const Shape shape{{groups * 64, 1, 1}, {64, 1, 1}};
    const std::vector<uint64_t> arguments{data.address(), out.address(), distances.address(), rounds};
    // Preempted at each loop, too.
    const engine::Options options{.threads = 1, .preempt_after = leaves ? 1u : 1u << 20};
    const engine::Outcome outcome =
        compiled ? kernel.run(shape, arguments, options, 512) : kernel.interpret(shape, arguments, {.threads = 1}, 512);
    EXPECT_NO_FAULT(outcome);
    std::vector<uint32_t> all(out.begin(), out.end());
    all.push_back(uint32_t(outcome.stats.instructions));
    return all;
  };
  EXPECT_EQ(run(true), run(false));
}

INSTANTIATE_TEST_SUITE_P(Jit, Matrices, testing::Combine(testing::Bool(), testing::Values(0u, 1u, 3u, 7u, 10u)),
                         [](const auto& i) {
                           return std::string(std::get<0>(i.param) ? "loaded" : "constant") +
                                  std::to_string(std::get<1>(i.param));
                         });

// ---- Chains: operations of every shape onto several sums, with what may lie between them, drawn by a seed.

using isa::Matrix;
using isa::MatrixItem;

struct Named {
  const char* name;
  Matrix shape;
};
const Named all_shapes[] = {
#define MATRIX(mnemonic, ...) {#mnemonic, isa::matrix(isa::Op::mnemonic)},
#include "isa/rows/matrix.inc"
#undef MATRIX
};

// Operands are v[16:31]: eight of two registers. Sums are from a0 on: two of 32 registers each, which also are what
// smaller shapes have, each at its own places. v0 is the lane, v[2:3] where it reads and writes memory, v4 its place in
// LDS.
class Chain {
public:
  Chain(const Named& of, isa::Target target, uint32_t seed) : of_(of), target_(target), random_(seed) {}

  std::string text() {
    std::string out = R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dword s16, s[0:1], 0x10
  v_lshlrev_b32 v4, 2, v0
  s_lshl_b32 s17, s2, 15
  v_mov_b32 v3, s17
  v_add_u32 v5, v3, v4
  s_mov_b32 s21, 0
  s_waitcnt lgkmcnt(0)
  address 2, 8, v5
)";
    for (int r = 16; r < 32; ++r)
      out += line("global_load_dword v%d, v[2:3], off offset:%d", r, (r - 16) * 256);
    out += "  address 2, 10, v5\n  s_waitcnt vmcnt(0)\n";
    for (int r = 0; r < 64; ++r)
      out += line("v_accvgpr_write_b32 a%d, %s", r, r % 5 ? ("v" + std::to_string(16 + r % 16)).c_str() : "0");
    if (pick(3) == 0) // another mode for all that comes
      out += line("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), %d", pick(256));
    out += "again:\n";
    for (int n = 0; n < 24; ++n)
      out += step();
    out += "  s_add_u32 s21, s21, 1\n  s_cmp_lt_u32 s21, s16\n  s_cbranch_scc1 again\n";
    for (int r = 0; r < 64; ++r) {
      out += line("v_accvgpr_read_b32 v6, a%d\n  s_nop 1\n  global_store_dword v[2:3], v6, off", r);
      out += "  add_u32 v2, 0x200, v2\n  addc_u32 v3, 0, v3\n";
    }
    return out + "  s_endpgm\n";
  }

private:
  template <class... T> static std::string line(const char* format, T... values) {
    char text[160];
    std::snprintf(text, sizeof text, format, values...);
    return std::string("  ") + text + '\n';
  }
  int pick(int n) { return int(random_() % uint32_t(n)); }

  std::string operand(int first) const {
    const int dwords = of_.shape.dwords();
    return dwords == 1 ? "v" + std::to_string(first)
                       : "v[" + std::to_string(first) + ":" + std::to_string(first + dwords - 1) + "]";
  }
  std::string sums(int first) const {
    const int count = of_.shape.results() * (of_.shape.item == MatrixItem::f64 ? 2 : 1);
    return "a[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
  }
  std::string multiply() {
    const int count = of_.shape.results() * (of_.shape.item == MatrixItem::f64 ? 2 : 1), places = 64 / count;
    const int to = pick(std::min(places, 3)) * count, from = pick(8) ? to : pick(std::min(places, 3)) * count;
    std::string c = sums(from);
    if (pick(10) == 0 && target_ != isa::Target::gfx908)
      c = pick(2) || of_.shape.item == MatrixItem::i8 ? "0" : "1.0";
    std::string modifiers;
    if (pick(10) == 0 && of_.shape.item != MatrixItem::f64)
      modifiers = pick(2) || of_.shape.blocks == 1 ? " blgp:" + std::to_string(1 + pick(7)) : " cbsz:1 abid:1";
    return "  " + std::string(of_.name) + " " + sums(to) + ", " + operand(16 + 2 * pick(8)) + ", " +
           operand(16 + 2 * pick(8)) + ", " + c + modifiers + "\n";
  }
  std::string step() {
    const int r = 16 + pick(16), q = 16 + pick(16), a = pick(64);
    switch (pick(16)) {
    case 0: return line("v_add_u32 v%d, v%d, v0", r, q);
    case 1: return line("v_mov_b32 v%d, v0", r);
    case 2: return line("v_mov_b32 v%d, 1.0", r);
    case 3: return line("ds_write_b32 v4, v%d", r);
    case 4: return line("ds_read_b32 v%d, v4\n  s_waitcnt lgkmcnt(0)", r);
    case 5: return line("v_accvgpr_read_b32 v%d, a%d\n  s_nop 1", r, a);
    case 6: return line("v_accvgpr_write_b32 a%d, v%d", a, r);
    case 7: // some lanes
      return "  v_cmp_gt_u32 vcc, 20, v0\n  s_and_saveexec_b64 s[24:25], vcc\n" + line("v_mov_b32 v%d, v%d", r, q) +
             multiply() + line("v_accvgpr_write_b32 a%d, v%d", a, q) + "  s_or_b64 exec, exec, s[24:25]\n";
    case 8: return "  s_barrier\n";
    case 9: return line("global_store_dword v[2:3], v%d, off", r);
    default: return multiply();
    }
  }

  const Named& of_;
  isa::Target target_;
  std::mt19937 random_;
};

// Words of items that are mostly small, and now and then anything.
uint32_t some_word(MatrixItem item, std::mt19937& random) {
  const uint32_t any = random();
  if (any % 16 == 0)
    return random();
  const auto narrow = [&](uint32_t word) { return item == MatrixItem::bf16 ? word >> 16 : word; };
  switch (item) {
  case MatrixItem::f16: return (any & 0x8fff8fff) | 0x30003000;
  case MatrixItem::bf16:
    return narrow(0x3f000000 | (any & 0x80ff0000)) << 16 | narrow(0x3f000000 | (any << 16 & 0x80ff0000));
  case MatrixItem::f64: return any % 2 ? 0x3ff00000 | (any & 0x800fffff) : any;
  default: return 0x3f000000 | (any & 0x80ffffff);
  }
}

class Chains : public testing::TestWithParam<std::tuple<size_t, isa::Target>> {};

TEST_P(Chains, AddUpAsTheInterpreterDoes) {
  const auto [number, target] = GetParam();
  const Named& of = all_shapes[number];
  for (const uint32_t seed : {1u, 2u}) {
    SCOPED_TRACE(seed);
    const uint32_t groups = 3, rounds = 3, words = groups * 128 * 64;
    const Kernel kernel(target, Chain(of, target, seed + 100 * uint32_t(number)).text(),
                        "  .amdhsa_next_free_vgpr 128\n  .amdhsa_next_free_sgpr 96\n" +
                            std::string(target == isa::Target::gfx90a ? "  .amdhsa_accum_offset 64\n" : ""));
    const auto run = [&](bool compiled) {
      machine::Memory memory;
      Buffer<uint32_t> in(memory, words), out(memory, words);
      std::mt19937 random(seed);
      for (uint32_t& word : in)
        word = some_word(of.shape.item, random);
      std::fill(out.begin(), out.end(), 0);
      const Shape shape{{groups * 128, 1, 1}, {128, 1, 1}};
      const std::vector<uint64_t> arguments{in.address(), out.address(), rounds};
      const engine::Options options{.threads = 1, .preempt_after = seed % 2 ? 1u : 1u << 20};
      const engine::Outcome outcome =
          compiled ? kernel.run(shape, arguments, options, 512) : kernel.interpret(shape, arguments, options, 512);
      EXPECT_NO_FAULT(outcome);
      std::vector<uint32_t> all(out.begin(), out.end());
      all.push_back(uint32_t(outcome.stats.instructions));
      return all;
    };
    const std::vector<uint32_t> compiled = run(true), interpreted = run(false);
    const auto [x, y] = std::ranges::mismatch(compiled, interpreted);
    EXPECT_TRUE(x == compiled.end()) << "word " << x - compiled.begin() << ": " << *x << ", interpreted " << *y;
  }
}

const auto name_of_chain = [](const auto& i) {
  return std::string(all_shapes[std::get<0>(i.param)].name) + "_" + std::string(isa::info(std::get<1>(i.param)).name);
};
std::vector<size_t> shapes_of(isa::Target target) {
  std::vector<size_t> out;
  for (size_t n = 0; n < std::size(all_shapes); ++n)
    if (const std::string_view name = all_shapes[n].name;
        target == isa::Target::gfx90a || (!name.ends_with("_1k") && !name.ends_with("f64")))
      out.push_back(n);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Gfx908, Chains,
                         testing::Combine(testing::ValuesIn(shapes_of(isa::Target::gfx908)),
                                          testing::Values(isa::Target::gfx908)),
                         name_of_chain);
INSTANTIATE_TEST_SUITE_P(Gfx90a, Chains,
                         testing::Combine(testing::ValuesIn(shapes_of(isa::Target::gfx90a)),
                                          testing::Values(isa::Target::gfx90a)),
                         name_of_chain);

} // namespace
} // namespace crosslane::test
