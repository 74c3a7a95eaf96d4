// Owns which registers the probes of a group of kernels have: counters, what a wave must remember to find its record,
// and what is used between two instructions of the program. Where the program leaves too few SGPRs, all of them are
// virtual (rewrite/virtual_sgprs.h).
#pragma once
#include "rewrite/budget.h"

namespace crosslane::rewrite {

// What kinds of probes ask for.
struct ProbeNeeds {
  uint32_t counters = 0;               // dwords of a record
  uint32_t sgprs = 0;                  // of their own, kept by nothing else; from an even one on
  uint32_t vgprs = 0;                  // likewise; from an even one on
  bool in_memory = false;              // counters have no registers: who asks for them keeps the record
  uint32_t lds = 0;                    // bytes of static LDS in all; 0: as it was
  uint32_t record_bytes = 0;           // a power of two: records are at least as long; 0: as counters need
  std::optional<uint32_t> record_sgpr; // of `sgprs`: knows where the record is (find_record()) from the beginning on
  uint32_t item_sgprs = 3;             // WaveShape::item_sgprs()
  bool control_may_come_late = false;  // where waves end, into SGPRs of the program
};

struct ProbeRegisters {
  uint16_t group = 0;            // 3: number of the workgroup in x, y, z
  uint16_t item = 0;             // ids of the first lane's work-item (WaveShape)
  uint16_t control = 0;          // 8: what Control holds, from the first instruction on, or
  bool late_control = false;     // ... only where waves end: s[0:7], by s[8:9]
  uint16_t counters = 0;         // behind control, as many as there are counters in SGPRs
  uint32_t in_sgprs = 0;         // counters of that many; the rest are lanes of VGPRs
  bool with_zeros = false;       // 8 SGPRs behind control may be loaded with it
  uint16_t scratch = 0;          // 6, from an even one on: two pairs, SCC, and one more
  uint16_t lanes = 0;            // the first such VGPR, 64 counters each
  uint16_t own_sgprs = 0;        // the first of ProbeNeeds::sgprs
  uint16_t own_vgprs = 0;        // ... of ProbeNeeds::vgprs
  uint16_t end_vgpr = 0;         // 2 that are free where waves end
  uint16_t sgprs = 0, vgprs = 0; // what a wave needs in all, without VCC and the like
  uint16_t virtual_sgprs = 0;    // that many are virtual; 0: none is
  uint16_t slots = 0; // of these, the first of two lanes for each (rewrite/sgpr_allocation.h): lanes are numbered from
                      // the first one of `lanes` on

  uint16_t vgpr_of(uint32_t lane) const { return uint16_t(lanes + lane / 64); }

  bool in_sgpr(uint32_t counter) const { return counter < in_sgprs; }
};

// The error says what there is too little of.
llvm::Expected<ProbeRegisters> assign_registers(const Budget&, const ProbeNeeds&);
// For copies without probes, which may need 3 SGPRs (CopyInput::scratch_sgpr); virtual ones may need a VGPR, if there
// is one.
ProbeRegisters registers_of_copy(const Budget&);

} // namespace crosslane::rewrite
