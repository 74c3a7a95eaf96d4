import { describe, expect, test } from "vitest";
import type { Trace } from "../../src/profile";
import { bindings, commandOf } from "../../src/trace/keys";
import {
  clamp,
  matchingInstructions,
  nextExecution,
  nextMatch,
  nextOf,
  parsePosition,
  parseSelection,
  previousOf,
  selectionText,
} from "../../src/trace/navigate";
import { Recording } from "../../src/trace/recording";

// A loop: v_mov, then three times (v_add, s_branch), then s_endpgm.
const texts = ["v_mov_b32_e32 v0, 0", "v_add_u32_e32 v0, 1, v0", "s_cbranch_scc1 65533", "s_endpgm"];
const order = [0, 1, 2, 1, 2, 1, 2, 3];
const loop: Trace = {
  kernel: 0,
  workgroup: [0, 0, 0],
  wave: 0,
  vgpr_count: 1,
  sgpr_count: 1,
  complete: true,
  instructions: texts.map((text, i) => ({ address: `0x${i}`, function: "f", offset: 4 * i, text, source: null })),
  initial: {},
  steps: order.map((instruction) => [instruction, 0]),
};
const recording = new Recording(loop);
const none = () => "";

describe("navigation", () => {
  test("clamp", () => {
    expect([-3, 0, 8, 9, 2.7].map((at) => clamp(recording, at))).toEqual([0, 0, 8, 8, 2]);
  });
  test("next and previous of a sorted list", () => {
    expect([0, 2, 4, 6].map((at) => nextOf([2, 4, 6], at))).toEqual([2, 4, 6, null]);
    expect([2, 3, 4, 9].map((at) => previousOf([2, 4, 6], at))).toEqual([null, 2, 2, 6]);
  });
  test("executions of an instruction go round", () => {
    expect([0, 2, 6].map((at) => nextExecution(recording, 1, at))).toEqual([2, 4, 2]);
    expect(nextExecution(recording, 1, 2, true)).toBe(6);
    expect(nextExecution(recording, 1, 3, true)).toBe(2);
  });
  test("search", () => {
    expect([...matchingInstructions(recording, "V_ADD v0", none)]).toEqual([1]);
    expect([...matchingInstructions(recording, "v0", none)]).toEqual([0, 1]);
    expect([...matchingInstructions(recording, "  ", none)]).toEqual([]);
    expect([...matchingInstructions(recording, "sum", (i) => (i === 1 ? "sum += 1;" : ""))]).toEqual([1]);
    const both = new Set([2, 3]);
    expect([0, 3, 7, 8].map((at) => nextMatch(recording, both, at))).toEqual([3, 5, 8, 3]);
    expect([8, 3].map((at) => nextMatch(recording, both, at, true))).toEqual([7, 8]);
    expect(nextMatch(recording, new Set(), 0)).toBeNull();
  });
  test("positions as typed", () => {
    expect(["3", "+2", "-2", "50%", "end", "start", "1,000", "99999"].map((text) => parsePosition(recording, text, 4))).toEqual([
      3, 6, 2, 4, 8, 0, 8, 8,
    ]);
    expect(["", "x", "1.5", "--1"].map((text) => parsePosition(recording, text, 4))).toEqual([null, null, null, null]);
  });
  test("selections as text", () => {
    expect(parseSelection("v3[5]")).toEqual({ register: "v3", lane: 5 });
    expect(parseSelection("exec")).toEqual({ register: "exec", lane: undefined });
    expect(parseSelection("v3[64]")).toBeNull();
    expect(parseSelection("x1")).toBeNull();
    for (const text of ["v3[5]", "a0", "s10", "vcc[63]"]) expect(selectionText(parseSelection(text)!)).toBe(text);
  });
});

describe("keys", () => {
  const press = (key: string, shiftKey = false, ctrlKey = false) =>
    commandOf({ key, shiftKey, ctrlKey, altKey: false, metaKey: false });
  test("steps", () => {
    expect(press("ArrowRight")).toEqual({ do: "move", by: 1 });
    expect(press("k")).toEqual({ do: "move", by: -1 });
    expect(press("J", true)).toEqual({ do: "move", by: 10 });
    expect(press("ArrowLeft", true)).toEqual({ do: "move", by: -10 });
    expect(press("/", true)).toEqual({ do: "search" });
    expect(press("j", false, true)).toBeNull(); // the browser's
    expect(press("q")).toBeNull();
  });
  test("no key has two meanings", () => {
    const keys = bindings.flatMap((binding) => binding.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
