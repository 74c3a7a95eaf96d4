// Owns the heat metrics as columns of a table.
import { cell, type Metric } from "../heat";
import type { Instruction, Line } from "../profile";
import type { Column } from "./DataTable";

export function heatColumns<T extends Instruction | Line>(rows: readonly T[], metrics: readonly Metric[]): Column<T>[] {
  return metrics.map((m) => {
    const max = rows.reduce((most, row) => Math.max(most, m.value(row) ?? 0), 0);
    return {
      id: m.id, head: m.head, title: m.about, width: "78px", numeric: true,
      value: m.value,
      cell: (row: T) => {
        const { text, title } = cell(m, m.value(row), max);
        return <span title={title()}>{text}</span>;
      },
      class: (row: T) => {
        const { level } = cell(m, m.value(row), max);
        return level ? `heat ${m.ramp}-${level}` : "";
      },
    };
  });
}
