// Owns what the two panes hold and how they are linked: text, what each of its lines stands for, and the way from a source
// line to its instructions and back. No document: plain data that the unit tests check.
import type { Instruction, Kernel, Line, Profile } from "../profile";
import { functionName, shortAddress } from "../format";

/** A line of a pane's text; `row` is null where nothing was measured (a blank line, a function's name). */
export interface PaneRow {
  number: string; // what the first gutter shows
  row: Instruction | Line | null;
  /** Instruction index, or line of the source file; what a selection of this line means. */
  id: number;
}

export interface PaneModel {
  text: string;
  rows: PaneRow[];
  /** Line of the text (from 0) by instruction index or source line. */
  at: Map<number, number>;
}

/** The functions with their instructions; a branch says where it goes. */
export function disassemblyModel(kernel: Kernel): PaneModel {
  const text: string[] = [];
  const rows: PaneRow[] = [];
  const at = new Map<number, number>();
  let inside: string | null = null;
  for (const [index, instruction] of kernel.instructions.entries()) {
    if (instruction.function !== inside) {
      inside = instruction.function;
      text.push(`${functionName(kernel, inside)}:`);
      rows.push({ number: "", row: null, id: -1 });
    }
    const target = instruction.target == null ? undefined : kernel.instructions[instruction.target];
    at.set(index, rows.length);
    text.push(`  ${instruction.text}${target ? `  ; → ${shortAddress(target.address)}` : ""}`);
    rows.push({ number: shortAddress(instruction.address), row: instruction, id: index });
  }
  return { text: text.join("\n"), rows, at };
}

/** The file's text, or, where the text is not there, the lines that are known by number. */
export function sourceModel(profile: Profile, kernel: Kernel, file: number): PaneModel {
  const lines = new Map((kernel.lines ?? []).filter((l) => l.source[0] === file).map((l) => [l.source[1], l]));
  const content = profile.sources[file]?.text;
  if (content != null) {
    const text = content.replace(/\r\n?/g, "\n").replace(/\n$/, "");
    const count = text.split("\n").length;
    const rows = Array.from({ length: count }, (_, i): PaneRow => ({ number: String(i + 1), row: lines.get(i + 1) ?? null, id: i + 1 }));
    return { text, rows, at: new Map(rows.map((row, i) => [row.id, i])) };
  }
  const known = [...lines.values()].sort((a, b) => a.source[1] - b.source[1]);
  const rows = known.map((line): PaneRow => ({ number: String(line.source[1]), row: line, id: line.source[1] }));
  const text = known.map((line) => `${line.instructions.length} instruction${line.instructions.length === 1 ? "" : "s"}`);
  return { text: text.join("\n"), rows, at: new Map(rows.map((row, i) => [row.id, i])) };
}

/** Files that the kernel's instructions come from, most executed first. */
export function filesOf(kernel: Kernel): number[] {
  const executions = new Map<number, number>();
  for (const line of kernel.lines ?? []) executions.set(line.source[0], (executions.get(line.source[0]) ?? 0) + line.executions);
  return [...executions].sort((a, b) => b[1] - a[1]).map(([file]) => file);
}

export function lineOf(kernel: Kernel, [file, line]: readonly [number, number]): Line | undefined {
  return kernel.lines?.find((l) => l.source[0] === file && l.source[1] === line);
}

/** The source line of an instruction; null without line tables. */
export function sourceOf(kernel: Kernel, instruction: number | null): [number, number] | null {
  const source = instruction === null ? null : kernel.instructions[instruction]?.source;
  return source ? [source[0], source[1]] : null;
}

/** Of a line's instructions the one that a picture is worth most of: an access with the most to lose, else the hottest. */
export function mostTelling(kernel: Kernel, instructions: readonly number[]): number | null {
  const weight = (index: number) => {
    const i = kernel.instructions[index]!;
    const excess = (i.memory ?? []).reduce((sum, site) => sum + site.excess_lines, 0) + (i.lds?.conflict_cycles ?? 0);
    const pictured = i.lds?.worst || i.memory?.some((site) => site.worst) ? 1 : 0;
    return [pictured, excess, i.lost_lane_cycles ?? 0, i.executions];
  };
  let best: number | null = null;
  for (const index of instructions)
    if (kernel.instructions[index] && (best === null || compare(weight(index), weight(best)) > 0)) best = index;
  return best;
}

function compare(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((value, at) => value !== b[at]);
  return i < 0 ? 0 : a[i]! - b[i]!;
}

/** Lines of the pane from hottest to coldest; those that have nothing of the metric are left out. */
export function ranking(rows: readonly PaneRow[], value: (row: Instruction | Line) => number | null, lowFirst: boolean): number[] {
  const ranked = rows.flatMap((row, at) => {
    const v = row.row && (row.row.executions > 0 || !lowFirst) ? value(row.row) : null;
    return v === null || (v <= 0 && !lowFirst) ? [] : [[at, v] as const];
  });
  return ranked.sort((a, b) => (lowFirst ? a[1] - b[1] : b[1] - a[1]) || a[0] - b[0]).map(([at]) => at);
}
