// Moving through a recording: pure functions from a position to a position, for buttons and keys alike.
import { firstAfter } from "./recording";
import type { Recording, RegisterName } from "./recording";

/** A register, or one lane of it, that is being followed. */
export interface Selection {
  register: RegisterName;
  lane?: number | undefined;
}

export function clamp(recording: Recording, position: number): number {
  return Math.max(0, Math.min(recording.length, Math.trunc(position)));
}

export function nextOf(sorted: readonly number[], position: number): number | null {
  return sorted[firstAfter(sorted, position)] ?? null;
}

export function previousOf(sorted: readonly number[], position: number): number | null {
  return sorted[firstAfter(sorted, position - 1) - 1] ?? null;
}

/** The next execution of an instruction after (or before) a position; goes round at the end. */
export function nextExecution(recording: Recording, instruction: number, position: number, backwards = false): number | null {
  const positions = recording.executionsOf(instruction);
  if (backwards) return previousOf(positions, position) ?? positions[positions.length - 1] ?? null;
  return nextOf(positions, position) ?? positions[0] ?? null;
}

/** Instructions whose text, function or source line has the words of the query, all of them. */
export function matchingInstructions(recording: Recording, query: string, sourceText: (instruction: number) => string): Set<number> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Set<number>();
  if (words.length === 0) return found;
  recording.instructions.forEach((instruction, index) => {
    const text = `${instruction.text} ${sourceText(index)}`.toLowerCase();
    if (words.every((word) => text.includes(word))) found.add(index);
  });
  return found;
}

/** The next step whose instruction is one of a set; goes round at the end. */
export function nextMatch(recording: Recording, instructions: ReadonlySet<number>, position: number, backwards = false): number | null {
  let best: number | null = null;
  let around: number | null = null;
  for (const instruction of instructions) {
    const positions = recording.executionsOf(instruction);
    const near = backwards ? previousOf(positions, position) : nextOf(positions, position);
    const end = positions[backwards ? positions.length - 1 : 0];
    if (near !== null && (best === null || (backwards ? near > best : near < best))) best = near;
    if (end !== undefined && (around === null || (backwards ? end > around : end < around))) around = end;
  }
  return best ?? around;
}

/** "17", "+5", "-5", "50%", "end"; null: not a position. */
export function parsePosition(recording: Recording, text: string, position: number): number | null {
  const trimmed = text.trim().replace(/[\s,_]/g, "");
  if (trimmed === "end") return recording.length;
  if (trimmed === "start") return 0;
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(trimmed);
  if (percent) return clamp(recording, Math.round((Number(percent[1]) / 100) * recording.length));
  if (!/^[+-]?\d+$/.test(trimmed)) return null;
  const number = Number(trimmed);
  return clamp(recording, /^[+-]/.test(trimmed) ? position + number : number);
}

/** "v3", "v3[5]", "exec", "s4": as in the address of the page. */
export function parseSelection(text: string): Selection | null {
  const match = /^((?:[vas]\d+)|exec|vcc|scc|m0)(?:\[(\d+)\])?$/.exec(text);
  if (!match?.[1]) return null;
  const lane = match[2] === undefined ? undefined : Number(match[2]);
  if (lane !== undefined && lane > 63) return null;
  return { register: match[1], lane };
}

export function selectionText(selection: Selection): string {
  return selection.lane === undefined ? selection.register : `${selection.register}[${selection.lane}]`;
}
