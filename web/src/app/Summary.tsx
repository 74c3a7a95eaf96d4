// Owns the first page: what ran, what to look at first, and the kernels.
import type { Kernel } from "../profile";
import { openKernel, profile } from "../state";
import { kernelTitle, percent, plural, seconds, short, xyz } from "../format";
import { cell, metric } from "../heat";
import { kernelTotals } from "../model/totals";
import { CheckedSummary } from "../check/CheckedSummary";
import { type Column, DataTable } from "../table/DataTable";
import { Findings } from "./FindingList";
import { topFindings } from "./findings";
import { Notices } from "./NoticeList";

const shownFindings = 8;

export function Summary() {
  const { kernels, producer, seconds: time, command, estimated } = profile.value;
  const findings = topFindings(kernels);
  const instructions = kernels.reduce((sum, k) => sum + k.wave_instructions, 0);
  const waves = kernels.reduce((sum, k) => sum + k.waves, 0);
  const launches = kernels.reduce((sum, k) => sum + k.launches, 0);
  return (
    <div class="page" data-testid="summary">
      <header class="summary-head">
        <h1>{kernels.length === 1 ? kernelTitle(kernels[0]!) : plural(kernels.length, "kernel")}</h1>
        <dl class="facts big">
          {launches > 0 && <div><dt>launches</dt><dd>{short(launches)}</dd></div>}
          {launches > 0 && <div><dt>wavefronts</dt><dd>{short(waves)}</dd></div>}
          {launches > 0 && <div><dt>wave-instructions</dt><dd>{short(instructions)}</dd></div>}
          <div><dt>findings</dt><dd>{findings.length}</dd></div>
          {!estimated && <div title="On this computer, in the emulator: not a GPU's time"><dt>host time</dt><dd>{seconds(time)}</dd></div>}
        </dl>
      </header>
      <Notices profile={profile.value} />
      {kernels.length === 0 ? (
        <p class="empty" data-testid="no-kernels">No kernel was profiled{command && <>: <code>{command}</code> launched none that the selection matches</>}.</p>
      ) : (
        <>
          {profile.value.check && <CheckedSummary check={profile.value.check} kernels={kernels} />}
          <h2>What to look at first</h2>
          {findings.length ? <Findings findings={findings.slice(0, shownFindings)} named={kernels.length > 1} />
            : <p class="empty" data-testid="no-findings">Nothing stands out: no divergence, excess cache lines or bank conflicts among what was collected.</p>}
          {findings.length > shownFindings && <p class="dim">{findings.length - shownFindings} more with their kernels.</p>}
          <h2>Kernels</h2>
          <DataTable label="kernels" testid="kernels" inline={kernels.length <= 40} rows={kernels.map((k, index) => ({ ...k, index }))} columns={columns(kernels)}
            sort={{ id: "instructions", desc: true }} open={(k) => openKernel(k.index)} empty=""
            {...(kernels.length > 40 ? { search: (k: Row) => `${k.short} ${k.readable}` } : {})} />
        </>
      )}
      <footer class="dim">{producer}</footer>
    </div>
  );
}

type Row = Kernel & { index: number };

function columns(kernels: readonly Kernel[]): Column<Row>[] {
  const totals = kernels.map(kernelTotals);
  const of = (k: Row) => totals[k.index]!;
  const most = kernels.reduce((m, k) => Math.max(m, k.wave_instructions), 0);
  const lossCell = (share: number | null) => (share === null ? <span class="dim" title="Not collected, or the kernel has none">–</span> : percent(share));
  const lossClass = (share: number | null) => {
    const { level } = cell(metric("excess"), share, 1);
    return level > 1 ? `heat loss-${level}` : "";
  };
  return [
    { id: "name", head: "kernel", width: "minmax(140px, 1fr)", value: kernelTitle, cell: (k) => <b title={k.readable}>{kernelTitle(k)}</b>, class: () => "ellipsis" },
    { id: "launches", head: "launches", width: "82px", numeric: true, value: (k) => k.launches },
    { id: "grid", head: "grid", width: "minmax(80px, 120px)", value: (k) => k.grid[0] * k.grid[1] * k.grid[2], cell: (k) => xyz(k.grid), class: () => "dim ellipsis" },
    { id: "waves", head: "waves", width: "76px", numeric: true, value: (k) => k.waves, cell: (k) => short(k.waves) },
    {
      id: "instructions", head: "wave-instr.", title: "Wave-instructions", width: "130px", numeric: true, value: (k) => k.wave_instructions,
      cell: (k) => <span class="bar-cell"><i style={{ width: `${most ? (100 * k.wave_instructions) / most : 0}%` }} />{short(k.wave_instructions)}</span>,
    },
    { id: "lanes", head: "active lanes", title: "Mean share of the 64 lanes that vector instructions had active", width: "104px", numeric: true, value: (k) => of(k).activeShare,
      cell: (k) => lossCell(of(k).activeShare), class: (k) => lossClass(of(k).activeShare === null ? null : 1 - of(k).activeShare!) },
    { id: "excess", head: "excess lines", title: "Cache lines beyond the ideal, share of all", width: "104px", numeric: true, value: (k) => of(k).excessShare,
      cell: (k) => lossCell(of(k).excessShare), class: (k) => lossClass(of(k).excessShare) },
    { id: "conflicts", head: "bank conflicts", title: "LDS cycles lost to bank conflicts, share of all", width: "116px", numeric: true, value: (k) => of(k).conflictShare,
      cell: (k) => lossCell(of(k).conflictShare), class: (k) => lossClass(of(k).conflictShare) },
    { id: "occupancy", head: "occupancy", title: "Waves per SIMD unit", width: "94px", numeric: true, value: (k) => k.occupancy?.waves_per_simd,
      cell: (k) => (k.occupancy ? `${k.occupancy.waves_per_simd} / ${k.occupancy.max_waves_per_simd}` : "") },
  ];
}
