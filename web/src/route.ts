// Owns the deep link in location.hash, so that a view can be linked and is restored on reload and by the browser's back
// button: `#/` is the summary, `#/2/code?line=0:17&at=12` the code of kernel 2 with line 17 of source 0 and instruction 12.
// Parameters that are not the page's own belong to the view (the trace's step).

export const tabs = ["overview", "code", "lines", "instructions", "branches", "counters", "trace", "time", "findings"] as const;
export type Tab = (typeof tabs)[number];

export interface Route {
  kernel: number | null; // null: the summary
  tab: Tab;
  line: [file: number, line: number] | null;
  instruction: number | null;
  params: Record<string, string>;
}

export const summary: Route = { kernel: null, tab: "overview", line: null, instruction: null, params: {} };

export function parseHash(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [kernelText = "", tabText = ""] = path.split("/");
  const kernel = wholeNumber(kernelText);
  const route: Route = { ...summary, kernel, params: {} };
  if (kernel === null) return route;
  if ((tabs as readonly string[]).includes(tabText)) route.tab = tabText as Tab;
  for (const [key, value] of new URLSearchParams(query)) {
    if (key === "at") route.instruction = wholeNumber(value);
    else if (key === "line") {
      const [file, line] = value.split(":").map(wholeNumber);
      if (file != null && line != null) route.line = [file, line];
    } else route.params[key] = value;
  }
  return route;
}

export function formatHash(route: Route): string {
  if (route.kernel === null) return "#/";
  const query: string[] = [];
  if (route.line) query.push(`line=${route.line[0]}:${route.line[1]}`);
  if (route.instruction !== null) query.push(`at=${route.instruction}`);
  for (const [key, value] of Object.entries(route.params)) query.push(`${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  return `#/${route.kernel}/${route.tab}${query.length ? `?${query.join("&")}` : ""}`;
}

function wholeNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
