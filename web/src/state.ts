// Owns what the page remembers: the profile, the route (location.hash), the theme and the chosen heat columns. Components
// read signals and call the functions here; nothing else writes location or localStorage.
import { computed, effect, signal } from "@preact/signals";
import type { Kernel, Profile } from "./profile";
import { formatHash, parseHash, type Route, type Tab } from "./route";
import type { MetricId } from "./heat";
import { distinctNames } from "./model/names";

export const profile = signal<Profile>(null!);
export const route = signal<Route>(parseHash(location.hash));
export const helpOpen = signal(false);
/** The browser is making pages of the view: nothing may be left out because it is not on screen. */
export const printing = signal(false);

export const kernel = computed<Kernel | null>(() => {
  const index = route.value.kernel;
  return index === null ? null : (profile.value.kernels[index] ?? null);
});

/** What each kernel is called in narrow places. */
export const kernelNames = computed(() => distinctNames(profile.value.kernels));

/** Goes somewhere. `replace`: without an entry in the browser's history (moving within a list). */
export function navigate(change: Partial<Route>, replace = false): void {
  const next: Route = { ...route.value, ...change };
  const hash = formatHash(next);
  if (hash === formatHash(route.value)) return;
  if (replace) {
    route.value = next;
    settle ??= setTimeout(writeHash, 150);
  } else {
    if (settle !== null) writeHash();
    route.value = next;
    writeLocation(() => history.pushState(null, "", hash));
  }
}

// A page in a sandboxed frame, as notebooks show it, has no address of its own: then views have no links, and that is all.
function writeLocation(write: () => void): void {
  try {
    write();
  } catch {
    // see above
  }
}

// Browsers refuse more than some hundred changes of location in half a minute, which a key that is held down would make.
let settle: ReturnType<typeof setTimeout> | null = null;
function writeHash(): void {
  if (settle !== null) clearTimeout(settle);
  settle = null;
  writeLocation(() => history.replaceState(null, "", formatHash(route.value)));
}
function readHash(): void {
  if (settle !== null) clearTimeout(settle);
  settle = null;
  route.value = parseHash(location.hash);
}
addEventListener("popstate", readHash);
addEventListener("hashchange", readHash);
addEventListener("pagehide", () => settle !== null && writeHash());

export function openKernel(index: number, tab: Tab = "overview"): void {
  navigate({ kernel: index, tab, line: null, instruction: null, params: {} });
}

/** Shows an instruction, or a line, among the code. */
export function openCode(index: number, instruction: number | null, line: [number, number] | null = null): void {
  navigate({ kernel: index, tab: "code", instruction, line, params: {} });
}

export type Theme = "auto" | "light" | "dark";
export const theme = signal<Theme>(remembered("theme", ["auto", "light", "dark"], "auto"));
const systemDark = signal(matchMedia("(prefers-color-scheme: dark)").matches);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => (systemDark.value = e.matches));
export const dark = computed(() => !printing.value && (theme.value === "dark" || (theme.value === "auto" && systemDark.value)));

effect(() => void document.documentElement.toggleAttribute("data-dark", dark.value));

export function setTheme(next: Theme): void {
  theme.value = next;
  remember("theme", next);
}

/** Heat columns that are not shown; of those that are quiet, the ones that are. */
export const hiddenMetrics = signal<ReadonlySet<MetricId>>(new Set(remembered("hidden-metrics", null, "lost").split(",") as MetricId[]));
export function toggleMetric(id: MetricId): void {
  const next = new Set(hiddenMetrics.value);
  if (!next.delete(id)) next.add(id);
  hiddenMetrics.value = next;
  remember("hidden-metrics", [...next].join(","));
}

// A file:// page may be refused storage: then nothing is remembered, and that is all.
function remembered<T extends string>(key: string, allowed: readonly T[] | null, otherwise: T): T {
  try {
    const value = localStorage.getItem(`crosslane.${key}`) as T | null;
    return value !== null && (!allowed || allowed.includes(value)) ? value : otherwise;
  } catch {
    return otherwise;
  }
}
function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`crosslane.${key}`, value);
  } catch {
    // see above
  }
}
