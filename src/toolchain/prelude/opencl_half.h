// OpenCL C 2: f16 in memory behind a pointer to any address space; libclc converts one at a time. Part of opencl.h.
#ifndef CROSSLANE_OPENCL_HALF_H
#define CROSSLANE_OPENCL_HALF_H

__attribute__((overloadable)) float vload_half(size_t, const __private half*);
__attribute__((overloadable)) float vload_half(size_t, const __constant half*);
CROSSLANE_EFFECT_FN float vload_half(size_t i, const half* p) {
  __private ushort h = ((const ushort*)p)[i];
  return vload_half(0, (const __private half*)&h);
}
// Three aligned halves take the place of four.
#define CROSSLANE_LOAD_HALVES_FROM(space, n)                                                                           \
  CROSSLANE_EFFECT_FN float##n vload_half##n(size_t i, const space half* p) {                                          \
    float##n v;                                                                                                        \
    for (int k = 0; k < n; ++k)                                                                                        \
      v[k] = vload_half(i * n + k, p);                                                                                 \
    return v;                                                                                                          \
  }                                                                                                                    \
  CROSSLANE_EFFECT_FN float##n vloada_half##n(size_t i, const space half* p) {                                         \
    float##n v;                                                                                                        \
    for (int k = 0; k < n; ++k)                                                                                        \
      v[k] = vload_half(i * (n == 3 ? 4 : n) + k, p);                                                                  \
    return v;                                                                                                          \
  }
#define CROSSLANE_LOAD_HALVES(n) CROSSLANE_LOAD_HALVES_FROM(, n) CROSSLANE_LOAD_HALVES_FROM(__constant, n)
CROSSLANE_LOAD_HALVES(2)
CROSSLANE_LOAD_HALVES(3)
CROSSLANE_LOAD_HALVES(4)
CROSSLANE_LOAD_HALVES(8)
CROSSLANE_LOAD_HALVES(16)

#define CROSSLANE_STORE_HALF(mode, F)                                                                                  \
  __attribute__((overloadable)) void vstore_half##mode(F, size_t, __private half*);                                    \
  CROSSLANE_EFFECT_FN void vstore_half##mode(F v, size_t i, half* p) {                                                 \
    __private ushort h;                                                                                                \
    vstore_half##mode(v, 0, (__private half*)&h);                                                                      \
    ((ushort*)p)[i] = h;                                                                                               \
  }                                                                                                                    \
  CROSSLANE_STORE_HALVES(mode, F, 2)                                                                                   \
  CROSSLANE_STORE_HALVES(mode, F, 3)                                                                                   \
  CROSSLANE_STORE_HALVES(mode, F, 4)                                                                                   \
  CROSSLANE_STORE_HALVES(mode, F, 8)                                                                                   \
  CROSSLANE_STORE_HALVES(mode, F, 16)
#define CROSSLANE_STORE_HALVES(mode, F, n)                                                                             \
  CROSSLANE_EFFECT_FN void vstore_half##n##mode(F##n v, size_t i, half* p) {                                           \
    for (int k = 0; k < n; ++k)                                                                                        \
      vstore_half##mode(v[k], i* n + k, p);                                                                            \
  }                                                                                                                    \
  CROSSLANE_EFFECT_FN void vstorea_half##n##mode(F##n v, size_t i, half* p) {                                          \
    for (int k = 0; k < n; ++k)                                                                                        \
      vstore_half##mode(v[k], i*(n == 3 ? 4 : n) + k, p);                                                              \
  }
#define CROSSLANE_STORE_HALF_OF(F)                                                                                     \
  CROSSLANE_STORE_HALF(, F)                                                                                            \
  CROSSLANE_STORE_HALF(_rte, F)                                                                                        \
  CROSSLANE_STORE_HALF(_rtz, F)                                                                                        \
  CROSSLANE_STORE_HALF(_rtp, F)                                                                                        \
  CROSSLANE_STORE_HALF(_rtn, F)
CROSSLANE_STORE_HALF_OF(float)
CROSSLANE_STORE_HALF_OF(double)
#endif
