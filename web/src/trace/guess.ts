// Owns guessing how a register wants to be read: as a float where an instruction on floats wrote it or, if what wrote it says
// nothing (a load, a move), where such an instruction is the first to read it; else as hexadecimal. The mnemonics say it: v_cvt_f32_i32
// writes its first type and reads its last.
import type { TraceInstruction } from "../profile";
import type { Format } from "./format";
import { firstAfter, type RegisterName } from "./recording";

interface Operands {
  written: RegisterName[];
  read: RegisterName[];
  /** How both are to be read; null: the instruction does not tell. */
  writes: Format | null;
  reads: Format | null;
}

// Copies, and what moves values from and to memory.
const tells_nothing = /^(v_mov|v_cndmask|v_read|v_writelane|v_swap|v_accvgpr|s_mov|s_cselect|s_cmov|v_interp_mov|[sv]_movrel|ds_|global_|flat_|buffer_|tbuffer_|scratch_|image_|s_load|s_buffer|s_store)/;
// Of these some sources are of another type than the last that the name has.
const mixed = /^v_(mfma|dot|fma_mix|mad_mix|ldexp|cmp_class|cmpx_class|cvt_pk)/;
const stores = /_(store|write)|^ds_add|^exp/;

function formatOf(type: string): Format {
  return type === "f32" ? "f32" : type === "f16" ? "f16x2" : "hex";
}

export function operandsOf(text: string): Operands {
  const [first = "", ...rest] = text.trim().split(/\s+/);
  const mnemonic = first.replace(/_(e32|e64|dpp|sdwa)$/, "");
  const operands = rest.join(" ").split(",").reduce<string[]>((list, piece) => {
    // "s[0:1]" and "quad_perm:[0,1,2,3]" hold what separates operands.
    if (list.length && (list.at(-1)!.match(/\[/g) ?? []).length > (list.at(-1)!.match(/\]/g) ?? []).length) list[list.length - 1] += `,${piece}`;
    else list.push(piece);
    return list;
  }, []);
  const none = /^s_(nop|waitcnt|barrier|endpgm|branch|cbranch|sendmsg|sleep)|^s_cmp/.test(mnemonic) || stores.test(mnemonic);
  const written = none ? [] : registersIn(operands[0] ?? "");
  const read = operands.slice(none ? 0 : 1).flatMap(registersIn);
  if (tells_nothing.test(mnemonic)) return { written, read, writes: null, reads: null };
  const types = mnemonic.match(/(?<=_)([fiub]\d+|ubyte\d)(?=_|$)/g) ?? [];
  const compares = /^v_cmp/.test(mnemonic);
  if (/^v_(f?mac|pk_fmac)_/.test(mnemonic)) read.push(...written);
  return {
    written, read,
    writes: types.length && !compares ? formatOf(types[0]!) : "hex",
    reads: !types.length || mixed.test(mnemonic) ? null : formatOf(types.at(-1)!),
  };
}

/** "-|v3|" -> v3; "s[4:5]" -> s4, s5. */
function registersIn(operand: string): RegisterName[] {
  const match = /(?<![a-z0-9_])([vas])(?:(\d+)|\[(\d+):(\d+)\])(?![a-z0-9_:])/.exec(operand);
  if (!match) return [];
  if (match[2] !== undefined) return [`${match[1]}${match[2]}`];
  const from = Number(match[3]);
  return Array.from({ length: Math.max(0, Math.min(64, Number(match[4]) - from + 1)) }, (_, i) => `${match[1]}${from + i}`);
}

interface Uses {
  writes: number[]; // positions just after them
  written: (Format | null)[];
  reads: number[]; // ... of instructions that tell something
  read: Format[];
}

export class Guess {
  private readonly uses = new Map<RegisterName, Uses>();

  constructor(instructions: readonly TraceInstruction[], steps: readonly (readonly [number, unknown])[]) {
    const operands = instructions.map(({ text }) => operandsOf(text));
    steps.forEach(([index], step) => {
      const { written, read, writes, reads } = operands[index]!;
      if (reads !== null)
        for (const name of read) {
          const uses = this.usesOf(name);
          uses.reads.push(step + 1);
          uses.read.push(reads);
        }
      for (const name of written) {
        const uses = this.usesOf(name);
        uses.writes.push(step + 1);
        uses.written.push(writes);
      }
    });
  }

  private usesOf(name: RegisterName): Uses {
    let found = this.uses.get(name);
    if (!found) this.uses.set(name, (found = { writes: [], written: [], reads: [], read: [] }));
    return found;
  }

  at(name: RegisterName, position: number): Format {
    const uses = this.uses.get(name);
    if (!uses) return "hex";
    const next = firstAfter(uses.writes, position);
    const written = uses.written[next - 1];
    if (written) return written;
    // Of a load or a move, or before any write: who reads the value first, which the next write may be too.
    const reader = firstAfter(uses.reads, uses.writes[next - 1] ?? 0);
    return (uses.reads[reader] ?? Infinity) <= (uses.writes[next] ?? Infinity) ? (uses.read[reader] ?? "hex") : "hex";
  }
}
