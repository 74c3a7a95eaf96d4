// Owns source and disassembly side by side: what is selected, what of the other pane belongs to it, and the keys. The
// selection is the route's, so that it can be linked; the panes only show it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Kernel } from "../profile";
import { fileName } from "../format";
import { availableMetrics, type Metric } from "../heat";
import { useKeys } from "../keys";
import { hiddenMetrics, navigate, profile, route, toggleMetric } from "../state";
import { Detail } from "./Detail";
import type { CodeView } from "./editor";
import { assembly, languageOf } from "./languages";
import { disassemblyModel, filesOf, lineOf, mostTelling, ranking, sourceModel, sourceOf } from "./model";
import { Pane } from "./Pane";
import { countText, matchesOf, nextMatch, pattern, type Side } from "./search";
import { Splitter, useSize } from "./Splitter";

/** The value, but while it changes quickly (a key held down) only when it stops: the panes are quick, the picture is not. */
function useSettled<T>(value: T): T {
  const [shown, setShown] = useState(value);
  const changed = useRef(0);
  useEffect(() => {
    if (value === shown) return;
    const quick = performance.now() - changed.current < 250;
    changed.current = performance.now();
    if (!quick) return setShown(value);
    const timer = setTimeout(() => setShown(value), 120);
    return () => clearTimeout(timer);
  }, [value]);
  return shown;
}

export function CodeTab({ kernel }: { kernel: Kernel }) {
  const { line, instruction } = route.value;
  const files = useMemo(() => filesOf(kernel), [kernel]);
  const place = line ?? sourceOf(kernel, instruction);
  const file = place && files.includes(place[0]) ? place[0] : (files[0] ?? null);

  const available = useMemo(() => availableMetrics(kernel), [kernel]);
  const hidden = hiddenMetrics.value;
  const metrics = useMemo(() => available.filter((m) => hidden.has(m.id) === (m.quiet ?? false)), [available, hidden]);
  const [markedId, setMarked] = useState(available.find((m) => m.id === "time-cycles")?.id ?? "executions");
  const marked = metrics.find((m) => m.id === markedId) ?? metrics[0] ?? available[0]!;

  const disassembly = useMemo(() => disassemblyModel(kernel), [kernel]);
  const source = useMemo(() => (file === null ? null : sourceModel(profile.value, kernel, file)), [kernel, file]);
  const [side, setSide] = useState<Side>(source && instruction === null ? "source" : "disassembly");
  const [hover, setHover] = useState<{ side: Side; line: number } | null>(null);
  const sourceView = useRef<CodeView>(null);
  const disassemblyView = useRef<CodeView>(null);
  const selectedBy = useRef<Side | null>(null);

  // What belongs together.
  const linkedInstructions = useMemo(() => (place ? (lineOf(kernel, place)?.instructions ?? []) : []), [kernel, place?.[0], place?.[1]]);
  const hoveredInstructions = useMemo(() => {
    if (hover?.side !== "source" || file === null || !source) return [];
    return lineOf(kernel, [file, source.rows[hover.line]?.id ?? -1])?.instructions ?? [];
  }, [hover, kernel, file, source]);
  const hoveredLine = hover?.side === "disassembly" ? sourceOf(kernel, disassembly.rows[hover.line]?.id ?? null) : null;
  const inText = (at: Map<number, number>, ids: readonly number[]) => ids.flatMap((id) => at.get(id) ?? []);
  const target = instruction === null ? null : kernel.instructions[instruction]?.target; // of a branch
  const disassemblyMarks = useMemo(
    () => ({ selected: instruction === null ? null : (disassembly.at.get(instruction) ?? null), linked: inText(disassembly.at, linkedInstructions), hovered: inText(disassembly.at, target == null ? hoveredInstructions : [...hoveredInstructions, target]) }),
    [disassembly, instruction, target, linkedInstructions, hoveredInstructions],
  );
  const sourceMarks = useMemo(
    () => ({
      selected: place && source ? (source.at.get(place[1]) ?? null) : null, linked: [],
      hovered: hoveredLine && hoveredLine[0] === file && source ? inText(source.at, [hoveredLine[1]]) : [],
    }),
    [source, place?.[1], hoveredLine?.[1], file],
  );

  const selectLine = (at: number) => {
    const row = source?.rows[at];
    if (!row || file === null) return;
    setSide("source");
    selectedBy.current = "source";
    navigate({ line: [file, row.id], instruction: null }, true);
  };
  const selectInstruction = (at: number) => {
    const row = disassembly.rows[at];
    if (!row || row.id < 0) return;
    setSide("disassembly");
    selectedBy.current = "disassembly";
    navigate({ instruction: row.id, line: sourceOf(kernel, row.id) }, true);
  };

  // The other pane follows; a route from elsewhere (a finding, a link) moves both.
  useEffect(() => {
    const by = selectedBy.current;
    selectedBy.current = null;
    const firstLinked = instruction ?? mostTelling(kernel, linkedInstructions);
    if (by !== "disassembly" && firstLinked !== null) disassemblyView.current?.reveal(disassembly.at.get(firstLinked) ?? -1);
    if (by !== "source" && place) sourceView.current?.reveal(source?.at.get(place[1]) ?? -1);
  }, [instruction, place?.[0], place?.[1], disassembly, source]);
  useEffect(() => {
    // A first look: the hottest instruction's surroundings rather than the prologue, or another kernel's source.
    if (instruction === null && !line) {
      for (const [model, view] of [[source, sourceView], [disassembly, disassemblyView]] as const) {
        const hottest = model && ranking(model.rows, (r) => r.executions, false)[0];
        if (hottest != null) view.current?.reveal(hottest);
      }
    }
  }, [disassembly]);

  const current = side === "source" && source ? source : disassembly;
  const currentAt = side === "source" && source ? sourceMarks.selected : disassemblyMarks.selected;
  const currentView = side === "source" && source ? sourceView : disassemblyView;
  const step = (by: number) => {
    for (let at = (currentAt ?? (by > 0 ? -1 : current.rows.length)) + by; at >= 0 && at < current.rows.length; at += by)
      if (current.rows[at]!.row) return currentView.current?.select(at);
  };
  const edge = (from: number, by: number) => {
    for (let at = from; at >= 0 && at < current.rows.length; at += by) if (current.rows[at]!.row) return currentView.current?.select(at);
  };
  const ranked = useMemo(() => ranking(current.rows, marked.value, marked.id === "lanes"), [current, marked]);
  const hotSpot = (by: number) => {
    const at = currentAt === null ? -1 : ranked.indexOf(currentAt);
    const next = ranked[at < 0 ? 0 : Math.max(0, Math.min(ranked.length - 1, at + by))];
    if (next !== undefined) currentView.current?.select(next);
  };
  const cross = () => {
    if (side === "source") {
      const first = mostTelling(kernel, linkedInstructions);
      if (first !== null) disassemblyView.current?.select(disassembly.at.get(first)!);
    } else if (place && source) sourceView.current?.select(source.at.get(place[1]) ?? 0);
  };

  const searchBox = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const panes = useMemo(() => [...(source ? [{ side: "source" as const, model: source }] : []), { side: "disassembly" as const, model: disassembly }], [source, disassembly]);
  const matches = useMemo(() => matchesOf(query, panes), [query, panes]);
  useEffect(() => {
    for (const view of [sourceView, disassemblyView]) view.current?.highlight(pattern(query));
  }, [query, panes]);
  const toMatch = (backwards: boolean) => {
    const next = nextMatch(matches, side, currentAt, backwards);
    if (next) (next.side === "source" ? sourceView : disassemblyView).current?.select(next.line);
  };
  useKeys((key) => {
    const page = 20;
    switch (key) {
      case "j": case "ArrowDown": step(1); return true;
      case "k": case "ArrowUp": step(-1); return true;
      case "g": case "Home": edge(0, 1); return true;
      case "G": case "End": edge(current.rows.length - 1, -1); return true;
      case "PageDown": edge(Math.min(current.rows.length - 1, (currentAt ?? 0) + page), currentAt !== null && currentAt + page < current.rows.length ? 1 : -1); return true;
      case "PageUp": edge(Math.max(0, (currentAt ?? 0) - page), currentAt !== null && currentAt > page ? -1 : 1); return true;
      case "h": case "ArrowLeft": if (source) setSide("source"); return true;
      case "l": case "ArrowRight": setSide("disassembly"); return true;
      case "n": hotSpot(1); return true;
      case "p": hotSpot(-1); return true;
      case "m": setMarked(metrics[(metrics.indexOf(marked) + 1) % metrics.length]!.id); return true;
      case "/":
        searchBox.current?.focus();
        searchBox.current?.select();
        return true;
      case "Enter":
        if (document.activeElement?.closest("button, a, [role=separator]")) return false;
        cross();
        return true;
      case "Escape":
        if (query) return setQuery(""), true;
        if (instruction === null && !line) return false;
        navigate({ instruction: null, line: null }, true);
        return true;
    }
    return false;
  });

  const root = useRef<HTMLDivElement>(null);
  const [detailHeight, setDetailHeight] = useSize("detail", 330, 120, () => (root.current?.clientHeight ?? 800) - 160);
  const [sourceWidth, setSourceWidth] = useSize("source", 0, 0, () => (root.current?.clientWidth ?? 1200) - 260);
  const shared = { metrics, marked, onMark: (m: Metric) => setMarked(m.id) };
  // Nothing chosen and nothing found: the details start with what there is most to see of.
  const fallback = useMemo(() => (kernel.findings?.length ? null : mostTelling(kernel, kernel.instructions.map((_, index) => index))), [kernel]);
  const settled = useSettled(
    useMemo(() => ({ instruction, place, subject: instruction ?? (place ? mostTelling(kernel, linkedInstructions) : fallback) }), [kernel, instruction, place?.[0], place?.[1]]),
  );
  const sourceFile = file === null ? undefined : profile.value.sources[file];

  return (
    <div class="code" ref={root}>
      <div class="code-tools" role="toolbar" aria-label="Heat columns">
        <span class="dim">Columns</span>
        <span class="segmented">
          {available.map((m) => (
            <button type="button" key={m.id} aria-pressed={hidden.has(m.id) === (m.quiet ?? false)} title={m.about} data-testid={`column-${m.id}`} onClick={() => toggleMetric(m.id)}>{m.head}</button>
          ))}
        </span>
        <label class="code-search">
          <input ref={searchBox} type="search" placeholder="Search source and disassembly  /" aria-label="Search source and disassembly" title="Search (/); Enter: next, Shift Enter: previous"
            value={query} data-testid="code-search" onInput={(e) => setQuery(e.currentTarget.value)} onKeyDown={(e) => e.key === "Enter" && toMatch(e.shiftKey)} />
          <output class={matches.length ? "dim" : "bad"} data-testid="code-matches">{query.trim() && countText(matches, panes.map((pane) => pane.side))}</output>
        </label>
        <span class="dim hint"><kbd>n</kbd> <kbd>p</kbd> {ranked.length ? "" : "no "}hot spots by <b>{marked.head}</b> · <kbd>Enter</kbd> other pane</span>
      </div>
      <div class="panes">
        {source ? (
          <div class="pane-slot" style={sourceWidth ? { flex: `0 0 ${sourceWidth}px` } : undefined}>
            <Pane key={file} {...shared} testid="source" label="Source" model={source} language={sourceFile?.text == null ? [] : languageOf(sourceFile.language)} marks={sourceMarks}
              active={side === "source"} handle={sourceView} onSelect={selectLine} onHover={(at) => setHover(at === null ? null : { side: "source", line: at })}
              title={
                <>
                  {files.length > 1 ? (
                    <select aria-label="Source file" value={String(file)} data-testid="source-file"
                      onChange={(e) => navigate({ line: [Number(e.currentTarget.value), kernel.lines!.find((l) => l.source[0] === Number(e.currentTarget.value))!.source[1]], instruction: null }, true)}>
                      {files.map((f) => <option key={f} value={String(f)}>{fileName(profile.value.sources[f]?.path ?? `file ${f}`)}</option>)}
                    </select>
                  ) : <b title={sourceFile?.path}>{fileName(sourceFile?.path ?? "source")}</b>}
                  {sourceFile?.text == null && <span class="chip warn" data-testid="no-text" title={sourceFile?.path}>text not found: lines by number</span>}
                </>
              } />
          </div>
        ) : (
          <p class="no-source" data-testid="no-source">
            <b>No line tables.</b> Compile with <code>-g</code>, and the source stands here, line by line with its instructions.
          </p>
        )}
        {source && <Splitter direction="row" label="Width of the source" size={sourceWidth || Math.round((root.current?.clientWidth ?? 1000) / 2)} sign={1} onSize={setSourceWidth} />}
        <div class="pane-slot">
          <Pane {...shared} testid="disassembly" label="Disassembly" model={disassembly} language={assembly} marks={disassemblyMarks} active={side === "disassembly"}
            handle={disassemblyView} onSelect={selectInstruction} onHover={(at) => setHover(at === null ? null : { side: "disassembly", line: at })}
            title={<b>{kernel.target}</b>} />
        </div>
      </div>
      <Splitter direction="column" label="Height of the details" size={detailHeight} sign={-1} onSize={setDetailHeight} />
      <div class="detail-slot" style={{ height: `${detailHeight}px` }}>
        <Detail kernel={kernel} instruction={settled.subject} line={settled.place ? lineOf(kernel, settled.place) : undefined} chosen={settled.instruction !== null} />
      </div>
    </div>
  );
}
