// Owns the picture of the followed vector register: all 64 lanes at once, a quad in each row.
import { formatWord, type Format } from "./format";
import type { Selection } from "./navigate";
import type { Recording } from "./recording";

interface AllLanesProps {
  recording: Recording;
  position: number;
  selection: Selection;
  format: Format;
  select: (selection: Selection) => void;
}

export function AllLanes({ recording, position, selection: { register, lane: followed }, format, select }: AllLanesProps) {
  const values = recording.vector(register, position);
  const before = position > 0 ? recording.vector(register, position - 1) : values;
  const exec = recording.mask("exec", position);
  return (
    <div class="trace-all-lanes" data-testid="trace-all-lanes">
      <h2><code>{register}</code> in all lanes</h2>
      <div class="trace-quads">
        {Array.from({ length: 16 }, (_, quad) => (
          <div key={quad} class="trace-quad">
            <span class="trace-number">{4 * quad}</span>
            {[0, 1, 2, 3].map((of) => {
              const lane = 4 * quad + of;
              const classes = ["trace-quad-cell"];
              if (values[lane] !== before[lane]) classes.push("changed");
              if (((exec >> BigInt(lane)) & 1n) === 0n) classes.push("inactive");
              if (lane === followed) classes.push("followed");
              return (
                <button type="button" key={of} class={classes.join(" ")} title={`${register}[${lane}]`} onClick={() => select({ register, lane })} tabIndex={-1}>
                  {formatWord(values[lane]!, format)}
                </button>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}
