// Owns Step: one host instruction that moves data, and what it computes. The same function runs on bytes (so that any
// plan can be executed anywhere) and on the names of bytes (so that the planner can see whether a step gives what is
// wanted). Registers are 64 bytes; an instruction of 16 or 32 bytes makes the rest zero, as VEX and EVEX encodings do.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
#pragma once
#include "lanes/level.h"
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {

enum class Op : uint8_t {
  zero, // vpxor
  move, // vmovdqa: the low `bytes`
  // within 128 bits, one source
  shuffle_bytes,      // vpshufb: index, bit 7 makes zero
  shuffle_dwords,     // vpshufd: imm
  shuffle_qwords,     // vpermilpd: imm, one bit an element
  shuffle_low_words,  // vpshuflw: imm
  shuffle_high_words, // vpshufhw: imm
  duplicate_even,     // vmovsldup, vmovddup
  duplicate_odd,      // vmovshdup
  shift_bytes_left,   // vpslldq: imm
  shift_bytes_right,  // vpsrldq: imm
  // within an element
  shift_left,   // vpsllw/d/q: imm in bits, of whole bytes here
  shift_right,  // vpsrlw/d/q
  rotate_left,  // vprold/q
  shift_double, // vpshldw/d/q: the upper part of a:b shifted left
  // within 128 bits, two sources
  unpack_low,  // vpunpckl*
  unpack_high, // vpunpckh*
  shuffle_two, // vshufps, vshufpd: imm
  align_bytes, // vpalignr: imm; b is the low half
  pack,        // vpackuswb/dw: elements of b after those of a, each lane; saturates, so the upper halves must be zero
  // across 128 bits, one source
  permute_imm, // vpermq: imm, within 256 bits
  permute,     // vpermb/w/d/q: index
  broadcast,   // vpbroadcastb/w/d/q: element 0
  extend,      // vpmovzx*: imm = how many times as wide; element is that of the result
  truncate,    // vpmov*: imm = how many times narrower; element is that of the result, bytes those of the source
  compress,    // vpcompress*: the elements of `mask`, zeros after them
  expand,      // vpexpand*: into the elements of `mask`
  extract,     // vextracti*: part imm of `bytes` each
  // across 128 bits, two sources
  permute_halves, // vperm2i128: imm
  shuffle_lanes,  // vshufi64x2: imm
  insert,         // vinserti*: the low part of b (16 or 32 bytes: imm >> 4) as part imm & 15 of a
  align,          // valignd/q: imm; b is the low half
  permute_two,    // vpermt2b/w/d/q: index
  // selection
  blend_imm,   // vpblendw (same for each 128 bits), vpblendd: imm, set takes b
  blend_bytes, // vpblendvb: index 0x80 takes b
  blend_mask,  // vpblendmb/w/d/q: set in `mask` takes b
  keep,        // vpand with a constant: index 0xff keeps, 0 makes zero
  either,      // vpor
};
inline constexpr int op_count = int(Op::either) + 1;

constexpr uint64_t bits_of(std::initializer_list<Op> ops) {
  uint64_t set = 0;
  for (const Op op : ops)
    set |= uint64_t(1) << int(op);
  return set;
}

// Whether the instruction has an immediate, which is Step::imm (of `insert` a part of it).
constexpr bool has_immediate(Op op) {
  using enum Op;
  switch (op) {
  case shuffle_dwords:
  case shuffle_qwords:
  case shuffle_low_words:
  case shuffle_high_words:
  case shift_bytes_left:
  case shift_bytes_right:
  case shift_left:
  case shift_right:
  case rotate_left:
  case shift_double:
  case shuffle_two:
  case align_bytes:
  case permute_imm:
  case extract:
  case permute_halves:
  case shuffle_lanes:
  case insert:
  case align:
  case blend_imm: return true;
  default: return false;
  }
}

inline constexpr int8_t no_value = -1;

struct Step {
  Op op = Op::zero;
  uint8_t bytes = 64;                // width of the instruction: 16, 32, 64
  uint8_t element = 4;               // bytes of an element: for the index, the mask, and the mnemonic
  int8_t a = no_value, b = no_value; // values: inputs of the plan first, then its steps
  uint8_t imm = 0;
  bool masked = false; // AVX-512: elements whose bit is not set in `mask` come from `merge`, or are zero without one
  int8_t merge = no_value;
  uint64_t mask = 0;
  uint8_t index[64]{}; // one number an element
};

using Bytes = std::array<uint8_t, 64>;

// What vpackus makes of an element that does not fit, by its highest byte.
constexpr uint8_t saturated(uint8_t top) { return top & 0x80 ? 0 : 0xff; }

constexpr int result_bytes(const Step& s) { return s.op == Op::truncate ? s.bytes / s.imm : s.bytes; }

// Where a byte of a step's result comes from: byte `byte` of operand 0 (a), 1 (b) or 2 (merge); -1: it is zero.
struct From {
  int operand, byte;
};

// Of byte i, before any mask. Two steps are not described by it alone: `pack` saturates, and `either` has two sources.
// Constant expressions spend their time here, so it calls nothing.
constexpr From unmasked_source(const Step& s, int i) {
  using enum Op;
  constexpr From none{-1, 0};
  const int n = s.bytes, k = s.imm;
  if (i >= n || (s.op == truncate && i >= n / k))
    return none;
  // Element x, byte c of it; g is the first byte of its 128 bits.
  const int e = s.element, x = i / e, c = i - x * e, g = i & ~15;
  switch (s.op) {
  case zero: return none;
  case move:
  case either: return {0, i};
  case shuffle_bytes: return s.index[i] & 0x80 ? none : From{0, g + s.index[i] % 16};
  case shuffle_dwords: return {0, g + (k >> i / 4 % 4 * 2 & 3) * 4 + i % 4};
  case shuffle_qwords: return {0, g + (k >> i / 8 & 1) * 8 + i % 8};
  case shuffle_low_words: return {0, i & 8 ? i : g + (k >> i / 2 % 4 * 2 & 3) * 2 + i % 2};
  case shuffle_high_words: return {0, i & 8 ? g + 8 + (k >> i / 2 % 4 * 2 & 3) * 2 + i % 2 : i};
  case duplicate_even: return {0, i & ~e};
  case duplicate_odd: return {0, i | e};
  case shift_bytes_left: return i - g >= k ? From{0, i - k} : none;
  case shift_bytes_right: return i - g + k < 16 ? From{0, i + k} : none;
  case shift_left: return c >= k / 8 ? From{0, i - k / 8} : none;
  case shift_right: return c + k / 8 < e ? From{0, i + k / 8} : none;
  case rotate_left: return {0, i - c + (c + e - k / 8 % e) % e}; // counts wrap
  case shift_double: {
    const int by = k / 8 % e; // counts wrap
    return c >= by ? From{0, i - by} : From{1, i + e - by};
  }
  case unpack_low: return {x % 2, g + (i - g) / (2 * e) * e + c};
  case unpack_high: return {x % 2, g + 8 + (i - g) / (2 * e) * e + c};
  case shuffle_two:
    return e == 4 ? From{x / 2 % 2, g + (k >> x % 4 * 2 & 3) * 4 + c} : From{x % 2, g + (k >> x & 1) * 8 + c};
  case align_bytes: {
    const int from = i - g + k;
    return from < 16 ? From{1, g + from} : from < 32 ? From{0, g + from - 16} : none;
  }
  case pack: return {i - g >= 8, g + (i - c) % 8 * 2 + c};
  case permute_imm: return {0, (i & ~31) + (k >> i / 8 % 4 * 2 & 3) * 8 + i % 8};
  case permute: return {0, s.index[x] % (n / e) * e + c};
  case broadcast: return {0, c};
  case extend: return c < e / k ? From{0, x * (e / k) + c} : none;
  case truncate: return {0, x * k * e + c};
  case compress: { // the x-th set bit
    uint64_t left = s.mask;
    for (int skip = 0; skip < x && left; ++skip)
      left &= left - 1;
    const int from = std::countr_zero(left);
    return from < n / e ? From{0, from * e + c} : none;
  }
  case expand: return s.mask >> x & 1 ? From{0, std::popcount(s.mask & ((uint64_t(1) << x) - 1)) * e + c} : none;
  case extract: return {0, k % (64 / n) * n + i};
  case permute_halves: {
    const int half = k >> (i < 16 ? 0 : 4);
    return half & 8 ? none : From{half >> 1 & 1, (half & 1) * 16 + i % 16};
  }
  case shuffle_lanes: {
    const int lane = i / 16, lanes = n / 16;
    return {lane >= lanes / 2, (lanes == 4 ? k >> 2 * lane & 3 : k >> lane & 1) * 16 + i % 16};
  }
  case insert: {
    const int part = k & 0xf0, at = (k & 15) * part;
    return i >= at && i < at + part ? From{1, i - at} : From{0, i};
  }
  case align: {
    const int from = i + k % (n / e) * e;
    return from < n ? From{1, from} : From{0, from - n};
  }
  case permute_two: {
    const int from = s.index[x] % (2 * n / e) * e + c;
    return from < n ? From{0, from} : From{1, from - n};
  }
  case blend_imm: return {k >> (e == 2 ? x % 8 : x) & 1, i};
  case blend_bytes: return {s.index[i] >> 7, i};
  case blend_mask: return {int(s.mask >> x & 1), i};
  case keep: return s.index[i] ? From{0, i} : none;
  }
  return none;
}

constexpr From source(const Step& s, int i) {
  if (s.masked && i < result_bytes(s) && !(s.mask >> (i / s.element) & 1))
    return s.merge == no_value ? From{-1, 0} : From{2, i};
  return unmasked_source(s, i);
}

// What a step gives.
constexpr Bytes execute(const Step& s, const Bytes& a, const Bytes& b, const Bytes& merge) {
  Bytes r{};
  for (int i = 0; i < 64; ++i) {
    const From f = source(s, i);
    if (f.operand >= 0)
      r[i] = (f.operand == 0 ? a : f.operand == 1 ? b : merge)[f.byte];
    if (s.op == Op::either && f.operand == 0)
      r[i] = a[i] | b[i];
    if (s.op != Op::pack || f.operand < 0 || f.operand == 2)
      continue;
    const Bytes& x = f.operand ? b : a;
    const int e = s.element, upper = f.byte / e * e + e; // the half that should be zero
    bool fits = true;
    for (int c = 0; c < e; ++c)
      fits &= x[upper + c] == 0;
    if (!fits)
      r[i] = saturated(x[upper + e - 1]);
  }
  return r;
}

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
