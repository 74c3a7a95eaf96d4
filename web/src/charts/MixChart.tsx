// Owns the instruction mix: wave-instructions by class, most frequent first.
import type { MixEntry } from "../profile";
import { full, percent } from "../format";
import { colour, useChart } from "./chart";

export function MixChart({ mix }: { mix: readonly MixEntry[] }) {
  const total = mix.reduce((sum, entry) => sum + entry.wave_instructions, 0);
  const canvas = useChart(
    () => ({
      type: "bar",
      data: {
        labels: mix.map((entry) => entry.class),
        datasets: [{ data: mix.map((entry) => (100 * entry.wave_instructions) / total), backgroundColor: mix.map((entry) => colour(`--class-${entry.class}`)), barThickness: 14, borderRadius: 2, minBarLength: 2 }],
      },
      options: {
        indexAxis: "y",
        maintainAspectRatio: false,
        plugins: {
          tooltip: {
            callbacks: {
              label: (item) => {
                const entry = mix[item.dataIndex]!;
                const lanes = entry.lanes != null && entry.lanes > 0 ? `, ${(entry.lanes / entry.wave_instructions).toFixed(1)} lanes each` : "";
                return `${full(entry.wave_instructions)} wave-instructions (${percent(entry.wave_instructions / total)})${lanes}`;
              },
            },
          },
        },
        scales: {
          x: { grid: { color: colour("--grid") }, border: { display: false }, ticks: { maxTicksLimit: 5, callback: (v) => `${v} %` } },
          y: { grid: { display: false }, border: { display: false }, ticks: { color: colour("--text") } },
        },
      },
    }),
    [mix],
  );
  if (!mix.length) return <p class="empty">No instruction was executed.</p>;
  const described = mix.map((entry) => `${entry.class} ${percent(entry.wave_instructions / total)}`).join(", ");
  return (
    <div class="chart" style={{ height: `${mix.length * 23 + 30}px` }} data-testid="mix-chart">
      <canvas ref={canvas} role="img" aria-label={`Wave-instructions by class: ${described}`} />
    </div>
  );
}
