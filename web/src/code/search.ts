// Owns searching source and disassembly at once: which lines hold the words, and which of them comes next.
import type { PaneModel } from "./model";

export type Side = "source" | "disassembly";

export interface Match {
  side: Side;
  line: number; // of the pane's text, from 0
}

/** What is typed, as it stands, in any case; null: nothing. */
export function pattern(query: string): RegExp | null {
  const text = query.trim();
  return text ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi") : null;
}

/** Lines that hold it and can be chosen, those of the source first, from the top. */
export function matchesOf(query: string, panes: readonly { side: Side; model: PaneModel }[]): Match[] {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  return panes.flatMap(({ side, model }) =>
    model.text.toLowerCase().split("\n").flatMap((text, line) => (text.includes(wanted) && model.rows[line]!.id >= 0 ? [{ side, line }] : [])),
  );
}

/** The match after, or before, the line that is chosen; goes round at the end. */
export function nextMatch(matches: readonly Match[], side: Side, line: number | null, backwards: boolean): Match | null {
  if (!matches.length) return null;
  const rank = (match: Match) => (match.side === "source" ? 0 : 1e9) + match.line;
  const here = rank({ side, line: line ?? (backwards ? 1e8 : -1) });
  const found = backwards ? [...matches].reverse().find((match) => rank(match) < here) : matches.find((match) => rank(match) > here);
  return found ?? (backwards ? matches.at(-1)! : matches[0]!);
}

/** "3 in the source, 12 in the disassembly"; "no match". */
export function countText(matches: readonly Match[], sides: readonly Side[]): string {
  if (!matches.length) return "no match";
  return sides.map((side) => `${matches.filter((match) => match.side === side).length} in the ${side}`).join(", ");
}
