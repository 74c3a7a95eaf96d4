// Owns the table of the vector registers: a row each, a column for each lane. Only what is on screen exists in the document.
import { useEffect, useLayoutEffect } from "preact/hooks";
import { lane_count } from "./data";
import { format_names, format_width, formatWord, type Format } from "./format";
import type { Selection } from "./navigate";
import type { Recording, RegisterName, StepChanges } from "./recording";
import { scrollTo, useViewport, visible } from "./viewport";

const row_height = 22;
const label_width = 92;
const character = 7.1; // of the monospaced text of a cell, in pixels

interface VectorTableProps {
  recording: Recording;
  position: number;
  names: readonly RegisterName[];
  changes: StepChanges;
  formatOf: (name: RegisterName) => Format;
  /** Characters that a value has room for at least. */
  least: number;
  cycleFormat: (name: RegisterName) => void;
  selection: Selection | null;
  select: (selection: Selection) => void;
}

export function VectorTable({ recording, position, names, changes, formatOf, cycleFormat, least, selection, select }: VectorTableProps) {
  const [box, viewport, measure] = useViewport();
  const characters = names.reduce((most, name) => Math.max(most, format_width[formatOf(name)]), least);
  const cell_width = Math.ceil(characters * character) + 12;
  const exec = recording.mask("exec", position);
  const inactive = Array.from({ length: lane_count }, (_, lane) => ((exec >> BigInt(lane)) & 1n) === 0n);
  const changed = new Map(changes.vectors.map((change) => [change.register, new Set(change.lanes)]));

  // What a step changed is on screen after it, unless some of it is already.
  useEffect(() => {
    const element = box.current;
    const rows = changes.vectors.map((change) => names.indexOf(change.register)).filter((row) => row >= 0);
    if (!element || rows.length === 0) return;
    const room = element.clientHeight - row_height;
    const seen = (row: number) => row * row_height >= element.scrollTop && (row + 1) * row_height <= element.scrollTop + room;
    if (rows.some(seen)) return;
    element.scrollTop = scrollTo(element.scrollTop, element.clientHeight, row_height, rows[0]!, row_height);
    measure();
  }, [changes]);
  // So is what is followed, when it is chosen.
  const row = selection ? names.indexOf(selection.register) : -1;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || row < 0) return;
    element.scrollTop = scrollTo(element.scrollTop, element.clientHeight, row_height, row, row_height);
    if (selection?.lane !== undefined)
      element.scrollLeft = scrollTo(element.scrollLeft, element.clientWidth, cell_width, selection.lane, label_width);
    measure();
  }, [row, selection?.lane]);

  const [firstRow, lastRow] = visible(viewport.top, viewport.height, row_height, names.length, 2);
  const [firstLane, lastLane] = visible(viewport.left, viewport.width - label_width, cell_width, lane_count, 2);
  const lanes = Array.from({ length: lastLane - firstLane }, (_, i) => firstLane + i);
  const total = label_width + lane_count * cell_width;
  const left = (lane: number) => label_width + lane * cell_width;

  return (
    <div class="trace-vectors" ref={box} onScroll={measure} role="grid" aria-label="Vector registers by lane" aria-rowcount={names.length + 1}
      aria-colcount={lane_count + 1} data-testid="trace-vectors" tabIndex={-1}>
      <div style={{ width: total, height: (names.length + 1) * row_height, position: "relative" }}>
        <div class="trace-lanes" role="row" style={{ width: total, height: row_height }}>
          <div class="trace-label" role="columnheader" style={{ width: label_width, height: row_height }}>lane</div>
          {lanes.map((lane) => (
            <div key={lane} role="columnheader" class={`trace-lane${inactive[lane] ? " inactive" : ""}${selection?.lane === lane ? " followed" : ""}`}
              style={{ left: left(lane), width: cell_width }}>{lane}</div>
          ))}
        </div>
        {names.slice(firstRow, lastRow).map((name, i) => {
          const index = firstRow + i;
          const values = recording.vector(name, position);
          const before = changed.has(name) ? recording.vector(name, position - 1) : values;
          const format = formatOf(name);
          const followed = selection?.register === name;
          return (
            <div key={name} role="row" aria-rowindex={index + 2} class={`trace-vector${followed && selection?.lane === undefined ? " followed" : ""}`}
              style={{ top: (index + 1) * row_height, width: total, height: row_height }}>
              <div role="rowheader" class={`trace-label${changed.has(name) ? " changed" : ""}`} style={{ width: label_width, height: row_height }}>
                <button type="button" class="trace-name" onClick={() => select({ register: name })} aria-pressed={followed}
                  data-testid={`trace-name-${name}`} title={`Follow ${name}`}>{name}</button>
                <button type="button" class="trace-format" onClick={() => cycleFormat(name)} data-testid={`trace-format-${name}`}
                  title={`${name} as ${format_names[format]}; click for the next format`}>{format}</button>
              </div>
              {lanes.map((lane) => {
                const word = values[lane]!;
                const isChanged = before[lane] !== word;
                const classes = ["trace-cell"];
                if (isChanged) classes.push("changed");
                if (inactive[lane]) classes.push("inactive");
                if (followed && selection?.lane === lane) classes.push("followed");
                if (word === 0) classes.push("zero");
                return (
                  <div key={lane} role="gridcell" class={classes.join(" ")} data-cell={`${name}[${lane}]`} style={{ left: left(lane), width: cell_width }}
                    title={isChanged ? `${name}[${lane}] was ${formatWord(before[lane]!, format)}` : undefined}
                    onClick={() => select({ register: name, lane })}>{formatWord(word, format)}</div>
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}
