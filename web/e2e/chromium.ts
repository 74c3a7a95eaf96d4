// Owns starting Chromium: Debian's, without a window and without a network.
import { accessSync, constants } from "node:fs";
import { chromium, type Browser } from "playwright-core";

export const executable = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
export async function launch(): Promise<Browser> {
  try {
    accessSync(executable, constants.X_OK);
  } catch {
    throw new Error(
      `There is no browser at ${executable}. Install Debian's package chromium (scripts/install-deps.sh programs), or name another one in the environment variable CHROMIUM.`,
    );
  }
  return chromium.launch({
    executablePath: executable,
    args: [
      "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
    ],
  });
}
