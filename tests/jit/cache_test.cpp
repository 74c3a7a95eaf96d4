// Code that one process compiled, in others: each run is a child of its own, in which the JIT begins anew.
#include "jit/jit.h"
#include "tests/engine/kernel_fixture.h"
#include "tests/files/scratch_folder.h"
#include <algorithm>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::test {
namespace {

namespace fs = std::filesystem;

// c[i] = i + its argument, by way of a constant of the text section, whose address depends on where the code is; and
// the 0 that atomics add, which handlers of the interpreter do.
std::string add_text(const std::string& constant, const std::string& early = "") {
  return early + R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  s_load_dword s10, s[0:1], 0x8
  s_getpc_b64 s[12:13]
here:
  s_add_u32 s12, s12, constant-here
  s_addc_u32 s13, s13, 0
  s_load_dword s14, s[12:13], 0x0
  s_lshl_b32 s2, s2, 6
  add_u32 v3, s2, v0
  s_waitcnt lgkmcnt(0)
  s_add_u32 s10, s10, s14
  add_u32 v4, s10, v3
  v_lshlrev_b32 v3, 2, v3
  address 6, 8, v3
  flat_store_dword v[6:7], v4
  s_waitcnt vmcnt(0)
  v_mov_b32 v8, 0
  flat_atomic_add v[6:7], v8
  s_endpgm
  .p2align 3
constant:
  .long )" +
         constant + "\n";
}

class CacheTest : public testing::Test {
protected:
  using Environment = std::map<std::string, std::string>;

  // In a process of its own. CROSSLANE_JIT is always, and the cache a folder of this test's, unless it says otherwise.
  void in_process(const std::function<void()>& body, Environment more = {}) {
    Environment all = {{"CROSSLANE_JIT", "always"}, {"CROSSLANE_CACHE_DIR", folder()}, {"CROSSLANE_CACHE", "on"}};
    more.merge(all);
    const pid_t child = fork();
    if (!child) {
      for (const auto& [name, value] : more)
        value == "(none)" ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
      body();
      _exit(HasFailure());
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

  // `add`: what the constant is.
  static void run(const Kernel& kernel, uint32_t add, uint32_t groups = 4) {
    machine::Memory memory;
    Buffer<uint32_t> out(memory, groups * 64);
    EXPECT_NO_FAULT(kernel.run({{groups * 64, 1, 1}, {64, 1, 1}}, {out.address(), 100}));
    for (uint32_t i = 0; i < groups * 64; ++i)
      EXPECT_EQ(out[i], i + 100 + add);
  }
  static void expect(uint64_t compiled, uint64_t loaded, uint64_t kept) {
    const jit::Stats stats = jit::stats();
    EXPECT_EQ(stats.units, compiled) << stats.why;
    EXPECT_EQ(stats.loaded, loaded) << stats.cache_trouble;
    EXPECT_EQ(stats.kept, kept) << stats.cache_trouble;
    EXPECT_EQ(stats.differing, 0u);
    EXPECT_EQ(stats.left, 0u);
  }
  static bool has_compiler() {
    const fs::path here = fs::canonical("/proc/self/exe").parent_path();
    return dlopen((here / "../lib/libcrosslane_jit.so").c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr;
  }
  // Of a kernel that adds 5: its first run.
  void first_run() {
    in_process([] {
      run(Kernel(isa::Target::gfx900, add_text("5")), 5);
      expect(1, 0, 1);
      EXPECT_TRUE(has_compiler());
    });
  }

  fs::path folder() const { return scratch_ / "cache"; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    if (fs::exists(folder()))
      for (const auto& entry : fs::directory_iterator(folder()))
        if (entry.path().filename().string().size() == 64)
          out.push_back(entry.path());
    return out;
  }
  static std::string contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const ScratchFolder scratch_;
};

TEST_F(CacheTest, TheSecondRunStartsCompiledWithoutTheCompiler) {
  first_run();
  EXPECT_EQ(files().size(), 1u);
  for (const char* policy : {"always", "on"})
    in_process(
        [] {
          const Kernel kernel(isa::Target::gfx900, add_text("5"));
          run(kernel, 5);
          expect(0, 1, 0);
          EXPECT_GT(jit::stats().entered + jit::stats().ranged, 0u);
          EXPECT_FALSE(has_compiler());
          run(kernel, 5);
          expect(0, 1, 0);
        },
        {{"CROSSLANE_JIT", policy}});
}

TEST_F(CacheTest, CodeMayBeElsewhere) {
  first_run();
  in_process([] {
    const Kernel first(isa::Target::gfx900, add_text("5")), second(isa::Target::gfx900, add_text("5"));
    ASSERT_NE(first.entry(), second.entry());
    run(first, 5), run(second, 5);
    expect(0, 2, 0);
  });
}

TEST_F(CacheTest, OtherCodeIsOtherCode) {
  first_run();
  in_process([] {
    run(Kernel(isa::Target::gfx900, add_text("5", "s_nop 1\n")), 5);
    expect(1, 0, 1);
    run(Kernel(isa::Target::gfx906, add_text("5")), 5);
    expect(2, 0, 2);
  });
  EXPECT_EQ(files().size(), 3u);
}

// Of a constant of the text section, compiled code knows nothing but the address.
TEST_F(CacheTest, ConstantsAreRead) {
  first_run();
  in_process([] {
    run(Kernel(isa::Target::gfx900, add_text("6")), 6);
    expect(0, 1, 0);
  });
}

// Alike up to the first s_endpgm, which is all that a file's name knows of.
TEST_F(CacheTest, WhatComesBehindTheFirstEndIsCompared) {
  const auto text = [](const std::string& more) {
    return add_text("5", R"(
  s_cmp_eq_u32 s2, 0
  s_cbranch_scc0 more
  s_branch on
more:
  s_branch behind
on:
)") + R"(
behind:
  )" + more +
           R"(
  s_branch on
)";
  };
  // One of them leaves compiled code there.
  for (const char* const other : {"s_nop 2", "s_sleep 1"}) {
    in_process([&] {
      run(Kernel(isa::Target::gfx900, text("s_nop 1")), 5);
      expect(1, 0, 1);
    });
    EXPECT_EQ(files().size(), 1u);
    in_process([&] {
      run(Kernel(isa::Target::gfx900, text(other)), 5);
      expect(1, 0, 1); // in the other's place
    });
    EXPECT_EQ(files().size(), 1u);
    in_process([&] {
      run(Kernel(isa::Target::gfx900, text(other)), 5);
      run(Kernel(isa::Target::gfx900, text("s_nop 1")), 5);
      expect(1, 1, 1);
    });
    in_process([&] {
      run(Kernel(isa::Target::gfx900, text(other)), 5);
      expect(1, 0, 1);
    });
  }
}

TEST_F(CacheTest, ADamagedFileIsRemovedAndMadeAnew) {
  first_run();
  const fs::path file = files().at(0);
  const std::string good = contents(file);
  for (const size_t size : {size_t(0), good.size() / 2, good.size()}) {
    std::string damaged = good.substr(0, size);
    if (size == good.size())
      damaged[size / 2] ^= 1;
    std::ofstream(file, std::ios::binary | std::ios::trunc) << damaged;
    in_process(
        [&] {
          run(Kernel(isa::Target::gfx900, add_text("5")), 5);
          expect(0, 0, 0);
          EXPECT_FALSE(fs::exists(file));
        },
        {{"CROSSLANE_JIT", "on"}});
    first_run();
    EXPECT_EQ(contents(file), good);
  }
}

// Whatever was compiled before, which LLVM's tables still have. tests/cli looks at processes with other addresses.
TEST_F(CacheTest, CompilingGivesTheSameBytesInAnyOrder) {
  std::vector<int> order = {0, 1, 2};
  std::map<std::string, std::string> made[2];
  for (auto& all : made) {
    in_process([&] {
      for (const int n : order)
        run(Kernel(isa::Target::gfx900, add_text("5", "s_nop " + std::to_string(n) + "\n")), 5);
    });
    for (const fs::path& file : files())
      all[file.filename()] = contents(file);
    fs::remove_all(folder());
    std::ranges::reverse(order);
  }
  EXPECT_EQ(made[0].size(), 3u);
  EXPECT_EQ(made[0], made[1]);
}

TEST_F(CacheTest, VerifyCompilesAgain) {
  first_run();
  in_process(
      [] {
        run(Kernel(isa::Target::gfx900, add_text("5")), 5);
        expect(1, 0, 0);
        EXPECT_EQ(jit::stats().verified, 1u);
        EXPECT_EQ(jit::compiler()->refusal(), "");
      },
      {{"CROSSLANE_CACHE", "verify"}});
}

// Whether it was compiled here or not.
TEST_F(CacheTest, PerfIsToldOfCode) {
  for (const char* policy : {"always", "on"})
    in_process(
        [] {
          const fs::path map = "/tmp/perf-" + std::to_string(getpid()) + ".map";
          fs::remove(map);
          run(Kernel(isa::Target::gfx900, add_text("5")), 5);
          uint64_t begin = 0, bytes = 0;
          char name[64] = "";
          EXPECT_EQ(sscanf(contents(map).c_str(), "%lx %lx %63[^\n]", &begin, &bytes, name), 3) << contents(map);
          EXPECT_STREQ(name, "k [crosslane]");
          EXPECT_GT(bytes, 100u);
          EXPECT_EQ(fs::status(map).permissions(), fs::perms::owner_read | fs::perms::owner_write);
          fs::remove(map);
          // /tmp is everybody's: what others may have put there is left alone.
          const fs::path other = map.string() + ".other";
          std::ofstream(other) << "kept";
          fs::create_symlink(other, map);
          run(Kernel(isa::Target::gfx900, add_text("5")), 5);
          fs::remove(map);
          fs::create_hard_link(other, map);
          run(Kernel(isa::Target::gfx900, add_text("5")), 5);
          EXPECT_EQ(contents(other), "kept");
          fs::remove(map), fs::remove(other);
        },
        {{"CROSSLANE_JIT", policy}, {"CROSSLANE_JIT_PERF", "1"}});
  in_process([] {
    run(Kernel(isa::Target::gfx900, add_text("5")), 5);
    EXPECT_FALSE(fs::exists("/tmp/perf-" + std::to_string(getpid()) + ".map"));
  });
}

TEST_F(CacheTest, OffIsOff) {
  in_process([] { run(Kernel(isa::Target::gfx900, add_text("5")), 5), expect(1, 0, 0); }, {{"CROSSLANE_CACHE", "off"}});
  EXPECT_FALSE(fs::exists(folder()));
  first_run();
  in_process([] { run(Kernel(isa::Target::gfx900, add_text("5")), 5), expect(1, 0, 0); }, {{"CROSSLANE_CACHE", "off"}});
}

TEST_F(CacheTest, PlacesOfTheFolder) {
  const std::string home = scratch_ / "home", xdg = scratch_ / "xdg";
  fs::create_directory(home), fs::create_directory(xdg);
  const auto kept_in = [&](Environment environment, const std::string& place, const std::string& trouble = "") {
    environment.merge(Environment{{"CROSSLANE_CACHE_DIR", "(none)"}, {"XDG_CACHE_HOME", "(none)"}, {"HOME", home}});
    in_process(
        [&] {
          run(Kernel(isa::Target::gfx900, add_text("5")), 5);
          EXPECT_EQ(jit::stats().kept, place.empty() ? 0u : 1u);
          EXPECT_EQ(jit::stats().cache_trouble, trouble);
          if (!place.empty())
            EXPECT_EQ(jit::stats().cache_folder, place);
        },
        std::move(environment));
  };
  kept_in({}, home + "/.cache/crosslane");
  kept_in({{"XDG_CACHE_HOME", xdg}}, xdg + "/crosslane");
  fs::remove_all(home + "/.cache");
  kept_in({{"XDG_CACHE_HOME", "relative"}}, home + "/.cache/crosslane");
  kept_in({{"HOME", "(none)"}}, "", "there is no HOME to have it in");
  kept_in({{"HOME", ""}}, "", "there is no HOME to have it in");
  kept_in({{"CROSSLANE_CACHE_DIR", "relative"}}, "", "its folder, 'relative', is no absolute path");
  kept_in({{"HOME", scratch_ / "none"}}, "", scratch_ / "none/.cache/crosslane: No such file or directory");
  EXPECT_FALSE(fs::exists(scratch_ / "none"));
}

TEST_F(CacheTest, WordsThatNobodyKnowsAreRefused) {
  const auto refused = [&](const Environment& environment, const std::string& why) {
    in_process([&] { EXPECT_EQ(jit::compiler()->refusal(), why); }, environment);
  };
  refused({{"CROSSLANE_CACHE", "yes"}}, "CROSSLANE_CACHE is 'yes'; it must be on, off or verify, or not set");
  refused({{"CROSSLANE_CACHE_SIZE", "much"}},
          "CROSSLANE_CACHE_SIZE is 'much'; it must be a number of bytes such as 64M or 1G");
  refused({{"CROSSLANE_CACHE_SIZE", "1M"}}, "");
}

TEST_F(CacheTest, NoMoreThanThereMayBe) {
  in_process(
      [] {
        for (int n = 0; n < 10; ++n)
          run(Kernel(isa::Target::gfx900, add_text("5", "s_nop " + std::to_string(n) + "\n")), 5);
        expect(10, 0, 10);
      },
      {{"CROSSLANE_CACHE_SIZE", "20K"}});
  uint64_t sum = 0;
  for (const fs::path& file : files())
    sum += fs::file_size(file);
  EXPECT_LE(sum, 20u << 10);
  EXPECT_GE(files().size(), 2u);
}

TEST_F(CacheTest, ProcessesAtOnce) {
  std::vector<pid_t> all;
  for (int p = 0; p < 4; ++p)
    if (all.push_back(fork()); !all.back()) {
      for (int i = 0; i < 3; ++i)
        in_process([&] {
          for (int n = 0; n < 4; ++n)
            run(Kernel(isa::Target::gfx900, add_text("5", "s_nop " + std::to_string((n + p) % 4) + "\n")), 5);
          EXPECT_EQ(jit::stats().units + jit::stats().loaded, 4u);
        });
      _exit(HasFailure());
    }
  for (const pid_t child : all) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files().size(), 4u);
}

} // namespace
} // namespace crosslane::test
