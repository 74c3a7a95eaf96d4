// v_mfma_* against matrix products written out element by element: where each element lies as AMD's calculator says it,
// sums in the order that MMA-Sim found on the cards.
#include "tests/engine/memory_fixture.h"
#include <algorithm>
#include <bit>
#include <cmath>

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {

enum class Kind { f32, f16, bf16, i8, f64 };
struct Shape {
  const char* name;
  Kind kind;
  int m, n, k, blocks;
  int in;      // dwords of a source
  bool gfx90a; // alone
};
const Shape shapes[] = {
    {"f32_32x32x1f32", Kind::f32, 32, 32, 1, 2, 1, false},
    {"f32_16x16x1f32", Kind::f32, 16, 16, 1, 4, 1, false},
    {"f32_4x4x1f32", Kind::f32, 4, 4, 1, 16, 1, false},
    {"f32_32x32x2f32", Kind::f32, 32, 32, 2, 1, 1, false},
    {"f32_16x16x4f32", Kind::f32, 16, 16, 4, 1, 1, false},
    {"f32_32x32x4f16", Kind::f16, 32, 32, 4, 2, 2, false},
    {"f32_16x16x4f16", Kind::f16, 16, 16, 4, 4, 2, false},
    {"f32_4x4x4f16", Kind::f16, 4, 4, 4, 16, 2, false},
    {"f32_32x32x8f16", Kind::f16, 32, 32, 8, 1, 2, false},
    {"f32_16x16x16f16", Kind::f16, 16, 16, 16, 1, 2, false},
    {"i32_32x32x4i8", Kind::i8, 32, 32, 4, 2, 1, false},
    {"i32_16x16x4i8", Kind::i8, 16, 16, 4, 4, 1, false},
    {"i32_4x4x4i8", Kind::i8, 4, 4, 4, 16, 1, false},
    {"i32_32x32x8i8", Kind::i8, 32, 32, 8, 1, 1, false},
    {"i32_16x16x16i8", Kind::i8, 16, 16, 16, 1, 1, false},
    {"f32_32x32x2bf16", Kind::bf16, 32, 32, 2, 2, 1, false},
    {"f32_16x16x2bf16", Kind::bf16, 16, 16, 2, 4, 1, false},
    {"f32_4x4x2bf16", Kind::bf16, 4, 4, 2, 16, 1, false},
    {"f32_32x32x4bf16", Kind::bf16, 32, 32, 4, 1, 1, false},
    {"f32_16x16x8bf16", Kind::bf16, 16, 16, 8, 1, 1, false},
    {"f32_32x32x4bf16_1k", Kind::bf16, 32, 32, 4, 2, 2, true},
    {"f32_16x16x4bf16_1k", Kind::bf16, 16, 16, 4, 4, 2, true},
    {"f32_4x4x4bf16_1k", Kind::bf16, 4, 4, 4, 16, 2, true},
    {"f32_32x32x8bf16_1k", Kind::bf16, 32, 32, 8, 1, 2, true},
    {"f32_16x16x16bf16_1k", Kind::bf16, 16, 16, 16, 1, 2, true},
    {"f64_16x16x4f64", Kind::f64, 16, 16, 4, 1, 2, true},
    {"f64_4x4x4f64", Kind::f64, 4, 4, 4, 4, 2, true},
};

constexpr int a_reg = 0, b_reg = 2, old_reg = 64, new_reg = 128; // VGPRs, or the AccVGPRs of these numbers

struct Modifiers {
  int cbsz = 0, abid = 0, blgp = 0;
};

// A register file of 64 lanes and what is asked of it.
using Registers = std::vector<std::vector<uint32_t>>;
struct Product {
  const Shape& s;
  Target target;
  Modifiers x;
  Registers r; // before; a_reg, b_reg, old_reg

  uint64_t source(int reg, int outer, int block, int k, int size, int blgp) const {
    const int in_lane = s.k / (64 / (size * s.blocks)); // items of k that one lane holds
    int lane = block * size + k / in_lane * size * s.blocks + outer;
    if (blgp == 1 && lane >= 32)
      lane -= 32;
    if (blgp == 2 && lane < 32)
      lane += 32;
    if (blgp == 3)
      lane = (lane + 16) % 64;
    if (blgp >= 4)
      lane = (blgp - 4) * 16 + lane % 16;
    const int item = k % in_lane, bits = s.kind == Kind::f64   ? 64
                                         : s.kind == Kind::f32 ? 32
                                         : s.kind == Kind::i8  ? 8
                                                               : 16;
    if (bits == 64)
      return r[size_t(reg)][size_t(lane)] | uint64_t(r[size_t(reg) + 1][size_t(lane)]) << 32;
    const uint32_t word = r[size_t(reg + item * bits / 32)][size_t(lane)];
    return bits == 32 ? word : word >> (item * bits % 32) & ((1u << bits) - 1);
  }
  uint64_t a(int block, int i, int k) const {
    return source(a_reg, i, (block >> x.cbsz << x.cbsz) + x.abid, k, s.m, 0);
  }
  uint64_t b(int block, int k, int j) const { return source(b_reg, j, block, k, s.n, x.blgp); }
  bool flushes() const { return target == Target::gfx90a && (s.kind == Kind::f16 || s.kind == Kind::bf16); }
  float narrow(uint64_t bits) const {
    const auto h = uint16_t(bits);
    const float v = s.kind == Kind::f16 ? float(std::bit_cast<_Float16>(h)) : std::bit_cast<float>(uint32_t(h) << 16);
    return flushes() && std::fabs(v) < (s.kind == Kind::f16 ? 0x1p-14f : 0x1p-126f) ? 0.0f : v;
  }
  float kept(float v) const { return flushes() && std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v; }
  float dot(int block, int i, int j, int k, int count) const {
    if (count == 1) {
      volatile float product = narrow(a(block, i, k)) * narrow(b(block, k, j));
      return kept(product + 0.0f);
    }
    volatile float sum = dot(block, i, j, k, count / 2) + dot(block, i, j, k + count / 2, count / 2);
    return kept(sum);
  }
  uint64_t element(int block, int i, int j, uint64_t old) const {
    if (s.kind == Kind::f64) {
      double sum = std::bit_cast<double>(old);
      for (int k = 0; k < s.k; ++k)
        sum = std::fma(std::bit_cast<double>(a(block, i, k)), std::bit_cast<double>(b(block, k, j)), sum);
      return std::bit_cast<uint64_t>(sum);
    }
    if (s.kind == Kind::i8) {
      int64_t sum = int32_t(old);
      for (int k = 0; k < s.k; ++k)
        sum += int8_t(a(block, i, k)) * int8_t(b(block, k, j));
      return uint32_t(sum);
    }
    auto sum = std::bit_cast<float>(uint32_t(old));
    if (s.kind == Kind::f32) {
      for (int k = 0; k < s.k; ++k)
        sum = std::fma(std::bit_cast<float>(uint32_t(a(block, i, k))), std::bit_cast<float>(uint32_t(b(block, k, j))),
                       sum);
      return std::bit_cast<uint32_t>(sum);
    }
    if (flushes() && std::fabs(sum) < 0x1p-126f)
      sum = 0.0f;
    const int group = s.kind == Kind::bf16 && s.in == 1 ? 2 : 4;
    for (int k = 0; k < s.k; k += group) {
      volatile float next = sum + dot(block, i, j, k, group);
      sum = kept(next);
    }
    return std::bit_cast<uint32_t>(sum);
  }
};

// Register and lane of an element of the sums.
std::pair<int, int> home(const Shape& s, int block, int i, int j) {
  if (s.kind == Kind::f64)
    return s.n == 16 ? std::pair(2 * (i / 4), i % 4 * 16 + j) : std::pair(0, i * 16 + block * 4 + j);
  if (s.n == 32)
    return {block * 16 + i / 8 * 4 + i % 4, i / 4 % 2 * 32 + j};
  if (s.n == 16)
    return {block * 4 + i % 4, i / 4 * 16 + j};
  return {i, block * 4 + j};
}

// A number of the kind: small and whole, or anything at all.
uint64_t number(Kind kind, bool whole, std::mt19937_64& noise) {
  const uint64_t r = noise();
  const int small = int(r % 17) - 8;
  switch (kind) {
  case Kind::f32:
    return std::bit_cast<uint32_t>(whole ? float(small) : std::ldexp(float(int32_t(r)), int(r >> 32 & 31) - 46));
  case Kind::f64:
    return std::bit_cast<uint64_t>(whole ? double(small) : std::ldexp(double(int64_t(r)), int(noise() & 31) - 78));
  case Kind::i8: return r & 0xff;
  case Kind::f16:
    if (whole)
      return std::bit_cast<uint16_t>(_Float16(small));
    return r >> 32 & 3 ? (r & 0x83ff) | (r >> 20 & 15) << 10 | 0x2000 : r & 0x83ff;
  case Kind::bf16:
    if (whole)
      return std::bit_cast<uint32_t>(float(small)) >> 16;
    return r >> 32 & 3   ? (r & 0x807f) | (0x78 + (r >> 20 & 15)) << 7
           : r >> 34 & 1 ? r & 0x807f
                         : (r & 0x807f) | (0x30 + (r >> 20 & 31)) << 7;
  }
  return 0;
}

void fill(Product& run, bool whole, unsigned seed) {
  std::mt19937_64 noise(seed);
  const Kind kind = run.s.kind;
  const int bits = kind == Kind::f64 ? 64 : kind == Kind::f32 ? 32 : kind == Kind::i8 ? 8 : 16;
  run.r.assign(256, std::vector<uint32_t>(64));
  for (int lane = 0; lane < 64; ++lane) {
    for (const int reg : {a_reg, b_reg})
      for (int at = 0; at < run.s.in * 32; at += bits) {
        const uint64_t v = number(kind, whole, noise);
        run.r[size_t(reg + at / 32)][size_t(lane)] |= uint32_t(v) << at % 32;
        if (bits == 64)
          run.r[size_t(reg) + 1][size_t(lane)] = uint32_t(v >> 32);
      }
    for (int reg = old_reg; reg < old_reg + 32; reg += kind == Kind::f64 ? 2 : 1) {
      const Kind sums = kind == Kind::f64 ? Kind::f64 : kind == Kind::i8 && !whole ? Kind::i8 : Kind::f32;
      uint64_t v = kind == Kind::i8 ? noise() >> (whole ? 48 : 32) : number(sums, whole, noise);
      if (!whole && kind == Kind::bf16 && noise() % 4 == 0)
        v &= 0x807fffff;
      run.r[size_t(reg)][size_t(lane)] = uint32_t(v);
      if (kind == Kind::f64)
        run.r[size_t(reg) + 1][size_t(lane)] = uint32_t(v >> 32);
    }
  }
}

std::string registers(char kind, int first, int dwords) {
  return dwords == 1 ? kind + std::to_string(first)
                     : kind + ("[" + std::to_string(first) + ":" + std::to_string(first + dwords - 1) + "]");
}

// `sums` names the kind of register that C and D are; `constant` replaces C.
void check(Product& run, char sums, char source, const std::string& constant, uint64_t constant_bits) {
  const Shape& s = run.s;
  const bool wide = s.kind == Kind::f64;
  const int out = s.m * s.n * s.blocks / 64 * (wide ? 2 : 1);
  std::string text = std::string("v_mfma_") + s.name + " " + registers(sums, new_reg, out) + ", " +
                     registers('v', a_reg, s.in) + ", " + registers(source, b_reg, s.in) + ", " +
                     (constant.empty() ? registers(sums, old_reg, out) : constant);
  auto inst = assemble(run.target, text); // the modifiers after that: llvm-mc once per operation
  inst.cbsz = uint8_t(run.x.cbsz), inst.abid = uint8_t(run.x.abid), inst.blgp = uint8_t(run.x.blgp);
  text += " cbsz:" + std::to_string(run.x.cbsz) + " abid:" + std::to_string(run.x.abid) +
          " blgp:" + std::to_string(run.x.blgp);
  // The register file before and after: nothing but the result changes, and every dword of that is some element's.
  const auto number = [](char kind, int n) { return size_t(n + (kind == 'a' ? 256 : 0)) * 64; };
  std::vector<uint32_t> before(512 * 64, 0x5a5a5a5a);
  const auto put = [&](char kind, int n) {
    std::copy(run.r[size_t(n)].begin(), run.r[size_t(n)].end(), before.begin() + long(number(kind, n)));
  };
  for (int n = 0; n < 2; ++n)
    put('v', a_reg + n), put(source, b_reg + n);
  for (int n = old_reg; n < old_reg + 32; ++n)
    put(sums, n);
  std::vector<uint32_t> after = before;
  std::vector<bool> written(size_t(out) * 64);
  for (int block = 0; block < s.blocks; ++block)
    for (int i = 0; i < s.m; ++i)
      for (int j = 0; j < s.n; ++j) {
        const auto [n, lane] = home(s, block, i, j);
        uint64_t old = run.r[size_t(old_reg + n)][size_t(lane)];
        if (wide)
          old |= uint64_t(run.r[size_t(old_reg + n + 1)][size_t(lane)]) << 32;
        const uint64_t value = run.element(block, i, j, constant.empty() ? old : constant_bits);
        for (int d = 0; d < (wide ? 2 : 1); ++d) {
          after[number(sums, new_reg + n + d) + size_t(lane)] = uint32_t(value >> 32 * d);
          ASSERT_FALSE(written[size_t((n + d) * 64 + lane)]);
          written[size_t((n + d) * 64 + lane)] = true;
        }
      }
  ASSERT_EQ(std::count(written.begin(), written.end(), false), 0) << text;
  for (const auto* level : host_levels()) {
    TestWave w;
    w.set_exec(0x123456789abcdef0);
    std::copy(before.begin(), before.end(), w->vgpr(0));
    ASSERT_TRUE(w.run(*level, inst)) << text;
    for (size_t at = 0; at < after.size(); ++at)
      if (w->vgpr(0)[at] != after[at]) {
        FAIL() << text << " " << level->level << ": register " << at / 64 << ", lane " << at % 64 << " is " << std::hex
               << w->vgpr(0)[at] << ", not " << after[at];
      }
  }
}

} // namespace

TEST(Matrix, WholeNumbersAndRoundedOnes) {
  for (const Shape& s : shapes)
    for (const Target target : {Target::gfx908, Target::gfx90a}) {
      if (s.gfx90a && target != Target::gfx90a)
        continue;
      for (unsigned seed = 0; seed < 4; ++seed) {
        Product run{s, target, {}, {}};
        fill(run, seed == 0, seed + 1);
        ASSERT_NO_FATAL_FAILURE(check(run, 'a', 'v', "", 0));
        if (target == Target::gfx90a)
          ASSERT_NO_FATAL_FAILURE(check(run, 'v', 'a', "", 0));
      }
    }
}

TEST(Matrix, Modifiers) {
  for (const Shape& s : shapes) {
    if (s.kind == Kind::f64)
      continue; // it has none
    const Target target = s.gfx90a ? Target::gfx90a : Target::gfx908;
    std::vector<Modifiers> all;
    for (int cbsz = 1; 1 << cbsz <= std::min(s.blocks, 16); ++cbsz)
      for (int abid = 0; abid < 1 << cbsz; ++abid)
        all.push_back({cbsz, abid, 0});
    for (int blgp = 1; blgp < 8; ++blgp)
      all.push_back({0, 0, blgp});
    if (s.blocks > 1)
      all.push_back({1, 1, 5});
    for (const Modifiers& x : all) {
      Product run{s, target, x, {}};
      fill(run, true, 9);
      ASSERT_NO_FATAL_FAILURE(check(run, 'a', 'v', "", 0));
    }
  }
}

// gfx908 takes none: LLVM's FeatureMFMAInlineLiteralBug.
TEST(Matrix, ConstantSums) {
  for (const Shape& s : shapes) {
    Product run{s, Target::gfx90a, {}, {}};
    fill(run, true, 5);
    const uint64_t minus = s.kind == Kind::f64 ? std::bit_cast<uint64_t>(-2.0) : std::bit_cast<uint32_t>(-2.0f);
    ASSERT_NO_FATAL_FAILURE(check(run, 'a', 'v', "0", 0));
    if (s.kind == Kind::i8)
      ASSERT_NO_FATAL_FAILURE(check(run, 'a', 'v', "-7", uint32_t(-7)));
    else
      ASSERT_NO_FATAL_FAILURE(check(run, 'a', 'v', "-2.0", minus));
  }
}

// Denormals of 16 bits, and sums that are denormal: kept on gfx908, 0 on gfx90a. f32 keeps them on both, whatever MODE
// says.
TEST(Matrix, Denormals) {
  for (const Target target : {Target::gfx908, Target::gfx90a}) {
    const bool keeps = target == Target::gfx908;
    for (const auto* level : host_levels()) {
      TestWave w;
      w->mode = 0;
      for (int l = 0; l < 64; ++l) {
        w.v(0, l) = 0x00000001, w.v(1, l) = 0, w.v(2, l) = 0x00003c00, w.v(3, l) = 0; // 2^-24 and 1 as f16
        w.v(4, l) = std::bit_cast<uint32_t>(0x1p-140f), w.v(5, l) = std::bit_cast<uint32_t>(1.0f);
        w.v(6, l) = w.v(7, l) = 0;
        for (uint32_t n = 0; n < 4; ++n)
          w->vgpr(256 + n)[l] = w->vgpr(260 + n)[l] = 3, w->vgpr(264 + n)[l] = 0;
      }
      ASSERT_TRUE(w.run(*level, assemble(target, "v_mfma_f32_4x4x4f16 a[0:3], v[0:1], v[2:3], a[8:11]")));
      EXPECT_EQ(w->vgpr(256)[7], keeps ? std::bit_cast<uint32_t>(0x1p-24f) : 0u);
      ASSERT_TRUE(w.run(*level, assemble(target, "v_mfma_f32_4x4x4f16 a[12:15], v[6:7], v[6:7], a[4:7]")));
      EXPECT_EQ(w->vgpr(268)[7], keeps ? 3u : 0u);
      ASSERT_TRUE(w.run(*level, assemble(target, "v_mfma_f32_4x4x1f32 a[4:7], v4, v5, a[4:7]")));
      EXPECT_EQ(w->vgpr(260)[7], std::bit_cast<uint32_t>(0x1p-140f + 0x3p-149f));
    }
  }
}
