// The lane picture against addresses counted by hand.
import { describe, expect, it } from "vitest";
import { bankPicture, laneGroups, linePicture, ranges } from "../src/lanes/picture";
import type { Example } from "../src/profile";

function example(base: string, offset: (lane: number) => number | null, more: Partial<Example> = {}): Example {
  return { workgroup: [0, 0, 0], wave: 0, lanes: "0xffffffffffffffff", base, offsets: Array.from({ length: 64 }, (_, l) => offset(l)), ...more };
}

describe("cache lines", () => {
  it("64 lanes of 4 bytes side by side are 256 bytes: 4 lines of 16 lanes", () => {
    const { lines, ideal, ofLane } = linePicture(example("0x7f0000001000", (l) => 4 * l), 4);
    expect(lines.map((l) => l.address)).toEqual([0x7f0000001000n, 0x7f0000001040n, 0x7f0000001080n, 0x7f00000010c0n]);
    expect(lines.map((l) => l.lanes.length)).toEqual([16, 16, 16, 16]);
    expect(ideal).toBe(4);
    expect(ofLane[0]).toEqual([0]);
    expect(ofLane[15]).toEqual([0]);
    expect(ofLane[16]).toEqual([1]);
  });

  it("a stride of 64 bytes is a line for each lane, where 4 would do", () => {
    const { lines, ideal } = linePicture(example("0x1000", (l) => 64 * l), 4);
    expect(lines).toHaveLength(64);
    expect(ideal).toBe(4);
    // Bytes 0 to 3 of each line are wanted, nothing else.
    expect([...lines[7]!.touched.entries()].filter(([, n]) => n > 0)).toEqual([[0, 1], [1, 1], [2, 1], [3, 1]]);
  });

  it("one address for all lanes is one line, and every byte is wanted 64 times", () => {
    const { lines, ideal } = linePicture(example("0x1010", () => 0), 4);
    expect(lines).toHaveLength(1);
    expect(lines[0]!.address).toBe(0x1000n);
    expect(lines[0]!.touched[16]).toBe(64);
    expect(lines[0]!.touched[20]).toBe(0);
    expect(ideal).toBe(1);
  });

  it("a start 2 bytes before the end of a line: lane 0 lies in two lines, and there are 5", () => {
    // 0x103e + 256 bytes = 0x103e to 0x113d: lines 0x1000, 0x1040, 0x1080, 0x10c0, 0x1100. Lane 16 is at 0x107e: lines 1 and 2.
    const { lines, ofLane, ideal } = linePicture(example("0x103e", (l) => 4 * l), 4);
    expect(lines).toHaveLength(5);
    expect(ofLane[0]).toEqual([0, 1]);
    expect(ofLane[1]).toEqual([1]);
    expect(ofLane[16]).toEqual([1, 2]);
    expect(ideal).toBe(4);
  });

  it("lanes that take no part reach nothing; 32 lanes of 16 bytes are 8 lines", () => {
    const { takesPart, lines, ofLane } = linePicture(example("0x2000", (l) => (l < 32 ? 16 * l : null), { lanes: "0x00000000ffffffff" }), 16);
    expect(takesPart.filter(Boolean)).toHaveLength(32);
    expect(takesPart[31]).toBe(true);
    expect(takesPart[32]).toBe(false);
    expect(lines).toHaveLength(8);
    expect(ofLane[40]).toEqual([]);
  });

  it("negative offsets lie before the base", () => {
    const { lines } = linePicture(example("0x1000", (l) => (l === 0 ? -4 : l === 1 ? 0 : null), { lanes: "0x3" }), 4);
    expect(lines.map((l) => l.address)).toEqual([0xfc0n, 0x1000n]);
  });
});

describe("LDS banks", () => {
  it("serves 32 lanes of 4 bytes, 16 of 8, and 8 of 16 bytes in two runs of 4", () => {
    expect(laneGroups(4).map(ranges)).toEqual(["0–31", "32–63"]);
    expect(laneGroups(1)).toEqual(laneGroups(4));
    expect(laneGroups(8).map(ranges)).toEqual(["0–15", "16–31", "32–47", "48–63"]);
    expect(laneGroups(16).map(ranges)).toEqual(["0–3, 20–23", "4–7, 16–19", "8–11, 28–31", "12–15, 24–27", "32–35, 52–55", "36–39, 48–51", "40–43, 60–63", "44–47, 56–59"]);
  });

  it("a row of dwords has no conflict", () => {
    const p = bankPicture(example("0x0", (l) => 4 * l), 4, "load");
    expect([p.cycles, p.ideal]).toEqual([2, 2]);
    expect(p.ofLane[33]).toEqual([1]); // byte 132 is dword 33, bank 1
  });

  it("a column of a tile 32 wide is one bank: 32 cycles for each half", () => {
    const p = bankPicture(example("0x0", (l) => 128 * (l % 32) + 4 * (l >> 5)), 4, "load");
    expect(p.cycles).toBe(64);
    expect(p.worst).toEqual({ group: 0, bank: 0, cycles: 32 });
    expect(p.groups[1]!.degrees[1]).toBe(32); // lanes 32 to 63 read the next column
    expect(p.groups[0]!.banks[0]!.slice(0, 2)).toEqual([{ dword: 0, lanes: [0] }, { dword: 32, lanes: [1] }]);
  });

  it("a column of a tile 33 wide has no conflict", () => {
    expect(bankPicture(example("0x0", (l) => 132 * (l % 32)), 4, "load").cycles).toBe(2);
  });

  it("lanes that read one dword share it; atomics on it go one after the other", () => {
    expect(bankPicture(example("0x0", () => 64), 4, "load").cycles).toBe(2);
    const atomic = bankPicture(example("0x0", () => 64), 4, "atomic");
    expect(atomic.cycles).toBe(64);
    expect(atomic.worst).toEqual({ group: 0, bank: 16, cycles: 32 }); // byte 64 is dword 16
  });

  it("8 bytes a lane side by side: 16 lanes fill the 32 banks once, 4 cycles in all", () => {
    const p = bankPicture(example("0x0", (l) => 8 * l), 8, "load");
    expect([p.cycles, p.ideal]).toEqual([4, 4]);
    expect(p.ofLane[1]).toEqual([2, 3]);
  });

  it("16 bytes a lane side by side: lanes 0-3 and 20-23 take banks 0-15 and 16-31, 8 cycles in all", () => {
    const p = bankPicture(example("0x0", (l) => 16 * l), 16, "load");
    expect([p.cycles, p.ideal]).toEqual([8, 8]);
    expect(p.ofLane[20]).toEqual([16, 17, 18, 19]); // byte 320 is dword 80, bank 16
  });

  it("a two-address instruction has a second access", () => {
    const two = example("0x0", (l) => 4 * l, { second: Array.from({ length: 64 }, (_, l) => 8 * l) });
    expect(bankPicture(two, 4, "load", 0).cycles).toBe(2);
    expect(bankPicture(two, 4, "load", 1).cycles).toBe(4); // stride 2: lanes 0 and 16 meet in bank 0
  });

  it("a group without a lane takes no cycle", () => {
    const p = bankPicture(example("0x0", (l) => (l < 32 ? 4 * l : null), { lanes: "0xffffffff" }), 4, "store");
    expect([p.cycles, p.ideal]).toEqual([1, 1]);
  });
});
