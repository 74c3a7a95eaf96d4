// Owns what a wave does for its record (rewrite/plan.h): at its beginning it remembers who it is and asks where records
// are, at its end it writes its counters there. Nothing of it waits but the end, for what was asked for at the
// beginning.
#pragma once
#include "rewrite/listing.h"
#include "rewrite/plan.h"
#include "rewrite/registers.h"

namespace crosslane::rewrite {

struct RecordInput {
  const lint::Subject& subject;
  const ProbeRegisters& registers;
  uint32_t counters = 0, record_shift = 0; // log2 of the bytes of a record
  std::span<const uint32_t> powers;        // begin with 1
  bool one_wave = false;                   // of a workgroup: its items' ids need not be known
};

// What must be so in the kernel's descriptor: workgroup ids and work-item ids of all dimensions.
struct EntryRegisters {
  uint32_t rsrc2 = 0; // the new COMPUTE_PGM_RSRC2
};
EntryRegisters entry_registers(const codeobject::Kernel&, bool one_wave);

std::vector<Item> begin_record(const RecordInput&, const codeobject::Kernel&, uint64_t control);
std::vector<Item> end_record(const RecordInput&);

} // namespace crosslane::rewrite
