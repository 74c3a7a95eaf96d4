// Owns the shape of an instruction row. Each instruction is ONE row in isa/rows/<encoding>.inc; decoder, printer,
// interpreter, lint and docs read the rows, and nothing else knows an opcode number or a mnemonic.
//
// A row file is a list of macro calls, one per instruction, e.g. (isa/rows/vop2.inc)
//
//   //   mnemonic        opcodes                      dst   src0  src1   implicit           timing
//   VOP2(v_add_f32,      op(.gfx6=0x03, .gfx8=0x01),  F32,  F32,  F32,   none,              quarter)
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

enum class Encoding : uint8_t {
  SOP1, SOP2, SOPK, SOPC, SOPP, SMEM, VOP1, VOP2, VOPC, VOP3, VOP3P, VINTRP, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG, EXP
};

// Opcodes per generation, before inheritance.
inline constexpr int16_t inherit = -2;
inline constexpr int16_t absent = -1;
struct Opcodes {
  int16_t gfx6 = inherit, gfx7 = inherit, gfx8 = inherit, gfx9 = inherit, gfx908 = inherit, gfx90a = inherit;
  constexpr int of(Generation g) const {
    const int16_t columns[generation_count] = {gfx6, gfx7, gfx8, gfx9, gfx908, gfx90a};
    for (int i = static_cast<int>(g); i >= 0; --i)
      if (columns[i] != inherit) return columns[i];
    return absent;
  }
};

// Registers an instruction touches without naming them.
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
};
constexpr Implicit operator|(Implicit a, Implicit b) { return Implicit(uint32_t(a) | uint32_t(b)); }
constexpr bool has(Implicit set, Implicit bit) { return (uint32_t(set) & uint32_t(bit)) != 0; }

}  // namespace crosslane::isa
