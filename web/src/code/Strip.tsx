// Owns the strip beside a pane: one column's heat over the whole text, squeezed to the pane's height, hottest line wins.
import { useEffect, useRef } from "preact/hooks";
import { colour } from "../charts/chart";
import { dark } from "../state";
import type { HeatColumn } from "./editor";
import { squeeze } from "./squeeze";

const width = 12;

export function Strip({ column, selected, onPick }: { column: HeatColumn; selected: number | null; onPick: (line: number) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = dark.value;
  const lines = column.cells.length;

  useEffect(() => {
    const element = canvas.current!;
    const draw = () => {
      const height = element.clientHeight;
      const ratio = devicePixelRatio;
      element.width = width * ratio;
      element.height = height * ratio;
      const context = element.getContext("2d")!;
      context.scale(ratio, ratio);
      const ramp = Array.from({ length: 9 }, (_, i) => (i ? colour(`--${column.metric.ramp}-${i}`) : "transparent"));
      // Short texts keep the height of their lines: one line is not a tower.
      const row = Math.min(18, height / Math.max(1, lines));
      const hottest = squeeze(column.cells.map((c) => c.level), Math.max(1, row >= 1 ? lines : Math.floor(height)));
      hottest.forEach((level, at) => {
        if (!level) return;
        context.fillStyle = ramp[level]!;
        context.fillRect(2, at * Math.max(row, 1), width - 4, Math.max(1, row >= 1 ? row - (row > 3 ? 1 : 0) : 1));
      });
      if (selected !== null) {
        context.fillStyle = colour("--accent");
        context.fillRect(0, Math.min(height - 2, selected * row), width, 2);
      }
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [column, selected, isDark]);

  const pick = (event: MouseEvent) => {
    const height = canvas.current!.clientHeight;
    const row = Math.min(18, height / Math.max(1, lines));
    onPick(Math.max(0, Math.min(lines - 1, Math.floor(event.offsetY / row))));
  };
  return <canvas ref={canvas} class="strip" style={{ width: `${width}px` }} title={`${column.metric.about}: the whole text`} aria-hidden="true" onMouseDown={pick} />;
}
