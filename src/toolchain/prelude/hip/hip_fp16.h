// HIP's half precision: the names of its most used functions over clang's _Float16.
#ifndef CROSSLANE_HIP_FP16_H
#define CROSSLANE_HIP_FP16_H
#include <hip/hip_runtime.h>

typedef _Float16 __half;
typedef _Float16 half;
typedef _Float16 __half2 __attribute__((ext_vector_type(2)));
typedef __half2 half2;
CROSSLANE_ANY_FN __half __float2half(float x) { return static_cast<__half>(x); }
CROSSLANE_ANY_FN float __half2float(__half x) { return static_cast<float>(x); }
CROSSLANE_FN __half __hadd(__half a, __half b) { return a + b; }
CROSSLANE_FN __half __hsub(__half a, __half b) { return a - b; }
CROSSLANE_FN __half __hmul(__half a, __half b) { return a * b; }
CROSSLANE_FN __half __hdiv(__half a, __half b) { return a / b; }
CROSSLANE_FN __half __hfma(__half a, __half b, __half c) { return __builtin_fmaf16(a, b, c); }
CROSSLANE_FN __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
CROSSLANE_FN __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
CROSSLANE_FN __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __builtin_elementwise_fma(a, b, c); }
CROSSLANE_FN __half2 __floats2half2_rn(float a, float b) {
  return __half2{static_cast<__half>(a), static_cast<__half>(b)};
}
CROSSLANE_FN __half __low2half(__half2 v) { return v.x; }
CROSSLANE_FN __half __high2half(__half2 v) { return v.y; }

#endif
