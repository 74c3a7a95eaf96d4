// Searching both panes: the order of matches, going round, and what is said when there is none.
import { describe, expect, test } from "vitest";
import type { PaneModel } from "../src/code/model";
import { countText, matchesOf, nextMatch, pattern, type Side } from "../src/code/search";

const model = (...lines: string[]): PaneModel => ({
  text: lines.join("\n"), at: new Map(),
  rows: lines.map((text, id) => ({ number: "", row: null, id: text.endsWith(":") ? -1 : id })),
});
const panes = [
  { side: "source" as Side, model: model("int v = a[i];", "", "A[i] = v;") },
  { side: "disassembly" as Side, model: model("a[i]:", "v_mov a[i]", "nop") },
];

describe("search", () => {
  test("in both panes, in any case, of characters that mean something to a pattern; a function's name cannot be chosen", () => {
    expect(matchesOf("a[I]", panes)).toEqual([{ side: "source", line: 0 }, { side: "source", line: 2 }, { side: "disassembly", line: 1 }]);
    expect("x a[i] y".match(pattern("a[i]")!)).toEqual(["a[i]"]);
    expect(matchesOf("  ", panes)).toEqual([]);
    expect(pattern(" ")).toBeNull();
  });
  test("on to the next, and round", () => {
    const matches = matchesOf("a[i]", panes);
    const lines: string[] = [];
    let at: { side: Side; line: number | null } = { side: "source", line: null };
    for (let i = 0; i < 4; i++) {
      at = nextMatch(matches, at.side, at.line, false)!;
      lines.push(`${at.side} ${at.line}`);
    }
    expect(lines).toEqual(["source 0", "source 2", "disassembly 1", "source 0"]);
    expect(nextMatch(matches, "source", 0, true)).toEqual({ side: "disassembly", line: 1 });
    expect(nextMatch(matches, "disassembly", 1, true)).toEqual({ side: "source", line: 2 });
    expect(nextMatch([], "source", 0, false)).toBeNull();
  });
  test("how many, or that there is none", () => {
    expect(countText(matchesOf("a[i]", panes), ["source", "disassembly"])).toBe("2 in the source, 1 in the disassembly");
    expect(countText(matchesOf("nop", panes), ["source", "disassembly"])).toBe("0 in the source, 1 in the disassembly");
    expect(countText(matchesOf("elephant", panes), ["source", "disassembly"])).toBe("no match");
  });
});
