// Records of printf to text: LLVM's two kinds, written here byte by byte, and damaged ones.
#include "toolchain/device_printf.h"
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace crosslane::toolchain {
namespace {

// A buffer as a kernel fills it.
class Buffer {
public:
  explicit Buffer(size_t size = 4096) : bytes_(size) { prepare_printf_buffer(bytes_); }
  template <class T> Buffer& put(T value) {
    std::memcpy(&bytes_[8 + taken_], &value, sizeof value);
    return skip(sizeof value);
  }
  Buffer& put(const char* text, size_t bytes) {
    std::memset(&bytes_[8 + taken_], 0, bytes);
    std::memcpy(&bytes_[8 + taken_], text, std::min(bytes, std::strlen(text)));
    return skip(bytes);
  }
  // Taken, and not written.
  Buffer& skip(size_t bytes) {
    taken_ += static_cast<uint32_t>(bytes);
    std::memcpy(bytes_.data(), &taken_, 4);
    return *this;
  }
  Printed printed(const std::vector<std::string>& formats) {
    taken_ = 0;
    return take_printed(bytes_, formats);
  }
  std::string text(const std::vector<std::string>& formats) { return printed(formats).text; }

private:
  std::vector<uint8_t> bytes_;
  uint32_t taken_ = 0;
};

TEST(DevicePrintf, OpenClRecords) {
  Buffer buffer;
  buffer.put(2u).put(7).put(1.5f).put("lit:eral!", 12).put(1u);
  EXPECT_EQ(buffer.text({"1:0:plain\\n", "2:3:4:4:12:a\\72%d f %.2f s %s 100%%\\n"}),
            "a:7 f 1.50 s lit:eral! 100%\nplain\n");
  EXPECT_EQ(buffer.text({"1:0:plain\\n"}), "") << "it was emptied";
}

TEST(DevicePrintf, OpenClVectorsAndWidths) {
  Buffer buffer;
  buffer.put(1u);
  for (const float x : {1.0f, 2.0f, 3.0f, 99.0f})
    buffer.put(x);
  for (const int8_t x : {1, -2, 3, -4})
    buffer.put(x);
  buffer.put(int64_t{-5}).put(uint16_t{0xffff}).put(uint16_t{3}).put(uint16_t{0x3c00}).put(uint16_t{0xc000});
  EXPECT_EQ(buffer.text({"1:5:16:4:8:4:4:%4.1v3hlf %v4hhd %ld %v2hu %v2hf"}),
            " 1.0, 2.0, 3.0 1,-2,3,-4 -5 65535,3 1.000000,-2.000000");
}

TEST(DevicePrintf, OpenClTextsOfFourCharactersHaveNoEnd) {
  const std::vector<std::string> formats = {"1:4:8:4:8:4:%s %d %s %d"};
  const auto text = [&](auto fill) {
    Buffer buffer;
    fill(buffer.put(1u));
    return buffer.text(formats);
  };
  EXPECT_EQ(text([](Buffer& b) { b.put("abcd", 4).put(101).put("wxyz", 4).put(0).skip(8); }), "abcd 101 wxyz 0");
  EXPECT_EQ(text([](Buffer& b) { b.put("abcde", 8).put(0).put("vwxyz", 8).put(0); }), "abcde 0 vwxyz 0");
  EXPECT_EQ(text([](Buffer& b) { b.put("abcd", 4).put(-1).put("vwxyz", 8).put(5).skip(4); }), "abcd -1 vwxyz 5");
  EXPECT_EQ(text([](Buffer& b) { b.put("abcde", 8).put(3).put("wxyz", 4).put(5).skip(4); }), "abcde 3 wxyz 5");
}

TEST(DevicePrintf, HipRecords) {
  Buffer buffer;
  buffer.put(uint32_t{44} << 2 | 2)
      .put(uint64_t{0x9a02481d4c920418})
      .put(int64_t{-7})
      .put(2.5)
      .put("x", 8)
      .put(uint64_t{0xfe});
  buffer.put(uint32_t{28} << 2).put("%d %s\n", 8).put(int64_t{3}).put("made up", 8);
  EXPECT_EQ(buffer.text({"0:0:9a02481d4c920418,%d:%g %s %x\n"}), "-7:2.5 x fe\n3 made up\n");
}

TEST(DevicePrintf, WhatMakesNoSenseEndsTheText) {
  for (const uint32_t first : {0u, 1u, 2u, 3u, 44u, 0x7fffffffu, 0xffffffffu}) {
    Buffer buffer;
    buffer.put("ok", 0).put(1u).put(first).put(first);
    const std::vector<std::string> opencl = {"1:1:4:ok\\n", "2:1:4000000000:%s", "3:2:4", "", "::", "x"};
    EXPECT_EQ(buffer.text(opencl).substr(0, 3), "ok\n") << first;
    buffer.put(first).put(first).put(first);
    EXPECT_EQ(buffer.text({"0:0:", "0:0:zz,x"}), "") << first;
  }
  // A count beyond the buffer, and one that overflows.
  for (const uint32_t taken : {5000u, 0xfffffffcu}) {
    Buffer buffer;
    buffer.put(1u).skip(taken - 4);
    const Printed printed = buffer.printed({"1:0:once\\n"});
    EXPECT_EQ(printed.text.substr(0, 5), "once\n");
    EXPECT_TRUE(printed.full);
  }
  Buffer buffer;
  buffer.put(1u).put(5);
  EXPECT_EQ(buffer.text({"1:1:4:%999999999d"}).size(), 4096u);
  buffer.put(1u).put(5);
  EXPECT_EQ(buffer.text({"1:1:4:%n%q%"}), "%n%q%");
  const std::string name(20000, 'n'); // longer than any field
  Buffer large(65536);
  large.put(1u).put(name.c_str(), 20004).put(1u).put("ab", 20004);
  EXPECT_EQ(large.text({"1:1:20004:%-4s|%.1s|%5s"}), name + "|%.1s|%5sab  |%.1s|%5s");
}

TEST(DevicePrintf, SaysThatMoreMayHaveBeenPrinted) {
  Buffer buffer(8 + 10 * 8);
  for (int i = 0; i < 9; ++i)
    buffer.put(1u).put(i);
  EXPECT_FALSE(buffer.printed({"1:1:4:%d "}).full);
  for (int i = 0; i < 10; ++i)
    buffer.put(1u).put(i);
  const Printed printed = buffer.printed({"1:1:4:%d "});
  EXPECT_EQ(printed.text, "0 1 2 3 4 5 6 7 8 9 ");
  EXPECT_TRUE(printed.full);
}

} // namespace
} // namespace crosslane::toolchain
