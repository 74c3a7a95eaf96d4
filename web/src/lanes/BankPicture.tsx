// Owns the picture of one LDS access: the lanes, coloured by bank, beside the 32 banks with the dwords that each must serve
// one after the other. LDS serves groups of lanes; one group is shown at a time, the worst first.
import { useMemo, useState } from "preact/hooks";
import type { LdsSite } from "../profile";
import { hex, plural } from "../format";
import { LaneGrid } from "./LaneGrid";
import { bankCount, bankPicture, ranges } from "./picture";

const stackPixels = 150;

export function BankPictureView({ site }: { site: LdsSite }) {
  const example = site.worst!;
  const [which, setWhich] = useState<0 | 1>(0);
  const picture = useMemo(() => bankPicture(example, site.bytes, site.kind, which), [site, which]);
  const [chosen, setChosen] = useState<number | null>(null);
  const [lane, setLane] = useState<number | null>(null);
  const [bank, setBank] = useState<number | null>(null);
  const { worst } = picture;
  const groupIndex = chosen ?? worst?.group ?? 0;
  const group = picture.groups[groupIndex]!;
  const offsets = (which ? example.second : example.offsets) ?? [];
  const inBank = (b: number) => group.banks[b]!.flatMap((d) => d.lanes);
  const litBanks = bank !== null ? [bank] : lane !== null && group.lanes.includes(lane) ? picture.ofLane[lane]! : null;
  const litLanes = litBanks && new Set(litBanks.flatMap(inBank));
  const most = Math.max(1, ...group.degrees);
  const height = Math.max(3, Math.min(17, Math.floor(stackPixels / most)));
  const conflict = picture.cycles > picture.ideal;
  const meeting = worst && worst.cycles > 1 ? cells(picture.groups[worst.group]!.banks[worst.bank]!, site.kind === "atomic").slice(0, 2).map((c) => c.lane) : [];
  return (
    <figure class="picture" data-testid="picture-lds">
      <figcaption>
        <b>{conflict ? "Worst access" : "An access"}</b>, workgroup {example.workgroup.join(", ")}, wave {example.wave}:{" "}
        <b class={conflict ? "bad" : "good"}>{plural(picture.cycles, "bank cycle")}</b>
        {conflict ? <>, {picture.ideal} without conflicts</> : ", no bank conflict"}.
        {meeting.length === 2 && worst && <> Lanes {meeting[0]} and {meeting[1]} meet in bank {worst.bank}, at {hex(offsets[meeting[0]!] ?? 0)} and {hex(offsets[meeting[1]!] ?? 0)}.</>}
      </figcaption>
      <div class="segmented groups" role="toolbar" aria-label="Lanes that LDS serves together">
        {example.second && ([0, 1] as const).map((n) => (
          <button type="button" key={`address${n}`} aria-pressed={which === n} onClick={() => { setWhich(n); setChosen(null); }}>address {n + 1}</button>
        ))}
        {picture.groups.map((g, index) => g.lanes.length > 0 && (
          <button type="button" key={index} aria-pressed={index === groupIndex} data-testid="lane-group" onClick={() => setChosen(index)}>lanes {ranges(g.lanes)} · {plural(g.cycles, "cycle")}</button>
        ))}
      </div>
      <div class="picture-body">
        <LaneGrid takesPart={picture.takesPart} items={bankCount} item={(l) => (group.lanes.includes(l) ? (picture.ofLane[l]![0] ?? null) : null)} lit={litLanes} named={meeting} onHover={setLane}
          place={(l) => (offsets[l] == null ? null : hex(offsets[l]!))} describe={(l) => `bank ${picture.ofLane[l]!.join(", ")}${group.lanes.includes(l) ? "" : ", served with other lanes"}`} />
        <div class="banks" data-testid="banks" onMouseLeave={() => setBank(null)}>
          {group.banks.map((dwords, b) => (
            <div key={b} class={`bank ${litBanks ? (litBanks.includes(b) ? "lit" : "faded") : ""}`} data-degree={group.degrees[b]} onMouseEnter={() => setBank(b)}
              title={`bank ${b}: ${plural(group.degrees[b]!, "cycle")}${dwords.length ? `; lanes ${ranges([...inBank(b)].sort((x, y) => x - y))}` : ""}`}>
              <span class="bank-stack">
                {cells(dwords, site.kind === "atomic").map(({ lane: first, more }, i) => (
                  <i key={i} class={i ? "extra" : "first"} style={{ height: `${height}px`, lineHeight: `${height}px` }}>{height >= 11 ? `${first}${more ? "+" : ""}` : ""}</i>
                ))}
              </span>
              <span class="bank-name">{b}</span>
            </div>
          ))}
        </div>
      </div>
    </figure>
  );
}

// A cell for each cycle of the bank, with the lane that it serves; `more`: others want the same dword.
function cells(dwords: { lanes: number[] }[], serial: boolean): { lane: number; more: boolean }[] {
  return serial ? dwords.flatMap((d) => d.lanes.map((lane) => ({ lane, more: false }))) : dwords.map((d) => ({ lane: d.lanes[0]!, more: d.lanes.length > 1 }));
}
