// Owns what the tests of images share: T# resources put together bit by bit as the manuals' tables number them, S#
// likewise, and texels of noise.
#pragma once
#include "tests/engine/memory_fixture.h"
#include <bit>
#include <cstring>

namespace crosslane::test {

inline constexpr int data = 8, address = 2, srd = 4, samp = 12; // v8, v2, s[4:11], s[12:15]

struct Tsharp {
  uint64_t base = 0;
  uint32_t type = 9, dfmt = 10, nfmt = 4, width = 1, height = 1, depth = 1, pitch = 1;
  uint32_t first = 0, last = 0, base_level = 0, last_level = 0, select = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  int tiling = -1; // -1: linear

  void put(TestWave& w, isa::Target target) const {
    uint32_t words[8] = {};
    const auto set = [&](int bit, int width, uint64_t value) {
      for (int i = 0; i < width; ++i)
        if (value >> i & 1)
          words[(bit + i) / 32] |= 1u << (bit + i) % 32;
    };
    const bool gfx9 = isa::info(target).generation >= isa::Generation::gfx9;
    set(0, 40, base >> 8), set(52, 6, dfmt), set(58, 4, nfmt), set(64, 14, width - 1), set(78, 14, height - 1);
    set(96, 12, select), set(108, 4, base_level), set(112, 4, last_level), set(124, 4, type);
    set(116, 5, tiling >= 0 ? uint32_t(tiling) : gfx9 ? 0 : 8);
    set(128, 13, gfx9 && type != 10 ? last : depth - 1);
    set(141, gfx9 ? 16 : 14, pitch - 1), set(160, 13, first);
    if (!gfx9)
      set(173, 13, last);
    for (int i = 0; i < 8; ++i)
      w.s(srd + i) = words[i];
  }
};

// Texels of noise at 256 bytes.
struct Texels {
  std::vector<uint8_t> storage;
  uint8_t* data;
  explicit Texels(size_t size) : storage(size + 256) {
    data = storage.data() + (256 - reinterpret_cast<uint64_t>(storage.data()) % 256) % 256;
    std::mt19937 noise(9);
    for (size_t i = 0; i < size; ++i)
      data[i] = uint8_t(noise());
  }
  uint64_t at() const { return reinterpret_cast<uint64_t>(data); }
};

inline std::string image(const std::string& operation, int registers, int coordinates, const std::string& modifiers) {
  return "image_" + operation + " " + vregs(data, registers) + ", " + vregs(address, coordinates) + ", s[4:11] " +
         modifiers;
}
inline float as_float(uint32_t v) { return std::bit_cast<float>(v); }
inline uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }

struct Ssharp {
  uint32_t clamp_x = 2, clamp_y = 2, clamp_z = 2, mag = 0, min = 0, z_filter = 0, mip_filter = 0, border = 0,
           compare = 0;
  bool unnormalized = false, truncates = false;
  uint32_t min_lod = 0, max_lod = 4095, aniso = 0, filter_mode = 0, degamma = 0;

  void put(TestWave& w) const {
    uint32_t words[4] = {};
    const auto set = [&](int bit, int width, uint32_t value) {
      for (int i = 0; i < width; ++i)
        if (value >> i & 1)
          words[(bit + i) / 32] |= 1u << (bit + i) % 32;
    };
    set(0, 3, clamp_x), set(3, 3, clamp_y), set(6, 3, clamp_z), set(9, 3, aniso), set(12, 3, compare),
        set(15, 1, unnormalized);
    set(20, 1, degamma), set(27, 1, truncates), set(29, 2, filter_mode), set(32, 12, min_lod), set(44, 12, max_lod);
    set(84, 2, mag), set(86, 2, min), set(88, 2, z_filter), set(90, 2, mip_filter), set(126, 2, border);
    for (int i = 0; i < 4; ++i)
      w.s(samp + i) = words[i];
  }
};

} // namespace crosslane::test
