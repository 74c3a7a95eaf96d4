// Offload bundles as clang writes them, against clang-offload-bundler.
#include "tests/codeobject/tools.h"
#include <cstdio>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/Compression.h>

namespace crosslane::codeobject::test {
namespace {

std::vector<uint8_t> bundler_extracts(const std::string& bundle, const std::string& target) {
  std::string output = temporary("unbundled.co");
  run(std::string(BUNDLER) + " --unbundle --type=o --allow-missing-bundles --input=" + input_path(bundle) +
      " --targets=" + target + " --output=" + output);
  auto bytes = bytes_of_file(output);
  std::remove(output.c_str());
  return bytes;
}

std::vector<uint8_t> chosen(const std::vector<uint8_t>& bytes, std::string_view processor) {
  auto part = unbundle(bytes, processor);
  if (!part)
    throw std::runtime_error(llvm::toString(part.takeError()));
  return {part->begin(), part->end()};
}

std::string unbundle_error(const std::vector<uint8_t>& bytes, std::string_view processor) {
  auto part = unbundle(bytes, processor);
  return part ? "" : llvm::toString(part.takeError());
}

TEST(Bundle, EveryEntryAsTheBundlerExtracts) {
  auto bytes = input_bytes("globals.bundle");
  auto entries = list_bundle(bytes);
  ASSERT_TRUE(static_cast<bool>(entries));
  size_t device = 0;
  for (const BundleEntry& entry : *entries) {
    if (entry.target.empty())
      continue;
    ++device;
    auto expected = bundler_extracts("globals.bundle", entry.id);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), entry.bytes.begin(), entry.bytes.end())) << entry.id;
    EXPECT_EQ(read_bytes_ok(expected)->target_id(), entry.target);
  }
  EXPECT_EQ(device, 3u);
}

TEST(Bundle, PicksByProcessorAndModifiers) {
  auto bytes = input_bytes("globals.bundle");
  EXPECT_EQ(read_bytes_ok(chosen(bytes, "gfx803"))->target_id(), "gfx803");
  EXPECT_EQ(read_bytes_ok(chosen(bytes, "gfx906:xnack+"))->target_id(), "gfx906:xnack+");
  EXPECT_EQ(read_bytes_ok(chosen(bytes, "gfx906:xnack-"))->target_id(), "gfx906:xnack-");
  EXPECT_EQ(read_bytes_ok(chosen(bytes, "gfx906:sramecc+:xnack+"))->target_id(), "gfx906:xnack+");
  EXPECT_EQ(read_bytes_ok(chosen(bytes, "gfx906"))->target_id(), "gfx906:xnack-");
}

TEST(Bundle, ListsWhatThereIsWhenNothingFits) {
  auto bytes = input_bytes("globals.bundle");
  std::string error = unbundle_error(bytes, "gfx90a");
  EXPECT_NE(error.find("no code object for 'gfx90a'"), std::string::npos) << error;
  for (const char* target : {"gfx803", "gfx906:xnack-", "gfx906:xnack+"})
    EXPECT_NE(error.find(target), std::string::npos) << error;
  EXPECT_NE(unbundle_error(bytes, "").find("name one of"), std::string::npos);
  EXPECT_NE(read_error(bytes).find("this is a clang offload bundle"), std::string::npos);
}

TEST(Bundle, APlainCodeObjectIsItself) {
  auto bytes = input_bytes("globals.co");
  EXPECT_EQ(chosen(bytes, "gfx803"), bytes);
  auto entries = list_bundle(bytes);
  ASSERT_TRUE(static_cast<bool>(entries));
  EXPECT_TRUE(entries->empty());
}

TEST(Bundle, Compressed) {
  auto bytes = input_bytes("globals-compressed.bundle");
  ASSERT_TRUE(is_compressed_bundle(bytes));
  EXPECT_NE(unbundle_error(bytes, "gfx906").find("compressed"), std::string::npos);
  auto object = read_for(bytes, "test", "gfx900");
  ASSERT_TRUE(static_cast<bool>(object)) << llvm::toString(object.takeError());
  EXPECT_EQ((*object)->processor(), "gfx900");
  auto file = read_file_for(input_path("globals-compressed.bundle"), "gfx906");
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  EXPECT_EQ((*file)->target_id(), "gfx906");
  auto wrong = read_for(bytes, "test.bundle", "gfx803");
  std::string error = llvm::toString(wrong.takeError());
  EXPECT_NE(error.find("test.bundle: offload bundle: no code object for 'gfx803'; it holds: gfx900, gfx906"),
            std::string::npos)
      << error;
}

// The three versions of the header, with both methods, around the same contents.
TEST(Bundle, CompressedInEveryVersionAndMethod) {
  auto plain = input_bytes("globals.bundle");
  auto framed = [&](uint16_t version, uint16_t method) {
    llvm::SmallVector<uint8_t> stream;
    if (method == 0)
      llvm::compression::zlib::compress(plain, stream);
    else
      llvm::compression::zstd::compress(plain, stream);
    uint64_t size = version == 1 ? 20 : version == 2 ? 24 : 32;
    std::vector<uint8_t> bytes(size);
    std::copy_n("CCOB", 4, bytes.begin());
    patch<uint16_t>(bytes, 4, version);
    patch<uint16_t>(bytes, 6, method);
    if (version == 1) {
      patch<uint32_t>(bytes, 8, plain.size());
    } else if (version == 2) {
      patch<uint32_t>(bytes, 8, size + stream.size());
      patch<uint32_t>(bytes, 12, plain.size());
    } else {
      patch<uint64_t>(bytes, 8, size + stream.size());
      patch<uint64_t>(bytes, 16, plain.size());
    }
    bytes.insert(bytes.end(), stream.begin(), stream.end());
    return bytes;
  };
  for (uint16_t version : {1, 2, 3})
    for (uint16_t method : {0, 1}) {
      auto expanded = decompress_bundle(framed(version, method));
      ASSERT_TRUE(static_cast<bool>(expanded)) << llvm::toString(expanded.takeError());
      EXPECT_EQ(*expanded, plain) << version << " " << method;
    }
}

TEST(Bundle, DamagedCompressedBundles) {
  auto bytes = input_bytes("globals-compressed.bundle");
  auto error = [&](const std::vector<uint8_t>& damaged) {
    auto result = decompress_bundle(damaged);
    return result ? "" : llvm::toString(result.takeError());
  };
  EXPECT_EQ(error(bytes), "");
  EXPECT_NE(error({bytes.begin(), bytes.begin() + 9}), "");
  EXPECT_NE(error({bytes.begin(), bytes.begin() + static_cast<long>(bytes.size() / 2)}), "");
  auto huge = bytes;
  patch<uint32_t>(huge, 12, 0xffffffff);
  EXPECT_NE(error(huge).find("claim to hold"), std::string::npos);
  auto version = bytes;
  patch<uint16_t>(version, 4, 77);
  EXPECT_NE(error(version).find("version 77"), std::string::npos);
  auto method = bytes;
  patch<uint16_t>(method, 6, 9);
  EXPECT_NE(error(method).find("method 9"), std::string::npos);
  auto body = bytes;
  for (size_t i = 40; i < 60; ++i)
    body[i] ^= 0x5a;
  EXPECT_NE(error(body), "");
}

TEST(Bundle, DamagedBundles) {
  auto bytes = input_bytes("globals.bundle");
  EXPECT_NE(unbundle_error({bytes.begin(), bytes.begin() + 26}, "gfx906").find("the header reaches past the end"),
            std::string::npos);
  EXPECT_NE(
      unbundle_error({bytes.begin(), bytes.begin() + 6000}, "gfx906").find("past the end of the file (6000 bytes)"),
      std::string::npos);
  auto count = bytes;
  patch<uint64_t>(count, 24, UINT64_MAX);
  EXPECT_NE(unbundle_error(count, "gfx906").find("past the end"), std::string::npos);
  auto length = bytes;
  patch<uint64_t>(length, 48, UINT64_MAX - 7);
  EXPECT_NE(unbundle_error(length, "gfx906").find("past the end"), std::string::npos);
}

// A host program: the smallest ELF with a .hip_fatbin section, or another one, as an x86-64 compiler makes it.
class HostProgram : public testing::Test {
protected:
  std::vector<uint8_t> host_with(const std::vector<std::vector<uint8_t>>& bundles,
                                 const std::string& section = ".hip_fatbin") {
    std::string base = temporary("host");
    std::string source = ".section " + section + ",\"a\",@progbits\n";
    for (size_t i = 0; i < bundles.size(); ++i) {
      std::string part = base + std::to_string(i) + ".bundle";
      std::FILE* file = std::fopen(part.c_str(), "wb");
      std::fwrite(bundles[i].data(), 1, bundles[i].size(), file);
      std::fclose(file);
      source += ".p2align 12\n.incbin \"" + part + "\"\n";
    }
    std::FILE* file = std::fopen((base + ".s").c_str(), "w");
    std::fwrite(source.data(), 1, source.size(), file);
    std::fclose(file);
    run(std::string(CLANG) + " --target=x86_64-linux-gnu -c " + base + ".s -o " + base + ".o");
    return bytes_of_file(base + ".o");
  }
};

TEST_F(HostProgram, DeviceCodeIsFound) {
  auto host = host_with({input_bytes("globals.bundle")});
  EXPECT_EQ(read_bytes_ok(chosen(host, "gfx803"))->target_id(), "gfx803");
  EXPECT_NE(unbundle_error(host, "gfx1030").find("it holds: gfx803"), std::string::npos);
  EXPECT_NE(read_error(host).find("this is an x86-64 object"), std::string::npos);
  auto compressed = read_for(host_with({input_bytes("globals-compressed.bundle")}), "a.out", "gfx900");
  ASSERT_TRUE(static_cast<bool>(compressed)) << llvm::toString(compressed.takeError());
}

TEST_F(HostProgram, AsClangCompilesOne) {
  auto host = input_bytes("globals-host.o");
  EXPECT_EQ(read_bytes_ok(chosen(host, "gfx906"))->target_id(), "gfx906");
  EXPECT_EQ(read_bytes_ok(chosen(host, "gfx900"))->target_id(), "gfx900:xnack-");
  auto compressed = read_file_for(input_path("globals-host-compressed.o"), "gfx900");
  ASSERT_TRUE(static_cast<bool>(compressed)) << llvm::toString(compressed.takeError());
  EXPECT_TRUE((*compressed)->find_kernel("sum"));
}

TEST_F(HostProgram, SeveralTranslationUnits) {
  auto bundle = input_bytes("globals.bundle");
  auto same = host_with({bundle, bundle});
  EXPECT_EQ(read_bytes_ok(chosen(same, "gfx803"))->target_id(), "gfx803"); // one and the same: no choice to make
  auto other = bundle;
  auto entries = list_bundle(bundle);
  ASSERT_TRUE(static_cast<bool>(entries));
  for (const BundleEntry& entry : *entries)
    if (entry.target == "gfx803")
      other[static_cast<size_t>(entry.bytes.data() - bundle.data()) + entry.bytes.size() - 1] ^= 1;
  auto both = host_with({bundle, other});
  EXPECT_NE(unbundle_error(both, "gfx803").find("several code objects for 'gfx803'"), std::string::npos);
  EXPECT_EQ(read_bytes_ok(chosen(both, "gfx906:xnack+"))->target_id(), "gfx906:xnack+");
}

TEST_F(HostProgram, SeveralCompressedTranslationUnits) {
  auto first = input_bytes("globals-compressed.bundle");
  auto host = host_with({first, first});
  auto object = read_for(host, "a.out", "gfx906");
  ASSERT_TRUE(static_cast<bool>(object)) << llvm::toString(object.takeError());
  auto one = decompress_bundle(first), two = decompress_bundle([&] {
                                         auto both = first;
                                         both.resize((both.size() + 4095) / 4096 * 4096);
                                         both.insert(both.end(), first.begin(), first.end());
                                         return both;
                                       }());
  ASSERT_TRUE(one && two);
  EXPECT_EQ(two->size(), 2 * one->size());
}

// As clang's OpenMP packs it.
std::vector<uint8_t> packaged(const std::string& name, const std::string& arch, const std::string& triple) {
  const std::string output = temporary("packaged");
  run(std::string(PACKAGER) + " -o " + output + " --image=file=" + input_path(name) + ",triple=" + triple +
      ",arch=" + arch + ",kind=openmp");
  return bytes_of_file(output);
}

TEST_F(HostProgram, OffloadBinaries) {
  const auto wanted = bytes_of_file(input_path("globals.co")), other = bytes_of_file(input_path("globals-host.o"));
  const auto ours = packaged("globals.co", "gfx906:xnack-", "amdgcn-amd-amdhsa"),
             theirs = packaged("globals-host.o", "sm_70", "nvptx64-nvidia-cuda");
  const auto host = host_with({theirs, ours}, ".llvm.offloading");
  auto entries = list_bundle(host);
  ASSERT_TRUE(static_cast<bool>(entries));
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].id, "openmp-nvptx64-nvidia-cuda--sm_70");
  EXPECT_EQ((*entries)[0].target, "");
  EXPECT_TRUE(std::ranges::equal((*entries)[0].bytes, other));
  EXPECT_EQ((*entries)[1].target, "gfx906:xnack-");
  EXPECT_TRUE(std::ranges::equal((*entries)[1].bytes, wanted));
  EXPECT_TRUE(std::ranges::equal(chosen(host, "gfx906"), wanted));
  EXPECT_TRUE(std::ranges::equal(chosen(ours, ""), wanted));
  EXPECT_NE(unbundle_error(host, "gfx90a").find("it holds: gfx906:xnack-"), std::string::npos);
}

TEST_F(HostProgram, DamagedOffloadBinaries) {
  const auto bytes = packaged("globals.co", "gfx906", "amdgcn-amd-amdhsa");
  for (const size_t size : {size_t(5), size_t(31), size_t(40), size_t(100), bytes.size() / 2, bytes.size() - 1})
    EXPECT_NE(unbundle_error({bytes.begin(), bytes.begin() + long(size)}, "gfx906").find("damaged or cut short"),
              std::string::npos)
        << size;
  auto version = bytes;
  patch<uint32_t>(version, 4, 9);
  EXPECT_NE(unbundle_error(version, "gfx906").find("version 9"), std::string::npos);
  for (size_t at = 8; at < 72; at += 8) { // sizes and offsets
    auto damaged = bytes;
    patch<uint64_t>(damaged, at, UINT64_MAX - 7);
    unbundle_error(damaged, "gfx906"); // whatever it says, it reads nothing that is not there
  }
}

// GCC's programs have them as arrays of bytes.
TEST_F(HostProgram, CodeObjectsInData) {
  const auto first = bytes_of_file(input_path("globals.co")), second = bytes_of_file(input_path("bare.co"));
  const auto host = host_with({first, second}, ".rodata");
  auto entries = list_bundle(host);
  ASSERT_TRUE(static_cast<bool>(entries));
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_TRUE(std::ranges::equal((*entries)[0].bytes, first));
  EXPECT_TRUE(std::ranges::equal((*entries)[1].bytes, second));
  EXPECT_EQ((*entries)[0].target, read_bytes_ok(first)->processor());
}

TEST_F(HostProgram, AHostWithoutDeviceCodeIsItself) {
  auto host = host_with({});
  std::string error;
  auto object = read_for(host, "host.o", "gfx906");
  ASSERT_FALSE(static_cast<bool>(object));
  EXPECT_NE(llvm::toString(object.takeError()).find("this is an x86-64 object"), std::string::npos);
}

} // namespace
} // namespace crosslane::codeobject::test
