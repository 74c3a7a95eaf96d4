// Owns the table that all lists of the page are: sorted by a click on a head, filtered by words, moved through by keys, and
// virtual, so that ten thousand rows cost what forty do.
import { type ColumnDef, type SortingState, getCoreRowModel, getSortedRowModel } from "@tanstack/table-core";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../keys";
import { full } from "../format";
import { printing } from "../state";
import { useTable, useVirtualRows } from "./adapters";
import { matches } from "./filter";

export interface Column<T> {
  id: string;
  head: string;
  title?: string;
  /** CSS grid track: "80px", "minmax(120px, 1fr)". */
  width: string;
  /** Sorted by; null sorts last. Columns of numbers start with the largest. */
  value: (row: T) => number | string | null | undefined;
  cell?: (row: T) => ComponentChildren;
  numeric?: boolean;
  class?: (row: T) => string;
}

interface Props<T> {
  label: string;
  testid: string;
  rows: readonly T[];
  columns: Column<T>[];
  sort: { id: string; desc: boolean };
  /** What the filter box searches; without it there is no box. */
  search?: (row: T) => string;
  open?: (row: T) => void;
  /** Its row is marked and scrolled to at first. */
  selected?: (row: T) => boolean;
  empty: string;
  /** Beside the filter box. */
  tools?: ComponentChildren;
  /** As tall as its rows, without a scroll bar: for a short list within a page. */
  inline?: boolean;
}

const rowHeight = 28;

export function DataTable<T>(props: Props<T>) {
  const { label, testid, rows, columns, open } = props;
  const [filter, setFilter] = useState("");
  const data = useMemo(
    () => (filter.trim() && props.search ? rows.filter((row) => matches(props.search!(row), filter.trim())) : [...rows]),
    [rows, filter],
  );
  const definitions = useMemo(
    () => columns.map<ColumnDef<T>>((c) => ({ id: c.id, accessorFn: (row) => c.value(row) ?? undefined, sortUndefined: "last", sortDescFirst: c.numeric ?? false, sortingFn: c.numeric ? "basic" : "alphanumeric" })),
    [columns],
  );
  const sorting: SortingState = [props.sort];
  const table = useTable<T>({ data, columns: definitions, getCoreRowModel: getCoreRowModel(), getSortedRowModel: getSortedRowModel(), enableSortingRemoval: false }, { sorting });
  const sorted = table.getRowModel().rows;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualRows(sorted.length, rowHeight, scroller);
  const [cursor, setCursor] = useState(-1);

  useEffect(() => {
    const index = props.selected ? sorted.findIndex((row) => props.selected!(row.original)) : -1;
    setCursor(index);
    if (index >= 0) virtualizer.scrollToIndex(index, { align: "center" });
  }, [rows, filter]);

  const move = (to: number) => {
    const index = Math.max(0, Math.min(sorted.length - 1, to));
    setCursor(index);
    if (props.inline) document.getElementById(`${testid}-row-${index}`)?.scrollIntoView({ block: "nearest" });
    else virtualizer.scrollToIndex(index);
    scroller.current?.focus({ preventScroll: true });
  };
  useKeys((key) => {
    if (!sorted.length) return false;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 300) / rowHeight) - 1);
    switch (key) {
      case "j": case "ArrowDown": move(cursor + 1); return true;
      case "k": case "ArrowUp": move(cursor < 0 ? 0 : cursor - 1); return true;
      case "g": case "Home": move(0); return true;
      case "G": case "End": move(sorted.length - 1); return true;
      case "PageDown": case "PageUp":
        if (props.inline) return false;
        move(cursor + (key === "PageDown" ? page : -page));
        return true;
      case "Escape":
        if (filter) setFilter("");
        else if (cursor >= 0) setCursor(-1);
        else return false;
        return true;
      case "Enter": {
        // Enter on a focused button or link is that element's own.
        if (document.activeElement?.closest("button, a")) return false;
        const row = sorted[cursor];
        if (row && open) open(row.original);
        return row !== undefined;
      }
    }
    return false;
  });

  // Paper does not scroll: there the widths are shares of it, and what is wide for having room to spare gets more.
  const onPaper = (width: string) => `minmax(0, ${Number(/\d+/.exec(width)![0]) * (width.includes("fr") ? 2 : 1)}fr)`;
  const tracks = columns.map((c) => (printing.value ? onPaper(c.width) : c.width)).join(" ");
  const items = props.inline || printing.value ? sorted.map((_, index) => ({ index, start: index * rowHeight })) : virtualizer.getVirtualItems();
  const order = table.getState().sorting[0];
  return (
    <section class={`table ${props.inline ? "inline" : ""}`} data-testid={testid}>
      {(props.search || props.tools) && (
        <div class="table-tools">
          {props.search && (
            <input type="search" placeholder="Filter…" aria-label={`Filter ${label}`} title="Filter (/)" value={filter} data-testid={`${testid}-filter`}
              onInput={(e) => setFilter(e.currentTarget.value)} />
          )}
          {props.tools}
          <output class="table-count" data-testid={`${testid}-count`}>
            {data.length === rows.length ? full(rows.length) : `${full(data.length)} of ${full(rows.length)}`}
          </output>
        </div>
      )}
      <div ref={scroller} class="table-scroll" role="grid" aria-label={label} aria-rowcount={sorted.length + 1} tabIndex={0}
        aria-activedescendant={cursor >= 0 ? `${testid}-row-${cursor}` : undefined}>
        <div class="table-head" role="row" style={{ gridTemplateColumns: tracks }}>
          {columns.map((c) => (
            <div key={c.id} role="columnheader" class={c.numeric ? "num" : ""} data-testid={`${testid}-sort-${c.id}`}
              aria-sort={order?.id === c.id ? (order.desc ? "descending" : "ascending") : "none"}>
              <button type="button" title={c.title ?? c.head} onClick={() => table.getColumn(c.id)?.toggleSorting()}>
                {c.head}
                <i aria-hidden="true">{order?.id === c.id ? (order.desc ? "▾" : "▴") : ""}</i>
              </button>
            </div>
          ))}
        </div>
        <div class="table-rows" style={{ height: `${sorted.length * rowHeight}px` }}>
          {items.map(({ index, start }) => {
            const row = sorted[index]!.original;
            return (
              <div key={sorted[index]!.id} id={`${testid}-row-${index}`} role="row" aria-rowindex={index + 2} aria-selected={index === cursor}
                class={`table-row ${index === cursor ? "cursor" : ""} ${open ? "opens" : ""}`} data-testid={`${testid}-row`}
                style={{ gridTemplateColumns: tracks, transform: `translateY(${start}px)` }} onClick={() => { setCursor(index); open?.(row); }}>
                {columns.map((c) => (
                  <div key={c.id} role="gridcell" class={`${c.numeric ? "num " : ""}${c.class?.(row) ?? ""}`}>
                    {c.cell ? c.cell(row) : cellText(c.value(row))}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
        {sorted.length === 0 && <p class="empty">{rows.length ? "Nothing matches the filter." : props.empty}</p>}
      </div>
    </section>
  );
}

function cellText(value: number | string | null | undefined): string {
  return value == null ? "" : typeof value === "number" ? full(value) : value;
}
