// Device globals: initialised pointers (relocations), .data, .bss, constants, dynamic LDS, hidden arguments.
struct dim3 {
  unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, unsigned long, void*);
typedef int hipError_t;
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

__device__ int counter = 7;
__device__ int* pointer = &counter;
__device__ int table[3] = {10, 20, 30};
__device__ int* pointers[3] = {&table[0], &table[2], &counter};
__device__ const char* text = "crosslane";
__device__ int cleared[5000];
__constant__ float coefficients[3] = {1.5f, 2.5f, 3.5f};
__device__ double aligned __attribute__((aligned(16384))) = 0.25;
extern __shared__ int dynamic[];

template <class T> __device__ T twice(T v) { return v + v; }

extern "C" __global__ void sum(int* out, float f, unsigned long long big) {
  __shared__ int staged[32];
  unsigned x = __builtin_amdgcn_workitem_id_x();
  staged[x & 31] = dynamic[x] + twice(*pointer);
  out[x] = staged[31 - (x & 31)] + *pointers[x % 3] + cleared[x] + (int)(f * coefficients[x % 3]) + text[x % 9] + (int)big +
           (int)aligned;
}

template <int N> __global__ void templated(int* out) { out[0] = N + counter++; }
template __global__ void templated<3>(int*);
