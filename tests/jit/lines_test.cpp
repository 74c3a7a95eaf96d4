// Workgroups whose lines have 8, 16 or 32 work-items: ids, and accesses of rows of which eight lanes lie side by side,
// or at one place.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include <bit>
#include <fmt/format.h>

namespace crosslane::test {
namespace {

using isa::Target;

constexpr Target targets[] = {Target::gfx803, Target::gfx900, Target::gfx90a};
constexpr uint32_t dwords = 32768; // of each buffer

struct Ran {
  std::vector<uint32_t> left;
  engine::Outcome outcome;
  uint64_t entered = 0, back = 0;
};

// With the buffers' addresses in s[8:11], a pitch in s12, ids in v0, v1 and v2.
Ran run(const Kernel& kernel, const Shape& shape, uint32_t pitch, bool compiled) {
  machine::Memory memory;
  Buffer<uint32_t> in(memory, dwords), out(memory, dwords);
  for (uint32_t i = 0; i < dwords; ++i)
    in[i] = i * 0x9e3779b1, out[i] = ~i;
  engine::Options options;
  options.threads = 1;
  options.poison = 1;
  const std::vector<uint64_t> arguments{in.address(), out.address(), pitch};
  const jit::Stats before = jit::stats();
  Ran r;
  r.outcome =
      compiled ? kernel.run(shape, arguments, options, 8192) : kernel.interpret(shape, arguments, options, 8192);
  r.entered = jit::stats().entered - before.entered, r.back = jit::stats().left - before.left;
  r.left.assign(out.begin(), out.end());
  return r;
}

void expect_same(const std::string& body, const Shape& shape, uint32_t pitch) {
  for (const Target target : targets) {
    SCOPED_TRACE(fmt::format("{}, groups of {} x {} x {}, pitch {}", isa::info(target).name, shape.group[0],
                             shape.group[1], shape.group[2], pitch));
    const Kernel kernel(target, R"(
      .if .amdgcn.gfx_generation_minor == 0 && .amdgcn.gfx_generation_stepping == 10
      v_bfe_u32 v1, v0, 10, 10
      v_bfe_u32 v2, v0, 20, 10
      v_and_b32 v0, 0x3ff, v0
      .endif
      s_load_dwordx4 s[8:11], s[0:1], 0x0
      s_load_dword s12, s[0:1], 0x10
      s_mov_b32 m0, -1
      s_waitcnt lgkmcnt(0)
    )" + body + "\n s_endpgm",
                        target == Target::gfx90a ? ".amdhsa_accum_offset 32" : "");
    const Ran a = run(kernel, shape, pitch, false), b = run(kernel, shape, pitch, true);
    EXPECT_NO_FAULT(b.outcome);
    EXPECT_EQ(a.left, b.left);
    EXPECT_EQ(b.entered, b.outcome.stats.waves);
    EXPECT_EQ(b.back, 0u);
  }
}

struct Width {
  const char *load, *store, *lds_load, *lds_store;
  uint32_t bytes;
};
constexpr Width widths[] = {{"ubyte", "byte", "u8", "b8", 1},
                            {"sshort", "short", "i16", "b16", 2},
                            {"dword", "dword", "b32", "b32", 4},
                            {"dwordx4", "dwordx4", "b128", "b128", 16}};

// Items at y lines of s12 bytes each, also from the place that all of a line have, through LDS, where lines have a
// length that is known.
std::string copies(const Width& w, bool masked) {
  const std::string v = w.bytes == 16 ? "v[16:19]" : "v16", v2 = w.bytes == 16 ? "v[20:23]" : "v20";
  return fmt::format(R"(
    v_mov_b32 v16, 1
    v_mov_b32 v20, 2
    v_lshlrev_b32 v3, {shift}, v0
    v_mul_lo_u32 v4, v1, s12
    v_lshlrev_b32 v5, 7, v2
    add_u32 v4, v4, v5
    add_u32 v5, v3, v4
    address 6, 8, v5
    address 8, 8, v4
    v_lshlrev_b32 v10, 8, v1
    add_u32 v10, v10, v3
    {mask}
    flat_load_{load} {v}, v[6:7]
    flat_load_{load} {v2}, v[8:9]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    ds_write_{lds_store} v10, {v}
    s_waitcnt lgkmcnt(0)
    ds_read_{lds_load} {v}, v10
    address 6, 10, v5
    s_waitcnt lgkmcnt(0)
    flat_store_{store} v[6:7], {v}
    v_mov_b32 v11, 0x4000
    add_u32 v5, v11, v5
    address 6, 10, v5
    flat_store_{store} v[6:7], {v2}
  )",
                     fmt::arg("shift", std::countr_zero(w.bytes)), fmt::arg("load", w.load), fmt::arg("store", w.store),
                     fmt::arg("lds_load", w.lds_load), fmt::arg("lds_store", w.lds_store), fmt::arg("v", v),
                     fmt::arg("v2", v2),
                     fmt::arg("mask", masked ? "v_mul_u32_u24 v12, 5, v0\n v_xor_b32 v12, v1, v12\n"
                                               "v_and_b32 v12, 3, v12\n v_cmp_ne_u32 vcc, 2, v12\n"
                                               "s_and_b64 exec, exec, vcc\n"
                                             : ""));
}

TEST(Lines, OfEight) {
  for (const Width& w : widths)
    for (const uint32_t pitch : {8 * w.bytes, 128u, 132u}) {
      expect_same(copies(w, false), {{16, 16, 1}, {8, 8, 1}}, pitch);
      expect_same(copies(w, true), {{8, 24, 1}, {8, 24, 1}}, pitch);
    }
}

TEST(Lines, OfAllShapes) {
  for (const Shape& s : {Shape{{8, 4, 2}, {8, 4, 2}}, Shape{{8, 2, 8}, {8, 2, 8}}, Shape{{8, 1, 8}, {8, 1, 8}},
                         Shape{{8, 3, 4}, {8, 3, 4}}, Shape{{8, 5, 1}, {8, 5, 1}}, Shape{{8, 4, 3}, {8, 4, 3}},
                         Shape{{16, 2, 4}, {16, 2, 4}}, Shape{{16, 1, 4}, {16, 1, 4}}, Shape{{32, 1, 2}, {32, 1, 2}},
                         Shape{{24, 8, 1}, {24, 8, 1}}, Shape{{16, 8, 2}, {8, 8, 2}}, Shape{{4, 16, 1}, {4, 16, 1}}})
    for (const bool masked : {false, true})
      expect_same(copies(widths[2], masked), s, 96);
}

// What a kernel makes of lines of 64, 16 and 8 on its own.
TEST(Lines, ByMasksAndShifts) {
  expect_same("v_lshrrev_b32 v1, 3, v0\n v_and_b32 v0, 7, v0\n v_mov_b32 v2, 0\n" + copies(widths[2], false),
              {{128, 1, 1}, {64, 1, 1}}, 100);
  expect_same("v_bfe_u32 v1, v0, 3, 2\n v_lshrrev_b32 v2, 5, v0\n v_and_b32 v0, 7, v0\n" + copies(widths[2], true),
              {{128, 1, 1}, {64, 1, 1}}, 100);
}

// Classes of loops and of what comes back: ids are added up, rows are written that are read behind a barrier.
TEST(Lines, InLoopsAndBehindBarriers) {
  for (const uint32_t groups : {8u, 16u, 24u})
    expect_same(R"(
      v_lshlrev_b32 v3, 2, v0
      v_lshlrev_b32 v10, 5, v1
      add_u32 v10, v10, v3
      v_mul_lo_u32 v4, v1, s12
      s_mov_b32 s13, 0
      v_mov_b32 v16, 0
    again:
      ds_write_b32 v10, v4
      s_waitcnt lgkmcnt(0)
      s_barrier
      v_xor_b32 v11, 0xe0, v10
      ds_read_b32 v12, v11
      v_mov_b32 v13, s12
      s_waitcnt lgkmcnt(0)
      s_barrier
      add_u32 v4, v13, v4
      add_u32 v16, v12, v16
      v_xor_b32 v16, v16, v1
      s_add_u32 s13, s13, 1
      s_cmp_lt_u32 s13, 5
      s_cbranch_scc1 again
      add_u32 v5, v3, v4
      address 6, 10, v5
      flat_store_dword v[6:7], v16
    )",
                {{16, groups, 1}, {8, groups, 1}}, 64);
}

} // namespace
} // namespace crosslane::test
