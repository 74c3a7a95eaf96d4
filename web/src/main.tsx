// Owns the start of the page: profile out of the document, or a fixture when the page is served for development.
import "./style/index.css";
import { render } from "preact";
import { App } from "./app/App";
import { Problem } from "./app/Problem";
import { type Loaded, parseProfile, validate } from "./load";
import { followPrinting } from "./print";
import { profile } from "./state";

async function load(): Promise<Loaded> {
  const loaded = parseProfile(document.getElementById("crosslane-profile")?.textContent ?? "");
  if (loaded) return loaded;
  if (import.meta.env.DEV) {
    const { fixture } = await import("../fixtures");
    return validate(fixture(new URLSearchParams(location.search).get("fixture") ?? "demo"));
  }
  return { problem: "This is the empty report. `crosslane launch … --html report.html` writes one with a profile in it." };
}

const root = document.getElementById("app")!;
const loaded = await load();
if ("problem" in loaded) render(<Problem text={loaded.problem} />, root);
else {
  profile.value = loaded.profile;
  const only = loaded.profile.kernels.length === 1 ? loaded.profile.kernels[0]!.short : null;
  document.title = `${only ?? `${loaded.profile.kernels.length} kernels`} · crosslane profile`;
  render(<App />, root);
  followPrinting();
}
