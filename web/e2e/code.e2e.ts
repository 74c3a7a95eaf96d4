// Source and disassembly in the browser: from a finding to the line, its instructions and the picture of the lanes; 10,000 instructions.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { fixture } from "../fixtures";
import { byId, settled, textOf, useBrowser } from "./browser";

const session = useBrowser();
/** The line of CodeMirror with this text, in the pane of that name. */
const line = (page: Page, pane: "source" | "disassembly", text: string) => page.locator(`${byId(pane)} .cm-line`, { hasText: text });
const nodes = (page: Page) => page.evaluate(() => document.querySelectorAll("*").length);

describe("from a finding to the lanes", () => {
  test("a store with a stride: the line, its instructions, 64 lanes in 64 cache lines", async () => {
    const page = await session.open(fixture("demo"));
    await page.click(`${byId("finding")}[data-kind="coalescing"] button`);
    await page.waitForSelector(byId("panel-code"));
    expect(await page.evaluate(() => location.hash)).toBe("#/1/code?line=0:16&at=15");
    expect(await textOf(page, byId("detail-text"))).toBe("global_store_dword v[2:3], v4, off");
    // Lane l stores to 4096 * (l mod 32) + 4 * (l div 32): two lanes in each of 32 lines.
    await page.waitForSelector(byId("picture-global"));
    expect(await page.locator(byId("cache-line")).count()).toBe(32);
    expect(await page.locator(`${byId("lane-grid")} [data-lane]`).count()).toBe(64);
    expect(await page.locator(`${byId("lane-grid")} [data-lane="33"]`).getAttribute("title")).toContain("0x7f42c0c01004"); // + 4096 + 4
    expect(await textOf(page, byId("detail"))).toContain("stride 4096 bytes");
    // Hovering a line lights its two lanes.
    await page.hover(`${byId("cache-line")} >> nth=1`);
    const lit = await page.locator(`${byId("lane-grid")} .lit`).evaluateAll((all) => all.map((one) => Number((one as HTMLElement).dataset["lane"])));
    expect(lit).toEqual([1, 33]);
  });

  test("bank conflicts: 32 lanes in one bank", async () => {
    const page = await session.open(fixture("demo"));
    await page.click(`${byId("finding")}[data-kind="bank_conflicts"] button`);
    await page.waitForSelector(byId("picture-lds"));
    expect(await textOf(page, byId("detail-text"))).toBe("ds_read_b32 v6, v7");
    expect(await page.locator(`${byId("picture-lds")} [data-lane]`).count()).toBe(64);
    expect(await textOf(page, byId("detail"))).toContain("way");
  });

  test("divergence: how many lanes were active", async () => {
    const page = await session.open(fixture("demo"));
    await page.click(`${byId("finding")}[data-kind="divergence"] button`);
    await page.waitForSelector(byId("panel-code"));
    expect(await textOf(page, byId("detail-text"))).toBe("s_and_saveexec_b64 s[12:13], vcc");
    expect(await textOf(page, byId("detail"))).toContain("diverged");
  });
});

describe("lines and instructions", () => {
  test("a click on a line shows its instructions, one on an instruction its line", async () => {
    const page = await session.open(fixture("demo"), { hash: "#/0/code" });
    await line(page, "source", "y[i] = a * x[i] + y[i];").click();
    await page.waitForFunction(() => location.hash.includes("line=0:9"));
    expect(await textOf(page, byId("detail"))).toContain("9 instructions"); // rows of the fixture with line 9
    await line(page, "disassembly", "v_cmp_gt_i32_e32 vcc, s1, v0").click();
    await page.waitForFunction(() => location.hash.includes("line=0:8&at=6"));
    expect(await textOf(page, byId("detail-text"))).toBe("v_cmp_gt_i32_e32 vcc, s1, v0");
  });

  test("with the keyboard: lines, the other pane, hot spots, columns, nothing chosen", async () => {
    const page = await session.open(fixture("demo"), { hash: "#/3/code" });
    await page.waitForSelector(`${byId("source")} .cm-line`);
    await settled(page);
    await page.keyboard.press("n");
    await page.waitForFunction(() => /line=0:41/.test(location.hash)); // the loop is the hottest line
    await page.keyboard.press("j");
    await page.waitForFunction(() => /line=0:42/.test(location.hash));
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /at=\d+/.test(location.hash));
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => location.hash === "#/3/code");
    const heads = async () => page.locator(`${byId("disassembly")} .pane-columns button`).allTextContents();
    const before = await heads();
    await page.click(byId("column-lost"));
    expect((await heads()).length).toBe(before.length + 1);
  });

  test("search finds in both panes, goes on by Enter, and says when there is nothing", async () => {
    const page = await session.open(fixture("demo"), { hash: "#/0/code" });
    await page.waitForSelector(`${byId("source")} .cm-line`);
    await settled(page);
    await page.keyboard.press("/");
    await page.waitForFunction((id) => document.activeElement?.matches(id), byId("code-search"));
    await page.keyboard.type("global_load"); // saxpy has two
    const said = async () => textOf(page, byId("code-matches"));
    expect(await said()).toBe("0 in the source, 2 in the disassembly");
    expect(await page.locator(`${byId("disassembly")} .cm-found`).count()).toBe(2);
    await page.keyboard.press("Enter");
    await page.waitForFunction((id) => document.querySelector(id)?.textContent === "global_load_dword v4, v[2:3], off", byId("detail-text"));
    await page.keyboard.press("Shift+Enter"); // goes round
    await page.waitForFunction((id) => document.querySelector(id)?.textContent === "global_load_dword v5, v[0:1], off", byId("detail-text"));
    await page.fill(byId("code-search"), "saxpy");
    expect(await said()).toBe("1 in the source, 0 in the disassembly"); // the function's name there is no line to choose
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /line=0:\d+/.test(location.hash));
    await page.fill(byId("code-search"), "elephant");
    expect(await said()).toBe("no match");
    await page.keyboard.press("Escape");
    await page.waitForFunction((id) => document.querySelector(id)!.textContent === "", byId("code-matches"));
  });

  test("a deep link opens an instruction in the middle, in dark too", async () => {
    const page = await session.open(fixture("big"), { hash: "#/0/code?at=5000", dark: true });
    await page.waitForSelector(byId("detail-text"));
    const text = fixture("big").kernels[0]!.instructions[5000]!.text;
    expect(await textOf(page, byId("detail-text"))).toBe(text);
    await page.waitForFunction((wanted) => [...document.querySelectorAll('[data-testid="disassembly"] .cm-line')].some((one) => one.textContent!.includes(wanted!)), text);
  });
});

describe("10,000 instructions", () => {
  test("the document stays small, and the end is a key away", async () => {
    const page = await session.open(fixture("big"), { hash: "#/0/code" });
    await page.waitForSelector(`${byId("disassembly")} .cm-line`);
    await settled(page);
    expect(await nodes(page)).toBeLessThan(4_000);
    const started = Date.now();
    await page.keyboard.press("l");
    await page.keyboard.press("End");
    await line(page, "disassembly", "s_endpgm").waitFor();
    await page.waitForFunction(() => location.hash.includes("at=9999"));
    expect(await nodes(page)).toBeLessThan(4_000);
    await page.keyboard.press("Home");
    await page.waitForFunction(() => location.hash.includes("at=0"));
    for (let i = 0; i < 40; i++) await page.keyboard.press("PageDown");
    expect(Date.now() - started).toBeLessThan(20_000); // some 2 seconds; what is not virtual needs minutes
    expect(await nodes(page)).toBeLessThan(4_000);
  });

  test("the table of instructions: sorted, filtered, scrolled", async () => {
    const page = await session.open(fixture("big"), { hash: "#/0/instructions" });
    await page.waitForSelector(byId("instructions-row"));
    expect(await textOf(page, byId("instructions-count"))).toMatch(/^10.?000$/);
    expect(await page.locator(byId("instructions-row")).count()).toBeLessThan(100);
    await page.click(byId("instructions-sort-address"));
    await settled(page);
    await page.keyboard.press("End");
    await page.waitForFunction((id) => [...document.querySelectorAll(id)].some((row) => row.textContent!.includes("s_endpgm")), byId("instructions-row"));
    await page.keyboard.press("/");
    await page.waitForFunction((id) => document.activeElement?.matches(id), byId("instructions-filter"));
    await page.keyboard.type("ds_read_b32");
    await page.waitForFunction((id) => /^63 of/.test(document.querySelector(id)!.textContent!), byId("instructions-count")); // every 160th of 10,000, from the third
    await page.click(byId("tab-lines"));
    await page.waitForSelector(byId("lines-row"));
    expect(await page.locator(byId("lines-row")).count()).toBeLessThan(100);
  });
});
