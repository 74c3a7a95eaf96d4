// Late return: code that waits gives what it always gives, code that does not gets poison.
#include "tests/expected.h"
#include "check/late.h"
#include "launch/launch.h"
#include "toolchain/compile.h"
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace crosslane::test {

namespace {

std::string kernel(const std::string& body) {
  return ".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n" + body +
         R"(
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 16
  .amdhsa_group_segment_fixed_size 1024
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
)";
}

constexpr const char* addresses = R"(s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v0, 2, v0
  v_mov_b32 v5, 0
)";

// What the kernel leaves in out[0..63] of in = 0, 1, 2 ...; the number of items that are poison, or else wrong.
struct Wrong {
  int poison = 0, other = 0;
  bool operator==(const Wrong&) const = default;
};
void PrintTo(const Wrong& w, std::ostream* out) { *out << w.poison << " poison, " << w.other << " other"; }

Wrong wrong(const std::string& body, bool late = true) {
  const auto folder = std::filesystem::temp_directory_path() / ("late-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string source = folder / "k.s", result = folder / "out.bin";
  std::ofstream(source) << kernel(addresses + body);
  launch::Job job;
  job.file = source, job.late = late;
  job.grid = value_of(launch::parse_sizes("64", "grid")), job.block = value_of(launch::parse_sizes("64", "block"));
  job.arguments = {"in=u32[64]:iota", "out=u32[64]"};
  job.out = {"out=" + result};
  Wrong w;
  auto outcome = launch::launch(job, {});
  EXPECT_EQ(error_of(std::move(outcome)), "");
  std::ifstream in(result, std::ios::binary);
  uint32_t item = 0, read = 0;
  for (; in.read(reinterpret_cast<char*>(&item), 4); ++read)
    (item == check::poison ? w.poison : w.other) += item != read;
  EXPECT_EQ(read, 64u);
  std::filesystem::remove_all(folder);
  return w;
}

} // namespace

TEST(Late, LeavesCodeThatWaitsAlone) {
  EXPECT_EQ(wrong(R"(global_load_dword v1, v0, s[4:5]
  s_waitcnt vmcnt(0)
  global_store_dword v0, v1, s[6:7])"),
            Wrong{});
  EXPECT_EQ(wrong(R"(global_load_dword v1, v0, s[4:5]
  global_load_dword v2, v0, s[4:5]
  global_load_dword v3, v0, s[4:5]
  s_waitcnt vmcnt(2)
  global_store_dword v0, v1, s[6:7])"),
            Wrong{});
}

TEST(Late, ShowsThatNobodyWaits) {
  const std::string body = R"(global_load_dword v1, v0, s[4:5]
  global_store_dword v0, v1, s[6:7])";
  EXPECT_EQ(wrong(body), (Wrong{64, 0}));
  EXPECT_EQ(wrong(body, false), Wrong{});
}

TEST(Late, CountsLoadsInTheirOrder) {
  const std::string body = R"(global_load_dword v1, v0, s[4:5]
  global_load_dword v2, v0, s[4:5]
  s_waitcnt vmcnt(1)
  global_store_dword v0, )";
  EXPECT_EQ(wrong(body + "v1, s[6:7]"), Wrong{});
  EXPECT_EQ(wrong(body + "v2, s[6:7]"), (Wrong{64, 0}));
}

TEST(Late, ScalarLoadsComeInNoOrder) {
  const std::string body = R"(s_load_dword s8, s[4:5], 0x0
  s_load_dword s9, s[4:5], 0x4
  s_waitcnt lgkmcnt({})
  v_mov_b32 v1, s8
  v_lshrrev_b32 v2, 2, v0
  v_add_u32 v1, v1, v2
  global_store_dword v0, v1, s[6:7])";
  std::string waits = body, waits_for_one = body;
  waits.replace(waits.find("{}"), 2, "0"), waits_for_one.replace(waits_for_one.find("{}"), 2, "1");
  EXPECT_EQ(wrong(waits), Wrong{});
  const Wrong w = wrong(waits_for_one);
  EXPECT_EQ(w.poison + w.other, 64);
}

TEST(Late, LdsWaitsForItsOwn) {
  const std::string body = R"(v_lshrrev_b32 v1, 2, v0
  ds_write_b32 v0, v1
  ds_read_b32 v2, v0
  {}
  global_store_dword v0, v2, s[6:7])";
  std::string waits = body, none = body;
  waits.replace(waits.find("{}"), 2, "s_waitcnt lgkmcnt(0)"), none.replace(none.find("{}"), 2, "s_nop 7");
  EXPECT_EQ(wrong(waits), Wrong{});
  EXPECT_EQ(wrong(none), (Wrong{64, 0}));
}

// What is loaded comes over what was written in the meantime.
TEST(Late, ALoadOverwritesWhatCameBeforeIt) {
  const std::string body = R"(global_load_dword v1, v5, s[4:5]
  v_lshrrev_b32 v1, 2, v0
  s_waitcnt vmcnt(0)
  global_store_dword v0, v1, s[6:7])";
  EXPECT_EQ(wrong(body, false), Wrong{});
  EXPECT_EQ(wrong(body), (Wrong{0, 63}));
}

// 64 loads: the first has come, or the last could not have been issued.
TEST(Late, AFullCounterHoldsTheNextBack) {
  std::string body = "global_load_dword v1, v0, s[4:5]\n";
  for (int n = 0; n < 62; ++n)
    body += "global_load_dword v2, v0, s[4:5]\n";
  EXPECT_EQ(wrong(body + "global_store_dword v0, v1, s[6:7]"), (Wrong{64, 0}));
  EXPECT_EQ(wrong(body + "global_load_dword v2, v0, s[4:5]\nglobal_store_dword v0, v1, s[6:7]"), Wrong{});
}

} // namespace crosslane::test
