// Owns what a step costs on a CPU: lanes/plan/costs.inc as an array that a constant expression can index cheaply.
#pragma once
#include "lanes/plan/instruction.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {

// Cycles from operands to result; cycles for which it keeps its ports busy, summed over them; the ports that it waits
// for, one bit each: p0, p1, p5 or the floating-point pipes 0 to 3. Micro-operations that go to other ports as well do
// not count: they are not what limits it.
struct StepCost {
  float latency, occupancy;
  uint8_t ports;
};

// Of Ice Lake; see costs.inc for the others.
enum class CostSource : uint8_t { document, llvm, instlat };

struct CostRow {
  Op op;
  uint8_t element, bytes;
  CostSource icelake_source;
  StepCost icelake, zen4, zen5, golden_cove, zen3;
};

namespace costs {
enum IntelPorts : uint8_t { p0 = 1, p5 = 4, p01 = 3, p05 = 5, p15 = 6, p015 = 7 };
enum AmdPipes : uint8_t { f0 = 1, f1 = 2, f01 = 3, f12 = 6, f23 = 12, f012 = 7, f123 = 14, f0123 = 15 };

inline constexpr CostRow rows[] = {
#define CROSSLANE_COST(op, element, bytes, latency, busy, ports, source, latency4, busy4, pipes4, latency5, busy5,     \
                       pipes5, latency_g, busy_g, ports_g, latency3, busy3, pipes3)                                    \
  {Op::op,                                                                                                             \
   element,                                                                                                            \
   bytes,                                                                                                              \
   CostSource::source,                                                                                                 \
   {latency, busy, ports},                                                                                             \
   {latency4, busy4, pipes4},                                                                                          \
   {latency5, busy5, pipes5},                                                                                          \
   {latency_g, busy_g, ports_g},                                                                                       \
   {latency3, busy3, pipes3}},
#include "lanes/plan/costs.inc"
#undef CROSSLANE_COST
};

constexpr int index_of(int op, int element, int bytes) {
  return (op * 4 + __builtin_ctz(unsigned(element))) * 3 + __builtin_ctz(unsigned(bytes)) - 4;
}

// Of each operation, element and width the row, counted from 1; 0: it is no instruction.
struct RowNumbers {
  int16_t of[op_count * 4 * 3] = {};
};
inline constexpr RowNumbers row_numbers = [] {
  RowNumbers n;
  int16_t number = 0;
  for (const CostRow& row : rows) {
    ++number;
    const int op = int(row.op), bytes = row.bytes;
    n.of[index_of(op, row.element, bytes)] = number;
    // The row of a dword serves where the size matters to a mask alone.
    if (row.element == 4 && instructions[op].element == Element::only)
      n.of[index_of(op, 1, bytes)] = n.of[index_of(op, 2, bytes)] = number;
  }
  // The only row, where the operation has but one size.
  for (int op = 0; op < op_count; ++op) {
    const int only = named_element({.op = Op(op), .bytes = 16, .element = 1}), other = only == 8 ? 4 : 8;
    if (instructions[op].element == Element::own || named_element({.op = Op(op), .element = uint8_t(other)}) == other)
      continue;
    for (int bytes = 16; bytes <= 64; bytes *= 2)
      for (int element = 1; element <= 8; element *= 2)
        n.of[index_of(op, element, bytes)] = n.of[index_of(op, only, bytes)];
  }
  return n;
}();
} // namespace costs

constexpr StepCost cost(Cpu cpu, const Step& s) {
  // A move with a mask is no longer a matter of renaming. What an extraction reads is what counts.
  const Op op = s.op == Op::move && s.masked ? Op::blend_mask : s.op;
  const int bytes = s.op != Op::extract ? s.bytes : s.bytes == 32 || s.imm >= 2 ? 64 : 32;
  const int number = costs::row_numbers.of[costs::index_of(int(op), s.element, bytes)];
  if (!number) // no instruction: dear enough that no plan takes it
    return {100, 100, 1};
  const CostRow& row = costs::rows[number - 1];
  switch (cpu) {
  case Cpu::icelake: return row.icelake;
  case Cpu::zen3: return row.zen3;
  case Cpu::zen4: return row.zen4;
  case Cpu::zen5: return row.zen5;
  case Cpu::sapphirerapids:
  case Cpu::alderlake: break;
  }
  // Golden Cove: masks of bytes and words take two cycles more (LLVM; measured: vpermb {z} 5). The row of a selection
  // has them.
  StepCost c = row.golden_cove;
  if (s.masked && s.element <= 2 && op != Op::blend_mask)
    c.latency += 2;
  return c;
}

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
