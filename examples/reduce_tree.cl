// One partial sum per workgroup, by a tree in LDS. `scratch` is dynamic LDS: one float per work-item; the workgroup size is a
// power of two. The order of the additions is fixed, so the result is the same everywhere.
kernel void reduce_tree(global const float* in, global float* partial, uint n, local float* scratch) {
  uint lid = get_local_id(0);
  uint i = get_global_id(0);
  scratch[lid] = i < n ? in[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (lid < s) scratch[lid] += scratch[lid + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0) partial[get_group_id(0)] = scratch[0];
}
