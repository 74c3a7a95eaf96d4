// What crosslane gives HIP beside its device functions, whosever those are: names that HIP 5 has not and later ones
// have, those of its predecessor HCC, an assert() that tells of itself, and atomics of which HIP 5's do not link.
#ifndef CROSSLANE_HIP_EXTRAS_H
#define CROSSLANE_HIP_EXTRAS_H

#ifndef CROSSLANE_FN
#define CROSSLANE_FN __device__ static inline __attribute__((always_inline, nodebug, unused))
#endif

CROSSLANE_FN unsigned atomicInc(unsigned* p, unsigned limit) {
  return __builtin_amdgcn_atomic_inc32(p, limit, __ATOMIC_RELAXED, "agent");
}
CROSSLANE_FN unsigned atomicDec(unsigned* p, unsigned limit) {
  return __builtin_amdgcn_atomic_dec32(p, limit, __ATOMIC_RELAXED, "agent");
}

#if !defined(HIP_VERSION_MAJOR) || HIP_VERSION_MAJOR < 6
#define CROSSLANE_BLOCK_ATOMIC(name, op)                                                                               \
  template <class T, class U> CROSSLANE_FN T name(T* p, U v) {                                                         \
    return __hip_atomic_fetch_##op(p, static_cast<T>(v), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);              \
  }
CROSSLANE_BLOCK_ATOMIC(atomicAdd_block, add)
CROSSLANE_BLOCK_ATOMIC(atomicMin_block, min)
CROSSLANE_BLOCK_ATOMIC(atomicMax_block, max)
CROSSLANE_BLOCK_ATOMIC(atomicAnd_block, and)
CROSSLANE_BLOCK_ATOMIC(atomicOr_block, or)
CROSSLANE_BLOCK_ATOMIC(atomicXor_block, xor)
__device__ static inline __attribute__((always_inline, nodebug, unused, convergent)) void
__syncwarp(unsigned long long mask = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
CROSSLANE_FN unsigned long long __activemask() { return __builtin_amdgcn_read_exec(); }
template <class T> CROSSLANE_FN T __shfl_sync(unsigned long long, T v, int lane, int width = 64) {
  return __shfl(v, lane, width);
}
template <class T> CROSSLANE_FN T __shfl_up_sync(unsigned long long, T v, unsigned d, int width = 64) {
  return __shfl_up(v, d, width);
}
template <class T> CROSSLANE_FN T __shfl_down_sync(unsigned long long, T v, unsigned d, int width = 64) {
  return __shfl_down(v, d, width);
}
template <class T> CROSSLANE_FN T __shfl_xor_sync(unsigned long long, T v, int mask, int width = 64) {
  return __shfl_xor(v, mask, width);
}
CROSSLANE_FN unsigned long long __ballot_sync(unsigned long long mask, int p) { return __ballot(p) & mask; }
CROSSLANE_FN int __any_sync(unsigned long long mask, int p) { return (__ballot(p) & mask) != 0; }
CROSSLANE_FN int __all_sync(unsigned long long mask, int p) { return (__ballot(p) & mask) == (mask & __activemask()); }
CROSSLANE_FN void __trap() { __builtin_trap(); }
#endif

// ---- HCC's names of single instructions: LLVM's intrinsics by their own names, whose controls must be constants.
extern "C" {
__device__ int __amdgcn_ds_bpermute(int index, int src) __asm__("llvm.amdgcn.ds.bpermute");
__device__ int __amdgcn_ds_permute(int index, int src) __asm__("llvm.amdgcn.ds.permute");
__device__ int __amdgcn_ds_swizzle(int src, int pattern) __asm__("llvm.amdgcn.ds.swizzle");
__device__ int __amdgcn_move_dpp(int src, int dpp_ctrl, int row_mask, int bank_mask,
                                 bool bound_ctrl) __asm__("llvm.amdgcn.mov.dpp.i32");
}

// What assert() calls on the host too. HIP's own one asks a host that runs beside the kernel; a launch reads what was
// printed when the kernel has ended.
extern "C" __device__ inline __attribute__((noinline, nodebug)) void
__assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept {
  printf("%s:%u: %s: Device-side assertion `%s' failed.\n", file, line, function, assertion);
  __builtin_trap();
}

#endif
