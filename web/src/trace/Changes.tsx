// Owns the words about one step: the instruction, its source line, and what it changed.
import type { SourceFile, TraceInstruction } from "../profile";
import { formatWord, maskText, population, type Format } from "./format";
import { fileName, sourceText } from "./Listing";
import { selectionText, type Selection } from "./navigate";
import { firstAfter, type Recording, type RegisterName, type StepChanges, type VectorChange } from "./recording";

interface ChangesProps {
  recording: Recording;
  sources: readonly SourceFile[];
  position: number;
  changes: StepChanges;
  formatOf: (name: RegisterName) => Format;
  select: (selection: Selection) => void;
  openInCode: (instruction: TraceInstruction) => void;
}

export function Changes({ recording, sources, position, changes, formatOf, select, openInCode }: ChangesProps) {
  const index = recording.instructionAt(position);
  const instruction = recording.instructions[index];
  const place = instruction?.source;
  const executions = recording.executionsOf(index);
  return (
    <div class="trace-step" aria-live="polite">
      <div class="trace-step-head">
        <code class="trace-instruction" data-testid="trace-instruction">{instruction ? instruction.text : "before the first step"}</code>
        {executions.length > 1 && (
          <span class="trace-faint">execution {firstAfter(executions, position)} of {executions.length}</span>
        )}
        {place && <code class="trace-place">{sourceText(place, sources)}</code>}
        {instruction && (
          <button type="button" class="trace-link" onClick={() => openInCode(instruction)} title="What all wavefronts did here: the code tab" data-testid="trace-to-code">
            {place ? `${fileName(sources[place[0]]?.path ?? "")}:${place[1]}` : "code"} ↗
          </button>
        )}
      </div>
      <ul class="trace-changes" data-testid="trace-changes">
        {nothing(changes) && <li class="trace-faint">{position === 0 ? "The state at the start; → goes on." : "changed no register"}</li>}
        {changes.masks.map(({ register, before, after }) => (
          <li key={register}>
            <Chip name={{ register }} select={select} /> <code>{maskText(before)}</code> → <code>{maskText(after)}</code>{" "}
            <span class="trace-faint">{population(before)} → {population(after)} lanes</span>
          </li>
        ))}
        {changes.scalars.map(({ register, before, after }) => (
          <li key={register}>
            <Chip name={{ register }} select={select} /> <code>{formatWord(before, formatOf(register))}</code> →{" "}
            <code>{formatWord(after, formatOf(register))}</code>
          </li>
        ))}
        {changes.vectors.map((change) => (
          <li key={change.register}>
            <Chip name={{ register: change.register }} select={select} /> {summary(change, formatOf(change.register))}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Chip({ name, select }: { name: Selection; select: (selection: Selection) => void }) {
  return (
    <button type="button" class="trace-chip" onClick={() => select(name)} title={`Follow ${name.register}`}>{selectionText(name)}</button>
  );
}

function nothing(changes: StepChanges): boolean {
  return changes.masks.length + changes.scalars.length + changes.vectors.length === 0;
}

/** "in 32 lanes: 0, 4, 8, ..." */
export function summary({ lanes, after }: VectorChange, format: Format): string {
  if (lanes.length === 0) return "in no lane";
  const values = lanes.map((lane) => formatWord(after[lane]!, format));
  const where = lanes.length === 1 ? `in lane ${lanes[0]}` : lanes.length === 64 ? "in all lanes" : `in ${lanes.length} lanes`;
  if (values.every((value) => value === values[0])) return `${where}: ${values[0]}`;
  return `${where}: ${values.slice(0, 4).join(", ")}${values.length > 4 ? ", …" : ""}`;
}
