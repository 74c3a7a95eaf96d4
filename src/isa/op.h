// Owns Op, one enumerator per row, and the run-time table of rows.
#pragma once
#include "isa/instruction.h"
#include <optional>
#include <span>

namespace crosslane::isa {

// Every reader that needs all rows includes isa/rows/all.inc with ROW(mnemonic, encoding, ...) style macros; see there.
enum class Op : uint16_t {
#define CROSSLANE_OP(mnemonic) mnemonic,
#include "isa/rows/ops.inc"
#undef CROSSLANE_OP
  count,
  invalid = 0xffff,
};

// The row as data. Types are Type::None where a slot is unused.
struct Row {
  std::string_view mnemonic; // "v_add_f32"; see mnemonic(op, target) for names that differ per generation
  Encoding encoding;
  Opcodes opcodes;
  // Memory instructions: dst = loaded data, src[0] = stored data / data0, src[1] = data1; SMEM: src[0] = base, src[1] =
  // stored data.
  Type dst, sdst, src[3];
  Access access; // memory encodings only
  Type memory;   // type of one element in memory (U8 for *_ubyte, B128 for *_dwordx4); D is the register's
  Implicit implicit;
  Timing timing;
};

// Asked for several times of every instruction of a file, so without a call.
namespace detail {
extern const Row* const first_row;
}
inline const Row& row(Op op) { return detail::first_row[size_t(op)]; }
std::span<const Row> rows(); // indexed by Op

// The name that `target` gives the operation: v_add_co_u32 is v_add_u32 on gfx8.
std::string_view mnemonic(Op, Target);
std::optional<Op> find_op(std::string_view mnemonic, Target); // by that name, without _e32/_e64/_dpp/_sdwa

// The row's implicit registers and what the target adds: M0, which limits LDS up to gfx8, is read by all that reach it.
Implicit implicit(const Row&, Target);

} // namespace crosslane::isa
