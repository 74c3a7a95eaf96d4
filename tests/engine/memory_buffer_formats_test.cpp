// Formats of buffers: each texel against the manuals' formulas.
#include "tests/engine/buffer_fixture.h"
#include <cmath>
#include <xmmintrin.h>

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {

// One lane loads or stores one texel: dfmt and nfmt as encoded.
std::vector<uint32_t> load_texel(const engine::Backend& level, int dfmt, int nfmt, std::vector<uint8_t> texel,
                                 int components) {
  static const char* names[] = {"x", "xy", "xyz", "xyzw"};
  texel.resize(16);
  TestWave w;
  w.set_exec(1);
  Srd{reinterpret_cast<uint64_t>(texel.data()), 0, 16}.put(w);
  const auto inst = assemble(Target::gfx900, std::string("tbuffer_load_format_") + names[components - 1] + " " +
                                                 vregs(data, components) +
                                                 ", off, s[4:7], 0 format:" + std::to_string(dfmt | nfmt << 4));
  EXPECT_TRUE(w.run(level, inst));
  EXPECT_EQ(w.fault().kind, machine::FaultKind::none) << dfmt << " " << nfmt;
  std::vector<uint32_t> result;
  for (int c = 0; c < components; ++c)
    result.push_back(w.v(data + c, 0));
  return result;
}
std::vector<uint8_t> store_texel(const engine::Backend& level, int dfmt, int nfmt, std::vector<uint32_t> values) {
  static const char* names[] = {"x", "xy", "xyz", "xyzw"};
  std::vector<uint8_t> texel(16);
  TestWave w;
  w.set_exec(1);
  Srd{reinterpret_cast<uint64_t>(texel.data()), 0, 16}.put(w);
  for (size_t c = 0; c < values.size(); ++c)
    w.v(data + int(c), 0) = values[c];
  const auto inst = assemble(Target::gfx900, std::string("tbuffer_store_format_") + names[values.size() - 1] + " " +
                                                 vregs(data, int(values.size())) +
                                                 ", off, s[4:7], 0 format:" + std::to_string(dfmt | nfmt << 4));
  EXPECT_TRUE(w.run(level, inst));
  EXPECT_EQ(w.fault().kind, machine::FaultKind::none) << dfmt << " " << nfmt;
  return texel;
}
uint32_t bits(float f) {
  uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}
using Words = std::vector<uint32_t>;
using Bytes = std::vector<uint8_t>;
Bytes padded(Bytes b) {
  b.resize(16);
  return b;
}

} // namespace

TEST(BufferFormats, FormatsLoad) {
  for (const auto* level : host_levels()) {
    const auto f = [&](int dfmt, int nfmt, Bytes texel, int n) { return load_texel(*level, dfmt, nfmt, texel, n); };
    EXPECT_EQ(f(1, 0, {255}, 1), (Words{bits(1.0f)}));
    EXPECT_EQ(f(10, 0, {0, 255, 51, 102}, 4), (Words{0, bits(1.0f), bits(0.2f), bits(0.4f)}));
    EXPECT_EQ(f(10, 1, {0x80, 0x81, 0x7f, 0}, 4), (Words{bits(-1.0f), bits(-1.0f), bits(1.0f), 0}));
    EXPECT_EQ(f(3, 2, {200, 3}, 2), (Words{bits(200), bits(3)}));
    EXPECT_EQ(f(3, 3, {200, 3}, 2), (Words{bits(-56), bits(3)}));
    EXPECT_EQ(f(3, 4, {200, 3}, 3), (Words{200, 3, 0}));
    EXPECT_EQ(f(5, 5, {0xff, 0xff, 0x34, 0x12}, 2), (Words{~0u, 0x1234}));
    EXPECT_EQ(f(12, 7, {0, 0x3c, 0, 0xc0, 1, 0, 0, 0x7c}, 4),
              (Words{bits(1), bits(-2), bits(std::ldexp(1.0f, -24)), bits(INFINITY)}));
    EXPECT_EQ(f(14, 4, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}, 4), (Words{1, 2, 3, 4}));
    EXPECT_EQ(f(11, 7, {0, 0, 128, 63, 0, 0, 0, 64}, 2), (Words{bits(1), bits(2)}));
    // 2_10_10_10, x in the low bits: x = 0x3ff, y = 1, z = 0x200, w = 3
    const uint32_t packed = 0x3ff | 1 << 10 | 0x200 << 20 | 3u << 30;
    const Bytes p = {uint8_t(packed), uint8_t(packed >> 8), uint8_t(packed >> 16), uint8_t(packed >> 24)};
    EXPECT_EQ(f(9, 4, p, 4), (Words{0x3ff, 1, 0x200, 3}));
    EXPECT_EQ(f(9, 5, p, 4), (Words{~0u, 1, uint32_t(-512), ~0u}));
    EXPECT_EQ(f(9, 0, p, 4), (Words{bits(1), bits(1 / 1023.0f), bits(512 / 1023.0f), bits(1)}));
    // 10_11_11 float: x = 1.0 (exponent 15 of 5, 6 mantissa bits), y = 2.0, z = 0.5 (5 mantissa bits)
    const uint32_t small = 15u << 6 | (16u << 6) << 11 | (14u << 5) << 22;
    const Bytes s = {uint8_t(small), uint8_t(small >> 8), uint8_t(small >> 16), uint8_t(small >> 24)};
    EXPECT_EQ(f(6, 7, s, 3), (Words{bits(1), bits(2), bits(0.5f)}));
  }
}

TEST(BufferFormats, FormatsStore) {
  for (const auto* level : host_levels()) {
    const auto f = [&](int dfmt, int nfmt, Words values) { return store_texel(*level, dfmt, nfmt, values); };
    EXPECT_EQ(f(10, 0, {bits(0), bits(1), bits(0.2f), bits(7)}), padded({0, 255, 51, 255}));
    EXPECT_EQ(f(10, 1, {bits(-1), bits(1), bits(-9), bits(NAN)}), padded({0x81, 0x7f, 0x81, 0}));
    EXPECT_EQ(f(1, 4, {300}), padded({255}));
    EXPECT_EQ(f(1, 5, {uint32_t(-300)}), padded({0x80}));
    EXPECT_EQ(f(5, 7, {bits(1), bits(-2)}), padded({0, 0x3c, 0, 0xc0}));
    EXPECT_EQ(f(13, 4, {1, 2, 3}), padded({1, 0, 0, 0, 2, 0, 0, 0, 3}));
    const uint32_t packed = 0x3ff | 1 << 10 | 0x200 << 20 | 3u << 30;
    EXPECT_EQ(f(9, 4, {0x3ff, 1, 0x200, 3}),
              padded({uint8_t(packed), uint8_t(packed >> 8), uint8_t(packed >> 16), uint8_t(packed >> 24)}));
  }
}

TEST(BufferFormats, FormatOfTheResource) {
  for (const auto* level : host_levels()) {
    uint8_t texels[64 * 4];
    for (int i = 0; i < 256; ++i)
      texels[i] = uint8_t(i);
    TestWave w;
    // 8_8_8_8 uint, selectors: w, 0, 1, x; records of 4 bytes, 60 of them
    Srd s{reinterpret_cast<uint64_t>(texels), 4, 60};
    s.format = 7u | 0u << 3 | 1u << 6 | 4u << 9 | 4u << 12 | 10u << 15;
    s.put(w);
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = uint32_t(l);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "buffer_load_format_xyzw v[8:11], v2, s[4:7], 0 idxen")));
    for (int l = 0; l < 64; ++l) {
      const bool inside = l < 60;
      EXPECT_EQ(w.v(8, l), inside ? uint32_t(l * 4 + 3) : 0);
      EXPECT_EQ(w.v(9, l), 0u);
      EXPECT_EQ(w.v(10, l), 1u);
      EXPECT_EQ(w.v(11, l), inside ? uint32_t(l * 4) : 0);
    }
  }
}

TEST(BufferFormats, D16Formats) {
  for (const auto* level : host_levels()) {
    Bytes texel = {0, 51, 102, 255};
    for (const Target target : {Target::gfx900, Target::gfx803}) {
      TestWave w;
      w.set_exec(1);
      Srd s{reinterpret_cast<uint64_t>(texel.data()), 0, 4};
      s.format = 4u | 5u << 3 | 6u << 6 | 7u << 9 | 0u << 12 | 10u << 15;
      s.put(w);
      if (target == Target::gfx900) {
        ASSERT_TRUE(w.run(*level, assemble(target, "buffer_load_format_d16_xyzw v[8:9], off, s[4:7], 0")));
        EXPECT_EQ(w.v(8, 0), 0x32660000u);
        EXPECT_EQ(w.v(9, 0), 0x3c003666u);
      } else { // a register each
        ASSERT_TRUE(w.run(*level, assemble(target, "buffer_load_format_d16_xyzw v[8:11], off, s[4:7], 0")));
        for (int c = 0; c < 4; ++c)
          EXPECT_EQ(w.v(8 + c, 0), (Words{0, 0x3266, 0x3666, 0x3c00})[size_t(c)]) << c;
        for (int c = 0; c < 4; ++c)
          w.v(8 + c, 0) = 0xabcd0000 | (Words{0x3c00, 0, 0x3c00, 0x3266})[size_t(c)];
        ASSERT_TRUE(w.run(*level, assemble(target, "buffer_store_format_d16_xyzw v[8:11], off, s[4:7], 0")));
        EXPECT_EQ(texel, (Bytes{255, 0, 255, 51}));
      }
    }
  }
}

// SNORM_OGL covers MIN to MAX (CLRX): 2i + 1 of 255. 11- and 10-bit floats: EXT_packed_float; largest 65024 and 64512.
TEST(BufferFormats, RareFormats) {
  for (const auto* level : host_levels()) {
    EXPECT_EQ(load_texel(*level, 10, 6, {0x80, 0x7f, 0, 0xff}, 4),
              (Words{bits(-1), bits(1), bits(1 / 255.0f), bits(-1 / 255.0f)}));
    EXPECT_EQ(store_texel(*level, 10, 6, {bits(-1), bits(1), bits(1 / 255.0f), bits(5)}),
              padded({0x80, 0x7f, 0, 0x7f}));
    const struct {
      float f;
      uint32_t eleven, ten;
    } floats[] = {{1.0f, 0x3c0, 0x1e0},
                  {-1.0f, 0, 0},
                  {65024.0f, 0x7bf, 0x3df},
                  {70000.0f, 0x7bf, 0x3df},
                  {64512.0f, 0x7be, 0x3df},
                  {INFINITY, 0x7c0, 0x3e0},
                  {0.0f, 0, 0},
                  {0x1p-20f, 1, 0},
                  {0x1p-19f, 2, 1},
                  {1.0078125f, 0x3c0, 0x1e0},
                  {1.0234375f, 0x3c2, 0x1e1},
                  {1.99f, 0x3ff, 0x200},
                  {0x1p-14f, 0x40, 0x20},
                  {-INFINITY, 0, 0}};
    for (const auto& x : floats) {
      const Bytes b = store_texel(*level, 6, 7, {bits(x.f), 0, bits(x.f)}); // 11, 11, 10 bits from the lowest
      const uint32_t word = b[0] | b[1] << 8 | b[2] << 16 | uint32_t(b[3]) << 24;
      EXPECT_EQ(word & 0x7ff, x.eleven) << x.f;
      EXPECT_EQ(word >> 22, x.ten) << x.f;
    }
    const Bytes nan = store_texel(*level, 7, 7, {0, bits(NAN)}); // 10, 11, 11
    EXPECT_GT((nan[1] >> 2 | nan[2] << 6) & 0x7ffu, 0x7c0u);
  }
}

// A store rounds to nearest even in whatever mode the wave is, and does not disturb it.
TEST(BufferFormats, FormatsDoNotDependOnTheMode) {
  const unsigned csr = _mm_getcsr();
  for (const auto* level : host_levels())
    for (const unsigned mode : {0x3f80u, 0x5f80u, 0xffc0u}) {
      _mm_setcsr(mode);
      const Bytes stored = store_texel(*level, 10, 0, {bits(0.5f), bits(0.502f), bits(1.4f / 255), bits(1.6f / 255)});
      const Words loaded = load_texel(*level, 1, 0, {85}, 1);
      const unsigned after = _mm_getcsr();
      _mm_setcsr(csr);
      EXPECT_EQ(after & 0xffc0, mode & 0xffc0);
      EXPECT_EQ(stored, padded({128, 128, 1, 2})) << level->level;
      EXPECT_EQ(loaded, (Words{bits(1 / 3.0f)}));
    }
}

TEST(BufferFormats, FormattedLoadToLds) {
  for (const auto* level : host_levels()) {
    const uint8_t texels[8] = {0, 255, 51, 9, 9, 9, 9, 9};
    TestWave w;
    w.set_exec(15);
    Srd s{reinterpret_cast<uint64_t>(texels), 1, 3};
    s.format = 4u | 1u << 15; // 8, unorm
    s.put(w);
    w.s(124) = 96;
    for (int l = 0; l < 4; ++l)
      w.v(address, l) = uint32_t(l);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "buffer_load_format_x v2, s[4:7], 0 idxen lds")));
    const float want[4] = {0, 1, 0.2f, 0}; // the last one is out of range
    EXPECT_EQ(std::memcmp(w.lds() + 96, want, 16), 0);
  }
}

TEST(BufferFormats, UnknownFormatsFaultByName) {
  for (const auto* level : host_levels()) {
    uint8_t texel[16] = {};
    TestWave w;
    Srd{reinterpret_cast<uint64_t>(texel), 0, 16}.put(w);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "tbuffer_store_format_x v8, off, s[4:7], 0 format:" +
                                                           std::to_string(4 | 0 << 4))));
    EXPECT_EQ(w.fault().kind, machine::FaultKind::unimplemented); // 32 bits, normalized
  }
}
