// Owns the resource of a buffer as tests write it, and the registers that they keep it in.
#pragma once
#include "tests/engine/memory_fixture.h"

namespace crosslane::test {

inline constexpr int address = 2, data = 8, srd = 4; // v2, v8, s[4:7]

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

} // namespace crosslane::test
