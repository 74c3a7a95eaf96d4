// Owns the picture of occupancy: a row of places for wavefronts for each limit, those that the limit leaves filled in.
import type { Occupancy } from "../profile";

const names: Record<string, string> = { waves: "SIMD unit", vgprs: "VGPRs", sgprs: "SGPRs", lds: "LDS", workgroups: "workgroup size" };

export function OccupancyChart({ occupancy }: { occupancy: Occupancy }) {
  const { waves_per_simd: waves, max_waves_per_simd: most, limiter, limits, advice } = occupancy;
  return (
    <div class="occupancy" data-testid="occupancy">
      <p>
        <b class="figure">{waves}</b> of {most} waves per SIMD unit
        {limiter !== "waves" && <> · limited by <b>{names[limiter] ?? limiter}</b></>}
      </p>
      <table>
        <tbody>
          {limits.map(({ name, waves: allowed }) => (
            <tr key={name} class={name === limiter && waves < most ? "limiter" : ""}>
              <th scope="row">{names[name] ?? name}</th>
              <td>
                <span class="slots" role="img" aria-label={`${Math.min(allowed, most)} of ${most}`}>
                  {Array.from({ length: most }, (_, i) => <i key={i} class={i < allowed ? "full" : ""} />)}
                </span>
              </td>
              <td class="num">{allowed}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {advice && <p class="advice">{advice}</p>}
    </div>
  );
}
