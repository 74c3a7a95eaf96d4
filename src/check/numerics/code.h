// Owns what is known of code before it runs: how each instruction makes numbers, and what it does with those of others.
#pragma once
#include "check/known_blocks.h"
#include "check/numerics/format.h"
#include "isa/op.h"
#include "isa/operands.h"
#include <vector>

namespace crosslane::check::numerics {

enum class Kind : uint8_t {
  other,   // nothing that it writes has a mark
  floats,  // its result is a floating-point number, or several
  integer, // sums, products and shifts to the left, which may leave 32 bits
  widened, // they or what extends a sign: marks pass, and nothing is judged
  copy,
  bits,   // keeps patterns: what is an infinity stays one
  choose, // v_cndmask_b32, s_cselect
  read_lane,
  write_lane,
  swap,
  lds_lanes, // ds_swizzle, ds_permute, ds_bpermute
  memory,
  relative, // M0 says which registers
};

// Of integers: how the result comes of sources a, b and c.
enum class Sum : uint8_t {
  none,
  add,
  sub,
  subrev,
  mul,
  mul_u24,
  mul_i24,
  mad_u24,
  mad_i24,
  shl,
  shlrev,
  shl_add,
  add_shl,
  add3,
  shl_fixed_add, // s_lshl1_add_u32 to 4: `aux`
  sign,          // shifts to the right with the sign: v_ashrrev_i32
  signrev,
  mad_signed, // v_mad_i64_i32
  either,     // others
};

// Of floating point, what the result is before it is rounded; `none`: not known here.
enum class Exact : uint8_t { none, add, sub, subrev, mul, fma, mac, convert };

struct Instruction {
  const isa::Instruction* in = nullptr;
  uint64_t pc = 0;
  isa::Operands operands;
  Kind kind = Kind::other;
  Sum sum = Sum::none;
  Exact exact = Exact::none;
  uint8_t aux = 0;
  bool flushes = false; // float32 denormals, whatever MODE says
};

struct Block {
  std::vector<Instruction> instructions;
};

class Code {
public:
  const Block& of(const events::Block&, bool indexed);

private:
  KnownBlocks<Block> blocks_;
};

unsigned slot_of(const isa::Operand&); // slot::end: a register that has no marks
// What of an instruction's operands is a float: by the row, and what its bits say.
Format format_of(isa::Type);

} // namespace crosslane::check::numerics
