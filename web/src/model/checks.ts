// Owns where findings of --check lie in the profile: which kernels have them, which instruction is meant, and what stands around it.
import type { CheckFinding, CheckPlace, Kernel, Profile } from "../profile";
import { sourceOf } from "../code/model";

/** The index of the instruction at a place; null if the kernel does not have it. */
export function instructionAt(kernel: Kernel, place: CheckPlace): number | null {
  const index = kernel.instructions.findIndex((i) => i.offset === place.offset && i.function === (place.function ?? ""));
  return index < 0 ? null : index;
}

/** The findings whose instruction the kernel has: one of a function that two kernels call is both's. */
export function findingsOf(kernel: Kernel, findings: readonly CheckFinding[]): CheckFinding[] {
  return findings.filter((f) => f.target.split(":")[0]!.endsWith(kernel.target.split(":")[0]!) && instructionAt(kernel, f.place) !== null);
}

export interface Excerpt {
  title: string;
  rows: { number: string; text: string; here: boolean }[];
}

/** Some lines of source around the instruction, by the profile's sources; null where they are not known. */
export function sourceExcerpt(profile: Profile, kernel: Kernel, index: number, around = 4): Excerpt | null {
  const place = sourceOf(kernel, index);
  const file = place && profile.sources[place[0]];
  if (!place || !file?.text) return null;
  const lines = file.text.split("\n");
  return excerpt(`${file.path}:${place[1]}`, lines.length, place[1] - 1, around, (n) => ({ number: String(n + 1), text: lines[n]! }));
}

/** Some instructions around it. */
export function codeExcerpt(kernel: Kernel, index: number, around = 4): Excerpt {
  const { instructions } = kernel;
  const at = instructions[index]!;
  const same = instructions.map((i, n) => ({ i, n })).filter(({ i }) => i.function === at.function);
  const here = same.findIndex(({ n }) => n === index);
  const title = `${at.function}+0x${at.offset.toString(16)}`;
  return excerpt(title, same.length, here, around, (n) => ({ number: `+0x${same[n]!.i.offset.toString(16)}`, text: same[n]!.i.text }));
}

function excerpt(title: string, count: number, here: number, around: number, row: (n: number) => { number: string; text: string }): Excerpt {
  const rows = [];
  for (let n = Math.max(0, here - around); n < Math.min(count, here + around + 1); n++) rows.push({ ...row(n), here: n === here });
  return { title, rows };
}

/** "workgroup (0,1,0), wave 2, lane 5, address 0x40; 64 times" */
export function seenText({ seen }: CheckFinding): string {
  if (!seen) return "";
  const parts = [`workgroup (${seen.workgroup.join(",")})`, `wave ${seen.wave}`];
  if (seen.lane != null) parts.push(`lane ${seen.lane}`);
  if (seen.address) parts.push(`address 0x${seen.address.toString(16)}`);
  return parts.join(", ") + (seen.times > 1 ? `; ${seen.times} times` : "");
}

/** As a compiler would say where. */
export function placeText(place: CheckPlace): string {
  return place.source ?? `${place.function ?? place.file}+0x${place.offset.toString(16)}`;
}
