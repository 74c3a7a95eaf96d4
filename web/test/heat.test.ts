import { describe, expect, it } from "vitest";
import { activeShare, availableMetrics, cell, collisions, column, heatLevel, laneLevel, metric } from "../src/heat";
import type { Instruction, Kernel } from "../src/profile";
import { fixture } from "../fixtures";

const instruction = (more: Partial<Instruction>): Instruction => ({ address: "0x0", function: "k", offset: 0, text: "v_nop", class: "valu", executions: 10, ...more });

describe("heat", () => {
  it("is cold at nothing, hottest at the maximum, and shows a hundredth of it", () => {
    expect(heatLevel(0, 100)).toBe(0);
    expect(heatLevel(100, 100)).toBe(8);
    expect(heatLevel(25, 100)).toBe(4); // sqrt(0.25) * 8
    expect(heatLevel(1, 100)).toBe(1); // sqrt(0.01) * 8 = 0.8
    expect(heatLevel(5, 0)).toBe(0);
    expect(heatLevel(NaN, 5)).toBe(0);
  });
  it("counts lanes that are missing: all 64 are cold, one is hottest", () => {
    expect(laneLevel(1)).toBe(0);
    expect(laneLevel(0.5)).toBe(4);
    expect(laneLevel(1 / 64)).toBe(8);
  });
  it("takes the mean of active lanes over executions; unknown is not 0", () => {
    expect(activeShare(instruction({ lanes: 320 }))).toBe(0.5); // 320 of 10 * 64
    expect(activeShare(instruction({}))).toBeNull();
    expect(activeShare(instruction({ executions: 0, lanes: 0 }))).toBeNull();
  });
  it("leaves a column empty where nothing was collected, and says nothing of a scalar instruction's lanes", () => {
    expect(metric("excess").value(instruction({}))).toBeNull();
    expect(metric("conflicts").value(instruction({ lds: null }))).toBeNull();
    expect(metric("lanes").value(instruction({ class: "salu", lanes: 320 }))).toBeNull();
    expect(cell(metric("excess"), null, 5)).toMatchObject({ text: "", level: 0 });
    expect(cell(metric("excess"), 0, 5)).toMatchObject({ text: "·", level: 0 });
  });
  it("adds the lanes that wait for atomics, of memory and of LDS", () => {
    const histogram = fixture("demo").kernels[4]!;
    const atomic = histogram.instructions.find((i) => i.text.startsWith("global_atomic"))!;
    expect(collisions(atomic)).toBe(atomic.memory![0]!.address_collisions);
    expect(collisions(atomic)).toBeGreaterThan(0);
    expect(collisions(instruction({}))).toBeNull();
    const lds = fixture("demo").kernels[2]!.instructions.find((i) => i.lds)!.lds!;
    expect(collisions(instruction({ lds: { ...lds, kind: "atomic", same_address_atomics: 7 } }))).toBe(7);
    expect(collisions(instruction({ lds }))).toBeNull(); // a store
    expect(availableMetrics(histogram).map((m) => m.id)).toContain("collisions");
  });
  it("scales a column by its own maximum", () => {
    const cells = column([instruction({ executions: 4 }), instruction({ executions: 1 }), instruction({ executions: 0 })], metric("executions"));
    expect(cells.map((c) => [c.text, c.level])).toEqual([["4", 8], ["1", 4], ["0", 0]]);
    expect(cells[1]!.title()).toBe("Executions: wave-instructions issued: 1, 25 % of the most");
  });
  it("offers the columns that a kernel has numbers for", () => {
    const kernels = fixture("demo").kernels;
    const ids = (k: Kernel) => availableMetrics(k).map((m) => m.id);
    expect(ids(kernels[1]!)).toEqual(["executions", "lanes", "lost", "excess"]); // transpose_naive has no LDS
    expect(ids(kernels[2]!)).toEqual(["executions", "lanes", "lost", "excess", "conflicts"]);
    expect(ids(fixture("branches").kernels[2]!)).toEqual(["executions"]);
  });
});
