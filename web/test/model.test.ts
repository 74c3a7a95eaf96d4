import { describe, expect, it } from "vitest";
import { disassemblyModel, filesOf, mostTelling, ranking, sourceModel, sourceOf } from "../src/code/model";
import { squeeze } from "../src/code/squeeze";
import { topFindings } from "../src/app/findings";
import { notices } from "../src/app/notices";
import { activeHistogram, kernelTotals } from "../src/model/totals";
import { matches } from "../src/table/filter";
import { fixture } from "../fixtures";

const demo = fixture("demo");
const tiled = demo.kernels[2]!;

describe("code model", () => {
  it("puts a function's name above its instructions and says where a branch goes", () => {
    const model = disassemblyModel(tiled);
    const lines = model.text.split("\n");
    expect(lines[0]).toBe("transpose_tiled:");
    expect(lines[model.at.get(16)!]).toBe("  s_cbranch_scc1 7  ; → 1b20");
    expect(model.rows[0]!.row).toBeNull();
    expect(model.at.get(0)).toBe(1);
    expect(lines).toHaveLength(tiled.instructions.length + 1);
  });
  it("shows the whole source, and only known lines by number where the text is not there", () => {
    const withText = sourceModel(demo, tiled, 0);
    expect(withText.rows[29]).toMatchObject({ number: "30", id: 30 });
    expect(withText.text.split("\n")[29]).toContain("block[threadIdx.x]");
    const without = sourceModel(fixture("notext"), tiled, 0);
    expect(without.rows.map((r) => r.number)).toEqual(["20", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31"]);
    expect(without.rows.every((r) => r.row !== null)).toBe(true);
  });
  it("knows nothing of lines without line tables", () => {
    const kernel = fixture("nolines").kernels[2]!;
    expect(filesOf(kernel)).toEqual([]);
    expect(sourceOf(kernel, 3)).toBeNull();
  });
  it("pictures the access with most to lose, else the hottest instruction", () => {
    const line30 = tiled.lines!.find((l) => l.source[1] === 30)!;
    expect(tiled.instructions[mostTelling(tiled, line30.instructions)!]!.text).toBe("ds_read_b32 v6, v7"); // conflicts beat the clean store
    expect(mostTelling(tiled, [])).toBeNull();
  });
  it("ranks hot spots: losses from the top, active lanes from the bottom, never executed not at all", () => {
    const rows = [5, 0, 9, 9].map((executions, id) => ({ number: "", id, row: { ...tiled.instructions[0]!, executions } }));
    expect(ranking(rows, (r) => r.executions, false)).toEqual([2, 3, 0]);
    expect(ranking(rows, (r) => r.executions, true)).toEqual([0, 2, 3]);
  });
  it("squeezes a long text so that its hottest line can be seen", () => {
    const levels = new Array<number>(1000).fill(0);
    levels[499] = 8;
    levels[999] = 3;
    const strip = squeeze(levels, 10);
    expect([...strip]).toEqual([0, 0, 0, 0, 8, 0, 0, 0, 0, 3]); // line 499 of 1000 is in the fifth of ten rows
  });
});

describe("sums", () => {
  it("are those of a kernel counted by hand", () => {
    // transpose_naive: a load of 4 lines and a store of 32 for each of 16384 waves; 4 lines would do for each.
    // Lanes 0-31 load 128 bytes, lanes 32-63 another 128 one row below: 2 + 2 lines.
    const totals = kernelTotals(demo.kernels[1]!);
    expect(totals.excessShare).toBeCloseTo(28 / 36, 10);
    expect(totals.activeShare).toBe(1);
    expect(totals.conflictShare).toBeNull(); // no LDS: not 0
    // transpose_tiled: writes without conflict take 2 cycles, reads 64.
    expect(kernelTotals(tiled).conflictShare).toBeCloseTo(62 / 66, 10);
  });
  it("are null where nothing was collected", () => {
    expect(kernelTotals(fixture("branches").kernels[2]!)).toEqual({ activeShare: null, excessShare: null, conflictShare: null });
    expect(activeHistogram(fixture("branches").kernels[2]!.instructions)).toBeNull();
  });
  it("the histogram counts vector instructions alone", () => {
    const bins = activeHistogram([
      { ...tiled.instructions[0]!, class: "valu", active: [[64, 3], [1, 2]] },
      { ...tiled.instructions[0]!, class: "salu", active: [[64, 100]] },
    ])!;
    expect([bins[64], bins[1], bins.length]).toEqual([3, 2, 65]);
  });
});

describe("summary", () => {
  it("weighs a finding by its share and by its kernel's part of all instructions", () => {
    const finding = (share: number) => ({ kind: "divergence" as const, title: String(share), text: "", advice: "", cost: 1, unit: "lane-cycles", share });
    const order = topFindings([
      { wave_instructions: 10, findings: [finding(0.9)] }, // 0.9 * 10 / 110
      { wave_instructions: 100, findings: [finding(0.2), finding(0.01)] }, // 0.2 * 100 / 110 and 0.01 * 100 / 110
    ]);
    expect(order.map((f) => f.finding.title)).toEqual(["0.2", "0.9", "0.01"]);
  });
  it("says what a reader must know", () => {
    expect(notices(demo).map((n) => n.id)).toEqual(["overhead"]);
    expect(notices(fixture("interrupted"))[0]).toMatchObject({ kind: "warning", id: "interrupted", text: "Interrupted (Ctrl-C): the numbers are of what ran before." });
    const faulted = { ...fixture("interrupted"), interrupted: "memory fault\n  at 0x10\n  kernel f" };
    expect(notices(faulted)[0]?.text).toBe("Interrupted (memory fault; at 0x10; kernel f): the numbers are of what ran before.");
    expect(notices(fixture("sampled")).map((n) => n.id)).toEqual(["sample", "kernels", "launches", "overhead"]);
    expect(notices(fixture("branches")).find((n) => n.id === "views")!.text).toBe("Not collected: divergence, memory, lds.");
    const overhead = (p: Parameters<typeof notices>[0]) => notices(p).find((n) => n.id === "overhead")?.text;
    expect(overhead(demo)).toBe("Profiling made the same launch 2.1 times as long: 1.84 s without, 3.92 s with.");
    expect(overhead(fixture("sampled"))).toBe("Profiling took about 5 % of the processor time of these launches: 1.1 times as much as without (estimated).");
    const estimate = (share: number) => ({ ...demo, overhead: null, overhead_estimate: { cpu_seconds: 1, hook_seconds: share, share, ratio: 1 / (1 - share) } });
    expect(overhead(estimate(0.95))).toBe("Profiling took about 95 % of the processor time of these launches: 20 times as much as without (estimated).");
    expect(overhead({ ...demo, overhead: null, overhead_estimate: { cpu_seconds: 0.002, hook_seconds: 0.001, share: null, ratio: null } }))
      .toBe("These launches took 2 ms of processor time: too little to estimate what profiling cost.");
    expect(overhead(estimate(0.001))).toBe("Profiling took less than 1 % of the processor time of these launches (estimated).");
    expect(overhead({ ...demo, overhead: null })).toBeUndefined();
    const untraced = { ...fixture("branches"), untraced: "wave 0 of workgroup 9 was not traced: the only launch has 8 workgroups, 0 to 7" };
    expect(notices(untraced)).toContainEqual({ kind: "warning", id: "untraced", text: "Wave 0 of workgroup 9 was not traced: the only launch has 8 workgroups, 0 to 7." });
    const kernel = fixture("branches").kernels[0]!;
    const probed = { ...fixture("branches"), measured_by: "probes" as const,
                     kernels: [{ ...kernel, short: "f", not_measured: "no SGPR is free" }, { ...kernel, short: "g", calls_to_uninstrumented: 2 }, kernel] };
    expect(notices(probed).filter((n) => n.kind === "warning").map((n) => n.text)).toEqual([
      "f has no probes: no SGPR is free.",
      "g has 2 calls and jumps through pointers: what they lead to has no probes and is not counted, but for returns.",
    ]);
    const damaged = { ...fixture("branches"), damaged: ["k.co: debug information is damaged (x): source lines are missing"] };
    expect(notices(damaged)).toContainEqual({ kind: "warning", id: "damaged", text: "k.co: debug information is damaged (x): source lines are missing." });
  });
  it("filters by all words, in any case", () => {
    expect(matches("global_load_dword v4, v[0:1], off stencils.hip:16", "LOAD :16")).toBe(true);
    expect(matches("global_load_dword v4", "load ds_")).toBe(false);
  });
});
