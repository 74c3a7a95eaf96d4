// Owns what a wave does for its record (rewrite/plan.h): at its beginning it remembers who it is and asks where records
// are, at its end it writes its counters there. Nothing of it waits but the end, for what was asked for at the
// beginning.
#pragma once
#include "rewrite/listing.h"
#include "rewrite/plan.h"
#include "rewrite/registers.h"

namespace crosslane::rewrite {

// Log2 of the bytes of a record.
uint32_t record_shift(uint32_t counters);
// No workgroup of them has more than one.
bool one_wave(std::span<const CopiedKernel* const>);

struct RecordInput {
  const lint::Subject& subject;
  const ProbeRegisters& registers;
  uint32_t counters = 0, record_shift = 0;  // log2 of the bytes of a record
  std::span<const uint32_t> powers;         // begin with 1
  bool one_wave = false;                    // of a workgroup: its items' ids need not be known
  std::optional<uint16_t> record_sgpr = {}; // ProbeNeeds::record_sgpr
};

// What must be so in the kernel's descriptor: workgroup ids and work-item ids of all dimensions.
struct EntryRegisters {
  uint32_t rsrc2 = 0; // the new COMPUTE_PGM_RSRC2
};
EntryRegisters entry_registers(const codeobject::Kernel&, bool one_wave);

std::vector<Item> begin_record(const RecordInput&, const codeobject::Kernel&, uint64_t control);
// Waits for what begin_record() asked for. SGPRs `offset`: the wave's record, from the first one on; `wave`: its number
// in its workgroup, untouched where that is always 0. ProbeRegisters::control becomes the resource of a buffer: 48 bits
// of address, no stride, its bytes, 32-bit data.
std::string find_record(const RecordInput&, uint32_t offset, uint32_t wave);
std::vector<Item> end_record(const RecordInput&);

} // namespace crosslane::rewrite
