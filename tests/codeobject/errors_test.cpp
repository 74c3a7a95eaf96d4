// Damaged and foreign files: each gives one message that says what, where and what to do.
#include "tests/codeobject/tools.h"
#include <cstring>

namespace crosslane::codeobject::test {
namespace {

std::vector<uint8_t> text(std::string_view content) { return {content.begin(), content.end()}; }

void expect_error(const std::vector<uint8_t>& bytes, const std::string& part) {
  std::string error = read_error(bytes);
  EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\ngot: " << error;
  EXPECT_TRUE(error.empty() || error.starts_with("test.co: ")) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

TEST(Errors, ForeignFiles) {
  expect_error({}, "the file is empty");
  expect_error(text("\x7f"
                    "EL"),
               "not an ELF file");
  expect_error(text("  .text\n  s_endpgm\n"), "this is text, not a code object; assemble or compile it first");
  expect_error(text("BC\xc0\xde then more"), "this is LLVM bitcode");
  expect_error(text("!<arch>\nfoo"), "this is an ar archive");
  expect_error(text("__CLANG_OFFLOAD_BUNDLE__"), "this is a clang offload bundle");
  expect_error(text("\x93NUMPY\x01"), "this is a NumPy array");
  expect_error(std::vector<uint8_t>(100, 0x80), "not an ELF file");
  expect_error(bytes_of_file("/proc/self/exe"), "this is an x86-64 object");
  expect_error(input_bytes("bare.o"), "not linked yet; link it: ld.lld-19 -shared");
}

TEST(Errors, MissingFile) {
  auto object = CodeObject::read_file("/nonexistent/kernel.co");
  ASSERT_FALSE(static_cast<bool>(object));
  EXPECT_EQ(llvm::toString(object.takeError()),
            "/nonexistent/kernel.co: cannot open the file: No such file or directory");
  auto folder = CodeObject::read_file("/tmp");
  ASSERT_FALSE(static_cast<bool>(folder));
  EXPECT_EQ(llvm::toString(folder.takeError()), "/tmp: cannot read the file: Is a directory");
}

class Damaged : public testing::Test {
protected:
  std::vector<uint8_t> good = input_bytes("globals.co");
  template <class T> void expect_patched(uint64_t offset, T value, const std::string& part) {
    auto bytes = good;
    patch<T>(bytes, offset, value);
    expect_error(bytes, part);
  }
  template <class T> T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, &good[offset], sizeof value);
    return value;
  }
  uint64_t program_header(uint32_t type, int which = 0) const {
    for (uint64_t i = 0, offset = at<uint64_t>(32); i < at<uint16_t>(56); ++i, offset += 56)
      if (at<uint32_t>(offset) == type && which-- == 0)
        return offset;
    return 0;
  }
};

TEST_F(Damaged, Header) {
  expect_patched<uint8_t>(4, 1, "32-bit object");
  expect_patched<uint8_t>(5, 2, "not little-endian");
  expect_patched<uint16_t>(18, 183, "this is an AArch64 object; an AMDGPU code object was expected");
  expect_patched<uint16_t>(18, 4711, "this is a foreign (ELF machine 4711) object");
  expect_patched<uint8_t>(7, 0, "the OS ABI is 0");
  expect_patched<uint8_t>(7, 65, "for the PAL runtime");
  expect_patched<uint8_t>(7, 66, "for Mesa");
  expect_patched<uint8_t>(8, 9, "unknown ABI version 9");
  expect_patched<uint16_t>(16, 2, "the file type is 2");
  expect_patched<uint32_t>(48, 0x1f0, "unknown processor number 0xf0");
  expect_patched<uint32_t>(48, 0x10, "R600 family");
  expect_patched<uint32_t>(48, 0, "no processor is named");
  expect_patched<uint64_t>(32, 1 << 30, "program headers: ");
  expect_patched<uint16_t>(56, 0, "no PT_LOAD segment");
  expect_patched<uint64_t>(40, UINT64_MAX - 64, "section headers: ");
  expect_error({good.begin(), good.begin() + 40}, "the file ends after 40 of 64 bytes");
}

TEST_F(Damaged, Segments) {
  uint64_t load = program_header(1, 1);
  ASSERT_NE(load, 0u);
  expect_patched<uint64_t>(load + 8, 1 << 30, "reaches past the end of the file");
  expect_patched<uint64_t>(load + 8, UINT64_MAX, "reaches past the end of the file");
  expect_patched<uint64_t>(load + 32, UINT64_MAX, "reaches past the end of the file");
  expect_patched<uint64_t>(load + 40, 1, "bytes of the file but only 1 of memory");
  expect_patched<uint64_t>(load + 40, uint64_t{1} << 40, "larger than 4 GiB");
  expect_patched<uint64_t>(load + 16, uint64_t{1} << 50, "larger than 4 GiB");
  expect_patched<uint64_t>(load + 16, UINT64_MAX - 8, "larger than 4 GiB");
  expect_patched<uint64_t>(load + 16, 16, "overlap");
  expect_patched<uint64_t>(load + 48, 3, "alignment 3");
  expect_patched<uint64_t>(load + 48, uint64_t{1} << 60, "alignment ");
  expect_patched<uint64_t>(program_header(4) + 8, 1 << 30, "the notes at file offset 0x40000000");
  expect_patched<uint64_t>(program_header(2) + 16, 1 << 30, "dynamic section at 0x40000000");
  for (size_t size = 64; size < good.size(); size += 61) {
    std::string error = read_error({good.begin(), good.begin() + static_cast<long>(size)});
    EXPECT_FALSE(error.empty()) << size;
    EXPECT_NE(error.find(';'), std::string::npos) << error;
  }
}

TEST_F(Damaged, SymbolsAndDescriptors) {
  auto object = read_bytes_ok(good);
  uint64_t symbols = 0; // of .symtab, found by the record of sum.kd
  uint64_t descriptor = object->find_symbol("sum.kd")->address;
  for (uint64_t offset = at<uint64_t>(40), i = 0; i < at<uint16_t>(60); ++i, offset += 64)
    if (at<uint32_t>(offset + 4) == 2)
      symbols = at<uint64_t>(offset + 24);
  uint64_t record = 0;
  for (uint64_t offset = symbols; !record && offset + 24 <= good.size(); offset += 24)
    if (at<uint64_t>(offset + 8) == descriptor && at<uint64_t>(offset + 16) == 64)
      record = offset;
  ASSERT_NE(record, 0u);
  expect_patched<uint64_t>(record + 8, uint64_t{1} << 40,
                           "symbol 'sum.kd' at 0x10000000000, 64 bytes: outside of the image");
  expect_patched<uint64_t>(record + 16, UINT64_MAX, "outside of the image");
  // GCC's linker script leaves symbols of size 0 in sections that are empty, behind the image.
  uint64_t other = 0;
  for (uint64_t offset = symbols; !other && offset + 24 <= good.size(); offset += 24)
    if (at<uint64_t>(offset + 8) == object->find_symbol("cleared")->address && good[offset + 4] == 0x11)
      other = offset;
  ASSERT_NE(other, 0u);
  auto marked = good;
  patch<uint64_t>(marked, other + 8, uint64_t{1} << 40);
  EXPECT_NE(read_error(marked), "");
  patch<uint64_t>(marked, other + 16, 0);
  EXPECT_EQ(read_error(marked), "");
  expect_patched<uint64_t>(record + 8, object->find_symbol("cleared")->address,
                           "its 64 bytes are not in any loaded segment");
  expect_patched<uint32_t>(record, 0x7ffffff, "symbol ");
  expect_patched<uint16_t>(record + 6, 0, "the metadata names its descriptor 'sum.kd', but there is no such symbol");
  // The first segment lies at file offset 0, so that the descriptor's address is its offset.
  expect_patched<uint64_t>(descriptor + 16, uint64_t{1} << 40, "is not in an executable segment");
  expect_patched<uint64_t>(descriptor + 16, 0, "is not in an executable segment");
  expect_patched<uint64_t>(descriptor + 16, at<uint64_t>(descriptor + 16) + 4, "not aligned to 256 bytes");
}

// MessagePack of our own in the place of the note's.
class BadMetadata : public Damaged {
protected:
  void expect(const std::string& blob, const std::string& part) {
    auto bytes = good;
    uint64_t note = at<uint64_t>(program_header(4) + 8);
    uint32_t size = at<uint32_t>(note + 4);
    ASSERT_LE(blob.size(), size);
    patch<uint32_t>(bytes, note + 4, static_cast<uint32_t>(blob.size()));
    std::copy(blob.begin(), blob.end(), bytes.begin() + static_cast<long>(note) + 20);
    patch<uint64_t>(bytes, program_header(4) + 32, 20 + (blob.size() + 3) / 4 * 4);
    expect_error(bytes, part);
  }
  static std::string str(const std::string& text) {
    return std::string(1, static_cast<char>(0xa0 + text.size())) + text;
  }
  static std::string map(int pairs) { return std::string(1, static_cast<char>(0x80 + pairs)); }
  static std::string array(int size) { return std::string(1, static_cast<char>(0x90 + size)); }
};

TEST_F(BadMetadata, Shapes) {
  std::string kernels = map(1) + str("amdhsa.kernels");
  expect("\xc1", "metadata note, top level: not MessagePack");
  expect(array(1), "a map was expected");
  expect(map(2), "ends too early");
  expect(map(1) + str("amdhsa.printf"), "metadata note, amdhsa.printf: ends too early");
  expect(map(1) + "\x05", "a map key that is not a string");
  expect(kernels + map(0), "metadata note, amdhsa.kernels: an array was expected");
  expect(kernels + array(1) + array(0), "amdhsa.kernels[0]: a map was expected");
  expect(kernels + array(1) + map(0), "a kernel without .name or .symbol");
  expect(kernels + "\xdd\xff\xff\xff\xff", "amdhsa.kernels[0]: ends too early");
  expect(kernels + array(1) + map(1) + str(".args") + array(1) + map(0), "without .value_kind, .offset or .size");
  expect(kernels + array(1) + map(1) + str(".sgpr_count") + str("many"),
         "amdhsa.kernels[0].sgpr_count: an unsigned number");
  expect(kernels + array(1) + map(1) + str(".sgpr_count") + "\xff", "an unsigned number was expected");
  expect(kernels + array(1) + map(1) + str(".vgpr_count") + "\xcf" + std::string(8, '\x7f'), "does not fit 32 bits");
  expect(kernels + array(1) + map(1) + str(".name") + "\xc3", "a string was expected");
  expect(kernels + array(1) + map(1) + str(".uses_dynamic_stack") + "\x02", "a boolean was expected");
  expect(kernels + array(1) + map(1) + str(".reqd_workgroup_size") + array(2) + "\x01\x01",
         "three numbers were expected, 2 found");
  expect(kernels + array(1) + map(1) + str(".reqd_workgroup_size") + array(4) + "\x01\x01\x01\x01",
         "more than three numbers");
  expect(kernels + array(1) + map(3) + str(".name") + str("k") + str(".symbol") + str("k.kd") + str(".wavefront_size") +
             "\x10",
         "kernel 'k' has a wavefront size of 16");
  expect(kernels + array(1) + map(2) + str(".name") + str("k") + str(".symbol") + str("k.kd"),
         "there is no such symbol");
  std::string argument =
      map(3) + str(".value_kind") + str("by_value") + str(".offset") + "\x08" + str(".size") + "\x08";
  expect(kernels + array(1) + map(4) + str(".name") + str("k") + str(".symbol") + str("k.kd") + str(".args") +
             array(1) + argument + str(".kernarg_segment_size") + "\x0c",
         "takes bytes 8 to 16 of a kernarg segment of 12");
  std::string sum = map(2) + str(".name") + str("sum") + str(".symbol") + str("sum.kd");
  expect(kernels + array(2) + sum + sum, "'sum.kd' belongs to two kernels");
}

// Nesting as deep as the note allows is skipped, not recursed into.
TEST_F(BadMetadata, DeepNesting) {
  expect(map(1) + str("x") + std::string(600, '\x91'), "metadata note, x: ends too early");
  expect(map(1) + str("x") + "\xdf\xff\xff\xff\xff", "metadata note, x: ends too early");
}

TEST_F(BadMetadata, NoteHeader) {
  uint64_t note = at<uint64_t>(program_header(4) + 8);
  expect_patched<uint32_t>(note, UINT32_MAX, "note at file offset 0x");
  expect_patched<uint32_t>(note + 4, UINT32_MAX, "note at file offset 0x");
}

// Text out of the file cannot disturb a terminal.
TEST_F(BadMetadata, ControlCharactersAreEscaped) {
  expect(map(1) + str("amdhsa.kernels") + array(1) + map(2) + str(".name") + str("\x1b[31m") + str(".symbol") +
             str("a\nb"),
         "kernel '\\x1b[31m': the metadata names its descriptor 'a\\x0ab'");
}

} // namespace
} // namespace crosslane::codeobject::test
