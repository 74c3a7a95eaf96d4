// Workloads about kinds of data and control flow: 8- to 64-bit integers, f16, f64, branches, calls, scratch, ids; and
// their references.
#include "tests/kernels/workloads.h"
#include <algorithm>
#include <cmath>

namespace crosslane::workload {
namespace {

std::string sized(const char* name, uint32_t n) { return std::string(name) + "_" + std::to_string(n); }

Launch flat(std::string kernel, uint32_t n, uint32_t block, std::vector<Argument> arguments) {
  return {std::move(kernel), {round_up(n, block), 1, 1}, {block, 1, 1}, std::move(arguments)};
}

// A workload of one input of n words and one output of n words: out[i] = f(in, i).
template <class F> Workload word_map(std::string name, const char* source, const char* kernel, uint32_t n, F f) {
  Workload w;
  w.name = std::move(name);
  w.source = source;
  w.buffers = {input("in", Random(n).u32(n)), output<uint32_t>("out", n)};
  w.launches = {flat(kernel, n, 128, {buffer(0), buffer(1), value(n)})};
  w.reference = [n, f](Workload& w) {
    auto in = values_of<uint32_t>(w.buffers[0].initial);
    std::vector<uint32_t> out(n);
    for (uint32_t i = 0; i < n; ++i)
      out[i] = f(in, i);
    w.buffers[1].expected = bytes_of(out);
  };
  return w;
}

} // namespace

Workload if_else(uint32_t n, uint32_t limit) {
  Workload w;
  w.name = sized("if_else", n) + "_limit_" + std::to_string(limit);
  w.source = "if_else.cl";
  w.buffers = {input("in", Random(n).u32(n)), in_out("out", std::vector<uint32_t>(n * 3))};
  w.launches = {flat("if_else", n, 64, {buffer(0), buffer(1), value(limit), value(n)})};
  w.reference = [n, limit](Workload& w) {
    auto in = values_of<uint32_t>(w.buffers[0].initial);
    std::vector<uint32_t> out(n * 3);
    for (uint32_t i = 0; i < n; ++i) {
      bool low = i % 64 < limit;
      uint32_t v = low ? in[i] * 27 + i * 13 : in[i] / 7 + 1;
      out[(low ? n : 2 * n) + i] = v;
      out[i] = v ^ 0x5a5a5a5a;
    }
    w.buffers[1].expected = bytes_of(out);
  };
  return w;
}

Workload if_else_assembly(const char* kernel, uint32_t n, uint32_t block, uint32_t limit) {
  bool above = std::string(kernel) == "if_else_above";
  Workload w;
  w.name = sized(above ? "if_else_above_s" : "if_else_s", n) + "_" + std::to_string(block) + "_limit_" +
           std::to_string(limit);
  w.source = "if_else.s";
  w.since_gfx8 = true;
  w.buffers = {input("in", Random(n).u32(n)), output<uint32_t>("out", n)};
  w.launches = {flat(kernel, n, block, {buffer(0), buffer(1), value(limit)})};
  w.not_portable = "it is GCN assembly";
  w.reference = [=](Workload& w) {
    auto v = values_of<uint32_t>(w.buffers[0].initial);
    for (uint32_t i = 0; i < n; ++i) {
      uint32_t x = i % block;
      v[i] = (above ? x > limit : x < limit) ? v[i] * 2 + 1 : v[i] ^ 0xff;
    }
    w.buffers[1].expected = bytes_of(v);
  };
  return w;
}

Workload f64(uint32_t n) {
  Random random(n);
  std::vector<double> a(n), b(n);
  for (uint32_t i = 0; i < n; ++i) {
    a[i] = random.real(-1e6, 1e6) * (i % 3 ? 1e-4 : 1.0);
    b[i] = random.real(-100, 100) * std::pow(10.0, int(random.below(40)) - 20);
  }
  const double edges[] = {0.0,    -0.0,     1.0,      -1.0, 0.5,     1e300,
                          1e-300, 4.9e-324, 2.2e-308, 3.0,  1.0 / 3, 4503599627370497.5};
  for (uint32_t i = 0; i < n && i < std::size(edges); ++i)
    a[i] = edges[i], b[i] = edges[std::size(edges) - 1 - i];
  for (auto& y : b)
    if (y == 0)
      y = 2.5;
  // |a| stays where a conversion to long is defined; 1e300 is for the division and the root only.
  for (auto& x : a)
    if (std::fabs(x) > 9e18)
      x = 9e15;
  Workload w;
  w.name = sized("f64", n);
  w.source = "f64.cl";
  w.buffers = {input("a", a),
               input("b", b),
               output<double>("poly", n),
               output<double>("quotient", n),
               output<double>("root", n),
               output<int64_t>("whole", n),
               output<float>("narrow", n)};
  w.launches = {
      flat("f64", n, 128, {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), buffer(5), buffer(6), value(n)})};
  w.reference = [n](Workload& w) {
    auto a = values_of<double>(w.buffers[0].initial), b = values_of<double>(w.buffers[1].initial);
    std::vector<double> poly(n), quotient(n), root(n);
    std::vector<int64_t> whole(n);
    std::vector<float> narrow(n);
    const double coefficients[] = {-0.5, 1.25, -3.0};
    for (uint32_t i = 0; i < n; ++i) {
      double p = 0.125;
      for (double c : coefficients)
        p = std::fma(p, a[i], c);
      poly[i] = std::fma(p, a[i], b[i]);
      quotient[i] = a[i] / b[i];
      root[i] = std::sqrt(std::fabs(a[i]));
      whole[i] = int64_t(std::floor(a[i])) + (a[i] < b[i] ? 1000000 : 0);
      narrow[i] = float(std::max(std::trunc(a[i]), b[i]));
    }
    w.buffers[2].expected = bytes_of(poly);
    w.buffers[3].expected = bytes_of(quotient);
    w.buffers[4].expected = bytes_of(root);
    w.buffers[5].expected = bytes_of(whole);
    w.buffers[6].expected = bytes_of(narrow);
  };
  return w;
}

namespace {
using Half = _Float16;
uint16_t bits(Half h) {
  uint16_t u;
  std::memcpy(&u, &h, 2);
  return u;
}
Half half(uint16_t u) {
  Half h;
  std::memcpy(&h, &u, 2);
  return h;
}
} // namespace

Workload f16(uint32_t n) {
  Random random(n);
  std::vector<uint16_t> a(n * 2), b(n * 2);
  for (uint32_t i = 0; i < n * 2; ++i) { // every exponent but that of infinities and NaNs, subnormals included
    a[i] = uint16_t(random.below(0x7800) | random.below(2) << 15);
    b[i] = uint16_t(random.below(0x7c00) | random.below(2) << 15);
  }
  Workload w;
  w.name = sized("f16", n);
  w.source = "f16.cl";
  w.since_gfx8 = true;
  w.buffers = {input("a", a),
               input("b", b),
               output<uint16_t>("sums", n * 2),
               output<uint16_t>("products", n * 2),
               output<float>("wide", n * 2),
               output<uint16_t>("greater", n * 2)};
  for (size_t i : {0, 1, 2, 3, 5})
    w.buffers[i].element = Element::f16;
  w.launches = {flat("f16", n, 64, {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), buffer(5), value(n)})};
  w.not_portable = "PoCL's CPU device has no cl_khr_fp16";
  w.reference = [n](Workload& w) { // single precision holds a half sum or product exactly enough that one rounding to
                                   // half follows
    auto a = values_of<uint16_t>(w.buffers[0].initial), b = values_of<uint16_t>(w.buffers[1].initial);
    std::vector<uint16_t> sums(n * 2), products(n * 2), greater(n * 2);
    std::vector<float> wide(n * 2);
    for (uint32_t i = 0; i < n * 2; ++i) {
      float x = float(half(a[i])), y = float(half(b[i]));
      sums[i] = bits(Half(x + y));
      float product = float(Half(x * y));
      products[i] = bits(Half(product - x));
      wide[i] = i % 2 ? y * 0.5f : x * 3.0f;
      greater[i] = bits(Half(x > y ? x : i % 2 ? -y : y));
    }
    w.buffers[2].expected = bytes_of(sums);
    w.buffers[3].expected = bytes_of(products);
    w.buffers[4].expected = bytes_of(wide);
    w.buffers[5].expected = bytes_of(greater);
  };
  return w;
}

Workload hash(uint32_t n) {
  constexpr uint32_t divisor = 1000003;
  Workload w;
  w.name = sized("hash", n);
  w.source = "hash.cl";
  w.buffers = {input("in", Random(n).u64(n)), output<uint64_t>("mixed", n), output<uint32_t>("counts", n),
               output<int64_t>("divided", n)};
  w.launches = {flat("hash", n, 128, {buffer(0), buffer(1), buffer(2), buffer(3), value(n), value(divisor)})};
  w.reference = [n](Workload& w) {
    auto in = values_of<uint64_t>(w.buffers[0].initial);
    std::vector<uint64_t> mixed(n);
    std::vector<uint32_t> counts(n);
    std::vector<int64_t> divided(n);
    for (uint32_t i = 0; i < n; ++i) {
      uint64_t v = in[i] + i * 0x9e3779b97f4a7c15u, m = v;
      m ^= m >> 30, m *= 0xbf58476d1ce4e5b9u, m ^= m >> 27, m *= 0x94d049bb133111ebu, m ^= m >> 31;
      unsigned turn = v % 64;
      uint64_t turned = turn ? m << turn | m >> (64 - turn) : m;
      m = turned + uint64_t(((unsigned __int128)m * v) >> 64);
      m ^= m << (i % 32);
      mixed[i] = m - uint64_t(int64_t(v) >> (i % 63));
      uint32_t lo = uint32_t(m), hi = uint32_t(m >> 32);
      uint32_t zeros = hi ? uint32_t(__builtin_clz(hi)) : 32;
      counts[i] = uint32_t(__builtin_popcount(lo)) + zeros * 100 + uint32_t(__builtin_popcountll(m)) * 10000 +
                  uint32_t(uint64_t(lo) * hi >> 32) % divisor + lo / divisor + ((lo % 65536) * (hi % 256) + 7) +
                  (lo > hi ? lo - hi : hi - lo);
      divided[i] = int64_t(m) / (int64_t(divisor) * 3 + 1) + int64_t(m % divisor) + int32_t(lo) % int32_t(divisor);
    }
    w.buffers[1].expected = bytes_of(mixed);
    w.buffers[2].expected = bytes_of(counts);
    w.buffers[3].expected = bytes_of(divided);
  };
  return w;
}

Workload bytes(uint32_t n) {
  Random random(n);
  std::vector<uint8_t> a(n * 4);
  std::vector<int8_t> b(n * 4);
  for (auto& x : a)
    x = uint8_t(random.next());
  for (auto& x : b)
    x = int8_t(random.next());
  Workload w;
  w.name = sized("bytes", n);
  w.source = "subdword.cl";
  w.buffers = {input("a", a), input("b", b), output<uint8_t>("blended", n * 4), output<int16_t>("products", n * 4),
               output<int8_t>("saturated", n * 4)};
  w.launches = {flat("bytes", n, 64, {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), value(n)})};
  w.reference = [n](Workload& w) {
    auto a = values_of<uint8_t>(w.buffers[0].initial);
    auto b = values_of<int8_t>(w.buffers[1].initial);
    std::vector<uint8_t> blended(n * 4);
    std::vector<int16_t> products(n * 4);
    std::vector<int8_t> saturated(n * 4);
    for (uint32_t i = 0; i < n * 4; ++i) {
      uint32_t mirror = i / 4 * 4 + 3 - i % 4, next = i / 4 * 4 + (i + 1) % 4;
      blended[i] = uint8_t((a[i] * 3 + a[mirror] * 5) / 8);
      products[i] = int16_t(a[i] * b[i]);
      saturated[i] = int8_t(std::clamp(b[i] + b[next], -128, 127));
    }
    w.buffers[2].expected = bytes_of(blended);
    w.buffers[3].expected = bytes_of(products);
    w.buffers[4].expected = bytes_of(saturated);
  };
  return w;
}

Workload shorts(uint32_t n) {
  Random random(n);
  std::vector<int16_t> a(n);
  std::vector<uint16_t> b(n);
  for (auto& x : a)
    x = int16_t(random.next());
  for (auto& x : b)
    x = uint16_t(random.next());
  Workload w;
  w.name = sized("shorts", n);
  w.source = "subdword.cl";
  w.buffers = {input("a", a), input("b", b), output<int16_t>("low", n), output<uint16_t>("high", n),
               output<int8_t>("narrow", n)};
  w.launches = {flat("shorts", n, 64, {buffer(0), buffer(1), buffer(2), buffer(3), buffer(4), value(n)})};
  w.reference = [n](Workload& w) {
    auto a = values_of<int16_t>(w.buffers[0].initial);
    auto b = values_of<uint16_t>(w.buffers[1].initial);
    std::vector<int16_t> low(n);
    std::vector<uint16_t> high(n);
    std::vector<int8_t> narrow(n);
    for (uint32_t i = 0; i < n; ++i) {
      low[i] = int16_t(int16_t(a[i] * 7 - int16_t(b[i])) >> (b[i] % 8));
      high[i] = std::max(uint16_t(a[i]), uint16_t(b[i] ^ 0xff));
      narrow[i] = int8_t(a[i] / (b[i] % 16 + 1));
    }
    w.buffers[2].expected = bytes_of(low);
    w.buffers[3].expected = bytes_of(high);
    w.buffers[4].expected = bytes_of(narrow);
  };
  return w;
}

Workload scratch(uint32_t n) {
  return word_map(sized("scratch", n), "scratch.cl", "scratch", n, [n](const std::vector<uint32_t>& in, uint32_t i) {
    std::vector<uint32_t> table;
    std::vector<uint8_t> bytes(64);
    std::vector<uint64_t> wide;
    for (uint32_t k = 1; k <= 97; ++k)
      table.push_back(in[(i + k - 1) % n] * k);
    for (uint32_t k = 0; k < 64; ++k)
      bytes[k * 37 % 64] = uint8_t(table[k] >> k % 8);
    for (uint32_t k = 0; k < 16; ++k)
      wide.push_back(table[k * 6] * 0x100000000u + table[96 - k]);
    uint32_t at = in[i] % 97, sum = 0;
    for (int k = 0; k < 200; ++k) {
      sum = sum * 31 + table[at] + bytes[at % 64] + uint32_t(wide[at % 16] >> 20);
      table[at] ^= sum;
      at = (at * 5 + sum) % 97;
    }
    return sum;
  });
}

Workload recursive(uint32_t n) {
  Workload w =
      word_map(sized("recursive", n), "calls.hip", "recursive", n, [](const std::vector<uint32_t>& in, uint32_t i) {
        const uint32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
        return fibonacci[in[i] % 11];
      });
  w.not_portable = "it is HIP";
  return w;
}

Workload indirect(uint32_t n) {
  Workload w =
      word_map(sized("indirect", n), "calls.hip", "indirect", n, [](const std::vector<uint32_t>& in, uint32_t i) {
        uint32_t x = in[i];
        return x % 3 == 0 ? x + x + 1 : x % 3 == 1 ? x * x : x / 65536 ^ x;
      });
  w.not_portable = "it is HIP";
  return w;
}

Workload collatz(uint32_t n) {
  return word_map(sized("collatz", n), "flow.cl", "collatz", n, [](const std::vector<uint32_t>& in, uint32_t i) {
    uint32_t steps = 0;
    for (uint64_t v = in[i] % 10000 + 1; v != 1; ++steps)
      v = v % 2 ? v * 3 + 1 : v / 2;
    return steps;
  });
}

Workload maze(uint32_t n) {
  return word_map(sized("maze", n), "flow.cl", "maze", n, [](const std::vector<uint32_t>& in, uint32_t i) {
    uint32_t v = in[i], sum = 0;
    for (uint32_t k = 0; k < 40; ++k) {
      v = v * 1664525u + 1013904223u;
      uint32_t way = v >> 29;
      if (way == 0)
        continue;
      if (way == 1)
        sum += v % 256;
      else if (way == 2 && sum % 2 == 0)
        sum = ~sum;
      else if (way == 2) {
        sum ^= v;
        sum -= sum > 0x80000000u ? k : 0;
      } else if (way == 3) {
        for (uint32_t j = 0; j < v % 4; ++j)
          sum = sum * 5 + j;
      } else if (way == 5) {
        if (!(v & 0xff000))
          return sum;
      } else
        sum -= v >> 7;
      if (sum % 4096 == 7)
        return sum;
    }
    return sum;
  });
}

Workload transpose(uint32_t width, uint32_t height, uint32_t side) {
  size_t count = size_t(width) * height;
  Workload w;
  w.name = "transpose_" + std::to_string(width) + "x" + std::to_string(height);
  w.source = "transpose.hip";
  w.buffers = {input("in", Random(count).u32(count)), output<uint32_t>("out", count)};
  w.launches = {{"transpose",
                 {round_up(width, side), (height + side - 1) / side * 4, 1},
                 {side, 4, 1},
                 {buffer(0), buffer(1), value(width), value(height)},
                 {0, 0, 0},
                 2,
                 side * (side + 1) * 4}};
  w.not_portable = "it is HIP";
  w.reference = [=](Workload& w) {
    auto in = values_of<uint32_t>(w.buffers[0].initial);
    std::vector<uint32_t> out;
    for (size_t x = 0; x < width; ++x)
      for (size_t y = 0; y < height; ++y)
        out.push_back(in[y * width + x]);
    w.buffers[1].expected = bytes_of(out);
  };
  return w;
}

Workload ids(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block, int dimensions,
             std::array<uint64_t, 3> offset) {
  size_t items = size_t(grid[0]) * grid[1] * grid[2];
  Workload w;
  w.name = "ids_" + std::to_string(grid[0]) + "x" + std::to_string(grid[1]) + "x" + std::to_string(grid[2]) + "_" +
           std::to_string(block[0]) + "x" + std::to_string(block[1]) + "x" + std::to_string(block[2]);
  w.source = "ids.cl";
  bool moved = offset[0] || offset[1] || offset[2];
  if (moved)
    w.name += "_offset";
  w.buffers = {in_out("records", std::vector<uint32_t>(items * 8))};
  w.launches = {{"ids", grid, block, {buffer(0)}, offset, dimensions}};
  for (int d = 0; d < 3; ++d)
    if (grid[d] % block[d])
      w.not_portable = "the last workgroup is short";
  w.reference = [=](Workload& w) {
    std::vector<uint32_t> records(items * 8);
    auto pack = [](uint64_t x, uint64_t y, uint64_t z) { return uint32_t(x | y << 10 | z << 20); };
    uint32_t groups[3];
    for (int d = 0; d < 3; ++d)
      groups[d] = (grid[d] + block[d] - 1) / block[d];
    size_t at = 0;
    for (uint32_t z = 0; z < grid[2]; ++z)
      for (uint32_t y = 0; y < grid[1]; ++y)
        for (uint32_t x = 0; x < grid[0]; ++x) {
          uint32_t id[3] = {x, y, z}, size[3];
          for (int d = 0; d < 3; ++d)
            size[d] = std::min(block[d], grid[d] - id[d] / block[d] * block[d]);
          for (uint32_t word :
               {pack(x + offset[0], y + offset[1], z + offset[2]), pack(x % block[0], y % block[1], z % block[2]),
                pack(x / block[0], y / block[1], z / block[2]), pack(size[0], size[1], size[2]),
                pack(groups[0], groups[1], groups[2]), pack(grid[0], grid[1], grid[2]), uint32_t(dimensions),
                pack(offset[0], offset[1], offset[2])})
            records[at++] = word;
        }
    w.buffers[0].expected = bytes_of(records);
  };
  return w;
}

Workload packet_sizes(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block) {
  size_t items = size_t(grid[0]) * grid[1] * grid[2];
  Workload w;
  w.name = "packet_sizes";
  w.source = CROSSLANE_TESTS_FOLDER "/packet_sizes.hip";
  w.buffers = {output<uint32_t>("records", items * 4)};
  w.launches = {{"packet_sizes", grid, block, {buffer(0)}, {0, 0, 0}, 3}};
  w.not_portable = "it is HIP";
  w.reference = [=](Workload& w) {
    std::vector<uint32_t> records;
    auto pack = [](uint32_t x, uint32_t y, uint32_t z) { return x | y << 10 | z << 20; };
    for (uint32_t z = 0; z < grid[2]; ++z)
      for (uint32_t y = 0; y < grid[1]; ++y)
        for (uint32_t x = 0; x < grid[0]; ++x)
          for (uint32_t word : {pack(x, y, z), pack(grid[0], grid[1], grid[2]), pack(block[0], block[1], block[2]),
                                pack(x / block[0], y / block[1], z / block[2])})
            records.push_back(word);
    w.buffers[0].expected = bytes_of(records);
  };
  return w;
}

std::vector<Workload> all() {
  std::vector<Workload> list;
  for (uint32_t n : {0, 1, 63, 64, 65, 1000, 4099})
    list.push_back(vector_add(n));
  list.push_back(vector_add(1003, 256, true));
  list.push_back(vector_add(77, 1, false));
  for (uint32_t n : {1, 1027})
    list.push_back(copy(n)), list.push_back(copy4(n)), list.push_back(gather(n));
  for (uint32_t stride : {2, 3, 16, 513})
    list.push_back(strided(515, stride));
  list.push_back(saxpy(1001));
  list.push_back(saxpy_loop(333, 100));
  list.push_back(stencil5(67, 45));
  for (uint32_t n : {1, 17, 64, 75})
    list.push_back(matmul_naive(n)), list.push_back(matmul_tiled(n));
  list.push_back(mandelbrot(70, 50, 100));
  list.push_back(nbody(300));
  list.push_back(reduce_tree(5000));
  list.push_back(reduce_tree(130, 32));
  list.push_back(reduce_tree(4097, 1024));
  for (uint32_t n : {64, 1000})
    list.push_back(reduce_dpp(n));
  list.push_back(dpp_prefix_sum(1, true));
  list.push_back(dpp_prefix_sum(5, true));
  list.push_back(dpp_prefix_sum(5, false));
  for (uint32_t n : {1, 256, 10007})
    list.push_back(prefix_sum(n));
  list.push_back(histogram_global(9999));
  list.push_back(histogram_local(20011, 5));
  list.push_back(atomics(700));
  list.push_back(bitonic_sort(2));
  list.push_back(bitonic_sort(2048));
  list.push_back(bitonic_local(3));
  list.push_back(relay(40));
  for (uint32_t limit : {0, 32, 64})
    list.push_back(if_else(200, limit));
  list.push_back(if_else_assembly("if_else", 256, 64, 32));
  list.push_back(if_else_assembly("if_else", 300, 100, 32));
  list.push_back(if_else_assembly("if_else_above", 256, 64, 63));
  list.push_back(if_else_assembly("if_else_above", 256, 128, 63));
  list.push_back(f64(1000));
  list.push_back(f16(1000));
  list.push_back(hash(1000));
  list.push_back(bytes(501));
  list.push_back(shorts(501));
  list.push_back(scratch(200));
  list.push_back(recursive(200));
  list.push_back(indirect(200));
  list.push_back(transpose(45, 70, 16));
  list.push_back(collatz(500));
  list.push_back(maze(2000));
  list.push_back(ids({7, 5, 3}, {7, 5, 3}, 3));
  list.push_back(ids({24, 10, 6}, {8, 5, 2}, 3));
  list.push_back(ids({25, 11, 7}, {8, 5, 2}, 3));
  list.push_back(ids({200, 1, 1}, {64, 1, 1}, 1));
  list.push_back(ids({192, 1, 1}, {64, 1, 1}, 1));
  list.push_back(ids({36, 20, 1}, {12, 10, 1}, 2, {5, 6, 0}));
  return list;
}

} // namespace crosslane::workload
