// Owns the slider through the steps, over the number of active lanes at each; ticks below show where the followed register changes.
import { useMemo } from "preact/hooks";
import type { Recording } from "./recording";

const width = 1000; // of the drawing, which is stretched
const height = 32;

interface TimelineProps {
  recording: Recording;
  position: number;
  ticks: readonly number[];
  go: (position: number) => void;
}

export function Timeline({ recording, position, ticks, go }: TimelineProps) {
  const area = useMemo(() => populationPath(recording.activeLanes), [recording]);
  const marks = useMemo(() => tickPath(ticks, recording.length), [ticks, recording]);
  const at = recording.length ? (position / recording.length) * width : 0;
  return (
    <div class="trace-timeline" title="Active lanes at each step">
      <svg viewBox={`0 0 ${width} ${height + 6}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="trace-population" d={area} />
        <path class="trace-ticks" d={marks} vector-effect="non-scaling-stroke" />
        <line class="trace-now" x1={at} x2={at} y1="0" y2={height + 6} vector-effect="non-scaling-stroke" />
      </svg>
      <input type="range" min={0} max={recording.length} step={1} value={position} aria-label="Step"
        aria-valuetext={`step ${position} of ${recording.length}, ${recording.activeLanes[position] ?? 0} active lanes`}
        data-testid="trace-slider" onInput={(event) => go(event.currentTarget.valueAsNumber)} />
    </div>
  );
}

/** An area of at most one point per pixel: of the steps in one pixel, the least and the most, so that no short divergence is lost. */
export function populationPath(active: Uint8Array): string {
  const y = (lanes: number) => (height * (1 - lanes / 64)).toFixed(1);
  const columns = Math.min(active.length, width);
  let path = `M0 ${height}`;
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column * active.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * active.length) / columns));
    let least = 64;
    let most = 0;
    for (let i = from; i < to; i++) {
      least = Math.min(least, active[i] as number);
      most = Math.max(most, active[i] as number);
    }
    const left = ((column * width) / columns).toFixed(1);
    const right = (((column + 1) * width) / columns).toFixed(1);
    path += `L${left} ${y(most)}L${left} ${y(least)}L${right} ${y(least)}`;
  }
  return `${path}L${width} ${height}Z`;
}

function tickPath(ticks: readonly number[], length: number): string {
  if (!length) return "";
  const pixels = new Set(ticks.map((position) => Math.round((position / length) * width)));
  return [...pixels].map((x) => `M${x} ${height + 1}v5`).join("");
}
