// Owns a pane as a component: the head with the heat columns' names, the CodeMirror view, and the strip at its right that
// shows the whole text's heat at once.
import type { Extension } from "@codemirror/state";
import type { ComponentChildren, Ref } from "preact";
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { column, emptyCell, type Metric } from "../heat";
import { CodeView, type HeatColumn, type Marks } from "./editor";
import type { PaneModel } from "./model";
import { printing } from "../state";
import { Strip } from "./Strip";

interface Props {
  testid: string;
  label: string;
  title: ComponentChildren;
  model: PaneModel;
  language: Extension;
  metrics: readonly Metric[];
  marked: Metric;
  onMark: (metric: Metric) => void;
  marks: Marks;
  active: boolean;
  onSelect: (line: number) => void;
  onHover: (line: number | null) => void;
  handle: Ref<CodeView | null>;
}

export function Pane(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<CodeView | null>(null);
  const events = useRef(props);
  events.current = props;

  useLayoutEffect(() => {
    const made = new CodeView(host.current!, props.model, props.language, props.label, {
      select: (line) => events.current.onSelect(line),
      hover: (line) => events.current.onHover(line),
    });
    view.current = made;
    return () => made.view.destroy();
  }, [props.model]);
  useImperativeHandle(props.handle, () => view.current, [props.model]);

  const columns = useMemo<HeatColumn[]>(() => {
    const measured = props.model.rows.map((r) => r.row);
    const rows = measured.filter((r) => r !== null);
    return props.metrics.map((metric) => {
      const cells = column(rows, metric);
      let next = 0;
      return { metric, cells: measured.map((r) => (r ? cells[next++]! : emptyCell)) };
    });
  }, [props.model, props.metrics]);

  useLayoutEffect(() => view.current?.setColumns(columns), [columns]);
  useEffect(() => view.current?.mark(props.marks), [props.model, props.marks]);
  // The heads stand above their columns: the gutter of numbers is as wide as its longest.
  const digits = useMemo(() => props.model.rows.reduce((most, r) => Math.max(most, r.number.length), 3), [props.model]);
  const shown = columns.find((c) => c.metric.id === props.marked.id) ?? columns[0];

  return (
    <section class={`pane ${props.active ? "active" : ""}`} style={{ "--digits": digits }} data-testid={props.testid} aria-label={props.label}>
      <header class="pane-head">
        <div class="pane-columns" role="toolbar" aria-label="Heat columns">
          {props.metrics.map((m) => (
            <button type="button" key={m.id} title={`${m.about}. n and p go from one hot spot of it to the next`} aria-pressed={m.id === props.marked.id} onClick={() => props.onMark(m)}>
              {m.head}
            </button>
          ))}
        </div>
        <div class="pane-title">{props.title}</div>
      </header>
      {printing.value && <PrintedPane model={props.model} columns={columns} />}
      <div class="pane-body" hidden={printing.value}>
        <div ref={host} class="pane-code" />
        {shown && <Strip column={shown} selected={props.marks.selected} onPick={(line) => view.current?.select(line)} />}
      </div>
    </section>
  );
}

// The whole text with its columns: CodeMirror has what is on screen only.
function PrintedPane({ model, columns }: { model: PaneModel; columns: readonly HeatColumn[] }) {
  const text = useMemo(() => model.text.split("\n"), [model]);
  return (
    <table class="printed-pane">
      <thead>
        <tr>
          <th scope="col">{""}</th>
          {columns.map(({ metric }) => <th scope="col" key={metric.id}>{metric.head}</th>)}
          <th scope="col">{""}</th>
        </tr>
      </thead>
      <tbody>
        {model.rows.map(({ number }, at) => (
          <tr key={at}>
            <td class="dim">{number}</td>
            {columns.map(({ metric, cells }) => {
              const { text: value, level } = cells[at]!;
              return <td key={metric.id} class={level ? `heat ${metric.ramp}-${level}` : ""}>{value}</td>;
            })}
            <td>{text[at]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
