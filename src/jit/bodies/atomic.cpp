// The bodies of atomics: "atomic.add", what memory holds after, of what it held, the data, and a second operand.
#include "engine/atomic_update.h"
#include "jit/bodies/body.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

using isa::Access;

template <Access A, class T> struct AtomicBody {
  using Bits = engine::access::bits_of_t<T>;
  static Out<Bits> call(Bits old, Bits data, Bits data1) {
    const auto as = [](Bits v) { return __builtin_bit_cast(T, v); };
    return {__builtin_bit_cast(Bits, engine::access::updated<A>(as(old), as(data), as(data1)))};
  }
  static constexpr bool implemented = true;
};

BODIES_BEGIN
#define ATOMIC(access, T, T64)                                                                                         \
  BODY("atomic." #access, AtomicBody<Access::atomic_##access, T>)                                                      \
  BODY("atomic." #access ".64", AtomicBody<Access::atomic_##access, T64>)
ATOMIC(swap, uint32_t, uint64_t)
ATOMIC(cmpswap, uint32_t, uint64_t)
ATOMIC(add, uint32_t, uint64_t)
ATOMIC(sub, uint32_t, uint64_t)
ATOMIC(rsub, uint32_t, uint64_t)
ATOMIC(smin, int32_t, int64_t)
ATOMIC(umin, uint32_t, uint64_t)
ATOMIC(smax, int32_t, int64_t)
ATOMIC(umax, uint32_t, uint64_t)
ATOMIC(and, uint32_t, uint64_t)
ATOMIC(or, uint32_t, uint64_t)
ATOMIC(xor, uint32_t, uint64_t)
ATOMIC(inc, uint32_t, uint64_t)
ATOMIC(dec, uint32_t, uint64_t)
ATOMIC(fadd, float, double)
ATOMIC(fmin, float, double)
ATOMIC(fmax, float, double)
ATOMIC(fcmpswap, float, double)
ATOMIC(mskor, uint32_t, uint64_t)
BODIES_END

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
