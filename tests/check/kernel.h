// Helpers of the check tests: a kernel of a few instructions, launched on one workgroup.
#pragma once
#include "check/late.h"
#include "launch/launch.h"
#include "tests/expected.h"
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace crosslane::test {

inline std::string kernel(const std::string& body, const std::string& items) {
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
  .amdhsa_group_segment_fixed_size 1000
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1000
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: )" +
         items + R"(
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
...
.end_amdgpu_metadata
)";
}

inline constexpr const char* addresses = R"(s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v0, 2, v0
  v_mov_b32 v5, 0
)";

// `groups` workgroups of `items`. Of in = 0, 1, 2 ...; `out` gets what the kernel leaves in out[0..items-1].
inline launch::Result launched(const std::string& body, launch::Job job, std::vector<uint32_t>* out = nullptr,
                               int items = 64, int groups = 1) {
  const std::string block = std::to_string(items), n = std::to_string(items * groups);
  const auto folder = std::filesystem::temp_directory_path() / ("check-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string source = folder / "k.s", result = folder / "out.bin";
  std::ofstream(source) << kernel(addresses + body, block);
  job.file = source;
  job.grid = value_of(launch::parse_sizes(n, "grid"));
  if (!job.block.dims)
    job.block = value_of(launch::parse_sizes(block, "block"));
  if (job.arguments.empty())
    job.arguments = {"in=u32[" + n + "]:iota", "out=u32[" + n + "]"};
  job.out = {"out=" + result};
  auto outcome = value_of(launch::launch(job, {}));
  std::ifstream in(result, std::ios::binary);
  uint32_t item = 0;
  while (out && in.read(reinterpret_cast<char*>(&item), 4))
    out->push_back(item);
  std::filesystem::remove_all(folder);
  return outcome;
}

// The ids of the rules that `checks` find in it.
inline std::vector<std::string> rules_found(const std::string& checks, const std::string& body, int items = 64) {
  launch::Job job;
  job.check = checks;
  const launch::Result result = launched(body, job, nullptr, items);
  EXPECT_TRUE(result.judged);
  std::vector<std::string> rules;
  if (result.judged)
    for (const lint::PlacedFinding& f : result.judged->findings)
      rules.push_back(lint::id_of(f.rule));
  return rules;
}

} // namespace crosslane::test
