// Ranges of undefined memory, against a bit for each byte.
#include "check/undefined_memory.h"
#include "machine/memory.h"
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace crosslane::check {
namespace {

constexpr uint64_t begin = 0x7000'0000'0100, size = 100'003;

TEST(UndefinedMemory, PagesAreAsIfEachByteHadABit) {
  std::mt19937 random(3);
  const auto number = [&](uint64_t below) { return random() % below; };
  for (int trial = 0; trial < 20; ++trial) {
    init::Pages pages(begin, begin + size);
    std::vector<bool> undefined(size, true);
    const auto expect_same = [&](uint64_t offset) {
      const auto count = unsigned(1 + number(std::min<uint64_t>(4, size - offset)));
      uint32_t expected = 0;
      for (unsigned n = 0; n < count; ++n)
        expected |= uint32_t(undefined[offset + n]) << n;
      ASSERT_EQ(pages.undefined(begin + offset, count), expected) << trial << " " << offset << " " << count;
    };
    for (int n = 0; n < 2000; ++n) {
      const uint64_t offset = number(size);
      if (number(10) == 0) {
        const uint64_t end = std::min(size, offset + number(trial % 2 ? 60'000 : 300));
        pages.define(begin + offset, begin + end);
        std::fill(undefined.begin() + int64_t(offset), undefined.begin() + int64_t(std::max(end, offset)), false);
      } else {
        const auto count = unsigned(1 + number(std::min<uint64_t>(4, size - offset)));
        const auto value = uint32_t(number(3) ? 0 : number(16)) & ((1u << count) - 1);
        pages.set(begin + offset, count, value);
        for (unsigned k = 0; k < count; ++k)
          undefined[offset + k] = value >> k & 1;
      }
      expect_same(number(size));
      const uint64_t first = number(size), end = std::min(size, first + 1 + number(20'000));
      const auto from = undefined.begin() + int64_t(first), to = undefined.begin() + int64_t(end);
      if (pages.are_defined(begin + first, begin + end))
        ASSERT_EQ(std::find(from, to, true), to) << trial << " " << first << " " << end;
    }
    pages.define(begin, begin + size);
    EXPECT_TRUE(pages.are_defined(begin, begin + size));
    for (uint64_t offset = 0; offset < size; ++offset)
      ASSERT_EQ(pages.undefined(begin + offset, 1), 0u);
  }
}

// Within a range, into it and out of it, over its ends, and overlapping.
TEST(UndefinedMemory, CopiesAreAsIfEachByteHadABit) {
  std::mt19937 random(4);
  const auto number = [&](uint64_t below) { return random() % below; };
  constexpr uint64_t first = begin - 70'000, total = size + 140'000;
  for (int trial = 0; trial < 100; ++trial) {
    UndefinedMemory memory;
    memory.add(begin, begin + size);
    std::vector<bool> undefined(total);
    std::fill_n(undefined.begin() + int64_t(begin - first), size, true);
    const auto range = memory.find(begin).pages;
    for (int n = 0; n < 30; ++n) {
      const uint64_t offset = number(size), end = std::min(size, offset + number(trial % 2 ? 20'000 : 300));
      memory.define(begin + offset, begin + end);
      std::fill(undefined.begin() + int64_t(begin - first + offset), undefined.begin() + int64_t(begin - first + end),
                false);
      const uint64_t bytes = number(trial % 3 ? 300 : 100'000), from = number(total - bytes),
                     to = number(total - bytes);
      memory.copied(first + to, first + from, bytes);
      const std::vector<bool> moved(undefined.begin() + int64_t(from), undefined.begin() + int64_t(from + bytes));
      std::copy(moved.begin(), moved.end(), undefined.begin() + int64_t(to));
      std::fill(undefined.begin(), undefined.begin() + int64_t(begin - first), false); // no memory of anybody's
      std::fill(undefined.begin() + int64_t(begin - first + size), undefined.end(), false);
    }
    for (uint64_t n = 0; n < size; ++n)
      ASSERT_EQ(range->undefined(begin + n, 1), uint32_t(undefined[begin - first + n])) << trial << " " << n;
  }
}

TEST(UndefinedMemory, OutsideOfItsRangePagesAreDefined) {
  init::Pages pages(begin, begin + 6);
  EXPECT_EQ(pages.undefined(begin - 4, 4), 0u);
  EXPECT_EQ(pages.undefined(begin - 2, 4), 0xcu);
  EXPECT_EQ(pages.undefined(begin + 8, 4), 0u);
  pages.set(begin + 8, 4, 0xf);
  EXPECT_EQ(pages.undefined(begin + 8, 4), 0u);
}

TEST(UndefinedMemory, RangesComeAndGo) {
  UndefinedMemory memory;
  EXPECT_EQ(memory.find(begin).pages, nullptr);
  memory.add(begin, begin + 4096);
  memory.add(begin + 8192, begin + 12288);
  memory.add(begin + 20000, begin + 20000); // nothing
  EXPECT_NE(memory.find(begin).pages, nullptr);
  EXPECT_NE(memory.find(begin + 4095).pages, nullptr);
  const auto gap = memory.find(begin + 5000);
  EXPECT_EQ(gap.pages, nullptr);
  EXPECT_EQ(gap.begin, begin + 4096);
  EXPECT_EQ(gap.end, begin + 8192);
  EXPECT_EQ(memory.find(0).pages, nullptr);
  EXPECT_EQ(memory.find(UINT64_MAX - 1).pages, nullptr);
  memory.define(begin + 4000, begin + 9000); // across the gap
  EXPECT_EQ(memory.find(begin).pages->undefined(begin + 3998, 4), 0x3u);
  EXPECT_TRUE(memory.find(begin + 8192).pages->are_defined(begin + 8192, begin + 9000) ||
              memory.find(begin + 8192).pages->undefined(begin + 8996, 4) == 0);
  EXPECT_EQ(memory.find(begin + 8192).pages->undefined(begin + 8998, 4), 0xcu);
  memory.freed({begin, 4096, ""});
  EXPECT_EQ(memory.find(begin).pages, nullptr);
  memory.add(begin, begin + 64); // what was defined before is not now
  EXPECT_EQ(memory.find(begin).pages->undefined(begin, 4), 0xfu);
  std::thread([&] { EXPECT_NE(memory.find(begin).pages, nullptr); }).join();
  memory.define_all();
  EXPECT_EQ(memory.find(begin).pages, nullptr);
}

} // namespace
} // namespace crosslane::check
