// Owns what the first page says of --check: how many findings each kernel has, and those of code that no kernel here has.
import type { Check, Kernel } from "../profile";
import { findingsOf, placeText } from "../model/checks";
import { kernelNames, openKernel } from "../state";

export function CheckedSummary({ check, kernels }: { check: Check; kernels: readonly Kernel[] }) {
  const of = kernels.map((kernel) => findingsOf(kernel, check.findings));
  const placed = new Set(of.flat());
  const elsewhere = check.findings.filter((f) => !placed.has(f));
  return (
    <>
      <h2>Found by --check</h2>
      {check.findings.length === 0 && <p class="empty" data-testid="check-nothing">Nothing{check.suppressed > 0 && ` but ${check.suppressed} that are suppressed`}.</p>}
      <ul class="checked-list" data-testid="check-summary">
        {of.map((findings, index) => findings.length > 0 && (
          <li key={index}>
            <button type="button" data-testid="check-kernel" onClick={() => openKernel(index, "findings")}>
              <b>{kernelNames.value[index]}</b>
              <span class="checked-message">{[...new Set(findings.map((f) => f.rule))].map((rule) => `${findings.filter((f) => f.rule === rule).length} ${rule}`).join(", ")}</span>
            </button>
          </li>
        ))}
        {elsewhere.map((f, n) => (
          <li key={`elsewhere-${n}`} class="elsewhere">
            <span class={`severity ${f.severity}`}>{f.severity}</span> <b>{f.rule}</b> <code>{placeText(f.place)}</code>
            <span class="checked-message">{f.message}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
