// Atomics of memory in compiled code: what memory holds after, what lanes get, and where one of them cannot be done.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include <algorithm>
#include <functional>
#include <random>
#include <sys/mman.h>

namespace crosslane::test {
namespace {

struct Operation {
  const char* name;
  std::function<uint64_t(uint64_t old, uint64_t data, uint64_t compare)> update; // of `bits` bits
};

// The formulas of the ISA manual, on numbers of that many bits.
std::vector<Operation> operations(int bits) {
  const uint64_t all = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  const auto s = [=](uint64_t v) { return int64_t(v << (64 - bits)) >> (64 - bits); };
  return {
      {"swap", [](uint64_t, uint64_t d, uint64_t) { return d; }},
      {"cmpswap", [](uint64_t o, uint64_t d, uint64_t c) { return o == c ? d : o; }},
      {"add", [=](uint64_t o, uint64_t d, uint64_t) { return (o + d) & all; }},
      {"sub", [=](uint64_t o, uint64_t d, uint64_t) { return (o - d) & all; }},
      {"smin", [=](uint64_t o, uint64_t d, uint64_t) { return s(d) < s(o) ? d : o; }},
      {"umin", [](uint64_t o, uint64_t d, uint64_t) { return std::min(d, o); }},
      {"smax", [=](uint64_t o, uint64_t d, uint64_t) { return s(d) > s(o) ? d : o; }},
      {"umax", [](uint64_t o, uint64_t d, uint64_t) { return std::max(d, o); }},
      {"and", [](uint64_t o, uint64_t d, uint64_t) { return o & d; }},
      {"or", [](uint64_t o, uint64_t d, uint64_t) { return o | d; }},
      {"xor", [](uint64_t o, uint64_t d, uint64_t) { return o ^ d; }},
      {"inc", [](uint64_t o, uint64_t d, uint64_t) { return o >= d ? 0 : o + 1; }},
      {"dec", [](uint64_t o, uint64_t d, uint64_t) { return o == 0 || o > d ? d : o - 1; }},
  };
}

struct Form {
  Operation operation;
  bool wide, returns, saddr, partial, goes_on;
};

// Arguments: memory, byte offset of each lane, data, what to compare with (64 bits each), out.
std::string source(const Form& f) {
  const auto registers = [&](const char* both, const char* one) { return std::string(f.wide ? both : one); };
  std::string s = R"(
    s_load_dwordx8 s[8:15], s[0:1], 0x0
    s_load_dwordx2 s[16:17], s[0:1], 0x20
    s_lshl_b32 s2, s2, 7
    v_add_u32 v0, s2, v0
    v_lshlrev_b32 v1, 2, v0
    v_lshlrev_b32 v2, 3, v0
    v_mov_b32 v8, 0
    v_mov_b32 v9, 0
    s_waitcnt lgkmcnt(0)
    global_load_dword v3, v1, s[10:11]
    global_load_dwordx2 v[4:5], v2, s[12:13]
    global_load_dwordx2 v[6:7], v2, s[14:15]
    s_waitcnt vmcnt(0)
)";
  if (!f.wide)
    s += "v_mov_b32 v5, v6\n"; // what to compare with lies behind the data
  if (f.partial)
    s += "s_mov_b32 exec_lo, 0x8fe7a5c3\ns_mov_b32 exec_hi, 0x40fff35a\n";
  if (!f.saddr)
    s += "v_mov_b32 v11, s9\nv_add_co_u32 v10, vcc, s8, v3\nv_addc_co_u32 v11, vcc, 0, v11, vcc\n";
  s += std::string("global_atomic_") + f.operation.name + (f.wide ? "_x2 " : " ");
  if (f.returns)
    s += registers("v[8:9]", "v8") + ", ";
  s += f.saddr ? "v3, " : "v[10:11], ";
  s += std::string(f.operation.name) == "cmpswap" ? registers("v[4:7]", "v[4:5]") : registers("v[4:5]", "v4");
  s += f.saddr ? ", s[8:9]" : ", off";
  s += f.returns ? " glc\ns_waitcnt vmcnt(0)\n" : "\n";
  if (f.returns || f.goes_on)
    s += "s_mov_b64 exec, -1\nglobal_store_dwordx2 v2, v[8:9], s[16:17]\n";
  return s + "s_waitcnt vmcnt(0)\nbuffer_wbinvl1_vol\ns_endpgm\n";
}

constexpr uint64_t executed = 0x40fff35a8fe7a5c3;
constexpr uint32_t group = 128, groups = 6, items = group * groups;

enum class Places { apart, one, few };

// In a grid that one thread runs, wave by wave and lane by lane.
void check(const Form& f, const Kernel& kernel, Places places) {
  SCOPED_TRACE(source(f) + (places == Places::apart ? "apart" : places == Places::one ? "one place" : "few places"));
  machine::Memory memory;
  Buffer<uint64_t> there(memory, items), data(memory, items), compare(memory, items), out(memory, items);
  Buffer<uint32_t> offset(memory, items);
  std::mt19937_64 random(7);
  const uint64_t all = f.wide ? ~uint64_t(0) : 0xffffffff;
  const uint32_t bytes = f.wide ? 8 : 4;
  std::vector<uint64_t> expected(items), returned(items);
  for (uint32_t i = 0; i < items; ++i) {
    const uint32_t at = places == Places::apart ? i * 5 % items : places == Places::one ? 3 : uint32_t(random() % 7);
    offset[i] = at * bytes;
    data[i] = random() >> random() % 64;
    expected[i] = random() >> random() % 64 & all;
    if (f.wide)
      there[i] = expected[i];
    else
      reinterpret_cast<uint32_t*>(there.begin())[i] = uint32_t(expected[i]);
  }
  for (uint32_t i = 0; i < items; ++i)
    compare[i] = random() % 2 ? expected[offset[i] / bytes] : random();
  if (!f.wide)
    for (uint32_t i = 0; i < items; ++i)
      compare[i] &= all;
  for (uint32_t i = 0; i < items; ++i) {
    if (f.partial && !(executed >> i % 64 & 1))
      continue;
    uint64_t& item = expected[offset[i] / bytes];
    if (f.returns)
      returned[i] = item;
    item = f.operation.update(item, data[i] & all, compare[i] & all);
  }
  engine::Options options;
  options.threads = 1;
  const auto [ranged, left] = std::pair(jit::stats().ranged, jit::stats().left);
  const auto outcome =
      kernel.run({{items, 1, 1}, {group, 1, 1}},
                 {there.address(), offset.address(), data.address(), compare.address(), out.address()}, options);
  EXPECT_NO_FAULT(outcome);
  EXPECT_EQ(jit::stats().left, left);
  if (!f.returns && !f.goes_on) // nothing can fail behind it
    EXPECT_EQ(jit::stats().ranged - ranged, items / 64);
  for (uint32_t i = 0; i < items; ++i) {
    const uint64_t now = f.wide ? there[i] : reinterpret_cast<uint32_t*>(there.begin())[i];
    ASSERT_EQ(now, expected[i]) << "item " << i;
    ASSERT_EQ(out[i], returned[i]) << "lane " << i;
  }
}

class Atomics : public testing::TestWithParam<bool> {};

TEST_P(Atomics, AreThoseOfTheManual) {
  const bool wide = GetParam();
  const auto all = operations(wide ? 64 : 32);
  uint32_t turn = 0;
  for (const Operation& operation : all)
    for (const bool returns : {false, true}) {
      // The other choices in turns.
      const uint32_t n = turn++;
      const Form f{operation, wide, returns, bool(n / 2 & 1), bool((n / 4 + n / 2) & 1), bool((n / 8 + n / 4) & 1)};
      const Kernel kernel(isa::Target::gfx900, source(f));
      for (const Places places : {Places::apart, Places::one, Places::few})
        check(f, kernel, places);
    }
}
INSTANTIATE_TEST_SUITE_P(Of, Atomics, testing::Bool(),
                         [](const auto& info) { return info.param ? "64_bits" : "32_bits"; });

// Addresses that are the same but for high bits have one place among the sums that a range keeps; threads have their
// own.
TEST(Atomics, AddsThatShareAPlace) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx4 s[8:11], s[0:1], 0x0
    s_lshl_b32 s2, s2, 7
    v_add_u32 v0, s2, v0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_load_dword v2, v1, s[10:11]
    s_waitcnt vmcnt(0)
    global_atomic_add v2, v0, s[8:9]
    s_endpgm
  )");
  constexpr uint32_t apart = 32768, pages = 40, lanes = 128 * 200;
  machine::Memory memory;
  Buffer<uint32_t> sums(memory, apart / 4 * pages), offset(memory, lanes);
  std::mt19937 random(3);
  for (const unsigned threads : {1u, 3u}) {
    std::fill(sums.begin(), sums.end(), 7u);
    std::vector<uint32_t> expected(sums.size(), 7);
    for (uint32_t i = 0; i < lanes; ++i) {
      offset[i] = random() % pages * apart + random() % 5 * 4;
      expected[offset[i] / 4] += i;
    }
    engine::Options options;
    options.threads = threads;
    const uint64_t ranged = jit::stats().ranged;
    EXPECT_NO_FAULT(kernel.run({{lanes, 1, 1}, {128, 1, 1}}, {sums.address(), offset.address()}, options));
    EXPECT_EQ(jit::stats().ranged - ranged, lanes / 64);
    EXPECT_TRUE(std::equal(sums.begin(), sums.end(), expected.begin())) << threads << " thread(s)";
  }
}

// Lane 40 of the fourth wave has no memory: the lanes before it have added, no lane twice.
TEST(Atomics, OfNoMemoryFaultOnce) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    s_lshl_b32 s2, s2, 6
    v_add_u32 v0, s2, v0
    v_lshlrev_b32 v0, 2, v0
    v_mov_b32 v1, 1
    s_waitcnt lgkmcnt(0)
    global_atomic_add v0, v1, s[8:9]
    s_endpgm
  )");
  const size_t page = 4096;
  const uint64_t pages = machine::map_in_window(2 * page, PROT_READ | PROT_WRITE);
  ASSERT_NE(pages, 0u);
  ASSERT_EQ(mprotect(reinterpret_cast<void*>(pages + page), page, PROT_NONE), 0);
  const uint64_t place = pages + page - (3 * 64 + 40) * 4;
  engine::Options options;
  options.threads = 1;
  const auto outcome = kernel.run({{64 * 8, 1, 1}, {64, 1, 1}}, {place}, options);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, machine::FaultKind::unmapped_address);
  EXPECT_EQ(outcome.fault->workgroup[0], 3u);
  EXPECT_EQ(outcome.fault->address, pages + page);
  const auto* counts = reinterpret_cast<const uint32_t*>(place);
  for (uint32_t i = 0; i < 3 * 64 + 40; ++i)
    ASSERT_EQ(counts[i], 1u) << i;
  munmap(reinterpret_cast<void*>(pages), 2 * page);
}

TEST(Atomics, AskForAlignment) {
  const Kernel kernel(isa::Target::gfx900, R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    v_lshlrev_b32 v0, 2, v0
    v_mov_b32 v1, 1
    s_waitcnt lgkmcnt(0)
    global_atomic_add v0, v1, s[8:9] offset:2
    s_endpgm
  )");
  machine::Memory memory;
  Buffer<uint32_t> counts(memory, 65);
  const auto outcome = kernel.run({}, {counts.address()});
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, machine::FaultKind::misaligned_address);
  EXPECT_EQ(outcome.fault->address, counts.address() + 2);
}

} // namespace
} // namespace crosslane::test
