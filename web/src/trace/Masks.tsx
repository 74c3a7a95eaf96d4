// Owns EXEC and VCC as pictures: 64 lanes in rows of 16, as the hardware executes them, and the one-word registers beside them.
import { maskText, population } from "./format";
import type { Selection } from "./navigate";
import type { Recording, StepChanges } from "./recording";

interface MasksProps {
  recording: Recording;
  position: number;
  changes: StepChanges;
  selection: Selection | null;
  select: (selection: Selection) => void;
}

const cell = 11;
const step = 13;
const gap = 5; // between rows of 16 is none, between quads of lanes a little

export function Masks({ recording, position, changes, selection, select }: MasksProps) {
  const scalars = ["scc", "m0"] as const;
  return (
    <div class="trace-masks">
      {(["exec", "vcc"] as const).map((register) => {
        const mask = recording.mask(register, position);
        const change = changes.masks.find((some) => some.register === register);
        return (
          <div key={register} class={`trace-mask ${register}${change ? " changed" : ""}`}>
            <div class="trace-mask-head">
              <button type="button" class="trace-name" aria-pressed={selection?.register === register && selection.lane === undefined}
                onClick={() => select({ register })} title={`Follow ${register.toUpperCase()}`}>{register.toUpperCase()}</button>
              <code data-testid={`trace-${register}`}>{maskText(mask)}</code>
              <span class="trace-count">{population(mask)} lanes</span>
            </div>
            <MaskPicture mask={mask} before={change?.before ?? mask} name={register}
              followed={selection?.register === register ? selection.lane : undefined} select={(lane) => select({ register, lane })} />
          </div>
        );
      })}
      <div class="trace-flags">
        {scalars.map((register) => {
          const value = recording.scalar(register, position);
          const changed = changes.scalars.some((change) => change.register === register);
          return (
            <button type="button" key={register} class={`trace-flag${changed ? " changed" : ""}`} aria-pressed={selection?.register === register}
              onClick={() => select({ register })} data-testid={`trace-${register}`} title={`Follow ${register.toUpperCase()}`}>
              {register.toUpperCase()} <code>{register === "scc" ? value : `0x${value.toString(16).padStart(8, "0")}`}</code>
            </button>
          );
        })}
      </div>
    </div>
  );
}

interface MaskPictureProps {
  mask: bigint;
  before: bigint;
  name: string;
  followed: number | undefined;
  select: (lane: number) => void;
}

function MaskPicture({ mask, before, name, followed, select }: MaskPictureProps) {
  const x = (lane: number) => 18 + (lane % 16) * step + Math.floor((lane % 16) / 4) * gap;
  const y = (lane: number) => Math.floor(lane / 16) * step;
  const bit = (of: bigint, lane: number) => ((of >> BigInt(lane)) & 1n) === 1n;
  return (
    <svg class="trace-mask-picture" width={18 + 16 * step + 3 * gap} height={4 * step} role="img"
      aria-label={`${name}: ${maskText(mask)}`}>
      {[0, 16, 32, 48].map((lane) => (
        <text key={lane} x={14} y={y(lane) + cell - 2} text-anchor="end">{lane}</text>
      ))}
      {Array.from({ length: 64 }, (_, lane) => {
        const classes = [bit(mask, lane) ? "on" : "off"];
        if (bit(mask, lane) !== bit(before, lane)) classes.push("changed");
        if (lane === followed) classes.push("followed");
        return (
          <rect key={lane} class={classes.join(" ")} x={x(lane) + 0.5} y={y(lane) + 0.5} width={cell} height={cell} rx={2} data-bit={`${name}[${lane}]`}
            onClick={() => select(lane)}><title>{`lane ${lane}`}</title></rect>
        );
      })}
    </svg>
  );
}
