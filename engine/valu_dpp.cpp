// DPP: source 0 comes from another lane. The source is permuted into a temporary and EXEC is narrowed to the lanes that may
// write; the arithmetic then runs as usual, and EXEC is restored.
// Source: GCN3 ISA manual, "DPP"; GPUOpen, "AMD GCN Assembly: Cross-Lane Operations".
#include "engine/valu.h"
#include "engine/valu_stage.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

// Where lane i reads from under DPP_CTRL; -1: no such lane.
int source_lane(uint32_t ctrl, int i) {
  const int row = i & ~15, in_row = i & 15, n = int(ctrl & 15);
  if (ctrl <= 0xff) return (i & ~3) | int(ctrl >> (2 * (i & 3)) & 3);     // quad_perm
  switch (ctrl & 0x1f0) {
  case 0x100: return in_row + n < 16 ? i + n : -1;                        // row_shl: towards lane 0
  case 0x110: return in_row - n >= 0 ? i - n : -1;                        // row_shr
  case 0x120: return row | ((in_row - n) & 15);                           // row_ror
  }
  switch (ctrl) {
  case 0x130: return i + 1 < 64 ? i + 1 : -1;                             // wave_shl:1
  case 0x134: return (i + 1) & 63;                                        // wave_rol:1
  case 0x138: return i - 1;                                               // wave_shr:1
  case 0x13c: return (i - 1) & 63;                                        // wave_ror:1
  case 0x140: return row | (15 - in_row);                                 // row_mirror
  case 0x141: return (i & ~7) | (7 - (i & 7));                            // row_half_mirror
  case 0x142: return row ? row - 1 : -1;                                  // row_bcast:15
  case 0x143: return i >= 32 ? 31 : -1;                                   // row_bcast:31
  }
  return -1;
}

// For each DPP_CTRL: 64 source lanes (0 where there is none), and the lanes that have one.
struct Pattern {
  uint8_t from[64];
  uint64_t valid;
  bool row_local;  // every lane reads within its row, all rows alike
};
struct Patterns {
  Pattern of[512];
  Patterns() {
    for (uint32_t ctrl = 0; ctrl < 512; ++ctrl) {
      Pattern& p = of[ctrl];
      p.valid = 0, p.row_local = true;
      for (int i = 0; i < 64; ++i) {
        const int from = source_lane(ctrl, i);
        p.from[i] = uint8_t(from < 0 ? i : from);
        if (from >= 0) p.valid |= uint64_t(1) << i;
        if ((p.from[i] & ~15) != (i & ~15) || (p.from[i] & 15) != (p.from[i & 15] & 15)) p.row_local = false;
      }
    }
  }
};
const Patterns& patterns() {
  static const Patterns all;
  return all;
}

uint64_t gather_bits(uint64_t bits, const uint8_t* from) {
  uint64_t out = 0;
  for (int i = 0; i < 64; ++i) out |= (bits >> from[i] & 1) << i;
  return out;
}

// k0: lanes that row_mask and bank_mask let write. imm: BOUND_CTRL. target: the Pattern.
CROSSLANE_INLINE void narrow(const Uop* op, Wave* w, uint64_t readable) {
  const uint64_t exec = w->exec();
  w->set_pair(machine::scalar_tmp + 30, exec);
  w->set_pair(126, exec & op->k0 & (op->imm ? ~uint64_t(0) : readable));
}

CROSSLANE_CC void dpp_any(const Uop* op, Wave* w) {
  const auto& p = *reinterpret_cast<const Pattern*>(op->target);
  const uint64_t readable = gather_bits(w->exec(), p.from) & p.valid;
  const auto* from = reinterpret_cast<const uint32_t*>(at(w, op->a));
  uint32_t result[64];
  for (int i = 0; i < 64; ++i) result[i] = readable >> i & 1 ? from[p.from[i]] : 0;
  std::memcpy(at(w, op->dst), result, sizeof result);
  narrow(op, w, readable);
  CROSSLANE_NEXT(op, w);
}

#ifdef __AVX512F__
CROSSLANE_CC void dpp_row(const Uop* op, Wave* w) {
  const auto& p = *reinterpret_cast<const Pattern*>(op->target);
  const __m512i index = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p.from)));
  uint64_t readable = 0;
  for (int r = 0; r < machine::rows_per_wave; ++r) {
    const __mmask16 active = exec_row(w, r).bits;
    // EXEC itself goes through the same permute.
    const __m512i lanes_on = _mm512_permutexvar_epi32(index, _mm512_maskz_set1_epi32(active, -1));
    const __mmask16 ok = _mm512_movepi32_mask(lanes_on) & __mmask16(p.valid);
    const __m512i v = _mm512_loadu_si512(at(w, op->a) + r * 64);
    _mm512_storeu_si512(at(w, op->dst) + r * 64, _mm512_maskz_permutexvar_epi32(ok, index, v));
    readable |= uint64_t(ok) << (16 * r);
  }
  narrow(op, w, readable);
  CROSSLANE_NEXT(op, w);
}
#endif

CROSSLANE_CC void dpp_end(const Uop* op, Wave* w) {
  w->set_pair(126, w->pair(machine::scalar_tmp + 30));
  CROSSLANE_NEXT(op, w);
}

}  // namespace

void stage_dpp(Lowering& l, uint32_t from, uint32_t tmp) {
  const Pattern& p = patterns().of[l.inst.dpp_ctrl & 511];
  Handler handler = dpp_any;
#ifdef __AVX512F__
  if (p.row_local) handler = dpp_row;
#endif
  uint64_t writable = 0;
  for (int i = 0; i < 64; ++i)
    if ((l.inst.row_mask >> (i / 16) & 1) && (l.inst.bank_mask >> (i / 4 % 4) & 1)) writable |= uint64_t(1) << i;
  Uop& op = l.emit(handler);
  op.a = from, op.dst = tmp, op.k0 = writable, op.imm = l.inst.bound_ctrl;
  op.target = reinterpret_cast<const Uop*>(&p);
}
void finish_dpp(Lowering& l) { l.emit(dpp_end); }

CROSSLANE_LEVEL_END
}  // namespace crosslane::engine
