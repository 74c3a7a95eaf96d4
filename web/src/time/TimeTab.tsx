// Owns the tab of modelled time: what the launch took, where the cycles of waves went, the timeline, busy units, caches and the
// roofline.
import { useMemo } from "preact/hooks";
import type { Kernel, Timing } from "../profile";
import { full, percent, seconds, short } from "../format";
import { RooflinePicture } from "./Roofline";
import { reasons, roofline, withUnit } from "./series";
import { Timeline } from "./Timeline";

const ratio = (part: number, whole: number) => (whole > 0 ? part / whole : 0);

export function TimeTab({ kernel, timing }: { kernel: Kernel; timing: Timing }) {
  const point = useMemo(() => roofline(kernel, timing), [kernel, timing]);
  const taken = timing.cycles / (timing.mhz * 1e6);
  const moved = timing.memory.bytes_read + timing.memory.bytes_written;
  const requests = timing.l2.hits + timing.l2.misses;
  const facts: [string, string, string][] = [
    ["time", seconds(timing.nanoseconds * 1e-9), `${full(timing.cycles)} cycles, and ${seconds(timing.launch_nanoseconds * 1e-9)} of launching`],
    ["cycles", short(timing.cycles), `at ${full(timing.mhz)} MHz`],
    ["waves resident", full(Number(ratio(timing.wave_cycles, timing.cycles).toFixed(1))), `on average, of ${full(timing.compute_units * timing.simds * timing.waves_per_simd)} places`],
    ["instructions a cycle", ratio(timing.instructions, timing.cycles * timing.compute_units).toFixed(2), "of each compute unit"],
    ["memory", `${withUnit(moved / taken, "B/s")}`, `${withUnit(timing.memory.bytes_read, "B")} read, ${withUnit(timing.memory.bytes_written, "B")} written`],
    ["L2", `${withUnit((requests * 64) / taken, "B/s")}`, `${full(requests)} requests of 64 bytes`],
  ];
  const simdCycles = timing.cycles * timing.compute_units * timing.simds;
  const unitCycles = timing.cycles * timing.compute_units;
  const busy: [string, number][] = [
    ["VALU", timing.busy_cycles.valu / simdCycles],
    ["SALU", timing.busy_cycles.salu / simdCycles],
    ...(timing.busy_cycles.matrix ? [["matrix", timing.busy_cycles.matrix / simdCycles] as [string, number]] : []),
    ["vector memory", timing.busy_cycles.vector_memory / unitCycles],
    ["LDS", timing.busy_cycles.lds / unitCycles],
  ];
  const caches: [string, number, number][] = [
    ["L1", timing.l1.hits, timing.l1.misses],
    ["scalar cache", timing.scalar_cache.hits, timing.scalar_cache.misses],
    ["L2", timing.l2.hits, timing.l2.misses],
  ];
  return (
    <div class="page overview time" data-testid="time">
      <section class="card wide" aria-labelledby="time-title">
        <h2 id="time-title">Modelled on {timing.card}</h2>
        <dl class="facts big">
          {facts.map(([label, value, title]) => <div key={label} title={title}><dt>{label}</dt><dd>{value}</dd></div>)}
        </dl>
        <Spent timing={timing} />
      </section>
      <section class="card wide" aria-labelledby="timeline-title">
        <h2 id="timeline-title">Over time</h2>
        {timing.timeline ? <Timeline timing={timing} data={timing.timeline} /> : <p class="empty">Nothing was recorded over time.</p>}
      </section>
      <section class="card" aria-labelledby="roofline-title">
        <h2 id="roofline-title">Roofline</h2>
        {point && timing.peaks ? <RooflinePicture timing={timing} point={point} /> : <p class="empty">The kernel computes nothing on floating-point numbers.</p>}
      </section>
      <section class="card" aria-labelledby="busy-title">
        <h2 id="busy-title">Units and caches</h2>
        <table class="meters" data-testid="meters">
          <tbody>
            {busy.map(([name, share]) => <Meter key={name} name={`${name} busy`} share={share} note="" ramp="--quantity" />)}
            {caches.map(([name, hits, misses]) => (
              <Meter key={name} name={`${name} hits`} share={ratio(hits, hits + misses)} note={`of ${short(hits + misses)}`} ramp="--good" />
            ))}
          </tbody>
        </table>
        <p class="dim assumed">
          Nobody is known to have measured: {Object.entries(timing.assumed ?? {}).map(([name, value]) => `${name} = ${value}`).join(", ") || "nothing of this"}.
        </p>
      </section>
    </div>
  );
}

function Meter({ name, share, note, ramp }: { name: string; share: number; note: string; ramp: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="bar"><i style={{ width: `${Math.min(100, 100 * share)}%`, background: `var(${ramp})` }} /></td>
      <td class="num">{percent(share)}</td>
      <td class="dim">{note}</td>
    </tr>
  );
}

function Spent({ timing }: { timing: Timing }) {
  const shown = reasons.filter(({ name }) => timing.cycles_spent[name]).sort((a, b) => timing.cycles_spent[b.name]! - timing.cycles_spent[a.name]!);
  return (
    <div class="spent" data-testid="spent">
      <span class="spent-bar" role="img" aria-label={`Cycles of waves: ${shown.map(({ name }) => `${name} ${percent(timing.cycles_spent[name]! / timing.wave_cycles)}`).join(", ")}`}>
        {shown.map(({ name, colour }) => <i key={name} title={`${name} ${percent(timing.cycles_spent[name]! / timing.wave_cycles)}`} style={{ flexGrow: timing.cycles_spent[name]!, background: `var(${colour})` }} />)}
      </span>
      <ul>
        {shown.map(({ name, colour, about }) => (
          <li key={name} title={about}>
            <i style={{ background: `var(${colour})` }} /><b>{percent(timing.cycles_spent[name]! / timing.wave_cycles)}</b> {name} <span class="dim">{about}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
