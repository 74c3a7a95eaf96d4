// Owns how compiled code does matrix operations (UopKind::matrix) together: those of one kind that add to their own
// destination, of any registers, however far they are from each other in the code. It stores their operands, and has
// one handler do all: of every sum it does the operations in their order, so nothing differs from one after the other.
#pragma once
#include "engine/uop.h"
#include "isa/op.h"

namespace crosslane::engine {

// Operands lie at Wave::operands: registers of A and of B, at most so many, and of so many operations.
inline constexpr int matrix_operands = 32, matrix_steps = 64;
inline constexpr uint32_t matrix_constant_sum = 1; // Uop::aux: C is Uop::k0

struct MatrixStep {
  uint32_t a, b; // bytes from Wave::operands
};

// Whether the uop may be among them: D = A * B + D, without moving blocks or lanes.
constexpr bool may_be_together(const Uop& matrix) {
  return !(matrix.aux & matrix_constant_sum) && matrix.c == matrix.dst && !matrix.k1;
}
// The uop in place of that of an operation; `left`: so many there are, with this one. Those onto the same sums follow
// each other. The first one's handler goes on behind the last one.
Uop together(const Uop& matrix, isa::Op, MatrixStep, uint32_t left);

} // namespace crosslane::engine
