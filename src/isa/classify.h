// Owns what kind of instruction it is: the unit it goes to, the memory it touches, the counters that tell when it is
// done, what it does to EXEC as a mask. Which registers it touches is isa/operands.h, where control goes isa/flow.h.
// All of it follows from the row and the instruction's bits. Source: GCN3 and Vega ISA manuals.
#pragma once
#include "isa/op.h"
#include <array>

namespace crosslane::isa {

enum class Unit : uint8_t {
  salu,
  valu, // matrix operations and interpolation too
  smem,
  vmem, // buffers and images
  flat, // FLAT, GLOBAL, SCRATCH
  lds,
  gds,
  export_,
  branch,   // whatever has a say in where control goes (isa/flow.h), but for ends
  message,  // s_sendmsg, s_sendmsghalt
  internal, // stays in the instruction buffer: waits, barriers, sleep, priorities, the end of a wave
};
Unit unit(const Instruction&);

// Whether lanes, rather than the wave, do it: VSKIP skips these.
constexpr bool is_vector(Encoding e) { return e > Encoding::SMEM; }

// What memory it may touch. A buffer is in scratch or not as its resource says, FLAT where its address points.
enum class Space : uint8_t {
  none = 0,
  global = 1u << 0,
  scratch = 1u << 1,
  lds = 1u << 2,
  gds = 1u << 3,
};
constexpr Space operator|(Space a, Space b) { return Space(uint8_t(a) | uint8_t(b)); }
constexpr bool has(Space set, Space any) { return (uint8_t(set) & uint8_t(any)) != 0; }

// SMEM of private memory: counts offsets in SGPRs in units of 64 bytes.
constexpr bool is_scalar_scratch(Op op) {
  using enum Op;
  return op == s_scratch_load_dword || op == s_scratch_load_dwordx2 || op == s_scratch_load_dwordx4 ||
         op == s_scratch_store_dword || op == s_scratch_store_dwordx2 || op == s_scratch_store_dwordx4;
}

struct MemoryUse {
  Space spaces = Space::none;
  bool loads = false, stores = false; // both: from one place to another (LDS bit), or atomic
  bool atomic = false;
  bool returns = false; // something comes back into registers: a loaded value, an atomic's old one
};
// ds_*_src2_*: a DS operation whose operand is another item of LDS, not a register.
constexpr bool has_operand_in_lds(const Row& r) {
  return r.encoding == Encoding::DS && r.memory != Type::None && r.dst == Type::None && r.src[0] == Type::None;
}
// Not told: caches, clocks (s_memtime), address probes, GWS, LDS as a source operand (lds_direct) or of interpolation.
MemoryUse memory_use(const Instruction&);
// What comes back depends on when it is executed, besides on what the wave has done itself: clocks, atomics of memory
// that return, loads past the caches, all of GDS and of what waits there.
bool depends_on_time(const Instruction&);
// Other waves may see when it is executed: it writes to memory that is not the wave's own.
bool shows_to_others(const Instruction&);

// s_waitcnt's counters of gfx6 to gfx9. What is counted comes back in order among its like if in_order(); different
// ones on a counter come back in any order.
enum class Counter : uint8_t { vm, lgkm, exp };
enum class Counted : uint8_t {
  vmem,       // vm: a load has written its registers, a store or buffer_wbl2 has reached L2; invalidations do not count
  flat,       // vm and lgkm: which one counts, the address decides; both are raised
  lds,        // lgkm
  gds,        // lgkm
  smem,       // lgkm
  message,    // lgkm: the message was taken
  export_,    // exp: its registers were read, and it got its place
  gds_data,   // exp: its registers were read
  store_data, // exp: likewise, of vector memory of gfx6
};
constexpr bool in_order(Counted c) { return c != Counted::flat && c != Counted::smem; }
struct Raised {
  Counter counter;
  Counted counted;
};
class Waits {
public:
  const Raised* begin() const { return all_.data(); }
  const Raised* end() const { return all_.data() + count_; }
  bool raises(Counter) const;
  void add(Counter counter, Counted counted) { all_[count_++] = {counter, counted}; }

private:
  std::array<Raised, 2> all_{};
  uint8_t count_ = 0;
};
Waits waits(const Instruction&);

// EXEC = S0 op EXEC of s_*_saveexec_b64 and s_*_wrexec_b64. n1, n2: S0, EXEC is inverted.
enum class MaskOp : uint8_t { none, and_, andn1, andn2, or_, orn1, orn2, xor_, xnor, nand, nor };
inline constexpr size_t mask_op_count = size_t(MaskOp::nor) + 1;
MaskOp exec_mask_op(Op);
bool saves_exec(const Instruction&);   // D = the old EXEC: saveexec, not wrexec
bool narrows_exec(const Instruction&); // the new EXEC has no lane that the old one had not
bool writes_exec(const Instruction&);  // may write any of EXEC

bool writes_hwreg(const Row&); // s_setreg_*

// 1/x, roots, exponents, logarithms, sines: what the transcendental unit computes.
bool is_transcendental(const Row&);
// v_mad_mix*, v_fma_mix*: each source is F32 or a half, and VOP3P's bits mean something else.
bool is_mixed(const Row&);

} // namespace crosslane::isa
