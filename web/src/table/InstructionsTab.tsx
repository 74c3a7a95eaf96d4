// Owns the table of instructions.
import { useMemo } from "preact/hooks";
import type { Instruction, Kernel } from "../profile";
import { availableMetrics } from "../heat";
import { openCode, profile, route } from "../state";
import { place, shortAddress } from "../format";
import { type Column, DataTable } from "./DataTable";
import { heatColumns } from "./heatColumns";

type Row = Instruction & { index: number };

export function InstructionsTab({ kernel }: { kernel: Kernel }) {
  const rows = useMemo<Row[]>(() => kernel.instructions.map((instruction, index) => ({ ...instruction, index })), [kernel]);
  const columns = useMemo<Column<Row>[]>(
    () => [
      { id: "address", head: "address", width: "84px", value: (i) => i.index, cell: (i) => shortAddress(i.address), class: () => "mono dim" },
      { id: "text", head: "instruction", width: "minmax(220px, 1fr)", value: (i) => i.text, class: () => "mono ellipsis" },
      { id: "class", head: "class", width: "76px", value: (i) => i.class, cell: (i) => <span class={`class-tag class-${i.class}`}>{i.class}</span> },
      { id: "line", head: "line", width: "minmax(90px, 170px)", value: (i) => place(profile.value, i.source), class: () => "mono dim ellipsis" },
      ...heatColumns(rows, availableMetrics(kernel)),
      { id: "pattern", head: "pattern", title: "Of the addresses of neighbouring lanes", width: "minmax(90px, 150px)", value: (i) => i.memory?.[0]?.pattern, class: () => "ellipsis" },
    ],
    [rows],
  );
  const here = route.value.instruction;
  return (
    <DataTable label="instructions" testid="instructions" rows={rows} columns={columns} sort={{ id: "executions", desc: true }}
      search={(i) => `${i.address} ${i.function} ${i.text} ${i.class} ${place(profile.value, i.source)} ${i.memory?.[0]?.pattern ?? ""}`}
      open={(i) => openCode(route.value.kernel!, i.index)} selected={(i) => i.index === here}
      empty="No instruction of this kernel was seen." />
  );
}
