// Owns what kernels are called where there is little room: without namespaces, and with those arguments of templates that
// tell one kernel from another. C++ names are parsed as far as brackets go; everything else is the profiler's.
import { bareName } from "../format";
import type { Kernel } from "../profile";

interface Parts {
  name: string; // without namespaces and arguments
  arguments: string[]; // of the template, without their namespaces
}

/** "a::f<b::c<1>, float>" -> f, [c<1>, float]. */
export function partsOf(name: string): Parts {
  let open = name.length;
  if (name.endsWith(">"))
    for (let depth = 0; open > 0; ) {
      const letter = name[--open]!;
      if (letter === ">") depth++;
      else if (letter === "<" && --depth === 0) break;
    }
  const list = split(name.slice(open + 1, -1)).map(withoutNamespaces);
  return { name: bareName(name.slice(0, open)), arguments: list };
}

function split(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < list.length; i++) {
    const letter = list[i]!;
    if ("<([{".includes(letter)) depth++;
    else if (">)]}".includes(letter)) depth--;
    else if (letter === "," && depth === 0) {
      parts.push(list.slice(from, i).trim());
      from = i + 1;
    }
  }
  parts.push(list.slice(from).trim());
  return parts.filter(Boolean);
}

function withoutNamespaces(type: string): string {
  return type.replace(/\(anonymous namespace\)::/g, "").replace(/\b[A-Za-z_]\w*::/g, "");
}

/** A name for each kernel; two are the same only if nothing that the profile knows tells the kernels apart. */
export function distinctNames(kernels: readonly Kernel[]): string[] {
  const parts = kernels.map((kernel) => partsOf(kernel.short));
  const full = parts.map(({ name, arguments: list }) => (list.length ? `${name}<${list.join(", ")}>` : name));
  const names = full.map((whole, i) => {
    // Of instances of one template only the arguments that differ.
    const same = parts.filter((other) => other.name === parts[i]!.name && other.arguments.length === parts[i]!.arguments.length);
    if (new Set(same.map((other) => other.arguments.join())).size < 2) return whole;
    const kept = parts[i]!.arguments.map((argument, at) => (same.every((other) => other.arguments[at] === argument) ? "…" : argument));
    return `${parts[i]!.name}<${kept.join(", ").replace(/…(, …)+/g, "…")}>`;
  });
  return tellApart(tellApart(names, (i) => kernels[i]!.card ?? kernels[i]!.target), (i) => kernels[i]!.readable);
}

// Adds what else is known of kernels whose names are the same, if that differs.
function tellApart(names: readonly string[], more: (index: number) => string): string[] {
  return names.map((name, index) => {
    const same = names.flatMap((other, i) => (other === name ? [more(i)] : []));
    return new Set(same).size > 1 ? `${name} · ${more(index)}` : name;
  });
}
