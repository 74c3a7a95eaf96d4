// Owns the bar between two parts that a reader drags, or moves by the arrow keys; the size is remembered.
import { useRef, useState } from "preact/hooks";

export function useSize(key: string, initial: number, min: number, max: () => number) {
  const [size, setSize] = useState(() => {
    try {
      const value = Number(localStorage.getItem(`crosslane.size.${key}`));
      return value >= min ? value : initial;
    } catch {
      return initial;
    }
  });
  const set = (value: number) => {
    const next = Math.round(Math.max(min, Math.min(max(), value)));
    setSize(next);
    try {
      localStorage.setItem(`crosslane.size.${key}`, String(next));
    } catch {
      // not remembered, then
    }
  };
  return [size, set] as const;
}

interface Props {
  direction: "row" | "column";
  label: string;
  size: number;
  /** 1 if the part that has the size lies before the bar, -1 if after it. */
  sign: 1 | -1;
  onSize: (size: number) => void;
}

export function Splitter({ direction, label, size, sign, onSize }: Props) {
  const start = useRef<{ at: number; size: number } | null>(null);
  const at = (e: PointerEvent) => (direction === "row" ? e.clientX : e.clientY);
  return (
    <div class={`splitter ${direction}`} role="separator" tabIndex={0} aria-label={label} aria-orientation={direction === "row" ? "vertical" : "horizontal"} aria-valuenow={size}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        start.current = { at: at(e), size };
      }}
      onPointerMove={(e) => start.current && onSize(start.current.size + sign * (at(e) - start.current.at))}
      onPointerUp={() => (start.current = null)}
      onKeyDown={(e) => {
        const step = { ArrowLeft: -16, ArrowUp: -16, ArrowRight: 16, ArrowDown: 16 }[e.key];
        if (!step) return;
        e.preventDefault();
        e.stopPropagation();
        onSize(size + sign * step);
      }} />
  );
}
