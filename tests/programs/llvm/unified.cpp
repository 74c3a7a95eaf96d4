// OpenMP in C++ by LLVM 19 that asks for unified shared memory: kernels are given addresses of the program's own heap,
// stack and variables. On a card it needs XNACK; here asking is enough.
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tests/programs/check.h"

#pragma omp requires unified_shared_memory

static int table[1000];

int main() {
  std::vector<int> heap(1000);
  int sum = 0;
  std::iota(heap.begin(), heap.end(), 0);
  int* const a = heap.data();
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 1000; ++i)
    a[i] = 2 * a[i], table[i] = i;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i)
    sum += table[i];
  for (int i = 0; i < 1000; ++i)
    REQUIRE(heap[i] == 2 * i && table[i] == i, "element %d is %d and %d", i, heap[i], table[i]);
  REQUIRE(sum == 499500, "the sum is %d", sum);
  return pass();
}
