// Owns the geometry of the 64-lane picture: which cache lines or LDS banks the lanes of an example reach. Worked out from
// the addresses alone, by the rules of views/memory.h and views/lds.h.
import type { AccessKind, Example } from "../profile";

export const lineBytes = 64;
export const bankCount = 32;

export interface CacheLine {
  address: bigint;
  lanes: number[];
  /** Lanes that touch each of its bytes. */
  touched: Uint8Array;
}

export interface LinePicture {
  takesPart: boolean[];
  lines: CacheLine[]; // by address
  /** Indices in `lines` of each lane. */
  ofLane: number[][];
  /** Lines that the same distinct bytes would take side by side. */
  ideal: number;
}

export function linePicture(example: Example, bytes: number): LinePicture {
  const base = BigInt(example.base);
  const skew = Number(base % 64n);
  const origin = base - BigInt(skew);
  const found = new Map<number, CacheLine>();
  const distinct = new Set<number>();
  for (const [lane, offset] of example.offsets.entries()) {
    if (offset === null) continue;
    for (let byte = offset; byte < offset + bytes; byte++) {
      const index = Math.floor((skew + byte) / lineBytes);
      let line = found.get(index);
      if (!line) found.set(index, (line = { address: origin + BigInt(index) * 64n, lanes: [], touched: new Uint8Array(lineBytes) }));
      if (line.lanes.at(-1) !== lane) line.lanes.push(lane);
      line.touched[skew + byte - index * lineBytes]!++;
      distinct.add(byte);
    }
  }
  const lines = [...found].sort((a, b) => a[0] - b[0]).map(([, line]) => line);
  const ofLane: number[][] = Array.from({ length: 64 }, () => []);
  lines.forEach((line, index) => line.lanes.forEach((lane) => ofLane[lane]!.push(index)));
  return { takesPart: takesPart(example), lines, ofLane, ideal: Math.ceil(distinct.size / lineBytes) };
}

/** Lanes of one dword in a bank. */
export interface BankDword {
  dword: number; // byte offset / 4
  lanes: number[];
}

export interface LaneGroup {
  lanes: number[];
  /** By bank: the different dwords that the group's lanes want of it. */
  banks: BankDword[][];
  /** Cycles of each bank. */
  degrees: number[];
  /** Of the fullest one. */
  cycles: number;
}

export interface BankPicture {
  takesPart: boolean[];
  groups: LaneGroup[];
  /** Group and bank with the most cycles. */
  worst: { group: number; bank: number; cycles: number } | null;
  cycles: number;
  /** A cycle for each group with a lane. */
  ideal: number;
  /** Banks of each lane. */
  ofLane: number[][];
}

/** The lanes that LDS serves together, by the bytes of a lane's access. */
export function laneGroups(bytes: number): number[][] {
  const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
  if (bytes <= 4) return [range(0, 32), range(32, 32)];
  if (bytes <= 8) return [range(0, 16), range(16, 16), range(32, 16), range(48, 16)];
  const pairs = [[0, 20], [4, 16], [8, 28], [12, 24]] as const;
  return [0, 32].flatMap((start) => pairs.map(([a, b]) => [...range(start + a, 4), ...range(start + b, 4)]));
}

/** `which`: the first or the second address of a two-address instruction, each an access of its own. */
export function bankPicture(example: Example, bytes: number, kind: AccessKind, which: 0 | 1 = 0): BankPicture {
  const base = Number(BigInt(example.base));
  const offsets = (which === 1 ? example.second : example.offsets) ?? [];
  const ofLane: number[][] = Array.from({ length: 64 }, () => []);
  const groups = laneGroups(bytes).map((members): LaneGroup => {
    const banks: BankDword[][] = Array.from({ length: bankCount }, () => []);
    const lanes = members.filter((lane) => offsets[lane] != null);
    for (const lane of lanes) {
      const first = base + offsets[lane]!;
      for (let dword = Math.floor(first / 4); dword <= Math.floor((first + bytes - 1) / 4); dword++) {
        const bank = dword % bankCount;
        const there = banks[bank]!.find((d) => d.dword === dword);
        if (there) there.lanes.push(lane);
        else banks[bank]!.push({ dword, lanes: [lane] });
        if (!ofLane[lane]!.includes(bank)) ofLane[lane]!.push(bank);
      }
    }
    // Lanes share a dword, but atomics on it go one after the other.
    const degrees = banks.map((dwords) => dwords.reduce((sum, d) => sum + (kind === "atomic" ? d.lanes.length : 1), 0));
    return { lanes, banks, degrees, cycles: Math.max(...degrees) };
  });
  let worst: BankPicture["worst"] = null;
  for (const [group, { degrees, cycles }] of groups.entries())
    if (cycles > (worst?.cycles ?? 0)) worst = { group, bank: degrees.indexOf(cycles), cycles };
  return {
    takesPart: takesPart(example), groups, worst, ofLane, cycles: groups.reduce((sum, g) => sum + g.cycles, 0),
    ideal: groups.filter((g) => g.lanes.length).length,
  };
}

function takesPart(example: Example): boolean[] {
  const mask = BigInt(example.lanes);
  return Array.from({ length: 64 }, (_, lane) => ((mask >> BigInt(lane)) & 1n) === 1n);
}

/** "0–31", "0–3, 20–23": lanes as ranges. */
export function ranges(lanes: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < lanes.length; ) {
    let end = i;
    while (end + 1 < lanes.length && lanes[end + 1] === lanes[end]! + 1) end++;
    parts.push(end > i ? `${lanes[i]}–${lanes[end]}` : `${lanes[i]}`);
    i = end + 1;
  }
  return parts.join(", ");
}
