// The size of a launch.
#include "launch/shape.h"
#include "files/error.h"
#include <algorithm>

namespace crosslane::launch {

namespace {

std::string text(const uint32_t (&size)[3]) { return fmt::format("{},{},{}", size[0], size[1], size[2]); }

bool given(const uint32_t (&size)[3]) { return size[0] != 0; }

} // namespace

llvm::Expected<LaunchShape> make_shape(const Job& job, const codeobject::Kernel& kernel) {
  LaunchShape shape;
  if (job.grid.dims && job.groups.dims)
    return fail("give {} (work-items) or {} (workgroups), not both", option(job.wording, "grid"),
                option(job.wording, "groups"));
  if (!job.grid.dims && !job.groups.dims)
    return job.wording == Wording::command
               ? fail("how many work-items? Give --grid, such as --grid 1000 or --grid 64,64, or --groups")
               : fail("how many work-items? Set the grid, such as 1000 or 64,64, or the groups");

  const uint32_t largest = kernel.max_flat_workgroup_size ? kernel.max_flat_workgroup_size : 1024;
  if (job.block.dims)
    std::copy(job.block.value.begin(), job.block.value.end(), shape.block);
  else if (given(kernel.reqd_workgroup_size))
    std::copy_n(kernel.reqd_workgroup_size, 3, shape.block);
  else if (given(kernel.workgroup_size_hint))
    std::copy_n(kernel.workgroup_size_hint, 3, shape.block);
  else
    shape.block[0] = std::min(256u, largest);
  const uint64_t items = uint64_t(shape.block[0]) * std::min(shape.block[1], 65536u) * std::min(shape.block[2], 65536u);
  if (items == 0)
    return fail("a workgroup of {} has no work-items", text(shape.block));
  if (given(kernel.reqd_workgroup_size) && !std::equal(shape.block, shape.block + 3, kernel.reqd_workgroup_size))
    return fail("{} requires workgroups of {}, not {}", kernel.name, text(kernel.reqd_workgroup_size),
                text(shape.block));
  if (items > largest || *std::max_element(shape.block, shape.block + 3) > 1024)
    return fail("a workgroup of {} is {} work-items; {} takes at most {}", text(shape.block), items, kernel.name,
                largest);

  shape.dims = std::max({job.grid.dims, job.groups.dims, job.block.dims, uint16_t(1)});
  for (size_t d = 0; d < 3; ++d) {
    const uint64_t size = job.grid.dims ? job.grid.value[d] : uint64_t(job.groups.value[d]) * shape.block[d];
    if (size > UINT32_MAX)
      return fail("the grid has {} work-items in one dimension; 2^32-1 are possible", size);
    shape.grid[d] = static_cast<uint32_t>(size);
    shape.offset[d] = job.offset[d];
  }
  shape.extra_lds = job.lds;
  return shape;
}

} // namespace crosslane::launch
