// Owns LLVM as an oracle: a row's meaning as a few lines of LLVM IR, evaluated by LLVM's own constant folder, whose
// floats are APFloat: software, neither the host's nor ours. The IR is the row's definition in a second language.
//
// In a body %a, %b, %c are the sources, %old the old destination and %mask the mask source, typed as the row types
// them; it defines %r, the value, and %f, the flag; where it defines %skip, and that is true, or %open in a mode that
// flushes, any value will do. `;` ends a line. $R stands for the rounding mode and exception arguments of
// llvm.experimental.constrained.*, $E for the IEEE bit; in family() $T, $S, $I and $M are float type, its row suffix,
// the integer type of its width and the bits of its mantissa.
#pragma once
#include "tests/semantics/check.h"
#include <string>
#include <vector>

namespace crosslane::test {

// Which modes a row is tested in besides the first of float_modes.
enum Modes : unsigned {
  plain = 0,
  rounds = 1,  // in all four rounding modes
  flushes = 2, // with denormals of sources and result flushed
  ieee = 4,    // with the IEEE bit
  partial = 8, // InstCombine has no answer for many inputs; for some it must
};

struct Fold {
  std::string row, body;
  unsigned modes = plain;
};

// One copy of the list per row suffix: f16, f32, f64.
std::vector<Fold> family(std::initializer_list<const char*> suffixes, const std::vector<Fold>& list);

// Every row against LLVM's folder, on edges and random inputs. Fails where LLVM has no answer.
void expect_folds(std::span<const Fold> list, int random = 2000);
// The same, but the body is a call that only InstCombine for amdgcn folds: all inputs become one function.
void expect_combines(std::span<const Fold> list, int random = 1000);

} // namespace crosslane::test
