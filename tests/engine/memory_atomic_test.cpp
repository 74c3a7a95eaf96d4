// Atomics of LDS and memory against formulas written out here, in lane order, with lanes that meet and out-of-range
// lanes.
#include "tests/engine/memory_fixture.h"
#include <cmath>
#include <thread>
#include <xmmintrin.h>

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {

constexpr int address = 2, data = 8, dst = 16;

using Formula = std::function<uint64_t(uint64_t old, uint64_t d0, uint64_t d1, int bits)>;
int64_t sx(uint64_t v, int bits) { return bits == 64 ? int64_t(v) : int64_t(int32_t(uint32_t(v))); }

struct Named {
  const char* memory; // global_atomic_*; nullptr: LDS only
  const char* ds;     // ds_*, %s is "", "_rtn"; type follows
  const char* type;   // "u", "i", "b"
  bool two;           // takes two data operands
  Formula formula;
};
const std::vector<Named>& integers() {
  static const std::vector<Named> all = {
      {"add", "add", "u", false, [](auto o, auto d, auto, int) { return o + d; }},
      {"sub", "sub", "u", false, [](auto o, auto d, auto, int) { return o - d; }},
      {nullptr, "rsub", "u", false, [](auto o, auto d, auto, int) { return d - o; }},
      {"inc", "inc", "u", false, [](auto o, auto d, auto, int) { return o >= d ? 0 : o + 1; }},
      {"dec", "dec", "u", false, [](auto o, auto d, auto, int) { return o == 0 || o > d ? d : o - 1; }},
      {"smin", "min", "i", false, [](auto o, auto d, auto, int b) { return sx(o, b) < sx(d, b) ? o : d; }},
      {"smax", "max", "i", false, [](auto o, auto d, auto, int b) { return sx(o, b) > sx(d, b) ? o : d; }},
      {"umin", "min", "u", false, [](auto o, auto d, auto, int) { return o < d ? o : d; }},
      {"umax", "max", "u", false, [](auto o, auto d, auto, int) { return o > d ? o : d; }},
      {"and", "and", "b", false, [](auto o, auto d, auto, int) { return o & d; }},
      {"or", "or", "b", false, [](auto o, auto d, auto, int) { return o | d; }},
      {"xor", "xor", "b", false, [](auto o, auto d, auto, int) { return o ^ d; }},
      {nullptr, "mskor", "b", true, [](auto o, auto d, auto e, int) { return (o & ~d) | e; }},
      {"swap", "wrxchg", "b", false, [](auto, auto d, auto, int) { return d; }},
  };
  return all;
}

uint64_t register_value(TestWave& w, int reg, int lane, int bits) {
  return bits == 64 ? uint64_t(w.v(reg + 1, lane)) << 32 | w.v(reg, lane) : w.v(reg, lane);
}

// Cells that are small numbers half of the time, so that inc, dec and compares have all outcomes.
void fill(TestWave& w, uint8_t* cells, int count, int bits) {
  std::mt19937_64 noise(11);
  for (int c = 0; c < count; ++c) {
    const uint64_t v = noise() % 2 ? noise() : noise() % 8;
    std::memcpy(cells + c * bits / 8, &v, size_t(bits / 8));
  }
  for (int l = 0; l < 64; ++l)
    for (int r : {data, data + 2}) {
      const uint64_t v = noise() % 2 ? noise() : noise() % 8;
      w.v(r, l) = uint32_t(v);
      if (bits == 64)
        w.v(r + 1, l) = uint32_t(v >> 32);
    }
}

std::vector<uint32_t> cells_of_lanes(int which) {
  std::mt19937 noise(5);
  std::vector<uint32_t> cells;
  for (uint32_t l = 0; l < 64; ++l)
    cells.push_back(which == 0 ? l : which == 1 ? 3 : which == 2 ? l / 8 : uint32_t(noise() % 16));
  return cells;
}

uint64_t get(const uint8_t* p, int bits) {
  uint64_t v = 0;
  std::memcpy(&v, p, size_t(bits / 8));
  return v;
}

} // namespace

TEST(MemoryAtomic, LdsIntegers) {
  for (const Named& op : integers())
    for (const int bits : {32, 64})
      for (const bool returns : {false, true})
        for (const Target target : {Target::gfx600, Target::gfx803, Target::gfx900}) {
          const int n = bits / 32;
          const std::string text =
              std::string("ds_") + op.ds + (returns || op.ds == std::string("wrxchg") ? "_rtn_" : "_") + op.type +
              std::to_string(bits) + (returns || op.ds == std::string("wrxchg") ? " " + vregs(dst, n) + "," : "") +
              " v2, " + vregs(data, n) + (op.two ? ", " + vregs(data + 2, n) : "") + " offset:8";
          const auto inst = assemble(target, text);
          const bool writes = returns || op.ds == std::string("wrxchg");
          for (int which = 0; which < 4; ++which)
            for (const uint64_t exec : {~uint64_t(0), uint64_t(0), uint64_t(0x0ff0f00f8001c3a5)})
              for (const auto* level : host_levels()) {
                TestWave w;
                w.set_exec(exec);
                fill(w, w.lds() + 8, 64, bits);
                const auto cells = cells_of_lanes(which);
                for (int l = 0; l < 64; ++l)
                  w.v(address, l) = l == 40 ? test_lds_bytes : cells[l] * bits / 8;
                std::vector<uint8_t> lds(w.lds(), w.lds() + test_lds_bytes);
                auto want = w.registers();
                for (int l = 0; l < 64; ++l) {
                  if (!w.active(l))
                    continue;
                  uint64_t old = 0;
                  if (l != 40) {
                    uint8_t* cell = &lds[8 + cells[l] * bits / 8];
                    old = get(cell, bits);
                    const uint64_t now =
                        op.formula(old, register_value(w, data, l, bits), register_value(w, data + 2, l, bits), bits);
                    std::memcpy(cell, &now, size_t(bits / 8));
                  }
                  if (writes)
                    want[dst * 64 + l] = uint32_t(old);
                  if (writes && bits == 64)
                    want[(dst + 1) * 64 + l] = uint32_t(old >> 32);
                }
                ASSERT_TRUE(w.run(*level, inst)) << text;
                ASSERT_EQ(std::vector<uint8_t>(w.lds(), w.lds() + test_lds_bytes), lds)
                    << text << " " << which << level->level;
                ASSERT_EQ(w.registers(), want) << text << " " << which << level->level;
              }
        }
}

TEST(MemoryAtomic, MemoryIntegers) {
  for (const Named& op : integers()) {
    if (!op.memory)
      continue;
    for (const int bits : {32, 64})
      for (const bool returns : {false, true})
        for (const int form : {0, 1, 2}) {
          const int n = bits / 32;
          const std::string name =
              std::string(form == 2 ? "flat" : "global") + "_atomic_" + op.memory + (bits == 64 ? "_x2" : "");
          const std::string text = name + " " + (returns ? vregs(dst, n) + ", " : "") +
                                   (form == 1 ? "v2, " : "v[2:3], ") + vregs(data, n) +
                                   (form == 0   ? ", off offset:-8"
                                    : form == 1 ? ", s[20:21] offset:16"
                                                : "") +
                                   (returns ? " glc" : "");
          const auto inst = assemble(form == 2 ? Target::gfx803 : Target::gfx900, text);
          for (int which = 0; which < 4; ++which)
            for (const uint64_t exec : {~uint64_t(0), uint64_t(0), uint64_t(0x0ff0f00f8001c3a5)})
              for (const auto* level : host_levels()) {
                alignas(8) uint8_t memory[512];
                TestWave w;
                w.set_exec(exec);
                fill(w, memory, 512 * 8 / bits, bits);
                const auto cells = cells_of_lanes(which);
                const uint64_t base = reinterpret_cast<uint64_t>(memory) - (form == 0   ? uint64_t(-8)
                                                                            : form == 1 ? 16
                                                                                        : 0);
                for (int l = 0; l < 64; ++l) {
                  if (form == 1)
                    w.v(address, l) = cells[l] * bits / 8, w->set_pair(20, base);
                  else
                    w.set_address(address, l, base + cells[l] * bits / 8);
                }
                uint8_t model[512];
                std::memcpy(model, memory, 512);
                auto want = w.registers();
                for (int l = 0; l < 64; ++l) {
                  if (!w.active(l))
                    continue;
                  uint8_t* cell = model + cells[l] * bits / 8;
                  const uint64_t old = get(cell, bits),
                                 now = op.formula(old, register_value(w, data, l, bits), 0, bits);
                  std::memcpy(cell, &now, size_t(bits / 8));
                  if (returns)
                    want[dst * 64 + l] = uint32_t(old);
                  if (returns && bits == 64)
                    want[(dst + 1) * 64 + l] = uint32_t(old >> 32);
                }
                ASSERT_TRUE(w.run(*level, inst)) << text;
                ASSERT_EQ(std::memcmp(memory, model, 512), 0) << text << " " << which << level->level;
                ASSERT_EQ(w.registers(), want) << text << " " << which << level->level;
              }
        }
  }
}

// Memory: DATA[0] is the new value, DATA[1] what to compare with. LDS: the other way around.
TEST(MemoryAtomic, CompareOrders) {
  for (const auto* level : host_levels()) {
    uint32_t cell[2] = {5, 5};
    TestWave w;
    w.set_exec(3);
    for (int l = 0; l < 2; ++l) {
      w.set_address(address, l, reinterpret_cast<uint64_t>(cell + l));
      w.v(data, l) = 77, w.v(data + 1, l) = l ? 6 : 5;
    }
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "global_atomic_cmpswap v16, v[2:3], v[8:9], off glc")));
    EXPECT_EQ(cell[0], 77u);
    EXPECT_EQ(cell[1], 5u);
    EXPECT_EQ(w.v(16, 0), 5u);
    EXPECT_EQ(w.v(16, 1), 5u);

    uint64_t wide = 0x100000005;
    w.set_exec(1);
    w.set_address(address, 0, reinterpret_cast<uint64_t>(&wide));
    w.v(8, 0) = 1, w.v(9, 0) = 2, w.v(10, 0) = 5, w.v(11, 0) = 1;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, "flat_atomic_cmpswap_x2 v[16:17], v[2:3], v[8:11] glc")));
    EXPECT_EQ(wide, 0x200000001u);
    EXPECT_EQ(register_value(w, 16, 0, 64), 0x100000005u);

    const uint32_t five = 5;
    std::memcpy(w.lds(), &five, 4);
    w.v(address, 0) = 0, w.v(8, 0) = 5, w.v(9, 0) = 99;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_cmpst_rtn_b32 v16, v2, v8, v9")));
    uint32_t now;
    std::memcpy(&now, w.lds(), 4);
    EXPECT_EQ(now, 99u);
    EXPECT_EQ(w.v(16, 0), 5u);

    const float zero = 0.0f;
    std::memcpy(w.lds(), &zero, 4);
    w.v(8, 0) = 0x80000000, w.v(9, 0) = 42; // -0 equals 0 as a float
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_cmpst_f32 v2, v8, v9")));
    std::memcpy(&now, w.lds(), 4);
    EXPECT_EQ(now, 42u);
  }
}

// s_atomic_*, s_buffer_atomic_*: one value from SGPRs; the old one comes back with GLC.
TEST(MemoryAtomic, ScalarIntegers) {
  std::mt19937_64 noise(3);
  std::vector<Named> all = integers();
  all.push_back({"cmpswap", nullptr, "b", true, [](auto o, auto d, auto e, int) { return o == e ? d : o; }});
  for (const Named& op : all) {
    if (!op.memory)
      continue;
    for (const int bits : {32, 64})
      for (const bool glc : {false, true})
        for (const bool buffer : {false, true}) {
          const int n = bits / 32 * (op.two ? 2 : 1);
          const std::string data = n == 1 ? "s8" : "s[8:" + std::to_string(7 + n) + "]";
          const auto inst =
              assemble(Target::gfx900, std::string(buffer ? "s_buffer_atomic_" : "s_atomic_") + op.memory +
                                           (bits == 64 ? "_x2 " : " ") + data +
                                           (buffer ? ", s[4:7], 0x10" : ", s[4:5], 0x10") + (glc ? " glc" : ""));
          for (int round = 0; round < 8; ++round)
            for (const auto* level : host_levels()) {
              alignas(16) uint64_t memory[4] = {};
              const auto some = [&] { return noise() % 2 ? noise() : noise() % 4; };
              memory[2] = some();
              const uint64_t mask = bits == 64 ? ~uint64_t(0) : 0xffffffff, old = memory[2] & mask, d0 = some() & mask,
                             d1 = (round % 2 ? old : some()) & mask;
              TestWave w;
              w->set_pair(4, reinterpret_cast<uint64_t>(memory) | (buffer ? 1ull << 48 : 0));
              const bool inside = !buffer || round < 6;
              w.s(6) = inside ? 16 + uint32_t(bits / 8) : 16 + uint32_t(bits / 8) - 1; // records of one byte
              w.s(7) = 0;
              if (bits == 64)
                w->set_pair(8, d0), w->set_pair(10, d1);
              else
                w.s(8) = uint32_t(d0), w.s(9) = uint32_t(d1);
              std::vector<uint32_t> want(w->s, w->s + 128);
              if (glc)
                want[8] = inside ? uint32_t(old) : 0;
              if (glc && bits == 64)
                want[9] = inside ? uint32_t(old >> 32) : 0;
              uint64_t after = memory[2] & ~mask;
              after |= inside ? op.formula(old, d0, d1, bits) & mask : old;
              ASSERT_TRUE(w.run(*level, inst)) << op.memory;
              ASSERT_EQ(memory[2], after) << op.memory << bits << buffer << level->level;
              ASSERT_EQ(std::vector<uint32_t>(w->s, w->s + 128), want)
                  << op.memory << bits << glc << buffer << level->level;
            }
        }
  }
}

TEST(MemoryAtomic, ScalarAddressesIgnoreLowBitsAndMustFit) {
  for (const auto* level : host_levels()) {
    alignas(16) uint32_t memory[8] = {};
    TestWave w;
    w->set_pair(4, reinterpret_cast<uint64_t>(memory) + 3);
    w.s(6) = 5, w.s(8) = 7;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "s_atomic_add s8, s[4:5], s6")));
    EXPECT_EQ(memory[1], 7u);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "s_atomic_add_x2 s[8:9], s[4:5], 0x4")));
    EXPECT_EQ(w.fault().kind, machine::FaultKind::misaligned_address);
    EXPECT_EQ(w.fault().address, reinterpret_cast<uint64_t>(memory) + 4);
  }
}

TEST(MemoryAtomic, LdsFloats) {
  const float cells[4] = {1.5f, -2.0f, NAN, 4.0f}, values[4] = {2.0f, -3.0f, 1.0f, NAN};
  for (const auto* level : host_levels())
    for (int which = 0; which < 3; ++which) {
      TestWave w;
      w.set_exec(15);
      std::memcpy(w.lds(), cells, 16);
      for (int l = 0; l < 4; ++l)
        w.v(address, l) = uint32_t(l * 4), std::memcpy(&w.v(data, l), &values[l], 4);
      const char* texts[] = {"ds_add_rtn_f32 v16, v2, v8", "ds_min_rtn_f32 v16, v2, v8", "ds_max_rtn_f32 v16, v2, v8"};
      ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, texts[which])));
      const float want[3][4] = {{3.5f, -5.0f, NAN, NAN}, {1.5f, -3.0f, 1.0f, 4.0f}, {2.0f, -2.0f, 1.0f, 4.0f}};
      for (int l = 0; l < 4; ++l) {
        float now, old;
        std::memcpy(&now, w.lds() + 4 * l, 4);
        std::memcpy(&old, &w.v(16, l), 4);
        if (std::isnan(want[which][l]))
          EXPECT_TRUE(std::isnan(now));
        else
          EXPECT_EQ(now, want[which][l]) << which << l;
        if (!std::isnan(cells[l]))
          EXPECT_EQ(old, cells[l]);
      }
      const double big = 1e300;
      std::memcpy(w.lds() + 64, &big, 8);
      w.set_exec(1);
      w.v(address, 0) = 64;
      const double small = -1.0;
      uint32_t halves[2];
      std::memcpy(halves, &small, 8);
      w.v(8, 0) = halves[0], w.v(9, 0) = halves[1];
      ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, "ds_min_f64 v2, v[8:9]")));
      double now;
      std::memcpy(&now, w.lds() + 64, 8);
      EXPECT_EQ(now, -1.0);
    }
}

TEST(MemoryAtomic, LdsExchangeOfTwoAndWrap) {
  for (const auto* level : host_levels()) {
    TestWave w;
    auto lds = std::vector<uint32_t>(test_lds_bytes / 4);
    std::memcpy(lds.data(), w.lds(), test_lds_bytes);
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = uint32_t(l * 8);
    auto want = w.registers();
    for (int l = 0; l < 64; ++l) {
      want[16 * 64 + l] = lds[l * 2 + 1], want[17 * 64 + l] = lds[l * 2 + 64];
      lds[l * 2 + 1] = w.v(8, l);
      lds[l * 2 + 64] = w.v(12, l);
    }
    ASSERT_TRUE(
        w.run(*level, assemble(Target::gfx900, "ds_wrxchg2_rtn_b32 v[16:17], v2, v8, v12 offset0:1 offset1:64")));
    EXPECT_EQ(w.registers(), want);
    EXPECT_EQ(std::memcmp(lds.data(), w.lds(), test_lds_bytes), 0);

    w.set_exec(3);
    const uint32_t cells[2] = {10, 3};
    std::memcpy(w.lds(), cells, 8);
    for (int l = 0; l < 2; ++l)
      w.v(address, l) = uint32_t(l * 4), w.v(8, l) = 7, w.v(9, l) = 100;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, "ds_wrap_rtn_b32 v16, v2, v8, v9")));
    uint32_t now[2];
    std::memcpy(now, w.lds(), 8);
    EXPECT_EQ(now[0], 3u);   // 10 >= 7: subtract
    EXPECT_EQ(now[1], 103u); // else add the second
    EXPECT_EQ(w.v(16, 0), 10u);
  }
}

// The operand comes from LDS: MEM[A] = MEM[A] op MEM[B].
TEST(MemoryAtomic, OperandInLds) {
  for (const auto* level : host_levels()) {
    TestWave w;
    std::vector<uint32_t> lds(test_lds_bytes / 4);
    std::memcpy(lds.data(), w.lds(), test_lds_bytes);
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = uint32_t(l * 4), lds[l] += lds[l + 100];
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_add_src2_u32 v2 offset:100")));
    EXPECT_EQ(std::memcmp(lds.data(), w.lds(), test_lds_bytes), 0);
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = uint32_t(400 + l * 4), lds[100 + l] = lds[l];
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_write_src2_b32 v2 offset:" + std::to_string(0x8000 - 100))));
    EXPECT_EQ(std::memcmp(lds.data(), w.lds(), test_lds_bytes), 0);
    // Offset bit 15: the distance is in the address register.
    for (int l = 0; l < 64; ++l)
      w.v(address, l) = uint32_t(l * 4) | uint32_t(70 + l % 3) << 17, lds[l] = std::max(lds[l], lds[l + 70 + l % 3]);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_max_src2_u32 v2 offset:32768")));
    for (int l = 0; l < 8; ++l) {
      uint32_t now;
      std::memcpy(&now, w.lds() + 4 * l, 4);
      EXPECT_EQ(now, lds[l]) << l;
    }
  }
}

// MIN and MAX compare denormals as the numbers that they are, and CMPST does; whatever MODE says ("handles
// NaN/INF/denorm").
TEST(MemoryAtomic, LdsFloatsKeepDenormals) {
  const unsigned csr = _mm_getcsr();
  for (const auto* level : host_levels())
    for (const unsigned mode : {0x1f80u, 0x9fc0u}) { // denormals kept, flushed
      TestWave w;
      const uint32_t cells[6] = {0x00000002, 0x80000002, 0x00000002, 0x80000001, 0x00000001, 0x00000003};
      const uint32_t given[6] = {0x00000001, 0x00000001, 0x00000005, 0x00000000, 0x00000002, 0x00000003};
      const struct {
        const char* text;
        uint32_t want[6];
      } cases[] = {
          {"ds_min_f32 v2, v8", {1, 0x80000002, 2, 0x80000001, 1, 3}},
          {"ds_max_f32 v2, v8", {2, 1, 5, 0, 2, 3}},
          {"ds_cmpst_f32 v2, v8, v9", {2, 0x80000002, 2, 0x80000001, 1, 77}},
      };
      for (const auto& c : cases) {
        w.set_exec(63);
        std::memcpy(w.lds(), cells, sizeof cells);
        for (int l = 0; l < 6; ++l)
          w.v(address, l) = uint32_t(4 * l), w.v(8, l) = given[l], w.v(9, l) = 77;
        _mm_setcsr(mode);
        const bool ran = w.run(*level, assemble(Target::gfx900, c.text));
        _mm_setcsr(csr);
        ASSERT_TRUE(ran);
        EXPECT_EQ(std::memcmp(w.lds(), c.want, sizeof c.want), 0) << c.text << level->level << std::hex << mode;
      }
      // Doubles: 5e-324 is between 0 and 1e-323.
      const uint64_t cell = 1;
      w.set_exec(1);
      std::memcpy(w.lds(), &cell, 8);
      w.v(address, 0) = 0, w.v(8, 0) = 2, w.v(9, 0) = 0;
      _mm_setcsr(mode);
      w.run(*level, assemble(Target::gfx803, "ds_max_rtn_f64 v[16:17], v2, v[8:9]"));
      _mm_setcsr(csr);
      EXPECT_EQ(get(w.lds(), 64), 2u);
      EXPECT_EQ(register_value(w, 16, 0, 64), 1u);
    }
}

// 1 + 2^-24 lies between two floats: to nearest even it is 1, upwards it would be more. -1 - 2^-24 likewise.
TEST(MemoryAtomic, LdsAdditionRoundsToNearest) {
  const unsigned csr = _mm_getcsr();
  for (const auto* level : host_levels())
    for (const unsigned mode : {0x1f80u, 0x3f80u, 0x5f80u, 0x7f80u})
      for (const char* text : {"ds_add_f32 v2, v8", "ds_add_rtn_f32 v16, v2, v8", "ds_add_src2_f32 v2 offset:16"}) {
        TestWave w;
        const float one = 1.0f, tiny = 0x1p-24f, minus_one = -1.0f, minus_tiny = -0x1p-24f;
        std::memcpy(w.lds(), &one, 4), std::memcpy(w.lds() + 4, &minus_one, 4);
        std::memcpy(w.lds() + 64, &tiny, 4), std::memcpy(w.lds() + 68, &minus_tiny, 4);
        std::memcpy(&w.v(8, 0), &tiny, 4), std::memcpy(&w.v(8, 1), &minus_tiny, 4);
        w.set_exec(3);
        w.v(address, 0) = 0, w.v(address, 1) = 4;
        _mm_setcsr(mode);
        const bool ran = w.run(*level, assemble(Target::gfx900, text));
        EXPECT_EQ(_mm_getcsr() & 0x6000, mode & 0x6000);
        _mm_setcsr(csr);
        ASSERT_TRUE(ran);
        EXPECT_EQ(get(w.lds(), 32), 0x3f800000u) << text << level->level;
        EXPECT_EQ(get(w.lds() + 4, 32), 0xbf800000u) << text << level->level;
      }
}

TEST(MemoryAtomic, LdsConditionalExchange) {
  for (const auto* level : host_levels()) {
    TestWave w;
    w.set_exec(7);
    const uint32_t cells[6] = {10, 20, 30, 40, 50, 60};
    std::memcpy(w.lds(), cells, sizeof cells);
    w.v(address, 0) = 4, w.v(address, 1) = 12, w.v(address, 2) = test_lds_bytes; // the low three bits do not count
    w.v(8, 0) = 0x80000001, w.v(9, 0) = 2;
    w.v(8, 1) = 0x7fffffff, w.v(9, 1) = 0xffffffff;
    w.v(8, 2) = w.v(9, 2) = ~0u;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, "ds_condxchg32_rtn_b64 v[16:17], v2, v[8:9]")));
    const uint32_t want[6] = {1, 20, 30, 0x7fffffff, 50, 60};
    EXPECT_EQ(std::memcmp(w.lds(), want, sizeof want), 0) << level->level;
    const uint64_t old[3] = {20ull << 32 | 10, 40ull << 32 | 30, 0};
    for (int l = 0; l < 3; ++l)
      EXPECT_EQ(register_value(w, 16, l, 64), old[l]) << l;
  }
}

TEST(MemoryAtomic, MisalignedFaults) {
  for (const auto* level : host_levels()) {
    uint64_t memory[2] = {};
    TestWave w;
    for (int l = 0; l < 64; ++l)
      w.set_address(address, l, reinterpret_cast<uint64_t>(memory) + (l == 9 ? 4 : 0));
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "global_atomic_add_x2 v[2:3], v[8:9], off")));
    EXPECT_EQ(w.fault().kind, machine::FaultKind::misaligned_address);
    EXPECT_EQ(w.fault().lane, 9);
    EXPECT_EQ(w.fault().address, reinterpret_cast<uint64_t>(memory) + 4);
  }
}

TEST(MemoryAtomic, ThroughApertures) {
  const auto& windows = machine::apertures();
  for (const auto* level : host_levels()) {
    TestWave w;
    uint64_t memory = 100, lds = 0, scratch = 0;
    for (int l = 0; l < 3; ++l)
      w.v(data, l) = 7, w.v(data + 1, l) = 1;
    std::memcpy(&lds, w.lds() + 16, 8);
    for (int b = 7; b >= 0; --b)
      scratch = scratch << 8 | w.scratch(uint32_t(8 + b), 2);
    w.set_exec(7);
    w.set_address(address, 0, reinterpret_cast<uint64_t>(&memory));
    w.set_address(address, 1, windows.shared_base + 16);
    w.set_address(address, 2, windows.private_base + 8);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, "flat_atomic_add_x2 v[16:17], v[2:3], v[8:9] glc")));
    EXPECT_EQ(memory, 100 + 0x100000007);
    uint64_t now = 0;
    std::memcpy(&now, w.lds() + 16, 8);
    EXPECT_EQ(now, lds + 0x100000007);
    now = 0;
    for (int b = 7; b >= 0; --b)
      now = now << 8 | w.scratch(uint32_t(8 + b), 2);
    EXPECT_EQ(now, scratch + 0x100000007);
    EXPECT_EQ(register_value(w, 16, 1, 64), lds);
    EXPECT_EQ(register_value(w, 16, 2, 64), scratch);
  }
}

// Two threads, one cell: nothing is lost.
TEST(MemoryAtomic, ThreadsMeet) {
  for (const auto* level : host_levels())
    for (const char* text : {"global_atomic_add v16, v[2:3], v8, off glc", "global_atomic_add v[2:3], v8, off",
                             "global_atomic_inc v[2:3], v8, off"}) {
      const auto inst = assemble(Target::gfx900, text);
      uint32_t cell = 0;
      const bool inc = std::string(text).find("inc") != std::string::npos;
      const auto work = [&] {
        TestWave w;
        for (int i = 0; i < 500; ++i) {
          for (int l = 0; l < 64; ++l)
            w.set_address(address, l, reinterpret_cast<uint64_t>(&cell)), w.v(data, l) = inc ? ~0u : 1;
          w.run(*level, inst);
        }
      };
      std::thread other(work);
      work();
      other.join();
      EXPECT_EQ(cell, 64000u) << text << level->level;
    }
}
