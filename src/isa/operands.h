// Owns which registers an instruction touches: explicit and implicit ones, with how many dwords, what it does to them,
// and how sure that is. The one account of it: liveness, lint, rewriting and checks read this and nothing else. It
// follows from the row (types, Implicit, Access), the shape (isa/shape.h) and the fields of the Instruction.
//
// Not told, because every instruction would say it: the pc; MODE.VSKIP and MODE.GPR_IDX_EN, which change what vector
// instructions mean (see Indexing); exception bits that arithmetic gathers in TRAPSTS; memory and LDS
// (isa/classify.h).
#pragma once
#include "isa/instruction.h"
#include <memory>

namespace crosslane::isa {

enum class RegisterFile : uint8_t {
  scalar,  // by code 0..127: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, TBA/TMA/TTMP, M0, EXEC
  vgpr,    // from 0 on
  agpr,    // from 0 on: AccVGPRs. A file of their own on gfx908; on gfx90a they follow the VGPRs in one allocation
  special, // by number, below
};

namespace special {
inline constexpr uint16_t scc = 0,
                          vccz = 1, // follows from VCC: written with any part of it
    execz = 2,                      // ... from EXEC
    lds_direct = 3,                 // an item of LDS at M0, as a source
    hwreg0 = 64,                    // hardware register n of s_getreg and s_setreg is hwreg0 + n
    mode = hwreg0 + 1, status = hwreg0 + 2, trapsts = hwreg0 + 3;
} // namespace special

enum class Role : uint8_t {
  dst,
  sdst, // carry out, or the second result of v_div_scale and v_mad_u64_u32
  src0,
  src1,
  src2,
  mask,     // carry in, or what v_cndmask selects by
  addr,     // VGPRs
  base,     // SGPRs: of SMEM, saddr of GLOBAL and SCRATCH
  offset,   // SGPR: soffset of buffers and SMEM
  resource, // SGPRs
  sampler,
  data,
  data1,
  status, // of TFE and LWE, behind the data
  stack,  // the SGPRs where s_cbranch_*_fork and _join keep the lanes that wait
  implicit,
};

enum class Extent : uint8_t {
  exact,   // all of `dwords`
  at_most, // the first surely, those behind it as a resource, unknown here, says
  indexed, // some of `dwords`: M0, or MODE.CSP for the stack, says which. `dwords` reaches to the end of the file
};

struct Operand {
  Role role = Role::implicit;
  RegisterFile file = RegisterFile::scalar;
  Extent extent = Extent::exact;
  Type type = Type::None; // what the row says of it
  uint16_t first = 0;
  uint16_t dwords = 1;
  uint32_t bits = ~0u; // of each dword: halves, and fields of hardware registers

  bool read = false; // what is computed, or where it goes, depends on it
  bool written = false;
  // Some of what is named may keep its old value, whatever EXEC is: other bits or lanes, a write under a condition, DPP
  // without a source lane, an index that M0 decides. Never a definition that ends a live range.
  bool partial = false;
  // Vector registers: only lanes of EXEC are read and written. A write under EXEC with lanes missing ends no live range
  // either; whether lanes are missing is for the reader to know.
  bool masked = false;

  // The old value takes part in the new one, as a tied operand of LLVM says it.
  constexpr bool ties() const { return written && (read || partial); }
  constexpr bool holds(RegisterFile f, unsigned n) const {
    return f == file && n >= first && n < first + unsigned(dwords);
  }
  bool operator==(const Operand&) const = default;
};

class Operands {
public:
  static constexpr size_t most = 20;
  Operands() {} // what is not added is never touched: every instruction of a code object makes one of these
  Operands(const Operands& o) : count_(o.count_) { std::uninitialized_copy(o.begin(), o.end(), all_); }
  Operands& operator=(const Operands&) = delete;
  const Operand* begin() const { return all_; }
  const Operand* end() const { return all_ + count_; }
  size_t size() const { return count_; }
  const Operand& operator[](size_t n) const { return all_[n]; }
  Operand& add(const Operand&);

  bool reads(RegisterFile, unsigned number) const;
  bool writes(RegisterFile, unsigned number) const; // all or part of it
  // Nothing of the old value is left, in lanes of EXEC.
  bool overwrites(RegisterFile, unsigned number) const;

private:
  union {
    Operand all_[most];
  };
  uint8_t count_ = 0;
};

// Which operands VGPR indexing (MODE.GPR_IDX_EN, gfx8 and gfx9) applies to: M0[15:12], as s_set_gpr_idx_on has it.
struct Indexing {
  bool src0 = false, src1 = false, src2 = false, dst = false;
};

// An instruction by itself, or where VGPR indexing is, or may be, on.
Operands operands(const Instruction&, Indexing = {});

// The operation works whatever EXEC is: v_readlane, v_writelane, matrix operations; and all that is not vector.
bool ignores_exec(const Instruction&);
// A result of 16 bits that leaves the other half of its register alone: on gfx9 operations with OP_SEL and
// multiply-adds of VOP2; the rest, and gfx8, write zeros there. D16 loads and v_mad_mixlo say so in their rows. (Cards
// with SRAM ECC may write both halves of a D16 load; crosslane keeps the other half on all.)
bool preserves_other_half(const Instruction&);

} // namespace crosslane::isa
