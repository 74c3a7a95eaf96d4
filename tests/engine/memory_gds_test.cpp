// DS with the GDS bit: does to the global data share what it does to LDS without it (which other tests hold against the
// manual), within the part that M0 gives.
#include "tests/engine/memory_fixture.h"

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {
uint32_t dword(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}
} // namespace

TEST(MemoryGds, EveryInstructionWorksAsOnLds) {
  const char* const texts[] = {
      "ds_add_u32 v2, v8 offset:8",
      "ds_add_rtn_u32 v16, v2, v8",
      "ds_sub_u64 v2, v[8:9]",
      "ds_rsub_rtn_u32 v16, v2, v8",
      "ds_inc_u32 v2, v8",
      "ds_dec_rtn_u64 v[16:17], v2, v[8:9]",
      "ds_min_i32 v2, v8",
      "ds_max_rtn_u64 v[16:17], v2, v[8:9]",
      "ds_and_b32 v2, v8",
      "ds_or_b64 v2, v[8:9]",
      "ds_xor_rtn_b32 v16, v2, v8",
      "ds_mskor_b32 v2, v8, v9",
      "ds_cmpst_rtn_b32 v16, v2, v8, v9",
      "ds_cmpst_f32 v2, v8, v9",
      "ds_max_f32 v2, v8",
      "ds_min_rtn_f64 v[16:17], v2, v[8:9]",
      "ds_add_f32 v2, v8",
      "ds_wrxchg_rtn_b64 v[16:17], v2, v[8:9]",
      "ds_wrxchg2_rtn_b32 v[16:17], v2, v8, v9 offset0:1 offset1:3",
      "ds_wrap_rtn_b32 v16, v2, v8, v9",
      "ds_condxchg32_rtn_b64 v[16:17], v2, v[8:9]",
      "ds_add_src2_u32 v2 offset:9",
      "ds_write_src2_b64 v2 offset:7",
      "ds_write_b8 v2, v8 offset:3",
      "ds_write_b16 v2, v8",
      "ds_write_b32 v2, v8 offset:100",
      "ds_write_b64 v2, v[8:9]",
      "ds_write_b96 v2, v[8:10]",
      "ds_write_b128 v2, v[8:11]",
      "ds_write2_b32 v2, v8, v9 offset0:1 offset1:200",
      "ds_write2st64_b64 v2, v[8:9], v[10:11] offset0:1 offset1:3",
      "ds_read_u8 v16, v2 offset:1",
      "ds_read_i16 v16, v2",
      "ds_read_b32 v16, v2",
      "ds_read_b64 v[16:17], v2 offset:8",
      "ds_read_b96 v[16:18], v2",
      "ds_read_b128 v[16:19], v2",
      "ds_read2_b64 v[16:19], v2 offset0:0 offset1:9",
      "ds_read2st64_b32 v[16:17], v2 offset0:1 offset1:2",
  };
  for (const char* text : texts)
    for (const uint64_t exec : {~uint64_t(0), uint64_t(0x0ff0f00f8001c3a5)})
      for (const auto* level : host_levels()) {
        TestWave lds, gds;
        const uint32_t base = 512;
        for (TestWave* w : {&lds, &gds}) {
          w->set_exec(exec);
          for (int l = 0; l < 64; ++l)
            w->v(2, l) = l == 7 ? 5000 : uint32_t(l * 16);
        }
        auto& memory = gds.gds().state().memory;
        std::memcpy(memory + base, lds.lds(), test_lds_bytes);
        gds.s(124) = base << 16 | test_lds_bytes;
        const std::vector<uint8_t> untouched(gds.lds(), gds.lds() + test_lds_bytes);
        ASSERT_TRUE(lds.run(*level, assemble(Target::gfx803, text))) << text;
        ASSERT_TRUE(gds.run(*level, assemble(Target::gfx803, std::string(text) + " gds"))) << text;
        ASSERT_EQ(std::memcmp(memory + base, lds.lds(), test_lds_bytes), 0) << text << level->level;
        ASSERT_EQ(gds.registers(), lds.registers()) << text << level->level;
        ASSERT_EQ(std::vector<uint8_t>(gds.lds(), gds.lds() + test_lds_bytes), untouched) << text;
        ASSERT_EQ(gds->workgroup->lds, gds.lds());
        for (uint32_t i = 0; i < base; ++i)
          ASSERT_EQ(memory[i], 0);
      }
}

// "GDS: { base[15:0], size[15:0] }": beyond size, and beyond the 64 KiB, loads give 0 and stores do nothing.
TEST(MemoryGds, M0HasBaseAndSize) {
  for (const auto* level : host_levels()) {
    TestWave w;
    auto& memory = w.gds().state().memory;
    std::memset(memory, 0x11, machine::gds_bytes);
    for (int l = 0; l < 64; ++l)
      w.v(2, l) = uint32_t(4 * l);
    w.s(124) = 0x100 << 16 | 0x40; // 16 dwords
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_write_b32 v2, v8 gds")));
    for (int i = 0; i < 40; ++i)
      EXPECT_EQ(dword(memory + 0x100 + 4 * i), i < 16 ? w.v(8, i) : 0x11111111) << i;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_read_b32 v16, v2 gds")));
    for (int l = 0; l < 64; ++l)
      EXPECT_EQ(w.v(16, l), l < 16 ? w.v(8, l) : 0u) << l;
    w.s(124) = 0xfff0u << 16 | 0xffff; // only 16 bytes are left
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_read_b32 v16, v2 gds")));
    for (int l = 0; l < 64; ++l)
      EXPECT_EQ(w.v(16, l), l < 4 ? 0x11111111 : 0u) << l;
  }
}

TEST(MemoryGds, AppendAndConsumeAtTheBase) {
  for (const auto* level : host_levels()) {
    TestWave w;
    w.set_exec(0xff0f);
    w.s(124) = 0x40 << 16 | 0x100;
    auto& memory = w.gds().state().memory;
    memory[0x40] = 100;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_append v16 gds")));
    EXPECT_EQ(dword(memory + 0x40), 112u);
    for (int l = 0; l < 16; ++l)
      if (w.active(l))
        EXPECT_EQ(w.v(16, l), 100u);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_consume v16 offset:4 gds")));
    EXPECT_EQ(dword(memory + 0x44), uint32_t(-12));
  }
}

// RDNA3 manual: the counter is at M0[31:18] dwords + OFFSET0[7:2]; the first valid lane has the increment, none adds 0.
TEST(MemoryGds, OrderedCount) {
  for (const auto* level : host_levels()) {
    TestWave w;
    auto& memory = w.gds().state().memory;
    w.s(124) = 0x80 << 16 | 5; // the low half is the number of the wave
    memory[0x8c] = 40;
    w.set_exec(0xf0);
    w.v(2, 4) = 7;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_ordered_count v16, v2 offset:12 gds"))); // keeps its turn
    EXPECT_EQ(dword(memory + 0x8c), 47u);
    for (int l = 4; l < 8; ++l)
      EXPECT_EQ(w.v(16, l), 40u);
    w.set_exec(0);
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900, "ds_ordered_count v16, v2 offset:12 gds")));
    EXPECT_EQ(dword(memory + 0x8c), 47u);
    w.set_exec(1);
    w.v(2, 0) = 9;
    ASSERT_TRUE(w.run(*level, assemble(Target::gfx900,
                                       "ds_ordered_count v16, v2 offset:4876 gds"))); // 0x130c: exchange, release, done
    EXPECT_EQ(dword(memory + 0x8c), 9u);
    EXPECT_EQ(w.v(16, 0), 47u);
    EXPECT_EQ(w->ordered_counts, 1u);
  }
}
