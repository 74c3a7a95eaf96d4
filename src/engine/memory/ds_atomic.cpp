// DS: LDS atomics. The waves of a workgroup share one host thread, so plain reads and writes are atomic here. Compiled
// once per level. Source: Vega ISA manual, 12.13. Addresses are aligned down to the size of the data on every
// generation.
#include "engine/memory/atomic.h"
#include "engine/memory/lds.h"
#include <xmmintrin.h>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace {

using namespace access;
using isa::Access;

template <class T> CROSSLANE_INLINE T get(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
template <class T> CROSSLANE_INLINE void set(uint8_t* p, T value) { std::memcpy(p, &value, sizeof value); }

// Float additions round to nearest even, whatever MODE says; ds_add_f64 keeps denormals too. LLVM,
// shouldExpandAtomicRMWInIR: "DS FP atomics do respect the denormal mode, but the rounding mode is fixed".
template <Access A, class T> CROSSLANE_INLINE uint32_t begin_float() {
  if constexpr (A != Access::atomic_fadd)
    return 0;
  const uint32_t mode = _mm_getcsr();
  _mm_setcsr(mode & (sizeof(T) == 8 ? ~0xe040u : ~0x6000u));
  asm volatile("" ::: "memory");
  return mode;
}
template <Access A> CROSSLANE_INLINE void end_float(uint32_t mode) {
  if constexpr (A != Access::atomic_fadd)
    return;
  asm volatile("" ::: "memory");
  _mm_setcsr(mode);
}

template <Access A, class T, bool Returns> CROSSLANE_CC void atomic(const Uop* op, Wave* w) {
  const Lds lds = lds_of(op, w);
  const uint32_t *address = at<uint32_t>(w, op->a), *data = at<uint32_t>(w, op->c);
  const uint32_t* data1 = at<uint32_t>(w, uint32_t(op->k1));
  uint32_t* dst = at<uint32_t>(w, op->dst);
  bool faulted = false;
  const auto one = [&](int lane) {
    const uint32_t offset = lds_offset(op, address[lane], uint32_t(op->imm));
    if (!in_lds(lds, offset, sizeof(T))) [[unlikely]] {
      faulted = faulted || lds_fault(op, w, lane, offset, sizeof(T));
      if constexpr (Returns)
        set_lane(dst, lane, T());
      return;
    }
    T first = get_lane<T>(data, lane), second = needs_second(A) ? get_lane<T>(data1, lane) : T();
    if constexpr (A == Access::atomic_cmpswap || A == Access::atomic_fcmpswap) {
      const T compare = first; // ds_cmpst: DATA0 is what to compare with, DATA1 what to write
      first = second, second = compare;
    }
    const T old = get<T>(lds.base + offset);
    set<T>(lds.base + offset, updated<A>(old, first, second));
    if constexpr (Returns)
      set_lane(dst, lane, old);
  };
  const uint32_t mode = begin_float<A, T>();
#pragma clang loop unroll(disable)
  for (int row = 0; row < machine::rows_per_wave; ++row)
    for_lanes(w->exec_row(row), [&](int i) { one(row * 16 + i); });
  end_float<A>(mode);
  if (faulted) [[unlikely]]
    return;
  CROSSLANE_NEXT(op, w);
}

// ds_condxchg32: each dword of the data is written, less its top bit, if that bit is set. Source: RDNA3 ISA manual,
// which has the formula.
template <int Dwords> CROSSLANE_CC void conditional_exchange(const Uop* op, Wave* w) {
  const Lds lds = lds_of(op, w);
  const uint32_t *address = at<uint32_t>(w, op->a), *data = at<uint32_t>(w, op->c);
  uint32_t* dst = at<uint32_t>(w, op->dst);
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = first_lane(left);
    const uint32_t offset = lds_offset(op, address[lane], uint32_t(op->imm));
    const bool there = in_lds(lds, offset, Dwords * 4);
    if (!there && lds_fault(op, w, lane, offset, Dwords * 4))
      return;
    for (int k = 0; k < Dwords; ++k) {
      const uint32_t value = data[k * 64 + lane], old = there ? get<uint32_t>(lds.base + offset + 4 * k) : 0;
      if (there && value >> 31)
        set(lds.base + offset + 4 * k, value & 0x7fffffff);
      dst[k * 64 + lane] = old;
    }
  }
  CROSSLANE_NEXT(op, w);
}

// ds_wrxchg2: two exchanges per lane, old values into consecutive registers.
template <class T> CROSSLANE_CC void exchange2(const Uop* op, Wave* w) {
  const Lds lds = lds_of(op, w);
  const uint32_t *address = at<uint32_t>(w, op->a), *data = at<uint32_t>(w, op->c);
  const uint32_t* data1 = at<uint32_t>(w, uint32_t(op->k1));
  uint32_t *dst = at<uint32_t>(w, op->dst), *dst1 = dst + 64 * sizeof(T) / 4;
  for (uint64_t left = w->exec(); left; left &= left - 1) {
    const int lane = first_lane(left);
    const uint32_t o0 = lds_offset(op, address[lane], uint32_t(op->imm));
    const uint32_t o1 = lds_offset(op, address[lane], uint32_t(op->k1 >> 32));
    const T new0 = get_lane<T>(data, lane), new1 = get_lane<T>(data1, lane);
    if (lds_fault(op, w, lane, o0, sizeof(T)) || lds_fault(op, w, lane, o1, sizeof(T)))
      return;
    T old0 = T(), old1 = T();
    if (in_lds(lds, o0, sizeof(T)))
      old0 = get<T>(lds.base + o0), set(lds.base + o0, new0);
    if (in_lds(lds, o1, sizeof(T)))
      old1 = get<T>(lds.base + o1), set(lds.base + o1, new1);
    set_lane(dst, lane, old0);
    set_lane(dst1, lane, old1);
  }
  CROSSLANE_NEXT(op, w);
}

// ds_*_src2_*: the operand is in LDS too, at a signed dword distance from the instruction or from the address itself.
template <Access A, class T> CROSSLANE_CC void from_lds(const Uop* op, Wave* w) {
  const Lds lds = lds_of(op, w);
  const uint32_t* address = at<uint32_t>(w, op->a);
  const uint32_t field = uint32_t(op->imm);
  const bool per_lane = field & 0x8000;
  const int32_t fixed = int32_t(field << 17) >> 17;
  const uint32_t mode = begin_float<A, T>();
  bool faulted = false;
  for (uint64_t left = w->exec(); left && !faulted; left &= left - 1) {
    const uint32_t base = address[first_lane(left)];
    const uint32_t a = (per_lane ? base & 0x1ffff : base) & uint32_t(op->k0);
    const uint32_t b = (a + uint32_t(per_lane ? int32_t(base) >> 17 : fixed) * 4) & uint32_t(op->k0);
    faulted = lds_fault(op, w, first_lane(left), a, sizeof(T)) || lds_fault(op, w, first_lane(left), b, sizeof(T));
    if (faulted || !in_lds(lds, a, sizeof(T)))
      continue;
    const T operand = in_lds(lds, b, sizeof(T)) ? get<T>(lds.base + b) : T();
    set<T>(lds.base + a, updated<A>(get<T>(lds.base + a), operand, T()));
  }
  end_float<A>(mode);
  if (faulted)
    return;
  CROSSLANE_NEXT(op, w);
}

template <class T, class S, class F> Handler pick_operand_in_lds(Access a) {
  const auto pick = []<Access A, class E>() -> Handler {
    if constexpr (needs_second(A))
      return nullptr;
    else
      return from_lds<A, E>;
  };
  if (a == Access::store)
    return from_lds<Access::atomic_swap, T>;
  if (const Handler h = pick_float_atomic<F>(a, pick))
    return h;
  return pick_integer_atomic<T, S>(a, pick);
}

template <bool Returns, class T, class S, class F> Handler pick_operand_in_vgpr(Access a) {
  const auto pick = []<Access A, class E>() -> Handler { return atomic<A, E, Returns>; };
  if (a == Access::atomic_mskor)
    return atomic<Access::atomic_mskor, T, Returns>;
  if (a == Access::wrap)
    return sizeof(T) == 4 && Returns ? Handler(atomic<Access::wrap, uint32_t, true>) : nullptr;
  if (const Handler h = pick_float_atomic<F>(a, pick))
    return h;
  return pick_integer_atomic<T, S>(a, pick);
}

template <class T, class S, class F> Handler pick_size(const isa::Row& row) {
  if (row.access == Access::swap2 || row.access == Access::swap2_st64)
    return exchange2<T>;
  if (row.src[0] == isa::Type::None)
    return pick_operand_in_lds<T, S, F>(row.access);
  if (row.dst != isa::Type::None)
    return pick_operand_in_vgpr<true, T, S, F>(row.access);
  return pick_operand_in_vgpr<false, T, S, F>(row.access);
}

} // namespace

Handler pick_lds_atomic(const isa::Row& row) {
  const bool plain_store = row.access == Access::store && row.src[0] != isa::Type::None;
  if (plain_store)
    return nullptr;
  if (row.access == Access::condxchg)
    return row.memory == isa::Type::B64 ? conditional_exchange<2> : conditional_exchange<4>;
  switch (bytes_of(row.memory)) {
  case 4: return pick_size<uint32_t, int32_t, float>(row);
  case 8: return pick_size<uint64_t, int64_t, double>(row);
  default: return nullptr;
  }
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
