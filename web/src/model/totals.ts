// Owns sums over a kernel's instructions. What was not collected is null, and stays null: it is not 0.
import type { Instruction, Kernel, Line } from "../profile";

export interface KernelTotals {
  /** Mean active lanes of instructions that have lanes, 0 to 1. */
  activeShare: number | null;
  /** Excess cache lines of all lines. */
  excessShare: number | null;
  /** Conflict cycles of all LDS cycles. */
  conflictShare: number | null;
}

/** Classes that are issued for each lane. */
export const laneClasses: ReadonlySet<string> = new Set(["valu", "vmem", "flat", "lds", "export"]);

export function kernelTotals(kernel: Kernel): KernelTotals {
  const vector = kernel.instructions.filter((i) => laneClasses.has(i.class) && i.lanes != null);
  const sites = kernel.instructions.flatMap((i) => i.memory ?? []).filter((site) => site.space !== "scalar");
  const lds = kernel.instructions.flatMap((i) => i.lds ?? []);
  return {
    activeShare: ratio(sum(vector, (i) => i.lanes ?? 0), 64 * sum(vector, (i) => i.executions)),
    excessShare: ratio(sum(sites, (s) => s.excess_lines), sum(sites, (s) => s.lines)),
    conflictShare: ratio(sum(lds, (s) => s.conflict_cycles), sum(lds, (s) => s.cycles)),
  };
}

/** The same of a line: null if it has none. */
export function linesActiveShare(kernel: Kernel, { instructions }: Line): number | null {
  const vector = instructions.flatMap((index) => kernel.instructions[index] ?? []).filter((i) => laneClasses.has(i.class) && i.lanes != null);
  return ratio(sum(vector, (i) => i.lanes ?? 0), 64 * sum(vector, (i) => i.executions));
}

/** Histogram of active lanes, index 0 to 64, of vector instructions; null if it was not collected. */
export function activeHistogram(instructions: readonly Instruction[]): number[] | null {
  const bins = new Array<number>(65).fill(0);
  let any = false;
  for (const { active, class: kind } of instructions) {
    if (!active || !laneClasses.has(kind)) continue;
    any = true;
    for (const [lanes, waves] of active) bins[lanes]! += waves;
  }
  return any ? bins : null;
}

export function sum<T>(rows: readonly T[], value: (row: T) => number): number {
  return rows.reduce((total, row) => total + value(row), 0);
}

function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
