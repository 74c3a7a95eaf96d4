// Source lines against llvm-symbolizer, for every address of the code.
#include "tests/codeobject/tools.h"
#include <llvm/ADT/StringExtras.h>
#include <thread>

namespace crosslane::codeobject::test {
namespace {

void compare(const std::string& name) {
  SCOPED_TRACE(name);
  auto object = read_input(name);
  std::vector<uint64_t> addresses;
  for (const Section& section : object->sections())
    if (section.executable)
      for (uint64_t at = section.address; at < section.address + section.size; at += 4)
        addresses.push_back(at);
  std::string questions;
  for (uint64_t address : addresses)
    questions += "0x" + llvm::utohexstr(address) + "\n";
  auto answers =
      lines_of(run(std::string(SYMBOLIZER) + " --no-inlines --functions=none --obj=" + input_path(name), questions));
  std::erase(answers, "");
  ASSERT_EQ(answers.size(), addresses.size());
  size_t known = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    auto line = object->source_line(addresses[i]);
    std::string got = line ? line->file + ":" + std::to_string(line->line) + ":" + std::to_string(line->column) : "??";
    std::string expected = answers[i];
    if (expected.starts_with("??:") || expected.find(":0:") != std::string::npos)
      expected = "??"; // no line, or the compiler's own code
    EXPECT_EQ(got, expected) << std::hex << addresses[i];
    known += line.has_value();
  }
  EXPECT_GT(known, 2u);
}

TEST(Lines, EveryAddressAsTheSymbolizerSays) {
  for (const char* name :
       {"arguments-gfx906-v5.co", "arguments-gfx803-v4.co", "arguments-O0.co", "globals.co", "bare.co"})
    compare(name);
}

TEST(Lines, CompressedDebugSections) { compare("arguments-xnack.co"); }

TEST(Lines, NoneWithoutDebugInformation) {
  auto object = read_input("globals-stripped.co");
  EXPECT_FALSE(object->source_line(object->kernels()[0].entry));
}

TEST(Lines, NoneOutsideOfTheCode) {
  auto object = read_input("arguments-gfx906-v5.co");
  EXPECT_TRUE(object->source_line(object->kernels()[0].entry));
  EXPECT_FALSE(object->source_line(0));
  EXPECT_FALSE(object->source_line(object->image_begin() + object->image_size()));
  EXPECT_FALSE(object->source_line(UINT64_MAX));
}

TEST(Lines, FirstAskedFromSeveralThreads) {
  auto object = read_input("arguments-gfx906-v5.co");
  uint64_t entry = object->kernels()[0].entry;
  std::vector<std::thread> threads;
  std::vector<uint32_t> lines(8);
  for (uint32_t& line : lines)
    threads.emplace_back([&] { line = object->source_line(entry)->line; });
  for (std::thread& thread : threads)
    thread.join();
  for (uint32_t line : lines)
    EXPECT_EQ(line, lines[0]);
}

} // namespace
} // namespace crosslane::codeobject::test
