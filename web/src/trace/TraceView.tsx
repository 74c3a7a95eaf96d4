// Owns stepping through the recorded wavefront.
import type { Profile, Trace } from "../profile";

export interface TraceViewProps {
  profile: Profile;
  trace: Trace;
}

export function TraceView({ trace }: TraceViewProps) {
  return (
    <section class="page" data-testid="trace" aria-label="Trace of a wavefront">
      <h2>
        Wavefront {trace.wave} of workgroup {trace.workgroup.join(", ")}
      </h2>
      <p>{trace.steps.length} steps</p>
    </section>
  );
}
