// Matrix products as plain C++, of a size that makes blocking worth its while. In a file of its own: compiled to prefer
// vectors of 512 bits, where clang would rather take 256.
#include "bench/native.h"
#include <algorithm>
#include <cmath>
#include <vector>

namespace crosslane::bench::native {

namespace {

// Blocked for caches and registers: of b a panel of 256 x 32 at a time is packed, and 8 x 32 sums stay in registers.
// n: a multiple of both.
template <class B> void gemm_blocked(const float* __restrict a, B b, float* __restrict c, size_t n) {
  constexpr size_t depth = 256, width = 32, height = 8;
  alignas(64) static float panel[depth][width];
  std::fill(c, c + n * n, 0.0f);
  for (size_t k0 = 0; k0 < n; k0 += depth)
    for (size_t x0 = 0; x0 < n; x0 += width) {
      for (size_t k = 0; k < depth; ++k)
        for (size_t x = 0; x < width; ++x)
          panel[k][x] = float(b(k0 + k, x0 + x));
      for (size_t y0 = 0; y0 < n; y0 += height) {
        float sums[height][width];
        for (size_t y = 0; y < height; ++y)
          for (size_t x = 0; x < width; ++x)
            sums[y][x] = c[(y0 + y) * n + x0 + x];
        for (size_t k = 0; k < depth; ++k)
          for (size_t y = 0; y < height; ++y)
            for (size_t x = 0; x < width; ++x)
              sums[y][x] = std::fma(a[(y0 + y) * n + k0 + k], panel[k][x], sums[y][x]);
        for (size_t y = 0; y < height; ++y)
          for (size_t x = 0; x < width; ++x)
            c[(y0 + y) * n + x0 + x] = sums[y][x];
      }
    }
}

} // namespace

void gemm(const float* a, const float* b, float* c, size_t n) {
  gemm_blocked(a, [=](size_t k, size_t x) { return b[k * n + x]; }, c, n);
}

void gemm_transposed(const _Float16* a, const _Float16* b, float* c, size_t n) {
  const std::vector<float> floats(a, a + n * n);
  gemm_blocked(floats.data(), [=](size_t k, size_t x) { return b[x * n + k]; }, c, n);
}

} // namespace crosslane::bench::native
