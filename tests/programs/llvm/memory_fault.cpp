// A memory fault in OpenMP by LLVM 19, whose library aborts by itself when it is told: the reports must be there
// before.
#include <cstdio>

int main() {
  int data[64] = {};
#pragma omp target teams distribute parallel for map(tofrom : data)
  for (int i = 0; i < 64; ++i)
    data[i] = i;
  printf("first kernel %s\n", data[63] == 63 ? "right" : "wrong");
  fflush(stdout);
  long wild = 1l << 40;
#pragma omp target map(tofrom : data) firstprivate(wild)
  data[wild] = 1;
  puts("the program went on");
  return 0;
}
