// c = a * b for row-major n x n matrices: one work-item per element, every operand from global memory.
kernel void matmul_naive(global const float* a, global const float* b, global float* c, uint n) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  float sum = 0;
  for (uint k = 0; k < n; ++k) sum = fma(a[y * n + k], b[k * n + x], sum);
  c[y * n + x] = sum;
}
