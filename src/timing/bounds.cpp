// Each unit by itself, and the largest of them.
#include "timing/bounds.h"
#include <algorithm>

namespace crosslane::timing {

namespace {

constexpr double turn = 4;    // cycles until a compute unit looks at the same SIMD again
constexpr uint32_t kinds = 5; // of instructions that it may start then

} // namespace

void add(Sums& sums, const Row& row, double times) {
  sums[row.cost.resource] += row.cost.unit * times;
  if (row.cost.valu > 0)
    sums[Resource::valu] += Cycles(row.cost.valu) * times;
  sums.instructions += times;
  sums.bytes += row.instruction.size * times;
  if (row.cost.resource == Resource::internal)
    sums.internal += times;
}

std::string_view name_of(Binding b) {
  constexpr std::string_view names[] = {"VALU",     "matrix",  "SALU and SMEM", "VMEM",   "LDS",
                                        "branches", "exports", "issue",         "latency"};
  return names[size_t(b)];
}

Bounds bounds(const Sums& s, uint32_t waves, const gpu::Machine& m) {
  const double simds = m[gpu::Parameter::simds];
  Bounds b;
  const auto put = [&](Binding which, Cycles cycles) { b[size_t(which)] = cycles * waves; };
  put(Binding::valu, s[Resource::valu]);
  put(Binding::matrix, s[Resource::matrix]);
  Cycles scalar = s[Resource::salu];
  scalar += s[Resource::smem];
  put(Binding::scalar, scalar);
  put(Binding::vmem, s[Resource::vmem] * simds);
  put(Binding::lds, s[Resource::lds] * simds);
  put(Binding::export_, s[Resource::export_] * simds);
  put(Binding::branch, s[Resource::branch]);
  put(Binding::issue, turn * (s.instructions - s.internal) / std::min(waves, kinds));
  return b;
}

Bound largest(const Bounds& bounds, const Cycles& path) {
  Bound out{path, Binding::latency, Binding::latency};
  for (size_t i = 0; i < binding_count; ++i) {
    if (bounds[i].least >= out.cycles.least)
      out.cycles.least = bounds[i].least, out.least = Binding(i);
    if (bounds[i].most >= out.cycles.most)
      out.cycles.most = bounds[i].most, out.most = Binding(i);
  }
  return out;
}

uint32_t waves_to_hide(const Sums& s, const Cycles& path, uint32_t most, const gpu::Machine& m) {
  for (uint32_t n = 1; n <= most; ++n)
    if (largest(bounds(s, n, m), path).least != Binding::latency)
      return n;
  return 0;
}

} // namespace crosslane::timing
