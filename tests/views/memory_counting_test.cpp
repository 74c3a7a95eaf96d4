// Requests of every kind against counting byte by byte, which knows no closed forms: strides of any size, partial EXEC,
// all access sizes, overlaps, misalignment, scratch.
#include "tests/views/memory_fixture.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace crosslane::views {
namespace {

using events::AccessKind;
using events::Space;
using test::Request;

// As views/memory.h defines it, one byte, lane and group at a time.
MemoryCounts count_slowly(const Request& r) {
  MemoryCounts c;
  c.requests = 1;
  std::set<uint64_t> lines, bytes, addresses;
  for (uint64_t lane = 0; lane < 64; ++lane) {
    if (!(r.lanes >> lane & 1))
      continue;
    const uint64_t address = r.address(lane);
    std::set<uint64_t> own;
    for (uint64_t b = 0; b < r.bytes; ++b) {
      uint64_t at = address + b;
      if (r.space == Space::scratch) { // byte b is byte (address % 4 + b) of the lane's own dwords
        const uint64_t nth = address % 4 + b;
        at = address - address % 4 + nth / 4 * 256 + nth % 4;
      }
      bytes.insert(at);
      own.insert(at / 64);
    }
    lines.insert(own.begin(), own.end());
    addresses.insert(address);
    ++c.lanes;
    c.bytes_asked += r.bytes;
    c.split_lanes += r.space != Space::scratch && own.size() > 1;
    c.misaligned_lanes += address % std::min(r.bytes, 4u) != 0;
  }
  c.lines = lines.size();
  c.ideal_lines = bytes.size() / 64 + (bytes.size() % 64 != 0);
  c.bytes_moved = c.lines * 64;
  const bool atomic = r.kind == AccessKind::atomic;
  c.l2_operations = atomic ? c.lanes : c.lines;
  c.address_collisions = atomic ? c.lanes - addresses.size() : 0;
  if (r.space == Space::scalar)
    return c;
  for (uint64_t group = 0; group < 64; group += 16) {
    std::vector<std::vector<uint64_t>> quads;
    std::set<uint64_t> in_group;
    for (uint64_t quad = group; quad < group + 16; quad += 4) {
      std::vector<uint64_t> active;
      for (uint64_t lane = quad; lane < quad + 4; ++lane)
        if (r.lanes >> lane & 1)
          active.push_back(r.address(lane));
      in_group.insert(active.begin(), active.end());
      if (!active.empty())
        quads.push_back(active);
    }
    if (quads.empty())
      continue;
    const uint64_t element = r.space == Space::scratch ? 4 : r.bytes;
    bool same = true, block = true;
    for (auto& quad : quads) {
      std::sort(quad.begin(), quad.end());
      same = same && quad.front() == quad.back();
      block = block && quad.back() + element <= quad.front() + 4 * element;
    }
    const L1Case which = r.bytes > 4            ? L1Case::wide
                         : in_group.size() == 1 ? L1Case::same_address
                         : same                 ? L1Case::quads_same_address
                         : block                ? L1Case::quads_one_block
                                                : L1Case::separate_quads;
    ++c.l1_groups[int(which)];
    c.clocks += which == L1Case::wide || which == L1Case::separate_quads ? quads.size() : 1;
    c.ideal_clocks += which == L1Case::wide ? quads.size() : 1;
  }
  return c;
}

TEST(MemoryCounting, RequestsOfEveryKind) {
  std::mt19937_64 random(20);
  const auto one_of = [&](auto... values) {
    const uint64_t all[] = {uint64_t(values)...};
    return all[random() % std::size(all)];
  };
  for (int round = 0; round < 4000; ++round) {
    Request r;
    r.bytes = uint32_t(one_of(1, 2, 4, 4, 8, 12, 16));
    r.kind = AccessKind(one_of(int(AccessKind::load), int(AccessKind::store), int(AccessKind::atomic)));
    r.lanes = one_of(-1, -1, -1, 0xffffffff, random(), random() & random() & random(), 0x5555555555555555,
                     1ull << random() % 64);
    if (r.lanes == 0)
      r.lanes = 1;
    const uint64_t from = test::base + one_of(0, 0, 4, 1, 2, 60, random() % 256);
    const uint64_t stride = one_of(0, r.bytes, -uint64_t(r.bytes), 1, 4, 8, 24, 60, 64, 68, 72, 76, 128, 132,
                                   random() % 200, -(random() % 200));
    const uint64_t spread = one_of(1, 4, 16, 64, 1000, 1 << 20), unit = one_of(1, 4, r.bytes, 16), seed = random();
    const auto scrambled = [=](uint64_t lane) { return ((lane + 1) * seed ^ (lane * seed >> 29)) % spread; };
    const uint64_t shape = one_of(0, 0, 1, 2, 3);
    r.address = [=](uint64_t lane) {
      switch (shape) {
      case 0: return from + lane * stride;                                  // a stride
      case 1: return from + scrambled(lane) * unit;                         // none
      case 2: return from + lane / 4 * stride + scrambled(lane) % 4 * unit; // within quads
      default: return from + lane / 16 * stride;                            // groups of 16
      }
    };
    if (round % 4 == 3) {
      r.space = Space::scratch; // lane l's bytes are those of every 64th dword
      r.op = isa::Op::scratch_load_dword;
      const uint64_t offset = random() % 64, own = one_of(0, 0, 1, 7, 64);
      r.address = [=](uint64_t lane) {
        const uint64_t at = offset + (own ? scrambled(lane) % own : 0);
        return test::base + at / 4 * 256 + lane * 4 + at % 4;
      };
    }
    if (round % 32 == 5) {
      r.space = Space::scalar;
      r.lanes = 1;
      r.bytes = uint32_t(one_of(4, 8, 16, 32, 64));
    }
    const MemoryCounts fast = test::count(r).counts, slow = count_slowly(r);
    ASSERT_EQ(fast.lines, slow.lines) << round;
    ASSERT_EQ(fast.ideal_lines, slow.ideal_lines) << round;
    ASSERT_EQ(fast.address_collisions, slow.address_collisions) << round;
    ASSERT_EQ(fast.clocks, slow.clocks) << round;
    ASSERT_EQ(fast, slow) << round << " bytes " << r.bytes << " stride " << int64_t(stride) << " shape " << shape;
  }
}

} // namespace
} // namespace crosslane::views
