// The bodies of atomics: "atomic.add", what memory holds after, of what it held, the data, and a second operand.
#include "engine/atomic_update.h"
#include "jit/bodies/body.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

using isa::Access;

template <Access A, class T> struct AtomicBody {
  static Out<uint32_t> call(uint32_t old, uint32_t data, uint32_t data1) {
    return {uint32_t(engine::access::updated<A>(T(old), T(data), T(data1)))};
  }
  static constexpr bool implemented = true;
};

BODIES_BEGIN
#define ATOMIC(access, T) BODY("atomic." #access, AtomicBody<Access::atomic_##access, T>)
ATOMIC(swap, uint32_t)
ATOMIC(cmpswap, uint32_t)
ATOMIC(add, uint32_t)
ATOMIC(sub, uint32_t)
ATOMIC(rsub, uint32_t)
ATOMIC(smin, int32_t)
ATOMIC(umin, uint32_t)
ATOMIC(smax, int32_t)
ATOMIC(umax, uint32_t)
ATOMIC(and, uint32_t)
ATOMIC(or, uint32_t)
ATOMIC(xor, uint32_t)
ATOMIC(inc, uint32_t)
ATOMIC(dec, uint32_t)
BODIES_END

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
