// Views that remember patterns against views that have seen nothing before: streams of accesses that repeat, and of
// such that differ from what is remembered in one thing only. What a fresh view counts is tested in lds_test.cpp and
// memory_counting_test.cpp, with sets.
#include "isa/op.h"
#include "views/lds.h"
#include "views/memory.h"
#include <array>
#include <bit>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <tuple>

namespace crosslane::views {
namespace {

using events::AccessKind;
using events::Space;
using Random = std::mt19937_64;

constexpr uint64_t all = ~uint64_t(0);

struct Access {
  AccessKind kind = AccessKind::load;
  Space space = Space::lds;
  uint32_t bytes = 4;
  uint64_t lanes = all;
  bool two = false;
  isa::Op op = isa::Op::ds_read_b32;
  uint64_t pc = 0x100;
  std::array<uint64_t, 64> address = {}, second = {};
};

uint64_t one_of(Random& random, std::initializer_list<uint64_t> of) { return of.begin()[random() % of.size()]; }

void move(Access& a, uint64_t by) {
  for (uint64_t& address : a.address)
    address += by;
  for (uint64_t& address : a.second)
    address += by;
}

uint64_t random_lanes(Random& random) {
  const uint64_t half = random(), quarter = half & random();
  const uint64_t lanes = one_of(random, {all, all, all, 0xffffffff, half, quarter, 0x5555555555555555, all << 32,
                                         1ull << random() % 64, 3ull << random() % 63});
  return lanes ? lanes : 1;
}

// Something that a kernel may do again and again.
Access made_up(Random& random, Space space) {
  Access a;
  a.space = space;
  a.bytes = uint32_t(one_of(random, {1, 2, 4, 4, 4, 8, 12, 16}));
  a.kind = AccessKind(random() % (a.bytes == 4 || a.bytes == 8 ? 3 : 2));
  a.lanes = random_lanes(random);
  const uint64_t step = one_of(random, {0, a.bytes, a.bytes, 4, 8, 60, 64, 128, 132, random() % 160, 0 - a.bytes}),
                 range = one_of(random, {4, 64, 1024, 16384}), unit = one_of(random, {1, 4, 4, 16}),
                 shape = random() % 4;
  for (uint64_t lane = 0; lane < 64; ++lane)
    a.address[lane] = 8192 + (shape == 0   ? random() % range * unit
                              : shape == 1 ? lane / 16 * step + lane % 16 * a.bytes
                                           : lane * step);
  return a;
}

Access made_up_memory(Random& random) {
  const auto space =
      Space(one_of(random, {uint64_t(Space::global), uint64_t(Space::global), uint64_t(Space::scratch)}));
  Access a = made_up(random, space);
  a.op = space == Space::scratch ? isa::Op::scratch_load_dword : isa::Op::global_load_dword;
  if (space == Space::global && random() % 4 == 0) // another way to L1
    a.op = isa::Op::buffer_load_format_xy, a.pc = 0x200;
  if (space == Space::scratch && random() % 2)
    for (uint64_t lane = 0; lane < 64; ++lane)
      a.address[lane] = 8192 + lane * 4 + random() % 4 * 256;
  return a;
}

Access made_up_lds(Random& random) {
  Access a = made_up(random, Space::lds);
  if (a.bytes == 4 || a.bytes == 8) {
    a.two = random() % 3 == 0;
    const uint64_t apart = one_of(random, {a.bytes, a.bytes, 0 - a.bytes, 0, 64 * a.bytes, 0 - 128 * a.bytes});
    for (size_t lane = 0; lane < 64; ++lane)
      a.second[lane] = a.address[lane] + apart;
  }
  return a;
}

// The same as before but for one thing.
void change(Random& random, Access& a) {
  const size_t lane = random() % 64;
  switch (random() % 12) {
  case 0:
  case 1:
  case 2: return; // nothing
  case 3:
  case 4: return move(a, one_of(random, {1, 2, 4, 8, 12, 16, 32, 64, 128, 256, 4096, 0 - 4ull, 0 - 8ull, 0 - 64ull}));
  case 5: // to where numbers end
    return move(a, one_of(random, {0 - a.address[lane], 0 - a.address[lane] - 4, 0 - a.address[lane] - 16,
                                   0 - a.address[lane] - 64, 65536 - a.address[lane], (1ull << 32) - a.address[lane],
                                   (1ull << 34) - a.address[lane], (1ull << 63) - a.address[lane]}));
  case 6:
    a.address[lane] += one_of(random, {1, 4, 8, 64, 128, 0 - 4ull, 0 - 128ull}); // its second address stays
    return;
  case 7: a.second[lane] += 4; return;
  case 8:
    if (const uint64_t lanes = a.lanes ^ 1ull << lane)
      a.lanes = lanes;
    return;
  case 9:
    if (a.op == isa::Op::global_load_dword && random() % 2)
      a.op = isa::Op::buffer_load_format_xy, a.pc = 0x200;
    else if (a.space == Space::global && random() % 2)
      a.op = isa::Op::scratch_load_dword, a.pc = 0x100, a.space = Space::scratch;
    else
      a.kind = AccessKind((int(a.kind) + 1) % 3);
    return;
  case 10: a.bytes = a.bytes == 16 ? 4 : a.bytes == 12 ? 16 : a.bytes * 2; return;
  default:
    a.two = a.space == Space::lds && !a.two && a.bytes <= 8;
    for (size_t l = 0; l < 64; ++l)
      a.second[l] = a.address[l] + a.bytes;
  }
}

struct Waves {
  std::array<machine::Workgroup, 4> groups{};
  std::array<std::unique_ptr<machine::Wave>, 8> waves;
  Waves() {
    for (uint32_t w = 0; w < 8; ++w) {
      waves[w] = std::make_unique<machine::Wave>();
      machine::Workgroup& group = groups[w / 2];
      group.id[0] = w / 2 % 2, group.id[1] = w / 4, group.number = w / 2;
      waves[w]->workgroup = &group;
      waves[w]->id = uint16_t(w % 2);
    }
  }
};

template <class View> void send(View& view, const Access& a, const machine::Wave& wave) {
  isa::Instruction instruction;
  instruction.op = a.op;
  std::array<uint64_t, 64> address = a.address, second = a.second;
  static uint64_t nobodys = 0;
  for (size_t lane = 0; lane < 64; ++lane)
    if (!(a.lanes >> lane & 1)) // they have no value: never the same twice
      address[lane] = second[lane] = nobodys += 0x12345;
  view.access({{a.pc, &instruction},
               &wave,
               a.space,
               a.kind,
               a.bytes,
               a.lanes,
               address.data(),
               a.two ? second.data() : nullptr});
}

void expect_equal(const LaneExample& a, const LaneExample& b) {
  EXPECT_TRUE(std::equal(a.workgroup, a.workgroup + 3, b.workgroup));
  EXPECT_EQ(a.wave, b.wave);
  EXPECT_EQ(a.lanes, b.lanes);
  EXPECT_EQ(a.address, b.address);
  EXPECT_EQ(a.second, b.second);
  EXPECT_EQ(a.two_addresses, b.two_addresses);
}

// Calls check(access, wave) for `rounds` accesses of a few patterns at a time.
template <class Check> void stream(int seed, int rounds, Access (*make)(Random&), Check check) {
  Random random(static_cast<uint64_t>(seed));
  const Waves waves;
  std::array<Access, 6> patterns;
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    if (round % 300 == 0)
      for (Access& pattern : patterns)
        pattern = make(random);
    Access& pattern = patterns[random() % patterns.size()];
    Access changed = pattern;
    change(random, changed);
    if (random() % 8 == 0)
      pattern = changed;                                         // for good
    for (uint64_t times = random() % 4; times != ~0ull; --times) // remembered after the second
      check(changed, *waves.waves[random() % 8]);
  }
}

TEST(PatternMemo, LdsCountsWhatAFreshViewCounts) {
  auto view = std::make_unique<LdsBanks>();
  LdsSite expected;
  const auto place = [](const LaneExample& e) {
    return std::tie(e.workgroup[2], e.workgroup[1], e.workgroup[0], e.wave);
  };
  int sent = 0;
  stream(3, 20000, made_up_lds, [&](const Access& a, const machine::Wave& wave) {
    LdsBanks fresh;
    send(fresh, a, wave);
    const LdsSite one = fresh.sites().at(0);
    const bool worse = one.worst_degree != expected.worst_degree ? one.worst_degree > expected.worst_degree
                                                                 : place(one.worst) < place(expected.worst);
    LdsCounts counts = expected.counts;
    counts += one.counts;
    if (worse)
      expected = one;
    expected.counts = counts;

    send(*view, a, wave);
    const LdsSite site = view->sites().at(0);
    ASSERT_EQ(site.counts, expected.counts)
        << sent << ": " << a.bytes << " bytes, kind " << int(a.kind) << ", two " << a.two << ", from " << a.address[0];
    ASSERT_EQ(site.worst_degree, expected.worst_degree);
    ASSERT_EQ(site.worst_bank, expected.worst_bank);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(site.worst_lane[i], expected.worst_lane[i]);
      ASSERT_EQ(site.worst_address[i], expected.worst_address[i]);
    }
    expect_equal(site.worst, expected.worst);
    if (++sent % 256 == 0) { // else most would never be the worst
      view = std::make_unique<LdsBanks>();
      expected = {};
    }
  });
  EXPECT_GT(sent, 40000);
}

// What a view should have of a site.
struct Expected {
  MemoryCounts counts;
  std::map<Pattern, uint64_t> patterns;
  std::map<int64_t, uint64_t> strides;
  LaneExample worst;
  std::tuple<uint64_t, uint64_t, uint32_t> worst_at; // least excess first, workgroup, wave
  uint64_t low_bits = 0;

  void add(const MemorySite& one, const machine::Wave& wave) {
    const std::tuple at(~one.counts.excess_lines(), wave.workgroup->number, wave.id);
    if (counts.requests == 0 || at < worst_at)
      worst_at = at, worst = one.worst;
    counts += one.counts;
    ++patterns[one.pattern];
    if (one.pattern == Pattern::strided)
      ++strides[one.stride];
    low_bits |= one.alignment;
  }
};

template <class Key> uint64_t most(const std::map<Key, uint64_t>& times) {
  uint64_t most = 0;
  for (const auto& [key, n] : times)
    most = std::max(most, n);
  return most;
}

TEST(PatternMemo, MemoryCountsWhatAFreshViewCounts) {
  auto view = std::make_unique<MemoryCoalescing>();
  std::map<std::pair<uint64_t, Space>, Expected> expected; // by pc
  int sent = 0;
  stream(4, 20000, made_up_memory, [&](const Access& a, const machine::Wave& wave) {
    MemoryCoalescing fresh;
    send(fresh, a, wave);
    Expected& e = expected[{a.pc, a.space}];
    e.add(fresh.sites().at(0), wave);

    send(*view, a, wave);
    for (const MemorySite& site : view->sites()) {
      if (site.pc != a.pc || site.space != a.space)
        continue;
      ASSERT_EQ(site.counts, e.counts) << sent << ": " << a.bytes << " bytes, kind " << int(a.kind) << ", space "
                                       << int(a.space) << ", from " << a.address[0];
      ASSERT_EQ(e.patterns[site.pattern], most(e.patterns));
      if (site.pattern == Pattern::strided)
        ASSERT_EQ(e.strides[site.stride], most(e.strides));
      ASSERT_EQ(site.alignment, 1u << std::countr_zero(e.low_bits));
      expect_equal(site.worst, e.worst);
    }
    if (++sent % 256 == 0) {
      view = std::make_unique<MemoryCoalescing>();
      expected.clear();
    }
  });
  EXPECT_GT(sent, 40000);
}

} // namespace
} // namespace crosslane::views
