// Owns the disassembly of what the wavefront executed, in address order between its source lines. The instruction whose effect is shown is
// marked, and the one that comes next.
import { useEffect, useMemo } from "preact/hooks";
import type { SourceFile, TraceInstruction } from "../profile";
import type { Recording } from "./recording";
import { scrollTo, useViewport, visible } from "./viewport";

const row_height = 20;

type Row = { kind: "function"; name: string } | { kind: "source"; line: number | null; text: string } | { kind: "code"; index: number };

interface ListingProps {
  recording: Recording;
  sources: readonly SourceFile[];
  position: number;
  found: ReadonlySet<number>;
  choose: (instruction: number, backwards: boolean) => void;
}

export function Listing({ recording, sources, position, found, choose }: ListingProps) {
  const rows = useMemo(() => rowsOf(recording, sources), [recording, sources]);
  const rowOf = useMemo(() => new Map(rows.flatMap((row, i) => (row.kind === "code" ? [[row.index, i] as const] : []))), [rows]);
  const [box, viewport, measure] = useViewport();
  const current = recording.instructionAt(position);
  const next = recording.instructionAt(position + 1);
  useEffect(() => {
    const index = rowOf.get(current < 0 ? next : current);
    if (index === undefined || !box.current) return;
    box.current.scrollTop = scrollTo(box.current.scrollTop, box.current.clientHeight, row_height, index, 0, true);
    measure();
  }, [current, next, rowOf]);
  const [first, last] = visible(viewport.top, viewport.height, row_height, rows.length);
  return (
    <div class="trace-listing" ref={box} onScroll={measure} data-testid="trace-listing" role="listbox" aria-label="Instructions" tabIndex={0}>
      <div style={{ height: rows.length * row_height, position: "relative" }}>
        {rows.slice(first, last).map((row, i) => {
          const style = { top: (first + i) * row_height, height: row_height };
          if (row.kind === "function")
            return <div role="option" aria-disabled="true" class="trace-row trace-function" style={style} key={`f${first + i}`}>{row.name}</div>;
          if (row.kind === "source")
            return (
              <div role="option" aria-disabled="true" class="trace-row trace-source" style={style} key={`s${first + i}`} title={row.text}>
                <span class="trace-number">{row.line}</span>{row.text}
              </div>
            );
          const instruction = recording.instructions[row.index]!;
          const times = recording.executionsOf(row.index).length;
          const classes = ["trace-row", "trace-code"];
          if (row.index === current) classes.push("current");
          if (row.index === next) classes.push("next");
          if (found.has(row.index)) classes.push("found");
          return (
            <div class={classes.join(" ")} style={style} key={row.index} role="option" aria-selected={row.index === current}
              data-instruction={row.index} title={`${instruction.text}\n${instruction.address}, executed ${times} times. Click: its next execution; Shift: the one before`}
              onClick={(event) => choose(row.index, event.shiftKey)}>
              <span class="trace-marker">{row.index === current ? "▶" : row.index === next ? "▷" : ""}</span>
              <span class="trace-address">{instruction.address.replace(/^0x/, "")}</span>
              <span class="trace-text">{instruction.text}</span>
              {times > 1 && <span class="trace-times">×{times}</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}

export function rowsOf(recording: Recording, sources: readonly SourceFile[]): Row[] {
  const order = recording.instructions.map((_, index) => index);
  const address = recording.instructions.map((instruction) => Number(instruction.address));
  order.sort((a, b) => address[a]! - address[b]!);
  const rows: Row[] = [];
  const functions = new Set(recording.instructions.map((instruction) => instruction.function));
  let name: string | null = null;
  let place = "";
  for (const index of order) {
    const instruction = recording.instructions[index]!;
    if (functions.size > 1 && instruction.function !== name) rows.push({ kind: "function", name: (name = instruction.function) });
    const now = instruction.source ? `${instruction.source[0]}:${instruction.source[1]}` : "";
    if (now && now !== place && !isItself(instruction, sources)) rows.push({ kind: "source", line: instruction.source![1], text: sourceText(instruction.source, sources) });
    else if (!now && place) rows.push({ kind: "source", line: null, text: "no line" }); // as compilers do with what they moved
    place = now;
    rows.push({ kind: "code", index });
  }
  return rows;
}

// A line of assembly that is the instruction would only say it twice; one that is a macro's says more.
function isItself({ text, source }: TraceInstruction, sources: readonly SourceFile[]): boolean {
  if (sources[source?.[0] ?? -1]?.language !== "assembly") return false;
  const mnemonic = (line: string) => (line.match(/^\w+/)?.[0] ?? "").replace(/_(e32|e64|dpp|sdwa)$/, "");
  return mnemonic(text) === mnemonic(sourceText(source, sources).replace(/^\w+:\s*/, ""));
}

const lines_of = new WeakMap<SourceFile, string[]>();

/** The text of a source line; where the file was not there, its name. */
export function sourceText(place: readonly number[] | null | undefined, sources: readonly SourceFile[]): string {
  const file = place ? sources[place[0]!] : undefined;
  if (!file) return "";
  if (typeof file.text !== "string") return fileName(file.path);
  let lines = lines_of.get(file);
  if (!lines) lines_of.set(file, (lines = file.text.split("\n")));
  return (lines[place![1]! - 1] ?? "").trim();
}

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
