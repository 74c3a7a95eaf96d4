// Owns what part of a scrolled box is on screen, so that lists and tables of any size render only that.
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

export interface Viewport {
  top: number;
  left: number;
  width: number;
  height: number;
}

export function useViewport(): [RefObject<HTMLDivElement>, Viewport, () => void] {
  const box = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState<Viewport>({ top: 0, left: 0, width: 0, height: 0 });
  const measure = useCallback(() => {
    const element = box.current;
    if (!element) return;
    const next = { top: element.scrollTop, left: element.scrollLeft, width: element.clientWidth, height: element.clientHeight };
    setViewport((now) =>
      now.top === next.top && now.left === next.left && now.width === next.width && now.height === next.height ? now : next,
    );
  }, []);
  useLayoutEffect(() => {
    measure();
    if (!box.current) return;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [measure]);
  return [box, viewport, measure];
}

/** Indices [first, last) of items of one size that can be seen, and a few around. */
export function visible(start: number, extent: number, size: number, count: number, around = 4): [number, number] {
  const first = Math.max(0, Math.floor(start / size) - around);
  return [Math.min(first, count), Math.min(count, Math.ceil((start + extent) / size) + around)];
}

/** The scroll offset that brings an item into view; the present one if it is in view already. `margin` of the view is taken by a header. */
export function scrollTo(start: number, extent: number, size: number, index: number, margin = 0, centre = false): number {
  const from = index * size;
  const room = extent - margin;
  if (from >= start && from + size <= start + room) return start;
  if (centre) return Math.max(0, from - (room - size) / 2);
  return from < start ? from : Math.max(0, from + size - room);
}
