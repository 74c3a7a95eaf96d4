// Owns getting the profile out of the page and saying in words why it cannot be shown. The checks are of what the page
// cannot work without; a key that is missing elsewhere means "not collected".
import { collisions } from "./heat";
import { timeFigures } from "./time/series";
import { linesActiveShare, sum } from "./model/totals";
import type { Profile } from "./profile";

export const supportedVersion = 1;

export type Loaded = { profile: Profile } | { problem: string };

/**
 * Reads the text of the page's JSON element; `null` when it still holds the marker, a string. (Which string is written in
 * index.html alone: the profiler replaces it and must not find it a second time in the code.)
 */
export function parseProfile(text: string): Loaded | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `The profile in this file is not valid JSON (${String(error)}). Was the file cut off when it was written or copied?` };
  }
  if (typeof value === "string") return null;
  return validate(value);
}

export function validate(value: unknown): Loaded {
  if (!isObject(value) || value["format"] !== "crosslane-profile")
    return { problem: `This file holds no crosslane profile: its "format" is ${quote(isObject(value) ? value["format"] : value)}, not "crosslane-profile".` };
  const version = value["version"];
  if (typeof version !== "number" || version < 1)
    return { problem: `The profile's "version" is ${quote(version)}; a number from 1 was expected.` };
  if (version > supportedVersion)
    return { problem: `The profile is of version ${version}; this page reads up to version ${supportedVersion}. Write the report with the crosslane that wrote the profile.` };
  for (const key of ["kernels", "sources"])
    if (!Array.isArray(value[key])) return { problem: `The profile has no list "${key}".` };
  for (const [index, kernel] of (value["kernels"] as unknown[]).entries()) {
    if (!isObject(kernel) || typeof kernel["name"] !== "string")
      return { problem: `Kernel ${index} of the profile has no name.` };
    if (!Array.isArray(kernel["instructions"]))
      return { problem: `Kernel "${kernel["name"]}" of the profile has no list "instructions".` };
  }
  return { profile: withDefaults(value as unknown as Profile) };
}

// So that the rest of the page need not ask about what every writer of version 1 writes.
function withDefaults(profile: Profile): Profile {
  profile.views ??= [];
  profile.selection ??= { kernels: null, launches: null, sample: null };
  profile.producer ??= "crosslane";
  profile.command ??= "";
  for (const kernel of profile.kernels) {
    for (const instruction of kernel.instructions) instruction.executions ??= 0;
    kernel.short ??= kernel.name;
    kernel.readable ??= kernel.short;
    kernel.lines ??= [];
    kernel.findings ??= [];
    kernel.mix ??= [];
    kernel.counters ??= [];
    for (const line of kernel.lines) {
      line.active_share = linesActiveShare(kernel, line);
      const waiting = line.instructions.flatMap((index) => {
        const row = kernel.instructions[index];
        return (row && collisions(row)) ?? [];
      });
      line.collisions = waiting.length ? sum(waiting, (n) => n) : null;
    }
  }
  if (profile.timing && profile.kernels[0]) {
    const figures = timeFigures(profile.kernels[0], profile.timing);
    if (figures) profile.kernels[0].figures = [figures, ...(profile.kernels[0].figures ?? [])];
  }
  return profile;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
