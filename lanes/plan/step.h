// Owns Step: one host instruction that moves data, and what it computes. The same function runs on bytes (so that any plan can
// be executed anywhere) and on the names of bytes (so that the planner can see whether a step gives what is wanted).
// Registers are 64 bytes; an instruction of 16 or 32 bytes makes the rest zero, as VEX and EVEX encodings do.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.
#pragma once
#include "lanes/level.h"
#include <array>
#include <cstdint>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

enum class Op : uint8_t {
  zero,               // vpxor
  move,               // vmovdqa: the low `bytes`
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
  shift_left,         // vpsllw/d/q: imm in bits, of whole bytes here
  shift_right,        // vpsrlw/d/q
  rotate_left,        // vprold/q
  shift_double,       // vpshldw/d/q: the upper part of a:b shifted left
  // within 128 bits, two sources
  unpack_low,         // vpunpckl*
  unpack_high,        // vpunpckh*
  shuffle_two,        // vshufps, vshufpd: imm
  align_bytes,        // vpalignr: imm; b is the low half
  pack,               // vpackuswb/dw: elements of b after those of a, each lane; saturates, so the upper halves must be zero
  // across 128 bits, one source
  permute_imm,        // vpermq: imm, within 256 bits
  permute,            // vpermb/w/d/q: index
  broadcast,          // vpbroadcastb/w/d/q: element 0
  extend,             // vpmovzx*: imm = how many times as wide; element is that of the result
  truncate,           // vpmov*: imm = how many times narrower; element is that of the result, bytes those of the source
  compress,           // vpcompress*: the elements of `mask`, zeros after them
  expand,             // vpexpand*: into the elements of `mask`
  extract,            // vextracti*: part imm of `bytes` each
  // across 128 bits, two sources
  permute_halves,     // vperm2i128: imm
  shuffle_lanes,      // vshufi64x2: imm
  insert,             // vinserti*: the low part of b (16 or 32 bytes: imm >> 4) as part imm & 15 of a
  align,              // valignd/q: imm; b is the low half
  permute_two,        // vpermt2b/w/d/q: index
  // selection
  blend_imm,          // vpblendw (same for each 128 bits), vpblendd: imm, set takes b
  blend_bytes,        // vpblendvb: index 0x80 takes b
  blend_mask,         // vpblendmb/w/d/q: set in `mask` takes b
  keep,               // vpand with a constant: index 0xff keeps, 0 makes zero
  either,             // vpor
};
inline constexpr int op_count = int(Op::either) + 1;

inline constexpr int8_t no_value = -1;

struct Step {
  Op op = Op::zero;
  uint8_t bytes = 64;     // width of the instruction: 16, 32, 64
  uint8_t element = 4;    // bytes of an element: for the index, the mask, and the mnemonic
  int8_t a = no_value, b = no_value; // values: inputs of the plan first, then its steps
  uint8_t imm = 0;
  bool masked = false;    // AVX-512: elements whose bit is not set in `mask` come from `merge`, or are zero without one
  int8_t merge = no_value;
  uint64_t mask = 0;
  std::array<uint8_t, 64> index{}; // one number an element
};

template <class Byte> using Bytes = std::array<Byte, 64>;

// What vpackus makes of an element that does not fit, by its highest byte.
constexpr uint8_t saturated(uint8_t top) { return top & 0x80 ? 0 : 0xff; }

constexpr int result_bytes(const Step& s) { return s.op == Op::truncate ? s.bytes / s.imm : s.bytes; }

// What a step gives. Byte is uint8_t, or the planner's name of a byte; Byte() must be that of a zero byte.
template <class Byte>
constexpr Bytes<Byte> execute(const Step& s, const Bytes<Byte>& a, const Bytes<Byte>& b, const Bytes<Byte>& merge) {
  using enum Op;
  Bytes<Byte> r{};
  const int n = s.bytes, e = s.element, k = s.imm;
  // Element i of the result is element `from` of x.
  const auto copy = [&](int size, int i, const Bytes<Byte>& x, int from) {
    for (int c = 0; c < size; ++c) r[i * size + c] = x[from * size + c];
  };
  const auto put = [&](int i, const Bytes<Byte>& x, int from) { copy(e, i, x, from); };
  const auto lane_of = [](int i, int per) { return i / per * per; };
  switch (s.op) {
  case zero: break;
  case move:
    for (int i = 0; i < n; ++i) r[i] = a[i];
    break;
  case shuffle_bytes:
    for (int i = 0; i < n; ++i)
      if (!(s.index[i] & 0x80)) r[i] = a[lane_of(i, 16) + s.index[i] % 16];
    break;
  case shuffle_dwords:
    for (int i = 0; i < n / 4; ++i) copy(4, i, a, lane_of(i, 4) + (k >> 2 * (i % 4) & 3));
    break;
  case shuffle_qwords:
    for (int i = 0; i < n / 8; ++i) copy(8, i, a, lane_of(i, 2) + (k >> i & 1));
    break;
  case shuffle_low_words:
  case shuffle_high_words:
    for (int i = 0; i < n / 2; ++i) {
      const bool moved = (i % 8 < 4) == (s.op == shuffle_low_words);
      copy(2, i, a, moved ? lane_of(i, 4) + (k >> 2 * (i % 4) & 3) : i);
    }
    break;
  case duplicate_even:
    for (int i = 0; i < n / e; ++i) put(i, a, i & ~1);
    break;
  case duplicate_odd:
    for (int i = 0; i < n / e; ++i) put(i, a, i | 1);
    break;
  case shift_bytes_left:
    for (int i = 0; i < n; ++i)
      if (i % 16 >= k) r[i] = a[i - k];
    break;
  case shift_bytes_right:
    for (int i = 0; i < n; ++i)
      if (i % 16 + k < 16) r[i] = a[i + k];
    break;
  case shift_left:
    for (int i = 0; i < n; ++i)
      if (i % e >= k / 8) r[i] = a[i - k / 8];
    break;
  case shift_right:
    for (int i = 0; i < n; ++i)
      if (i % e + k / 8 < e) r[i] = a[i + k / 8];
    break;
  case rotate_left:
    for (int i = 0; i < n; ++i) r[i] = a[lane_of(i, e) + (i + e - k / 8 % e) % e];
    break;
  case shift_double:
    for (int i = 0, by = k / 8 % e; i < n; ++i) r[i] = i % e >= by ? a[i - by] : b[i + e - by];
    break;
  case unpack_low:
  case unpack_high:
    for (int i = 0; i < n / e; ++i) {
      const int per = 16 / e;
      put(i, i % 2 ? b : a, lane_of(i, per) + i % per / 2 + (s.op == unpack_high ? per / 2 : 0));
    }
    break;
  case shuffle_two:
    for (int i = 0; i < n / e; ++i)
      if (e == 4)
        put(i, i % 4 < 2 ? a : b, lane_of(i, 4) + (k >> 2 * (i % 4) & 3));
      else
        put(i, i % 2 ? b : a, lane_of(i, 2) + (k >> i & 1));
    break;
  case align_bytes:
    for (int i = 0; i < n; ++i) {
      const int from = i % 16 + k;
      if (from < 32) r[i] = from < 16 ? b[lane_of(i, 16) + from] : a[lane_of(i, 16) + from - 16];
    }
    break;
  case pack:
    for (int i = 0; i < n / e; ++i) {
      const int per = 16 / e, in = i % per, from = lane_of(i, per) + in % (per / 2) * 2;
      const Bytes<Byte>& x = in < per / 2 ? a : b;
      bool fits = true;
      for (int c = 0; c < e; ++c) fits &= x[(from + 1) * e + c] == Byte();
      put(i, x, from);
      for (int c = 0; c < e && !fits; ++c) r[i * e + c] = saturated(x[(from + 2) * e - 1]);
    }
    break;
  case permute_imm:
    for (int i = 0; i < n / 8; ++i) copy(8, i, a, lane_of(i, 4) + (k >> 2 * (i % 4) & 3));
    break;
  case permute:
    for (int i = 0; i < n / e; ++i) put(i, a, s.index[i] % (n / e));
    break;
  case broadcast:
    for (int i = 0; i < n / e; ++i) put(i, a, 0);
    break;
  case extend:
    for (int i = 0; i < n; ++i)
      if (i % e < e / k) r[i] = a[i / e * (e / k) + i % e];
    break;
  case truncate:
    for (int i = 0; i < n / e / k; ++i) put(i, a, i * k);
    break;
  case compress:
    for (int i = 0, out = 0; i < n / e; ++i)
      if (s.mask >> i & 1) put(out++, a, i);
    return r;
  case expand:
    for (int i = 0, in = 0; i < n / e; ++i)
      if (s.mask >> i & 1) put(i, a, in++);
    return r;
  case extract:
    for (int i = 0; i < n; ++i) r[i] = a[k % (64 / n) * n + i];
    break;
  case permute_halves:
    for (int i = 0; i < n; ++i) {
      const int half = k >> (i < 16 ? 0 : 4);
      if (!(half & 8)) r[i] = (half & 2 ? b : a)[(half & 1) * 16 + i % 16];
    }
    break;
  case shuffle_lanes:
    for (int i = 0; i < n; ++i) {
      const int lane = i / 16, lanes = n / 16, bits = lanes == 4 ? 2 : 1;
      const int from = k >> (bits * lane) & (lanes - 1);
      r[i] = (lane < lanes / 2 ? a : b)[from * 16 + i % 16];
    }
    break;
  case insert: {
    const int part = k >> 4 << 4, at = (k & 15) * part;
    for (int i = 0; i < n; ++i) r[i] = i >= at && i < at + part ? b[i - at] : a[i];
    break;
  }
  case align:
    for (int i = 0; i < n / e; ++i) {
      const int from = i + k % (n / e);
      put(i, from < n / e ? b : a, from % (n / e));
    }
    break;
  case permute_two:
    for (int i = 0; i < n / e; ++i) {
      const int from = s.index[i] % (2 * n / e);
      put(i, from < n / e ? a : b, from % (n / e));
    }
    break;
  case blend_imm:
    for (int i = 0; i < n / e; ++i) put(i, k >> (e == 2 ? i % 8 : i) & 1 ? b : a, i);
    break;
  case blend_bytes:
    for (int i = 0; i < n; ++i) r[i] = s.index[i] & 0x80 ? b[i] : a[i];
    break;
  case blend_mask:
    for (int i = 0; i < n / e; ++i) put(i, s.mask >> i & 1 ? b : a, i);
    return r;
  case keep:
    for (int i = 0; i < n; ++i)
      if (s.index[i]) r[i] = a[i];
    break;
  case either:
    for (int i = 0; i < n; ++i) r[i] = a[i] | b[i];
    break;
  }
  if (s.masked)
    for (int i = 0; i < result_bytes(s); ++i)
      if (!(s.mask >> (i / e) & 1)) r[i] = s.merge == no_value ? Byte() : merge[i];
  return r;
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
