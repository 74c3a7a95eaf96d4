// Reading whole files: how their names are shown, files that say no size. Messages and limits are asked of the verbs'
// own tests.
#include "files/read.h"
#include "tests/files/scratch_folder.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

namespace crosslane::files {
namespace {

TEST(Read, PathsAreShownFromHere) {
  EXPECT_EQ(from_here(std::filesystem::current_path().string() + "/a/b.cl:3"), "a/b.cl:3");
  EXPECT_EQ(from_here("/elsewhere/b.cl:3"), "/elsewhere/b.cl:3");
}

// In pieces: all of them, in order.
TEST(Read, WhatSaysNoSize) {
  const test::ScratchFolder folder;
  for (const size_t size : {0, 1, 65536, 65537, 65538, 131073, 1000003}) {
    std::string text(size, ' ');
    for (size_t n = 0; n < size; ++n)
      text[n] = char(n * 7 + (n >> 8));
    const std::string pipe = (folder / std::to_string(size)).string();
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << text; });
    auto bytes = read(pipe);
    writer.join();
    ASSERT_TRUE(bool(bytes));
    EXPECT_TRUE(std::ranges::equal(*bytes, text, {}, {}, [](char c) { return uint8_t(c); })) << size;
  }
  auto maps = read("/proc/self/maps"); // a file of 0 bytes, as it says
  ASSERT_TRUE(bool(maps));
  EXPECT_GT(maps->size(), 1000u);
}

} // namespace
} // namespace crosslane::files
