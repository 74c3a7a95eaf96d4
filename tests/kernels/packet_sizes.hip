// The sizes of the launch as the compiler's own builtins read them: from the dispatch packet under code object v4, from the implicit
// arguments under v5. One record of 4 words per work-item.
extern "C" __global__ void packet_sizes(unsigned* records) {
  unsigned x = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
  unsigned y = __builtin_amdgcn_workgroup_id_y() * __builtin_amdgcn_workgroup_size_y() + __builtin_amdgcn_workitem_id_y();
  unsigned z = __builtin_amdgcn_workgroup_id_z() * __builtin_amdgcn_workgroup_size_z() + __builtin_amdgcn_workitem_id_z();
  unsigned width = __builtin_amdgcn_grid_size_x(), height = __builtin_amdgcn_grid_size_y();
  unsigned at = ((z * height + y) * width + x) * 4;
  records[at + 0] = x | y << 10 | z << 20;
  records[at + 1] = width | height << 10 | __builtin_amdgcn_grid_size_z() << 20;
  records[at + 2] = __builtin_amdgcn_workgroup_size_x() | __builtin_amdgcn_workgroup_size_y() << 10 |
                    __builtin_amdgcn_workgroup_size_z() << 20;
  records[at + 3] = __builtin_amdgcn_workgroup_id_x() | __builtin_amdgcn_workgroup_id_y() << 10 |
                    __builtin_amdgcn_workgroup_id_z() << 20;
}
