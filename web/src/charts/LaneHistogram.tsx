// Owns the histogram of active lanes: 0 to 64, full wavefronts at the right.
import { full, percent } from "../format";
import { colour, useChart } from "./chart";

export function LaneHistogram({ bins, height, label }: { bins: readonly number[]; height: number; label: string }) {
  const total = bins.reduce((a, b) => a + b, 0);
  // Full wavefronts often outnumber the others so far that these could not be seen.
  const others = Math.max(...bins.slice(0, 64));
  const logarithmic = others > 0 && others < bins[64]! / 8;
  const canvas = useChart(
    () => ({
      type: "bar",
      data: {
        labels: bins.map((_, lanes) => lanes),
        datasets: [{ data: bins.map((n) => n || null), backgroundColor: bins.map((_, lanes) => colour(lanes === 64 ? "--quantity" : "--loss")), barPercentage: 1, categoryPercentage: 0.9, minBarLength: 2 }],
      },
      options: {
        maintainAspectRatio: false,
        plugins: {
          tooltip: {
            callbacks: {
              title: (items) => `${items[0]!.label} active lanes`,
              label: (item) => `${full(item.raw as number)} wave-instructions (${percent((item.raw as number) / total)})`,
            },
          },
        },
        scales: {
          x: { grid: { display: false }, border: { color: colour("--border") }, ticks: { autoSkip: false, maxRotation: 0, callback: (_, i) => (i % 8 === 0 ? i : "") } },
          y: {
            type: logarithmic ? "logarithmic" : "linear", grid: { color: colour("--grid") }, border: { display: false },
            title: { display: logarithmic, text: "log scale", font: { size: 10 } }, ...(logarithmic ? { min: 0.5 } : {}),
            ticks: { maxTicksLimit: 4, callback: (v) => Intl.NumberFormat("en-US", { notation: "compact" }).format(Number(v)) },
          },
        },
      },
    }),
    [bins],
  );
  const described = bins.flatMap((n, lanes) => (n ? [`${lanes} lanes: ${full(n)}`] : [])).join(", ");
  return (
    <div class="chart" style={{ height: `${height}px` }} data-testid="lane-histogram">
      <canvas ref={canvas} role="img" aria-label={`${label}. ${described}`} />
    </div>
  );
}
