// Source files by the names that line tables have for them.
#include "profile/sources.h"
#include "toolchain/compile.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::profile {
namespace {

TEST(ProfileSources, HeadersOfTheToolchain) {
  for (const char* path :
       {"/usr/include/hip/amd_detail/amd_hip_atomic.h", "/usr/lib/llvm-19/lib/clang/19/include/__clang_hip_math.h",
        "/opt/rocm-6.2.0/include/hip/hip_runtime.h", "/src/llvm/lib/clang/19/include/x.h", "/usr/local/../include/x.h"})
    EXPECT_TRUE(is_toolchain(path)) << path;
  for (const char* path : {"/src/include/x.h", "x.hip", "/usr/src/a.hip", "/usr/local/src/a.hip", "/opt/own/x.h"})
    EXPECT_FALSE(is_toolchain(path)) << path;
}

TEST(ProfileSources, Languages) {
  EXPECT_EQ(language_of("/src/x.hip"), "hip");
  EXPECT_EQ(language_of("x.cl"), "opencl");
  EXPECT_EQ(language_of("a.b/x.s"), "assembly");
  EXPECT_EQ(language_of("x.f90"), "fortran");
  EXPECT_EQ(language_of("x.cpp"), "c++");
  EXPECT_EQ(language_of("x.c"), "c");
  EXPECT_EQ(language_of("hip.d/x"), "");
}

namespace fs = std::filesystem;

// Code whose line table names a file, which is then something else.
class ProfileSource : public testing::Test {
protected:
  ProfileSource() : folder_(fs::path(testing::TempDir()) / ("crosslane-sources-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~ProfileSource() override { fs::remove_all(folder_); }

  // The first line of the code is the seventh.
  static std::string code() {
    return ".amdgcn_target \"amdgcn-amd-amdhsa--gfx906\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n"
           "s_nop 0\ns_endpgm\n.Lend:\n.size k, .Lend-k\n";
  }
  void compile(const std::string& name) {
    path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << code();
    auto object = toolchain::load_code(path.string(), {});
    ASSERT_TRUE(static_cast<bool>(object)) << llvm::toString(object.takeError());
    object_ = std::move(*object);
  }
  findings::SourceFile source() {
    Sources sources(folder_.string());
    const auto place = sources.place(*object_, object_->find_symbol("k")->address);
    EXPECT_EQ(place.line, 7u);
    EXPECT_TRUE(sources.problems().empty());
    auto files = sources.take();
    return files.empty() ? findings::SourceFile() : files[0];
  }
  fs::path path;

private:
  fs::path folder_;
  std::unique_ptr<codeobject::CodeObject> object_;
};

TEST_F(ProfileSource, AFile) {
  compile("sub/k.s");
  EXPECT_EQ(source().path, "sub/k.s");
  EXPECT_EQ(source().text, code());
}

TEST_F(ProfileSource, NamesThatDisturbTerminals) {
  compile("a\x1b[31m\nb\xff.s");
  EXPECT_EQ(source().path, "a\\x1b[31m\\x0ab\\xff.s");
  EXPECT_EQ(source().text, code());
}

TEST_F(ProfileSource, NoText) {
  compile("k.s");
  fs::remove(path);
  EXPECT_FALSE(source().text);
  fs::create_directory(path);
  EXPECT_FALSE(source().text);
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0); // that nobody writes to
  EXPECT_FALSE(source().text);
  fs::remove(path);
  std::ofstream(path) << std::string(3, '\0') << code();
  EXPECT_FALSE(source().text);
  std::ofstream(path) << std::string((2 << 20) + 1, 'x');
  EXPECT_FALSE(source().text);
  EXPECT_EQ(source().path, "k.s");
  if (geteuid() != 0) {
    fs::permissions(path, fs::perms::none);
    EXPECT_FALSE(source().text);
  }
}

TEST_F(ProfileSource, NoMoreThanTheSizeOfAFile) {
  compile("k.s");
  fs::remove(path);
  fs::create_symlink("/proc/self/environ", path); // has a size of 0 and text all the same
  EXPECT_EQ(source().text, "");
}

TEST_F(ProfileSource, OneLineOfMegabytesAndTextThatIsNoUtf8) {
  compile("k.s");
  std::ofstream(path) << std::string(2 << 20, 'x');
  EXPECT_EQ(source().text->size(), size_t{2} << 20);
  std::ofstream(path) << "gr\xfc\xdf";
  EXPECT_EQ(source().text, "grüß"); // as Latin-1
}

} // namespace
} // namespace crosslane::profile
