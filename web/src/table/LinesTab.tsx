// Owns the table of source lines.
import { useMemo } from "preact/hooks";
import type { Kernel, Line } from "../profile";
import { availableMetrics } from "../heat";
import { openCode, profile, route } from "../state";
import { place } from "../format";
import { type Column, DataTable } from "./DataTable";
import { heatColumns } from "./heatColumns";

export function LinesTab({ kernel }: { kernel: Kernel }) {
  const rows = kernel.lines ?? [];
  const text = useMemo(() => {
    const files = profile.value.sources.map((s) => s.text?.split("\n"));
    return (line: Line) => files[line.source[0]]?.[line.source[1] - 1]?.trim() ?? "";
  }, []);
  const columns = useMemo<Column<Line>[]>(
    () => [
      { id: "line", head: "line", width: "minmax(120px, 190px)", value: (l) => place(profile.value, l.source), class: () => "mono" },
      { id: "text", head: "source", width: "minmax(160px, 1fr)", value: text, class: () => "mono ellipsis" },
      { id: "instructions", head: "instr.", title: "Instructions of the line", width: "64px", numeric: true, value: (l) => l.instructions.length },
      ...heatColumns(rows, availableMetrics(kernel)),
      { id: "divergences", head: "diverge", title: "Branches of which only some lanes took the condition, of all branches", width: "88px", numeric: true,
        value: (l) => (l.branches ? (l.divergences ?? 0) : null), cell: (l) => (l.branches ? `${l.divergences ?? 0} / ${l.branches}` : "") },
    ],
    [kernel],
  );
  const here = route.value.line;
  return (
    <DataTable label="source lines" testid="lines" rows={rows} columns={columns} sort={{ id: "executions", desc: true }}
      search={(l) => `${place(profile.value, l.source)} ${text(l)}`}
      open={(l) => openCode(route.value.kernel!, l.instructions[0] ?? null, l.source)}
      selected={(l) => here !== null && here[0] === l.source[0] && here[1] === l.source[1]}
      empty="The code object has no line tables: compile with -g, and every instruction has its line." />
  );
}
