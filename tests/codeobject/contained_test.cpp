// Files that hold code objects, rewritten: bundles, LLVM's offload binaries, programs of the host. Clang's tools take
// them apart, the dynamic linker starts the programs, and strip_file() gives each input back.
#include "tests/codeobject/copied.h"
#include "tests/codeobject/tools.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

namespace crosslane::codeobject::test {
namespace {
using testing::HasSubstr;

llvm::Expected<std::optional<std::vector<uint8_t>>> copied(const BundleEntry& entry) {
  auto object = CodeObject::read(entry.bytes, entry.id);
  if (!object)
    return object.takeError();
  auto written = write(**object, copy_of(**object).additions);
  if (!written)
    return written.takeError();
  return std::optional(std::move(*written));
}

std::vector<uint8_t> rewritten(const std::vector<uint8_t>& file) {
  auto out = rewrite_file(file, copied);
  if (!out)
    throw std::runtime_error(llvm::toString(out.takeError()));
  return std::move(*out);
}

std::vector<uint8_t> copy_of_object(std::span<const uint8_t> object) {
  auto copy = copied({"", "", object});
  if (!copy)
    throw std::runtime_error(llvm::toString(copy.takeError()));
  return std::move(**copy);
}

std::vector<uint8_t> stripped(const std::vector<uint8_t>& file) {
  auto input = strip_file(file);
  if (!input)
    throw std::runtime_error(llvm::toString(input.takeError()));
  return std::move(*input);
}

std::string save(const std::string& name, std::span<const uint8_t> bytes) {
  const std::string path = temporary(name);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

// Every code object that was there is there as its copy, in the same order.
void expect_copies(const std::vector<uint8_t>& before, const std::vector<uint8_t>& after) {
  std::vector<uint8_t> expanded;
  std::span<const uint8_t> was = before;
  if (const auto container = bundles_of(before); is_compressed_bundle(container)) {
    auto bytes = decompress_bundle(container);
    ASSERT_TRUE(bool(bytes));
    expanded = std::move(*bytes);
    was = expanded;
  }
  auto entries = list_bundle(was), now = list_bundle(after);
  ASSERT_TRUE(entries && now);
  ASSERT_EQ(now->size(), entries->size());
  size_t objects = 0;
  for (size_t i = 0; i < entries->size(); ++i) {
    EXPECT_EQ((*now)[i].id, (*entries)[i].id);
    const auto bytes = (*entries)[i].bytes;
    if ((*entries)[i].target.empty())
      continue;
    ++objects;
    EXPECT_TRUE(std::ranges::equal((*now)[i].bytes, copy_of_object(bytes))) << (*entries)[i].id;
  }
  EXPECT_GE(objects, 1u);
}

TEST(Contained, Bundles) {
  for (const char* name : {"globals.bundle", "globals-compressed.bundle"}) {
    SCOPED_TRACE(name);
    const auto before = input_bytes(name), after = rewritten(before);
    expect_copies(before, after);
    EXPECT_EQ(stripped(after), before);
    const auto twice = rewritten(after);
    EXPECT_EQ(stripped(twice), after);
    // Clang's own tool takes the same out of it.
    const std::string path = save("rewritten.bundle", after), out = temporary("unbundled.co");
    auto entries = list_bundle(after);
    ASSERT_TRUE(bool(entries));
    for (const BundleEntry& entry : *entries) {
      if (entry.target.empty())
        continue;
      run(std::string(BUNDLER) + " --unbundle --type=o --input=" + path + " --targets=" + entry.id +
          " --output=" + out);
      EXPECT_TRUE(std::ranges::equal(bytes_of_file(out), entry.bytes)) << entry.id;
    }
  }
}

TEST(Contained, OffloadBinaries) {
  const std::string one = temporary("one.out"), two = temporary("two.out");
  const auto pack = [](const std::string& to, const std::string& input, const std::string& arch) {
    run(std::string(PACKAGER) + " -o " + to + " --image=file=" + input_path(input) +
        ",triple=amdgcn-amd-amdhsa,arch=" + arch + ",kind=openmp");
  };
  pack(one, "inlined.co", "gfx906");
  pack(two, "arguments-gfx900-v5.co", "gfx900");
  auto before = bytes_of_file(one);
  const auto more = bytes_of_file(two);
  before.insert(before.end(), more.begin(), more.end());
  const auto after = rewritten(before);
  expect_copies(before, after);
  EXPECT_EQ(stripped(after), before);
}

TEST(Contained, CodeObjectsAndWhatIsNone) {
  const auto object = input_bytes("inlined.co");
  EXPECT_EQ(rewritten(object), copy_of_object(object));
  EXPECT_EQ(stripped(rewritten(object)), object);
  const auto nothing = [](const BundleEntry&) -> llvm::Expected<std::optional<std::vector<uint8_t>>> {
    return std::nullopt;
  };
  auto same = rewrite_file(input_bytes("globals.bundle"), nothing);
  ASSERT_TRUE(bool(same));
  EXPECT_EQ(*same, input_bytes("globals.bundle"));
  const auto error = [](const std::vector<uint8_t>& file) {
    auto out = rewrite_file(file, copied);
    return out ? "" : llvm::toString(out.takeError());
  };
  EXPECT_THAT(error(input_bytes("globals-host.o")), HasSubstr("not linked yet"));
  EXPECT_THAT(error(bytes_of_file("/proc/self/exe")), HasSubstr("holds no code object"));
  EXPECT_THAT(error({'t', 'e', 'x', 't'}), HasSubstr("holds no code object"));
  EXPECT_THAT(error({}), HasSubstr("holds no code object"));
}

// A runtime that writes the code objects it is given, one behind the other.
constexpr const char* runtime = R"(
#include <stdint.h>
#include <stdio.h>
struct wrapper { uint32_t magic, version; const char* bundle; void* unused; };
void** __hipRegisterFatBinary(const struct wrapper* w) {
  static void* handle;
  uint64_t count, fields[3];
  const char* at = w->bundle + 24;
  __builtin_memcpy(&count, at, 8);
  at += 8;
  for (; count; --count) {
    __builtin_memcpy(fields, at, 24);
    fwrite(w->bundle + fields[0], 1, fields[1], stdout);
    at += 24 + fields[2];
  }
  return &handle;
}
void __hipUnregisterFatBinary(void** handle) {}
int __hipRegisterFunction() { return 0; }
void __hipRegisterVar() {}
void __hipRegisterManagedVar() {}
unsigned __hipPushCallConfiguration() { return 0; }
unsigned __hipPopCallConfiguration() { return 0; }
int hipLaunchKernel() { return 0; }
)";

TEST(Contained, ProgramsStartWithTheNewObjects) {
  const std::string folder = temporary("host");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/runtime.c") << runtime;
  std::ofstream(folder + "/main.c") << "int main(void) { return 0; }\n";
  const std::string compile = std::string(CLANG) + " -w -Wno-everything ", object = input_path("globals-host.o");
  const std::string sources = folder + "/main.c " + folder + "/runtime.c " + object;
  run(compile + "-fPIE -pie " + sources + " -o " + folder + "/pie");
  run(compile + "-fPIE -pie -fuse-ld=lld -Wl,-z,pack-relative-relocs " + sources + " -o " + folder + "/relr");
  run(compile + "-fno-pie -no-pie " + sources + " -o " + folder + "/no-pie");
  run(compile + "-static " + sources + " -o " + folder + "/static");
  run(compile + "-fPIC -shared " + folder + "/runtime.c " + object + " -o " + folder + "/libkernels.so");
  run(compile + folder + "/main.c -Wl,--no-as-needed " + folder + "/libkernels.so -o " + folder + "/with-library");
  std::vector<uint8_t> wanted;
  const auto objects = bytes_of_file(object);
  auto entries = list_bundle(objects);
  ASSERT_TRUE(bool(entries));
  for (const BundleEntry& entry : *entries)
    if (!entry.target.empty()) {
      const auto copy = copy_of_object(entry.bytes);
      wanted.insert(wanted.end(), copy.begin(), copy.end());
    }
  for (const char* name : {"pie", "relr", "no-pie", "static", "libkernels.so"}) {
    SCOPED_TRACE(name);
    const std::string path = folder + "/" + name;
    const auto before = bytes_of_file(path), after = rewritten(before);
    expect_copies(before, after);
    EXPECT_EQ(stripped(after), before);
    const auto twice = rewritten(after);
    EXPECT_EQ(stripped(twice), after);
    EXPECT_EQ(run("sh -c '" READELF " -aW " + save("after", after) + " 2>&1 >/dev/null; true'"), "");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(after.data()), static_cast<std::streamsize>(after.size()));
    const std::string program = std::string(name) == "libkernels.so" ? folder + "/with-library" : path;
    const std::string printed = run(program);
    EXPECT_EQ(std::vector<uint8_t>(printed.begin(), printed.end()), wanted);
  }
}

} // namespace
} // namespace crosslane::codeobject::test
