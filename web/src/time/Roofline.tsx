// Owns the roofline: what the card could compute at most for each byte that memory moves, and where the kernel is.
import { percent, short } from "../format";
import type { Timing } from "../profile";
import { type Roofline, withUnit } from "./series";

const width = 460;
const height = 250;
const box = { left: 46, right: 14, top: 12, bottom: 34 };

export function RooflinePicture({ timing, point }: { timing: Timing; point: Roofline }) {
  const peaks = timing.peaks!;
  const peak = point.double ? peaks.f64 : peaks.f32;
  const from = Math.floor(Math.log10(Math.min(point.intensity, 0.1)));
  const to = Math.ceil(Math.log10(Math.max(point.intensity, (10 * peak) / peaks.memory)));
  const top = Math.ceil(Math.log10(peak));
  const bottom = Math.min(top - 3, Math.floor(Math.log10(point.rate)));
  const x = (intensity: number) => box.left + ((Math.log10(intensity) - from) / (to - from)) * (width - box.left - box.right);
  const y = (rate: number) => height - box.bottom - ((Math.log10(rate) - bottom) / (top - bottom)) * (height - box.top - box.bottom);
  const roof = (bandwidth: number) => {
    const least = Math.max(10 ** from, 10 ** bottom / bandwidth);
    const ridge = Math.min(10 ** to, peak / bandwidth);
    return `M${x(least)} ${y(least * bandwidth)}L${x(ridge)} ${y(ridge * bandwidth)}L${x(10 ** to)} ${y(Math.min(peak, 10 ** to * bandwidth))}`;
  };
  const possible = Math.min(peak, point.intensity * peaks.memory);
  const bound = possible < peak ? "memory" : "arithmetic";
  const powers = (a: number, b: number) => Array.from({ length: b - a + 1 }, (_, i) => a + i);
  const label = `${short(point.rate)}FLOP/s at ${short(point.intensity)} FLOP a byte: ${percent(point.rate / possible)} of what ${bound} allows`;
  return (
    <figure class="roofline" data-testid="roofline">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        {powers(from, to).map((power) => (
          <g key={power}>
            <line class="grid" x1={x(10 ** power)} x2={x(10 ** power)} y1={box.top} y2={height - box.bottom} />
            <text x={x(10 ** power)} y={height - box.bottom + 14} text-anchor="middle">{short(10 ** power)}</text>
          </g>
        ))}
        {powers(bottom, top).map((power) => (
          <g key={power}>
            <line class="grid" x1={box.left} x2={width - box.right} y1={y(10 ** power)} y2={y(10 ** power)} />
            <text x={box.left - 6} y={y(10 ** power) + 3} text-anchor="end">{short(10 ** power)}</text>
          </g>
        ))}
        <text x={(box.left + width - box.right) / 2} y={height - 4} text-anchor="middle">FLOP a byte of memory</text>
        <path class="roof other" d={roof(peaks.l2)}><title>L2: {withUnit(peaks.l2, "B/s")}</title></path>
        <path class="roof" d={roof(peaks.memory)}><title>memory: {withUnit(peaks.memory, "B/s")}; {withUnit(peak, "FLOP/s")}</title></path>
        <text class="name" x={x(10 ** to) - 2} y={y(peak) - 5} text-anchor="end">{point.double ? "f64" : "f32"} {withUnit(peak, "FLOP/s")}</text>
        <Along text={`memory ${withUnit(peaks.memory, "B/s")}`} bandwidth={peaks.memory} />
        <Along text={`L2 ${withUnit(peaks.l2, "B/s")}`} bandwidth={peaks.l2} />
        <line class="gap" x1={x(point.intensity)} x2={x(point.intensity)} y1={y(point.rate)} y2={y(possible)} />
        <circle cx={x(point.intensity)} cy={y(point.rate)} r="5" />
      </svg>
      <figcaption>{label}</figcaption>
    </figure>
  );

  // A name on a slope, of which there is little where the ridge is near the left.
  function Along({ text, bandwidth }: { text: string; bandwidth: number }) {
    const least = Math.max(10 ** from, 10 ** bottom / bandwidth) * 1.3;
    const slope = Math.atan2(y(least * 10 * bandwidth) - y(least * bandwidth), x(least * 10) - x(least));
    return <text class="name" transform={`translate(${x(least)} ${y(least * bandwidth) - 5}) rotate(${(slope * 180) / Math.PI})`}>{text}</text>;
  }
}
