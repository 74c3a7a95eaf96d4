// What workgroups that are tried write, and what becomes of it.
#include "engine/dispatch/written_pages.h"
#include "machine/window.h"
#include "tests/engine/kernel_fixture.h"
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace crosslane::test {
namespace {

using engine::WrittenPages;

class Pages : public testing::Test {
protected:
  void SetUp() override {
    if (machine::device_reach() != machine::window)
      GTEST_SKIP() << "device memory has no place of its own";
  }
  machine::Memory memory;
  Buffer<uint32_t> data{memory, 4096};
};

TEST_F(Pages, AreAsBeforeWhenUndone) {
  data[0] = 1, data[2048] = 2;
  WrittenPages pages(nullptr);
  ASSERT_TRUE(pages.watches());
  data[0] = 3;
  EXPECT_EQ(pages.count(), 1u);
  pages.undo();
  EXPECT_EQ(data[0], 1u);
  EXPECT_EQ(data[2048], 2u);
}

// No file can be opened, so that nobody says what is mapped.
TEST_F(Pages, OfAnEarlierWatchAreNotUndone) {
  {
    const WrittenPages earlier(nullptr);
    ASSERT_TRUE(earlier.watches());
    data[0] = 1;
  }
  data[0] = 2;
  rlimit files{}, none{};
  getrlimit(RLIMIT_NOFILE, &files);
  none.rlim_max = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &none);
  WrittenPages pages(nullptr);
  setrlimit(RLIMIT_NOFILE, &files);
  EXPECT_FALSE(pages.watches());
  EXPECT_EQ(pages.count(), 0u);
  pages.undo();
  EXPECT_EQ(data[0], 2u);
}

} // namespace
} // namespace crosslane::test
