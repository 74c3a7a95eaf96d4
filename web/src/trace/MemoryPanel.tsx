// Owns the picture of what the step accesses: the cache lines or LDS rows that its lanes touch, word by word.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { TraceAccess } from "../profile";
import { placeText, startText, whereIs } from "../model/buffers";
import { profile } from "../state";
import { footprint } from "./footprint";
import type { Selection } from "./navigate";

const most_rows = 64; // 64 lanes of one word each, or of wide ones the first

interface MemoryPanelProps {
  accesses: readonly TraceAccess[];
  selection: Selection | null;
  children: ComponentChildren;
}

export function MemoryPanel({ accesses, selection, children }: MemoryPanelProps) {
  return (
    <section class="trace-memory" aria-label="Memory access of the step" data-testid="trace-memory">
      {accesses.length === 0 && <p class="trace-none">This step accesses no memory.{!selection && " Click a register, or a cell of one, to follow it."}</p>}
      {accesses.map((access, index) => <Access key={index} access={access} lane={selection?.lane} />)}
      {children}
    </section>
  );
}

function Access({ access, lane }: { access: TraceAccess; lane: number | undefined }) {
  const { rows, lanes, rowBytes } = useMemo(() => footprint(access), [access]);
  const lds = access.space === "lds";
  const place = (address: bigint, bytes: number) => (lds ? hex(address) : placeText(profile.value, address, bytes));
  // Of a row its first element: the others follow.
  const labels = rows.map(({ address }) => {
    const where = lds ? null : whereIs(profile.value, address, rowBytes);
    return where ? `${where.name}${startText(where)}` : hex(address);
  });
  const label = labels.reduce((most, text) => Math.max(most, text.length), lds ? 4 : 0);
  const unit = lds ? "row of the banks" : "cache line";
  return (
    <>
      <h2>
        <span class={`trace-kind ${access.kind}`}>{access.space} {access.kind}</span> {access.bytes} bytes a lane, {lanes.length}{" "}
        {lanes.length === 1 ? "lane" : "lanes"}, {rows.length} {rows.length === 1 ? unit : lds ? "rows of the banks" : "cache lines"}
      </h2>
      <div class="trace-footprint" style={{ "--words": rowBytes / 4, "--label": label }}>
        {lds && (
          <div class="trace-line trace-banks" aria-hidden="true">
            <code>bank</code>
            {Array.from({ length: rowBytes / 4 }, (_, bank) => <span key={bank}>{bank}</span>)}
          </div>
        )}
        {rows.slice(0, most_rows).map((row, index) => (
          <div class="trace-line" key={String(row.address)}>
            <code title={hex(row.address)}>{labels[index]}</code>
            {row.words.map((who, word) => (
              <span key={word} class={who.length === 0 ? "" : who.includes(lane ?? -1) ? "hit followed" : who.length > 1 ? "hit shared" : "hit"}
                title={who.length ? `${place(row.address + BigInt(4 * word), 4)}: ${who.length === 1 ? "lane" : "lanes"} ${who.join(", ")}` : undefined}>
                {who.length ? who[0] : ""}
              </span>
            ))}
          </div>
        ))}
        {rows.length > most_rows && <p class="trace-faint">and {rows.length - most_rows} more</p>}
      </div>
    </>
  );
}

function hex(address: bigint): string {
  return `0x${address.toString(16)}`;
}
