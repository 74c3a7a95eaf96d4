// Included before every .cl file where ROCm's device libraries are: what they have wrong. Those of ROCm 5.2 scale the
// argument of native_tan() by 1 / (2 pi) twice.
#ifndef CROSSLANE_OPENCL_ROCM_H
#define CROSSLANE_OPENCL_ROCM_H
// OpenCL C 1.0 and 1.1 have no extern; C99's inline does.
#if __OPENCL_C_VERSION__ >= 120
#define CROSSLANE_FN __attribute__((overloadable, always_inline, nodebug, const, gnu_inline)) extern inline
#else
#define CROSSLANE_FN __attribute__((overloadable, always_inline, nodebug, const)) inline
#endif
#define CROSSLANE_NATIVE_TAN(T)                                                                                        \
  CROSSLANE_FN T native_tan(T x) { return native_sin(x) * native_recip(native_cos(x)); }
CROSSLANE_NATIVE_TAN(float)
CROSSLANE_NATIVE_TAN(float2)
CROSSLANE_NATIVE_TAN(float3)
CROSSLANE_NATIVE_TAN(float4)
CROSSLANE_NATIVE_TAN(float8)
CROSSLANE_NATIVE_TAN(float16)
#if __OPENCL_C_VERSION__ >= 200
CROSSLANE_FN size_t get_local_linear_id(void) {
  return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
#endif
#undef CROSSLANE_NATIVE_TAN
#undef CROSSLANE_FN
#endif
