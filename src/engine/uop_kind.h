// Owns UopKind: what a Uop does, whatever handler of this host does it. The interpreter needs only handlers; the kind
// is what else reads a lowering: `crosslane disasm --uops`, tests, and any other back end of it. docs/decisions/0020
// says how they share.
#pragma once
#include <cstdint>
#include <string_view>

namespace crosslane::engine {

// clang-format off
enum class UopKind : uint8_t {
  // What an instruction computes, by its row's semantics.
  scalar,            // dst = f(a | k0, b | k1), SCC
  vector,            // dst = f(a, b, c) under EXEC; at most one source a scalar
  saturated,         // ... of integers, with CLAMP
  shift,             // ... of 64 bits by a scalar
  matrix,            // v_mfma_*
  // Operands on their way to it: from a register, a constant or a temporary into a temporary.
  condition,         // VCCZ, EXECZ, SCC or one item of LDS (k1: its code) as a scalar
  broadcast,         // a scalar in all lanes
  mask,              // a constant of 64 bits as a mask
  copy,
  bits,              // a & low k0 ^ high k0: abs, neg
  field,             // SDWA's bytes and words, op_sel; k1: sign-extended
  halves,            // packed op_sel
  half_to_float,
  indexed_read,      // v[n + M0]
  dpp,               // the lanes that DPP_CTRL says; EXEC narrowed to those that have one
  dpp_high,          // ... the second dword of a pair; EXEC as it is
  dpp_end,           // EXEC as it was
  // Results on their way from a temporary to their register, under EXEC.
  put,
  put_field,         // k1: isa::SdwaUnused
  put_float,         // omod and clamp; k1: the isa::Type
  put_indexed,
  truncate, truncate_end, put_overflow, // FP16_OVFL
  // One lane or another.
  dpp_mov, read_lane, read_first_lane, write_lane, count_lanes, swap, sum_of_differences,
  // Memory.
  scalar_memory, flat, buffer, lds, swizzle, atomic, address, clear, image, sample, gds_enter, gds_leave, gds_wait,
  // The wave's own state.
  get_hwreg, set_hwreg, gpr_index, vskip, mode_lookup, discarded, priority, halt, message, icache_inv, move_relative,
  // Control.
  branch, get_pc, jump, call, fork, join, trap, trap_return, save_exec, end, barrier, sleep,
  // The interpreter's own.
  link,              // on in another run
  event,             // a listener wants to know
  fault,             // names why the wave cannot go on
};
// clang-format on

std::string_view name(UopKind); // "indexed_read"

} // namespace crosslane::engine
