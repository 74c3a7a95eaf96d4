// A transpose through a tile in LDS whose rows lie 32 banks apart: docs/profiling.md reads its profile.
kernel void transpose(global const float* in, global float* out, int n) {
  enum { SIDE = 32 }; local float tile[SIDE][SIDE];
  const int lx = get_local_id(0), ly = get_local_id(1);
  for (int r = 0; r < SIDE; r += 8)
    tile[ly + r][lx] = in[(get_group_id(1) * SIDE + ly + r) * n + get_group_id(0) * SIDE + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < SIDE; r += 8)
    out[(get_group_id(0) * SIDE + ly + r) * n + get_group_id(1) * SIDE + lx] = tile[lx][ly + r];
}
