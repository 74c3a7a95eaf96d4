// Owns the picture over time: what waves do, busy units, bandwidth, and the waves of each SIMD unit, all over one stretch of
// time that can be zoomed and moved.
import { useMemo, useRef, useState } from "preact/hooks";
import { colour } from "../charts/chart";
import { full, short } from "../format";
import { useKeys } from "../keys";
import type { TimelineData, Timing } from "../profile";
import { useCanvas } from "./canvas";
import { bandwidthCurves, type Curve, moved, type Range, simdRows, type SimdRow, ticks, unitCurves, waveCurves, zoomed } from "./series";

const left = 108; // of the pictures, within their canvases
const right = 8;
const slotHeight = 3;

export function Timeline({ timing, data }: { timing: Timing; data: TimelineData }) {
  const end = timing.cycles;
  const [range, setRange] = useState<Range>([0, end]);
  const [at, setAt] = useState<number | null>(null); // cycle under the pointer
  const drag = useRef<{ x: number; range: Range } | null>(null);
  const microseconds = (cycle: number) => cycle / timing.mhz;
  const rows = useMemo(() => simdRows(data), [data]);
  const panels = useMemo(() => ({ waves: waveCurves(timing, data), units: unitCurves(timing, data), bandwidth: bandwidthCurves(timing, data) }), [timing, data]);

  const cycleAt = (x: number, width: number) => range[0] + ((x - left) / (width - left - right)) * (range[1] - range[0]);
  const zoom = (factor: number, centre = (range[0] + range[1]) / 2) => setRange(zoomed(range, centre, factor, end, Math.min(end, 64)));
  const handlers = {
    onWheel: (e: WheelEvent) => {
      if (!e.ctrlKey && !e.shiftKey && (e.currentTarget as HTMLElement).dataset["scrolls"]) return; // the rows scroll
      e.preventDefault();
      const box = (e.currentTarget as HTMLElement).getBoundingClientRect();
      zoom(e.deltaY > 0 ? 1.25 : 0.8, cycleAt(e.clientX - box.left, box.width));
    },
    onPointerDown: (e: PointerEvent) => {
      drag.current = { x: e.clientX, range };
      (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId);
    },
    onPointerMove: (e: PointerEvent) => {
      const box = (e.currentTarget as HTMLElement).getBoundingClientRect();
      const cycle = cycleAt(e.clientX - box.left, box.width);
      setAt(e.clientX - box.left < left || cycle > end ? null : cycle);
      if (drag.current)
        setRange(moved(drag.current.range, ((drag.current.x - e.clientX) / (box.width - left - right)) * (drag.current.range[1] - drag.current.range[0]), end));
    },
    onPointerUp: () => (drag.current = null),
    onPointerLeave: () => setAt(null),
    onDblClick: () => setRange([0, end]),
  };
  useKeys((key) => {
    const width = range[1] - range[0];
    switch (key) {
      case "+": case "=": zoom(0.5); return true;
      case "-": zoom(2); return true;
      case "ArrowLeft": setRange(moved(range, -width / 5, end)); return true;
      case "ArrowRight": setRange(moved(range, width / 5, end)); return true;
      case "Home": setRange([0, end]); return true;
    }
    return false;
  });
  const bin = at === null ? null : Math.floor(at / data.bin_cycles);
  const shared = { range, at, bin, binCycles: data.bin_cycles, handlers };
  return (
    <div class="timeline" data-testid="timeline" data-from={Math.round(range[0])} data-to={Math.round(range[1])}>
      <div class="timeline-tools">
        <span class="segmented" role="group" aria-label="Zoom">
          <button type="button" data-testid="zoom-in" title="Zoom in (+, or the wheel)" onClick={() => zoom(0.5)}>+</button>
          <button type="button" data-testid="zoom-out" title="Zoom out (-)" onClick={() => zoom(2)}>−</button>
          <button type="button" data-testid="zoom-all" title="All of it (Home, or a double click)" onClick={() => setRange([0, end])}>all</button>
        </span>
        <output class="dim" data-testid="timeline-at">
          {at === null ? `${microseconds(range[0]).toFixed(2)} to ${microseconds(range[1]).toFixed(2)} µs` : `${microseconds(at).toFixed(3)} µs, cycle ${full(Math.round(at))}`}
        </output>
        <span class="dim hint">wheel: zoom · drag: move · <kbd>+</kbd> <kbd>-</kbd> <kbd>←</kbd> <kbd>→</kbd></span>
      </div>
      <Axis range={range} microseconds={microseconds} />
      <Panel {...shared} title="waves" curves={panels.waves} stacked testid="panel-waves" height={110} />
      <Panel {...shared} title="units busy" curves={panels.units} most={100} testid="panel-units" height={84} />
      <Panel {...shared} title="bandwidth" curves={panels.bandwidth} testid="panel-bandwidth" height={84} />
      <Waves {...shared} data={data} rows={rows} timing={timing} microseconds={microseconds} />
    </div>
  );
}

const across = (range: Range, width: number) => (cycle: number) => left + ((cycle - range[0]) / (range[1] - range[0])) * (width - left - right);

function Axis({ range, microseconds }: { range: Range; microseconds: (cycle: number) => number }) {
  const canvas = useCanvas((c, width) => {
    const x = across(range, width);
    const scale = microseconds(1);
    c.fillStyle = colour("--muted");
    c.textAlign = "center";
    const list = ticks(range[0] * scale, range[1] * scale, Math.max(2, (width - left) / 90));
    const digits = list.length > 1 ? Math.max(0, -Math.floor(Math.log10(list[1]! - list[0]! + 1e-12))) : 1;
    for (const tick of list) {
      const label = `${tick.toFixed(digits)} µs`;
      const place = Math.min(width - c.measureText(label).width / 2, x(tick / scale));
      c.fillText(label, place, 11);
    }
  }, [range]);
  return <canvas class="timeline-axis" ref={canvas} aria-hidden="true" />;
}

interface Shared {
  range: Range;
  at: number | null;
  bin: number | null;
  binCycles: number;
  handlers: Record<string, unknown>;
}

function Panel({ range, at, bin, binCycles, handlers, title, curves, stacked, most, height, testid }: Shared & { title: string; curves: Curve[]; stacked?: boolean; most?: number; height: number; testid: string }) {
  const highest = useMemo(() => {
    if (most) return most;
    const bins = curves[0]?.values.length ?? 0;
    let top = 0;
    for (let i = 0; i < bins; i++) {
      const values = curves.map((curve) => curve.values[i] ?? 0);
      top = Math.max(top, stacked ? values.reduce((a, b) => a + b, 0) : Math.max(...values));
    }
    return top || 1;
  }, [curves]);
  const unit = curves[0]?.unit ?? "";
  const canvas = useCanvas((c, width, tall) => {
    const x = across(range, width);
    const y = (value: number) => tall - 4 - (value / highest) * (tall - 12);
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const tick of ticks(0, highest, 3)) {
      c.fillStyle = colour("--grid");
      c.fillRect(left, Math.round(y(tick)), width - left - right, 1);
      c.fillStyle = colour("--muted");
      c.fillText(`${short(tick)}${tick ? ` ${unit}` : ""}`, left - 8, y(tick));
    }
    c.save();
    c.beginPath();
    c.rect(left, 0, width - left - right, tall);
    c.clip();
    const first = Math.max(0, Math.floor(range[0] / binCycles));
    const bins = curves[0]?.values.length ?? 0;
    const last = Math.min(bins - 1, Math.ceil(range[1] / binCycles));
    const base = new Float64Array(Math.max(0, last - first + 1));
    for (const curve of curves) {
      c.beginPath();
      for (let i = first; i <= last; i++) {
        const value = (curve.values[i] ?? 0) + (stacked ? base[i - first]! : 0);
        c.lineTo(x(i * binCycles), y(value));
        c.lineTo(x((i + 1) * binCycles), y(value));
      }
      if (stacked) {
        for (let i = last; i >= first; i--) {
          c.lineTo(x((i + 1) * binCycles), y(base[i - first]!));
          c.lineTo(x(i * binCycles), y(base[i - first]!));
          base[i - first]! += curve.values[i] ?? 0;
        }
        c.fillStyle = colour(curve.colour);
        c.fill();
      } else {
        c.strokeStyle = colour(curve.colour);
        c.lineWidth = 1.5;
        c.stroke();
      }
    }
    c.restore();
    cursor(c, x, at, tall);
  }, [range, curves, highest, at]);
  const described = curves.map((curve) => `${curve.name} at most ${short(Math.max(0, ...curve.values))} ${curve.unit}`).join(", ");
  return (
    <figure class="timeline-panel">
      <canvas ref={canvas} style={{ height: `${height}px` }} data-testid={testid} role="img" aria-label={`${title} over time: ${described}`} {...handlers} />
      <figcaption>
        <b>{title}</b>
        {[...curves].reverse().map((curve) => (
          <span key={curve.name}>
            <i style={{ background: `var(${curve.colour})` }} />
            {curve.name}
            {bin !== null && <em> {short(Number((curve.values[bin] ?? 0).toPrecision(3)))} {curve.unit}</em>}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function cursor(c: CanvasRenderingContext2D, x: (cycle: number) => number, at: number | null, height: number) {
  if (at === null) return;
  c.fillStyle = colour("--accent");
  c.fillRect(Math.round(x(at)), 0, 1, height);
}

function Waves({ range, at, handlers, data, rows, timing, microseconds }: Shared & { data: TimelineData; rows: SimdRow[]; timing: Timing; microseconds: (cycle: number) => number }) {
  const rowHeight = timing.waves_per_simd * slotHeight + 6;
  const tall = Math.min(rows.length * rowHeight, 12 * rowHeight);
  const [scroll, setScroll] = useState(0);
  const [over, setOver] = useState<number | null>(null);
  const canvas = useCanvas((c, width, height) => {
    const x = across(range, width);
    const group = over === null ? null : data.waves[over]![6];
    c.textBaseline = "middle";
    const first = Math.floor(scroll / rowHeight);
    for (let r = first; r < rows.length && r * rowHeight - scroll < height; r++) {
      const { engine, unit, simd, waves } = rows[r]!;
      const top = r * rowHeight - scroll;
      c.fillStyle = colour(simd === 0 ? "--border" : "--grid");
      c.fillRect(simd === 0 ? 0 : left, Math.round(top), width, 1);
      c.fillStyle = colour(simd === 0 ? "--text" : "--muted");
      c.textAlign = "right";
      c.fillText(simd === 0 ? `SE ${engine} CU ${unit} · 0` : String(simd), left - 8, top + rowHeight / 2);
      c.save();
      c.beginPath();
      c.rect(left, 0, width - left - right, height);
      c.clip();
      const shades = ["--quantity-4", "--quantity-5", "--quantity-6", "--quantity-7"].map(colour);
      const mark = colour("--loss");
      for (const index of waves) {
        const [, , , slot, begin, end, workgroup] = data.waves[index]!;
        if (end < range[0] || begin > range[1]) continue;
        const from = x(begin);
        c.fillStyle = workgroup === group ? mark : shades[(Math.imul(workgroup, 0x9e3779b1) >>> 28) % shades.length]!;
        c.fillRect(from, top + 3 + slot * slotHeight, Math.max(0.6, x(end) - from - 0.5), slotHeight - 0.6);
      }
      c.restore();
    }
    cursor(c, x, at, height);
  }, [range, scroll, rows, over, at]);
  const find = (e: PointerEvent) => {
    const box = (e.currentTarget as HTMLElement).getBoundingClientRect();
    const y = e.clientY - box.top + scroll;
    const row = rows[Math.floor(y / rowHeight)];
    const slot = Math.floor(((y % rowHeight) - 3) / slotHeight);
    const cycle = range[0] + ((e.clientX - box.left - left) / (box.width - left - right)) * (range[1] - range[0]);
    setOver(row?.waves.find((index) => data.waves[index]![3] === slot && data.waves[index]![4] <= cycle && cycle < data.waves[index]![5]) ?? null);
  };
  const wave = over === null ? null : data.waves[over]!;
  const units = new Set(data.waves.map(([engine, unit]) => `${engine}:${unit}`)).size;
  return (
    <figure class="timeline-panel">
      <div class="timeline-waves" style={{ height: `${tall}px` }} onScroll={(e) => setScroll(e.currentTarget.scrollTop)}>
        <div style={{ height: `${rows.length * rowHeight}px` }}>
          <canvas ref={canvas} style={{ height: `${tall}px` }} data-testid="panel-simds" data-scrolls={rows.length * rowHeight > tall ? "1" : undefined} role="img"
            aria-label={`${full(data.waves.length)} waves in the SIMD units of ${full(units)} compute units over time`} {...handlers}
            onPointerMove={(e) => { (handlers["onPointerMove"] as (e: PointerEvent) => void)(e); find(e); }}
            onPointerLeave={() => { (handlers["onPointerLeave"] as () => void)(); setOver(null); }} />
        </div>
      </div>
      <figcaption data-testid="timeline-wave">
        <b>SIMD units</b>
        {wave ? (
          <span>workgroup {full(wave[6])}, wave {wave[7]}: SE {wave[0]} CU {wave[1]} SIMD {wave[2]} slot {wave[3]}, {microseconds(wave[4]).toFixed(3)} to {microseconds(wave[5]).toFixed(3)} µs ({full(wave[5] - wave[4])} cycles)</span>
        ) : (
          <span>
            {full(data.waves.length)} of {full(data.waves_in_all)} waves, in {full(units)} of {full(timing.compute_units)} compute units{data.every > 1 ? ` (one of ${data.every} is kept)` : ""}; a line is a place, a shade a workgroup
            {rows.length * rowHeight > tall ? "; Shift and the wheel zoom here" : ""}
          </span>
        )}
      </figcaption>
    </figure>
  );
}
