// Owns how numbers, places and names are written, the same everywhere on the page.
import type { Kernel, Place, Profile, Xyz } from "./profile";

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** 1234567 -> "1,234,567"; fractions below 100 keep two digits. */
export function full(value: number): string {
  if (!Number.isInteger(value) && Math.abs(value) < 100) return trimZeros(value.toFixed(2));
  return grouped.format(value);
}

/** Three digits and a unit, for narrow columns: 999, 1.23k, 45.6M. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size < 1000) return Number.isInteger(value) ? String(value) : trimZeros(value.toPrecision(3));
  const units = ["k", "M", "G", "T", "P"];
  let scaled = size;
  let unit = -1;
  // 999.5 would round to "1000": it is the next unit's 1.
  while (scaled >= 999.5 && unit + 1 < units.length) {
    scaled /= 1000;
    unit++;
  }
  return `${value < 0 ? "-" : ""}${scaled.toPrecision(3)}${units[unit]}`;
}

/** 0.125 -> "12.5 %". */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0) return "0 %";
  if (Math.abs(value) < 0.1) return "< 0.1 %";
  return `${trimZeros(value.toFixed(Math.abs(value) < 10 ? 1 : Math.abs(value) > 99 && value < 100 ? 1 : 0))} %`;
}

export function bytes(value: number): string {
  if (value < 1024) return `${trimZeros(value.toFixed(value % 1 ? 1 : 0))} B`;
  if (value < 1024 ** 2) return `${trimZeros((value / 1024).toFixed(1))} KiB`;
  return `${trimZeros((value / 1024 ** 2).toFixed(1))} MiB`;
}

export function seconds(value: number): string {
  if (value < 1e-3) return `${trimZeros((value * 1e6).toPrecision(3))} µs`;
  if (value < 1) return `${trimZeros((value * 1e3).toPrecision(3))} ms`;
  if (value < 120) return `${trimZeros(value.toPrecision(3))} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

/** [64, 1, 1] -> "64"; [16, 16, 1] -> "16 × 16". */
export function xyz(value: Xyz): string {
  const used = value[2] > 1 ? 3 : value[1] > 1 ? 2 : 1;
  return value.slice(0, used).map((n) => grouped.format(n)).join(" × ");
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** "saxpy.hip:12" of a place; "" where there is none. */
export function place(profile: Profile, source: Place | [number, number] | null | undefined): string {
  if (!source) return "";
  const file = profile.sources[source[0]];
  return file ? `${fileName(file.path)}:${source[1]}` : `line ${source[1]}`;
}

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

/** The address of an instruction without leading zeros, as a gutter shows it. */
export function shortAddress(address: string): string {
  return address.replace(/^0x0*(?=[0-9a-f])/i, "");
}

export function kernelTitle(kernel: Kernel): string {
  return kernel.short || kernel.name;
}

/** A function as a reader knows it: the kernel's symbol is mangled, its name is not. */
export function functionName(kernel: Kernel, symbol: string): string {
  return symbol === kernel.name ? kernelTitle(kernel) : symbol;
}

/** Without namespaces and template arguments, for narrow places: "a::b<c::d<e>>::f<g>" -> "f". */
export function bareName(name: string): string {
  let depth = 0;
  let bare = "";
  for (const letter of name.replace(/operator(<<|>>|<=|>=|<|>|\(\))/g, "operator")) {
    if (letter === "<") depth++;
    else if (letter === ">") depth--;
    else if (depth === 0) bare += letter;
  }
  return bare.slice(bare.lastIndexOf("::") + 1).replace(/^:/, "") || name;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${full(count)} ${count === 1 ? one : many}`;
}

function trimZeros(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}
