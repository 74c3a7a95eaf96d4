// Owns Chart.js: the parts that the page uses, and a hook that redraws a chart in the colours of the theme.
import { BarController, BarElement, CategoryScale, Chart, type ChartConfiguration, LinearScale, LogarithmicScale, Tooltip } from "chart.js";
import { useEffect, useRef } from "preact/hooks";
import { dark } from "../state";

Chart.register(BarController, BarElement, CategoryScale, LinearScale, LogarithmicScale, Tooltip);

/** A colour of the style sheet: "--loss". */
export function colour(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** `make` is called again when the theme or one of `inputs` changes. */
export function useChart(make: () => ChartConfiguration<"bar">, inputs: readonly unknown[]) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = dark.value;
  useEffect(() => {
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.font.size = 11;
    Chart.defaults.color = colour("--muted");
    Chart.defaults.animation = false;
    const tooltip = Chart.defaults.plugins.tooltip;
    Object.assign(tooltip, { backgroundColor: colour("--text"), titleColor: colour("--panel"), bodyColor: colour("--panel"), displayColors: false, cornerRadius: 4, padding: 8 });
    if (!canvas.current) return; // nothing ran that a picture could be made of
    const chart = new Chart(canvas.current, make());
    return () => chart.destroy();
  }, [isDark, ...inputs]);
  return canvas;
}
