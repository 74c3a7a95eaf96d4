// HIP device functions: barriers, fences, atomics, shuffles, votes, bits. A wavefront is 64 lanes.
#ifndef CROSSLANE_HIP_DEVICE_H
#define CROSSLANE_HIP_DEVICE_H

#define warpSize 64

// ---- synchronisation
__device__ static inline __attribute__((always_inline, nodebug, unused, convergent)) void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
CROSSLANE_FN void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
CROSSLANE_FN void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
CROSSLANE_FN void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

// ---- atomics: relaxed, over the device, as in HIP
#define CROSSLANE_ATOMIC(name, op, scope)                                                                              \
  template <class T, class U> CROSSLANE_FN T name(T* p, U v) {                                                         \
    return __hip_atomic_fetch_##op(p, static_cast<T>(v), __ATOMIC_RELAXED, scope);                                     \
  }
#define CROSSLANE_ATOMIC_SCOPES(name, op)                                                                              \
  CROSSLANE_ATOMIC(name, op, __HIP_MEMORY_SCOPE_AGENT)                                                                 \
  CROSSLANE_ATOMIC(name##_system, op, __HIP_MEMORY_SCOPE_SYSTEM)
CROSSLANE_ATOMIC_SCOPES(atomicAdd, add)
CROSSLANE_ATOMIC_SCOPES(atomicMin, min)
CROSSLANE_ATOMIC_SCOPES(atomicMax, max)
CROSSLANE_ATOMIC_SCOPES(atomicAnd, and)
CROSSLANE_ATOMIC_SCOPES(atomicOr, or)
CROSSLANE_ATOMIC_SCOPES(atomicXor, xor)
template <class T, class U> CROSSLANE_FN T atomicSub(T* p, U v) {
  return __hip_atomic_fetch_add(p, -static_cast<T>(v), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T, class U> CROSSLANE_FN T atomicExch(T* p, U v) {
  return __hip_atomic_exchange(p, static_cast<T>(v), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T, class U, class V> CROSSLANE_FN T atomicCAS(T* p, U compare, V v) {
  T expected = static_cast<T>(compare);
  __hip_atomic_compare_exchange_strong(p, &expected, static_cast<T>(v), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
#define unsafeAtomicAdd atomicAdd

// ---- lanes
CROSSLANE_FN unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }

template <class T> CROSSLANE_FN T crosslane_permute(T value, int lane) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) < 4, "shuffles take values of up to 8 bytes");
  int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (auto& word : words)
    word = __builtin_amdgcn_ds_bpermute(lane << 2, word);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
template <class T> CROSSLANE_FN T __shfl(T value, int lane, int width = 64) {
  return crosslane_permute(value, (lane & (width - 1)) + static_cast<int>(__lane_id() & ~(width - 1)));
}
template <class T> CROSSLANE_FN T __shfl_up(T value, unsigned delta, int width = 64) {
  const int self = static_cast<int>(__lane_id()), from = self - static_cast<int>(delta);
  return crosslane_permute(value, from < (self & ~(width - 1)) ? self : from);
}
template <class T> CROSSLANE_FN T __shfl_down(T value, unsigned delta, int width = 64) {
  const int self = static_cast<int>(__lane_id());
  return crosslane_permute(
      value, (self & (width - 1)) + static_cast<int>(delta) >= width ? self : self + static_cast<int>(delta));
}
template <class T> CROSSLANE_FN T __shfl_xor(T value, int mask, int width = 64) {
  const int self = static_cast<int>(__lane_id()), from = self ^ mask;
  return crosslane_permute(value, from >= ((self + width) & ~(width - 1)) ? self : from);
}
CROSSLANE_FN unsigned long long __ballot(int p) {
  return __builtin_amdgcn_uicmp(static_cast<unsigned>(p), 0u, 33);
} // 33: not equal
CROSSLANE_FN int __any(int p) { return __ballot(p) != 0; }
CROSSLANE_FN int __all(int p) { return __ballot(p) == __builtin_amdgcn_read_exec(); }
// ---- lanes, instruction by instruction
CROSSLANE_FN unsigned __hip_ds_bpermute(int index, unsigned src) { return __builtin_amdgcn_ds_bpermute(index, src); }
CROSSLANE_FN unsigned __hip_ds_permute(int index, unsigned src) { return __builtin_amdgcn_ds_permute(index, src); }
CROSSLANE_FN float __hip_ds_bpermutef(int index, float src) {
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(index, __builtin_bit_cast(int, src)));
}
CROSSLANE_FN float __hip_ds_permutef(int index, float src) {
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_permute(index, __builtin_bit_cast(int, src)));
}
template <int pattern> CROSSLANE_FN unsigned __hip_ds_swizzle_N(unsigned src) {
  return __builtin_amdgcn_ds_swizzle(src, pattern);
}
template <int pattern> CROSSLANE_FN float __hip_ds_swizzlef_N(float src) {
  return __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(__builtin_bit_cast(int, src), pattern));
}
template <int dpp_ctrl, int row_mask, int bank_mask, bool bound_ctrl> CROSSLANE_FN int __hip_move_dpp_N(int src) {
  return __builtin_amdgcn_mov_dpp(src, dpp_ctrl, row_mask, bank_mask, bound_ctrl);
}
#define __hip_ds_swizzle(src, pattern) __hip_ds_swizzle_N<(pattern)>((src))
#define __hip_ds_swizzlef(src, pattern) __hip_ds_swizzlef_N<(pattern)>((src))
#define __hip_move_dpp(src, dpp_ctrl, row_mask, bank_mask, bound_ctrl)                                                 \
  __hip_move_dpp_N<(dpp_ctrl), (row_mask), (bank_mask), (bound_ctrl)>((src))

// ---- bits and integers
CROSSLANE_ANY_FN int __popc(unsigned v) { return __builtin_popcount(v); }
CROSSLANE_ANY_FN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
CROSSLANE_ANY_FN int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
CROSSLANE_ANY_FN int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
CROSSLANE_ANY_FN int __ffs(int v) { return v ? __builtin_ctz(static_cast<unsigned>(v)) + 1 : 0; }
CROSSLANE_ANY_FN int __ffsll(long long v) { return v ? __builtin_ctzll(static_cast<unsigned long long>(v)) + 1 : 0; }
CROSSLANE_ANY_FN unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
CROSSLANE_ANY_FN unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
CROSSLANE_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  return __builtin_amdgcn_perm(
      b, a, s & 0x07070707u & ((s & 7) | (s << 4 & 0x700) | (s << 8 & 0x70000) | (s << 12 & 0x7000000)));
}
CROSSLANE_ANY_FN int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
CROSSLANE_ANY_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
CROSSLANE_ANY_FN int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
CROSSLANE_ANY_FN unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
CROSSLANE_ANY_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
CROSSLANE_ANY_FN long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
template <class T> CROSSLANE_FN T __ldg(const T* p) { return *p; }

// ---- reinterpretation and conversion
#define CROSSLANE_AS(name, from, to)                                                                                   \
  CROSSLANE_ANY_FN to name(from v) { return __builtin_bit_cast(to, v); }
CROSSLANE_AS(__float_as_int, float, int)
CROSSLANE_AS(__float_as_uint, float, unsigned)
CROSSLANE_AS(__int_as_float, int, float)
CROSSLANE_AS(__uint_as_float, unsigned, float)
CROSSLANE_AS(__double_as_longlong, double, long long)
CROSSLANE_AS(__longlong_as_double, long long, double)
CROSSLANE_FN int __float2int_rz(float v) { return static_cast<int>(v); }
CROSSLANE_FN int __float2int_rn(float v) { return static_cast<int>(__builtin_rintf(v)); }
CROSSLANE_FN int __float2int_rd(float v) { return static_cast<int>(__builtin_floorf(v)); }
CROSSLANE_FN int __float2int_ru(float v) { return static_cast<int>(__builtin_ceilf(v)); }
CROSSLANE_FN unsigned __float2uint_rz(float v) { return static_cast<unsigned>(v); }
CROSSLANE_FN unsigned __float2uint_rn(float v) { return static_cast<unsigned>(__builtin_rintf(v)); }
CROSSLANE_FN float __int2float_rn(int v) { return static_cast<float>(v); }
CROSSLANE_FN float __uint2float_rn(unsigned v) { return static_cast<float>(v); }

// ---- clocks and traps
CROSSLANE_FN long long clock64() { return static_cast<long long>(__builtin_amdgcn_s_memtime()); }
CROSSLANE_FN long clock() { return static_cast<long>(__builtin_amdgcn_s_memtime()); }
CROSSLANE_FN long long wall_clock64() { return static_cast<long long>(__builtin_readcyclecounter()); }

#endif
