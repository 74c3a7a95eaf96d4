// Workloads whose work-items cooperate: reductions, scans, histograms, atomics, sorts, and their references.
#include "tests/kernels/workloads.h"
#include <algorithm>
#include <climits>
#include <numeric>

namespace crosslane::workload {
namespace {

std::string sized(const char* name, uint32_t n) { return std::string(name) + "_" + std::to_string(n); }

Launch flat(std::string kernel, uint32_t n, uint32_t block, std::vector<Argument> arguments) {
  return {std::move(kernel), {round_up(n, block), 1, 1}, {block, 1, 1}, std::move(arguments)};
}

} // namespace

Workload reduce_tree(uint32_t n, uint32_t block) {
  uint32_t groups = (n + block - 1) / block;
  Workload w;
  w.name = sized("reduce_tree", n) + "_" + std::to_string(block);
  w.source = "reduce_tree.cl";
  w.buffers = {input("in", Random(n).f32(n, -1, 1)), output<float>("partial", groups)};
  w.launches = {flat("reduce_tree", n, block, {buffer(0), buffer(1), value(n), local(block * 4)})};
  w.reference = [block, groups](Workload& w) {
    auto in = values_of<float>(w.buffers[0].initial);
    in.resize(size_t(groups) * block, 0.0f);
    std::vector<float> out;
    for (uint32_t g = 0; g < groups; ++g) {
      std::vector<float> level(in.begin() + g * block, in.begin() + (g + 1) * block);
      while (level.size() > 1) {
        for (size_t i = 0; i < level.size() / 2; ++i)
          level[i] += level[i + level.size() / 2];
        level.resize(level.size() / 2);
      }
      out.push_back(level[0]);
    }
    w.buffers[1].expected = bytes_of(out);
  };
  return w;
}

Workload reduce_dpp(uint32_t n) {
  uint32_t waves = (n + 63) / 64;
  Workload w;
  w.name = sized("reduce_dpp", n);
  w.source = "reduce_dpp.cl";
  w.since_gfx8 = true;
  w.buffers = {input("in", Random(n).u32(n)), output<uint32_t>("sums", waves), output<uint32_t>("maxima", waves),
               output<uint32_t>("mirrored", n)};
  w.launches = {flat("reduce_dpp", n, 64, {buffer(0), buffer(1), buffer(2), buffer(3), value(n)})};
  w.not_portable = "it uses the GPU's DPP builtins";
  w.reference = [n, waves](Workload& w) {
    auto in = values_of<uint32_t>(w.buffers[0].initial);
    in.resize(waves * 64, 0);
    std::vector<uint32_t> sums, maxima, mirrored;
    for (auto at = in.begin(); at != in.end(); at += 64) {
      sums.push_back(std::accumulate(at, at + 64, 0u));
      maxima.push_back(*std::max_element(at, at + 64));
    }
    for (uint32_t i = 0; i < n; ++i) { // only lanes below n are active when row_mirror reads; the others give 0
      uint32_t from = (i & ~15u) + 15 - (i & 15);
      mirrored.push_back(from < n ? in[from] : 0);
    }
    w.buffers[1].expected = bytes_of(sums);
    w.buffers[2].expected = bytes_of(maxima);
    w.buffers[3].expected = bytes_of(mirrored);
  };
  return w;
}

Workload dpp_prefix_sum(uint32_t waves, bool integers) {
  Random random(waves);
  auto in = random.f32(waves * 64, 0, 1000);
  if (integers)
    for (auto& x : in)
      x = float(int(x));
  Workload w;
  w.name = sized("dpp_prefix_sum", waves) + (integers ? "_integers" : "_reals");
  w.source = "dpp_prefix_sum.s";
  w.since_gfx8 = true;
  // Whole numbers below 2^24 add exactly in any order.
  w.buffers = {input("in", in), output<float>("out", waves * 64, integers ? Compare::bits : Compare::relative, 1e-5)};
  w.launches = {flat("dpp_prefix_sum", waves * 64, 64, {buffer(0), buffer(1)})};
  w.not_portable = "it is GCN assembly";
  w.reference = [](Workload& w) {
    auto v = values_of<float>(w.buffers[0].initial);
    double sum = 0;
    for (size_t i = 0; i < v.size(); ++i) {
      sum = i % 64 ? sum + v[i] : v[i];
      v[i] = float(sum);
    }
    w.buffers[1].expected = bytes_of(v);
  };
  return w;
}

Workload prefix_sum(uint32_t n) {
  uint32_t groups = (n + 255) / 256;
  Workload w;
  w.name = sized("prefix_sum", n);
  w.source = "prefix_sum.cl";
  w.buffers = {input("in", Random(n).u32(n)), output<uint32_t>("out", n),
               output<uint32_t>("totals", groups, Compare::none)};
  w.launches = {flat("scan_groups", n, 256, {buffer(0), buffer(1), buffer(2), value(n)}),
                flat("scan_totals", 1, 1, {buffer(2), value(groups)}),
                flat("add_totals", n, 256, {buffer(1), buffer(2), value(n)})};
  w.reference = [](Workload& w) {
    auto v = values_of<uint32_t>(w.buffers[0].initial);
    std::partial_sum(v.begin(), v.end(), v.begin());
    w.buffers[1].expected = bytes_of(v);
  };
  return w;
}

namespace {
void count_buckets(Workload& w) {
  std::vector<uint32_t> counts(256);
  for (uint32_t v : values_of<uint32_t>(w.buffers[0].initial))
    ++counts[v % 256];
  w.buffers[1].expected = bytes_of(counts);
}
} // namespace

Workload histogram_global(uint32_t n) {
  Workload w;
  w.name = sized("histogram_global", n);
  w.source = "histogram.cl";
  w.buffers = {input("values", Random(n).u32(n)), in_out("counts", std::vector<uint32_t>(256))};
  w.launches = {flat("histogram_global", n, 256, {buffer(0), buffer(1), value(n)})};
  w.reference = count_buckets;
  return w;
}

Workload histogram_local(uint32_t n, uint32_t groups) {
  Workload w;
  w.name = sized("histogram_local", n);
  w.source = "histogram.cl";
  w.buffers = {input("values", Random(n).u32(n)), in_out("counts", std::vector<uint32_t>(256))};
  w.launches = {flat("histogram_local", groups * 256, 256, {buffer(0), buffer(1), value(n)})};
  w.reference = count_buckets;
  return w;
}

Workload atomics(uint32_t n) {
  Workload w;
  w.name = sized("atomics", n);
  w.source = "histogram.cl";
  w.buffers = {input("values", Random(n).u32(n)),
               in_out("words", std::vector<int32_t>{1000, INT_MAX, INT_MIN, -1, 0, -1, 0, 0, 1, 0, 0}),
               output<uint32_t>("tickets", n, Compare::permutation)};
  w.launches = {flat("atomics", n, 64, {buffer(0), buffer(1), buffer(2), value(n)})};
  w.reference = [n](Workload& w) {
    auto words = values_of<int32_t>(w.buffers[1].initial);
    std::vector<uint32_t> tickets(n);
    std::iota(tickets.begin(), tickets.end(), 0u);
    uint32_t low = UINT_MAX, high = 0, powers = 1;
    for (uint32_t v : values_of<uint32_t>(w.buffers[0].initial)) {
      words[0] -= int(v % 8);
      words[1] = std::min(words[1], int(v));
      words[2] = std::max(words[2], int(v));
      low = std::min(low, v);
      high = std::max(high, v);
      words[5] &= int(v | 0xff);
      words[6] |= int(v & 0x10101010);
      words[7] ^= int(v);
      powers = powers * 3 + 1;
    }
    words[3] = int(low), words[4] = int(high), words[8] = int(powers), words[9] = int(n), words[10] = 42;
    w.buffers[1].expected = bytes_of(words);
    w.buffers[2].expected = bytes_of(tickets);
  };
  return w;
}

Workload bitonic_sort(uint32_t n) {
  Workload w;
  w.name = sized("bitonic_sort", n);
  w.source = "bitonic_sort.cl";
  w.buffers = {in_out("keys", Random(n).u32(n))};
  for (uint32_t size = 2; size <= n; size *= 2)
    for (uint32_t stride = size / 2; stride > 0; stride /= 2)
      w.launches.push_back(flat("bitonic_step", n / 2, std::min(n / 2, 256u), {buffer(0), value(size), value(stride)}));
  w.reference = [](Workload& w) {
    auto keys = values_of<uint32_t>(w.buffers[0].initial);
    std::sort(keys.begin(), keys.end());
    w.buffers[0].expected = bytes_of(keys);
  };
  return w;
}

Workload bitonic_local(uint32_t groups) {
  Workload w;
  w.name = sized("bitonic_local", groups);
  w.source = "bitonic_sort.cl";
  w.buffers = {in_out("keys", Random(groups).u32(groups * 512))};
  w.launches = {flat("bitonic_local", groups * 256, 256, {buffer(0)})};
  w.reference = [](Workload& w) {
    auto keys = values_of<uint32_t>(w.buffers[0].initial);
    for (auto at = keys.begin(); at != keys.end(); at += 512)
      std::sort(at, at + 512);
    w.buffers[0].expected = bytes_of(keys);
  };
  return w;
}

Workload relay(uint32_t groups) {
  Workload w;
  w.name = sized("relay", groups);
  w.source = "flow.cl";
  w.buffers = {in_out("baton", std::vector<int32_t>{0}), output<uint32_t>("order", groups)};
  w.launches = {flat("relay", groups * 64, 64, {buffer(0), buffer(1)})};
  w.not_portable = "it needs workgroups that make progress side by side";
  w.reference = [groups](Workload& w) {
    w.buffers[0].expected = bytes_of(std::vector<uint32_t>{groups});
    std::vector<uint32_t> order;
    for (uint32_t g = 0; g < groups; ++g)
      order.push_back(g + g + 1);
    w.buffers[1].expected = bytes_of(order);
  };
  return w;
}

} // namespace crosslane::workload
