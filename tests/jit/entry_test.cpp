// What the cache's files hold, and that nothing else is taken for it.
#include "files/build_id.h"
#include "jit/cache/entry.h"
#include "jit/cache/identity.h"
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace crosslane::jit {
namespace {

const CacheKey key = {1, 2, 3};
const engine::CodeBytes code = {{{7, {0xbe8000ff, 5}}, {20, {}}}};

Compiled compiled() {
  Compiled out;
  out.image.assign(100, 0xc3);
  out.start = 64;
  out.entries = {7, 9}, out.loops = {{9, true, 1}};
  out.ranges = out.waits = out.sums = true, out.frame_bytes = 128;
  out.calls = {{3}, {5, 2, 0, 256}, {6, 1, 512, 256}};
  out.code_bytes = 90, out.ir_instructions = 12;
  return out;
}

TEST(CacheEntry, HasAllThatTheCodeNeeds) {
  Compiled answer = compiled();
  const auto bytes = packed(key, code, answer);
  answer.phases.generate = 3, answer.ir = "text"; // of the compilation
  EXPECT_EQ(packed(key, code, answer), bytes);
  const auto found = unpacked(key, bytes);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->code, code);
  const Compiled& back = found->answer;
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.image, answer.image);
  EXPECT_EQ(back.start, 64u);
  EXPECT_EQ(back.entries, answer.entries);
  ASSERT_EQ(back.loops.size(), 1u);
  EXPECT_EQ(back.loops[0].pc, 9u);
  EXPECT_TRUE(back.loops[0].full);
  EXPECT_EQ(back.loops[0].entry, 1u);
  EXPECT_TRUE(back.ranges);
  EXPECT_TRUE(back.waits);
  EXPECT_TRUE(back.sums);
  EXPECT_EQ(back.frame_bytes, 128u);
  EXPECT_EQ(back.calls, answer.calls);
  EXPECT_EQ(back.code_bytes, 90u);
  EXPECT_EQ(back.ir_instructions, 12u);
  EXPECT_EQ(packed(key, found->code, back), bytes);
}

TEST(CacheEntry, HasWhyNothingWasCompiled) {
  Compiled answer;
  answer.error = "too long", answer.lasting = true;
  const auto found = unpacked(key, packed(key, code, answer));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->answer.error, "too long");
}

TEST(CacheEntry, IsWholeOrNotThere) {
  const auto bytes = packed(key, code, compiled());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpacked(key, std::span(bytes).first(size))) << size;
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_FALSE(unpacked(key, longer));
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto wrong = bytes;
    wrong[bit / 8] ^= uint8_t(1 << bit % 8);
    EXPECT_FALSE(unpacked(key, wrong)) << bit;
  }
  EXPECT_FALSE(unpacked({1, 2, 4}, bytes));
  EXPECT_TRUE(unpacked(key, bytes));
}

// As a mistake of ours would write it.
TEST(CacheEntry, IsSound) {
  for (const auto& break_it :
       {+[](Compiled& c) { c.start = 100; }, +[](Compiled& c) { c.entries.clear(); },
        +[](Compiled& c) { c.loops[0].entry = 2; }, +[](Compiled& c) { c.error = "no memory"; }}) {
    Compiled answer = compiled();
    break_it(answer);
    EXPECT_FALSE(unpacked(key, packed(key, code, answer)));
  }
}

TEST(Identity, OfProgramsAndOfFiles) {
  const auto own = files::build_id_at(&key);
  EXPECT_FALSE(own.empty());
  EXPECT_EQ(files::build_id_of("/proc/self/exe"), own);
  const void* const other = dlsym(RTLD_DEFAULT, "__cxa_throw");
  EXPECT_NE(files::build_id_at(other), own);
  EXPECT_TRUE(files::build_id_at(nullptr).empty());
  EXPECT_TRUE(files::build_id_of("/none").empty());
  EXPECT_TRUE(files::build_id_of("/dev/null").empty());
  EXPECT_TRUE(files::build_id_of("/etc/passwd").empty());
  EXPECT_EQ(processor(), processor());
}

} // namespace
} // namespace crosslane::jit
