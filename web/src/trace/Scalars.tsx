// Owns the scalar registers: one value each, so many fit on screen.
import { format_names, format_width, formatWord, type Format } from "./format";
import type { Selection } from "./navigate";
import type { Recording, RegisterName, StepChanges } from "./recording";

interface ScalarsProps {
  recording: Recording;
  position: number;
  names: readonly RegisterName[];
  changes: StepChanges;
  formatOf: (name: RegisterName) => Format;
  /** Characters that a value has room for at least. */
  least: number;
  selection: Selection | null;
  select: (selection: Selection) => void;
}

export function Scalars({ recording, position, names, changes, formatOf, least, selection, select }: ScalarsProps) {
  const changed = new Map(changes.scalars.map((change) => [change.register, change.before]));
  const characters = names.reduce((most, name) => Math.max(most, format_width[formatOf(name)]), least);
  return (
    <div class="trace-scalars" data-testid="trace-scalars" style={{ "--scalar": `${Math.ceil(characters * 7.1) + 36}px` }}>
      {names.length === 0 && <p class="trace-none">No scalar register ever held anything but 0.</p>}
      {names.map((name) => {
        const format = formatOf(name);
        const before = changed.get(name);
        const value = recording.scalar(name, position);
        return (
          <button type="button" key={name} class={`trace-scalar${before !== undefined ? " changed" : ""}${value === 0 ? " zero" : ""}`}
            aria-pressed={selection?.register === name} onClick={() => select({ register: name })} data-testid={`trace-${name}`}
            title={`${name} as ${format_names[format]}${before === undefined ? "" : `; was ${formatWord(before, format)}`}`}>
            <span>{name}</span> <code>{formatWord(value, format)}</code>
          </button>
        );
      })}
    </div>
  );
}
