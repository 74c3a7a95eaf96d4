// Reports that the binary itself writes of the examples: CROSSLANE_BINARY, CROSSLANE_EXAMPLES.
import { spawnSync } from "node:child_process";
import { accessSync, constants, copyFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { unrolledKernel } from "../fixtures/unrolled";
import { byId, settled, textOf, useBrowser } from "./browser";

const session = useBrowser();
const binary = resolve(process.env["CROSSLANE_BINARY"] ?? join(__dirname, "../../build/release/bin/crosslane"));
const examples = resolve(process.env["CROSSLANE_EXAMPLES"] ?? join(__dirname, "../../examples"));

/** Runs `crosslane launch SOURCE ARGS --html ...` as a user would, in the folder of the source; the report's path. `status`: that it ends with. */
function launchReport(source: string, args: string, text?: string, status = 0): string {
  try {
    accessSync(binary, constants.X_OK);
  } catch {
    throw new Error(`There is no crosslane at ${binary}: build the target crosslane, or name it in CROSSLANE_BINARY.`);
  }
  if (text === undefined) copyFileSync(join(examples, source), join(session.folder, source));
  else writeFileSync(join(session.folder, source), text);
  const name = `${source}.html`;
  const { status: ended, stderr } = spawnSync(binary, ["launch", source, ...args.split(" "), "--html", name], { cwd: session.folder, stdio: ["ignore", "pipe", "pipe"] });
  if (ended !== status) throw new Error(`crosslane launch ended with ${ended}, not ${status}: ${stderr}`);
  return join(session.folder, name);
}

async function goTo(page: Page, step: number | string): Promise<void> {
  await page.keyboard.press("g");
  await page.waitForFunction(() => (document.activeElement as HTMLElement | null)?.dataset["testid"] === "trace-position");
  await page.keyboard.type(String(step));
  await page.keyboard.press("Enter");
}
const cell = (page: Page, name: string) => textOf(page, `[data-cell="${name}"]`);

describe("if_else.s, whose wavefronts divide into halves", () => {
  const args = "--kernel if_else --grid 256 --block 64 in=u32[256]:iota out=u32[256] limit=32 --trace-wave 1:0";

  test("the trace holds what the source says, forwards and backwards", async () => {
    const page = await session.openFile(launchReport("if_else.s", args), { hash: "#/0/trace" });
    const length = Number(await textOf(page, byId("trace-length")));
    expect(length).toBeGreaterThan(20);
    // Workgroup 1: in[64 + lane] = 64 + lane = v. The if (lanes below 32): 2 v + 1; the else: v ^ 0xff. Lane 3: 67 -> 135 = 0x87; 40: 104 -> 0x97.
    await page.keyboard.press("End");
    expect(await cell(page, "v4[3]")).toBe("00000087");
    await page.click(byId("trace-name-v4"));
    const history = await page.locator(`${byId("trace-follow")} [data-position]`).evaluateAll((all) => all.map((one) => Number((one as HTMLElement).dataset["position"])));
    // The load, the two instructions of the if, the one of the else.
    expect(history.length).toBeGreaterThanOrEqual(3);

    const states: string[] = [];
    const state = async () =>
      page.evaluate(() => [...document.querySelectorAll("[data-cell], [data-testid=trace-scalars] code, [data-testid=trace-exec], [data-testid=trace-vcc], [data-testid=trace-instruction]")]
        .map((one) => one.textContent).join(" "));
    const at = (step: number) =>
      page.waitForFunction(([id, value]) => document.querySelector<HTMLInputElement>(id!)?.value === value, [byId("trace-position"), String(step)]);
    await page.keyboard.press("Home");
    await at(0);
    states.push(await state());
    const execs = new Set<string>();
    for (let step = 1; step <= length; step++) {
      await page.keyboard.press("j");
      await at(step);
      states.push(await state());
      execs.add(await textOf(page, byId("trace-exec")));
    }
    expect([...execs].sort()).toEqual(["0x00000000ffffffff", "0xffffffff00000000", "0xffffffffffffffff"]);
    for (let step = length - 1; step >= 0; step--) {
      await page.keyboard.press("k");
      await at(step);
      expect(await state(), `back at step ${step}`).toBe(states[step]);
    }
    // The else side's value in lane 40.
    await goTo(page, "end");
    await page.locator(byId("trace-vectors")).evaluate((box) => (box.scrollLeft = 40 * 100));
    await page.waitForSelector('[data-cell="v4[40]"]');
    expect(await cell(page, "v4[40]")).toBe("00000097");
  });

  test("the report names its divergence", async () => {
    const page = await session.openFile(launchReport("if_else.s", args));
    await page.waitForSelector(byId("summary"));
    expect(await page.locator(`${byId("finding")}[data-kind="divergence"]`).count()).toBeGreaterThan(0);
    expect(await textOf(page, byId("command"))).toContain("if_else.s");
  });
});

describe("transpose.hip, from the finding to the lanes", () => {
  const args = "--grid 48,20 --block 16,4 in=u32[70,45]:iota out=u32[45,70] width=45 height=70 --lds 1088";

  test("a finding opens its line and its picture, in dark", async () => {
    const page = await session.openFile(launchReport("transpose.hip", args), { dark: true });
    await page.click(`${byId("finding")}[data-kind="bank_conflicts"] button`);
    await page.waitForSelector(byId("picture-lds"));
    // Four rows of 16 columns, each row 17 words on from the last: of the lanes 0 to 31 lane 31 (17 + 15 = 32) meets lane 0 in bank 0.
    expect(await textOf(page, `${byId("picture-lds")} figcaption`)).toContain("Lanes 0 and 31 meet in bank 0");
    expect(await textOf(page, byId("detail-text"))).toMatch(/^ds_(write|read)_b32/);
    expect(await page.locator(`${byId("source")} .cm-line`, { hasText: "__syncthreads();" }).count()).toBe(1);
  });

  test("memory is told of by buffers and elements", async () => {
    const page = await session.openFile(launchReport("transpose.hip", `${args} --trace-wave 0:0`), { hash: "#/0/instructions" });
    await page.fill(byId("instructions-filter"), "global_store");
    await page.locator(byId("instructions-row")).first().click();
    await page.waitForSelector(byId("picture-global"));
    expect(await textOf(page, `${byId("picture-global")} figcaption`)).toContain(" of out");
    // Lane 1 of the first wavefront stores beside lane 0, and a row of 45 columns becomes a column: out has rows of 70.
    const said = async (lane: number) => page.locator(`${byId("lane-grid")} [data-lane="${lane}"]`).getAttribute("title");
    expect(await said(0)).toMatch(/^lane 0 at out\[\d+\]: /);
    const element = async (lane: number) => Number(/out\[(\d+)\]/.exec((await said(lane))!)![1]);
    expect((await element(1)) - (await element(0))).toBe(1);
    expect((await element(16)) - (await element(0))).toBe(70);
    expect(await textOf(page, byId("panel-code"))).not.toContain("0x6800");
    // Its trace too: the first load of the wavefront.
    await page.click(byId("tab-trace"));
    await page.fill(byId("trace-search"), "global_load");
    await page.locator(byId("trace-search")).press("Enter");
    await page.waitForSelector(`${byId("trace-memory")} .hit`);
    expect(await textOf(page, `${byId("trace-memory")} .trace-line code`)).toBe("in[0]");
  });

  test("sources, lines, counters", async () => {
    const page = await session.openFile(launchReport("transpose.hip", args), { hash: "#/0/lines" });
    await page.waitForSelector(byId("lines-row"));
    expect(await textOf(page, byId("lines"))).toContain("transpose.hip");
    await page.click(byId("tab-counters"));
    await page.fill(byId("counters-filter"), "SQ_WAVES");
    expect(await textOf(page, byId("counters-row"))).toMatch(/^SQ_WAVES ?15 ?waves/); // 3 x 5 workgroups of one wavefront
    await page.fill(byId("counters-filter"), "GRBM_GUI_ACTIVE");
    expect(await textOf(page, byId("counters-row"))).toContain("not modelled");
  });
});

describe("a kernel of 10,000 instructions", () => {
  test("opens, and the end is a key away", async () => {
    const args = "--grid 1024 --block 64 in=f32[4096]:random:1 out=f32[1024] n=4096 tile=lds:8192";
    const page = await session.openFile(launchReport("unrolled.cl", args, unrolledKernel()), { hash: "#/0/instructions" });
    await page.waitForSelector(byId("instructions-row"));
    expect(Number((await textOf(page, byId("instructions-count"))).replace(/\D/g, ""))).toBeGreaterThan(9_000);
    await settled(page);
    await page.keyboard.press("End");
    await page.waitForFunction((id) => [...document.querySelectorAll(id)].some((row) => Number(row.getAttribute("aria-rowindex")) > 9_000), byId("instructions-row"));
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(3_000);
  });
});

describe("a trace that is cut off at 20,000 steps", () => {
  test("says so; far steps are the same from both sides", async () => {
    const args = "--grid 64,32 --block 16,16 iterations=u32[32,64] width=64 height=32 x0=-0.2 y0=-0.1 step=0.002 limit=3000 --trace-wave 0:0";
    const page = await session.openFile(launchReport("mandelbrot.cl", args), { hash: "#/0/trace" });
    await page.waitForSelector(byId("trace-incomplete"));
    expect(await textOf(page, byId("trace-length"))).toBe("20000");
    const seen = async () => page.evaluate(() => [...document.querySelectorAll("[data-cell], [data-testid=trace-instruction]")].map((one) => one.textContent).join(" "));
    await goTo(page, 15000);
    const there = await seen();
    await page.keyboard.press("End");
    await goTo(page, 15001);
    expect(await seen()).not.toBe(there);
    await page.keyboard.press("ArrowLeft");
    expect(await seen()).toBe(there);
    await page.keyboard.press("Home");
    await goTo(page, 14999);
    await page.keyboard.press("ArrowRight");
    expect(await seen()).toBe(there);
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(2_000);
  });
});

describe("vector_add.cl with modelled time", () => {
  const args = "--grid 65536 --block 256 a=f32[65536]:1 b=f32[65536]:2 c=f32[65536] n=65536 --gpu vega10 --time";

  test("a timeline that zooms, columns of stalls, meters; nobody was wrong about where the time went", async () => {
    const page = await session.openFile(launchReport("vector_add.cl", args), { hash: "#/0/time" });
    expect(await textOf(page, byId("spent"))).toContain("WAITCNT");
    expect(await textOf(page, byId("meters"))).toContain("L2 hits");
    const range = () => page.locator(byId("timeline")).evaluate((e) => [Number((e as HTMLElement).dataset["from"]), Number((e as HTMLElement).dataset["to"])]);
    const [from, to] = (await range()) as [number, number];
    expect(from).toBe(0);
    await page.click(byId("zoom-in"));
    await settled(page);
    const [near, far] = (await range()) as [number, number];
    expect(Math.abs(far - near - (to - from) / 2)).toBeLessThanOrEqual(1);
    // Something was drawn: each picture has pixels that are not empty.
    for (const name of ["panel-waves", "panel-units", "panel-bandwidth", "panel-simds"])
      expect(await page.locator(byId(name)).evaluate((e) => {
        const canvas = e as HTMLCanvasElement;
        return canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);
      })).toBe(true);
    await page.click(byId("zoom-all"));
    await settled(page);
    expect(await range()).toEqual([from, to]);
    await page.click(byId("tab-code"));
    expect(await page.locator(byId("column-time-cycles")).getAttribute("aria-pressed")).toBe("true");
    expect(await page.locator(byId("column-time-issue")).getAttribute("aria-pressed")).toBe("false");
    await page.click(byId("column-time-issue"));
    expect(await page.locator(byId("column-time-issue")).getAttribute("aria-pressed")).toBe("true");
  });
});

describe("a checked kernel", () => {
  const racy = `kernel void racy(global const float* in, global float* out) {
  local float t[256];
  t[get_local_id(0)] = in[get_global_id(0)];
  out[get_global_id(0)] = t[255 - get_local_id(0)];
}
`;
  test("the findings tab has both places of its race", async () => {
    const page = await session.openFile(launchReport("racy.cl", "--grid 512 --block 256 in=f32[512]:1 out=f32[512] --check race", racy, 1), { hash: "#/0/findings" });
    expect(await textOf(page, byId("check-finding"))).toContain("race-lds");
    const marked = await page.locator(`${byId("check-place")} tr[aria-current]`).evaluateAll((rows) => rows.map((row) => row.textContent));
    expect(marked).toHaveLength(4);
    expect(marked[0]).toContain("t[255 - get_local_id(0)]");
    expect(marked[1]).toContain("ds_read_b32");
    expect(marked[2]).toContain("t[get_local_id(0)] =");
    expect(marked[3]).toContain("ds_write_b32");
  });
});
