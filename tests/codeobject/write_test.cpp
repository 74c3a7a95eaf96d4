// Code objects that were written: LLVM's tools and our reader find what was added and all that was there before, and
// strip() gives the input back. All code of an object is copied as it is; only `launch_test` runs it.
#include "codeobject/processor.h"
#include "codeobject/write.h"
#include "tests/codeobject/copied.h"
#include "tests/codeobject/tools.h"
#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <random>

namespace crosslane::codeobject::test {
namespace {
using testing::HasSubstr;

const std::vector<std::string>& inputs() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = all_inputs();
    for (const char* more :
         {"globals-sectionless.co", "two-notes.co", "inlined.co", "inlined-dwarf4.co", "inlined-lines.co", "prints.co",
          "ranges-4.co", "ranges-5.co", "version2", "version2-metadata", "version3"})
      all.emplace_back(more);
    return all;
  }();
  return names;
}

std::vector<uint8_t> bytes_of(const std::string& name) {
  return name.starts_with("version") ? hex_input(name + ".hex") : input_bytes(name);
}

std::vector<uint8_t> written(const CodeObject& object, const Additions& additions) {
  auto bytes = write(object, additions);
  if (!bytes)
    throw std::runtime_error(llvm::toString(bytes.takeError()));
  return std::move(*bytes);
}

std::string write_error(const CodeObject& object, const Additions& additions) {
  auto bytes = write(object, additions);
  return bytes ? "" : llvm::toString(bytes.takeError());
}

std::vector<uint8_t> stripped(const std::vector<uint8_t>& bytes) {
  auto input = strip(bytes);
  if (!input)
    throw std::runtime_error(llvm::toString(input.takeError()));
  return std::move(*input);
}

std::string save(const std::string& name, const std::vector<uint8_t>& bytes) {
  const std::string path = temporary(name);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

class WriteInput : public testing::TestWithParam<std::string> {};

TEST_P(WriteInput, ReadsBackWithWhatWasAdded) {
  const auto before = bytes_of(GetParam());
  const auto object = read_bytes_ok(before);
  Copy copy = copy_of(*object);
  Additions& a = copy.additions;
  a.symbols.push_back({"crosslane_counters", a.data_address, a.data_size, false});
  a.symbols.push_back({"crosslane_code", a.code_address, 4, true});
  const auto bytes = written(*object, a);
  EXPECT_EQ(stripped(bytes), before);
  const auto after = read_bytes_ok(bytes);
  ASSERT_EQ(after->kernels().size(), object->kernels().size());
  for (size_t i = 0; i < object->kernels().size(); ++i) {
    const Kernel &was = object->kernels()[i], &is = after->kernels()[i];
    SCOPED_TRACE(was.name);
    EXPECT_EQ(is.name, was.name);
    EXPECT_EQ(is.descriptor_address, was.descriptor_address);
    EXPECT_EQ(is.entry, copy.address(was.entry));
    EXPECT_EQ(is.code_size, was.code_size);
    EXPECT_EQ(is.sgpr_count, was.sgpr_count);
    EXPECT_EQ(is.vgpr_count, was.vgpr_count);
    EXPECT_EQ(is.allocated_sgpr_count, was.allocated_sgpr_count);
    EXPECT_EQ(is.allocated_vgpr_count, was.allocated_vgpr_count);
    EXPECT_EQ(is.arguments.size(), was.arguments.size());
    EXPECT_EQ(original_address(moved_code(*after), is.entry), was.entry);
  }
  for (const Symbol& symbol : object->symbols()) {
    if (object->find_symbol(symbol.name) != &symbol)
      continue; // version 2: a kernel's descriptor and its code have one name
    const Symbol* const found = after->find_symbol(symbol.name);
    ASSERT_NE(found, nullptr) << symbol.name;
    EXPECT_TRUE(found->address == symbol.address || found->address == copy.address(symbol.address)) << symbol.name;
  }
  const Symbol* const counters = after->find_symbol("crosslane_counters");
  ASSERT_NE(counters, nullptr);
  EXPECT_TRUE(counters->global && counters->defined && !counters->absolute);
  EXPECT_EQ(counters->address, a.data_address);
  EXPECT_EQ(counters->size, a.data_size);
  const auto note = rewrite_note(*after);
  EXPECT_EQ(std::vector<uint8_t>(note.begin(), note.end()), a.note);
  EXPECT_TRUE(rewrite_note(*object).empty());
  const Segment& code = *std::ranges::find(after->segments(), a.code_address, &Segment::address);
  EXPECT_TRUE(code.executable && !code.writable);
  EXPECT_TRUE(std::ranges::equal(code.bytes, a.code));
  const Segment& data = *std::ranges::find(after->segments(), a.data_address, &Segment::address);
  EXPECT_TRUE(data.writable && !data.executable && data.bytes.empty());
  EXPECT_EQ(data.size, a.data_size);
}

// Nothing that LLVM's tools complain of in what was written that they did not complain of before.
TEST_P(WriteInput, IsSoundForLlvm) {
  const auto before = bytes_of(GetParam());
  const auto object = read_bytes_ok(before);
  Copy copy = copy_of(*object);
  copy.additions.symbols.push_back({"crosslane_counters", copy.additions.data_address, 8, false});
  const std::string was = save("before.co", before), is = save("after.co", written(*object, copy.additions));
  const std::string complaints = " 2>&1 >/dev/null; true";
  for (const std::string tool : {READELF " -aW ", OBJDUMP " -d ", DWARFDUMP " --verify --quiet "}) {
    auto text = [&](const std::string& path) {
      std::string all = run("sh -c '" + tool + path + complaints + "'");
      for (size_t at; (at = all.find(path)) != std::string::npos;)
        all.replace(at, path.size(), "FILE");
      return all;
    };
    EXPECT_EQ(text(is), text(was)) << tool;
  }
  const std::string symbols = run(READELF " --dyn-syms -W " + is);
  EXPECT_THAT(symbols, HasSubstr("crosslane_counters"));
  EXPECT_THAT(run(READELF " -n -W " + is), HasSubstr("crosslane"));
}

TEST_P(WriteInput, CanBeWrittenAgain) {
  const auto object = read_bytes_ok(bytes_of(GetParam()));
  Copy first = copy_of(*object);
  first.additions.symbols.push_back({"first", first.additions.data_address, 8, false});
  const auto once = written(*object, first.additions);
  const auto middle = read_bytes_ok(once);
  Copy second = copy_of(*middle);
  second.additions.note = {9};
  second.additions.symbols.push_back({"second", second.additions.data_address, 8, false});
  const auto twice = written(*middle, second.additions);
  const auto after = read_bytes_ok(twice);
  EXPECT_EQ(stripped(twice), once);
  EXPECT_EQ(stripped(stripped(twice)), bytes_of(GetParam()));
  ASSERT_EQ(rewrite_notes(*after).size(), 2u);
  EXPECT_EQ(rewrite_notes(*after)[0].size(), 5u);
  EXPECT_EQ(rewrite_note(*after).size(), 1u);
  const auto moved = moved_code(*after);
  for (size_t i = 0; i < object->kernels().size(); ++i) {
    EXPECT_EQ(after->kernels()[i].entry, second.address(middle->kernels()[i].entry));
    EXPECT_EQ(original_address(moved, after->kernels()[i].entry), object->kernels()[i].entry);
    const auto was = object->source_frames(object->kernels()[i].entry),
               is = after->source_frames(after->kernels()[i].entry);
    ASSERT_EQ(is.size(), was.size());
    for (size_t frame = 0; frame < is.size(); ++frame)
      EXPECT_EQ(is[frame].line, was[frame].line);
  }
  EXPECT_NE(after->find_symbol("first"), nullptr);
  EXPECT_NE(after->find_symbol("second"), nullptr);
}

// The same code in pieces of a few words, with words of no meaning between them and functions in another order.
Copy scattered_copy_of(const CodeObject& object) {
  std::mt19937 random(7);
  Copy copy;
  Additions& a = copy.additions;
  a.code_address = free_address(object);
  std::vector<Function> functions = object.functions();
  std::ranges::reverse(functions);
  const auto words = [&](size_t count) { a.code.insert(a.code.end(), 4 * count, 0xbf); };
  for (const Function& function : functions) {
    a.code.resize((a.code.size() + 255) / 256 * 256, 0xbf);
    const uint64_t start = a.code_address + a.code.size();
    words(random() % 3);
    for (uint64_t at = function.begin; at < function.end;) {
      const uint64_t size = std::min<uint64_t>(function.end - at, 4 + 4 * (random() % 8));
      const auto bytes = object.bytes_at(at, size);
      a.moved.push_back({at, size, a.code_address + a.code.size()});
      a.code.insert(a.code.end(), bytes.begin(), bytes.end());
      words(random() % 4);
      at += size;
    }
    const uint64_t size = a.code_address + a.code.size() - start;
    for (const Kernel& kernel : object.kernels())
      if (kernel.entry == function.begin)
        a.kernels.push_back({.symbol = kernel.symbol, .entry = start, .code_size = size});
    if (!function.kernel && !function.name.starts_with('.'))
      a.symbols.push_back({std::string(function.name), start, size, true});
  }
  return copy;
}

std::string symbolized(const std::string& path, const std::vector<uint64_t>& addresses) {
  std::string text;
  for (const uint64_t address : addresses)
    text += std::to_string(address) + "\n";
  return run(std::string(SYMBOLIZER) + " --obj=" + path, text);
}

TEST_P(WriteInput, LinesAreThoseOfTheCodeBefore) {
  const auto before = bytes_of(GetParam());
  const auto object = read_bytes_ok(before);
  const std::string was = save("lines-before.co", before);
  for (Copy copy : {copy_of(*object), scattered_copy_of(*object)}) {
    Additions& a = copy.additions;
    const auto bytes = written(*object, a);
    EXPECT_EQ(stripped(bytes), before);
    const auto after = read_bytes_ok(bytes);
    EXPECT_EQ(after->debug_problem(), "");
    const std::string is = save("lines-after.co", bytes);
    std::vector<uint64_t> from, to;
    for (const MovedCode& one : a.moved)
      for (uint64_t at = 0; at < one.size; at += 4)
        if (object->symbol_at(one.from + at)) { // else padding
          from.push_back(one.from + at);
          to.push_back(one.to + at);
        }
    auto wanted = lines_of(symbolized(was, from)), got = lines_of(symbolized(is, to));
    const auto named = [](const std::string& line) { return line.find(':') == line.npos && !line.empty(); };
    if (GetParam().starts_with("bare") || GetParam().starts_with("version") || GetParam().starts_with("ranges")) {
      std::erase_if(wanted, named); // by labels in assembly, which stay where they were
      std::erase_if(got, named);
    }
    EXPECT_EQ(got, wanted);
    for (size_t i = 0; i < from.size(); ++i) {
      const auto frames = object->source_frames(from[i]);
      for (const auto& same : {after->source_frames(to[i]), after->source_frames(from[i])}) {
        ASSERT_EQ(same.size(), frames.size()) << std::hex << from[i] << " " << to[i];
        for (size_t frame = 0; frame < frames.size(); ++frame) {
          EXPECT_EQ(same[frame].file, frames[frame].file);
          EXPECT_EQ(same[frame].line, frames[frame].line);
          EXPECT_EQ(same[frame].column, frames[frame].column);
        }
      }
    }
    const auto verified = [](const std::string& path) {
      return run("sh -c '" DWARFDUMP " --verify --error-display=quiet " + path + "; echo $?'");
    };
    EXPECT_EQ(lines_of(verified(is)).back(), lines_of(verified(was)).back());
  }
}

INSTANTIATE_TEST_SUITE_P(Write, WriteInput, testing::ValuesIn(inputs()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

// Registers: LLVM's assembler counts them from the same numbers (.amdhsa_next_free_sgpr and so on), so its descriptor
// is the judge.
struct Registers {
  uint32_t sgprs, vgprs, group_segment;
};

// One kernel for each: k0, k1, ...
std::unique_ptr<CodeObject> assembled(const std::string& processor, const std::vector<Registers>& kernels) {
  const bool xnack = processor == "gfx801" || processor >= "gfx9";
  std::string text;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const Registers& r = kernels[i];
    const std::string name = "k" + std::to_string(i);
    text += ".text\n.p2align 8\n.globl " + name + "\n.type " + name + ",@function\n" + name + ": s_endpgm\n.size " +
            name + ", .-" + name + "\n.rodata\n.p2align 6\n.amdhsa_kernel " + name + "\n.amdhsa_next_free_vgpr " +
            std::to_string(r.vgprs) + "\n.amdhsa_next_free_sgpr " + std::to_string(r.sgprs) +
            "\n.amdhsa_group_segment_fixed_size " + std::to_string(r.group_segment) + "\n";
    if (processor == "gfx90a")
      text += ".amdhsa_accum_offset " + std::to_string((r.vgprs + 3) / 4 * 4) + "\n";
    if (processor >= "gfx7" && processor < "gfx90b")
      text += ".amdhsa_reserve_flat_scratch 1\n";
    if (xnack)
      text += ".amdhsa_reserve_xnack_mask 1\n";
    text += ".end_amdhsa_kernel\n";
  }
  const std::string path = temporary("registers");
  std::ofstream(path + ".s") << text;
  run(std::string(CLANG) + " -target amdgcn-amd-amdhsa -mcpu=" + processor + (xnack ? ":xnack+" : "") +
      " -nogpulib -x assembler " + path + ".s -o " + path + ".co");
  return read_bytes_ok(bytes_of_file(path + ".co"));
}

Additions change_of(const KernelChange& change) {
  Additions additions;
  additions.kernels.push_back(change);
  return additions;
}

TEST(Write, CountsRegistersAsTheAssemblerDoes) {
  for (const std::string processor : {"gfx600", "gfx701", "gfx801", "gfx803", "gfx900", "gfx906", "gfx908", "gfx90a"}) {
    std::vector<Registers> less, more;
    Additions changes;
    for (const uint32_t sgprs : {1u, 2u, 10u, 11u, 26u, 42u, 58u, 90u, 91u, 96u, 98u, 100u, 102u})
      for (const uint32_t vgprs : {8u, 9u, 13u, 24u, 25u, 128u, 255u, 256u}) {
        if (sgprs > 100 && processor < "gfx8")
          continue; // VCC and FLAT_SCRATCH have to fit
        // 8: a whole granule. Without metadata what an allocation has behind accum_offset may be AccVGPRs.
        less.push_back({1, 8, 16});
        changes.kernels.push_back({.symbol = "k" + std::to_string(more.size()) + ".kd",
                                   .sgprs = sgprs,
                                   .vgprs = vgprs,
                                   .group_segment = 4096});
        more.push_back({sgprs, vgprs, 4096});
      }
    const auto from = assembled(processor, less), to = assembled(processor, more);
    const auto changed = read_bytes_ok(written(*from, changes));
    const uint32_t whole = processor >= "gfx9"; // half a granule is none there, whichever way the field says it
    for (size_t i = 0; i < more.size(); ++i) {
      SCOPED_TRACE(processor + ", " + std::to_string(more[i].sgprs) + " SGPRs, " + std::to_string(more[i].vgprs) +
                   " VGPRs");
      const std::string name = "k" + std::to_string(i);
      const Kernel &one = *changed->find_kernel(name), &other = *to->find_kernel(name);
      const KernelDescriptor &is = one.descriptor, &wanted = other.descriptor;
      EXPECT_EQ(is.granulated_workitem_vgpr_count(), wanted.granulated_workitem_vgpr_count());
      EXPECT_EQ(is.granulated_wavefront_sgpr_count() | whole, wanted.granulated_wavefront_sgpr_count() | whole);
      EXPECT_EQ(is.compute_pgm_rsrc3, wanted.compute_pgm_rsrc3);
      EXPECT_EQ(is.compute_pgm_rsrc2, wanted.compute_pgm_rsrc2);
      EXPECT_EQ(is.group_segment_fixed_size, wanted.group_segment_fixed_size);
      EXPECT_EQ(one.allocated_sgpr_count, other.allocated_sgpr_count);
    }
  }
}

TEST(Write, AsksForNoLessThanBefore) {
  const auto object = assembled("gfx900", {{60, 60, 4096}});
  const auto changed =
      read_bytes_ok(written(*object, change_of({.symbol = "k0.kd", .sgprs = 4, .vgprs = 4, .group_segment = 16})));
  const KernelDescriptor &is = changed->kernels()[0].descriptor, &was = object->kernels()[0].descriptor;
  EXPECT_EQ(is.compute_pgm_rsrc1, was.compute_pgm_rsrc1);
  EXPECT_EQ(is.group_segment_fixed_size, 4096u);
}

TEST(Write, SaysWhatDoesNotFit) {
  const auto object = assembled("gfx900", {{10, 10, 0}});
  auto error = [&](KernelChange change) {
    change.symbol = "k0.kd";
    return write_error(*object, change_of(change));
  };
  EXPECT_THAT(error({.sgprs = 103}), HasSubstr("kernel 'k0': 103 SGPRs are needed, and a gfx900 has 102"));
  EXPECT_THAT(error({.vgprs = 257}), HasSubstr("kernel 'k0': 257 VGPRs are needed, and a gfx900 has 256"));
  EXPECT_THAT(error({.group_segment = 65537}), HasSubstr("65537 bytes of LDS are needed, and a gfx900 has 65536"));
  EXPECT_THAT(error({.private_segment = 16}), HasSubstr("kernel 'k0': has no private segment"));
  EXPECT_THAT(error({.entry = 0x10004}), HasSubstr("no multiple of 256"));
  EXPECT_THAT(error({.entry = 0x10000}), HasSubstr("is not in an executable segment"));
  EXPECT_THAT(write_error(*object, change_of({.symbol = "none.kd"})), HasSubstr("no kernel whose descriptor is"));
  EXPECT_THAT(write_error(*assembled("gfx600", {{4, 4, 0}}), change_of({.symbol = "k0.kd", .group_segment = 32769})),
              HasSubstr("a gfx600 has 32768"));
  EXPECT_THAT(write_error(*assembled("gfx802", {{4, 4, 0}}), change_of({.symbol = "k0.kd", .sgprs = 91})),
              HasSubstr("97 SGPRs (6 of them for VCC, FLAT_SCRATCH and XNACK_MASK) are needed, and a gfx802 has 96"));
  EXPECT_THAT(write_error(*assembled("gfx1030", {{4, 4, 0}}), change_of({.symbol = "k0.kd", .vgprs = 8})),
              HasSubstr("how gfx1030 counts"));
  Additions a;
  a.code.resize(64);
  a.code_address = 0x1000;
  EXPECT_THAT(write_error(*object, a), HasSubstr("new code at 0x1000, 64 bytes: must be at a multiple of 4096 from"));
  a.code_address = free_address(*object);
  a.data_address = a.code_address;
  a.data_size = 64;
  EXPECT_THAT(write_error(*object, a), HasSubstr("new data at"));
  a.data_size = 0;
  a.moved = {{object->kernels()[0].entry, 4, a.code_address + 64}};
  EXPECT_THAT(write_error(*object, a), HasSubstr("not from code to new code"));
  a.moved.clear();
  a.symbols = {{"far", 0x123456789, 4, true}};
  EXPECT_THAT(write_error(*object, a), HasSubstr("new symbol 'far' at 0x123456789"));
}

TEST(Write, GrowsTheMetadata) {
  const auto object = read_input("arguments-gfx900-v5.co");
  Additions a;
  for (const Kernel& kernel : object->kernels())
    a.kernels.push_back({.symbol = kernel.symbol, .sgprs = 90, .vgprs = 200, .group_segment = 40000});
  const auto bytes = written(*object, a);
  std::string was = run(READELF " -n " + input_path("arguments-gfx900-v5.co")),
              is = run(READELF " -n " + save("metadata.co", bytes));
  // But for four numbers of each kernel nothing is different.
  size_t changed = 0;
  const auto was_lines = lines_of(was), is_lines = lines_of(is);
  const auto start = [](const std::vector<std::string>& lines) {
    return std::ranges::find_if(lines, [](const auto& line) { return line.find("amdhsa.kernels") != line.npos; });
  };
  auto at = start(was_lines), other = start(is_lines);
  for (; at != was_lines.end() && *at != "..."; ++at, ++other) {
    ASSERT_NE(other, is_lines.end());
    if (*at == *other)
      continue;
    ++changed;
    EXPECT_TRUE(other->find(".sgpr_count:     96") != other->npos ||
                other->find(".vgpr_count:     200") != other->npos ||
                other->find(".group_segment_fixed_size: 40000") != other->npos)
        << *at << " -> " << *other;
  }
  EXPECT_EQ(changed, 3 * object->kernels().size());
  EXPECT_EQ(stripped(bytes), input_bytes("arguments-gfx900-v5.co"));
}

TEST(Write, GrowsTheMetadataOfVersion2) {
  const auto before = hex_input("version2-metadata.hex");
  const auto object = read_bytes_ok(before);
  const auto bytes = written(*object, change_of({.symbol = "b2", .sgprs = 70, .vgprs = 100, .group_segment = 30000}));
  EXPECT_EQ(stripped(bytes), before);
  const auto was = lines_of(run(READELF " -n " + save("version2.co", before)));
  const auto is = lines_of(run(READELF " -n " + save("version2.co", bytes)));
  std::vector<std::string> changed;
  size_t i = 0;
  for (; i < was.size() && was[i] != "..."; ++i)
    if (is[i] != was[i] && is[i].find("NT_AMD") == is[i].npos)
      changed.push_back(is[i]);
  EXPECT_EQ(changed, (std::vector<std::string>{"      GroupSegmentFixedSize: 30000", "      NumSGPRs:        76",
                                               "      NumVGPRs:        100"}));
  // The amd_kernel_code_t counts too: GRANULATED_..., workgroup_group_segment_byte_size, wavefront_sgpr_count,
  // workitem_vgpr_count.
  const auto changed_object = read_bytes_ok(bytes);
  const Kernel& kernel = *changed_object->find_kernel("b2");
  EXPECT_EQ(kernel.descriptor.group_segment_fixed_size, 30000u);
  EXPECT_EQ(kernel.allocated_sgpr_count, 80u);
  EXPECT_EQ(kernel.allocated_vgpr_count, 100u);
  const auto counts = changed_object->bytes_at(kernel.descriptor_address + 84, 4);
  EXPECT_EQ(counts[0] | counts[1] << 8, 76);
  EXPECT_EQ(counts[2] | counts[3] << 8, 100);
}

TEST(Write, RefusesToStripWhatOthersChanged) {
  const auto object = read_input("globals.co");
  auto bytes = written(*object, copy_of(*object).additions);
  EXPECT_EQ(stripped(bytes), input_bytes("globals.co"));
  auto error = [](std::span<const uint8_t> file) {
    auto input = strip(file);
    return input ? "" : llvm::toString(input.takeError());
  };
  EXPECT_THAT(error(input_bytes("globals.co")), HasSubstr("nothing to strip"));
  const uint64_t text = object->segments()[1].offset;
  bytes[text] ^= 1;
  EXPECT_THAT(error(bytes), HasSubstr("another tool changed it"));
  EXPECT_THAT(error(std::span(bytes).first(bytes.size() / 2)), HasSubstr("cut short"));
}

} // namespace
} // namespace crosslane::codeobject::test
