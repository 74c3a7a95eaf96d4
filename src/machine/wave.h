// Owns Wave: the architectural state of one wavefront, plain memory. VCC, M0 and EXEC live in the scalar file under
// their own encodings, so an operand is a byte offset from the Wave and nothing needs a special case.
#pragma once
#include "machine/fault.h"
#include "machine/window.h"
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace crosslane::machine {

inline constexpr int lanes_per_wave = 64;
inline constexpr int rows_per_wave = 4;
inline constexpr int lanes_per_row = 16;
inline constexpr uint32_t vgpr_bytes = 256;
inline constexpr uint32_t max_vgprs = 256; // every register an instruction can name, so that no code can leave its wave
inline constexpr uint32_t max_accvgprs = 256; // of gfx908 and gfx90a; only their waves have them

struct Workgroup;
class Gds;
class SharedRanges;

// waiting: at an instruction that other waves must let it past (GDS); it executes that one again.
enum class WaveState : uint8_t { ready, barrier, ended, preempted, faulted, waiting };

struct alignas(64) Wave {
  // 0..127: the scalar register file as encoded (SGPRs, VCC 106, TTMP 108.., M0 124, EXEC 126).
  // 128..255 are the interpreter's: zero, and temporaries for operand staging.
  uint32_t s[256];

  uint32_t scc;    // 0 or 1
  uint32_t mode;   // MODE register (hwreg 1), bits as the manual has them
  uint32_t status; // STATUS register (hwreg 2), the bits that are not derived from the rest (SCC, EXECZ ...)
  uint32_t trapsts;
  uint32_t hw_id, gpr_alloc, lds_alloc, ib_sts; // hardware registers 4 to 7, as a launch fills them
  uint64_t tba, tma;                            // trap base and trap memory address; 0 without a trap handler
  uint32_t mxcsr32;                             // host MXCSR for 32-bit float operations under `mode`
  uint32_t mxcsr64;                             // ... for 16- and 64-bit ones
  WaveState state;
  uint8_t fp_split;    // mxcsr32 != mxcsr64
  uint16_t id;         // wave number in the workgroup
  uint32_t vgpr_count; // registers this wave owns

  int64_t instructions; // executed so far, less the ordinal of the current instruction in its run
  int64_t deadline;     // preempt at a backward branch once `instructions` reaches it
  const void* resume;   // engine::Uop to continue at
  uint64_t bad_pc;      // target of the last computed jump, for the bad_pc fault
  void* hooks;          // engine::HookClock of the thread that runs it
  const void* compiled; // engine::CompiledCode that it is in; null: it is not. Then a fault is met again by the
  uint32_t compiled_pc; // interpreter, from this dword index on, where all that the wave has lies here
  const void* fault_op; // engine::Uop of the memory access under way (for the signal handler)
  Workgroup* workgroup;
  uint8_t* scratch;        // this wave's scratch block, dword-swizzled: dword i of lane l is at (i * 64 + l) * 4
  uint64_t scratch_bytes;  // per lane
  Fault* fault;            // filled when state is faulted
  uint64_t ticket;         // its place where it waits in the global wave sync
  uint32_t ordered_counts; // ordered counts released so far
  uint32_t queued;         // 1 while it waits there
  uint32_t as_launched;    // 1: nothing that a launch fills in was written since, but `instructions` and `state`
  uint64_t launched;       // EXEC at launch: fewer than 64 lanes in the last wave of a workgroup that does not fill it
  Reach reach;             // the global addresses that it may access,
  const SharedRanges* shared; // and more of them; null: none
  void* counts;               // engine::Counts of the thread that runs it
  const void* operands;       // of matrix operations that compiled code has done (engine/matrix.h)
  int64_t counted;            // it repeats what was counted up to so many instructions; 0: it does not

  // Staging registers of the interpreter: operands that are not plain VGPRs, results that need finishing.
  alignas(64) uint32_t tmp[16][lanes_per_wave];
  alignas(64) uint32_t v[max_vgprs][lanes_per_wave];
  // Behind it, where the target has them, the AccVGPRs: they count on from max_vgprs. One file or two (gfx90a, gfx908)
  // is a matter of allocation only: no instruction reaches one of either kind by the number of the other.

  uint64_t exec() const { return pair(126); }
  uint64_t vcc() const { return pair(106); }
  // One access of 64 bits: a load that spans two stores would wait for both to leave the store buffer.
  uint64_t pair(int first) const {
    uint64_t value;
    std::memcpy(&value, s + first, 8);
    return value;
  }
  void set_pair(int first, uint64_t value) { std::memcpy(s + first, &value, 8); }
  uint32_t* vgpr(uint32_t n) {
    return reinterpret_cast<uint32_t*>(reinterpret_cast<char*>(this) + offsetof(Wave, v) + n * vgpr_bytes);
  }
  uint16_t exec_row(int row) const { return uint16_t(s[126 + row / 2] >> (row % 2 * 16)); }
};

inline constexpr uint32_t scalar_zero = 128; // s[128..143] are always zero: the register part of a constant operand
inline constexpr uint32_t scalar_tmp = 160;  // s[160..191]: staging of scalar operands

constexpr uint32_t sgpr_offset(uint32_t code) { return uint32_t(offsetof(Wave, s)) + code * 4; }
constexpr uint32_t tmp_offset(uint32_t i) { return uint32_t(offsetof(Wave, tmp)) + i * vgpr_bytes; }
constexpr uint32_t vgpr_offset(uint32_t n) { return uint32_t(offsetof(Wave, v)) + n * vgpr_bytes; }
constexpr size_t wave_bytes(bool accvgprs) { return sizeof(Wave) + (accvgprs ? max_accvgprs * vgpr_bytes : 0); }

// What the waves of one workgroup share.
struct Workgroup {
  uint8_t* lds;       // lds_bytes, then 64 bytes of slack so that whole-row accesses stay inside
  uint32_t lds_bytes; // allocated to this workgroup; accesses at or beyond it read 0 and write nothing,
  bool lds_faults;    // or are faults
  uint32_t id[3];
  uint32_t wave_count;
  uint64_t number; // in the order of launch
  bool observed;   // the dispatch's listener hears of it
  Gds* gds;
  const void* dispatch; // engine::DispatchContext
};

} // namespace crosslane::machine
