// The workloads by name; sizes are chosen by who runs them. all() is the list of the tests, with awkward sizes.
#pragma once
#include "tests/kernels/workload.h"

namespace crosslane::workload {

// Streams. `uneven`: the grid is n itself and the last workgroup is short; else the grid is padded and the kernel's
// guard decides.
Workload vector_add(uint32_t n, uint32_t block = 256, bool uneven = false);
Workload copy(uint32_t n);
Workload copy4(uint32_t n);
Workload gather(uint32_t n);
Workload strided(uint32_t n, uint32_t stride);
Workload saxpy(uint32_t n);
Workload saxpy_loop(uint32_t n, uint32_t times);
Workload stencil5(uint32_t width, uint32_t height);
// Dense loops.
Workload matmul_naive(uint32_t n);
Workload matmul_tiled(uint32_t n);
Workload mandelbrot(uint32_t width, uint32_t height, uint32_t limit);
Workload nbody(uint32_t n);
// By instructions of one target alone. n: a multiple of 128.
Workload gemm_mfma_f32(uint32_t n);
Workload gemm_mfma_f16(uint32_t n);
Workload gemm_dot(uint32_t n);
// Cooperation inside workgroups, and between them.
Workload reduce_tree(uint32_t n, uint32_t block = 256);
Workload reduce_dpp(uint32_t n);
Workload dpp_prefix_sum(uint32_t waves, bool integers);
Workload prefix_sum(uint32_t n);
Workload histogram_global(uint32_t n);
Workload histogram_local(uint32_t n, uint32_t groups);
Workload atomics(uint32_t n);
Workload bitonic_sort(uint32_t n);
Workload bitonic_local(uint32_t groups);
Workload relay(uint32_t groups);
// Kinds of data, and of control flow.
Workload if_else(uint32_t n, uint32_t limit);
Workload if_else_assembly(const char* kernel, uint32_t n, uint32_t block, uint32_t limit);
Workload f64(uint32_t n);
Workload f16(uint32_t n);
Workload hash(uint32_t n);
Workload bytes(uint32_t n);
Workload shorts(uint32_t n);
Workload scratch(uint32_t n);
Workload recursive(uint32_t n);
Workload indirect(uint32_t n);
Workload transpose(uint32_t width, uint32_t height, uint32_t side);
Workload collatz(uint32_t n);
Workload maze(uint32_t n);
Workload ids(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block, int dimensions,
             std::array<uint64_t, 3> offset = {0, 0, 0});
Workload packet_sizes(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block);

std::vector<Workload> all();           // of all targets since gfx803
std::vector<Workload> of_one_target(); // Workload::target

} // namespace crosslane::workload
