// The page on a phone, on paper and for those who do not see it: nothing cut or on top of something else, everything printed,
// every control with a name.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { fixture } from "../fixtures";
import { byId, textOf, useBrowser } from "./browser";

const session = useBrowser();
const places = ["#/", "#/0/overview", "#/2/code?at=14", "#/3/lines", "#/3/instructions", "#/3/branches", "#/0/counters", "#/0/trace?step=9&reg=v2"];
const phone = { width: 390, height: 844 };

/** Elements beyond the right edge that no scroll bar of their own reaches, and text that is on top of other text. */
const faults = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = [];
    const name = (e: Element) => `${e.tagName.toLowerCase()}.${e.className} "${(e.textContent ?? "").trim().slice(0, 30)}"`;
    const scrolls = (e: Element) => {
      for (let p: Element | null = e; p; p = p.parentElement) if (/auto|scroll/.test(getComputedStyle(p).overflowX) && p.id !== "view") return true;
      return false;
    };
    for (const e of document.querySelectorAll("main *, header *")) {
      const box = e.getBoundingClientRect();
      if (box.width && box.height && box.right > innerWidth + 1 && !scrolls(e)) found.push(`beyond the edge: ${name(e)}`);
    }
    const texts = [...document.querySelectorAll(".finding-main > *, .finding-where > *, .finding-share > b, .kernel-title > *, .facts > div, .card h2, .notices li, .detail-list dt, .detail-list dd")]
      .map((e) => ({ e, box: e.getBoundingClientRect() })).filter(({ box }) => box.width && box.height);
    for (const [i, a] of texts.entries())
      for (const b of texts.slice(i + 1)) {
        if (a.e.contains(b.e) || b.e.contains(a.e)) continue;
        const [w, h] = [Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left), Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top)];
        if (w > 2 && h > 2) found.push(`on top of each other: ${name(a.e)}, ${name(b.e)}`);
      }
    // Cut off by the element itself, without a way to scroll.
    for (const e of document.querySelectorAll(".finding *, .kernel-title *, .notices *, .card h2, .picture figcaption, .picture-body, .detail-list dd, .tabs"))
      if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === "hidden") found.push(`cut: ${name(e)}`);
    return found;
  });

describe("on a phone", () => {
  test.each(places)("%s", async (hash) => {
    const page = await session.open(fixture("traced"), { hash, ...phone });
    expect(await faults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
  });

  test("what --check found", async () => {
    for (const hash of ["#/", "#/2/findings"]) expect(await faults(await session.open(fixture("checked"), { hash, ...phone }))).toEqual([]);
  });

  test("names of templates as long as libraries have them", async () => {
    for (const hash of ["#/", "#/7/overview"]) expect(await faults(await session.open(fixture("many"), { hash, ...phone }))).toEqual([]);
  });

  test("a kernel is chosen in the top bar, and its last tab is reached", async () => {
    const page = await session.open(fixture("demo"), phone);
    await page.selectOption(byId("kernel-choice"), { label: "histogram" });
    expect(await textOf(page, `${byId("kernel")} h1`)).toBe("histogram");
    await page.click(byId("tab-counters"));
    await page.waitForSelector(byId("panel-counters"));
    await page.selectOption(byId("kernel-choice"), { label: "Summary" });
    await page.waitForSelector(byId("summary"));
  });
});

describe("on paper", () => {
  const pages = async (page: Page) => ((await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page[^s]/g) ?? []).length;

  test("as many pages as it takes, and then the screen as before", async () => {
    const page = await session.open(fixture("many"), { dark: true });
    const before = await page.locator(byId("kernels-row")).count();
    expect(before).toBeLessThan(60);
    expect(await pages(page)).toBeGreaterThan(5); // 8 findings and 150 kernels
    await page.waitForFunction((id) => document.querySelectorAll(id).length < 60, byId("kernels-row"));
    expect(await textOf(page, byId("theme-now"))).toBe("dark");
  });

  test("all rows and all lines, light", async () => {
    const page = await session.open(fixture("big"), { hash: "#/0/instructions", dark: true });
    const print = () => page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    await print();
    expect(await page.locator(byId("instructions-row")).count()).toBe(10_000);
    expect(await textOf(page, byId("theme-now"))).toBe("light");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.evaluate(() => (location.hash = "#/0/code"));
    await page.waitForSelector(`${byId("disassembly")} .cm-line`);
    await print();
    const lines = await page.locator(`${byId("disassembly")} .printed-pane tbody tr`).count();
    expect(lines).toBe(10_001); // and the function's name
    expect(await page.locator(`${byId("disassembly")} .printed-pane tbody tr`).last().textContent()).toContain("s_endpgm");
  });
});

describe("without seeing it", () => {
  const roles = ["button", "link", "textbox", "searchbox", "combobox", "checkbox", "slider", "splitter", "tab", "radio", "grid", "listbox", "columnheader", "image", "dialog", "navigation"];
  test.each([...places, "#/0/overview help"])("every control of %s has a name", async (place) => {
    const [hash, help] = place.split(" ");
    const page = await session.open(fixture("traced"), { hash: hash! });
    if (help) await page.keyboard.press("?");
    const cdp = await page.context().newCDPSession(page);
    const { nodes } = (await cdp.send("Accessibility.getFullAXTree")) as { nodes: { ignored: boolean; role?: { value: string }; name?: { value: string } }[] };
    const controls = nodes.filter((node) => !node.ignored && roles.includes(node.role?.value ?? ""));
    expect(controls.length).toBeGreaterThan(help ? 1 : 8); // behind the dialog nothing can be reached
    expect(controls.filter((node) => !node.name?.value?.trim()).map((node) => node.role!.value)).toEqual([]);
    // Not only a wrapping label's whole text, which says a choice's options too.
    const unnamed = await page.locator("input:not([aria-label]), select:not([aria-label])").evaluateAll((all) => all.map((one) => one.outerHTML));
    expect(unnamed).toEqual([]);
  });
});
