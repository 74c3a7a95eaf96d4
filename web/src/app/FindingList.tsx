// Owns findings: what was measured, what it costs, what would help; a click goes to the line.
import type { ComponentChildren } from "preact";
import type { Finding, FindingKind } from "../profile";
import { full, percent, place } from "../format";
import { kernelNames, openCode, openKernel, profile } from "../state";
import type { KernelFinding } from "./findings";

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

export function Findings({ findings, named }: { findings: KernelFinding[]; named: boolean }) {
  return (
    <ol class="findings" data-testid="findings">
      {findings.map(({ kernel, finding }, i) => <FindingCard key={i} kernel={kernel} finding={finding} named={named} />)}
    </ol>
  );
}

function costText({ cost, unit }: Finding): string {
  return `${full(Math.round(cost))} ${cost === 1 ? unit.replace(/s$/, "") : unit}`;
}

/** What stands between backticks is code. */
function coded(text: string): ComponentChildren {
  return text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part));
}

function FindingCard({ kernel, finding, named }: KernelFinding & { named: boolean }) {
  const where = place(profile.value, finding.source);
  const source = finding.source ? ([finding.source[0], finding.source[1]] as [number, number]) : null;
  const open = () =>
    finding.instruction == null && !source ? openKernel(kernel) : openCode(kernel, finding.instruction ?? null, source);
  return (
    <li class="finding" data-testid="finding" data-kind={finding.kind}>
      <button type="button" class="finding-open" onClick={open}>
        <span class="finding-share" title={costText(finding)}>
          <b>{finding.share > 0 ? percent(finding.share) : "—"}</b>
          <span class="meter"><i style={{ width: `${Math.min(100, finding.share * 100)}%` }} /></span>
        </span>
        <span class="finding-main">
          <span class="finding-title">
            <span class={`kind kind-${finding.kind}`}>{kindNames[finding.kind] ?? finding.kind}</span>
            <strong>{coded(finding.title)}</strong>
          </span>
          <span class="finding-text">{coded(finding.text)}</span>
          {finding.advice && <span class="finding-advice">{coded(finding.advice)}</span>}
        </span>
        <span class="finding-where">
          {named && <span class="finding-kernel" title={profile.value.kernels[kernel]!.readable}>{kernelNames.value[kernel]}</span>}
          {where && <code>{where}</code>}
          {finding.cost > 0 && <span class="dim">{costText(finding)}</span>}
        </span>
      </button>
    </li>
  );
}
