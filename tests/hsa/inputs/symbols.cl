// Kernels and variables of each kind that a client can ask for by name.
#define EXPORTED __attribute__((visibility("default")))
EXPORTED __global int counter = 5;
EXPORTED __global int zeroed[1000];
EXPORTED __constant int squares[4] = {0, 1, 4, 9};
EXPORTED __global int* __global pointer = &counter;
__attribute__((visibility("hidden"))) __global int inner = 7;

kernel void plain(__global int* out, int add) { out[__builtin_amdgcn_workitem_id_x()] = add + inner; }

kernel void demanding(__global int* out, long n, __local int* dynamic) {
  __local int tile[100];
  volatile int stack[20];
  uint x = __builtin_amdgcn_workitem_id_x();
  for (int i = 0; i != 20; ++i)
    stack[i] = (int)n + i;
  tile[x] = stack[x % 20] + squares[x % 4];
  __builtin_amdgcn_s_barrier();
  out[x] = tile[63 - x] + zeroed[x] + counter;
}
