// Owns how many registers the data, address and resource of a memory instruction take where its row alone does not say:
// buffers, FLAT and images, whose bits (DMASK, D16, TFE, LDS, OFFEN ...) decide. Everything else is dwords() of the
// row's types. Source: GCN3 and Vega ISA manuals, chapters 8 and 9; MI200 ISA manual for gfx90a.
#pragma once
#include "isa/op.h"

namespace crosslane::isa {

struct RegisterRange {
  int least, most;
};

// SMEM: of the field that names what is stored, or where what is loaded goes.
constexpr Type smem_data(const Row& r) { return r.src[1] != Type::None ? r.src[1] : r.dst; }

// MUBUF and MTBUF. Data: with the status of TFE; a d16 format access of targets that do not pack has a register for
// each component; none with the LDS bit. Address: one for each of OFFEN and IDXEN, two with ADDR64.
int buffer_data_registers(const Row&, Target, bool tfe); // what the row says, whatever the LDS bit
int buffer_data_registers(const Instruction&);
int buffer_address_registers(const Instruction&);

// FLAT, GLOBAL, SCRATCH: a whole address, an offset beside an SADDR, or none.
int flat_address_registers(const Instruction&);

// MIMG data: one for each component of DMASK (four of image_gather4), halved where d16 is packed. DMASK 0 counts as 1.
int image_component_registers(const Instruction&);
int image_data_registers(const Instruction&); // ... and one for the status of TFE
// As LLVM 19 disassembles it: its base variant where it has none of that size or it would run past v255; its variant of
// image atomics for four components has five registers.
int image_printed_registers(const Instruction&);
int image_base_registers(Op); // of the variant that LLVM decodes to before it looks at DMASK

// MIMG address. The instruction does not say how many coordinates the resource has: at least one (halves counted as
// LLVM does), at most three, gradients for each, and what the operation adds.
RegisterRange image_address_registers(Op);
int image_resource_registers(const Instruction&); // 8, with R128 4

} // namespace crosslane::isa
