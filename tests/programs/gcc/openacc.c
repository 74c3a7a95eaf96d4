// OpenACC by GCC: gangs, workers and vectors, data regions, updates, async queues, routines, reductions.
#include <openacc.h>

#include "tests/programs/check.h"

#define N 96

#pragma acc routine seq
static float cube(float x) { return x * x * x; }

int main(void) {
  static float a[N][N], b[N][N], c[N][N];
  int on_device = 0;
#pragma acc parallel copyout(on_device)
  on_device = acc_on_device(acc_device_not_host);
  REQUIRE(on_device, "the parallel region ran on the host");

  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      a[i][j] = (i * 7 + j) % 11, b[i][j] = (i + j * 5) % 13;
#pragma acc data copyin(a, b) copyout(c)
  {
#pragma acc parallel loop gang collapse(2) vector_length(64)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        float sum = 0;
        for (int k = 0; k < N; ++k)
          sum += a[i][k] * b[k][j];
        c[i][j] = sum;
      }
  }
  double total = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < N; ++k)
        sum += a[i][k] * b[k][j];
      REQUIRE(c[i][j] == sum, "c[%d][%d] is %g, not %g", i, j, c[i][j], sum);
      total += sum;
    }

  static float x[4000], y[4000];
  double cubes = 0, expected = 0;
  for (int i = 0; i < 4000; ++i)
    x[i] = i % 50, y[i] = 0, expected += cube(x[i]);
#pragma acc enter data copyin(x) create(y)
#pragma acc parallel loop async(1) present(x, y)
  for (int i = 0; i < 4000; ++i)
    y[i] = cube(x[i]);
#pragma acc parallel loop async(1) present(y) reduction(+ : cubes) copy(cubes)
  for (int i = 0; i < 4000; ++i)
    cubes += y[i];
#pragma acc wait(1)
#pragma acc update self(y[100 : 50])
#pragma acc exit data delete (x, y)
  REQUIRE(cubes == expected, "%g, not %g", cubes, expected);
  REQUIRE(y[149] == cube(49) && y[0] == 0 && y[49] == 0, "update");
  printf("product sums to %.0f, cubes to %.0f\n", total, cubes);
  return pass();
}
