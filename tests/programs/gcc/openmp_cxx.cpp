// OpenMP in C++ by GCC: a class and a template on the device, member arrays mapped, nowait with dependences, device
// memory allocated and copied by the host.
#include <omp.h>

#include <vector>

#include "tests/programs/check.h"

#pragma omp declare target
template <class T> struct Polynomial {
  T c0, c1, c2;
  T operator()(T x) const { return c0 + x * (c1 + x * c2); }
};
#pragma omp end declare target

struct Grid {
  int width, height;
  float* cells;
};

int main() {
  const int count = 4096;
  std::vector<double> in(count), out(count);
  for (int i = 0; i < count; ++i)
    in[i] = i / 16.0;
  const Polynomial<double> p = {1, -2, 0.5};
  const double* source = in.data();
  double* target = out.data();
#pragma omp target teams distribute parallel for map(to : source[0 : count], p) map(from : target[0 : count])
  for (int i = 0; i < count; ++i)
    target[i] = p(source[i]);
  for (int i = 0; i < count; ++i)
    REQUIRE(out[i] == 1 + in[i] * (-2 + in[i] * 0.5), "element %d is %g", i, out[i]);

  Grid grid = {64, 48, new float[64 * 48]};
  for (int i = 0; i < 64 * 48; ++i)
    grid.cells[i] = 1;
#pragma omp target enter data map(to : grid) map(to : grid.cells[0 : 64 * 48])
  for (int step = 0; step < 3; ++step) {
#pragma omp target teams distribute parallel for collapse(2)
    for (int y = 0; y < grid.height; ++y)
      for (int x = 0; x < grid.width; ++x)
        grid.cells[y * grid.width + x] = grid.cells[y * grid.width + x] * 2 + x;
  }
#pragma omp target update from(grid.cells[0 : 64 * 48])
#pragma omp target exit data map(delete : grid.cells[0 : 64 * 48], grid)
  for (int i = 0; i < 64 * 48; ++i)
    REQUIRE(grid.cells[i] == 8 + 7 * (i % 64), "cell %d is %g", i, grid.cells[i]);
  delete[] grid.cells;

  int first = 0, second = 0;
#pragma omp target nowait depend(out : first) map(from : first)
  first = 21;
#pragma omp target nowait depend(in : first) depend(out : second) map(to : first) map(from : second)
  second = first * 2;
#pragma omp taskwait
  REQUIRE(second == 42, "%d", second);

  const int device = omp_get_default_device(), host = omp_get_initial_device();
  int* block = static_cast<int*>(omp_target_alloc(100 * sizeof(int), device));
  REQUIRE(block, "omp_target_alloc");
#pragma omp target teams distribute parallel for is_device_ptr(block)
  for (int i = 0; i < 100; ++i)
    block[i] = i * i;
  int back[50];
  REQUIRE(omp_target_memcpy(back, block, sizeof back, 0, 50 * sizeof(int), host, device) == 0);
  for (int i = 0; i < 50; ++i)
    REQUIRE(back[i] == (i + 50) * (i + 50), "%d is %d", i, back[i]);
  omp_target_free(block, device);
  printf("%d values of a polynomial, a grid of 64 x 48\n", count);
  return pass();
}
