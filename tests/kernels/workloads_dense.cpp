// Workloads that are loops of arithmetic, and their references.
#include "tests/kernels/workloads.h"
#include <cmath>

namespace crosslane::workload {
namespace {

Workload matmul(const char* name, uint32_t n, std::array<uint32_t, 3> block) {
  Random random(n);
  Workload w;
  w.name = std::string(name) + "_" + std::to_string(n);
  w.source = std::string(name) + ".cl";
  size_t count = size_t(n) * n;
  w.buffers = {input("a", random.f32(count, -1, 1)), input("b", random.f32(count, -1, 1)), output<float>("c", count)};
  w.launches = {{name,
                 {round_up(n, block[0]), round_up(n, block[1]), 1},
                 block,
                 {buffer(0), buffer(1), buffer(2), value(n)},
                 {0, 0, 0},
                 2}};
  w.reference = [n](Workload& w) {
    auto a = values_of<float>(w.buffers[0].initial), b = values_of<float>(w.buffers[1].initial);
    std::vector<float> c(size_t(n) * n);
    for (size_t y = 0; y < n; ++y)
      for (size_t x = 0; x < n; ++x)
        for (size_t k = 0; k < n; ++k)
          c[y * n + x] = std::fma(a[y * n + k], b[k * n + x], c[y * n + x]);
    w.buffers[2].expected = bytes_of(c);
  };
  return w;
}

// C = A * B, or A * transpose(B): n x n by instructions that one target alone has. Values are multiples of 1 / `steps`
// from -1 to 1, so that sums are exact in whatever order.
template <class T>
Workload gemm(const char* source, const char* kernel, const char* target, bool transposed, uint32_t steps, uint32_t n,
              uint32_t side, std::array<uint32_t, 3> block) {
  Random random(n);
  const size_t count = size_t(n) * n;
  std::vector<T> values[2];
  for (auto& v : values)
    for (size_t i = 0; i < count; ++i)
      v.push_back(T((float(random.below(2 * steps + 1)) - float(steps)) / float(steps)));
  Workload w;
  w.name = std::string(kernel) + "_" + std::to_string(n);
  w.source = source, w.target = target;
  w.not_portable = "it has the target's own instructions";
  w.buffers = {input("a", values[0]), input("b", values[1]), output<float>("c", count)};
  w.launches = {{kernel,
                 {n / side * block[0], n / side * block[1], 1},
                 block,
                 {buffer(0), buffer(1), buffer(2), value(n)},
                 {0, 0, 0},
                 2}};
  w.reference = [n, transposed](Workload& w) {
    const auto a = values_of<T>(w.buffers[0].initial), b = values_of<T>(w.buffers[1].initial);
    std::vector<float> c(size_t(n) * n), rows(c.size()); // of B
    for (size_t k = 0; k < n; ++k)
      for (size_t x = 0; x < n; ++x)
        rows[k * n + x] = float(transposed ? b[x * n + k] : b[k * n + x]);
    for (size_t y = 0; y < n; ++y)
      for (size_t k = 0; k < n; ++k) {
        const float* row = &rows[k * n];
        const auto item = float(a[y * n + k]);
        for (size_t x = 0; x < n; ++x)
          c[y * n + x] += item * row[x];
      }
    w.buffers[2].expected = bytes_of(c);
  };
  return w;
}

} // namespace

Workload gemm_mfma_f32(uint32_t n) {
  return gemm<float>("gemm_mfma.cl", "gemm_mfma_f32", "gfx90a", false, 64, n, 128, {256, 1, 1});
}
Workload gemm_mfma_f16(uint32_t n) {
  return gemm<_Float16>("gemm_mfma.cl", "gemm_mfma_f16", "gfx90a", true, 16, n, 128, {256, 1, 1});
}
Workload gemm_dot(uint32_t n) {
  return gemm<_Float16>("gemm_dot.cl", "gemm_dot", "gfx906", true, 16, n, 64, {16, 16, 1});
}
std::vector<Workload> of_one_target() { return {gemm_mfma_f32(256), gemm_mfma_f16(256), gemm_dot(128)}; }

Workload matmul_naive(uint32_t n) { return matmul("matmul_naive", n, {16, 16, 1}); }
Workload matmul_tiled(uint32_t n) { return matmul("matmul_tiled", n, {16, 16, 1}); }

Workload mandelbrot(uint32_t width, uint32_t height, uint32_t limit) {
  Workload w;
  w.name = "mandelbrot_" + std::to_string(width) + "x" + std::to_string(height);
  w.source = "mandelbrot.cl";
  w.buffers = {output<uint32_t>("iterations", size_t(width) * height)};
  float x0 = -2.0f, y0 = -1.25f, step = 2.5f / float(height);
  w.launches = {{"mandelbrot",
                 {round_up(width, 16), round_up(height, 16), 1},
                 {16, 16, 1},
                 {buffer(0), value(width), value(height), value(x0), value(y0), value(step), value(limit)},
                 {0, 0, 0},
                 2}};
  w.reference = [=](Workload& w) {
    std::vector<uint32_t> out;
    for (uint32_t py = 0; py < height; ++py)
      for (uint32_t px = 0; px < width; ++px) {
        float cx = x0 + float(px) * step, cy = y0 + float(py) * step, zx = 0, zy = 0;
        uint32_t k = 0;
        for (; k < limit && zx * zx + zy * zy <= 4.0f; ++k) {
          float re = (zx * zx - zy * zy) + cx;
          zy = (2.0f * zx) * zy + cy;
          zx = re;
        }
        out.push_back(k);
      }
    w.buffers[0].expected = bytes_of(out);
  };
  return w;
}

Workload nbody(uint32_t n) {
  Random random(n);
  auto bodies = random.f32(size_t(n) * 4, -1, 1);
  for (size_t i = 3; i < bodies.size(); i += 4)
    bodies[i] = float(random.real(0.1, 1));
  const float dt = 0.001f;
  Workload w;
  w.name = "nbody_" + std::to_string(n);
  w.source = "nbody.cl";
  w.buffers = {input("bodies", bodies),
               in_out("velocities", random.f32(size_t(n) * 4, -0.1, 0.1), Compare::relative, 2e-4),
               output<float>("moved", size_t(n) * 4, Compare::relative, 2e-4)};
  w.launches = {
      {"nbody", {round_up(n, 256), 1, 1}, {256, 1, 1}, {buffer(0), buffer(1), buffer(2), value(n), value(dt)}}};
  w.reference = [n, dt](Workload& w) { // in double: the tolerance covers v_rsq_f32 and the single-precision sums
    auto body = values_of<float>(w.buffers[0].initial), velocity = values_of<float>(w.buffers[1].initial);
    auto moved = body;
    for (size_t i = 0; i < n; ++i) {
      double force[3] = {0, 0, 0};
      for (size_t k = 0; k < n; ++k) {
        double d[3], square = 0.01f;
        for (int c = 0; c < 3; ++c)
          d[c] = double(body[k * 4 + c]) - body[i * 4 + c], square += d[c] * d[c];
        for (int c = 0; c < 3; ++c)
          force[c] += d[c] * body[k * 4 + 3] / (square * std::sqrt(square));
      }
      for (int c = 0; c < 3; ++c) {
        velocity[i * 4 + c] = float(velocity[i * 4 + c] + dt * force[c]);
        moved[i * 4 + c] = float(body[i * 4 + c] + dt * velocity[i * 4 + c]);
      }
    }
    w.buffers[1].expected = bytes_of(velocity);
    w.buffers[2].expected = bytes_of(moved);
  };
  return w;
}

} // namespace crosslane::workload
