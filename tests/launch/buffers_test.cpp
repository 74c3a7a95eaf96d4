// Descriptions of buffers.
#include "files/write.h"
#include "launch/buffers.h"
#include "launch/npy.h"
#include "tests/expected.h"
#include "toolchain/temporary_folder.h"
#include <cmath>

namespace crosslane::launch {
namespace {

using test::error_of;
using test::value_of;

std::string shown(std::string_view text, std::optional<Type> type = {}) {
  auto buffer = make_buffer(text, type, "");
  if (!buffer)
    return "error: " + llvm::toString(buffer.takeError());
  std::string result = describe(*buffer) + ":";
  for (uint64_t i = 0; i < buffer->count(); ++i)
    result += " " + format(buffer->type, buffer->bytes.data() + i * size_of(buffer->type));
  return result;
}

TEST(Buffers, Contents) {
  EXPECT_EQ(shown("f32[3]"), "f32[3]: 0 0 0");
  EXPECT_EQ(shown("buf:f32[3]:zeros"), "f32[3]: 0 0 0");
  EXPECT_EQ(shown("i32[2,2]:iota"), "i32[2,2]: 0 1 2 3");
  EXPECT_EQ(shown("i32[3]:iota:5:-2"), "i32[3]: 5 3 1");
  EXPECT_EQ(shown("f64[3]:iota:0.5:0.25"), "f64[3]: 0.5 0.75 1");
  EXPECT_EQ(shown("u8[3]:0xff"), "u8[3]: 255 255 255");
  EXPECT_EQ(shown("f16[3]:1,-2,0.5"), "f16[3]: 1 -2 0.5");
  EXPECT_EQ(shown("u32[1]:uninit"), "u32[1]: 2779096485");
  EXPECT_EQ(shown("f32[0]:iota"), "f32[0]:");
  EXPECT_EQ(shown("[2]:7", Type::i64), "i64[2]: 7 7");
  EXPECT_EQ(shown("i8[258]:iota").substr(0, 16), "i8[258]: 0 1 2 3"); // wraps beyond 127
}

TEST(Buffers, RandomIsSeededAndInRange) {
  const Buffer a = value_of(make_buffer("f32[1000]:random:7", {}, "")),
               b = value_of(make_buffer("f32[1000]:random:7", {}, "")),
               c = value_of(make_buffer("f32[1000]:random:8", {}, "")),
               d = value_of(make_buffer("f32[1000]:random:7:-2:3", {}, ""));
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_NE(a.bytes, c.bytes);
  double sum = 0, low = 9, high = -9;
  for (size_t i = 0; i < 1000; ++i) {
    const double x = load(Type::f32, a.bytes.data() + 4 * i).real, y = load(Type::f32, d.bytes.data() + 4 * i).real;
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 1);
    sum += x;
    low = std::min(low, y), high = std::max(high, y);
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.05);
  EXPECT_NEAR(low, -2, 0.1);
  EXPECT_NEAR(high, 3, 0.1);
  const Buffer dice = value_of(make_buffer("i32[1000]:random:1:1:7", {}, ""));
  int seen = 0;
  for (size_t i = 0; i < 1000; ++i)
    seen |= 1 << load(Type::i32, dice.bytes.data() + 4 * i).integer;
  EXPECT_EQ(seen, 0b1111110);
}

TEST(Buffers, ErrorsSayWhatIsWrong) {
  EXPECT_HAS(shown("[3]"), "say the type of its elements");
  EXPECT_HAS(shown("f31[3]"), "'f31' is not an element type");
  EXPECT_HAS(shown("f32[x]"), "'x' is not a size");
  EXPECT_HAS(shown("f32[3]iota"), "expected ':' after ']'");
  EXPECT_HAS(shown("f32[3]:1,2"), "2 values for f32[3]");
  EXPECT_HAS(shown("f32[3]:ones"), "'ones' is neither a value");
  EXPECT_HAS(shown("f32[3]:iota:1:2:3"), "iota takes a start and a step");
  EXPECT_HAS(shown("f32[3]:random:1:2"), "random takes a seed");
  EXPECT_HAS(shown("f32[3]:random:1:2:2"), "is empty");
  EXPECT_HAS(shown("i32[3]:iota:0.5"), "not an integer");
  EXPECT_HAS(shown("@/nonexistent/x.npy"), "No such file");
}

TEST(Buffers, Files) {
  auto folder = value_of([]() -> llvm::Expected<std::unique_ptr<toolchain::TemporaryFolder>> {
    auto made = toolchain::TemporaryFolder::create();
    if (!made)
      return made.takeError();
    return std::make_unique<toolchain::TemporaryFolder>(std::move(*made));
  }());
  const Buffer iota = value_of(make_buffer("f32[2,2]:iota", {}, ""));
  EXPECT_EQ(error_of(write_buffer(folder->path("x.npy"), iota)), "");
  EXPECT_EQ(error_of(write_buffer(folder->path("x.raw"), iota)), "");
  const auto read = [&](const char* text, std::optional<Type> type = {}) {
    auto buffer = make_buffer(text, type, folder->path());
    return buffer ? describe(*buffer) + (buffer->bytes == iota.bytes ? " same" : " other")
                  : llvm::toString(buffer.takeError());
  };
  EXPECT_EQ(read("@x.npy"), "f32[2,2] same");
  EXPECT_EQ(read("@x.raw:f32"), "f32[4] same");
  EXPECT_EQ(read("@x.raw", Type::f32), "f32[4] same");
  EXPECT_EQ(read("@x.raw:u8"), "u8[16] same");
  EXPECT_HAS(read("@x.raw"), "say the type of its elements: @x.raw:f32");
  EXPECT_HAS(read("@x.npy:i32"), "holds f32[2,2], not i32");
  EXPECT_EQ(error_of(files::write(folder->path("y.raw"), std::string("12345"))), "");
  EXPECT_HAS(read("@y.raw:f32"), "5 bytes are not a whole number of f32 elements");
}

} // namespace
} // namespace crosslane::launch
