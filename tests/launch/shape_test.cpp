// The size of a launch.
#include "launch/shape.h"
#include "tests/expected.h"

namespace crosslane::launch {
namespace {

using test::error_of;
using test::value_of;

Sizes sizes(const char* text) { return value_of(parse_sizes(text, "--grid")); }
codeobject::Kernel kernel() {
  codeobject::Kernel k;
  k.name = "k";
  k.max_flat_workgroup_size = 256;
  return k;
}

TEST(Shape, GridGroupsAndDefaults) {
  Job job;
  job.grid = sizes("1000");
  LaunchShape shape = value_of(make_shape(job, kernel()));
  EXPECT_EQ(shape.grid[0], 1000u);
  EXPECT_EQ(shape.block[0], 256u);
  EXPECT_EQ(shape.dims, 1);
  job.grid = {};
  job.groups = sizes("3,2");
  job.block = sizes("16,8");
  shape = value_of(make_shape(job, kernel()));
  EXPECT_EQ(shape.grid[0], 48u);
  EXPECT_EQ(shape.grid[1], 16u);
  EXPECT_EQ(shape.grid[2], 1u);
  EXPECT_EQ(shape.dims, 2);
  job.groups = sizes("0");
  EXPECT_EQ(value_of(make_shape(job, kernel())).grid[0], 0u);
}

TEST(Shape, WhatTheKernelRequires) {
  Job job;
  job.grid = sizes("64");
  auto k = kernel();
  k.reqd_workgroup_size[0] = 64, k.reqd_workgroup_size[1] = 2, k.reqd_workgroup_size[2] = 1;
  EXPECT_EQ(value_of(make_shape(job, k)).block[1], 2u);
  job.block = sizes("32");
  EXPECT_HAS(error_of(make_shape(job, k)), "requires workgroups of 64,2,1, not 32,1,1");
}

TEST(Shape, Errors) {
  Job job;
  EXPECT_HAS(error_of(make_shape(job, kernel())), "Give --grid");
  job.grid = job.groups = sizes("1");
  EXPECT_HAS(error_of(make_shape(job, kernel())), "not both");
  job.groups = {};
  job.block = sizes("257");
  EXPECT_HAS(error_of(make_shape(job, kernel())), "k takes at most 256");
  job.block = sizes("65536,65536,65536");
  EXPECT_HAS(error_of(make_shape(job, kernel())), "at most");
  job.block = sizes("0");
  EXPECT_HAS(error_of(make_shape(job, kernel())), "no work-items");
  job.grid = {};
  job.groups = sizes("4294967295");
  job.block = sizes("2");
  EXPECT_HAS(error_of(make_shape(job, kernel())), "2^32-1");
}

} // namespace
} // namespace crosslane::launch
