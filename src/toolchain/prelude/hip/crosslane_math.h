// HIP device math. libclc's functions are called by the names that OpenCL gives them; what one instruction does is a
// builtin.
#ifndef CROSSLANE_HIP_MATH_H
#define CROSSLANE_HIP_MATH_H

// f(x) of libclc; `n` is the length of its name, which is part of the mangled one. Defines namef(float), name(float),
// name(double).
#define CROSSLANE_MATH1(n, name)                                                                                       \
  __device__ float crosslane_##name(float) __asm__("_Z" #n #name "f");                                                 \
  __device__ double crosslane_##name(double) __asm__("_Z" #n #name "d");                                               \
  CROSSLANE_FN float name##f(float x) { return crosslane_##name(x); }                                                  \
  CROSSLANE_FN float name(float x) { return crosslane_##name(x); }                                                     \
  CROSSLANE_FN double name(double x) { return crosslane_##name(x); }
#define CROSSLANE_MATH2(n, name)                                                                                       \
  __device__ float crosslane_##name(float, float) __asm__("_Z" #n #name "ff");                                         \
  __device__ double crosslane_##name(double, double) __asm__("_Z" #n #name "dd");                                      \
  CROSSLANE_FN float name##f(float x, float y) { return crosslane_##name(x, y); }                                      \
  CROSSLANE_FN float name(float x, float y) { return crosslane_##name(x, y); }                                         \
  CROSSLANE_FN double name(double x, double y) { return crosslane_##name(x, y); }
#define CROSSLANE_BUILTIN1(name)                                                                                       \
  CROSSLANE_FN float name##f(float x) { return __builtin_##name##f(x); }                                               \
  CROSSLANE_FN float name(float x) { return __builtin_##name##f(x); }                                                  \
  CROSSLANE_FN double name(double x) { return __builtin_##name(x); }
#define CROSSLANE_BUILTIN2(name)                                                                                       \
  CROSSLANE_FN float name##f(float x, float y) { return __builtin_##name##f(x, y); }                                   \
  CROSSLANE_FN float name(float x, float y) { return __builtin_##name##f(x, y); }                                      \
  CROSSLANE_FN double name(double x, double y) { return __builtin_##name(x, y); }

CROSSLANE_MATH1(3, sin)
CROSSLANE_MATH1(3, cos)
CROSSLANE_MATH1(3, tan)
CROSSLANE_MATH1(4, asin)
CROSSLANE_MATH1(4, acos)
CROSSLANE_MATH1(4, atan)
CROSSLANE_MATH1(4, sinh)
CROSSLANE_MATH1(4, cosh)
CROSSLANE_MATH1(4, tanh)
CROSSLANE_MATH1(5, asinh)
CROSSLANE_MATH1(5, acosh)
CROSSLANE_MATH1(5, atanh)
CROSSLANE_MATH1(5, sinpi)
CROSSLANE_MATH1(5, cospi)
CROSSLANE_MATH1(3, exp)
CROSSLANE_MATH1(4, exp2)
CROSSLANE_MATH1(5, exp10)
CROSSLANE_MATH1(5, expm1)
CROSSLANE_MATH1(3, log)
CROSSLANE_MATH1(4, log2)
CROSSLANE_MATH1(5, log10)
CROSSLANE_MATH1(5, log1p)
CROSSLANE_MATH1(4, cbrt)
CROSSLANE_MATH1(3, erf)
CROSSLANE_MATH1(4, erfc)
CROSSLANE_MATH1(6, tgamma)
CROSSLANE_MATH1(6, lgamma)
CROSSLANE_MATH2(3, pow)
CROSSLANE_MATH2(4, fmod)
CROSSLANE_MATH2(5, atan2)
CROSSLANE_MATH2(5, hypot)
CROSSLANE_MATH2(4, fdim)
CROSSLANE_MATH2(9, remainder)
CROSSLANE_MATH2(9, nextafter)
CROSSLANE_BUILTIN1(sqrt)
CROSSLANE_BUILTIN1(fabs)
CROSSLANE_BUILTIN1(floor)
CROSSLANE_BUILTIN1(ceil)
CROSSLANE_BUILTIN1(trunc)
CROSSLANE_BUILTIN1(rint)
CROSSLANE_BUILTIN1(nearbyint)
CROSSLANE_BUILTIN1(round)
CROSSLANE_BUILTIN2(fmin)
CROSSLANE_BUILTIN2(fmax)
CROSSLANE_BUILTIN2(copysign)
CROSSLANE_FN float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CROSSLANE_FN float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CROSSLANE_FN double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
CROSSLANE_FN float ldexpf(float x, int e) { return __builtin_ldexpf(x, e); }
CROSSLANE_FN float ldexp(float x, int e) { return __builtin_ldexpf(x, e); }
CROSSLANE_FN double ldexp(double x, int e) { return __builtin_ldexp(x, e); }
CROSSLANE_FN float rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
CROSSLANE_FN float rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
CROSSLANE_FN double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
CROSSLANE_FN void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
CROSSLANE_FN void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
#undef isnan
#undef isinf
#undef isfinite
CROSSLANE_FN bool isnan(float x) { return __builtin_isnan(x); }
CROSSLANE_FN bool isnan(double x) { return __builtin_isnan(x); }
CROSSLANE_FN bool isinf(float x) { return __builtin_isinf(x); }
CROSSLANE_FN bool isinf(double x) { return __builtin_isinf(x); }
CROSSLANE_FN bool isfinite(float x) { return __builtin_isfinite(x); }
CROSSLANE_FN bool isfinite(double x) { return __builtin_isfinite(x); }

#define CROSSLANE_INTEGER(T)                                                                                           \
  CROSSLANE_ANY_FN T min(T a, T b) { return a < b ? a : b; }                                                           \
  CROSSLANE_ANY_FN T max(T a, T b) { return a > b ? a : b; }
CROSSLANE_INTEGER(int)
CROSSLANE_INTEGER(unsigned)
CROSSLANE_INTEGER(long)
CROSSLANE_INTEGER(unsigned long)
CROSSLANE_INTEGER(long long)
CROSSLANE_INTEGER(unsigned long long)
CROSSLANE_FN float min(float a, float b) { return __builtin_fminf(a, b); }
CROSSLANE_FN float max(float a, float b) { return __builtin_fmaxf(a, b); }
CROSSLANE_FN double min(double a, double b) { return __builtin_fmin(a, b); }
CROSSLANE_FN double max(double a, double b) { return __builtin_fmax(a, b); }
CROSSLANE_FN int abs(int x) { return __builtin_abs(x); }
CROSSLANE_FN long abs(long x) { return __builtin_labs(x); }
CROSSLANE_FN float abs(float x) { return __builtin_fabsf(x); }
CROSSLANE_FN double abs(double x) { return __builtin_fabs(x); }

// ---- fast ones: the GPU's own approximations
CROSSLANE_FN float __sinf(float x) { return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0.15915494309189535f)); }
CROSSLANE_FN float __cosf(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0.15915494309189535f)); }
CROSSLANE_FN float __expf(float x) { return __builtin_amdgcn_exp2f(x * 1.4426950408889634f); }
CROSSLANE_FN float __exp10f(float x) { return __builtin_amdgcn_exp2f(x * 3.3219280948873623f); }
CROSSLANE_FN float __log2f(float x) { return __builtin_amdgcn_logf(x); }
CROSSLANE_FN float __logf(float x) { return __builtin_amdgcn_logf(x) * 0.6931471805599453f; }
CROSSLANE_FN float __log10f(float x) { return __builtin_amdgcn_logf(x) * 0.30102999566398120f; }
CROSSLANE_FN float __powf(float x, float y) { return __builtin_amdgcn_exp2f(y * __builtin_amdgcn_logf(x)); }
CROSSLANE_FN float __fdividef(float x, float y) { return x * __builtin_amdgcn_rcpf(y); }
CROSSLANE_FN float __frsqrt_rn(float x) { return __builtin_amdgcn_rsqf(x); }
CROSSLANE_FN float __frcp_rn(float x) { return 1.0f / x; }
CROSSLANE_FN float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
CROSSLANE_FN float __fadd_rn(float x, float y) { return x + y; }
CROSSLANE_FN float __fsub_rn(float x, float y) { return x - y; }
CROSSLANE_FN float __fmul_rn(float x, float y) { return x * y; }
CROSSLANE_FN float __fdiv_rn(float x, float y) { return x / y; }
CROSSLANE_FN float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CROSSLANE_FN float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }

#endif
