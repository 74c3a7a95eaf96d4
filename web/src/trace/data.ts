// The trace of a wave as docs/profile-format.md has it, and how lane values are packed there.
// What comes from a file is checked once, in check(): the rest of the viewer believes the types.

import type { Trace, TraceAccess, TraceChanges, VectorValue } from "../profile";

export const lane_count = 64;

/** The 64 values; throws if the text is not 256 bytes in base64. */
export function unpackLanes(packed: VectorValue): Uint32Array {
  const lanes = new Uint32Array(lane_count);
  if (typeof packed === "number") return lanes.fill(packed >>> 0);
  const bytes = atob(packed);
  if (bytes.length !== 4 * lane_count)
    throw new Error(`a register of the trace has ${bytes.length} bytes, not ${4 * lane_count}`);
  for (let lane = 0; lane < lane_count; lane++) {
    const at = 4 * lane;
    lanes[lane] =
      (bytes.charCodeAt(at) |
        (bytes.charCodeAt(at + 1) << 8) |
        (bytes.charCodeAt(at + 2) << 16) |
        (bytes.charCodeAt(at + 3) << 24)) >>> 0;
  }
  return lanes;
}

/** The other way, for tests and generated profiles. */
export function packLanes(lanes: ArrayLike<number>): VectorValue {
  const first = (lanes[0] ?? 0) >>> 0;
  let same = true;
  let bytes = "";
  for (let lane = 0; lane < lane_count; lane++) {
    const value = (lanes[lane] ?? 0) >>> 0;
    same &&= value === first;
    bytes += String.fromCharCode(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24);
  }
  return same ? first : btoa(bytes);
}

export function accessesOf(changes: TraceChanges | 0): TraceAccess[] {
  if (changes === 0 || !changes.mem) return [];
  return Array.isArray(changes.mem) ? changes.mem : [changes.mem]; // a flat instruction may reach two spaces
}

/** What is wrong with a trace, in words; null: nothing. */
export function check(trace: Trace): string | null {
  if (!Array.isArray(trace.steps) || !Array.isArray(trace.instructions))
    return "the trace has no list of steps or of instructions";
  for (const [at, step] of trace.steps.entries()) {
    if (!Array.isArray(step)) return `step ${at + 1} of the trace is not a list`;
    const index = step[0];
    if (!Number.isInteger(index) || index < 0 || index >= trace.instructions.length)
      return `step ${at + 1} of the trace names instruction ${index} of ${trace.instructions.length}`;
  }
  return null;
}
