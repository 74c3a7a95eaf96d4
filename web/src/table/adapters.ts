// Owns the glue between TanStack's framework-free table and virtualizer and Preact's hooks.
import { type RowData, type Table, type TableOptions, type TableState, createTable } from "@tanstack/table-core";
import { Virtualizer, elementScroll, observeElementOffset, observeElementRect } from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

type Given<T extends RowData> = Omit<TableOptions<T>, "state" | "onStateChange" | "renderFallbackValue">;

export function useTable<T extends RowData>(options: Given<T>, initial: Partial<TableState>): Table<T> {
  const [table] = useState(() =>
    createTable<T>({ ...options, state: {}, onStateChange: () => {}, renderFallbackValue: null }),
  );
  const [state, setState] = useState<TableState>(() => ({ ...table.initialState, ...initial }));
  table.setOptions((previous) => ({
    ...previous, ...options, state,
    onStateChange: (change) => setState((old) => (typeof change === "function" ? change(old) : change)),
  }));
  return table;
}

/** Which of `count` rows of equal height are on screen. */
export function useVirtualRows(count: number, rowHeight: number, scroller: RefObject<HTMLElement>) {
  const [, rerender] = useReducer((n: number, _: void) => n + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => rerender(),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
