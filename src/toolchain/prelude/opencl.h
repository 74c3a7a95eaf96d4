// OpenCL C functions that libclc has not, or has wrong, for crosslane. Included before every .cl file where ROCm's
// device libraries are not installed. Work-item functions read the implicit arguments of code object v5 (LLVM
// AMDGPUUsage, "AMDHSA Code Object V5 Metadata"); libclc 19 reads those of v4, so that its get_global_id() is off.
// native_* are single instructions of the GPU.
#ifndef CROSSLANE_OPENCL_H
#define CROSSLANE_OPENCL_H

// nodebug: what is inlined bears the line of the kernel that calls it. OpenCL C 1.0 and 1.1 have no extern; C99's
// inline does.
#if __OPENCL_C_VERSION__ >= 120
#define CROSSLANE_INLINE gnu_inline)) extern inline
#else
#define CROSSLANE_INLINE nodebug)) inline
#endif
#define CROSSLANE_CONST_FN __attribute__((overloadable, always_inline, nodebug, const, CROSSLANE_INLINE
#define CROSSLANE_EFFECT_FN __attribute__((overloadable, always_inline, nodebug, CROSSLANE_INLINE

// Byte offsets of the implicit arguments.
#define CROSSLANE_IMPLICIT(type, offset)                                                                               \
  (*(const __constant type*)((const __constant char*)__builtin_amdgcn_implicitarg_ptr() + (offset)))
#define CROSSLANE_BLOCK_COUNT(d) CROSSLANE_IMPLICIT(uint, (d) * 4)
#define CROSSLANE_GROUP_SIZE(d) CROSSLANE_IMPLICIT(ushort, 12 + (d) * 2)
#define CROSSLANE_REMAINDER(d) CROSSLANE_IMPLICIT(ushort, 18 + (d) * 2)
#define CROSSLANE_GLOBAL_OFFSET(d) CROSSLANE_IMPLICIT(ulong, 40 + (d) * 8)
#define CROSSLANE_GRID_DIMS CROSSLANE_IMPLICIT(ushort, 64)

CROSSLANE_CONST_FN size_t get_local_id(uint d) {
  switch (d) {
  case 0: return __builtin_amdgcn_workitem_id_x();
  case 1: return __builtin_amdgcn_workitem_id_y();
  case 2: return __builtin_amdgcn_workitem_id_z();
  default: return 0;
  }
}
CROSSLANE_CONST_FN size_t get_group_id(uint d) {
  switch (d) {
  case 0: return __builtin_amdgcn_workgroup_id_x();
  case 1: return __builtin_amdgcn_workgroup_id_y();
  case 2: return __builtin_amdgcn_workgroup_id_z();
  default: return 0;
  }
}
CROSSLANE_CONST_FN size_t get_enqueued_local_size(uint d) { return d < 3 ? CROSSLANE_GROUP_SIZE(d) : 1; }
// Of this group: the last one of an uneven grid is smaller, which clang 19's __builtin_amdgcn_workgroup_size_* does not
// know.
CROSSLANE_CONST_FN size_t get_local_size(uint d) {
  return d < 3 ? (get_group_id(d) < CROSSLANE_BLOCK_COUNT(d) ? CROSSLANE_GROUP_SIZE(d) : CROSSLANE_REMAINDER(d)) : 1;
}
CROSSLANE_CONST_FN size_t get_global_size(uint d) {
  switch (d) {
  case 0: return __builtin_amdgcn_grid_size_x();
  case 1: return __builtin_amdgcn_grid_size_y();
  case 2: return __builtin_amdgcn_grid_size_z();
  default: return 1;
  }
}
// The count of the implicit arguments leaves out the uneven last group.
CROSSLANE_CONST_FN size_t get_num_groups(uint d) {
  return d < 3 ? CROSSLANE_BLOCK_COUNT(d) + (CROSSLANE_REMAINDER(d) != 0) : 1;
}
CROSSLANE_CONST_FN size_t get_global_offset(uint d) { return d < 3 ? CROSSLANE_GLOBAL_OFFSET(d) : 0; }
CROSSLANE_CONST_FN uint get_work_dim(void) { return CROSSLANE_GRID_DIMS; }
CROSSLANE_CONST_FN size_t get_global_id(uint d) {
  switch (d) {
  case 0:
    return (uint)(__builtin_amdgcn_workgroup_id_x() * CROSSLANE_GROUP_SIZE(0) + __builtin_amdgcn_workitem_id_x()) +
           CROSSLANE_GLOBAL_OFFSET(0);
  case 1:
    return (uint)(__builtin_amdgcn_workgroup_id_y() * CROSSLANE_GROUP_SIZE(1) + __builtin_amdgcn_workitem_id_y()) +
           CROSSLANE_GLOBAL_OFFSET(1);
  case 2:
    return (uint)(__builtin_amdgcn_workgroup_id_z() * CROSSLANE_GROUP_SIZE(2) + __builtin_amdgcn_workitem_id_z()) +
           CROSSLANE_GLOBAL_OFFSET(2);
  default: return 0;
  }
}
CROSSLANE_CONST_FN size_t get_local_linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
CROSSLANE_CONST_FN size_t get_global_linear_id(void) {
  return ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
             get_global_size(0) +
         get_global_id(0) - get_global_offset(0);
}

// Fences order LDS and global memory alike: the GPU has one counter wait for both.
CROSSLANE_EFFECT_FN void mem_fence(cl_mem_fence_flags f) { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
CROSSLANE_EFFECT_FN void read_mem_fence(cl_mem_fence_flags f) { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); }
CROSSLANE_EFFECT_FN void write_mem_fence(cl_mem_fence_flags f) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
}
CROSSLANE_EFFECT_FN __attribute__((convergent)) void barrier(cl_mem_fence_flags f) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// ---- native_*: what the GPU does in one instruction, or two where it wants revolutions or another base
#define CROSSLANE_NATIVE1(name, expression)                                                                            \
  CROSSLANE_CONST_FN float name(float x) { return expression; }                                                        \
  CROSSLANE_CONST_FN float2 name(float2 v) { return (float2)(name(v.x), name(v.y)); }                                  \
  CROSSLANE_CONST_FN float3 name(float3 v) { return (float3)(name(v.x), name(v.y), name(v.z)); }                       \
  CROSSLANE_CONST_FN float4 name(float4 v) { return (float4)(name(v.lo), name(v.hi)); }                                \
  CROSSLANE_CONST_FN float8 name(float8 v) { return (float8)(name(v.lo), name(v.hi)); }                                \
  CROSSLANE_CONST_FN float16 name(float16 v) { return (float16)(name(v.lo), name(v.hi)); }
#define CROSSLANE_NATIVE2(name, expression)                                                                            \
  CROSSLANE_CONST_FN float name(float x, float y) { return expression; }                                               \
  CROSSLANE_CONST_FN float2 name(float2 v, float2 w) { return (float2)(name(v.x, w.x), name(v.y, w.y)); }              \
  CROSSLANE_CONST_FN float3 name(float3 v, float3 w) {                                                                 \
    return (float3)(name(v.x, w.x), name(v.y, w.y), name(v.z, w.z));                                                   \
  }                                                                                                                    \
  CROSSLANE_CONST_FN float4 name(float4 v, float4 w) { return (float4)(name(v.lo, w.lo), name(v.hi, w.hi)); }          \
  CROSSLANE_CONST_FN float8 name(float8 v, float8 w) { return (float8)(name(v.lo, w.lo), name(v.hi, w.hi)); }          \
  CROSSLANE_CONST_FN float16 name(float16 v, float16 w) { return (float16)(name(v.lo, w.lo), name(v.hi, w.hi)); }
CROSSLANE_NATIVE1(native_sqrt, __builtin_amdgcn_sqrtf(x))
CROSSLANE_NATIVE1(native_rsqrt, __builtin_amdgcn_rsqf(x))
CROSSLANE_NATIVE1(native_recip, __builtin_amdgcn_rcpf(x))
CROSSLANE_NATIVE1(native_exp2, __builtin_amdgcn_exp2f(x))
CROSSLANE_NATIVE1(native_exp, __builtin_amdgcn_exp2f(x * 1.44269504f))
CROSSLANE_NATIVE1(native_exp10, __builtin_amdgcn_exp2f(x * 3.32192809f))
CROSSLANE_NATIVE1(native_log2, __builtin_amdgcn_logf(x))
CROSSLANE_NATIVE1(native_log, __builtin_amdgcn_logf(x) * 0.693147181f)
CROSSLANE_NATIVE1(native_log10, __builtin_amdgcn_logf(x) * 0.301029996f)
CROSSLANE_NATIVE1(native_sin, __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0.159154943f)))
CROSSLANE_NATIVE1(native_cos, __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0.159154943f)))
CROSSLANE_NATIVE1(native_tan, native_sin(x) * __builtin_amdgcn_rcpf(native_cos(x)))
CROSSLANE_NATIVE2(native_divide, x* __builtin_amdgcn_rcpf(y))
CROSSLANE_NATIVE2(native_powr, __builtin_amdgcn_exp2f(y* __builtin_amdgcn_logf(x)))

#define CROSSLANE_EVERY_SIZE(each, T) each(T) each(T##2) each(T##3) each(T##4) each(T##8) each(T##16)
#define CROSSLANE_EVERY_INTEGER(each)                                                                                  \
  CROSSLANE_EVERY_SIZE(each, char)                                                                                     \
  CROSSLANE_EVERY_SIZE(each, uchar)                                                                                    \
  CROSSLANE_EVERY_SIZE(each, short)                                                                                    \
  CROSSLANE_EVERY_SIZE(each, ushort)                                                                                   \
  CROSSLANE_EVERY_SIZE(each, int)                                                                                      \
  CROSSLANE_EVERY_SIZE(each, uint) CROSSLANE_EVERY_SIZE(each, long) CROSSLANE_EVERY_SIZE(each, ulong)
#define CROSSLANE_MAD_HI(T)                                                                                            \
  CROSSLANE_CONST_FN T mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }
// libclc has the smallest int and long for 0 minus the smallest. Scalars as vectors: the builtin would promote a char
// to int.
#define CROSSLANE_SUB_SAT_VECTOR(T)                                                                                    \
  CROSSLANE_CONST_FN T sub_sat(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }
#define CROSSLANE_SUB_SAT(T)                                                                                           \
  CROSSLANE_CONST_FN T sub_sat(T a, T b) { return __builtin_elementwise_sub_sat((T##2)(a), (T##2)(b)).x; }             \
  CROSSLANE_SUB_SAT_VECTOR(T##2)                                                                                       \
  CROSSLANE_SUB_SAT_VECTOR(T##3)                                                                                       \
  CROSSLANE_SUB_SAT_VECTOR(T##4) CROSSLANE_SUB_SAT_VECTOR(T##8) CROSSLANE_SUB_SAT_VECTOR(T##16)
CROSSLANE_EVERY_INTEGER(CROSSLANE_MAD_HI)
CROSSLANE_SUB_SAT(char)
CROSSLANE_SUB_SAT(uchar)
CROSSLANE_SUB_SAT(short)
CROSSLANE_SUB_SAT(ushort)
CROSSLANE_SUB_SAT(int)
CROSSLANE_SUB_SAT(uint)
CROSSLANE_SUB_SAT(long)
CROSSLANE_SUB_SAT(ulong)
#if __OPENCL_C_VERSION__ >= 120
// The bits below the lowest one; all bits of 0.
#define CROSSLANE_CTZ(T)                                                                                               \
  CROSSLANE_CONST_FN T ctz(T x) { return popcount(~x & (x - (T)1)); }
CROSSLANE_EVERY_INTEGER(CROSSLANE_CTZ)
#endif

#if __OPENCL_C_VERSION__ == 200
// ---- OpenCL C 2: libclc has the functions of OpenCL 1, whose pointers name their address space.
#define CROSSLANE_VLOAD(T, n)                                                                                          \
  CROSSLANE_EFFECT_FN T##n vload##n(size_t i, const T* p) {                                                            \
    T##n v;                                                                                                            \
    for (int k = 0; k < n; ++k)                                                                                        \
      v[k] = p[i * n + k];                                                                                             \
    return v;                                                                                                          \
  }                                                                                                                    \
  CROSSLANE_EFFECT_FN T##n vload##n(size_t i, const __constant T* p) {                                                 \
    T##n v;                                                                                                            \
    for (int k = 0; k < n; ++k)                                                                                        \
      v[k] = p[i * n + k];                                                                                             \
    return v;                                                                                                          \
  }                                                                                                                    \
  CROSSLANE_EFFECT_FN void vstore##n(T##n v, size_t i, T* p) {                                                         \
    for (int k = 0; k < n; ++k)                                                                                        \
      p[i * n + k] = v[k];                                                                                             \
  }
// By name: at -O0 LLVM 19 cannot take an element of three by number.
#define CROSSLANE_VLOAD3(T)                                                                                            \
  CROSSLANE_EFFECT_FN T##3 vload3(size_t i, const T* p) { return (T##3)(p[3 * i], p[3 * i + 1], p[3 * i + 2]); }       \
  CROSSLANE_EFFECT_FN T##3 vload3(size_t i, const __constant T* p) {                                                   \
    return (T##3)(p[3 * i], p[3 * i + 1], p[3 * i + 2]);                                                               \
  }                                                                                                                    \
  CROSSLANE_EFFECT_FN void vstore3(T##3 v, size_t i, T* p) { p[3 * i] = v.x, p[3 * i + 1] = v.y, p[3 * i + 2] = v.z; }
#define CROSSLANE_VLOADS(T)                                                                                            \
  CROSSLANE_VLOAD(T, 2) CROSSLANE_VLOAD3(T) CROSSLANE_VLOAD(T, 4) CROSSLANE_VLOAD(T, 8) CROSSLANE_VLOAD(T, 16)
CROSSLANE_VLOADS(char)
CROSSLANE_VLOADS(uchar)
CROSSLANE_VLOADS(short)
CROSSLANE_VLOADS(ushort)
CROSSLANE_VLOADS(int)
CROSSLANE_VLOADS(uint)
CROSSLANE_VLOADS(long)
CROSSLANE_VLOADS(ulong)
CROSSLANE_VLOADS(float)
CROSSLANE_VLOADS(double)

#include "opencl_half.h"

// Functions with a second result: libclc writes it to private memory.
#define CROSSLANE_RESULT(name, T, R)                                                                                   \
  __attribute__((overloadable)) T name(T, __private R*);                                                               \
  CROSSLANE_EFFECT_FN T name(T x, R* p) {                                                                              \
    __private R r;                                                                                                     \
    const T y = name(x, &r);                                                                                           \
    *p = r;                                                                                                            \
    return y;                                                                                                          \
  }
#define CROSSLANE_RESULTS(F, I)                                                                                        \
  CROSSLANE_RESULT(modf, F, F)                                                                                         \
  CROSSLANE_RESULT(fract, F, F)                                                                                        \
  CROSSLANE_RESULT(sincos, F, F)                                                                                       \
  CROSSLANE_RESULT(frexp, F, I)                                                                                        \
  CROSSLANE_RESULT(lgamma_r, F, I)                                                                                     \
  __attribute__((overloadable)) F remquo(F, F, __private I*);                                                          \
  CROSSLANE_EFFECT_FN F remquo(F x, F y, I* p) {                                                                       \
    __private I r;                                                                                                     \
    const F z = remquo(x, y, &r);                                                                                      \
    *p = r;                                                                                                            \
    return z;                                                                                                          \
  }
#define CROSSLANE_RESULTS_OF(F)                                                                                        \
  CROSSLANE_RESULTS(F, int)                                                                                            \
  CROSSLANE_RESULTS(F##2, int2)                                                                                        \
  CROSSLANE_RESULTS(F##3, int3)                                                                                        \
  CROSSLANE_RESULTS(F##4, int4)                                                                                        \
  CROSSLANE_RESULTS(F##8, int8)                                                                                        \
  CROSSLANE_RESULTS(F##16, int16)
CROSSLANE_RESULTS_OF(float)
CROSSLANE_RESULTS_OF(double)

// Atomics on atomic types, with or without order and scope.
#define CROSSLANE_ATOMIC1(op, p, order, scope, ...) __opencl_atomic_##op(p, order, scope)
#define CROSSLANE_ATOMIC2(op, p, v, order, scope, ...) __opencl_atomic_##op(p, v, order, scope)
#define CROSSLANE_ATOMIC3(op, p, e, v, success, failure, scope, ...)                                                   \
  __opencl_atomic_##op(p, e, v, success, failure, scope)
#define atomic_init(p, v) __opencl_atomic_init(p, v)
#define atomic_load(p) __opencl_atomic_load(p, memory_order_seq_cst, memory_scope_device)
#define atomic_load_explicit(p, ...) CROSSLANE_ATOMIC1(load, p, __VA_ARGS__, memory_scope_device, 0)
#define atomic_store(p, v) __opencl_atomic_store(p, v, memory_order_seq_cst, memory_scope_device)
#define atomic_store_explicit(p, v, ...) CROSSLANE_ATOMIC2(store, p, v, __VA_ARGS__, memory_scope_device, 0)
#define atomic_exchange(p, v) __opencl_atomic_exchange(p, v, memory_order_seq_cst, memory_scope_device)
#define atomic_exchange_explicit(p, v, ...) CROSSLANE_ATOMIC2(exchange, p, v, __VA_ARGS__, memory_scope_device, 0)
#define atomic_compare_exchange_strong(p, e, v)                                                                        \
  __opencl_atomic_compare_exchange_strong(p, e, v, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device)
#define atomic_compare_exchange_weak(p, e, v)                                                                          \
  __opencl_atomic_compare_exchange_weak(p, e, v, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device)
#define atomic_compare_exchange_strong_explicit(p, e, v, ...)                                                          \
  CROSSLANE_ATOMIC3(compare_exchange_strong, p, e, v, __VA_ARGS__, memory_scope_device, 0)
#define atomic_compare_exchange_weak_explicit(p, e, v, ...)                                                            \
  CROSSLANE_ATOMIC3(compare_exchange_weak, p, e, v, __VA_ARGS__, memory_scope_device, 0)
#define CROSSLANE_FETCH(op, p, v) __opencl_atomic_fetch_##op(p, v, memory_order_seq_cst, memory_scope_device)
#define atomic_fetch_add(p, v) CROSSLANE_FETCH(add, p, v)
#define atomic_fetch_sub(p, v) CROSSLANE_FETCH(sub, p, v)
#define atomic_fetch_and(p, v) CROSSLANE_FETCH(and, p, v)
#define atomic_fetch_or(p, v) CROSSLANE_FETCH(or, p, v)
#define atomic_fetch_xor(p, v) CROSSLANE_FETCH(xor, p, v)
#define atomic_fetch_min(p, v) CROSSLANE_FETCH(min, p, v)
#define atomic_fetch_max(p, v) CROSSLANE_FETCH(max, p, v)
#define atomic_fetch_add_explicit(p, v, ...) CROSSLANE_ATOMIC2(fetch_add, p, v, __VA_ARGS__, memory_scope_device, 0)
#define atomic_fetch_sub_explicit(p, v, ...) CROSSLANE_ATOMIC2(fetch_sub, p, v, __VA_ARGS__, memory_scope_device, 0)
#define atomic_fetch_and_explicit(p, v, ...) CROSSLANE_ATOMIC2(fetch_and, p, v, __VA_ARGS__, memory_scope_device, 0)
#define atomic_fetch_or_explicit(p, v, ...) CROSSLANE_ATOMIC2(fetch_or, p, v, __VA_ARGS__, memory_scope_device, 0)
#define atomic_fetch_xor_explicit(p, v, ...) CROSSLANE_ATOMIC2(fetch_xor, p, v, __VA_ARGS__, memory_scope_device, 0)
#define atomic_fetch_min_explicit(p, v, ...) CROSSLANE_ATOMIC2(fetch_min, p, v, __VA_ARGS__, memory_scope_device, 0)
#define atomic_fetch_max_explicit(p, v, ...) CROSSLANE_ATOMIC2(fetch_max, p, v, __VA_ARGS__, memory_scope_device, 0)
// What to_global() and its kin become.
__attribute__((always_inline, nodebug)) __global void* __to_global(void* p) {
  return __builtin_amdgcn_is_shared(p) || __builtin_amdgcn_is_private(p) ? 0 : (__global void*)p;
}
__attribute__((always_inline, nodebug)) __local void* __to_local(void* p) {
  return __builtin_amdgcn_is_shared(p) ? (__local void*)p : 0;
}
__attribute__((always_inline, nodebug)) __private void* __to_private(void* p) {
  return __builtin_amdgcn_is_private(p) ? (__private void*)p : 0;
}
CROSSLANE_EFFECT_FN cl_mem_fence_flags get_fence(const void* p) {
  return __builtin_amdgcn_is_shared(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
CROSSLANE_EFFECT_FN bool atomic_flag_test_and_set(volatile atomic_flag* p) { return atomic_exchange(p, 1); }
CROSSLANE_EFFECT_FN void atomic_flag_clear(volatile atomic_flag* p) { atomic_store(p, 0); }
CROSSLANE_EFFECT_FN void atomic_work_item_fence(cl_mem_fence_flags f, memory_order order, memory_scope scope) {
  if (scope == memory_scope_work_item)
    return;
  if (scope == memory_scope_work_group)
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  else if (scope == memory_scope_device)
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  else
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}
CROSSLANE_EFFECT_FN __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags f) { barrier(f); }
CROSSLANE_EFFECT_FN __attribute__((convergent)) void work_group_barrier(cl_mem_fence_flags f, memory_scope scope) {
  atomic_work_item_fence(f, memory_order_seq_cst, scope);
  barrier(f);
}
// Copies are done when they return; what is waited for is the other work-items' part.
CROSSLANE_EFFECT_FN __attribute__((convergent)) void wait_group_events(int n, event_t* events) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// ---- subgroups: a wavefront. The last one of a workgroup may be smaller.
CROSSLANE_CONST_FN uint crosslane_group_items(void) {
  return get_local_size(0) * get_local_size(1) * get_local_size(2);
}
CROSSLANE_CONST_FN uint get_max_sub_group_size(void) { return 64; }
CROSSLANE_CONST_FN uint get_sub_group_id(void) { return get_local_linear_id() / 64; }
CROSSLANE_CONST_FN uint get_sub_group_local_id(void) {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
CROSSLANE_CONST_FN uint get_num_sub_groups(void) { return (crosslane_group_items() + 63) / 64; }
CROSSLANE_CONST_FN uint get_enqueued_num_sub_groups(void) {
  return (get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2) + 63) / 64;
}
CROSSLANE_CONST_FN uint get_sub_group_size(void) { return min(64u, crosslane_group_items() - get_sub_group_id() * 64); }
CROSSLANE_EFFECT_FN __attribute__((convergent)) void sub_group_barrier(cl_mem_fence_flags f) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront");
  __builtin_amdgcn_wave_barrier();
}
CROSSLANE_EFFECT_FN __attribute__((convergent)) int sub_group_any(int p) {
  return __builtin_amdgcn_uicmp((uint)p, 0u, 33) != 0;
}
CROSSLANE_EFFECT_FN __attribute__((convergent)) int sub_group_all(int p) {
  return __builtin_amdgcn_uicmp((uint)p, 0u, 32) == 0;
}

#define CROSSLANE_LANES32(T)                                                                                           \
  CROSSLANE_EFFECT_FN __attribute__((convergent)) T crosslane_from_lane(T v, uint lane) {                              \
    return __builtin_astype(__builtin_amdgcn_ds_bpermute(lane << 2, __builtin_astype(v, int)), T);                     \
  }
#define CROSSLANE_LANES64(T)                                                                                           \
  CROSSLANE_EFFECT_FN __attribute__((convergent)) T crosslane_from_lane(T v, uint lane) {                              \
    int2 w = __builtin_astype(v, int2);                                                                                \
    w.x = __builtin_amdgcn_ds_bpermute(lane << 2, w.x);                                                                \
    w.y = __builtin_amdgcn_ds_bpermute(lane << 2, w.y);                                                                \
    return __builtin_astype(w, T);                                                                                     \
  }
#define CROSSLANE_SCAN(T, name, identity, expression)                                                                  \
  CROSSLANE_EFFECT_FN __attribute__((convergent)) T sub_group_scan_inclusive_##name(T a) {                             \
    const uint lane = get_sub_group_local_id();                                                                        \
    for (uint d = 1; d < 64; d *= 2) {                                                                                 \
      const T b = crosslane_from_lane(a, lane - d);                                                                    \
      if (lane >= d)                                                                                                   \
        a = expression;                                                                                                \
    }                                                                                                                  \
    return a;                                                                                                          \
  }                                                                                                                    \
  CROSSLANE_EFFECT_FN __attribute__((convergent)) T sub_group_scan_exclusive_##name(T a) {                             \
    const uint lane = get_sub_group_local_id();                                                                        \
    const T before = crosslane_from_lane(sub_group_scan_inclusive_##name(a), lane - 1);                                \
    return lane ? before : (T)(identity);                                                                              \
  }                                                                                                                    \
  CROSSLANE_EFFECT_FN __attribute__((convergent)) T sub_group_reduce_##name(T a) {                                     \
    return crosslane_from_lane(sub_group_scan_inclusive_##name(a), get_sub_group_size() - 1);                          \
  }
#define CROSSLANE_SUBGROUP(T, low, high)                                                                               \
  CROSSLANE_EFFECT_FN __attribute__((convergent)) T sub_group_broadcast(T v, uint lane) {                              \
    return crosslane_from_lane(v, lane);                                                                               \
  }                                                                                                                    \
  CROSSLANE_SCAN(T, add, 0, b + a)                                                                                     \
  CROSSLANE_SCAN(T, min, high, min(a, b))                                                                              \
  CROSSLANE_SCAN(T, max, low, max(a, b))
CROSSLANE_LANES32(int)
CROSSLANE_LANES32(uint)
CROSSLANE_LANES32(float)
CROSSLANE_LANES64(long)
CROSSLANE_LANES64(ulong)
CROSSLANE_LANES64(double)
CROSSLANE_SUBGROUP(int, INT_MIN, INT_MAX)
CROSSLANE_SUBGROUP(uint, 0, UINT_MAX)
CROSSLANE_SUBGROUP(float, -INFINITY, INFINITY)
CROSSLANE_SUBGROUP(long, LONG_MIN, LONG_MAX)
CROSSLANE_SUBGROUP(ulong, 0, ULONG_MAX)
CROSSLANE_SUBGROUP(double, -INFINITY, INFINITY)
#endif

#include "printf_alloc.h"

#endif
