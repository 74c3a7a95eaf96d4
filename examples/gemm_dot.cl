// c = a * transpose(b) of halves, summed up as floats by v_dot2_f32_f16, two steps of k each (gfx906: --target gfx906).
// Row-major n x n, n a multiple of 64. A workgroup computes 64 x 64 of c, each work-item 4 x 4.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define SIDE 64
#define PAIRS 16 // of k, that are staged in LDS at a time

typedef half pair __attribute__((ext_vector_type(2)));

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void gemm_dot(global const pair* a, global const pair* b, global float* c, uint n) {
  local pair tile_a[PAIRS][SIDE + 1], tile_b[PAIRS][SIDE + 1];
  uint x = get_local_id(0), y = get_local_id(1), row = get_group_id(1) * SIDE, column = get_group_id(0) * SIDE;
  float sums[4][4] = {};
  for (uint t = 0; t < n / 2; t += PAIRS) {
    #pragma unroll
    for (uint i = 0; i < SIDE; i += 16) {
      tile_a[x][i + y] = a[(row + i + y) * (n / 2) + t + x];
      tile_b[x][i + y] = b[(column + i + y) * (n / 2) + t + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint k = 0; k < PAIRS; ++k) {
      pair from_a[4], from_b[4];
      #pragma unroll
      for (uint i = 0; i < 4; ++i) from_a[i] = tile_a[k][i * 16 + y], from_b[i] = tile_b[k][i * 16 + x];
      #pragma unroll
      for (uint i = 0; i < 4; ++i)
        #pragma unroll
        for (uint j = 0; j < 4; ++j) sums[i][j] = __builtin_amdgcn_fdot2(from_a[i], from_b[j], sums[i][j], false);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  #pragma unroll
  for (uint i = 0; i < 4; ++i)
    #pragma unroll
    for (uint j = 0; j < 4; ++j) c[(row + i * 16 + y) * n + column + j * 16 + x] = sums[i][j];
}
