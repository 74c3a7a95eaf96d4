// Owns what --check found in a kernel: the list, and of the chosen finding its places side by side, each with its source and its assembly.
import { useMemo } from "preact/hooks";
import type { Check, CheckPlace, Kernel } from "../profile";
import { useKeys } from "../keys";
import { codeExcerpt, type Excerpt, findingsOf, instructionAt, placeText, seenText, sourceExcerpt } from "../model/checks";
import { navigate, openCode, profile, route } from "../state";

export function FindingsTab({ kernel, check }: { kernel: Kernel; check: Check }) {
  const findings = useMemo(() => findingsOf(kernel, check.findings), [kernel, check]);
  const at = Math.min(Number(route.value.params["finding"]) || 0, findings.length - 1);
  const choose = (n: number) => navigate({ params: { finding: String(Math.max(0, Math.min(findings.length - 1, n))) } }, true);
  useKeys((key) => {
    if (!findings.length) return false;
    if (key === "j" || key === "ArrowDown") return choose(at + 1), true;
    if (key === "k" || key === "ArrowUp") return choose(at - 1), true;
    return false;
  });
  const finding = findings[at];
  if (!finding)
    return <p class="empty page" data-testid="no-check-findings">Nothing was found in this kernel{check.suppressed > 0 && `; ${check.suppressed} of the process are suppressed`}.</p>;
  const rule = check.rules[finding.rule];
  return (
    <div class="page checked">
      <ol class="checked-list" aria-label="What was found">
        {findings.map((f, n) => (
          <li key={n}>
            <button type="button" aria-current={n === at ? "true" : undefined} data-testid="check-finding" onClick={() => choose(n)}>
              <span class={`severity ${f.severity}`}>{f.severity}</span> <b>{f.rule}</b> <code>{placeText(f.place)}</code>
              <span class="checked-message">{f.message}</span>
            </button>
          </li>
        ))}
      </ol>
      <section class="card" aria-labelledby="checked-title" data-testid="check-chosen">
        <h2 id="checked-title">{finding.message}</h2>
        <p class="dim" data-testid="check-seen">{seenText(finding)}</p>
        <div class="places">
          <PlaceCard kernel={kernel} place={finding.place} callers={finding.called_from} title="Here" />
          {finding.notes.map((note, n) => <PlaceCard key={n} kernel={kernel} place={note.place} callers={note.called_from} title={note.text} />)}
        </div>
        {rule && (
          <details>
            <summary><b>{finding.rule}</b>: {rule.title}</summary>
            {rule.text.split("\n\n").map((paragraph, n) => <p key={n}>{paragraph}</p>)}
          </details>
        )}
      </section>
    </div>
  );
}

function PlaceCard({ kernel, place, callers, title }: { kernel: Kernel; place: CheckPlace; callers: CheckPlace[] | undefined; title: string }) {
  const index = instructionAt(kernel, place);
  const source = index === null ? null : sourceExcerpt(profile.value, kernel, index);
  return (
    <div class="place" data-testid="check-place">
      <h3>{title}</h3>
      {index === null ? <code>{placeText(place)}</code> : (
        <button type="button" class="place-open" data-testid="check-open" title="Show it among the code" onClick={() => openCode(route.value.kernel!, index)}>
          <code>{placeText(place)}</code>
        </button>
      )}
      {place.inlined_by?.map((call) => <p key={call} class="dim">inlined by <code>{call}</code></p>)}
      {callers?.map((call, n) => <p key={`call-${n}`} class="dim">called from <code>{placeText(call)}</code></p>)}
      {source && <ExcerptTable excerpt={source} label="source" />}
      {index === null ? place.code && <pre>{place.code}</pre> : <ExcerptTable excerpt={codeExcerpt(kernel, index)} label="assembly" />}
    </div>
  );
}

function ExcerptTable({ excerpt, label }: { excerpt: Excerpt; label: string }) {
  return (
    <table class="excerpt" data-testid={`check-${label}`} aria-label={`${label} at ${excerpt.title}`}>
      <tbody>
        {excerpt.rows.map((row) => (
          <tr key={row.number} class={row.here ? "here" : ""} aria-current={row.here ? "true" : undefined}>
            <th scope="row">{row.number}</th>
            <td><code>{row.text}</code></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
