// Owns a CodeMirror view that shows a pane: read-only text, a gutter with line numbers or addresses and one for each heat
// column, marked lines, and what is searched for. It draws what is on screen only, whatever the length.
import { Compartment, EditorState, type Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, MatchDecorator, ViewPlugin, type ViewUpdate, drawSelection, gutter } from "@codemirror/view";
import type { Cell, Metric } from "../heat";
import { colours } from "./languages";
import type { PaneModel } from "./model";

export interface Marks {
  /** Lines of the text, from 0. */
  selected: number | null;
  linked: readonly number[];
  hovered: readonly number[];
}

export interface HeatColumn {
  metric: Metric;
  cells: Cell[]; // by line of the text
}

const setMarks = StateEffect.define<Marks>();

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(setMarks)) {
        const classes = new Map<number, string>();
        for (const line of effect.value.hovered) classes.set(line, "cm-hovered");
        for (const line of effect.value.linked) classes.set(line, "cm-linked");
        if (effect.value.selected !== null) classes.set(effect.value.selected, "cm-chosen");
        const builder = new RangeSetBuilder<Decoration>();
        const { doc } = transaction.state;
        for (const [line, name] of [...classes].sort((a, b) => a[0] - b[0]))
          if (line < doc.lines) {
            const { from } = doc.line(line + 1);
            builder.add(from, from, Decoration.line({ class: name, attributes: name === "cm-chosen" ? { "aria-current": "true" } : {} }));
          }
        return builder.finish();
      }
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class TextMarker extends GutterMarker {
  constructor(readonly text: string, override readonly elementClass: string, readonly title?: () => string) {
    super();
  }
  override eq(other: TextMarker) {
    return this.text === other.text && this.elementClass === other.elementClass;
  }
  override toDOM() {
    const span = document.createElement("span");
    span.textContent = this.text;
    if (this.title) span.title = this.title();
    return span;
  }
}

export class CodeView {
  readonly view: EditorView;
  private readonly heat = new Compartment();
  private readonly found = new Compartment();

  constructor(parent: HTMLElement, private readonly model: PaneModel, language: Extension, label: string,
    events: { select: (line: number) => void; hover: (line: number | null) => void }) {
    const rows = model.rows;
    let hovered: number | null = null;
    const hover = (line: number | null) => {
      if (line !== hovered) events.hover((hovered = line));
    };
    const choose = (view: EditorView, from: number) => {
      view.dispatch({ selection: { anchor: from }, userEvent: "select" });
      view.focus();
      return true;
    };
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: model.text,
        extensions: [
          EditorState.readOnly.of(true), EditorView.editable.of(false), drawSelection({ cursorBlinkRate: 0 }),
          EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-readonly": "true" }),
          language, colours, marks, this.found.of([]),
          gutter({
            class: "cm-numbers",
            lineMarker: (view, block) => {
              const row = rows[view.state.doc.lineAt(block.from).number - 1];
              return row ? new TextMarker(row.number, row.row ? "measured" : "") : null;
            },
            domEventHandlers: { mousedown: (view, block) => choose(view, block.from) },
          }),
          this.heat.of([]),
          EditorView.updateListener.of((update) => {
            if (update.transactions.some((t) => t.isUserEvent("select")))
              events.select(update.state.doc.lineAt(update.state.selection.main.head).number - 1);
          }),
          EditorView.domEventHandlers({
            mousemove: (event, view) => {
              const block = view.lineBlockAtHeight(event.clientY - view.documentTop);
              hover(view.state.doc.lineAt(block.from).number - 1);
            },
            mouseleave: () => hover(null),
          }),
        ],
      }),
    });
    this.choose = choose;
  }

  private readonly choose: (view: EditorView, from: number) => boolean;

  setColumns(columns: readonly HeatColumn[]): void {
    const gutters = columns.map(({ metric, cells }) =>
      gutter({
        class: `cm-heat cm-heat-${metric.id}`,
        lineMarker: (view, block) => {
          const cell = cells[view.state.doc.lineAt(block.from).number - 1];
          return cell?.text ? new TextMarker(cell.text, cell.level ? `heat ${metric.ramp}-${cell.level}` : "cold", cell.title) : null;
        },
        domEventHandlers: { mousedown: (view, block) => this.choose(view, block.from) },
      }),
    );
    this.view.dispatch({ effects: this.heat.reconfigure(gutters) });
  }

  mark(value: Marks): void {
    this.view.dispatch({ effects: setMarks.of(value) });
  }

  /** Brings a line to the middle unless it is on screen with some room. */
  reveal(line: number): void {
    if (line < 0 || line >= this.model.rows.length) return;
    const { from } = this.view.state.doc.line(line + 1);
    const { scrollDOM } = this.view;
    // A view that has not been measured yet cannot say what is on screen.
    const block = this.view.lineBlockAt(from);
    const margin = 2 * this.view.defaultLineHeight;
    const inside = scrollDOM.clientHeight > 0 && block.top >= scrollDOM.scrollTop + margin && block.bottom <= scrollDOM.scrollTop + scrollDOM.clientHeight - margin;
    if (!inside) this.view.dispatch({ effects: EditorView.scrollIntoView(from, { y: "center" }) });
  }

  /** As if the reader had chosen the line. */
  select(line: number): void {
    const { from } = this.view.state.doc.line(line + 1);
    this.view.dispatch({ selection: { anchor: from }, userEvent: "select" });
    this.reveal(line);
  }

  /** Marks every occurrence of what the pattern matches; null: nothing. */
  highlight(pattern: RegExp | null): void {
    this.view.dispatch({ effects: this.found.reconfigure(pattern ? occurrences(pattern) : []) });
  }
}

function occurrences(pattern: RegExp): Extension {
  const decorator = new MatchDecorator({ regexp: pattern, decoration: Decoration.mark({ class: "cm-found" }) });
  return ViewPlugin.define(
    (view) => ({
      marks: decorator.createDeco(view),
      update(update: ViewUpdate) {
        this.marks = decorator.updateDeco(update, this.marks);
      },
    }),
    { decorations: (plugin) => plugin.marks },
  );
}
