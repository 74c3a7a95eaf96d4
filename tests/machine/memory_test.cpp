// Allocations: where they end, what they are called, what a foreign address is.
#include "machine/memory.h"
#include "machine/shared_ranges.h"
#include "machine/window.h"
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <vector>

using namespace crosslane::machine;

namespace {

sigjmp_buf jump;
void on_signal(int) { siglongjmp(jump, 1); }

// True when writing the byte raises SIGSEGV or SIGBUS.
bool faults(void* p) {
  struct sigaction action = {}, old_segv, old_bus;
  action.sa_handler = on_signal;
  sigaction(SIGSEGV, &action, &old_segv);
  sigaction(SIGBUS, &action, &old_bus);
  bool faulted = true;
  if (sigsetjmp(jump, 1) == 0) {
    *static_cast<volatile char*>(p) = 1;
    faulted = false;
  }
  sigaction(SIGSEGV, &old_segv, nullptr);
  sigaction(SIGBUS, &old_bus, nullptr);
  return faulted;
}

} // namespace

TEST(Memory, IsZeroedAlignedAndEndsAtAGuardPage) {
  Memory memory;
  for (uint64_t size : {256u, 4096u, 4352u, 100u, 1u, 5u << 20}) {
    auto* p = static_cast<char*>(memory.allocate(size, "x"));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<uint64_t>(p) % 256, 0u);
    const uint64_t padded = (size + 255) / 256 * 256;
    for (uint64_t i = 0; i < size; i += 97)
      EXPECT_EQ(p[i], 0);
    EXPECT_FALSE(faults(p));
    EXPECT_FALSE(faults(p + size - 1));
    EXPECT_TRUE(faults(p + padded)) << size;
  }
}

TEST(Memory, ZeroBytesAreAnInaccessibleAddress) {
  Memory memory;
  void* p = memory.allocate(0, "nothing");
  ASSERT_NE(p, nullptr);
  EXPECT_NE(p, memory.allocate(0, "nothing else"));
  EXPECT_TRUE(faults(p));
}

TEST(Memory, HugeRequestIsRefused) {
  Memory memory;
  EXPECT_EQ(memory.allocate(uint64_t(1) << 60, "huge"), nullptr);
  EXPECT_EQ(memory.allocate(~uint64_t(0), "huge"), nullptr);
}

// What a wild write of a kernel reaches is memory of kernels, or nothing.
TEST(Memory, IsFarFromTheHosts) {
  Memory memory;
  void* host = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (const uint64_t size : {uint64_t(256), uint64_t(4096), uint64_t(3) << 20}) {
    const auto p = reinterpret_cast<uint64_t>(memory.allocate(size, "x"));
    for (const auto other :
         {reinterpret_cast<uint64_t>(host), reinterpret_cast<uint64_t>(&memory), reinterpret_cast<uint64_t>(&faults)})
      EXPECT_GT(p < other ? other - p : p - other, uint64_t(1) << 40) << size;
  }
  munmap(host, 4096);
}

TEST(Memory, LargeBlocksAreAlignedToHugePages) {
  Memory memory;
  constexpr uint64_t huge = 2u << 20;
  memory.allocate(4096, "so that the next does not lie there by chance");
  for (const uint64_t size : {huge, huge + 4096, 3 * huge - 4096, 5 * huge}) {
    auto* p = static_cast<char*>(memory.allocate(size, "x"));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<uint64_t>(p) % huge, 0u) << size;
    EXPECT_FALSE(faults(p));
    EXPECT_FALSE(faults(p + size - 1));
    EXPECT_TRUE(faults(p + size)) << size;
  }
}

// Far more than the host has mappings for, and each with an end.
TEST(Memory, AllocationsBeyondTheHostsMappingsAreGuardedToo) {
  Memory memory;
  constexpr size_t count = 70'000, size = 100;
  std::vector<char*> all;
  for (size_t i = 0; i < count; ++i) {
    all.push_back(static_cast<char*>(memory.allocate(size, "block " + std::to_string(i))));
    ASSERT_NE(all.back(), nullptr) << i;
    all.back()[0] = all.back()[size - 1] = char(i);
  }
  std::vector<std::string> expected;
  for (size_t i = 0; i < count; i += 997)
    if (!faults(all[i] + 256))
      expected.push_back("past the end of 'block " + std::to_string(i) + "' (100 bytes)");
  EXPECT_EQ(memory.overruns(), expected);
  for (size_t i = 0; i < count; ++i)
    ASSERT_TRUE(all[i][0] == char(i) && all[i][size - 1] == char(i)) << i;
  for (size_t i = 0; i < count; i += 2)
    memory.free(all[i]);
  EXPECT_TRUE(memory.overruns().empty());
  EXPECT_TRUE(faults(all[count - 2]));
  void* again = memory.allocate(size, "again");
  ASSERT_NE(again, nullptr);
  EXPECT_FALSE(faults(again));
}

// As on a host without such guards.
TEST(Memory, PatternsTellOfOverruns) {
  Memory memory({2, false});
  auto allocate = [&](uint64_t size, const char* name) { return static_cast<char*>(memory.allocate(size, name)); };
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(faults(allocate(256, "guarded") + 256));
  EXPECT_FALSE(memory.has_patterns());
  char *a = allocate(100, "a"), *b = allocate(256, "b"), *c = allocate(5000, "c");
  EXPECT_TRUE(memory.has_patterns());
  EXPECT_TRUE(memory.overruns().empty());
  a[100] = 1, c[5000 + 300] = 1;
  using Texts = std::vector<std::string>;
  EXPECT_EQ(memory.overruns(), (Texts{"past the end of 'a' (100 bytes)", "past the end of 'c' (5000 bytes)"}));
  EXPECT_TRUE(memory.overruns().empty()); // once
  b[256] = 1;
  memory.free(b);
  EXPECT_TRUE(memory.has_patterns());
  EXPECT_EQ(memory.overruns(), Texts{"past the end of 'b' (256 bytes)"});
  memory.free(a), memory.free(c);
  EXPECT_FALSE(memory.has_patterns());
  EXPECT_TRUE(faults(allocate(0, "nothing")));
}

// What the rounding of sizes leaves, where the host has no page to guard it.
TEST(Memory, MarginsTellOfWhatIsWritten) {
  Memory memory;
  auto allocate = [&](uint64_t size, const char* name) { return static_cast<char*>(memory.allocate(size, name)); };
  char *a = allocate(100, "a"), *b = allocate(256, "b"), *c = allocate(4096, "c"), *d = allocate(8000, "d"),
       *e = allocate(5000, "e");
  a[0] = a[99] = b[0] = b[255] = c[0] = c[4095] = d[0] = d[7999] = 1;
  EXPECT_TRUE(memory.overwritten(true).empty());
  using Texts = std::vector<std::string>;
  a[100] = 1, b[-1] = 1, d[8191] = 1;
  EXPECT_EQ(memory.overwritten(true), (Texts{"past the end of 'a' (100 bytes)", "before the start of 'b' (256 bytes)",
                                             "past the end of 'd' (8000 bytes)"}));
  EXPECT_TRUE(memory.overwritten(true).empty()); // once
  e[-256] = 1;
  memory.free(a), memory.free(b);
  EXPECT_FALSE(memory.has_overwritten());
  memory.free(e);
  EXPECT_TRUE(memory.has_overwritten());
  EXPECT_EQ(memory.overwritten(false), Texts{"before the start of 'e' (5000 bytes)"});
  EXPECT_FALSE(memory.has_overwritten());
  memory.free(c), memory.free(d);
}

TEST(Memory, LiesInTheWindow) {
  if (device_reach() == everything)
    GTEST_SKIP() << "this host does not let a process choose addresses";
  Memory memory;
  int local = 0;
  EXPECT_FALSE(window.contains(reinterpret_cast<uint64_t>(&local)));
  EXPECT_FALSE(window.contains(reinterpret_cast<uint64_t>(&jump)));
  EXPECT_FALSE(window.contains(reinterpret_cast<uint64_t>(std::make_unique<int>().get())));
  for (const uint64_t size : {uint64_t(0), uint64_t(1), uint64_t(4096), uint64_t(5) << 20, uint64_t(8) << 30}) {
    const auto p = reinterpret_cast<uint64_t>(memory.allocate(size, "x"));
    EXPECT_TRUE(window.contains(p) && window.contains(p + size + window_gap)) << size;
  }
  // Round and round.
  for (int i = 0; i < 20'000; ++i) {
    const uint64_t p = map_in_window(uint64_t(1) << 30, PROT_NONE);
    ASSERT_TRUE(p && window.contains(p) && window.contains(p + (1u << 30) - 1)) << i;
    munmap(reinterpret_cast<void*>(p), uint64_t(1) << 30);
  }
}

TEST(Window, HoldsItsOwnAddressesAndNoOthers) {
  constexpr uint64_t begin = uint64_t(window.first) << 32, end = begin + (uint64_t(window.count) << 32);
  EXPECT_TRUE(window.contains(begin) && window.contains(end - 1));
  EXPECT_FALSE(window.contains(begin - 1) || window.contains(end) || window.contains(0) ||
               window.contains(~uint64_t(0)));
  EXPECT_TRUE(window.holds_base(begin - 1) && window.holds_base(begin - (uint64_t(1) << 32)) &&
              window.holds_base(end - 1));
  EXPECT_FALSE(window.holds_base(end) || window.holds_base(begin - (uint64_t(1) << 32) - 1));
  EXPECT_TRUE(everything.contains(0) && everything.contains((uint64_t(1) << 48) - 1) &&
              everything.holds_base(~uint64_t(0)));
  EXPECT_FALSE(everything.contains(apertures().shared_base) || everything.contains(apertures().private_base));
}

// What a card's pages of 4 KiB let through, from the start of the block.
TEST(Memory, CardsBoundsLetThroughAndTell) {
  Memory memory;
  auto* p = static_cast<char*>(memory.allocate(1000, "out"));
  const auto end = reinterpret_cast<uint64_t>(p) + 1024;
  EXPECT_FALSE(memory.let_through(end));
  memory.set_bounds(Bounds::card);
  EXPECT_FALSE(memory.let_through(reinterpret_cast<uint64_t>(p) + 4096));
  EXPECT_FALSE(memory.let_through(reinterpret_cast<uint64_t>(p) - 1));
  EXPECT_TRUE(faults(p + 1100));
  EXPECT_TRUE(memory.let_through(end + 76));
  EXPECT_FALSE(faults(p + 1100));
  EXPECT_TRUE(memory.let_through(end));
  EXPECT_EQ(memory.let_through(), std::vector<std::string>{"100 bytes past the end of 'out' (1000 bytes)"});
  EXPECT_TRUE(memory.let_through().empty());
  memory.free(p);
  EXPECT_TRUE(faults(p + 1100));
  EXPECT_FALSE(memory.let_through(end));
  // Whole pages have nothing to let through.
  auto* page = static_cast<char*>(memory.allocate(8192, "pages"));
  EXPECT_FALSE(memory.let_through(reinterpret_cast<uint64_t>(page) + 8192));
}

TEST(Memory, DescribesAddresses) {
  Memory memory;
  EXPECT_EQ(memory.describe(1234), "no allocation is near");
  const auto p = reinterpret_cast<uint64_t>(memory.allocate(4096, "out"));
  EXPECT_EQ(memory.describe(p), "0 bytes into 'out' (4096 bytes)");
  EXPECT_EQ(memory.describe(p + 1), "1 byte into 'out' (4096 bytes)");
  EXPECT_EQ(memory.describe(p + 4096), "right past the end of 'out' (4096 bytes)");
  EXPECT_EQ(memory.describe(p + 4108), "12 bytes past the end of 'out' (4096 bytes)");
  EXPECT_EQ(memory.describe(p - 8), "8 bytes before the start of 'out' (4096 bytes)");
  EXPECT_EQ(memory.describe(p + (uint64_t(1) << 40)), "no allocation is near");
  EXPECT_EQ(memory.nearest(p + 5000)->name, "out");
  memory.free(reinterpret_cast<void*>(p));
  EXPECT_FALSE(memory.nearest(p));
  memory.free(reinterpret_cast<void*>(p)); // not ours any more: nothing happens
}

TEST(Memory, FreedMemoryIsInaccessibleAndKnown) {
  Memory memory;
  void* p = memory.allocate(4096, "out");
  EXPECT_FALSE(faults(p));
  memory.free(p);
  EXPECT_TRUE(faults(p));
  const auto address = reinterpret_cast<uint64_t>(p);
  EXPECT_EQ(memory.describe(address + 64), "64 bytes into 'out' (4096 bytes), which has been freed");
  // Nobody gets the address again soon; and what is alive has precedence.
  std::vector<void*> others;
  for (int i = 0; i < 1000; ++i) {
    others.push_back(memory.allocate(4096, "other"));
    EXPECT_NE(others.back(), p);
    EXPECT_EQ(memory.describe(reinterpret_cast<uint64_t>(others.back())), "0 bytes into 'other' (4096 bytes)");
    if (i % 2)
      memory.free(others[size_t(i)]);
  }
  EXPECT_EQ(memory.describe(address + 64), "64 bytes into 'out' (4096 bytes), which has been freed");
}

TEST(Memory, FreedAddressesComeBackInTheEnd) {
  Memory memory;
  const auto first = reinterpret_cast<uint64_t>(memory.allocate(4096, "first"));
  memory.free(reinterpret_cast<void*>(first));
  // By number, and by size: 3 TiB in all.
  for (int i = 0; i < 20000; ++i)
    memory.free(memory.allocate(4096, "small"));
  EXPECT_EQ(memory.describe(first).find("first"), std::string::npos);
  for (int i = 0; i < 3 * 1024; ++i) {
    void* p = memory.allocate(uint64_t(1) << 30, "large");
    ASSERT_NE(p, nullptr) << i;
    memory.free(p);
  }
}

TEST(Memory, MoreAllocationsThanTheHostHasMappings) {
  Memory memory;
  std::vector<void*> blocks;
  for (int i = 0; i < 40000; ++i) {
    blocks.push_back(memory.allocate(4096, "x"));
    ASSERT_NE(blocks.back(), nullptr) << i;
  }
  EXPECT_FALSE(faults(blocks.front()));
  EXPECT_FALSE(faults(blocks.back()));
  for (void* p : blocks)
    memory.free(p);
}

TEST(Memory, KnowsOthersMemoryByName) {
  Memory memory;
  memory.note(0x10000, 100, "alias");
  EXPECT_EQ(memory.describe(0x10004), "4 bytes into 'alias' (100 bytes)");
  memory.free(reinterpret_cast<void*>(0x10000)); // not ours to free
  EXPECT_EQ(memory.describe(0x10004), "4 bytes into 'alias' (100 bytes)");
  memory.forget(0x10000);
  EXPECT_EQ(memory.describe(0x10004), "4 bytes into 'alias' (100 bytes), which has been freed");
  memory.note(0x10000, 50, "next");
  EXPECT_EQ(memory.describe(0x10004), "4 bytes into 'next' (50 bytes)");
  memory.forget(0x10000);
  EXPECT_EQ(memory.describe(0x10004), "4 bytes into 'next' (50 bytes), which has been freed");
}

TEST(Memory, ApertureWindowsAreWhereNoHostAddressIs) {
  constexpr Apertures windows = apertures();
  EXPECT_EQ(aperture_window(windows.shared_hi()), 0u);
  EXPECT_EQ(aperture_window(windows.private_hi()), 1u);
  EXPECT_GT(aperture_window(uint32_t(reinterpret_cast<uint64_t>(&windows) >> 32)), 1u);
  EXPECT_GT(aperture_window(0), 1u);
  EXPECT_GT(aperture_window(windows.shared_hi() + 1), 1u); // one past the 4 GiB window
  EXPECT_TRUE(faults(reinterpret_cast<void*>(windows.shared_base)));
  EXPECT_TRUE(faults(reinterpret_cast<void*>(windows.private_base + 0xffffffff)));
}

TEST(SharedRanges, HoldWhatIsWhollyInside) {
  SharedRanges ranges;
  EXPECT_FALSE(ranges.contains(0, 0) || ranges.contains(0x1000, 1));
  ranges.set({{0x1000, 0x3000}, {0x3000, 0x4000}, {0x8000, 0x9000}});
  EXPECT_TRUE(ranges.contains(0x1000, 1) && ranges.contains(0x2fff, 2) && ranges.contains(0x1000, 0x3000) &&
              ranges.contains(0x8fff, 1));
  EXPECT_FALSE(ranges.contains(0xfff, 2) || ranges.contains(0x3fff, 2) || ranges.contains(0x8fff, 2) ||
               ranges.contains(0x5000, 1));
  EXPECT_FALSE(ranges.contains(0x1000, ~uint64_t(0)) || ranges.contains(~uint64_t(0), 2));
  ranges.set({});
  EXPECT_FALSE(ranges.contains(0x1000, 1));
}
