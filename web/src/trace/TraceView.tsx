// Owns the lane viewer: one recorded wavefront, step by step, forwards and backwards.
import { useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../keys";
import type { Profile, Trace, TraceInstruction } from "../profile";
import { helpOpen, openCode } from "../state";
import { AllLanes } from "./AllLanes";
import { Changes } from "./Changes";
import { Controls } from "./Controls";
import { check } from "./data";
import { Follow } from "./Follow";
import { format_width, nextChoice, nextFormat, type Choice, type Format } from "./format";
import { Guess } from "./guess";
import { commandOf } from "./keys";
import { Listing, sourceText } from "./Listing";
import { Masks } from "./Masks";
import { MemoryPanel } from "./MemoryPanel";
import { matchingInstructions, nextExecution, nextMatch, type Selection } from "./navigate";
import { usePlayer } from "./player";
import { Recording, type RegisterName } from "./recording";
import { Scalars } from "./Scalars";
import { Timeline } from "./Timeline";
import { VectorTable } from "./VectorTable";
import "./trace.css";

export interface TraceViewProps {
  profile: Profile;
  trace: Trace;
}

export function TraceView({ profile, trace }: TraceViewProps) {
  const problem = useMemo(() => check(trace), [trace]);
  if (problem) return <p class="empty" data-testid="trace-problem">The trace cannot be shown: {problem}.</p>;
  if (trace.steps.length === 0) return <p class="empty" data-testid="trace-problem">The trace has no steps: the wavefront was not seen.</p>;
  return <Viewer profile={profile} trace={trace} />;
}

function Viewer({ profile, trace }: TraceViewProps) {
  const recording = useMemo(() => new Recording(trace), [trace]);
  const player = usePlayer(recording);
  const { position, selection } = player;
  const changes = useMemo(() => recording.changesAt(position), [recording, position]);
  const accesses = useMemo(() => recording.accessesAt(position), [recording, position]);

  const [format, setFormat] = useState<Choice>("auto");
  const guess = useMemo(() => new Guess(trace.instructions, trace.steps), [trace]);
  const [own, setOwn] = useState<ReadonlyMap<RegisterName, Format>>(new Map());
  const formatOf = (name: RegisterName, at = position): Format => own.get(name) ?? (format === "auto" ? guess.at(name, at) : format);
  const cycleFormat = (name: RegisterName) => setOwn(new Map(own).set(name, nextFormat(formatOf(name))));
  const setAllFormats = (next: Choice) => {
    setFormat(next);
    setOwn(new Map());
  };

  const [all, setAll] = useState(false);
  const vectors = all ? recording.vectorNames : recording.usedVectors;
  const scalars = all ? recording.scalarNames : recording.usedScalars;

  const [query, setQuery] = useState("");
  const found = useMemo(
    () => matchingInstructions(recording, query, (index) => sourceText(recording.instructions[index]?.source, profile.sources)),
    [recording, query, profile],
  );
  const search = useRef<HTMLInputElement>(null);
  const goTo = useRef<HTMLInputElement>(null);
  const toMatch = (backwards: boolean) => {
    const to = nextMatch(recording, found, position, backwards);
    if (to !== null) player.go(to);
  };
  const toExecution = (instruction: number, backwards: boolean) => {
    const to = nextExecution(recording, instruction, position, backwards);
    if (to !== null) player.go(to);
  };

  const openInCode = ({ address, source }: TraceInstruction) => {
    const index = profile.kernels[trace.kernel]?.instructions.findIndex((some) => some.address === address) ?? -1;
    openCode(trace.kernel, index < 0 ? null : index, source ? [source[0], source[1]] : null);
  };
  const keepFocus = (input: HTMLInputElement | null) => {
    input?.focus();
    input?.select();
    return input !== null;
  };
  useKeys((key, event) => {
    if (helpOpen.value) return false;
    const on = event.target as HTMLElement;
    if (key === " " && on.closest("button, input")) return false; // presses that button
    if (on.closest("[role=tablist]") && key.startsWith("Arrow")) return false; // goes to another tab
    const command = commandOf(event);
    switch (command?.do) {
      case undefined: return false;
      case "move": player.move(command.by); break;
      case "start": player.go(0); break;
      case "end": player.go(recording.length); break;
      case "next-change": player.toChange(false); break;
      case "previous-change": player.toChange(true); break;
      case "play": player.togglePlay(); break;
      case "search": return keepFocus(search.current);
      case "goto": return keepFocus(goTo.current);
      case "format":
        if (selection) cycleFormat(selection.register);
        else setAllFormats(nextChoice(format));
        break;
      case "unfollow":
        if (!selection) return false;
        player.select(null);
        break;
    }
    return true;
  });
  const select = (next: Selection) => player.select(next);
  // Columns do not change their width while the reader steps.
  const least = format === "auto" ? format_width.f32 : format_width.hex;
  return (
    <section class="trace" data-testid="trace" aria-label="Trace of a wavefront">
      <Controls recording={recording} player={player} format={format} setFormat={setAllFormats} all={all} setAll={setAll} query={query} setQuery={setQuery}
        matches={found.size} toMatch={toMatch} search={search} goTo={goTo} />
      <Timeline recording={recording} position={position} ticks={player.ticks} go={player.go} />
      <div class="trace-side">
        <Listing recording={recording} sources={profile.sources} position={position} found={found} choose={toExecution} />
        {selection && (
          <Follow recording={recording} position={position} selection={selection} positions={player.ticks} formatOf={formatOf} go={player.go}
            next={() => player.toChange(false)} previous={() => player.toChange(true)} close={() => player.select(null)} />
        )}
      </div>
      <div class="trace-main">
        <Changes recording={recording} sources={profile.sources} position={position} changes={changes} formatOf={formatOf} select={select} openInCode={openInCode} />
        <VectorTable recording={recording} position={position} names={vectors} changes={changes} formatOf={formatOf} cycleFormat={cycleFormat} least={least}
          selection={selection} select={select} />
        <div class="trace-below">
          <Masks recording={recording} position={position} changes={changes} selection={selection} select={select} />
          <Scalars recording={recording} position={position} names={scalars} changes={changes} formatOf={formatOf} least={least} selection={selection} select={select} />
          <MemoryPanel accesses={accesses} selection={selection}>
            {selection && /^[va]\d/.test(selection.register) && (
              <AllLanes recording={recording} position={position} selection={selection} format={formatOf(selection.register)} select={select} />
            )}
          </MemoryPanel>
        </div>
      </div>
    </section>
  );
}
