// What is read out of programs. The programs are tests/cli/guest.c, linked in different ways.
#include "cli/run/program.h"
#include "files/read.h"
#include "files/write.h"
#include "tests/expected.h"
#include "toolchain/temporary_folder.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace crosslane::cli {
namespace {

using namespace test;

namespace fs = std::filesystem;

std::string guest(const char* name) { return std::string(GUESTS) + "/" + name; }

TEST(Program, Dynamic) {
  const Program program = inspect_program(guest("cli_plain_guest"));
  EXPECT_TRUE(program.elf && program.is_64_bit && program.dynamic);
  EXPECT_FALSE(program.privileged);
  EXPECT_EQ(program.libraries, std::vector<std::string>{"libc.so.6"});
  EXPECT_TRUE(program.rpath.empty() && program.runpath.empty());
  EXPECT_TRUE(warnings(program).empty());
}

TEST(Program, PathsOfItsOwn) {
  const std::vector<std::string> own = {fs::canonical(GUESTS).string() + "/own", "/opt/other"};
  const Program before = inspect_program(guest("cli_rpath_guest")), after = inspect_program(guest("cli_runpath_guest"));
  EXPECT_EQ(before.rpath, own);
  EXPECT_TRUE(before.runpath.empty());
  EXPECT_EQ(after.runpath, own);
  EXPECT_TRUE(after.rpath.empty());
}

TEST(Program, Static) {
  const Program program = inspect_program(guest("cli_static_guest"));
  EXPECT_TRUE(program.elf && program.is_64_bit);
  EXPECT_FALSE(program.dynamic);
  ASSERT_EQ(warnings(program).size(), 1u);
  EXPECT_HAS(warnings(program)[0], "cli_static_guest is statically linked");
}

TEST(Program, OtherFiles) {
  auto folder = llvm::cantFail(toolchain::TemporaryFolder::create());
  const auto inspect = [&](const std::string& bytes) {
    const std::string path = folder.path("x");
    EXPECT_EQ(error_of(files::write(path, bytes)), "");
    return inspect_program(path);
  };
  EXPECT_FALSE(inspect("#!/bin/sh\ntrue\n").elf);
  EXPECT_TRUE(warnings(inspect("#!/bin/sh\ntrue\n")).empty());
  EXPECT_FALSE(inspect("").elf);
  EXPECT_FALSE(inspect("\x7f"
                       "ELF")
                   .elf);
  EXPECT_FALSE(inspect_program(folder.path("none")).elf);
  const auto bytes = value_of(files::read(guest("cli_plain_guest")));
  std::string elf(bytes.begin(), bytes.end());
  // Every part of a program, as if it were all of it: nothing of what is missing is read.
  for (size_t size = 64; size < elf.size(); size += 97)
    (void)inspect(elf.substr(0, size));
  elf[4] = 1; // ELFCLASS32
  const Program narrow = inspect(elf);
  EXPECT_TRUE(narrow.elf && !narrow.is_64_bit);
  ASSERT_EQ(warnings(narrow).size(), 1u);
  EXPECT_HAS(warnings(narrow)[0], "is not an x86-64 program");
  Program other = inspect_program(guest("cli_plain_guest"));
  other.privileged = true;
  ASSERT_EQ(warnings(other).size(), 1u);
  EXPECT_HAS(warnings(other)[0], "set-user-ID");
}

TEST(Program, Found) {
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_TRUE(find_program("sh").ends_with("/sh"));
  EXPECT_EQ(find_program("no-such-program"), "");
  EXPECT_EQ(find_program("/etc/passwd"), "");
  EXPECT_EQ(find_program("/etc"), "");
}

} // namespace
} // namespace crosslane::cli
