// Makes the pictures of docs/images from reports that the binary writes of the examples. scripts/report-screenshots.sh calls it:
//   vite-node e2e/screenshots.ts CROSSLANE EXAMPLES OUT
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { unrolledKernel } from "../fixtures/unrolled";
import { launch } from "./chromium";

interface Picture {
  name: string;
  source: string; // of the examples, or text made here
  text?: string;
  args: string;
  dark?: boolean;
  hash: string;
  before?: (page: Page) => Promise<void>;
}

const pictures: Picture[] = [
  {
    name: "report-light", source: "transpose.hip", hash: "#/0/overview",
    args: "--grid 480,480 --block 16,16 in=u32[480,480]:iota out=u32[480,480] width=480 height=480 --lds 1088",
    before: (page) => page.click('[data-testid="finding"][data-kind="bank_conflicts"] button'),
  },
  {
    name: "report-dark", source: "mandelbrot.cl", dark: true, hash: "#/0/overview",
    args: "--grid 256,128 --block 16,16 iterations=u32[128,256] width=256 height=128 x0=-2.0 y0=-1.25 step=0.0195 limit=200",
  },
  {
    name: "report-time", source: "matmul_tiled.cl", hash: "#/0/time",
    args: "--gpu vega10 --grid 512,512 f32[512,512]:random f32[512,512]:random f32[512,512] 512 --time",
  },
  {
    name: "report-large", source: "unrolled.cl", text: unrolledKernel(), hash: "#/0/code?line=0:845",
    args: "--grid 4096 --block 64 in=f32[4096]:random:1 out=f32[4096] n=4096 tile=lds:8192",
  },
  {
    name: "lane-viewer", source: "mandelbrot.cl", hash: "#/0/trace?step=210&reg=v6",
    args: "--grid 256,128 --block 16,16 iterations=u32[128,256] width=256 height=128 x0=-2.0 y0=-1.25 step=0.0195 limit=200 --trace-wave 83:1",
  },
];

const [binary = "", examples = "", out = "", ...only] = process.argv.slice(2);
if (!binary || !examples || !out) throw new Error("usage: vite-node e2e/screenshots.ts CROSSLANE EXAMPLES OUT [NAME...]");
const path = `${dirname(resolve(binary))}${delimiter}${process.env["PATH"]}`; // the page shows the command as it was typed
const folder = mkdtempSync(join(tmpdir(), "crosslane-pictures-"));
const browser = await launch();
try {
  for (const picture of pictures.filter(({ name }) => only.length === 0 || only.includes(name))) {
    if (picture.text) writeFileSync(join(folder, picture.source), picture.text);
    else copyFileSync(join(examples, picture.source), join(folder, picture.source));
    const args = ["launch", picture.source, ...picture.args.split(" "), "--html", "report.html"];
    execFileSync("crosslane", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, PATH: path } });
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: picture.dark ? "dark" : "light" });
    await page.goto(pathToFileURL(join(folder, "report.html")).href + picture.hash);
    await page.waitForSelector("#app > *");
    await picture.before?.(page);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(700); // the charts' last frame
    const file = join(out, `${picture.name}.png`);
    await page.screenshot({ path: file, animations: "disabled" });
    await page.close();
    console.log(`${file}  ${Math.round(statSync(file).size / 1024)} KB  crosslane ${args.join(" ")}`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
