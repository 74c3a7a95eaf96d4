// Owns the grid of lanes: four rows of 16, as a SIMD unit takes them in four cycles.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { laneColour } from "./colours";

interface Props {
  takesPart: readonly boolean[];
  /** Index of the line or bank that colours a lane; null: none. */
  item: (lane: number) => number | null;
  items: number;
  /** Where it reaches; null: not known. */
  place: (lane: number) => string | null;
  /** In words, for the tooltip. */
  describe: (lane: number) => string;
  lit: ReadonlySet<number> | null;
  named?: readonly number[];
  onHover: (lane: number | null) => void;
  /** Below the grid while no lane is pointed at. */
  children?: ComponentChildren;
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -16, ArrowDown: 16 };

export function LaneGrid({ takesPart, item, items, place, describe, lit, named, onHover, children }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const hover = (lane: number | null) => {
    setAt(lane);
    onHover(lane);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step !== undefined) hover(at === null ? 0 : (at + step + 64) % 64);
    else if (event.key === "Escape" && at !== null) hover(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const say = (lane: number) => {
    const where = place(lane);
    return takesPart[lane] ? `lane ${lane}${where === null ? "" : ` at ${where}`}: ${describe(lane)}` : `lane ${lane} takes no part`;
  };
  return (
    <div class="lanes-column">
      <div class="lane-grid" role="grid" tabIndex={0} aria-label="The 64 lanes, in rows of 16; move with the arrow keys" data-testid="lane-grid" onMouseLeave={() => hover(null)} onKeyDown={onKeyDown} onBlur={() => hover(null)}>
        {[0, 16, 32, 48].map((start) => (
          <div role="row" class="lane-row" key={start}>
            <span class="lane-row-head" role="rowheader">{start}</span>
            {Array.from({ length: 16 }, (_, i) => {
              const lane = start + i;
              const index = takesPart[lane] ? item(lane) : null;
              const classes = ["lane", !takesPart[lane] && "off", lit && (lit.has(lane) ? "lit" : "faded"), named?.includes(lane) && "named"];
              return (
                <span role="gridcell" key={lane} class={classes.filter(Boolean).join(" ")} style={index === null ? undefined : laneColour(index, items)} data-lane={lane}
                  title={say(lane)} onMouseEnter={() => hover(lane)}>
                  {lane}
                </span>
              );
            })}
          </div>
        ))}
      </div>
      <p class="lane-says" aria-live="polite" data-testid="lane-says">{at === null ? children : say(at)}</p>
    </div>
  );
}
