// Owns what a wave does for its record (rewrite/plan.h): at its beginning it remembers who it is and asks where records
// are, at its end it writes its counters there. Nothing of it waits but the end, for what was asked for at the
// beginning.
#pragma once
#include "rewrite/listing.h"
#include "rewrite/plan.h"
#include "rewrite/registers.h"
#include "rewrite/wave_shape.h"

namespace crosslane::rewrite {

// Log2 of the bytes of a record.
uint32_t record_shift(uint32_t counters);

struct RecordInput {
  const lint::Subject& subject;
  const ProbeRegisters& registers;
  uint32_t counters = 0, record_shift = 0; // log2 of the bytes of a record
  std::span<const uint32_t> powers;        // begin with 1
  const WaveShape& shape;
  std::optional<uint16_t> record_sgpr = {}; // ProbeNeeds::record_sgpr
  uint64_t late_control = 0;                // address of Control, if it comes late
};

// What must be so in the kernel's descriptor: workgroup ids and work-item ids of all dimensions.
struct EntryRegisters {
  uint32_t rsrc2 = 0; // the new COMPUTE_PGM_RSRC2
};
EntryRegisters entry_registers(const codeobject::Kernel&, const WaveShape&);

// `may_come_late`: no probe counts before the program's code begins.
std::vector<Item> begin_record(const RecordInput&, const codeobject::Kernel&, uint64_t control, bool may_come_late);
// Everything to where the program looks for it, and nothing else.
std::vector<Item> restore_entry(const RecordInput&, const codeobject::Kernel&);
// Waits for what begin_record() asked for. SGPRs `offset`: the wave's record, from the first one on; `wave`: its number
// in its workgroup, untouched where that is always 0. ProbeRegisters::control becomes the resource of a buffer: 48 bits
// of address, no stride, its bytes, 32-bit data.
std::string find_record(const RecordInput&, uint32_t offset, uint32_t wave);

struct RecordEnd {
  std::vector<Item> usual;
  // Where a branch without a target in `usual` leads, for workgroups and grids of more dimensions than kernels ask of.
  // Empty: there is none.
  std::vector<Item> seldom;
};
// `may_branch`: who puts `usual` before an s_endpgm can have `seldom` somewhere, with an s_endpgm behind it.
RecordEnd end_record(const RecordInput&, bool may_branch);

} // namespace crosslane::rewrite
