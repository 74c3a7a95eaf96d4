// Written as one would write them by hand, and left to the compiler; the same arithmetic as the kernels, fma where they
// say fma.
#include "bench/native.h"
#include <algorithm>
#include <cmath>

namespace crosslane::bench::native {

void vector_add(const float* __restrict a, const float* __restrict b, float* __restrict c, size_t n) {
  for (size_t i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

void copy(const uint32_t* __restrict in, uint32_t* __restrict out, size_t n) { std::copy(in, in + n, out); }

void gather(const uint32_t* __restrict in, const uint32_t* __restrict index, uint32_t* __restrict out, size_t n) {
  for (size_t i = 0; i < n; ++i)
    out[i] = in[index[i]];
}

void histogram(const uint32_t* __restrict values, uint32_t* __restrict counts, size_t n) {
  for (size_t i = 0; i < n; ++i)
    ++counts[values[i] & 255];
}

void saxpy_loop(float a, const float* __restrict x, float* __restrict y, size_t n, unsigned times) {
  constexpr size_t block = 256; // many independent chains, as the compiler vectorises over i
  for (size_t first = 0; first < n; first += block)
    for (unsigned t = 0; t < times; ++t)
      for (size_t i = first; i < std::min(first + block, n); ++i)
        y[i] = std::fma(a, y[i], x[i]);
}

void stencil5(const float* __restrict in, float* __restrict out, size_t width, size_t height) {
  std::copy(in, in + width, out);
  for (size_t y = 1; y + 1 < height; ++y) {
    const float* row = in + y * width;
    float* to = out + y * width;
    to[0] = row[0];
    for (size_t x = 1; x + 1 < width; ++x)
      to[x] = row[x] + 0.2f * (row[x - 1] + row[x + 1] + row[x - width] + row[x + width] - 4.0f * row[x]);
    to[width - 1] = row[width - 1];
  }
  std::copy(in + (height - 1) * width, in + height * width, out + (height - 1) * width);
}

void matmul(const float* __restrict a, const float* __restrict b, float* __restrict c, size_t n) {
  std::fill(c, c + n * n, 0.0f);
  for (size_t y = 0; y < n; ++y)
    for (size_t k = 0; k < n; ++k)
      for (size_t x = 0; x < n; ++x)
        c[y * n + x] = std::fma(a[y * n + k], b[k * n + x], c[y * n + x]);
}

void matmul_tiled(const float* __restrict a, const float* __restrict b, float* __restrict c, size_t n) {
  constexpr size_t tile = 64;
  std::fill(c, c + n * n, 0.0f);
  for (size_t k0 = 0; k0 < n; k0 += tile)
    for (size_t x0 = 0; x0 < n; x0 += tile)
      for (size_t y = 0; y < n; ++y)
        for (size_t k = k0; k < std::min(k0 + tile, n); ++k)
          for (size_t x = x0; x < std::min(x0 + tile, n); ++x)
            c[y * n + x] = std::fma(a[y * n + k], b[k * n + x], c[y * n + x]);
}

void mandelbrot(uint32_t* iterations, size_t width, size_t height, float x0, float y0, float step, unsigned limit) {
  for (size_t py = 0; py < height; ++py)
    for (size_t px = 0; px < width; ++px) {
      float cx = x0 + float(px) * step, cy = y0 + float(py) * step, x = 0, y = 0;
      unsigned k = 0;
      while (k < limit && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++k;
      }
      iterations[py * width + px] = k;
    }
}

void nbody(const float* __restrict bodies, float* __restrict velocities, float* __restrict moved, size_t n, float dt) {
  for (size_t i = 0; i < n; ++i) {
    float fx = 0, fy = 0, fz = 0;
    for (size_t k = 0; k < n; ++k) {
      float dx = bodies[k * 4] - bodies[i * 4], dy = bodies[k * 4 + 1] - bodies[i * 4 + 1],
            dz = bodies[k * 4 + 2] - bodies[i * 4 + 2];
      float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      float scale = bodies[k * 4 + 3] * inverse * inverse * inverse;
      fx += dx * scale, fy += dy * scale, fz += dz * scale;
    }
    const float force[4] = {fx, fy, fz, 0};
    for (size_t c = 0; c < 4; ++c) {
      velocities[i * 4 + c] += dt * force[c];
      moved[i * 4 + c] = bodies[i * 4 + c] + (c < 3 ? dt * velocities[i * 4 + c] : 0.0f);
    }
  }
}

void reduce(const float* __restrict in, float* __restrict partial, size_t n, size_t group) {
  for (size_t first = 0, g = 0; first < n; first += group, ++g) {
    float level[256];
    for (size_t i = 0; i < group; ++i)
      level[i] = first + i < n ? in[first + i] : 0.0f;
    for (size_t s = group / 2; s > 0; s /= 2)
      for (size_t i = 0; i < s; ++i)
        level[i] += level[i + s];
    partial[g] = level[0];
  }
}

void bitonic_sort(uint32_t* keys, size_t n) {
  for (size_t size = 2; size <= n; size *= 2)
    for (size_t stride = size / 2; stride > 0; stride /= 2)
      for (size_t first = 0; first < n; first += 2 * stride) {
        bool ascending = (first & size) == 0;
        uint32_t* __restrict low = keys + first, * __restrict high = low + stride;
        for (size_t i = 0; i < stride; ++i) {
          uint32_t a = std::min(low[i], high[i]), b = std::max(low[i], high[i]);
          low[i] = ascending ? a : b;
          high[i] = ascending ? b : a;
        }
      }
}

} // namespace crosslane::bench::native
