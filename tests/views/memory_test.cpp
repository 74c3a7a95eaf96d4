// Cache lines, clocks and patterns of requests made by hand. The expected numbers are worked out in the comments.
#include "tests/views/memory_fixture.h"
#include <gtest/gtest.h>
#include <set>

namespace crosslane::views {
namespace {

using events::AccessKind;
using events::Space;
using test::all_lanes;
using test::base;
using test::count;
using test::Request;
using test::strided;

uint64_t groups(const MemorySite& s, L1Case which) { return s.counts.l1_groups[int(which)]; }

// An image sample: 16 lanes read a texel of 4 bytes each from line 0 on; of these, the first 8 one 256 bytes further
// on, too, and lane 0 a third, at the end of a line far below, which its first does not touch. 25 texels are 100 bytes,
// of which lane 1's second texel is lane 0's once more: 24 different ones, 96 bytes, 2 lines at best. Lines: 0, 4 (28
// bytes), and the one below: 3.
TEST(MemoryCoalescing, TexelsOfASampleAreOneRequest) {
  std::array<uint64_t, 64> first{}, second{}, third{};
  for (uint64_t lane = 0; lane < 64; ++lane) {
    first[lane] = base + 4 * lane;
    second[lane] = base + 256 + 4 * (lane == 1 ? 0 : lane);
  }
  third[0] = base - 4096 + 60;
  const events::Places more[] = {{0xff, second.data()}, {1, third.data()}};
  const isa::Instruction i = test::instruction(isa::Op::image_sample);
  MemoryCoalescing view;
  view.access({{0x1000, &i}, nullptr, Space::global, AccessKind::load, 4, 0xffff, first.data(), nullptr, more});
  ASSERT_EQ(view.sites().size(), 1u);
  const MemorySite s = view.sites()[0];
  EXPECT_EQ(s.counts.requests, 1u);
  EXPECT_EQ(s.counts.lanes, 16u);
  EXPECT_EQ(s.counts.bytes_asked, 100u);
  EXPECT_EQ(s.counts.lines, 3u);
  EXPECT_EQ(s.counts.bytes_moved, 192u);
  EXPECT_EQ(s.counts.l2_operations, 3u);
  EXPECT_EQ(s.counts.ideal_lines, 2u);
  EXPECT_EQ(s.counts.clocks, 4u); // 4 quads have a lane
  EXPECT_EQ(s.alignment, 4u);     // the lowest address ends in 60
  EXPECT_EQ(describe_pattern(s), "contiguous");

  // What is remembered of the same lanes with one texel each, one line, is not taken for it, nor the other way round.
  for (int again = 0; again < 2; ++again) {
    view.access({{0x1000, &i}, nullptr, Space::global, AccessKind::load, 4, 0xffff, first.data(), nullptr});
    view.access({{0x1000, &i}, nullptr, Space::global, AccessKind::load, 4, 0xffff, first.data(), nullptr, more});
  }
  EXPECT_EQ(view.sites()[0].counts.requests, 5u);
  EXPECT_EQ(view.sites()[0].counts.lines, 3u + 2 * (1 + 3));
}

// Lane l reads 4 bytes at base + stride * l. 64 lanes ask for 256 bytes, 4 lines at best.
TEST(MemoryCoalescing, StridesOfDwords) {
  struct Expected {
    int dwords;
    uint64_t lines, clocks;
    const char* pattern;
  };
  for (const Expected& e : {
           // The last byte is 4 * 63 + 3 = 255: lines 0 to 3. Each quad lies in 16 bytes: a clock for each group of 16.
           Expected{1, 4, 4, "contiguous"},
           // 8 * 63 + 3 = 507, line 7: 8 lines, none skipped. A quad spans 28 bytes, no 4 consecutive dwords: 16 quads.
           Expected{2, 8, 16, "stride 8 bytes"}, Expected{4, 16, 16, "stride 16 bytes"}, // 16 * 63 + 3 = 1011, line 15
           Expected{8, 32, 16, "stride 32 bytes"},  // 32 * 63 + 3 = 2019, line 31: two lanes in each
           Expected{16, 64, 16, "stride 64 bytes"}, // each lane in a line of its own
           Expected{33, 64, 16, "stride 132 bytes"} // ... two lines and 4 bytes on: own lines, too
       }) {
    SCOPED_TRACE(e.dwords);
    const MemorySite s = count(strided(e.dwords * 4));
    EXPECT_EQ(s.counts.requests, 1u);
    EXPECT_EQ(s.counts.lanes, 64u);
    EXPECT_EQ(s.counts.bytes_asked, 256u);
    EXPECT_EQ(s.counts.lines, e.lines);
    EXPECT_EQ(s.counts.bytes_moved, e.lines * 64);
    EXPECT_EQ(s.counts.l2_operations, e.lines);
    EXPECT_EQ(s.counts.ideal_lines, 4u);
    EXPECT_EQ(s.counts.excess_lines(), e.lines - 4);
    EXPECT_EQ(s.counts.clocks, e.clocks);
    EXPECT_EQ(s.counts.ideal_clocks, 4u);
    EXPECT_EQ(groups(s, e.clocks == 4 ? L1Case::quads_one_block : L1Case::separate_quads), 4u);
    EXPECT_EQ(s.counts.misaligned_lanes, 0u);
    EXPECT_EQ(s.counts.split_lanes, 0u);
    EXPECT_EQ(s.counts.address_collisions, 0u);
    EXPECT_EQ(describe_pattern(s), e.pattern);
    EXPECT_EQ(s.pattern_share, 1.0);
    EXPECT_EQ(s.stride, e.dwords == 1 ? 0 : e.dwords * 4);
    EXPECT_EQ(s.alignment, 4096u); // base is 0x...10000
    EXPECT_EQ(s.bytes, 4u);
  }
}

// The same bytes as contiguous ones, from the last lane to the first.
TEST(MemoryCoalescing, Reversed) {
  const MemorySite s = count(strided(-4, 4, base + 252));
  EXPECT_EQ(s.counts.lines, 4u);
  EXPECT_EQ(s.counts.ideal_lines, 4u);
  EXPECT_EQ(s.counts.clocks, 4u); // the order within a quad does not matter
  EXPECT_EQ(groups(s, L1Case::quads_one_block), 4u);
  EXPECT_EQ(s.pattern, Pattern::reversed);
  EXPECT_EQ(describe_pattern(s), "contiguous, reversed");
  EXPECT_EQ(s.alignment, 4096u); // of the lowest address, which is lane 63's
}

TEST(MemoryCoalescing, NegativeStride) { // 64 lines, as forwards
  const MemorySite s = count(strided(-132, 4, base + 132 * 63));
  EXPECT_EQ(s.counts.lines, 64u);
  EXPECT_EQ(describe_pattern(s), "stride -132 bytes");
  EXPECT_EQ(s.stride, -132);
}

// All lanes read 4 bytes: one line, and 4 bytes fill one at best. Every group of 16 has one address.
TEST(MemoryCoalescing, Broadcast) {
  const MemorySite s = count(strided(0));
  EXPECT_EQ(s.counts.lines, 1u);
  EXPECT_EQ(s.counts.ideal_lines, 1u);
  EXPECT_EQ(s.counts.bytes_asked, 256u);
  EXPECT_EQ(s.counts.bytes_moved, 64u);
  EXPECT_EQ(s.counts.clocks, 4u);
  EXPECT_EQ(groups(s, L1Case::same_address), 4u);
  EXPECT_EQ(describe_pattern(s), "broadcast");
}

// 256 bytes from 1 or 4 bytes into a line on end in a fifth line.
TEST(MemoryCoalescing, Misaligned) {
  const MemorySite by_4 = count(strided(4, 4, base + 4));
  EXPECT_EQ(by_4.counts.lines, 5u);
  EXPECT_EQ(by_4.counts.ideal_lines, 4u);
  EXPECT_EQ(by_4.counts.misaligned_lanes, 0u); // of dwords
  EXPECT_EQ(by_4.counts.split_lanes, 0u);
  EXPECT_EQ(by_4.counts.clocks, 4u); // the block of 4 need not be aligned
  EXPECT_EQ(by_4.alignment, 4u);
  EXPECT_EQ(by_4.pattern, Pattern::contiguous);

  // Lanes 15, 31, 47 and 63 begin 61 bytes into a line, at 60 + 1, and end in the next.
  const MemorySite by_1 = count(strided(4, 4, base + 1));
  EXPECT_EQ(by_1.counts.lines, 5u);
  EXPECT_EQ(by_1.counts.ideal_lines, 4u);
  EXPECT_EQ(by_1.counts.misaligned_lanes, 64u);
  EXPECT_EQ(by_1.counts.split_lanes, 4u);
  EXPECT_EQ(by_1.alignment, 1u);
  EXPECT_EQ(by_1.pattern, Pattern::contiguous);

  // Words on odd addresses: lane 31 (62 + 1) and lane 63 (126 + 1) split. 128 bytes: 2 lines at best, 3 here.
  const MemorySite words = count(strided(2, 2, base + 1));
  EXPECT_EQ(words.counts.lines, 3u);
  EXPECT_EQ(words.counts.ideal_lines, 2u);
  EXPECT_EQ(words.counts.misaligned_lanes, 64u);
  EXPECT_EQ(words.counts.split_lanes, 2u);

  // A byte is never misaligned. 64 bytes from 1 on: two lines.
  const MemorySite bytes = count(strided(1, 1, base + 1));
  EXPECT_EQ(bytes.counts.misaligned_lanes, 0u);
  EXPECT_EQ(bytes.counts.lines, 2u);
  EXPECT_EQ(bytes.counts.ideal_lines, 1u);
}

// Lanes side by side, from the start of a line on: 64 * bytes / 64 lines, and no way to do better. More than 4 bytes
// are taken by quads, and there are 16 of them.
TEST(MemoryCoalescing, SizesSideBySide) {
  for (const uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u}) {
    SCOPED_TRACE(bytes);
    const MemorySite s = count(strided(bytes, bytes));
    EXPECT_EQ(s.counts.lines, bytes);
    EXPECT_EQ(s.counts.ideal_lines, bytes);
    EXPECT_EQ(s.counts.bytes_asked, 64u * bytes);
    EXPECT_EQ(s.counts.clocks, bytes > 4 ? 16u : 4u);
    EXPECT_EQ(s.counts.ideal_clocks, bytes > 4 ? 16u : 4u);
    EXPECT_EQ(groups(s, bytes > 4 ? L1Case::wide : L1Case::quads_one_block), 4u);
    EXPECT_EQ(s.pattern, Pattern::contiguous);
    EXPECT_EQ(s.counts.misaligned_lanes, 0u);
    // 16 lanes of 12 bytes fill three lines. Those near a line's end begin at 60, 120 and 180, bytes 60, 56 and 52 of a
    // line: 60 + 12 and 56 + 12 are beyond 64, 52 + 12 is not: 2 of 16 lanes.
    EXPECT_EQ(s.counts.split_lanes, bytes == 12 ? 8u : 0u);
  }
}

// A dword in every byte address: 64 + 3 distinct bytes, which is two lines at best and in fact.
TEST(MemoryCoalescing, OverlappingLanes) {
  const MemorySite s = count(strided(1));
  EXPECT_EQ(s.counts.lines, 2u);
  EXPECT_EQ(s.counts.ideal_lines, 2u);
  EXPECT_EQ(s.counts.bytes_asked, 256u);
  EXPECT_EQ(s.counts.misaligned_lanes, 48u); // all but those of multiples of 4
  EXPECT_EQ(s.counts.split_lanes, 3u);       // lanes 61, 62, 63
  EXPECT_EQ(describe_pattern(s), "stride 1 byte");
}

// 16 bytes, 72 apart. From byte 48 of a line on, lane l begins at byte (48 + 8 l) % 64, and lies in two lines if that
// is above 48: at 56, lanes 1, 9, 17, ...: 8 lanes. Such a lane ends at byte 7 of its second line; the next lane begins
// 57 bytes on, at byte 64, which is a line of its own. 64 lines and 8.
TEST(MemoryCoalescing, WideAndApart) {
  const MemorySite s = count(strided(72, 16, base + 48));
  EXPECT_EQ(s.counts.lines, 72u);
  EXPECT_EQ(s.counts.ideal_lines, 16u);
  EXPECT_EQ(s.counts.split_lanes, 8u);
  EXPECT_EQ(s.counts.misaligned_lanes, 0u); // multiples of 4
  EXPECT_EQ(s.alignment, 16u);
  // A byte earlier, lanes begin at bytes 47, 55, 63, 7, ... of a line. Both those at 55 and those at 63 lie in two
  // lines, 16 lanes; but the one at 55 ends at byte 6, and 57 bytes on the next begins at byte 63 of the same line. 64
  // + 16 - 8.
  const MemorySite shared = count(strided(72, 16, base + 47));
  EXPECT_EQ(shared.counts.split_lanes, 16u);
  EXPECT_EQ(shared.counts.lines, 72u);
}

// The source's three cases, each in the first group of 16 and, with one lane out of it, in the next.
TEST(MemoryCoalescing, CaseAllLanesOneAddress) {
  const auto one = [](uint64_t lane) { return base + (lane == 17 ? 64 : 0); };
  const MemorySite s = count({one});
  EXPECT_EQ(groups(s, L1Case::same_address), 3u);
  // Lanes 16, 17, 18, 19 are a quad whose addresses are 64 bytes apart: 4 clocks.
  EXPECT_EQ(groups(s, L1Case::separate_quads), 1u);
  EXPECT_EQ(s.counts.clocks, 3u + 4u);
  EXPECT_EQ(s.counts.lines, 2u);
  EXPECT_EQ(s.counts.ideal_lines, 1u); // 8 distinct bytes
}

// Quads at addresses far apart: 16 lines of 4 bytes each.
TEST(MemoryCoalescing, CaseQuadsOneAddress) {
  const auto quads = [](uint64_t lane) { return base + lane / 4 * 256; };
  const MemorySite s = count({quads});
  EXPECT_EQ(groups(s, L1Case::quads_same_address), 4u);
  EXPECT_EQ(s.counts.clocks, 4u);
  EXPECT_EQ(s.counts.lines, 16u);
  EXPECT_EQ(s.counts.ideal_lines, 1u); // 64 bytes
  EXPECT_EQ(describe_pattern(s), "random");
  // Lane 5 five dwords on: its quad is no block of 4.
  const MemorySite broken = count({[&](uint64_t lane) { return quads(lane) + (lane == 5 ? 20 : 0); }});
  EXPECT_EQ(groups(broken, L1Case::quads_same_address), 3u);
  EXPECT_EQ(groups(broken, L1Case::separate_quads), 1u);
  EXPECT_EQ(broken.counts.clocks, 7u);
  // Side by side: one line, and words for it.
  const MemorySite packed = count({[](uint64_t lane) { return base + lane / 4 * 4; }});
  EXPECT_EQ(packed.counts.lines, 1u);
  EXPECT_EQ(packed.pattern, Pattern::block);
  EXPECT_EQ(describe_pattern(packed), "one address per 4 lanes");
  EXPECT_EQ(describe_pattern(count({[](uint64_t lane) { return base + lane / 16 * 4; }})), "one address per 16 lanes");
}

// Quads in 4 consecutive dwords, permuted, the quads far apart.
TEST(MemoryCoalescing, CaseQuadsOneBlock) {
  const auto blocks = [](uint64_t lane) { return base + lane / 4 * 256 + (lane * 3 + 1) % 4 * 4; };
  const MemorySite s = count({blocks});
  EXPECT_EQ(groups(s, L1Case::quads_one_block), 4u);
  EXPECT_EQ(s.counts.clocks, 4u);
  EXPECT_EQ(s.counts.lines, 16u);
  EXPECT_EQ(s.counts.ideal_lines, 4u);
  // From dword 1, 2 or 3 of 16 bytes on: the source asks for no alignment.
  EXPECT_EQ(count({[&](uint64_t lane) { return blocks(lane) + 4; }}).counts.clocks, 4u);
  // One lane a dword outside: 0, 4, 8, 16 are not 4 consecutive dwords.
  const MemorySite broken = count({[&](uint64_t lane) { return blocks(lane) + (lane == 6 ? 16 : 0); }});
  EXPECT_EQ(groups(broken, L1Case::quads_one_block), 3u);
  EXPECT_EQ(groups(broken, L1Case::separate_quads), 1u);
  EXPECT_EQ(broken.counts.clocks, 7u);
  // Within 4 bytes for bytes: 0, 1, 2, 3; but not 0, 2, 4, 6.
  EXPECT_EQ(count(strided(1, 1)).counts.clocks, 4u);
  EXPECT_EQ(count(strided(2, 1)).counts.clocks, 16u);
}

// A group may mix quads of one address with quads in one block: one address is in a block, too.
TEST(MemoryCoalescing, CasesMixed) {
  const MemorySite s = count({[](uint64_t lane) { return base + lane / 4 * 16 + (lane / 4 % 2 ? lane % 4 * 4 : 0); }});
  EXPECT_EQ(groups(s, L1Case::quads_one_block), 4u);
  EXPECT_EQ(s.counts.clocks, 4u);
}

// Neighbours swapped: 256 bytes of 4 lines, but in no order.
TEST(MemoryCoalescing, Permuted) {
  const MemorySite s = count({[](uint64_t lane) { return base + (lane ^ 1) * 4; }});
  EXPECT_EQ(s.counts.lines, 4u);
  EXPECT_EQ(s.counts.clocks, 4u);
  EXPECT_EQ(s.pattern, Pattern::block);
  EXPECT_EQ(describe_pattern(s), "contiguous, permuted");
  // lane * 37 % 64 visits all 64 dwords; 37 dwords from a lane to the next: no quad in a block.
  const MemorySite far = count({[](uint64_t lane) { return base + lane * 37 % 64 * 4; }});
  EXPECT_EQ(far.counts.lines, 4u);
  EXPECT_EQ(far.counts.clocks, 16u);
  EXPECT_EQ(describe_pattern(far), "contiguous, permuted");
}

// Dword i of lane l at (l * l * 40503 + l * 9973) % 65536 * 4: nothing regular. Lines and bytes counted by a set.
TEST(MemoryCoalescing, Random) {
  for (const uint32_t bytes : {1u, 2u, 4u, 8u, 12u, 16u})
    for (const uint64_t lanes : {all_lanes, uint64_t(0x8421f00f00ff3355), uint64_t(0x8000000000000101)})
      for (const uint64_t from : {base, base + 2}) {
        SCOPED_TRACE(bytes);
        const auto address = [=](uint64_t lane) { return from + (lane * lane * 40503 + lane * 9973) % 65536 * 4; };
        std::set<uint64_t> lines, touched;
        uint64_t active = 0;
        for (uint64_t lane = 0; lane < 64; ++lane)
          if (lanes >> lane & 1) {
            ++active;
            for (uint32_t b = 0; b < bytes; ++b) {
              touched.insert(address(lane) + b);
              lines.insert((address(lane) + b) / 64);
            }
          }
        const MemorySite s = count({address, bytes, lanes});
        EXPECT_EQ(s.counts.lines, lines.size());
        EXPECT_EQ(s.counts.ideal_lines, (touched.size() + 63) / 64);
        EXPECT_EQ(s.counts.lanes, active);
        EXPECT_EQ(describe_pattern(s), "random");
      }
  // By hand: 4 lanes at lines 7, 0, 300 and 7 again: 3 lines, 16 distinct bytes.
  const uint64_t at[] = {7 * 64, 0, 300 * 64, 7 * 64 + 60};
  const MemorySite s = count({[&](uint64_t lane) { return base + at[lane]; }, 4, 15});
  EXPECT_EQ(s.counts.lines, 3u);
  EXPECT_EQ(s.counts.ideal_lines, 1u);
  EXPECT_EQ(s.counts.clocks, 1u + 0u); // one quad, and groups without lanes take none
  EXPECT_EQ(groups(s, L1Case::separate_quads), 1u);
  EXPECT_EQ(s.pattern, Pattern::random);
}

TEST(MemoryCoalescing, PartialExec) {
  // The first half of contiguous lanes: 128 bytes, two groups of 16.
  const MemorySite half = count({[](uint64_t lane) { return base + lane * 4; }, 4, 0xffffffff});
  EXPECT_EQ(half.counts.lanes, 32u);
  EXPECT_EQ(half.counts.lines, 2u);
  EXPECT_EQ(half.counts.ideal_lines, 2u);
  EXPECT_EQ(half.counts.clocks, 2u);
  EXPECT_EQ(half.counts.ideal_clocks, 2u);
  EXPECT_EQ(half.pattern, Pattern::contiguous);

  // Every other lane of them: all 4 lines for 128 bytes. A hole fits any case.
  const MemorySite holes = count({[](uint64_t lane) { return base + lane * 4; }, 4, 0x5555555555555555});
  EXPECT_EQ(holes.counts.lines, 4u);
  EXPECT_EQ(holes.counts.ideal_lines, 2u);
  EXPECT_EQ(holes.counts.clocks, 4u);
  EXPECT_EQ(holes.pattern, Pattern::contiguous); // as the lane numbers go

  // Every other lane, packed: contiguous from active lane to active lane.
  const MemorySite packed = count({[](uint64_t lane) { return base + lane / 2 * 4; }, 4, 0x5555555555555555});
  EXPECT_EQ(packed.counts.lines, 2u);
  EXPECT_EQ(packed.counts.ideal_lines, 2u);
  EXPECT_EQ(packed.pattern, Pattern::contiguous);

  // Lanes 0, 1, 2, 20 and 21, 32 bytes apart by number: lines 0, 0, 1, 10, 10. Lanes 0 to 2 are a quad, 64 bytes long,
  // as are 20 and 21 with 32 bytes: neither in a block, a clock each.
  const MemorySite few = count({[](uint64_t lane) { return base + lane * 32; }, 4, 0x300007});
  EXPECT_EQ(few.counts.lines, 3u);
  EXPECT_EQ(few.counts.ideal_lines, 1u); // 20 bytes
  EXPECT_EQ(few.counts.clocks, 2u);
  EXPECT_EQ(few.counts.ideal_clocks, 2u);
  EXPECT_EQ(few.counts.bytes_asked, 20u);
  EXPECT_EQ(describe_pattern(few), "stride 32 bytes");

  // 8 bytes: lanes 0, 5 and 63 are in three quads of two groups of 16.
  const MemorySite wide = count({[](uint64_t lane) { return base + lane * 8; }, 8, uint64_t(1) << 63 | 0x21});
  EXPECT_EQ(wide.counts.clocks, 3u);
  EXPECT_EQ(wide.counts.ideal_clocks, 3u);
  EXPECT_EQ(groups(wide, L1Case::wide), 2u);
}

TEST(MemoryCoalescing, OneLane) {
  const MemorySite s = count({[](uint64_t) { return base + 60; }, 8, uint64_t(1) << 37});
  EXPECT_EQ(s.counts.lanes, 1u);
  EXPECT_EQ(s.counts.lines, 2u); // bytes 60 to 67
  EXPECT_EQ(s.counts.ideal_lines, 1u);
  EXPECT_EQ(s.counts.split_lanes, 1u);
  EXPECT_EQ(s.counts.misaligned_lanes, 0u); // a multiple of 4
  EXPECT_EQ(s.counts.clocks, 1u);
  EXPECT_EQ(describe_pattern(s), "single lane");
  EXPECT_EQ(s.alignment, 4u);
  EXPECT_EQ(groups(count({[](uint64_t) { return base; }, 4, 1}), L1Case::same_address), 1u);
}

// Four lanes to each of 16 dwords of one line.
TEST(MemoryCoalescing, AtomicsStayOperations) {
  const auto address = [](uint64_t lane) { return base + lane % 16 * 4; };
  const MemorySite s = count({address, 4, all_lanes, AccessKind::atomic, Space::global, isa::Op::global_atomic_add});
  EXPECT_EQ(s.counts.lines, 1u);
  EXPECT_EQ(s.counts.l2_operations, 64u);
  EXPECT_EQ(s.counts.address_collisions, 48u); // 64 lanes, 16 addresses
  EXPECT_EQ(s.kind, AccessKind::atomic);
  // All to one: 63 beyond the first.
  Request one = strided(0, 8);
  one.kind = AccessKind::atomic;
  EXPECT_EQ(count(one).counts.address_collisions, 63u);
  EXPECT_EQ(count(one).counts.l2_operations, 64u);
  // Each its own: none.
  Request own = strided(4);
  own.kind = AccessKind::atomic;
  EXPECT_EQ(count(own).counts.address_collisions, 0u);
  EXPECT_EQ(count(own).counts.l2_operations, 64u);
  // 3 lanes at one address and 2 at another, a line apart: 5 - 2.
  const uint64_t at[] = {0, 64, 0, 64, 0};
  const MemorySite few = count({[&](uint64_t lane) { return base + at[lane]; }, 4, 31, AccessKind::atomic});
  EXPECT_EQ(few.counts.address_collisions, 3u);
  EXPECT_EQ(few.counts.lines, 2u);
}

// Stores to one address are one write; they are no collisions.
TEST(MemoryCoalescing, StoresCollapse) {
  Request request = strided(0);
  request.kind = AccessKind::store;
  const MemorySite s = count(request);
  EXPECT_EQ(s.counts.lines, 1u);
  EXPECT_EQ(s.counts.l2_operations, 1u);
  EXPECT_EQ(s.counts.address_collisions, 0u);
  EXPECT_EQ(s.kind, AccessKind::store);
}

// Scratch: dword i of lane l at base + 256 i + 4 l.
TEST(MemoryCoalescing, Scratch) {
  const auto at = [](uint64_t offset, uint32_t bytes, uint64_t lanes = all_lanes) {
    return Request{[=](uint64_t lane) { return base + offset / 4 * 256 + lane * 4 + offset % 4; },
                   bytes,
                   lanes,
                   AccessKind::load,
                   Space::scratch,
                   isa::Op::scratch_load_dword};
  };
  // One offset, a dword: 256 bytes side by side.
  const MemorySite dword = count(at(8, 4));
  EXPECT_EQ(dword.counts.lines, 4u);
  EXPECT_EQ(dword.counts.ideal_lines, 4u);
  EXPECT_EQ(dword.counts.clocks, 4u);
  EXPECT_EQ(dword.pattern, Pattern::contiguous);
  EXPECT_EQ(dword.space, Space::scratch);
  // 16 bytes: four such rows, side by side.
  const MemorySite wide = count(at(8, 16));
  EXPECT_EQ(wide.counts.lines, 16u);
  EXPECT_EQ(wide.counts.ideal_lines, 16u);
  EXPECT_EQ(wide.counts.clocks, 16u);
  EXPECT_EQ(wide.counts.split_lanes, 0u);
  EXPECT_EQ(wide.pattern, Pattern::contiguous);
  // A byte: of each dword one, so 64 bytes in 4 lines.
  const MemorySite byte = count(at(3, 1));
  EXPECT_EQ(byte.counts.lines, 4u);
  EXPECT_EQ(byte.counts.ideal_lines, 1u);
  EXPECT_EQ(byte.counts.clocks, 4u);
  EXPECT_EQ(byte.pattern, Pattern::contiguous);
  // A dword from byte 2 on is in two rows: 8 lines for 256 bytes.
  const MemorySite crossing = count(at(2, 4));
  EXPECT_EQ(crossing.counts.lines, 8u);
  EXPECT_EQ(crossing.counts.ideal_lines, 4u);
  EXPECT_EQ(crossing.counts.misaligned_lanes, 64u);
  // Half the lanes, 8 bytes: two rows of 128 bytes.
  EXPECT_EQ(count(at(0, 8, 0xffffffff)).counts.lines, 4u);
  EXPECT_EQ(count(at(0, 8, 0xffffffff)).counts.ideal_lines, 4u);
  // Each lane at an offset of its own, lane l at dword l: 64 rows, a line in each.
  const MemorySite own =
      count({[](uint64_t lane) { return base + lane * 260; }, 4, all_lanes, AccessKind::store, Space::scratch});
  EXPECT_EQ(own.counts.lines, 64u);
  EXPECT_EQ(own.counts.ideal_lines, 4u);
  EXPECT_EQ(own.counts.clocks, 16u);
  // ... and two dwords: lane l in rows l and l + 1. Row r has lanes r and r - 1, which share a line unless r is a
  // multiple of 16 (16, 32, 48: other lines; 0 and 64: one lane). 65 rows and 3.
  const MemorySite two =
      count({[](uint64_t lane) { return base + lane * 260; }, 8, all_lanes, AccessKind::store, Space::scratch});
  EXPECT_EQ(two.counts.lines, 68u);
  EXPECT_EQ(two.counts.ideal_lines, 8u);
}

// 64 bytes from 32 into a line on: two lines where one would do. The scalar cache is not L1: no clocks.
TEST(MemoryCoalescing, Scalar) {
  const auto at = [](uint64_t address, uint32_t bytes) {
    return Request{[=](uint64_t) { return address; }, bytes, 1, AccessKind::load, Space::scalar,
                   isa::Op::s_load_dwordx16};
  };
  const MemorySite s = count(at(base + 32, 64));
  EXPECT_EQ(s.counts.requests, 1u);
  EXPECT_EQ(s.counts.lanes, 1u);
  EXPECT_EQ(s.counts.lines, 2u);
  EXPECT_EQ(s.counts.ideal_lines, 1u);
  EXPECT_EQ(s.counts.bytes_asked, 64u);
  EXPECT_EQ(s.counts.split_lanes, 1u);
  EXPECT_EQ(s.counts.clocks, 0u);
  EXPECT_EQ(s.counts.ideal_clocks, 0u);
  for (const uint64_t n : s.counts.l1_groups)
    EXPECT_EQ(n, 0u);
  EXPECT_EQ(describe_pattern(s), "scalar");
  EXPECT_EQ(count(at(base, 64)).counts.lines, 1u);
}

// Several channels and images go by quads; a filter takes 32 bits of a quad per clock, a point up to 128.
TEST(MemoryCoalescing, ChannelsAndImages) {
  const auto clocks = [](isa::Op op, uint32_t bytes, uint64_t lanes = all_lanes, bool filtered = false) {
    Request r = strided(bytes, bytes);
    r.op = op;
    r.lanes = lanes;
    r.filtered = filtered;
    return count(r).counts.clocks;
  };
  EXPECT_EQ(clocks(isa::Op::buffer_load_dword, 4), 4u);
  EXPECT_EQ(clocks(isa::Op::buffer_load_format_x, 4), 4u);
  EXPECT_EQ(clocks(isa::Op::buffer_load_format_xy, 2), 16u); // two channels of 8 bits
  EXPECT_EQ(clocks(isa::Op::tbuffer_load_format_xyzw, 4), 16u);
  EXPECT_EQ(clocks(isa::Op::buffer_load_dwordx2, 8), 16u);
  EXPECT_EQ(clocks(isa::Op::image_load, 4), 16u);
  EXPECT_EQ(clocks(isa::Op::image_load, 16), 16u);
  for (const uint32_t bytes : {1u, 2u, 4u, 8u, 16u})
    EXPECT_EQ(clocks(isa::Op::image_sample, bytes), 16u);
  EXPECT_EQ(clocks(isa::Op::image_sample, 2, all_lanes, true), 16u);
  EXPECT_EQ(clocks(isa::Op::image_sample, 4, all_lanes, true), 16u);
  EXPECT_EQ(clocks(isa::Op::image_sample, 8, all_lanes, true), 32u);
  EXPECT_EQ(clocks(isa::Op::image_sample, 16, all_lanes, true), 64u);
  EXPECT_EQ(clocks(isa::Op::image_sample, 16, 0xff, true), 8u); // two quads
}

} // namespace
} // namespace crosslane::views
