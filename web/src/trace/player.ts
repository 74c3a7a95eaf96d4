// Owns where the viewer is in the recording and what it follows, in step with the address of the page, and playing.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Trace } from "../profile";
import { navigate, route } from "../state";
import { clamp, nextOf, parseSelection, previousOf, selectionText, type Selection } from "./navigate";
import type { Recording } from "./recording";

const play_interval = 150; // milliseconds a step
const address_delay = 250; // browsers refuse an address that changes with every step

export interface Player {
  position: number;
  go: (position: number) => void;
  move: (by: number) => void;
  playing: boolean;
  togglePlay: () => void;
  selection: Selection | null;
  select: (selection: Selection | null) => void;
  /** Where the selection changes. */
  ticks: readonly number[];
  toChange: (backwards: boolean) => void;
}

// Where the reader was, for when they come back from another tab.
const left = new WeakMap<Trace, { position: number; selection: Selection | null }>();

export function usePlayer(recording: Recording): Player {
  const params = route.value.params;
  const before = params["step"] === undefined ? left.get(recording.raw) : undefined;
  const [position, setPosition] = useState(() => before?.position ?? clamp(recording, Number(params["step"] ?? 0) || 0));
  const [selection, select] = useState<Selection | null>(() => before?.selection ?? parseSelection(params["reg"] ?? ""));
  left.set(recording.raw, { position, selection });
  const [playing, setPlaying] = useState(false);
  const now = useRef(position);
  now.current = position;

  const go = useCallback((to: number) => setPosition(clamp(recording, to)), [recording]);
  const move = useCallback((by: number) => setPosition((at) => clamp(recording, at + by)), [recording]);

  // The page's address follows a little later, and the viewer follows the address (a link, the back button).
  const written = useRef("");
  useEffect(() => {
    const timer = setTimeout(() => {
      const next: Record<string, string> = { ...route.value.params, step: String(position) };
      if (selection) next["reg"] = selectionText(selection);
      else delete next["reg"];
      written.current = `${next["step"]} ${next["reg"] ?? ""}`;
      if (route.value.tab === "trace") navigate({ params: next }, true);
    }, address_delay);
    return () => clearTimeout(timer);
  }, [position, selection]);
  const asked = `${params["step"] ?? "0"} ${params["reg"] ?? ""}`;
  const seen = useRef(asked);
  useEffect(() => {
    if (asked === seen.current) return;
    seen.current = asked;
    if (asked === written.current) return;
    setPosition(clamp(recording, Number(params["step"] ?? 0) || 0));
    select(parseSelection(params["reg"] ?? ""));
  }, [asked]);

  const ticks = useMemo(() => (selection ? recording.changesOf(selection.register, selection.lane) : []), [recording, selection]);
  const toChange = useCallback(
    (backwards: boolean) => {
      const to = backwards ? previousOf(ticks, now.current) : nextOf(ticks, now.current);
      if (to !== null) go(to);
    },
    [ticks, go],
  );

  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => {
      if (now.current >= recording.length) setPlaying(false);
      else move(1);
    }, play_interval);
    return () => clearInterval(timer);
  }, [playing, recording]);
  const togglePlay = useCallback(() => {
    setPlaying((is) => !is);
    if (now.current >= recording.length) go(0); // once more from the start
  }, [recording]);

  return { position, go, move, playing, togglePlay, selection, select, ticks, toChange };
}
