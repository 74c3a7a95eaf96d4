// MUBUF and MTBUF: the private segment's resource, raw, structured and swizzled buffers with their range checks,
// formats. The models follow the manuals' formulas byte by byte (long because each kind of resource has its own).
#include "tests/engine/memory_fixture.h"
#include <bit>
#include <cmath>
#include <xmmintrin.h>

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {

constexpr int address = 2, data = 8, srd = 4; // v2, v8, s[4:7]

struct Srd {
  uint64_t base = 0;
  uint32_t stride = 0, records = 0, index_stride = 0, element = 0; // the last two as encoded
  bool swizzle = false, add_tid = false;
  uint32_t format = 0; // bits 0..18 of word 3
  void put(TestWave& w) const {
    w.s(srd) = uint32_t(base);
    w.s(srd + 1) = uint32_t(base >> 32 & 0xffff) | stride << 16 | uint32_t(swizzle) << 31;
    w.s(srd + 2) = records;
    w.s(srd + 3) = format | element << 19 | index_stride << 21 | uint32_t(add_tid) << 23;
  }
};

Srd private_segment(TestWave& w) { return {reinterpret_cast<uint64_t>(w->scratch), 0, ~0u, 3, 1, true, true, 0}; }

} // namespace

TEST(MemoryBuffer, PrivateSegmentLoads) {
  struct Case {
    Target target;
    std::string text;
    bool offen;
    uint32_t imm, soffset;
  };
  const Case cases[] = {
      {Target::gfx803, "off, s[4:7], 0 offset:8", false, 8, 0},
      {Target::gfx803, "off, s[4:7], s20 offset:12", false, 12, 512},
      {Target::gfx900, "v2, s[4:7], s20 offen offset:4", true, 4, 1024},
      {Target::gfx803, "v2, s[4:7], 0 offen", true, 0, 0},
  };
  for (const Case& c : cases)
    for (const LoadKind& kind : load_kinds()) {
      if (kind.gfx9_only && c.target == Target::gfx803)
        continue;
      const auto inst =
          assemble(c.target, "buffer_" + kind.suffix + " " + vregs(data, (kind.bytes + 3) / 4) + ", " + c.text);
      for (const Pattern& pattern : patterns(1, test_scratch_bytes - 48))
        for (const uint64_t exec : exec_masks())
          for (const auto* level : host_levels()) {
            TestWave w;
            private_segment(w).put(w);
            w.set_exec(exec);
            w.s(20) = c.soffset;
            for (int l = 0; l < 64; ++l)
              w.v(address, l) = pattern.offsets[l];
            auto expected = w.registers();
            for (int l = 0; l < 64; ++l) {
              uint8_t item[16];
              for (int b = 0; b < kind.bytes; ++b)
                item[b] = w.scratch((c.offen ? w.v(address, l) : 0) + c.imm + c.soffset / 64 + b, l);
              for (int k = 0; w.active(l) && k < (kind.bytes + 3) / 4; ++k) {
                uint32_t& r = expected[(data + k) * 64 + l];
                r = loaded(kind, item, k, r);
              }
            }
            ASSERT_TRUE(w.run(*level, inst));
            ASSERT_EQ(w.fault().kind, machine::FaultKind::none);
            ASSERT_EQ(w.registers(), expected) << kind.suffix << " " << c.text << ", " << pattern.name << " "
                                               << std::hex << exec << " " << level->level;
          }
    }
}

TEST(MemoryBuffer, PrivateSegmentStores) {
  for (const bool offen : {false, true})
    for (const StoreKind& kind : store_kinds()) {
      const auto inst =
          assemble(Target::gfx900, "buffer_" + kind.suffix + " " + vregs(data, (kind.bytes + 3) / 4) +
                                       (offen ? ", v2, s[4:7], s20 offen offset:4" : ", off, s[4:7], s20 offset:5"));
      for (const Pattern& pattern : patterns(1, test_scratch_bytes - 48))
        for (const uint64_t exec : exec_masks())
          for (const auto* level : host_levels()) {
            TestWave w;
            private_segment(w).put(w);
            w.set_exec(exec);
            w.s(20) = 256;
            std::vector<uint8_t> expected, got;
            for (int l = 0; l < 64; ++l) {
              w.v(address, l) = pattern.offsets[l];
              std::vector<uint8_t> lane;
              for (uint32_t o = 0; o < test_scratch_bytes; ++o)
                lane.push_back(w.scratch(o, l));
              for (int b = 0; w.active(l) && b < kind.bytes; ++b)
                lane[(offen ? pattern.offsets[l] + 4 : 5) + 4 + b] =
                    uint8_t(w.v(data + b / 4, l) >> (b % 4 * 8 + (kind.high ? 16 : 0)));
              expected.insert(expected.end(), lane.begin(), lane.end());
            }
            ASSERT_TRUE(w.run(*level, inst));
            for (int l = 0; l < 64; ++l)
              for (uint32_t o = 0; o < test_scratch_bytes; ++o)
                got.push_back(w.scratch(o, l));
            ASSERT_EQ(got, expected) << kind.suffix << offen << ", " << pattern.name << " " << std::hex << exec << " "
                                     << level->level;
          }
    }
}

TEST(MemoryBuffer, PrivateSegmentFaultsPastItsEnd) {
  for (const auto* level : host_levels()) {
    TestWave w;
    private_segment(w).put(w);
    w.s(20) = test_scratch_bytes * 64 - 256;
    w.set_exec(uint64_t(1) << 33);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "buffer_load_dword v8, off, s[4:7], s20")));
    EXPECT_EQ(w.fault().kind, machine::FaultKind::none);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "buffer_store_dwordx2 v[8:9], off, s[4:7], s20")));
    EXPECT_EQ(w.fault().kind, machine::FaultKind::scratch_out_of_range);
    EXPECT_EQ(w.fault().lane, 33);
    EXPECT_EQ(w.fault().address, machine::apertures().private_base + test_scratch_bytes - 4);
    TestWave x; // a stack that overflowed long ago
    private_segment(x).put(x);
    x.s(20) = test_scratch_bytes * 64 * 5;
    ASSERT_TRUE(x.run(*level, assemble(Target::gfx900, "buffer_store_dword v8, off, s[4:7], s20")));
    EXPECT_EQ(x.fault().kind, machine::FaultKind::scratch_out_of_range);
  }
}

// A raw buffer that ends in the middle of what lanes ask for; the guard page starts where it ends.
TEST(MemoryBuffer, RawRangeChecksPerDword) {
  const Guarded memory(4096);
  for (const Target target : {Target::gfx803, Target::gfx900})
    for (const LoadKind& kind : load_kinds()) {
      if (kind.gfx9_only && target == Target::gfx803)
        continue;
      const auto inst = assemble(target, "buffer_" + kind.suffix + " " + vregs(data, (kind.bytes + 3) / 4) +
                                             ", v2, s[4:7], s20 offen offset:16");
      for (const uint32_t visible : {0u, 15u, 70u, 301u, 4000u, 4096u})
        for (const Pattern& pattern : patterns(uint32_t(kind.bytes), 4096 + 512))
          for (const uint64_t exec : {~uint64_t(0), uint64_t(0x0ff0f00f8001c3a5)})
            for (const auto* level : host_levels()) {
              TestWave w;
              const uint32_t soffset = 8, imm = 16;
              // gfx8 counts soffset against the records, gfx9 does not.
              Srd s{reinterpret_cast<uint64_t>(memory.end() - visible) - imm - soffset, 0,
                    visible + imm + (target == Target::gfx803 ? soffset : 0)};
              s.put(w);
              w.s(20) = soffset;
              w.set_exec(exec);
              for (int l = 0; l < 64; ++l)
                w.v(address, l) = pattern.offsets[l];
              auto expected = w.registers();
              for (int l = 0; l < 64; ++l)
                for (int k = 0; w.active(l) && k < (kind.bytes + 3) / 4; ++k) {
                  uint8_t item[16] = {};
                  const uint32_t piece = kind.bytes < 4 ? kind.bytes : 4, at = pattern.offsets[l] + 4 * k;
                  if (at + piece <= visible)
                    std::memcpy(item + 4 * k, memory.end() - visible + at, piece);
                  uint32_t& r = expected[(data + k) * 64 + l];
                  r = loaded(kind, item, k, r);
                }
              ASSERT_TRUE(w.run(*level, inst));
              ASSERT_EQ(w.registers(), expected) << kind.suffix << " visible " << visible << ", " << pattern.name << " "
                                                 << std::hex << exec << " " << level->level << int(target);
            }
    }
}

TEST(MemoryBuffer, RawStoresOutsideAreDropped) {
  for (const auto* level : host_levels()) {
    const Guarded memory(4096), pristine(4096);
    TestWave w;
    Srd{reinterpret_cast<uint64_t>(memory.end() - 100), 0, 100}.put(w);
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = uint32_t(l * 8);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "buffer_store_dwordx2 v[8:9], v2, s[4:7], 0 offen")));
    for (int i = 0; i < 4096; ++i) {
      const int o = i - (4096 - 100);
      const uint8_t want = o < 0 ? pristine.begin()[i] : uint8_t(w.v(data + o / 4 % 2, o / 8) >> o % 4 * 8);
      ASSERT_EQ(memory.begin()[i], want) << o;
    }
    // Negative offsets are huge offsets.
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = uint32_t(-8 * (l + 1));
    const std::vector<uint8_t> before(memory.begin(), memory.end());
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "buffer_store_dword v8, v2, s[4:7], 0 offen offset:64")));
    EXPECT_EQ(std::vector<uint8_t>(memory.begin(), memory.end()), before);
  }
}

// Every combination of swizzle, lane number, index and offset, byte by byte after the manual.
TEST(MemoryBuffer, StructuredAndSwizzled) {
  const Guarded memory(1 << 16);
  for (const bool swizzle : {false, true})
    for (const bool add_tid : {false, true})
      for (const bool idxen : {false, true})
        for (const bool offen : {false, true})
          for (const uint32_t element : {0u, 1u, 3u})
            for (const Target target : {Target::gfx803, Target::gfx900}) {
              if (!swizzle && !add_tid && !idxen)
                continue; // raw
              if (target == Target::gfx900 && element != 1)
                continue;
              std::string text = "buffer_load_dword v8, ";
              text += idxen && offen ? "v[2:3]" : idxen || offen ? "v2" : "off";
              text += ", s[4:7], s20";
              text += std::string(idxen ? " idxen" : "") + (offen ? " offen" : "") + " offset:4";
              const auto inst = assemble(target, text);
              for (const auto* level : host_levels()) {
                TestWave w;
                const uint32_t stride = 32, index_stride = 1, soffset = 64;
                Srd s{reinterpret_cast<uint64_t>(memory.begin()), stride, 50, index_stride, element, swizzle, add_tid};
                if (!(idxen && (target == Target::gfx900 || swizzle)))
                  s.records = 1500; // bytes
                s.put(w);
                w.s(20) = soffset;
                auto want = w.registers();
                for (int l = 0; l < 64; ++l) {
                  w.v(address, l) = idxen ? uint32_t(l * 7 % 61) : uint32_t(l % 6 * 4);
                  if (idxen && offen)
                    w.v(address + 1, l) = uint32_t(l % 9 * 4);
                }
                want = w.registers();
                for (int l = 0; l < 64; ++l) {
                  const uint64_t index = (idxen ? w.v(address, l) : 0) + (add_tid ? l : 0);
                  const uint64_t offset = (offen ? w.v(address + idxen, l) : 0) + 4;
                  const uint64_t es = target == Target::gfx900 ? 4 : 2u << element, is = 8u << index_stride;
                  const auto at = [&](uint64_t o) {
                    return swizzle ? ((index / is) * stride + o / es * es) * is + index % is * es + o % es
                                   : index * stride + o;
                  };
                  bool outside = false;
                  if (add_tid && !idxen)
                    outside = false;
                  else if (target == Target::gfx900)
                    outside = idxen ? index >= s.records : offset + 4 > s.records;
                  else if (!swizzle)
                    outside = at(offset) + 4 + soffset > s.records;
                  else
                    outside = index >= s.records || offset >= stride;
                  uint32_t value = 0;
                  for (int b = 0; !outside && b < 4; ++b)
                    value |= uint32_t(memory.begin()[soffset + at(offset + b)]) << 8 * b;
                  want[data * 64 + l] = value;
                }
                ASSERT_TRUE(w.run(*level, inst));
                ASSERT_EQ(w.registers(), want) << text << " swizzle " << swizzle << " tid " << add_tid << " element "
                                               << element << " " << int(target) << level->level;
              }
            }
}

TEST(MemoryBuffer, Atomics) {
  for (const auto* level : host_levels()) {
    alignas(8) uint32_t cells[16] = {};
    TestWave w;
    Srd{reinterpret_cast<uint64_t>(cells), 0, 60}.put(w); // the last cell is outside
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = uint32_t(l % 16 * 4);
    auto want = w.registers();
    uint32_t model[16] = {};
    for (int l = 0; l < 64; ++l) {
      uint32_t& cell = model[l % 16];
      const uint32_t add = w.v(data, l);
      want[data * 64 + l] = l % 16 == 15 ? 0 : cell;
      if (l % 16 != 15)
        cell += add;
    }
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "buffer_atomic_add v8, v2, s[4:7], 0 offen glc")));
    EXPECT_EQ(w.registers(), want);
    for (int c = 0; c < 16; ++c)
      EXPECT_EQ(cells[c], model[c]) << c;
  }
}

TEST(MemoryBuffer, LoadToLds) {
  const Guarded memory(4096);
  for (const auto* level : host_levels()) {
    TestWave w;
    Srd{reinterpret_cast<uint64_t>(memory.begin()), 0, 4096}.put(w);
    w.s(124) = test_lds_bytes - 128; // lanes from 30 on have no LDS: 8 bytes of offset, too
    std::vector<uint8_t> want(w.lds(), w.lds() + test_lds_bytes);
    for (int l = 0; l < 64; ++l) {
      w.v(address, l) = uint32_t(l * 3);
      const uint32_t value = uint32_t(int32_t(int8_t(memory.begin()[l * 3 + 8])));
      if (l < 30)
        std::memcpy(&want[test_lds_bytes - 128 + 8 + 4 * l], &value, 4);
    }
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "buffer_load_sbyte v2, s[4:7], 0 offen offset:8 lds")));
    EXPECT_EQ(std::vector<uint8_t>(w.lds(), w.lds() + test_lds_bytes), want);
  }
}

TEST(MemoryBuffer, StoreFromLds) {
  for (const auto* level : host_levels()) {
    uint8_t memory[512] = {}, want[512] = {};
    TestWave w;
    w.set_exec(0x0ff0f00f8001c3a5);
    Srd{reinterpret_cast<uint64_t>(memory), 4, 60, 0, 0, false, true}.put(w); // lane number as the index
    w.s(124) = 100;
    for (int l = 0; l < 64; ++l)
      if (w.active(l))
        std::memcpy(want + 4 * l + 8, w.lds() + 100 + 8 + 4 * l, 4);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "buffer_store_lds_dword s[4:7], 0 offset:8 lds")));
    EXPECT_EQ(std::memcmp(memory, want, 512), 0);
  }
}

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

TEST(MemoryBuffer, FormatsLoad) {
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

TEST(MemoryBuffer, FormatsStore) {
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

TEST(MemoryBuffer, FormatOfTheResource) {
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

TEST(MemoryBuffer, D16Formats) {
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
TEST(MemoryBuffer, RareFormats) {
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
TEST(MemoryBuffer, FormatsDoNotDependOnTheMode) {
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

// The register behind the data gets the status, 0: all memory is resident.
TEST(MemoryBuffer, TexelFailEnable) {
  const struct {
    Target target;
    const char* text;
    int status;
  } cases[] = {
      {Target::gfx900, "buffer_load_dword v[8:9], off, s[4:7], 0 tfe", 9},
      {Target::gfx803, "buffer_load_dwordx4 v[8:12], off, s[4:7], 0 tfe", 12},
      {Target::gfx900, "buffer_load_ubyte v[8:9], v2, s[4:7], 0 offen tfe", 9},
      {Target::gfx900, "buffer_load_format_xy v[8:10], off, s[4:7], 0 tfe", 10},
      {Target::gfx900, "buffer_load_format_d16_xyz v[8:10], off, s[4:7], 0 tfe", 10},
      {Target::gfx803, "buffer_load_format_d16_xyz v[8:11], off, s[4:7], 0 tfe", 11},
      {Target::gfx701, "buffer_load_dwordx3 v[8:11], v[2:3], s[4:7], 0 addr64 tfe", 11},
  };
  const Guarded memory(4096);
  for (const auto& c : cases)
    for (const auto* level : host_levels()) {
      TestWave w;
      Srd s{c.target == Target::gfx701 ? 0 : reinterpret_cast<uint64_t>(memory.begin()), 0, 4096};
      s.format = 4u | 5u << 3 | 6u << 6 | 7u << 9 | 10u << 15;
      s.put(w);
      w.set_exec(0xf0f0);
      for (int l = 0; l < 64; ++l)
        w.set_address(address, l, c.target == Target::gfx701 ? reinterpret_cast<uint64_t>(memory.begin()) : 0);
      const auto before = w.registers();
      ASSERT_TRUE(w.run(*level, assemble(c.target, c.text))) << c.text;
      EXPECT_EQ(w.fault().kind, machine::FaultKind::none);
      for (int l = 0; l < 64; ++l) {
        EXPECT_EQ(w.v(c.status, l), w.active(l) ? 0 : before[c.status * 64 + l]) << c.text << l;
        if (w.active(l))
          EXPECT_NE(w.v(c.status - 1, l), before[(c.status - 1) * 64 + l]) << c.text << l;
        EXPECT_EQ(w.v(c.status + 1, l), before[(c.status + 1) * 64 + l]) << c.text;
      }
    }
}

TEST(MemoryBuffer, FormattedLoadToLds) {
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

// ADDR64 of gfx6 and gfx7: base + VGPR pair + offset + soffset, without a range check.
TEST(MemoryBuffer, Address64) {
  const Guarded memory(4096);
  for (const Target target : {Target::gfx600, Target::gfx701})
    for (const LoadKind& kind : load_kinds()) {
      if (kind.gfx9_only || (kind.bytes == 12 && target == Target::gfx600))
        continue;
      const auto inst = assemble(target, "buffer_" + kind.suffix + " " + vregs(data, (kind.bytes + 3) / 4) +
                                             ", v[2:3], s[4:7], s20 addr64 offset:8");
      for (const Pattern& pattern : patterns(uint32_t(kind.bytes), 4096 - 40))
        for (const uint64_t exec : {~uint64_t(0), uint64_t(0x0ff0f00f8001c3a5)})
          for (const auto* level : host_levels()) {
            TestWave w;
            w.set_exec(exec);
            const uint64_t part = 0x123456789000;
            Srd{part, 0, 0}.put(w);
            w.s(20) = 32;
            for (int l = 0; l < 64; ++l)
              w.set_address(address, l, reinterpret_cast<uint64_t>(memory.begin()) - part + pattern.offsets[l]);
            auto want = w.registers();
            for (int l = 0; l < 64; ++l)
              for (int k = 0; w.active(l) && k < (kind.bytes + 3) / 4; ++k)
                want[(data + k) * 64 + l] =
                    loaded(kind, memory.begin() + pattern.offsets[l] + 40, k, want[(data + k) * 64 + l]);
            ASSERT_TRUE(w.run(*level, inst));
            ASSERT_EQ(w.registers(), want) << kind.suffix << pattern.name << level->level;
          }
    }
  for (const auto* level : host_levels()) {
    alignas(8) uint32_t cells[64] = {};
    TestWave w;
    Srd{0, 0, 0}.put(w);
    for (int l = 0; l < 64; ++l)
      w.set_address(address, l, reinterpret_cast<uint64_t>(cells) + 4 * l);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx701, "buffer_store_dword v8, v[2:3], s[4:7], 0 addr64")));
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx701, "buffer_atomic_add v9, v[2:3], s[4:7], 0 addr64")));
    for (int l = 0; l < 64; ++l)
      EXPECT_EQ(cells[l], w.v(8, l) + w.v(9, l));
    const auto kept = w.registers();
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx701, "tbuffer_load_format_xy v[16:17], v[2:3], s[4:7], 0 "
                                                       "format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_UINT] addr64")));
    for (int l = 0; l < 64; ++l)
      EXPECT_EQ(w.v(16, l) | w.v(17, l) << 16, cells[l]);
  }
}

// gfx6 and gfx7 count records where the resource has a stride, bytes where it has none (CLRX GcnMemHandling, Mesa).
TEST(MemoryBuffer, RangesOfGfx6AndGfx7) {
  const Guarded memory(4096);
  const struct {
    const char* text;
    uint32_t stride, records, v, v1;
    bool inside;
  } cases[] = {
      {"v2, s[4:7], 0 offen", 0, 16, 12, 0, true},          {"v2, s[4:7], 0 offen", 0, 16, 13, 0, false},
      {"v2, s[4:7], s20 offen", 0, 16, 12, 0, false},       {"v2, s[4:7], 0 idxen", 8, 3, 2, 0, true},
      {"v2, s[4:7], 0 idxen", 8, 3, 3, 0, false},           {"v[2:3], s[4:7], 0 idxen offen", 8, 3, 2, 7, true},
      {"v[2:3], s[4:7], 0 idxen offen", 8, 3, 1, 8, false}, {"v2, s[4:7], 0 offen", 8, 1, 100, 0, true},
      {"v2, s[4:7], 0 offen", 8, 0, 0, 0, false},
  };
  for (const auto& c : cases)
    for (const Target target : {Target::gfx600, Target::gfx701})
      for (const auto* level : host_levels()) {
        TestWave w;
        Srd{reinterpret_cast<uint64_t>(memory.begin()), c.stride, c.records}.put(w);
        w.s(20) = 4;
        const bool idxen = std::string(c.text).find("idxen") != std::string::npos;
        for (int l = 0; l < 64; ++l)
          w.v(2, l) = c.v, w.v(3, l) = c.v1;
        ASSERT_TRUE(w.run(*level, assemble(target, std::string("buffer_load_dword v8, ") + c.text)));
        uint32_t want = 0;
        if (c.inside)
          std::memcpy(&want, memory.begin() + (idxen ? c.v * c.stride + c.v1 * (c.text[1] == '[') : c.v), 4);
        for (int l = 0; l < 64; ++l)
          ASSERT_EQ(w.v(8, l), want) << c.text << c.stride << " " << c.v;
      }
}

// The float atomics and the reverse subtraction that only gfx6 and gfx7 have.
TEST(MemoryBuffer, AtomicsOfGfx6AndGfx7) {
  const auto run = [](const engine::Backend& level, Target target, const char* text, float cell, float a, float b) {
    TestWave w;
    w.set_exec(1);
    alignas(8) float memory[2] = {cell, 0};
    Srd{reinterpret_cast<uint64_t>(memory), 0, 8}.put(w);
    w.set_address(address, 0, reinterpret_cast<uint64_t>(memory));
    w.v(8, 0) = bits(a), w.v(9, 0) = bits(b);
    for (int i = 12; i < 16; ++i)
      w.s(i) = 0;
    EXPECT_TRUE(w.run(level, assemble(target, text))) << text;
    EXPECT_EQ(w.v(8, 0), bits(std::string(text).find("glc") != std::string::npos ? cell : a)) << text;
    return memory[0];
  };
  for (const auto* level : host_levels()) {
    EXPECT_EQ(run(*level, Target::gfx600, "buffer_atomic_fmin v8, off, s[4:7], 0 glc", 2, -3, 0), -3);
    EXPECT_EQ(run(*level, Target::gfx701, "buffer_atomic_fmax v8, off, s[4:7], 0", 2, -3, 0), 2);
    EXPECT_EQ(run(*level, Target::gfx701, "buffer_atomic_fcmpswap v[8:9], off, s[4:7], 0 glc", 2, 7, 2), 7);
    EXPECT_EQ(run(*level, Target::gfx701, "buffer_atomic_fcmpswap v[8:9], off, s[4:7], 0 glc", -0.0f, 7, 0.0f), 7);
    EXPECT_EQ(run(*level, Target::gfx701, "flat_atomic_fmax v8, v[2:3], v8 glc", 2, 9, 0), 9);
    EXPECT_EQ(run(*level, Target::gfx701, "buffer_atomic_fmin v8, v[2:3], s[12:15], 0 addr64 glc", 2, 1, 0), 1);
    // LLVM lacks buffer_atomic_rsub: CLRX has it as MUBUF opcode 0x34 of GCN 1.0.
    uint32_t cell = 5;
    TestWave w;
    w.set_exec(1);
    Srd{reinterpret_cast<uint64_t>(&cell), 0, 4}.put(w);
    w.v(8, 0) = 12;
    const uint32_t words[2] = {0xe0000000 | 0x34 << 18 | 1 << 14, 8 << 8 | 1 << 16 | 0x80u << 24};
    isa::Instruction inst;
    ASSERT_EQ(isa::decode(Target::gfx600, {reinterpret_cast<const uint8_t*>(words), 8}, inst), 8);
    ASSERT_TRUE(w.run(*level, inst));
    EXPECT_EQ(cell, 7u);
    EXPECT_EQ(w.v(8, 0), 5u);
  }
}

TEST(MemoryBuffer, UnknownFormatsFaultByName) {
  for (const auto* level : host_levels()) {
    uint8_t texel[16] = {};
    TestWave w;
    Srd{reinterpret_cast<uint64_t>(texel), 0, 16}.put(w);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "tbuffer_store_format_x v8, off, s[4:7], 0 format:" +
                                                           std::to_string(4 | 0 << 4))));
    EXPECT_EQ(w.fault().kind, machine::FaultKind::unimplemented); // 32 bits, normalized
  }
}
