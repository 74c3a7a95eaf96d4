import { describe, expect, test } from "vitest";
import { availableMetrics } from "../src/heat";
import { validate } from "../src/load";
import type { Kernel, Profile, Timing } from "../src/profile";
import { bandwidthCurves, moved, roofline, simdRows, ticks, timeFigures, unitCurves, waveCurves, withUnit, zoomed } from "../src/time/series";

const instruction = (address: string, text: string, lanes: number | null) => ({
  address, text, lanes, function: "k", offset: 0, source: [0, 1, 0], class: "valu", executions: 10 });

const kernel = {
  name: "k", short: "k", readable: "k", target: "gfx900",
  instructions: [instruction("0x10", "v_fma_f32 v0, v1, v2, v3", 320), instruction("0x18", "s_waitcnt vmcnt(0)", null)],
  lines: [{ source: [0, 1], instructions: [0, 1], executions: 20 }],
} as unknown as Kernel;

const timing = {
  card: "a card", mhz: 1000, compute_units: 2, simds: 4, waves_per_simd: 10, nanoseconds: 2000, launch_nanoseconds: 1000,
  cycles: 100, waves: 2, workgroups: 1, instructions: 20, wave_cycles: 200, l1: { hits: 1, misses: 1 }, l2: { hits: 1, misses: 1 },
  memory: { bytes_read: 64, bytes_written: 96 }, cycles_spent: { ISSUE: 60, WAITCNT: 139, OTHER_WAIT: 1 },
  per_instruction: [
    { instruction: "v_fma_f32 v0, v1, v2, v3", issued: 10, cycles: { ISSUE: 40 }, object_address: "0x10", flops: [2, 0] },
    { instruction: "s_waitcnt vmcnt(0)", issued: 10, cycles: { ISSUE: 20, WAITCNT: 139, OTHER_WAIT: 1 }, object_address: "0x18" },
    { instruction: "s_nop 0", issued: 10, cycles: {}, object_address: "0x99" },
  ],
  timeline: {
    bin_cycles: 64, every: 1, waves_in_all: 2,
    series: { valu: [64, 36], lds: [0, 0], l2_hits: [1, 0], l2_misses: [1, 0], bytes_read: [64, 0], bytes_written: [0, 96] },
    spent: { WAITCNT: [64, 18], ISSUE: [64, 54] },
    waves: [[1, 0, 0, 0, 0, 100, 0, 0], [0, 3, 2, 1, 0, 100, 0, 1]],
  },
} as unknown as Timing;
const data = timing.timeline!;

describe("columns beside the code", () => {
  test("all cycles, then what took one in a hundred, most first; instructions by their address", () => {
    const figures = timeFigures(kernel, timing)!;
    expect(figures.columns.map((c) => c.name)).toEqual(["cycles", "wait", "issue"]);
    expect(figures.rows).toEqual([[0, 40, 0, 40], [1, 160, 139, 20]]);
    expect(figures.columns.map((c) => c.quiet ?? false)).toEqual([false, false, true]);
  });
  test("a line has the sum of its instructions, and executions come first", () => {
    const profile = { format: "crosslane-profile", version: 1, sources: [], kernels: [structuredClone(kernel)], timing } as unknown as Profile;
    const loaded = validate(profile);
    if (!("profile" in loaded)) throw new Error(loaded.problem);
    const [own] = loaded.profile.kernels;
    const metrics = availableMetrics(own!);
    expect(metrics.map((m) => m.id).slice(0, 4)).toEqual(["executions", "time-cycles", "time-wait", "time-issue"]);
    expect(metrics[1]!.value(own!.lines![0]!)).toBe(200);
    expect(metrics[2]!.value(own!.instructions[1]!)).toBe(139);
  });
  test("no instruction of the profile: no columns", () => {
    expect(timeFigures({ ...kernel, instructions: [] }, timing)).toBeNull();
  });
});

describe("over time", () => {
  test("rates are by the cycles that a bin has: the last is shorter", () => {
    expect(waveCurves(timing, data).map(({ name, values }) => [name, values])).toEqual([["ISSUE", [1, 1.5]], ["WAITCNT", [1, 0.5]]]);
    // Eight SIMD units.
    expect(unitCurves(timing, data)).toMatchObject([{ name: "VALU", values: [12.5, 12.5] }]);
    // At 1 GHz a byte a cycle is a GB a second.
    expect(bandwidthCurves(timing, data).map((c) => c.values)).toEqual([[2, 0], [1, 0], [0, 96 / 36]]);
  });
  test("rows by shader engine, compute unit, SIMD unit", () => {
    expect(simdRows(data)).toEqual([{ engine: 0, unit: 3, simd: 2, waves: [1] }, { engine: 1, unit: 0, simd: 0, waves: [0] }]);
  });
  test("zooming keeps the cycle under the pointer, and stays inside", () => {
    const [from, to] = zoomed([0, 100], 25, 0.5, 100, 1);
    expect([from, to]).toEqual([12.5, 62.5]);
    expect((25 - from) / (to - from)).toBe(0.25);
    expect(zoomed([0, 100], 50, 2, 100, 1)).toEqual([0, 100]);
    expect(zoomed([0, 10], 0, 0.01, 100, 5)).toEqual([0, 5]);
    expect(moved([10, 30], -50, 100)).toEqual([0, 20]);
    expect(moved([10, 30], 500, 100)).toEqual([80, 100]);
  });
  test("round ticks", () => {
    expect(ticks(0, 100, 5)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticks(3, 9, 3)).toEqual([4, 6, 8]);
    expect(ticks(5, 5, 3)).toEqual([5]);
  });
});

test("the roofline counts active lanes, and not the launch's own time", () => {
  // 320 lanes, two operations each, in 100 ns; 160 bytes.
  expect(roofline(kernel, timing)).toMatchObject({ flops: 640, bytes: 160, intensity: 4, rate: 6.4e9, double: false });
  expect(roofline(kernel, { ...timing, per_instruction: [] })).toBeNull();
});

test("numbers with units", () => {
  expect(withUnit(16.2e9, "B/s")).toBe("16.2 GB/s");
  expect(withUnit(12, "B")).toBe("12 B");
});
