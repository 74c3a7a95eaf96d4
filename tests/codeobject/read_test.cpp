// Symbols, sections, segments and identity, against llvm-readelf and llvm-objdump.
#include "tests/codeobject/tools.h"
#include <algorithm>
#include <chrono>
#include <set>

namespace crosslane::codeobject::test {
namespace {

class EveryInput : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Inputs, EveryInput, testing::ValuesIn(all_inputs()), [](const auto& info) {
  std::string name = info.param.substr(0, info.param.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(EveryInput, SymbolsAsReadelfLists) {
  auto object = read_input(GetParam());
  using Row = std::tuple<std::string, uint64_t, uint64_t, bool, bool>; // name, address, size, defined, global
  std::multiset<Row> expected, got;
  bool stripped = GetParam() == "globals-stripped.co";
  bool in_table = false;
  for (const std::string& line : lines_of(run(std::string(READELF) + " -sW " + input_path(GetParam())))) {
    if (line.starts_with("Symbol table"))
      in_table = line.find(stripped ? "'.dynsym'" : "'.symtab'") != std::string::npos;
    auto word = words_of(line); // Num: Value Size Type Bind Vis Ndx Name
    if (in_table && word.size() == 8 && word[0].ends_with(':') && word[3] != "SECTION" && word[3] != "FILE" &&
        word[0] != "Num:")
      expected.insert({word[7], std::stoull(word[1], nullptr, 16), std::stoull(word[2], nullptr, 0), word[6] != "UND",
                       word[4] != "LOCAL"});
  }
  for (const Symbol& symbol : object->symbols())
    got.insert({symbol.name, symbol.address, symbol.size, symbol.defined, symbol.global});
  EXPECT_EQ(got, expected);
  EXPECT_FALSE(expected.empty());
  EXPECT_TRUE(std::is_sorted(object->symbols().begin(), object->symbols().end(),
                             [](const Symbol& a, const Symbol& b) { return a.address < b.address; }));
}

TEST_P(EveryInput, SectionsAndSegmentsAsReadelfLists) {
  auto object = read_input(GetParam());
  std::vector<Section> expected;
  for (std::string line : lines_of(run(std::string(READELF) + " -SW " + input_path(GetParam())))) {
    size_t bracket = line.find(']');
    if (bracket == std::string::npos || line.find('[') > 3)
      continue;
    auto word = words_of(line.substr(bracket + 1)); // Name Type Address Off Size ES Flg ...
    if (word.size() < 10 || word[6].find('A') == std::string::npos)
      continue;
    expected.push_back({word[0],
                        std::stoull(word[2], nullptr, 16),
                        std::stoull(word[4], nullptr, 16),
                        word[6].find('X') != std::string::npos,
                        word[6].find('W') != std::string::npos,
                        {}});
  }
  ASSERT_EQ(object->sections().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Section& section = object->sections()[i];
    EXPECT_EQ(section.name, expected[i].name);
    EXPECT_EQ(section.address, expected[i].address);
    EXPECT_EQ(section.size, expected[i].size);
    EXPECT_EQ(section.executable, expected[i].executable);
    EXPECT_EQ(section.writable, expected[i].writable);
    EXPECT_EQ(section.bytes.size(), section.name == ".bss" || section.name == ".relro_padding" ? 0 : section.size);
  }

  uint64_t lowest = UINT64_MAX, highest = 0;
  size_t count = 0;
  for (const std::string& line : lines_of(run(std::string(READELF) + " -lW " + input_path(GetParam())))) {
    auto word = words_of(line); // LOAD Offset VirtAddr PhysAddr FileSiz MemSiz Flg Align
    if (word.empty() || word[0] != "LOAD")
      continue;
    ASSERT_LT(count, object->segments().size());
    const Segment& segment = object->segments()[count++];
    uint64_t address = std::stoull(word[2], nullptr, 16), size = std::stoull(word[5], nullptr, 16);
    EXPECT_EQ(segment.address, address);
    EXPECT_EQ(segment.size, size);
    EXPECT_EQ(segment.bytes.size(), std::stoull(word[4], nullptr, 16));
    EXPECT_EQ(segment.executable, line.find(" E ") != std::string::npos);
    EXPECT_EQ(segment.writable, line.find("RW") != std::string::npos);
    lowest = std::min(lowest, address);
    highest = std::max(highest, address + size);
  }
  EXPECT_EQ(count, object->segments().size());
  EXPECT_EQ(object->image_begin(), lowest);
  EXPECT_EQ(object->image_begin() + object->image_size(), highest);
}

TEST(Read, IdentityOfEveryVersion) {
  auto identity = [](const std::string& name) {
    auto object = read_input(name);
    return std::pair(object->target_id(), object->version());
  };
  EXPECT_EQ(identity("arguments-gfx803-v4.co"), std::pair(std::string("gfx803"), 4));
  EXPECT_EQ(identity("arguments-gfx900-v5.co"), std::pair(std::string("gfx900"), 5));
  EXPECT_EQ(identity("arguments-gfx906-v4.co"), std::pair(std::string("gfx906"), 4));
  EXPECT_EQ(identity("arguments-xnack.co"), std::pair(std::string("gfx906:sramecc-:xnack+"), 4 + 1));
  EXPECT_EQ(identity("arguments-v6.co"), std::pair(std::string("gfx906"), 6));
  EXPECT_EQ(identity("bare.co").first, "gfx900:xnack+");
  auto v3 = read_bytes_ok(hex_input("version3.hex"));
  EXPECT_EQ(v3->version(), 3);
  EXPECT_EQ(v3->target_id(), "gfx906:sramecc+:xnack+");
  EXPECT_EQ(v3->processor(), "gfx906");
  ASSERT_EQ(v3->kernels().size(), 1u);
  EXPECT_EQ(v3->kernels()[0].name, "version3");
  EXPECT_EQ(v3->kernels()[0].arguments.size(), 2u);
  EXPECT_EQ(v3->kernels()[0].kernarg_segment_size, 12u);
}

// Its source, with what the directives ask for, stands in inputs/version2.hex.
void check_version2(const CodeObject& object) {
  EXPECT_EQ(object.version(), 2);
  EXPECT_EQ(object.processor(), "gfx906");
  ASSERT_EQ(object.kernels().size(), 1u);
  const Kernel& kernel = object.kernels()[0];
  EXPECT_EQ(kernel.name, "store");
  EXPECT_EQ(kernel.symbol, "store");
  EXPECT_EQ(object.find_symbol("store")->kind, Symbol::Kind::kernel_descriptor);
  EXPECT_EQ(kernel.entry, kernel.descriptor_address + 256);
  EXPECT_EQ(kernel.code_size, 40u);
  EXPECT_EQ(kernel.kernarg_segment_size, 12u);
  EXPECT_EQ(kernel.group_segment_fixed_size, 128u);
  EXPECT_EQ(kernel.private_segment_fixed_size, 16u);
  EXPECT_EQ(kernel.allocated_vgpr_count, 8u);
  EXPECT_EQ(kernel.allocated_sgpr_count, 16u);
  EXPECT_EQ(kernel.descriptor.user_sgpr_count(), 2u);
  EXPECT_TRUE(kernel.descriptor.enable_sgpr_kernarg_segment_ptr());
  EXPECT_FALSE(kernel.descriptor.enable_sgpr_dispatch_ptr());
  EXPECT_TRUE(kernel.descriptor.enable_sgpr_workgroup_id_x());
  EXPECT_FALSE(kernel.descriptor.enable_sgpr_workgroup_id_y());
  EXPECT_EQ(kernel.descriptor.float_denorm_mode_32(), 3u);
  ASSERT_EQ(object.functions().size(), 1u);
  EXPECT_EQ(object.functions()[0].begin, kernel.entry);
  EXPECT_TRUE(object.functions()[0].kernel);
}

TEST(Read, Version2) {
  std::vector<uint8_t> bytes = hex_input("version2.hex");
  check_version2(*read_bytes_ok(bytes));
  EXPECT_EQ(read_bytes_ok(bytes)->target_id(), "gfx906:sramecc-:xnack-");
  patch<uint32_t>(bytes, 48, 0); // as older tools wrote it: the processor in a note alone
  check_version2(*read_bytes_ok(bytes));
}

TEST(Read, DamagedVersion2) {
  const std::vector<uint8_t> good = hex_input("version2.hex");
  auto object = read_bytes_ok(good);
  auto bytes = good;
  const uint64_t code = static_cast<uint64_t>(object->segments()[1].bytes.data() - object->segments()[0].bytes.data());
  ASSERT_EQ(object->segments()[1].address, object->kernels()[0].descriptor_address);
  patch<uint32_t>(bytes, code, 2);
  EXPECT_NE(read_error(bytes).find("version 2 and machine kind 1 instead of 1 and 1"), std::string::npos)
      << read_error(bytes);
  bytes = good;
  patch<uint32_t>(bytes, code + 56, 1 << 7);
  EXPECT_NE(read_error(bytes).find("asks for SGPRs with the grid's workgroup counts"), std::string::npos);
  bytes = good;
  patch<uint64_t>(bytes, code + 16, uint64_t{1} << 40);
  EXPECT_NE(read_error(bytes).find("is not in an executable segment"), std::string::npos);
  bytes = good;
  patch<uint32_t>(bytes, 48, 0);
  for (size_t i = 0; i + 4 < bytes.size(); ++i) // the note with the ISA: 9.0.6 becomes 9.0.99
    if (bytes[i] == 9 && bytes[i + 4] == 0 && bytes[i + 8] == 6 && !bytes[i + 1] && !bytes[i + 9]) {
      patch<uint32_t>(bytes, i + 8, 99);
      break;
    }
  EXPECT_NE(read_error(bytes).find("names no known processor"), std::string::npos) << read_error(bytes);
}

// What readelf -h calls each processor, with e_flags patched in: the whole table of numbers at once.
TEST(Read, EveryProcessorNumberHasReadelfsName) {
  std::vector<uint8_t> bytes = input_bytes("bare.co");
  std::string base = temporary("flags-"), files;
  std::vector<std::string> ours;
  for (unsigned number = 0; number < 256; ++number) {
    patch<uint32_t>(bytes, 48, number);
    auto object = CodeObject::read(bytes, "test.co");
    ours.push_back(object ? (*object)->processor() : "");
    if (!object)
      llvm::consumeError(object.takeError());
    std::string path = base + std::to_string(number);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    ASSERT_TRUE(file);
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
    files += " " + path;
  }
  std::vector<std::string> theirs;
  for (const std::string& line : lines_of(run(std::string(READELF) + " -h" + files + "; true")))
    if (line.find("Flags:") != std::string::npos) {
      size_t name = line.find("gfx");
      theirs.push_back(name == std::string::npos ? "" : line.substr(name));
    }
  run("rm -f" + files);
  ASSERT_EQ(theirs.size(), ours.size());
  for (size_t i = 0; i < ours.size(); ++i)
    EXPECT_EQ(ours[i], theirs[i]) << i;
}

TEST(Read, FunctionsCoverTheCode) {
  auto bare = read_input("bare.co");
  auto functions = bare->functions();
  ASSERT_EQ(functions.size(), 3u);
  EXPECT_EQ(functions[0].name, "first");
  EXPECT_EQ(functions[0].end - functions[0].begin, 8u);
  EXPECT_TRUE(functions[0].kernel);
  EXPECT_EQ(functions[1].name, "second");
  EXPECT_EQ(functions[1].begin, functions[0].begin + 256);
  EXPECT_EQ(functions[1].end, functions[2].begin);
  EXPECT_TRUE(functions[1].kernel);
  EXPECT_EQ(functions[2].name, "helper");
  EXPECT_FALSE(functions[2].kernel);
  EXPECT_EQ(functions[2].end - functions[2].begin, 4u);

  auto compiled = read_input("arguments-gfx906-v5.co");
  size_t kernels = 0;
  for (const Function& function : compiled->functions()) {
    EXPECT_EQ(function.end - function.begin, compiled->find_symbol(function.name)->size);
    kernels += function.kernel;
  }
  EXPECT_EQ(kernels, compiled->kernels().size());
  EXPECT_GT(compiled->functions().size(), kernels); // the helper that was not inlined
}

TEST(Read, SymbolAtAnAddress) {
  auto bare = read_input("bare.co");
  uint64_t first = bare->find_kernel("first")->entry, second = bare->find_kernel("second")->entry;
  EXPECT_EQ(bare->symbol_at(first)->name, "first");
  EXPECT_EQ(bare->symbol_at(first + 7)->name, "first"); // not the label inside of it
  EXPECT_EQ(bare->symbol_at(first + 8), nullptr);       // padding behind a sized symbol belongs to none
  EXPECT_EQ(bare->symbol_at(second)->name, "second");
  EXPECT_EQ(bare->symbol_at(second + 4)->name, "helper");
  EXPECT_EQ(bare->symbol_at(0), nullptr);
  EXPECT_EQ(bare->symbol_at(UINT64_MAX), nullptr);
  const Symbol* references = bare->find_symbol("references");
  ASSERT_TRUE(references);
  EXPECT_EQ(bare->symbol_at(references->address + 39)->name, "references");
  EXPECT_EQ(bare->symbol_at(references->address + 40)->name, "local");
  EXPECT_EQ(bare->find_symbol("absent"), nullptr);
}

TEST(Read, SymbolKinds) {
  auto globals = read_input("globals.co");
  EXPECT_EQ(globals->find_symbol("sum")->kind, Symbol::Kind::function);
  EXPECT_EQ(globals->find_symbol("sum.kd")->kind, Symbol::Kind::kernel_descriptor);
  EXPECT_EQ(globals->find_symbol("pointers")->kind, Symbol::Kind::object);
  auto bare = read_input("bare.co");
  EXPECT_FALSE(bare->find_symbol("external")->defined);
  EXPECT_TRUE(bare->find_symbol("maybe")->weak);
  EXPECT_FALSE(bare->find_symbol("inner_label")->global);
  EXPECT_EQ(bare->bytes_at(bare->find_kernel("first")->entry, 4)[2], 0x80); // s_mov_b32 s0, 1 = 0xbe800081
  EXPECT_TRUE(bare->bytes_at(bare->image_begin() + bare->image_size() - 4, 8).empty());
}

TEST(Read, DemangledNames) {
  auto globals = read_input("globals.co");
  std::vector<std::string> names;
  for (const Kernel& kernel : globals->kernels())
    names.push_back(demangle(kernel.name));
  EXPECT_EQ(names, (std::vector<std::string>{"sum", "void templated<3>(int*)"}));
}

// Section headers are for people: without them the same kernels and exported symbols are there.
TEST(Read, WithoutSectionHeaders) {
  auto whole = read_input("globals-stripped.co"), sectionless = read_input("globals-sectionless.co");
  EXPECT_TRUE(sectionless->sections().empty());
  ASSERT_EQ(sectionless->symbols().size(), whole->symbols().size());
  for (size_t i = 0; i < whole->symbols().size(); ++i) {
    EXPECT_EQ(sectionless->symbols()[i].name, whole->symbols()[i].name);
    EXPECT_EQ(sectionless->symbols()[i].address, whole->symbols()[i].address);
  }
  ASSERT_EQ(sectionless->kernels().size(), whole->kernels().size());
  EXPECT_EQ(sectionless->kernels()[0].entry, whole->kernels()[0].entry);
}

TEST(Read, TakesWellUnderAMillisecond) {
  std::vector<uint8_t> bytes = input_bytes("arguments-gfx906-v5.co");
  auto fastest = std::chrono::nanoseconds::max();
  for (int i = 0; i < 50; ++i) {
    auto start = std::chrono::steady_clock::now();
    auto object = read_bytes_ok(bytes);
    fastest = std::min<std::chrono::nanoseconds>(fastest, std::chrono::steady_clock::now() - start);
  }
  RecordProperty("nanoseconds", static_cast<int>(fastest.count()));
  EXPECT_LT(fastest, std::chrono::milliseconds(1));
}

} // namespace
} // namespace crosslane::codeobject::test
