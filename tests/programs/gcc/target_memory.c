// Memory of the device by OpenMP's own functions, a part of which is not freed, and copies of 8 bytes too many: what
// `--check memory,leaks` tells of it. GCC's library loads code for the device at the first allocation, which is not the
// program's.
#include "tests/programs/check.h"
#include <omp.h>

enum { count = 1000, bytes = count * sizeof(double) };

int main(void) {
  static double here[count];
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  double* there = omp_target_alloc(bytes, device);
  void* left = omp_target_alloc(20000, device);
  REQUIRE(there && left, "no memory");
  REQUIRE(!omp_target_memcpy(there, here, bytes, 8, 0, device, host), "there");
  REQUIRE(!omp_target_memcpy(here, there, bytes, 0, 8, host, device), "back");
#pragma omp target is_device_ptr(there)
  there[0] = 1;
  omp_target_free(there, device);
  return pass();
}
