// Owns transposes: of R x C matrices in registers, and of any shape in memory.
//
//   transpose(rows)                              R registers of C lanes -> C registers of R lanes; R, C powers of two
//   transpose<Order::big_to_small>(rows)         the same by stages that combine far rows first
//   transpose_dense<R, C>(m)                     one Vec of all rows -> one of all columns: for rows of up to 16 bytes
//   transpose(from, from_stride, to, to_stride, rows, columns)      in memory: to[c][r] = from[r][c]
//   transpose_in_place(p, stride, n)                                a square
//
// In registers a transpose is log2 R stages of R permutes of two rows each: R registers of C >= R lanes take R log2 R.
// Stages below 128 bits are unpacks, which stay in their lanes; those above move whole lanes. (A rectangle of 8 or
// 16-bit elements below AVX-512VBMI has one order only, whichever is asked for.)
//
// Measured on Zen 4, memory to memory within L1, in ns: small to big | big to small | two-source permutes over the
// whole register in every stage instead of lanes first. Hence the default.
//              AVX-512              AVX2                 naive loop
//   8x8   64   4.6 | 6.4 | 7.0      5.4 | 5.1 | 6.2      25
//   8x8   32   2.5 | 2.7 | 4.3      2.5 | 2.7 | 3.3      25
//   16x16 32   14.4 | 15.4 | 16.6   19.2 | 19.2 | 25     73
//   16x16 16   6.9 | 6.9 | 10.3     7.4 | 7.2 | 13.3     103
//   16x16 8    6.4 | 6.3 | 6.3      7.2 | 8.0 | 7.2      103
//   32x32 8    18 | 18 | 30         26 | 25 | 37         310
// In memory with AVX-512, in ps per element, this | plain loop:
//   1024 x 1024 of 4 bytes  475 | 10800     1024 x 1024 of 8 bytes  750 | 10900    1024 x 1024 of 1 byte  75 | 1360
//   1000 x 1000 of 4 bytes  154 | 620       64 x 64 of 4 bytes       75 | 272
// Sapphire Rapids (family 6 model 207), a call, in ns, AVX-512 | AVX2 | scalar tiles of 16 (8 x 8: of 8):
//   8 x 8, 16 x 16, 32 x 32 of 8 bytes  10, 32, 130 | 9, 30, 108 | 23, 87, 344    (8 x 8 in registers alone 8)
//   8 x 8, 16 x 16, 32 x 32 of 4 bytes  9, 21, 80   | 8, 32, 130 | 14, 87, 344    (8, 26 in registers alone)
// and in ps per element: 1024 x 1024 of 4 bytes  473 | 697 | 4160    1024 x 1024 of 8 bytes  967 | 1095 | 4210
//   64 x 64 of 4 bytes, 4096 bytes apart         222 | 425 | 3762    64 x 64 of 8 bytes, 8192 apart  431 | 832 | 3747
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 4.1.
#pragma once
#include "lanes/algobase.h"
#include "lanes/fields.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Which rows a stage combines: neighbours first and those n/2 apart last, or the other way around.
enum class Order { small_to_big, big_to_small };

namespace detail {
constexpr int log2_of(size_t n) { return std::bit_width(n) - 1; }
constexpr size_t reversed(size_t i, int bits) {
  size_t r = 0;
  for (int b = 0; b < bits; ++b)
    r |= (i >> b & 1) << (bits - 1 - b);
  return r;
}
template <size_t K, class T, int N, size_t... I>
CROSSLANE_INLINE auto bit_reversed(const std::array<Vec<T, N>, K>& r, std::index_sequence<I...>) {
  return std::array<Vec<T, N>, K>{r[reversed(I, log2_of(K))]...};
}

// One stage: rows i and i + Distance become what F0 and F1 take from them.
template <int Span, int G, class F0, class F1, size_t Distance, size_t I, size_t K, class T, int N>
CROSSLANE_INLINE Vec<T, N> staged(const std::array<Vec<T, N>, K>& r) {
  if constexpr (I & Distance)
    return within<Span, G, F1>(r[I - Distance], r[I]);
  else
    return within<Span, G, F0>(r[I], r[I + Distance]);
}
template <int Span, int G, class F0, class F1, size_t Distance, size_t K, class T, int N>
CROSSLANE_INLINE std::array<Vec<T, N>, K> stage(const std::array<Vec<T, N>, K>& r) {
  return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return std::array<Vec<T, N>, K>{staged<Span, G, F0, F1, Distance, I>(r)...};
  }(std::make_index_sequence<K>{});
}

// K rows of one span each -> the span's columns one after the other (interleave).
template <Order O, int Span, int G, size_t Done = 1, size_t K, class T, int N>
CROSSLANE_INLINE std::array<Vec<T, N>, K> columns_first(const std::array<Vec<T, N>, K>& r) {
  constexpr auto all = std::make_index_sequence<K>{};
  if constexpr (O == Order::big_to_small) {
    if constexpr (Done == K)
      return r;
    else
      return columns_first<O, Span, G, Done * 2>(stage<Span, G, Mix<Span, 0>, Mix<Span, 1>, K / 2 / Done>(r));
  } else {
    constexpr int wide = Span / int(Done);
    if constexpr (Done == K)
      return bit_reversed(r, all);
    else
      return columns_first<O, Span, G, Done * 2>(stage<wide, G* int(Done), Mix<wide, 0>, Mix<wide, 1>, Done>(r));
  }
}
// The other way around (deinterleave).
template <Order O, int Span, int G, size_t Done = 1, size_t K, class T, int N>
CROSSLANE_INLINE std::array<Vec<T, N>, K> columns_apart(const std::array<Vec<T, N>, K>& r) {
  if constexpr (O == Order::small_to_big) {
    if constexpr (Done == K)
      return r;
    else
      return columns_apart<O, Span, G, Done * 2>(stage<Span, G, Second<Span, 0>, Second<Span, 1>, Done>(r));
  } else {
    constexpr int part = Span / int(Done);
    if constexpr (Done == K)
      return bit_reversed(r, std::make_index_sequence<K>{});
    else
      return columns_apart<O, Span, G, Done * 2>(stage<part, G, Second<part, 0>, Second<part, 1>, K / 2 / Done>(r));
  }
}

// Rows First, First + Step, ... of K: a matrix of its own, changed by F.
template <size_t First, size_t Step, size_t Count, size_t K, class T, int N, class F>
CROSSLANE_INLINE void on_rows(std::array<Vec<T, N>, K>& r, F f) {
  [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    const auto changed = f(std::array<Vec<T, N>, Count>{r[First + Step * I]...});
    ((r[First + Step * I] = changed[I]), ...);
  }(std::make_index_sequence<Count>{});
}
// A square matrix of groups of G elements: the 128-bit lanes as squares of their own, and lanes among each other.
template <Order O, int G, size_t K, class T, int N>
CROSSLANE_INLINE std::array<Vec<T, N>, K> square(std::array<Vec<T, N>, K> r) {
  constexpr size_t lanes = std::max<size_t>(1, N * sizeof(T) / 16), inside = K / lanes;
  constexpr int per_lane = int(inside) * G;
  const auto in_lanes = [&]() __attribute__((always_inline)) {
    [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      (on_rows<I * inside, 1, inside>(
           r, [](const auto& x) __attribute__((always_inline)) { return columns_first<O, int(inside), G>(x); }),
       ...);
    }(std::make_index_sequence<lanes>{});
  };
  const auto among_lanes = [&]() __attribute__((always_inline)) {
    [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      (on_rows<I, inside, lanes>(
           r, [](const auto& x) __attribute__((always_inline)) { return columns_apart<O, int(lanes), per_lane>(x); }),
       ...);
    }(std::make_index_sequence<inside>{});
  };
  if constexpr (O == Order::small_to_big)
    in_lanes(), among_lanes();
  else
    among_lanes(), in_lanes();
  return r;
}

// Slice I of all registers laid end to end.
template <size_t I, int Size, size_t K, class T, int N>
CROSSLANE_INLINE Vec<T, Size> slice(const std::array<Vec<T, N>, K>& r) {
  constexpr size_t parts = N / Size;
  return part<Size, int(I % parts)>(r[I / parts]);
}
template <int Size, size_t First, size_t K, class T, int N>
CROSSLANE_INLINE Vec<T, Size> joined(const std::array<Vec<T, N>, K>& r) {
  if constexpr (Size == N)
    return r[First];
  else
    return join(joined<Size / 2, First>(r), joined<Size / 2, First + Size / 2 / N>(r));
}
} // namespace detail

template <Order O = Order::small_to_big, size_t R, class T, int C>
CROSSLANE_INLINE std::array<Vec<T, int(R)>, C> transpose(const std::array<Vec<T, C>, R>& rows) {
  static_assert(std::has_single_bit(R) && std::has_single_bit(unsigned(C)) && R > 1 && C > 1,
                "transpose: powers of two");
  using Result = std::array<Vec<T, int(R)>, C>;
  constexpr auto columns = std::make_index_sequence<C>{};
  constexpr bool direct = sizeof(T) >= detail::crossing_two_bytes;
  if constexpr (C * sizeof(T) > register_bytes) // the left columns, the right columns
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto left = transpose<O>(std::array<Vec<T, C / 2>, R>{part<C / 2, 0>(rows[I])...});
      const auto right = transpose<O>(std::array<Vec<T, C / 2>, R>{part<C / 2, 1>(rows[I])...});
      Result r;
      std::copy(left.begin(), left.end(), r.begin()), std::copy(right.begin(), right.end(), r.begin() + C / 2);
      return r;
    }(std::make_index_sequence<R>{});
  else if constexpr (R * sizeof(T) > register_bytes) // the upper rows, the lower rows
    return [&]<size_t... I, size_t... J>(std::index_sequence<I...>, std::index_sequence<J...>)
               __attribute__((always_inline)) {
                 const auto upper = transpose<O>(std::array<Vec<T, C>, R / 2>{rows[I]...});
                 const auto lower = transpose<O>(std::array<Vec<T, C>, R / 2>{rows[R / 2 + I]...});
                 return Result{join(upper[J], lower[J])...};
               }(std::make_index_sequence<R / 2>{}, columns);
  else if constexpr (R == C)
    return detail::square<O, 1>(rows);
  else if constexpr (R < C)
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      if constexpr (direct || C * sizeof(T) <= 16) {
        const auto mixed = detail::columns_first<O, C, 1>(rows);
        return Result{detail::slice<I, int(R)>(mixed)...};
      } else {
        const auto mixed = interleave(rows);
        return Result{detail::slice<I, int(R)>(mixed)...};
      }
    }(columns);
  else
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const Result long_rows{detail::joined<int(R), I * R / C>(rows)...};
      if constexpr (direct || R * sizeof(T) <= 16)
        return detail::columns_apart<O, int(R), 1>(long_rows);
      else
        return deinterleave(long_rows);
    }(columns);
}

namespace detail {
// Register Part of the columns, from one register or two that hold R rows of C.
template <int C, int R, int N, int Part> struct Columns {
  constexpr int operator()(int i) const { return (Part * N + i) % R * C + (Part * N + i) / R; }
};
// 16 x 16 bytes where no permute has bytes: unpacks collect rows 4 apart, dwords then bytes take their places.
template <class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, 4> bytes_unpacked(const std::array<Vec<T, N>, 4>& m) {
  const auto placed = [](Vec<T, N> v) __attribute__((always_inline)) {
    auto square = reinterpret<T>(permute(reinterpret<uint32_t>(v), SquareOfDwords{}));
    asm("" : "+v"(square.v)); // the compiler would make one permute of both and take that apart in its own way
    return within<16, 1, SquareOfDwords>(square, square);
  };
  const auto mixed = four_mixed(m);
  return {placed(mixed[0]), placed(mixed[1]), placed(mixed[2]), placed(mixed[3])};
}
} // namespace detail

// R rows of C elements one after the other -> C columns of R, as one vector each. Where rows or columns are of at most
// 16 bytes and the whole of 64, 128 or 256, whole registers of AVX-512 are permuted, 1, 2 and 8 times; others are taken
// apart into rows. (Joining rows that are registers of their own costs more than it gains: `transpose` does not.) On
// Zen 4, memory to memory, in ns, this | row by row:
//   8x8 16  1.2 | 2.7     16x16 8  2.9 | 6.9     4x16 32  2.9 | 6.3     16x4 32  3.4 | 3.7
template <int R, int C, class T> CROSSLANE_INLINE Vec<T, R * C> transpose_dense(Vec<T, R * C> m) {
  static_assert(std::has_single_bit(unsigned(R)) && std::has_single_bit(unsigned(C)) && R > 1 && C > 1,
                "transpose_dense: powers of two");
  constexpr int bytes = R * C * sizeof(T), N = register_bytes / sizeof(T);
  constexpr bool by_two = sizeof(T) >= detail::crossing_two_bytes;
  if constexpr (bytes <= 16 || (bytes <= register_bytes && sizeof(T) >= detail::crossing_bytes))
    return permute(m, detail::Columns<C, R, R * C, 0>{});
  else if constexpr (bytes == 2 * register_bytes && by_two) {
    const auto a = part<N, 0>(m), b = part<N, 1>(m);
    return join(permute(a, b, detail::Columns<C, R, N, 0>{}), permute(a, b, detail::Columns<C, R, N, 1>{}));
  } else if constexpr (bytes == 4 * register_bytes && detail::by_halves<R, T, N>)
    return join(detail::four_together<R>(std::array{part<N, 0>(m), part<N, 1>(m), part<N, 2>(m), part<N, 3>(m)}));
  else if constexpr (bytes == 4 * register_bytes && detail::by_halves_apart<C, T, N>)
    return join(detail::four_apart<C>(std::array{part<N, 0>(m), part<N, 1>(m), part<N, 2>(m), part<N, 3>(m)}));
  else if constexpr (bytes == 256 && register_bytes == 64 && R == 16 && C == 16)
    return join(detail::bytes_unpacked(std::array{part<N, 0>(m), part<N, 1>(m), part<N, 2>(m), part<N, 3>(m)}));
  else
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      return join(transpose(std::array<Vec<T, C>, R>{part<C, int(I)>(m)...}));
    }(std::make_index_sequence<R>{});
}

namespace detail {
// Elements of Size bytes in memory, moved as Vec<element, G * n>: 16-byte elements are pairs.
template <int Size> struct Moved {
  static constexpr int G = Size == 16 ? 2 : 1;
  using element = unsigned_of<Size / G>;
  // The side of a tile: rows of half a cache line beat whole lines (see the measurements above), except for few
  // elements. Where rows lie so far apart that they fall into few sets of the caches, half a line is gone before the
  // other half is asked for: then lines are moved whole, as far as registers go.
#ifdef __AVX512BW__
  static constexpr int tile = Size >= 8 ? 64 / Size : 32 / Size, whole_lines = Size >= 4 ? 64 / Size : tile;
#else
  static constexpr int tile = register_bytes / Size, whole_lines = tile;
#endif
};
template <int Size, int B> using Tile = std::array<Vec<typename Moved<Size>::element, B * Moved<Size>::G>, B>;

template <int Size, int B> CROSSLANE_INLINE Tile<Size, B> load_tile(const std::byte* from, ptrdiff_t stride) {
  return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return square<Order::small_to_big, Moved<Size>::G>(
        Tile<Size, B>{load<typename Moved<Size>::element, B * Moved<Size>::G>(from + ptrdiff_t(I) * stride)...});
  }(std::make_index_sequence<B>{});
}
template <int Size, int B> CROSSLANE_INLINE void store_tile(const Tile<Size, B>& t, std::byte* to, ptrdiff_t stride) {
  [&]<size_t... I>(std::index_sequence<I...>)
      __attribute__((always_inline)) { (store(to + ptrdiff_t(I) * stride, t[I]), ...); }(std::make_index_sequence<B>{});
}

// A view of two matrices; strides in bytes.
struct Matrices {
  const std::byte* from;
  ptrdiff_t from_stride;
  std::byte* to;
  ptrdiff_t to_stride;
};
template <int Size> Matrices at(Matrices m, size_t row, size_t column) {
  return {m.from + ptrdiff_t(row) * m.from_stride + ptrdiff_t(column) * Size, m.from_stride,
          m.to + ptrdiff_t(column) * m.to_stride + ptrdiff_t(row) * Size, m.to_stride};
}

// Tiles of B x B; the last row and column of tiles overlap those before. Cache lines are finished before the next.
template <int Size, int B> void by_tiles(Matrices m, size_t rows, size_t columns) {
  constexpr size_t line = std::max(1, 64 / (Size * B)), cache = 1 << 16;
  if (rows * columns * Size > cache) { // fewer pages at a time; both parts keep at least B rows or columns
    if (rows >= columns && rows >= 2 * B) {
      const size_t upper = rows / 2 / B * B;
      by_tiles<Size, B>(m, upper, columns);
      return by_tiles<Size, B>(at<Size>(m, upper, 0), rows - upper, columns);
    }
    if (columns >= 2 * B) {
      const size_t left = columns / 2 / B * B;
      by_tiles<Size, B>(m, rows, left);
      return by_tiles<Size, B>(at<Size>(m, 0, left), rows, columns - left);
    }
  }
  const size_t down = (rows + B - 1) / B, across = (columns + B - 1) / B;
  for (size_t y = 0; y < down; y += line)
    for (size_t x = 0; x < across; x += line)
      for (size_t i = y; i < std::min(y + line, down); ++i)
        for (size_t j = x; j < std::min(x + line, across); ++j) {
          const Matrices t = at<Size>(m, std::min(i * B, rows - B), std::min(j * B, columns - B));
          store_tile<Size, B>(load_tile<Size, B>(t.from, t.from_stride), t.to, t.to_stride);
        }
}
// The same where all of it is in L1, and the way to each tile counts.
template <int Size, int B> CROSSLANE_INLINE void by_few_tiles(Matrices m, size_t rows, size_t columns) {
  const ptrdiff_t step = B * m.to_stride;
  for (size_t r = 0;;) {
    const std::byte* from = m.from + ptrdiff_t(r) * m.from_stride;
    std::byte* to = m.to + ptrdiff_t(r) * Size;
    for (size_t c = columns;;) { // how many are left
      store_tile<Size, B>(load_tile<Size, B>(from, m.from_stride), to, m.to_stride);
      c -= B;
      if (c >= B)
        from += B * Size, to += step;
      else if (c)
        from += ptrdiff_t(c) * Size, to += ptrdiff_t(c) * m.to_stride, c = B;
      else
        break;
    }
    if (r + B == rows)
      return;
    r = std::min(r + B, rows - B);
  }
}
// The largest tile that fits into the matrix.
template <int Size, int B> CROSSLANE_INLINE bool by_fitting_few_tiles(Matrices m, size_t rows, size_t columns) {
  if (rows >= B && columns >= B)
    by_few_tiles<Size, B>(m, rows, columns);
  else if constexpr (B > 8)
    return by_fitting_few_tiles<Size, B / 2>(m, rows, columns);
  else
    return false;
  return true;
}
template <int Size, int B> void by_fitting_tiles(Matrices m, size_t rows, size_t columns) {
  if constexpr (B > 1) {
    if (rows >= B && columns >= B)
      by_tiles<Size, B>(m, rows, columns);
    else
      by_fitting_tiles<Size, B / 2>(m, rows, columns);
  } else {
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c) {
        const Matrices e = at<Size>(m, r, c);
        std::memcpy(e.to, e.from, Size);
      }
  }
}
// Few rows that become dense structures, and dense structures that become few rows.
template <size_t K, int Size> bool as_fields(Matrices m, size_t rows, size_t columns) {
  using E = unsigned_of<Size>;
  return [&]<size_t... I>(std::index_sequence<I...>) {
    if (rows == K && m.to_stride == K * Size) {
      soa_to_aos<K, E>({reinterpret_cast<const E*>(m.from + ptrdiff_t(I) * m.from_stride)...},
                       reinterpret_cast<E*>(m.to), columns);
      return true;
    }
    if (columns == K && m.from_stride == K * Size) {
      aos_to_soa<K, E>(reinterpret_cast<const E*>(m.from), {reinterpret_cast<E*>(m.to + ptrdiff_t(I) * m.to_stride)...},
                       rows);
      return true;
    }
    return false;
  }(std::make_index_sequence<K>{});
}
template <class T>
constexpr bool movable = std::is_trivially_copyable_v<T> && std::has_single_bit(sizeof(T)) && sizeof(T) <= 16;
} // namespace detail

// to[c * to_stride + r] = from[r * from_stride + c] for all r < rows, c < columns. Strides are in elements and may be
// negative. T is any trivially copyable type of 1, 2, 4, 8 or 16 bytes. Only these elements are read and written; they
// may not overlap.
template <class T>
void transpose(const T* from, ptrdiff_t from_stride, T* to, ptrdiff_t to_stride, size_t rows, size_t columns) {
  static_assert(detail::movable<T>, "transpose: elements of 1, 2, 4, 8 or 16 bytes, trivially copyable");
  constexpr int size = sizeof(T);
  const detail::Matrices m{reinterpret_cast<const std::byte*>(from), from_stride * size,
                           reinterpret_cast<std::byte*>(to), to_stride * size};
  constexpr int tile = detail::Moved<size>::tile, whole_lines = detail::Moved<size>::whole_lines;
  if constexpr (whole_lines != tile)
    if (rows >= whole_lines && columns >= whole_lines && (m.from_stride % 512 == 0 || m.to_stride % 512 == 0))
      return detail::by_tiles<size, whole_lines>(m, rows, columns);
  if (rows > 4 && columns > 4 && rows * columns <= 64 * 64 &&
      detail::by_fitting_few_tiles<size, tile>(m, rows, columns))
    return;
  if constexpr (size <= 8)
    if (detail::as_fields<2, size>(m, rows, columns) || detail::as_fields<3, size>(m, rows, columns) ||
        detail::as_fields<4, size>(m, rows, columns))
      return;
  detail::by_fitting_tiles<size, tile>(m, rows, columns);
}

// p[c * stride + r] <-> p[r * stride + c] for all r, c < n: pairs of tiles swap places in registers.
template <class T> void transpose_in_place(T* p, ptrdiff_t stride, size_t n) {
  static_assert(detail::movable<T>, "transpose_in_place: elements of 1, 2, 4, 8 or 16 bytes, trivially copyable");
  constexpr int size = sizeof(T), B = detail::Moved<size>::tile;
  const size_t whole = n / B * B;
  const auto place = [&](size_t r, size_t c) {
    return reinterpret_cast<std::byte*>(p + ptrdiff_t(r) * stride + ptrdiff_t(c));
  };
  for (size_t r = 0; r < whole; r += B)
    for (size_t c = 0; c <= r; c += B) {
      const auto below = detail::load_tile<size, B>(place(r, c), stride * size);
      if (c < r)
        detail::store_tile<size, B>(detail::load_tile<size, B>(place(c, r), stride * size), place(r, c), stride * size);
      detail::store_tile<size, B>(below, place(c, r), stride * size);
    }
  for (size_t r = whole; r < n; ++r)
    for (size_t c = 0; c < r; ++c)
      std::swap(p[ptrdiff_t(r) * stride + ptrdiff_t(c)], p[ptrdiff_t(c) * stride + ptrdiff_t(r)]);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
