// How the 32 bits of a register look: as hexadecimal, an integer, a float or two half floats.

export const formats = ["hex", "signed", "unsigned", "f32", "f16x2"] as const;
export type Format = (typeof formats)[number];

/** "auto": each register as guess.ts thinks. */
export const choices = ["auto", ...formats] as const;
export type Choice = (typeof choices)[number];

export const format_names: Record<Choice, string> = {
  auto: "floats where the instructions say so, else hexadecimal",
  hex: "hexadecimal",
  signed: "signed integer",
  unsigned: "unsigned integer",
  f32: "32-bit float",
  f16x2: "two 16-bit floats, low half first",
};

/** Widest text of a format in characters: what a column must hold. */
export const format_width: Record<Format, number> = { hex: 8, signed: 11, unsigned: 10, f32: 13, f16x2: 19 };

const bits = new DataView(new ArrayBuffer(4));

export function asFloat(word: number): number {
  bits.setUint32(0, word >>> 0);
  return bits.getFloat32(0);
}

/** The value of an IEEE half float; exact, since every half is a double. */
export function halfToNumber(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The fewest of at most `digits` significant digits that still say which float it is. */
function floatText(value: number, digits: number, same: (shorter: number) => boolean): string {
  if (Number.isNaN(value)) return "NaN";
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  if (Object.is(value, -0)) return "-0";
  for (let precision = 1; precision < digits; precision++) {
    const shorter = Number(value.toPrecision(precision));
    if (same(shorter)) return tidy(shorter);
  }
  return tidy(Number(value.toPrecision(digits)));
}

// 1e+21 of JavaScript comes too late for a column: from 1e9 and below 1e-4 the exponent is written.
function tidy(value: number): string {
  const size = Math.abs(value);
  const text = size !== 0 && (size >= 1e9 || size < 1e-4) ? value.toExponential() : String(value);
  return text.replace("e+", "e");
}

export function f32Text(word: number): string {
  return floatText(asFloat(word), 9, (shorter) => Math.fround(shorter) === asFloat(word));
}

export function f16Text(half: number): string {
  const value = halfToNumber(half);
  // Half the distance to the next half float; below a power of two it is closer.
  const exponent = Math.max((half >>> 10) & 0x1f, 1);
  const near = 2 ** (exponent - 26) / (half & 0x3ff ? 1 : 2);
  return floatText(value, 5, (shorter) => Math.abs(shorter - value) < near);
}

export function formatWord(word: number, format: Format): string {
  switch (format) {
    case "hex":
      return (word >>> 0).toString(16).padStart(8, "0");
    case "signed":
      return String(word | 0);
    case "unsigned":
      return String(word >>> 0);
    case "f32":
      return f32Text(word);
    case "f16x2":
      return `${f16Text(word & 0xffff)} ${f16Text(word >>> 16)}`;
  }
}

export function nextFormat(format: Format): Format {
  return formats[(formats.indexOf(format) + 1) % formats.length] ?? "hex";
}

export function nextChoice(choice: Choice): Choice {
  return choices[(choices.indexOf(choice) + 1) % choices.length] ?? "auto";
}

/** 0x and 16 digits. */
export function maskText(mask: bigint): string {
  return "0x" + mask.toString(16).padStart(16, "0");
}

export function population(mask: bigint): number {
  let count = 0;
  for (let half of [Number(mask & 0xffffffffn), Number(mask >> 32n)]) {
    for (; half; half = (half & (half - 1)) >>> 0) count++;
  }
  return count;
}
