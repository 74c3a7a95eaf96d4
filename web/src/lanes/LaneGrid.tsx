// Owns the grid of lanes: four rows of 16, as a SIMD unit takes them in four cycles.
import { hex } from "../format";
import { laneColour } from "./colours";

interface Props {
  takesPart: readonly boolean[];
  /** Index of the line or bank that colours a lane; null: none. */
  item: (lane: number) => number | null;
  items: number;
  address: (lane: number) => bigint | null;
  /** In words, for the tooltip. */
  describe: (lane: number) => string;
  lit: ReadonlySet<number> | null;
  named?: readonly number[];
  onHover: (lane: number | null) => void;
}

export function LaneGrid({ takesPart, item, items, address, describe, lit, named, onHover }: Props) {
  return (
    <div class="lane-grid" role="grid" aria-label="The 64 lanes, in rows of 16" data-testid="lane-grid" onMouseLeave={() => onHover(null)}>
      {[0, 16, 32, 48].map((start) => (
        <div role="row" class="lane-row" key={start}>
          <span class="lane-row-head" role="rowheader">{start}</span>
          {Array.from({ length: 16 }, (_, i) => {
            const lane = start + i;
            const index = takesPart[lane] ? item(lane) : null;
            const at = address(lane);
            const classes = ["lane", !takesPart[lane] && "off", lit && (lit.has(lane) ? "lit" : "faded"), named?.includes(lane) && "named"];
            return (
              <span role="gridcell" key={lane} class={classes.filter(Boolean).join(" ")} style={index === null ? undefined : laneColour(index, items)} data-lane={lane}
                title={takesPart[lane] ? `lane ${lane}${at === null ? "" : ` at ${hex(at)}`}: ${describe(lane)}` : `lane ${lane}: takes no part`} onMouseEnter={() => onHover(lane)}>
                {lane}
              </span>
            );
          })}
        </div>
      ))}
    </div>
  );
}
