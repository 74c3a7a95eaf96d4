// OpenMP 4.5/5.0 in C by GCC: reductions, target data and update, declare target, teams and SIMD nests, atomics,
// printf.
#include <math.h>
#include <omp.h>
#include <string.h>

#include "tests/programs/check.h"

#pragma omp declare target
int scale = 3;
static int scaled(int x) { return x * scale; }
#pragma omp end declare target

#define COUNT 5000

int main(void) {
  static int a[COUNT], b[COUNT];
  static double x[COUNT];
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  REQUIRE(!on_host, "the target region ran on the host");
  REQUIRE(omp_get_num_devices() == 1, "%d devices", omp_get_num_devices());

  long long sum = 0, expected = 0;
  double squares = 0, expected_squares = 0;
  int most = -1;
  for (int i = 0; i < COUNT; ++i) {
    a[i] = i % 977 - 100, x[i] = i * 0.5;
    expected += a[i] * 3, expected_squares += x[i] * x[i];
  }
#pragma omp target teams distribute parallel for reduction(+ : sum, squares) reduction(max : most) map(to : a, x)
  for (int i = 0; i < COUNT; ++i) {
    sum += scaled(a[i]);
    squares += x[i] * x[i];
    if (a[i] > most)
      most = a[i];
  }
  REQUIRE(sum == expected && most == 876, "%lld, not %lld; most %d", sum, expected, most);
  REQUIRE(fabs(squares - expected_squares) < 1e-9 * expected_squares, "%g, not %g", squares, expected_squares);

  scale = 10;
#pragma omp target update to(scale)
  memset(b, 0, sizeof b);
#pragma omp target data map(to : a) map(from : b)
  {
#pragma omp target teams distribute parallel for simd
    for (int i = 0; i < COUNT; ++i)
      b[i] = scaled(a[i]);
    REQUIRE(b[1] == 0, "b came back too early");
#pragma omp target update from(b[0 : 10])
    REQUIRE(b[1] == -990 && b[10] == 0, "%d and %d", b[1], b[10]);
    a[0] = 7;
#pragma omp target update to(a[0 : 1])
#pragma omp target
    b[COUNT - 1] = a[0];
  }
  for (int i = 0; i < COUNT - 1; ++i)
    REQUIRE(b[i] == (i % 977 - 100) * 10, "b[%d] is %d", i, b[i]);
  REQUIRE(b[COUNT - 1] == 7, "%d", b[COUNT - 1]);

  int histogram[10] = {0};
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : histogram) num_teams(4)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 20; ++j) {
#pragma omp atomic
      histogram[(i + j) % 10]++;
    }
  for (int i = 0; i < 10; ++i)
    REQUIRE(histogram[i] == 60, "bin %d holds %d", i, histogram[i]);

#pragma omp target
  printf("from the device: %d, %.2f, %s\n", scale, 2.5, "text");
  printf("sum %lld, squares %.1f, most %d\n", sum, squares, most);
  return pass();
}
