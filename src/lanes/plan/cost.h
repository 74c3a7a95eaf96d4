// Owns what a step costs on a CPU: lanes/plan/costs.inc as an array that a constant expression can index cheaply.
#pragma once
#include "lanes/plan/instruction.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Cycles from operands to result; cycles for which it keeps its ports busy, summed over them; the ports that it waits
// for, one bit each: p0, p1, p5 or the floating-point pipes 0 to 3. Micro-operations that go to other ports as well do
// not count: they are not what limits it.
struct StepCost {
  float latency, occupancy;
  uint8_t ports;
};

enum class CostSource : uint8_t { document, llvm, instlat }; // see costs.inc; Zen 4 is all measured here

struct CostRow {
  Op op;
  uint8_t element, bytes;
  StepCost icelake;
  CostSource icelake_source;
  StepCost zen4;
};

namespace costs {
enum IntelPorts : uint8_t { p0 = 1, p5 = 4, p01 = 3, p05 = 5, p15 = 6, p015 = 7 };
enum AmdPipes : uint8_t { f01 = 3, f12 = 6, f23 = 12, f012 = 7, f123 = 14, f0123 = 15 };

inline constexpr CostRow rows[] = {
#define CROSSLANE_COST(op, element, bytes, latency, busy, ports, source, latency4, busy4, pipes)                       \
  {Op::op, element, bytes, {latency, busy, ports}, CostSource::source, {latency4, busy4, pipes}},
#include "lanes/plan/costs.inc"
#undef CROSSLANE_COST
};

constexpr int index_of(int op, int element, int bytes) { return (op * 4 + log2_of(element)) * 3 + log2_of(bytes) - 4; }
using Table = std::array<StepCost, op_count * 4 * 3>;

// What is in no row is no instruction: dear enough that no plan takes it.
constexpr Table table_of(Cpu cpu) {
  Table t{};
  for (StepCost& c : t)
    c = {100, 100, 1};
  for (const CostRow& row : rows) {
    const Instruction& named = instructions[size_t(row.op)];
    for (int element = 1; element <= 8; element *= 2) {
      // The row of a dword serves where the size matters to a mask alone; the only row, where the operation has but one
      // size.
      const Step s{.op = row.op, .bytes = row.bytes, .element = uint8_t(element)};
      if (named_element(s) == row.element || (named.element == Element::only && element < 4 && row.element == 4))
        t[size_t(index_of(int(row.op), element, row.bytes))] = cpu == Cpu::icelake ? row.icelake : row.zen4;
    }
  }
  return t;
}
inline constexpr Table tables[] = {table_of(Cpu::icelake), table_of(Cpu::zen4)};
} // namespace costs

constexpr StepCost cost(Cpu cpu, const Step& s) {
  // A move with a mask is no longer a matter of renaming. What an extraction reads is what counts.
  const Op op = s.op == Op::move && s.masked ? Op::blend_mask : s.op;
  const int bytes = s.op != Op::extract ? s.bytes : s.bytes == 32 || s.imm >= 2 ? 64 : 32;
  return costs::tables[int(cpu)][size_t(costs::index_of(int(op), s.element, bytes))];
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
