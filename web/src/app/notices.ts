// Owns what a reader must know before believing a number: an interrupted run, samples, a selection, the cost of profiling.
import type { OverheadEstimate, Profile } from "../profile";
import { percent, seconds } from "../format";

export interface Notice {
  kind: "warning" | "note";
  id: string;
  text: string;
}

function overheadEstimate({ cpu_seconds, share, ratio }: OverheadEstimate): string {
  if (share === null || ratio === null) return `These launches took ${seconds(cpu_seconds)} of processor time: too little to estimate what profiling cost.`;
  if (share < 0.005) return "Profiling took less than 1 % of the processor time of these launches (estimated).";
  const times = ratio >= 9.95 ? ratio.toFixed(0) : ratio.toFixed(1);
  return `Profiling took about ${(100 * share).toFixed(0)} % of the processor time of these launches: ${times} times as much as without (estimated).`;
}

export function notices(profile: Profile): Notice[] {
  const list: Notice[] = [];
  if (profile.estimated) list.push({ kind: "note", id: "estimated", text: profile.estimated });
  if (profile.measured_by === "probes")
    list.push({ kind: "note", id: "probes", text: "Counted by probes in the kernels' code: executions and branches are those of the code as it was, times are with the probes." });
  for (const { short, not_measured, calls_to_uninstrumented } of profile.kernels)
    if (not_measured) list.push({ kind: "warning", id: "no-probes", text: `${short} has no probes: ${not_measured}.` });
    else if (calls_to_uninstrumented)
      list.push({ kind: "warning", id: "calls", text: `${short} has ${calls_to_uninstrumented} calls and jumps through pointers: what they lead to has no probes and is not counted, but for returns.` });
  if (profile.complete === false || profile.interrupted)
    list.push({ kind: "warning", id: "interrupted", text: `Interrupted (${profile.interrupted?.replace(/\s*\n\s*/g, "; ") || "no reason given"}): the numbers are of what ran before.` });
  const { sample, kernels, launches } = profile.selection;
  if (sample) list.push({ kind: "warning", id: "sample", text: `Sampled: ${percent(sample.fraction)} of the workgroups (seed ${sample.seed}). Sums are those of the sample; a kernel's head says of how many.` });
  if (kernels) list.push({ kind: "note", id: "kernels", text: `Only kernels that match /${kernels}/.` });
  if (launches) list.push({ kind: "note", id: "launches", text: `Only ${launches.includes("..") ? "launches" : "launch"} ${launches.replace("..", " to ")}.` });
  const wanted = ["branches", "divergence", "memory", "lds"] as const;
  const missing = profile.estimated ? [] : wanted.filter((view) => !profile.views.includes(view));
  if (missing.length) list.push({ kind: "note", id: "views", text: `Not collected: ${missing.join(", ")}.` });
  for (const damage of profile.damaged ?? []) list.push({ kind: "warning", id: "damaged", text: `${damage}.` });
  if (profile.untraced) list.push({ kind: "warning", id: "untraced", text: `${profile.untraced.charAt(0).toUpperCase()}${profile.untraced.slice(1)}.` });
  if (profile.overhead)
    list.push({ kind: "note", id: "overhead", text: `Profiling made the same launch ${profile.overhead.ratio.toFixed(1)} times as long: ${seconds(profile.overhead.plain_seconds)} without, ${seconds(profile.overhead.profiled_seconds)} with.` });
  else if (profile.overhead_estimate)
    list.push({ kind: "note", id: "overhead", text: overheadEstimate(profile.overhead_estimate) });
  return list;
}
