// Owns the browser of the end-to-end tests: Debian's Chromium without a network, opening reports as a user does, from a file.
// Whatever a page prints as an error or asks of a network fails the test that opened it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { launch } from "./chromium";

/** What the built page holds where a profile belongs. */
const marker = "@CROSSLANE_PROFILE@";

/** The built page without a profile. */
export const page_file = resolve(process.env["CROSSLANE_PAGE"] ?? join(__dirname, "../dist/index.html"));

/** A report that holds `profile` (an object, or the text of the JSON element), as the file that a user would open. */
export function writeReport(folder: string, profile: unknown, name = "report.html"): string {
  let page: string;
  try {
    page = readFileSync(page_file, "utf8");
  } catch {
    throw new Error(`The page is not built: ${page_file} is missing. Run \`npm run build\` in web/, or build the target web_page.`);
  }
  const json = (typeof profile === "string" ? profile : JSON.stringify(profile)).replaceAll("<", "\\u003c");
  const parts = page.split(`"${marker}"`);
  if (parts.length !== 2) throw new Error(`${page_file} holds the marker ${marker} ${parts.length - 1} times, not once`);
  const file = join(folder, name);
  writeFileSync(file, parts.join(json));
  return file;
}

export interface OpenOptions {
  dark?: boolean;
  hash?: string;
  width?: number;
  height?: number;
}

export interface Session {
  folder: string;
  /** Opens a report with this profile, or an existing file (`{ file }`). */
  open: (profile: unknown, options?: OpenOptions) => Promise<Page>;
  openFile: (file: string, options?: OpenOptions) => Promise<Page>;
}

/** Gives a test file a browser, and each test fresh pages. */
export function useBrowser(): Session {
  let browser: Browser | null = null;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];
  const session: Session = {
    folder: "",
    open: (profile, options) => session.openFile(writeReport(session.folder, profile), options),
    openFile: async (file, options = {}) => {
      const context = await browser!.newContext({
        viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
        colorScheme: options.dark ? "dark" : "light",
        offline: true,
      });
      contexts.push(context);
      context.on("request", (request) => {
        if (!/^(file|data|blob):/.test(request.url())) complaints.push(`a request leaves: ${request.url()}`);
      });
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") complaints.push(`console ${message.type()}: ${message.text()}`);
      });
      page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
      await page.goto(pathToFileURL(file).href + (options.hash ?? ""));
      await page.waitForSelector("#app > *");
      await settled(page);
      return page;
    },
  };
  beforeAll(async () => {
    session.folder = mkdtempSync(join(tmpdir(), "crosslane-e2e-"));
    browser = await launch();
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    const said = complaints;
    complaints = [];
    expect(said).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    if (session.folder) rmSync(session.folder, { recursive: true, force: true });
  });
  return session;
}

/** After effects have run: a view takes keys only then. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))));
}

export const byId = (id: string) => `[data-testid="${id}"]`;

/** Text of the first match, with single spaces. */
export async function textOf(page: Page, selector: string): Promise<string> {
  return ((await page.locator(selector).first().textContent()) ?? "").replace(/\s+/g, " ").trim();
}
