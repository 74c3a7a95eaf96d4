// Owns the table of branches: how often lanes agreed.
import { useMemo } from "preact/hooks";
import { conditionShare, type BranchCounts, type Instruction, type Kernel } from "../profile";
import { openCode, profile, route } from "../state";
import { percent, place, shortAddress } from "../format";
import { BranchSplit } from "../charts/BranchSplit";
import { type Column, DataTable } from "./DataTable";

interface Row {
  index: number;
  instruction: Instruction;
  branch: BranchCounts;
}

export function BranchesTab({ kernel }: { kernel: Kernel }) {
  const rows = useMemo<Row[]>(
    () => kernel.instructions.flatMap((instruction, index) => (instruction.branch ? [{ index, instruction, branch: instruction.branch }] : [])),
    [kernel],
  );
  const here = route.value.instruction;
  return (
    <DataTable label="branches" testid="branches" rows={rows} columns={columns} sort={{ id: "divergences", desc: true }}
      search={({ instruction }) => `${instruction.text} ${instruction.function} ${place(profile.value, instruction.source)}`}
      open={(row) => openCode(route.value.kernel!, row.index)} selected={(row) => row.index === here}
      empty={profile.value.views.includes("branches") ? "The kernel has no conditional branch that ran." : "Branches were not collected."} />
  );
}

const columns: Column<Row>[] = [
  { id: "address", head: "address", width: "84px", value: (r) => r.index, cell: (r) => shortAddress(r.instruction.address), class: () => "mono dim" },
  { id: "text", head: "instruction", width: "minmax(200px, 1fr)", value: (r) => r.instruction.text, class: () => "mono ellipsis" },
  { id: "line", head: "line", width: "minmax(90px, 170px)", value: (r) => place(profile.value, r.instruction.source), class: () => "mono dim ellipsis" },
  { id: "executions", head: "exec", title: "Executions by a wavefront", width: "84px", numeric: true, value: (r) => r.branch.executions },
  { id: "all", head: "all", title: "All lanes agreed on the condition", width: "84px", numeric: true, value: (r) => r.branch.all },
  { id: "none", head: "none", title: "No lane had the condition", width: "84px", numeric: true, value: (r) => r.branch.none },
  { id: "divergences", head: "diverged", title: "Only some lanes had the condition", width: "84px", numeric: true, value: (r) => r.branch.divergences },
  {
    id: "split", head: "split", title: "All, diverged, none", width: "110px", numeric: true, value: (r) => share(r.branch.divergences, r.branch.executions),
    cell: ({ branch }) => <BranchSplit branch={branch} />,
  },
  {
    id: "lanes", head: "lanes", title: "Share of the arriving lanes that had the condition", width: "76px", numeric: true,
    value: (r) => conditionShare(r.branch), cell: (r) => (r.branch.arriving_lanes ? percent(conditionShare(r.branch)!) : ""),
  },
  { id: "decides", head: "decides", title: "Whether lanes decide each for itself, or the wave as a whole", width: "72px", value: (r) => (r.branch.per_lane ? "lane" : "wave"), class: () => "dim" },
];

function share(part: number, whole: number): number | null {
  return whole ? part / whole : null;
}
