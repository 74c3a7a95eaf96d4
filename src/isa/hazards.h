// Owns the wait states that software must leave between two instructions whose order the hardware does not keep, as
// data: the rows are isa/rows/hazards.inc. A wait state is one instruction that the wave issues, or one of s_nop's.
#pragma once
#include "isa/instruction.h"
#include "isa/operands.h"
#include <span>
#include <string_view>

namespace crosslane::isa::hazards {

// Kinds of instructions.
enum class Who : uint8_t {
  any,
  salu,
  valu,          // matrix operations and interpolation too
  valu_not_mfma, // ... without v_mfma_*
  valu_not_mai,  // ... and without v_accvgpr_read and _write
  plain_valu,    // ... and without v_dot*
  vector,        // what VSKIP skips
  dpp,
  lane_select, // v_readlane, v_writelane
  lane_read,   // v_readlane, v_readfirstlane
  div_fmas,
  fma_f64, // v_fma_f64, v_fmac_f64
  interpolation,
  lds_direct, // a VALU source from LDS at M0
  dot,        // v_dot*
  setreg,
  setreg_of_vskip, // ... whose field has MODE.VSKIP
  setvskip,
  getreg,
  trap_return,
  message, // s_sendmsg, s_sendmsghalt, s_ttracedata
  scalar_movrel,
  scalar_memory,
  buffer_smem,   // s_buffer_*
  vector_memory, // buffers, images, FLAT, GLOBAL, SCRATCH
  memory,        // ... and LDS, GDS
  memory_or_exp,
  gds,
  lds_addtid,
  lds_dma,    // from memory to LDS, or back, without VGPRs
  wide_store, // more than 64 bits of data, without a scalar offset of buffers: its last registers are read late
  mfma,
  mfma2, // by passes
  mfma8,
  mfma16,
  smfma, // not of F64
  smfma2,
  smfma8,
  smfma16,
  dgemm, // of F64
  dgemm4,
  dgemm16,
  accvgpr_read,
  accvgpr_write,
  acc_consumer, // v_mfma_*, v_accvgpr_write
  mfma_reader,  // VALU but v_mfma_*, memory, exports
};
inline constexpr size_t who_count = size_t(Who::mfma_reader) + 1;
bool is(Who, const Instruction&);

// All that an instruction is, faster than to ask one by one.
class Kinds {
public:
  constexpr bool has(Who w) const { return bits_ >> uint32_t(w) & 1; }
  constexpr void add(Who w) { bits_ |= uint64_t(1) << uint32_t(w); }
  constexpr void add(Kinds k) { bits_ |= k.bits_; }
  constexpr uint64_t bits() const { return bits_; } // bit n: Who(n)

private:
  uint64_t bits_ = 0;
};
static_assert(who_count <= 64);
Kinds kinds_of(const Instruction&);

// Registers, as a set of files and single ones.
enum class Registers : uint16_t {
  none = 0,
  scalar = 1u << 0, // SGPRs, VCC, FLAT_SCRATCH, XNACK_MASK, trap temporaries: not M0, not EXEC
  vcc = 1u << 1,    // VCC alone
  m0 = 1u << 2,
  exec = 1u << 3,
  vgpr = 1u << 4,
  agpr = 1u << 5,
  vector = vgpr | agpr,
  hwreg = 1u << 6, // any hardware register
  mode = 1u << 7,
  trapsts = 1u << 8,
  vccz = 1u << 9,
  execz = 1u << 10,
};
constexpr Registers operator|(Registers a, Registers b) { return Registers(uint16_t(a) | uint16_t(b)); }
constexpr bool has(Registers set, Registers any) { return (uint16_t(set) & uint16_t(any)) != 0; }
Registers registers_of(const Operand&); // all words that hold of it

// What of an instruction's operands.
struct Which {
  bool written = false;
  Registers registers = Registers::none;
  uint32_t roles = ~0u; // a bit for each isa::Role
  constexpr bool takes(Registers r, Role role, bool is_read, bool is_written) const {
    return has(registers, r) && (roles >> uint32_t(role) & 1) && (written ? is_written : is_read);
  }
};

// How the register of the second instruction relates to that of the first.
enum class Relation : uint8_t {
  always,     // whatever the registers are
  overlap,    // they share one
  not_same,   // they share one, and are not the same tuple
  same,       // they are the same tuple
  same_op,    // overlap, and the same operation
  other_op,   // overlap, and another operation
  behind_acc, // overlap, and v_accvgpr_read or _write stands directly before the second
  past_dgemm, // overlap, and a matrix operation of F64 came between
};

// Who says so.
enum class Said : uint8_t { nobody = 0, manual = 1u << 0, llvm = 1u << 1, aco = 1u << 2 };
constexpr Said operator|(Said a, Said b) { return Said(uint8_t(a) | uint8_t(b)); }
constexpr bool has(Said set, Said any) { return (uint8_t(set) & uint8_t(any)) != 0; }

enum class Severity : uint8_t {
  error,    // manuals and a compiler agree, or the wave hangs
  warning,  // one source says so, or what holds in practice
  note,     // sources disagree, or another card would need it
  pedantic, // more than the hardware needs
};

struct States {
  Generation first{}, last{};
  int count = 0;
};

struct Hazard {
  std::string_view rule; // "valu_sgpr_vmem"
  Who first{};
  Which which_of_first;
  Who second{};
  Which which_of_second;
  Relation relation{};
  States states;
  Said said{};
  Severity severity{};
  bool on(Generation g) const { return states.first <= g && g <= states.last; }
};
std::span<const Hazard> all();

// What the rule asks for where its first severity holds; 0: nothing on that generation. By the row's name.
int wait_states_of_rule(std::string_view rule, Generation);

// How many wait states an instruction is: 1, and of s_nop what it says.
int wait_states(const Instruction&);

} // namespace crosslane::isa::hazards
