// Owns a kernel's overview: findings, instruction mix, occupancy and how many lanes were active; and what views say that have no tab.
import type { Kernel } from "../profile";
import { activeHistogram } from "../model/totals";
import { Findings } from "./FindingList";
import { LaneHistogram } from "../charts/LaneHistogram";
import { MixChart } from "../charts/MixChart";
import { OccupancyChart } from "../charts/OccupancyChart";
import { FiguresCard } from "../table/Figures";

export function Overview({ kernel, index }: { kernel: Kernel; index: number }) {
  const findings = kernel.findings ?? [];
  const bins = activeHistogram(kernel.instructions);
  return (
    <div class="page overview">
      <section class="card wide" aria-labelledby="findings-title">
        <h2 id="findings-title">Findings</h2>
        {findings.length ? <Findings findings={findings.map((finding) => ({ kernel: index, finding }))} named={false} />
          : <p class="empty" data-testid="no-findings">Nothing stands out among what was collected.</p>}
      </section>
      <section class="card" aria-labelledby="mix-title">
        <h2 id="mix-title">Instruction mix</h2>
        <MixChart mix={kernel.mix ?? []} />
      </section>
      <section class="card" aria-labelledby="occupancy-title">
        <h2 id="occupancy-title">Occupancy</h2>
        {kernel.occupancy ? <OccupancyChart occupancy={kernel.occupancy} /> : <p class="empty">Not known for this target.</p>}
      </section>
      <section class="card wide" aria-labelledby="lanes-title">
        <h2 id="lanes-title">Active lanes</h2>
        {bins ? <LaneHistogram bins={bins} height={150} label="Wave-instructions by the number of active lanes" />
          : <p class="empty">Not collected: the divergence view was off.</p>}
      </section>
      {(kernel.figures ?? []).filter((figures) => !figures.beside_code).map((figures) => <FiguresCard key={figures.view} kernel={kernel} figures={figures} />)}
    </div>
  );
}
