// Owns findings: what was measured, what it costs, what would help; a click goes to the line.
import type { Finding, FindingKind } from "../profile";
import { full, percent, place } from "../format";
import { openCode, openKernel, profile } from "../state";

export interface KernelFinding {
  kernel: number;
  finding: Finding;
}

export const kindNames: Record<FindingKind, string> = {
  divergence: "Divergence",
  partial_waves: "Partial waves",
  coalescing: "Coalescing",
  misaligned: "Misaligned",
  atomic_collisions: "Atomics",
  bank_conflicts: "Bank conflicts",
  occupancy: "Occupancy",
  scratch: "Scratch",
};

/** All kernels' findings; a share of a kernel's total weighs as much as the kernel does among all wave-instructions. */
export function topFindings(kernels: { findings?: Finding[] | null; wave_instructions: number }[]): KernelFinding[] {
  const total = kernels.reduce((sum, k) => sum + k.wave_instructions, 0) || 1;
  const weight = ({ kernel, finding }: KernelFinding) => (finding.share * kernels[kernel]!.wave_instructions) / total;
  return kernels
    .flatMap((k, kernel) => (k.findings ?? []).map((finding) => ({ kernel, finding })))
    .sort((a, b) => weight(b) - weight(a));
}

export function Findings({ findings, named }: { findings: KernelFinding[]; named: boolean }) {
  return (
    <ol class="findings" data-testid="findings">
      {findings.map(({ kernel, finding }, i) => <FindingCard key={i} kernel={kernel} finding={finding} named={named} />)}
    </ol>
  );
}

function FindingCard({ kernel, finding, named }: KernelFinding & { named: boolean }) {
  const where = place(profile.value, finding.source);
  const source = finding.source ? ([finding.source[0], finding.source[1]] as [number, number]) : null;
  const open = () =>
    finding.instruction == null && !source ? openKernel(kernel) : openCode(kernel, finding.instruction ?? null, source);
  return (
    <li class="finding" data-testid="finding" data-kind={finding.kind}>
      <button type="button" class="finding-open" onClick={open}>
        <span class="finding-share" title={`${full(finding.cost)} ${finding.unit}`}>
          <b>{finding.share > 0 ? percent(finding.share) : "—"}</b>
          <span class="meter"><i style={{ width: `${Math.min(100, finding.share * 100)}%` }} /></span>
        </span>
        <span class="finding-main">
          <span class="finding-title">
            <span class={`kind kind-${finding.kind}`}>{kindNames[finding.kind] ?? finding.kind}</span>
            <strong>{finding.title}</strong>
          </span>
          <span class="finding-text">{finding.text}</span>
          {finding.advice && <span class="finding-advice">{finding.advice}</span>}
        </span>
        <span class="finding-where">
          {named && <span>{profile.value.kernels[kernel]!.short}</span>}
          {where && <code>{where}</code>}
          {finding.cost > 0 && <span class="dim">{full(finding.cost)} {finding.unit}</span>}
        </span>
      </button>
    </li>
  );
}
