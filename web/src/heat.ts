// Owns the heat columns: which metrics there are, what each says of an instruction or a line, and how a value becomes one
// of eight steps of colour. Blue is quantity, amber is loss; both ramps are monotone in lightness, so that they can be told
// apart without telling colours apart.
import type { Instruction, Kernel, Line } from "./profile";
import { full, percent, short } from "./format";
import { sum } from "./model/totals";

export type MetricId = "executions" | "lanes" | "lost" | "excess" | "conflicts" | "collisions" | (string & {}); // else of a view's figures

export interface Cell {
  text: string;
  /** 0: nothing to see, 1 to 8: colour. */
  level: number;
  /** In words; made when it is asked for, since a column has ten thousand cells of which few are looked at. */
  title: () => string;
}

export const emptyCell: Cell = { text: "", level: 0, title: () => "" };

export interface Metric {
  id: MetricId;
  /** Head of the column. */
  head: string;
  about: string;
  ramp: "quantity" | "loss";
  /** Not shown unless it is asked for. */
  quiet?: boolean;
  /** What sorting and colour go by; null: not collected, or it does not apply. */
  value(row: Instruction | Line): number | null;
}

export const levels = 8;

const isInstruction = (row: Instruction | Line): row is Instruction => "text" in row;

/** Mean active lanes of 64, 0 to 1; null where unknown or never executed. */
export function activeShare(row: Instruction | Line): number | null {
  if (!isInstruction(row) && row.active_share !== undefined) return row.active_share;
  return row.lanes == null || row.executions === 0 ? null : row.lanes / (64 * row.executions);
}

// A scalar instruction has no lanes to lose: it must not look idle.
const hasLanes = (row: Instruction | Line) =>
  !isInstruction(row) || ["valu", "vmem", "flat", "lds", "export"].includes(row.class);

/** Lanes that wait for another's atomic on the same address; null for what is no atomic. */
export function collisions(row: Instruction): number | null {
  const sites = (row.memory ?? []).filter((site) => site.kind === "atomic");
  if (row.lds?.kind !== "atomic") return sites.length ? sum(sites, (site) => site.address_collisions) : null;
  return sum(sites, (site) => site.address_collisions) + row.lds.same_address_atomics;
}

export const metrics: readonly Metric[] = [
  {
    id: "executions", head: "exec", ramp: "quantity", about: "Executions: wave-instructions issued",
    value: (row) => row.executions,
  },
  {
    id: "lanes", head: "lanes", ramp: "loss", about: "Active lanes: mean share of the 64 lanes",
    value: (row) => (hasLanes(row) ? activeShare(row) : null),
  },
  {
    id: "lost", head: "lost", ramp: "loss", about: "Lane-cycles lost to diverged lanes",
    value: (row) => row.lost_lane_cycles ?? null,
  },
  {
    id: "excess", head: "excess", ramp: "loss", about: "Excess cache lines: 64-byte lines touched beyond the ideal",
    value: (row) =>
      isInstruction(row) ? (row.memory?.length ? row.memory.reduce((sum, site) => sum + site.excess_lines, 0) : null)
        : row.lines ? (row.excess_lines ?? null) : null,
  },
  {
    id: "conflicts", head: "banks", ramp: "loss", about: "LDS bank conflicts: cycles beyond the ideal",
    value: (row) => (isInstruction(row) ? (row.lds ? row.lds.conflict_cycles : null) : row.lds_cycles ? (row.conflict_cycles ?? null) : null),
  },
  {
    id: "collisions", head: "atomics", ramp: "loss", about: "Colliding atomics: lanes beyond the first at one address, which wait",
    value: (row) => (isInstruction(row) ? collisions(row) : (row.collisions ?? null)),
  },
];

export function metric(id: MetricId): Metric {
  return metrics.find((m) => m.id === id)!;
}

/** Columns of views that stand beside the code: a line's value is the sum over its instructions. */
export function figureMetrics(kernel: Kernel): Metric[] {
  return (kernel.figures ?? []).filter((f) => f.beside_code).flatMap((figures) =>
    figures.columns.map((column, at): Metric => {
      const values = new Map(figures.rows.map((row) => [row[0]!, row[at + 1]!]));
      const of = new Map(kernel.instructions.map((instruction, index) => [instruction, values.get(index) ?? null]));
      return {
        id: `${figures.view}-${column.name}`, head: column.name, ramp: "loss", quiet: column.quiet ?? false, about: `${column.about}${column.unit ? ` (${column.unit})` : ""}`,
        value: (row) => {
          if (isInstruction(row)) return of.get(row) ?? null;
          const known = row.instructions.flatMap((index) => values.get(index) ?? []);
          return known.length ? sum(known, (n) => n) : null;
        },
      };
    }));
}

/** The metrics that a kernel has numbers for: collected, and with something to count. */
export function availableMetrics(kernel: Kernel): Metric[] {
  const any = (has: (i: Instruction) => boolean) => kernel.instructions.some(has);
  const figures = figureMetrics(kernel);
  const own = metrics.filter(({ id }) => {
    if (id === "executions") return !figures.length || any((i) => i.executions > 0); // of a kernel that did not run there are none
    if (id === "lanes" || id === "lost") return any((i) => i.lanes != null);
    if (id === "excess") return any((i) => Boolean(i.memory?.length));
    if (id === "conflicts") return any((i) => Boolean(i.lds));
    if (id === "collisions") return any((i) => collisions(i) !== null);
    return true;
  });
  const [first, ...others] = own;
  return first?.id === "executions" ? [first, ...figures, ...others] : [...figures, ...own];
}

/** Step 0 to 8 of `value` where `max` is the hottest: square root, so that a tenth of the maximum can still be seen. */
export function heatLevel(value: number, max: number): number {
  if (!(value > 0) || !(max > 0)) return 0;
  return Math.max(1, Math.min(levels, Math.ceil(Math.sqrt(Math.min(1, value / max)) * levels)));
}

/** Step of a mean of active lanes: full is cold, a single lane is hottest. */
export function laneLevel(share: number): number {
  return share >= 0.995 ? 0 : Math.max(1, Math.min(levels, Math.ceil((1 - share) * levels)));
}

/** Makes the cells of one column: the maximum is over the rows given. */
export function column(rows: readonly (Instruction | Line)[], which: Metric): Cell[] {
  const values = rows.map(which.value);
  const max = values.reduce<number>((most, v) => Math.max(most, v ?? 0), 0);
  return values.map((value) => cell(which, value, max));
}

export function cell(which: Metric, value: number | null, max: number): Cell {
  if (value === null) return emptyCell;
  if (which.id === "lanes") return { text: percentOfLanes(value), level: laneLevel(value), title: () => `${percent(value)} of the 64 lanes active` };
  const text = value === 0 ? (which.id === "executions" ? "0" : "·") : short(value);
  const title = () => `${which.about}: ${full(value)}${max > 0 ? `, ${percent(value / max)} of the most` : ""}`;
  return { text, level: heatLevel(value, max), title };
}

function percentOfLanes(share: number): string {
  const value = share * 100;
  return value > 99 && value < 100 ? "99%" : value > 0 && value < 1 ? "<1%" : `${Math.round(value)}%`;
}
