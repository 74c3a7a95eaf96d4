// Owns turning a plan into code at compile time. There are three ways, and lanes/plan/lowering.h says which is taken
// for what: the compiler sees the whole pattern and finds its own instructions; it sees each step as a small shuffle of
// its own; or the plan's indexes and masks are hidden from it, so that it cannot do anything but what the plan says.
#pragma once
#include "lanes/plan/planner.h"
#include "lanes/vec.h"
#include <immintrin.h>
#include <utility>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

enum class Lowering : uint8_t { compiler, steps, pinned };

namespace planner {

namespace detail {

template <int N> using ByteVec = uint8_t __attribute__((ext_vector_type(N)));
template <int N> struct IntrinsicType {
  using type = ByteVec<N>;
};
template <> struct IntrinsicType<16> {
  using type = __m128i;
};
template <> struct IntrinsicType<32> {
  using type = __m256i;
};
template <> struct IntrinsicType<64> {
  using type = __m512i;
};
// A value of a plan: a whole register, zero above what a narrow instruction gave.
inline constexpr int native_bytes = widest_register(compiled_isa);
using Register = ByteVec<native_bytes>;

// The first N bytes of v, zeros after what it has.
template <int N, class V> CROSSLANE_INLINE ByteVec<N> resized(V v) {
  constexpr int have = sizeof(V);
  if constexpr (N == have)
    return v;
  else
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return __builtin_shufflevector(v, V{}, (I < have ? int(I) : have)...);
    }(std::make_index_sequence<N>{});
}

// Register R of a whole number of them, and registers put together again.
template <size_t R, class V> CROSSLANE_INLINE Register register_of(V v) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return __builtin_shufflevector(v, v, int(R * native_bytes + I)...);
  }(std::make_index_sequence<native_bytes>{});
}
template <class V> CROSSLANE_INLINE V joined(V v) { return v; }
template <class V> CROSSLANE_INLINE auto joined(V a, V b) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, int(I)...);
  }(std::make_index_sequence<2 * sizeof(V)>{});
}
template <class V> CROSSLANE_INLINE auto joined(V a, V b, V c, V d) { return joined(joined(a, b), joined(c, d)); }
template <class V> CROSSLANE_INLINE auto joined(V a, V b, V c, V d, V e, V f, V g, V h) {
  return joined(joined(a, b, c, d), joined(e, f, g, h));
}

// The compiler may not know what is in it.
template <bool Hide, class T> CROSSLANE_INLINE T register_constant(T x) {
  if constexpr (Hide)
    asm("" : "+v"(x));
  return x;
}
template <bool Hide, int Elements> CROSSLANE_INLINE auto mask_constant(uint64_t bits) {
  using M = unsigned_of<(Elements < 8 ? 8 : Elements) / 8>;
  M m = M(bits);
#ifdef __AVX512BW__
  if constexpr (Hide)
    asm("" : "+Yk"(m));
#endif
  return m;
}

// A step without its mask, as a shuffle of elements as large as its pattern allows.
template <auto S, int N> CROSSLANE_INLINE ByteVec<N> as_shuffle(ByteVec<N> a, ByteVec<N> b) {
  constexpr auto views = [] {
    Goal g;
    for (int i = 0; i < 64; ++i) {
      const From f = unmasked_source(S, i);
      g.want[i] = f.operand < 0 ? Name(zero) : name_of(f.operand, f.byte);
    }
    g.settle();
    return Views(g);
  }();
  constexpr int e = views(8).ok ? 8 : views(4).ok ? 4 : views(2).ok ? 2 : 1;
  constexpr Elements x = views(e);
  constexpr int count = N / e, per_input = 64 / e;
  constexpr auto have = [](const Elements& els, bool zeros) {
    for (int i = 0; i < count; ++i)
      if (zeros ? els.at[i] == zero : els.at[i] >= per_input)
        return true;
    return false;
  };
  constexpr bool zeros = have(x, true), both = have(x, false);
  using V = unsigned_of<e> __attribute__((ext_vector_type(count)));
  const V blank{}, va = __builtin_bit_cast(V, a), vb = both ? __builtin_bit_cast(V, b) : blank;
  return [&]<size_t... I>(std::index_sequence<I...>) {
    const V moved = __builtin_shufflevector(va, vb,
                                            (x.at[I] == zero       ? (both ? -1 : count)
                                             : x.at[I] < per_input ? x.at[I]
                                                                   : x.at[I] - per_input + count)...);
    if constexpr (zeros && both)
      return __builtin_bit_cast(ByteVec<N>,
                                __builtin_shufflevector(moved, blank, (x.at[I] == zero ? count : int(I))...));
    else
      return __builtin_bit_cast(ByteVec<N>, moved);
  }(std::make_index_sequence<count>{});
}

// The three widths of an intrinsic; 512 bits only exist where the compiler may use them.
#ifdef __AVX512BW__
#define CROSSLANE_WIDTHS(name, type, ...)                                                                              \
  if constexpr (N == 16)                                                                                               \
    return to_bytes(_mm_##name##type(__VA_ARGS__));                                                                    \
  else if constexpr (N == 32)                                                                                          \
    return to_bytes(_mm256_##name##type(__VA_ARGS__));                                                                 \
  else                                                                                                                 \
    return to_bytes(_mm512_##name##type(__VA_ARGS__));
#else
#define CROSSLANE_WIDTHS(name, type, ...)                                                                              \
  if constexpr (N == 16)                                                                                               \
    return to_bytes(_mm_##name##type(__VA_ARGS__));                                                                    \
  else                                                                                                                 \
    return to_bytes(_mm256_##name##type(__VA_ARGS__));
#endif

// A step with an index or a mask of its own, by its own instruction.
template <auto S, int N, bool Hide> CROSSLANE_INLINE ByteVec<N> by_instruction(ByteVec<N> av, ByteVec<N> bv) {
  using M = typename IntrinsicType<N>::type;
  const M a = __builtin_bit_cast(M, av);
  [[maybe_unused]] const M b = __builtin_bit_cast(M, bv);
  const auto to_bytes = [](auto v) { return __builtin_bit_cast(ByteVec<N>, v); };
  constexpr int e = S.element;
  constexpr auto index = [] {
    std::array<unsigned_of<e>, N / e> all{};
    for (int i = 0; i < N / e; ++i)
      all[i] = S.index[i];
    return all;
  }();
  [[maybe_unused]] const M i = register_constant<Hide>(__builtin_bit_cast(M, index));
  [[maybe_unused]] const auto k = mask_constant<Hide, N / e>(S.mask);
  if constexpr (S.op == Op::either) {
    return av | bv;
  } else if constexpr (S.op == Op::shuffle_bytes) {
    CROSSLANE_WIDTHS(shuffle, _epi8, a, i)
  } else if constexpr (S.op == Op::pack && e == 1) {
    CROSSLANE_WIDTHS(packus, _epi16, a, b)
  } else if constexpr (S.op == Op::pack) {
    CROSSLANE_WIDTHS(packus, _epi32, a, b)
#ifndef __AVX512BW__
  } else if constexpr (S.op == Op::permute) {
    return to_bytes(_mm256_permutevar8x32_epi32(a, i));
  } else if constexpr (S.op == Op::blend_bytes) {
    CROSSLANE_WIDTHS(blendv, _epi8, a, b, i)
#else
  } else if constexpr (S.op == Op::permute && e == 8) {
    if constexpr (N == 32)
      return to_bytes(_mm256_permutexvar_epi64(i, a));
    else
      return to_bytes(_mm512_permutexvar_epi64(i, a));
  } else if constexpr (S.op == Op::permute && e == 4) {
    if constexpr (N == 32)
      return to_bytes(_mm256_permutexvar_epi32(i, a));
    else
      return to_bytes(_mm512_permutexvar_epi32(i, a));
  } else if constexpr (S.op == Op::permute && e == 2) {
    CROSSLANE_WIDTHS(permutexvar, _epi16, i, a)
  } else if constexpr (S.op == Op::permute_two && e == 8) {
    CROSSLANE_WIDTHS(permutex2var, _epi64, a, i, b)
  } else if constexpr (S.op == Op::permute_two && e == 4) {
    CROSSLANE_WIDTHS(permutex2var, _epi32, a, i, b)
  } else if constexpr (S.op == Op::permute_two && e == 2) {
    CROSSLANE_WIDTHS(permutex2var, _epi16, a, i, b)
  } else if constexpr (S.op == Op::compress && e == 8) {
    CROSSLANE_WIDTHS(maskz_compress, _epi64, k, a)
  } else if constexpr (S.op == Op::compress && e == 4) {
    CROSSLANE_WIDTHS(maskz_compress, _epi32, k, a)
  } else if constexpr (S.op == Op::expand && e == 8) {
    CROSSLANE_WIDTHS(maskz_expand, _epi64, k, a)
  } else if constexpr (S.op == Op::expand && e == 4) {
    CROSSLANE_WIDTHS(maskz_expand, _epi32, k, a)
#endif
#ifdef __AVX512VBMI__
  } else if constexpr (S.op == Op::permute && e == 1) {
    CROSSLANE_WIDTHS(permutexvar, _epi8, i, a)
  } else if constexpr (S.op == Op::permute_two && e == 1) {
    CROSSLANE_WIDTHS(permutex2var, _epi8, a, i, b)
#endif
#ifdef __AVX512VBMI2__
  } else if constexpr (S.op == Op::compress && e == 2) {
    CROSSLANE_WIDTHS(maskz_compress, _epi16, k, a)
  } else if constexpr (S.op == Op::compress && e == 1) {
    CROSSLANE_WIDTHS(maskz_compress, _epi8, k, a)
  } else if constexpr (S.op == Op::expand && e == 2) {
    CROSSLANE_WIDTHS(maskz_expand, _epi16, k, a)
  } else if constexpr (S.op == Op::expand && e == 1) {
    CROSSLANE_WIDTHS(maskz_expand, _epi8, k, a)
#endif
  } else {
    return as_shuffle<S, N>(av, bv);
  }
}

#ifdef __AVX512BW__
// Elements of S.element bytes whose bit is set come from y, the others from x.
template <auto S, int N, bool Hide> CROSSLANE_INLINE ByteVec<N> by_mask(ByteVec<N> x, ByteVec<N> y) {
  using M = typename IntrinsicType<N>::type;
  const M xm = __builtin_bit_cast(M, x), ym = __builtin_bit_cast(M, y);
  const auto to_bytes = [](auto v) { return __builtin_bit_cast(ByteVec<N>, v); };
  const auto k = mask_constant<Hide, N / S.element>(S.mask);
  if constexpr (S.element == 8) {
    CROSSLANE_WIDTHS(mask_blend, _epi64, k, xm, ym)
  } else if constexpr (S.element == 4) {
    CROSSLANE_WIDTHS(mask_blend, _epi32, k, xm, ym)
  } else if constexpr (S.element == 2) {
    CROSSLANE_WIDTHS(mask_blend, _epi16, k, xm, ym)
  } else {
    CROSSLANE_WIDTHS(mask_blend, _epi8, k, xm, ym)
  }
}
#endif
#undef CROSSLANE_WIDTHS

// How many bytes of its operands a step reads.
constexpr int operand_bytes(const Step& s) {
  return s.op == Op::extract ? std::max(s.bytes * 2, s.imm >= 2 ? 64 : 32) : s.bytes;
}

template <auto S, bool Hide>
CROSSLANE_INLINE Register lowered(Register a, Register b, [[maybe_unused]] Register merge) {
  constexpr int N = operand_bytes(S);
  const ByteVec<N> x = resized<N>(a), y = resized<N>(b);
#ifdef __AVX512BW__
  if constexpr (S.op == Op::blend_mask) {
    return resized<native_bytes>(by_mask<S, N, Hide>(x, y));
  } else if constexpr (S.masked) {
    constexpr int width = result_bytes(S) < 16 ? 16 : result_bytes(S);
    const auto whole = resized<width>(by_instruction<S, N, Hide>(x, y));
    return resized<native_bytes>(by_mask<S, width, Hide>(resized<width>(merge), whole));
  } else
#endif
  {
    constexpr int width = result_bytes(S) < 16 ? 16 : result_bytes(S);
    return resized<native_bytes>(resized<width>(by_instruction<S, N, Hide>(x, y)));
  }
}

// Holder::plan is the plan; `values` has room for its inputs and its steps.
template <class Holder, bool Hide, size_t... K>
CROSSLANE_INLINE Register run_steps(Register* values, std::index_sequence<K...>) {
  constexpr const Plan& p = Holder::plan;
  const auto value = [&](int8_t v) __attribute__((always_inline)) { return v == no_value ? Register{} : values[v]; };
  ((values[p.inputs + K] =
        lowered<p.steps[K], Hide>(value(p.steps[K].a), value(p.steps[K].b), value(p.steps[K].merge))),
   ...);
  return values[p.result];
}

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
