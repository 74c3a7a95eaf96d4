// Owns the numbers of views that this page knows nothing more of: columns about instructions.
import { useMemo } from "preact/hooks";
import type { Figures, Instruction, Kernel } from "../profile";
import { openCode, profile, route } from "../state";
import { place, shortAddress } from "../format";
import { type Column, DataTable } from "./DataTable";

interface Row {
  index: number;
  instruction: Instruction;
  values: number[];
}

export function FiguresCard({ kernel, figures }: { kernel: Kernel; figures: Figures }) {
  const { view } = figures;
  const rows = useMemo<Row[]>(
    () => figures.rows.flatMap(([index, ...values]) => {
      const instruction = kernel.instructions[index ?? -1];
      return instruction ? [{ index: index!, instruction, values }] : [];
    }),
    [kernel, figures],
  );
  const columns = useMemo<Column<Row>[]>(() => [
    { id: "address", head: "address", width: "84px", value: (r) => r.index, cell: (r) => shortAddress(r.instruction.address), class: () => "mono dim" },
    { id: "text", head: "instruction", width: "minmax(200px, 1fr)", value: (r) => r.instruction.text, class: () => "mono ellipsis" },
    { id: "line", head: "line", width: "minmax(90px, 170px)", value: (r) => place(profile.value, r.instruction.source), class: () => "mono dim ellipsis" },
    ...figures.columns.map((column, i): Column<Row> => (
      { id: `value${i}`, head: column.name, title: `${column.about}${column.unit ? ` (${column.unit})` : ""}`, width: "110px", numeric: true, value: (r) => r.values[i] ?? null })),
  ], [figures]);
  return (
    <section class="wide" aria-labelledby={`figures-${view}`}>
      <h2 id={`figures-${view}`}>{view}</h2>
      <DataTable label={view} testid={`figures-${view}`} rows={rows} columns={columns} sort={{ id: "value0", desc: true }} inline
        search={({ instruction }) => `${instruction.text} ${instruction.function} ${place(profile.value, instruction.source)}`}
        open={(row) => openCode(route.value.kernel!, row.index)} empty="Nothing was counted." />
    </section>
  );
}
