// Owns the bar that divides a branch's executions: all lanes agreed on it, they diverged, none had the condition.
import type { BranchCounts } from "../profile";
import { full } from "../format";

export function BranchSplit({ branch }: { branch: BranchCounts }) {
  const said = `all ${full(branch.all)}, diverged ${full(branch.divergences)}, none ${full(branch.none)}`;
  return (
    <span class="split" role="img" aria-label={said} title={said}>
      <i class="all" style={{ flexGrow: branch.all }} />
      <i class="div" style={{ flexGrow: branch.divergences }} />
      <i class="none" style={{ flexGrow: branch.none }} />
    </span>
  );
}
