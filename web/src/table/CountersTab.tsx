// Owns the table of hardware counters. One that is not modelled says why, and is never 0.
import { useMemo } from "preact/hooks";
import type { Counter, Kernel } from "../profile";
import { full } from "../format";
import { type Column, DataTable } from "./DataTable";

export function CountersTab({ kernel }: { kernel: Kernel }) {
  const rows = useMemo(() => kernel.counters ?? [], [kernel]);
  return (
    <DataTable label="counters" testid="counters" rows={rows} columns={columns} sort={{ id: "order", desc: false }}
      search={(c) => `${c.name} ${c.about ?? ""} ${c.why ?? ""} ${c.unit ?? ""}`} empty="No counters were written." />
  );
}

const columns: Column<Counter>[] = [
  // Names first that have a value; sorting by name alone is the second head.
  { id: "order", head: "counter", width: "minmax(180px, 270px)", value: (c) => `${c.value === null ? 1 : 0} ${c.name}`, cell: (c) => c.name, class: (c) => `mono ${c.value === null ? "dim" : ""}` },
  {
    id: "value", head: "value", width: "minmax(110px, 150px)", numeric: true, value: (c) => c.value,
    cell: (c) => (c.value === null ? <span class="not-modelled">not modelled</span> : full(c.value)),
  },
  { id: "unit", head: "unit", width: "minmax(110px, 190px)", value: (c) => c.unit, class: () => "dim ellipsis" },
  { id: "about", head: "about", width: "minmax(240px, 1fr)", value: (c) => c.about, class: () => "ellipsis", cell: (c) => (c.value === null ? <span class="dim" title={`${c.about ?? ""} Not modelled: ${c.why ?? ""}`}>not modelled: {c.why}</span> : <span title={c.about ?? ""}>{c.about}</span>) },
];
