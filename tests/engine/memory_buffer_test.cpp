// MUBUF and MTBUF: the private segment's resource, raw, structured and swizzled buffers with their range checks. The
// models follow the manuals' formulas byte by byte.
#include "tests/engine/buffer_fixture.h"
#include <bit>

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {

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
    w.v(8, 0) = std::bit_cast<uint32_t>(a), w.v(9, 0) = std::bit_cast<uint32_t>(b);
    for (int i = 12; i < 16; ++i)
      w.s(i) = 0;
    EXPECT_TRUE(w.run(level, assemble(target, text))) << text;
    EXPECT_EQ(w.v(8, 0), std::bit_cast<uint32_t>(std::string(text).find("glc") != std::string::npos ? cell : a))
        << text;
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
