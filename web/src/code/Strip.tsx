// Owns the strip beside a pane: one column's heat over the whole text, squeezed to the pane's height, hottest line wins.
import { useEffect, useRef, useState } from "preact/hooks";
import { colour } from "../charts/chart";
import { dark } from "../state";
import type { HeatColumn } from "./editor";
import { squeeze } from "./squeeze";

const width = 12;

const rowHeight = (height: number, lines: number) => Math.min(18, height / Math.max(1, lines)); // a short text is no tower

export function Strip({ column, selected, onPick }: { column: HeatColumn; selected: number | null; onPick: (line: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [height, setHeight] = useState(0);
  const isDark = dark.value;
  const lines = column.cells.length;

  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(canvas.current!.clientHeight));
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!height) return;
    const element = canvas.current!;
    element.width = width * devicePixelRatio;
    element.height = height * devicePixelRatio;
    const context = element.getContext("2d")!;
    context.scale(devicePixelRatio, devicePixelRatio);
    const ramp = Array.from({ length: 9 }, (_, i) => (i ? colour(`--${column.metric.ramp}-${i}`) : "transparent"));
    const row = rowHeight(height, lines);
    const hottest = squeeze(column.cells.map((c) => c.level), Math.max(1, row >= 1 ? lines : Math.floor(height)));
    hottest.forEach((level, at) => {
      if (!level) return;
      context.fillStyle = ramp[level]!;
      context.fillRect(2, at * Math.max(row, 1), width - 4, Math.max(1, row > 3 ? row - 1 : row));
    });
  }, [column, height, isDark]);

  const pick = (event: MouseEvent) => onPick(Math.max(0, Math.min(lines - 1, Math.floor(event.offsetY / rowHeight(height, lines)))));
  return (
    <div class="strip" style={{ width: `${width}px` }} aria-hidden="true">
      <canvas ref={canvas} title={`${column.metric.about}: the whole text`} onMouseDown={pick} />
      {selected !== null && <i style={{ top: `${Math.min(height - 2, selected * rowHeight(height, lines))}px` }} />}
    </div>
  );
}
