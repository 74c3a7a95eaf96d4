// Waves that are launched with fewer than 64 lanes, compiled: ids, what lanes have that were not launched, faults.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include <fmt/format.h>

namespace crosslane::test {
namespace {

constexpr isa::Target targets[] = {isa::Target::gfx803, isa::Target::gfx900, isa::Target::gfx90a};

struct Ran {
  std::vector<uint32_t> left;
  engine::Outcome outcome;
  uint64_t entered = 0;
};

// What kernel `k` writes to its argument, a buffer of so many dwords.
Ran run(const Kernel& k, const Shape& shape, size_t dwords, bool compiled) {
  machine::Memory memory;
  Buffer<uint32_t> out(memory, dwords);
  std::fill(out.begin(), out.end(), 0);
  engine::Options options;
  options.threads = 1;
  options.poison = 1; // lanes that are not launched have the same both times
  const uint64_t before = jit::stats().entered;
  Ran r;
  r.outcome =
      compiled ? k.run(shape, {out.address()}, options, 1024) : k.interpret(shape, {out.address()}, options, 1024);
  r.entered = jit::stats().entered - before;
  r.left.assign(out.begin(), out.end());
  return r;
}

// Ids in v0, v1, v2 and, behind packed ones, v5: bytes to place s2 * work-items + number in the workgroup.
std::string place(const Shape& s) {
  return fmt::format(R"(
    .if .amdgcn.gfx_generation_minor == 0 && .amdgcn.gfx_generation_stepping == 10
    v_bfe_u32 v1, v0, 10, 10
    v_bfe_u32 v2, v0, 20, 10
    v_and_b32 v0, 0x3ff, v0
    .endif
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    v_mul_u32_u24 v5, {1}, v2
    add_u32 v5, v1, v5
    v_mul_u32_u24 v5, {0}, v5
    add_u32 v5, v0, v5
    s_mul_i32 s10, s2, {2}
    add_u32 v5, s10, v5
    v_lshlrev_b32 v5, 2, v5
    s_waitcnt lgkmcnt(0)
  )",
                     s.group[0], s.group[1], s.group[0] * s.group[1] * s.group[2]);
}

void expect_same(const std::string& body, const Shape& s, size_t dwords) {
  for (const isa::Target target : targets) {
    SCOPED_TRACE(fmt::format("{}, groups of {} x {} x {}", isa::info(target).name, s.group[0], s.group[1], s.group[2]));
    const Kernel kernel(target, body, target == isa::Target::gfx90a ? ".amdhsa_accum_offset 64" : "");
    const Ran a = run(kernel, s, dwords, false), b = run(kernel, s, dwords, true);
    EXPECT_NO_FAULT(b.outcome);
    EXPECT_EQ(a.left, b.left);
    EXPECT_EQ(a.outcome.stats.instructions, b.outcome.stats.instructions);
    EXPECT_EQ(a.entered, 0u);
    EXPECT_EQ(b.entered, b.outcome.stats.waves); // every one
  }
}

TEST(PartialWaves, HaveIdsInGroupsOfAllShapes) {
  for (const Shape& s : {Shape{{96, 1, 1}, {32, 1, 1}}, Shape{{5, 1, 1}, {1, 1, 1}}, Shape{{126, 1, 1}, {63, 1, 1}},
                         Shape{{195, 1, 1}, {65, 1, 1}}, Shape{{300, 1, 1}, {100, 1, 1}},
                         Shape{{1000, 1, 1}, {1000, 1, 1}}, Shape{{48, 2, 1}, {16, 2, 1}},
                         Shape{{48, 13, 1}, {16, 13, 1}}, Shape{{96, 3, 1}, {32, 3, 1}}, Shape{{16, 4, 1}, {8, 4, 1}},
                         Shape{{14, 7, 3}, {7, 7, 3}}, Shape{{32, 3, 3}, {16, 3, 3}}, Shape{{64, 1, 3}, {32, 1, 3}},
                         Shape{{2, 40, 1}, {1, 40, 1}}, Shape{{2, 64, 3}, {1, 64, 3}}, Shape{{2, 8, 4}, {1, 8, 4}}}) {
    const size_t items = size_t(s.grid[0]) * s.grid[1] * s.grid[2];
    const std::string body = place(s) + R"(
      v_lshlrev_b32 v6, 10, v1
      v_or_b32 v6, v0, v6
      v_lshlrev_b32 v7, 20, v2
      v_or_b32 v6, v6, v7
      address 8, 8, v5
      flat_store_dword v[8:9], v6
      s_endpgm
    )";
    expect_same(body, s, items);
    const Ran b = run(Kernel(isa::Target::gfx900, body), s, items, true);
    uint64_t wrong = 0;
    for (uint32_t i = 0; i < items; ++i) {
      const uint32_t n = i % (s.group[0] * s.group[1] * s.group[2]);
      wrong += b.left[i] != (n % s.group[0] | n / s.group[0] % s.group[1] << 10 | n / s.group[0] / s.group[1] << 20);
    }
    EXPECT_EQ(wrong, 0u);
  }
}

// Of ids, of what was computed of them under EXEC, and of what nothing has written.
TEST(PartialWaves, OtherLanesHaveWhatTheLaunchLeft) {
  for (const uint32_t items : {32u, 40u, 100u})
    expect_same(place({{}, {items, 1, 1}}) + R"(
      s_mov_b64 s[12:13], exec
      v_lshlrev_b32 v6, 3, v0
      v_mov_b32_dpp v7, v6 row_shl:9 row_mask:0xf bank_mask:0xf
      v_readlane_b32 s14, v6, 63
      v_readlane_b32 s15, v0, 63
      s_mov_b64 exec, -1
      s_mul_i32 s10, s2, 0x400
      v_mbcnt_lo_u32_b32 v8, -1, 0
      v_mbcnt_hi_u32_b32 v8, -1, v8
      v_mov_b32 v9, s15
      v_lshlrev_b32 v10, 2, v9
      ds_bpermute_b32 v10, v10, v6
      s_waitcnt lgkmcnt(0)
      v_xor_b32 v6, s14, v6
      v_lshlrev_b32 v8, 4, v8
      add_u32 v8, s10, v8
      address 12, 8, v8
      flat_store_dwordx4 v[12:13], v[6:9]
      s_waitcnt vmcnt(0)
      v_mov_b32 v9, v10
      v_mov_b32 v8, v11
      flat_store_dwordx4 v[12:13], v[6:9]
      s_endpgm
    )",
                {{3 * items, 1, 1}, {items, 1, 1}}, 3 * 256);
}

TEST(PartialWaves, MeetAtBarriersAndLoop) {
  for (const uint32_t items : {24u, 65u, 190u})
    expect_same(place({{}, {items, 1, 1}}) + fmt::format(R"(
      s_mov_b32 m0, -1
      v_lshlrev_b32 v6, 2, v0
      v_mul_u32_u24 v7, 37, v0
      ds_write_b32 v6, v7
      s_waitcnt lgkmcnt(0)
      s_barrier
      v_mul_i32_i24 v6, -1, v6
      add_u32 v6, {}, v6
      ds_read_b32 v7, v6
      v_and_b32 v8, 7, v0
      v_mov_b32 v9, 0
      s_waitcnt lgkmcnt(0)
      s_mov_b64 s[12:13], exec
    again:
      v_mul_lo_u32 v9, v9, v7
      add_u32 v9, v8, v9
      v_cmp_ne_u32 vcc, 0, v8
      v_mov_b32 v10, -1
      add_u32 v8, v8, v10
      v_cmp_lt_i32 vcc, 0, v8
      s_and_b64 exec, exec, vcc
      s_cbranch_execnz again
      s_mov_b64 exec, s[12:13]
      address 12, 8, v5
      flat_store_dword v[12:13], v9
      s_endpgm
    )",
                                                         4 * (items - 1)),
                {{4 * items, 1, 1}, {items, 1, 1}}, 4 * items);
}

TEST(PartialWaves, FaultAsInterpreted) {
  const Kernel kernel(isa::Target::gfx900, place({{}, {40, 1, 1}}) + R"(
    v_cmp_eq_u32 vcc, 33, v0
    v_mov_b32 v9, s9
    v_mov_b32 v7, 0x7fff0000
    v_mov_b32 v8, s8
    v_cndmask_b32 v8, v8, v7, vcc
    flat_store_dword v[8:9], v5
    s_endpgm
  )");
  const Shape shape{{80, 1, 1}, {40, 1, 1}};
  const Ran a = run(kernel, shape, 80, false), b = run(kernel, shape, 80, true);
  ASSERT_TRUE(a.outcome.fault && b.outcome.fault);
  EXPECT_EQ(a.outcome.fault->lane, 33);
  EXPECT_EQ(machine::describe(*a.outcome.fault), machine::describe(*b.outcome.fault));
  EXPECT_EQ(b.entered, 1u);
}

} // namespace
} // namespace crosslane::test
