// Owns saying where an address lies in the words of the program: which buffer, and which of its elements. Where no buffer is
// known it is the address, which differs from run to run.
import { hex } from "../format";
import type { Buffer, Profile } from "../profile";

interface Range {
  buffer: Buffer;
  from: bigint;
  to: bigint;
}

const known = new WeakMap<Profile, Range[]>();

function ranges(profile: Profile): Range[] {
  let found = known.get(profile);
  if (!found) {
    found = (profile.buffers ?? []).map((buffer) => {
      const from = BigInt(buffer.address);
      return { buffer, from, to: from + BigInt(buffer.size) };
    });
    known.set(profile, found);
  }
  return found;
}

export interface Where {
  name: string;
  /** Elements, or bytes where it is not known what the elements are. */
  first: number;
  last: number;
  typed: boolean;
}

/** Of `bytes` from `address` on what lies in a buffer; null: nobody knows. */
export function whereIs(profile: Profile, address: bigint, bytes: number): Where | null {
  const range = ranges(profile).find(({ from, to }) => address < to && address + BigInt(bytes) > from);
  if (!range) return null;
  // A cache line may begin before the buffer, and end after it.
  const first = Number((address > range.from ? address : range.from) - range.from);
  const last = Math.min(Number(address + BigInt(bytes) - range.from), range.buffer.size) - 1;
  const { name, type, element } = range.buffer;
  if (!type || !element) return { name, first, last, typed: false };
  return { name, first: Math.floor(first / element), last: Math.floor(last / element), typed: true };
}

/** "in[16..31]", "device memory 2, bytes 64..127"; "0x7f0000001040" of what nobody knows. */
export function placeText(profile: Profile, address: bigint, bytes: number): string {
  const where = whereIs(profile, address, bytes);
  if (!where) return hex(address);
  const { name, first, last, typed } = where;
  const range = first === last ? `${first}` : `${first}..${last}`;
  return typed ? `${name}[${range}]` : `${name}, byte${first === last ? "" : "s"} ${range}`;
}

/** Where it begins, without the buffer's name: "[16]", "+64". */
export function startText({ first, typed }: Where): string {
  return typed ? `[${first}]` : `+${first}`;
}
