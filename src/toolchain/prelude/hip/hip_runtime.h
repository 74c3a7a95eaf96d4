// HIP where ROCm is not installed: what device code needs, and the runtime's names so that a host part of the same file
// parses. Included before every .hip file then.
// Math goes to libclc (its functions carry OpenCL's mangled names) or to single instructions.
#ifndef CROSSLANE_HIP_RUNTIME_H
#define CROSSLANE_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) x

#define CROSSLANE_FN __device__ static inline __attribute__((always_inline, nodebug, unused))
#define CROSSLANE_ANY_FN __host__ __device__ static inline __attribute__((always_inline, nodebug, unused))

// ---- vector types
#define CROSSLANE_VECTOR(T, N)                                                                                         \
  struct N##1 { T x; };                                                                                                \
  struct __attribute__((aligned(2 * sizeof(T)))) N##2 { T x, y; };                                                     \
  struct N##3 { T x, y, z; };                                                                                          \
  struct __attribute__((aligned(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)))) N##4 { T x, y, z, w; };                     \
  CROSSLANE_ANY_FN N##1 make_##N##1(T x) { return {x}; }                                                               \
  CROSSLANE_ANY_FN N##2 make_##N##2(T x, T y) { return {x, y}; }                                                       \
  CROSSLANE_ANY_FN N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; }                                               \
  CROSSLANE_ANY_FN N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define CROSSLANE_VECTOR_OPERATOR(N, op)                                                                               \
  CROSSLANE_ANY_FN N##2 operator op(N##2 a, N##2 b) { return {a.x op b.x, a.y op b.y}; }                               \
  CROSSLANE_ANY_FN N##3 operator op(N##3 a, N##3 b) { return {a.x op b.x, a.y op b.y, a.z op b.z}; }                   \
  CROSSLANE_ANY_FN N##4 operator op(N##4 a, N##4 b) { return {a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w}; }       \
  CROSSLANE_ANY_FN N##2 & operator op##=(N##2 & a, N##2 b) { return a = a op b; }                                      \
  CROSSLANE_ANY_FN N##3 & operator op##=(N##3 & a, N##3 b) { return a = a op b; }                                      \
  CROSSLANE_ANY_FN N##4 & operator op##=(N##4 & a, N##4 b) { return a = a op b; }
#define CROSSLANE_VECTOR_SCALE(T, N)                                                                                   \
  CROSSLANE_ANY_FN N##2 operator*(N##2 a, T s) { return {a.x * s, a.y * s}; }                                          \
  CROSSLANE_ANY_FN N##3 operator*(N##3 a, T s) { return {a.x * s, a.y * s, a.z * s}; }                                 \
  CROSSLANE_ANY_FN N##4 operator*(N##4 a, T s) { return {a.x * s, a.y * s, a.z * s, a.w * s}; }                        \
  CROSSLANE_ANY_FN N##2 operator*(T s, N##2 a) { return a * s; }                                                       \
  CROSSLANE_ANY_FN N##3 operator*(T s, N##3 a) { return a * s; }                                                       \
  CROSSLANE_ANY_FN N##4 operator*(T s, N##4 a) { return a * s; }
CROSSLANE_VECTOR(signed char, char)
CROSSLANE_VECTOR(unsigned char, uchar)
CROSSLANE_VECTOR(short, short)
CROSSLANE_VECTOR(unsigned short, ushort)
CROSSLANE_VECTOR(int, int)
CROSSLANE_VECTOR(unsigned int, uint)
CROSSLANE_VECTOR(long, long)
CROSSLANE_VECTOR(unsigned long, ulong)
CROSSLANE_VECTOR(long long, longlong)
CROSSLANE_VECTOR(unsigned long long, ulonglong)
CROSSLANE_VECTOR(float, float)
CROSSLANE_VECTOR(double, double)
#define CROSSLANE_VECTOR_ARITHMETIC(T, N)                                                                              \
  CROSSLANE_VECTOR_OPERATOR(N, +)                                                                                      \
  CROSSLANE_VECTOR_OPERATOR(N, -)                                                                                      \
  CROSSLANE_VECTOR_OPERATOR(N, *) CROSSLANE_VECTOR_OPERATOR(N, /) CROSSLANE_VECTOR_SCALE(T, N)
CROSSLANE_VECTOR_ARITHMETIC(int, int)
CROSSLANE_VECTOR_ARITHMETIC(unsigned int, uint)
CROSSLANE_VECTOR_ARITHMETIC(float, float)
CROSSLANE_VECTOR_ARITHMETIC(double, double)

struct dim3 {
  uint32_t x, y, z;
  __host__ __device__ constexpr dim3(uint32_t x = 1, uint32_t y = 1, uint32_t z = 1) : x(x), y(y), z(z) {}
};

// ---- indices, by the builtins that know where code object v4 and v5 keep the sizes
#define CROSSLANE_INDEX(name, X, Y, Z)                                                                                 \
  struct name {                                                                                                        \
    CROSSLANE_DIMENSION(x, X)                                                                                          \
    CROSSLANE_DIMENSION(y, Y)                                                                                          \
    CROSSLANE_DIMENSION(z, Z) __device__ __attribute__((always_inline, nodebug)) operator dim3() const {               \
      return dim3(X, Y, Z);                                                                                            \
    }                                                                                                                  \
  };
#define CROSSLANE_DIMENSION(d, value)                                                                                  \
  __declspec(property(get = get_##d)) uint32_t d;                                                                      \
  __device__ __attribute__((always_inline, nodebug)) uint32_t get_##d() const { return (uint32_t)(value); }
CROSSLANE_INDEX(crosslane_thread_index, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
                __builtin_amdgcn_workitem_id_z())
CROSSLANE_INDEX(crosslane_block_index, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
                __builtin_amdgcn_workgroup_id_z())
CROSSLANE_INDEX(crosslane_block_size, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
                __builtin_amdgcn_workgroup_size_z())
#define CROSSLANE_BLOCKS(d)                                                                                            \
  (__builtin_amdgcn_grid_size_##d() + __builtin_amdgcn_workgroup_size_##d() - 1) / __builtin_amdgcn_workgroup_size_##d()
CROSSLANE_INDEX(crosslane_grid_size, CROSSLANE_BLOCKS(x), CROSSLANE_BLOCKS(y), CROSSLANE_BLOCKS(z))
extern const __device__ __attribute__((weak)) crosslane_thread_index threadIdx;
extern const __device__ __attribute__((weak)) crosslane_block_index blockIdx;
extern const __device__ __attribute__((weak)) crosslane_block_size blockDim;
extern const __device__ __attribute__((weak)) crosslane_grid_size gridDim;
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

#include <hip/crosslane_device.h>
#include <hip/crosslane_host.h>
#include <hip/crosslane_math.h>

extern "C" __device__ int printf(const char* format, ...);
#include <hip/crosslane_extras.h>
#include <printf_alloc.h>

#endif
