// Matrix transpose in HIP: tiles of blockDim.x * blockDim.x elements go through dynamic LDS, padded by a column against bank conflicts.
// The block has fewer rows than the tile, so each work-item moves several elements.
#include <hip/hip_runtime.h>

extern "C" __global__ void transpose(const unsigned* in, unsigned* out, unsigned width, unsigned height) {
  extern __shared__ unsigned tile[];
  unsigned side = blockDim.x, pitch = side + 1;
  unsigned x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side;
  for (unsigned r = threadIdx.y; r < side; r += blockDim.y)
    if (x < width && y + r < height) tile[r * pitch + threadIdx.x] = in[(y + r) * width + x];
  __syncthreads();
  unsigned tx = blockIdx.y * side + threadIdx.x, ty = blockIdx.x * side;
  for (unsigned r = threadIdx.y; r < side; r += blockDim.y)
    if (tx < height && ty + r < width) out[(ty + r) * height + tx] = tile[threadIdx.x * pitch + r];
}
