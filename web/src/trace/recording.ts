// Owns Recording: the state of the wavefront at every position of its trace.
//
// A position is a number of executed steps: 0 is the state before the first, `length` the one after the last. Each register
// has a column of its own: the positions at which it changed and what it then held. Its value at a position is a binary search in that
// column, so a jump to any position costs the same, backwards is exactly forwards, and "where did this change" needs no search of the steps.
import { accessesOf, lane_count, unpackLanes } from "./data";
import type { Trace, TraceAccess, TraceChanges, TraceInstruction, VectorValue } from "../profile";
import { population } from "./format";

/** "v0", "a0", "s0", "exec", "vcc", "scc", "m0". */
export type RegisterName = string;

class Column<T> {
  readonly positions: number[] = [];
  private readonly values: T[] = [];

  constructor(private readonly absent: T) {}

  add(position: number, value: T): void {
    this.positions.push(position);
    this.values.push(value);
  }

  /** Index of the last change at or before `position`; -1: none. */
  private find(position: number): number {
    return firstAfter(this.positions, position) - 1;
  }

  at(position: number): T {
    const found = this.find(position);
    return found < 0 ? this.absent : (this.values[found] as T);
  }

  replace(position: number, value: T): void {
    this.values[this.find(position)] = value;
  }
}

/** How many of the sorted numbers are not greater than `limit`. */
export function firstAfter(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface VectorChange {
  register: RegisterName;
  before: Uint32Array;
  after: Uint32Array;
  lanes: number[];
}
export interface ScalarChange {
  register: RegisterName;
  before: number;
  after: number;
}
export interface MaskChange {
  register: "exec" | "vcc";
  before: bigint;
  after: bigint;
}
export interface StepChanges {
  masks: MaskChange[];
  scalars: ScalarChange[];
  vectors: VectorChange[];
}

const zeros = new Uint32Array(lane_count);

export class Recording {
  readonly length: number;
  readonly instructions: readonly TraceInstruction[];
  /** Rows of the table of vector registers, and of the scalar ones. */
  readonly vectorNames: readonly RegisterName[];
  readonly scalarNames: readonly RegisterName[];
  /** Those that ever hold something else than 0. */
  readonly usedVectors: readonly RegisterName[];
  readonly usedScalars: readonly RegisterName[];
  /** Active lanes at each position. */
  readonly activeLanes: Uint8Array;

  private readonly vectors = new Map<RegisterName, Column<VectorValue | Uint32Array>>();
  private readonly scalars = new Map<RegisterName, Column<number>>();
  private readonly masks = { exec: new Column<bigint>(0n), vcc: new Column<bigint>(0n) };
  private readonly executions: number[][]; // by instruction: the positions just after it

  constructor(readonly raw: Trace) {
    this.length = raw.steps.length;
    this.instructions = raw.instructions;
    this.executions = raw.instructions.map(() => []);
    this.activeLanes = new Uint8Array(this.length + 1);
    this.take(0, raw.initial);
    let active = population(this.masks.exec.at(0));
    this.activeLanes[0] = active;
    raw.steps.forEach(([instruction, changes], step) => {
      this.executions[instruction]?.push(step + 1);
      if (changes !== 0) {
        this.take(step + 1, changes);
        if (changes.exec !== undefined) active = population(BigInt(changes.exec));
      }
      this.activeLanes[step + 1] = active;
    });
    const vectorKeys = [...this.vectors.keys()].sort(byNumber);
    const scalarKeys = [...this.scalars.keys()].filter((name) => /^s\d/.test(name)).sort(byNumber);
    this.usedVectors = vectorKeys;
    this.usedScalars = scalarKeys;
    this.vectorNames = [
      ...numbered("v", raw.vgpr_count, vectorKeys),
      ...numbered("a", raw.agpr_count ?? 0, vectorKeys),
    ];
    this.scalarNames = numbered("s", raw.sgpr_count, scalarKeys);
  }

  private take(position: number, changes: TraceChanges): void {
    for (const [key, value] of Object.entries(changes.v ?? {}))
      column(this.vectors, key.startsWith("a") ? key : `v${key}`, 0 as VectorValue | Uint32Array).add(position, value);
    for (const [key, value] of Object.entries(changes.s ?? {})) column(this.scalars, `s${key}`, 0).add(position, value);
    if (changes.scc !== undefined) column(this.scalars, "scc", 0).add(position, changes.scc);
    if (changes.m0 !== undefined) column(this.scalars, "m0", 0).add(position, changes.m0);
    if (changes.exec !== undefined) this.masks.exec.add(position, BigInt(changes.exec));
    if (changes.vcc !== undefined) this.masks.vcc.add(position, BigInt(changes.vcc));
  }

  /** The 64 values; not to be written. */
  vector(name: RegisterName, position: number): Uint32Array {
    const found = this.vectors.get(name);
    const value = found?.at(position) ?? 0;
    if (value instanceof Uint32Array) return value;
    if (value === 0) return zeros;
    const lanes = unpackLanes(value);
    found?.replace(position, lanes); // unpacked once
    return lanes;
  }

  /** SGPRs, "scc" and "m0". */
  scalar(name: RegisterName, position: number): number {
    return this.scalars.get(name)?.at(position) ?? 0;
  }

  mask(name: "exec" | "vcc", position: number): bigint {
    return this.masks[name].at(position);
  }

  /** Index in `instructions` of the one whose effect a position shows; -1 at the start. */
  instructionAt(position: number): number {
    return this.raw.steps[position - 1]?.[0] ?? -1;
  }

  /** Positions just after each execution of an instruction. */
  executionsOf(instruction: number): readonly number[] {
    return this.executions[instruction] ?? [];
  }

  accessesAt(position: number): TraceAccess[] {
    const step = this.raw.steps[position - 1];
    return step ? accessesOf(step[1]) : [];
  }

  /** What the step that ends at `position` changed, with the values before. */
  changesAt(position: number): StepChanges {
    const changes: StepChanges = { masks: [], scalars: [], vectors: [] };
    const raw = this.raw.steps[position - 1]?.[1];
    if (!raw) return changes;
    for (const register of ["exec", "vcc"] as const) {
      if (raw[register] !== undefined)
        changes.masks.push({ register, before: this.mask(register, position - 1), after: this.mask(register, position) });
    }
    const scalars = Object.keys(raw.s ?? {}).map((key) => `s${key}`);
    scalars.sort(byNumber);
    if (raw.scc !== undefined) scalars.push("scc");
    if (raw.m0 !== undefined) scalars.push("m0");
    for (const register of scalars)
      changes.scalars.push({ register, before: this.scalar(register, position - 1), after: this.scalar(register, position) });
    const vectors = Object.keys(raw.v ?? {}).map((key) => (key.startsWith("a") ? key : `v${key}`));
    for (const register of vectors.sort(byNumber)) {
      const before = this.vector(register, position - 1);
      const after = this.vector(register, position);
      changes.vectors.push({ register, before, after, lanes: differing(before, after) });
    }
    return changes;
  }

  /** Positions at which a register changed, the first state not among them; of one lane, if it is given (of masks: the bit). */
  changesOf(register: RegisterName, lane?: number): readonly number[] {
    const whole = (this.positionsOf(register) ?? []).filter((position) => position > 0);
    if (lane === undefined) return whole;
    if (this.vectors.has(register))
      return whole.filter((at) => this.vector(register, at)[lane] !== this.vector(register, at - 1)[lane]);
    if (register === "exec" || register === "vcc") {
      const bit = 1n << BigInt(lane);
      return whole.filter((at) => ((this.mask(register, at) ^ this.mask(register, at - 1)) & bit) !== 0n);
    }
    return whole;
  }

  private positionsOf(register: RegisterName): readonly number[] | undefined {
    if (register === "exec" || register === "vcc") return this.masks[register].positions;
    return (this.vectors.get(register) ?? this.scalars.get(register))?.positions;
  }
}

function differing(before: Uint32Array, after: Uint32Array): number[] {
  const lanes: number[] = [];
  for (let lane = 0; lane < lane_count; lane++) if (before[lane] !== after[lane]) lanes.push(lane);
  return lanes;
}

function column<T>(columns: Map<RegisterName, Column<T>>, name: RegisterName, absent: T): Column<T> {
  let found = columns.get(name);
  if (!found) columns.set(name, (found = new Column<T>(absent)));
  return found;
}

function byNumber(a: RegisterName, b: RegisterName): number {
  if (a[0] !== b[0]) return a[0] === "v" ? -1 : b[0] === "v" ? 1 : a < b ? -1 : 1;
  return Number(a.slice(1)) - Number(b.slice(1));
}

// All that were allocated, and any beyond that the trace has nevertheless (trap registers).
function numbered(prefix: string, count: number, present: readonly RegisterName[]): RegisterName[] {
  const names = Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  return names.concat(present.filter((name) => name.startsWith(prefix) && Number(name.slice(1)) >= count));
}
