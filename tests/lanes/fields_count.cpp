// 16 structures of 2, 3 and 4 dwords apart and together, for scripts/count-permutes.py to count the instructions of.
#include "lanes/fields.h"

namespace lanes = crosslane::lanes;

template <size_t K> static inline void apart(const uint32_t* structures, uint32_t* fields) {
  const auto f = lanes::load_fields<K, uint32_t, 16>(structures);
  lanes::unrolled<K>([&](auto k) { store(fields + 16 * k, f[k]); });
}
template <size_t K> static inline void together(const uint32_t* fields, uint32_t* structures) {
  std::array<lanes::Vec<uint32_t, 16>, K> f;
  lanes::unrolled<K>([&](auto k) { f[k] = lanes::load<uint32_t, 16>(fields + 16 * k); });
  lanes::store_fields(structures, f);
}

extern "C" void apart2(const uint32_t* in, uint32_t* out) { apart<2>(in, out); }
extern "C" void apart3(const uint32_t* in, uint32_t* out) { apart<3>(in, out); }
extern "C" void apart4(const uint32_t* in, uint32_t* out) { apart<4>(in, out); }
extern "C" void together2(const uint32_t* in, uint32_t* out) { together<2>(in, out); }
extern "C" void together3(const uint32_t* in, uint32_t* out) { together<3>(in, out); }
extern "C" void together4(const uint32_t* in, uint32_t* out) { together<4>(in, out); }
