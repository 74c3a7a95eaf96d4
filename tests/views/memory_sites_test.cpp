// What the view of memory keeps of the requests of one instruction: sums, the worst, what most have in common.
#include "tests/views/memory_fixture.h"
#include <gtest/gtest.h>
#include <thread>

namespace crosslane::views {
namespace {

using events::Space;
using test::base;
using test::Request;
using test::strided;

// Requests of one instruction add up, and the view keeps the worst and what most have in common.
TEST(MemoryCoalescing, SitesAddUp) {
  MemoryCoalescing view;
  EXPECT_TRUE(view.wants_accesses());
  EXPECT_FALSE(view.wants_issued());
  machine::Workgroup group = {};
  group.id[0] = 3;
  group.id[1] = 1;
  group.number = 7;
  auto wave = std::make_unique<machine::Wave>();
  wave->workgroup = &group;
  wave->id = 2;
  test::send(view, strided(4));
  Request worst = strided(64, 4, base + 128);
  worst.wave = wave.get();
  worst.lanes = 0xffff;
  test::send(view, worst);                      // 16 lines, 1 at best
  test::send(view, strided(8, 4, base + 64));   // 8 lines, 4 at best
  test::send(view, strided(4, 4, base + 4096)); // 4
  test::send(view, strided(4, 4, base + 32));   // 5
  Request other = strided(0);
  other.pc = 0x2000;
  test::send(view, other);
  Request scratch = strided(4);
  scratch.space = Space::scratch; // FLAT has a site for each space
  test::send(view, scratch);
  Request lds = strided(4);
  lds.space = Space::lds; // the LDS view's
  test::send(view, lds);

  const auto sites = view.sites();
  ASSERT_EQ(sites.size(), 3u);
  EXPECT_EQ(sites[0].pc, 0x1000u);
  EXPECT_EQ(sites[0].space, Space::global);
  EXPECT_EQ(sites[1].pc, 0x1000u);
  EXPECT_EQ(sites[1].space, Space::scratch);
  EXPECT_EQ(sites[2].pc, 0x2000u);
  const MemorySite& s = sites[0];
  EXPECT_EQ(s.instruction.op, isa::Op::global_load_dword);
  EXPECT_EQ(s.counts.requests, 5u);
  EXPECT_EQ(s.counts.lanes, 4 * 64u + 16u);
  EXPECT_EQ(s.counts.lines, 4u + 16u + 8u + 4u + 5u);
  EXPECT_EQ(s.counts.ideal_lines, 4u + 1u + 4u + 4u + 4u);
  EXPECT_EQ(s.pattern, Pattern::contiguous);
  EXPECT_EQ(s.pattern_share, 3.0 / 5);
  EXPECT_EQ(s.alignment, 32u); // of base + 0, 128, 64, 4096 and 32
  EXPECT_EQ(s.worst.lanes, 0xffffu);
  EXPECT_EQ(s.worst.address[0], base + 128);
  EXPECT_EQ(s.worst.address[15], base + 128 + 15 * 64);
  EXPECT_EQ(s.worst.address[16], 0u); // took no part
  EXPECT_EQ(s.worst.workgroup[0], 3u);
  EXPECT_EQ(s.worst.workgroup[1], 1u);
  EXPECT_EQ(s.worst.wave, 2u);
  EXPECT_FALSE(s.worst.two_addresses);
  EXPECT_EQ(view.sites().size(), 3u); // reading changes nothing
  EXPECT_EQ(view.sites()[0].counts, s.counts);
}

// Equally bad requests: the first one of the first wave, however late it comes.
TEST(MemoryCoalescing, WorstIsTheFirstWaves) {
  MemoryCoalescing view;
  auto wave = std::make_unique<machine::Wave>();
  machine::Workgroup group = {};
  wave->workgroup = &group;
  const auto from = [&](uint64_t workgroup, uint64_t address) {
    group.number = group.id[0] = uint32_t(workgroup);
    Request r = strided(64, 4, address);
    r.wave = wave.get();
    test::send(view, r);
  };
  from(5, base);
  from(2, base + 4096);
  from(2, base + 8192);
  from(9, base);
  const MemorySite s = view.sites()[0];
  EXPECT_EQ(s.worst.workgroup[0], 2u);
  EXPECT_EQ(s.worst.address[0], base + 4096);
}

// The stride that most strided requests have.
TEST(MemoryCoalescing, MostFrequentStride) {
  MemoryCoalescing view;
  for (const int stride : {8, 100, 8, 12})
    test::send(view, strided(stride));
  EXPECT_EQ(describe_pattern(view.sites()[0]), "stride 8 bytes");
  EXPECT_EQ(view.sites()[0].pattern_share, 1.0);
  MemoryCoalescing many; // more than are told apart
  for (int stride = 1000; stride < 2000; ++stride)
    test::send(many, strided(stride));
  EXPECT_EQ(many.sites()[0].pattern, Pattern::strided);
  EXPECT_EQ(many.sites()[0].counts.requests, 1000u);
}

// More instructions than the table remembers at once, on several threads: every site has all of its requests.
TEST(MemoryCoalescing, ThreadsAndManySites) {
  MemoryCoalescing view, other;
  const auto work = [&] {
    for (int round = 0; round < 3; ++round)
      for (uint64_t pc = 0; pc < 500; ++pc) {
        Request r = strided(pc % 2 ? 4 : 8);
        r.pc = pc * 8;
        test::send(view, r);
        if (pc < 2)
          test::send(other, r);
      }
  };
  std::thread threads[] = {std::thread(work), std::thread(work), std::thread(work)};
  for (auto& t : threads)
    t.join();
  work();
  const auto sites = view.sites();
  ASSERT_EQ(sites.size(), 500u);
  for (uint64_t i = 0; i < 500; ++i) {
    EXPECT_EQ(sites[i].pc, i * 8);
    EXPECT_EQ(sites[i].counts.requests, 12u); // 3 rounds of 4 threads
    EXPECT_EQ(sites[i].counts.lines, i % 2 ? 48u : 96u);
  }
  EXPECT_EQ(other.sites().size(), 2u);
  EXPECT_EQ(other.sites()[0].counts.requests, 12u);
}

} // namespace
} // namespace crosslane::views
