// c = a * b for row-major n x n matrices: 16 x 16 tiles of both operands are staged in LDS, with a barrier on each side.
// Any n: the edge tiles are filled with zeros, so the sums are those of matmul_naive, in the same order.
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul_tiled(global const float* a, global const float* b, global float* c, uint n) {
  local float tile_a[TILE][TILE], tile_b[TILE][TILE];
  uint x = get_global_id(0), y = get_global_id(1);
  uint lx = get_local_id(0), ly = get_local_id(1);
  float sum = 0;
  for (uint t = 0; t < n; t += TILE) {
    tile_a[ly][lx] = y < n && t + lx < n ? a[y * n + t + lx] : 0.0f;
    tile_b[ly][lx] = x < n && t + ly < n ? b[(t + ly) * n + x] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k) sum = fma(tile_a[ly][k], tile_b[k][lx], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x < n && y < n) c[y * n + x] = sum;
}
