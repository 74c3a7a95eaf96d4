// Buffers that are compiled as what they are in most code: a base and an offset of each lane, as far as NUM_RECORDS
// says.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include <fmt/format.h>

namespace crosslane::test {
namespace {

using isa::Target;

constexpr uint32_t lanes = 128, dwords = 4096; // of each buffer

struct Ran {
  std::vector<uint32_t> left;
  engine::Outcome outcome;
  uint64_t entered = 0, back = 0;
};

struct Bytes {
  uint32_t in, out;
};

// Resources of an input and of an output, with that many bytes each, in s[8:11] and s[12:15]; v0 is the work-item.
Ran run(const Kernel& kernel, const Bytes& bytes, bool compiled) {
  machine::Memory memory;
  Buffer<uint32_t> in(memory, dwords), out(memory, dwords);
  for (uint32_t i = 0; i < dwords; ++i)
    in[i] = i * 0x9e3779b1, out[i] = ~i;
  engine::Options options;
  options.threads = 1;
  const jit::Stats before = jit::stats();
  const std::vector<uint64_t> arguments{in.address(), uint64_t(bytes.in), out.address(), uint64_t(bytes.out)};
  const Shape shape{{lanes, 1, 1}, {64, 1, 1}};
  Ran r;
  r.outcome = compiled ? kernel.run(shape, arguments, options) : kernel.interpret(shape, arguments, options);
  r.entered = jit::stats().entered - before.entered, r.back = jit::stats().left - before.left;
  r.left.assign(out.begin(), out.end());
  return r;
}

std::string body(Target target, const std::string& text) {
  return fmt::format(R"(
    s_load_dwordx4 s[8:11], s[0:1], 0x0
    s_load_dwordx4 s[12:15], s[0:1], {}
    s_lshl_b32 s16, s2, 6
    v_or_b32 v0, s16, v0
    s_mov_b32 s17, 48
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s11, 0x27000
    s_mov_b32 s15, 0x27000
  )",
                     isa::info(target).generation < isa::Generation::gfx8 ? 4 : 16) +
         text + "\n s_endpgm";
}

// With buffers of all these sizes.
void expect_same(Target target, const std::string& text, const std::vector<Bytes>& all, bool goes_back = false) {
  const Kernel kernel(target, body(target, text), target == Target::gfx90a ? ".amdhsa_accum_offset 12" : "");
  for (const Bytes& bytes : all) {
    SCOPED_TRACE(fmt::format("{}, {} and {} bytes: {}", isa::info(target).name, bytes.in, bytes.out, text));
    const Ran a = run(kernel, bytes, false), b = run(kernel, bytes, true);
    EXPECT_NO_FAULT(b.outcome);
    EXPECT_EQ(a.left, b.left);
    EXPECT_EQ(b.entered, lanes / 64);
    EXPECT_EQ(b.back > 0, goes_back);
  }
}

constexpr Target raw_targets[] = {Target::gfx701, Target::gfx803, Target::gfx900, Target::gfx90a};

struct Width {
  const char *load, *store;
  uint32_t bytes;
};
constexpr Width widths[] = {{"ubyte", "byte", 1},       {"sbyte", "byte", 1},      {"ushort", "short", 2},
                            {"sshort", "short", 2},     {"dword", "dword", 4},     {"dwordx2", "dwordx2", 8},
                            {"dwordx3", "dwordx3", 12}, {"dwordx4", "dwordx4", 16}};

// What lanes load, and store with gaps that show what was not.
std::string copy(const Width& w, const std::string& from, const std::string& to, const std::string& soffset) {
  const uint32_t n = (w.bytes + 3) / 4;
  const std::string data = n == 1 ? "v8" : fmt::format("v[8:{}]", 7 + n);
  return from + fmt::format(R"(
    v_mov_b32 v8, 1
    v_mov_b32 v9, 2
    v_mov_b32 v10, 3
    v_mov_b32 v11, 4
    buffer_load_{} {}, v4, s[8:11], {} offen offset:20
    {}
    s_waitcnt vmcnt(0)
    buffer_store_{} {}, v5, s[12:15], {} offen offset:4
  )",
                            w.load, data, soffset, to, w.store, data, soffset);
}

TEST(Buffers, LinesOfWhichPartIsThere) {
  for (const Target target : raw_targets)
    for (const Width& w : widths) {
      const std::string at = fmt::format("v_mul_u32_u24 v4, {}, v0\n", w.bytes), to = "v_mov_b32 v5, v4";
      std::vector<Bytes> all;
      for (const uint32_t bytes : {16384u, 0u, 700u, 24u, 90u * w.bytes + 70, 64u * w.bytes + 68})
        all.push_back({bytes, 16384}), all.push_back({16384, bytes});
      expect_same(target, copy(w, at, to, "s17"), all);
    }
}

TEST(Buffers, OffsetsOfAnyKind) {
  for (const Target target : {Target::gfx803, Target::gfx900})
    for (const Width& w : widths) {
      const std::string scattered = "v_mul_u32_u24 v4, 0x1f35, v0\n v_and_b32 v4, 0x3ff, v4\n",
                        to = fmt::format("v_mul_u32_u24 v5, {}, v0\n", w.bytes + 4);
      const std::vector<Bytes> all{{16384, 16384}, {500, 1500}, {502, 1502}};
      expect_same(target, copy(w, scattered, to, "s17"), all);
      expect_same(target, copy(w, "v_mov_b32 v4, 0x1d0\n", to, "s17"), all);
      expect_same(target, copy(w, "v_mov_b32 v4, -16\n", to, "s17"), all); // far behind it
      // To one place, and over each other, of lanes of which some are not there.
      expect_same(target, copy(w, scattered, "v_mov_b32 v5, 0x100", "0"),
                  {{16384, 0x100 + 4 + w.bytes}, {16384, 0x103 + w.bytes}});
      expect_same(target, copy(w, scattered, "v_lshlrev_b32 v5, 1, v0", "0"), {{16384, 120}});
    }
}

TEST(Buffers, LanesThatAreOff) {
  for (const Target target : {Target::gfx803, Target::gfx900})
    for (const Width& w : widths)
      expect_same(target,
                  "v_and_b32 v6, 5, v0\n v_cmp_ne_u32 vcc, 4, v6\n s_and_saveexec_b64 s[18:19], vcc\n" +
                      copy(w, fmt::format("v_mul_u32_u24 v4, {}, v0\n", w.bytes), "v_mov_b32 v5, v4", "s17"),
                  {{16384, 16384}, {620, 16384}, {16384, 620}});
}

TEST(Buffers, WithoutAnOffsetOfTheLanes) {
  for (const Target target : raw_targets)
    expect_same(target, R"(
        v_mov_b32 v10, 7
        v_mov_b32 v11, 8
        buffer_load_dwordx2 v[8:9], off, s[8:11], s17 offset:48
        buffer_load_dword v11, off, s[8:11], 0
        v_lshlrev_b32 v5, 4, v0
        s_waitcnt vmcnt(0)
        buffer_store_dwordx4 v[8:11], v5, s[12:15], 0 offen
        buffer_store_dwordx2 v[0:1], off, s[12:15], s17 offset:52
      )",
                {{16384, 16384}, {0, 0}, {100, 100}, {104, 104}, {108, 108}});
}

TEST(Buffers, Atomics) {
  for (const Target target : raw_targets)
    for (const uint32_t bytes : {16384u, 300u}) // what is not there goes back
      expect_same(target, R"(
        v_lshlrev_b32 v4, 2, v0
        v_mov_b32 v8, 3
        buffer_atomic_add v8, v4, s[12:15], s17 offen offset:4 glc
        s_waitcnt vmcnt(0)
        buffer_atomic_umax v8, off, s[12:15], 0 offset:8
        s_waitcnt vmcnt(0)
        buffer_store_dword v8, v4, s[12:15], 0 offen offset:1024
      )",
                  {{bytes, bytes}}, bytes < 600);
}

// Other resources are known when they are met.
TEST(Buffers, OthersGoBack) {
  const std::string access =
      "v_lshlrev_b32 v4, 2, v0\n buffer_load_dword v8, v4, s[8:11], 0 offen\n s_waitcnt vmcnt(0)\n"
      "buffer_store_dword v8, v4, s[12:15], 0 offen\n";
  for (const Target target : raw_targets) {
    expect_same(target, "s_or_b32 s9, s9, 0x80040000\n" + access, {{1024, 1024}}, true); // swizzled
    expect_same(target, "s_mov_b32 s11, 0x800000\n" + access, {{1024, 1024}}, true);     // with the lane's number
    if (isa::info(target).generation < isa::Generation::gfx8)
      expect_same(target, "s_or_b32 s9, s9, 0x40000\n" + access, {{1024, 1024}}, true); // counts records
  }
}

// What is there by its number of bytes, but not in memory.
TEST(Buffers, FaultAsInterpreted) {
  for (const Target target : raw_targets) {
    const Kernel kernel(target, body(target, R"(
      v_lshlrev_b32 v4, 2, v0
      v_cmp_eq_u32 vcc, 70, v0
      v_mov_b32 v5, 0x7fff0000
      v_cndmask_b32 v4, v4, v5, vcc
      buffer_store_dword v0, v4, s[12:15], 0 offen
    )"),
                        target == Target::gfx90a ? ".amdhsa_accum_offset 12" : "");
    const Ran a = run(kernel, {0, ~0u}, false), b = run(kernel, {0, ~0u}, true);
    ASSERT_TRUE(a.outcome.fault && b.outcome.fault);
    EXPECT_EQ(a.outcome.fault->lane, 6);
    EXPECT_EQ(a.outcome.fault->lane, b.outcome.fault->lane);
    EXPECT_EQ(a.outcome.fault->pc, b.outcome.fault->pc);
    EXPECT_EQ(a.left, b.left);
  }
}

// ADDR64: addresses in two registers, to which the resource adds its base.
TEST(Buffers, WholeAddresses) {
  for (const Target target : {Target::gfx600, Target::gfx701})
    for (const std::string where :
         {// An offset, the high half 0; scattered; from what was shifted as 64 bits.
          "v_lshlrev_b32 v4, 4, v0\n v_mov_b32 v5, 0\n",
          "v_mul_u32_u24 v4, 0x1f35, v0\n v_and_b32 v4, 0x3ff0, v4\n v_mov_b32 v5, 0\n",
          "v_mul_u32_u24 v6, 0x135, v0\n v_and_b32 v6, 0x3ff, v6\n v_mov_b32 v7, 0\n v_lshl_b64 v[4:5], v[6:7], 4\n",
          // Below the base: sums of 64 bits.
          "v_lshlrev_b32 v4, 4, v0\n v_subrev_i32 v4, vcc, 16, v4\n v_mov_b32 v5, 0\n"
          "v_cndmask_b32 v5, v5, -1, vcc\n s_add_u32 s8, s8, 16\n s_addc_u32 s9, s9, 0\n s_add_u32 s12, s12, 16\n"
          "s_addc_u32 s13, s13, 0\n"})
      expect_same(target, where + R"(
        buffer_load_dwordx2 v[8:9], v[4:5], s[8:11], 0 addr64 offset:8
        buffer_load_ushort v10, v[4:5], s[8:11], s17 addr64
        v_mov_b32 v11, 5
        s_waitcnt vmcnt(0)
        buffer_store_dwordx4 v[8:11], v[4:5], s[12:15], 0 addr64
        s_waitcnt vmcnt(0)
        buffer_atomic_add v11, v[4:5], s[12:15], 0 addr64 offset:8
        s_waitcnt vmcnt(0)
      )",
                  {{0, 0}});
}

} // namespace
} // namespace crosslane::test
