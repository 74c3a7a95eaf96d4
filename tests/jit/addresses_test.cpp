// Addresses in two registers, as compilers work them out, which only accesses read, and which others read, too: of
// lanes on both sides of a multiple of 4 GiB, where the low half wraps between them.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include <cstdlib>
#include <fmt/format.h>
#include <random>
#include <sys/mman.h>

namespace crosslane::test {
namespace {

using isa::Target;

constexpr Target targets[] = {Target::gfx803, Target::gfx900, Target::gfx90a};
constexpr uint32_t dwords = 4096; // on each side of the multiple, and of the results

// Memory of the device's window, on both sides.
class Room {
public:
  Room() {
    constexpr uint64_t multiple = uint64_t(1) << 32;
    for (uint64_t n = 0x6b00 * multiple; !middle_ && n < 0x6c00 * multiple; n += multiple)
      if (mmap(begin_of(n), 8 * dwords, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
               0) != MAP_FAILED)
        middle_ = n;
  }
  ~Room() { munmap(begin(), 8 * dwords); }
  Room(const Room&) = delete;
  uint64_t middle() const { return middle_; }
  uint32_t* begin() const { return begin_of(middle_); }

private:
  static uint32_t* begin_of(uint64_t middle) { return reinterpret_cast<uint32_t*>(middle) - dwords; }
  uint64_t middle_ = 0;
};

// v4 is the work-item's number, the pitch in s12 times v1 included, v5 = 0. s[8:9] points to memory, s[10:11] to
// results.
const char* const begin = R"(
  .macro shift_address lo, by, from
    v_lshlrev_b64 v[\lo:\lo+1], \by, v[\from:\from+1]
  .endm
  .macro plus dst, a, b
  .if .amdgcn.gfx_generation_number >= 9
    v_add_u32 \dst, \a, \b
  .else
    add_u32 \dst, \a, \b
  .endif
  .endm
  .macro sum lo, a, from
    add_u32 v[\lo], s[\a], v[\from]
    v_mov_b32 v[\lo+1], s[\a+1]
    addc_u32 v[\lo+1], v[\lo+1], v[\from+1]
  .endm
  .if .amdgcn.gfx_generation_minor == 0 && .amdgcn.gfx_generation_stepping == 10
    v_bfe_u32 v1, v0, 10, 10
    v_and_b32 v0, 0x3ff, v0
  .endif
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_load_dword s12, s[0:1], 0x10
  s_lshl_b32 s13, s2, 6
  s_waitcnt lgkmcnt(0)
  v_mul_lo_u32 v4, v1, s12
  plus v4, v4, v0
  plus v4, s13, v4
  v_mov_b32 v5, 0
  v_mov_b32 v50, 0
)";
const char* const end = R"(
  s_mov_b64 exec, -1
  v_lshlrev_b32 v0, 2, v0
  v_lshlrev_b32 v1, 6, v1
  s_lshl_b32 s13, s13, 2
  plus v0, v1, v0
  plus v0, s13, v0
  address 2, 10, v0
  flat_store_dword v[2:3], v50
  s_endpgm
)";

struct Ran {
  std::vector<uint32_t> left;
  engine::Outcome outcome;
  uint64_t entered = 0, back = 0;
};

// s[8:9] points `from` dwords behind the multiple.
Ran run(const Kernel& kernel, const Shape& shape, int64_t from, int32_t pitch, bool compiled) {
  machine::Memory memory;
  const Room room;
  uint32_t* const there = room.begin();
  Buffer<uint32_t> out(memory, dwords, "out");
  for (uint32_t i = 0; i < 2 * dwords; ++i)
    there[i] = i * 0x9e3779b1;
  for (uint32_t i = 0; i < dwords; ++i)
    out[i] = ~i;
  engine::Options options;
  options.threads = 1;
  options.poison = 1;
  const std::vector<uint64_t> arguments{room.middle() + uint64_t(from * 4), out.address(), uint32_t(pitch)};
  const jit::Stats before = jit::stats();
  Ran r;
  r.outcome = compiled ? kernel.run(shape, arguments, options) : kernel.interpret(shape, arguments, options);
  r.entered = jit::stats().entered - before.entered, r.back = jit::stats().left - before.left;
  r.left.assign(there, there + 2 * dwords);
  r.left.insert(r.left.end(), out.begin(), out.end());
  return r;
}

Kernel kernel_of(Target target, const std::string& body) {
  return Kernel(target, begin + body + end, target == Target::gfx90a ? ".amdhsa_accum_offset 64" : "");
}

constexpr Shape line{{512, 1, 1}, {64, 1, 1}}, lines{{128, 4, 1}, {16, 4, 1}};

// What a compiler makes of a[i] and of a[i + 1], for a pointer and an index, and of a pointer and an offset in bytes.
TEST(Addresses, AcrossAMultipleOfFourGiB) {
  for (const Target target : targets) {
    const Kernel kernel = kernel_of(target, R"(
      shift_address 6, 2, 4
      sum 8, 8, 6
      flat_load_dword v50, v[8:9]
      plus v4, 1, v4
      shift_address 6, 2, 4
      sum 8, 8, 6
      flat_load_dword v51, v[8:9]
      v_lshlrev_b32 v10, 1, v4
      address 12, 8, v10
      flat_load_ushort v52, v[12:13]
      s_waitcnt vmcnt(0) lgkmcnt(0)
      v_xor_b32 v50, v50, v51
      plus v4, 0x400, v4
      shift_address 6, 2, 4
      sum 8, 8, 6
      flat_store_dword v[8:9], v50
      v_xor_b32 v50, v50, v52
    )");
    for (const int64_t from : {-2048, -1300, -514, -130, -96, -64, -17, -1, 0})
      for (const Shape& shape : {line, lines}) {
        SCOPED_TRACE(fmt::format("{}, from {}, groups of {}", isa::info(target).name, from, shape.group[0]));
        const Ran a = run(kernel, shape, from, 20, false), b = run(kernel, shape, from, 20, true);
        EXPECT_NO_FAULT(b.outcome);
        EXPECT_EQ(a.left, b.left);
        EXPECT_EQ(b.entered, 8u);
        EXPECT_EQ(b.back, 0u) << "which half wraps is nobody's concern";
      }
  }
}

// A store that overwrites what was loaded and what is called keep all registers, of which one address is still to come,
// and the wave goes back to there.
TEST(Addresses, AreWholeWhereAWaveGoesBackTo) {
  for (const Target target : targets)
    for (const char* keeps : {"flat_store_dword v[8:9], v50", "s_memtime s[20:21]"})
      for (const int fail_every : {1, 2, 3, 4, 5, 6, 7, 8}) {
        SCOPED_TRACE(fmt::format("{}, {}, failing every {}", isa::info(target).name, keeps, fail_every));
        const Kernel kernel = kernel_of(target, fmt::format(R"(
          shift_address 6, 2, 4
          sum 8, 8, 6
          plus v16, 1, v4
          v_mov_b32 v17, 0
          shift_address 12, 2, 16
          sum 10, 8, 12
          flat_load_dword v50, v[10:11]
          s_waitcnt vmcnt(0) lgkmcnt(0)
          {}
          s_waitcnt vmcnt(0) lgkmcnt(0)
          flat_load_dword v51, v[10:11]
          s_waitcnt vmcnt(0) lgkmcnt(0)
          v_xor_b32 v50, v50, v51
        )",
                                                            keeps));
        setenv("CROSSLANE_JIT_FAIL_GUARDS", std::to_string(fail_every).c_str(), 1);
        const Ran a = run(kernel, line, -100, 0, false), b = run(kernel, line, -100, 0, true);
        unsetenv("CROSSLANE_JIT_FAIL_GUARDS");
        EXPECT_NO_FAULT(a.outcome);
        EXPECT_NO_FAULT(b.outcome);
        EXPECT_EQ(a.left, b.left);
      }
}

// Lanes from 16 on have numbers from 0 on, and lie 16 GiB before the others, where nothing is.
TEST(Addresses, OfNumbersThatWrap) {
  for (const Target target : targets) {
    SCOPED_TRACE(isa::info(target).name);
    const Kernel kernel = kernel_of(target, R"(
      s_movk_i32 s14, -16
      plus v4, s14, v4
      shift_address 6, 2, 4
      sum 8, 8, 6
      flat_load_dword v50, v[8:9]
      s_waitcnt vmcnt(0) lgkmcnt(0)
    )");
    const Shape wave{{64, 1, 1}, {64, 1, 1}};
    const int64_t from = -(int64_t(1) << 32);
    const Ran a = run(kernel, wave, from, 0, false), b = run(kernel, wave, from, 0, true);
    ASSERT_TRUE(a.outcome.fault);
    ASSERT_TRUE(b.outcome.fault);
    EXPECT_EQ(machine::describe(*a.outcome.fault), machine::describe(*b.outcome.fault));
    EXPECT_EQ(a.left, b.left);
  }
}

struct Access {
  const char* text; // of the address, and its first register
  uint64_t shift;   // of an index, so that lanes lie side by side
  bool loads;
};
constexpr Access kinds[] = {{"flat_store_dword {0}, v50", 2, false},
                            {"flat_store_byte {0}, v50", 0, false},
                            {"flat_store_byte {0}, v{1}", 0, false},
                            {"flat_load_ubyte v52, {0}", 0, true},
                            {"flat_load_dword v52, {0}", 2, true},
                            {"flat_load_dword v{1}, {0}\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_mov_b32 v52, v{1}", 2, true},
                            {"flat_load_dwordx2 v[52:53], {0}", 3, true},
                            {"flat_load_dwordx4 v[52:55], {0}", 4, true}};

// What reads halves or carries besides, what is stored while addresses are on their way, lanes that are masked.
std::string pieces(std::mt19937_64& random) {
  const auto below = [&](uint64_t n) { return random() % n; };
  std::string s;
  const auto add = [&](std::string_view format, auto... arguments) {
    s += fmt::format(fmt::runtime(format), arguments...) + "\n";
  };
  const bool masked = below(3) == 0;
  if (masked) {
    add("v_cmp_{}_u32 vcc, {}, v0", below(2) ? "gt" : "ne", below(64));
    add("s_and_saveexec_b64 s[14:15], vcc");
  }
  const uint64_t count = 1 + below(3);
  std::vector<int> places(count);
  std::vector<const Access*> accesses(count);
  const auto make = [&](uint64_t n) {
    const int r = 16 + 8 * int(n);
    if (below(3) == 0)
      add("plus v4, {}, v4", below(9));
    accesses[n] = &kinds[below(std::size(kinds))];
    const uint64_t shift = below(4) ? accesses[n]->shift : below(5); // lanes lie side by side, or do not
    if (!shift || below(4) == 0) {
      add("v_lshlrev_b32 v{}, {}, v4", r, shift);
      add("v_mov_b32 v{}, 0", r + 1);
    } else {
      add("shift_address {}, {}, 4", r, shift);
    }
    add("v_mov_b32 v{}, s9", r + 3);
    add("add_u32 v{}, s8, v{}", r + 2, r);
    if (below(6) == 0)
      add("v_cndmask_b32 v51, 7, v4, vcc\nv_xor_b32 v50, v50, v51");
    if (below(2))
      add("addc_u32 v{0}, v{0}, v{1}", r + 3, r + 1);
    else
      add("addc_u32 v{0}, v{1}, v{0}", r + 3, r + 1);
    places[n] = r + 2;
    if (below(6) == 0)
      add("v_cndmask_b32 v51, 9, v4, vcc\nv_xor_b32 v50, v50, v51");
    if (below(4) == 0) {
      add("add_u32 v{}, {}, v{}", r + 4, below(65), r + 2);
      add("addc_u32 v{}, 0, v{}", r + 5, r + 3);
      places[n] = r + 4;
    }
    if (below(5) == 0)
      add("v_xor_b32 v50, v50, v{}", r + int(below(4)));
  };
  const auto access = [&](uint64_t n) {
    const int at = places[n];
    add(accesses[n]->text, fmt::format("v[{}:{}]", at, at + 1), at);
    if (accesses[n]->loads)
      add("s_waitcnt vmcnt(0) lgkmcnt(0)\nv_xor_b32 v50, v50, v52");
    if (below(5) == 0)
      add("v_xor_b32 v50, v50, v{}", at + int(below(2)));
  };
  const bool all_first = below(2);
  for (uint64_t n = 0; n < count; ++n) {
    make(n);
    if (!all_first)
      access(n);
  }
  for (uint64_t n = 0; n < count && all_first; ++n)
    access(n);
  if (below(3) == 0)
    add("s_cbranch_vccz on\nv_xor_b32 v50, 3, v50\non:");
  if (masked)
    add("s_mov_b64 exec, s[14:15]");
  return s;
}

TEST(Addresses, OfRandomPieces) {
  const char* const more = std::getenv("CROSSLANE_TEST_ROUNDS");
  const uint64_t rounds = more ? std::strtoull(more, nullptr, 10) : 20;
  uint64_t entered = 0, back = 0;
  for (const Target target : targets)
    for (uint64_t seed = 0; seed < rounds; ++seed) {
      std::mt19937_64 random(seed);
      const std::string body = pieces(random);
      const Shape shape = random() % 2 ? line : lines;
      const int64_t from = -int64_t(random() % 600);
      const int32_t pitch = int32_t(random() % 3) * 10 + 16;
      SCOPED_TRACE(fmt::format("{}, seed {}, from {}, groups of {}, pitch {}:\n{}", isa::info(target).name, seed, from,
                               shape.group[0], pitch, body));
      const Kernel kernel = kernel_of(target, body);
      const uint64_t fail_every = seed % 3 ? 0 : 2 + random() % 4; // places where guards are asked
      if (fail_every)
        setenv("CROSSLANE_JIT_FAIL_GUARDS", std::to_string(fail_every).c_str(), 1);
      const Ran a = run(kernel, shape, from, pitch, false), b = run(kernel, shape, from, pitch, true);
      unsetenv("CROSSLANE_JIT_FAIL_GUARDS");
      EXPECT_NO_FAULT(a.outcome);
      EXPECT_EQ(a.outcome.fault.has_value(), b.outcome.fault.has_value());
      ASSERT_EQ(a.left, b.left);
      if (!fail_every)
        entered += b.entered, back += b.back;
    }
  EXPECT_GE(entered, 8 * (rounds * 2 / 3) * std::size(targets));
  EXPECT_LT(back, entered / 4);
}

} // namespace
} // namespace crosslane::test
