// Owns Lowering: what an encoding's lower_* function gets, an Instruction and a place to emit Uops.
#pragma once
#include "engine/decode/decode_mode.h"
#include "engine/uop.h"
#include "engine/uop_kind.h"
#include "isa/instruction.h"
#include "isa/op.h"
#include "lanes/level.h"
#include "machine/apertures.h"

namespace crosslane::engine {

// Grows elsewhere (engine/decode/run_decoder.h); here only so that per-level code needs no containers.
struct UopSink {
  virtual Uop& append(UopKind) = 0; // zeroed; valid until the next append
  virtual Uop& last() = 0;
  // A copy of the instruction that lives as long as the code: what event hooks hand to listeners. Needed only where
  // `branch_events` is set.
  virtual const isa::Instruction* keep(const isa::Instruction&) { return nullptr; }

protected:
  ~UopSink() = default;
};

struct Lowering {
  const isa::Instruction& inst;
  const isa::Row& row;
  UopSink& sink;
  uint64_t address;     // of the instruction in loaded code
  uint32_t pc;          // the same as a dword index in the Code
  uint32_t ordinal;     // number of the instruction in its straight-line run
  bool branch_events;   // a listener wants them
  DecodeMode mode = {}; // in force here; who changes it says so for what follows
  uint8_t gpr_idx() const { return mode.gpr_idx(); }

  __attribute__((always_inline)) Uop& emit(UopKind kind, Handler fn) {
    Uop& op = sink.append(kind);
    op.fn = fn;
    op.pc = pc;
    op.ordinal = ordinal;
    op.a = op.b = op.c = machine::sgpr_offset(machine::scalar_zero);
    op.dst = machine::tmp_offset(15); // a result nobody reads
    return op;
  }
  __attribute__((always_inline)) Uop& last() { return sink.last(); }
};

// A scalar operand resolved to register offset and constant (see Uop).
struct ScalarOperand {
  uint32_t offset;
  uint64_t k;
};
// True for codes that are a scalar register or a constant (not a VGPR, vccz, execz, scc or lds_direct).
bool is_plain_scalar(uint16_t code);
// Constants take the width and kind of `type`: an inline 1.0 is 0x3c00, 0x3f800000 or 0x3ff0000000000000.
ScalarOperand scalar_operand(const isa::Instruction&, uint16_t code, isa::Type type);
// As above, and vccz/execz/scc/lds_direct too, by a Uop that copies them to scalar temporary `slot` first.
ScalarOperand staged_scalar(Lowering&, uint16_t code, isa::Type type, int slot);
// A VGPR or an AccVGPR: their codes follow each other as they do in the Wave.
constexpr bool is_vector(uint16_t code) {
  return code >= isa::code::vgpr0 && code < isa::code::agpr0 + machine::max_accvgprs;
}
inline uint32_t vgpr(uint16_t code) { return machine::vgpr_offset(code - isa::code::vgpr0); }

// Uop::imm of accesses by 64-bit address: FLAT looks for the aperture windows, the rest subtracts what no address
// leaves below 2.
inline constexpr int32_t tests_apertures = 0, no_aperture = int32_t(0xfffffff0u);
inline constexpr uint32_t atomic_returns = 1;      // Uop::aux: dst gets the value before
inline constexpr uint32_t atomic_wide_address = 2; // VGPR pair a is the address; else offset a from SGPR pair b

// One lower_* per family; each emits the whole instruction. False: not executed (the caller emits a named fault).
bool lower_salu(Lowering&); // SOP1, SOP2, SOPK, SOPC
bool lower_flow(Lowering&); // SOPP, and what touches the pc, EXEC or hardware registers by name

CROSSLANE_LEVEL_BEGIN
bool lower_valu(Lowering&); // VOP1, VOP2, VOPC, VOP3, VOP3P with DPP and SDWA
bool lower_smem(Lowering&);
bool lower_flat(Lowering&);   // FLAT, GLOBAL, SCRATCH
bool lower_buffer(Lowering&); // MUBUF, MTBUF
bool lower_ds(Lowering&);
CROSSLANE_LEVEL_END

} // namespace crosslane::engine
