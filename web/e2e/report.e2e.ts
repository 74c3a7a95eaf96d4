// The report in the browser: what a reader does with mouse and keyboard, in light and dark, and what the page says when a profile is not whole.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { fixture } from "../fixtures";
import { byId, settled, textOf, useBrowser, writeReport } from "./browser";

const session = useBrowser();
const rows = (page: Page, table: string) => page.locator(`${byId(table)} ${byId(`${table}-row`)}`);
const column = (page: Page, table: string, index: number) =>
  page.evaluate(
    ([id, at]) => [...document.querySelectorAll(`[data-testid="${id}-row"]`)]
      .sort((a, b) => Number(a.getAttribute("aria-rowindex")) - Number(b.getAttribute("aria-rowindex")))
      .map((row) => row.children[at as number]!.textContent!.trim()),
    [table, index] as const,
  );

describe.each([["light", false], ["dark", true]] as const)("in a %s system", (name, dark) => {
  test("the summary: findings, kernels, theme", async () => {
    const page = await session.open(fixture("demo"), { dark });
    expect(await textOf(page, byId("theme-now"))).toBe(name);
    expect(await page.locator(byId("finding")).count()).toBe(6);
    expect(await rows(page, "kernels").count()).toBe(5);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g)!.map(Number));
    if (dark) expect(Math.max(...ground.slice(0, 3))).toBeLessThan(60);
    else expect(Math.min(...ground.slice(0, 3))).toBeGreaterThan(200);
    await page.keyboard.press("t");
    expect(await textOf(page, byId("theme-now"))).toBe(dark ? "light" : "dark");
    await page.click(byId("theme-auto"));
    expect(await textOf(page, byId("theme-now"))).toBe(name);
  });

  test("every tab of every kernel draws", async () => {
    const page = await session.open(fixture("traced"), { dark });
    for (let kernel = 0; kernel < 5; kernel++) {
      await page.click(byId(`nav-kernel-${kernel}`));
      for (const tab of ["overview", "code", "lines", "instructions", "branches", "counters"]) {
        await page.click(byId(`tab-${tab}`));
        await page.waitForSelector(byId(`panel-${tab}`));
        expect((await textOf(page, byId(`panel-${tab}`))).length).toBeGreaterThan(20);
      }
      expect(await page.locator(byId("tab-trace")).count()).toBe(kernel === 0 ? 1 : 0);
    }
  });
});

describe("tables", () => {
  test("sort by a click, again for the other way", async () => {
    const page = await session.open(fixture("demo"), { hash: "#/3/instructions" });
    await page.click(byId("instructions-sort-text"));
    const ascending = await column(page, "instructions", 1);
    expect(ascending).toEqual([...ascending].sort((a, b) => a.localeCompare(b, "en", { numeric: true })));
    expect(await page.locator(byId("instructions-sort-text")).getAttribute("aria-sort")).toBe("ascending");
    await page.click(byId("instructions-sort-text"));
    expect(await page.locator(byId("instructions-sort-text")).getAttribute("aria-sort")).toBe("descending");
    expect((await column(page, "instructions", 1))[0]).toMatch(/^v_/);
  });

  test("filter by words, from the keyboard, and clear", async () => {
    const page = await session.open(fixture("demo"), { hash: "#/2/instructions" });
    await page.waitForSelector(byId("instructions-row"));
    await page.keyboard.press("/");
    await page.waitForFunction((id) => document.activeElement?.matches(id), byId("instructions-filter"));
    await page.keyboard.type("ds_ v6");
    await page.waitForFunction((id) => /^2 of/.test(document.querySelector(id)!.textContent!), byId("instructions-count"));
    expect((await column(page, "instructions", 1)).sort()).toEqual(["ds_read_b32 v6, v7", "ds_write_b32 v7, v6"]);
    expect(await textOf(page, byId("instructions-count"))).toMatch(/^2 of 33$/);
    await page.keyboard.press("Escape");
    await page.waitForFunction((id) => document.querySelectorAll(id).length > 2, byId("instructions-row"));
  });
});

describe("with the keyboard alone", () => {
  test("summary to kernel to tabs and back, help", async () => {
    const page = await session.open(fixture("demo"));
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForSelector(byId("kernel"));
    const first = await textOf(page, `${byId("kernel")} h1`);
    expect(first).toBe("mandelbrot"); // most wave-instructions
    for (const [key, tab] of [["3", "lines"], ["4", "instructions"], ["5", "branches"], ["6", "counters"], ["1", "overview"]] as const) {
      await page.keyboard.press(key);
      await page.waitForSelector(byId(`panel-${tab}`));
    }
    await settled(page);
    await page.keyboard.press("]");
    expect(await textOf(page, `${byId("kernel")} h1`)).toBe("histogram");
    await page.keyboard.press("[");
    expect(await textOf(page, `${byId("kernel")} h1`)).toBe("mandelbrot");
    await page.keyboard.press("?");
    await page.waitForSelector(byId("help"));
    await page.keyboard.press("Escape");
    await page.waitForSelector(byId("help"), { state: "detached" });
    await page.keyboard.press("0");
    await page.waitForSelector(byId("summary"));
  });

  test("every control can be reached with Tab, and shows that it has the focus", async () => {
    const page = await session.open(fixture("one"), { hash: "#/0/overview" });
    const reached = new Set<string>();
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press("Tab");
      const id = await page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset["testid"] ?? document.activeElement?.className ?? "");
      if (id) reached.add(id);
      const outline = await page.evaluate(() => document.activeElement === document.body || getComputedStyle(document.activeElement!).outlineStyle !== "none");
      expect(outline, `${id} shows its focus`).toBe(true);
    }
    for (const id of ["theme-dark", "help-button", "nav-summary", "nav-kernel-0", "tab-overview", "finding-open"]) expect([...reached]).toContain(id);
  });
});

describe("what --check found", () => {
  test("from the summary to both places of a race, side by side, and on into the code", async () => {
    const page = await session.open(fixture("checked"));
    expect(await textOf(page, byId("check-summary"))).toContain("elsewhere+0x10");
    await page.click(byId("check-kernel"));
    await page.waitForSelector(byId("panel-findings"));
    expect(await page.locator(byId("check-finding")).count()).toBe(2);
    const places = page.locator(byId("check-place"));
    expect(await places.count()).toBe(2);
    const [here, other] = await Promise.all([places.nth(0).boundingBox(), places.nth(1).boundingBox()]);
    expect(other!.y).toBe(here!.y);
    expect(other!.x).toBeGreaterThan(here!.x + here!.width - 1);
    const marked = await page.locator(`${byId("check-place")} tr[aria-current]`).evaluateAll((rows) => rows.map((row) => row.textContent));
    expect(marked[1]).toContain("ds_read_b32 v6, v7");
    expect(marked[3]).toContain("ds_write_b32 v7, v6");
    expect(await textOf(page, byId("check-chosen"))).toContain("inlined by /src/stencils/stencils.hip:30:9");
    await page.keyboard.press("j");
    await page.waitForFunction((id) => document.querySelectorAll(id).length === 1, byId("check-place"));
    await page.keyboard.press("k");
    await page.locator(byId("check-open")).nth(1).click();
    await page.waitForSelector(byId("panel-code"));
    expect(page.url()).toContain("at=13");
  });
  test("nothing in this kernel; without --check no tab", async () => {
    const page = await session.open(fixture("checked"), { hash: "#/0/findings" });
    expect(await textOf(page, byId("no-check-findings"))).toContain("1 of the process are suppressed");
    const without = await session.open(fixture("demo"), { hash: "#/0/findings" });
    expect(await without.locator(byId("tab-findings")).count()).toBe(0);
    await without.waitForSelector(byId("panel-overview"));
  });
});

describe("deep links", () => {
  test("a link opens a kernel's tab; back and reload keep it", async () => {
    const page = await session.open(fixture("demo"), { hash: "#/2/counters" });
    expect(await textOf(page, `${byId("kernel")} h1`)).toBe("transpose_tiled");
    await page.waitForSelector(byId("panel-counters"));
    await page.click(byId("nav-summary"));
    await page.waitForSelector(byId("summary"));
    await page.goBack();
    await page.waitForSelector(byId("panel-counters"));
    await page.reload();
    await page.waitForSelector(byId("panel-counters"));
  });
  test("a kernel that is not there", async () => {
    const page = await session.open(fixture("demo"), { hash: "#/99/code" });
    expect(await textOf(page, "main")).toContain("no kernel 99");
  });
});

describe("profiles that are not whole", () => {
  test("interrupted", async () => {
    const page = await session.open(fixture("interrupted"));
    expect(await textOf(page, byId("notice-interrupted"))).toContain("Ctrl-C");
  });
  test("sampled", async () => {
    const page = await session.open(fixture("sampled"));
    expect(await textOf(page, byId("notice-sample"))).toContain("1 %");
  });
  test("empty", async () => {
    const page = await session.open(fixture("empty"));
    expect(await page.locator(byId("no-kernels")).count()).toBe(1);
  });
  test("some views only", async () => {
    const page = await session.open(fixture("branches"));
    expect(await textOf(page, byId("notice-views"))).toContain("memory");
    await page.click(byId("nav-kernel-3"));
    for (const tab of ["code", "lines", "instructions", "branches", "counters"]) await page.click(byId(`tab-${tab}`));
  });
  test.each(["nolines", "notext"])("%s", async (name) => {
    const page = await session.open(fixture(name), { hash: "#/1/code" });
    await page.waitForSelector(byId("panel-code"));
    for (const tab of ["lines", "instructions", "overview"]) await page.click(byId(`tab-${tab}`));
  });
  test("another version is named, with what to do", async () => {
    const page = await session.open({ ...fixture("demo"), version: 7 });
    expect(await textOf(page, byId("problem"))).toMatch(/version 7.*up to version 1/);
  });
  test("no profile, a cut-off one, another format", async () => {
    const bad = [["{}", "no crosslane profile"], ['{"format": "crosslane-pro', "not valid JSON"], ['{"format": "other"}', '"other"']] as const;
    for (const [text, says] of bad) expect(await textOf(await session.open(text), byId("problem"))).toContain(says);
  });
  test("a sandboxed frame, which has no address", async () => {
    const report = readFileSync(writeReport(session.folder, fixture("demo")), "utf8");
    const file = join(session.folder, "notebook.html");
    const attribute = report.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    writeFileSync(file, `<!doctype html><div id="app"><iframe sandbox="allow-scripts" width="1200" height="800" srcdoc="${attribute}"></iframe></div>`);
    const page = await session.openFile(file);
    const frame = page.frameLocator("iframe");
    await frame.locator(byId("nav-kernel-1")).click();
    await frame.locator(byId("tab-lines")).click();
    await page.keyboard.press("ArrowDown"); // moves within the list, which is written a moment later
    await page.waitForTimeout(300);
    await frame.locator(byId("nav-summary")).click();
    await frame.locator(byId("finding")).first().waitFor();
  });
  test("names that look like HTML stay text", async () => {
    const profile = fixture("demo");
    const evil = "</script><img src=x onerror=document.title='broken'>";
    profile.kernels[0]!.short = profile.kernels[0]!.readable = evil;
    profile.command = evil;
    const page = await session.open(profile, { hash: "#/0/overview" });
    expect(await textOf(page, `${byId("kernel")} h1`)).toBe(evil);
    expect(await page.title()).not.toBe("broken");
  });
});
