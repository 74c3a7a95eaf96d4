// MIMG without samplers on linear images. Texels are looked up by an index of the test's own.
#include "engine/memory/lane_address.h"
#include "tests/engine/image_fixture.h"
#include <cmath>

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

// All kinds of images, all DMASKs: x, y, z or slice from consecutive registers, 0 where they are outside.
TEST(MemoryImage, LoadsOfEveryKind) {
  const struct {
    const char* name;
    uint32_t type;
    int coordinates;
    bool da;
  } kinds[] = {{"1D", 8, 1, false},   {"2D", 9, 2, false},       {"3D", 10, 3, false},
               {"cube", 11, 3, true}, {"1D array", 12, 2, true}, {"2D array", 13, 3, true}};
  const uint32_t width = 20, height = 6, depth = 7, pitch = 64, first = 1, last = 6;
  const Texels texels(pitch * height * 8 * 4);
  for (const auto& kind : kinds)
    for (const Target target : {Target::gfx600, Target::gfx701, Target::gfx803, Target::gfx900})
      for (const int dmask : {1, 2, 5, 9, 14, 15}) {
        const int n = std::popcount(unsigned(dmask));
        const auto inst = assemble(target, image("load", n, kind.coordinates,
                                                 "dmask:" + std::to_string(dmask) + " unorm" + (kind.da ? " da" : "")));
        for (const auto* level : host_levels()) {
          TestWave w;
          std::mt19937 noise(unsigned(dmask) + kind.type);
          w.set_exec(0xffffffff0ff0f00f);
          const bool array = kind.da, flat = kind.type == 8 || kind.type == 12;
          Tsharp{.base = texels.at(),
                 .type = kind.type,
                 .width = width,
                 .height = flat ? 1 : height,
                 .depth = depth,
                 .pitch = pitch,
                 .first = array ? first : 0,
                 .last = array ? last : 0}
              .put(w, target);
          auto want = w.registers();
          for (int l = 0; l < 64; ++l) {
            const uint32_t x = noise() % (width + 4), y = noise() % (height + 1), z = noise() % (depth + 1);
            w.v(address, l) = l == 3 ? ~0u : x;
            w.v(address + 1, l) = kind.type == 12 ? z : y;
            w.v(address + 2, l) = z;
            for (int c = 0; c < 3; ++c)
              want[size_t(address + c) * 64 + size_t(l)] = w.v(address + c, l);
            bool inside = w.v(address, l) < width;
            uint32_t texel = x;
            if (!flat)
              inside = inside && y < height, texel += y * pitch;
            if (kind.type == 10)
              inside = inside && z < depth, texel += z * pitch * height;
            if (array)
              inside = inside && z + first <= last, texel += (z + first) * pitch * (flat ? 1 : height);
            for (int c = 0, r = 0; c < 4; ++c)
              if (dmask >> c & 1) {
                if (w.active(l))
                  want[size_t(data + r) * 64 + size_t(l)] = inside ? texels.data[texel * 4 + uint32_t(c)] : 0;
                ++r;
              }
          }
          ASSERT_TRUE(w.run(*level, inst));
          ASSERT_EQ(w.fault().kind, machine::FaultKind::none) << w.fault().detail;
          ASSERT_EQ(w.registers(), want) << kind.name << " " << isa::info(target).name << " dmask " << dmask
                                         << level->level;
        }
      }
}

// "When DA is zero, the hardware supplies an index value of zero"; a slice for an image that is no array is ignored.
TEST(MemoryImage, TheSliceIsTheInstructions) {
  const Texels texels(64 * 4 * 4);
  for (const auto* level : host_levels()) {
    TestWave w;
    Tsharp array{.base = texels.at(), .type = 13, .width = 4, .height = 1, .pitch = 64, .first = 1, .last = 3};
    array.put(w, Target::gfx900);
    for (int l = 0; l < 64; ++l)
      w.v(2, l) = 2, w.v(3, l) = 0, w.v(4, l) = 1;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, image("load", 1, 2, "dmask:1 unorm"))));
    EXPECT_EQ(w.v(8, 0), texels.data[(64 + 2) * 4]);
    array.type = 9;
    array.put(w, Target::gfx900);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, image("load", 1, 3, "dmask:1 unorm da"))));
    EXPECT_EQ(w.v(8, 0), texels.data[(64 + 2) * 4]);
    // The level comes after the slice.
    array.type = 13;
    array.put(w, Target::gfx900);
    for (int l = 0; l < 64; ++l)
      w.v(5, l) = l % 2;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, image("load_mip", 1, 4, "dmask:1 unorm da"))));
    EXPECT_EQ(w.v(8, 0), texels.data[(2 * 64 + 2) * 4]);
    EXPECT_EQ(w.v(8, 1), 0u); // there is no second level
  }
}

TEST(MemoryImage, SelectorsAndFormats) {
  for (const auto* level : host_levels()) {
    Texels texels(256);
    const auto load = [&](uint32_t dfmt, uint32_t nfmt, std::vector<uint8_t> bytes,
                          uint32_t select = 4 | 5 << 3 | 6 << 6 | 7 << 9, uint32_t x = 0) {
      std::copy(bytes.begin(), bytes.end(), texels.data);
      TestWave w;
      w.set_exec(1);
      Tsharp{.base = texels.at(), .dfmt = dfmt, .nfmt = nfmt, .pitch = 64, .select = select}.put(w, Target::gfx900);
      w.v(2, 0) = x, w.v(3, 0) = 0;
      EXPECT_TRUE(w.run(*level, assemble(Target::gfx900, image("load", 4, 2, "dmask:15 unorm"))));
      EXPECT_EQ(w.fault().detail, "");
      return std::vector<uint32_t>{w.v(8, 0), w.v(9, 0), w.v(10, 0), w.v(11, 0)};
    };
    using V = std::vector<uint32_t>;
    EXPECT_EQ(load(10, 0, {255, 0, 51, 102}), (V{bits(1), 0, bits(0.2f), bits(0.4f)}));
    EXPECT_EQ(load(10, 0, {255, 0, 51, 102}, 6 | 0 << 3 | 1 << 6 | 4 << 9), (V{bits(0.2f), 0, bits(1), bits(1)}));
    EXPECT_EQ(load(10, 4, {7, 8, 9, 10}, 1 | 7 << 3 | 0 << 6 | 4 << 9, 1), (V{1, 0, 0, 0})); // outside: only SEL_1 is 1
    EXPECT_EQ(load(4, 7, {0, 0, 128, 63}, 4 | 0 << 3 | 0 << 6 | 1 << 9), (V{bits(1), 0, 0, bits(1)}));
    EXPECT_EQ(load(16, 0, {0x1f, 0xf8}), (V{bits(1), 0, bits(1), 0})); // 5_6_5
    EXPECT_EQ(load(17, 4, {0x41, 0x8c}), (V{1, 2, 3, 1}));             // 1_5_5_5: 5, 5, 5, 1 from the lowest bit
    EXPECT_EQ(load(18, 4, {0x43, 0x18}), (V{1, 1, 1, 3}));             // 5_5_5_1: 1, 5, 5, 5
    EXPECT_EQ(load(19, 4, {0x21, 0x43}), (V{1, 2, 3, 4}));
    EXPECT_EQ(load(12, 7, {0, 0x3c, 0, 0x40, 0, 0xbc, 0, 0}), (V{bits(1), bits(2), bits(-1), 0}));
    EXPECT_EQ(load(14, 4, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}), (V{1, 2, 3, 4}));
    // 5_9_9_9 (EXT_texture_shared_exponent): mantissa * 2^(exponent - 15 - 9); exponent 16, mantissas 256, 1, 511
    const uint32_t shared = 256 | 1 << 9 | 511 << 18 | 16u << 27;
    EXPECT_EQ(load(34, 7, {uint8_t(shared), uint8_t(shared >> 8), uint8_t(shared >> 16), uint8_t(shared >> 24)}),
              (V{bits(1), bits(1 / 256.0f), bits(511 / 256.0f), 0}));
    // sRGB: 188 is about one half of the light, alpha is linear.
    const V srgb = load(10, 9, {0, 255, 188, 51});
    EXPECT_EQ(srgb[0], 0u);
    EXPECT_EQ(as_float(srgb[1]), 1.0f);
    EXPECT_NEAR(as_float(srgb[2]), 0.5029, 1e-4);
    EXPECT_EQ(as_float(srgb[3]), 0.2f);
    EXPECT_EQ(load(0, 0, {1, 2, 3, 4}), (V{0, 0, 0, 0})); // unbound
  }
}

// A store writes whole texels: components without data are 0; outside it writes nothing.
TEST(MemoryImage, Stores) {
  for (const Target target : {Target::gfx701, Target::gfx803, Target::gfx900})
    for (const auto* level : host_levels())
      for (const int dmask : {1, 9, 15}) {
        Texels texels(64 * 4 * 4);
        std::vector<uint8_t> want(texels.data, texels.data + 64 * 4 * 4);
        TestWave w;
        Tsharp{.base = texels.at(), .dfmt = 10, .nfmt = 4, .width = 50, .height = 3, .pitch = 64}.put(w, target);
        for (int l = 0; l < 64; ++l) {
          w.v(2, l) = uint32_t(63 - l), w.v(3, l) = uint32_t(l % 4);
          for (int c = 0; c < 4; ++c)
            w.v(8 + c, l) %= 256;
          for (int c = 0, r = 0; c < 4; ++c) {
            const uint32_t value = dmask >> c & 1 ? w.v(8 + r++, l) : 0;
            if (63 - l < 50 && l % 4 < 3)
              want[size_t((l % 4 * 64 + 63 - l) * 4 + c)] = uint8_t(value);
          }
        }
        ASSERT_TRUE(w.run(*level, assemble(target, image("store", std::popcount(unsigned(dmask)), 2,
                                                         "dmask:" + std::to_string(dmask) + " unorm"))));
        EXPECT_EQ(std::vector<uint8_t>(texels.data, texels.data + 64 * 4 * 4), want) << dmask << level->level;
      }
}

// The _pck forms move texels as they are in memory, in dwords; _sgn extends what is narrower.
TEST(MemoryImage, UnconvertedTexels) {
  for (const auto* level : host_levels()) {
    Texels texels(256);
    const uint8_t bytes[8] = {0x80, 0xff, 0x12, 0x93, 1, 2, 3, 4};
    const auto run = [&](const std::string& text, uint32_t dfmt) {
      std::memcpy(texels.data, bytes, 8);
      TestWave w;
      w.set_exec(1);
      Tsharp{.base = texels.at(), .dfmt = dfmt, .nfmt = 0, .pitch = 64}.put(w, Target::gfx900);
      w.v(2, 0) = w.v(3, 0) = w.v(4, 0) = 0;
      w.v(8, 0) = 0xa1b2c3d4, w.v(9, 0) = 0xe5f60718;
      EXPECT_TRUE(w.run(*level, assemble(Target::gfx900, text)));
      return std::pair{w.v(8, 0), w.v(9, 0)};
    };
    EXPECT_EQ(run(image("load_pck", 1, 2, "dmask:1 unorm"), 1).first, 0x80u);
    EXPECT_EQ(run(image("load_pck_sgn", 1, 2, "dmask:1 unorm"), 1).first, 0xffffff80u);
    EXPECT_EQ(run(image("load_pck_sgn", 1, 2, "dmask:1 unorm"), 2).first, 0xffffff80u);
    EXPECT_EQ(run(image("load_mip_pck", 1, 3, "dmask:1 unorm"), 10).first, 0x9312ff80u);
    EXPECT_EQ(run(image("load_pck", 2, 2, "dmask:3 unorm"), 11), (std::pair{0x9312ff80u, 0x04030201u}));
    EXPECT_EQ(run(image("load_pck", 1, 2, "dmask:2 unorm"), 11).first, 0x04030201u);
    run(image("store_pck", 1, 2, "dmask:1 unorm"), 2);
    EXPECT_EQ(std::memcmp(texels.data, "\xd4\xc3\x12", 3), 0);
    run(image("store_mip_pck", 2, 3, "dmask:3 unorm"), 11);
    EXPECT_EQ(std::memcmp(texels.data, "\xd4\xc3\xb2\xa1\x18\x07\xf6\xe5", 8), 0);
  }
}

TEST(MemoryImage, HalvesInDataAndAddress) {
  for (const auto* level : host_levels()) {
    Texels texels(64 * 4 * 2);
    for (int i = 0; i < 4; ++i)
      texels.data[65 * 4 + i] = uint8_t(i == 0 ? 0 : i == 1 ? 51 : i == 2 ? 102 : 255);
    TestWave w;
    w.set_exec(1);
    Tsharp t{.base = texels.at(), .nfmt = 0, .width = 4, .height = 2, .pitch = 64};
    t.put(w, Target::gfx900);
    w.v(2, 0) = 1 | 1 << 16; // a16: x and y
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, image("load", 2, 1, "dmask:15 unorm a16 d16"))));
    EXPECT_EQ(w.v(8, 0), 0x32660000u);
    EXPECT_EQ(w.v(9, 0), 0x3c003666u);
    w.v(8, 0) = 0x00003c00, w.v(9, 0) = 0x3c003266; // DMASK only counts
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, image("store", 2, 1, "dmask:15 unorm a16 d16"))));
    EXPECT_EQ(std::memcmp(texels.data + 65 * 4, "\xff\x00\x33\xff", 4), 0);
    t.put(w, Target::gfx803); // gfx8: a register each
    w.v(2, 0) = w.v(3, 0) = 1;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, image("load", 4, 2, "dmask:15 unorm d16"))));
    for (int c = 0; c < 4; ++c)
      EXPECT_EQ(w.v(8 + c, 0), c == 1 ? 0u : c == 2 ? 0x3266u : 0x3c00u) << c;
  }
}

TEST(MemoryImage, ShortResourcesAndStatus) {
  for (const auto* level : host_levels()) {
    Texels texels(128 * 4 * 2);
    TestWave w;
    w.set_exec(3);
    // r128: no pitch, depth or slices; rows are whole groups of 64 texels. The other four SGPRs are noise.
    Tsharp t{.base = texels.at(), .width = 70, .height = 2};
    const uint32_t noise[4] = {w.s(8), w.s(9), w.s(10), w.s(11)};
    t.put(w, Target::gfx803);
    for (int i = 0; i < 4; ++i)
      w.s(8 + i) = noise[i];
    w.v(2, 0) = 69, w.v(3, 0) = 1, w.v(2, 1) = 70, w.v(3, 1) = 0;
    w.v(9, 1) = 5, w.v(9, 2) = 6;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, "image_load v[8:9], v[2:3], s[4:11] dmask:1 unorm r128 tfe")));
    EXPECT_EQ(w.v(8, 0), texels.data[(128 + 69) * 4]);
    EXPECT_EQ(w.v(8, 1), 0u);
    EXPECT_EQ(w.v(9, 0), 0u);
    EXPECT_EQ(w.v(9, 1), 0u);
    EXPECT_EQ(w.v(9, 2), 6u);
  }
}

// {levels, depth, height, width} of a level.
TEST(MemoryImage, SizesOfLevels) {
  const struct {
    uint32_t type, level;
    uint32_t want[4];
  } cases[] = {{9, 0, {40, 20, 1, 3}},  {9, 1, {20, 10, 1, 3}}, {9, 3, {0, 0, 0, 3}},  {10, 2, {10, 5, 2, 3}},
               {13, 1, {20, 10, 5, 3}}, {8, 1, {20, 1, 1, 3}},  {12, 0, {40, 5, 1, 3}}};
  for (const Target target : {Target::gfx701, Target::gfx900})
    for (const auto& c : cases)
      for (const auto* level : host_levels()) {
        TestWave w;
        w.set_exec(2);
        Tsharp{
            .type = c.type, .width = 40, .height = 20, .depth = 9, .first = 2, .last = 6, .last_level = 2, .tiling = 13}
            .put(w, target);
        w.v(2, 1) = c.level;
        ASSERT_TRUE(w.run(*level, assemble(target, image("get_resinfo", 4, 1, "dmask:15 unorm"))));
        for (int i = 0; i < 4; ++i)
          EXPECT_EQ(w.v(8 + i, 1), c.want[i]) << c.type << " level " << c.level << " " << i;
        w.v(8, 1) = 0;
        ASSERT_TRUE(w.run(*level, assemble(target, image("get_resinfo", 1, 1, "dmask:8 unorm"))));
        EXPECT_EQ(w.v(8, 1), 3u);
      }
}

TEST(MemoryImage, Atomics) {
  for (const Target target : {Target::gfx701, Target::gfx803, Target::gfx900})
    for (const auto* level : host_levels()) {
      Texels texels(256 * 8);
      std::memset(texels.data, 0, 256 * 8);
      auto* cells = reinterpret_cast<uint32_t*>(texels.data);
      TestWave w;
      Tsharp t{.base = texels.at(), .dfmt = 4, .width = 7, .height = 2, .pitch = 64};
      t.put(w, target);
      std::vector<uint32_t> model(128);
      auto want = w.registers();
      for (int l = 0; l < 64; ++l) {
        w.v(2, l) = uint32_t(l % 8), w.v(3, l) = uint32_t(l % 2);
        want[128 + size_t(l)] = w.v(2, l), want[192 + size_t(l)] = w.v(3, l);
        uint32_t* cell = l % 8 < 7 ? &model[size_t(l % 2 * 64 + l % 8)] : nullptr;
        want[8 * 64 + size_t(l)] = cell ? *cell : 0;
        if (cell)
          *cell += w.v(8, l);
      }
      ASSERT_TRUE(w.run(*level, assemble(target, image("atomic_add", 1, 2, "dmask:1 unorm glc"))));
      EXPECT_EQ(w.registers(), want);
      EXPECT_TRUE(std::equal(model.begin(), model.end(), cells));

      w.set_exec(1);
      w.v(2, 0) = w.v(3, 0) = 0;
      cells[0] = 5, w.v(8, 0) = 9, w.v(9, 0) = 5;
      ASSERT_TRUE(w.run(*level, assemble(target, image("atomic_cmpswap", 2, 2, "dmask:3 unorm glc"))));
      EXPECT_EQ(cells[0], 9u);
      EXPECT_EQ(w.v(8, 0), 5u);
      t.dfmt = 11; // 64 bits
      t.put(w, target);
      cells[0] = ~0u, cells[1] = 1, w.v(8, 0) = 1, w.v(9, 0) = 2;
      ASSERT_TRUE(w.run(*level, assemble(target, image("atomic_add", 2, 2, "dmask:3 unorm"))));
      EXPECT_EQ(cells[0], 0u);
      EXPECT_EQ(cells[1], 4u);
      if (target == Target::gfx701) {
        t.dfmt = 4;
        t.put(w, target);
        cells[0] = bits(1.5f), w.v(8, 0) = bits(-2.5f);
        ASSERT_TRUE(w.run(*level, assemble(target, image("atomic_fmin", 1, 2, "dmask:1 unorm glc"))));
        EXPECT_EQ(cells[0], bits(-2.5f));
        EXPECT_EQ(w.v(8, 0), bits(1.5f));
      }
    }
}

TEST(MemoryImage, WhatIsNotExecutedSaysWhy) {
  const struct {
    Tsharp t;
    const char *operation, *modifiers, *why;
  } cases[] = {
      {{.tiling = 10}, "load", "dmask:1 unorm", "tiled"},
      {{.type = 14}, "load", "dmask:1 unorm", "several samples"},
      {{.type = 0}, "load", "dmask:1 unorm", "no image type"},
      {{.dfmt = 35}, "load", "dmask:1 unorm", "data format"},
      {{.dfmt = 4, .nfmt = 0}, "load", "dmask:1 unorm", "loads of this format"},
      {{.nfmt = 9}, "store", "dmask:1 unorm", "stores to this format"},
      {{.last_level = 3}, "load_mip", "dmask:1 unorm", "levels"},
      {{.base_level = 1, .last_level = 3}, "load", "dmask:1 unorm", "levels"},
      {{.dfmt = 12}, "atomic_add", "dmask:1 unorm", "wide"},
      {{}, "load", "dmask:1 unorm lwe", "lwe"},
  };
  for (const auto& c : cases)
    for (const auto* level : host_levels()) {
      Texels texels(1024);
      TestWave w;
      Tsharp t = c.t;
      t.base = texels.at();
      t.put(w, Target::gfx900);
      for (int l = 0; l < 64; ++l)
        w.v(2, l) = w.v(3, l) = 0, w.v(4, l) = 1;
      ASSERT_TRUE(
          w.run(*level, assemble(Target::gfx900,
                                 image(c.operation, 1, c.operation == std::string("load_mip") ? 3 : 2, c.modifiers))));
      EXPECT_EQ(w.fault().kind, machine::FaultKind::unimplemented) << c.why;
      EXPECT_NE(w.fault().detail.find(c.why), std::string::npos) << w.fault().detail;
    }
  for (const auto* level : host_levels()) {
    TestWave w;
    // Coordinates behind the last register.
    Tsharp{.base = 256}.put(w, Target::gfx900);
    isa::Instruction inst = assemble(Target::gfx900, image("load", 1, 2, "dmask:1 unorm"));
    inst.addr = 256 + 255;
    ASSERT_TRUE(w.run(*level, inst));
    EXPECT_EQ(w.fault().kind, machine::FaultKind::illegal_instruction);
  }
}

TEST(MemoryImage, AddressesForDiagnosis) {
  TestWave w;
  Tsharp{.base = 0x7f0000000000, .width = 8, .height = 8, .pitch = 64}.put(w, Target::gfx900);
  w.v(2, 5) = 3, w.v(3, 5) = 2, w.v(2, 6) = 8, w.v(3, 6) = 0;
  const auto inst = assemble(Target::gfx900, image("store", 1, 2, "dmask:1 unorm"));
  EXPECT_EQ(engine::lane_address(inst, *w, 5)->address, 0x7f0000000000u + (2 * 64 + 3) * 4);
  EXPECT_EQ(engine::lane_address(inst, *w, 5)->bytes, 4u);
  EXPECT_FALSE(engine::lane_address(inst, *w, 6));
}
