// Owns the picture of one request to memory: the lanes, coloured by the cache line that each reaches, beside the lines with
// the bytes that are wanted of them.
import { useMemo, useState } from "preact/hooks";
import type { MemorySite } from "../profile";
import { full, hex, plural } from "../format";
import { placeText, startText, whereIs } from "../model/buffers";
import { laneColour } from "./colours";
import { LaneGrid } from "./LaneGrid";
import { lineBytes, linePicture, ranges } from "./picture";
import { profile } from "../state";

const verbs = { load: "read", store: "write", atomic: "update" };

export function GlobalPicture({ site }: { site: MemorySite }) {
  const example = site.worst!;
  const picture = useMemo(() => linePicture(example, site.bytes), [site]);
  const [lane, setLane] = useState<number | null>(null);
  const [line, setLine] = useState<number | null>(null);
  const { lines, ofLane, ideal } = picture;
  const base = BigInt(example.base);
  const litLines = lane !== null ? ofLane[lane]! : line !== null ? [line] : null;
  const litLanes = litLines && new Set(litLines.flatMap((index) => lines[index]!.lanes));
  const places = lines.map(({ address }) => whereIs(profile.value, address, lineBytes));
  const names = [...new Set(places.map((where) => where?.name))];
  const labels = places.map((where, index) => (where ? startText(where) : hex(lines[index]!.address).slice(-5)));
  const excess = lines.length - ideal;
  const taking = picture.takesPart.filter(Boolean).length;
  // Atomics on one address go one after the other.
  const addresses = new Set(example.offsets.filter((offset) => offset !== null)).size;
  const waiting = site.kind === "atomic" ? taking - addresses : 0;
  // An image sample reads several for each lane; the example has the first of each.
  const texels = site.bytes_asked / (site.lanes * site.bytes);
  return (
    <figure class="picture" data-testid="picture-global">
      <figcaption>
        <b>{excess > 0 ? "Worst request" : "A request"}</b>, workgroup {example.workgroup.join(", ")}, wave {example.wave}: {plural(taking, "lane")} × {plural(site.bytes, "byte")}{" "}
        {verbs[site.kind]} <b class={excess > 0 ? "bad" : "good"}>{plural(lines.length, "cache line")}</b>
        {names.some((name) => name !== undefined) && <> of {names.map((name, i) => <span key={i}>{i > 0 && ", "}{name === undefined ? "other memory" : <code>{name}</code>}</span>)}</>}
        {excess > 0 ? <>, {ideal} would do</> : ", as few as can be"}.
        {waiting > 0 && <> <b class="bad">{plural(waiting, "lane")}</b> wait for another's: they share {plural(addresses, "address", "addresses")}.</>}
        {texels > 1 && <> This is the first texel of each lane, of {Math.round(texels * 10) / 10} that one samples: {full(Math.round((site.lines / site.requests) * 10) / 10)} cache lines in all.</>}
      </figcaption>
      <div class="picture-body">
        <LaneGrid takesPart={picture.takesPart} items={lines.length} item={(l) => ofLane[l]![0] ?? null} lit={litLanes} onHover={setLane}
          place={(l) => (example.offsets[l] == null ? null : placeText(profile.value, base + BigInt(example.offsets[l]!), site.bytes))}
          describe={(l) => `cache line ${ofLane[l]!.map((index) => index + 1).join(" and ")} of ${lines.length}`}>
          {l1Text(site)}
        </LaneGrid>
        <ol class="cache-lines" style={{ "--label": labels.reduce((most, label) => Math.max(most, label.length), 5) }} aria-label="Cache lines of 64 bytes" data-testid="cache-lines" onMouseLeave={() => setLine(null)}>
          {lines.map(({ address, lanes, touched }, index) => {
            const used = touched.reduce((sum, n) => sum + (n ? 1 : 0), 0);
            const { background } = laneColour(index, lines.length);
            return (
              <li key={index} class={`cache-line ${litLines ? (litLines.includes(index) ? "lit" : "faded") : ""}`} data-testid="cache-line"
                title={`${placeText(profile.value, address, lineBytes)}: ${used} of ${lineBytes} bytes wanted, by ${lanes.length === 1 ? "lane" : "lanes"} ${ranges(lanes)}`} onMouseEnter={() => setLine(index)}>
                <code>{labels[index]}</code>
                <span class="cache-bytes" aria-hidden="true" style={{ backgroundImage: wantedBytes(touched, background) }} />
                <span class="dim">{lanes.length}</span>
              </li>
            );
          })}
        </ol>
      </div>
    </figure>
  );
}

// The wanted bytes of a line as one background: a picture of 64 lines has no room for an element each.
function wantedBytes(touched: Uint8Array, colour: string): string {
  const stops: string[] = [];
  for (let from = 0; from < lineBytes; ) {
    let to = from;
    while (to < lineBytes && Boolean(touched[to]) === Boolean(touched[from])) to++;
    stops.push(`${touched[from] ? colour : "transparent"} ${(100 * from) / lineBytes}% ${(100 * to) / lineBytes}%`);
    from = to;
  }
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

const l1Names = {
  same_address: "one address", quads_same_address: "each 4 lanes at one address", quads_one_block: "each 4 lanes in one block",
  separate_quads: "no pattern: 4 by 4", wide: "wider than 4 bytes: 4 by 4",
};

// Rows of the grid are the groups of 16 lanes that L1 looks at.
function l1Text(site: MemorySite): string {
  const groups = Object.entries(l1Names).flatMap(([key, name]) => {
    const count = site.l1_groups?.[key as keyof typeof l1Names] ?? 0;
    return count ? [`${name} (${full(count)})`] : [];
  });
  return groups.length ? `Groups of 16 lanes at L1: ${groups.join(", ")}.` : "";
}
