// The list, with the sizes and targets of the project's goals.
#include "bench/items.h"
#include "bench/native.h"
#include "tests/kernels/workloads.h"
#include <cmath>

namespace crosslane::bench {
namespace {

workload::Workload empty() {
  workload::Workload w;
  w.name = "empty";
  w.source = CROSSLANE_BENCH_FOLDER "/empty.cl";
  w.launches = {{"empty", {64, 1, 1}, {64, 1, 1}, {}}};
  w.reference = [](workload::Workload&) {};
  return w;
}

workload::Workload valu_mix() {
  const uint32_t n = 256 * 64, times = 2000;
  workload::Workload w;
  w.name = "valu_mix";
  w.source = CROSSLANE_BENCH_FOLDER "/valu_mix.s";
  w.buffers = {workload::output<uint32_t>("out", n)};
  w.launches = {{"valu_mix", {n, 1, 1}, {256, 1, 1}, {workload::buffer(0), workload::value(times)}}};
  w.reference = [](workload::Workload& w) {
    std::vector<uint32_t> out;
    for (uint32_t i = 0; i < n; ++i) {
      const float x = float(i), v2 = 3.14159274f + x, v3 = std::fma(v2, 0.5f, x);
      float sum = 0;
      uint32_t v8 = i, v10 = 0, v12 = 0;
      for (uint32_t t = 0; t < times; ++t) {
        sum += v2 * v3;
        uint32_t v6 = v8 + i, v7 = v6 * 8;
        v8 = v7 ^ v6;
        uint32_t v9 = v8 < 0xffffff ? v7 : v6;
        v10 += v9 * 4;
        v12 += v9 / 32 % 4096;
      }
      uint32_t bits;
      std::memcpy(&bits, &sum, 4);
      out.push_back(bits ^ v10 ^ v12);
    }
    w.buffers[0].expected = workload::bytes_of(out);
  };
  return w;
}

} // namespace

double work_items(const workload::Workload& w) {
  double sum = 0;
  for (const auto& l : w.launches)
    sum += double(l.grid[0]) * l.grid[1] * l.grid[2];
  return sum;
}

std::vector<Item> items() {
  namespace wl = workload;
  using P = const Pointers&;
  const uint32_t vn = 8388611, cn = 8388608, gn = 4194307, an = 131072;
  return {
      {"VALU mix", Kind::instructions, valu_mix, {}, {}, {}, 200},
      {"naive matmul 512",
       Kind::loop,
       [] { return wl::matmul_naive(512); },
       [] { return wl::matmul_naive(64); },
       [](P p) { native::matmul(p.at<float>(0), p.at<float>(1), p.at<float>(2), 512); },
       {},
       150,
       8},
      {"tiled matmul 512",
       Kind::loop,
       [] { return wl::matmul_tiled(512); },
       [] { return wl::matmul_tiled(64); },
       [](P p) { native::matmul_tiled(p.at<float>(0), p.at<float>(1), p.at<float>(2), 512); },
       {},
       {},
       8},
      {"GEMM 1024 f32 by MFMA",
       Kind::instructions,
       [] { return wl::gemm_mfma_f32(1024); },
       {},
       [](P p) { native::gemm(p.at<float>(0), p.at<float>(1), p.at<float>(2), 1024); },
       {},
       {}},
      {"GEMM 1024 f16 by MFMA",
       Kind::instructions,
       [] { return wl::gemm_mfma_f16(1024); },
       {},
       [](P p) { native::gemm_transposed(p.at<_Float16>(0), p.at<_Float16>(1), p.at<float>(2), 1024); },
       {},
       {}},
      {"GEMM 1024 f16 by dot2",
       Kind::instructions,
       [] { return wl::gemm_dot(1024); },
       {},
       [](P p) { native::gemm_transposed(p.at<_Float16>(0), p.at<_Float16>(1), p.at<float>(2), 1024); },
       {},
       {}},
      {"saxpy loop 2^18 x 1000",
       Kind::loop,
       [] { return wl::saxpy_loop(1 << 18, 1000); },
       [] { return wl::saxpy_loop(512, 1000); },
       [](P p) { native::saxpy_loop(0.75f, p.at<float>(0), p.at<float>(1), 1 << 18, 1000); },
       {},
       {}},
      {"Mandelbrot 1024^2, 256 it.",
       Kind::loop,
       [] { return wl::mandelbrot(1024, 1024, 256); },
       [] { return wl::mandelbrot(96, 96, 256); },
       [](P p) { native::mandelbrot(p.at<uint32_t>(0), 1024, 1024, -2.0f, -1.25f, 2.5f / 1024.0f, 256); },
       {},
       {}},
      {"n-body 4096",
       Kind::loop,
       [] { return wl::nbody(4096); },
       [] { return wl::nbody(256); },
       [](P p) { native::nbody(p.at<float>(0), p.at<float>(1), p.at<float>(2), 4096, 0.001f); },
       {},
       {},
       16},
      {"tree reduce 2^22",
       Kind::loop,
       [] { return wl::reduce_tree(1 << 22); },
       [] { return wl::reduce_tree(1 << 15); },
       [](P p) { native::reduce(p.at<float>(0), p.at<float>(1), 1 << 22, 256); },
       {},
       {}},
      {"bitonic sort 2^20",
       Kind::loop,
       [] { return wl::bitonic_sort(1 << 20); },
       [] { return wl::bitonic_sort(1 << 10); },
       [](P p) { native::bitonic_sort(p.at<uint32_t>(0), 1 << 20); },
       {},
       {}},
      {"vector add 8388611",
       Kind::stream,
       [=] { return wl::vector_add(vn); },
       [] { return wl::vector_add(1 << 16); },
       [=](P p) { native::vector_add(p.at<float>(0), p.at<float>(1), p.at<float>(2), vn); },
       40,
       {}},
      {"copy 32 MiB",
       Kind::stream,
       [=] { return wl::copy(cn); },
       [] { return wl::copy(1 << 16); },
       [=](P p) { native::copy(p.at<uint32_t>(0), p.at<uint32_t>(1), cn); },
       10,
       {}},
      {"copy 32 MiB by 16 bytes",
       Kind::stream,
       [=] { return wl::copy4(cn / 4); },
       [] { return wl::copy4(1 << 14); },
       [=](P p) { native::copy(p.at<uint32_t>(0), p.at<uint32_t>(1), cn); },
       10,
       {}},
      {"gather 4194307",
       Kind::stream,
       [=] { return wl::gather(gn); },
       [] { return wl::gather(1 << 16); },
       [=](P p) { native::gather(p.at<uint32_t>(0), p.at<uint32_t>(1), p.at<uint32_t>(2), gn); },
       120,
       {}},
      {"stencil 2048^2",
       Kind::stream,
       [] { return wl::stencil5(2048, 2048); },
       [] { return wl::stencil5(128, 128); },
       [](P p) { native::stencil5(p.at<float>(0), p.at<float>(1), 2048, 2048); },
       {},
       {}},
      {"131072 atomics, 256 buckets",
       Kind::other,
       [=] { return wl::histogram_global(an); },
       [] { return wl::histogram_global(1 << 14); },
       [=](P p) { native::histogram(p.at<uint32_t>(0), p.at<uint32_t>(1), an); },
       5,
       {}},
      {"histogram in LDS 2^22",
       Kind::other,
       [] { return wl::histogram_local(1 << 22, 256); },
       [] { return wl::histogram_local(1 << 14, 1); },
       [](P p) { native::histogram(p.at<uint32_t>(0), p.at<uint32_t>(1), 1 << 22); },
       {},
       {}},
      {"empty launch", Kind::other, empty, empty, {}, 0.02, {}},
  };
}

} // namespace crosslane::bench
