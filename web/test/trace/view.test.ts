// What the viewer's components compute before anything is drawn.
import { describe, expect, test } from "vitest";
import { loopTrace, vectorAddTrace, vector_add_source } from "../../fixtures/trace";
import { footprint } from "../../src/trace/footprint";
import { populationPath } from "../../src/trace/Timeline";
import { rowsOf, sourceText } from "../../src/trace/Listing";
import { Recording } from "../../src/trace/recording";
import { scrollTo, visible } from "../../src/trace/viewport";

describe("footprint of an access", () => {
  const offsets = (of: (lane: number) => number | null) => Array.from({ length: 64 }, (_, lane) => of(lane));
  const access = { space: "global", kind: "load" as const, bytes: 4, lanes: "0xffffffffffffffff", base: "0x7f0000001020" };
  test("64 lanes of 4 bytes from the middle of a line: five lines of 64 bytes", () => {
    const { rows, rowBytes } = footprint({ ...access, offsets: offsets((lane) => 4 * lane) });
    expect(rowBytes).toBe(64);
    // 0x1020 to 0x111f: lines 0x1000, 0x1040, 0x1080, 0x10c0, 0x1100
    expect(rows.map((row) => row.address.toString(16))).toEqual(["7f0000001000", "7f0000001040", "7f0000001080", "7f00000010c0", "7f0000001100"]);
    expect(rows[0]!.words.map((who) => who.join())).toEqual(["", "", "", "", "", "", "", "", "0", "1", "2", "3", "4", "5", "6", "7"]);
    expect(rows[4]!.words[7]).toEqual([63]);
    expect(rows[4]!.words[8]).toEqual([]);
  });
  test("lanes that take no part, a shared word, 16 bytes a lane", () => {
    const { rows, lanes } = footprint({ ...access, base: "0x0", bytes: 16, offsets: offsets((lane) => (lane < 2 ? 48 : null)) });
    expect(lanes.map(({ lane }) => lane)).toEqual([0, 1]);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.words.map((who) => who.length)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2]);
  });
  test("a misaligned word reaches the next line", () => {
    expect(footprint({ ...access, base: "0x3e", offsets: offsets((lane) => (lane ? null : 0)) }).rows.map((row) => Number(row.address))).toEqual([0, 64]);
  });
  test("LDS has rows of 32 banks, and instructions with two addresses", () => {
    const { rows, rowBytes } = footprint({
      ...access, space: "lds", base: "0x0", offsets: offsets((lane) => (lane ? null : 124)), second: offsets((lane) => (lane ? null : 128)),
    });
    expect(rowBytes).toBe(128);
    expect(rows.map((row) => [Number(row.address), row.words.findIndex((who) => who.length > 0)])).toEqual([[0, 31], [128, 0]]);
  });
});

describe("the vector_add trace", () => {
  const recording = new Recording(vectorAddTrace());
  test("source lines head their instructions", () => {
    const rows = rowsOf(recording, [vector_add_source]);
    expect(rows.slice(0, 3)).toEqual([
      { kind: "source", line: 5, text: "if (i < n)" },
      { kind: "code", index: 0 },
      { kind: "source", line: 6, text: "a[i] = b[i] + c[i];" },
    ]);
    expect(rows.filter((row) => row.kind === "code")).toHaveLength(14);
    expect(rows.some((row) => row.kind === "function")).toBe(false); // there is only one
  });
  test("of assembly only lines that say more than the instruction", () => {
    const text = ["", "", "", "", "start: v_cmp_gt_u32 vcc, s0, v0", "  load_element // a macro", "s_endpgm"].join("\n");
    const rows = rowsOf(recording, [{ path: "a.s", language: "assembly", text }]);
    expect(rows.filter((row) => row.kind === "source").map((row) => row.line)).toEqual([5, 6, 5, 6]);
    // Of the runs of line 5 the third begins with s_waitcnt, which is not what that line says; line 7 is s_endpgm itself.
  });
  test("a source that was not there is named", () => {
    expect(sourceText([0, 3, 0], [{ path: "/a/b.cl", text: null }])).toBe("b.cl");
    expect(sourceText(null, [])).toBe("");
    expect(sourceText([7, 1, 0], [])).toBe("");
  });
});

test("the population of a long trace keeps its least and its most in every pixel", () => {
  const active = new Uint8Array(20001).fill(64);
  active[12345] = 1; // one divergent step in 20,000
  const path = populationPath(active);
  expect(path.split("L").length).toBeLessThan(3100);
  expect(path).toContain("L617.0 31.5"); // floor(12345 / 20.001) = 617; 32 * (1 - 1 / 64) = 31.5
});

test("a long loop", () => {
  const recording = new Recording(loopTrace(20000));
  expect(recording.vector("v1", 15000)[2]).toBe(2 + 7500 * 64);
  expect(recording.scalar("s0", 15000)).toBe(7500);
  expect(recording.activeLanes[15000]).toBe(64 - (75 % 64));
  expect(recording.changesOf("v1", 2)).toHaveLength(10000);
});

test("windows of long lists", () => {
  expect(visible(0, 100, 20, 1000, 2)).toEqual([0, 7]);
  expect(visible(200, 100, 20, 1000, 2)).toEqual([8, 17]);
  expect(visible(19900, 100, 20, 1000, 2)).toEqual([993, 1000]);
  expect(visible(0, 100, 20, 3)).toEqual([0, 3]);
  expect(scrollTo(0, 100, 20, 3)).toBe(0); // seen
  expect(scrollTo(0, 100, 20, 9)).toBe(100); // at the lower edge: 180 to 200
  expect(scrollTo(300, 100, 20, 2)).toBe(40);
  expect(scrollTo(0, 100, 20, 50, 0, true)).toBe(960);
});
