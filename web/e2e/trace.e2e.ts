// The lane viewer in the browser, with values that the fixtures' comments let anybody check.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { loopTrace, profileOf, vectorAddTrace } from "../fixtures/trace";
import { byId, settled, textOf, useBrowser } from "./browser";

const session = useBrowser();
const hash = "#/0/trace";

const cell = (page: Page, name: string) => textOf(page, `[data-cell="${name}"]`);
const position = (page: Page) => page.locator(byId("trace-position")).inputValue();

async function goTo(page: Page, step: number | string): Promise<void> {
  await page.keyboard.press("g");
  await page.waitForFunction(() => (document.activeElement as HTMLElement | null)?.dataset["testid"] === "trace-position");
  await page.keyboard.type(String(step));
  await page.keyboard.press("Enter");
}

describe("vector_add by one wavefront", () => {
  test("forwards and backwards with the arrow keys: registers, masks, what changed", async () => {
    const page = await session.open(profileOf(vectorAddTrace()), { hash });
    await page.waitForSelector(byId("trace"));
    expect(await position(page)).toBe("0");
    expect(await textOf(page, byId("trace-exec"))).toBe("0xffffffffffffffff");
    expect(await textOf(page, byId("trace-length"))).toBe("14");

    const seen: string[][] = [];
    const state = async () => [
      await textOf(page, byId("trace-instruction")),
      await cell(page, "v1[3]"), await cell(page, "v2[3]"), await cell(page, "v3[3]"),
      await textOf(page, byId("trace-exec")), await textOf(page, byId("trace-scc")), await textOf(page, byId("trace-changes")),
    ];
    seen.push(await state());
    for (let step = 1; step <= 14; step++) {
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(([id, value]) => document.querySelector<HTMLInputElement>(id!)?.value === value, [byId("trace-position"), String(step)]);
      seen.push(await state());
    }
    // b[3] = 3.0, c[3] = 1.5, the sum 4.5, which are shown as floats; the address of element 3 is 12 = 0xc on.
    const values = seen.map((one) => one.slice(1, 4));
    expect(values[7]).toEqual(["00000000", "00000000", "00000000"]);
    expect(values[8]).toEqual(["0000000c", "00000000", "00000000"]);
    expect(values[9]).toEqual(["0000000c", "3", "00000000"]);
    expect(values[10]).toEqual(["0000000c", "3", "1.5"]);
    expect(values[12]).toEqual(["0000000c", "4.5", "1.5"]);
    expect(seen[5]![4]).toBe("0xffffffffffffffff");
    expect(seen[6]![4]).toBe("0x0003ffffffffffff");
    expect(seen[6]![5]).toBe("SCC 1");
    expect(seen[6]![6]).toContain("64 → 50 lanes");
    expect(seen[11]![6]).toBe("changed no register");

    for (let step = 13; step >= 0; step--) {
      await page.keyboard.press("k");
      await page.waitForFunction(([id, value]) => document.querySelector<HTMLInputElement>(id!)?.value === value, [byId("trace-position"), String(step)]);
      expect(await state(), `back at step ${step}`).toEqual(seen[step]);
    }
  });

  test("changed cells are marked, inactive lanes are dimmed", async () => {
    const page = await session.open(profileOf(vectorAddTrace()), { hash: `${hash}?step=9` });
    expect(await page.locator('[data-cell="v2[3]"].changed').count()).toBe(1);
    expect(await page.locator('[data-cell="v2[0]"].changed').count()).toBe(0); // b[0] is 0.0, which v2 held
    expect(await page.locator('[data-cell="v1[3]"].changed').count()).toBe(0);
    await page.selectOption(byId("trace-format"), "hex"); // the narrowest: more lanes at once
    await page.locator(byId("trace-vectors")).evaluate((box) => (box.scrollLeft = 1e6));
    await page.waitForSelector('[data-cell="v0[63]"]');
    expect(await page.locator('[data-cell="v0[49]"].inactive').count()).toBe(0);
    expect(await page.locator('[data-cell="v0[50]"].inactive').count()).toBe(1);
    expect(await page.locator('[data-cell="v0[63]"].inactive').count()).toBe(1);
    expect(await cell(page, "v0[63]")).toBe("0000003f");
  });

  test("the access of a step, word by word", async () => {
    const page = await session.open(profileOf(vectorAddTrace()), { hash: `${hash}?step=9` });
    const memory = page.locator(byId("trace-memory"));
    expect(await textOf(page, byId("trace-memory") + " h2")).toBe("global load 4 bytes a lane, 50 lanes, 4 cache lines");
    expect(await memory.locator(".hit").count()).toBe(50);
    expect(await memory.locator("code").first().textContent()).toBe("0x7f0100010000");
    await goTo(page, 12);
    expect(await textOf(page, byId("trace-memory"))).toContain("accesses no memory");
  });

  test("formats, of one register and of all", async () => {
    const page = await session.open(profileOf(vectorAddTrace()), { hash: `${hash}?step=12` });
    expect(await cell(page, "v2[3]")).toBe("4.5"); // unasked: v_add_f32 wrote it
    await page.selectOption(byId("trace-format"), "hex");
    expect(await cell(page, "v2[3]")).toBe("40900000");
    await page.click(byId("trace-name-v2"));
    for (const [format, text] of [["signed", String(0x40900000)], ["unsigned", String(0x40900000)], ["f32", "4.5"]] as const) {
      await page.keyboard.press("f");
      expect(await textOf(page, byId("trace-format-v2"))).toBe(format);
      expect(await cell(page, "v2[3]")).toBe(text);
    }
    expect(await cell(page, "v3[3]")).toBe("3fc00000");
    await page.selectOption(byId("trace-format"), "f16x2");
    expect(await cell(page, "v3[3]")).toBe("0 1.9375"); // 0x0000, and 0x3fc0 = 1 + 0x3c0 / 1024
  });

  test("following a lane: next and previous change, its history, and nothing", async () => {
    const page = await session.open(profileOf(vectorAddTrace()), { hash });
    await page.click('[data-cell="v2[3]"]');
    expect(await textOf(page, byId("trace-follow") + " h2")).toBe("v2[3] changes 2 times");
    await page.keyboard.press("n");
    expect(await position(page)).toBe("9");
    await page.keyboard.press("n");
    expect(await position(page)).toBe("12");
    await page.keyboard.press("n");
    expect(await position(page)).toBe("12");
    await page.keyboard.press("p");
    expect(await position(page)).toBe("9");
    expect(await textOf(page, byId("trace-followed-value"))).toBe("3");
    await page.click('[data-position="12"]');
    expect(await position(page)).toBe("12");
    await page.click('[data-bit="exec[60]"]');
    expect(await textOf(page, byId("trace-follow") + " h2")).toBe("exec[60] changes once");
    await page.keyboard.press("Escape");
    expect(await page.locator(byId("trace-follow")).count()).toBe(0);
  });

  test("search, go to a step, the listing, the slider's ends", async () => {
    const page = await session.open(profileOf(vectorAddTrace()), { hash });
    await page.keyboard.press("/");
    await page.waitForFunction(() => (document.activeElement as HTMLElement | null)?.dataset["testid"] === "trace-search");
    await page.keyboard.type("global_load");
    expect(await textOf(page, byId("trace-matches"))).toContain("2 found");
    await page.keyboard.press("Enter");
    expect(await position(page)).toBe("9");
    await page.keyboard.press("Enter");
    expect(await position(page)).toBe("10");
    await page.keyboard.press("Shift+Enter");
    expect(await position(page)).toBe("9");
    await page.keyboard.press("Escape");
    await goTo(page, "+3");
    expect(await position(page)).toBe("12");
    // What is typed stays while the page is drawn again, as when its address follows the step.
    await page.keyboard.press("k");
    await page.keyboard.press("g");
    await page.keyboard.type("1");
    await page.waitForFunction(() => location.hash.includes("step=11"));
    await settled(page);
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    expect(await position(page)).toBe("12");
    expect(await textOf(page, ".trace-code.current .trace-text")).toBe("v_add_f32_e32 v2, v2, v3");
    await page.click('[data-instruction="4"]');
    expect(await position(page)).toBe("5");
    await page.keyboard.press("End");
    expect(await position(page)).toBe("14");
    await page.keyboard.press("Home");
    expect(await position(page)).toBe("0");
    await page.keyboard.press("Shift+ArrowRight");
    expect(await position(page)).toBe("10");
    await page.keyboard.press("PageUp");
    expect(await position(page)).toBe("0");
  });

  test("the address of the page holds the step and what is followed", async () => {
    const page = await session.open(profileOf(vectorAddTrace()), { hash: `${hash}?step=12&reg=v2%5B3%5D` });
    expect(await position(page)).toBe("12");
    expect(await textOf(page, byId("trace-follow") + " h2")).toBe("v2[3] changes 2 times");
    await page.keyboard.press("k");
    await page.waitForFunction(() => location.hash.includes("step=11"));
    await page.reload();
    await page.waitForSelector(byId("trace"));
    expect(await position(page)).toBe("11");
  });

  test("to the code of the instruction and back to the step", async () => {
    const page = await session.open(profileOf(vectorAddTrace()), { hash: `${hash}?step=12&reg=v2` });
    await page.click(byId("trace-to-code"));
    await page.waitForSelector(byId("panel-code"));
    expect(await page.evaluate(() => location.hash)).toBe("#/0/code?line=0:6&at=11");
    await page.click(byId("tab-trace"));
    expect(await position(page)).toBe("12");
    expect(await textOf(page, byId("trace-follow") + " h2")).toBe("v2 changes 2 times");
  });

  test("play goes to the end and stops there", async () => {
    const page = await session.open(profileOf(vectorAddTrace()), { hash: `${hash}?step=11` });
    await page.keyboard.press("Space");
    await page.waitForFunction((id) => document.querySelector<HTMLInputElement>(id)?.value === "14", byId("trace-position"));
    await page.waitForSelector(`${byId("trace-play")}[aria-label="Play (Space)"]`);
  });
});

describe("20,000 steps and 256 registers", () => {
  test("any step is a jump away, and the document stays small", async () => {
    const page = await session.open(profileOf(loopTrace(20000)), { hash });
    await page.waitForSelector(byId("trace-incomplete"));
    await goTo(page, 15000);
    expect(await cell(page, "v1[2]")).toBe((2 + 7500 * 64).toString(16).padStart(8, "0"));
    await page.keyboard.press("ArrowLeft"); // what step 15,000 did was s0 += 1; 14,999 wrote v1
    await page.keyboard.press("ArrowLeft");
    expect(await cell(page, "v1[2]")).toBe((2 + 7499 * 64).toString(16).padStart(8, "0"));
    expect(await textOf(page, byId("trace-s0"))).toBe(`s0 ${(7499).toString(16).padStart(8, "0")}`);
    await page.check(byId("trace-all"));
    await page.click('[data-cell="v1[2]"]');
    await page.locator(byId("trace-vectors")).evaluate((box) => (box.scrollTop = box.scrollHeight));
    await page.waitForSelector('[data-cell="v255[2]"]');
    const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
    expect(nodes).toBeLessThan(3500); // 256 x 64 cells alone would be 16,384
    await page.keyboard.press("End");
    expect(await textOf(page, byId("trace-followed-value"))).toBe((2 + 10000 * 64).toString(16).padStart(8, "0"));
  });
});
