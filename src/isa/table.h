// The table of rows, built at compile time from isa/rows/*.inc. Only the isa layer's own sources include this; others
// use op.h.
#pragma once
#include "isa/op.h"
#include <array>

namespace crosslane::isa {

struct RowSlots {
  Type dst = Type::None, sdst = Type::None, src0 = Type::None, src1 = Type::None, src2 = Type::None;
  Type memory = Type::None;
};

// A row uses the bare names of four enumerations that share `none`; each is opened in a scope of its own.
#define CROSSLANE_ROW(mnemonic, encoding, ops, access_, implicit_, timing_, ...)                                       \
  make_row(                                                                                                            \
      #mnemonic, Encoding::encoding, ops, Access::access_,                                                             \
      [] {                                                                                                             \
        using enum Implicit;                                                                                           \
        return implicit_;                                                                                              \
      }(),                                                                                                             \
      Timing::timing_,                                                                                                 \
      [] {                                                                                                             \
        using enum Type;                                                                                               \
        return RowSlots{__VA_ARGS__};                                                                                  \
      }()),

constexpr Row make_row(std::string_view mnemonic, Encoding encoding, Opcodes opcodes, Access access, Implicit implicit,
                       Timing timing, RowSlots s) {
  return {mnemonic, encoding, opcodes, s.dst, s.sdst, {s.src0, s.src1, s.src2}, access, s.memory, implicit, timing};
}

inline constexpr Row table[] = {
#define SOP1(m, o, D, S0, i, t) CROSSLANE_ROW(m, SOP1, (o), none, i, t, D, None, S0)
#define SOP2(m, o, D, S0, S1, i, t) CROSSLANE_ROW(m, SOP2, (o), none, i, t, D, None, S0, S1)
#define SOPK(m, o, D, S0, imm, i, t) CROSSLANE_ROW(m, SOPK, (o), none, i, t, D, None, S0, imm)
#define SOPC(m, o, S0, S1, i, t) CROSSLANE_ROW(m, SOPC, (o), none, i, t, None, None, S0, S1)
#define SOPP(m, o, imm, i, t) CROSSLANE_ROW(m, SOPP, (o), none, i, t, None, None, imm)
#define SMEM(m, o, a, M, D, base, DATA, i, t) CROSSLANE_ROW(m, SMEM, (o), a, i, t, D, None, base, DATA, None, M)
#define VOP1(m, o, D, S0, i, t) CROSSLANE_ROW(m, VOP1, (o), none, i, t, D, None, S0)
#define VOP2(m, o, D, S0, S1, i, t) CROSSLANE_ROW(m, VOP2, (o), none, i, t, D, None, S0, S1)
#define VOPC(m, o, S0, S1, i, t) CROSSLANE_ROW(m, VOPC, (o), none, i, t, Mask, None, S0, S1)
#define VOP3(m, o, D, SD, S0, S1, S2, i, t) CROSSLANE_ROW(m, VOP3, (o), none, i, t, D, SD, S0, S1, S2)
#define VOP3P(m, o, D, S0, S1, S2, i, t) CROSSLANE_ROW(m, VOP3P, (o), none, i, t, D, None, S0, S1, S2)
#define VINTRP(m, o, D, S0, i, t) CROSSLANE_ROW(m, VINTRP, (o), none, i, t, D, None, S0, Attr)
#define DS(m, o, a, M, D, D0, D1, i, t) CROSSLANE_ROW(m, DS, (o), a, i, t, D, None, D0, D1, None, M)
#define FLAT(m, o, a, M, D, DATA, i, t) CROSSLANE_ROW(m, FLAT, (o), a, i, t, D, None, DATA, None, None, M)
#define GLOBAL(m, o, a, M, D, DATA, i, t) CROSSLANE_ROW(m, GLOBAL, (o), a, i, t, D, None, DATA, None, None, M)
#define SCRATCH(m, o, a, M, D, DATA, i, t) CROSSLANE_ROW(m, SCRATCH, (o), a, i, t, D, None, DATA, None, None, M)
#define MUBUF(m, o, a, M, D, DATA, i, t) CROSSLANE_ROW(m, MUBUF, (o), a, i, t, D, None, DATA, None, None, M)
#define MTBUF(m, o, a, M, D, DATA, i, t) CROSSLANE_ROW(m, MTBUF, (o), a, i, t, D, None, DATA, None, None, M)
#define MIMG(m, o, a, ADDR, SAMP, i, t) CROSSLANE_ROW(m, MIMG, (o), a, i, t, None, None, ADDR, SAMP)
#define EXP(m, o, i, t) CROSSLANE_ROW(m, EXP, (o), none, i, t, None)
#include "isa/rows/all.inc"
};
static_assert(std::size(table) == static_cast<size_t>(Op::count));
#undef CROSSLANE_ROW

// Where the opcodes of the VOP3 forms of a compact encoding start, -1 if it has none.
constexpr int vop3_base(Encoding e, Generation g) {
  switch (e) {
  case Encoding::VOPC: return 0;
  case Encoding::VOP2: return 0x100;
  case Encoding::VOP1: return g >= Generation::gfx8 ? 0x140 : 0x180;
  case Encoding::VINTRP: return g >= Generation::gfx8 ? 0x270 : -1;
  default: return -1;
  }
}

} // namespace crosslane::isa
