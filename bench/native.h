// The workloads as plain C++, compiled -O3 -march=native: what the machine does without a GPU in between. One core.
#pragma once
#include <cstddef>
#include <cstdint>

namespace crosslane::bench::native {

void vector_add(const float* a, const float* b, float* c, size_t n);
void copy(const uint32_t* in, uint32_t* out, size_t n);
void gather(const uint32_t* in, const uint32_t* index, uint32_t* out, size_t n);
void histogram(const uint32_t* values, uint32_t* counts, size_t n);
void saxpy_loop(float a, const float* x, float* y, size_t n, unsigned times);
void stencil5(const float* in, float* out, size_t width, size_t height);
void matmul(const float* a, const float* b, float* c, size_t n);
void matmul_tiled(const float* a, const float* b, float* c, size_t n);
void gemm(const float* a, const float* b, float* c, size_t n);
void gemm_transposed(const _Float16* a, const _Float16* b, float* c, size_t n); // a * transpose(b)
void mandelbrot(uint32_t* iterations, size_t width, size_t height, float x0, float y0, float step, unsigned limit);
void nbody(const float* bodies, float* velocities, float* moved, size_t n, float dt);
void reduce(const float* in, float* partial, size_t n, size_t group);
void bitonic_sort(uint32_t* keys, size_t n);

} // namespace crosslane::bench::native
