// Owns Instruction: one decoded GCN instruction, plain data. Every reader (printer, interpreter, lint, timing, rewrite)
// starts from it. Register numbers are the encoding's own 9-bit source codes, so nothing is lost:
//   0..101 SGPR, 102/103 flat_scratch, 104/105 xnack_mask (before gfx8: 0..103 SGPR, 104/105 flat_scratch of gfx7),
//   106/107 vcc, 108..123 trap temporaries (tba/tma on gfx8 and earlier), 124 m0, 126/127 exec, 128..208 inline
//   integers, 235..239 apertures, 240..248 inline floats, 251 vccz, 252 execz, 253 scc, 254 lds_direct, 255 literal,
//   256..511 VGPR. (AGPRs of gfx908+ are 512..767.)
#pragma once
#include "isa/row.h"
#include <cstdint>

namespace crosslane::isa {

// One enumerator per row: Op::v_add_f32, ... (the list is generated from the rows, see isa/op.h).
enum class Op : uint16_t;

namespace code {
inline constexpr uint16_t sgpr0 = 0, flat_scratch = 102, flat_scratch_gfx7 = 104, xnack_mask = 104, vcc = 106, m0 = 124,
                          null_ = 125, exec = 126;
inline constexpr uint16_t inline_int0 = 128, shared_base = 235, shared_limit = 236, private_base = 237,
                          private_limit = 238, pops_exiting_wave_id = 239, inline_float0 = 240, inline_inv_2pi = 248,
                          sdwa = 249, dpp = 250, vccz = 251, execz = 252, scc = 253, lds_direct = 254, literal = 255,
                          vgpr0 = 256, agpr0 = 512,
                          off = 0xfffe, // an address operand printed as "off": absent
    none = 0xffff;
} // namespace code

// TTMP0. TBA and TMA are before it on gfx8 and earlier.
constexpr uint16_t first_ttmp(Generation g) { return g >= Generation::gfx9 ? 108 : 112; }

enum class Form : uint8_t {
  base, // the row's own encoding (e32 for VOP1/VOP2/VOPC); of a VOP3 row: the VOP2 form that gfx6 and gfx7 have
  vop3, // 64-bit VOP3 form of a VOP1/VOP2/VOPC row, or a VOP3-only row
  dpp,
  sdwa,
};

enum class SdwaSel : uint8_t { byte0, byte1, byte2, byte3, word0, word1, dword };
enum class SdwaUnused : uint8_t { pad, sext, preserve };

// Role of each operand slot. Slots are in the order of the row; see operand() below for names.
struct Instruction {
  Op op{};
  Target target{};
  Encoding encoding{}; // of the row
  Form form{};
  uint8_t size = 0; // bytes, 4..12, literal and DPP/SDWA dword included
  // An operand or field has a value that LLVM prints but the hardware does not define, e.g. a register that this
  // generation lacks; the codes may then be of a kind that the row does not allow. Illegal to execute. See
  // docs/isa-errata.md.
  bool reserved = false;

  // Registers, as 9-bit codes (code::none when the encoding has no such field). Tuples are named by their first
  // register, already aligned. Where an encoding reads or writes VCC as a mask without a field (e32, DPP, SDWA of VOPC,
  // v_addc, v_cndmask), the operand is filled in: dst, sdst and src[2] name VCC as the VOP3 form would.
  uint16_t dst = code::none;  // vdst / sdst / sdata / vdata of loads
  uint16_t sdst = code::none; // second, scalar destination (VOP3B carry, VOPC SDWA/VOP3 sdst is dst)
  // src0..2; SMEM: sbase, soffset (on gfx7 also a literal, which counts dwords).
  uint16_t src[3] = {code::none, code::none, code::none};
  uint16_t addr = code::none;  // vaddr of DS / FLAT / MUBUF (VGPR code)
  uint16_t saddr = code::none; // FLAT saddr; MUBUF soffset
  uint16_t data = code::none;  // store data; DS data0
  uint16_t data1 = code::none; // DS data1
  uint16_t srsrc = code::none; // MUBUF / MTBUF / MIMG resource (first SGPR)

  uint32_t literal = 0;    // value when a source code is code::literal, also madmk/madak K
  int32_t imm = 0;         // SOPK/SOPP immediate (signed as its type says), SMEM/FLAT/MUBUF/DS byte offset; DS offset0
  uint8_t offset1 = 0;     // DS two-address forms
  bool imm_offset = false; // SMEM: imm holds the offset, in bytes on every generation (else src[1])

  // VOP3 / VOP3P / DPP / SDWA source modifiers, one bit per source.
  uint8_t neg = 0, abs = 0; // VOP3P: neg is neg_lo
  uint8_t neg_hi = 0;
  uint8_t op_sel = 0; // bits 0..2 sources, bit 3 destination
  uint8_t op_sel_hi = 0;
  uint8_t cbsz = 0, abid = 0, blgp = 0; // matrix operations: which blocks of the sources are broadcast, and how
  uint8_t omod = 0;                     // 0 none, 1 *2, 2 *4, 3 /2
  bool clamp = false;

  uint16_t dpp_ctrl = 0; // 9 bits, manual's DPP_CTRL
  uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool bound_ctrl = false; // the BOUND_CTRL bit itself: 1 = read 0

  SdwaSel dst_sel = SdwaSel::dword, src0_sel = SdwaSel::dword, src1_sel = SdwaSel::dword;
  SdwaUnused dst_unused = SdwaUnused::pad;
  uint8_t sext = 0; // SDWA sign extension, bit per source

  // Data registers of gfx90a memory instructions may be AGPRs (codes from code::agpr0).
  bool glc = false, slc = false, tfe = false, lds = false, nv = false, gds = false, offen = false, idxen = false;
  bool addr64 = false;                          // gfx6/7 MUBUF
  bool scc = false;                             // gfx90a: system coherent
  uint8_t dfmt = 0, nfmt = 0;                   // MTBUF
  uint8_t dmask = 0;                            // MIMG
  bool compr = false, done = false, vm = false; // EXP; its target is imm, its enables dmask, its fourth source data
  bool unorm = false, da = false, lwe = false, r128 = false, a16 = false, d16 = false; // MIMG

  bool operator==(const Instruction&) const = default;
};

constexpr bool is_vgpr(uint16_t c) { return c >= code::vgpr0 && c < code::agpr0; }
constexpr bool is_scalar_register(uint16_t c) { return c < 128; }
constexpr bool is_inline_constant(uint16_t c) { return (c >= 128 && c <= 208) || (c >= 240 && c <= 248); }

} // namespace crosslane::isa
