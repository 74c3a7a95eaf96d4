// The private segment at offsets that each lane has of its own: arrays of work-items.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include <fmt/format.h>

namespace crosslane::test {
namespace {

using isa::Target;

constexpr uint32_t lanes = 128, words = 24, // that each lane has of its own, and tells of
    scratch_bytes = 4 * words;
constexpr Target targets[] = {Target::gfx803, Target::gfx900, Target::gfx90a};

struct Ran {
  std::vector<uint32_t> left;
  engine::Outcome outcome;
  uint64_t entered = 0, back = 0;
};

Ran run(const Kernel& kernel, bool compiled) {
  machine::Memory memory;
  Buffer<uint32_t> in(memory, 4096), out(memory, lanes * (words + 4));
  for (uint32_t i = 0; i < in.size(); ++i)
    in[i] = i * 0x9e3779b1;
  for (uint32_t& v : out)
    v = 0;
  engine::Options options;
  options.threads = 1;
  const jit::Stats before = jit::stats();
  const std::vector<uint64_t> arguments{in.address(), out.address()};
  const Shape shape{{lanes, 1, 1}, {64, 1, 1}};
  Ran r;
  r.outcome = compiled ? kernel.run(shape, arguments, options) : kernel.interpret(shape, arguments, options);
  r.entered = jit::stats().entered - before.entered, r.back = jit::stats().left - before.left;
  r.left.assign(out.begin(), out.end());
  return r;
}

// Code between what fills the private segment (s[0:3]), by the work-item's number (v0), and what stores all of it, and
// v[12:15]. s[8:11] is a linear buffer.
Kernel kernel_of(Target target, const std::string& text) {
  std::string body = R"(
    s_load_dwordx4 s[12:15], s[4:5], 0x0
    s_add_u32 s0, s0, s7
    s_addc_u32 s1, s1, 0
    s_lshl_b32 s16, s6, 6
    v_or_b32 v0, s16, v0
    v_mov_b32 v1, 0x9e3779b1
    v_mul_lo_u32 v1, v0, v1
    v_mov_b32 v12, 1
    v_mov_b32 v13, 2
    v_mov_b32 v14, 3
    v_mov_b32 v15, 4
    v_mov_b32 v8, 0x87654321
    v_mov_b32 v9, v1
    v_mov_b32 v10, 0x11112222
    v_mov_b32 v11, v0
    s_waitcnt lgkmcnt(0)
    s_mov_b32 s8, s12
    s_mov_b32 s9, s13
    s_movk_i32 s10, 0x1000
    s_mov_b32 s11, 0x27000
  )";
  for (uint32_t i = 0; i < words; ++i)
    body += fmt::format("v_xor_b32 v2, {}, v1\n buffer_store_dword v2, off, s[0:3], 0 offset:{}\n", 64 - i, 4 * i);
  body += "s_mov_b64 s[18:19], exec\n" + text + R"(
    s_mov_b64 exec, s[18:19]
    s_waitcnt vmcnt(0)
    v_mul_u32_u24 v3, )" +
          std::to_string(4 * (words + 4)) + R"(, v0
    address 20, 14, v3
    flat_store_dwordx4 v[20:21], v[12:15]
    add_u32 v20, 16, v20
    addc_u32 v21, 0, v21
  )";
  for (uint32_t i = 0; i < words; ++i)
    body += fmt::format(R"(
    buffer_load_dword v2, off, s[0:3], 0 offset:{}
    s_waitcnt vmcnt(0)
    flat_store_dword v[20:21], v2
    add_u32 v20, 4, v20
    addc_u32 v21, 0, v21
  )",
                        4 * i);
  const std::string directives = fmt::format(R"(
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_private_segment_wavefront_offset 1
    .amdhsa_private_segment_fixed_size {}
    {}
  )",
                                             scratch_bytes, target == Target::gfx90a ? ".amdhsa_accum_offset 64" : "");
  return {target, body + "s_endpgm", directives, true};
}

void expect_same(Target target, const std::string& text, bool goes_back = false) {
  SCOPED_TRACE(fmt::format("{}: {}", isa::info(target).name, text));
  const Kernel kernel = kernel_of(target, text);
  const Ran a = run(kernel, false), b = run(kernel, true);
  EXPECT_NO_FAULT(a.outcome);
  EXPECT_NO_FAULT(b.outcome);
  EXPECT_EQ(a.left, b.left);
  EXPECT_EQ(b.entered, lanes / 64);
  EXPECT_EQ(b.back > 0, goes_back);
}

struct Width {
  const char *load, *store;
  uint32_t bytes;
};
constexpr Width widths[] = {{"ubyte", "byte", 1},       {"sbyte", "byte", 1},      {"ushort", "short", 2},
                            {"sshort", "short", 2},     {"dword", "dword", 4},     {"dwordx2", "dwordx2", 8},
                            {"dwordx3", "dwordx3", 12}, {"dwordx4", "dwordx4", 16}};

// All on one target, of the others what takes another path.
std::vector<Width> widths_on(Target target) {
  if (target == Target::gfx900)
    return {std::begin(widths), std::end(widths)};
  return {widths[1], widths[2], widths[7]};
}

// What lanes store at v5, and load at v4.
std::string copy(const Width& w) {
  const uint32_t n = (w.bytes + 3) / 4;
  const auto data = [&](uint32_t first) {
    return n == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + n - 1);
  };
  return fmt::format(R"(
    buffer_store_{} {}, v5, s[0:3], 0 offen offset:4
    buffer_load_{} {}, v4, s[0:3], 0 offen offset:8
  )",
                     w.store, data(8), w.load, data(12));
}
// Multiples of `step` from 0 to 64, different in each lane.
std::string scattered(int reg, uint32_t factor, uint32_t step) {
  return fmt::format("v_mul_u32_u24 v{0}, {1}, v0\n v_lshrrev_b32 v{0}, 3, v{0}\n v_and_b32 v{0}, {2}, v{0}\n", reg,
                     factor, 64 - step);
}

TEST(PrivateSegment, OffsetsOfAnyKind) {
  for (const Target target : targets)
    for (const Width& w : widths_on(target)) {
      const uint32_t step = std::min(w.bytes, 4u);
      const std::string there = scattered(5, 77, step), here = scattered(4, 1235, step);
      expect_same(target, there + here + copy(w));
      if (target != Target::gfx900)
        continue;
      expect_same(target, there + "v_mov_b32 v4, 20\n" + copy(w)); // one for all
      expect_same(target, "v_mov_b32 v5, 44\n" + here + copy(w));
      expect_same(target, "v_and_b32 v4, 15, v0\n v_lshlrev_b32 v4, 2, v4\n v_mov_b32 v5, v4\n" + copy(w)); // affine
      expect_same(target,
                  "v_mov_b32 v4, s16\n v_mov_b32 v5, s16\n v_and_b32 v4, 64, v4\n v_and_b32 v5, 32, v5\n" + copy(w));
    }
}

TEST(PrivateSegment, LanesThatAreOff) { // some of which have offsets that are nowhere
  for (const Target target : targets)
    for (const Width& w : widths_on(target))
      for (const char* nowhere : {"-4", "0x7fffffff"})
        expect_same(target, scattered(5, 77, std::min(w.bytes, 4u)) + scattered(4, 1235, std::min(w.bytes, 4u)) +
                                fmt::format(R"(
          v_mov_b32 v6, {}
          v_and_b32 v7, 5, v0
          v_cmp_eq_u32 vcc, 4, v7
          v_cndmask_b32 v4, v4, v6, vcc
          v_cndmask_b32 v5, v5, v6, vcc
          s_andn2_b64 exec, exec, vcc
        )",
                                            nowhere) +
                                copy(w));
}

// A later guard fails, and the wave goes back to behind what it stored over what it had read in memory: from there on
// nothing may be added twice.
TEST(PrivateSegment, StoresThatGoOverWhatWasRead) {
  for (const Target target : targets)
    for (const char* first : {"v4, s[0:3], 0 offen offset:8", "off, s[0:3], 0 offset:24"})
      for (const char* second :
           {"v4, s[0:3], 0 offen offset:8", "v5, s[0:3], 0 offen offset:4", "off, s[0:3], 0 offset:24"})
        expect_same(target,
                    fmt::format(R"(
          {}
          v_mul_u32_u24 v3, 112, v0
          address 20, 14, v3
          flat_load_dword v6, v[20:21]
          s_waitcnt vmcnt(0)
          flat_store_dword v[20:21], v0
          buffer_load_dword v11, {}
          s_waitcnt vmcnt(0)
          v_mov_b32 v7, 0x111
          add_u32 v11, v7, v11
          buffer_store_dword v11, {}
          v_mov_b32 v6, 3
          buffer_load_dword v12, v6, s[0:3], 0 offen offset:2
        )",
                                scattered(4, 1235, 4) + scattered(5, 1235, 4), first, second),
                    true);
}

TEST(PrivateSegment, DwordsThatAreNotAligned) {
  for (const Target target : targets)
    for (const Width& w : widths_on(target))
      if (w.bytes > 1)
        expect_same(target, "v_and_b32 v4, 63, v0\n v_mov_b32 v5, 7\n" + copy(w), true);
}

TEST(PrivateSegment, FaultsAsInterpreted) {
  for (const Target target : targets)
    for (const Width& w : widths_on(target))
      for (const bool stores : {false, true}) {
        SCOPED_TRACE(fmt::format("{}: {} bytes", isa::info(target).name, w.bytes));
        const Kernel kernel = kernel_of(target, fmt::format(R"(
          v_mov_b32 v4, 0
          v_mov_b32 v5, 0
          v_mov_b32 v6, {}
          v_cmp_eq_u32 vcc, 37, v0
          v_cndmask_b32 v{}, 0, v6, vcc
        )",
                                                            scratch_bytes, stores ? 5 : 4) +
                                                    copy(w));
        const Ran a = run(kernel, false), b = run(kernel, true);
        ASSERT_TRUE(a.outcome.fault && b.outcome.fault);
        EXPECT_EQ(a.outcome.fault->kind, machine::FaultKind::scratch_out_of_range);
        EXPECT_EQ(machine::describe(*a.outcome.fault), machine::describe(*b.outcome.fault));
        EXPECT_EQ(a.left, b.left);
      }
}

// Buffers that are never accessed as variables are stay what they are.
TEST(PrivateSegment, OtherBuffersBesideIt) {
  for (const Target target : targets)
    expect_same(target, R"(
      v_lshlrev_b32 v4, 2, v0
      buffer_load_dword v12, v4, s[8:11], 0 offen offset:8
      v_and_b32 v4, 28, v4
      buffer_load_dword v13, v4, s[0:3], 0 offen offset:8
    )");
}

} // namespace
} // namespace crosslane::test
