// Loading: bytes in place, the rest zero, and every relocation that can occur, checked by what the program would see.
#include "tests/codeobject/tools.h"
#include <cstring>
#include <llvm/BinaryFormat/ELF.h>
#include <map>
#include <random>

namespace crosslane::codeobject::test {
namespace {

uint64_t loaded(const AlignedMemory& memory, const CodeObject& object, const char* symbol) {
  return reinterpret_cast<uint64_t>(memory.at(object.find_symbol(symbol)->address));
}

void check_globals(const std::string& name) {
  SCOPED_TRACE(name);
  auto object = read_input(name);
  AlignedMemory memory(*object);
  ASSERT_EQ(error_of(object->load(memory.bytes())), "");
  auto address = [&](const char* symbol) { return object->find_symbol(symbol)->address; };
  uint32_t value;
  std::memcpy(&value, memory.at(address("counter")), 4);
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(memory.word(address("pointer")), loaded(memory, *object, "counter"));
  EXPECT_EQ(memory.word(address("pointers")), loaded(memory, *object, "table"));
  EXPECT_EQ(memory.word(address("pointers") + 8), loaded(memory, *object, "table") + 8);
  EXPECT_EQ(memory.word(address("pointers") + 16), loaded(memory, *object, "counter"));
  EXPECT_STREQ(reinterpret_cast<const char*>(memory.word(address("text"))), "crosslane");
  for (int i = 0; i < 5000 * 4; ++i)
    ASSERT_EQ(memory.at(address("cleared"))[i], 0) << i;
  float coefficients[3];
  std::memcpy(coefficients, memory.at(address("coefficients")), sizeof coefficients);
  EXPECT_EQ(coefficients[1], 2.5f);
  double aligned;
  std::memcpy(&aligned, memory.at(address("aligned")), 8);
  EXPECT_EQ(aligned, 0.25);
  EXPECT_EQ(loaded(memory, *object, "aligned") % 16384, 0u);
  EXPECT_GE(object->image_alignment(), 16384u);
}

TEST(Load, InitialisedPointersPointIntoTheImage) {
  check_globals("globals.co");
  check_globals("globals-stripped.co");
  check_globals("globals-sectionless.co");
}

TEST(Load, PackedRelativeRelocations) { check_globals("globals-relr.co"); }

// Outside of relocated words, memory is the file's segments and zero.
TEST(Load, CopiesAndZeroes) {
  for (const std::string& name : {"arguments-gfx906-v5.co", "arguments-gfx803-v4.co"}) {
    auto object = read_input(name);
    std::vector<uint8_t> expected(object->image_size());
    for (const Segment& segment : object->segments())
      std::copy(segment.bytes.begin(), segment.bytes.end(),
                expected.begin() + (segment.address - object->image_begin()));
    AlignedMemory memory(*object);
    ASSERT_EQ(error_of(object->load(memory.bytes())), "");
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory.data.get()));
  }
}

std::optional<uint64_t> resolve(void* context, std::string_view name) {
  auto& table = *static_cast<std::map<std::string, uint64_t, std::less<>>*>(context);
  auto found = table.find(name);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

TEST(Load, SymbolicReferences) {
  for (const std::string& name : {"bare.co", "bare-emit-relocs.co"}) {
    SCOPED_TRACE(name);
    auto object = read_input(name);
    AlignedMemory memory(*object);
    std::map<std::string, uint64_t, std::less<>> table = {{"external", 0x123456789abc0000}};
    ASSERT_EQ(error_of(object->load(memory.bytes(), resolve, &table)), "");
    uint64_t at = object->find_symbol("references")->address;
    EXPECT_EQ(memory.word(at), loaded(memory, *object, "preemptible") + 4);
    EXPECT_EQ(memory.word(at + 8), 0x123456789abc0010u);
    EXPECT_EQ(memory.word(at + 16), 0u); // weak
    EXPECT_EQ(memory.word(at + 24), loaded(memory, *object, "local"));
    EXPECT_EQ(memory.word(at + 32), 0xdeadbeefdeadbeefu);
    EXPECT_EQ(memory.word(object->find_symbol("preemptible")->address), 0x1122334455667788u);
    table["maybe"] = 42;
    ASSERT_EQ(error_of(object->load(memory.bytes(), resolve, &table)), "");
    EXPECT_EQ(memory.word(at + 16), 42u);
  }
}

TEST(Load, AnUndefinedSymbolIsNamed) {
  auto object = read_input("bare.co");
  AlignedMemory memory(*object);
  std::string error = error_of(object->load(memory.bytes()));
  EXPECT_NE(error.find("undefined symbol 'external'"), std::string::npos) << error;
  EXPECT_NE(error.find("bare.co: "), std::string::npos) << error;
}

TEST(Load, RefusesMemoryThatDoesNotFit) {
  auto object = read_input("globals.co");
  AlignedMemory memory(*object);
  EXPECT_NE(error_of(object->load(memory.bytes().first(100))).find("100 bytes of memory"), std::string::npos);
  std::vector<uint8_t> odd(object->image_size() + 2 * object->image_alignment());
  size_t shift = object->image_alignment() - reinterpret_cast<uintptr_t>(odd.data()) % object->image_alignment() + 256;
  EXPECT_NE(error_of(object->load(std::span(odd).subspan(shift))).find("not aligned"), std::string::npos);
}

// lld leaves only RELATIVE64 and ABS64 in what it links; the other types are put in their place by hand.
class Retyped : public testing::Test {
protected:
  void SetUp() override {
    bytes = input_bytes("bare.co");
    auto object = read_bytes_ok(bytes);
    for (const Section& section : object->sections())
      if (section.name == ".rela.dyn")
        for (size_t at = 0; at < section.size; at += 24)
          if (uint64_t place = word(section.address + at); place == object->find_symbol("references")->address)
            record = section.address + at; // the first segment starts at file offset 0
    ASSERT_NE(record, 0u);
    place = word(record);
    preemptible = object->find_symbol("preemptible")->address;
  }
  uint64_t word(uint64_t offset) const {
    uint64_t value;
    std::memcpy(&value, &bytes[offset], 8);
    return value;
  }
  // Loads with the record's type and addend replaced; gives the first 64 bits at its place, or the error.
  std::pair<uint64_t, std::string> load(uint32_t type, uint64_t addend) {
    patch<uint32_t>(bytes, record + 8, type);
    patch<uint64_t>(bytes, record + 16, addend);
    auto object = read_bytes_ok(bytes);
    AlignedMemory memory(*object);
    std::map<std::string, uint64_t, std::less<>> table = {{"external", 0}};
    std::string error = error_of(object->load(memory.bytes(), resolve, &table));
    base = reinterpret_cast<uint64_t>(memory.data.get());
    return {memory.word(place), error};
  }
  std::vector<uint8_t> bytes;
  uint64_t record = 0, place = 0, preemptible = 0, base = 0;
};

TEST_F(Retyped, EveryTypeThatALoaderCanApply) {
  using namespace llvm::ELF;
  auto value = [&](uint32_t type, uint64_t addend) {
    auto [got, error] = load(type, addend);
    EXPECT_EQ(error, "");
    return got;
  };
  auto low = [](uint64_t v) { return v & 0xffffffff; };
  uint64_t got = value(R_AMDGPU_ABS64, 8);
  EXPECT_EQ(got, base + preemptible + 8);
  got = value(R_AMDGPU_ABS32_LO, 8);
  EXPECT_EQ(low(got), low(base + preemptible + 8));
  got = value(R_AMDGPU_ABS32_HI, 8);
  EXPECT_EQ(low(got), (base + preemptible + 8) >> 32);
  got = value(R_AMDGPU_REL32, 8);
  EXPECT_EQ(low(got), low(preemptible + 8 - place));
  got = value(R_AMDGPU_REL64, 8);
  EXPECT_EQ(got, preemptible + 8 - place);
  got = value(R_AMDGPU_REL32_LO, 8);
  EXPECT_EQ(low(got), low(preemptible + 8 - place));
  got = value(R_AMDGPU_REL32_HI, 0x500000000);
  EXPECT_EQ(low(got), low((preemptible + 0x500000000 - place) >> 32));
  got = value(R_AMDGPU_RELATIVE64, 0x30);
  EXPECT_EQ(got, base + 0x30);
  load(R_AMDGPU_NONE, 0);
  got = value(R_AMDGPU_NONE, 8);
  EXPECT_EQ(got, 0u);
}

TEST_F(Retyped, OthersAreNamedErrors) {
  using namespace llvm::ELF;
  auto error = [&](uint32_t type, uint64_t addend) { return load(type, addend).second; };
  EXPECT_NE(error(R_AMDGPU_ABS32, 0).find("R_AMDGPU_ABS32 at 0x"), std::string::npos); // host addresses have 47 bits
  EXPECT_NE(error(R_AMDGPU_REL32, uint64_t{1} << 40).find("32 bits cannot hold"), std::string::npos);
  EXPECT_NE(error(R_AMDGPU_GOTPCREL, 0).find("R_AMDGPU_GOTPCREL"), std::string::npos);
  EXPECT_NE(error(R_AMDGPU_GOTPCREL32_LO, 0).find("linker"), std::string::npos);
  EXPECT_NE(error(200, 0).find("unknown type 200"), std::string::npos);
  patch<uint64_t>(bytes, record, 0x7000000);
  EXPECT_NE(error(R_AMDGPU_ABS64, 0).find("outside of every loaded segment"), std::string::npos);
  patch<uint64_t>(bytes, record, UINT64_MAX - 3);
  EXPECT_NE(error(R_AMDGPU_RELATIVE64, 0).find("outside of every loaded segment"), std::string::npos);
  patch<uint64_t>(bytes, record, place);
  patch<uint32_t>(bytes, record + 12, 0x7fffffff);
  EXPECT_NE(error(R_AMDGPU_ABS64, 0).find("dynamic symbol 2147483647"), std::string::npos);
}

// A symbol of an absolute value stays where it is; ABS32 of one can be applied.
TEST_F(Retyped, AbsoluteSymbols) {
  using namespace llvm::ELF;
  auto object = read_bytes_ok(bytes);
  uint64_t table = 0, number = word(record + 8) >> 32;
  for (const Section& section : object->sections())
    if (section.name == ".dynsym")
      table = section.address;
  patch<uint16_t>(bytes, table + number * 24 + 6, SHN_ABS);
  patch<uint64_t>(bytes, table + number * 24 + 8, 0x1000);
  EXPECT_EQ(load(R_AMDGPU_ABS64, 4).first, 0x1004u);
  auto [value, error] = load(R_AMDGPU_ABS32, 4);
  EXPECT_EQ(error, "");
  EXPECT_EQ(value & 0xffffffff, 0x1004u);
  patch<uint16_t>(bytes, table + number * 24 + 6, SHN_AMDGPU_LDS);
  EXPECT_NE(load(R_AMDGPU_ABS64, 0).second.find("LDS symbol 'preemptible'"), std::string::npos);
}

} // namespace
} // namespace crosslane::codeobject::test
