// Owns how many wait states software must leave between two instructions whose order the hardware does not keep. Named
// after what comes first and what must wait. A wait state is one instruction issued, or one of s_nop's. Source: GCN3
// and Vega ISA manuals, "Manually Inserted Wait States"; LLVM 19, GCNHazardRecognizer, has the same.
#pragma once

namespace crosslane::isa::wait_states {

inline constexpr int dpp_after_valu_write = 2; // VALU writes a VGPR that DPP reads
inline constexpr int dpp_after_exec_write = 5; // VALU writes EXEC, then DPP

} // namespace crosslane::isa::wait_states
