// Owns the row of controls above the timeline: stepping, going to a step, searching, and how values look.
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { choices, format_names, type Choice } from "./format";
import { parsePosition } from "./navigate";
import type { Player } from "./player";
import type { Recording } from "./recording";

// Drawn, since the symbols of Unicode are missing in many fonts.
const icons = {
  start: "M2 3h2v10H2zM14 3v10L5 8z",
  back_ten: "M8 3v10L1 8zM15 3v10L8 8z",
  back: "M11 3v10L3 8z",
  play: "M4 2v12l10-6z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  forward: "M5 3v10l8-5z",
  forward_ten: "M1 3v10l7-5zM8 3v10l7-5z",
  end: "M12 3h2v10h-2zM2 3v10l9-5z",
};

interface ControlsProps {
  recording: Recording;
  player: Player;
  format: Choice;
  setFormat: (format: Choice) => void;
  all: boolean;
  setAll: (all: boolean) => void;
  query: string;
  setQuery: (query: string) => void;
  matches: number;
  toMatch: (backwards: boolean) => void;
  search: RefObject<HTMLInputElement>;
  goTo: RefObject<HTMLInputElement>;
}

export function Controls(props: ControlsProps) {
  const { recording, player, format, setFormat, all, setAll, query, setQuery, matches, toMatch, search, goTo } = props;
  const { position } = player;
  const { workgroup, wave, launch, complete } = recording.raw;
  const atStart = position === 0;
  const atEnd = position === recording.length;
  // Not a controlled field: drawing the page again must not undo what is being typed.
  useLayoutEffect(() => {
    if (goTo.current && goTo.current !== document.activeElement) goTo.current.value = String(position);
  }, [position]);
  const typed = (input: HTMLInputElement) => {
    const to = parsePosition(recording, input.value, position);
    if (to !== null) player.go(to);
    input.value = String(to ?? position);
    input.blur();
  };
  const button = (icon: keyof typeof icons, name: string, disabled: boolean, act: () => void, id: string) => (
    <button type="button" title={name} aria-label={name} disabled={disabled} onClick={act} data-testid={`trace-${id}`}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d={icons[icon]} /></svg>
    </button>
  );
  return (
    <div class="trace-controls">
      <div class="trace-buttons" role="group" aria-label="Steps">
        {button("start", "Start (Home)", atStart, () => player.go(0), "start")}
        {button("back_ten", "Ten steps back (Shift ←)", atStart, () => player.move(-10), "back-ten")}
        {button("back", "Step back (←)", atStart, () => player.move(-1), "back")}
        {button(player.playing ? "pause" : "play", player.playing ? "Pause (Space)" : "Play (Space)", false, player.togglePlay, "play")}
        {button("forward", "Step (→)", atEnd, () => player.move(1), "forward")}
        {button("forward_ten", "Ten steps (Shift →)", atEnd, () => player.move(10), "forward-ten")}
        {button("end", "End (End)", atEnd, () => player.go(recording.length), "end")}
      </div>
      <label class="trace-goto">
        step{" "}
        <input ref={goTo} type="text" inputMode="numeric" size={6} defaultValue={String(position)} data-testid="trace-position" aria-label={`Step, of ${recording.length}`} title="Go to a step (g): 17, +100, 50%, end"
          onKeyDown={(event) => event.key === "Enter" && typed(event.currentTarget)} onBlur={(event) => (event.currentTarget.value = String(position))} />{" "}
        of <span data-testid="trace-length">{recording.length}</span>
      </label>
      <span class="trace-who">
        wavefront {wave} of workgroup {workgroup.join(", ")}
        {!!launch && ` of launch ${launch}` /* the first is what one expects */}
        {!complete && <strong class="trace-cut" data-testid="trace-incomplete" title="The recording ended before the wavefront did: at its limit of steps, or because the run was cut short"> cut off</strong>}
      </span>
      <label class="trace-search">
        <input ref={search} type="search" placeholder="instruction or source  /" value={query} aria-label="Search an instruction" data-testid="trace-search"
          onInput={(event) => setQuery(event.currentTarget.value)} onKeyDown={(event) => event.key === "Enter" && toMatch(event.shiftKey)} />
        {query.trim() && <span class="trace-faint" data-testid="trace-matches">{matches === 0 ? "none" : `${matches} found, Enter`}</span>}
      </label>
      <label class="trace-values">
        values{" "}
        <select value={format} onChange={(event) => setFormat(event.currentTarget.value as Choice)} data-testid="trace-format" aria-label="Format of all values" title="Format of all registers (f)">
          {choices.map((some) => <option key={some} value={some} title={format_names[some]}>{some}</option>)}
        </select>
      </label>
      <label title="Also registers that hold 0 from the first step to the last">
        <input type="checkbox" aria-label="Show all registers" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} data-testid="trace-all" /> all registers
      </label>
    </div>
  );
}
