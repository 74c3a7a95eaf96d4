// Owns Lowering: what an encoding's lower_* function gets, an Instruction and a place to emit Uops. Compiled per level.
#pragma once
#include "engine/uop.h"
#include "isa/instruction.h"
#include "isa/op.h"
#include "lanes/level.h"
#include "machine/memory.h"

namespace crosslane::engine {

// Grows elsewhere (engine/program.cpp); here only so that per-level code needs no containers.
struct UopSink {
  virtual Uop& append() = 0;  // zeroed; valid until the next append
protected:
  ~UopSink() = default;
};

CROSSLANE_LEVEL_BEGIN

struct Lowering {
  const isa::Instruction& inst;
  const isa::Row& row;
  UopSink& sink;
  uint32_t pc;        // dword index in the Program
  uint32_t ordinal;
  bool instrumented;  // a listener is attached

  Uop& emit(Handler fn) {
    Uop& op = sink.append();
    op.fn = fn;
    op.pc = pc;
    op.ordinal = ordinal;
    op.a = op.b = op.c = machine::sgpr_offset(machine::scalar_zero);
    op.dst = machine::tmp_offset(15);  // a result nobody reads
    return op;
  }
};

// A scalar operand of `dwords` dwords resolved to register offset and constant. Inline floats take the width and kind of `type`.
struct ScalarOperand {
  uint32_t offset;
  uint64_t k;
};
// True for codes that are a scalar register or a constant (not VGPR, not vccz/execz/scc, not lds_direct).
bool is_plain_scalar(uint16_t code);
ScalarOperand scalar_operand(const isa::Instruction&, uint16_t code, isa::Type type);
inline uint32_t vgpr(uint16_t code) { return machine::vgpr_offset(code - isa::code::vgpr0); }

// One lower_* per encoding; each emits the whole instruction. False: no semantics (the caller emits a named fault).
bool lower_salu(Lowering&);    // SOP1, SOP2, SOPK, SOPC
bool lower_flow(Lowering&);    // SOPP, and the SOP1/SOPK that touch the pc (setpc, swappc, getpc, call)
bool lower_valu(Lowering&);    // VOP1, VOP2, VOPC, VOP3, VOP3P with DPP and SDWA
bool lower_smem(Lowering&);
bool lower_flat(Lowering&);    // FLAT, GLOBAL, SCRATCH
bool lower_buffer(Lowering&);  // MUBUF, MTBUF
bool lower_ds(Lowering&);

CROSSLANE_LEVEL_END

}  // namespace crosslane::engine
