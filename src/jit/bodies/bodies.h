// Owns the library that the JIT stitches code of: every row of vector and scalar arithmetic and every step of staging
// as a function of values, in LLVM bitcode, made when crosslane is built from the source of the interpreter's handlers
// (engine/values/).
//
//   v16.<mnemonic>, s1.<mnemonic>     VOP1, VOP2, VOPC, VOP3 and VOP3P, of 16 lanes and of one: the sources, the old
//                                     destination if the row reads it, the mask if it has one, i32 MODE
//   v16.<mnemonic>.clamped, s1...     ... integer operations with CLAMP
//   salu.<mnemonic>                   SOP1, SOP2, SOPC, SOPK: the sources, the immediate last, the old destination if
//   the
//                                     row reads it, i1 SCC if the row reads it
//   v16.stage.<name>, s1.stage.<name> (v: a dword a lane, all others i32)
//     bits(v, keep, flip)  field_u(v, left, right)  field_s(v, left, right)  halves(v, low, high): each 0 or 1
//     half_to_float(v)     put_overflow(v, truncated v)
//     put_field.preserve, .pad, .sext(old v, v, field, shift, above)
//     put_float.f32, .f16, .f64, .pkf16, .pkf32(v, omod, clamp, mode): v and result as a row's of that type
//
// A value has the type of its row, as an integer: <16 x i16>, <16 x i32>, <16 x i64>, a mask <16 x i1>; of one lane
// i16, i32, i64, i1. A function returns the value; { value, mask or SCC } (semantics::Pair); or, of a compare, the
// mask. MXCSR holds the modes of the operation's type while it runs. Floating point is constrained, with dynamic
// rounding: no pass folds it against MODE. Callers are strictfp.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace crosslane::jit {

// Of a level ("v3", "v4"); empty: none is made for it.
std::span<const uint8_t> bodies(std::string_view level);

} // namespace crosslane::jit
