// Memory atomics of FLAT, GLOBAL, MUBUF: host atomics, lane after lane. Compiled once per level.
#include "engine/memory/atomic.h"
#include "engine/decode/lowering.h"
#include "engine/memory/scratch.h"
#include "engine/reach.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace {

using namespace access;
using isa::Access;

// Operations whose data can be combined before one access, when nobody wants the values between.
template <Access A> constexpr bool combines() {
  using enum Access;
  return A == atomic_add || A == atomic_sub || A == atomic_smin || A == atomic_umin || A == atomic_smax ||
         A == atomic_umax || A == atomic_and || A == atomic_or || A == atomic_xor;
}
template <Access A> constexpr Access combiner() { return A == Access::atomic_sub ? Access::atomic_add : A; }

// The host address of the lane's data; nullptr after a fault.
template <class T>
CROSSLANE_NOINLINE T* in_aperture(const Uop* op, Wave* w, int lane, uint64_t address, uint32_t window) {
  const auto offset = uint32_t(address);
  if (window == 0) {
    if (uint64_t(offset) + sizeof(T) <= w->workgroup->lds_bytes)
      return reinterpret_cast<T*>(w->workgroup->lds + offset);
    raise(w, op, machine::FaultKind::lds_out_of_range, lane, address);
    return nullptr;
  }
  // A 64-bit item is not in one piece there; nothing else can see it, so it is handled by the caller's plain path.
  if (int64_t(uint64_t(offset)) + int64_t(sizeof(T)) <= scratch_limit(w, w->scratch))
    return reinterpret_cast<T*>(scratch_byte(w->scratch, offset, lane));
  scratch_fault(op, w, lane, w->scratch, offset);
  return nullptr;
}

template <Access A, class T> CROSSLANE_CC void atomic(const Uop* op, Wave* w) {
  touching(op, w);
  const uint64_t mask = pair_at(w, uint32_t(op->k1));
  const bool wide = op->aux & atomic_wide_address, returns = op->aux & atomic_returns;
  const uint32_t *lo = at<uint32_t>(w, op->a), *data = at<uint32_t>(w, op->c);
  const uint32_t* data1 = data + 64 * sizeof(T) / 4;
  uint32_t* dst = at<uint32_t>(w, op->dst);
  const uint64_t base = wide ? 0 : pair_at(w, op->b);

  uint64_t left = mask;
  while (left) {
    const int lane = first_lane(left);
    left &= left - 1;
    const uint32_t hi = wide ? lo[64 + lane] : 0;
    const uint64_t address = base + (uint64_t(hi) << 32 | lo[lane]) + op->k0;
    if (address % sizeof(T)) {
      raise(w, op, machine::FaultKind::misaligned_address, lane, address);
      return;
    }
    T value = get_lane<T>(data, lane);
    const T second = needs_second(A) ? get_lane<T>(data1, lane) : T();
    auto* p = reinterpret_cast<T*>(address);
    const uint32_t window = machine::aperture_window(hi) - uint32_t(op->imm);
    if (window < 2) [[unlikely]] {
      p = in_aperture<T>(op, w, lane, address, window);
      if (!p)
        return;
      if (sizeof(T) == 8 && window == 1) {
        uint32_t* halves = reinterpret_cast<uint32_t*>(p); // the next dword of a lane is 64 dwords on
        const T old = get_lane<T>(halves, 0);
        set_lane(halves, 0, updated<A>(old, value, second));
        if (returns)
          set_lane(dst, lane, old);
        continue;
      }
    } else if (!reaches(w, address, sizeof(T))) [[unlikely]] {
      out_of_reach(op, w, lane, address);
      return;
    }
    if constexpr (combines<A>()) {
      if (!returns) {
        // Neighbouring lanes at one address: one access.
        while (left) {
          const int next = first_lane(left);
          if (lo[next] != lo[lane] || (wide && lo[64 + next] != hi))
            break;
          value = updated<combiner<A>()>(value, get_lane<T>(data, next), T());
          left &= left - 1;
        }
      }
    }
    const T old = exchange<A>(p, value, second);
    if (returns)
      set_lane(dst, lane, old);
  }
  CROSSLANE_NEXT(op, w);
}

} // namespace

Handler pick_atomic(isa::Access a, isa::Type memory) {
  const auto pick = []<Access A, class T>() -> Handler { return atomic<A, T>; };
  const bool is_float = memory == isa::Type::F32 || memory == isa::Type::F64;
  if (a == Access::atomic_pk_add_f16)
    return atomic<Access::atomic_pk_add_f16, uint32_t>;
  switch (bytes_of(memory)) {
  case 4: return is_float ? pick_float_atomic<float>(a, pick) : pick_integer_atomic<uint32_t, int32_t>(a, pick);
  case 8: return is_float ? pick_float_atomic<double>(a, pick) : pick_integer_atomic<uint64_t, int64_t>(a, pick);
  default: return nullptr;
  }
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
