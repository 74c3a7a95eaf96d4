// Owns the detail pane: what was measured of the selected instruction, or of the most telling one of the selected line, and
// the picture of its 64 lanes.
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { conditionShare, type Instruction, type Kernel, type LdsSite, type Line, type MemorySite } from "../profile";
import { BranchSplit } from "../charts/BranchSplit";
import { LaneHistogram } from "../charts/LaneHistogram";
import { Findings } from "../app/FindingList";
import { bareName, bytes, full, functionName, percent, place, plural, short, shortAddress } from "../format";
import { activeShare } from "../heat";
import { BankPictureView } from "../lanes/BankPicture";
import { GlobalPicture } from "../lanes/GlobalPicture";
import { laneClasses } from "../model/totals";
import { navigate, profile, route } from "../state";

interface Props {
  kernel: Kernel;
  instruction: number | null;
  line: Line | undefined;
  /** The instruction itself was selected, not its line. */
  chosen: boolean;
}

export function Detail({ kernel, instruction, line, chosen }: Props) {
  const row = instruction === null ? null : kernel.instructions[instruction];
  if (!row)
    return (
      <div class="detail idle" data-testid="detail">
        <p class="dim">{line ? "Nothing of this line was executed." : "Choose a line or an instruction: what its lanes did stands here."}</p>
        {!line && kernel.findings && kernel.findings.length > 0 && <Findings named={false} findings={kernel.findings.map((finding) => ({ kernel: route.value.kernel!, finding }))} />}
      </div>
    );
  return <Chosen key={instruction} kernel={kernel} row={row} index={instruction!} line={chosen ? undefined : line} />;
}

function Chosen({ kernel, row, index, line }: { kernel: Kernel; row: Instruction; index: number; line: Line | undefined }) {
  // FLAT instructions may reach several spaces; each has its own numbers and its own picture.
  const sites: { name: string; memory?: MemorySite; lds?: LdsSite }[] = [
    ...(row.memory ?? []).map((memory) => ({ name: `${memory.space} ${memory.kind}`, memory })),
    ...(row.lds ? [{ name: `LDS ${row.lds.kind}`, lds: row.lds }] : []),
  ];
  const [chosen, setChosen] = useState(0);
  const site = sites[chosen];
  const varying = row.active && (laneClasses.has(row.class) || row.branch) && row.active.length > 1;
  return (
    <div class="detail" data-testid="detail">
      <div class="detail-facts">
        {line && <LineFacts kernel={kernel} line={line} shown={index} />}
        <header>
          <code class="detail-text" data-testid="detail-text">{row.text}</code>
          <span class="dim" title={row.function}>
            <code>{shortAddress(row.address)}</code> {bareName(functionName(kernel, row.function))}+{row.offset}{row.source && <> · {place(profile.value, row.source)}</>}
          </span>
        </header>
        {sites.length > 1 && (
          <div class="segmented">{sites.map((s, i) => <button type="button" key={i} aria-pressed={i === chosen} onClick={() => setChosen(i)}>{s.name}</button>)}</div>
        )}
        <dl class="detail-list">
          <InstructionFacts row={row} kernel={kernel} />
          {row.branch && <WaveFacts kernel={kernel} index={index} />}
        </dl>
        {row.branch && row.branch.executions > 0 && <BranchSplit branch={row.branch} />}
        {site?.memory && <MemoryFacts site={site.memory} />}
        {site?.lds && <LdsFacts site={site.lds} />}
      </div>
      {site?.memory?.worst && site.memory.space !== "scalar" && <div class="detail-site"><GlobalPicture site={site.memory} /></div>}
      {site?.lds?.worst && <div class="detail-site"><BankPictureView site={site.lds} /></div>}
      {varying && <ActiveLanes row={row} />}
    </div>
  );
}

function LineFacts({ kernel, line, shown }: { kernel: Kernel; line: Line; shown: number }) {
  return (
    <section class="line-facts">
      <b>{place(profile.value, line.source)}</b> <span class="dim">{plural(line.instructions.length, "instruction")}, {full(line.executions)} executions; shown:</span>
      <div class="line-instructions">
        {line.instructions.slice(0, 12).map((index) => (
          <button type="button" key={index} class={index === shown ? "here" : ""} title={kernel.instructions[index]!.text} onClick={() => navigate({ instruction: index, line: line.source }, true)}>
            {kernel.instructions[index]!.text.split(" ")[0]}
          </button>
        ))}
        {line.instructions.length > 12 && <span class="dim">and {line.instructions.length - 12} more</span>}
      </div>
    </section>
  );
}

function InstructionFacts({ row, kernel }: { row: Instruction; kernel: Kernel }) {
  const share = laneClasses.has(row.class) ? activeShare(row) : null;
  const condition = row.branch ? conditionShare(row.branch) : null;
  const of = kernel.wave_instructions;
  const { branch } = row;
  return (
    <>
      <Fact name="executions" title="Wave-instructions">{row.executions ? <>{full(row.executions)} <span class="dim">{percent(row.executions / of)}</span></> : "never"}</Fact>
      {share !== null && <Fact name="active lanes">{row.active?.length === 1 ? `always ${row.active[0]![0]}` : (64 * share).toFixed(1)} <span class="dim">of 64</span></Fact>}
      {!!row.lost_lane_cycles && <Fact name="lost to divergence" title={`${full(row.lost_lane_cycles)} lane-cycles`}>{short(row.lost_lane_cycles)} <span class="dim">lane-cycles</span></Fact>}
      {!!row.lost_to_partial_waves && <Fact name="lost to partial waves" title={`${full(row.lost_to_partial_waves)} lane-cycles`}>{short(row.lost_to_partial_waves)} <span class="dim">lane-cycles</span></Fact>}
      {branch && (
        <>
          <Fact name="all lanes agreed">{full(branch.all)}</Fact>
          <Fact name="no lane did">{full(branch.none)}</Fact>
          <Fact name="diverged"><b class={branch.divergences ? "bad" : "good"}>{full(branch.divergences)}</b> <span class="dim">{percent(branch.executions ? branch.divergences / branch.executions : 0)}</span></Fact>
          {condition !== null && <Fact name="lanes with the condition">{percent(condition)}</Fact>}
          <Fact name="decides">{branch.per_lane ? "each lane for itself" : "the wave as a whole"}</Fact>
        </>
      )}
      {row.target != null && kernel.instructions[row.target] && (
        <Fact name="target">
          <button type="button" class="link" onClick={() => navigate({ instruction: row.target!, line: null })}><code>{shortAddress(kernel.instructions[row.target]!.address)}</code> {kernel.instructions[row.target]!.text}</button>
        </Fact>
      )}
    </>
  );
}

// With --per-wave: whether all waves diverge alike, and which does most.
function WaveFacts({ kernel, index }: { kernel: Kernel; index: number }) {
  const waves = (kernel.waves_branches ?? []).filter((w) => w.instruction === index);
  if (!waves.length) return null;
  const diverged = waves.filter((w) => w.agreements < w.executions);
  const worst = diverged.reduce<(typeof waves)[number] | null>((most, w) => (most && most.executions - most.agreements >= w.executions - w.agreements ? most : w), null);
  return (
    <>
      <Fact name="waves that diverged">{full(diverged.length)} <span class="dim">of {full(waves.length)}</span></Fact>
      {worst && <Fact name="most" title="Workgroup and wave that diverged most often">{full(worst.executions - worst.agreements)} × <span class="dim">wg {worst.workgroup.join(",")} wave {worst.wave}</span></Fact>}
    </>
  );
}

function Fact({ name, title, children }: { name: string; title?: string; children: ComponentChildren }) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function MemoryFacts({ site }: { site: MemorySite }) {
  const atomic = site.kind === "atomic";
  return (
    <dl class="detail-list" data-testid="memory-facts">
      <Fact name="pattern" title={`${percent(site.pattern_share)} of the requests`}>{site.pattern}</Fact>
      <Fact name="cache lines" title={`${full(site.ideal_lines)} would do`}>{full(site.lines)}</Fact>
      <Fact name="excess"><span class={site.excess_lines ? "bad" : "good"}>{full(site.excess_lines)}</span> <span class="dim">{percent(site.lines ? site.excess_lines / site.lines : 0)}</span></Fact>
      <Fact name="lines / request">{site.requests ? (site.lines / site.requests).toFixed(1) : "0"}</Fact>
      <Fact name="moved / asked" title={`${full(site.bytes_moved)} / ${full(site.bytes_asked)} bytes`}>{bytes(site.bytes_moved)} / {bytes(site.bytes_asked)}</Fact>
      {site.clocks > 0 && <Fact name="L1 clocks / wave" title="of address coalescing; the ideal">{site.requests ? `${(site.clocks / site.requests).toFixed(0)} (${(site.ideal_clocks / site.requests).toFixed(0)})` : "0"}</Fact>}
      {atomic && <Fact name="collisions" title="Lanes beyond the first at one address">{full(site.address_collisions)}</Fact>}
      {site.misaligned_lanes > 0 && <Fact name="misaligned lanes"><span class="bad">{full(site.misaligned_lanes)}</span></Fact>}
      {site.split_lanes > 0 && <Fact name="lanes across two lines"><span class="bad">{full(site.split_lanes)}</span></Fact>}
    </dl>
  );
}

function LdsFacts({ site }: { site: LdsSite }) {
  return (
    <dl class="detail-list" data-testid="lds-facts">
      <Fact name="accesses">{full(site.accesses)}</Fact>
      <Fact name="cycles" title={`${full(site.ideal_cycles)} without conflicts`}>{full(site.cycles)}</Fact>
      <Fact name="conflicts"><span class={site.conflict_cycles ? "bad" : "good"}>{full(site.conflict_cycles)}</span> <span class="dim">{percent(site.cycles ? site.conflict_cycles / site.cycles : 0)}</span></Fact>
      <Fact name="worst" title={`In bank ${site.worst_bank}`}>{site.worst_degree > 1 ? `${site.worst_degree}-way` : "none"}</Fact>
      {site.broadcasts > 0 && <Fact name="with shared dwords" title="Accesses where lanes shared a dword">{full(site.broadcasts)}</Fact>}
      {site.same_address_atomics > 0 && <Fact name="atomics on one dword">{full(site.same_address_atomics)}</Fact>}
    </dl>
  );
}

function ActiveLanes({ row }: { row: Instruction }) {
  const bins = useMemo(() => {
    const counts = new Array<number>(65).fill(0);
    for (const [lanes, waves] of row.active!) counts[lanes] = waves;
    return counts;
  }, [row]);
  return (
    <div class="detail-lanes" data-testid="detail-lanes">
      <h3>{row.branch ? "Arriving lanes" : "Active lanes"}</h3>
      <LaneHistogram bins={bins} height={130} label="Executions of this instruction by active lanes" />
    </div>
  );
}
