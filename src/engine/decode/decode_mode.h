// Owns DecodeMode: the bits of a wave's state that change what its instructions mean. Code is decoded once for each
// combination that occurs, so that no handler asks about them: VGPR indexing, VSKIP, FP16_OVFL and privilege cost
// nothing where they are off. Whatever may change them looks its next instruction up again (engine/scalar/flow.h).
#pragma once
#include "isa/target.h"
#include "machine/wave.h"

namespace crosslane::engine {

// MODE (hwreg 1) and STATUS (hwreg 2). Source: Vega and GCN3 ISA manuals, "Mode register", "Status registers".
namespace mode_bit {
inline constexpr uint32_t debug = 1u << 11, excp_en = 0x1ffu << 12, fp16_ovfl = 1u << 23, gpr_idx_en = 1u << 27,
                          vskip = 1u << 28;
inline constexpr int csp_shift = 29;
} // namespace mode_bit
namespace status_bit {
inline constexpr uint32_t scc = 1u << 0, spi_prio = 3u << 1, wave_prio = 3u << 3, priv = 1u << 5, trap_en = 1u << 6,
                          execz = 1u << 9, vccz = 1u << 10, in_tg = 1u << 11, halt = 1u << 13, valid = 1u << 16,
                          cond_dbg_user = 1u << 20, cond_dbg_sys = 1u << 21;
} // namespace status_bit

struct DecodeMode {
  static constexpr uint8_t index_fields = 0x0f, index_on = 0x10, vskip = 0x20, fp16_ovfl = 0x40, privileged = 0x80;
  uint8_t bits = 0;

  bool has(uint8_t bit) const { return (bits & bit) != 0; }
  void set(uint8_t bit, bool on) { bits = uint8_t(on ? bits | bit : bits & ~bit); }
  // Operands that VGPR indexing applies to: bit 0 src0, 1 src1, 2 src2, 3 dst.
  uint8_t gpr_idx() const { return has(index_on) ? bits & index_fields : 0; }
  void set_gpr_idx(bool on, uint32_t fields) {
    bits &= uint8_t(~(index_on | index_fields));
    if (on)
      bits |= uint8_t(index_on | (fields & index_fields));
  }
};

// The bits that MODE has depend on the generation: VGPR indexing came with gfx8, FP16_OVFL with gfx9.
inline DecodeMode decode_mode(const machine::Wave& w, isa::Generation generation) {
  DecodeMode mode;
  if (generation >= isa::Generation::gfx8)
    mode.set_gpr_idx((w.mode & mode_bit::gpr_idx_en) != 0, w.s[124] >> 12);
  mode.set(DecodeMode::vskip, (w.mode & mode_bit::vskip) != 0);
  mode.set(DecodeMode::fp16_ovfl, generation >= isa::Generation::gfx9 && (w.mode & mode_bit::fp16_ovfl) != 0);
  mode.set(DecodeMode::privileged, (w.status & status_bit::priv) != 0);
  return mode;
}

} // namespace crosslane::engine
