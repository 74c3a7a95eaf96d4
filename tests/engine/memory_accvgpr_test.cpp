// Memory instructions of gfx90a whose data are AccVGPRs do what they do with VGPRs of the same numbers, which the other
// tests have compared with models; and the packed atomics of gfx908.
#include "tests/engine/memory_fixture.h"
#include <bit>

using namespace crosslane;
using namespace crosslane::test;
using isa::Target;

namespace {

constexpr int sets = 40; // VGPRs of each kind that the texts name
struct State {
  std::vector<uint32_t> v, a;
  std::vector<uint8_t> memory, lds, scratch;
  bool operator==(const State&) const = default;
};

// Runs the text with '#' replaced by the kind of its data registers.
State run(const engine::Backend& level, std::string text, char kind) {
  for (size_t at = 0; (at = text.find('#')) != std::string::npos;)
    text[at] = kind;
  alignas(64) static uint8_t memory[2048];
  for (size_t i = 0; i < sizeof memory; ++i)
    memory[i] = uint8_t(i * 37 + i / 256);
  TestWave w;
  w.set_exec(0xfffffff00ff00fffull);
  const uint64_t base = reinterpret_cast<uint64_t>(memory);
  for (int l = 0; l < 64; ++l) {
    for (int r = 0; r < sets; ++r) {
      const uint32_t data = uint32_t(1000 * r + l);
      w.v(r, l) = kind == 'v' ? data : ~data;
      w->vgpr(uint32_t(256 + r))[l] = kind == 'a' ? data : ~data;
    }
    w.set_address(2, l, base + uint64_t(l) * 16);
    w.v(4, l) = uint32_t(l) * 16 % 192;
  }
  w.s(4) = uint32_t(base), w.s(5) = uint32_t(base >> 32), w.s(6) = 2048, w.s(7) = 4u << 15;
  w->set_pair(20, base);
  EXPECT_TRUE(w.run(level, assemble(Target::gfx90a, text))) << text;
  State s;
  s.v.assign(w->vgpr(5), w->vgpr(sets)), s.a.assign(w->vgpr(256 + 5), w->vgpr(256 + sets));
  s.memory.assign(memory, memory + sizeof memory);
  s.lds.assign(w.lds(), w.lds() + test_lds_bytes);
  for (uint32_t o = 0; o < test_scratch_bytes; ++o)
    for (int l = 0; l < 64; ++l)
      s.scratch.push_back(w.scratch(o, l));
  return s;
}

} // namespace

TEST(MemoryAccVgpr, DoesWhatVgprsDo) {
  const char* texts[] = {
      "global_load_dword #8, v[2:3], off",
      "global_load_dwordx4 #[8:11], v[2:3], off",
      "global_load_ushort #8, v4, s[20:21]",
      "global_load_short_d16_hi #8, v[2:3], off",
      "global_store_dword v[2:3], #8, off",
      "global_store_dwordx3 v4, #[8:10], s[20:21]",
      "global_atomic_add #16, v[2:3], #8, off glc",
      "global_atomic_add_f64 v[2:3], #[8:9], off",
      "flat_load_dwordx2 #[8:9], v[2:3]",
      "flat_store_dwordx2 v[2:3], #[8:9]",
      "flat_atomic_cmpswap #16, v[2:3], #[8:9] glc",
      "scratch_load_dword #8, v4, off",
      "scratch_store_dwordx2 v4, #[8:9], off",
      "buffer_load_dwordx2 #[8:9], v4, s[4:7], 0 offen",
      "buffer_load_format_x #8, v4, s[4:7], 0 offen",
      "buffer_store_dwordx4 #[8:11], v4, s[4:7], 0 offen",
      "buffer_atomic_swap #8, v4, s[4:7], 0 offen glc",
      "ds_read_b32 #8, v4",
      "ds_read2_b64 #[8:11], v4 offset0:1 offset1:7",
      "ds_write_b128 v4, #[8:11]",
      "ds_write2_b32 v4, #8, #11 offset0:3 offset1:9",
      "ds_add_rtn_u32 #16, v4, #8",
      "ds_cmpst_rtn_b32 #16, v4, #8, #9",
  };
  for (const char* text : texts)
    for (const auto* level : host_levels()) {
      const State v = run(*level, text, 'v'), a = run(*level, text, 'a');
      EXPECT_EQ(v.memory, a.memory) << text << level->level;
      EXPECT_EQ(v.lds, a.lds) << text << level->level;
      EXPECT_EQ(v.scratch, a.scratch) << text << level->level;
      EXPECT_EQ(v.v, a.a) << text << level->level;
      EXPECT_EQ(v.a, a.v) << text << level->level;
    }
}

// Halves add up apart from each other, each rounded once; gfx90a can return what was there.
TEST(MemoryAccVgpr, PackedHalvesAddUp) {
  const auto pack = [](float low, float high) {
    return uint32_t(std::bit_cast<uint16_t>(_Float16(low))) | uint32_t(std::bit_cast<uint16_t>(_Float16(high))) << 16;
  };
  struct Case {
    Target target;
    const char* text;
    bool returns;
  };
  const Case cases[] = {
      {Target::gfx908, "global_atomic_pk_add_f16 v[2:3], v8, off", false},
      {Target::gfx908, "buffer_atomic_pk_add_f16 v8, v4, s[4:7], 0 offen", false},
      {Target::gfx90a, "global_atomic_pk_add_f16 v16, v[2:3], v8, off glc", true},
      {Target::gfx90a, "buffer_atomic_pk_add_f16 v8, v4, s[4:7], 0 offen glc", true},
  };
  for (const Case& c : cases)
    for (const auto* level : host_levels()) {
      uint32_t memory[3] = {pack(1.5f, -2.0f), pack(2048.0f, 0x1p-24f), pack(60000.0f, 7.0f)};
      const uint32_t add[3] = {pack(0.25f, 4.0f), pack(1.0f, 0x1p-24f), pack(60000.0f, -7.0f)};
      const uint32_t want[3] = {pack(1.75f, 2.0f), pack(2048.0f, 0x1p-23f), pack(INFINITY, 0.0f)};
      TestWave w;
      w.set_exec(7);
      const uint64_t base = reinterpret_cast<uint64_t>(memory);
      w.s(4) = uint32_t(base), w.s(5) = uint32_t(base >> 32), w.s(6) = 12, w.s(7) = 4u << 15;
      for (int l = 0; l < 3; ++l)
        w.set_address(2, l, base + uint64_t(l) * 4), w.v(4, l) = uint32_t(l) * 4, w.v(8, l) = add[l];
      const uint32_t before[3] = {memory[0], memory[1], memory[2]};
      ASSERT_TRUE(w.run(*level, assemble(c.target, c.text))) << c.text;
      const int dst = std::string(c.text).starts_with("global") ? 16 : 8;
      for (int l = 0; l < 3; ++l) {
        EXPECT_EQ(memory[l], want[l]) << c.text << " " << l << level->level;
        if (c.returns)
          EXPECT_EQ(w.v(dst, l), before[l]) << c.text << " " << l << level->level;
      }
    }
}
