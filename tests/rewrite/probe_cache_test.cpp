// Code objects with probes that earlier runs made: what is found is what instrumenting gives, whatever became of the
// files.
#include "profile/probe_compiler.h"
#include "rewrite/probe_cache.h"
#include "tests/files/scratch_folder.h"
#include "toolchain/compile.h"
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crosslane::rewrite {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

constexpr std::string_view source = R"(
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 L
  v_mov_b32 v0, 1
L:
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 9
.end_amdhsa_kernel
)";

class ProbeCacheTest : public testing::Test {
protected:
  void SetUp() override {
    auto object = toolchain::load_code({reinterpret_cast<const uint8_t*>(source.data()), source.size()}, "k.s", {});
    ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
    object_ = std::move(*object);
  }
  files::CacheSettings settings(files::CacheUse use = files::CacheUse::on) const {
    return {.use = use, .folder = scratch_ / "kept"};
  }
  // As another process would.
  Result run(const Options& options, ProbeStats& stats, files::CacheUse use = files::CacheUse::on) const {
    ProbeCache cache(settings(use));
    auto result = cache.instrument(*object_, options);
    stats = cache.stats();
    if (result)
      return std::move(*result);
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  // It is what instrumenting gives.
  void expect_right(const Result& result, const Options& options) const {
    auto fresh = instrument(*object_, options);
    ASSERT_TRUE(bool(fresh)) << llvm::toString(fresh.takeError());
    EXPECT_EQ(result.bytes, fresh->bytes);
    ASSERT_EQ(result.kernels.size(), fresh->kernels.size());
    for (size_t k = 0; k < result.kernels.size(); ++k) {
      EXPECT_EQ(result.kernels[k].kernel, fresh->kernels[k].kernel);
      EXPECT_EQ(result.kernels[k].refused, fresh->kernels[k].refused);
      EXPECT_EQ(result.kernels[k].added, fresh->kernels[k].added);
    }
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(scratch_ / "kept"))
      if (entry.path().filename().string().size() == 64)
        all.push_back(entry.path());
    return all;
  }
  static std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void put(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc).write(bytes.data(), std::streamsize(bytes.size()));
  }

  const ScratchFolder scratch_;
  std::unique_ptr<codeobject::CodeObject> object_;
  const Options divergence_{.probes = {.divergence = true}, .wanted = {}, .compiler = {}};
  ProbeStats stats_;
};

TEST_F(ProbeCacheTest, FindsWhatItKept) {
  expect_right(run(divergence_, stats_), divergence_);
  EXPECT_EQ(stats_.made, 1u);
  EXPECT_EQ(stats_.kept, 1u);
  EXPECT_EQ(stats_.found, 0u);
  expect_right(run(divergence_, stats_), divergence_);
  EXPECT_EQ(stats_.made, 0u);
  EXPECT_EQ(stats_.found, 1u);
  EXPECT_EQ(stats_.trouble, "");
  EXPECT_NE(text(stats_).find("instrumented: 1 found with probes in the cache"), std::string::npos) << text(stats_);
  EXPECT_NE(text(stats_).find("; probes are at 1 of 1 branches (100.0 %) of their code"), std::string::npos);
  EXPECT_EQ(fs::status(scratch_ / "kept").permissions(), fs::perms::owner_all);
}

TEST_F(ProbeCacheTest, WhatChangesTheCodeChangesTheFile) {
  const UserProbe user{.name = "a.s", .text = "count %c0\n", .source = {}, .at = *parse_places("block", "--at")};
  UserProbe elsewhere = user, other = user;
  elsewhere.at = *parse_places("edge", "--at");
  other.text = "count %c1\n";
  std::vector<Options> all(8, divergence_);
  all[1].probes = {.blocks = true};
  all[2].probes = {.memory = true};
  all[3].probes = {.memory = true, .trace_bytes = 4096};
  all[4].probes = {.user = user}, all[5].probes = {.user = elsewhere}, all[6].probes = {.user = other};
  all[7].shuffle = 3;
  for (size_t i = 0; i < all.size(); ++i) {
    expect_right(run(all[i], stats_), all[i]);
    EXPECT_EQ(stats_.made, 1u) << i;
    EXPECT_EQ(entries().size(), i + 1);
  }
  for (const Options& options : all) {
    expect_right(run(options, stats_), options);
    EXPECT_EQ(stats_.found, 1u);
  }
}

TEST_F(ProbeCacheTest, WhereNoKernelIsWantedNothingIsMade) {
  Options none = divergence_;
  none.wanted = [](const codeobject::Kernel&) { return false; };
  EXPECT_TRUE(run(none, stats_).kernels.empty());
  EXPECT_EQ(stats_.made, 0u);
  EXPECT_FALSE(fs::exists(scratch_ / "kept"));
}

TEST_F(ProbeCacheTest, BelievesNoDamagedFile) {
  run(divergence_, stats_);
  ASSERT_EQ(entries().size(), 1u);
  const fs::path file = entries()[0];
  const std::string whole = contents(file);
  std::vector<std::string> damaged = {"", whole.substr(0, 7), whole.substr(0, whole.size() - 1), whole + "x"};
  for (size_t at = 0; at < whole.size(); at += 1 + whole.size() / 40) {
    damaged.push_back(whole);
    damaged.back()[at] ^= 0x10;
  }
  for (const std::string& bytes : damaged) {
    put(file, bytes);
    expect_right(run(divergence_, stats_), divergence_);
    EXPECT_EQ(stats_.made, 1u);
    EXPECT_EQ(contents(file), whole); // in its place
  }
  // Another one's file under this name.
  run({.probes = {.blocks = true}, .wanted = {}, .compiler = {}}, stats_);
  for (const fs::path& other : entries())
    if (other != file)
      put(file, contents(other));
  expect_right(run(divergence_, stats_), divergence_);
  EXPECT_EQ(stats_.made, 1u);
}

TEST_F(ProbeCacheTest, VerifyTellsASoundFileThatIsWrong) {
  run(divergence_, stats_);
  const fs::path file = entries().at(0);
  expect_right(run(divergence_, stats_, files::CacheUse::verify), divergence_);
  EXPECT_EQ(stats_.verified, 1u);
  // As a mistake of ours would write it.
  std::string bytes = contents(file);
  bytes[bytes.size() - 33] ^= 1;
  const std::string_view before(bytes.data(), bytes.size() - 32);
  const auto hash = llvm::BLAKE3::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(before.data()), before.size()));
  std::copy(hash.begin(), hash.end(), bytes.end() - 32);
  put(file, bytes);
  expect_right(run(divergence_, stats_, files::CacheUse::verify), divergence_);
  EXPECT_EQ(stats_.differing, 1u);
  EXPECT_NE(text(stats_).find("0 code object(s) are as the cache has them, 1 are not"), std::string::npos);
}

TEST_F(ProbeCacheTest, DoesWithoutAFolder) {
  expect_right(run(divergence_, stats_, files::CacheUse::off), divergence_);
  EXPECT_FALSE(fs::exists(scratch_ / "kept"));
  fs::create_directory(scratch_ / "kept");
  fs::permissions(scratch_ / "kept", fs::perms::all);
  expect_right(run(divergence_, stats_), divergence_);
  EXPECT_NE(stats_.trouble.find("is open to others for writing"), std::string::npos) << stats_.trouble;
  EXPECT_TRUE(entries().empty());
}

TEST_F(ProbeCacheTest, ManyProcesses) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i)
    if (const pid_t child = fork(); child) {
      children.push_back(child);
    } else {
      for (int n = 0; n < 4; ++n)
        expect_right(run(divergence_, stats_), divergence_);
      _exit(HasFailure());
    }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(ProbeCacheTest, OfASourceOnlyItsIntermediateCodeIsMade) {
  put(scratch_ / "probe.cl", "#include \"part.h\"\nuint probe(void) { return STEP; }\n");
  const auto with_step = [&](int step, size_t compiled) {
    put(scratch_ / "part.h", "#define STEP " + std::to_string(step) + "\n");
    Options options = divergence_;
    options.probes = {
        .user = UserProbe{
            .name = "probe.cl", .text = {}, .source = scratch_ / "probe.cl", .at = *parse_places("entry", "--at")}};
    options.compiler = profile::probe_compiler();
    size_t made = 0;
    options.compiler.code = [&made, code = options.compiler.code](const auto&... arguments) {
      ++made;
      return code(arguments...);
    };
    run(options, stats_);
    EXPECT_EQ(made, compiled) << step;
  };
  with_step(1, 1), with_step(2, 1), with_step(1, 0), with_step(2, 0);
}

} // namespace
} // namespace crosslane::rewrite
