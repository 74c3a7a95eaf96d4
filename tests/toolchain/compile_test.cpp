// Files to code objects: the assembler against llvm-mc-19, and the messages for what does not compile.
#include "files/read.h"
#include "tests/expected.h"
#include "toolchain/compile.h"
#include "toolchain/temporary_folder.h"
#include "toolchain/tools.h"
#include <cstdlib>
#include <filesystem>
#include <llvm/Object/ELFObjectFile.h>

namespace crosslane::toolchain {
namespace {

using test::error_of;
using test::value_of;

const std::string inputs = INPUT_DIR;

std::string text_of(const std::string& path) {
  const auto bytes = value_of(files::read(path));
  return std::string(bytes.begin(), bytes.end());
}

std::string section(std::span<const uint8_t> object, llvm::StringRef name) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(reinterpret_cast<const char*>(object.data()), object.size()),
                                     "object");
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return {};
  }
  for (const auto& s : (*file)->sections())
    if (auto found = s.getName(); found && *found == name)
      if (auto contents = s.getContents())
        return contents->str();
  return {};
}

TEST(Compile, AssemblesAsLlvmMcDoes) {
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(static_cast<bool>(folder));
  const std::string source = inputs + "/twice.s", output = folder->path("twice.o");
  const std::string command =
      std::string(LLVM_MC) + " --triple=amdgcn-amd-amdhsa -mcpu=gfx906 --filetype=obj " + source + " -o " + output;
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto theirs = value_of(files::read(output));
  const auto ours = value_of(assemble(text_of(source), source, "gfx906"));
  EXPECT_FALSE(section(theirs, ".text").empty());
  EXPECT_EQ(section(ours, ".text"), section(theirs, ".text"));
  EXPECT_EQ(section(ours, ".rodata"), section(theirs, ".rodata"));
}

TEST(Compile, AssemblyBringsItsTargetAndLines) {
  EXPECT_EQ(target_directive("  .amdgcn_target \"amdgcn-amd-amdhsa--gfx906:xnack-\"\n"), "gfx906:xnack-");
  EXPECT_EQ(target_directive("s_endpgm"), "");
  const auto object = value_of(load_code(inputs + "/twice.s", {}));
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->processor(), "gfx906");
  const auto* kernel = object->find_kernel("twice");
  ASSERT_NE(kernel, nullptr);
  const auto line = object->source_line(kernel->entry);
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->line, 8u);
  EXPECT_TRUE(line->file.ends_with("twice.s")) << line->file;
}

TEST(Compile, AssemblersOwnMessages) {
  const std::string error = error_of(assemble("s_endpgm\nv_add_f33 v1\n", "x.s", "gfx900"));
  EXPECT_HAS(error, "x.s:2:1: error: invalid instruction");
  EXPECT_HAS(error, "v_add_f33 v1\n^");
  EXPECT_HAS(error_of(assemble("s_endpgm\n", "x.s", "gfx9")), "'gfx9' is not a GPU that LLVM knows");
  EXPECT_HAS(error_of(load_code(inputs + "/twice.s", {"gfx803", {}})), "does not match the specified target id");
}

// Texts that make LLVM's assembler abort, or want all memory. This process and its memory are not concerned.
TEST(Compile, TheAssemblersFailuresAreErrors) {
  EXPECT_HAS(error_of(assemble("k:\n  s_endpgm\n  .size k, foo - k\n", "x.s", "gfx900")),
             "x.s: LLVM's assembler gives up: Size expression must be absolute");
  for (const char* text : {"  .fill 1<<40\n", "  .rept 1000000000\n  s_nop 0\n  .endr\n", "  .incbin \"/dev/zero\"\n"})
    EXPECT_HAS(error_of(assemble(text, "x.s", "gfx900")), "x.s: takes more than ") << text;
  EXPECT_EQ(error_of(assemble("  .org 1<<42\n", "x.s", "gfx900")),
            "x.s:1:8: error: invalid .org offset '4398046511104' (at offset '0')\n  .org 1<<42\n       ^");
  EXPECT_EQ(error_of(assemble("  .rept 100000\n  s_nop 0\n  .endr\n  .fill 1<<20\n", "x.s", "gfx900")), "");
}

TEST(Compile, OpenClForEveryTargetAndLevel) {
  for (const char* target : {"gfx803", "gfx900", "gfx906:xnack-"})
    for (const char* level : {"-O0", "-O3"}) {
      const auto object = value_of(load_code(inputs + "/vadd.cl", {target, {level}}));
      ASSERT_NE(object, nullptr) << target;
      EXPECT_EQ(object->processor(), std::string(target).substr(0, 6));
      EXPECT_EQ(object->kernels()[0].name, "vadd");
    }
}

TEST(Compile, CompilersOwnMessages) {
  EXPECT_HAS(error_of(load_code(inputs + "/broken.cl", {})),
             "broken.cl:2:48: error: use of undeclared identifier 'missing'");
  EXPECT_HAS(error_of(load_code(inputs + "/vadd.cl", {"gfx900", {"-fno-such-option"}})), "-fno-such-option");
}

TEST(Compile, BadInput) {
  EXPECT_HAS(error_of(load_code("nowhere.co", {})), "nowhere.co: No such file or directory");
  EXPECT_HAS(error_of(load_code(inputs, {})), "is a folder");
  EXPECT_HAS(error_of(load_code(inputs + "/vadd.cl", {"gfx42", {}})), "'gfx42' is not a target of crosslane");
}

// What clang itself makes of HIP for two targets, as users have it on disk.
TEST(Compile, CodeObjectsAndBundles) {
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(static_cast<bool>(folder));
  const std::string clang = value_of(find_tool(Tool::clang)), object = folder->path("x.co"),
                    bundle = folder->path("x.hsaco");
  const std::string source = inputs + "/bare.hip",
                    common = clang + " -x hip --offload-device-only -nogpuinc -nogpulib --rocm-path=" + folder->path() +
                             " --offload-arch=gfx906 " + source;
  ASSERT_EQ(std::system((common + " --no-gpu-bundle-output -o " + object).c_str()), 0);
  ASSERT_EQ(std::system((common + " --offload-arch=gfx803 --gpu-bundle-output -o " + bundle).c_str()), 0);
  EXPECT_EQ(value_of(load_code(object, {}))->processor(), "gfx906");
  EXPECT_EQ(value_of(load_code(bundle, {"gfx803", {}}))->processor(), "gfx803");
  EXPECT_EQ(value_of(load_code(bundle, {"gfx906", {}}))->processor(), "gfx906");
  EXPECT_HAS(error_of(load_code(bundle, {"gfx900", {}})), "it holds: gfx803, gfx906");
  EXPECT_HAS(error_of(load_code(object, {"gfx803", {}})), "holds code for gfx906, not gfx803");
  EXPECT_HAS(error_of(load_code(object, {"", {"-O0"}})), "is not compiled by clang");
}

TEST(Compile, LeavesNoFilesBehind) {
  const auto count = [] {
    size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::getenv("TMPDIR")))
      n += entry.exists();
    return n;
  };
  auto folder = TemporaryFolder::create();
  ASSERT_TRUE(static_cast<bool>(folder));
  const char* old = std::getenv("TMPDIR");
  const std::string before = old ? old : "";
  setenv("TMPDIR", folder->path().c_str(), 1);
  const size_t own = count(); // that it is in use
  value_of(load_code(inputs + "/vadd.cl", {}));
  value_of(load_code(inputs + "/twice.s", {}));
  error_of(load_code(inputs + "/broken.cl", {}));
  EXPECT_EQ(count(), own);
  if (old)
    setenv("TMPDIR", before.c_str(), 1);
  else
    unsetenv("TMPDIR");
}

TEST(Compile, ToolsAreFoundByName) {
  setenv("CROSSLANE_CLANG", "no-such-clang", 1);
  EXPECT_HAS(error_of(load_code(inputs + "/vadd.cl", {})), "CROSSLANE_CLANG=no-such-clang: there is no such program");
  setenv("CROSSLANE_CLANG", "/bin/false", 1);
  EXPECT_EQ(error_of(load_code(inputs + "/vadd.cl", {})), "/bin/false: ended with status 1 and said nothing");
  setenv("CROSSLANE_CLANG", "/bin/true", 1);
  EXPECT_HAS(error_of(load_code(inputs + "/vadd.cl", {})), "/bin/true: ended well and wrote no code");
  unsetenv("CROSSLANE_CLANG");
}

} // namespace
} // namespace crosslane::toolchain
