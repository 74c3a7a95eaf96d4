// DS against models that go byte by byte, lane by lane: reads and writes of all widths, two addresses, limits,
// cross-lane.
#include "tests/engine/memory_fixture.h"

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {

constexpr int address = 2, data = 8, data1 = 14;

uint32_t alignment(Target target, int bytes) { // gfx8 drops low address bits
  return target < Target::gfx900 ? uint32_t(bytes == 12 ? 16 : bytes) : 1;
}

// Every dword (or smaller item) is inside or not on its own.
struct Model {
  std::vector<uint8_t> lds;
  uint32_t limit;
  Model(TestWave& w, uint32_t l) : lds(w.lds(), w.lds() + test_lds_bytes), limit(l) {}
  void read(uint32_t at, int bytes, uint8_t* out) const {
    for (int k = 0; k < bytes; k += 4) {
      const int n = bytes - k < 4 ? bytes - k : 4;
      for (int b = 0; b < n; ++b)
        out[k + b] = uint64_t(at) + k + n <= limit ? lds[at + k + b] : 0;
    }
  }
  void write(uint32_t at, int bytes, const uint8_t* in) {
    for (int k = 0; k < bytes; k += 4) {
      const int n = bytes - k < 4 ? bytes - k : 4;
      for (int b = 0; b < n; ++b)
        if (uint64_t(at) + k + n <= limit)
          lds[at + k + b] = in[k + b];
    }
  }
};

struct Limits {
  Target target;
  uint32_t m0, limit;
};
// Up to gfx8 M0 limits what LDS an instruction sees; gfx9 ignores it.
const Limits limits[] = {{Target::gfx701, 1000, 1000}, {Target::gfx600, 2, 2}, {Target::gfx803, ~0u, test_lds_bytes},
                         {Target::gfx803, 1000, 1000}, {Target::gfx803, 2, 2}, {Target::gfx900, 0, test_lds_bytes}};

void set_addresses(TestWave& w, const Pattern& p, uint32_t imm) {
  for (int l = 0; l < 64; ++l)
    w.v(address, l) = p.offsets[l] - imm;
}

std::vector<uint8_t> lds_bytes(TestWave& w) { return {w.lds(), w.lds() + test_lds_bytes}; }

} // namespace

TEST(MemoryDs, Reads) {
  for (const Limits& limit : limits)
    for (const LoadKind& kind : load_kinds()) {
      if (kind.gfx9_only && limit.target < Target::gfx900)
        continue;
      if (kind.bytes > 8 && limit.target < Target::gfx700)
        continue;
      for (const bool overlap : {false, true}) {
        const int dst = overlap ? address : data;
        const auto inst = assemble(limit.target, kind.ds + " " + vregs(dst, (kind.bytes + 3) / 4) + ", v2 offset:20");
        for (const Pattern& pattern : patterns(uint32_t(kind.bytes), test_lds_bytes + 40))
          for (const uint64_t exec : exec_masks())
            for (const auto* level : host_levels()) {
              TestWave w;
              w.set_exec(exec);
              w.s(124) = limit.m0;
              set_addresses(w, pattern, 20);
              const Model model(w, limit.limit);
              auto expected = w.registers();
              for (int l = 0; l < 64; ++l) {
                uint8_t item[16];
                model.read(pattern.offsets[l] & -alignment(limit.target, kind.bytes), kind.bytes, item);
                for (int k = 0; w.active(l) && k < (kind.bytes + 3) / 4; ++k) {
                  uint32_t& r = expected[(dst + k) * 64 + l];
                  r = loaded(kind, item, k, r);
                }
              }
              ASSERT_TRUE(w.run(*level, inst));
              ASSERT_EQ(w.registers(), expected) << kind.ds << " " << pattern.name << " limit " << limit.limit
                                                 << " exec " << std::hex << exec << level->level;
            }
      }
    }
}

TEST(MemoryDs, Writes) {
  for (const Limits& limit : limits)
    for (const StoreKind& kind : store_kinds()) {
      if (kind.gfx9_only && limit.target < Target::gfx900)
        continue;
      if (kind.bytes > 8 && limit.target < Target::gfx700)
        continue;
      const auto inst = assemble(limit.target, kind.ds + " v2, " + vregs(data, (kind.bytes + 3) / 4) + " offset:20");
      for (const Pattern& pattern : patterns(uint32_t(kind.bytes), test_lds_bytes + 40))
        for (const uint64_t exec : exec_masks())
          for (const auto* level : host_levels()) {
            TestWave w;
            w.set_exec(exec);
            w.s(124) = limit.m0;
            set_addresses(w, pattern, 20);
            Model model(w, limit.limit);
            for (int l = 0; l < 64; ++l) {
              uint8_t item[16];
              for (int b = 0; b < kind.bytes; ++b)
                item[b] = uint8_t(w.v(data + b / 4, l) >> (b % 4 * 8 + (kind.high ? 16 : 0)));
              if (w.active(l))
                model.write(pattern.offsets[l] & -alignment(limit.target, kind.bytes), kind.bytes, item);
            }
            const auto before = w.registers();
            ASSERT_TRUE(w.run(*level, inst));
            ASSERT_EQ(lds_bytes(w), model.lds) << kind.ds << " " << pattern.name << " limit " << limit.limit << " exec "
                                               << std::hex << exec << level->level;
            ASSERT_EQ(w.registers(), before);
          }
    }
}

TEST(MemoryDs, TwoAddresses) {
  struct Case {
    const char* offsets;
    uint32_t first, second;
  };
  const Case cases[] = {{"", 0, 0},
                        {" offset0:1 offset1:2", 1, 2},
                        {" offset0:3", 3, 0},
                        {" offset0:7 offset1:7", 7, 7},
                        {" offset1:255", 0, 255}};
  for (const Limits& limit : limits)
    for (const bool st64 : {false, true})
      for (const int bytes : {4, 8})
        for (const Case& c : cases)
          for (const bool neighbours : {true, false}) {
            const int n = bytes / 4, second_data = neighbours ? data + n : data1;
            const std::string width = bytes == 4 ? "b32" : "b64", form = st64 ? "2st64_" : "2_";
            const auto read =
                assemble(limit.target, "ds_read" + form + width + " " + vregs(neighbours ? address : data, 2 * n) +
                                           ", v2" + c.offsets);
            const auto write = assemble(limit.target, "ds_write" + form + width + " v2, " + vregs(data, n) + ", " +
                                                          vregs(second_data, n) + c.offsets);
            const uint32_t unit = uint32_t(bytes) * (st64 ? 64 : 1);
            for (const Pattern& pattern : patterns(uint32_t(bytes) * 2, test_lds_bytes))
              for (const uint64_t exec : {~uint64_t(0), uint64_t(0x0ff0f00f8001c3a5)})
                for (const auto* level : host_levels()) {
                  TestWave w;
                  w.set_exec(exec);
                  w.s(124) = limit.m0;
                  set_addresses(w, pattern, 0);
                  const Model before(w, limit.limit);
                  auto expected = w.registers();
                  const int dst = neighbours ? address : data;
                  for (int l = 0; l < 64; ++l)
                    for (int half = 0; half < 2; ++half) {
                      uint32_t item[2];
                      before.read((pattern.offsets[l] + (half ? c.second : c.first) * unit) &
                                      -alignment(limit.target, bytes),
                                  bytes, reinterpret_cast<uint8_t*>(item));
                      for (int k = 0; w.active(l) && k < n; ++k)
                        expected[(dst + half * n + k) * 64 + l] = item[k];
                    }
                  ASSERT_TRUE(w.run(*level, read));
                  ASSERT_EQ(w.registers(), expected) << form << width << c.offsets << " " << pattern.name << " limit "
                                                     << limit.limit << " exec " << std::hex << exec << level->level;

                  // Stores: only where lanes do not meet, whose order between the two addresses nobody defines.
                  if (pattern.name != "contiguous" && pattern.name != "reversed" &&
                      pattern.name != "starts at the first byte")
                    continue;
                  TestWave x;
                  x.set_exec(exec);
                  x.s(124) = limit.m0;
                  Model after(x, limit.limit);
                  for (int l = 0; l < 64; ++l) {
                    x.v(address, l) = pattern.offsets[l];
                    for (int half = 0; x.active(l) && half < 2; ++half) {
                      if (half && c.first == c.second)
                        continue;
                      uint32_t item[2];
                      for (int k = 0; k < n; ++k)
                        item[k] = x.v((half ? second_data : data) + k, l);
                      after.write((pattern.offsets[l] + (half ? c.second : c.first) * unit) &
                                      -alignment(limit.target, bytes),
                                  bytes, reinterpret_cast<uint8_t*>(item));
                    }
                  }
                  if (c.first != c.second && c.second - c.first != 1 && unit < 64 * 4)
                    continue; // lanes meet
                  ASSERT_TRUE(x.run(*level, write));
                  ASSERT_EQ(lds_bytes(x), after.lds) << form << width << c.offsets << " " << pattern.name << " limit "
                                                     << limit.limit << " exec " << std::hex << exec << level->level;
                }
          }
}

TEST(MemoryDs, OffsetsWrapAt32Bits) {
  for (const auto* level : host_levels()) {
    TestWave w;
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = uint32_t(l * 4 - 100);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_read_b32 v8, v2 offset:100")));
    for (int l = 0; l < 64; ++l) {
      uint32_t want;
      std::memcpy(&want, w.lds() + l * 4, 4);
      EXPECT_EQ(w.v(8, l), want);
    }
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = 0xfffffffe - uint32_t(l); // far outside, near the wrap
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_read_b128 v[8:11], v2")));
    for (int k = 8; k < 12; ++k)
      for (int l = 0; l < 64; ++l)
        EXPECT_EQ(w.v(k, l), k == 8 || uint64_t(0xfffffffe - l) + 4 * (k - 8) < (uint64_t(1) << 32) ? 0u : w.v(k, l));
  }
}

TEST(MemoryDs, AppendAndConsume) {
  for (const Target target : {Target::gfx701, Target::gfx803, Target::gfx900})
    for (const auto* level : host_levels()) {
      TestWave w;
      w.set_exec(0x0ff0f00f8001c3a5);
      const int count = __builtin_popcountll(0x0ff0f00f8001c3a5);
      w.s(124) = 64;
      uint32_t before, after;
      std::memcpy(&before, w.lds() + 80, 4);
      auto want = w.registers();
      for (int l = 0; l < 64; ++l)
        if (w.active(l))
          want[data * 64 + l] = before;
      ASSERT_TRUE(w.run(*level, assemble(target, "ds_append v8 offset:16")));
      EXPECT_EQ(w.registers(), want);
      std::memcpy(&after, w.lds() + 80, 4);
      EXPECT_EQ(after, before + count);
      ASSERT_TRUE(w.run(*level, assemble(target, "ds_consume v8 offset:16")));
      std::memcpy(&after, w.lds() + 80, 4);
      EXPECT_EQ(after, before);
      EXPECT_EQ(w.v(8, 0), before + count);
    }
}

TEST(MemoryDs, AddTid) {
  for (const auto* level : host_levels()) {
    TestWave w;
    w.set_exec(0x0ff0f00f8001c3a5);
    w.s(124) = 128;
    auto want = w.registers();
    for (int l = 0; l < 64; ++l)
      if (w.active(l))
        std::memcpy(&want[data * 64 + l], w.lds() + 128 + 12 + 4 * l, 4);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_read_addtid_b32 v8 offset:12")));
    EXPECT_EQ(w.registers(), want);
    auto bytes = lds_bytes(w);
    for (int l = 0; l < 64; ++l)
      if (w.active(l))
        std::memcpy(&bytes[128 + 512 + 4 * l], &w.v(9, l), 4);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_write_addtid_b32 v9 offset:512")));
    EXPECT_EQ(lds_bytes(w), bytes);
  }
}

TEST(MemoryDs, Permutes) {
  std::mt19937 noise(3);
  for (int round = 0; round < 20; ++round)
    for (const uint64_t exec : exec_masks())
      for (const int dst : {data, address, 5}) // a register of its own, the address, the data
        for (const int imm : {0, 16, 1020})
          for (const auto* level : host_levels()) {
            TestWave w(unsigned(round) + 1);
            w.set_exec(exec);
            for (int l = 0; l < 64; ++l)
              w.v(address, l) = round == 0   ? uint32_t(l * 4)
                                : round == 1 ? uint32_t(252 - l * 4)
                                : round < 10 ? uint32_t(noise())
                                             : uint32_t(noise()) % 64;
            uint32_t slots[64] = {};
            auto pulled = w.registers(), pushed = w.registers();
            for (int l = 0; l < 64; ++l) {
              const uint32_t other = (w.v(address, l) + imm) >> 2 & 63;
              if (!w.active(l))
                continue;
              pulled[dst * 64 + l] = w.active(int(other)) ? w.v(5, int(other)) : 0;
              slots[other] = w.v(5, l);
            }
            for (int l = 0; l < 64; ++l)
              if (w.active(l))
                pushed[dst * 64 + l] = slots[l];
            TestWave x(unsigned(round) + 1);
            x.set_exec(exec);
            for (int l = 0; l < 64; ++l)
              x.v(address, l) = w.v(address, l);
            const std::string tail =
                " v" + std::to_string(dst) + ", v2, v5" + (imm ? " offset:" + std::to_string(imm) : "");
            ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, "ds_bpermute_b32" + tail)));
            ASSERT_EQ(w.registers(), pulled)
                << round << " " << std::hex << exec << " " << dst << " " << imm << level->level;
            ASSERT_TRUE(x.run(*level, assemble(Target::gfx803, "ds_permute_b32" + tail)));
            ASSERT_EQ(x.registers(), pushed)
                << round << " " << std::hex << exec << " " << dst << " " << imm << level->level;
          }
}

// Where lane i of 32 reads from. GCN3 manual, "DS_SWIZZLE_B32 details"; the first two cases are gfx9's, of the Vega
// manual.
int swizzled(uint32_t offset, Target target, int i) {
  const int mask = offset & 31;
  if (target == Target::gfx900 && offset >= 0xe000) {
    int j = 0;
    for (int bit = 0; bit < 5; ++bit)
      j |= (i >> bit & 1) << (4 - bit);
    return j >> std::popcount(unsigned(mask)) | (i & mask);
  }
  if (target == Target::gfx900 && offset >= 0xc000) {
    const int by = int(offset >> 5 & 31);
    return ((i & mask) | ((offset & 0x400 ? i - by : i + by) & ~mask)) & 31;
  }
  if (offset & 0x8000)
    return i / 4 * 4 + int(offset >> 2 * (i % 4) & 3);
  return int(((i & mask) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
}

TEST(MemoryDs, Swizzles) {
  std::vector<uint32_t> all;
  std::mt19937 noise(4);
  for (int i = 0; i < 60; ++i)
    all.push_back(noise() & 0xffff);
  for (int i = 0; i < 40; ++i)
    all.push_back(0xc000 | (noise() & 0x3fff));
  for (int bit = 1; bit < 32; bit *= 2)
    all.push_back(uint32_t(bit << 10 | 0x1f)); // swap groups of 1, 2, 4, 8, 16
  for (int bits = 1; bits < 32; bits = bits * 2 + 1)
    all.push_back(uint32_t(bits << 10 | 0x1f)); // mirror groups of 2 .. 32
  for (int lane = 0; lane < 32; lane += 5)
    all.push_back(uint32_t(lane << 5)); // broadcast
  all.push_back(0x8000 | 0b00011011), all.push_back(0x80f6), all.push_back(0x80e4), all.push_back(0x001f),
      all.push_back(0x0000);
  std::vector<std::string> lines;
  for (const uint32_t pattern : all)
    lines.push_back("ds_swizzle_b32 v8, v5 offset:" + std::to_string(pattern)),
        lines.push_back("ds_swizzle_b32 v5, v5 offset:" + std::to_string(pattern));
  for (const Target target : {Target::gfx600, Target::gfx803, Target::gfx900}) {
    const auto instructions = assemble(target, lines);
    for (size_t n = 0; n < lines.size(); ++n)
      for (const uint64_t exec : exec_masks())
        for (const auto* level : host_levels()) {
          TestWave w;
          w.set_exec(exec);
          auto want = w.registers();
          for (int half = 0; half < 64; half += 32)
            for (int i = 0; i < 32; ++i) {
              const int j = swizzled(all[n / 2], target, i);
              if (w.active(half + i))
                want[(n % 2 ? 5 : 8) * 64 + half + i] = w.active(half + j) ? w.v(5, half + j) : 0;
            }
          ASSERT_TRUE(w.run(*level, instructions[n]));
          ASSERT_EQ(w.registers(), want) << lines[n] << " " << std::hex << exec << level->level;
        }
  }
}

// The examples of the Vega manual: what lane i reads when lane i holds i + 1. Those of masked rotations contradict its
// formula (docs/isa-errata.md) and are left out.
TEST(MemoryDs, SwizzlesOfTheManual) {
  const std::pair<const char*, std::vector<uint32_t>> examples[] = {
      {"0xe000", {0x01, 0x11, 0x09, 0x19, 0x05, 0x15, 0x0d, 0x1d, 0x03, 0x13, 0x0b, 0x1b, 0x07, 0x17, 0x0f, 0x1f,
                  0x02, 0x12, 0x0a, 0x1a, 0x06, 0x16, 0x0e, 0x1e, 0x04, 0x14, 0x0c, 0x1c, 0x08, 0x18, 0x10, 0x20}},
      {"0xe010", {0x01, 0x09, 0x05, 0x0d, 0x03, 0x0b, 0x07, 0x0f, 0x02, 0x0a, 0x06, 0x0e, 0x04, 0x0c, 0x08, 0x10,
                  0x11, 0x19, 0x15, 0x1d, 0x13, 0x1b, 0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20}},
      {"0xc020", {0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11,
                  0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x01}},
      {"0xc420", {0x20, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
                  0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f}},
  };
  for (const auto& [offset, want] : examples)
    for (const auto* level : host_levels()) {
      TestWave w;
      for (int l = 0; l < 64; ++l)
        w.v(5, l) = uint32_t(l + 1);
      ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, std::string("ds_swizzle_b32 v8, v5 offset:") + offset)));
      for (int l = 0; l < 64; ++l)
        EXPECT_EQ(w.v(8, l), want[l % 32] + uint32_t(l & 32)) << offset << " lane " << l;
    }
}

TEST(MemoryDs, WhatIsNotExecutedSaysSo) {
  for (const auto* level : host_levels()) {
    TestWave w;
    for (const char* text : {"ds_ordered_count v8, v2 offset:8192 gds"})
      EXPECT_FALSE(w.run(*level, assemble(Target::gfx900, text))) << text;
    EXPECT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_nop")));
  }
}
