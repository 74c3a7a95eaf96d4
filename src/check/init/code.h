// Owns what is known of code before it runs: of each instruction what it does to undefined bits, of each block which
// registers it reads and writes, so that one that reads nothing undefined is done with in one go.
#pragma once
#include "check/init/registers.h"
#include "check/known_blocks.h"
#include "isa/op.h"
#include "isa/operands.h"
#include <vector>

namespace crosslane::check::init {

// What an operation makes of undefined bits of its sources (bits.h); `any` if nothing better is known of it.
enum class Rule : uint8_t {
  any,
  carried,
  copy,
  inverted,
  both,   // and,
  both_n, // of source 0 and inverted source 1,
  not_both,
  either, // or,
  either_n,
  not_either,
  differ,      // xor and xnor
  either_both, // v_and_or_b32: s0 and s1, or s2
  either3,     // v_or3_b32
  either_left, // v_lshl_or_b32: s0 << s1, or s2
  bit_select,  // v_bfi_b32
  left,
  right,
  arithmetic, // shifts
  reversed,
  field,        // v_bfe: offset and width in sources 1 and 2
  packed_field, // s_bfe: both in source 1
  sign8,
  sign16,
  perm,
  align_bit,
  align_byte,
  byte,    // v_cvt_f32_ubyte0 to 3: `aux`
  choose,  // v_cndmask_b32, s_cselect
  equal,   // compares of integers for equality
  test,    // s_bitcmp
  set_bit, // s_bitset
  pack,    // halves of both sources: `aux` says which, two bits
  // Vector operations of a kind of their own.
  read_lane,
  read_first,
  write_lane,
  swap,
  lds_lanes, // ds_swizzle, ds_permute, ds_bpermute
  matrix,
  move_pair, // v_pk_mov_b32
  halves,    // packed pairs of halves, or of dwords
  memory,
  other_, // nothing that is followed: waits, caches
};

struct Instruction {
  const isa::Instruction* in = nullptr;
  uint64_t pc = 0;
  isa::Operands operands;
  Rule rule = Rule::any;
  uint8_t aux = 0;
  bool reversed = false; // shifts: source 0 is the amount
  bool dynamic = false;  // M0 says which registers
  bool judged = false;   // a branch, a message, a write of EXEC, or an address
};

struct Block {
  std::vector<Instruction> instructions;
  Slots reads{};      // before the block writes them, in lanes of EXEC
  Slots wide{};       // in other lanes too
  Slots partial{};    // written in part
  Slots kills{};      // nothing is left, in lanes of EXEC; scalars altogether
  Slots wide_kills{}; // ... in all lanes
  bool dynamic = false;
  bool first_lane = false; // reads one that EXEC names, also if there is none
};

// Of all code that was seen to run. An instruction of code that VGPR indexing applies to is told so.
class Code {
public:
  const Block& of(const events::Block&, bool indexed);

private:
  KnownBlocks<Block> blocks_;
};

} // namespace crosslane::check::init
