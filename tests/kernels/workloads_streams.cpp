// Workloads that are one pass over memory, and their references.
#include "tests/kernels/workloads.h"
#include <cmath>

namespace crosslane::workload {
namespace {

std::string sized(const char* name, uint32_t n) { return std::string(name) + "_" + std::to_string(n); }

Launch flat(std::string kernel, uint32_t n, uint32_t block, std::vector<Argument> arguments) {
  return {std::move(kernel), {round_up(n, block), 1, 1}, {block, 1, 1}, std::move(arguments)};
}

} // namespace

Workload vector_add(uint32_t n, uint32_t block, bool uneven) {
  Random random(n + 1);
  Workload w;
  w.name = sized("vector_add", n) + (uneven ? "_uneven" : "");
  w.source = "vector_add.cl";
  w.buffers = {input("a", random.f32(n, -100, 100)), input("b", random.f32(n, -1, 1)), output<float>("c", n)};
  w.launches = {flat("vector_add", n, block, {buffer(0), buffer(1), buffer(2), value(n)})};
  if (uneven) {
    w.launches[0].grid[0] = n;
    w.not_portable = "the last workgroup is short";
  }
  if (n == 0)
    w.not_portable = "the grid is empty";
  w.reference = [n](Workload& w) {
    auto a = values_of<float>(w.buffers[0].initial), b = values_of<float>(w.buffers[1].initial);
    for (uint32_t i = 0; i < n; ++i)
      a[i] += b[i];
    w.buffers[2].expected = bytes_of(a);
  };
  return w;
}

Workload copy(uint32_t n) {
  Workload w;
  w.name = sized("copy", n);
  w.source = "streams.cl";
  w.buffers = {input("in", Random(n).u32(n)), output<uint32_t>("out", n)};
  w.launches = {flat("copy", n, 256, {buffer(0), buffer(1), value(n)})};
  w.reference = [](Workload& w) { w.buffers[1].expected = w.buffers[0].initial; };
  return w;
}

Workload copy4(uint32_t n) {
  Workload w;
  w.name = sized("copy4", n);
  w.source = "streams.cl";
  w.buffers = {input("in", Random(n).u32(n * 4)), output<uint32_t>("out", n * 4)};
  w.launches = {flat("copy4", n, 256, {buffer(0), buffer(1), value(n)})};
  w.reference = [](Workload& w) { w.buffers[1].expected = w.buffers[0].initial; };
  return w;
}

Workload gather(uint32_t n) {
  Random random(n);
  auto index = random.u32(n);
  for (auto& i : index)
    i %= n;
  Workload w;
  w.name = sized("gather", n);
  w.source = "streams.cl";
  w.buffers = {input("in", random.u32(n)), input("index", index), output<uint32_t>("out", n)};
  w.launches = {flat("gather", n, 256, {buffer(0), buffer(1), buffer(2), value(n)})};
  w.reference = [](Workload& w) {
    auto in = values_of<uint32_t>(w.buffers[0].initial), index = values_of<uint32_t>(w.buffers[1].initial);
    for (auto& i : index)
      i = in[i];
    w.buffers[2].expected = bytes_of(index);
  };
  return w;
}

Workload strided(uint32_t n, uint32_t stride) {
  Workload w;
  w.name = sized("strided", n) + "_" + std::to_string(stride);
  w.source = "streams.cl";
  w.buffers = {input("in", Random(n).u32(size_t(n) * stride)), output<uint32_t>("out", n)};
  w.launches = {flat("strided", n, 256, {buffer(0), buffer(1), value(n), value(stride)})};
  w.reference = [n, stride](Workload& w) {
    auto in = values_of<uint32_t>(w.buffers[0].initial);
    std::vector<uint32_t> out(n);
    for (uint32_t i = 0; i < n; ++i)
      out[i] = in[size_t(i) * stride];
    w.buffers[1].expected = bytes_of(out);
  };
  return w;
}

Workload saxpy(uint32_t n) {
  Random random(n);
  Workload w;
  w.name = sized("saxpy", n);
  w.source = "saxpy.cl";
  w.buffers = {input("x", random.f32(n, -10, 10)), in_out("y", random.f32(n, -10, 10))};
  w.launches = {flat("saxpy", n, 128, {value(1.7f), buffer(0), buffer(1), value(n)})};
  w.reference = [](Workload& w) {
    auto x = values_of<float>(w.buffers[0].initial), y = values_of<float>(w.buffers[1].initial);
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = std::fma(1.7f, x[i], y[i]);
    w.buffers[1].expected = bytes_of(y);
  };
  return w;
}

Workload saxpy_loop(uint32_t n, uint32_t times) {
  Random random(n);
  Workload w;
  w.name = sized("saxpy_loop", n) + "_" + std::to_string(times);
  w.source = "saxpy.cl";
  w.buffers = {input("x", random.f32(n, -10, 10)), in_out("y", random.f32(n, -10, 10))};
  w.launches = {flat("saxpy_loop", n, 256, {value(0.75f), buffer(0), buffer(1), value(n), value(times)})};
  w.reference = [times](Workload& w) {
    auto x = values_of<float>(w.buffers[0].initial), y = values_of<float>(w.buffers[1].initial);
    for (size_t i = 0; i < x.size(); ++i)
      for (uint32_t t = 0; t < times; ++t)
        y[i] = std::fma(0.75f, y[i], x[i]);
    w.buffers[1].expected = bytes_of(y);
  };
  return w;
}

Workload stencil5(uint32_t width, uint32_t height) {
  Workload w;
  w.name = sized("stencil5", width) + "x" + std::to_string(height);
  w.source = "stencil5.cl";
  w.buffers = {input("in", Random(width).f32(size_t(width) * height, 0.5, 2)),
               output<float>("out", size_t(width) * height)};
  w.launches = {{"stencil5",
                 {round_up(width, 32), round_up(height, 8), 1},
                 {32, 8, 1},
                 {buffer(0), buffer(1), value(width), value(height)},
                 {0, 0, 0},
                 2}};
  w.reference = [width, height](Workload& w) {
    auto in = values_of<float>(w.buffers[0].initial);
    auto out = in;
    for (size_t y = 1; y + 1 < height; ++y)
      for (size_t x = 1; x + 1 < width; ++x) {
        auto at = [&](size_t r, size_t c) { return in[r * width + c]; };
        float around = ((at(y, x - 1) + at(y, x + 1)) + at(y - 1, x)) + at(y + 1, x);
        out[y * width + x] = at(y, x) + 0.2f * (around - 4.0f * at(y, x));
      }
    w.buffers[1].expected = bytes_of(out);
  };
  return w;
}

} // namespace crosslane::workload
