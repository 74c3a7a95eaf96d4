// Owns the shape of a vector operation: how many sources it has, which modifiers and forms its encodings take. Derived
// at compile time from the types of the row; isa/rows/forms.inc lists the exceptions. Decoder and printer share it.
// Source: GCN3 and Vega ISA manuals, "VOP3", "SDWA", "DPP"; where they are silent, what LLVM 19 accepts.
#pragma once
#include "isa/op.h"

namespace crosslane::isa {

enum class RegisterKind : uint8_t {
  any, // VGPR, SGPR, constants
  vgpr,
  vgpr_or_lds, // VGPR or lds_direct
  scalar,      // SGPR, M0, constants; no VGPR
  scalar_or_lds,
  sgpr, // SGPR, M0; no constant either
  agpr,
  vector,             // VGPR or AGPR
  vector_or_constant, // what a matrix operation adds to
  mask,               // SGPR pair that is not EXEC
};

struct Shape {
  uint8_t sources = 0;      // typed sources, without masks and K
  uint8_t fields = 0;       // source fields that VOP3 form uses: sources, plus one for a mask
  bool modifiers = false;   // takes neg and abs
  uint8_t neg = 0, abs = 0; // which sources take them, a bit each
  uint8_t ignored = 0;      // neg/abs bits of these sources may be set and mean nothing
  bool clamp = false;       // VOP3 only: DPP never clamps, SDWA always may
  bool omod = false;        // VOP3
  bool sdwa_omod = false;   // gfx9 SDWA
  bool op_sel = false;
  bool vop2 = false; // a VOP3 row that has a VOP2 form too
  bool vop3 = false, dpp = false, dpp64 = false, sdwa_gfx8 = false, sdwa_gfx9 = false;
  bool matrix = false;           // v_mfma_*, v_accvgpr_read and _write: an encoding of their own among VOP3P
  bool agpr_dst = false;         // v_accvgpr_write, _mov
  bool scalar_dst = false;       // v_readlane, v_readfirstlane
  bool mask_source = false;      // reads VCC; in VOP3 form a mask in source field 2
  bool mask_dst = false;         // writes VCC besides its destination; VOP3B names another pair
  bool image_d16 = false;        // images: has the D16 bit
  bool no_return_gfx908 = false; // atomics that gfx908 has without the old value only
  bool scope_bits = false;       // cache operations: GLC and SCC may be set
  bool reversed = false;         // v_subrev, v_lshlrev ...: source 1 is what others have as source 0
  bool k = false;                // v_madmk, v_madak: a literal always follows
  RegisterKind kind[3] = {RegisterKind::any, RegisterKind::any, RegisterKind::any}; // also of SOP1
};

// Where an operand of 32 dwords has the code of an SGPR or a trap temporary (gfx9), LLVM takes and prints one register:
// there are no such tuples.
constexpr bool is_lone_scalar(unsigned c, int dwords) {
  return dwords == 32 && (c < code::flat_scratch || (c >= 108 && c < code::m0));
}

namespace detail {
extern const Shape* const first_shape[generation_count];
}
inline const Shape& shape(Op op, Generation g) { return detail::first_shape[size_t(g)][size_t(op)]; }
inline const Shape& shape(Op op) { return shape(op, Generation::gfx8); } // of gfx8 and later

// Whether `target` has the operation in this form.
bool has_form(Op, Form, Target);

// Whether an operand of this kind may have this 9-bit code.
constexpr bool accepts(RegisterKind k, uint16_t c) {
  const bool constant = is_inline_constant(c) || c == code::literal;
  switch (k) {
  case RegisterKind::any: return true;
  case RegisterKind::vgpr: return is_vgpr(c);
  case RegisterKind::vgpr_or_lds: return is_vgpr(c) || c == code::lds_direct;
  case RegisterKind::scalar: return !is_vgpr(c) && c != code::lds_direct;
  case RegisterKind::scalar_or_lds: return !is_vgpr(c);
  case RegisterKind::sgpr: return !is_vgpr(c) && c != code::lds_direct && !constant;
  case RegisterKind::agpr: return c >= code::agpr0;
  case RegisterKind::vector: return c >= code::vgpr0;
  case RegisterKind::vector_or_constant: return c >= code::vgpr0 || is_inline_constant(c);
  case RegisterKind::mask: return c < 128 && c != code::exec;
  }
  return true;
}

} // namespace crosslane::isa
