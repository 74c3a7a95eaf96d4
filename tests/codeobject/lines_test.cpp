// Source lines against llvm-symbolizer, for every address of the code.
#include "tests/codeobject/tools.h"
#include <algorithm>
#include <cstring>
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

void compare_frames(const std::string& name, size_t depth) {
  SCOPED_TRACE(name);
  auto object = read_input(name);
  std::vector<uint64_t> addresses;
  std::string questions;
  for (const Section& section : object->sections())
    for (uint64_t at = section.address; section.executable && at < section.address + section.size; at += 4) {
      addresses.push_back(at);
      questions += "0x" + llvm::utohexstr(at) + "\n";
    }
  // The frames of an address are lines, and an empty one ends them.
  std::vector<std::string> answers(1);
  for (const std::string& line :
       lines_of(run(std::string(SYMBOLIZER) + " --inlines --functions=none --obj=" + input_path(name), questions)))
    if (line.empty())
      answers.emplace_back();
    else
      answers.back() += line + "\n";
  while (!answers.empty() && answers.back().empty())
    answers.pop_back();
  ASSERT_EQ(answers.size(), addresses.size());
  size_t deepest = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const auto frames = object->source_frames(addresses[i]);
    std::string got, expected = answers[i];
    for (const SourceLine& frame : frames)
      got += frame.file + ":" + std::to_string(frame.line) + ":" + std::to_string(frame.column) + "\n";
    // Where the compiler gives the innermost place no line, there is none to begin with.
    if (expected.starts_with("??:") || expected.substr(0, expected.find('\n')).find(":0:") != std::string::npos)
      expected.clear();
    EXPECT_EQ(got, expected) << std::hex << addresses[i];
    deepest = std::max(deepest, frames.size());
  }
  EXPECT_GE(deepest, depth);
}

TEST(Lines, InlinedCallsAsTheSymbolizerSays) {
  for (const char* name : {"inlined.co", "inlined-dwarf4.co", "inlined-lines.co"})
    compare_frames(name, 4); // square in polynomial in choose in the kernel
  for (const char* name : {"ranges-4.co", "ranges-5.co"})
    compare_frames(name, 2);
}

TEST(Lines, CompressedDebugSections) {
  compare("arguments-xnack.co"); // zlib
  compare("arguments-zstd.co");
}

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

// LLVM's parser believes the counts of a version 5 header; entries without bytes would fill memory until the process
// dies.
TEST(Lines, HostileHeadersAreLeftOut) {
  auto bytes = input_bytes("arguments-gfx906-v5.co");
  auto word = [&](size_t at) {
    uint32_t value;
    std::memcpy(&value, &bytes[at], sizeof value);
    return value;
  };
  size_t header = 0; // of .debug_line: version 5, addresses of 8 bytes, no segment selector, its length within the file
  for (size_t at = 0; at + 64 < bytes.size() && !header; ++at)
    if (bytes[at + 4] == 5 && bytes[at + 5] == 0 && bytes[at + 6] == 8 && bytes[at + 7] == 0 &&
        word(at) < bytes.size() && word(at + 8) < word(at) && bytes[at + 17] == 13)
      header = at;
  ASSERT_NE(header, 0u);
  size_t directories = header + 18 + 12;   // behind the lengths of 12 standard opcodes
  ASSERT_EQ(bytes[directories], 1);        // one field,
  ASSERT_EQ(bytes[directories + 1], 1);    // the path,
  ASSERT_EQ(bytes[directories + 2], 0x1f); // as line_strp
  uint64_t entry = read_bytes_ok(bytes)->kernels()[0].entry;
  EXPECT_TRUE(read_bytes_ok(bytes)->source_line(entry));
  auto with = [&](size_t offset, std::vector<uint8_t> values) {
    auto patched = bytes;
    std::copy(values.begin(), values.end(), patched.begin() + static_cast<long>(directories + offset));
    return read_bytes_ok(patched)->source_line(entry);
  };
  constexpr uint8_t flag_present = 0x19;
  EXPECT_FALSE(with(2, {flag_present, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f}));
  EXPECT_FALSE(with(0, {0, 0xff, 0xff, 0xff, 0xff, 0x0f}));
  EXPECT_FALSE(with(3, {0xff, 0xff, 0xff, 0xff, 0x0f}));
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
