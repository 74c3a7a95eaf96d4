// Owns which views a kernel has.
import type { Profile } from "../profile";
import type { Tab } from "../route";

export const tabNames: Record<Tab, string> = {
  overview: "Overview", code: "Code", lines: "Lines", instructions: "Instructions", branches: "Branches",
  counters: "Counters", trace: "Trace", time: "Time", findings: "Findings",
};

/** The trace is of one wavefront of one kernel, modelled times are of the launched one, findings of --check; everything else is there always, and says so when it is empty. */
export function tabAvailable(profile: Profile, kernel: number, tab: Tab): boolean {
  if (tab === "time") return profile.timing != null && kernel === 0;
  if (tab === "findings") return profile.check != null;
  return tab !== "trace" || profile.trace?.kernel === kernel;
}
