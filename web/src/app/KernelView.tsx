// Owns a kernel's head and its tabs.
import type { Kernel } from "../profile";
import { navigate, profile, route } from "../state";
import { tabs, type Tab } from "../route";
import { tabAvailable, tabNames } from "../model/tabs";
import { TimeTab } from "../time/TimeTab";
import { TraceView } from "../trace/TraceView";
import { FindingsTab } from "../check/FindingsTab";
import { BranchesTab } from "../table/BranchesTab";
import { CodeTab } from "../code/CodeTab";
import { CountersTab } from "../table/CountersTab";
import { InstructionsTab } from "../table/InstructionsTab";
import { LinesTab } from "../table/LinesTab";
import { KernelHead } from "./KernelHead";
import { Overview } from "./Overview";

export function KernelView({ index, kernel }: { index: number; kernel: Kernel }) {
  const shown = tabs.filter((tab) => tabAvailable(profile.value, index, tab));
  const tab = shown.includes(route.value.tab) ? route.value.tab : "overview";
  return (
    <article class="kernel" data-testid="kernel">
      <KernelHead kernel={kernel} />
      <div class="tabs" role="tablist" aria-label="Views of the kernel" onKeyDown={(e) => moveFocus(e, shown, tab)}>
        {shown.map((id) => (
          <button type="button" key={id} role="tab" id={`tab-${id}`} aria-selected={id === tab} aria-controls="tabpanel"
            tabIndex={id === tab ? 0 : -1} data-testid={`tab-${id}`} onClick={() => navigate({ tab: id, params: {} })}>
            {tabNames[id]} <kbd>{tabs.indexOf(id) + 1}</kbd>
          </button>
        ))}
      </div>
      <div class="tabpanel" role="tabpanel" id="tabpanel" aria-labelledby={`tab-${tab}`} data-testid={`panel-${tab}`}>
        {panel(tab, index, kernel)}
      </div>
    </article>
  );
}

function panel(tab: Tab, index: number, kernel: Kernel) {
  switch (tab) {
    case "overview": return <Overview kernel={kernel} index={index} />;
    case "code": return <CodeTab kernel={kernel} />;
    case "lines": return <LinesTab kernel={kernel} />;
    case "instructions": return <InstructionsTab kernel={kernel} />;
    case "branches": return <BranchesTab kernel={kernel} />;
    case "counters": return <CountersTab kernel={kernel} />;
    case "findings": return <FindingsTab kernel={kernel} check={profile.value.check!} />;
    case "time": return <TimeTab kernel={kernel} timing={profile.value.timing!} />;
    case "trace": return <TraceView profile={profile.value} trace={profile.value.trace!} />;
  }
}

// The arrow keys move among tabs while one has the focus, as in every tab list.
function moveFocus(event: KeyboardEvent, shown: readonly Tab[], tab: Tab) {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (!step) return;
  event.preventDefault();
  const next = shown[(shown.indexOf(tab) + step + shown.length) % shown.length]!;
  navigate({ tab: next, params: {} });
  document.getElementById(`tab-${next}`)?.focus();
}
