// Owns the history of the register or lane that is being followed: every step that changed it, and to what.
import { useEffect } from "preact/hooks";
import { formatWord, maskText, type Format } from "./format";
import { selectionText, type Selection } from "./navigate";
import { firstAfter, type Recording, type RegisterName } from "./recording";
import { scrollTo, useViewport, visible } from "./viewport";
import { summary } from "./Changes";

const row_height = 20;

interface FollowProps {
  recording: Recording;
  position: number;
  selection: Selection;
  positions: readonly number[];
  formatOf: (name: RegisterName, position?: number) => Format;
  go: (position: number) => void;
  next: () => void;
  previous: () => void;
  close: () => void;
}

export function Follow({ recording, position, selection, positions, formatOf, go, next, previous, close }: FollowProps) {
  const [box, viewport, measure] = useViewport();
  const reached = firstAfter(positions, position); // changes up to here
  useEffect(() => {
    if (!box.current) return;
    box.current.scrollTop = scrollTo(box.current.scrollTop, box.current.clientHeight, row_height, Math.max(0, reached - 1), 0, true);
    measure();
  }, [reached, positions]);
  const [first, last] = visible(viewport.top, viewport.height, row_height, positions.length);
  const name = selectionText(selection);
  return (
    <section class="trace-follow" aria-label={`Changes of ${name}`} data-testid="trace-follow">
      <header>
        <h2><code>{name}</code> {positions.length === 0 ? "never changes" : `changes ${positions.length === 1 ? "once" : `${positions.length} times`}`}</h2>
        <button type="button" onClick={previous} title="Previous change (p)" data-testid="trace-previous-change">← p</button>
        <button type="button" onClick={next} title="Next change (n)" data-testid="trace-next-change">n →</button>
        <button type="button" class="quiet" onClick={close} title="Follow nothing (Esc)" aria-label="Follow nothing">✕</button>
      </header>
      <p class="trace-faint">
        now <code data-testid="trace-followed-value">{valueAt(recording, selection, position, formatOf(selection.register))}</code>, at the start{" "}
        <code>{valueAt(recording, selection, 0, formatOf(selection.register, 0))}</code>
      </p>
      <div class="trace-history" ref={box} onScroll={measure}>
        <div style={{ height: positions.length * row_height, position: "relative" }}>
          {positions.slice(first, last).map((at, i) => (
            <button type="button" key={at} class={`trace-change${first + i === reached - 1 ? " current" : ""}`} onClick={() => go(at)}
              style={{ top: (first + i) * row_height, height: row_height }} data-position={at}>
              <span class="trace-number">{at}</span>
              <code class="trace-value">{valueAfter(recording, selection, at, formatOf(selection.register, at))}</code>
              <code class="trace-faint">{recording.instructions[recording.instructionAt(at)]?.text}</code>
            </button>
          ))}
        </div>
      </div>
    </section>
  );
}

function valueAt(recording: Recording, { register, lane }: Selection, position: number, format: Format): string {
  if (register === "exec" || register === "vcc") {
    const mask = recording.mask(register, position);
    return lane === undefined ? maskText(mask) : String((mask >> BigInt(lane)) & 1n);
  }
  if (/^[va]\d/.test(register)) {
    const values = recording.vector(register, position);
    if (lane !== undefined) return formatWord(values[lane]!, format);
    const same = values.every((value) => value === values[0]);
    return same ? `${formatWord(values[0]!, format)} in all lanes` : `${formatWord(values[0]!, format)}, ${formatWord(values[1]!, format)}, …`;
  }
  return formatWord(recording.scalar(register, position), format);
}

function valueAfter(recording: Recording, selection: Selection, position: number, format: Format): string {
  if (selection.lane === undefined && /^[va]\d/.test(selection.register)) {
    const change = recording.changesAt(position).vectors.find((some) => some.register === selection.register);
    if (change) return summary(change, format);
  }
  return valueAt(recording, selection, position, format);
}
