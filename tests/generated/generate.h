// Owns writing random kernels: the same seed gives the same kernel on every machine. Every kernel is defined by
// construction: bounds, races, uninitialised values and undefined arithmetic cannot occur, and barriers are reached by
// all or by none.
#pragma once
#include "tests/generated/program.h"

namespace crosslane::generated {

Kernel generate(uint64_t seed, const std::string& name);

// Not random: each operation of the table by itself, on loaded values, into a slot of its own; kernels 0 to
// operation_kernels() - 1 have them all.
Kernel operations_kernel(uint64_t index, const std::string& name);
uint64_t operation_kernels();

// What a kernel may count on; whoever launches it must provide it.
inline constexpr uint32_t input_bytes = 16384; // `in`
inline constexpr uint32_t table_words = 64;    // `table`
inline constexpr uint32_t shared_words = 64;   // `shared` and `shared64`
// `own` and `own64` hold one word for each work-item.

} // namespace crosslane::generated
