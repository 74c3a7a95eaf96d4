// Workgroups that compiled code runs in one go (engine::Range): ids, counts, and what happens where one cannot go on.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include <fmt/format.h>
#include <map>
#include <sys/mman.h>

namespace crosslane::test {
namespace {

// out[flat global id] = group x | local x << 12 | local y << 22. Arguments: out, grid x, grid y, group x, y, z.
const char* const label = R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_load_dword s11, s[0:1], 0x10
  s_load_dword s12, s[0:1], 0x18
  s_load_dword s13, s[0:1], 0x20
  s_load_dword s14, s[0:1], 0x28
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s15, s2, s12
  s_mul_i32 s16, s3, s13
  s_mul_i32 s17, s4, s14
  add_u32 v3, s15, v0
  add_u32 v4, s16, v1
  add_u32 v5, s17, v2
  v_mul_lo_u32 v5, v5, s11
  add_u32 v5, v4, v5
  v_mul_lo_u32 v5, v5, s10
  add_u32 v5, v3, v5
  v_lshlrev_b32 v5, 2, v5
  v_lshlrev_b32 v6, 12, v0
  v_lshlrev_b32 v7, 22, v1
  v_or_b32 v6, v6, v7
  v_or_b32 v6, s2, v6
  address 8, 8, v5
  flat_store_dword v[8:9], v6
  s_endpgm
)";
constexpr uint64_t label_instructions = 27;

TEST(Ranges, GoThroughGridsOfAllShapes) {
  const Kernel kernel(isa::Target::gfx900, label);
  machine::Memory memory;
  for (const Shape& shape :
       {Shape{{64 * 100, 1, 1}, {64, 1, 1}}, Shape{{1000, 1, 1}, {256, 1, 1}}, Shape{{512, 6, 5}, {64, 2, 1}},
        Shape{{500, 6, 5}, {64, 2, 1}}, Shape{{512, 7, 5}, {64, 2, 1}}, Shape{{512, 6, 5}, {64, 2, 2}},
        Shape{{500, 7, 5}, {128, 2, 2}}, Shape{{320, 64, 1}, {16, 16, 1}}, Shape{{330, 70, 3}, {16, 16, 1}},
        Shape{{320, 64, 3}, {32, 8, 1}}, Shape{{64, 33, 4}, {32, 4, 2}}, Shape{{63, 1, 1}, {64, 1, 1}}})
    for (const unsigned threads : {1u, 3u}) {
      const uint64_t items = uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2];
      Buffer<uint32_t> out(memory, items);
      engine::Options options;
      options.threads = threads;
      const uint64_t ranged = jit::stats().ranged;
      const auto outcome = kernel.run(
          shape, {out.address(), shape.grid[0], shape.grid[1], shape.group[0], shape.group[1], shape.group[2]},
          options);
      EXPECT_NO_FAULT(outcome);
      uint64_t groups = 1, full = 1;
      for (int d = 0; d < 3; ++d) {
        groups *= (shape.grid[d] + shape.group[d] - 1) / shape.group[d];
        full *= shape.grid[d] / shape.group[d];
      }
      EXPECT_EQ(outcome.stats.workgroups, groups);
      EXPECT_EQ(outcome.stats.instructions, outcome.stats.waves * label_instructions);
      EXPECT_EQ(jit::stats().ranged - ranged, full * shape.group[0] * shape.group[1] * shape.group[2] / 64);
      uint64_t wrong = 0;
      for (uint64_t i = 0; i < items; ++i) {
        const uint32_t x = uint32_t(i % shape.grid[0]), y = uint32_t(i / shape.grid[0] % shape.grid[1]);
        wrong += out[i] != (x / shape.group[0] | x % shape.group[0] << 12 | y % shape.group[1] << 22);
      }
      EXPECT_EQ(wrong, 0u);
    }
}

// data[i] = data[i] * 3 + 1: a store over what was read is a checkpoint.
TEST(Ranges, GoOnWhereAStoreGoesOverWhatWasRead) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    s_lshl_b32 s2, s2, 7
    add_u32 v3, s2, v0
    v_lshlrev_b32 v3, 2, v3
    s_waitcnt lgkmcnt(0)
    address 4, 8, v3
    flat_load_dword v6, v[4:5]
    s_waitcnt vmcnt(0)
    v_mul_lo_u32 v6, v6, 3
    v_add_u32 v6, 1, v6
    flat_store_dword v[4:5], v6
    s_endpgm
  )");
  machine::Memory memory;
  const uint32_t n = 128 * 300;
  Buffer<uint32_t> data(memory, n);
  for (uint32_t i = 0; i < n; ++i)
    data[i] = i;
  const uint64_t ranged = jit::stats().ranged;
  const auto outcome = kernel.run({{n, 1, 1}, {128, 1, 1}}, {data.address()});
  EXPECT_NO_FAULT(outcome);
  EXPECT_EQ(jit::stats().ranged - ranged, n / 64);
  EXPECT_EQ(outcome.stats.instructions, uint64_t(n / 64) * 14);
  for (uint32_t i = 0; i < n; ++i)
    ASSERT_EQ(data[i], i * 3 + 1);
}

// Workgroup 0 waits for workgroup 1. The branch of its loop that goes back, by addresses, does not close the loop, and
// the one that closes it goes on to the next instruction.
TEST(Ranges, YieldInALoopThatIsClosedByGoingOn) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    v_mov_b32 v3, 1
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v1, s8
    v_mov_b32 v2, s9
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 wait
    flat_store_dword v[1:2], v3
    s_endpgm
  look:
    v_cmp_ne_u32 vcc, 0, v4
    s_cbranch_vccnz done
  wait:
    flat_load_dword v4, v[1:2] glc
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_branch look
  done:
    flat_store_dword v[1:2], v4 offset:4
    s_endpgm
  )");
  machine::Memory memory;
  Buffer<uint32_t> flags(memory, 64);
  engine::Options options;
  options.threads = 1;
  const auto outcome = kernel.run({{128, 1, 1}, {64, 1, 1}}, {flags.address()}, options);
  EXPECT_NO_FAULT(outcome);
  EXPECT_EQ(flags[1], 1u);
  EXPECT_LT(outcome.stats.instructions, options.preempt_after / 10);
}

// Stores of so much go past the caches, where whole lines are stored; a dword further on they cannot.
TEST(Ranges, StoreMoreThanCachesHold) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    s_lshl_b32 s2, s2, 8
    add_u32 v3, s2, v0
    v_lshlrev_b32 v4, 2, v3
    v_mul_lo_u32 v3, v3, 7
    s_waitcnt lgkmcnt(0)
    address 4, 8, v4
    flat_store_dword v[4:5], v3
    s_endpgm
  )");
  machine::Memory memory;
  const uint32_t n = 7 << 20;
  Buffer<uint32_t> out(memory, n + 1);
  for (const uint32_t further : {0u, 1u})
    for (const unsigned threads : {1u, 3u}) {
      std::fill(out.begin(), out.end(), ~0u);
      engine::Options options;
      options.threads = threads;
      const uint64_t ranged = jit::stats().ranged;
      const auto outcome = kernel.run({{n, 1, 1}, {256, 1, 1}}, {out.address() + 4 * further}, options);
      EXPECT_NO_FAULT(outcome);
      EXPECT_EQ(jit::stats().ranged - ranged, n / 64);
      uint64_t wrong = 0;
      for (uint32_t i = 0; i < n; ++i)
        wrong += out[i + further] != i * 7;
      EXPECT_EQ(wrong, 0u);
      EXPECT_EQ(out[further ? 0 : n], ~0u);
    }
}

// As HIP's hipMemset has it: `times` numbers of a pattern for each work-item, of eight bytes each, by 64-bit addresses
// that lie side by side if there is one number only. Arguments: out, pattern, times, first id, ids.
const char* const fill = R"(
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dword s12, s[0:1], 0x10
  s_load_dwordx4 s[16:19], s[0:1], 0x18
  s_lshl_b32 s2, s2, 8
  add_u32 v3, s2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, s17
  v_add_co_u32 v3, vcc, s16, v3
  v_addc_co_u32 v4, vcc, 0, v4, vcc
  v_cmp_gt_u64 vcc, s[18:19], v[3:4]
  s_and_saveexec_b64 s[20:21], vcc
  s_cbranch_execz over
  v_mad_u64_u32 v[5:6], s[20:21], v3, s12, 0
  v_mad_u64_u32 v[6:7], s[20:21], v4, s12, v[6:7]
  v_lshlrev_b64 v[5:6], 3, v[5:6]
  v_mov_b32 v4, s9
  v_add_co_u32 v5, vcc, s8, v5
  v_addc_co_u32 v6, vcc, v4, v6, vcc
next:
  s_load_dwordx2 s[14:15], s[10:11], 0x0
  s_add_u32 s10, s10, 8
  s_addc_u32 s11, s11, 0
  s_add_i32 s12, s12, -1
  s_cmp_eq_u32 s12, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v8, s14
  v_mov_b32 v9, s15
  global_store_dwordx2 v[5:6], v[8:9], off
  v_add_co_u32 v5, vcc, 8, v5
  v_addc_co_u32 v6, vcc, 0, v6, vcc
  s_cbranch_scc0 next
over:
  s_endpgm
)";

TEST(Ranges, FillBySteps) {
  const Kernel kernel(isa::Target::gfx900, fill);
  machine::Memory memory;
  const uint32_t n = 4 << 20;
  Buffer<uint64_t> out(memory, n + 1), pattern(memory, 3);
  for (uint64_t i = 0; i < 3; ++i)
    pattern[i] = 0x0123456789abcdef * (i + 1);
  for (const uint32_t times : {1u, 2u, 3u})
    for (const uint32_t further : {0u, 1u}) {
      std::fill(out.begin(), out.end(), ~uint64_t(0));
      const uint32_t first = 3 * 64, items = n / times, ids = items - 100; // the last waves in part, or not at all
      const auto outcome = kernel.run({{items - first, 1, 1}, {256, 1, 1}},
                                      {out.address() + 8 * further, pattern.address(), times, first, ids});
      EXPECT_NO_FAULT(outcome);
      uint64_t wrong = 0;
      for (uint64_t i = 0; i <= n; ++i) {
        const uint64_t place = i - further;
        const bool filled = i >= further && place >= uint64_t(first) * times && place < uint64_t(ids) * times;
        wrong += out[i] != (filled ? pattern[place % times] : ~uint64_t(0));
      }
      EXPECT_EQ(wrong, 0u) << times << " numbers, " << further << " further";
    }
}

// Work-item numbers of 64 bits against a limit, in both orders: bits 0 to 5 say which comparisons held. Arguments: out,
// first id, limit.
TEST(Ranges, CompareNumbersOf64Bits) {
  const char* const names[] = {"lt", "le", "gt", "ge", "ne", "eq"};
  for (const bool is_signed : {false, true}) {
    std::string text = R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dwordx4 s[16:19], s[0:1], 0x8
  s_lshl_b32 s2, s2, 6
  add_u32 v3, s2, v0
  v_lshlrev_b32 v10, 2, v3
  v_mov_b32 v11, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v4, s17
  v_add_co_u32 v3, vcc, s16, v3
  v_addc_co_u32 v4, vcc, 0, v4, vcc
)";
    for (size_t i = 0; i < std::size(names); ++i) // under EXEC, as an `if` has it
      text += fmt::format("  v_cmp_{0}_{1}64 vcc, {2}\n  s_and_saveexec_b64 s[20:21], vcc\n  s_cbranch_execz none{3}\n"
                          "  v_or_b32 v11, {4}, v11\nnone{3}:\n  s_mov_b64 exec, s[20:21]\n",
                          names[i], is_signed ? "i" : "u", "s[18:19], v[3:4]", i, 1 << i);
    text += "  address 4, 8, v10\n  flat_store_dword v[4:5], v11\n  s_endpgm\n";
    const Kernel kernel(isa::Target::gfx900, text);
    machine::Memory memory;
    constexpr uint32_t n = 64 * 6;
    Buffer<uint32_t> out(memory, n);
    const uint64_t edges[] = {0, 1ull << 32, 1ull << 63, ~uint64_t(0) - 1000, 0x7fffffffull, 5ull << 32 | 0x80000000};
    for (const uint64_t edge : edges)
      for (const int64_t first : {-200, -64, -1, 0, 100})
        for (const int64_t limit : {-150, -64, 0, 1, 63, 64, 200}) {
          const uint64_t from = edge + uint64_t(first), to = edge + uint64_t(limit);
          EXPECT_NO_FAULT(kernel.run({{n, 1, 1}, {64, 1, 1}}, {out.address(), from, to}));
          for (uint64_t i = 0; i < n; ++i) {
            const uint64_t id = from + i;
            const auto held = [](auto a, auto b) {
              return uint32_t(a < b) | uint32_t(a <= b) << 1 | uint32_t(a > b) << 2 | uint32_t(a >= b) << 3 |
                     uint32_t(a != b) << 4 | uint32_t(a == b) << 5;
            };
            const uint32_t wanted = is_signed ? held(int64_t(to), int64_t(id)) : held(to, id);
            ASSERT_EQ(out[i], wanted) << std::hex << id << " and " << to << (is_signed ? " signed" : "");
          }
        }
  }
}

// Of a sum that is clamped not even the low half goes up from lane to lane. Arguments: out, factor, high half.
TEST(Ranges, ClampSumsOf64Bits) {
  const Kernel kernel(isa::Target::gfx906, R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s16, s[0:1], 0x8
  s_load_dword s17, s[0:1], 0x10
  v_lshlrev_b32 v10, 3, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v1, s17
  v_mad_u64_u32 v[2:3], s[20:21], s16, -1, v[0:1] clamp
  address 4, 8, v10
  flat_store_dwordx2 v[4:5], v[2:3]
  s_endpgm
)");
  machine::Memory memory;
  Buffer<uint64_t> out(memory, 64);
  for (const uint32_t factor : {0u, 1u, 77u, ~0u})
    for (const uint32_t high : {0u, 34u, 0xfffffff0u, ~0u}) {
      EXPECT_NO_FAULT(kernel.run({{64, 1, 1}, {64, 1, 1}}, {out.address(), factor, high}));
      for (uint64_t lane = 0; lane < 64; ++lane) {
        const auto sum = static_cast<unsigned __int128>(factor) * ~0u + (uint64_t(high) << 32 | lane);
        ASSERT_EQ(out[lane], sum >> 64 ? ~uint64_t(0) : uint64_t(sum)) << factor << " " << high << " " << lane;
      }
    }
}

// Bytes of two registers, signs and constants, by selectors that are known when it is compiled: LLVM 19's shifts of
// bytes by several amounts. Arguments: out, the low register.
TEST(Ranges, SelectBytesByConstants) {
  for (const std::string selector : {"-1.0", "0.5", "2.0", "-4.0", "1", "12", "-1"}) {
    const Kernel kernel(isa::Target::gfx803, R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s16, s[0:1], 0x8
  v_lshlrev_b32 v10, 2, v0
  v_mul_lo_u32 v1, v0, v0
  s_waitcnt lgkmcnt(0)
  v_perm_b32 v2, v1, s16, )" + selector + R"(
  address 4, 8, v10
  flat_store_dword v[4:5], v2
  s_endpgm
)");
    const std::map<std::string, uint32_t> bits = {
        {"-1.0", 0xbf800000}, {"0.5", 0x3f000000}, {"2.0", 0x40000000}, {"-4.0", 0xc0800000}, {"1", 1},
        {"12", 12},           {"-1", 0xffffffff}};
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 64);
    for (const uint32_t low : {0x2da4dfa5u, 0x80017ffeu}) {
      EXPECT_NO_FAULT(kernel.run({{64, 1, 1}, {64, 1, 1}}, {out.address(), low}));
      for (uint64_t lane = 0; lane < 64; ++lane) {
        const uint64_t both = lane * lane << 32 | low;
        uint32_t wanted = 0;
        for (uint32_t byte = 0; byte < 4; ++byte) {
          const uint32_t by = bits.at(selector) >> 8 * byte & 0xff;
          const uint64_t is = by < 8     ? both >> 8 * by & 0xff
                              : by < 12  ? (both >> (16 * (by - 8) + 15) & 1) * 0xff
                              : by == 12 ? 0
                                         : 0xff;
          wanted |= uint32_t(is) << 8 * byte;
        }
        ASSERT_EQ(out[lane], wanted) << selector << " " << low << " " << lane;
      }
    }
  }
}

// A fault far into a range names its own workgroup and wave, and those before have run.
TEST(Ranges, FaultsNameTheirWave) {
  const Kernel kernel(isa::Target::gfx900, label);
  const size_t page = 4096;
  const uint64_t place = machine::map_in_window(4 * page, PROT_READ | PROT_WRITE);
  ASSERT_NE(place, 0u);
  ASSERT_EQ(mprotect(reinterpret_cast<void*>(place + 3 * page), page, PROT_NONE), 0);
  engine::Options options;
  options.threads = 1;
  // A page is 1,024 items: eight workgroups of 64 x 2.
  const auto outcome = kernel.run({{64, 64, 1}, {64, 2, 1}}, {place, 64, 64, 64, 2, 1}, options);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, machine::FaultKind::unmapped_address);
  EXPECT_EQ(outcome.fault->workgroup[0], 0u);
  EXPECT_EQ(outcome.fault->workgroup[1], 24u);
  EXPECT_EQ(outcome.fault->wave, 0u);
  EXPECT_EQ(outcome.fault->address, place + 3 * page);
  EXPECT_EQ(outcome.stats.workgroups, 24u);
  const auto* out = reinterpret_cast<const uint32_t*>(place);
  for (uint32_t i = 0; i < 3 * page / 4; ++i)
    ASSERT_EQ(out[i], i % 64 << 12 | i / 64 % 2 << 22);
  munmap(reinterpret_cast<void*>(place), 4 * page);
}

} // namespace
} // namespace crosslane::test
