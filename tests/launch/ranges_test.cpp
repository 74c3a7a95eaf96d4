// What ranges of workgroups leave together, and which of them depend on each other: on memory of this process, with
// accesses as they are told to listeners, and as bytes that came from somewhere else.
#include "launch/ranges.h"
#include "tests/expected.h"
#include <array>
#include <cstring>
#include <gmock/gmock.h>
#include <random>
#include <set>
#include <sys/mman.h>

namespace crosslane::launch {
namespace {

using events::AccessKind;
using events::Space;
using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

// Two ranges of a dispatch's memory, with a page between them that is not there; the second can only be read.
class LaunchRanges : public testing::Test {
protected:
  static constexpr uint64_t page = 4096, first_bytes = 20 * page, second_bytes = 2 * page;

  LaunchRanges() {
    void* const got =
        mmap(nullptr, first_bytes + page + second_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    base_ = reinterpret_cast<uint64_t>(got);
    mprotect(at(first_bytes), page, PROT_NONE);
    dispatch_.memory = {{base_, first_bytes, true}, {base_ + first_bytes + page, second_bytes, false}};
    capture::Allocation out;
    out.address = base_ + page, out.size = first_bytes - page, out.name = "out";
    dispatch_.allocations = {out};
  }
  ~LaunchRanges() override { munmap(at(0), first_bytes + page + second_bytes); }

  uint8_t* at(uint64_t offset) const { return reinterpret_cast<uint8_t*>(base_ + offset); }
  // Lanes one behind the other.
  void touch(Touched& touched, AccessKind kind, uint64_t offset, uint32_t bytes, uint64_t lanes = ~uint64_t(0),
             Space space = Space::global) const {
    std::array<uint64_t, 64> address;
    for (uint64_t lane = 0; lane < 64; ++lane)
      address[lane] = base_ + offset + lane * bytes;
    events::Access e{};
    e.space = space, e.kind = kind, e.bytes = bytes, e.lanes = lanes, e.address = address.data();
    touched.access(e);
  }
  std::unique_ptr<Touched> touched() const { return llvm::cantFail(Touched::create(dispatch_.memory)); }
  Interval interval(uint64_t begin, uint64_t end) const { return {base_ + begin, base_ + end}; }
  // A range that leaves `value` in bytes of its own.
  Range range(uint64_t number, std::vector<Interval> reads, std::vector<Interval> writes, char value,
              std::vector<Interval> atomics = {}) const {
    uint64_t bytes = 0;
    for (const Interval& i : writes)
      bytes += i.end - i.begin;
    return {{number * 8, 8}, {std::move(reads), std::move(writes), std::move(atomics), std::string(bytes, value)}};
  }
  std::string error_of_join(const std::vector<Range>& ranges) const {
    auto error = join(dispatch_, ranges);
    return error ? llvm::toString(std::move(error)) : "";
  }

  uint64_t base_ = 0;
  capture::Dispatch dispatch_;
};

TEST_F(LaunchRanges, SetsOfBytesAreThoseThatWereAdded) {
  ByteSet set = llvm::cantFail(ByteSet::create(dispatch_.memory));
  std::set<uint64_t> expected;
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const uint64_t begin = random() % first_bytes, end = std::min(first_bytes, begin + 1 + random() % 300);
    set.add(base_ + begin, base_ + end);
    for (uint64_t b = begin; b < end; ++b)
      expected.insert(base_ + b);
  }
  std::vector<Interval> all;
  set.append(base_, base_ + first_bytes, all);
  std::set<uint64_t> got;
  for (const Interval& i : all)
    for (uint64_t b = i.begin; b < i.end; ++b)
      EXPECT_TRUE(got.insert(b).second);
  EXPECT_EQ(got, expected);
  for (size_t i = 1; i < all.size(); ++i)
    EXPECT_LT(all[i - 1].end, all[i].begin) << "two that could be one";
  // Outside of everything: nothing.
  set.add(0, base_);
  set.add(base_ + 10 * first_bytes, base_ + 11 * first_bytes);
  std::vector<Interval> again;
  set.append(0, ~uint64_t(0), again);
  EXPECT_EQ(again, all);
}

TEST_F(LaunchRanges, FootprintsHaveWhatWasAccessed) {
  const auto t = touched();
  touch(*t, AccessKind::load, 0, 4);
  touch(*t, AccessKind::store, page + 1, 1, 0xf);
  touch(*t, AccessKind::store, page + 5, 1, 0x1);
  touch(*t, AccessKind::atomic, 3 * page, 8, 0x5);
  touch(*t, AccessKind::load, first_bytes + page, 16, 0x1, Space::scalar);
  touch(*t, AccessKind::store, 4 * page, 4, 1, Space::scratch);
  touch(*t, AccessKind::store, 0, 4, 1, Space::lds);
  // What faults: between the two, and where nobody may write.
  touch(*t, AccessKind::store, first_bytes - 4, 4, 0x3);
  touch(*t, AccessKind::store, first_bytes + page, 4, 0x1);
  std::memcpy(at(page + 1), "abcdefgh", 8);
  const Footprint f = t->footprint();
  EXPECT_THAT(f.reads,
              ElementsAre(interval(0, 256), interval(3 * page, 3 * page + 8), interval(3 * page + 16, 3 * page + 24),
                          interval(first_bytes + page, first_bytes + page + 16)));
  EXPECT_THAT(f.writes, ElementsAre(interval(page + 1, page + 6), interval(3 * page, 3 * page + 8),
                                    interval(3 * page + 16, 3 * page + 24), interval(first_bytes - 4, first_bytes)));
  EXPECT_THAT(f.atomics, ElementsAre(interval(3 * page, 3 * page + 8), interval(3 * page + 16, 3 * page + 24)));
  EXPECT_EQ(f.written, "abcde" + std::string(20, '\0'));
  EXPECT_EQ(llvm::cantFail(parse_footprint(bytes_of(f), dispatch_.memory)), f);
}

// Bytes that come from a file or another machine: right or refused, and nothing is written outside of the memory.
TEST_F(LaunchRanges, FootprintsAreJudged) {
  const Footprint wrong[] = {
      {.writes = {interval(first_bytes + page, first_bytes + page + 4)}, .written = "abcd"}, // read-only
      {.writes = {interval(first_bytes - 4, first_bytes + 4)}, .written = "abcdefgh"},       // past the end
      {.writes = {{base_ - 8, base_ - 4}}, .written = "abcd"},                               // before it
      {.writes = {interval(0, 4)}, .written = "abc"},                                        // less than it says
      {.reads = {interval(first_bytes + 8, first_bytes + 12)}},                              // between
  };
  for (const Footprint& f : wrong)
    EXPECT_THAT(error_of(parse_footprint(bytes_of(f), dispatch_.memory)), HasSubstr("does not fit the capture"));
  const Footprint right{
      .reads = {interval(0, 400)}, .writes = {interval(page, page + 300)}, .written = std::string(300, 'x')};
  const std::string bytes = bytes_of(right);
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string text = bytes.substr(0, i % 3 ? bytes.size() : random() % bytes.size());
    if (!text.empty())
      text[random() % text.size()] ^= char(1 + random() % 255);
    auto parsed = parse_footprint(text, dispatch_.memory);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      continue;
    }
    for (const Interval& w : parsed->writes)
      EXPECT_TRUE(w.begin >= base_ && w.end <= base_ + first_bytes);
  }
}

TEST_F(LaunchRanges, WhatAllWroteIsThere) {
  std::memset(at(0), 'o', first_bytes);
  EXPECT_EQ(
      error_of_join({range(0, {interval(0, 64)}, {interval(page, page + 10), interval(page + 20, page + 22)}, 'a'),
                     range(1, {interval(0, 64)}, {interval(page + 10, page + 20)}, 'b'),
                     range(2, {interval(2 * page, 2 * page + 4)}, {interval(2 * page, 2 * page + 4)}, 'c')}),
      "");
  EXPECT_EQ(std::string(reinterpret_cast<char*>(at(page)), 23), "aaaaaaaaaabbbbbbbbbbaao");
  EXPECT_EQ(std::string(reinterpret_cast<char*>(at(2 * page)), 5), "cccco");
}

TEST_F(LaunchRanges, OneValueMayBeWrittenByAll) {
  const Interval flag = interval(page, page + 4);
  EXPECT_EQ(error_of_join({range(0, {}, {flag}, 'f'), range(1, {}, {flag}, 'f'), range(2, {}, {flag}, 'f')}), "");
  EXPECT_EQ(*at(page), 'f');
  // Who reads it would have to know when.
  EXPECT_THAT(error_of_join({range(0, {flag}, {flag}, 'f'), range(1, {}, {flag}, 'f')}),
              HasSubstr("workgroups 0..7 read out [0x0], which 8..15 write"));
}

TEST_F(LaunchRanges, DependencesAreNamed) {
  EXPECT_THAT(
      error_of_join({range(0, {}, {interval(page, page + 8)}, 'a'), range(3, {}, {interval(page + 6, page + 7)}, 'b')}),
      HasSubstr("workgroups 0..7 and 24..31 leave different values in out [0x6]"));
  // Whichever of the two comes first.
  for (const bool reader_first : {true, false}) {
    const std::vector<Interval> reads = {interval(page, page + 64)}, writes = {interval(page + 60, page + 80)};
    EXPECT_THAT(error_of_join({range(0, reader_first ? reads : std::vector<Interval>(),
                                     reader_first ? std::vector<Interval>() : writes, 'a'),
                               range(1, reader_first ? std::vector<Interval>() : reads,
                                     reader_first ? writes : std::vector<Interval>(), 'a')}),
                HasSubstr(reader_first ? "workgroups 0..7 read out [0x3c], which 8..15 write"
                                       : "workgroups 8..15 read out [0x3c], which 0..7 write"));
  }
  // A part of what it reads is its own.
  EXPECT_THAT(error_of_join({range(0, {interval(page, page + 12)},
                                   {interval(page, page + 4), interval(page + 8, page + 12)}, 'a'),
                             range(1, {}, {interval(page + 4, page + 8)}, 'a')}),
              HasSubstr("workgroups 0..7 read out [0x4], which 8..15 write"));
  const Interval sum = interval(page + 16, page + 20);
  EXPECT_THAT(error_of_join({range(0, {sum}, {sum}, 'a', {sum}), range(1, {sum}, {sum}, 'b', {sum})}),
              HasSubstr("workgroups 0..7 and 8..15 use atomics on out [0x10]"));
  EXPECT_EQ(error_of_join({range(0, {sum}, {sum}, 'a', {sum}), range(1, {}, {interval(page, page + 4)}, 'b')}), "");
}

TEST(LaunchCut, CutsIntoPartsOfAboutTheSameSize) {
  using capture::Workgroups;
  EXPECT_THAT(cut({10, 7}, 3), ElementsAre(Workgroups{10, 3}, Workgroups{13, 2}, Workgroups{15, 2}));
  EXPECT_THAT(cut({0, 2}, 5), ElementsAre(Workgroups{0, 1}, Workgroups{1, 1}));
  EXPECT_THAT(cut({4, 9}, 1), ElementsAre(Workgroups{4, 9}));
}

} // namespace
} // namespace crosslane::launch
