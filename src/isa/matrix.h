// Owns the shape of a matrix operation (v_mfma_*): the list is isa/rows/matrix.inc. Source: AMD Instinct MI100 and
// MI200 ISA manuals, "Matrix fused-multiply-add".
#pragma once
#include "isa/op.h"

namespace crosslane::isa {

enum class MatrixItem : uint8_t { none, f16, bf16, f32, f64, i8 };

// D = A * B + C for each of `blocks`: A is m x k, B is k x n, sums are m x n. Items of 16 and 8 bits are packed.
struct Matrix {
  MatrixItem item = MatrixItem::none;
  int m = 0, n = 0, k = 0, blocks = 0;

  constexpr bool is_float() const { return item != MatrixItem::i8; }
  constexpr int items() const { return m * k * blocks / 64; }   // of A, and of B, in each lane
  constexpr int results() const { return m * n * blocks / 64; } // in each lane
  constexpr int item_bytes() const {
    switch (item) {
    case MatrixItem::none: return 0;
    case MatrixItem::i8: return 1;
    case MatrixItem::f16:
    case MatrixItem::bf16: return 2;
    case MatrixItem::f32: return 4;
    case MatrixItem::f64: return 8;
    }
    return 0;
  }
  constexpr int dwords() const { return (items() * item_bytes() + 3) / 4; } // of A, and of B, in each lane
  // Of 4 cycles, in which nothing else enters the matrix unit. Source: LLVM 19, SISchedule.td, Write2PassMAI and
  // others.
  constexpr int passes() const {
    if (item == MatrixItem::f64)
      return m == 16 ? 8 : 4;
    return m == 32 ? 16 : m == 16 ? 8 : 2;
  }
};

// MatrixItem::none: not a matrix operation.
constexpr Matrix matrix(Op op) {
  switch (op) {
#define MATRIX(mnemonic, items, m, k, blocks)                                                                          \
  case Op::mnemonic: return {MatrixItem::items, m, m, k, blocks};
#include "isa/rows/matrix.inc"
#undef MATRIX
  default: return {};
  }
}
constexpr bool is_matrix(Op op) { return matrix(op).item != MatrixItem::none; }

} // namespace crosslane::isa
