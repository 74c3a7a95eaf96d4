// The kernarg segment. Offsets and sizes are those of LLVM AMDGPUUsage, "AMDHSA Code Object V5 Metadata", written out.
#include "launch/kernarg.h"
#include "tests/expected.h"
#include "toolchain/compile.h"
#include <cstring>
#include <map>

namespace crosslane::launch {
namespace {

using test::error_of;
using test::value_of;

codeobject::KernelArgument argument(const char* kind, uint32_t offset, uint32_t size) {
  codeobject::KernelArgument a;
  a.value_kind = kind, a.offset = offset, a.size = size;
  return a;
}

uint64_t read(const KernargLayout& layout, uint32_t offset, uint32_t size) {
  uint64_t value = 0;
  std::memcpy(&value, layout.bytes.data() + offset, size);
  return value;
}

LaunchShape uneven() {
  LaunchShape shape;
  shape.grid[0] = 1000, shape.grid[1] = 7, shape.grid[2] = 3;
  shape.block[0] = 64, shape.block[1] = 4, shape.block[2] = 1;
  shape.offset[0] = 0x123456789a, shape.offset[1] = 5, shape.offset[2] = 6;
  shape.dims = 3;
  shape.extra_lds = 100;
  return shape;
}

TEST(Kernarg, HiddenArgumentsOfVersion5) {
  codeobject::Kernel kernel;
  kernel.name = "k";
  kernel.group_segment_fixed_size = 40;
  const uint32_t base = 24; // after three explicit pointers
  struct Row {
    const char* kind;
    uint32_t offset, size;
    uint64_t value;
  };
  static constexpr Row rows[] = {
      {"hidden_block_count_x", 0, 4, 15}, // 1000 = 15 * 64 + 40
      {"hidden_block_count_y", 4, 4, 1},  // 7 = 1 * 4 + 3
      {"hidden_block_count_z", 8, 4, 3},
      {"hidden_group_size_x", 12, 2, 64},
      {"hidden_group_size_y", 14, 2, 4},
      {"hidden_group_size_z", 16, 2, 1},
      {"hidden_remainder_x", 18, 2, 40},
      {"hidden_remainder_y", 20, 2, 3},
      {"hidden_remainder_z", 22, 2, 0},
      {"hidden_global_offset_x", 40, 8, 0x123456789a},
      {"hidden_global_offset_y", 48, 8, 5},
      {"hidden_global_offset_z", 56, 8, 6},
      {"hidden_grid_dims", 64, 2, 3},
      {"hidden_printf_buffer", 72, 8, 0},
      {"hidden_hostcall_buffer", 80, 8, 0},
      {"hidden_multigrid_sync_arg", 88, 8, 0},
      {"hidden_heap_v1", 96, 8, 0},
      {"hidden_default_queue", 104, 8, 0},
      {"hidden_completion_action", 112, 8, 0},
      {"hidden_dynamic_lds_size", 120, 4, 100},
      {"hidden_private_base", 192, 4, 0x2001},
      {"hidden_shared_base", 196, 4, 0x2000},
      {"hidden_queue_ptr", 200, 8, 0xabcd},
  };
  for (const auto& row : rows)
    kernel.arguments.push_back(argument(row.kind, base + row.offset, row.size));
  kernel.kernarg_segment_size = base + 256;
  const auto layout = value_of(make_kernarg(kernel, {}, uneven(), {{}, 0x2000, 0x2001, 0xabcd}));
  ASSERT_EQ(layout.bytes.size(), base + 256);
  for (const auto& row : rows)
    EXPECT_EQ(read(layout, base + row.offset, row.size), row.value) << row.kind;
  EXPECT_EQ(layout.lds_bytes, 140u);
}

TEST(Kernarg, ExplicitArgumentsAndLds) {
  codeobject::Kernel kernel;
  kernel.name = "k";
  kernel.has_metadata = true;
  kernel.group_segment_fixed_size = 20;
  kernel.arguments = {argument("global_buffer", 0, 8), argument("by_value", 8, 2),
                      argument("dynamic_shared_pointer", 12, 4), argument("dynamic_shared_pointer", 16, 4),
                      argument("global_buffer", 24, 8)};
  kernel.arguments[3].pointee_align = 64;
  kernel.kernarg_segment_size = 32;
  const auto arguments = value_of(bind_arguments(
      signature_of(kernel), std::vector<std::string>{"f32[4]", "i16:-2", "lds:30", "lds:8", "null"}, ""));
  const uint64_t addresses[] = {0x1122334455667788};
  LaunchShape shape;
  shape.extra_lds = 4;
  const auto layout = value_of(make_kernarg(kernel, arguments, shape, {addresses, 0, 0, 0}));
  EXPECT_EQ(read(layout, 0, 8), addresses[0]);
  EXPECT_EQ(read(layout, 8, 2), 0xfffeu);
  EXPECT_EQ(read(layout, 12, 4), 32u); // 20 rounded up to 16
  EXPECT_EQ(read(layout, 16, 4), 64u); // 62 rounded up to 64
  EXPECT_EQ(read(layout, 24, 8), 0u);
  EXPECT_EQ(layout.lds_bytes, 76u);
}

TEST(Kernarg, WhatCannotBeIsAnError) {
  codeobject::Kernel kernel;
  kernel.name = "k";
  kernel.arguments = {argument("hidden_from_the_future", 0, 8)};
  EXPECT_EQ(error_of(make_kernarg(kernel, {}, {}, {})), "k: hidden argument 'hidden_from_the_future' is not known");
  kernel.arguments = {argument("hidden_grid_dims", 0xfffffff0, 2)};
  EXPECT_HAS(error_of(make_kernarg(kernel, {}, {}, {})), "is impossible");
  kernel.arguments.clear();
  LaunchShape shape;
  shape.extra_lds = 65537;
  EXPECT_HAS(error_of(make_kernarg(kernel, {}, shape, {})), "65537 bytes of LDS");
}

// What clang-19 asks for in earnest: every hidden argument it names is known, at the table's place.
TEST(Kernarg, ClangsOwnMetadata) {
  auto object = toolchain::load_code(std::string(CLI_INPUT_DIR) + "/work_items.cl", {});
  ASSERT_TRUE(static_cast<bool>(object)) << llvm::toString(object.takeError());
  const auto* kernel = (*object)->find_kernel("work_items");
  ASSERT_NE(kernel, nullptr);
  const auto arguments = value_of(bind_arguments(signature_of(*kernel), std::vector<std::string>{"u64[1]"}, ""));
  const uint64_t addresses[] = {0x1000};
  const auto layout = value_of(make_kernarg(*kernel, arguments, uneven(), {addresses, 0x2000, 0x2001, 0}));
  EXPECT_EQ(read(layout, 0, 8), 0x1000u);
  const uint32_t base = 8;
  EXPECT_EQ(read(layout, base + 0, 4), 15u);
  EXPECT_EQ(read(layout, base + 18, 2), 40u);
  EXPECT_EQ(read(layout, base + 40, 8), 0x123456789au);
  EXPECT_EQ(read(layout, base + 64, 2), 3u);
}

} // namespace
} // namespace crosslane::launch
