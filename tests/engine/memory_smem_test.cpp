// SMEM: all widths and offset forms, registers that overlap, buffer bounds, the clocks; and lane_address().
#include "engine/memory/lane_address.h"
#include "tests/engine/memory_fixture.h"
#include <time.h>

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {
uint64_t address_of(const void* p) { return reinterpret_cast<uint64_t>(p); }
uint32_t dword(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}
std::string sregs(int first, int dwords) {
  return dwords == 1 ? "s" + std::to_string(first)
                     : "s[" + std::to_string(first) + ":" + std::to_string(first + dwords - 1) + "]";
}
std::string suffix(int dwords) { return dwords == 1 ? "dword" : "dwordx" + std::to_string(dwords); }
} // namespace

TEST(MemorySmem, Loads) {
  const Guarded memory(4096);
  for (const int n : {1, 2, 4, 8, 16})
    for (const int dst : {16, 4}) // 4: over base and offset
      for (const Target target : {Target::gfx803, Target::gfx900}) {
        struct Form {
          const char* text;
          int64_t offset;
        };
        std::vector<Form> forms = {{"0x0", 0}, {"0x64", 100}, {"s6", 40}};
        if (target == Target::gfx900)
          forms.push_back({"-8", -8});
        for (const Form& form : forms) {
          const auto inst = assemble(target, "s_load_" + suffix(n) + " " + sregs(dst, n) + ", s[4:5], " + form.text);
          for (const auto* level : host_levels())
            for (const int low : {0, 3}) { // low bits of the address are ignored
              TestWave w;
              const uint8_t* at = memory.end() - 4 * n;
              w->set_pair(4, address_of(at) - form.offset + low);
              w.s(6) = 40;
              ASSERT_TRUE(w.run(*level, inst));
              for (int i = 0; i < n; ++i)
                EXPECT_EQ(w.s(dst + i), dword(at + 4 * i)) << n << form.text << level->level;
            }
        }
      }
}

TEST(MemorySmem, StoresAndSpecialRegisters) {
  for (const auto* level : host_levels()) {
    alignas(64) uint32_t memory[8] = {};
    TestWave w;
    w->set_pair(4, address_of(memory));
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "s_store_dwordx4 s[8:11], s[4:5], 0x8")));
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(memory[2 + i], w.s(8 + i));
    w.s(124) = 28;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, "s_store_dword s8, s[4:5], m0")));
    EXPECT_EQ(memory[7], w.s(8));
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx803, "s_load_dwordx2 vcc, s[4:5], 0x8")));
    EXPECT_EQ(w->vcc(), uint64_t(memory[3]) << 32 | memory[2]);
  }
}

// gfx9: an SGPR and an immediate at once; S_SCRATCH counts the SGPR in units of 64 bytes. Each part loses its two low
// bits.
TEST(MemorySmem, OffsetsOfGfx9) {
  const Guarded memory(4096);
  for (const auto* level : host_levels()) {
    struct Form {
      const char* text;
      uint32_t s6;
      int64_t at;
    };
    const Form forms[] = {{"s_load_dword s16, s[4:5], s6 offset:0x10", 40, 56},
                          {"s_load_dword s16, s[4:5], s6 offset:-16", 40, 24},
                          {"s_load_dword s16, s[4:5], s6", 7, 4},
                          {"s_load_dword s16, s[4:5], 0x7", 0, 4},
                          {"s_scratch_load_dword s16, s[4:5], s6", 8, 512},
                          {"s_scratch_load_dword s16, s[4:5], 0x18", 0, 24},
                          {"s_scratch_load_dword s16, s[4:5], s6 offset:0x8", 4, 264},
                          {"s_scratch_load_dwordx2 s[16:17], s[4:5], s6", 5, 256}};
    for (const Form& form : forms) {
      TestWave w;
      w->set_pair(4, address_of(memory.begin()) + 1024);
      w.s(6) = form.s6;
      const auto inst = assemble(Target::gfx900, form.text);
      ASSERT_TRUE(w.run(*level, inst)) << form.text;
      EXPECT_EQ(w.s(16), dword(memory.begin() + 1024 + form.at)) << form.text << level->level;
      w.s(6) = form.s6;
      EXPECT_EQ(engine::lane_address(inst, *w, 0)->address, address_of(memory.begin()) + 1024 + uint64_t(form.at))
          << form.text;
    }
    TestWave w;
    w->set_pair(4, address_of(memory.begin()));
    w.s(6) = 8;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "s_scratch_store_dwordx2 s[8:9], s[4:5], s6 offset:0x4")));
    EXPECT_EQ(dword(memory.begin() + 516), w.s(8));
    EXPECT_EQ(dword(memory.begin() + 520), w.s(9));
  }
}

// SMRD counts immediate offsets in dwords, gfx7 in a literal, too; an SGPR counts bytes.
TEST(MemorySmem, OffsetsOfGfx6AndGfx7) {
  const Guarded memory(8192);
  const struct {
    Target target;
    const char* text;
    int64_t at;
  } cases[] = {{Target::gfx600, "s_load_dword s16, s[4:5], 0x3", 12},
               {Target::gfx701, "s_load_dword s16, s[4:5], 0xff", 1020},
               {Target::gfx701, "s_load_dword s16, s[4:5], 0x400", 4096},
               {Target::gfx600, "s_load_dwordx2 s[16:17], s[4:5], s6", 40},
               {Target::gfx701, "s_buffer_load_dword s16, s[4:7], 0x5", 20},
               {Target::gfx701, "s_buffer_load_dword s16, s[4:7], 0x401", 4100}};
  for (const auto& c : cases)
    for (const auto* level : host_levels()) {
      TestWave w;
      w->set_pair(4, address_of(memory.begin()));
      const bool buffer = c.text[2] == 'b';
      w.s(6) = buffer ? 8192 : 40, w.s(7) = 0;
      const auto inst = assemble(c.target, c.text);
      EXPECT_EQ(engine::lane_address(inst, *w, 0)->address, address_of(memory.begin()) + uint64_t(c.at)) << c.text;
      ASSERT_TRUE(w.run(*level, inst));
      EXPECT_EQ(w.s(16), dword(memory.begin() + c.at)) << c.text << level->level;
    }
}

TEST(MemorySmem, BufferBounds) {
  const Guarded memory(4096);
  for (const auto* level : host_levels())
    for (const uint32_t stride : {0u, 8u}) {
      TestWave w;
      w->set_pair(4, (address_of(memory.end()) - 24) | uint64_t(stride) << 48);
      w.s(6) = stride ? 3 : 24;
      w.s(7) = 0;
      ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "s_buffer_load_dwordx8 s[16:23], s[4:7], 0x4")));
      for (int i = 0; i < 8; ++i)
        EXPECT_EQ(w.s(16 + i), i < 5 ? dword(memory.end() - 20 + 4 * i) : 0) << i << level->level;
      const std::vector<uint32_t> values = {w.s(8), w.s(9), w.s(10), w.s(11)};
      ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "s_buffer_store_dwordx4 s[8:11], s[4:7], 0x10")));
      EXPECT_EQ(dword(memory.end() - 8), values[0]);
      EXPECT_EQ(dword(memory.end() - 4), values[1]);
    }
}

TEST(MemorySmem, ClocksRunForward) {
  for (const auto* level : host_levels())
    for (const char* text : {"s_memtime s[8:9]", "s_memrealtime s[8:9]"}) {
      TestWave w;
      ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, text)));
      const uint64_t first = w->pair(8);
      const timespec pause = {0, 20'000'000};
      nanosleep(&pause, nullptr);
      ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, text)));
      const uint64_t ticks = w->pair(8) - first, per_second = text[5] == 'r' ? 100'000'000 : 1'000'000'000;
      EXPECT_GE(ticks, per_second / 50);
      EXPECT_LE(ticks, per_second);
    }
}

TEST(MemorySmem, CacheControlDoesNothing) {
  for (const auto* level : host_levels()) {
    TestWave w;
    const std::vector<uint32_t> before(w->s, w->s + 128);
    for (const char* text :
         {"s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol", "s_dcache_discard s[4:5], 0x0",
          "s_dcache_discard_x2 s[4:5], s6", "s_atc_probe 7, s[4:5], 0x64", "s_atc_probe_buffer 7, s[8:11], s6",
          "buffer_wbinvl1", "buffer_wbinvl1_vol"})
      EXPECT_TRUE(w.run(*level, assemble(Target::gfx900, text)));
    EXPECT_EQ(std::vector<uint32_t>(w->s, w->s + 128), before);
  }
}

TEST(LaneAddress, NamesTheBytesOfEachLane) {
  TestWave w;
  const auto& windows = machine::apertures();
  w.s(20) = 0x1000, w.s(21) = 0x7f, w.s(30) = 12;
  const auto at = [&](Target target, const char* text, int lane) {
    return engine::lane_address(assemble(target, text), *w, lane);
  };
  for (const int lane : {0, 5, 63}) {
    w.set_address(2, lane, 0x7f0000000100 + lane);
    const auto global = at(Target::gfx900, "global_load_dwordx3 v[8:10], v[2:3], off offset:-16", lane);
    ASSERT_TRUE(global);
    EXPECT_EQ(global->address, 0x7f00000000f0u + lane);
    EXPECT_EQ(global->bytes, 12u);
    EXPECT_EQ(at(Target::gfx900, "global_store_byte v2, v8, s[20:21] offset:3", lane)->address,
              0x7f00001003u + 0x100 + lane);
    EXPECT_EQ(at(Target::gfx900, "global_store_byte v2, v8, s[20:21] offset:3", lane)->bytes, 1u);
    EXPECT_EQ(at(Target::gfx803, "flat_atomic_cmpswap_x2 v[2:3], v[8:11]", lane)->bytes, 8u);
    EXPECT_EQ(at(Target::gfx900, "ds_read_b64 v[8:9], v2 offset:8", lane)->address, windows.shared_base + 0x108 + lane);
    EXPECT_EQ(at(Target::gfx900, "ds_read2_b64 v[8:11], v2 offset0:2 offset1:9", lane)->address,
              windows.shared_base + 0x110 + lane);
    EXPECT_EQ(at(Target::gfx900, "scratch_load_dword v8, off, s30 offset:4", lane)->address, windows.private_base + 16);
    w.s(4) = 0x2000, w.s(5) = 0, w.s(6) = 0x110 + 8, w.s(7) = 0;
    const auto raw = at(Target::gfx900, "buffer_load_dword v8, v2, s[4:7], s30 offen offset:4", lane);
    EXPECT_EQ(bool(raw), lane <= 16); // 0x104 + lane + 4 <= 0x118
    if (raw)
      EXPECT_EQ(raw->address, 0x2000u + 12 + 4 + 0x100 + lane);
    w->set_pair(4, address_of(w->scratch) | uint64_t(1) << 63);
    w.s(6) = ~0u, w.s(7) = 0x00e80000, w.s(31) = 512;
    EXPECT_EQ(at(Target::gfx803, "buffer_store_dwordx2 v[8:9], off, s[4:7], s31 offset:4", lane)->address,
              windows.private_base + 12);
    EXPECT_FALSE(at(Target::gfx900, "ds_bpermute_b32 v8, v2, v5", lane));
    EXPECT_FALSE(at(Target::gfx900, "v_mov_b32 v8, v2", lane));
    EXPECT_FALSE(at(Target::gfx900, "buffer_wbinvl1", lane));
  }
  w.s(6) = 0x41;
  EXPECT_EQ(at(Target::gfx900, "s_load_dwordx4 s[8:11], s[20:21], s6", 0)->address, 0x7f00001040u);
  EXPECT_EQ(at(Target::gfx900, "s_load_dwordx4 s[8:11], s[20:21], s6", 0)->bytes, 16u);
}
