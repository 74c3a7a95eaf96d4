// Owns the shape of an instruction row. Each instruction is ONE row in isa/rows/<encoding>.inc; decoder, printer,
// interpreter, lint and docs read the rows, and nothing else knows an opcode number or a mnemonic.
//
// A row file is a list of macro calls, one per instruction, e.g. (isa/rows/vop2.inc)
//
//   //   mnemonic        opcodes                      dst   src0  src1   implicit           timing
//   VOP2(v_add_f32,      op(.gfx6=0x03, .gfx8=0x01),  F32,  F32,  F32,   none,              valu)
//
// so that a reader defines the macro it wants and includes the file. A generation that is not named inherits the one
// before; absent (-1) removes it. VOP3, DPP and SDWA forms are rules of the encoding, never extra rows.
#pragma once
#include "isa/target.h"
#include "isa/types.h"
#include <array>
#include <cstdint>
#include <string_view>

namespace crosslane::isa {

// clang-format off
enum class Encoding : uint8_t {
  SOP1, SOP2, SOPK, SOPC, SOPP, SMEM, VOP1, VOP2, VOPC, VOP3, VOP3P, VINTRP, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG, EXP
};
// clang-format on

// Opcodes per generation, before inheritance.
inline constexpr int16_t inherit = -2;
inline constexpr int16_t absent = -1;
struct Opcodes {
  int16_t gfx6 = inherit, gfx7 = inherit, gfx8 = inherit, gfx9 = inherit, gfx904 = inherit, gfx906 = inherit,
          gfx908 = inherit, gfx90a = inherit;
  constexpr int of(Generation g) const {
    const int16_t columns[generation_count] = {gfx6, gfx7, gfx8, gfx9, gfx904, gfx906, gfx908, gfx90a};
    for (int i = static_cast<int>(g); i >= 0; --i)
      if (columns[i] != inherit)
        return columns[i];
    return absent;
  }
};

// Registers an instruction touches without naming them. Left out because the encoding says it: EXEC is read by every
// vector and vector memory instruction (here only where it matters beyond masking), MODE by every instruction with a
// floating type, M0 by DS instructions that reach LDS up to gfx8 (isa::implicit() adds that one).
// clang-format off
enum class Implicit : uint32_t {
  none = 0,
  scc_r = 1u << 0, scc_w = 1u << 1,
  vcc_r = 1u << 2, vcc_w = 1u << 3,
  exec_r = 1u << 4, exec_w = 1u << 5,
  m0_r = 1u << 6, m0_w = 1u << 7,
  mode_r = 1u << 8, mode_w = 1u << 9,
  flat_scratch_r = 1u << 10,
  dst_r = 1u << 11,          // reads its destination (v_mac, v_writelane, d16_hi loads, s_cmov ...)
  branch = 1u << 12, ends = 1u << 13, barrier = 1u << 14,
  src_rel = 1u << 15, dst_rel = 1u << 16,    // M0 is added to the number of the source's, the destination's register
  stack_r = 1u << 17, stack_w = 1u << 18,    // four SGPRs, and MODE.CSP, which counts them
  status_r = 1u << 19, status_w = 1u << 20, trapsts_w = 1u << 21, // hardware registers
  dst_hi = 1u << 22,         // with dst_r: writes the high half of its destination and keeps the low one
  ttmp_w = 1u << 23,         // TTMP0 and 1, for the trap handler, if there is one
};
// What a memory instruction does with memory. Atomics that return the old value are separate rows only where the
// encoding has separate opcodes (DS *_rtn_*); elsewhere the GLC bit decides.
enum class Access : uint8_t {
  none, load, load_d16, load_d16_hi, store, store_d16_hi,
  load_format, store_format, load_format_d16, store_format_d16, load_format_d16_hi, store_format_d16_hi,
  atomic_swap, atomic_cmpswap, atomic_add, atomic_sub, atomic_rsub, atomic_smin, atomic_umin, atomic_smax, atomic_umax,
  atomic_and, atomic_or, atomic_xor, atomic_inc, atomic_dec, atomic_fadd, atomic_fmin, atomic_fmax, atomic_fcmpswap,
  atomic_pk_add_f16, atomic_mskor,
  load2, load2_st64, store2, store2_st64, swap2, swap2_st64,   // DS two-address forms
  lds_add_tid_load, lds_add_tid_store,
  permute, bpermute, swizzle,                                  // DS cross-lane, no memory
  wrap, condxchg, append, consume, ordered_count, gws,
  load_to_lds, store_from_lds,                                 // buffer_load ... lds, buffer_store_lds_dword
  cache, time, probe, nop,                                     // s_dcache_*, buffer_wbinvl1, s_memtime, s_atc_probe, ds_nop
};

// How long it occupies its unit on GCN; the numbers are the timing layer's. quarter_rate etc. are per 64 lanes.
enum class Timing : uint8_t {
  salu, smem, branch, message, valu, valu_half, valu_quarter, valu_sixteenth, valu_f64, valu_f64_mul, valu_f64_trans,
  lds, vmem, export_, none,
};
// clang-format on

constexpr Implicit operator|(Implicit a, Implicit b) { return Implicit(uint32_t(a) | uint32_t(b)); }
constexpr bool has(Implicit set, Implicit bit) { return (uint32_t(set) & uint32_t(bit)) != 0; }

} // namespace crosslane::isa
