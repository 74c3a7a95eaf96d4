// Owns the head of a kernel: its signature and what a launch of it looks like.
import type { Kernel } from "../profile";
import { profile } from "../state";
import { bytes, full, kernelTitle, percent, plural, seconds, short, xyz } from "../format";

export function KernelHead({ kernel }: { kernel: Kernel }) {
  const launched: [label: string, value: string, title?: string][] = [
    ["launches", short(kernel.launches), full(kernel.launches)],
    ["waves", short(kernel.waves), `${full(kernel.waves)} wavefronts of ${full(kernel.workgroups)} workgroups`],
    ["wave-instructions", short(kernel.wave_instructions), full(kernel.wave_instructions)],
  ];
  const facts: [label: string, value: string, title?: string][] = [
    ...(profile.value.estimated ? [] : [["grid", `${xyz(kernel.grid)}${kernel.varied ? " ±" : ""}`, kernel.varied ? "work-items of the last launch; others differed" : "work-items"] as [string, string, string]]),
    ["block", xyz(kernel.block), "work-items of a workgroup"],
    ...(profile.value.estimated && !kernel.launches ? [] : launched),
    ["VGPRs", kernel.agprs ? `${kernel.vgprs} + ${kernel.agprs} acc` : String(kernel.vgprs), "vector registers, as allocated"],
    ["SGPRs", String(kernel.sgprs), "scalar registers, as allocated"],
    ["LDS", bytes(kernel.lds_bytes), "of a workgroup"],
    ["scratch", bytes(kernel.scratch_bytes), "of a work-item"],
  ];
  if (kernel.occupancy)
    facts.push(["occupancy", `${kernel.occupancy.waves_per_simd} / ${kernel.occupancy.max_waves_per_simd}`, `waves per SIMD unit; limited by ${kernel.occupancy.limiter}`]);
  if (kernel.seconds) facts.push(["host time", seconds(kernel.seconds), "on this computer, in the emulator: not a GPU's time"]);
  return (
    <header class="kernel-head" data-testid="kernel-head">
      <div class="kernel-title">
        <h1 title={kernel.name}>{kernelTitle(kernel)}</h1>
        <span class="chip">{kernel.target}{kernel.card ? ` · ${kernel.card}` : ""}</span>
        {kernel.sampled && (
          <span class="chip warn" data-testid="sampled" title="Sums on this page are those of the sampled workgroups alone">
            sample: {full(kernel.sampled.workgroups)} of {plural(kernel.sampled.of, "workgroup")}
            {kernel.sampled.error != null && <> · ± {percent(kernel.sampled.error)}</>}
          </span>
        )}
        {kernel.readable !== kernelTitle(kernel) && <code class="signature" title={kernel.readable}>{kernel.readable}</code>}
      </div>
      <dl class="facts">
        {facts.map(([label, value, title]) => (
          <div key={label} title={title}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </header>
  );
}
