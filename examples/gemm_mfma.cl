// Matrix products by the matrix instructions of gfx90a (--target gfx90a), row-major n x n, n a multiple of 128.
// A workgroup of four wavefronts computes 128 x 128 of c, each wavefront 64 x 64 as four blocks of 32 x 32. Both operands are
// staged in LDS; every v_mfma takes one register of each for two (f32) or eight (f16) steps of k.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define SIDE 128 // of what a workgroup computes

// What the wavefront has of its block: lane l has rows 4 (l / 32) to 4 (l / 32) + 3 of each eight, of column l % 32.
static void store_block(global float* c, uint n, uint row, uint column, float16 sums) {
  uint lane = get_local_id(0) % 64;
  global float* to = c + (row + lane / 32 * 4) * n + column + lane % 32;
  #pragma unroll
  for (uint i = 0; i < 16; ++i) to[(i / 4 * 8 + i % 4) * n] = sums[i];
}

// c = a * b
#define DEPTH_F32 16
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void gemm_mfma_f32(global const float* a, global const float* b, global float* c, uint n) {
  local float tile_a[DEPTH_F32][SIDE + 4], tile_b[DEPTH_F32][SIDE]; // a's by columns
  uint id = get_local_id(0), lane = id % 64, wave = id / 64;
  uint row = get_group_id(1) * SIDE, column = get_group_id(0) * SIDE;
  uint wave_row = wave / 2 * 64, wave_column = wave % 2 * 64;
  float16 sums[2][2] = {};
  for (uint t = 0; t < n; t += DEPTH_F32) {
    for (uint half_tile = 0; half_tile < 2; ++half_tile) {
      uint r = half_tile * 64 + id / 4, k = id % 4 * 4;
      float4 from_a = *(global const float4*)(a + (row + r) * n + t + k);
      for (uint i = 0; i < 4; ++i) tile_a[k + i][r] = from_a[i];
      r = half_tile * 8 + id / 32, k = id % 32 * 4;
      *(local float4*)&tile_b[r][k] = *(global const float4*)(b + (t + r) * n + column + k);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint k = 0; k < DEPTH_F32; k += 2) {
      local const float* from_a = &tile_a[k + lane / 32][wave_row + lane % 32];
      local const float* from_b = &tile_b[k + lane / 32][wave_column + lane % 32];
      #pragma unroll
      for (uint i = 0; i < 2; ++i)
        #pragma unroll
        for (uint j = 0; j < 2; ++j)
          sums[i][j] = __builtin_amdgcn_mfma_f32_32x32x2f32(from_a[i * 32], from_b[j * 32], sums[i][j], 0, 0, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  #pragma unroll
  for (uint i = 0; i < 2; ++i)
    #pragma unroll
    for (uint j = 0; j < 2; ++j)
      store_block(c, n, row + wave_row + i * 32, column + wave_column + j * 32, sums[i][j]);
}

// c = a * transpose(b), of halves, summed up as floats
#define DEPTH_F16 32
typedef half half4s __attribute__((ext_vector_type(4)));
typedef half half8s __attribute__((ext_vector_type(8)));
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void gemm_mfma_f16(global const half* a, global const half* b, global float* c, uint n) {
  local half tile_a[SIDE][DEPTH_F16 + 8], tile_b[SIDE][DEPTH_F16 + 8];
  uint id = get_local_id(0), lane = id % 64, wave = id / 64;
  uint row = get_group_id(1) * SIDE, column = get_group_id(0) * SIDE;
  uint wave_row = wave / 2 * 64, wave_column = wave % 2 * 64;
  float16 sums[2][2] = {};
  for (uint t = 0; t < n; t += DEPTH_F16) {
    for (uint half_tile = 0; half_tile < 2; ++half_tile) {
      uint r = half_tile * 64 + id / 4, k = id % 4 * 8;
      *(local half8s*)&tile_a[r][k] = *(global const half8s*)(a + (row + r) * n + t + k);
      *(local half8s*)&tile_b[r][k] = *(global const half8s*)(b + (column + r) * n + t + k);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint k = 0; k < DEPTH_F16; k += 8) {
      half4s from_a[2], from_b[2];
      #pragma unroll
      for (uint i = 0; i < 2; ++i) {
        from_a[i] = *(local const half4s*)&tile_a[wave_row + i * 32 + lane % 32][k + lane / 32 * 4];
        from_b[i] = *(local const half4s*)&tile_b[wave_column + i * 32 + lane % 32][k + lane / 32 * 4];
      }
      #pragma unroll
      for (uint i = 0; i < 2; ++i)
        #pragma unroll
        for (uint j = 0; j < 2; ++j)
          sums[i][j] = __builtin_amdgcn_mfma_f32_32x32x8f16(from_a[i], from_b[j], sums[i][j], 0, 0, 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  #pragma unroll
  for (uint i = 0; i < 2; ++i)
    #pragma unroll
    for (uint j = 0; j < 2; ++j)
      store_block(c, n, row + wave_row + i * 32, column + wave_column + j * 32, sums[i][j]);
}
