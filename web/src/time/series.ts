// Owns what the tab of modelled time shows, as numbers: reasons and their words, columns beside the code, rates over time,
// rows of waves, and the roofline. No document: plain data that the unit tests check.
import { short } from "../format";
import type { Figures, Kernel, TimelineData, Timing } from "../profile";

export interface Reason {
  name: string;
  head: string;
  about: string;
  colour: string;
}

/** In the words of AMD's tools, from the bottom of the picture up. */
export const reasons: readonly Reason[] = [
  { name: "ISSUE", head: "issue", about: "an instruction is being issued", colour: "--good" },
  { name: "INTERNAL_INSTRUCTION", head: "internal", about: "s_nop, s_waitcnt and others that no unit takes", colour: "--class-message" },
  { name: "ALU_DEPENDENCY", head: "alu", about: "the wave's own last instruction takes longer", colour: "--class-salu" },
  { name: "ARBITER_NOT_WIN", head: "arbiter", about: "another wave has the unit", colour: "--quantity" },
  { name: "ARBITER_WIN_EX_STALL", head: "full", about: "the unit takes no more", colour: "--class-export" },
  { name: "NO_INSTRUCTION_AVAILABLE", head: "fetch", about: "its code is not there yet", colour: "--class-smem" },
  { name: "BARRIER_WAIT", head: "barrier", about: "others have not come to the barrier", colour: "--class-lds" },
  { name: "SLEEP_WAIT", head: "sleep", about: "s_sleep", colour: "--faint" },
  { name: "OTHER_WAIT", head: "other", about: "a counter holds no more, or stores have not arrived at the end", colour: "--class-flat" },
  { name: "WAITCNT", head: "wait", about: "s_waitcnt: memory has not answered", colour: "--loss" },
];

export function reasonOf(name: string): Reason {
  return reasons.find((r) => r.name === name) ?? { name, head: name.toLowerCase(), about: name, colour: "--faint" };
}

const total = (cycles: Record<string, number>) => Object.values(cycles).reduce((a, b) => a + b, 0);

/** Where cycles of waves went, by instruction: all of them, and each reason that took one in a hundred. */
export function timeFigures(kernel: Kernel, timing: Timing): Figures | null {
  const at = new Map(kernel.instructions.map((instruction, index) => [BigInt(instruction.address), index]));
  const all = total(timing.cycles_spent);
  const shown = Object.entries(timing.cycles_spent).filter(([, cycles]) => cycles >= 0.01 * all).sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const rows = timing.per_instruction.flatMap((row): number[][] => {
    const index = row.object_address === undefined ? undefined : at.get(BigInt(row.object_address));
    return index === undefined ? [] : [[index, total(row.cycles), ...shown.map((name) => row.cycles[name] ?? 0)]];
  });
  if (!rows.length) return null;
  const most = shown.filter((name) => name !== "ISSUE" && name !== "INTERNAL_INSTRUCTION").slice(0, 2);
  return {
    view: "time", beside_code: true, rows,
    columns: [
      { name: "cycles", unit: "cycles", about: `Modelled on ${timing.card}: cycles of all waves at this place` },
      ...shown.map((name) => ({ name: reasonOf(name).head, unit: "cycles", about: `${name}: ${reasonOf(name).about}`, quiet: !most.includes(name) })),
    ],
  };
}

/** 16.2e9 and "B/s" -> "16.2 GB/s". */
export function withUnit(value: number, unit: string): string {
  const [, number, prefix] = /^([-\d.]+)(\D?)$/.exec(short(value)) ?? ["", String(value), ""];
  return `${number} ${prefix}${unit}`;
}

export interface Curve {
  name: string;
  colour: string;
  unit: string;
  values: number[]; // by bin
}

/** Cycles of bin `i`: the last one may end behind the kernel. */
export function binCycles(timing: Timing, data: TimelineData, i: number): number {
  return Math.max(1, Math.min(data.bin_cycles, timing.cycles - i * data.bin_cycles));
}

const rates = (timing: Timing, data: TimelineData, amounts: readonly number[] | undefined, scale: number): number[] =>
  (amounts ?? []).map((amount, i) => (amount * scale) / binCycles(timing, data, i));

/** Waves that are there, by what they do: one curve on top of the other. */
export function waveCurves(timing: Timing, data: TimelineData): Curve[] {
  return reasons.flatMap(({ name, colour }) => (data.spent[name] ? [{ name, colour, unit: "waves", values: rates(timing, data, data.spent[name], 1) }] : []));
}

export function unitCurves(timing: Timing, data: TimelineData): Curve[] {
  const simds = timing.compute_units * timing.simds;
  const curve = (name: string, key: string, colour: string, units: number): Curve[] =>
    data.series[key]?.some((n) => n > 0) ? [{ name, colour, unit: "%", values: rates(timing, data, data.series[key], 100 / units) }] : [];
  return [
    ...curve("VALU", "valu", "--class-valu", simds), ...curve("matrix", "matrix", "--class-export", simds), ...curve("SALU", "salu", "--class-branch", simds),
    ...curve("vector memory", "vector_memory", "--class-vmem", timing.compute_units), ...curve("LDS", "lds", "--class-lds", timing.compute_units),
  ];
}

export function bandwidthCurves(timing: Timing, data: TimelineData): Curve[] {
  const gigabytes = timing.mhz * 1e-3;
  const { l2_hits = [], l2_misses = [], bytes_read, bytes_written } = data.series;
  return [
    { name: "L2", colour: "--quantity", unit: "GB/s", values: rates(timing, data, l2_hits.map((hits, i) => hits + (l2_misses[i] ?? 0)), 64 * gigabytes) },
    { name: "memory read", colour: "--loss", unit: "GB/s", values: rates(timing, data, bytes_read, gigabytes) },
    { name: "memory written", colour: "--class-lds", unit: "GB/s", values: rates(timing, data, bytes_written, gigabytes) },
  ];
}

/** A row of the picture of waves: the places of a SIMD unit. */
export interface SimdRow {
  engine: number;
  unit: number;
  simd: number;
  /** Indices of `waves`. */
  waves: number[];
}

export function simdRows(data: TimelineData): SimdRow[] {
  const rows = new Map<string, SimdRow>();
  data.waves.forEach(([engine, unit, simd], index) => {
    const key = `${engine}:${unit}:${simd}`;
    let row = rows.get(key);
    if (!row) rows.set(key, (row = { engine, unit, simd, waves: [] }));
    row.waves.push(index);
  });
  return [...rows.values()].sort((a, b) => a.engine - b.engine || a.unit - b.unit || a.simd - b.simd);
}

/** At most `most` round numbers from `from` to `to`. */
export function ticks(from: number, to: number, most: number): number[] {
  const rough = (to - from) / Math.max(1, most);
  if (!(rough > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * (1 - 1e-9)) ?? 10 * power;
  const list: number[] = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to + step * 1e-9; n++) list.push(n * step || 0); // never -0
  return list;
}

export type Range = readonly [from: number, to: number];

/** The range by `factor` of its width around `centre`, within [0, end] and no narrower than `least`. */
export function zoomed([from, to]: Range, centre: number, factor: number, end: number, least: number): Range {
  const width = Math.min(end, Math.max(least, (to - from) * factor));
  return within([centre - ((centre - from) / (to - from)) * width, 0], width, end);
}

export function moved([from, to]: Range, by: number, end: number): Range {
  return within([from + by, 0], to - from, end);
}

function within([from]: Range, width: number, end: number): Range {
  const start = Math.max(0, Math.min(from, end - width));
  return [start, start + width];
}

export interface Roofline {
  flops: number; // of the launch
  bytes: number; // that memory moved
  seconds: number; // without what a launch takes by itself
  intensity: number; // flops a byte
  rate: number; // flops a second
  double: boolean; // most of them are of 64 bits
}

/** Null: the kernel computes nothing on floats, or its lanes are not known. */
export function roofline(kernel: Kernel, timing: Timing): Roofline | null {
  const at = new Map(kernel.instructions.map((instruction) => [BigInt(instruction.address), instruction]));
  let flops = 0;
  let double = 0;
  for (const row of timing.per_instruction) {
    if (!row.flops || row.object_address === undefined) continue;
    const instruction = at.get(BigInt(row.object_address));
    const lanes = instruction?.lanes ?? 64 * row.issued;
    const here = row.flops[0] * lanes + row.flops[1] * row.issued;
    flops += here;
    if (/_f64/.test(row.instruction.split(" ")[0]!)) double += here;
  }
  const bytes = timing.memory.bytes_read + timing.memory.bytes_written;
  const seconds = timing.cycles / (timing.mhz * 1e6);
  if (!flops || !seconds) return null;
  return { flops, bytes, seconds, intensity: flops / Math.max(bytes, 64), rate: flops / seconds, double: double > flops / 2 };
}
