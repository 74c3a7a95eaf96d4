// What generated kernels may call beside OpenCL C. On the GPU each name is the GPU's own operation; elsewhere (PoCL) it
// is plain C, written from the manual's words, so that the two sides share no formula. OpenCL C 1.2: PoCL has neither
// half nor sub-groups (long because three compilers read it).
#ifndef PORTABLE_H
#define PORTABLE_H
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define IN __attribute__((always_inline))

// ---- Guards: what C leaves undefined gets a value here, the same on both sides.
#define DIVIDE_SIGNED(T, U)                                                                                            \
  IN static T div_##T(T a, T b) { return b == 0 ? a : b == (T) - 1 ? (T)((U)0 - (U)a) : (T)(a / b); }                  \
  IN static T mod_##T(T a, T b) { return b == 0 ? a : b == (T) - 1 ? (T)0 : (T)(a % b); }
#define DIVIDE_UNSIGNED(T)                                                                                             \
  IN static T div_##T(T a, T b) { return b == 0 ? a : (T)(a / b); }                                                    \
  IN static T mod_##T(T a, T b) { return b == 0 ? a : (T)(a % b); }
DIVIDE_SIGNED(char, uchar)
DIVIDE_SIGNED(short, ushort)
DIVIDE_SIGNED(int, uint)
DIVIDE_SIGNED(long, ulong)
DIVIDE_UNSIGNED(uchar)
DIVIDE_UNSIGNED(ushort)
DIVIDE_UNSIGNED(uint)
DIVIDE_UNSIGNED(ulong)
#define TO_INTEGER(T, F, condition)                                                                                    \
  IN static T T##_of_##F(F x) { return (condition) ? (T)x : (T)0; }
TO_INTEGER(char, float, x > -129.0f && x < 128.0f)
TO_INTEGER(uchar, float, x > -1.0f && x < 256.0f)
TO_INTEGER(short, float, x > -32769.0f && x < 32768.0f)
TO_INTEGER(ushort, float, x > -1.0f && x < 65536.0f)
TO_INTEGER(int, float, x >= -0x1p31f && x < 0x1p31f)
TO_INTEGER(uint, float, x > -1.0f && x < 0x1p32f)
TO_INTEGER(long, float, x >= -0x1p63f && x < 0x1p63f)
TO_INTEGER(ulong, float, x > -1.0f && x < 0x1p64f)
TO_INTEGER(char, double, x > -129.0 && x < 128.0)
TO_INTEGER(uchar, double, x > -1.0 && x < 256.0)
TO_INTEGER(short, double, x > -32769.0 && x < 32768.0)
TO_INTEGER(ushort, double, x > -1.0 && x < 65536.0)
TO_INTEGER(int, double, x > -2147483649.0 && x < 0x1p31)
TO_INTEGER(uint, double, x > -1.0 && x < 0x1p32)
TO_INTEGER(long, double, x >= -0x1p63 && x < 0x1p63)
TO_INTEGER(ulong, double, x > -1.0 && x < 0x1p64)
// Which NaN an operation gives is nobody's promise: bits are only looked at when it is this one. plain_*: neither -0
// nor NaN of another kind, so that minima are unique.
#define CANONICAL_F32 as_float(0x7fc00000u)
#define CANONICAL_F64 as_double(0x7ff8000000000000ul)
IN static uint bits_f32(float x) { return x != x ? 0x7fc00000u : as_uint(x); }
IN static ulong bits_f64(double x) { return x != x ? 0x7ff8000000000000ul : as_ulong(x); }
IN static float plain_f32(float x) { return x != x ? CANONICAL_F32 : x == 0.0f ? 0.0f : x; }
IN static double plain_f64(double x) { return x != x ? CANONICAL_F64 : x == 0.0 ? 0.0 : x; }
IN static int finite_f32(float x) { return (as_uint(x) & 0x7f800000u) != 0x7f800000u; }
IN static int finite_f64(double x) { return (as_ulong(x) & 0x7ff0000000000000ul) != 0x7ff0000000000000ul; }
// An approximate result becomes a bit: close enough or not.
IN static uint near_f32(float x, float y) { return fabs(x - y) <= 1e-4f * (1.0f + fabs(y)); }

#ifdef __AMDGCN__
// ================================================================ the GPU
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// libclc's fma() is a software one that flushes denormals.
#define FMA(T)                                                                                                         \
  IN __attribute__((overloadable)) static T g_fma(T a, T b, T c) { return __builtin_elementwise_fma(a, b, c); }
FMA(float)
FMA(float2)
FMA(float3)
FMA(float4)
FMA(double)
FMA(double2)
FMA(double3)
FMA(double4)
#define GENERIC(T, p) ((T*)(p))
#define GENERIC_ATOMIC_ADD(p, v)                                                                                       \
  __opencl_atomic_fetch_add((atomic_uint*)(p), v, memory_order_relaxed, memory_scope_work_group)
#define GENERIC_ATOMIC_MAX(p, v)                                                                                       \
  __opencl_atomic_fetch_max((atomic_uint*)(p), v, memory_order_relaxed, memory_scope_work_group)
#define GENERIC_ATOMIC_XCHG(p, v)                                                                                      \
  __opencl_atomic_exchange((atomic_uint*)(p), v, memory_order_relaxed, memory_scope_work_group)
// -- f16
typedef half hp;
typedef half2 hp2;
#define h_of_bits(u) as_half((ushort)(u))
#define h2_of_bits(u) as_half2(u)
IN static ushort bits_f16(hp x) { return x != x ? (ushort)0x7e00 : as_ushort(x); }
#define h_add(a, b) ((a) + (b))
#define h_sub(a, b) ((a) - (b))
#define h_mul(a, b) ((a) * (b))
#define h_div(a, b) ((a) / (b))
#define h_neg(a) (-(a))
#define h_abs(a) __builtin_fabsf16(a)
#define h_fma(a, b, c) __builtin_fmaf16(a, b, c)
#define h_rint(a) __builtin_elementwise_rint(a)
#define h_floor(a) __builtin_elementwise_floor(a)
#define h_ceil(a) __builtin_elementwise_ceil(a)
#define h_trunc(a) __builtin_elementwise_trunc(a)
IN static hp plain_f16(hp x) { return x != x ? h_of_bits(0x7e00) : x == 0.0h ? 0.0h : x; }
#define h_min(a, b) __builtin_fminf16(plain_f16(a), plain_f16(b))
#define h_max(a, b) __builtin_fmaxf16(plain_f16(a), plain_f16(b))
#define h_lt(a, b) ((a) < (b))
#define h_le(a, b) ((a) <= (b))
#define h_eq(a, b) ((a) == (b))
#define h_ne(a, b) ((a) != (b))
#define h_class(a) (__builtin_amdgcn_classh(a, 0x2d3) ? 1 : 0)
// Nothing that clang sees through: of a product gfx906 would lose the sign of 0.
IN static half h_of_float(float x) {
  __asm("" : "+v"(x));
  return (half)(x);
}
#define h_of_fma(x) ((half)(x))
#define h_of_double(x) ((half)(x))
#define h_of_int(x) ((half)(int)(x))
#define h_of_short(x) ((half)(short)(x))
#define h_of_ushort(x) ((half)(ushort)(x))
#define float_of_h(x) ((float)(x))
#define double_of_h(x) ((double)(x))
IN static short short_of_h(hp x) { return x > -32769.0h && x < 32768.0h ? (short)x : (short)0; }
#define h2_make(a, b) ((half2)(a, b))
#define h2_x(a) ((a).x)
#define h2_y(a) ((a).y)
#define h2_add(a, b) ((a) + (b))
#define h2_sub(a, b) ((a) - (b))
#define h2_mul(a, b) ((a) * (b))
IN static hp2 h2_fma(hp2 a, hp2 b, hp2 c) { return __builtin_elementwise_fma(a, b, c); }
#define h2_neg(a) (-(a))
#define h2_swap(a) ((a).yx)
IN static hp2 h2_min(hp2 a, hp2 b) { return (half2)(h_min(a.x, b.x), h_min(a.y, b.y)); }
IN static hp2 h2_max(hp2 a, hp2 b) { return (half2)(h_max(a.x, b.x), h_max(a.y, b.y)); }
// -- bits and bytes
#define g_perm(a, b, s) __builtin_amdgcn_perm(a, b, s)
#define g_alignbit(a, b, s) __builtin_amdgcn_alignbit(a, b, s)
#define g_alignbyte(a, b, s) __builtin_amdgcn_alignbyte(a, b, s)
#define g_sad_u8(a, b, c) __builtin_amdgcn_sad_u8(a, b, c)
#define g_msad_u8(a, b, c) __builtin_amdgcn_msad_u8(a, b, c)
#define g_sad_hi_u8(a, b, c) __builtin_amdgcn_sad_hi_u8(a, b, c)
#define g_sad_u16(a, b, c) __builtin_amdgcn_sad_u16(a, b, c)
#define g_qsad(a, b, c) __builtin_amdgcn_qsad_pk_u16_u8(a, b, c)
#define g_lerp(a, b, c) __builtin_amdgcn_lerp(a, b, c)
#define g_ubfe(a, o, w) __builtin_amdgcn_ubfe(a, (o) & 31, (w) & 31)
#define g_sbfe(a, o, w) (int)__builtin_amdgcn_sbfe(a, (o) & 31, (w) & 31)
IN static int g_sffbh(int a) { // clang has no name for it
  int r;
  __asm__("v_ffbh_i32 %0, %1" : "=v"(r) : "v"(a));
  return r;
}
#define g_cvt_pk_u8(f, i, o) __builtin_amdgcn_cvt_pk_u8_f32(f, i, o)
#define g_pkrtz(a, b) as_uint(__builtin_amdgcn_cvt_pkrtz(a, b))
#define g_med3_f32(a, b, c) __builtin_amdgcn_fmed3f(plain_f32(a), plain_f32(b), plain_f32(c))
#define g_class_f32(a, m) (__builtin_amdgcn_classf(a, m) ? 1 : 0)
#define g_class_f64(a, m) (__builtin_amdgcn_class(a, m) ? 1 : 0)
#define g_fract_f32(a) __builtin_amdgcn_fractf(a)
#define g_fract_f64(a) __builtin_amdgcn_fract(a)
#define g_frexp_exp_f32(a) __builtin_amdgcn_frexp_expf(a)
#define g_frexp_mant_f32(a) __builtin_amdgcn_frexp_mantf(a)
#define g_frexp_exp_f64(a) __builtin_amdgcn_frexp_exp(a)
#define g_frexp_mant_f64(a) __builtin_amdgcn_frexp_mant(a)
#define g_ldexp_f32(a, e) __builtin_amdgcn_ldexpf(a, e)
#define g_ldexp_f64(a, e) __builtin_amdgcn_ldexp(a, e)
#ifdef __gfx906__
#define g_sdot4(a, b, c) __builtin_amdgcn_sdot4(a, b, c, false)
#define g_udot4(a, b, c) __builtin_amdgcn_udot4(a, b, c, false)
#define g_sdot8(a, b, c) __builtin_amdgcn_sdot8(a, b, c, false)
#define g_udot8(a, b, c) __builtin_amdgcn_udot8(a, b, c, false)
#define g_sdot2(a, b, c) __builtin_amdgcn_sdot2(as_short2(a), as_short2(b), c, false)
#define g_udot2(a, b, c) __builtin_amdgcn_udot2(as_ushort2(a), as_ushort2(b), c, false)
#else
#define DOT_IN_C
#endif
// -- approximate operations: the expected value comes from exact arithmetic
#define g_rcp_ok(n) near_f32(native_recip((float)((n) | 1)) * (float)((n) | 1), 1.0f)
#define g_rsq_ok(n) near_f32(native_rsqrt((float)((n) * (n))) * (float)(n), 1.0f)
#define g_exp_log_ok(n) near_f32(native_log2(native_exp2((float)(n))), (float)(n))
IN static uint g_sincos_ok(float x) {
  float s = native_sin(x), c = native_cos(x);
  return near_f32(s * s + c * c, 1.0f);
}
// -- other lanes of the wavefront, under `if (active)`
#define LANES_STORAGE
#define LANES(dst, active, value, call)                                                                                \
  {                                                                                                                    \
    uint lanes_v = (value);                                                                                            \
    if (active)                                                                                                        \
      dst = call;                                                                                                      \
  }
#define LANES_PUSH(dst, active, value, lane)                                                                           \
  {                                                                                                                    \
    uint lanes_v = (value), lanes_t = (lane);                                                                          \
    if (active)                                                                                                        \
      dst = (uint)__builtin_amdgcn_ds_permute((int)(lanes_t << 2), (int)lanes_v);                                      \
  }
#define l_bpermute(lane) (uint) __builtin_amdgcn_ds_bpermute((int)((lane) << 2), (int)lanes_v)
#define l_swizzle(pattern) (uint) __builtin_amdgcn_ds_swizzle((int)lanes_v, pattern)
#define l_dpp(old, ctrl, rows, banks, bound)                                                                           \
  (uint) __builtin_amdgcn_update_dpp((int)(old), (int)lanes_v, ctrl, rows, banks, bound)
#define l_ballot() __builtin_amdgcn_ballot_w64((lanes_v & 1) != 0)
#define l_first() (uint) __builtin_amdgcn_readfirstlane((int)lanes_v)
#define l_below()                                                                                                      \
  (uint)(__builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, 0)) +                                             \
         popcount(__builtin_amdgcn_ballot_w64((lanes_v & 2) != 0)))
#define l_read(lane) (uint) __builtin_amdgcn_readlane((int)lanes_v, (lane))
#define l_sum() sub_group_reduce_add(lanes_v)
#define l_scan() sub_group_scan_inclusive_add(lanes_v)
#define l_min() (uint) sub_group_reduce_min((int)lanes_v)
#define l_scan_max() sub_group_scan_exclusive_max(lanes_v)
#define l_any() (uint)(sub_group_any((int)(lanes_v & 4)) ? 1 : 0)
#define l_all() (uint)(sub_group_all((int)(lanes_v & 4)) ? 1 : 0)

#else
// ================================================================ plain C
// No generic address space in OpenCL C 1.2; on a CPU an address is an address.
#define g_fma(a, b, c) fma(a, b, c)
#define GENERIC(T, p) ((T*)(size_t)(p))
IN static uint generic_add(uint* p, uint v) {
  uint old = *p;
  *p = old + v;
  return old;
}
IN static uint generic_max(uint* p, uint v) {
  uint old = *p;
  *p = old > v ? old : v;
  return old;
}
IN static uint generic_xchg(uint* p, uint v) {
  uint old = *p;
  *p = v;
  return old;
}
#define GENERIC_ATOMIC_ADD(p, v) generic_add(p, v)
#define GENERIC_ATOMIC_MAX(p, v) generic_max(p, v)
#define GENERIC_ATOMIC_XCHG(p, v) generic_xchg(p, v)
// -- f16 by its bits; arithmetic in wider types, where one rounding is the right one
typedef ushort hp;
typedef ushort2 hp2;
#define h_of_bits(u) ((ushort)(u))
#define h2_of_bits(u) (u)
IN static uint round_even(uint m, uint shift) {
  uint rest = m & ((1u << shift) - 1), half_unit = 1u << (shift - 1), r = m >> shift;
  return r + (rest > half_unit || (rest == half_unit && (r & 1)) ? 1 : 0);
}
#define h_of_fma(x) h_of_float(x)
static hp h_of_float(float x) {
  uint u = as_uint(x), s = (u >> 16) & 0x8000, m = u & 0x7fffff;
  int e = (int)((u >> 23) & 255) - 112;
  if (e == 143)
    return (hp)(m ? 0x7e00 : s | 0x7c00);
  if (e >= 31)
    return (hp)(s | 0x7c00);
  if (e < -10)
    return (hp)s;
  if (e <= 0)
    return (hp)(s | round_even(m | 0x800000, (uint)(14 - e)));
  return (hp)(s | round_even(((uint)e << 23) | m, 13));
}
// To float rounding to odd, which the second rounding then does right.
static float odd_float(double x) {
  if (x != x)
    return CANONICAL_F32;
  float f = (float)x;
  if ((double)f == x || !finite_f32(f))
    return f;
  uint u = as_uint(f);
  if (u & 1)
    return f;
  return as_float(fabs((double)f) < fabs(x) ? u + 1 : u - 1);
}
static hp h_of_double(double x) { return h_of_float(fabs(x) > 1e6 || fabs(x) < 1e-9 ? (float)x : odd_float(x)); }
static float float_of_h(hp h) {
  uint s = (uint)(h & 0x8000) << 16, e = (h >> 10) & 31, m = h & 0x3ff;
  if (e == 31)
    return as_float(m ? 0x7fc00000u : s | 0x7f800000u);
  if (e)
    return as_float(s | (e + 112) << 23 | m << 13);
  float f = (float)m * 0x1p-24f;
  return s ? -f : f;
}
#define double_of_h(x) ((double)float_of_h(x))
IN static ushort bits_f16(hp x) { return (x & 0x7fff) > 0x7c00 ? (ushort)0x7e00 : x; }
#define h_add(a, b) h_of_float(float_of_h(a) + float_of_h(b))
#define h_sub(a, b) h_of_float(float_of_h(a) - float_of_h(b))
#define h_mul(a, b) h_of_float(float_of_h(a) * float_of_h(b))
#define h_div(a, b) h_of_float(float_of_h(a) / float_of_h(b))
#define h_neg(a) ((hp)((a) ^ 0x8000))
#define h_abs(a) ((hp)((a) & 0x7fff))
static hp h_fma(hp a, hp b, hp c) {
  double p = double_of_h(a) * double_of_h(b), q = double_of_h(c), s = p + q;
  if (!finite_f64(s))
    return h_of_float((float)s);
  double t = s - p, e = (p - (s - t)) + (q - t);
  if (e != 0.0 && !(as_ulong(s) & 1))
    s = as_double((e > 0.0) == (s > 0.0) ? as_ulong(s) + 1 : as_ulong(s) - 1);
  return h_of_double(s);
}
#define h_rint(a) h_of_float(rint(float_of_h(a)))
#define h_floor(a) h_of_float(floor(float_of_h(a)))
#define h_ceil(a) h_of_float(ceil(float_of_h(a)))
#define h_trunc(a) h_of_float(trunc(float_of_h(a)))
static hp h_min(hp a, hp b) {
  float x = plain_f32(float_of_h(a)), y = plain_f32(float_of_h(b));
  return h_of_float(x != x ? y : y != y ? x : x < y ? x : y);
}
static hp h_max(hp a, hp b) {
  float x = plain_f32(float_of_h(a)), y = plain_f32(float_of_h(b));
  return h_of_float(x != x ? y : y != y ? x : x > y ? x : y);
}
#define h_lt(a, b) (float_of_h(a) < float_of_h(b))
#define h_le(a, b) (float_of_h(a) <= float_of_h(b))
#define h_eq(a, b) (float_of_h(a) == float_of_h(b))
#define h_ne(a, b) (float_of_h(a) != float_of_h(b))
#define h_of_int(x) h_of_double((double)(int)(x))
#define h_of_short(x) h_of_float((float)(short)(x))
#define h_of_ushort(x) h_of_float((float)(ushort)(x))
static short short_of_h(hp h) { return short_of_float(float_of_h(h)); }
#define h2_make(a, b) ((ushort2)(a, b))
#define h2_x(a) ((a).x)
#define h2_y(a) ((a).y)
#define BY_HALVES(name, op)                                                                                            \
  static hp2 name(hp2 a, hp2 b) {                                                                                      \
    hp x = op(a.x, b.x), y = op(a.y, b.y);                                                                             \
    return (ushort2)(x, y);                                                                                            \
  }
BY_HALVES(h2_add, h_add)
BY_HALVES(h2_sub, h_sub)
BY_HALVES(h2_mul, h_mul)
BY_HALVES(h2_min, h_min)
BY_HALVES(h2_max, h_max)
static hp2 h2_fma(hp2 a, hp2 b, hp2 c) {
  hp x = h_fma(a.x, b.x, c.x), y = h_fma(a.y, b.y, c.y);
  return (ushort2)(x, y);
}
#define h2_neg(a) ((a) ^ (ushort2)(0x8000))
#define h2_swap(a) ((a).yx)
// -- bits and bytes
static uint g_perm(uint a, uint b, uint s) {
  ulong data = (ulong)a << 32 | b;
  uint r = 0;
  for (int i = 0; i < 4; ++i) {
    uint c = (s >> (8 * i)) & 255;
    uint byte = c < 8     ? (uint)(data >> (8 * c)) & 255
                : c < 12  ? ((data >> (15 + 16 * (c - 8))) & 1 ? 255 : 0)
                : c == 12 ? 0
                          : 255;
    r |= byte << (8 * i);
  }
  return r;
}
IN static uint g_alignbit(uint a, uint b, uint s) { return (uint)(((ulong)a << 32 | b) >> (s & 31)); }
IN static uint g_alignbyte(uint a, uint b, uint s) { return (uint)(((ulong)a << 32 | b) >> (8 * (s & 3))); }
static uint g_sad_u8(uint a, uint b, uint c) {
  uchar4 d = abs_diff(as_uchar4(a), as_uchar4(b));
  return c + d.x + d.y + d.z + d.w;
}
static uint g_msad_u8(uint a, uint b, uint c) {
  for (int i = 0; i < 32; i += 8) {
    int x = (a >> i) & 255, y = (b >> i) & 255;
    if (y)
      c += (uint)(x > y ? x - y : y - x);
  }
  return c;
}
#define g_sad_hi_u8(a, b, c) ((g_sad_u8(a, b, 0) << 16) + (c))
static uint g_sad_u16(uint a, uint b, uint c) {
  int x = (int)(a & 0xffff) - (int)(b & 0xffff), y = (int)(a >> 16) - (int)(b >> 16);
  return c + (uint)(x < 0 ? -x : x) + (uint)(y < 0 ? -y : y);
}
static ulong g_qsad(ulong a, uint b, ulong c) {
  ulong r = 0;
  for (int i = 0; i < 4; ++i)
    r |= (ulong)((g_sad_u8((uint)(a >> (8 * i)), b, 0) + (uint)(c >> (16 * i))) & 0xffff) << (16 * i);
  return r;
}
static uint g_lerp(uint a, uint b, uint c) {
  uint r = 0;
  for (int i = 0; i < 32; i += 8)
    r |= ((((a >> i) & 255) + ((b >> i) & 255) + ((c >> i) & 1)) >> 1) << i;
  return r;
}
static uint g_ubfe(uint a, uint o, uint w) { return (a >> (o & 31)) & ((1u << (w & 31)) - 1); }
static int g_sbfe(int a, uint o, uint w) {
  uint v = g_ubfe((uint)a, o, w), n = w & 31, reach = 32 - (o & 31);
  if (!n)
    return 0;
  if (n >= reach)
    return a >> (o & 31);
  return (v >> (n - 1)) & 1 ? (int)(v | ~((1u << n) - 1)) : (int)v;
}
static int g_sffbh(int a) {
  for (int i = 1; i < 32; ++i)
    if (((a >> (31 - i)) & 1) != ((a >> 31) & 1))
      return i;
  return -1;
}
static uint g_cvt_pk_u8(float f, uint i, uint o) {
  float r = rint(f);
  uint v = !(r > 0.0f) ? 0 : r >= 255.0f ? 255 : (uint)r, at = 8 * (i & 3);
  return (o & ~(255u << at)) | v << at;
}
static uint rtz_f16(float x) { // magnitude towards zero
  hp h = h_of_float(x);
  float back = float_of_h(h);
  if (finite_f32(x) && (fabs(back) > fabs(x)))
    h -= 1;
  return bits_f16(h);
}
static uint g_pkrtz(float a, float b) { return rtz_f16(a) | rtz_f16(b) << 16; }
static float g_med3_f32(float a, float b, float c) {
  float x = plain_f32(a), y = plain_f32(b), z = plain_f32(c);
  if (x != x || y != y || z != z) { // then it is the smallest
    float m = x != x ? y : y != y ? x : x < y ? x : y;
    return m != m ? z : z != z ? m : m < z ? m : z;
  }
  if (x < y)
    return z < x ? x : z > y ? y : z;
  return z < y ? y : z > x ? x : z;
}
// Bits 0 to 9: signaling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity.
static int class_of(ulong sign, uint all_ones, uint exponent, ulong mantissa, uint quiet, uint mask) {
  uint c = all_ones   ? (mantissa ? (quiet ? 1 : 0)
                         : sign   ? 2
                                  : 9)
           : exponent ? (sign ? 3 : 8)
           : mantissa ? (sign ? 4 : 7)
           : sign     ? 5
                      : 6;
  return (mask >> c) & 1;
}
static int g_class_f32(float a, uint m) {
  uint u = as_uint(a), e = (u >> 23) & 255;
  return class_of(u >> 31, e == 255, e, u & 0x7fffff, (u >> 22) & 1, m);
}
static int g_class_f64(double a, uint m) {
  ulong u = as_ulong(a);
  uint e = (uint)(u >> 52) & 2047;
  return class_of(u >> 63, e == 2047, e, u & 0xffffffffffffful, (uint)(u >> 51) & 1, m);
}
static int h_class(hp h) {
  uint e = (h >> 10) & 31;
  return class_of(h >> 15, e == 31, e, h & 1023, (h >> 9) & 1, 0x2d3);
}
IN static float g_fract_f32(float a) {
  float r = a - floor(a);
  return r >= 1.0f ? 0x1.fffffep-1f : r;
}
IN static double g_fract_f64(double a) {
  double r = a - floor(a);
  return r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
}
static int g_frexp_exp_f64(double a) {
  ulong u = as_ulong(a) & 0x7ffffffffffffffful;
  if (!u || u >= 0x7ff0000000000000ul)
    return 0;
  return (u >> 52) ? (int)(u >> 52) - 1022 : -1010 - (int)clz(u);
}
static double g_frexp_mant_f64(double a) {
  if (!finite_f64(a) || a == 0.0)
    return a;
  ulong u = as_ulong(a), m = u & 0xffffffffffffful;
  if (!((u >> 52) & 2047))
    m = (m << (clz(m) - 11)) & 0xffffffffffffful;
  return as_double((u & 0x8000000000000000ul) | 0x3fe0000000000000ul | m);
}
static int g_frexp_exp_f32(float a) { return g_frexp_exp_f64((double)a); }
static float g_frexp_mant_f32(float a) { return (float)g_frexp_mant_f64((double)a); }
// In steps that are exact, and a last one that rounds once.
static double g_ldexp_f64(double a, int e) {
  e = e > 2200 ? 2200 : e < -2200 ? -2200 : e;
  if (a == 0.0 || !finite_f64(a))
    return a;
  int x = g_frexp_exp_f64(a) + e;
  a = g_frexp_mant_f64(a);
  if (x > 1024)
    return a < 0 ? -INFINITY : INFINITY;
  if (x == 1024)
    return a * 0x1p1 * 0x1p1023;
  if (x > -1000)
    return a * as_double((ulong)(x + 1023) << 52);
  x = x < -1080 ? -1080 : x;
  return a * as_double((ulong)(x + 1000 + 1023) << 52) * 0x1p-1000;
}
static float g_ldexp_f32(float a, int e) {
  e = e > 400 ? 400 : e < -400 ? -400 : e;
  return (float)((double)a * as_double((ulong)(e + 1023) << 52));
}
#define DOT_IN_C
#define g_rcp_ok(n) 1u
#define g_rsq_ok(n) 1u
#define g_exp_log_ok(n) 1u
#define g_sincos_ok(x) 1u
// -- other lanes: everyone's value and whether he takes part go through local memory
#define LANES_STORAGE __local uint lanes_values[WG], lanes_taking[WG], lanes_to[WG];
#define LANES(dst, active, value, call)                                                                                \
  {                                                                                                                    \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    lanes_values[lid] = (value);                                                                                       \
    lanes_taking[lid] = (active) ? 1 : 0;                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    if (lanes_taking[lid])                                                                                             \
      dst = call;                                                                                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
  }
#define LANES_PUSH(dst, active, value, lane)                                                                           \
  {                                                                                                                    \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    lanes_to[lid] = (lane);                                                                                            \
    LANES(dst, active, value, lane_pushed(lanes_values, lanes_taking, lanes_to, lid))                                  \
  }
#define GROUP_SIZE (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2))
#define OTHERS __local const uint *v, __local const uint *a, uint lid
#define l_bpermute(lane) lane_or_zero(lanes_values, lanes_taking, lid, (lane))
#define l_swizzle(pattern) lane_swizzle(lanes_values, lanes_taking, lid, pattern)
#define l_dpp(old, ctrl, rows, banks, bound) lane_dpp(lanes_values, lanes_taking, lid, old, ctrl, rows, banks, bound)
#define l_ballot() lane_ballot(lanes_values, lanes_taking, lid, 1)
#define l_first() lane_first(lanes_values, lanes_taking, lid)
#define l_below() ((lid & 63) + (uint)popcount(lane_ballot(lanes_values, lanes_taking, lid, 2)))
#define l_read(lane) lanes_values[(lid & ~63u) + (lane)]
#define l_sum() lane_sum(lanes_values, lid, (uint)WG)
#define l_scan() lane_sum(lanes_values, lid, lid + 1)
#define l_min() lane_min(lanes_values, lid)
#define l_scan_max() lane_max_before(lanes_values, lid)
#define l_any() (uint)(lane_ballot(lanes_values, lanes_taking, lid, 4) != 0)
#define l_all() (uint)(lane_ballot(lanes_values, lanes_taking, lid, 4) == lane_taking(lanes_taking, lid))
IN static uint lane_value(OTHERS, uint lane, uint otherwise) {
  uint i = (lid & ~63u) + lane;
  return i < GROUP_SIZE && a[i] ? v[i] : otherwise;
}
IN static uint lane_or_zero(OTHERS, uint lane) { return lane_value(v, a, lid, lane & 63, 0); }
// The highest lane that pushes here wins.
static uint lane_pushed(__local const uint* v, __local const uint* a, __local const uint* to, uint lid) {
  uint r = 0;
  for (uint i = lid & ~63u; i < GROUP_SIZE && i < (lid | 63) + 1; ++i)
    if (a[i] && (to[i] & 63) == (lid & 63))
      r = v[i];
  return r;
}
static uint lane_swizzle(OTHERS, uint pattern) {
  uint l = lid & 63, s;
  if (pattern & 0x8000)
    s = (l & ~3u) | ((pattern >> (2 * (l & 3))) & 3);
  else
    s = (l & 32) | ((((l & pattern) | (pattern >> 5)) ^ (pattern >> 10)) & 31);
  return lane_value(v, a, lid, s, 0);
}
static uint lane_dpp(OTHERS, uint old, uint ctrl, uint rows, uint banks, int bound) {
  uint l = lid & 63, row = l / 16, in_row = l % 16, k = ctrl & 15, s = 64;
  if (!((rows >> row) & 1) || !((banks >> (in_row / 4)) & 1))
    return old;
  if (ctrl < 0x100)
    s = (l & ~3u) | ((ctrl >> (2 * (l & 3))) & 3);
  else if (ctrl < 0x110)
    s = in_row + k < 16 ? l + k : 64;
  else if (ctrl < 0x120)
    s = in_row >= k ? l - k : 64;
  else if (ctrl < 0x130)
    s = row * 16 + ((in_row + 16 - k) & 15);
  else if (ctrl == 0x130)
    s = l + 1;
  else if (ctrl == 0x134)
    s = (l + 1) & 63;
  else if (ctrl == 0x138)
    s = l ? l - 1 : 64;
  else if (ctrl == 0x13c)
    s = (l + 63) & 63;
  else if (ctrl == 0x140)
    s = row * 16 + 15 - in_row;
  else if (ctrl == 0x141)
    s = (l & ~7u) + 7 - (l & 7);
  else if (ctrl == 0x142)
    s = row ? row * 16 - 1 : 64;
  else if (ctrl == 0x143)
    s = row >= 2 ? 31 : 64;
  return s < 64 ? lane_value(v, a, lid, s, bound ? 0 : old) : bound ? 0 : old;
}
static ulong lane_ballot(OTHERS, uint bit) {
  ulong m = 0;
  for (uint l = 0; l < 64; ++l)
    if (lane_value(v, a, lid, l, 0) & bit)
      m |= 1ul << l;
  return m;
}
static ulong lane_taking(__local const uint* a, uint lid) {
  ulong m = 0;
  for (uint l = 0; l < 64; ++l)
    if ((lid & ~63u) + l < GROUP_SIZE && a[(lid & ~63u) + l])
      m |= 1ul << l;
  return m;
}
static uint lane_first(OTHERS) {
  uint l = lid & ~63u;
  while (!a[l])
    ++l;
  return v[l];
}
static uint lane_sum(__local const uint* v, uint lid, uint end) {
  uint sum = 0;
  for (uint i = lid & ~63u; i < end && i < (lid | 63) + 1; ++i)
    sum += v[i];
  return sum;
}
static uint lane_min(__local const uint* v, uint lid) {
  int m = INT_MAX;
  for (uint i = lid & ~63u; i < GROUP_SIZE && i < (lid | 63) + 1; ++i)
    m = min(m, (int)v[i]);
  return (uint)m;
}
static uint lane_max_before(__local const uint* v, uint lid) {
  uint m = 0;
  for (uint i = lid & ~63u; i < lid; ++i)
    m = max(m, v[i]);
  return m;
}
#endif

#ifdef DOT_IN_C
IN static int g_sdot4(int a, int b, int c) {
  uint r = (uint)c;
  for (int i = 0; i < 32; i += 8)
    r += (uint)((int)(char)(a >> i) * (int)(char)(b >> i));
  return (int)r;
}
IN static uint g_udot4(uint a, uint b, uint c) {
  for (int i = 0; i < 32; i += 8)
    c += ((a >> i) & 255) * ((b >> i) & 255);
  return c;
}
IN static int g_sdot8(int a, int b, int c) {
  uint r = (uint)c;
  for (int i = 0; i < 32; i += 4)
    r += (uint)(((int)((uint)a << (28 - i)) >> 28) * ((int)((uint)b << (28 - i)) >> 28));
  return (int)r;
}
IN static uint g_udot8(uint a, uint b, uint c) {
  for (int i = 0; i < 32; i += 4)
    c += ((a >> i) & 15) * ((b >> i) & 15);
  return c;
}
IN static int g_sdot2(int a, int b, int c) {
  return (int)((uint)c + (uint)((short)a * (short)b) + (uint)((short)(a >> 16) * (short)(b >> 16)));
}
IN static uint g_udot2(uint a, uint b, uint c) { return c + (a & 0xffff) * (b & 0xffff) + (a >> 16) * (b >> 16); }
#endif
#endif
