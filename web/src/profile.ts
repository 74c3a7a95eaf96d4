// The profile's JSON as TypeScript types: docs/profile-format.md under the same names. A reader may meet keys that are not
// here, and `null` or nothing where something was not collected.

export type Xyz = [number, number, number];
/** file, line, column; column 0: not known. */
export type Place = [number, number, number];
/** A view that the page does not know is one of `figures`. */
export type View = "branches" | "divergence" | "memory" | "lds" | "trace" | (string & {});
export type InstructionClass = "valu" | "salu" | "vmem" | "flat" | "smem" | "lds" | "branch" | "message" | "export";

export interface Profile {
  format: "crosslane-profile";
  version: 1;
  producer: string;
  command: string;
  views: View[];
  complete: boolean;
  measured_by?: "probes"; // in the kernels' code; else by listeners
  interrupted?: string | null;
  selection: Selection;
  seconds: number;
  overhead?: Overhead | null;
  overhead_estimate?: OverheadEstimate | null;
  sources: SourceFile[];
  /** That examples and the trace reach, by address. */
  buffers?: Buffer[] | null;
  kernels: Kernel[];
  trace?: Trace | null;
  /** Why there is no trace although one was asked for. */
  untraced?: string | null;
  damaged?: string[];
  /** Nothing ran, or elsewhere: the figures beside the code are estimates, and of what. */
  estimated?: string | null;
  /** Of the cycle model: docs/timing-model.md. A launch has one kernel, whose it is. */
  timing?: Timing | null;
  /** What --check found. */
  check?: Check | null;
}

export interface Check {
  findings: CheckFinding[];
  rules: Record<string, { title: string; text: string }>;
  suppressed: number;
}

export interface CheckFinding {
  rule: string;
  severity: "error" | "warning" | "performance" | (string & {});
  message: string;
  target: string;
  place: CheckPlace;
  instruction?: string;
  seen?: { workgroup: Xyz; wave: number; lane?: number; address?: number; times: number } | null;
  /** The other access, or where the value came from. */
  notes: { text: string; place: CheckPlace; called_from?: CheckPlace[] }[];
  /** The calls by which it was come to, the innermost first. */
  called_from?: CheckPlace[];
}

export interface CheckPlace {
  file: string;
  function?: string;
  offset: number;
  code?: string;
  /** "vadd.cl:3:7" */
  source?: string;
  /** Of the calls that were inlined around it, the innermost first. */
  inlined_by?: string[];
}

export interface Timing {
  card: string;
  mhz: number;
  compute_units: number;
  simds: number;
  waves_per_simd: number;
  nanoseconds: number;
  launch_nanoseconds: number;
  cycles: number;
  waves: number;
  workgroups: number;
  instructions: number;
  /** Lifetimes of all waves. */
  wave_cycles: number;
  busy_cycles: { valu: number; matrix: number; salu: number; branch: number; vector_memory: number; lds: number };
  l1: { hits: number; misses: number };
  scalar_cache: { hits: number; misses: number };
  instruction_cache: { misses: number };
  l2: { hits: number; misses: number };
  memory: { bytes_read: number; bytes_written: number };
  /** Cycles of waves, by what they went to. */
  cycles_spent: Record<string, number>;
  per_instruction: TimingInstruction[];
  assumed?: Record<string, number>;
  /** Operations and bytes a second. */
  peaks?: { f32: number; f64: number; memory: number; l2: number; l1: number; lds: number };
  timeline?: TimelineData;
}

export interface TimingInstruction {
  instruction: string;
  issued: number;
  cycles: Record<string, number>;
  object_address?: string;
  latency?: number;
  stall?: number;
  idle?: number;
  /** Floating-point operations: of each lane; of the wave. */
  flops?: [number, number];
}

export interface TimelineData {
  bin_cycles: number;
  series: Record<string, number[]>;
  spent: Record<string, number[]>;
  /** Of so many compute units of an engine, one has its waves here. */
  every: number;
  waves_in_all: number;
  /** Shader engine, compute unit, SIMD unit, slot, begin, end, workgroup, wave in it. */
  waves: [number, number, number, number, number, number, number, number][];
}

export interface Selection {
  kernels: string | null;
  launches: string | null;
  sample: { fraction: number; seed: number } | null;
}

export interface Overhead {
  plain_seconds: number;
  profiled_seconds: number;
  ratio: number;
}

export interface OverheadEstimate {
  cpu_seconds: number;
  hook_seconds: number;
  /** Null: too little ran to tell. */
  share: number | null;
  ratio: number | null;
}

export interface Buffer {
  name: string;
  address: string;
  size: number;
  /** Of an element, and its bytes; null: not known. */
  type?: string | null;
  element?: number | null;
}

export interface SourceFile {
  path: string;
  language?: string | null;
  text?: string | null;
}

export interface Kernel {
  name: string;
  readable: string;
  short: string;
  target: string;
  card?: string | null;
  launches: number;
  grid: Xyz;
  block: Xyz;
  varied?: boolean;
  workgroups: number;
  waves: number;
  wave_instructions: number;
  sampled?: Sampled | null;
  seconds: number;
  /** measured_by probes: why this kernel has none; and what it calls through pointers, which has none. */
  not_measured?: string | null;
  calls_to_uninstrumented?: number;
  vgprs: number;
  agprs: number;
  sgprs: number;
  lds_bytes: number;
  scratch_bytes: number;
  occupancy?: Occupancy | null;
  mix?: MixEntry[] | null;
  counters?: Counter[] | null;
  findings?: Finding[] | null;
  lines?: Line[] | null;
  instructions: Instruction[];
  waves_branches?: WaveBranch[] | null;
  figures?: Figures[] | null;
}

/** Numbers of a view about instructions: an instruction index, and the value of each column. */
export interface Figures {
  view: string;
  /** Columns beside source and disassembly, rather than a table. */
  beside_code?: boolean;
  columns: { name: string; unit: string; about: string; /** Shown when it is asked for. */ quiet?: boolean }[];
  rows: number[][];
}

export interface Sampled {
  workgroups: number;
  of: number;
  error?: number | null;
}

export interface Occupancy {
  waves_per_simd: number;
  max_waves_per_simd: number;
  limiter: string;
  limits: { name: string; waves: number }[];
  advice?: string | null;
}

export interface MixEntry {
  class: InstructionClass;
  wave_instructions: number;
  lanes?: number | null;
}

export interface Counter {
  name: string;
  value: number | null;
  unit?: string | null;
  about?: string | null;
  why?: string | null;
}

export type FindingKind =
  | "divergence"
  | "partial_waves"
  | "coalescing"
  | "misaligned"
  | "atomic_collisions"
  | "bank_conflicts"
  | "occupancy"
  | "scratch";

export interface Finding {
  kind: FindingKind;
  title: string;
  text: string;
  advice: string;
  instruction?: number | null;
  source?: Place | [number, number] | null;
  cost: number;
  unit: string;
  share: number;
}

export interface Line {
  source: [number, number];
  instructions: number[];
  executions: number;
  lanes?: number | null;
  lost_lane_cycles?: number | null;
  lines?: number | null;
  ideal_lines?: number | null;
  excess_lines?: number | null;
  lds_cycles?: number | null;
  conflict_cycles?: number | null;
  divergences?: number | null;
  branches?: number | null;
  /** Not in the file: activeShare() of the line's instructions that have lanes. `lanes` counts scalar ones too, with whatever EXEC is then. */
  active_share?: number | null;
  /** Not in the file: colliding atomics of its instructions; null if there are none. */
  collisions?: number | null;
}

export interface Instruction {
  address: string;
  function: string;
  offset: number;
  text: string;
  source?: Place | null;
  class: InstructionClass;
  target?: number | null;
  executions: number;
  lanes?: number | null;
  active?: [number, number][] | null;
  diverged_lanes?: number | null;
  missing_lanes?: number | null;
  lost_lane_cycles?: number | null;
  lost_to_partial_waves?: number | null;
  branch?: BranchCounts | null;
  memory?: MemorySite[] | null;
  lds?: LdsSite | null;
}

export interface BranchCounts {
  executions: number;
  all: number;
  none: number;
  agreements: number;
  divergences: number;
  arriving_lanes: number | null; // null: probes do not count them
  condition_lanes: number | null;
  per_lane: boolean;
}

// Of the arriving lanes; null: there were none, or nobody counted them.
export function conditionShare(branch: BranchCounts): number | null {
  return branch.arriving_lanes ? (branch.condition_lanes ?? 0) / branch.arriving_lanes : null;
}

export interface WaveBranch {
  workgroup: Xyz;
  wave: number;
  instruction: number;
  executions: number;
  agreements: number;
}

export type AccessKind = "load" | "store" | "atomic";

export interface MemorySite {
  space: "global" | "scratch" | "scalar";
  kind: AccessKind;
  bytes: number;
  requests: number;
  lanes: number;
  lines: number;
  ideal_lines: number;
  excess_lines: number;
  bytes_asked: number;
  bytes_moved: number;
  l2_operations: number;
  address_collisions: number;
  clocks: number;
  ideal_clocks: number;
  l1_groups: {
    same_address: number;
    quads_same_address: number;
    quads_one_block: number;
    separate_quads: number;
    wide: number;
  };
  misaligned_lanes: number;
  split_lanes: number;
  pattern: string;
  pattern_share: number;
  stride?: number | null;
  alignment?: number | null;
  worst?: Example | null;
}

export interface LdsSite {
  kind: AccessKind;
  bytes: number;
  accesses: number;
  lanes: number;
  cycles: number;
  ideal_cycles: number;
  conflict_cycles: number;
  broadcasts: number;
  same_address_atomics: number;
  worst_degree: number;
  worst_bank: number;
  worst_lanes: [number, number];
  worst_addresses: [number, number];
  worst?: Example | null;
}

/** One execution by one wavefront: lane i accesses base + offsets[i]. */
export interface Example {
  workgroup: Xyz;
  wave: number;
  lanes: string;
  base: string;
  offsets: (number | null)[];
  second?: (number | null)[] | null;
}

export interface Trace {
  kernel: number;
  /** Of that kernel, counted from 0. */
  launch?: number;
  workgroup: Xyz;
  wave: number;
  vgpr_count: number;
  agpr_count?: number;
  sgpr_count: number;
  complete: boolean;
  instructions: TraceInstruction[];
  initial: TraceState;
  /** [index in `instructions`, what it changed; 0: nothing] */
  steps: [number, TraceChanges | 0][];
}

export interface TraceInstruction {
  address: string;
  function: string;
  offset: number;
  text: string;
  source?: Place | null;
}

/** base64 of 64 little-endian 32-bit values, or the value of all lanes. */
export type VectorValue = string | number;

export interface TraceState {
  s?: Record<string, number>;
  v?: Record<string, VectorValue>;
  exec?: string;
  vcc?: string;
  scc?: number;
  m0?: number;
}

export interface TraceChanges extends TraceState {
  mem?: TraceAccess;
}

export interface TraceAccess {
  space: string;
  kind: AccessKind;
  bytes: number;
  lanes: string;
  base: string;
  offsets: (number | null)[];
  second?: (number | null)[] | null;
}
