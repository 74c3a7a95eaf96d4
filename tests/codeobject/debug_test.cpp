// Debug information that lies: the code loads as ever, nothing is read outside of the file, nothing takes for ever, and
// one sentence says what is damaged.
#include "tests/codeobject/tools.h"
#include <cstring>
#include <fstream>

namespace crosslane::codeobject::test {
namespace {

std::vector<uint8_t> assembled(const std::string& text) {
  static int number = 0;
  const std::string source = temporary("debug" + std::to_string(++number) + ".s"), object = source + ".co";
  std::ofstream(source) << text;
  run(std::string(CLANG) + " -target amdgcn-amd-amdhsa -mcpu=gfx906 -x assembler " + source + " -o " + object);
  return bytes_of_file(object);
}

// A function of two instructions, and debug sections to the liking of the test.
std::string with_sections(const std::string& sections, bool lines = true) {
  const std::string places = "  .file 0 \"/src\" \"kernel.cl\"\n  .loc 0 10 1\n";
  return "  .amdgcn_target \"amdgcn-amd-amdhsa--gfx906\"\n  .text\n  .globl first\n  .p2align 8\n"
         "  .type first,@function\nfirst:\n" +
         (lines ? places : "") + "  s_nop 0\n  s_endpgm\n.Lend:\n  .size first, .Lend-first\n" + sections;
}

// The header of a unit of version 4 around `entries`; its abbreviations start at the section's beginning.
std::string unit(const std::string& entries) {
  return "  .section .debug_info,\"\",@progbits\n  .long .Lunit_end-.Lunit\n.Lunit:\n  .short 4\n  .long 0\n  .byte "
         "8\n" +
         entries + ".Lunit_end:\n";
}

// Offset and size in the file.
std::pair<uint64_t, uint64_t> section_of(const std::vector<uint8_t>& bytes, const std::string& name) {
  const std::string path = temporary("section.co");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  for (const std::string& line : lines_of(run(std::string(READELF) + " -SW " + path))) {
    const auto words = words_of(line.substr(std::min(line.find(']') + 1, line.size())));
    if (words.size() > 4 && words[0] == name)
      return {std::stoull(words[3], nullptr, 16), std::stoull(words[4], nullptr, 16)};
  }
  throw std::runtime_error("no section " + name);
}

void expect_problem(const CodeObject& object, const std::string& part) {
  const std::string problem = object.debug_problem();
  EXPECT_TRUE(problem.starts_with("debug information is damaged (")) << problem;
  EXPECT_NE(problem.find(part), std::string::npos) << problem;
}

uint64_t address_of(const CodeObject& object, const std::string& name) {
  const Symbol* symbol = object.find_symbol(name);
  return symbol ? symbol->address : 0;
}

TEST(Debug, NothingIsWrongWithWhatCompilersWrite) {
  for (const std::string& name : all_inputs())
    EXPECT_EQ(read_input(name)->debug_problem(), "") << name;
  for (const char* name :
       {"inlined.co", "inlined-dwarf4.co", "inlined-lines.co", "two-notes.co", "ranges-5.co", "ranges-4.co"})
    EXPECT_EQ(read_input(name)->debug_problem(), "") << name;
}

// Line 10 everywhere; the inlined calls by hand from the lists in ranges.s.
TEST(Debug, ListsOfRanges) {
  const auto expect = [](const char* name, const std::vector<std::pair<uint64_t, uint64_t>>& first, uint64_t second) {
    const auto object = read_input(name);
    const uint64_t start = address_of(*object, "first");
    ASSERT_NE(start, 0u);
    for (uint64_t at = 0; at < 32 * 4; at += 4) {
      const auto frames = object->source_frames(start + at);
      const bool in_first =
          std::any_of(first.begin(), first.end(), [&](auto r) { return at >= r.first && at < r.second; });
      const bool in_second = second && at >= second && at < second + 8;
      ASSERT_EQ(frames.size(), in_first || in_second ? 2u : 1u) << name << " +" << at;
      EXPECT_EQ(frames[0].line, 10u);
      if (frames.size() > 1) {
        EXPECT_EQ(frames[1].file, "/src/called.cl");
        EXPECT_EQ(frames[1].line, in_first ? 77u : 78u);
        EXPECT_EQ(frames[1].column, in_first ? 3u : 5u);
      }
    }
  };
  expect("ranges-5.co",
         {{0x04, 0x08}, {0x10, 0x14}, {0x20, 0x24}, {0x28, 0x2c}, {0x30, 0x34}, {0x38, 0x3c}, {0x40, 0x44}}, 0x50);
  expect("ranges-4.co", {{0x04, 0x08}, {0x10, 0x14}, {0x20, 0x28}}, 0);
}

// One byte: DW_AT_language is said to be a block (block4) instead of a number (data2), and its length, made of what was
// there, 0x08??0015, ends far behind the file. LLVM 19 goes on reading from there.
TEST(Debug, BlockThatEndsBehindItsUnit) {
  auto bytes = input_bytes("arguments-gfx906-v5.co");
  const auto [offset, size] = section_of(bytes, ".debug_abbrev");
  const uint8_t language[] = {0x13, 0x05};
  const auto from = bytes.begin() + static_cast<long>(offset);
  const auto found = std::search(from, from + static_cast<long>(size), std::begin(language), std::end(language));
  ASSERT_NE(found, from + static_cast<long>(size));
  found[1] = 0x04;
  const auto object = read_bytes_ok(bytes);
  const Kernel& kernel = object->kernels()[0];
  ASSERT_EQ(object->source_frames(kernel.entry).size(), 1u);
  EXPECT_EQ(object->source_line(kernel.entry)->line,
            read_input("arguments-gfx906-v5.co")->source_line(kernel.entry)->line);
  EXPECT_EQ(object->debug_problem(),
            "debug information is damaged (.debug_info at 0xc: an attribute does not end before its "
            "unit does): lines of inlined calls are missing; build it again");
  AlignedMemory memory(*object);
  EXPECT_EQ(error_of(object->load(memory.bytes(), [](void*, std::string_view) { return std::optional<uint64_t>(64); })),
            "");
}

TEST(Debug, LineTableThatIsNone) {
  auto bytes = input_bytes("arguments-gfx906-v5.co");
  patch<uint8_t>(bytes, section_of(bytes, ".debug_line").first + 6, 3); // size of an address
  const auto object = read_bytes_ok(bytes);
  EXPECT_FALSE(object->source_line(object->kernels()[0].entry));
  EXPECT_EQ(object->debug_problem(),
            "debug information is damaged (.debug_line at 0x0: the header is not a line table's): "
            "source lines are missing; build it again");
}

TEST(Debug, CompressedSectionThatClaimsGigabytes) {
  auto bytes = input_bytes("arguments-xnack.co");
  const auto [offset, size] = section_of(bytes, ".debug_line");
  patch<uint64_t>(bytes, offset + 8, uint64_t{4} << 30); // ch_size
  const auto object = read_bytes_ok(bytes);
  EXPECT_FALSE(object->source_line(object->kernels()[0].entry));
  expect_problem(*object, "(.debug_line: " + std::to_string(size) + " bytes claim to hold 4294967296)");
}

// A megabyte of line table that expands to a gigabyte makes a row of each byte. And what the stream does not fill would
// be whatever the memory held.
TEST(Debug, CompressedSectionThatClaimsALittleMore) {
  const auto good = input_bytes("arguments-xnack.co");
  const auto [offset, size] = section_of(good, ".debug_line");
  const auto expect = [&](uint64_t claim, const std::string& part) {
    auto bytes = good;
    patch<uint64_t>(bytes, offset + 8, claim); // ch_size
    expect_problem(*read_bytes_ok(bytes), "(.debug_line: " + part + std::to_string(claim) + ")");
  };
  uint64_t holds = 0;
  std::memcpy(&holds, &good[offset + 8], 8);
  expect(holds + 1, "holds " + std::to_string(holds) + " bytes, the header speaks of ");
  expect((1 << 20) + 32 * size, "holds " + std::to_string(holds) + " bytes, the header speaks of ");
  expect((1 << 20) + 32 * size + 1, std::to_string(size) + " bytes claim to hold ");
}

TEST(Debug, CompressedSectionOfRubbish) {
  auto bytes = input_bytes("arguments-xnack.co");
  patch<uint64_t>(bytes, section_of(bytes, ".debug_line").first + 26, UINT64_MAX); // behind zlib's own header
  expect_problem(*read_bytes_ok(bytes), "(.debug_line: ");
}

TEST(Debug, FormsAndAbbreviationsThatNobodyKnows) {
  const std::string abbreviation =
      "  .section .debug_abbrev,\"\",@progbits\n  .byte 1, 0x11, 1, 0x10, 0x17, 0, 0, 2, 0x1d, 0, 3, ";
  const std::string entries = "  .byte 1\n  .long 0\n";
  expect_problem(
      *read_bytes_ok(assembled(with_sections(abbreviation + "0x70, 0, 0, 0\n" + unit(entries + "  .byte 2\n")))),
      "form 0x70 is not known");
  expect_problem(
      *read_bytes_ok(assembled(with_sections(abbreviation + "0x08, 0, 0, 0\n" + unit(entries + "  .byte 3\n")))),
      "abbreviation 3 is not declared");
  // A string without an end, an abbreviation without one.
  expect_problem(
      *read_bytes_ok(assembled(with_sections(abbreviation + "0x08, 0, 0, 0\n" + unit(entries + "  .byte 2, 65\n")))),
      "an attribute does not end before its unit does");
  expect_problem(*read_bytes_ok(assembled(with_sections(abbreviation + "0x08\n" + unit(entries)))),
                 "its abbreviations are not in .debug_abbrev, or do not end");
}

// 200,000 entries of one byte with 200,000 attributes of none.
TEST(Debug, AttributesOfNoBytesCostNoTime) {
  const auto bytes = assembled(
      with_sections("  .section .debug_abbrev,\"\",@progbits\n  .byte 1, 0x11, 1, 0x10, 0x17, 0, 0, 2, 0x34, 0\n"
                    "  .rept 200000\n  .byte 0x3f, 0x19\n  .endr\n  .byte 0, 0, 0\n" +
                    unit("  .byte 1\n  .long 0\n  .fill 200000, 1, 2\n")));
  const auto object = read_bytes_ok(bytes);
  expect_problem(*object, "more attributes than bytes");
  EXPECT_TRUE(object->source_line(address_of(*object, "first")));
}

// 50,000 inlined calls that share one list of 50,000 ranges.
TEST(Debug, SharedListsCostNoTime) {
  const auto bytes = assembled(with_sections(
      "  .section .debug_abbrev,\"\",@progbits\n  .byte 1, 0x11, 1, 0x10, 0x17, 0, 0, 2, 0x1d, 0, 0x55, 0x17, 0, 0, "
      "0\n" +
      unit("  .byte 1\n  .long 0\n  .rept 50000\n  .byte 2\n  .long 0\n  .endr\n") +
      "  .section .debug_ranges,\"\",@progbits\n  .rept 50000\n  .quad first, first+4\n  .endr\n  .quad 0, 0\n"));
  expect_problem(*read_bytes_ok(bytes), "its list of addresses does not end, or is not there");
}

// 20,000 units, each with abbreviations that start a little behind the one before and go on to the section's end.
TEST(Debug, OverlappingAbbreviationsCostNoTime) {
  const auto bytes = assembled(with_sections(
      "  .section .debug_abbrev,\"\",@progbits\n  .byte 1, 0x11, 0\n  .rept 40000\n  .byte 1, 0x0b\n  .endr\n"
      "  .byte 0, 0, 0\n  .section .debug_info,\"\",@progbits\n  .set at, 0\n  .rept 20000\n"
      "  .long 8\n  .short 4\n  .long at\n  .byte 8, 0\n  .set at, at+1\n  .endr\n"));
  EXPECT_NE(read_bytes_ok(bytes)->debug_problem(), "");
}

// `files` files whose names are all one text of `length` bytes, each with a line: the last one's is the second
// instruction.
std::vector<uint8_t> with_names(int files, int length) {
  const std::string count = std::to_string(files);
  std::string table = "  .section .debug_line,\"\",@progbits\n  .long .Lt_end-.Lt\n.Lt:\n  .short 5\n  .byte 8, 0\n"
                      "  .long .Lp_end-.Lp\n.Lp:\n  .byte 4, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1\n"
                      "  .byte 1, 1, 0x1f\n  .uleb128 1\n  .long 0\n" // directories: one line_strp
                      "  .byte 1, 1, 0x1f\n  .uleb128 " +
                      count + "\n  .fill " + count + ", 4, 0\n.Lp_end:\n  .byte 0, 9, 2\n  .quad first\n";
  for (int file = 0; file < files; ++file)
    table += std::string(file == files - 1 ? "  .byte 2, 1\n" : "") +           // DW_LNS_advance_pc
             "  .byte 4\n  .uleb128 " + std::to_string(file) + "\n  .byte 1\n"; // DW_LNS_set_file, DW_LNS_copy
  table += "  .byte 2, 1, 0, 1, 1\n.Lt_end:\n  .section .debug_line_str,\"MS\",@progbits,1\n  .byte 47\n  .fill " +
           std::to_string(length) + ", 1, 65\n  .byte 0\n";
  return assembled(with_sections(table, false));
}

TEST(Debug, SharedNamesTakeNoMemory) {
  for (const auto& [files, length, known] :
       {std::tuple(10, 4000, true), {3000, 1000000, false}, {40000, 4000, false}}) {
    const auto object = read_bytes_ok(with_names(files, length));
    EXPECT_EQ(object->source_line(address_of(*object, "first") + 4).has_value(), known) << files;
  }
}

} // namespace
} // namespace crosslane::codeobject::test
