// What the lanes of one access touch, in rows of memory: cache lines of 64 bytes, or rows of the 32 banks of LDS.
import type { TraceAccess } from "../profile";

export interface FootprintRow {
  address: bigint;
  /** By word of 4 bytes: the lanes that touch it. */
  words: number[][];
}

export interface Footprint {
  rowBytes: number;
  rows: FootprintRow[]; // by address
  lanes: { lane: number; address: bigint; second?: bigint }[];
}

export function footprint(access: TraceAccess): Footprint {
  const rowBytes = access.space === "lds" ? 128 : 64;
  const base = BigInt(access.base);
  const rows = new Map<bigint, FootprintRow>();
  const lanes: Footprint["lanes"] = [];
  const touch = (lane: number, address: bigint) => {
    const lastWord = (address + BigInt(Math.max(1, access.bytes)) - 1n) >> 2n;
    for (let word = address >> 2n; word <= lastWord; word++) {
      const start = ((word << 2n) / BigInt(rowBytes)) * BigInt(rowBytes);
      let row = rows.get(start);
      if (!row) rows.set(start, (row = { address: start, words: Array.from({ length: rowBytes / 4 }, () => []) }));
      const cell = row.words[Number(((word << 2n) - start) >> 2n)]!;
      if (cell[cell.length - 1] !== lane) cell.push(lane);
    }
  };
  access.offsets.forEach((offset, lane) => {
    if (offset === null) return;
    const address = base + BigInt(offset);
    touch(lane, address);
    const other = access.second?.[lane];
    if (other === null || other === undefined) lanes.push({ lane, address });
    else {
      lanes.push({ lane, address, second: base + BigInt(other) });
      touch(lane, base + BigInt(other));
    }
  });
  return { rowBytes, rows: [...rows.values()].sort((a, b) => (a.address < b.address ? -1 : 1)), lanes };
}
