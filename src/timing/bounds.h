// Owns what code takes when several waves go through it: the sums of each unit, the least time that they allow, and
// which of them does. Source of what issues when: AMD's documentation of rocprofiler-compute, and CLRX's column
// "Issue": a compute unit looks at one of its SIMDs in each cycle and starts at most one instruction of a wave, and of
// each kind, there.
#pragma once
#include "timing/path.h"
#include <array>
#include <string_view>

namespace crosslane::timing {

struct Sums {
  std::array<Cycles, resource_count> unit{}; // by Resource
  double instructions = 0, bytes = 0;
  double internal = 0; // of the instructions, those that no unit takes
  Cycles& operator[](Resource r) { return unit[size_t(r)]; }
  const Cycles& operator[](Resource r) const { return unit[size_t(r)]; }
};
void add(Sums&, const Row&, double times = 1);

enum class Binding : uint8_t { valu, matrix, scalar, vmem, lds, branch, export_, issue, latency };
inline constexpr size_t binding_count = size_t(Binding::latency) + 1;
std::string_view name_of(Binding);

// Cycles in which each of `waves` waves of every SIMD goes through once.
using Bounds = std::array<Cycles, binding_count>;
Bounds bounds(const Sums&, uint32_t waves, const gpu::Machine&);

struct Bound {
  Cycles cycles;
  Binding least{}, most{}; // what makes them
};
// The largest of them. `path`: what a wave takes by itself.
Bound largest(const Bounds&, const Cycles& path);

// The fewest waves on a SIMD with which a unit is as busy as the way of one wave takes, so that its latencies are
// hidden; 0: more than `most`.
uint32_t waves_to_hide(const Sums&, const Cycles& path, uint32_t most, const gpu::Machine&);

} // namespace crosslane::timing
